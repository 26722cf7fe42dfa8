//! How far the join has come, in the work directory.

use crate::candidate::ledger::Ledger;
use crate::cluster::star::StarState;
use crate::error::Result;
use crate::numbers::{Column, OpenIdx};
use crate::store::WorkDir;
use serde::{Deserialize, Serialize};

/// Name of the stage, entered anew after each window.
const STAR: &str = "star";
/// Name of the stage.
const COMPONENTS: &str = "components";

/// What the manifest says of star clusters; what documents belong to is in the file.
#[derive(Debug, Serialize, Deserialize)]
struct StarDone {
    settled: usize,
    ledger: Ledger,
}

/// Where the star clusters of an interrupted job are; their beginning when there is none.
pub(in crate::pipeline) fn star_state(
    work: &WorkDir,
    num_documents: usize,
) -> Result<StarState> {
    let mut state = StarState::new(num_documents);
    if let Some((done, files)) = work.stage::<StarDone>(STAR)? {
        for file in &files {
            let mut bests = Vec::new();
            work.open(file)?.read(0, &mut bests)?;
            state.bests = Column::of(bests);
        }
        (state.settled, state.ledger) = (done.settled, done.ledger);
    }
    Ok(state)
}

/// Enters how far the star clusters are.
pub(in crate::pipeline) fn save_star_state(
    work: &WorkDir,
    state: &StarState,
) -> Result<()> {
    let mut out = work.create(&format!("{STAR}-{:010}", state.settled))?;
    out.frame(state.bests.rows())?;
    let done = StarDone {
        settled: state.settled,
        ledger: state.ledger,
    };
    work.commit(STAR, &done, vec![out.finish()?], &[STAR])
}

/// The component of each open set.
pub(in crate::pipeline) type Components = Column<OpenIdx, OpenIdx>;

/// The components that an interrupted job has found.
pub(in crate::pipeline) fn components(
    work: &WorkDir,
) -> Result<Option<(Components, Ledger)>> {
    let Some((ledger, files)) = work.stage::<Ledger>(COMPONENTS)? else {
        return Ok(None);
    };
    let mut components = Vec::new();
    for file in &files {
        work.open(file)?.read(0, &mut components)?;
    }
    Ok(Some((Column::of(components), ledger)))
}

/// Enters the components.
pub(in crate::pipeline) fn save_components(
    work: &WorkDir,
    components: &Components,
    ledger: &Ledger,
) -> Result<()> {
    let mut out = work.create(COMPONENTS)?;
    out.frame(components.rows())?;
    work.commit(COMPONENTS, ledger, vec![out.finish()?], &[])
}
