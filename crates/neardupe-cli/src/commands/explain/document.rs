//! Why a document is a duplicate, or is kept, for people.
//!
//! The answer is in the first line; everything below it is evidence. Texts are shown only where the
//! input still has them: a result outlives its input, and an explanation from its tables alone is
//! better than none.

use crate::commands::compare::ColorArgs;
use crate::terminal::{Visible, grouped};
use anyhow::Result;
use neardupe_core::feature::FeatureKind;
use neardupe_core::pipeline::ClusterMode;
use neardupe_core::similarity::Similarity;
use neardupe_io::result::StoredDuplicate;
use neardupe_jobs::diff::clean;
use neardupe_jobs::kind::compare::DifferenceShown;
use neardupe_jobs::kind::explain::ExplainedDocument;
use std::io::Write;

/// Members of a cluster that are shown with their first words.
const SHOWN_MEMBERS: usize = 6;

/// Prints why a document is where it is.
pub(super) fn show(
    out: &mut Visible<impl Write>,
    explained: &ExplainedDocument,
    difference: &DifferenceShown,
    color: &ColorArgs,
) -> Result<()> {
    show_document(out, explained)?;
    let (Some(texts), Some(differing)) = (explained.texts(), &explained.difference)
    else {
        return Ok(());
    };
    if !difference.no_text {
        let kept = explained.role.duplicate.as_ref();
        writeln!(
            out,
            "\n- {}\n+ {}\n",
            shown(&explained.id),
            kept.map_or_else(String::new, name_of_kept)
        )?;
        let diff = differing.of(&texts.0.text, &texts.1.text);
        color.print(&diff, difference, out)?;
    }
    if let Some(path) = &difference.html {
        writeln!(out, "\nboth texts side by side: {}", path.display())?;
    }
    Ok(())
}

/// The first words of a document.
fn preview(explained: &ExplainedDocument, id: &str) -> String {
    explained.preview_of(explained.document(id))
}

/// An id with the first words of its document, if they may be shown.
fn with_preview(id: &str, preview: &str) -> String {
    if preview.is_empty() {
        shown(id)
    } else {
        format!("{}: {preview}", shown(id))
    }
}

/// An id as it can be printed: control characters in it would change the terminal.
fn shown(id: &str) -> String {
    clean(id)
}

/// The document that is kept, and its side where there are two.
fn name_of_kept(row: &StoredDuplicate) -> String {
    let name = shown(&row.duplicate_of);
    match &row.duplicate_of_source {
        None => name,
        Some(side) => format!("{name} (of the {side} documents)"),
    }
}

/// Why, in words.
///
/// The words depend on the rule by which the document was removed; `linked` names the chain,
/// because the two texts may look unlike.
fn reason(explained: &ExplainedDocument, row: &StoredDuplicate) -> String {
    let (similarity, threshold) = (explained.measure(), &explained.threshold);
    match row.rule.name() {
        "equal-text" => "the texts are equal".to_owned(),
        "equal-features" if explained.by_codes => "the codes are equal".to_owned(),
        "equal-features" => {
            let rest = match explained.kind {
                FeatureKind::SpotSigs => {
                    "text outside spot signatures or its order differs"
                }
                _ => "punctuation, case, spacing or the order differ",
            };
            format!("all features are equal; only {rest}")
        }
        "linked" => format!(
            "only a chain of documents with {similarity} >= {threshold} leads from one to \
             the other"
        ),
        _ => format!("{similarity} >= {threshold}"),
    }
}

/// Prints which part a document has in the result: removed, kept for others, in a cluster, or
/// alone.
fn show_document(
    out: &mut Visible<impl Write>,
    explained: &ExplainedDocument,
) -> std::io::Result<()> {
    let id = shown(&explained.id);
    match &explained.role.duplicate {
        Some(row) => {
            writeln!(
                out,
                "{id} is a duplicate of {}, which is kept\nrule {}: {}\n",
                name_of_kept(row),
                row.rule.name(),
                reason(explained, row)
            )?;
            show_evidence(out, explained, row)?;
            show_cluster(out, explained)?;
            if explained.texts().is_none() {
                writeln!(
                    out,
                    "\nthe input no longer has both documents, so their texts are not shown"
                )?;
            }
        }
        None if explained.role.num_removed > 0 => show_kept(out, explained)?,
        None if explained.role.cluster.is_some() => {
            writeln!(out, "{id} has similar documents")?;
            show_cluster(out, explained)?;
        }
        None => show_alone(out, explained)?,
    }
    Ok(())
}

/// Prints the numbers by which a document was removed. Where the texts changed since, both old
/// and new numbers are shown.
fn show_evidence(
    out: &mut Visible<impl Write>,
    explained: &ExplainedDocument,
    row: &StoredDuplicate,
) -> std::io::Result<()> {
    let mut line = |name: &str, value: f64, what: String| {
        writeln!(out, "  {name:<22} {value:.6}  {what}")
    };
    // Simhashes were compared and not texts; the resemblance is computed now, for comparison.
    if explained.by_codes {
        let what = "of the bits of their simhashes agree; their texts were not compared";
        line("codes", row.similarity, what.to_owned())?;
        return match &explained.overlap {
            None => Ok(()),
            Some(now) => {
                let (part, whole) = Similarity::Resemblance
                    .ratio(now.overlap, now.left_size, now.right_size)
                    .parts();
                let what =
                    format!("{} / {}  of their features", grouped(part), grouped(whole));
                #[expect(clippy::cast_precision_loss, reason = "to be shown")]
                let resemblance = part as f64 / whole.max(1) as f64;
                line("resemblance", resemblance, what)
            }
        };
    }
    // Sizes from the result where it has them, else from the texts as they are now.
    let sizes = explained.role.sizes();
    let now = explained
        .overlap
        .map(|now| (now.overlap, now.left_size, now.right_size));
    let ratio = |part: &dyn Fn(u32, u32, u32) -> (u64, u64)| {
        sizes
            .or(now)
            .map_or_else(String::new, |(overlap, own, other)| {
                let (part, whole) = part(overlap, own, other);
                format!("{} / {}", grouped(part), grouped(whole))
            })
    };
    let measure = explained.similarity;
    let similarity = ratio(&|common, one, two| measure.ratio(common, one, two).parts());
    line(
        &explained.similarity.to_string(),
        row.similarity,
        similarity,
    )?;
    let own = ratio(&|common, own, _| (u64::from(common), u64::from(own)));
    line(
        "containment",
        row.containment,
        format!("{own}  of it in the kept one"),
    )?;
    let other = ratio(&|common, _, other| (u64::from(common), u64::from(other)));
    line(
        "of the representative",
        row.containment_of_representative,
        format!("{other}  of the kept one in it"),
    )?;
    if explained.has_changed() {
        writeln!(
            out,
            "\nthe texts have changed since: they now share {}",
            now.map_or_else(String::new, |(overlap, own, other)| format!(
                "{} of {} and {} features",
                grouped(u64::from(overlap)),
                grouped(u64::from(own)),
                grouped(u64::from(other))
            ))
        )?;
    }
    Ok(())
}

/// Prints some members of the cluster, the representative first.
fn show_cluster(
    out: &mut Visible<impl Write>,
    explained: &ExplainedDocument,
) -> std::io::Result<()> {
    let Some((lead, members)) = &explained.role.cluster else {
        return Ok(());
    };
    let size = grouped(members.len() as u64);
    writeln!(out, "\ncluster of {size} documents")?;
    // The representative, the document, then others.
    let first = [lead.as_str(), explained.id.as_str()];
    let others = members.iter().map(String::as_str);
    let others = others.filter(|member| !first.contains(member));
    let mut listed: Vec<&str> = first.to_vec();
    // A duplicate of an old document with its own id is another document.
    if explained.role.duplicate.is_none() {
        listed.dedup();
    }
    // A huge cluster is not listed: the result has a table of it.
    listed.extend(others.take(SHOWN_MEMBERS - listed.len()));
    for (place, &member) in listed.iter().enumerate() {
        let what = match place {
            0 => "kept",
            1 if member == explained.id => "this",
            _ => "",
        };
        let preview = match (what, explained.texts()) {
            ("kept", Some((_, representative))) if lead == &representative.id => {
                explained.preview_of(Some(representative))
            }
            _ => preview(explained, member),
        };
        let line = with_preview(member, &preview);
        writeln!(out, "  {what:<6} {line}")?;
    }
    match members.len() - listed.len().min(members.len()) {
        0 => Ok(()),
        more => writeln!(out, "  {:<6} ... and {} more", "", grouped(more as u64)),
    }
}

/// A representative: what was removed in its favour.
fn show_kept(
    out: &mut Visible<impl Write>,
    explained: &ExplainedDocument,
) -> std::io::Result<()> {
    let role = &explained.role;
    let num_removed = role.num_removed;
    let documents = if num_removed == 1 {
        "document was"
    } else {
        "documents were"
    };
    writeln!(
        out,
        "{} is kept: it is the representative of its cluster\n\
         {} {documents} removed in favour of it\n",
        shown(&explained.id),
        grouped(num_removed)
    )?;
    let name = explained.measure();
    writeln!(out, "  {name:<11}  {:<14}  document", "rule")?;
    for row in &role.removed {
        writeln!(
            out,
            "  {:<11.6}  {:<14}  {}",
            row.similarity,
            row.rule.name(),
            with_preview(&row.id, &preview(explained, &row.id))
        )?;
    }
    match num_removed - role.removed.len() as u64 {
        0 => Ok(()),
        more => writeln!(out, "  ... and {} less similar ones", grouped(more)),
    }
}

/// A document that occurs nowhere in the result.
///
/// The most likely reason comes first: a document without features can never be found, whatever
/// the threshold.
fn show_alone(
    out: &mut Visible<impl Write>,
    explained: &ExplainedDocument,
) -> std::io::Result<()> {
    let Some(document) = explained.document(&explained.id) else {
        return Ok(());
    };
    let why = match (explained.has_features, explained.cluster_mode) {
        (false, _) => {
            let what = match explained.kind {
                FeatureKind::SpotSigs => "spot signature",
                _ => "word",
            };
            format!("it has no {what}, and such a document is never a duplicate")
        }
        (_, ClusterMode::None) => {
            "the result has no clusters (--cluster none); --pair compares two documents"
                .to_owned()
        }
        _ if explained.against => "nothing was removed in favour of it".to_owned(),
        _ => format!(
            "nothing was removed in favour of it, and no kept document has {} >= {} with it",
            explained.measure(),
            explained.threshold
        ),
    };
    writeln!(
        out,
        "{} was read and kept, and is in no cluster: {why}\n\n  {} record {}, {}{}",
        shown(&explained.id),
        shown(&document.file),
        grouped(document.number),
        characters(&document.text),
        match preview(explained, &explained.id) {
            preview if preview.is_empty() => String::new(),
            preview => format!(": {preview}"),
        }
    )
}

/// How many characters a text has, as a phrase.
fn characters(text: &str) -> String {
    match text.chars().count() as u64 {
        1 => "1 character".to_owned(),
        many => format!("{} characters", grouped(many)),
    }
}
