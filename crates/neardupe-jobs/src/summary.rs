//! `summary.json`: what was asked, what was found, what it cost.
//!
//! The same type is written, read back by other jobs and printed by fronts. Fields that an older
//! version did not have have a default; a field that means something new gets a new name, because
//! old summaries are still read.

use crate::rewrite::Dedup;
use neardupe_core::candidate::ledger::Ledger;
use neardupe_core::document::BadKind;
use neardupe_core::error::Result;
use neardupe_core::eval::interval::Proportion;
use neardupe_core::feature::FeatureSpec;
use neardupe_core::passage::sentence_pairs::SentenceCounts;
use neardupe_core::pipeline::recall::Recall;
use neardupe_core::pipeline::result::Totals;
use neardupe_core::pipeline::{
    Cluster, FieldValues, FilterComparison, FindConfig, FindResult, Hamming,
};
use neardupe_core::signature::{Bands, CodeSpec, Idf, Lexicons};
use neardupe_core::similarity::Similarity;
use neardupe_io::output::side;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The summary of a job, as written and as shown.
#[derive(Debug, Serialize, Deserialize)]
pub struct Summary {
    /// Always `neardupe`: marks the folder as a result of ours.
    pub program: String,
    /// Version of the program.
    pub version: String,
    /// The command.
    pub command: String,
    /// All options as resolved, by the name of their flag.
    pub options: serde_json::Map<String, serde_json::Value>,
    /// What feature values depend on.
    pub feature_specification: FeatureSpec,
    /// Whether every pair at or above the threshold was found.
    pub exact: bool,
    /// What an approximate method finds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<MethodSummary>,
    /// What each filter of the join is worth, where that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filters: Option<FilterComparison>,
    /// How many spot signatures documents have, where those are compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spot_signatures: Option<SpotSummary>,
    /// Numbers.
    pub counts: Totals,
    /// Bad records by kind.
    pub bad_records_by_kind: BTreeMap<String, u64>,
    /// What the user should know before trusting the result: options without effect, values that
    /// could not be read, choices that look wrong.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// What the field of `keep` holds, for a rule that has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keep_values: Option<FieldValues>,
    /// What the fields of `variant numeric:FIELD` hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub numeric_values: Vec<FieldValues>,
    /// What was noticed about documents while their text was made, and how often.
    pub remarks: BTreeMap<String, u64>,
    /// Files in folders that were passed over: of no known format by name and content.
    pub skipped_files: u64,
    /// What the join looked at and what each filter left.
    pub ledger: Ledger,
    /// The largest clusters.
    pub largest_clusters: Vec<TopCluster>,
    /// Wall time by stage.
    pub seconds: BTreeMap<String, f64>,
    /// Largest resident memory.
    pub peak_memory_bytes: u64,
    /// Most bytes in the work directory.
    pub peak_disk_bytes: u64,
    /// Whether data was written to the work directory, because it did not fit in memory.
    pub spilled: bool,
    /// Windows in which the join was done; one when its index fitted in memory.
    pub join_windows: u64,
    /// What became of the records, by `dedup`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dedup: Option<Dedup>,
}

/// What an approximate method finds.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct MethodSummary {
    /// The method.
    pub name: Cow<'static, str>,
    /// How signatures are cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bands: Option<String>,
    /// Values of a signature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub values: Option<u64>,
    /// How simhashes were made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub simhash: Option<SimhashSummary>,
    /// How keys of I-Match were made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imatch: Option<IMatchSummary>,
    /// The table by which features were weighed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<WeightSummary>,
    /// The resemblance of a pair exactly at the threshold.
    pub threshold: f64,
    /// With what probability pairs are compared, by theory.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub curve: Vec<CurvePoint>,
    /// The sample of this collection on which that was measured; none where pairs are not
    /// verified.
    pub sample: Option<Recall>,
    /// The share of its similar pairs that the method compares.
    pub measured: Option<Proportion>,
}

/// By what features were weighed.
#[derive(Debug, Serialize, Deserialize)]
pub struct WeightSummary {
    /// The table of document frequencies, by its identity.
    pub df_table: String,
    /// Documents that were counted in it.
    pub df_documents: u64,
}

/// How keys of I-Match were made.
#[derive(Debug, Serialize, Deserialize)]
pub struct IMatchSummary {
    /// Which terms count, and how many lexicons there are.
    pub settings: String,
    /// The table of document frequencies, by its identity.
    pub df_table: String,
    /// Documents that were counted in it.
    pub df_documents: u64,
    /// Keys that two documents must share.
    pub needed: u32,
}

impl IMatchSummary {
    pub(crate) fn new(lexicons: &Lexicons, needed: u32) -> Self {
        IMatchSummary {
            settings: lexicons.settings.to_string(),
            df_table: lexicons.df.identity().to_owned(),
            df_documents: lexicons.df.num_documents(),
            needed,
        }
    }
}

/// The name of the filter that can lose pairs.
pub const SIGNATURE_FILTER: &str = "signature filter";

/// How simhashes were made and compared.
#[derive(Debug, Serialize, Deserialize)]
pub struct SimhashSummary {
    /// Bits in which two codes may differ.
    pub distance: u32,
    /// Whether pairs must be similar by their features too.
    pub verified: bool,
    /// How features were chosen and weighed.
    pub variant: String,
    /// What features weigh beside their occurrences.
    pub idf: String,
    /// The table of document frequencies, by its identity.
    pub df_table: Option<String>,
    /// Documents that were counted in it.
    pub df_documents: Option<u64>,
    /// How codes were made: only codes made with the same settings can be compared.
    pub codes: String,
}

impl SimhashSummary {
    pub(crate) fn new(codes: &CodeSpec, hamming: Hamming) -> Self {
        let table = (codes.idf != Idf::None).then_some(&codes.df);
        SimhashSummary {
            distance: hamming.distance,
            verified: hamming.verified,
            variant: codes.variant.to_string(),
            idf: codes.idf.to_string(),
            df_table: table.map(|table| table.identity().to_owned()),
            df_documents: table.map(|table| table.num_documents()),
            codes: codes.identity(),
        }
    }
}

/// What a measure of similarity is called in text for people, and what it says. Columns of tables and
/// values of parameters keep their names: there, `resemblance` of weighted features is their weighted
/// Jaccard index, since the join compares sets in which a feature of weight w stands w times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SimilarityWords {
    /// Its name.
    pub name: &'static str,
    /// The part of the whole, after "at least 80 %".
    pub share: &'static str,
    /// What it means, as a sentence.
    pub meaning: &'static str,
}

impl SimilarityWords {
    /// The words for a similarity of sets, or of weighted sets.
    pub fn new(similarity: Similarity, is_weighted: bool) -> Self {
        let (name, share, meaning) = match (similarity, is_weighted) {
            (Similarity::Resemblance, false) => (
                "resemblance",
                "of all that the two have is in both",
                "The features that two documents have in common, as a share of all features of both \
                 (Jaccard). 1 means the same set.",
            ),
            (Similarity::Resemblance, true) => (
                "weighted Jaccard index",
                "of the weight of all that the two have is in both",
                "The sum of the smaller weights of each feature in two documents, as a share of the sum of \
                 the larger. 1 means the same weights.",
            ),
            (Similarity::S3, false) => (
                "S3",
                "of what the two have on average is in both",
                "Twice the features in common as a share of the features of both, counted each for itself \
                 (Dice).",
            ),
            (Similarity::S3, true) => (
                "weighted S3",
                "of the weight that the two have on average is in both",
                "Twice the sum of the smaller weights of each feature, as a share of the sum of all weights \
                 of both documents (Dice).",
            ),
            // Not taken with weights: the smaller set has no larger weight to be a share of.
            (Similarity::Containment, _) => (
                "containment",
                "of the features of the shorter one are in the longer one",
                "The features in common as a share of those of the shorter document: 1 when it is wholly \
                 in the other.",
            ),
            (Similarity::Estimate(_), _) => (
                "estimated resemblance",
                "of the smallest features of both together are in both",
                "The share of the smallest features of both documents that are in both: an estimate of \
                 the resemblance.",
            ),
        };
        SimilarityWords {
            name,
            share,
            meaning,
        }
    }
}

/// With what probability a pair of this resemblance is compared.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct CurvePoint {
    /// The resemblance.
    pub similarity: f64,
    /// The probability.
    pub probability: f64,
}

impl MethodSummary {
    /// The method with its main setting.
    pub fn setting(&self) -> String {
        match (&self.bands, &self.simhash) {
            (Some(bands), _) => format!("{} {bands}", self.name),
            (_, Some(simhash)) => {
                format!("{} within {} of 64 bits", self.name, simhash.distance)
            }
            _ => match &self.imatch {
                Some(imatch) if self.name == SIGNATURE_FILTER => {
                    format!("{} {}", self.name, imatch.settings)
                }
                Some(imatch) => imatch.settings.clone(),
                None => self.name.to_string(),
            },
        }
    }
}

/// With what probability pairs are compared: at the threshold, and at the tenths around it.
pub(crate) fn curve(bands: Bands, threshold: f64) -> Vec<CurvePoint> {
    let mut points: Vec<f64> = (1..=9u32).map(|tenth| f64::from(tenth) / 10.0).collect();
    points.retain(|point| (point - threshold).abs() > 1e-9 && *point >= threshold - 0.35);
    points.push(threshold);
    points.sort_by(f64::total_cmp);
    let point = |similarity| CurvePoint {
        similarity,
        probability: bands.probability(similarity),
    };
    points.into_iter().map(point).collect()
}

/// How many spot signatures documents, or sentences, have.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SpotSummary {
    /// Words of the list.
    pub antecedents: u64,
    /// Distinct signatures of one, on average over all.
    pub mean: f64,
    /// Those that have none.
    pub without: u64,
    /// Their share.
    pub share_without: f64,
}

impl SpotSummary {
    /// What is to be said of a job that compares spot signatures; nothing of others.
    pub fn new(config: &FindConfig, result: &FindResult) -> Option<Self> {
        if !config.features.uses_antecedents() {
            return None;
        }
        let documents = &result.documents;
        let sizes = documents.all().map(|document| documents.size(document));
        let all = u64::from(documents.len());
        let features: u64 = sizes.map(u64::from).sum();
        let signatures = features - documents.num_featureless();
        Some(Self::of_counts(
            config,
            all,
            signatures,
            result.totals.empty + result.totals.featureless,
        ))
    }

    /// The same of sentences that were compared by spot signatures.
    pub fn of_sentences(config: &FindConfig, counts: &SentenceCounts) -> Self {
        let all = counts.signed + counts.unsigned;
        Self::of_counts(config, all, counts.features, counts.unsigned)
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "shown, nothing is decided by it"
    )]
    fn of_counts(config: &FindConfig, all: u64, signatures: u64, without: u64) -> Self {
        let all = all.max(1) as f64;
        SpotSummary {
            antecedents: config.words.antecedents.len() as u64,
            mean: signatures as f64 / all,
            without,
            share_without: without as f64 / all,
        }
    }
}

/// A cluster as shown in the summary.
#[derive(Debug, Serialize, Deserialize)]
pub struct TopCluster {
    /// The representative's id.
    pub cluster_id: String,
    /// Number of members.
    pub size: u64,
    /// The representative and a few others.
    pub shown: Vec<TopMember>,
}

/// A member as shown in the summary.
#[derive(Debug, Serialize, Deserialize)]
pub struct TopMember {
    /// Its id.
    pub id: String,
    /// On which side it is, when new documents are compared with old ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Cow<'static, str>>,
    /// Its first words.
    pub preview: String,
}

const SHOWN_MEMBERS: usize = 3;

impl TopCluster {
    /// The `most` largest clusters, ties by id; without their first words when documents may
    /// not be shown.
    pub fn largest(
        result: &FindResult,
        most: usize,
        with_text: bool,
    ) -> Result<Vec<TopCluster>> {
        let shown = |document| {
            Ok(TopMember {
                id: result.documents.id(document)?.into_owned(),
                source: result
                    .against
                    .then(|| side(&result.documents, document).into()),
                preview: if with_text {
                    result.documents.preview(document)?
                } else {
                    String::new()
                },
            })
        };
        let top = largest_clusters(result, most)?.into_iter().map(|cluster| {
            let lead = cluster.representative;
            let others = cluster.members.iter().copied();
            let others = others.filter(|&member| member != lead);
            let members = std::iter::once(lead).chain(others).take(SHOWN_MEMBERS);
            Ok(TopCluster {
                cluster_id: result.documents.id(lead)?.into_owned(),
                size: cluster.members.len() as u64,
                shown: members.map(shown).collect::<Result<_>>()?,
            })
        });
        top.collect()
    }
}

/// The `most` largest clusters, ties by id.
pub(crate) fn largest_clusters(result: &FindResult, most: usize) -> Result<Vec<Cluster>> {
    let mut top: Vec<Cluster> = Vec::new();
    result.for_each_cluster(|cluster| {
        // Clusters come by id: clusters of the same size are in this order.
        let size = cluster.members.len();
        let at = top.partition_point(|other| other.members.len() >= size);
        if at < most {
            top.insert(at, cluster.clone());
            top.truncate(most);
        }
        Ok(())
    })?;
    Ok(top)
}

impl Summary {
    /// Bad records by kind.
    pub fn count_kinds(result: &FindResult) -> Result<BTreeMap<String, u64>> {
        let mut kinds = BTreeMap::new();
        result.documents.for_each_bad_record(|bad| {
            *kinds.entry(BadKind::name(bad.kind).to_owned()).or_insert(0) += 1;
            Ok(())
        })?;
        Ok(kinds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weighted_features_have_a_weighted_jaccard_index() {
        let name =
            |similarity, is_weighted| SimilarityWords::new(similarity, is_weighted).name;
        assert_eq!(name(Similarity::Resemblance, false), "resemblance");
        assert_eq!(
            name(Similarity::Resemblance, true),
            "weighted Jaccard index"
        );
        assert_eq!(name(Similarity::S3, true), "weighted S3");
    }
}
