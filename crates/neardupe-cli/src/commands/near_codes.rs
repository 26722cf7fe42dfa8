//! `neardupe similar --code`: the documents of results whose simhashes are near one.

use anyhow::Result;
use neardupe_core::candidate::hamming::HammingIndex;
use neardupe_core::error::Error;
use neardupe_io::result::{ResultReader, StoredCode};
use neardupe_jobs::diff::clean;
use serde_json::json;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

/// The codes of results.
#[derive(Default)]
struct Codes {
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
                let known = all.made_by.get_or_insert_with(|| made_by.clone());
                if *known != made_by {
                    let message = format!(
                        "its codes were made in another way ({made_by}) than those before \
                         ({known}): other features, weights or table of document \
                         frequencies; they cannot be compared"
                    );
                    return Err(Error::input(result, message).into());
                }
                all.ids.push(id);
                all.codes.push(code);
            }
        }
        Ok(all)
    }

    /// A code as typed, or that of the document with this id.
    fn find(&self, typed: &str) -> Result<u64> {
        if let Some(place) = self.ids.iter().position(|id| id == typed) {
            return Ok(self.codes[place]);
        }
        let wrong = || {
            let message =
                format!("{typed:?} is no id in the result, nor 16 hexadecimal digits");
            Error::config("code", message)
        };
        Ok(StoredCode::read(typed).ok_or_else(wrong)?)
    }
}

/// Searches the codes of results.
pub(super) fn run(
    results: &[String],
    typed: &str,
    distance: u32,
    top: Option<usize>,
    as_json: bool,
) -> Result<ExitCode> {
    let codes = Codes::read(results)?;
    let code = codes.find(typed)?;
    let near = HammingIndex::new(&codes.codes, distance).near(code);
    let (num_near, top) = (near.len(), top.unwrap_or(usize::MAX));
    let shown = near.into_iter().take(top).map(|(place, apart)| {
        let place = place as usize;
        (&codes.ids[place], codes.codes[place], apart)
    });
    let mut out = std::io::stdout().lock();
    if as_json {
        let hits: Vec<_> = shown
            .map(|(id, code, apart)| {
                json!({ "id": id, "code": format!("{code:016x}"), "distance": apart })
            })
            .collect();
        let answer = json!({
            "code": format!("{code:016x}"),
            "distance": distance,
            "made_by": codes.made_by,
            "searched": codes.codes.len(),
            "near": num_near,
            "hits": hits,
        });
        writeln!(out, "{}", serde_json::to_string_pretty(&answer)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    writeln!(
        out,
        "{code:016x}: {num_near} of {} codes within {distance} bits",
        codes.codes.len()
    )?;
    for (id, code, apart) in shown {
        writeln!(out, "  {apart:>2}  {code:016x}  {}", clean(id))?;
    }
    if num_near > top {
        writeln!(out, "  and {} more (--top)", num_near - top)?;
    }
    Ok(ExitCode::SUCCESS)
}
