//! What the commands of `trec` read: runs, qrels, and near-duplicates from one of four places.

use crate::commands::find::{ReadingArgs, open_and_warn, print_warnings};
use crate::options::whole_number;
use crate::terminal::Stages;
use crate::{exit, interrupt};
use anyhow::Result;
use clap::Args;
use neardupe_core::error::Error;
use neardupe_core::pipeline::find_in;
use neardupe_core::store::WorkDir;
use neardupe_core::threshold::Threshold;
use neardupe_core::trec::SIMILARITY_ONE;
use neardupe_io::output::beside;
use neardupe_jobs::trec::{
    BadLines, Ids, NearFile, NearOrigin, QrelsFile, QrelsFormat, Wanted,
    near_of_collection, read_groups, read_pairs, read_qrels, read_result,
};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Where near-duplicates come from: one of four.
#[derive(Debug, Args)]
#[command(mut_arg("features", |arg| arg.help(
    "With --collection: words:N, chars:N, terms or spotsigs [default: chars:64]"
)))]
pub(super) struct NearArgs {
    /// File of groups, JSON lines {"ids": [...]}: documents of a group are near-duplicates of
    /// each other, at every threshold
    #[arg(long, value_name = "FILE", help_heading = "Near-duplicates")]
    pub(super) groups: Option<PathBuf>,

    /// File of pairs with left, right and similarity: JSON lines, TSV, CSV or Parquet
    #[arg(long, value_name = "FILE", help_heading = "Near-duplicates")]
    pub(super) pairs: Option<PathBuf>,

    /// Folder that `find` wrote: its pairs with --pairs all, else its clusters as groups
    #[arg(long, value_name = "DIR", help_heading = "Near-duplicates")]
    pub(super) result: Option<PathBuf>,

    /// The documents themselves (files, folders or globs); only those that are needed are
    /// compared, all pairs of them
    #[arg(long, value_name = "INPUT", num_args = 1.., help_heading = "Near-duplicates")]
    pub(super) collection: Vec<String>,

    #[command(flatten)]
    pub(super) reading: ReadingArgs,
}

/// What all commands have.
#[derive(Debug, Args)]
pub(super) struct CommonArgs {
    /// Stop at the first bad record
    #[arg(long)]
    strict: bool,

    /// End with code 0 when at most this many records were bad [default: 0]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    allow_bad_records: Option<String>,

    /// Print the summary as JSON
    #[arg(long)]
    pub(super) json: bool,

    /// Print nothing but errors
    #[arg(short, long, conflicts_with = "json")]
    pub(super) quiet: bool,
}

impl CommonArgs {
    pub(super) fn bad_lines(&self) -> BadLines {
        BadLines {
            strict: self.strict,
            ..BadLines::default()
        }
    }

    pub(super) fn stages(&self) -> Result<Stages> {
        let stages = Stages::new(self.quiet || self.json);
        Ok(stages.stopped_by(interrupt::install()?))
    }

    /// How many bad records are no reason for code 3.
    pub(super) fn allowed(&self) -> Result<u64> {
        match &self.allow_bad_records {
            None => Ok(0),
            Some(typed) => Ok(whole_number("--allow-bad-records", typed, 0..=u64::MAX)?),
        }
    }
}

/// How a command that is done ends.
pub(super) fn exit_code(bad: u64, allowed: u64) -> ExitCode {
    ExitCode::from(match bad > allowed {
        true => exit::LEFT_OUT,
        false => 0,
    })
}

impl NearArgs {
    /// Refuses none and several.
    pub(super) fn check(&self) -> Result<()> {
        let given = [
            self.groups.is_some(),
            self.pairs.is_some(),
            self.result.is_some(),
            !self.collection.is_empty(),
        ];
        match given.iter().filter(|&&it| it).count() {
            1 if self.collection.is_empty() => self.reading.check_unread("--collection"),
            1 => Ok(()),
            0 => {
                let message = "say where near-duplicates come from: --groups FILE, --pairs \
                               FILE, --result DIR or --collection INPUT";
                Err(Error::config("groups", message).into())
            }
            _ => {
                let message = "near-duplicates come from one place: give only one of \
                               --groups, --pairs, --result and --collection";
                Err(Error::config("groups", message).into())
            }
        }
    }

    /// Reads near-duplicates; a collection is compared from `lowest` up.
    pub(super) fn read(
        &self,
        lowest: u32,
        ids: &mut Ids,
        bad: &mut BadLines,
        stages: &Stages,
        output: Option<&Path>,
    ) -> Result<NearFile> {
        if let Some(path) = &self.groups {
            return Ok(read_groups(path, ids, bad)?);
        }
        if let Some(path) = &self.pairs {
            return Ok(read_pairs(path, ids, bad)?);
        }
        if let Some(path) = &self.result {
            return Ok(read_result(path, ids)?);
        }
        self.compare(lowest, ids, bad, stages, output)
    }

    fn compare(
        &self,
        lowest: u32,
        ids: &mut Ids,
        bad: &mut BadLines,
        stages: &Stages,
        output: Option<&Path>,
    ) -> Result<NearFile> {
        let typed = format!("0.{lowest:06}");
        let typed = if lowest == SIMILARITY_ONE {
            "1"
        } else {
            &typed
        };
        let mut job = self.reading.pairs_job(&self.collection, typed)?;
        let files = job.discover()?.files;
        let source = open_and_warn(&mut job, files, stages)?;
        let named = match output {
            Some(output) => beside(output, "work"),
            None => {
                let name = format!("neardupe-trec-{}", std::process::id());
                beside(&std::env::temp_dir().join(name), "work")
            }
        };
        let (work, _) = WorkDir::begin(named, Default::default())?;
        let (result, others) = {
            let wanted = Wanted::new(&source, &ids.documents);
            let result = find_in(&wanted, &job.config, &work, stages)?;
            (result, wanted.others())
        };
        let threshold = job.config.threshold.fraction();
        let near = near_of_collection(&result, others, threshold, ids, bad)?;
        drop(result);
        work.finish()?;
        print_warnings(&self.reading.idle(&job))?;
        print_warnings(&job.idle_hashes())?;
        Ok(near)
    }

    /// What was read, as typed.
    pub(super) fn origin(&self) -> String {
        let files = [&self.groups, &self.pairs, &self.result];
        match files.into_iter().flatten().next() {
            Some(path) => path.display().to_string(),
            None => self.collection.join(" "),
        }
    }

    /// As shown among the options of the summary.
    pub(super) fn options(&self) -> Value {
        json!({
            "groups": self.groups,
            "pairs": self.pairs,
            "result": self.result,
            "collection": self.collection,
        })
    }
}

/// Near-duplicates for the summary.
pub(super) fn near_facts(near: &NearFile) -> Value {
    json!({
        "from": near.origin.name(),
        "read": near.rows,
        "joined_groups": near.joined,
        "pairs_without_similarity": near.unmeasured,
        "has_similarities": has_similarities(near),
    })
}

/// Whether thresholds make a difference.
pub(super) fn has_similarities(near: &NearFile) -> bool {
    matches!(
        near.origin,
        NearOrigin::Pairs | NearOrigin::ResultPairs | NearOrigin::Collection
    )
}

/// A threshold as typed, in millionths.
pub(super) fn millionths(flag: &str, typed: &str) -> Result<u32> {
    let wrong = || {
        let message = format!(
            "{typed:?} is not a number above 0 and up to 1 with at most 6 decimals, as 0.5"
        );
        Error::config(flag, message)
    };
    let threshold: Threshold = typed.parse().map_err(|_| wrong())?;
    let (part, whole) = threshold.fraction();
    let parts = part * u64::from(SIMILARITY_ONE);
    if !parts.is_multiple_of(whole) {
        return Err(wrong().into());
    }
    Ok(u32::try_from(parts / whole)?)
}

/// Millionths as they are typed: 0.5.
pub(super) fn decimal(millionths: u32) -> String {
    (f64::from(millionths) / f64::from(SIMILARITY_ONE)).to_string()
}

/// The threshold of a command, and where it comes from.
pub(super) struct LeastSimilarity {
    pub(super) millionths: u32,
    from: &'static str,
}

impl LeastSimilarity {
    /// As typed, else 0.5.
    pub(super) fn of(typed: Option<&str>) -> Result<Self> {
        Ok(LeastSimilarity {
            millionths: millionths("--threshold", typed.unwrap_or("0.5"))?,
            from: match typed {
                None => "default",
                Some(_) => "--threshold",
            },
        })
    }

    /// What was not typed is raised to what a result is known from, so that `find` followed by
    /// `trec --result` needs no number; what was typed must be known.
    pub(super) fn settled(mut self, near: &NearFile) -> Result<Self> {
        if self.from != "default" {
            check_measured("--threshold", near)?;
        }
        if !has_similarities(near) || self.millionths >= near.known_from {
            return Ok(self);
        }
        if self.from == "default" {
            self.millionths = near.known_from;
            self.from = "that of the result";
            return Ok(self);
        }
        check_known("--threshold", self.millionths, near)?;
        Ok(self)
    }

    pub(super) fn note(&self) -> String {
        format!("threshold {} ({})", decimal(self.millionths), self.from)
    }
}

/// Refuses a threshold of near-duplicates that have no similarity.
pub(super) fn check_measured(flag: &str, near: &NearFile) -> Result<()> {
    if has_similarities(near) {
        return Ok(());
    }
    let message = "these near-duplicates have no similarity, so every threshold is the same; --pairs \
                   or --collection has";
    Err(Error::config(flag, message).into())
}

/// Refuses a threshold below what near-duplicates are known from.
pub(super) fn check_known(flag: &str, threshold: u32, near: &NearFile) -> Result<()> {
    if has_similarities(near) && threshold < near.known_from {
        let message = format!(
            "{} is too low: the near-duplicates are known from {} up; a lower threshold needs \
             a result of find with that threshold",
            decimal(threshold),
            decimal(near.known_from)
        );
        return Err(Error::config(flag, message).into());
    }
    Ok(())
}

/// Qrels as typed.
#[derive(Debug, Args)]
pub(super) struct QrelsArgs {
    /// How qrels are read: auto, adhoc (4 columns), diversity (4, the second a subtopic), prels
    /// (5) [default: auto]
    #[arg(long, value_name = "FORMAT")]
    qrels_format: Option<String>,
}

impl QrelsArgs {
    /// Refuses a format of qrels that are not given.
    pub(super) fn check_unread(&self) -> Result<()> {
        match self.qrels_format {
            None => Ok(()),
            Some(_) => Err(Error::config("qrels-format", "needs --qrels").into()),
        }
    }

    pub(super) fn read(
        &self,
        path: &Path,
        ids: &mut Ids,
        bad: &mut BadLines,
    ) -> Result<QrelsFile> {
        let format = match self.qrels_format.as_deref() {
            None | Some("auto") => None,
            Some(name) => Some(name.parse::<QrelsFormat>()?),
        };
        let file = read_qrels(path, format, ids, bad)?;
        if file.qrels.is_empty() {
            let message =
                "no judgment could be read; qrels have lines: topic 0 document label";
            return Err(Error::input(path.display().to_string(), message).into());
        }
        Ok(file)
    }
}
