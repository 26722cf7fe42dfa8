//! `neardupe dedup --passages`: sentences that another document has already are left out, and
//! one copy of each repeated passage stays.

use super::super::find::{Job, RunArgs, open_and_warn, print_check, print_warnings};
use super::super::passages::plan::{idle_templates, ignored};
use super::super::passages::surely;
use crate::options::whole_number;
use crate::terminal::{Stages, bytes, grouped};
use crate::{exit, interrupt};
use anyhow::Result;
use clap::Args;
use neardupe_core::cluster::Keep;
use neardupe_core::document::{Origin, Progress, Silent, Source};
use neardupe_core::error::Error;
use neardupe_core::passage::{PassageRule, Reach};
use neardupe_core::pipeline::passages::{KeepOrder, RemovalConfig, Removals};
use neardupe_core::pipeline::{PassagesConfig, PassagesResult, passages};
use neardupe_core::store::WorkDir;
use neardupe_core::threshold::{Threshold, six_decimals};
use neardupe_io::output::{ResultFolder, ResultKind};
use neardupe_io::source::{FileSource, TextType};
use neardupe_jobs::exec::Stages as StageClock;
use neardupe_jobs::kind::dedup::{DedupSpec, check_origins, check_replaced};
use neardupe_jobs::kind::find::all_options;
use neardupe_jobs::numbers::{percent, plural};
use neardupe_jobs::param::{Params, of_param};
use neardupe_jobs::rewrite::write_removed_passages;
use neardupe_jobs::rewrite::{
    FileCounts, PassageRewrite, check_names, check_texts, write_file_counts,
};
use serde_json::{Map, Value, json};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// Options of passages.
#[derive(Debug, Args)]
pub(super) struct PassageArgs {
    /// Remove sentences that another document has in a passage, in place of whole documents:
    /// the first copy stays (--keep first, the default here, or longest)
    #[arg(
        long,
        help_heading = "Passages",
        conflicts_with_all = ["annotate", "ids-only", "prefix", "allow-unverified", "resume"]
    )]
    pub(super) passages: bool,

    /// Words that a passage has at least, on both sides [default: 20]
    #[arg(
        long,
        value_name = "N",
        help_heading = "Passages",
        requires = "passages"
    )]
    min_words: Option<String>,

    /// Words that may be passed over at a time within a passage [default: 30]
    #[arg(
        long,
        value_name = "N",
        help_heading = "Passages",
        requires = "passages"
    )]
    max_gap: Option<String>,

    /// Words by which one side of a stretch may get ahead of the other [default: 60]
    #[arg(
        long,
        value_name = "N",
        help_heading = "Passages",
        requires = "passages"
    )]
    max_drift: Option<String>,

    /// Smallest resemblance of the words of both sides of a passage [default: 0.4]
    #[arg(
        long,
        value_name = "T",
        help_heading = "Passages",
        requires = "passages"
    )]
    tau: Option<String>,

    /// Smallest share of the words of a sentence that the copy which stays has [default: 0.8]
    #[arg(
        long,
        value_name = "T",
        help_heading = "Passages",
        requires = "passages"
    )]
    sentence_share: Option<String>,

    /// Sentences and runs of words in more documents than this lead to no passage; they are
    /// listed in boilerplate.jsonl and stay [default: 100]
    #[arg(
        long,
        value_name = "N",
        help_heading = "Passages",
        requires = "passages"
    )]
    max_documents: Option<String>,

    /// Texts of known templates, as a file with one on each line or a boilerplate.jsonl: they
    /// lead to no passage
    #[arg(
        long,
        value_name = "FILE",
        help_heading = "Passages",
        requires = "passages"
    )]
    ignore: Vec<PathBuf>,
}

/// What will be done.
struct Plan {
    job: Job,
    options: Map<String, Value>,
    config: PassagesConfig,
    keep: KeepOrder,
    share: Threshold,
}

/// Runs the command.
pub(super) fn run(
    args: &PassageArgs,
    run: &RunArgs,
    spec: DedupSpec,
) -> Result<ExitCode> {
    if run.resume {
        let message = "is not possible with `passages`";
        return Err(Error::config("resume", message).into());
    }
    let overwrite = spec.overwrite == Some(true);
    let mut plan = Plan::resolve(args, spec)?;
    if run.check {
        return print_check("dedup", &plan.options);
    }
    ResultFolder::check(&plan.job.output, ResultKind::Dedup)?;
    let discovered = plan.job.discover()?;
    check_replaced(&plan.job, overwrite)?;
    let skipped_files = discovered.skipped.len() as u64;
    let source = open_and_warn(&mut plan.job, discovered.files, &Silent)?;
    let files: Vec<u32> = (0..u32::try_from(source.file_names().len())?).collect();
    let origins = check_source(&source, &files)?;
    let config = &plan.config;
    let (work, _) = WorkDir::begin(config.work_dir.clone(), Default::default())?;
    // Nobody else writes the same result now.
    work.enter()?;
    let terminal = Stages::new(run.quiet || run.json).stopped_by(interrupt::install()?);
    let stages = StageClock::new(&terminal);
    let result = passages::passages(&source, config, &work, &stages)?;
    let wanted = RemovalConfig {
        keep: plan.keep,
        share: plan.share,
        budget: config.budget,
    };
    let removals = result.removals(&wanted, &work, &stages)?;
    let folder = ResultFolder::create(&plan.job.output, ResultKind::Dedup)?;
    stages.begin("rewrite", source.total_bytes());
    check_origins(&origins, &source)?;
    let rewrite = PassageRewrite {
        source: &source,
        documents: &result.documents,
        removals: &removals,
        folder: folder.path(),
        threads: config.threads,
    };
    let counts = rewrite.run(&files, &stages)?;
    check_origins(&origins, &source)?;
    stages.begin("write", 0);
    let tables = folder.result_path();
    write_file_counts(&tables, &result.documents, &counts)?;
    write_removed_passages(&tables, &source, &result, &removals, plan.job.format)?;
    let seconds = stages.seconds();
    drop(terminal);
    let summary = plan.summary(&result, &removals, &counts, skipped_files, &seconds)?;
    folder.finish(&(serde_json::to_string_pretty(&summary)? + "\n"))?;
    let mut out = std::io::stdout().lock();
    if run.json {
        writeln!(out, "{}", serde_json::to_string_pretty(&summary)?)?;
    } else if !run.quiet {
        plan.show(&mut out, &result, &removals, &counts, &summary)?;
    }
    warn(&mut std::io::stderr().lock(), &removals)?;
    print_warnings(&plan.warnings())?;
    let num_bad = result.totals.bad_records;
    drop(removals);
    drop(result);
    work.finish()?;
    Ok(ExitCode::from(match num_bad > plan.job.allow_bad_records {
        true => exit::LEFT_OUT,
        false => 0,
    }))
}

/// Before hours of work, not after: what can be told to be wrong by the input.
fn check_source(source: &FileSource, files: &[u32]) -> Result<Vec<Origin>> {
    let Some(origins) = source.origins()? else {
        let once = source.files().iter().find(|file| !file.regular);
        let name = once.map_or("dedup", |file| &file.name);
        let message = "standard input, pipes and folders that cannot be read are read only \
                       once, and dedup reads twice; name files";
        return Err(Error::input(name, message).into());
    };
    check_names(source, files)?;
    check_texts(source, files)?;
    Ok(origins)
}

/// Refuses what was given and would do nothing: everything but how records are read, what is kept and
/// what is written.
fn check_options(spec: &DedupSpec) -> Result<()> {
    let mut others = spec.clone();
    others.overwrite = None;
    others.find.input = Default::default();
    others.find.cluster.keep = None;
    others.find.tolerance = Default::default();
    others.find.reading.record = Default::default();
    others.find.reading.limits = Default::default();
    others.find.reading.text.text_type = None;
    others.find.reading.text.charset = None;
    others.find.output.output = None;
    others.find.output.output_format = None;
    others.find.work = Default::default();
    let given = others.to_map();
    let is_on = |(_, value): &(&String, &Value)| *value != &json!(false);
    if let Some((name, _)) = given.iter().find(is_on) {
        let message = "has no meaning with `passages`; leave it out";
        return Err(Error::config(name, message).into());
    }
    let reading = &spec.find.reading;
    if reading
        .record
        .text_key
        .as_ref()
        .is_some_and(|keys| keys.len() > 1)
    {
        let message =
            "with `passages` the text must be one field: sentences are taken out of it";
        return Err(Error::config("text-key", message).into());
    }
    if let Some(kind @ (TextType::Html | TextType::Auto)) = reading.text.text_type {
        let message = format!(
            "{kind}: HTML cannot be shortened; neardupe passages `write-text` writes all texts to \
             texts.jsonl, and that can be cut"
        );
        return Err(Error::config("text-type", message).into());
    }
    if spec.find.output.output.is_none() {
        let message = "dedup needs a folder for the collection: -o DIR";
        return Err(Error::config("output", message).into());
    }
    Ok(())
}

fn threshold(flag: &str, typed: Option<&str>, usual: Threshold) -> Result<Threshold> {
    let wrong = |error: Error| of_param(flag, error);
    Ok(typed.map_or(Ok(usual), |typed| typed.parse().map_err(wrong))?)
}

fn number(flag: &str, typed: Option<&str>, usual: u64, least: u64) -> Result<u64> {
    match typed {
        None => Ok(usual),
        Some(typed) => Ok(whole_number(flag, typed, least..=u64::from(u32::MAX))?),
    }
}

impl PassageArgs {
    fn rule(&self) -> Result<PassageRule> {
        let usual = PassageRule::default();
        let reach = usual.reach;
        let min_words = self.min_words.as_deref();
        let (gap, drift) = (self.max_gap.as_deref(), self.max_drift.as_deref());
        Ok(PassageRule {
            min_words: u32::try_from(number(
                "--min-words",
                min_words,
                usual.min_words.into(),
                1,
            )?)?,
            tau: threshold("--tau", self.tau.as_deref(), usual.tau)?,
            reach: Reach {
                max_gap: usize::try_from(number(
                    "--max-gap",
                    gap,
                    reach.max_gap as u64,
                    0,
                )?)?,
                max_drift: usize::try_from(number(
                    "--max-drift",
                    drift,
                    reach.max_drift as u64,
                    0,
                )?)?,
            },
        })
    }
}

impl Plan {
    fn resolve(args: &PassageArgs, spec: DedupSpec) -> Result<Self> {
        check_options(&spec)?;
        let mut find = spec.find;
        // What is cut is the field itself: tags are text.
        find.reading.text.text_type = Some(TextType::Plain);
        find.cluster.keep.get_or_insert(Keep::First);
        let job = find.validate()?;
        let keep = match job.config.keep {
            Keep::First => KeepOrder::First,
            Keep::Longest => KeepOrder::Longest,
            ref other => {
                let message =
                    format!("with --passages one of first, longest, not {other}");
                return Err(Error::config("keep", message).into());
            }
        };
        let rule = args.rule()?;
        let usual = RemovalConfig::usual_share();
        let share = threshold("--sentence-share", args.sentence_share.as_deref(), usual)?;
        let max_documents =
            number("--max-documents", args.max_documents.as_deref(), 100, 2)?;
        let mut options: Map<String, Value> = [
            all_options(&job.spec.input),
            all_options(&job.spec.reading.record),
            all_options(&job.spec.reading.limits),
            all_options(&job.spec.tolerance),
            all_options(&job.spec.work),
        ]
        .into_iter()
        .flatten()
        .collect();
        let all = job.options();
        for name in ["keep", "charset", "output", "output-format"] {
            options.insert(name.to_owned(), all[name].clone());
        }
        let own = [
            ("passages", json!(true)),
            ("min-words", json!(rule.min_words)),
            ("max-gap", json!(rule.reach.max_gap)),
            ("max-drift", json!(rule.reach.max_drift)),
            ("tau", json!(rule.tau.to_string())),
            ("sentence-share", json!(share.to_string())),
            ("max-documents", json!(max_documents)),
            ("ignore", json!(args.ignore)),
        ];
        let own = own.into_iter();
        options.extend(own.map(|(name, value)| (name.to_owned(), value)));
        let config = PassagesConfig {
            rule,
            max_documents: u32::try_from(max_documents)?,
            ignored: ignored(&args.ignore)?,
            metadata: job.config.metadata.clone(),
            strict: job.config.strict,
            threads: job.config.threads,
            budget: job.config.budget,
            ..PassagesConfig::new(job.config.work_dir.clone())
        };
        Ok(Plan {
            job,
            options,
            config,
            keep,
            share,
        })
    }

    fn summary(
        &self,
        result: &PassagesResult,
        removals: &Removals,
        files: &[FileCounts],
        skipped_files: u64,
        seconds: &std::collections::BTreeMap<String, f64>,
    ) -> Result<Value> {
        let (totals, gone) = (&result.totals, &removals.totals);
        let share = |part, whole| -> Value {
            match whole {
                0 => json!(0.0),
                _ => json!(six_decimals(part, whole).parse::<f64>().unwrap_or(0.0)),
            }
        };
        Ok(json!({
            "program": "neardupe",
            "version": env!("CARGO_PKG_VERSION"),
            "command": "dedup",
            "options": self.options,
            "sentences": neardupe_core::text::SENTENCE_RULE,
            "words": neardupe_core::text::WORD_RULE,
            "counts": {
                "records": totals.records,
                "documents": totals.documents,
                "bad_records": totals.bad_records,
                "skipped_records": totals.skipped_records,
                "bytes": totals.bytes,
                "empty": totals.empty,
                "passages": result.num_passages(),
                "boilerplate": totals.boilerplate,
            },
            "dedup": {
                "mode": "passages",
                "kept": totals.documents - gone.removed,
                "shortened": gone.cut,
                "removed": gone.removed,
                "equal_text": gone.copies,
                "removed_passages": removals.rows.len(),
                "removed_words": gone.words,
                "removed_words_share": share(gone.words, gone.all_words),
                "removed_characters": gone.chars,
                "removed_characters_share": share(gone.chars, gone.all_chars),
                "bad_records": totals.bad_records,
                "files": files.len(),
            },
            "surely_found": surely::stored(&self.config.rule),
            "warnings": self.warnings(),
            "remarks": result.remarks,
            "skipped_files": skipped_files,
            "seconds": seconds,
            "peak_memory_bytes": neardupe_jobs::system::memory::peak_bytes(),
            "spilled": result.spilled,
        }))
    }

    /// What the user should know before trusting the result.
    fn warnings(&self) -> Vec<String> {
        let mut warnings = self.job.idle_options();
        warnings.extend(idle_templates(&self.config.ignored));
        warnings.extend(surely::warning(&self.config.rule));
        warnings
    }

    fn show(
        &self,
        out: &mut impl Write,
        result: &PassagesResult,
        removals: &Removals,
        files: &[FileCounts],
        summary: &Value,
    ) -> Result<()> {
        let (totals, gone) = (&result.totals, &removals.totals);
        writeln!(
            out,
            "{} ({}) in {:.2} s, {} memory",
            plural(totals.documents, "document"),
            bytes(totals.bytes),
            summary["seconds"]["total"].as_f64().unwrap_or(0.0),
            bytes(summary["peak_memory_bytes"].as_u64().unwrap_or(0)),
        )?;
        writeln!(
            out,
            "passages of at least {} words, resemblance of words >= {}; sentences go with {} of \
             their words,\nkeeping {}; {}\n",
            self.config.rule.min_words,
            self.config.rule.tau,
            self.share,
            match self.keep {
                KeepOrder::First => "the first copy",
                KeepOrder::Longest => "the copy of the longest document",
            },
            surely::described(&self.config.rule)
        )?;
        let mut line = |name: &str, number: u64, what: &str| {
            let line = format!("  {name:<16} {:>12}  {what}", grouped(number));
            writeln!(out, "{}", line.trim_end())
        };
        line("documents", totals.documents, "")?;
        line("shortened", gone.cut, "lost some sentences")?;
        line("removed", gone.removed, "had no word of their own")?;
        if gone.copies > 0 {
            line(
                "equal text",
                gone.copies,
                "of them have the text of another",
            )?;
        }
        if totals.bad_records > 0 {
            line("bad records", totals.bad_records, "see bad-records.jsonl")?;
        }
        line(
            "stretches",
            removals.rows.len(),
            "removed, see removed-passages",
        )?;
        if totals.boilerplate > 0 {
            let what = format!(
                "sentences in more than {} documents, which stay; see boilerplate.jsonl",
                self.config.max_documents
            );
            line("boilerplate", totals.boilerplate, &what)?;
        }
        let num_files = match files.len() {
            1 => "1 file".to_owned(),
            files => format!("{} files", grouped(files as u64)),
        };
        writeln!(
            out,
            "\nof {num_files}: {} of {} words removed ({}), {} of {} characters ({})",
            grouped(gone.words),
            grouped(gone.all_words),
            percent(gone.words, gone.all_words),
            grouped(gone.chars),
            grouped(gone.all_chars),
            percent(gone.chars, gone.all_chars),
        )?;
        let folder = self.job.output.display();
        let removed = match gone.removed {
            0 => String::new(),
            _ => format!(", removed ones to {folder}/removed"),
        };
        writeln!(
            out,
            "\nwritten to {folder}{removed}, what went and where it is kept to {folder}/_neardupe"
        )?;
        Ok(())
    }
}

/// Says loudly that more than half is gone.
fn warn(out: &mut impl Write, removals: &Removals) -> Result<()> {
    let gone = &removals.totals;
    if gone.words * 2 > gone.all_words {
        writeln!(
            out,
            "neardupe: WARNING: {} of {} words ({}) were repeated; that is more than half. Is it \
             what you expect? See _neardupe/removed-passages",
            grouped(gone.words),
            grouped(gone.all_words),
            percent(gone.words, gone.all_words),
        )?;
    }
    Ok(())
}
