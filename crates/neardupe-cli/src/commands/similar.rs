//! `neardupe similar`: the documents of a collection that are similar to one.

use super::compare::named::Named;
use super::find::{Job, ReadingArgs, open_and_warn, print_warnings};
use super::near_codes;
use crate::options::whole_number;
use crate::terminal::{Stages, grouped, typed_command, width};
use crate::{exit, interrupt};
use anyhow::Result;
use clap::Args;
use neardupe_core::document::{Progress, Source};
use neardupe_core::error::Error;
use neardupe_core::feature::FeatureSpec;
use neardupe_core::pipeline::similar::{
    Hit, KeptWork, Query, SimilarConfig, SimilarResult, similar, similar_in,
};
use neardupe_core::similarity::Similarity;
use neardupe_core::store::WorkDir;
use neardupe_core::text::{Segmenter, word_spans};
use neardupe_core::threshold::{Threshold, six_decimals};
use neardupe_io::fetch::{fetch, fetch_only};
use neardupe_io::output::OwnResult;
use neardupe_io::source::{FileSource, discover, looks_like_path};
use neardupe_jobs::diff::clean;
use neardupe_jobs::kind::find::FindSpec;
use serde_json::{Map, Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What was typed after `similar`.
#[derive(Debug, Args)]
pub(crate) struct SimilarArgs {
    /// Files, folders or globs to search; or one work directory of `find --keep-work`; with --code
    /// results of `find --method simhash`
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<String>,

    /// A file of one document, INPUT#ID, a text of two or more words, or - for standard input; what
    /// looks like a path must be a file
    #[arg(
        long,
        value_name = "FILE|TEXT|-",
        required_unless_present_any = ["query_id", "code"]
    )]
    query: Option<String>,

    /// A document of the collection, by its id
    #[arg(long, value_name = "ID", conflicts_with = "query")]
    query_id: Option<String>,

    /// A simhash of 16 hexadecimal digits, or the id of a document that has one
    #[arg(long, value_name = "CODE", conflicts_with_all = ["query", "query_id"])]
    code: Option<String>,

    /// With --code: bits in which codes may differ, 0 to 64 [default: 3]
    #[arg(
        long,
        value_name = "K",
        requires = "code",
        allow_negative_numbers = true
    )]
    distance: Option<String>,

    /// Smallest similarity that counts, above 0 and up to 1 [default: 0.5]
    #[arg(
        long,
        short,
        value_name = "T",
        allow_negative_numbers = true,
        conflicts_with = "code"
    )]
    threshold: Option<String>,

    /// resemblance, containment (of the smaller in the larger) or s3 [default: resemblance]
    #[arg(long, value_name = "KIND", conflicts_with = "code")]
    similarity: Option<String>,

    /// How many documents are shown, the best ones; or all [default: 100]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    top: Option<String>,

    /// Print the result as JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    reading: ReadingArgs,
}

/// The query as text, and how it is called.
struct Question {
    name: String,
    text: String,
    /// The document of the collection that it is.
    id: Option<String>,
    /// Where it was read from, without links: the collection may have this file, too.
    path: Option<PathBuf>,
}

/// Runs the command.
pub(crate) fn run(args: &SimilarArgs) -> Result<ExitCode> {
    if let Some(code) = &args.code {
        args.reading.check_unread("--query or --query-id")?;
        let distance = args.distance.as_deref().unwrap_or("3");
        let distance = u32::try_from(whole_number("--distance", distance, 0..=64)?)?;
        return near_codes::run(&args.inputs, code, distance, top(args)?, args.json);
    }
    // clap does not ask for what conflicts with something else that was typed.
    if args.distance.is_some() {
        return Err(Error::config("distance", "needs --code").into());
    }
    let stages = Stages::new(args.json).stopped_by(interrupt::install()?);
    let kept = open_kept(&args.inputs)?;
    if kept.is_none() {
        check_documents(args)?;
    }
    let mut job = match &kept {
        None => args.reading.job(&args.inputs, args.threshold.as_deref())?,
        Some((work, _)) => args.reading.job_like(
            &args.inputs,
            None,
            FindSpec::reading_of(&recorded(work)),
        )?,
    };
    if kept.is_none() && job.read.text.wants_shared_main() {
        // Decided by the collection, and then applied to the query as well.
        let files = discover(&args.inputs, job.read.format)?.files;
        open_and_warn(&mut job, files, &stages)?;
    }
    if job.counts_antecedents() {
        let searched = match &kept {
            None => args.inputs.clone(),
            Some((work, _)) => inputs_of(work)?,
        };
        job.count_antecedents(&source(&searched, &job)?, &stages)?;
    }
    let config = config(args, &job)?;
    let mut question =
        question(args, &job, kept.as_ref().map(|(work, _)| work), &stages)?;
    let query = Query::new(&question.text, &config)?;
    if query.is_shorter() && config.similarity == Similarity::Containment {
        print_warnings(&[format!(
            "--similarity containment: the query is shorter than a shingle ({}), so only an equal text is \
             found. Use --features with shorter shingles",
            config.features
        )])?;
    }
    let (result, own_file) = match &kept {
        Some((work, kept)) => {
            let specification =
                FeatureSpec::new(config.features, &config.words, config.seed);
            kept.check(&specification, work)?;
            let budget = &job.config.budget;
            let files = work.job().origins.unwrap_or_default().into_iter();
            let own = question.place_in(files.map(|file| Some(PathBuf::from(file.path))));
            let result = similar_in(work, kept, &query, &config, budget, &stages)?;
            (result, own)
        }
        None => {
            let source = source(&args.inputs, &job)?;
            let files = source.files().iter().map(|file| file.path.clone());
            let own = question.place_in(files);
            (similar(&source, &query, &config, &stages)?, own)
        }
    };
    if let Some(own) = own_file {
        let itself = result.hits.iter().find(|hit| hit.file_idx == own);
        question.id = itself.map(|hit| hit.id.clone());
    }
    drop(stages);
    print_warnings(&args.reading.idle(&job))?;
    print_warnings(&job.idle_hashes())?;
    let mut out = std::io::stdout().lock();
    match args.json {
        true => {
            let json = json(&config, &question, &result);
            writeln!(out, "{}", serde_json::to_string_pretty(&json)?)?;
        }
        false => show(&mut out, &config, &question, &result)?,
    }
    Ok(ExitCode::from(match result.num_bad_records {
        0 => 0,
        _ if kept.is_some() => 0,
        _ => exit::LEFT_OUT,
    }))
}

/// How many documents are shown; none when all are.
fn top(args: &SimilarArgs) -> Result<Option<usize>> {
    Ok(match args.top.as_deref() {
        None => Some(100),
        Some("all") => None,
        Some(typed) => {
            let most = u64::from(u32::MAX);
            let top = whole_number("--top", typed, 1..=most)?;
            Some(usize::try_from(top)?)
        }
    })
}

impl Question {
    /// Which of these files it was read from. It is one document, and so is the file.
    fn place_in(&self, files: impl Iterator<Item = Option<PathBuf>>) -> Option<u32> {
        let own = self.path.as_ref()?;
        let is_own = |file: Option<PathBuf>| {
            file.and_then(|file| file.canonicalize().ok()).as_ref() == Some(own)
        };
        let place = files.map(is_own).position(|is_own| is_own);
        place.and_then(|place| u32::try_from(place).ok())
    }
}

/// Results are no documents: whoever names one is shown what to search instead.
fn check_documents(args: &SimilarArgs) -> Result<()> {
    let own = |input: &String| {
        let result = OwnResult::at(Path::new(input))?;
        Some((input.clone(), result))
    };
    let Some((input, result)) = args.inputs.iter().find_map(own) else {
        return Ok(());
    };
    let made_from: Vec<String> = match &result.kept_work {
        Some(work) if args.inputs.len() == 1 => vec![work.to_string_lossy().into_owned()],
        _ if result.inputs.is_empty() => vec!["INPUT...".to_owned()],
        _ => result.inputs.clone(),
    };
    let others = args.inputs.iter().filter(|one| own(one).is_none());
    let mut arguments = vec!["similar".to_owned()];
    for one in others.chain(&made_from) {
        if !arguments[1..].contains(one) {
            arguments.push(one.clone());
        }
    }
    let asked = [("--query", &args.query), ("--query-id", &args.query_id)];
    for (flag, value) in asked {
        if let Some(value) = value {
            arguments.extend([flag.to_owned(), value.clone()]);
        }
    }
    let message = format!(
        "{}; search what it was made from: {}",
        result.described(),
        typed_command(&arguments)
    );
    Err(Error::input(input, message).into())
}

/// The work directory that was named as the input.
fn open_kept(inputs: &[String]) -> Result<Option<(WorkDir, KeptWork)>> {
    for input in inputs {
        if !WorkDir::is_at(Path::new(input)) {
            continue;
        }
        if inputs.len() > 1 {
            let message = "a work directory is searched by itself; name no other input";
            return Err(Error::input(input, message).into());
        }
        let refuse = || {
            let message = "the job there is not finished, or was not told to keep its \
                           features; run find with --keep-work";
            Error::input(input, message)
        };
        let work = WorkDir::open_kept(PathBuf::from(input))?.ok_or_else(refuse)?;
        let kept = KeptWork::read(&work)?.ok_or_else(refuse)?;
        let sample = recorded(&work).remove("sample");
        let is_none =
            |sample: &Value| sample.is_null() || sample == "none" || *sample == json!([]);
        if sample.is_some_and(|sample| !is_none(&sample)) {
            let message = "only a sample of its features was kept (--sample); search the \
                           input itself";
            return Err(Error::input(input, message).into());
        }
        return Ok(Some((work, kept)));
    }
    Ok(None)
}

/// The options that a kept job was run with.
fn recorded(work: &WorkDir) -> Map<String, Value> {
    let options = work.job().options.into_iter();
    let options = options.filter_map(|(name, value)| {
        let value = serde_json::from_str(&value).ok()?;
        Some((name, value))
    });
    // The threshold of the job is another one.
    options.filter(|(name, _)| name != "threshold").collect()
}

fn config(args: &SimilarArgs, job: &Job) -> Result<SimilarConfig> {
    let threshold = args.threshold.as_deref().unwrap_or("0.5");
    let similarity = args.similarity.as_deref().unwrap_or("resemblance");
    let top = top(args)?;
    Ok(SimilarConfig {
        similarity: similarity.parse()?,
        threshold: threshold.parse::<Threshold>()?,
        features: job.config.features,
        words: job.config.words.clone(),
        seed: job.config.seed,
        threads: job.config.threads,
        top,
    })
}

fn source(inputs: &[String], job: &Job) -> Result<FileSource> {
    let files = discover(inputs, job.read.format)?.files;
    let read = job.read.clone().for_files(&files);
    Ok(FileSource::new(files, read))
}

/// Gets the text of the query.
fn question(
    args: &SimilarArgs,
    job: &Job,
    work: Option<&WorkDir>,
    progress: &dyn Progress,
) -> Result<Question> {
    let threads = job.config.threads;
    if let Some(id) = &args.query_id {
        let inputs = match work {
            None => args.inputs.clone(),
            Some(work) => inputs_of(work)?,
        };
        let source = source(&inputs, job)?;
        if source.origins()?.is_none() {
            let message = "standard input and pipes can be read only once; name a file";
            return Err(Error::config("query-id", message).into());
        }
        let ids = std::slice::from_ref(id);
        let fetched = fetch(&source, ids, threads, progress)?.into_iter().next();
        let fetched =
            fetched.ok_or_else(|| Error::Internal("nothing was fetched".to_owned()))?;
        return Ok(Question {
            name: format!("document {}", clean(id)),
            text: fetched.text,
            id: Some(id.clone()),
            path: None,
        });
    }
    let typed = args.query.as_deref().unwrap_or_default();
    if typed == "-" && args.inputs.iter().any(|input| input == "-") {
        let message = "standard input cannot be both the query and the collection";
        return Err(Error::config("query", message).into());
    }
    let path = Path::new(typed);
    if path.is_dir() {
        let message = format!("{typed:?} is a folder; a query is a file of one document");
        return Err(Error::config("query", message).into());
    }
    // Pipes too, as a shell makes them of <(command).
    if typed == "-" || path.exists() {
        let inputs = [typed.to_owned()];
        let name = if typed == "-" {
            "standard input"
        } else {
            typed
        };
        let fetched = fetch_only(&source(&inputs, job)?, name, threads, progress)?;
        return Ok(Question {
            name: clean(name),
            text: fetched.text,
            id: None,
            path: path.canonicalize().ok().filter(|_| typed != "-"),
        });
    }
    if let Some((input, id)) = named_document(typed) {
        let ids = [id];
        let fetched = fetch(&source(&[input], job)?, &ids, threads, progress)?;
        let text = fetched.into_iter().next().map(|one| one.text);
        return Ok(Question {
            name: format!("document {}", clean(typed)),
            text: text.unwrap_or_default(),
            id: None,
            path: None,
        });
    }
    check_text(typed)?;
    Ok(Question {
        name: "the text given".to_owned(),
        text: typed.to_owned(),
        id: None,
        path: None,
    })
}

/// The input and the id of a document that is named as `docs.jsonl#7`.
fn named_document(typed: &str) -> Option<(String, String)> {
    let named = Named::parse(typed).ok()?;
    Some((named.input, named.id?))
}

/// Refuses what was most likely meant as a file or an id, and would find nothing as a text.
fn check_text(typed: &str) -> Result<()> {
    let wrong = |message: String| Err(Error::config("query", message).into());
    if looks_like_path(typed) {
        return wrong(format!(
            "there is no file {typed:?}; if it is a text, pass it on standard input with \
             --query -"
        ));
    }
    let mut num_words = 0;
    word_spans(typed, &Segmenter::default(), |_, _| num_words += 1);
    // Without a space it is a mistyped name, unless its script has none.
    let is_name = typed.is_ascii() && typed.split_whitespace().count() < 2;
    if is_name || (num_words < 2 && typed.split_whitespace().count() < 2) {
        return wrong(format!(
            "{typed:?} is no file, and a text needs two words or more; a document of the \
             collection is named with --query-id"
        ));
    }
    Ok(())
}

/// The inputs that a kept job has read.
fn inputs_of(work: &WorkDir) -> Result<Vec<String>> {
    let inputs = recorded(work).remove("inputs");
    let inputs = inputs.and_then(|inputs| serde_json::from_value(inputs).ok());
    let missing = || Error::input(work.path().display().to_string(), "names no inputs");
    Ok(inputs.ok_or_else(missing)?)
}

/// Similarity, containment of the query in a document, and of the document in the query.
fn numbers(
    config: &SimilarConfig,
    hit: &Hit,
    query_size: u32,
) -> (String, String, String, String) {
    let overlap = u64::from(hit.overlap);
    (
        hit.similarity(config.similarity, query_size),
        hit.similarity(Similarity::Resemblance, query_size),
        six_decimals(overlap, u64::from(query_size)),
        six_decimals(overlap, u64::from(hit.size)),
    )
}

fn json(config: &SimilarConfig, question: &Question, result: &SimilarResult) -> Value {
    let decimal = |text: String| text.parse::<f64>().map_or(Value::Null, Value::from);
    let hits = result.hits.iter().map(|hit| {
        let (similarity, resemblance, of_query, of_document) =
            numbers(config, hit, result.query_size);
        json!({
            "id": hit.id,
            "similarity": decimal(similarity),
            "resemblance": decimal(resemblance),
            "containment_of_query": decimal(of_query),
            "containment_of_document": decimal(of_document),
            "overlap": hit.overlap,
            "size": hit.size,
            "equal_text": hit.is_equal_text,
            "file": hit.file,
            "number": hit.number,
            "preview": hit.preview,
        })
    });
    json!({
        "query": {
            "name": question.name,
            "id": question.id,
            "size": result.query_size,
        },
        "features": config.features.to_string(),
        "similarity": config.similarity.to_string(),
        "threshold": decimal(config.threshold.to_string()),
        "documents": result.num_documents,
        "bad_records": result.num_bad_records,
        "found": result.num_hits,
        "hits": hits.collect::<Vec<_>>(),
    })
}

fn show(
    out: &mut impl Write,
    config: &SimilarConfig,
    question: &Question,
    result: &SimilarResult,
) -> std::io::Result<()> {
    let features = match result.query_size {
        1 => "one feature".to_owned(),
        many => format!("{} features", grouped(u64::from(many))),
    };
    writeln!(
        out,
        "query: {}, {features} ({})",
        question.name, config.features
    )?;
    writeln!(
        out,
        "{} of {} documents at {} >= {}",
        grouped(result.num_hits),
        grouped(result.num_documents),
        config.similarity,
        config.threshold
    )?;
    if result.num_bad_records > 0 {
        let bad = match result.num_bad_records {
            1 => "one bad record was".to_owned(),
            many => format!("{} bad records were", grouped(many)),
        };
        writeln!(out, "{bad} left out; find tells which")?;
    }
    if result.hits.is_empty() {
        return Ok(());
    }
    let by_other = config.similarity != Similarity::Resemblance;
    let first = match by_other {
        true => format!(
            "{:>11} {:>11}",
            config.similarity.to_string(),
            "resemblance"
        ),
        false => format!("{:>11}", "resemblance"),
    };
    writeln!(
        out,
        "\n  {first}  {:>11}  {:>11}  document",
        "query in it", "it in query"
    )?;
    for hit in &result.hits {
        let (similarity, resemblance, of_query, of_document) =
            numbers(config, hit, result.query_size);
        let first = match by_other {
            true => format!("{similarity:>11} {resemblance:>11}"),
            false => format!("{similarity:>11}"),
        };
        let itself = question.id.as_ref() == Some(&hit.id);
        let remark = match (itself, hit.is_equal_text) {
            (true, _) => " (the query)",
            (_, true) => " (equal text)",
            _ => "",
        };
        let start = format!("  {first}  {of_query:>11}  {of_document:>11}  ");
        let line = format!("{start}{}{remark}: {}", clean(&hit.id), clean(&hit.preview));
        // The id is never cut.
        let least = start.len() + hit.id.len() + remark.len();
        let line: String = line.chars().take(width().max(least)).collect();
        writeln!(out, "{}", line.trim_end_matches([' ', ':']))?;
    }
    let more = result.num_hits - result.hits.len() as u64;
    if more > 0 {
        writeln!(
            out,
            "  ... and {} more; --top all shows them",
            grouped(more)
        )?;
    }
    Ok(())
}
