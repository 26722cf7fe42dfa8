//! A result folder that is there: which tables it has and in which format.

use super::rows::StoredRows;
use super::summary::StoredSummary;
use crate::tables::{
    Clusters, Codes, Copies, Declaration, Declared, DocumentsOfPairs, Duplicates,
    FileFormat, OutputFormat, Pairs, Passages, StoredCluster, StoredCode, StoredCopy,
    StoredDocument, StoredDuplicate, StoredPair, StoredPassage, StoredRow,
};
use neardupe_core::error::{Error, Result};
use neardupe_core::hash::{self, FixedMap};
use std::path::{Path, PathBuf};

/// The folder in which `dedup` leaves its result.
const INSIDE: &str = "_neardupe";

/// A table of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultTable {
    /// Similar pairs.
    Pairs,
    /// Clusters of two or more documents.
    Clusters,
    /// Documents that are not kept.
    Duplicates,
    /// Documents that occur in a pair; only with `pairs all`.
    Documents,
    /// Simhashes; only with `method simhash`.
    Codes,
    /// Passages; only of `passages`.
    Passages,
    /// Documents with the text of another one; only of `passages`.
    Copies,
}

impl ResultTable {
    /// What the table is.
    pub fn declaration(self) -> &'static Declaration {
        match self {
            ResultTable::Pairs => Pairs::DECLARATION,
            ResultTable::Clusters => Clusters::DECLARATION,
            ResultTable::Duplicates => Duplicates::DECLARATION,
            ResultTable::Documents => DocumentsOfPairs::DECLARATION,
            ResultTable::Codes => Codes::DECLARATION,
            ResultTable::Passages => Passages::DECLARATION,
            ResultTable::Copies => Copies::DECLARATION,
        }
    }

    /// The file of the table, without the ending.
    pub fn name(self) -> &'static str {
        self.declaration().name
    }
}

/// A result that was written by this program.
#[derive(Debug)]
pub struct ResultReader {
    /// The folder with the tables.
    folder: PathBuf,
    /// Its summary.
    summary: StoredSummary,
}

impl ResultReader {
    /// Opens a result of `find` or `passages`, or the one inside an output of `dedup`.
    pub fn open(path: &Path) -> Result<Self> {
        let shown = path.display().to_string();
        if !path.exists() {
            return Err(Error::input(shown, "there is no such folder"));
        }
        let Some(folder) = with_summary(path) else {
            let message = "not a result of neardupe: it has no summary.json; \
                           name the folder that find wrote (-o)";
            return Err(Error::input(shown, message));
        };
        let summary = StoredSummary::read(&folder.join("summary.json"))?;
        Ok(ResultReader { folder, summary })
    }

    /// The folder with the tables.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What was asked and what was found.
    pub fn summary(&self) -> &StoredSummary {
        &self.summary
    }

    /// The file of a table and its format, if the result has it.
    pub fn file(&self, table: ResultTable) -> Option<(PathBuf, OutputFormat)> {
        file_of(
            &self.folder,
            table.name(),
            self.summary.option("output-format"),
        )
    }

    /// The format in which the tables are.
    pub fn format(&self) -> OutputFormat {
        let own = self.summary.option("output-format");
        own.and_then(|name| name.parse().ok()).unwrap_or_default()
    }

    /// The texts that were compared, if they were written.
    pub fn texts(&self) -> Option<PathBuf> {
        let path = self.folder.join("texts.jsonl");
        path.is_file().then_some(path)
    }

    /// Similar pairs by left and right id. Which they are says
    /// [`StoredSummary::has_all_pairs`].
    pub fn pairs(&self) -> Result<StoredRows<StoredPair>> {
        self.rows(ResultTable::Pairs)
    }

    /// Clusters by the representative's id.
    pub fn clusters(&self) -> Result<StoredRows<StoredCluster>> {
        self.rows(ResultTable::Clusters)
    }

    /// Duplicates by id.
    pub fn duplicates(&self) -> Result<StoredRows<StoredDuplicate>> {
        self.rows(ResultTable::Duplicates)
    }

    /// Refuses a result in which an old and a new document have the same id: whoever knows
    /// documents by their ids alone cannot distinguish them.
    pub fn check_ids_of_sides(&self) -> Result<()> {
        if !self.summary().against() || self.file(ResultTable::Pairs).is_none() {
            return Ok(());
        }
        let mut sides: FixedMap<u128, bool> = FixedMap::default();
        // Hashes of ids: a result may have millions, and only their equality matters.
        for row in self.pairs()? {
            let row = row?;
            let both = [(row.left, row.left_source), (row.right, row.right_source)];
            for (id, source) in both {
                let is_old = source.as_deref() == Some("old");
                if *sides.entry(hash::text(&id)).or_insert(is_old) != is_old {
                    let message = format!(
                        "an old and a new document have the id {id:?}; this works on ids \
                         alone, so they must differ between `against` and the input"
                    );
                    return Err(Error::input(
                        self.folder().display().to_string(),
                        message,
                    ));
                }
            }
        }
        Ok(())
    }

    /// Documents that occur in a pair, by id; only with `pairs all`.
    pub fn documents(&self) -> Result<StoredRows<StoredDocument>> {
        self.rows(ResultTable::Documents)
    }

    /// Simhashes of documents, in the order of the input; only with `method simhash`.
    pub fn codes(&self) -> Result<StoredRows<StoredCode>> {
        self.rows(ResultTable::Codes)
    }

    /// Passages by left and right id and place.
    pub fn passages(&self) -> Result<StoredRows<StoredPassage>> {
        self.rows(ResultTable::Passages)
    }

    /// Documents with the text of another one, in a result of `passages`.
    pub fn copies(&self) -> Result<StoredRows<StoredCopy>> {
        self.rows(ResultTable::Copies)
    }

    /// Opens a table. Tables that depend on an option have no count in the summary, so only the
    /// others are checked to be complete.
    fn rows<T: StoredRow>(&self, table: ResultTable) -> Result<StoredRows<T>> {
        let name = table.name();
        let of_passages = matches!(table, ResultTable::Passages | ResultTable::Copies);
        if self.summary.is_of_passages() && !of_passages {
            return Err(self.summary.not_of_find());
        }
        let Some((path, format)) = self.file(table) else {
            let remedy = match table {
                ResultTable::Documents => {
                    "it is written by find `pairs all`; run find again"
                }
                ResultTable::Codes => "it is written by find `method simhash`",
                ResultTable::Passages | ResultTable::Copies => {
                    "it is written by passages; run passages again"
                }
                _ => "was a file removed? run find again",
            };
            let message = format!("the result has no table of {name}: {remedy}");
            return Err(Error::input(self.folder.display().to_string(), message));
        };
        let expected = match table {
            ResultTable::Documents | ResultTable::Codes => None,
            _ => Some(self.summary.count(name)?),
        };
        StoredRows::open(path, FileFormat::Of(format), expected)
    }
}

/// The folder of a result: the one that is named, or the one that `dedup` left in it.
pub(super) fn with_summary(path: &Path) -> Option<PathBuf> {
    let places = [path.to_path_buf(), path.join(INSIDE)];
    let mut places = places.into_iter();
    places.find(|folder| folder.join("summary.json").is_file())
}

/// The file of a table and its format, if it is there. `own` is the format of the job.
pub(super) fn file_of(
    folder: &Path,
    table: &str,
    own: Option<&str>,
) -> Option<(PathBuf, OutputFormat)> {
    // The format of the job first: a stray file of another format is not taken for it.
    let own = own.and_then(|name| name.parse::<OutputFormat>().ok());
    let formats = own.into_iter().chain(OutputFormat::ALL);
    let mut files = formats.map(|format| {
        let name = format!("{table}.{}", format.name());
        (folder.join(name), format)
    });
    files.find(|(path, _)| path.is_file())
}
