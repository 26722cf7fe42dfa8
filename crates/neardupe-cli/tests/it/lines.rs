//! Expected and printed text side by side, line by line; for the tests that compare what the
//! program prints with what a file says.

use std::fmt::Write;

/// A line of the expected text, of the printed text, or of both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Line<'a> {
    /// A line of both; as expected.
    Both(&'a str),
    /// An expected line that was not printed.
    Expected(&'a str),
    /// A printed line that was not expected.
    Printed(&'a str),
}

/// Which expected line stands for which printed ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dots {
    /// Only for one that is the same.
    Literal,
    /// `...` alone stands for any number of lines, within a line for any text.
    Wild,
}

/// Brings two texts together with the fewest lines that only one of them has.
pub(crate) fn align<'a>(
    expected: &'a str,
    printed: &'a str,
    dots: Dots,
) -> Vec<Line<'a>> {
    let left: Vec<&str> = expected.split_inclusive('\n').collect();
    let right: Vec<&str> = printed.split_inclusive('\n').collect();
    let gap = |i: usize| dots == Dots::Wild && left[i].trim_end() == "...";
    let same = |i: usize, j: usize| match dots {
        Dots::Literal => left[i] == right[j],
        Dots::Wild => stands_for(left[i], right[j]),
    };
    // cost[i][j]: fewest lines of only one side in left[i..] and right[j..], and then the
    // fewest that `...` stands for, so that it does not swallow what is spelled out.
    let mut cost = vec![vec![(0usize, 0usize); right.len() + 1]; left.len() + 1];
    for i in (0..=left.len()).rev() {
        for j in (0..=right.len()).rev() {
            let mut least = (left.len() + right.len() - i - j, 0);
            if i < left.len() {
                // What stands for any number of lines also stands for none.
                let (only, taken) = cost[i + 1][j];
                least = least.min((only + usize::from(!gap(i)), taken));
            }
            if j < right.len() {
                let takes = usize::from(i < left.len() && gap(i));
                let (only, taken) = cost[i][j + 1];
                least = least.min((only + 1 - takes, taken + takes));
            }
            if i < left.len() && j < right.len() && !gap(i) && same(i, j) {
                least = least.min(cost[i + 1][j + 1]);
            }
            cost[i][j] = least;
        }
    }
    let one_more = |(only, taken): (usize, usize)| (only + 1, taken);
    let mut lines = Vec::new();
    let (mut i, mut j) = (0, 0);
    while i < left.len() || j < right.len() {
        if i < left.len() && gap(i) {
            // Takes lines only as long as that helps.
            if cost[i + 1][j] == cost[i][j] {
                lines.push(Line::Both(left[i]));
                i += 1;
            } else {
                j += 1;
            }
        } else if i < left.len()
            && j < right.len()
            && same(i, j)
            && cost[i][j] == cost[i + 1][j + 1]
        {
            lines.push(Line::Both(left[i]));
            (i, j) = (i + 1, j + 1);
        } else if i < left.len() && cost[i][j] == one_more(cost[i + 1][j]) {
            lines.push(Line::Expected(left[i]));
            i += 1;
        } else {
            lines.push(Line::Printed(right[j]));
            j += 1;
        }
    }
    lines
}

/// Whether an expected line with `...` in it stands for the printed one.
fn stands_for(expected: &str, printed: &str) -> bool {
    let Some((first, others)) = expected.split_once("...") else {
        return expected == printed;
    };
    let Some(mut rest) = printed.strip_prefix(first) else {
        return false;
    };
    let (middle, last) = others.rsplit_once("...").unwrap_or(("", others));
    for part in middle.split("...") {
        match rest.split_once(part) {
            Some((_, after)) => rest = after,
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// The lines in order for people: `-` only expected, `+` only printed.
pub(crate) fn show(lines: &[Line]) -> String {
    let mut shown = String::new();
    for line in lines {
        let (mark, line) = match line {
            Line::Both(line) => (' ', line),
            Line::Expected(line) => ('-', line),
            Line::Printed(line) => ('+', line),
        };
        let written = match line.strip_suffix('\n') {
            Some(line) => writeln!(shown, "  {mark} {line}"),
            None => writeln!(shown, "  {mark} {line} (no line end)"),
        };
        written.unwrap();
    }
    shown
}

#[test]
fn a_difference_shows_the_lines_of_both_sides() {
    assert_eq!(
        show(&align("a\nb\nc\n", "a\nx\nc", Dots::Literal)),
        "    a\n  - b\n  - c\n  + x\n  + c (no line end)\n"
    );
}

#[test]
fn dots_stand_for_lines_and_for_text_within_a_line() {
    let differ = |expected: &str, printed: &str| {
        let lines = align(expected, printed, Dots::Wild);
        let both = |line: &&Line| matches!(line, Line::Both(_));
        lines.len() - lines.iter().filter(both).count()
    };
    let printed = "7 documents in 0.01 s, 4 MB\n\nkept 3\npairs 2\n";
    for expected in [
        printed,
        "7 documents in ...\n\nkept 3\npairs 2\n",
        "7 ... in ..., 4 MB\n...\npairs 2\n",
        "...\n",
        "...\n7 documents in 0.01 s, 4 MB\n...\n...\nkept 3\npairs 2\n...\n",
    ] {
        assert_eq!(differ(expected, printed), 0, "{expected}");
    }
    for (expected, many) in [
        ("", 4),
        ("7 documents in ...\n", 3),
        ("...\nkept 4\npairs 2\n", 1),
        ("...\npairs 2\nkept 3\n", 1),
        ("8 documents in ...\n...\n", 1),
        ("7 documents in ..., 5 MB\n...\n", 1),
        ("7 documents ... documents ... MB\n...\n", 1),
    ] {
        assert_eq!(differ(expected, printed), many, "{expected}");
    }
    // Taken as they are where they mean nothing.
    assert_ne!(align("...\n", "a\n", Dots::Literal), [Line::Both("...\n")]);
}
