//! The kinds of pairs for people.
//!
//! Each kind is shown with one example, because its name alone convinces nobody. A number with `~`
//! was estimated from the texts that were compared.

use crate::terminal::{grouped, width};
use neardupe_jobs::causes::{CauseKind, KindCount, Sorted};
use neardupe_jobs::diff::clean;
use neardupe_jobs::kind::sources::{SHOWN_HOSTS, SourcesOutcome};
use neardupe_jobs::numbers::percent;
use std::io::{Result, Write};

/// Prints kinds with their shares, then hosts, then what was not looked at.
pub(super) fn show(out: &mut impl Write, outcome: &SourcesOutcome) -> Result<()> {
    let (sorted, result) = (&outcome.sorted, &outcome.summary.result);
    let what = match (sorted.of_all_pairs, sorted.pairs) {
        (_, 0) => {
            return writeln!(out, "{result} has no pairs: nothing is a duplicate");
        }
        (true, 1) => "1 pair".to_owned(),
        (true, pairs) => format!("{} pairs", grouped(pairs)),
        (false, 1) => "1 duplicate with what is kept in its place".to_owned(),
        (false, pairs) => {
            format!(
                "{} duplicates, each with what is kept in its place",
                grouped(pairs)
            )
        }
    };
    writeln!(out, "{result}: {what}\n")?;
    for kind in &sorted.kinds {
        show_kind(out, sorted, kind)?;
    }
    show_hosts(out, sorted)?;
    show_notes(out, sorted)?;
    match &outcome.output {
        None => writeln!(out, "\nthe kind of each pair: -o DIR"),
        Some(folder) => writeln!(out, "\nwritten to {}", folder.display()),
    }
}

/// Prints one kind with its share, its meaning and an example. `~` marks a number that was
/// estimated from a sample.
fn show_kind(out: &mut impl Write, sorted: &Sorted, kind: &KindCount) -> Result<()> {
    let about = if kind.pairs == kind.seen { "" } else { "~" };
    let pairs = format!("{about}{}", grouped(kind.pairs));
    writeln!(
        out,
        "  {:<10} {pairs:>10}  {:>8}  {}",
        kind.kind.name(),
        percent(kind.pairs, sorted.pairs),
        kind.kind.meaning()
    )?;
    let Some(example) = &kind.example else {
        return writeln!(out);
    };
    let mut line =
        |text: &str| writeln!(out, "      {}", fitting(text, width().saturating_sub(6)));
    // Each id stands with its URL, unless the id is the URL or says it already.
    for (at, id) in [&example.left, &example.right].into_iter().enumerate() {
        line(id)?;
        let Some(urls) = &example.urls else { continue };
        let url = &urls[at];
        match () {
            // An id may be the URL, with a number behind it.
            () if url.is_empty() || id.contains(url) => {}
            () if at == 1 && *url == urls[0] => line("(the same URL)")?,
            () => line(url)?,
        }
    }
    line(&example.reason)?;
    writeln!(out)
}

/// A text on one line that is not too long: its beginning and its end.
fn fitting(text: &str, most: usize) -> String {
    let text = clean(text);
    let length = text.chars().count();
    if length <= most {
        return text;
    }
    let half = most.saturating_sub(3) / 2;
    let start: String = text.chars().take(half).collect();
    let end: String = text.chars().skip(length - half).collect();
    format!("{start}...{end}")
}

/// Prints the pairs of hosts that share most documents.
fn show_hosts(out: &mut impl Write, sorted: &Sorted) -> Result<()> {
    if sorted.hosts.is_empty() {
        return Ok(());
    }
    let most = SHOWN_HOSTS / 2;
    writeln!(out, "hosts with documents in common")?;
    writeln!(
        out,
        "  {:<8} {:>10} {:>10}  {:>8}  hosts (documents)",
        "", "shared", "same path", "share"
    )?;
    for hosts in sorted.hosts.iter().take(most) {
        let share = hosts.share();
        let share =
            share.map_or("-".to_owned(), |share| percent(share.part, share.whole));
        let named = |host: &str, documents: Option<u64>| match documents {
            None => clean(host),
            Some(documents) => format!("{} ({})", clean(host), grouped(documents)),
        };
        writeln!(
            out,
            "  {:<8} {:>10} {:>10}  {share:>8}  {}, {}",
            hosts.verdict(),
            grouped(hosts.shared),
            grouped(hosts.same_path),
            named(&hosts.left, hosts.left_documents),
            named(&hosts.right, hosts.right_documents)
        )?;
    }
    let further = sorted.hosts.len().saturating_sub(most);
    if further > 0 {
        writeln!(out, "  and {} pairs more", grouped(further as u64))?;
    }
    writeln!(out)
}

/// Prints what limits the numbers: texts that were not compared, originals that are gone, lists
/// that were cut.
fn show_notes(out: &mut impl Write, sorted: &Sorted) -> Result<()> {
    let texts = match sorted.compared {
        0 => "no texts were compared".to_owned(),
        1 => "the texts of 1 pair were compared".to_owned(),
        compared => format!("the texts of {} pairs were compared", grouped(compared)),
    };
    let left = sorted.not_looked_at;
    // Estimates are announced only if there are some.
    match (left, sorted.compared) {
        (0, _) => writeln!(out, "{texts}")?,
        (_, 0) => writeln!(
            out,
            "{texts}: {} pairs that need them are not decided",
            grouped(left)
        )?,
        _ => writeln!(
            out,
            "{texts}; {} others were not looked at, numbers with ~ are estimates\n\
             from those that were; --sample N compares more",
            grouped(left)
        )?,
    }
    let undecided = sorted
        .kinds
        .iter()
        .find(|it| it.kind == CauseKind::Undecided);
    if let Some(gone) = &sorted.gone {
        let many = undecided.map_or(0, |kind| kind.pairs);
        writeln!(
            out,
            "not decided: original gone, for {} of {} pairs: {}\n\
             --input names where the documents are now",
            grouped(many),
            grouped(sorted.pairs),
            clean(gone)
        )?;
    }
    if sorted.is_capped {
        writeln!(
            out,
            "the URLs of some documents were not looked up: there are too many that are no ids"
        )?;
    }
    if sorted.hosts_left_out > 0 {
        writeln!(
            out,
            "{} documents were not counted for pairs of hosts: there are too many",
            grouped(sorted.hosts_left_out)
        )?;
    }
    Ok(())
}
