//! The description of a job of `passages`.

use super::sentences::{PassagesPreset, SignatureChoice};
use crate::param::{OrNone, ParamValue, Within};
use crate::passage_tables::OtherForm;
use crate::spec::{
    CheckpointSpec, InputSpec, LimitsSpec, OutputSpec, PassageRuleSpec, RecordSpec,
    ReferenceSpec, TextSpec, ToleranceSpec, WorkSpec,
};
use neardupe_core::error::Result;
use neardupe_core::passage::{PassageRule, Reach};
use neardupe_core::threshold::Threshold;
use neardupe_io::output::Offsets;
use serde_json::{Value, json};

crate::params! {
    /// Passages that documents have in common.
    pub struct PassagesSpec {
        [
            input: InputSpec,
            reference: ReferenceSpec,
            rule: PassageRuleSpec,
            text: TextSpec,
            record: RecordSpec,
            tolerance: ToleranceSpec,
            output: OutputSpec,
            limits: LimitsSpec,
            work: WorkSpec,
            checkpoint: CheckpointSpec,
        ]
        /// Documents to be checked: only passages that one of these shares with the input; files of the
        /// input that are among them are left out of it
        query: Vec<String> => value("FILE");
        /// Rows for all documents with the same text, not for the first of them only
        expand: bool => switch().heading("Passages");
        /// A published system as options: pdc-mr (Zhang et al., SIGIR 2010: `signature imatch`
        /// `gamma 3`)
        preset: PassagesPreset => value("NAME").heading("Diagonals of sentences");
        /// Find diagonals of sentences that match by words:N, imatch, imatch:LOW-HIGH,K,P or spotsigs,
        /// instead of common stretches of words
        signature: SignatureChoice => value("KIND").heading("Diagonals of sentences");
        /// A passage has more sentences than this [default: 3]
        gamma: Within<0, 1_000_000> => value("N").heading("Diagonals of sentences");
        /// Words at which `signature spotsigs` takes spot signatures: published, the N most
        /// frequent words, or a file [default: 1000]
        antecedents: String => value("WHICH").heading("Diagonals of sentences");
        /// Compare each document with itself too
        within_document: bool => switch().heading("Diagonals of sentences");
        /// Also write the passages in the format of another program: pan (a folder of XML files),
        /// passim (JSON lines)
        also: Vec<OtherForm> => value("FORM").heading("Output").free();
        /// Unit of places: characters (code points) or bytes [default: characters]
        offsets: Offsets => value("UNIT").heading("Output").free();
    }
}

impl ParamValue for OtherForm {
    const VALUES: &'static [&'static str] = OtherForm::NAMES;

    fn from_text(text: &str) -> Result<Self> {
        text.parse()
    }

    fn to_json(&self) -> Value {
        json!(self.name())
    }
}

/// A sentence or run of words in more documents than this is not a seed, unless another number is given.
const MAX_DOCUMENTS: u32 = 100;

impl PassageRuleSpec {
    /// The rule of passages that are found from seeds, with defaults filled in.
    pub(crate) fn rule(&self) -> PassageRule {
        let usual = PassageRule::default();
        PassageRule {
            // The defaults are those of the core.
            min_words: self.min_words.map_or(usual.min_words, Within::u32),
            tau: self.tau.unwrap_or(usual.tau),
            reach: Reach {
                max_gap: self.max_gap.map_or(usual.reach.max_gap, Within::usize),
                max_drift: self.max_drift.map_or(usual.reach.max_drift, Within::usize),
            },
        }
    }

    /// The limit of documents; u32::MAX for none, since documents are numbered with 32 bits.
    pub(crate) fn document_limit(&self) -> u32 {
        match self.max_documents {
            None => MAX_DOCUMENTS,
            Some(OrNone::None) => u32::MAX,
            Some(OrNone::This(number)) => number.u32(),
        }
    }

    /// All parameters as they are used; the search by sentences has a resemblance of its own.
    pub(crate) fn completed(&self, tau: Threshold) -> PassageRuleSpec {
        let rule = self.rule();
        PassageRuleSpec {
            min_words: Some(Within(rule.min_words.into())),
            max_gap: Some(Within(rule.reach.max_gap as u64)),
            max_drift: Some(Within(rule.reach.max_drift as u64)),
            tau: Some(tau),
            max_documents: Some(OrNone::This(Within(self.document_limit().into()))),
            ignore: Some(self.ignore.clone().unwrap_or_default()),
        }
    }
}
