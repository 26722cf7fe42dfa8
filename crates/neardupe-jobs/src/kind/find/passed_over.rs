//! What was met below the inputs and is not read: results of ours, and links where none is followed.
//!
//! Every job that looks for files does it through [`FindJob::discover_at`](super::FindJob::discover_at),
//! which notes here what was passed over, and adds [`FindJob::passed_over`](super::FindJob::passed_over)
//! to its warnings. So no command omits files in silence.

use crate::numbers::grouped;
use neardupe_io::source::Discovered;
use std::sync::{Arc, Mutex, PoisonError};

/// Warnings so far, each once. Copies of a job share them: an input may be looked through by any of them.
#[derive(Debug, Clone, Default)]
pub(super) struct PassedOver(Arc<Mutex<Vec<String>>>);

/// Links that a warning names.
const SHOWN_LINKS: usize = 3;

impl PassedOver {
    pub(super) fn note(&self, found: &Discovered) {
        let results = found.results.iter().map(|(folder, files)| {
            format!(
                "passed over {} of a neardupe result in {}; to read one of them, name the file",
                match files {
                    1 => "1 file".to_owned(),
                    files => format!("{} files", grouped(*files)),
                },
                folder.display()
            )
        });
        let mut warnings = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for warning in results.chain(links(found)) {
            if !warnings.contains(&warning) {
                warnings.push(warning);
            }
        }
    }

    pub(super) fn warnings(&self) -> Vec<String> {
        let warnings = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        warnings.clone()
    }
}

fn links(found: &Discovered) -> Option<String> {
    let links = &found.links;
    let shown = links.iter().take(SHOWN_LINKS);
    let shown: Vec<String> = shown.map(|link| link.display().to_string()).collect();
    let more = if links.len() > shown.len() {
        ", ..."
    } else {
        ""
    };
    let count = match links.len() {
        0 => return None,
        1 => "1 symbolic link was".to_owned(),
        count => format!("{} symbolic links were", grouped(count as u64)),
    };
    let shown = shown.join(", ");
    Some(format!("`no-follow`: {count} not followed: {shown}{more}"))
}
