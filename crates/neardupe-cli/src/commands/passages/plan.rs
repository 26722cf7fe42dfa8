//! From what was typed to what will be done.

use super::super::find::{Job, open_and_warn, options_of_reading, typed};
use super::PassagesArgs;
use super::sentences::BySentences;
use super::surely;
use crate::options::whole_number;
use anyhow::Result;
use neardupe_core::document::{Progress, Silent};
use neardupe_core::error::Error;
use neardupe_core::hash::FixedSet;
use neardupe_core::passage::{CutText, PassageRule, Reach, TextCutter, seeds};
use neardupe_core::pipeline::passages::IgnoredSeeds;
use neardupe_core::pipeline::passages::PassageMethod;
use neardupe_core::pipeline::{PassagesConfig, PassagesResult};
use neardupe_core::store::WorkDir;
use neardupe_io::output::Offsets;
use neardupe_io::source::FileSource;
use neardupe_jobs::kind::find::{FindSpec, text_warnings};
use neardupe_jobs::param::of_param;
use neardupe_jobs::passage_tables::Kinds;
use neardupe_jobs::passage_tables::{OtherForm, PassageCounts};
use neardupe_jobs::report::URL_FIELD;
use neardupe_jobs::summary::SpotSummary;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What will be done.
pub(super) struct Plan {
    pub(super) job: Job,
    /// All parameters as they are used.
    pub(super) options: Map<String, Value>,
    pub(super) rule: PassageRule,
    pub(super) max_documents: u32,
    pub(super) offsets: Offsets,
    pub(super) checks: bool,
    /// Forms of others that are written too.
    pub(super) also: Vec<OtherForm>,
    /// The search by diagonals, where it was asked for.
    pub(super) sentences: Option<BySentences>,
    /// Files of the collection that are themselves checked, and so are left out of it.
    pub(super) num_own: u64,
    ignored: IgnoredSeeds,
    expand: bool,
}

impl Plan {
    pub(super) fn resolve(args: &PassagesArgs) -> Result<Self> {
        let sentences = BySentences::resolve(args)?;
        let number =
            |flag: &str, typed: &Option<String>, usual: u64, least: u64| match typed {
                None => Ok(usual),
                Some(typed) => whole_number(flag, typed, least..=u64::from(u32::MAX)),
            };
        let usual = PassageRule::default();
        let rule = PassageRule {
            min_words: u32::try_from(number(
                "--min-words",
                &args.min_words,
                usual.min_words.into(),
                1,
            )?)?,
            tau: match &args.tau {
                None => usual.tau,
                Some(typed) => typed
                    .parse()
                    .map_err(|error: Error| of_param("tau", error))?,
            },
            reach: Reach {
                max_gap: usize::try_from(number(
                    "--max-gap",
                    &args.max_gap,
                    usual.reach.max_gap as u64,
                    0,
                )?)?,
                max_drift: usize::try_from(number(
                    "--max-drift",
                    &args.max_drift,
                    usual.reach.max_drift as u64,
                    0,
                )?)?,
            },
        };
        let max_documents = match args.max_documents.as_deref() {
            Some("none") => u64::from(u32::MAX),
            _ => number("--max-documents", &args.max_documents, 100, 2)?,
        };
        let offsets = match args.offsets.as_deref() {
            None | Some("characters") => Offsets::Characters,
            Some("bytes") => Offsets::Bytes,
            Some(other) => {
                let message = format!("{other:?} is not one of characters, bytes");
                return Err(Error::config("offsets", message).into());
            }
        };
        // Documents to be checked are new ones, the input is what they are compared with.
        let checks = !args.query.is_empty();
        let (inputs, against) = match checks {
            true => (args.query.clone(), args.inputs.clone()),
            false => (args.inputs.clone(), args.against.clone()),
        };
        let mut like = FindSpec::default();
        like.reference.against = Some(against);
        like.reference.within = Some(args.within);
        like.output.output = args.output.clone();
        like.output.output_format =
            typed("output-format", args.output_format.as_deref())?;
        like.output.write_text = Some(args.write_text);
        like.output.no_text = Some(args.no_text);
        like.tolerance.strict = Some(args.strict);
        like.tolerance.allow_bad_records =
            typed("allow-bad-records", args.allow_bad_records.as_deref())?;
        like.work.memory = typed("memory", args.memory.as_deref())?;
        like.work.work_dir = args.work_dir.clone();
        if let Some(sentences) = &sentences {
            like = sentences.options(like)?;
        }
        args.reading.check_unused(
            &["features", "hash", "words", "stop-words", "stem", "seed"],
            "passages compare words in their order; leave it out",
        )?;
        let job = args.reading.job_like(&inputs, None, like)?;
        let own = [
            ("min-words", json!(rule.min_words)),
            ("max-gap", json!(rule.reach.max_gap)),
            ("max-drift", json!(rule.reach.max_drift)),
            ("tau", json!(rule.tau.to_string())),
            ("max-documents", json!(max_documents)),
            ("ignore", json!(args.ignore)),
            ("expand", json!(args.expand)),
            ("also", json!(args.also)),
            ("query", json!(args.query)),
            (
                "offsets",
                json!(match offsets {
                    Offsets::Characters => "characters",
                    Offsets::Bytes => "bytes",
                }),
            ),
        ];
        let of_sentences = sentences.iter().flat_map(|one| one.shown(&job));
        let own: Vec<(&str, Value)> = own.into_iter().chain(of_sentences).collect();
        let own = own.into_iter();
        let mut options = options_of_reading(&job);
        options.extend(own.map(|(name, value)| (name.to_owned(), value)));
        Ok(Plan {
            job,
            options,
            rule,
            max_documents: u32::try_from(max_documents)?,
            offsets,
            checks,
            num_own: 0,
            sentences,
            also: args
                .also
                .iter()
                .map(|form| form.parse())
                .collect::<Result<_, _>>()?,
            ignored: ignored(&args.ignore)?,
            expand: args.expand,
        })
    }

    /// What is read, and how many files of folders are not.
    pub(super) fn source(&mut self) -> Result<(FileSource, u64)> {
        let discovered = match self.checks {
            true => {
                let (discovered, num_own) = self.job.discover_to_check()?;
                self.num_own = num_own;
                discovered
            }
            false => self.job.discover()?,
        };
        let num_skipped = discovered.skipped.len() as u64;
        Ok((
            open_and_warn(&mut self.job, discovered.files, &Silent)?,
            num_skipped,
        ))
    }

    /// The job for the core. Frequencies may have to be counted first.
    pub(super) fn config(
        &mut self,
        source: &FileSource,
        work: &WorkDir,
        progress: &dyn Progress,
    ) -> Result<PassagesConfig> {
        let method = match &self.sentences {
            None => PassageMethod::Seeds,
            Some(sentences) => sentences.method(&mut self.job, source, work, progress)?,
        };
        let config = &self.job.config;
        Ok(PassagesConfig {
            method,
            rule: self.rule,
            max_documents: self.max_documents,
            ignored: self.ignored.clone(),
            against: config.against,
            expand: self.expand,
            metadata: config.metadata.clone(),
            strict: config.strict,
            threads: config.threads,
            budget: config.budget,
            work_dir: config.work_dir.clone(),
        })
    }

    pub(super) fn kinds(&self, result: &PassagesResult) -> Kinds {
        let names = &self.job.config.metadata;
        Kinds::new(names.iter().position(|name| name == URL_FIELD), result)
    }

    /// How many spot signatures sentences have, where they are compared by them.
    pub(super) fn spot_signatures(&self, result: &PassagesResult) -> Option<SpotSummary> {
        let by_spots = self.sentences.as_ref().is_some_and(BySentences::has_spots);
        let counts = result.search.sentences.filter(|_| by_spots)?;
        Some(SpotSummary::of_sentences(&self.job.config, &counts))
    }

    /// What is written beside the tables.
    pub(super) fn summary(
        &self,
        result: &PassagesResult,
        counts: &PassageCounts,
        skipped_files: u64,
        seconds: BTreeMap<String, f64>,
        peak_memory_bytes: u64,
    ) -> Result<Value> {
        let totals = &result.totals;
        let by_kind = |counts: &BTreeMap<_, u64>| -> BTreeMap<&str, u64> {
            let named =
                |(kind, &count): (&neardupe_core::passage::Kind, _)| (kind.name(), count);
            counts.iter().map(named).collect()
        };
        Ok(json!({
            "program": "neardupe",
            "version": env!("CARGO_PKG_VERSION"),
            "command": "passages",
            "options": self.options,
            "sentences": neardupe_core::text::SENTENCE_RULE,
            "words": neardupe_core::text::WORD_RULE,
            "counts": {
                "records": totals.records,
                "documents": totals.documents,
                "old_documents": totals.old_documents,
                "bad_records": totals.bad_records,
                "skipped_records": totals.skipped_records,
                "bytes": totals.bytes,
                "empty": totals.empty,
                "copies": totals.copies,
                "passages": result.num_passages(),
                "pairs": counts.pairs.values().sum::<u64>(),
                "near_duplicates": counts.near_duplicates,
                "boilerplate": result.totals.boilerplate,
            },
            "surely_found": self.by_seeds().map(surely::stored),
            "passages_by_kind": by_kind(&counts.passages),
            "pairs_by_kind": by_kind(&counts.pairs),
            "warnings": self.warnings(result),
            "remarks": result.remarks,
            "skipped_files": skipped_files,
            "query_files_left_out": self.num_own,
            "ledger": ledger(result),
            "spot_signatures": self.spot_signatures(result),
            "seconds": seconds,
            "peak_memory_bytes": peak_memory_bytes,
            "spilled": result.spilled,
            "windows": result.num_windows,
        }))
    }
}

impl Plan {
    /// What the user should know before trusting the result.
    pub(super) fn warnings(&self, result: &PassagesResult) -> Vec<String> {
        let documents = result.totals.documents;
        let mut warnings = text_warnings(&result.remarks, documents);
        warnings.extend(self.job.idle_options());
        warnings.extend(idle_templates(&self.ignored));
        warnings.extend(self.by_seeds().and_then(surely::warning));
        warnings
    }

    /// What is a passage, where common words are looked for.
    pub(super) fn by_seeds(&self) -> Option<&PassageRule> {
        self.sentences.is_none().then_some(&self.rule)
    }
}

/// What the search looked at.
fn ledger(result: &PassagesResult) -> Value {
    let counts = &result.search;
    match &counts.sentences {
        None => json!({
            "seeds": counts.seeds,
            "frequent_runs": counts.frequent_runs,
            "visited": counts.visited,
            "pairs_with_a_seed": counts.pairs,
            "pairs_compared": counts.compared,
        }),
        Some(sentences) => json!({
            "sentences_with_a_signature": sentences.signed,
            "sentences_without": sentences.unsigned,
            "features": sentences.features,
            "signatures": sentences.signatures,
            "frequent_signatures": sentences.frequent,
            "signature_pairs": sentences.signature_pairs,
            "sentence_pairs": sentences.sentence_pairs,
            "diagonals": sentences.diagonals,
        }),
    }
}

/// Seeds of known templates: lines of text, or rows of a `boilerplate.jsonl`.
pub(in super::super) fn ignored(files: &[PathBuf]) -> Result<IgnoredSeeds> {
    let mut ignored = FixedSet::default();
    let (mut cutter, mut cut) = (TextCutter::default(), CutText::default());
    for path in files {
        for text in templates(path)? {
            cutter.cut(&text, &mut cut);
            seeds::seeds(&cut.words, &cut.sentence_words, |seed, _| {
                ignored.insert(seed);
            });
            // The line as a whole too, however it is cut.
            ignored.insert(seeds::sentence_hash(&cut.words));
        }
    }
    Ok(IgnoredSeeds::new(ignored))
}

/// Tells of templates that nothing repeats.
pub(in super::super) fn idle_templates(ignored: &IgnoredSeeds) -> Option<String> {
    let message = "--ignore: no repeated text is one of these, so it changed nothing";
    ignored.are_idle().then(|| message.to_owned())
}

fn templates(path: &Path) -> Result<Vec<String>> {
    let text = std::fs::read_to_string(path).map_err(|error| Error::io(path, error))?;
    let is_json = path.extension().is_some_and(|ending| ending == "jsonl");
    let mut templates = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if !is_json {
            templates.push(line.to_owned());
            continue;
        }
        let row: Option<Value> = serde_json::from_str(line).ok();
        let text = row.as_ref().and_then(|row| row.get("text")?.as_str());
        let Some(text) = text else {
            let message = format!(
                "{}: line {number} is no JSON object with a text",
                path.display()
            );
            return Err(Error::config("ignore", message).into());
        };
        templates.push(text.to_owned());
    }
    Ok(templates)
}
