//! A row of `texts.jsonl`, but for its id.
//!
//! Offsets of regions and links are given in code points, as at every front, while the program
//! counts in bytes. They are converted when a row is written, by one pass over the text.

use neardupe_core::document::{Record, RegionKind, Span};
use serde::Serialize;
use serde::ser::{SerializeSeq, Serializer};

/// Everything of a row after its id.
pub(super) fn write(record: &Record<'_>, out: &mut Vec<u8>) -> std::io::Result<()> {
    let spans = record.regions.iter().map(|region| region.span);
    let spans = spans.chain(record.links.iter().map(|link| link.span));
    let points = CodePoints::new(record.text, spans);
    out.extend_from_slice(b",\"text\":");
    serde_json::to_writer(&mut *out, record.text)?;
    out.extend_from_slice(b",\"regions\":");
    let regions = record.regions.iter().map(|region| {
        let (start, end) = points.of(region.span);
        RegionRow {
            kind: region.kind,
            start,
            end,
        }
    });
    write_list(regions, out)?;
    out.extend_from_slice(b",\"links\":");
    let links = record.links.iter().map(|link| {
        let (start, end) = points.of(link.span);
        LinkRow {
            target: &link.target,
            start,
            end,
        }
    });
    write_list(links, out)?;
    out.extend_from_slice(b",\"remarks\":");
    serde_json::to_writer(&mut *out, record.remarks)?;
    out.extend_from_slice(b"}\n");
    Ok(())
}

/// A region, as it is written.
#[derive(Serialize)]
struct RegionRow {
    kind: RegionKind,
    start: usize,
    end: usize,
}

/// A link, as it is written.
#[derive(Serialize)]
struct LinkRow<'a> {
    target: &'a str,
    start: usize,
    end: usize,
}

/// Writes items as a JSON list without gathering them.
fn write_list<T: Serialize>(
    items: impl Iterator<Item = T>,
    out: &mut Vec<u8>,
) -> std::io::Result<()> {
    let mut json = serde_json::Serializer::new(&mut *out);
    let mut list = json.serialize_seq(None)?;
    for item in items {
        list.serialize_element(&item)?;
    }
    Ok(list.end()?)
}

/// Offsets in code points, which every front shows, of offsets in bytes.
struct CodePoints(Vec<(usize, usize)>);

impl CodePoints {
    /// Counts the characters of a text once, up to the last offset that is asked for.
    fn new(text: &str, spans: impl Iterator<Item = Span>) -> Self {
        let mut offsets: Vec<usize> =
            spans.flat_map(|span| [span.start, span.end]).collect();
        offsets.sort_unstable();
        offsets.dedup();
        // Offsets are sorted, so each stretch between two of them is counted once, however
        // many regions there are.
        let (mut from, mut points) = (0, 0);
        let counted = offsets.into_iter().map(|offset| {
            points += text[from..offset].chars().count();
            from = offset;
            (offset, points)
        });
        CodePoints(counted.collect())
    }

    /// Both ends in characters. Ends that were not announced stay as they are.
    fn of(&self, span: Span) -> (usize, usize) {
        let point = |offset: usize| {
            let found = self.0.binary_search_by_key(&offset, |&(bytes, _)| bytes);
            found.map_or(offset, |at| self.0[at].1)
        };
        (point(span.start), point(span.end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use neardupe_core::document::{Link, Region};

    #[test]
    fn offsets_are_shown_in_code_points() {
        let text = "Übergrößen ändern";
        let record = Record {
            text,
            regions: &[Region {
                kind: RegionKind::Title,
                span: Span { start: 0, end: 13 },
            }],
            links: &[Link {
                target: "http://a/".to_owned(),
                span: Span { start: 14, end: 21 },
            }],
            ..Record::default()
        };
        let mut row = b"{\"id\":1".to_vec();
        write(&record, &mut row).unwrap();
        let row: serde_json::Value = serde_json::from_slice(&row).unwrap();
        assert_eq!(row["regions"][0]["end"], 10);
        assert_eq!(row["links"][0]["start"], 11);
        assert_eq!(row["links"][0]["end"], 17);
        assert_eq!(row["regions"][0]["kind"], "title");
    }
}
