//! From a description to a job that cannot be wrong.
//!
//! A job of passages reads as `find` does, so it is validated as one: a description of `find`
//! with the groups that both have, and its rules about texts, records, sides and memory hold here
//! too. What `passages` adds is resolved before (the search by sentences asks `find` for tables)
//! and after (limits of the rule).

use super::sentences::SentenceSearch;
use super::spec::PassagesSpec;
use super::templates::{identity_of_templates, ignored};
use crate::kind::find::work::fixed_options;
use crate::kind::find::{Effects, FindJob, FindSpec, all_options};
use crate::param::Params;
use crate::passage_tables::OtherForm;
use crate::spec::{InputSpec, ReadingSpec, ReferenceSpec, RestartSpec, WordsSpec};
use neardupe_core::document::Origin;
use neardupe_core::error::{Error, Result};
use neardupe_core::passage::PassageRule;
use neardupe_core::pipeline::passages::IgnoredSeeds;
use neardupe_core::store::{COMMAND, JobIdentity};
use neardupe_io::output::Offsets;
use serde_json::{Map, Value, json};

/// The job as it will be done.
#[derive(Clone)]
pub struct PassagesJob {
    /// What was asked for, with everything that was left open filled in.
    pub spec: PassagesSpec,
    /// How documents are read and results written: a job of `find` that compares nothing.
    pub find: FindJob,
    /// Which stretches make a passage, when passages are found from seeds.
    pub rule: PassageRule,
    /// A sentence or run of words in more documents than this is not a seed.
    pub max_documents: u32,
    /// The search by diagonals, where it is asked for.
    pub sentences: Option<SentenceSearch>,
    /// Some documents are checked against the others.
    pub checks: bool,
    /// Rows are written for all documents with the same text, not only for the first of them.
    pub expand: bool,
    /// The unit of places.
    pub(super) offsets: Offsets,
    /// Formats of other programs that are written too.
    pub(super) also: Vec<OtherForm>,
    /// Seeds of known templates.
    pub(super) ignored: IgnoredSeeds,
}

/// Parameters of the search by diagonals, which mean nothing without it and are not in its summary then.
const OF_SENTENCES: [&str; 5] = [
    "preset",
    "signature",
    "gamma",
    "antecedents",
    "within-document",
];

impl PassagesSpec {
    /// The job of this description. Everything that can be wrong by the parameters alone is refused here.
    pub fn validate(self) -> Result<PassagesJob> {
        self.validate_with(Effects::default())
    }

    /// The same; what parameters of texts do is noted in `effects`, for all jobs that share it.
    pub fn validate_with(self, effects: Effects) -> Result<PassagesJob> {
        let sentences = SentenceSearch::resolve(&self)?;
        if self.antecedents.is_some()
            && !sentences.as_ref().is_some_and(SentenceSearch::has_spots)
        {
            return Err(Error::config("antecedents", "needs `signature spotsigs`"));
        }
        let query = self.query.clone().unwrap_or_default();
        let (input, reference) = self.sides(&query)?;
        let mut find = FindSpec {
            input,
            reference,
            reading: ReadingSpec {
                text: self.text,
                record: self.record,
                limits: self.limits,
                words: WordsSpec {
                    antecedents: self.antecedents,
                    ..WordsSpec::default()
                },
                ..ReadingSpec::default()
            },
            tolerance: self.tolerance,
            output: self.output,
            work: self.work,
            restart: RestartSpec {
                checkpoint: self.checkpoint,
                ..RestartSpec::default()
            },
            ..FindSpec::default()
        };
        // Frequencies and antecedents are parameters of `find`, so its validation opens tables and lists.
        if let Some(sentences) = &sentences {
            sentences.prepare(&mut find)?;
        }
        let find = find.validate_with(effects)?;
        let rule = self.rule.rule();
        let expand = self.expand == Some(true);
        let offsets = self.offsets.unwrap_or(Offsets::Characters);
        let also = self.also.unwrap_or_default();
        let used = find.spec.clone();
        let by_sentences = sentences.as_ref();
        let spec = PassagesSpec {
            input: used.input,
            reference: used.reference,
            rule: self
                .rule
                .completed(by_sentences.map_or(rule.tau, |one| one.tau)),
            text: used.reading.text,
            record: used.reading.record,
            tolerance: used.tolerance,
            output: used.output,
            limits: used.reading.limits,
            work: used.work,
            checkpoint: used.restart.checkpoint,
            query: Some(query.clone()),
            expand: Some(expand),
            preset: self.preset,
            signature: by_sentences.map(|one| one.signature.clone()),
            gamma: by_sentences.map(|one| crate::param::Within(one.gamma.into())),
            antecedents: used.reading.words.antecedents,
            within_document: by_sentences.map(|one| one.within_document),
            also: Some(also.clone()),
            offsets: Some(offsets),
        };
        let ignored = ignored(spec.rule.ignore.as_deref().unwrap_or_default())?;
        Ok(PassagesJob {
            max_documents: self.rule.document_limit(),
            spec,
            find,
            rule,
            sentences,
            checks: !query.is_empty(),
            expand,
            offsets,
            also,
            ignored,
        })
    }

    /// The documents that are searched, and those that they are compared with. With `query` the queries
    /// are the new documents, and the input is the old ones.
    fn sides(&self, query: &[String]) -> Result<(InputSpec, ReferenceSpec)> {
        let (input, reference) = (self.input.clone(), self.reference.clone());
        let against = reference.against.as_deref().unwrap_or_default();
        if reference.within == Some(true) && against.is_empty() {
            let message = "needs `against`, which names the old documents";
            return Err(Error::config("within", message));
        }
        if query.is_empty() {
            return Ok((input, reference));
        }
        let inputs = input.inputs.unwrap_or_default();
        let against = if against.is_empty() {
            inputs
        } else if inputs == query {
            // As in a summary, where both sides are named as they are used.
            against.to_vec()
        } else {
            let message = "is compared with the input; leave out `against`";
            return Err(Error::config("query", message));
        };
        let input = InputSpec {
            inputs: Some(query.to_vec()),
        };
        let reference = ReferenceSpec {
            against: Some(against),
            within: reference.within,
        };
        Ok((input, reference))
    }
}

impl PassagesJob {
    /// All parameters as they are used, by name. Those of the search by diagonals are left out where it
    /// is not asked for.
    pub fn options(&self) -> Map<String, Value> {
        let mut options = all_options(&self.spec);
        if self.sentences.is_none() {
            for name in OF_SENTENCES {
                options.remove(name);
            }
        }
        options
    }

    /// Everything that must be the same for the job to be resumed: parameters, files that they name,
    /// and the input.
    ///
    /// The command is a part of it: `find` and `passages` with one output have one work
    /// directory, and must not go on with each other's work.
    pub(super) fn identity(&self, origins: Option<Vec<Origin>>) -> JobIdentity {
        let find = &self.find;
        let mut spec = self.spec.clone();
        // Notices that pages were found to share when the input was opened decide which text a page has.
        spec.text
            .content
            .clone_from(&find.spec.reading.text.content);
        let mut options = fixed_options(&PassagesSpec::infos(), &all_options(&spec));
        if self
            .sentences
            .as_ref()
            .is_some_and(SentenceSearch::has_spots)
        {
            // The file may have changed, and counted words are not in the parameters.
            let list = json!(find.config.words.spots_specification());
            options.insert("antecedents (the list)".to_owned(), list.to_string());
        }
        options.extend(identity_of_templates(&self.ignored));
        options.insert(COMMAND.to_owned(), "passages".to_owned());
        JobIdentity { options, origins }
    }

    /// The rule of passages where they are found from seeds; None for diagonals.
    pub fn by_seeds(&self) -> Option<&PassageRule> {
        self.sentences.is_none().then_some(&self.rule)
    }
}
