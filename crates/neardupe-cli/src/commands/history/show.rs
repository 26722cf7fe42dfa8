//! What is printed.
//!
//! Ids are listed by priority, the most urgent first. Long addresses lose their beginning, since
//! pages of one host differ at the end. Intervals are printed with one decimal in the unit that
//! fits them.

use crate::terminal::{grouped, width};
use neardupe_core::pipeline::history::Followed;
use neardupe_core::pipeline::history::rules::{PRIORITY_PARTS, Status, Suggestion};
use neardupe_jobs::diff::clean;
use neardupe_jobs::kind::history::HistoryOutcome;
use neardupe_jobs::numbers::plural;
use std::io::{Result, Write};

/// Microseconds.
const MINUTE: u64 = 60_000_000;
/// In microseconds.
const HOUR: u64 = 60 * MINUTE;
/// In microseconds.
const DAY: u64 = 24 * HOUR;

/// Prints the result for people.
pub(super) fn show(out: &mut impl Write, outcome: &HistoryOutcome) -> Result<()> {
    let counts = &outcome.counts;
    writeln!(
        out,
        "{} in {}{}\n",
        plural(counts.ids, "document"),
        plural(counts.versions, "version"),
        match &outcome.store {
            None => String::new(),
            Some(store) => format!(" with those in {}", store.display()),
        }
    )?;
    let mut line = |name: &str, number: u64, what: &str| {
        writeln!(out, "  {name:<22} {:>11}  {what}", grouped(number))
    };
    // Counts are stored in the order of the statuses.
    let of = |status: Status| counts.comparisons[status as usize];
    line(
        "untouched",
        of(Status::Untouched),
        "the same text as before",
    )?;
    line(
        "no significant change",
        of(Status::NoSignificantChange),
        "another text, the same code",
    )?;
    line("changed", of(Status::Changed), "another code")?;
    let listed = if outcome.all || counts.new == 0 {
        "one version, nothing to compare"
    } else {
        "one version, nothing to compare; --all lists them"
    };
    line("new", counts.new, listed)?;
    if counts.not_visited > 0 {
        line("not visited", counts.not_visited, "only in the store")?;
    }
    if counts.repeated > 0 {
        line(
            "repeated",
            counts.repeated,
            "same id, date and text: one version",
        )?;
    }
    show_bad(out, outcome)?;
    let followed: u64 = counts.suggestions.iter().sum();
    if followed > 0 {
        let of = |one: Suggestion| grouped(counts.suggestions[one as usize]);
        writeln!(
            out,
            "\nvisit again: {} later, {} sooner, {} as before",
            of(Suggestion::Longer),
            of(Suggestion::Shorter),
            of(Suggestion::Same)
        )?;
    }
    show_ids(out, outcome)?;
    if let Some(output) = &outcome.output {
        let ending = outcome.format.name();
        writeln!(
            out,
            "\nall comparisons: {0}/history.{ending}, all documents: {0}/revisit.{ending}",
            output.display()
        )?;
    }
    Ok(())
}

/// The ids of highest priority; what is untouched needs nobody's attention.
fn show_ids(out: &mut impl Write, outcome: &HistoryOutcome) -> Result<()> {
    let most = outcome.top.map(|top| top + 1);
    let ids = outcome.followed.iter();
    let mut ids: Vec<&Followed> =
        ids.filter(|one| one.priority > 0 || outcome.all).collect();
    // One more than are shown says that there are more.
    let is_cut = most.is_some_and(|most| ids.len() as u64 == most);
    if is_cut {
        ids.pop();
    }
    if ids.is_empty() {
        return Ok(());
    }
    writeln!(
        out,
        "\n  priority  distance  versions  {:<21}  {:<18} document",
        "status", "next visit in"
    )?;
    for one in ids {
        let distance = one.distance.map_or("-".to_owned(), |bits| bits.to_string());
        let priority = one.priority as f64 / PRIORITY_PARTS as f64;
        let start = format!(
            "  {priority:>8.3}  {distance:>8}  {:>8}  {:<21}  {:<18} ",
            grouped(one.num_versions),
            one.status.name(),
            next_visit(one)
        );
        let id = clean(&one.id);
        let room = width().saturating_sub(start.chars().count()).max(20);
        writeln!(out, "{start}{}", shortened(&id, room))?;
    }
    if is_cut {
        writeln!(out, "  ... and more; --top all shows them")?;
    }
    Ok(())
}

/// Prints how many records were bad, with some examples.
fn show_bad(out: &mut impl Write, outcome: &HistoryOutcome) -> Result<()> {
    let num_bad = outcome.summary.bad_records;
    if num_bad == 0 {
        return Ok(());
    }
    let kinds = outcome.bad_records.iter();
    let kinds: Vec<String> = kinds
        .map(|(kind, &count)| format!("{} {}", grouped(count), kind.name()))
        .collect();
    writeln!(
        out,
        "  {:<22} {:>11}  left out ({})",
        "bad records",
        grouped(num_bad),
        kinds.join(", ")
    )?;
    for bad in &outcome.bad_sample {
        let detail = clean(&bad.detail);
        writeln!(out, "    {}:{}: {detail}", clean(&bad.file), bad.number)?;
    }
    if num_bad > outcome.bad_sample.len() as u64 {
        writeln!(out, "    ...")?;
    }
    Ok(())
}

/// The proposed interval, and whether it is longer or shorter than before.
fn next_visit(one: &Followed) -> String {
    let change = match one.suggestion {
        Suggestion::Same => "",
        Suggestion::Longer => " (longer)",
        Suggestion::Shorter => " (shorter)",
    };
    match one.interval {
        Some(micros) => interval(micros) + change,
        None => format!("-{change}"),
    }
}

/// A time in the unit that fits it.
fn interval(micros: u64) -> String {
    let (unit, name) = match micros {
        0..HOUR => (MINUTE, "min"),
        HOUR..DAY => (HOUR, "h"),
        _ => (DAY, "d"),
    };
    // In whole numbers and rounded half up, so no floating point number decides about a digit.
    let tenths = (u128::from(micros) * 10 + u128::from(unit) / 2) / u128::from(unit);
    format!("{}.{} {name}", tenths / 10, tenths % 10)
}

/// The end of an address says more than its beginning.
fn shortened(id: &str, room: usize) -> String {
    let len = id.chars().count();
    if len > room {
        let end: String = id.chars().skip(len - (room - 3)).collect();
        format!("...{end}")
    } else {
        id.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_the_unit_that_fits() {
        assert_eq!(interval(30_000_000), "0.5 min");
        assert_eq!(interval(90 * MINUTE), "1.5 h");
        assert_eq!(interval(DAY), "1.0 d");
        assert_eq!(interval(7 * DAY + 12 * HOUR), "7.5 d");
    }

    #[test]
    fn long_ids_lose_their_beginning() {
        assert_eq!(shortened("http://host/page", 16), "http://host/page");
        assert_eq!(shortened("http://host/page", 12), "...host/page");
    }
}
