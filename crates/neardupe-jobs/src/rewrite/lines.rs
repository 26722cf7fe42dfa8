//! JSON lines: fields are put before the brace that closes the object, and everything else
//! is kept byte for byte.
//!
//! The line is not parsed and written again: numbers such as `1e400`, escapes and the order of
//! keys would change. The last brace of a line closes the object, since the reader took the line
//! for one.

use super::added::{AddedFields, Value};
use neardupe_core::error::{Error, Result};
use neardupe_io::source::jsonl::for_each_key;

/// Refuses a line that has one of the fields already.
pub(super) fn check(line: &[u8], fields: &AddedFields, file: &str) -> Result<()> {
    let mut outcome = Ok(());
    for_each_key(line, |key| {
        if outcome.is_ok() {
            outcome = fields.check(file, key);
        }
    });
    outcome
}

/// Appends the line with the fields to `out`.
pub(super) fn add(
    line: &[u8],
    fields: &AddedFields,
    values: &[Value],
    out: &mut Vec<u8>,
) -> Result<()> {
    let close = memchr::memrchr(b'}', line);
    let close = close.ok_or_else(|| Error::Internal("a line is no object".to_owned()))?;
    out.extend_from_slice(&line[..close]);
    let is_empty = line[..close].trim_ascii().ends_with(b"{");
    for (number, (name, value)) in fields.names().zip(values).enumerate() {
        if number > 0 || !is_empty {
            out.push(b',');
        }
        string(name, out)?;
        out.push(b':');
        match value {
            Value::Text(text) => string(text, out)?,
            Value::Whole(number) => out.extend_from_slice(number.to_string().as_bytes()),
            Value::Ratio(ratio) => out.extend_from_slice(ratio.as_bytes()),
            Value::Bool(value) => out.extend_from_slice(value.to_string().as_bytes()),
            Value::Null => out.extend_from_slice(b"null"),
        }
    }
    out.extend_from_slice(&line[close..]);
    Ok(())
}

fn string(text: &str, out: &mut Vec<u8>) -> Result<()> {
    serde_json::to_writer(out, text)
        .map_err(|error| Error::Internal(format!("a string of JSON: {error}")))
}

#[cfg(test)]
mod tests {
    use super::super::Mode;
    use super::*;

    fn added(line: &str, prefix: &str) -> String {
        let fields = AddedFields::new(Mode::Split, prefix, false);
        check(line.as_bytes(), &fields, "a.jsonl").unwrap();
        let values = [
            Value::Text("\"x\"\n}".to_owned()),
            Value::Ratio("0.900000".to_owned()),
            Value::Text("a#7".to_owned()),
        ];
        let mut out = Vec::new();
        add(line.as_bytes(), &fields, &values, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn fields_come_last_and_the_rest_of_the_line_stays() {
        assert_eq!(
            added("  {\"a\" : 1e400,\"a\":-0, \"t\":\"}\\ud83d\" }\t\r\n", ""),
            "  {\"a\" : 1e400,\"a\":-0, \"t\":\"}\\ud83d\" ,\"duplicate_of\":\
             \"\\\"x\\\"\\n}\",\"similarity\":0.900000,\"duplicate_of_record\":\"a#7\"}\t\r\n"
        );
        assert_eq!(
            added("{ }", "p\"."),
            "{ \"p\\\".duplicate_of\":\"\\\"x\\\"\\n}\",\"p\\\".similarity\":0.900000,\"p\\\".duplicate_of_record\":\"a#7\"}"
        );
    }

    #[test]
    fn a_field_that_is_there_is_refused_however_it_is_written() {
        let fields = AddedFields::new(Mode::Split, "", false);
        let refused = |line: &str| check(line.as_bytes(), &fields, "a.jsonl").is_err();
        assert!(refused("{\"similarity\":1}"));
        assert!(refused("{\"x\":[{}],\"duplicate\\u005fof\":1}"));
        assert!(!refused(
            "{\"x\":{\"similarity\":1},\"y\":\"duplicate_of\"}"
        ));
        let fields = AddedFields::new(Mode::Split, "nd_", false);
        assert!(check(b"{\"similarity\":1}", &fields, "a").is_ok());
        assert!(check(b"{\"nd_similarity\":1}", &fields, "a").is_err());
    }
}
