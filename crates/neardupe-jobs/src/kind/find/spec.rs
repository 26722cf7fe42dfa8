//! The description of a job of `find`.

use super::preset::Preset;
use crate::param::Params;
use crate::spec::{
    ClusterSpec, HashKeyChoice, InputSpec, MetadataSpec, MethodSpec, OutputSpec,
    ReadingSpec, ReferenceSpec, RestartSpec, SamplingSpec, SimilaritySpec, ToleranceSpec,
    WorkSpec,
};
use neardupe_core::error::Result;
use serde_json::{Map, Value};

crate::params! {
    /// Near-duplicates of a collection.
    pub struct FindSpec {
        [
            input: InputSpec,
            similarity: SimilaritySpec,
            cluster: ClusterSpec,
            sampling: SamplingSpec,
            method: MethodSpec,
            reference: ReferenceSpec,
            reading: ReadingSpec,
            metadata: MetadataSpec,
            tolerance: ToleranceSpec,
            output: OutputSpec,
            work: WorkSpec,
            restart: RestartSpec,
        ]
        /// Options of a published system: waterloo, ye, mapdupreducer, mit, broder97, fetterly03,
        /// shivakumar98, heintze96; what else is given wins
        preset: Preset => value("NAME");
        /// With `similarity containment`: a document that contains an old one is removed too, and not
        /// only one that is contained in it
        remove_containing: bool => switch().heading("New against old");
        /// Key of the hashes by which features and texts are compared: random, public (the same in every job,
        /// so a text can be made that is taken for another), or 32 hexadecimal digits. Methods and samples
        /// that depend on the values of hashes take the public hash for features unless digits are given [default:
        /// random]
        hash_key: HashKeyChoice => value("KEY").heading("Work").free();
    }
}

impl FindSpec {
    /// How a job reads and compares, from the options of its summary. Options that other kinds of jobs
    /// and other versions have besides are ignored: an old result can still be explained. Inputs,
    /// output, clusters and limits are not taken over; whoever reads a result has others.
    pub fn reading_of(options: &Map<String, Value>) -> FindSpec {
        let mut recorded = FindSpec::default();
        // Options by name, in any order; each sets one field.
        for (name, value) in options {
            // A value that this version does not know is ignored, as an unknown parameter is.
            let _ = recorded.set(name, value);
        }
        let features = recorded.reading.features.features;
        if !features.is_some_and(|features| features.uses_antecedents()) {
            // A result of passages has antecedents for its sentences, and no features.
            recorded.reading.words.antecedents = None;
        }
        FindSpec {
            similarity: recorded.similarity,
            sampling: SamplingSpec {
                // Says how documents are counted, not how they are read.
                keep_exact: None,
                ..recorded.sampling
            },
            cluster: ClusterSpec {
                block_by: recorded.cluster.block_by,
                ..ClusterSpec::default()
            },
            reading: ReadingSpec {
                limits: Default::default(),
                ..recorded.reading
            },
            metadata: recorded.metadata,
            ..FindSpec::default()
        }
    }

    /// The description with the parameters of its preset where it has none itself.
    pub fn with_preset(self) -> Result<FindSpec> {
        let Some(preset) = self.preset else {
            return Ok(self);
        };
        // What was typed is put over the preset, field by field.
        let mut under = preset.spec()?;
        let of_preset = under.method.method.unwrap_or_default();
        if self.method.method.is_some_and(|given| given != of_preset) {
            // The preset's parameters of its own method (bands, distance) would be refused with another one.
            under.method = Default::default();
        }
        Ok(self.or(under))
    }
}
