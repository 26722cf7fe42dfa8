//! What is known of two documents, for people.
//!
//! Three blocks: who the two are, the similarities by the features that were asked for, and then
//! one row per kind of features, so that a reader sees how much depends on the choice. Fractions
//! stand beside decimals because a threshold compares the fractions.

use crate::terminal::grouped;
use neardupe_core::similarity::Similarity;
use neardupe_jobs::diff::clean;
use neardupe_jobs::kind::compare::CompareOutcome;
use std::io::Write;

/// Prints the similarities of two documents.
pub(super) fn show(
    out: &mut impl Write,
    outcome: &CompareOutcome,
) -> std::io::Result<()> {
    let (facts, diff) = (&outcome.facts, &outcome.difference);
    let names = &outcome.names;
    // The marks `-` and `+` are those of the difference below, so a reader knows which side a
    // line is of.
    let sides = [
        ("- left", &names.0, &facts.left, facts.vectors.left_words),
        ("+ right", &names.1, &facts.right, facts.vectors.right_words),
    ];
    // Names are padded by characters and not by bytes; ids are often not ASCII.
    let longest = names.0.chars().count().max(names.1.chars().count());
    for (side, name, document, words) in sides {
        writeln!(
            out,
            "{side:<8} {:<longest$}  {:>9} words {:>10} characters",
            clean(name),
            grouped(words),
            grouped(document.text.chars().count() as u64)
        )?;
    }
    // In this order: equal texts are the strongest statement, and texts without words would
    // divide by nothing.
    let equal = match (facts.is_equal_text(), diff.left_words, diff.right_words) {
        (true, ..) => "the texts are equal",
        (false, 0, _) | (false, _, 0) => "a text without a word is similar to nothing",
        _ if diff.common_words == diff.left_words.max(diff.right_words) => {
            "the words are equal; only punctuation, case or spacing differ"
        }
        _ => "the texts differ",
    };
    let overlap = &facts.overlap;
    writeln!(
        out,
        "{equal}; {} features of both, {} of the left and {} of the right document ({})\n",
        grouped(u64::from(overlap.overlap)),
        grouped(u64::from(overlap.left_size)),
        grouped(u64::from(overlap.right_size)),
        facts.kind
    )?;
    // The exact fraction stands beside the decimals: the last digit decides at a threshold.
    let ratio = |similarity| {
        let (part, whole) = overlap.ratio(similarity).parts();
        format!("{} / {}", grouped(part), grouped(whole))
    };
    let share = |size: u32| {
        let (part, whole) = (u64::from(overlap.overlap), u64::from(size));
        format!("{} / {}", grouped(part), grouped(whole))
    };
    let lines = [
        (
            "resemblance",
            overlap.decimals(Similarity::Resemblance),
            ratio(Similarity::Resemblance),
            "common of all features",
        ),
        (
            "S3 (Dice)",
            overlap.decimals(Similarity::S3),
            ratio(Similarity::S3),
            "twice the common ones of the sum",
        ),
        (
            "left in right",
            overlap.left_contained(),
            share(overlap.left_size),
            "containment of the left document",
        ),
        (
            "right in left",
            overlap.right_contained(),
            share(overlap.right_size),
            "containment of the right document",
        ),
        (
            "cosine",
            format!("{:.6}", facts.vectors.cosine),
            String::new(),
            "of how often each word occurs",
        ),
    ];
    for (name, value, ratio, what) in lines {
        writeln!(out, "  {name:<14} {value}  {ratio:>19}  {what}")?;
    }
    writeln!(
        out,
        "\n  {:<10} {:>9} {:>9} {:>9}  {:>11} {:>9}  {:>13} {:>13}",
        "features",
        "left",
        "right",
        "common",
        "resemblance",
        "S3",
        "left in right",
        "right in left"
    )?;
    for (kind, overlap) in &facts.by_kind {
        writeln!(
            out,
            "  {:<10} {:>9} {:>9} {:>9}  {:>11} {:>9}  {:>13} {:>13}",
            kind.to_string(),
            grouped(u64::from(overlap.left_size)),
            grouped(u64::from(overlap.right_size)),
            grouped(u64::from(overlap.overlap)),
            overlap.decimals(Similarity::Resemblance),
            overlap.decimals(Similarity::S3),
            overlap.left_contained(),
            overlap.right_contained()
        )?;
    }
    Ok(())
}
