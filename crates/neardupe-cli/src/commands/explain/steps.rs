//! The steps of the join, for people: the filters in the order in which the join applies them, each with the
//! numbers that it compares. The steps come from the code of the join itself, so what is shown here
//! cannot differ from what a job does.

use crate::terminal::grouped;
use neardupe_core::pipeline::explain::{Ordered, Verdict};
use neardupe_core::ratio::six_decimals;
use neardupe_jobs::diff::clean;
use neardupe_jobs::kind::explain::ExplainedPair;
use std::io::{Result, Write};

/// Features that are listed of each document, and common ones.
const LISTED: usize = 6;
/// Where what is said of a step begins.
const INDENT: &str = "                       ";

/// A number with its digits grouped.
fn number(value: u32) -> String {
    grouped(u64::from(value))
}

/// Prints the steps for people.
pub(super) fn show(out: &mut impl Write, explained: &ExplainedPair) -> Result<()> {
    let steps = &explained.steps;
    let [left, right] = [0, 1].map(|side| clean(&explained.ids[side]));
    writeln!(
        out,
        "left   {left}: {} features\nright  {right}: {} features\n{}, {} >= {}, among {} documents",
        number(steps.left.size()),
        number(steps.right.size()),
        explained.kind,
        explained.similarity,
        explained.threshold,
        grouped(explained.num_documents)
    )?;
    writeln!(
        out,
        "\n1. Order: rarest features first, equally rare ones by value. Counts of sets are exact \
         here;\n   find has approximate ones that err upwards only, so its order may differ, its \
         result not."
    )?;
    for (name, side) in [("left", &steps.left), ("right", &steps.right)] {
        show_side(out, explained, name, side)?;
    }
    if steps.verdict == Verdict::Equal {
        return writeln!(
            out,
            "\n2. Equal: documents with the same features are brought together before the \
             join,\n   and need no filter.\n\nverdict: {}",
            explained.reason()
        );
    }
    show_length(out, explained)?;
    show_prefix(out, explained)?;
    show_position(out, explained)?;
    show_bitmap(out, explained)?;
    show_verification(out, explained)?;
    if steps.verdict != Verdict::Similar {
        writeln!(
            out,
            "\n(the join stops at the first DROP; what follows it is what the others would say)"
        )?;
    }
    writeln!(out, "\nverdict: {}", explained.reason())
}

/// Prints the rarest features that others have too, as the join orders them.
fn show_side(
    out: &mut impl Write,
    explained: &ExplainedPair,
    name: &str,
    side: &Ordered,
) -> Result<()> {
    writeln!(
        out,
        "\n   {name}: {} of {} features occur in no other set; the prefix is the first {}",
        number(side.num_single),
        number(side.size()),
        number(side.prefix_len)
    )?;
    // The first ones that others have, too, are what the join looks up. Features of no other
    // set can never lead to a partner.
    let first = (side.num_single as usize).min(side.features.len());
    let features = side.features.iter().zip(&side.counts).enumerate();
    for (at, (&feature, &count)) in features.skip(first).take(LISTED) {
        let within = if at < side.prefix_len as usize {
            "prefix"
        } else {
            ""
        };
        writeln!(
            out,
            "   {:>8}. in {:>6} sets  {within:<6}  {}",
            grouped(at as u64 + 1),
            number(count),
            explained.label(feature)
        )?;
    }
    match side.features.len().saturating_sub(first + LISTED) {
        0 => Ok(()),
        more => writeln!(
            out,
            "   {:>8}  ... and {} more frequent ones",
            "",
            grouped(more as u64)
        ),
    }
}

/// One step and what it decides.
fn step(out: &mut impl Write, name: &str, passed: bool, what: &str) -> Result<()> {
    let decision = if passed { "pass" } else { "DROP" };
    writeln!(out, "\n{name:<16} {decision}  {what}")
}

/// The length filter: sets of very different sizes cannot be similar enough.
fn show_length(out: &mut impl Write, explained: &ExplainedPair) -> Result<()> {
    let (steps, right) = (&explained.steps, explained.steps.right.size());
    let sizes = match *steps.sizes.end() {
        u32::MAX => "can have any number".to_owned(),
        most => format!("have {} to {}", number(*steps.sizes.start()), number(most)),
    };
    let what = format!(
        "partners of {} features {sizes}; the other has {}",
        number(steps.left.size()),
        number(right)
    );
    step(out, "2. Length", steps.sizes.contains(&right), &what)
}

/// The prefix filter (Chaudhuri et al. 2006; PPJoin): two similar sets share a feature among
/// their rarest.
fn show_prefix(out: &mut impl Write, explained: &ExplainedPair) -> Result<()> {
    let steps = &explained.steps;
    let what = match steps.common.len() {
        0 => "the prefixes have no feature in common: the two never meet".to_owned(),
        1 => "the prefixes have one feature in common".to_owned(),
        many => format!(
            "the prefixes have {} features in common",
            grouped(many as u64)
        ),
    };
    step(out, "3. Prefix", !steps.common.is_empty(), &what)?;
    for common in steps.common.iter().take(LISTED) {
        writeln!(
            out,
            "   left {:>6}., right {:>6}.  in {:>6} sets  {}",
            number(common.left_position + 1),
            number(common.right_position + 1),
            number(common.count),
            explained.label(common.feature)
        )?;
    }
    match steps.common.len().saturating_sub(LISTED) {
        0 => Ok(()),
        more => writeln!(out, "   ... and {} more", grouped(more as u64)),
    }
}

/// The position filter of PPJoin: what comes after the first common feature bounds the overlap.
fn show_position(out: &mut impl Write, explained: &ExplainedPair) -> Result<()> {
    let steps = &explained.steps;
    let (Some(first), Some(possible)) = (steps.common.first(), steps.possible) else {
        // Without a common feature in the prefixes the join never gets here.
        let none = "there is no common feature to begin at";
        return writeln!(out, "\n{:<16} {:<4}  {none}", "4. Position", "-");
    };
    let left = steps.left.size() - first.left_position;
    let right = steps.right.size() - first.right_position;
    let what = format!(
        "{} and {} features are left from the first common one on:\n{INDENT}\
         {} can be common, {} are needed",
        number(left),
        number(right),
        number(possible),
        number(steps.needed)
    );
    step(out, "4. Position", possible >= steps.needed, &what)
}

/// The bitmap filter: the number of differing bits is a lower bound of the number of differing
/// features.
fn show_bitmap(out: &mut impl Write, explained: &ExplainedPair) -> Result<()> {
    let (bitmap, needed) = (&explained.steps.bitmap, explained.steps.needed);
    // Both bounds hold, so the smaller one decides.
    let most = bitmap.sketch.1.min(bitmap.bitmap.1);
    let what = format!(
        "of {} and {} features that other sets have, too, bitmaps differ\n{INDENT}\
         in {} bits, sketches in {}: at most {} are common, {} are needed",
        number(bitmap.left_shared),
        number(bitmap.right_shared),
        number(bitmap.bitmap.0),
        number(bitmap.sketch.0),
        number(most),
        number(needed)
    );
    step(out, "5. Bitmap", most >= needed, &what)
}

/// The exact overlap. The only step that a pair is accepted by.
fn show_verification(out: &mut impl Write, explained: &ExplainedPair) -> Result<()> {
    let steps = &explained.steps;
    let (part, whole) = steps.overlap.ratio(explained.similarity).parts();
    let what = format!(
        "{} features are common, {} are needed:\n{INDENT}{} = {} / {} = {}",
        number(steps.overlap.overlap),
        number(steps.needed),
        explained.similarity,
        grouped(part),
        grouped(whole),
        six_decimals(part, whole)
    );
    // Two empty sets would need nothing in common, and are similar to nothing.
    let enough = steps.overlap.overlap >= steps.needed && steps.overlap.overlap > 0;
    step(out, "6. Verification", enough, &what)
}
