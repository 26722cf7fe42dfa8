//! The parameters of jobs in groups: each group is declared once and shared by all kinds of jobs that
//! have it, so that a parameter has the same name, type and help everywhere.

mod choice;
mod parts;

pub use choice::{HashKeyChoice, MethodChoice, SampleRule};
pub use parts::{
    CheckpointSpec, ClusterSpec, FeaturesSpec, InputSpec, LimitsSpec, MetadataSpec,
    MethodSpec, OutputSpec, PassageRuleSpec, ReadingSpec, RecordSpec, ReferenceSpec,
    RestartSpec, SamplingSpec, SeedSpec, SimilaritySpec, TextSpec, ToleranceSpec,
    WordsSpec, WorkSpec,
};
