//! Names of two versions of one thing: they differ in what is a version or a date, and in
//! nothing else.
//!
//! Two names are versions of each other when they have as many parts and each pair of parts that
//! differs is a version (`v2`, `1.4.0`), a date or a revision. One part that differs otherwise
//! makes them two things: most addresses of one site differ in a number, so a bare number in
//! the last part is not enough.

/// Words that stand for a version.
const NAMED: [&str; 20] = [
    "stable",
    "latest",
    "current",
    "nightly",
    "beta",
    "alpha",
    "dev",
    "devel",
    "development",
    "main",
    "master",
    "trunk",
    "head",
    "next",
    "snapshot",
    "unstable",
    "testing",
    "edge",
    "lts",
    "release",
];
/// Parameters that choose a version of a page.
const PARAMETERS: [&str; 12] = [
    "oldid",
    "diff",
    "version",
    "ver",
    "rev",
    "revision",
    "date",
    "timestamp",
    "asof",
    "v",
    "edition",
    "release",
];
/// Parts of a path after which a number is one of many pages.
const PAGED: [&str; 6] = ["page", "p", "pages", "start", "offset", "seite"];

/// Whether two paths name two versions of the same thing: as many parts, where those that
/// differ are versions. The last part is the name of the thing, so a bare number in it is not
/// enough: it needs the look of a version (`v2`, `1.4`) or of a date.
pub(super) fn are_versions(one: &[String], other: &[String]) -> bool {
    if one.len() != other.len() || one.len() < 2 || one == other {
        return false;
    }
    let last = one.len() - 1;
    // At least one part must be equal, or the names have nothing in common.
    let mut same = 0;
    for (at, (left, right)) in one.iter().zip(other).enumerate() {
        if left == right {
            same += 1;
            continue;
        }
        let is_paged = at > 0 && PAGED.contains(&one[at - 1].to_lowercase().as_str());
        let fits = if at == last {
            is_marked(left, right)
        } else {
            is_version(left, right)
        };
        // A number behind `page` chooses a page, not a version of one.
        if is_paged || !fits {
            return false;
        }
    }
    same > 0
}

/// Whether parameters differ in those alone that choose a version.
pub(super) fn are_version_parameters(
    one: &[(String, String)],
    other: &[(String, String)],
) -> bool {
    // All other parameters must be equal, in their order.
    let is_other = |(name, _): &&(String, String)| {
        !PARAMETERS.contains(&name.to_lowercase().as_str())
    };
    one != other
        && one
            .iter()
            .filter(is_other)
            .eq(other.iter().filter(is_other))
}

/// Whether two parts of a path that differ are versions.
fn is_version(left: &str, right: &str) -> bool {
    let is_named = |part: &str| NAMED.contains(&part.to_lowercase().as_str());
    let is_one = |part: &str| is_named(part) || pieces(part).all(is_number);
    // A named version only goes with another version: `stable` and `1.4`.
    if is_named(left) || is_named(right) {
        return is_one(left) && is_one(right);
    }
    let has_letters =
        |part: &str| part.chars().any(|it| it.is_alphabetic()) || part.contains('.');
    // Bare numbers are mostly numbers of articles, so only short ones and dates count.
    let are_bare = !has_letters(left) && !has_letters(right);
    let (lefts, rights): (Vec<&str>, Vec<&str>) =
        (pieces(left).collect(), pieces(right).collect());
    same_skeleton(&lefts, &rights)
        && pieces(left).zip(pieces(right)).all(|(one, two)| {
            one == two
                || (is_number(one) && is_number(two)) && (!are_bare || is_short(one, two))
        })
}

/// Whether two names differ in what can be nothing but a version or a date: a number after a
/// `v`, with a dot and a number behind it, or that begins with a year; and what follows such a
/// number, as in `1.4.2` and `2009-01-05`.
fn is_marked(left: &str, right: &str) -> bool {
    let (left, right): (Vec<&str>, Vec<&str>) =
        (pieces(left).collect(), pieces(right).collect());
    // Once a version has begun, numbers behind it belong to it.
    let mut in_version = false;
    same_skeleton(&left, &right)
        && left.iter().zip(&right).enumerate().all(|(at, (one, two))| {
            if !is_digits(one) {
                // What follows a point or a hyphen is still the version; a word ends it.
                in_version &= matches!(*one, "." | "-" | "_");
                return true;
            }
            let before = at.checked_sub(1).map_or("", |before| left[before]);
            let after_v = before.ends_with(['v', 'V']) && !ends_in_word(before);
            let has_dot = left.get(at + 1) == Some(&".")
                && left.get(at + 2).is_some_and(|next| is_digits(next));
            in_version |= after_v || has_dot || (is_date(one) && is_date(two));
            in_version || one == two
        })
}

/// Whether the letter at the end is the end of a longer word: `rev7` is not version 7.
fn ends_in_word(text: &str) -> bool {
    text.chars().rev().nth(1).is_some_and(char::is_alphanumeric)
}

/// Runs of digits, and the text between them.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.bytes().next()?.is_ascii_digit();
        let end = rest
            .bytes()
            .position(|byte| byte.is_ascii_digit() != first)
            .unwrap_or(rest.len());
        let (piece, after) = rest.split_at(end);
        rest = after;
        Some(piece)
    })
}

/// Whether a piece is a run of digits: a piece is digits or text throughout.
fn is_digits(piece: &str) -> bool {
    piece
        .bytes()
        .next()
        .is_some_and(|byte| byte.is_ascii_digit())
}

/// A number of a version, or the text between two.
fn is_number(piece: &str) -> bool {
    if is_digits(piece) {
        // Longer ones are the numbers of articles.
        piece.len() <= 4 || is_date(piece)
    } else {
        matches!(piece, "." | "-" | "_" | "v" | "V" | ".x" | "-rc" | "rc")
    }
}

/// Two bare numbers: versions have one or two digits, and years four.
fn is_short(one: &str, two: &str) -> bool {
    // Dates are longer, but cannot be mistaken.
    let fits = |it: &str| it.len() <= 2 || is_year(it) || is_date(it);
    fits(one) && fits(two)
}

/// 1900 to 2099.
fn is_year(piece: &str) -> bool {
    piece.len() == 4 && (piece.starts_with("19") || piece.starts_with("20"))
}

/// A year, a day, or a moment of the archives: `2009`, `20090105`, `20090105083000`.
fn is_date(piece: &str) -> bool {
    // Year; with month and day; with hour and minute; with seconds.
    let is_whole = matches!(piece.len(), 4 | 8 | 12 | 14);
    is_whole && piece.get(..4).is_some_and(is_year)
}

/// Whether two texts are the same but for numbers.
fn same_skeleton(left: &[&str], right: &[&str]) -> bool {
    let mut both = left.iter().zip(right);
    left.len() == right.len()
        && both.all(|(one, two)| one == two || (is_digits(one) && is_digits(two)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn are(one: &str, other: &str) -> bool {
        let parts = |path: &str| path.split('/').map(str::to_owned).collect::<Vec<_>>();
        let answer = are_versions(&parts(one), &parts(other));
        assert_eq!(answer, are_versions(&parts(other), &parts(one)));
        answer
    }

    #[test]
    fn versions_of_one_page() {
        for (one, other) in [
            ("docs/13/sql-select.html", "docs/14/sql-select.html"),
            ("pg13/sql-checkpoint.txt", "pg15/sql-checkpoint.txt"),
            (
                "clang-14-doc/doc/clang-14/html/APINotes.html",
                "clang-16-doc/doc/clang-16/html/APINotes.html",
            ),
            ("doc/stable/guide.html", "doc/nightly/guide.html"),
            ("doc/current/guide.html", "doc/9.6/guide.html"),
            ("archive/2008/terms.html", "archive/2009/terms.html"),
            ("web/20090105083000/a", "web/20100211000000/a"),
            ("files/report-v1.pdf", "files/report-v2.pdf"),
            ("files/tool-1.4.2.txt", "files/tool-1.5.0.txt"),
            ("files/minutes-20090105.html", "files/minutes-20090112.html"),
            (
                "files/minutes-2009-01-05.html",
                "files/minutes-2009-02-12.html",
            ),
        ] {
            assert!(are(one, other), "{one} {other}");
        }
    }

    #[test]
    fn other_names() {
        for (one, other) in [
            ("docs/13/sql-select.html", "docs/13/sql-insert.html"),
            ("news/article-1201.html", "news/article-1202.html"),
            ("users/1201/profile", "users/1307/profile"),
            ("list/page/2/all", "list/page/3/all"),
            ("item/99812/photo", "item/99813/photo"),
            ("13/a", "14/b"),
            ("a", "b"),
            ("13", "14"),
            ("doc/stable/guide.html", "doc/manual/guide.html"),
            ("a/b/c", "a/b"),
            ("files/rev7.pdf", "files/rev8.pdf"),
            (
                "boost/feature_1_3_2_36_5.html",
                "boost/feature_1_3_2_36_6.html",
            ),
        ] {
            assert!(!are(one, other), "{one} {other}");
        }
    }

    #[test]
    fn parameters_of_versions() {
        let query = |text: &str| -> Vec<(String, String)> {
            let parameters = text.split('&').filter_map(|it| it.split_once('='));
            parameters
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect()
        };
        let are = |one, other| are_version_parameters(&query(one), &query(other));
        assert!(are("title=Oslo", "oldid=712&title=Oslo"));
        assert!(are("oldid=711&title=Oslo", "oldid=712&title=Oslo"));
        assert!(!are("title=Oslo", "oldid=712&title=Rome"));
        assert!(!are("title=Oslo", "title=Oslo"));
    }
}
