//! Main contents that many pages of a collection share, looked for before a job.
//!
//! One text that was chosen as the main content of many different pages is a notice that
//! all of them carry. It cannot be noticed page by page. So a sample of the input is read
//! before the job, and pages with such a main content keep their full text. The job records
//! the hashes of these texts with its options: whoever reads the pages again needs only the
//! options and the page.
//!
//! A collection of up to 32 MiB is looked at as a whole. In a larger one a text is found that
//! about one page in 200 has (`PageSample`); what was missed is reported after reading.

use super::read::FileSource;
use super::text_maker::TextOptions;
use crate::extract::Content;
use neardupe_core::document::{
    BadRecord, PageSample, Progress, Record, SharedMain, Sink, Source,
};
use neardupe_core::error::{Error, Result};

/// Bytes that are looked at: about the 1,024 pages that a sample of pages keeps.
const SAMPLE_BYTES: u64 = 32 << 20;

/// What stands between `main` and the hashes.
const EXCEPT: &str = "except";

/// Texts that are the main content of many pages, the most frequent first. None where
/// the input can be read only once.
pub(super) fn find(
    source: &FileSource,
    threads: usize,
    progress: &dyn Progress,
) -> Result<Option<Vec<SharedMain>>> {
    if source.origins()?.is_none() {
        return Ok(None);
    }
    let sample = source.sample(SAMPLE_BYTES)?;
    // The sample is read by the ordinary readers; what is wanted is only what the text makers
    // notice.
    let mut ignored = vec![Ignored; threads.max(1)];
    let sinks = ignored.iter_mut().map(|sink| sink as &mut dyn Sink);
    progress.begin("look for texts that many pages share", SAMPLE_BYTES);
    let read = sample.read_part(0, sinks.collect(), progress)?;
    let mut pages = PageSample::default();
    pages.merge(&read.pages);
    Ok(Some(pages.shared()))
}

/// Wants the source to make texts, and nothing of them.
#[derive(Clone)]
struct Ignored;

impl Sink for Ignored {
    fn document(&mut self, _record: &Record<'_>) -> Result<()> {
        Ok(())
    }

    fn bad_record(&mut self, _bad: BadRecord) -> Result<()> {
        Ok(())
    }
}

impl TextOptions {
    /// Takes which part of a page is its text, as it is typed: `full`, `main`, or `main except
    /// HASH HASH`, which takes the full text of pages with one of these main contents.
    pub fn set_content(&mut self, typed: &str) -> Result<()> {
        let mut words = typed.split_whitespace();
        let content: Content = words.next().unwrap_or_default().parse()?;
        self.full_for = None;
        if let Some(word) = words.next() {
            // Any word that is no hash makes the whole setting wrong: a forgotten hash would
            // change texts silently.
            let hashes: Option<Vec<u64>> = words
                .map(|hash| u64::from_str_radix(hash, 16).ok())
                .collect();
            let wrong = content != Content::Main || word != EXCEPT;
            let Some(mut hashes) = hashes.filter(|hashes| !wrong && !hashes.is_empty())
            else {
                let message = format!(
                    "{typed:?} is not full, main, or `main except HASH HASH` with hashes of \
                     main contents as another job recorded them"
                );
                return Err(Error::config("content", message));
            };
            // Sorted, because they are searched once per page.
            hashes.sort_unstable();
            self.full_for = Some(hashes.into());
        }
        self.html.content = content;
        Ok(())
    }

    /// Which part of a page is its text, as it can be typed.
    pub fn content_name(&self) -> String {
        let mut name = self.html.content.name().to_owned();
        let shared = self.full_for.as_deref().unwrap_or_default();
        if !shared.is_empty() {
            name += " ";
            name += EXCEPT;
        }
        // Sixteen digits each, so that the name of a setting can be typed again as it is.
        for hash in shared {
            name += &format!(" {hash:016x}");
        }
        name
    }

    /// Whether main contents are wanted and nobody has looked for those that many pages
    /// share.
    pub fn wants_shared_main(&self) -> bool {
        self.html.content == Content::Main && self.full_for.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_recorded_can_be_typed() {
        for typed in [
            "full",
            "main",
            "main except 0000000000000001 ffffffffffffffff",
        ] {
            let mut options = TextOptions::default();
            options.set_content(typed).unwrap();
            assert_eq!(options.content_name(), typed);
            assert_eq!(options.wants_shared_main(), typed == "main");
        }
    }

    #[test]
    fn wrong_exceptions_are_refused() {
        for typed in [
            "",
            "most",
            "full except 1",
            "main except",
            "main but 1",
            "main except x",
        ] {
            let refused = TextOptions::default().set_content(typed);
            assert!(refused.is_err(), "{typed:?}");
        }
    }
}
