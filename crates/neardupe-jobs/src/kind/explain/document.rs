//! Why a document is a duplicate, or is kept: the rows of the result about it, beside the documents as
//! they are now.
//!
//! Sizes and overlap of the stored row are compared with those of the texts as they are now.
//! Equal numbers do not prove that nothing changed, but any edit that matters for the decision
//! changes one of them.

use super::ExplainJob;
use super::originals::DocumentSide;
use super::role::ExplainRole;
use crate::diff::{DiffPage, clean};
use crate::exec::Exec;
use crate::kind::compare::{FeatureSimilarities, TextDifference, decimal, similarities};
use neardupe_core::error::Result;
use neardupe_core::feature::{FeatureKind, Sampling, labelled};
use neardupe_core::pipeline::ClusterMode;
use neardupe_core::pipeline::compare::Overlap;
use neardupe_core::ratio::six_decimals;
use neardupe_core::similarity::Similarity;
use neardupe_io::fetch::{Fetched, Found, unknown};
use neardupe_io::result::StoredDuplicate;
use serde::{Deserialize, Serialize};

/// Members of a cluster that are fetched with their first words: twice as many as are shown.
const SHOWN_MEMBERS: usize = 6;
/// Characters of the first words that are shown of a document.
const PREVIEW_CHARS: usize = 64;
/// Members of a cluster that are listed in a summary; a cluster may have millions.
const LISTED: usize = 1000;

/// Everything that is known of a document.
#[derive(Debug, Clone)]
pub struct ExplainedDocument {
    /// Its id.
    pub id: String,
    /// How similarity is measured.
    pub similarity: Similarity,
    /// The smallest that counts.
    pub threshold: String,
    /// How documents were put together.
    pub cluster_mode: ClusterMode,
    /// What the result says of it.
    pub role: ExplainRole,
    /// The document, its representative, and some members, in this order; None for those that were not found.
    pub documents: Vec<(String, Option<Fetched>)>,
    /// Whether the document has a feature.
    pub has_features: bool,
    /// Which features are compared.
    pub kind: FeatureKind,
    /// What the two texts share now, computed again.
    pub overlap: Option<Overlap>,
    /// Only some features were compared, so what the texts share says nothing about a change.
    pub is_sampled: bool,
    /// Codes alone were compared: what is stored of the two is how many bits agree.
    pub by_codes: bool,
    /// No text of documents is shown.
    pub no_text: bool,
    /// New documents were compared with old ones.
    pub against: bool,
    /// How the text differs from that of the document that is kept.
    pub difference: Option<TextDifference>,
}

/// One document in a result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExplainDocumentSummary {
    /// Its id.
    pub id: String,
    /// duplicate, representative, member or alone.
    pub status: String,
    /// Its row among the duplicates.
    pub duplicate: Option<ExplainDuplicate>,
    /// The pair of it and the document that is kept.
    pub evidence: Option<ExplainEvidence>,
    /// Its cluster.
    pub cluster: Option<ExplainCluster>,
    /// How many documents the cluster has.
    pub size: Option<usize>,
    /// The most similar documents that were removed because it is kept.
    pub removed_in_its_favour: Vec<ExplainDuplicate>,
    /// How many there are.
    pub num_removed_in_its_favour: u64,
    /// The texts are no longer those that were compared.
    pub changed_since: bool,
    /// The input has it.
    pub was_found: bool,
    /// Its first words.
    pub preview: Option<String>,
    /// All similarities of it and the document that is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub similarities: Option<FeatureSimilarities>,
}

/// A document that was removed: its row of `duplicates` as a part of the summary. Written out, since the
/// fields of a summary are typed for whoever reads it back; a test compares them with the columns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExplainDuplicate {
    /// Its id.
    pub id: String,
    /// The document that is kept.
    pub duplicate_of: String,
    /// How similar they are.
    pub similarity: Option<f64>,
    /// Share of it that the kept one has.
    pub containment: Option<f64>,
    /// Share of the kept one that it has.
    pub containment_of_representative: Option<f64>,
    /// Why it was removed.
    pub rule: String,
}

/// A pair of a result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExplainEvidence {
    /// One id.
    pub left: String,
    /// The other id.
    pub right: String,
    /// Common features.
    pub overlap: u32,
    /// Features of one.
    pub left_size: u32,
    /// Features of the other.
    pub right_size: u32,
}

/// A cluster.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExplainCluster {
    /// The document that stands for it.
    pub cluster_id: String,
    /// Its first documents.
    pub members: Vec<String>,
}

impl ExplainedDocument {
    /// A document by its id, if it was found.
    pub fn document(&self, id: &str) -> Option<&Fetched> {
        let found = self.documents.iter().find(|(other, _)| other == id);
        found.and_then(|(_, document)| document.as_ref())
    }

    /// The texts of the document and its representative.
    pub fn texts(&self) -> Option<(&Fetched, &Fetched)> {
        // By place: an old and a new document may have the same id.
        self.role.duplicate.as_ref()?;
        let [(_, document), (_, representative), ..] = &self.documents[..] else {
            return None;
        };
        Some((document.as_ref()?, representative.as_ref()?))
    }

    /// Whether the texts are no longer those that were compared.
    pub fn has_changed(&self) -> bool {
        match (self.role.sizes(), &self.overlap) {
            // Sampled sizes and sizes of codes are not those of the whole texts.
            (Some(then), Some(now)) if !(self.is_sampled || self.by_codes) => {
                // Any change of words changes a size or the overlap, but for changes that cancel out.
                then != (now.overlap, now.left_size, now.right_size)
            }
            _ => false,
        }
    }

    /// The name of the number that was measured, for facts and messages.
    pub fn measure(&self) -> String {
        if self.by_codes {
            "codes".to_owned()
        } else {
            self.similarity.to_string()
        }
    }

    /// The first words of a document, unless no text may be shown.
    pub fn preview_of(&self, document: Option<&Fetched>) -> String {
        if self.no_text {
            String::new()
        } else {
            preview(document)
        }
    }

    /// The same as it is stored and printed as JSON.
    pub(super) fn summary(&self) -> ExplainDocumentSummary {
        let role = &self.role;
        let six = |value: f64| decimal(&format!("{value:.6}"));
        let row = |row: &StoredDuplicate| ExplainDuplicate {
            id: row.id.clone(),
            duplicate_of: row.duplicate_of.clone(),
            similarity: six(row.similarity),
            containment: six(row.containment),
            containment_of_representative: six(row.containment_of_representative),
            rule: row.rule.name().to_owned(),
        };
        // A duplicate may lead others too (in `neighbors`); that it is not kept says more.
        let status = match (&role.duplicate, role.num_removed, &role.cluster) {
            (Some(_), ..) => "duplicate",
            (None, 1.., _) => "representative",
            (None, _, Some(_)) => "member",
            _ => "alone",
        };
        let cluster = role.cluster.as_ref();
        let document = self.document(&self.id);
        ExplainDocumentSummary {
            id: self.id.clone(),
            status: status.to_owned(),
            duplicate: role.duplicate.as_ref().map(row),
            evidence: role.evidence.as_ref().map(|pair| ExplainEvidence {
                left: pair.left.clone(),
                right: pair.right.clone(),
                overlap: pair.overlap,
                left_size: pair.left_size,
                right_size: pair.right_size,
            }),
            cluster: cluster.map(|(lead, members)| ExplainCluster {
                cluster_id: lead.clone(),
                members: members.iter().take(LISTED).cloned().collect(),
            }),
            size: cluster.map(|(_, members)| members.len()),
            removed_in_its_favour: role.removed.iter().map(row).collect(),
            num_removed_in_its_favour: role.num_removed,
            changed_since: self.has_changed(),
            was_found: document.is_some(),
            preview: (!self.no_text).then(|| self.preview_of(document)),
            similarities: self.overlap.map(|now| similarities(self.kind, &now)),
        }
    }
}

/// Explains one document.
pub(super) fn explain(
    job: &ExplainJob,
    id: &str,
    exec: &Exec<'_>,
) -> Result<(ExplainedDocument, Vec<String>)> {
    let result = &job.result;
    let role = ExplainRole::find(result, id)?;
    let originals = job.originals()?;
    // By place: the document itself, its representative, then others for a preview. A fixed number of
    // them, so that one pass over the input finds all.
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
        let own = source.map_or(DocumentSide::Either, |_| DocumentSide::New);
        [own, DocumentSide::of(source)]
    });
    let sides = sides.as_ref().map_or(&[][..], |sides| sides);
    let found = match originals.find(&ids, sides, exec.progress) {
        Ok((found, _)) => found,
        // Without text the rows of the result are all that is shown, wherever the documents are now.
        Err(_) if job.shown.no_text && is_in_result => Found {
            documents: vec![None; ids.len()],
            nearest: vec![Vec::new(); ids.len()],
            num_documents: 0,
        },
        Err(error) => return Err(error),
    };
    // Neither in the result nor in the input: a mistyped id. Documents without duplicates are in no table.
    if found.documents[0].is_none() && !is_in_result {
        return Err(unknown(id, found.num_documents, &found.nearest[0]));
    }
    let warnings = originals.warnings();
    let mut explained = ExplainedDocument {
        id: id.to_owned(),
        similarity: result.summary().similarity()?,
        threshold: result.summary().threshold()?.to_string(),
        cluster_mode: result.summary().cluster()?,
        role,
        documents: ids.into_iter().zip(found.documents).collect(),
        has_features: true,
        kind: originals.job.config.features,
        overlap: None,
        difference: None,
        against: result.summary().against(),
        is_sampled: originals.job.config.sampling != Sampling::default(),
        by_codes: result.summary().is_on("no-verify"),
        no_text: job.shown.no_text,
    };
    let config = &originals.job.config;
    if let Some(document) = explained.document(id) {
        let text = &document.text;
        let features = labelled(text, config.features, &config.words, config.seed);
        explained.has_features = !features.is_empty();
    }
    if let Some((one, other)) = explained.texts() {
        // Overlaps of other features would say that the texts have changed.
        originals.check_features()?;
        let kind = config.features;
        let overlap =
            Overlap::of_texts(&one.text, &other.text, kind, &config.words, config.seed);
        explained.overlap = Some(overlap);
    }
    if let Some((one, other)) = explained.texts() {
        let difference = TextDifference::new(&one.text, &other.text);
        let diff = difference.of(&one.text, &other.text);
        job.shown.write_page(&diff, page(&explained))?;
        explained.difference = Some(difference);
    }
    Ok((explained, warnings))
}

/// The id of the document that is kept instead; empty for one that is kept itself.
fn representative(explained: &ExplainedDocument) -> &str {
    let duplicate = explained.role.duplicate.as_ref();
    duplicate.map_or("", |duplicate| &duplicate.duplicate_of)
}

/// The first words of a document.
fn preview(document: Option<&Fetched>) -> String {
    document.map_or_else(String::new, |document| {
        // Cleaning may shorten the text (control characters, runs of spaces), so it begins with more.
        let start: String = document.text.chars().take(PREVIEW_CHARS * 4).collect();
        let line: String = clean(&start).chars().take(PREVIEW_CHARS).collect();
        line.trim_end().to_owned()
    })
}

/// The page that shows the document beside its representative.
fn page(explained: &ExplainedDocument) -> DiffPage {
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
    DiffPage {
        title: format!("{} is a duplicate of {other}", explained.id),
        left: explained.id.clone(),
        right: format!("{other} (kept)"),
        facts,
        context: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use neardupe_io::tables::{Declared, Duplicates};

    #[test]
    fn a_removed_document_has_the_columns_of_its_table() {
        let row = ExplainDuplicate {
            id: String::new(),
            duplicate_of: String::new(),
            similarity: None,
            containment: None,
            containment_of_representative: None,
            rule: String::new(),
        };
        let row = serde_json::to_value(row).unwrap();
        let fields: std::collections::BTreeSet<&str> = row
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        let columns = Duplicates::DECLARATION.columns.iter();
        let columns = columns.filter(|column| !column.is_of_sides);
        assert_eq!(fields, columns.map(|column| column.name).collect());
    }
}
