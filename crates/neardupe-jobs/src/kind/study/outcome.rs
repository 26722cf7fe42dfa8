//! What comes of a study, and how it is written.
//!
//! One form for all studies, so that fronts print and pages show each of them with the same code.

use super::super::find::{FindJob, idle_hashes};
use super::base::StudyBase;
use crate::exec::Stages;
use crate::report::{LineChart, PageParts, PageTable};
use crate::study::write_study_page;
use crate::system::memory;
use neardupe_core::document::{Progress, check_cancelled};
use neardupe_core::error::Result;
use neardupe_io::output::{ResultFolder, ResultKind};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// `summary.json` of a study. Figures are those of its kind.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct StudySummary<F> {
    /// Always `neardupe`: marks the folder as a result of ours.
    pub program: String,
    /// Version of the program.
    pub version: String,
    /// Always `study`.
    pub command: String,
    /// The name of the study.
    pub study: String,
    /// All parameters as they were used, by name.
    pub options: Map<String, Value>,
    /// What came out, a sentence each. The last one says what to do.
    pub findings: Vec<String>,
    /// What was measured.
    #[serde(flatten)]
    pub figures: F,
    /// Wall time by stage.
    pub seconds: BTreeMap<String, f64>,
    /// Largest resident memory.
    pub peak_memory_bytes: u64,
}

impl<F: Serialize> StudySummary<F> {
    /// As JSON, keys by name.
    pub fn to_value(&self) -> Result<Value> {
        Ok(serde_json::to_value(self)?)
    }

    /// The text of `summary.json`.
    pub fn to_text(&self) -> Result<String> {
        Ok(serde_json::to_string_pretty(&self.to_value()?)? + "\n")
    }
}

/// What came of a study.
#[derive(Debug)]
pub struct StudyOutcome<F> {
    /// What was found, as it is in `summary.json`.
    pub summary: StudySummary<F>,
    /// Tables for people.
    pub tables: Vec<PageTable>,
    /// Records that did not become documents.
    pub bad_records: u64,
    /// So many of them are no reason to fail.
    pub allow_bad_records: u64,
    /// The folder of the result.
    pub output: PathBuf,
    /// The file of a plan, where one was asked for.
    pub saved: Option<PathBuf>,
    /// What the user should know: parameters without effect.
    pub warnings: Vec<String>,
}

impl<F> StudyOutcome<F> {
    /// More records were left out than the study allows.
    pub fn has_left_out(&self) -> bool {
        self.bad_records > self.allow_bad_records
    }
}

/// What a study has found, before it is written.
pub(super) struct StudyFindings<F> {
    /// The name of the study.
    pub(super) study: &'static str,
    /// All parameters as they were used.
    pub(super) options: Map<String, Value>,
    /// What came out, for the summary.
    pub(super) figures: F,
    /// Title, findings and tables of the page, before the figures.
    pub(super) parts: PageParts,
    /// How many of its tables are shown to people who do not open the page.
    pub(super) num_shown: usize,
    /// Drawings.
    pub(super) charts: Vec<LineChart>,
    /// Records that did not become documents.
    pub(super) bad_records: u64,
    /// Nothing was sampled or signed, so no figure depends on the hash.
    pub(super) is_exact: bool,
}

/// The last finding says what to do.
pub(super) fn headline(findings: &[String]) -> String {
    let last = findings.last();
    last.map_or(String::new(), |finding| PageParts::headline_of(finding))
}

/// Writes the result: `tables` writes what the study has of its own into the folder.
pub(super) fn finish<F: Serialize>(
    base: &StudyBase,
    job: &FindJob,
    stages: &Stages<'_>,
    found: StudyFindings<F>,
    tables: impl FnOnce(&Path) -> Result<()>,
) -> Result<StudyOutcome<F>> {
    let folder = ResultFolder::create(&job.output, ResultKind::Study)?;
    stages.begin("write", 0);
    // A stop that was asked for while the last setting ended.
    check_cancelled(stages)?;
    tables(folder.path())?;
    let mut parts = found.parts;
    let summary = StudySummary {
        program: "neardupe".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        command: "study".to_owned(),
        study: found.study.to_owned(),
        options: found.options,
        findings: parts.findings.clone(),
        figures: found.figures,
        seconds: stages.seconds(),
        peak_memory_bytes: memory::peak_bytes(),
    };
    write_study_page(folder.path(), &summary.to_value()?, &parts, &found.charts)?;
    folder.finish(&summary.to_text()?)?;
    let mut warnings = base.warnings(job);
    if found.is_exact {
        warnings.extend(idle_hashes(job));
    }
    parts.tables.truncate(found.num_shown);
    Ok(StudyOutcome {
        summary,
        tables: parts.tables,
        bad_records: found.bad_records,
        allow_bad_records: job.allow_bad_records,
        output: job.output.clone(),
        saved: None,
        warnings,
    })
}
