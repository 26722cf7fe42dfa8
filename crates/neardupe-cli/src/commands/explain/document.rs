//! Why a document is a duplicate, or is kept.

use super::ExplainArgs;
use super::originals::{Originals, Side};
use super::role::Role;
use crate::commands::compare::facts::{decimal, similarities};
use crate::terminal::{Stages, grouped};
use anyhow::Result;
use neardupe_core::feature::{FeatureKind, Sampling, labelled};
use neardupe_core::pipeline::ClusterMode;
use neardupe_core::pipeline::compare::Overlap;
use neardupe_core::similarity::Similarity;
use neardupe_core::threshold::six_decimals;
use neardupe_io::fetch::{Fetched, Found, unknown};
use neardupe_io::result::{ResultReader, StoredDuplicate};
use neardupe_jobs::diff::{Diff, Limits, Page, clean};
use serde_json::{Value, json};
use std::io::{BufWriter, Write};

/// Members of a cluster that are shown with their first words.
const SHOWN_MEMBERS: usize = 6;
const PREVIEW_CHARS: usize = 64;

/// Everything that is known of a document.
struct Explained<'a> {
    id: &'a str,
    similarity: Similarity,
    threshold: String,
    cluster_mode: ClusterMode,
    role: Role,
    /// The document, its representative, and some members, as far as they were found.
    documents: Vec<(String, Option<Fetched>)>,
    /// Whether the document has a feature.
    has_features: bool,
    kind: FeatureKind,
    /// What the two texts share now.
    overlap: Option<Overlap>,
    /// Only some features were compared, so what the texts share says nothing about a change.
    is_sampled: bool,
    /// Codes alone were compared: what is stored of the two is how many bits agree.
    by_codes: bool,
    /// No text of documents is printed.
    no_text: bool,
    /// New documents were compared with old ones.
    against: bool,
}

impl Explained<'_> {
    fn document(&self, id: &str) -> Option<&Fetched> {
        let found = self.documents.iter().find(|(other, _)| other == id);
        found.and_then(|(_, document)| document.as_ref())
    }

    /// The texts of the document and its representative.
    fn texts(&self) -> Option<(&Fetched, &Fetched)> {
        // By place: an old and a new document may have the same id.
        self.role.duplicate.as_ref()?;
        let [(_, document), (_, representative), ..] = &self.documents[..] else {
            return None;
        };
        Some((document.as_ref()?, representative.as_ref()?))
    }

    /// Whether the texts are no longer those that were compared.
    fn has_changed(&self) -> bool {
        match (self.role.sizes(), &self.overlap) {
            (Some(then), Some(now)) if !(self.is_sampled || self.by_codes) => {
                then != (now.overlap, now.left_size, now.right_size)
            }
            _ => false,
        }
    }

    /// What was measured.
    fn measure(&self) -> String {
        match self.by_codes {
            true => "codes".to_owned(),
            false => self.similarity.to_string(),
        }
    }

    fn preview(&self, id: &str) -> String {
        self.preview_of(self.document(id))
    }

    /// The first words of a document, unless no text may be shown.
    fn preview_of(&self, document: Option<&Fetched>) -> String {
        match self.no_text {
            true => String::new(),
            false => preview(document),
        }
    }

    /// An id with the first words of its document, if they may be shown.
    fn with_preview(&self, id: &str, preview: &str) -> String {
        match preview.is_empty() {
            true => shown(id),
            false => format!("{}: {preview}", shown(id)),
        }
    }
}

/// Explains one document.
pub(super) fn explain(
    args: &ExplainArgs,
    result: &ResultReader,
    id: &str,
    stages: Stages,
) -> Result<()> {
    let role = Role::find(result, id)?;
    let originals = Originals::new(args, result)?;
    let mut ids = vec![id.to_owned()];
    if let Some(duplicate) = &role.duplicate {
        ids.push(duplicate.duplicate_of.clone());
    }
    let removed = role.removed.iter().map(|row| &row.id);
    let members = role.cluster.iter().flat_map(|(_, members)| members);
    for other in removed.chain(members).take(SHOWN_MEMBERS * 3) {
        if !ids.contains(other) && ids.len() < SHOWN_MEMBERS * 2 {
            ids.push(other.clone());
        }
    }
    let is_in_result = role.duplicate.is_some() || role.cluster.is_some();
    let sides = role.duplicate.as_ref().map(|duplicate| {
        let source = duplicate.duplicate_of_source.as_deref();
        let own = source.map_or(Side::Either, |_| Side::New);
        [own, Side::of(source)]
    });
    let sides = sides.as_ref().map_or(&[][..], |sides| sides);
    let found = match originals.find(&ids, sides, &stages) {
        Ok((found, _)) => found,
        // The evidence is in the result, wherever the documents are now.
        Err(_) if args.shown.no_text && is_in_result => Found {
            documents: vec![None; ids.len()],
            nearest: vec![Vec::new(); ids.len()],
            num_documents: 0,
        },
        Err(error) => return Err(error),
    };
    if found.documents[0].is_none() && !is_in_result {
        return Err(unknown(id, found.num_documents, &found.nearest[0]).into());
    }
    drop(stages);
    originals.warn(args)?;
    let mut explained = Explained {
        id,
        similarity: result.summary().similarity()?,
        threshold: result.summary().threshold()?.to_string(),
        cluster_mode: result.summary().cluster()?,
        role,
        documents: ids.into_iter().zip(found.documents).collect(),
        has_features: true,
        kind: originals.job.config.features,
        overlap: None,
        against: result.summary().against(),
        is_sampled: originals.job.config.sampling != Sampling::default(),
        by_codes: result.summary().is_on("no-verify"),
        no_text: args.shown.no_text,
    };
    let config = &originals.job.config;
    if let Some(document) = explained.document(id) {
        let text = &document.text;
        let features = labelled(text, config.features, &config.words, config.seed);
        explained.has_features = !features.is_empty();
    }
    if let Some((one, other)) = explained.texts() {
        originals.check_features()?;
        let kind = config.features;
        let overlap =
            Overlap::of_texts(&one.text, &other.text, kind, &config.words, config.seed);
        explained.overlap = Some(overlap);
    }
    let diff = explained.texts();
    let diff =
        diff.map(|(one, other)| Diff::new(&one.text, &other.text, &Limits::default()));
    if let Some(diff) = &diff {
        args.shown.write_page(diff, page(&explained))?;
    }
    let mut out = BufWriter::new(std::io::stdout().lock());
    if args.json {
        let mut json = json(&explained);
        if let Some(overlap) = &explained.overlap {
            json["similarities"] = similarities(config.features, overlap);
        }
        writeln!(out, "{}", serde_json::to_string_pretty(&json)?)?;
        return Ok(out.flush()?);
    }
    show(&mut out, &explained)?;
    if let Some(diff) = &diff
        && !args.shown.no_text
    {
        writeln!(
            out,
            "\n- {}\n+ {}\n",
            shown(id),
            explained
                .role
                .duplicate
                .as_ref()
                .map_or_else(String::new, name_of_kept)
        )?;
        args.shown.print(diff, &mut out)?;
    }
    if diff.is_some()
        && let Some(path) = &args.shown.html
    {
        writeln!(out, "\nboth texts side by side: {}", path.display())?;
    }
    Ok(out.flush()?)
}

fn representative<'a>(explained: &'a Explained<'_>) -> &'a str {
    let duplicate = explained.role.duplicate.as_ref();
    duplicate.map_or("", |duplicate| &duplicate.duplicate_of)
}

/// The first words of a document.
fn preview(document: Option<&Fetched>) -> String {
    document.map_or_else(String::new, |document| {
        let start: String = document.text.chars().take(PREVIEW_CHARS * 4).collect();
        let line: String = clean(&start).chars().take(PREVIEW_CHARS).collect();
        line.trim_end().to_owned()
    })
}

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
fn reason(explained: &Explained<'_>, row: &StoredDuplicate) -> String {
    let (similarity, threshold) = (explained.measure(), &explained.threshold);
    match row.rule.name() {
        "equal-text" => "the texts are equal".to_owned(),
        "equal-features" if explained.by_codes => "the codes are equal".to_owned(),
        "equal-features" => {
            let rest = match explained.kind {
                FeatureKind::SpotSigs => "what is in no spot signature, or in order",
                _ => "what is no word, or in order",
            };
            format!("all features are equal; the texts differ in {rest}")
        }
        "linked" => format!(
            "only a chain of documents with {similarity} >= {threshold} leads from one to \
             the other"
        ),
        _ => format!("{similarity} >= {threshold}"),
    }
}

fn show(out: &mut impl Write, explained: &Explained<'_>) -> std::io::Result<()> {
    let id = shown(explained.id);
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

fn show_evidence(
    out: &mut impl Write,
    explained: &Explained<'_>,
    row: &StoredDuplicate,
) -> std::io::Result<()> {
    let mut line = |name: &str, value: f64, what: String| {
        writeln!(out, "  {name:<22} {value:.6}  {what}")
    };
    if explained.by_codes {
        let what = "of the bits of their simhashes agree; their texts were not compared";
        line("codes", row.similarity, what.to_owned())?;
        return match &explained.overlap {
            None => Ok(()),
            Some(now) => {
                let (part, whole) = Similarity::Resemblance.ratio(
                    now.overlap,
                    now.left_size,
                    now.right_size,
                );
                let what =
                    format!("{} / {}  of their features", grouped(part), grouped(whole));
                #[expect(clippy::cast_precision_loss, reason = "to be shown")]
                let resemblance = part as f64 / whole.max(1) as f64;
                line("resemblance", resemblance, what)
            }
        };
    }
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
    let similarity = ratio(&|common, one, two| measure.ratio(common, one, two));
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

fn show_cluster(out: &mut impl Write, explained: &Explained<'_>) -> std::io::Result<()> {
    let Some((lead, members)) = &explained.role.cluster else {
        return Ok(());
    };
    let size = grouped(members.len() as u64);
    writeln!(out, "\ncluster of {size} documents")?;
    // The representative, the document, then others.
    let first = [lead.as_str(), explained.id];
    let others = members.iter().map(String::as_str);
    let others = others.filter(|member| !first.contains(member));
    let mut listed: Vec<&str> = first.to_vec();
    // A duplicate of an old document with its own id is another document.
    if explained.role.duplicate.is_none() {
        listed.dedup();
    }
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
            _ => explained.preview(member),
        };
        let line = explained.with_preview(member, &preview);
        writeln!(out, "  {what:<6} {line}")?;
    }
    match members.len() - listed.len().min(members.len()) {
        0 => Ok(()),
        more => writeln!(out, "  {:<6} ... and {} more", "", grouped(more as u64)),
    }
}

/// A representative: what was removed in its favour.
fn show_kept(out: &mut impl Write, explained: &Explained<'_>) -> std::io::Result<()> {
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
        shown(explained.id),
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
            explained.with_preview(&row.id, &explained.preview(&row.id))
        )?;
    }
    match num_removed - role.removed.len() as u64 {
        0 => Ok(()),
        more => writeln!(out, "  ... and {} less similar ones", grouped(more)),
    }
}

/// A document that occurs nowhere in the result.
fn show_alone(out: &mut impl Write, explained: &Explained<'_>) -> std::io::Result<()> {
    let Some(document) = explained.document(explained.id) else {
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
        shown(explained.id),
        shown(&document.file),
        grouped(document.number),
        characters(&document.text),
        match explained.preview(explained.id) {
            preview if preview.is_empty() => String::new(),
            preview => format!(": {preview}"),
        }
    )
}

fn characters(text: &str) -> String {
    match text.chars().count() as u64 {
        1 => "1 character".to_owned(),
        many => format!("{} characters", grouped(many)),
    }
}

fn page(explained: &Explained<'_>) -> Page {
    let mut facts = Vec::new();
    if let Some(row) = &explained.role.duplicate {
        facts.push(("rule".to_owned(), row.rule.name().to_owned()));
        let similarity = explained.measure();
        facts.push((similarity, format!("{:.6}", row.similarity)));
        facts.push(("threshold".to_owned(), explained.threshold.clone()));
    }
    if let Some(overlap) = &explained.overlap {
        let of = |size: u32| six_decimals(u64::from(overlap.overlap), u64::from(size));
        facts.push(("left in right".to_owned(), of(overlap.left_size)));
        facts.push(("right in left".to_owned(), of(overlap.right_size)));
    }
    let other = representative(explained);
    Page {
        title: format!("{} is a duplicate of {other}", explained.id),
        left: explained.id.to_owned(),
        right: format!("{other} (kept)"),
        facts,
        context: 0,
    }
}

fn json(explained: &Explained<'_>) -> Value {
    let role = &explained.role;
    let row = |row: &StoredDuplicate| {
        json!({
            "id": row.id,
            "duplicate_of": row.duplicate_of,
            "similarity": decimal(&format!("{:.6}", row.similarity)),
            "containment": decimal(&format!("{:.6}", row.containment)),
            "containment_of_representative":
                decimal(&format!("{:.6}", row.containment_of_representative)),
            "rule": row.rule.name(),
        })
    };
    let status = match (&role.duplicate, role.num_removed, &role.cluster) {
        (Some(_), ..) => "duplicate",
        (None, 1.., _) => "representative",
        (None, _, Some(_)) => "member",
        _ => "alone",
    };
    let cluster = role.cluster.as_ref().map(|(lead, members)| {
        let members: Vec<&String> = members.iter().take(1000).collect();
        json!({"cluster_id": lead, "members": members})
    });
    json!({
        "id": explained.id,
        "status": status,
        "duplicate": role.duplicate.as_ref().map(row),
        "evidence": role.evidence.as_ref().map(|pair| json!({
            "left": pair.left,
            "right": pair.right,
            "overlap": pair.overlap,
            "left_size": pair.left_size,
            "right_size": pair.right_size,
        })),
        "cluster": cluster,
        "size": role.cluster.as_ref().map(|(_, members)| members.len()),
        "removed_in_its_favour": role.removed.iter().map(row).collect::<Vec<_>>(),
        "num_removed_in_its_favour": role.num_removed,
        "changed_since": explained.has_changed(),
        "was_found": explained.document(explained.id).is_some(),
        "preview": (!explained.no_text).then(|| explained.preview(explained.id)),
    })
}
