//! Parameters from a line of flags, as a user would type them: the settings of a study are such lines.
//! Only flags are read here; the command line itself is parsed by clap from the same declarations
//! (`neardupe-cli/src/typed.rs`), and both must accept the same flags.

use super::{ParamInfo, ParamShape, Params};
use neardupe_core::error::{Error, Result};
use serde_json::Value;

/// Reads flags such as `--method minhash --recall 0.9 -t 0.5`. Values with spaces need quotation marks.
/// A flag that comes twice adds a value to a list; elsewhere the later one wins.
pub fn from_flags<P: Params>(line: &str) -> Result<P> {
    let mut words = split(line)?.into_iter();
    let mut params = P::default();
    let infos = P::infos();
    while let Some(word) = words.next() {
        // Only long flags may have their value attached: `--recall=0.9`.
        let (flag, attached) = match word.split_once('=') {
            Some((flag, value)) if flag.starts_with("--") => {
                (flag.to_owned(), Some(value.to_owned()))
            }
            _ => (word, None),
        };
        let (info, is_opposite) = find(&infos, &flag)?;
        let value = match (info.shape, attached) {
            // Its mere presence is the value.
            (ParamShape::Switch, None) => Value::Bool(!is_opposite),
            (ParamShape::Switch, Some(_)) => {
                return Err(wrong(format!("{flag} takes no value")));
            }
            (_, Some(value)) => Value::String(value),
            (_, None) => {
                let next = words.next();
                Value::String(next.ok_or_else(|| wrong(format!("{flag} needs a value")))?)
            }
        };
        // Lists grow; `set` alone would replace them.
        // `set` replaces the value, so what was there is put in front.
        let value = match (info.shape, params.get(info.name)) {
            (ParamShape::Many, Some(Value::Array(mut before))) => {
                before.push(value);
                Value::Array(before)
            }
            _ => value,
        };
        params.set(info.name, &value)?;
    }
    Ok(params)
}

/// An error about the whole line: the caller knows which parameter holds it.
fn wrong(message: String) -> Error {
    Error::config("", message)
}

/// The parameter of a flag, and whether the flag is the opposite of its switch. Parameters without a
/// flag, such as inputs, are not among them.
fn find(infos: &[&'static ParamInfo], flag: &str) -> Result<(&'static ParamInfo, bool)> {
    let named = |info: &&&'static ParamInfo| !info.is_positional;
    let mut infos = infos.iter().filter(named);
    let found = match flag.strip_prefix("--") {
        Some(name) => infos.find_map(|info| {
            let is_opposite = info.opposite().is_some_and(|opposite| opposite == name);
            (info.name == name || is_opposite).then_some((*info, is_opposite))
        }),
        None => {
            // Exactly one letter: flags of one letter are not combined, and a negative number is not a flag.
            let letter = flag.strip_prefix('-').and_then(|rest| {
                // A second letter makes it no flag: `-tx` is refused.
                let mut letters = rest.chars();
                letters.next().filter(|_| letters.next().is_none())
            });
            let of_letter =
                |info: &&&'static ParamInfo| letter.is_some() && info.short == letter;
            infos.find(of_letter).map(|info| (*info, false))
        }
    };
    found.ok_or_else(|| wrong(format!("unexpected argument '{flag}' found")))
}

/// The words of a line, as a shell would separate them: by spaces outside of quotation marks of either
/// kind. There is no escape character, so that Windows paths can be typed as they are.
pub fn split(line: &str) -> Result<Vec<String>> {
    let (mut words, mut word) = (Vec::new(), None::<String>);
    let mut quote = None;
    for letter in line.chars() {
        match (quote, letter) {
            (Some(mark), _) if letter == mark => quote = None,
            (Some(_), _) => word.get_or_insert_default().push(letter),
            (None, '"' | '\'') => {
                quote = Some(letter);
                // '' is an empty word, not none.
                word.get_or_insert_default();
            }
            (None, _) if letter.is_whitespace() => words.extend(word.take()),
            (None, _) => word.get_or_insert_default().push(letter),
        }
    }
    if quote.is_some() {
        return Err(wrong("a quotation mark is not closed".to_owned()));
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind::find::FindSpec;
    use serde_json::json;

    #[test]
    fn flags_are_read_as_after_find() {
        let spec: FindSpec = from_flags(
            "--method minhash --recall=0.9 -t 0.5 --verify --text-key 'a b' --text-key c",
        )
        .unwrap();
        assert_eq!(
            Value::Object(spec.to_map()),
            json!({
                "method": "minhash", "recall": "0.9", "threshold": "0.5", "no-verify": false,
                "text-key": ["a b", "c"],
            })
        );
        for line in [
            "docs.jsonl",
            "--nothing",
            "--recall",
            "--verify=1",
            "-x 2",
            "'",
        ] {
            assert!(from_flags::<FindSpec>(line).is_err(), "{line}");
        }
    }
}
