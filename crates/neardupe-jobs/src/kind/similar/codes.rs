//! The documents of results whose simhashes are near one: no text is read, since results keep the codes.
//!
//! Only codes made with the same settings are compared: the identity that `find` recorded must be the same in
//! all results, since codes of other words or weights differ in half of their bits.

use neardupe_core::candidate::hamming::CodeLookup;
use neardupe_core::error::{Error, Result};
use neardupe_io::result::{ResultReader, StoredCode};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Documents whose codes are near one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NearCodes {
    /// The code, as 16 hexadecimal digits.
    pub code: String,
    /// Bits in which others may differ.
    pub distance: u32,
    /// How the codes were made.
    pub made_by: Option<String>,
    /// Codes that were looked at.
    pub searched: usize,
    /// How many are near.
    pub near: usize,
    /// The nearest.
    pub hits: Vec<NearCode>,
}

/// A document whose code is near.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NearCode {
    /// Its id.
    pub id: String,
    /// Its code.
    pub code: String,
    /// Bits in which it differs.
    pub distance: u32,
}

/// The codes of results, all in memory: 8 bytes each, and the ids.
#[derive(Default)]
struct Codes {
    /// The id of each code, at the same place.
    ids: Vec<String>,
    codes: Vec<u64>,
    made_by: Option<String>,
}

impl Codes {
    fn read(results: &[String]) -> Result<Self> {
        let mut all = Codes::default();
        for result in results {
            for row in ResultReader::open(Path::new(result))?.codes()? {
                let StoredCode { id, code, made_by } = row?;
                // The first code decides. Codes that were made in another way differ even for equal texts.
                let known = all.made_by.get_or_insert_with(|| made_by.clone());
                if *known != made_by {
                    let message = format!(
                        "its codes were made in another way ({made_by}) than those before \
                         ({known}): other features, weights or table of document \
                         frequencies; they cannot be compared"
                    );
                    return Err(Error::input(result, message));
                }
                all.ids.push(id);
                all.codes.push(code);
            }
        }
        Ok(all)
    }

    /// The code of the document with this id, or a code as it is written. An id is tried first: ids may be
    /// hexadecimal.
    fn find(&self, named: &str) -> Result<u64> {
        if let Some(position) = self.ids.iter().position(|id| id == named) {
            return Ok(self.codes[position]);
        }
        let wrong = || {
            let message = format!(
                "{named:?} is neither an id in the result nor 16 hexadecimal digits"
            );
            Error::config("code", message)
        };
        StoredCode::read(named).ok_or_else(wrong)
    }
}

/// Searches the codes of results.
pub(super) fn near_codes(
    results: &[String],
    named: &str,
    distance: u32,
    top: Option<usize>,
) -> Result<NearCodes> {
    let codes = Codes::read(results)?;
    let code = codes.find(named)?;
    let near = CodeLookup::new(&codes.codes, distance).near(code);
    // Without a limit all are taken; no list is longer than usize::MAX.
    let (num_near, top) = (near.len(), top.unwrap_or(near.len()));
    let hits = near.into_iter().take(top).map(|(position, apart)| {
        let position = position as usize;
        NearCode {
            id: codes.ids[position].clone(),
            code: format!("{:016x}", codes.codes[position]),
            distance: apart,
        }
    });
    Ok(NearCodes {
        code: format!("{code:016x}"),
        distance,
        searched: codes.codes.len(),
        near: num_near,
        hits: hits.collect(),
        made_by: codes.made_by,
    })
}
