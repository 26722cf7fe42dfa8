//! A table as a file: a header in JSON, the features, their numbers of documents.

use super::specification::FeatureSpecText;
use super::table::{DfTable, Facts};
use crate::error::{Error, Result};
use crate::store::sealed::Seal;
use serde::{Deserialize, Serialize};
use std::path::Path;

const SEAL: Seal = Seal {
    mark: "neardupe df-table",
    version: 1,
    remedy: "build the table again (neardupe df-table build)",
};

/// What stands before the entries.
#[derive(Debug, Serialize, Deserialize)]
struct Header {
    specification: FeatureSpecText,
    documents: u64,
    min_df: u32,
    uncertainty: u64,
    entries: u64,
}

/// Whether a table may be written to `path`: nothing is there, or another table.
pub fn may_replace(path: &Path) -> Result<bool> {
    SEAL.may_replace(path)
}

impl DfTable {
    /// Reads a table that was written.
    pub fn read(path: &Path) -> Result<DfTable> {
        decode(&SEAL.read(path)?).map_err(|what| SEAL.corrupt(path, &what))
    }

    /// Writes the table: complete or not at all. A file that is there is replaced; see
    /// [`may_replace`].
    pub fn write(&self, path: &Path) -> Result<()> {
        let facts = self.facts();
        let header = Header {
            specification: facts.specification,
            documents: facts.num_documents,
            min_df: facts.min_df,
            uncertainty: facts.uncertainty,
            entries: self.len() as u64,
        };
        let header = serde_json::to_string(&header)
            .map_err(|error| Error::Internal(format!("a df table: {error}")))?;
        let (features, dfs) = self.columns();
        let features: Vec<u8> =
            features.iter().flat_map(|one| one.to_le_bytes()).collect();
        let dfs: Vec<u8> = dfs.iter().flat_map(|one| one.to_le_bytes()).collect();
        SEAL.write(path, &[header.as_bytes(), b"\n", &features, &dfs])
    }
}

pub(super) fn decode(content: &[u8]) -> std::result::Result<DfTable, String> {
    let end = content.iter().position(|&byte| byte == b'\n');
    let end = end.ok_or("it has no header")?;
    let header: Header = serde_json::from_slice(&content[..end])
        .map_err(|error| format!("its header: {error}"))?;
    let columns = &content[end + 1..];
    let num_entries = columns.len() / 12;
    if header.entries != num_entries as u64 || !columns.len().is_multiple_of(12) {
        return Err(format!(
            "{} bytes of entries, where there should be {} entries of 12",
            columns.len(),
            header.entries
        ));
    }
    let (features, dfs) = columns.split_at(num_entries * 8);
    let (features, _) = features.as_chunks::<8>();
    let (dfs, _) = dfs.as_chunks::<4>();
    let features: Vec<u64> = features
        .iter()
        .map(|&one| u64::from_le_bytes(one))
        .collect();
    let dfs = dfs.iter().map(|&one| u32::from_le_bytes(one)).collect();
    if !features.is_sorted_by(|one, next| one < next) {
        return Err("its features are not in order".to_owned());
    }
    let facts = Facts {
        specification: header.specification,
        num_documents: header.documents,
        min_df: header.min_df,
        uncertainty: header.uncertainty,
    };
    Ok(DfTable::of(facts, features, dfs))
}
