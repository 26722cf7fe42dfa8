//! What all these studies end with: `grid.csv`, the summary, the page.
//!
//! The same end for all studies of settings: tables, page and summary, and the bad records of the
//! first setting, since each of them reads the same input.

use super::super::super::find::FindJob;
use super::super::base::StudyBase;
use super::super::outcome::{StudyFindings, StudyOutcome, finish, headline};
use super::known::StudyTruth;
use super::rows::{StudyRow, as_json};
use crate::exec::Stages;
use crate::report::{LineChart, PageParts, PageTable};
use crate::study::write_grid;
use neardupe_core::error::Result;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What a study of settings has found, before it is written.
pub(super) struct StudyGridFindings {
    /// The name of the study.
    pub(super) study: &'static str,
    /// What the page is called.
    pub(super) title: &'static str,
    /// All parameters as they were used.
    pub(super) options: Map<String, Value>,
    /// Documents.
    pub(super) documents: u64,
    /// Records that did not become documents.
    pub(super) bad_records: u64,
    /// What was right; none where nothing is known.
    pub(super) truth: Option<StudyTruth>,
    /// A row for each setting.
    pub(super) rows: Vec<StudyRow>,
    /// What came out, a sentence each. The last one says what to do.
    pub(super) findings: Vec<String>,
    /// For people.
    pub(super) table: PageTable,
    /// For the page alone: times are of one run on one machine.
    pub(super) costs: Option<PageTable>,
    /// Drawings.
    pub(super) charts: Vec<LineChart>,
}

/// What a study of settings measured.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct StudyGridFigures {
    /// Numbers.
    pub counts: StudyGridCounts,
    /// What was right; none where nothing is known.
    pub truth: Option<StudyTruth>,
    /// Values by the names of columns, as in `grid.csv`: a row for each setting.
    pub rows: Vec<Map<String, Value>>,
}

/// Numbers of a study of settings.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct StudyGridCounts {
    /// Documents.
    pub documents: u64,
    /// Records that did not become documents.
    pub bad_records: u64,
}

/// What comes of a study of settings.
pub type StudyGridOutcome = StudyOutcome<StudyGridFigures>;

/// Writes it.
pub(super) fn end(
    base: &StudyBase,
    job: &FindJob,
    stages: &Stages<'_>,
    found: StudyGridFindings,
) -> Result<StudyGridOutcome> {
    let rows = found.rows;
    let written = StudyFindings {
        study: found.study,
        options: found.options,
        figures: StudyGridFigures {
            counts: StudyGridCounts {
                documents: found.documents,
                bad_records: found.bad_records,
            },
            truth: found.truth,
            rows: as_json(&rows),
        },
        parts: PageParts {
            title: found.title.to_owned(),
            headline: headline(&found.findings),
            findings: found.findings,
            tables: [found.table].into_iter().chain(found.costs).collect(),
        },
        num_shown: 1,
        charts: found.charts,
        bad_records: found.bad_records,
        is_exact: found.study == "threshold",
    };
    finish(base, job, stages, written, |folder| {
        let head = rows.first().map(StudyRow::head).unwrap_or_default();
        let rows: Vec<Vec<String>> = rows.iter().map(StudyRow::texts).collect();
        write_grid(folder, &head, &rows)
    })
}
