//! What is known of methods, as JSON. Fields are in the order of their names, as they are written.

use super::left_out::LeftOutMethod;
use super::measured::{MeasuredCollection, MeasuredMethods};
use super::method::CatalogueMethod;
use super::{LEFT_OUT, METHODS};
use serde::{Deserialize, Serialize};

/// The answer of `methods`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum MethodsSummary {
    /// All methods.
    All(Box<MethodsMap>),
    /// One of them.
    Method(Box<MethodsEntry>),
    /// One that was left out.
    LeftOut(Box<MethodsLeftOut>),
}

/// All methods.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MethodsMap {
    /// Those that are not here.
    pub left_out: Vec<MethodsLeftOut>,
    /// How the figures were measured.
    pub measured: MethodsMeasured,
    /// Those that are here, group by group.
    pub methods: Vec<MethodsEntry>,
}

/// How and when figures were measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MethodsMeasured {
    /// What they were measured on.
    pub collections: Vec<MeasuredCollection>,
    /// When.
    pub date: String,
    /// On which machine.
    pub machine: String,
    /// Why times cannot be trusted, if so.
    pub provisional: Option<String>,
}

/// All of one method.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MethodsEntry {
    /// What is certain of the figures.
    pub certain: MethodsCertain,
    /// The command whose method it is.
    pub command: String,
    /// What it costs.
    pub cost: String,
    /// What was measured.
    pub figures: Vec<MethodsFigure>,
    /// What it finds, in a few words.
    pub finds: String,
    /// What it changes.
    pub group: String,
    /// What can be said of an answer, in full.
    pub guarantee: String,
    /// Where more of it can be read.
    pub guide: String,
    /// How it works.
    pub how: String,
    /// Its name.
    pub name: String,
    /// What is typed after the command and its input; nothing for the default.
    pub options: String,
    /// Where it was published.
    pub papers: Vec<String>,
    /// `exact`, `verified` or `estimated`.
    pub promise: String,
    /// A threshold can be given as well; else it follows from the options.
    pub takes_threshold: bool,
    /// When to take it.
    pub use_when: String,
}

/// What is certain of the figures of a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct MethodsCertain {
    /// All that is found is right.
    pub precision: bool,
    /// All that is right is found.
    pub recall: bool,
}

/// What was measured of a method on one collection, against one truth.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MethodsFigure {
    /// The collection.
    pub collection: String,
    /// CPU seconds for 1,000 documents.
    pub cpu_seconds_per_1000: f64,
    /// Pairs that were found.
    pub found: u64,
    /// Those of them that are right.
    pub right: u64,
    /// The smallest resemblance of the truth.
    pub threshold: String,
    /// Pairs of the truth.
    pub wanted: u64,
}

/// A method that is not here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MethodsLeftOut {
    /// The name of a method that does what it is wanted for, if there is one.
    pub instead: Option<String>,
    /// Its name.
    pub name: String,
    /// Where it was published.
    pub papers: Vec<String>,
    /// Why it is not here.
    pub reason: String,
    /// What it is.
    pub what: String,
}

fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().copied().map(str::to_owned).collect()
}

impl MethodsMap {
    pub(super) fn new(measured: &MeasuredMethods) -> Self {
        let methods = METHODS.iter();
        MethodsMap {
            left_out: LEFT_OUT.iter().map(MethodsLeftOut::new).collect(),
            measured: measured.described(),
            methods: methods
                .map(|method| MethodsEntry::new(method, measured))
                .collect(),
        }
    }
}

impl MethodsEntry {
    pub(super) fn new(method: &CatalogueMethod, measured: &MeasuredMethods) -> Self {
        MethodsEntry {
            certain: MethodsCertain {
                precision: method.certain.of_precision(),
                recall: method.certain.of_recall(),
            },
            command: method.command().to_owned(),
            cost: method.cost.to_owned(),
            figures: measured.rows_of(method),
            finds: method.finds.to_owned(),
            group: method.group.name().to_owned(),
            guarantee: method.guarantee.to_owned(),
            guide: method.guide.to_owned(),
            how: method.how.to_owned(),
            name: method.name.to_owned(),
            options: method.options.to_owned(),
            papers: owned(method.papers),
            promise: method.promise.name().to_owned(),
            takes_threshold: method.takes_threshold,
            use_when: method.use_when.to_owned(),
        }
    }
}

impl MethodsLeftOut {
    pub(super) fn new(method: &LeftOutMethod) -> Self {
        MethodsLeftOut {
            instead: method.instead.map(str::to_owned),
            name: method.name.to_owned(),
            papers: owned(method.papers),
            reason: method.reason.to_owned(),
            what: method.what.to_owned(),
        }
    }
}
