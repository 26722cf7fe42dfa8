//! The tables as Markdown, ours beside the paper's, and where they go in a page.

use super::near::Measured;
use super::variants::{NUM_DISTANCES, Row};
use std::fmt::Write;

/// What was measured of a row.
pub(crate) struct Result {
    pub(crate) row: &'static Row,
    /// At each distance.
    pub(crate) measured: [Measured; NUM_DISTANCES],
    /// Pairs with a resemblance of at least 0.5 that are near.
    pub(crate) found: [u64; NUM_DISTANCES],
}

const DISTANCES: [&str; NUM_DISTANCES] = ["0", "<= 1", "<= 2", "<= 3"];

/// Table 6.1: the share of pairs that are similar.
pub(crate) fn precision(results: &[Result]) -> String {
    let mut header = vec!["variant".to_owned()];
    for kind in ["paper", ">= 0.5", ">= 0.2"] {
        header.extend(DISTANCES.map(|distance| format!("{kind}: {distance}")));
    }
    let rows = results.iter().map(|result| {
        let mut cells = vec![result.row.name.to_owned()];
        cells.extend(papers(result.row, |paper| &paper.precision));
        let all = &result.measured;
        cells.extend(all.iter().map(|one| share(one.similar, one)));
        cells.extend(all.iter().map(|one| share(one.alike, one)));
        cells
    });
    table(&header, rows)
}

/// Table 6.2: how many stories are near one.
pub(crate) fn neighbors(results: &[Result], num_stories: usize) -> String {
    let mut header = vec!["variant".to_owned()];
    for kind in ["paper", "with itself", "all stories"] {
        header.extend(DISTANCES.map(|distance| format!("{kind}: {distance}")));
    }
    let rows = results.iter().map(|result| {
        let mut cells = vec![result.row.name.to_owned()];
        cells.extend(papers(result.row, |paper| &paper.neighbors));
        let near = |one: &Measured| one.pairs as f64 * 2.0;
        cells.extend(result.measured.iter().map(|one| match one.with_neighbor {
            0 => String::new(),
            some => format!("{:.2}", near(one) / some as f64 + 1.0),
        }));
        let mean = |one| format!("{:.2}", near(one) / num_stories.max(1) as f64);
        cells.extend(result.measured.iter().map(mean));
        cells
    });
    table(&header, rows)
}

/// What the paper could not measure: pairs, recall, pairs of different bodies.
pub(crate) fn counts(results: &[Result], num_similar: usize) -> String {
    let mut header = vec!["variant".to_owned()];
    for kind in ["pairs", "recall", "precision, bodies differ"] {
        header.extend(DISTANCES.map(|distance| format!("{kind}: {distance}")));
    }
    let rows = results.iter().map(|result| {
        let mut cells = vec![result.row.name.to_owned()];
        cells.extend(result.measured.iter().map(|one| grouped(one.pairs)));
        let recall = |found: &u64| format!("{:.3}", *found as f64 / num_similar as f64);
        cells.extend(result.found.iter().map(recall));
        cells.extend(result.measured.iter().map(|one| {
            let differ = one.measured - one.equal;
            ratio(one.similar - one.equal, differ)
        }));
        cells
    });
    table(&header, rows)
}

/// What the pairs have in common that are near at distance 3 and not similar at all.
pub(crate) fn unlike(results: &[Result]) -> String {
    let header = [
        "variant",
        "pairs",
        "below 0.2",
        "both on earnings",
        "both short",
    ];
    let rows = results.iter().map(|result| {
        let farthest = &result.measured[NUM_DISTANCES - 1];
        let unlike = farthest.unlike;
        vec![
            result.row.name.to_owned(),
            grouped(farthest.pairs),
            share(unlike.pairs, farthest),
            ratio(unlike.earnings, unlike.pairs),
            ratio(unlike.short, unlike.pairs),
        ]
    });
    table(&header.map(str::to_owned), rows)
}

fn papers(
    row: &Row,
    of: impl Fn(&super::variants::Paper) -> &[u32; NUM_DISTANCES],
) -> [String; NUM_DISTANCES] {
    match &row.paper {
        None => Default::default(),
        Some(paper) => of(paper).map(|value| format!("{:.2}", f64::from(value) / 100.0)),
    }
}

/// A share of what was measured, marked when that was a sample.
fn share(part: u64, of: &Measured) -> String {
    let mark = if of.measured < of.pairs { " *" } else { "" };
    ratio(part, of.measured) + mark
}

fn ratio(part: u64, whole: u64) -> String {
    match whole {
        0 => String::new(),
        whole => format!("{:.2}", part as f64 / whole as f64),
    }
}

/// A whole number with commas.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (place, digit) in digits.char_indices() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

fn table(header: &[String], rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut table = format!("| {} |\n", header.join(" | "));
    let _ = writeln!(table, "|---|{}", "--:|".repeat(header.len() - 1));
    for row in rows {
        let _ = writeln!(table, "| {} |", row.join(" | "));
    }
    table
}

/// Puts what was made between the marks of this name.
pub(crate) fn put(page: &str, name: &str, content: &str) -> Option<String> {
    let (begin, end) = (
        format!("<!-- {name}:begin -->"),
        format!("<!-- {name}:end -->"),
    );
    let (before, rest) = page.split_once(&begin)?;
    let (_, after) = rest.split_once(&end)?;
    let content = content.trim();
    Some(format!("{before}{begin}\n\n{content}\n\n{end}{after}"))
}

#[cfg(test)]
mod tests {
    use super::super::variants::ROWS;
    use super::*;

    #[test]
    fn cells_are_shares_of_what_was_measured() {
        let measured = Measured {
            pairs: 8000,
            measured: 10,
            similar: 5,
            alike: 8,
            equal: 2,
            with_neighbor: 400,
            ..Measured::default()
        };
        let few = Measured {
            pairs: 10,
            ..measured.clone()
        };
        let result = Result {
            row: &ROWS[0],
            measured: [few.clone(), few.clone(), few, measured],
            found: [0, 1, 2, 4],
        };
        let results = [result];
        let table = precision(&results);
        let row = "| original | 0.82 | 0.71 | 0.50 | 0.37 | 0.50 | 0.50 | 0.50 | 0.50 * | \
                   0.80 | 0.80 | 0.80 | 0.80 * |";
        assert_eq!(table.lines().last(), Some(row));
        let row = "| original | 3.49 | 6.06 | 7.15 | 7.73 | 1.05 | 1.05 | 1.05 | 41.00 | \
                   0.02 | 0.02 | 0.02 | 16.00 |";
        assert_eq!(neighbors(&results, 1000).lines().last(), Some(row));
        let row = "| original | 10 | 10 | 10 | 8,000 | 0.000 | 0.250 | 0.500 | 1.000 | \
                   0.38 | 0.38 | 0.38 | 0.38 |";
        assert_eq!(counts(&results, 4).lines().last(), Some(row));
    }

    #[test]
    fn a_part_of_a_page_is_replaced_and_the_rest_stays() {
        let page = "a\n<!-- x:begin -->\nold\n<!-- x:end -->\nb";
        let expected = "a\n<!-- x:begin -->\n\nnew\n\n<!-- x:end -->\nb";
        assert_eq!(put(page, "x", "new\n").as_deref(), Some(expected));
        assert_eq!(put(page, "y", "new"), None);
    }
}
