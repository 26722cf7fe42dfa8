//! How far the join has come, in the work directory.

use crate::candidate::ledger::Ledger;
use crate::cluster::star::StarState;
use crate::error::Result;
use crate::store::WorkDir;
use serde::{Deserialize, Serialize};

const STAR: &str = "star";
const COMPONENTS: &str = "components";

#[derive(Debug, Serialize, Deserialize)]
struct StarDone {
    settled: usize,
    ledger: Ledger,
}

/// Where the star clusters of an interrupted job are; their beginning when there is none.
pub(super) fn star_state(work: &WorkDir, num_documents: usize) -> Result<StarState> {
    let mut state = StarState::new(num_documents);
    if let Some((done, files)) = work.stage::<StarDone>(STAR)? {
        for file in &files {
            work.open(file)?.read(0, &mut state.bests)?;
        }
        (state.settled, state.ledger) = (done.settled, done.ledger);
    }
    Ok(state)
}

/// Enters how far the star clusters are.
pub(super) fn save_star_state(work: &WorkDir, state: &StarState) -> Result<()> {
    let mut out = work.create(&format!("{STAR}-{:010}", state.settled))?;
    out.frame(&state.bests)?;
    let done = StarDone {
        settled: state.settled,
        ledger: state.ledger,
    };
    work.commit(STAR, &done, vec![out.finish()?], &[STAR])
}

/// The components that an interrupted job has found.
pub(super) fn components(work: &WorkDir) -> Result<Option<(Vec<u32>, Ledger)>> {
    let Some((ledger, files)) = work.stage::<Ledger>(COMPONENTS)? else {
        return Ok(None);
    };
    let mut components = Vec::new();
    for file in &files {
        work.open(file)?.read(0, &mut components)?;
    }
    Ok(Some((components, ledger)))
}

/// Enters the components.
pub(super) fn save_components(
    work: &WorkDir,
    components: &[u32],
    ledger: &Ledger,
) -> Result<()> {
    let mut out = work.create(COMPONENTS)?;
    out.frame(components)?;
    work.commit(COMPONENTS, ledger, vec![out.finish()?], &[])
}
