//! From a record to its simhash: features, weights, sums, bits.
//!
//! [`OccurrenceReader`] gives the occurrences of features, [`weights`] makes one weight of each
//! feature, [`Simhasher`] adds them up. The order of these steps is part of what a code means: the
//! identity of a [`CodeSpec`] stands for it, and stored codes are compared only under the same
//! identity, whose prefix `sim1` is the version of this procedure.

use super::anchors::Anchors;
use super::simhash::Simhasher;
use super::variant::{Idf, MetadataWeight, Variant};
use super::weights::{self, Weighted};
use crate::document::{Record, Span};
use crate::error::Result;
use crate::feature::{
    FeatureKind, FeatureSpec, Occurrence, OccurrenceReader, is_emphasis,
};
use crate::frequency::{DfTable, FeatureSpecText};
use crate::hash;
use crate::text::WordOptions;
use std::sync::Arc;

/// Leading bits of a code that stand for the value of a metadata field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reserve {
    /// The field.
    pub field: String,
    /// How many bits.
    pub bits: u32,
}

/// Everything that a code depends on, besides the record.
#[derive(Debug, Clone)]
pub struct CodeSpec {
    /// The kind of the features that have weights.
    pub features: FeatureKind,
    /// How text becomes words.
    pub words: WordOptions,
    /// Seed of the feature hash.
    pub seed: u64,
    /// How features are chosen and weighed.
    pub variant: Variant,
    /// What a feature weighs beside its occurrences.
    pub idf: Idf,
    /// Bits for a metadata value.
    pub reserve: Option<Reserve>,
    /// Names of the metadata fields of records, in their order.
    pub fields: Vec<String>,
    /// How many of the fields are features: the first ones.
    pub num_features: usize,
    /// How many documents have each feature.
    pub df: Arc<DfTable>,
    /// How many documents of each host have each feature.
    pub of_hosts: Option<Arc<DfTable>>,
    /// Texts of links.
    pub anchors: Option<Arc<Anchors>>,
}

/// A field with the address of a document.
const URL: &str = "url";
/// A template is what more than half of the pages of a host have, from so many pages on.
const TEMPLATE_PAGES: u32 = 5;
/// Of fewer different features one may outweigh all others, and documents that have that one
/// in common would be alike: such a text has a single feature, all of it.
const SHORT: usize = 8;
/// Seeds that keep features of different kinds apart.
const WHOLE_SEED: u64 = 0x7768_6f6c_6521_0001;
const FIELD_SEED: u64 = 0x6669_656c_6473_0001;
const RESERVE_SEED: u64 = 0x7265_7365_7276_6501;
const HOST_SEED: u64 = 0x686f_7374_7321_0001;

impl CodeSpec {
    /// A name that two codes must have in common to be compared.
    pub fn identity(&self) -> String {
        let features = FeatureSpec::new(self.features, &self.words, self.seed);
        let spec = FeatureSpecText::from(&features);
        let reserve_name = |one: &Reserve| format!("{}:{}", one.field, one.bits);
        let reserve = self.reserve.as_ref().map(reserve_name);
        // Only what has an effect is named, so that codes which are equal by all settings that
        // matter can be compared.
        let fields = if self.variant.uses_metadata() {
            &self.fields[..self.num_features]
        } else {
            &[]
        };
        let of_hosts = self.of_hosts.as_ref().map(|table| table.identity());
        let anchors = self.anchors.as_ref().map(|anchors| anchors.identity());
        let text = format!(
            "{spec:?} {} {} {reserve:?} {fields:?} {of_hosts:?} {anchors:?}",
            self.variant, self.idf
        );
        let table = match self.idf {
            Idf::None => "none",
            Idf::Log | Idf::Inverse => self.df.identity(),
        };
        format!("sim1-{table}-{:016x}", hash::bytes(text.as_bytes(), 0))
    }

    /// The bits that stand for a metadata value.
    pub fn reserved_bits(&self) -> u64 {
        self.reserve.as_ref().map_or(0, |one| leading(one.bits))
    }
}

/// The leading bits.
fn leading(bits: u32) -> u64 {
    match bits {
        0 => 0,
        bits => u64::MAX << (64 - bits.min(64)),
    }
}

/// Makes codes, reusing its buffers from document to document.
#[derive(Debug)]
pub struct Coder {
    spec: Arc<CodeSpec>,
    reader: OccurrenceReader,
    occurrences: Vec<Occurrence>,
    weighted: Vec<Weighted>,
    whole: Vec<(u64, i32)>,
    tagged: Vec<Span>,
    hasher: Simhasher,
}

impl Coder {
    /// Makes codes by a specification.
    pub fn new(spec: Arc<CodeSpec>) -> Result<Self> {
        let reader = OccurrenceReader::new(spec.features, &spec.words, spec.seed)?;
        Ok(Coder {
            spec,
            reader,
            occurrences: Vec::new(),
            weighted: Vec::new(),
            whole: Vec::new(),
            tagged: Vec::new(),
            hasher: Simhasher::default(),
        })
    }

    /// The code of a record. One without a feature has none.
    pub fn code(&mut self, record: &Record<'_>) -> Option<u64> {
        let spec = Arc::clone(&self.spec);
        self.weigh(&spec, record);
        if self.weighted.is_empty() {
            return None;
        }
        let mut largest = weights::largest(&self.weighted);
        if largest <= 0.0 {
            // Features that all documents have: each counts the same then, else all such
            // documents would have the same code.
            self.weighted.iter_mut().for_each(|one| one.weight = 1.0);
            largest = 1.0;
        }
        self.whole.clear();
        self.whole.extend(self.weighted.iter().map(|one| {
            // Relative to the largest weight of this document: codes do not depend on the scale of
            // idf.
            let weight = weights::whole(one.weight, largest);
            // At most 24 bits: see `weights::whole`.
            (
                spread(one.feature),
                i32::try_from(weight).unwrap_or(i32::MAX),
            )
        }));
        self.hasher.clear();
        self.hasher.add_all(&self.whole);
        // After the text: `metadata:flip` looks at its sums.
        self.add_metadata(&spec, record);
        let code = self.hasher.code();
        Some(match &spec.reserve {
            None => code,
            Some(reserve) => {
                let bits = leading(reserve.bits);
                let value = value_of(&spec.fields, record, &reserve.field);
                let hash = hash::bytes(value.unwrap_or("").as_bytes(), RESERVE_SEED);
                // Reserved bits replace those of the text: documents with different values then
                // differ in about half of these bits, with the same value in none.
                (code & !bits) | (hash::mix(hash) & bits)
            }
        })
    }

    /// The features of a record with their weights, for those who want to see them: in ascending
    /// order, but by falling weights where a variant takes the largest and there are more features
    /// than that.
    pub fn weighted(&mut self, record: &Record<'_>) -> &[Weighted] {
        let spec = Arc::clone(&self.spec);
        self.weigh(&spec, record);
        &self.weighted
    }

    /// Puts the features of a record with their weights into `weighted`; none for a text without
    /// words. Occurrences are weighed by place and tags, then features by idf, template and
    /// outliers, and selected last: a selection is a share of the final weights.
    fn weigh(&mut self, spec: &CodeSpec, record: &Record<'_>) {
        let variant = &spec.variant;
        self.tagged.clear();
        if variant.tagged.is_some() {
            let regions = record.regions.iter();
            let emphasis = regions.filter(|region| is_emphasis(region.kind));
            self.tagged.extend(emphasis.map(|region| region.span));
        }
        self.occurrences.clear();
        let num_words =
            self.reader
                .read(record.text, &self.tagged, &mut self.occurrences);
        self.weighted.clear();
        if num_words == 0 {
            return;
        }
        // Texts of links count as tagged words at the beginning. They are added only to a document
        // with words of its own: a code must not stand for other pages alone.
        if let Some(anchors) = &spec.anchors {
            let own = anchors.of(address(&spec.fields, record));
            self.occurrences
                .extend(own.iter().map(|&feature| Occurrence {
                    feature,
                    place: 0,
                    tagged: true,
                    dated: false,
                }));
        }
        weights::add_up(&self.occurrences, num_words, variant, &mut self.weighted);
        if self.weighted.is_empty() {
            // Numbers alone: they are all there is.
            let all = Variant {
                no_numbers: false,
                ..variant.clone()
            };
            weights::add_up(&self.occurrences, num_words, &all, &mut self.weighted);
        }
        // Neither idf nor a selection may act on a text so short.
        if self.weighted.len() < SHORT {
            self.weigh_whole();
            return;
        }
        for one in &mut self.weighted {
            one.weight *= weights::idf(spec.idf, &spec.df, one.feature);
        }
        // What is on most pages of the host is menus and footers, whatever its idf in the
        // collection.
        if let (Some(of_hosts), Some(factor)) = (&spec.of_hosts, variant.template) {
            let host = host_hash(address(&spec.fields, record));
            weigh_template(of_hosts, host, factor, &mut self.weighted);
        }
        if variant.damped {
            weights::damp(&mut self.weighted);
        }
        weights::select(variant.selection, &mut self.weighted);
    }

    /// Replaces all features by a single one: only a text with the same words, each as often, has
    /// it.
    fn weigh_whole(&mut self) {
        let mut all: Vec<u64> = Vec::new();
        for one in &self.occurrences {
            // Fewer than `SHORT` features, so a search along the list is quick.
            let counts = self.weighted.iter().any(|kept| kept.feature == one.feature);
            all.extend(counts.then_some(one.feature));
        }
        // Without order, like any other code.
        all.sort_unstable();
        let feature = all.iter().fold(WHOLE_SEED, |hash, &one| {
            hash::mix(hash.wrapping_mul(0xd1b5_4a32_d192_ed03) ^ one)
        });
        self.weighted.clear();
        self.weighted.push(Weighted {
            feature,
            weight: 1.0,
        });
    }

    /// Adds the values of metadata fields: first names and categories as features, then numbers as
    /// weights of their fields.
    fn add_metadata(&mut self, spec: &CodeSpec, record: &Record<'_>) {
        let fields = spec.fields.iter().zip(record.metadata);
        for (field, value) in fields.clone().take(spec.num_features) {
            let Some(value) = value else { continue };
            if spec.variant.numeric(field).is_some() {
                continue;
            }
            // A list of values is written with semicolons.
            for value in value
                .split(';')
                .map(str::trim)
                .filter(|one| !one.is_empty())
            {
                let weight = match spec.variant.metadata {
                    MetadataWeight::None => continue,
                    MetadataWeight::Share(share) => weights::whole(share, 1.0),
                    MetadataWeight::Flip => {
                        // One more than the sum nearest to zero: the value turns this bit if it
                        // votes against it, and no bit that the text decides more clearly. Values
                        // of several fields are added one after the other, each with the sums so
                        // far.
                        let sums = self.hasher.sums().iter();
                        sums.map(|sum| sum.abs()).min().unwrap_or(0) + 1
                    }
                };
                let name = hash::bytes(field.as_bytes(), FIELD_SEED);
                let feature = hash::bytes(value.as_bytes(), name);
                self.hasher.add(spread(feature), weight);
            }
        }
        for (field, value) in fields {
            let (Some(numeric), Some(value)) = (spec.variant.numeric(field), value)
            else {
                continue;
            };
            if let Some(weight) = numeric.weight(value) {
                let feature = hash::bytes(field.as_bytes(), FIELD_SEED);
                self.hasher
                    .add(spread(feature), weights::whole(weight, 1.0));
            }
        }
    }
}

/// All bits of a feature, mixed well: every bit of a code must be decided by other ones.
fn spread(feature: u64) -> u64 {
    hash::mix(feature ^ 0x5349_4d48_4153_4821)
}

/// The value that a record has in a field.
fn value_of<'a>(fields: &[String], record: &Record<'a>, field: &str) -> Option<&'a str> {
    let place = fields.iter().position(|name| name == field)?;
    record.metadata.get(place)?.as_deref()
}

/// Where a document is: the field `url`, or else its id.
pub fn address<'a>(fields: &[String], record: &Record<'a>) -> Option<&'a str> {
    value_of(fields, record, URL).or(record.id)
}

/// The host of an address, as a number; 0 when it has none.
fn host_hash(address: Option<&str>) -> u64 {
    let host = address
        .and_then(|address| address.split_once("://"))
        .map(|(_, rest)| rest.split(['/', '?', '#']).next().unwrap_or_default());
    match host {
        None | Some("") => 0,
        Some(host) => {
            let host = host.to_ascii_lowercase();
            hash::bytes(host.as_bytes(), HOST_SEED)
        }
    }
}

/// The features that are counted to know the templates of hosts: one for the host, and one
/// for each feature of a page on it.
pub fn template_features(
    fields: &[String],
    record: &Record<'_>,
    features: &mut Vec<u64>,
) {
    match host_hash(address(fields, record)) {
        0 => features.clear(),
        host => {
            for feature in features.iter_mut() {
                *feature = hash::numbered(*feature, host, HOST_SEED);
            }
            features.push(host);
        }
    }
}

/// Multiplies the weights of features that more than half of the host's pages have by `factor`. The
/// table has the number of pages under the host itself and the number of those with a feature under
/// both ([`template_features`]).
fn weigh_template(of_hosts: &DfTable, host: u64, factor: f64, weighted: &mut [Weighted]) {
    let pages = of_hosts.get(host).unwrap_or(0);
    if host == 0 || pages < TEMPLATE_PAGES {
        return;
    }
    for one in weighted {
        let with_it = of_hosts.get(hash::numbered(one.feature, host, HOST_SEED));
        if with_it.is_some_and(|with_it| with_it > pages / 2) {
            one.weight *= factor;
        }
    }
}

#[cfg(test)]
#[path = "coder_tests.rs"]
mod tests;
