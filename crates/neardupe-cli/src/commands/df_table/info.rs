//! `neardupe df-table info`: what a table holds.

use super::facts;
use crate::terminal::{grouped, width};
use anyhow::Result;
use clap::Args;
use neardupe_core::error::Error;
use neardupe_core::feature::{Extractor, FeatureKind, FeatureSpec, labelled};
use neardupe_core::frequency::{DfTable, ENGLISH, FeatureSpecText};
use neardupe_core::text::{WordOptions, WordRule};
use neardupe_jobs::diff::clean;
use serde_json::json;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

/// What was typed after `df-table info`.
#[derive(Debug, Args)]
pub(super) struct InfoArgs {
    /// A table, or english for the one that comes with the program
    #[arg(value_name = "TABLE|english")]
    table: String,

    /// Tell how many documents have this word (or text, for shingles); may be repeated
    #[arg(long, value_name = "WORD")]
    word: Vec<String>,

    /// Print it as JSON
    #[arg(long)]
    json: bool,
}

/// Features by how rare they are.
struct Band {
    /// In one of this many documents, at most.
    one_in: u64,
    num_features: u64,
}

/// A word that was asked for.
struct Word {
    label: String,
    /// None when it is not in the table.
    df: Option<u32>,
    idf: f64,
}

/// Runs the command.
pub(super) fn run(args: &InfoArgs) -> Result<ExitCode> {
    let table = open(&args.table)?;
    let words = words(&table, &args.word)?;
    let bands = bands(&table);
    let mut out = std::io::stdout().lock();
    if args.json {
        let mut value = facts(&table)?;
        let bands = bands.iter().map(|band| {
            json!({ "one_in_at_most": band.one_in, "features": band.num_features })
        });
        value["histogram"] = bands.collect();
        let words = words.iter().map(|word| {
            json!({
                "word": word.label,
                "in_table": word.df.is_some(),
                "df": word.df.unwrap_or(table.unseen()),
                "idf": (word.idf * 1e6).round() / 1e6,
            })
        });
        value["words"] = words.collect();
        writeln!(out, "{}", serde_json::to_string_pretty(&value)?)?;
    } else {
        show(&mut out, &args.table, &table, &bands)?;
        show_words(&mut out, &table, &words)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A file goes before the built-in table, so that any file can be named: `./english`.
fn open(typed: &str) -> Result<DfTable> {
    if typed == ENGLISH {
        let words = WordOptions::default();
        let specification = FeatureSpec::new(FeatureKind::Terms, &words, 0);
        return Ok(DfTable::english(&specification)?);
    }
    Ok(DfTable::read(Path::new(typed))?)
}

fn bands(table: &DfTable) -> Vec<Band> {
    let mut limits = vec![2u64];
    while limits[limits.len() - 1] < table.num_documents() {
        limits.push(10u64.saturating_pow(u32::try_from(limits.len()).unwrap_or(19)));
    }
    let mut bands: Vec<Band> = limits
        .into_iter()
        .map(|one_in| Band {
            one_in,
            num_features: 0,
        })
        .collect();
    for (_, df) in table.entries() {
        let is_in = |band: &&mut Band| {
            u128::from(df) * u128::from(band.one_in) >= u128::from(table.num_documents())
        };
        if let Some(band) = bands.iter_mut().find(is_in) {
            band.num_features += 1;
        }
    }
    // How rare features can be is told by the last band that has any.
    let used = bands.iter().rposition(|band| band.num_features > 0);
    bands.truncate(used.map_or(0, |last| last + 1));
    bands
}

/// The features of what was typed, as the table knows them.
fn words(table: &DfTable, typed: &[String]) -> Result<Vec<Word>> {
    if typed.is_empty() {
        return Ok(Vec::new());
    }
    let specification = table.specification();
    let kind: FeatureKind = specification.features.parse()?;
    let options = options_like(kind, specification).ok_or_else(|| {
        let message = "the table was built by another version of this program, whose words \
                       have other values";
        Error::config("word", message)
    })?;
    let mut words = Vec::new();
    for text in typed {
        let mut distinct = Vec::new();
        Extractor::new(kind, &options, specification.seed).distinct(text, &mut distinct);
        if distinct.is_empty() {
            return Err(Error::config("word", format!("{text:?} has no word")).into());
        }
        let labels = labelled(text, kind, &options, specification.seed);
        let labels = labels.into_iter();
        for (feature, label) in labels.filter(|(feature, _)| distinct.contains(feature)) {
            words.push(Word {
                label,
                df: table.get(feature),
                idf: table.idf(feature),
            });
        }
    }
    Ok(words)
}

/// Options that make the words of the table: without stop words, which have no number, and
/// without stems, since the list of a table may be of any language.
fn options_like(
    kind: FeatureKind,
    specification: &FeatureSpecText,
) -> Option<WordOptions> {
    let options = WordRule::ALL.map(|rule| WordOptions {
        rule: Some(rule),
        ..WordOptions::default()
    });
    options.into_iter().find(|options| {
        let found = FeatureSpec::new(kind, options, specification.seed);
        found.word_rule == specification.word_rule && found.hash == specification.hash
    })
}

fn show(
    out: &mut impl Write,
    name: &str,
    table: &DfTable,
    bands: &[Band],
) -> std::io::Result<()> {
    let specification = table.specification();
    let features = match table.len() {
        1 => "one feature".to_owned(),
        many => format!("{} features", grouped(many as u64)),
    };
    writeln!(
        out,
        "{}: how many of {} documents have each of {features}\n",
        clean(name),
        grouped(table.num_documents())
    )?;
    let unseen = match table.unseen() {
        1 => "as in one document".to_owned(),
        many => format!("as in {} documents", grouped(u64::from(many))),
    };
    let mut lines = vec![
        ("identity", table.identity().to_owned()),
        ("features", specification.features.clone()),
        ("words", specification.word_rule.clone()),
        ("stop words", specification.stop_words.clone()),
        ("stem", specification.stem.clone()),
        ("unicode", specification.unicode.clone()),
        ("hash", specification.hash.clone()),
        ("seed", specification.seed.to_string()),
        ("others", format!("not in the table: taken {unseen}")),
    ];
    if table.uncertainty() > 0 {
        let most = grouped(table.uncertainty());
        lines.push(("merged", format!("numbers may be too low by up to {most}")));
    }
    for (name, value) in lines {
        let mut name = name;
        for part in wrapped(&clean(&value), width().saturating_sub(14).max(20)) {
            writeln!(out, "  {name:<11} {part}")?;
            name = "";
        }
    }
    if bands.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n  in one document of          features")?;
    let mut from = 1;
    for band in bands {
        let range = format!("{} to {}", grouped(from), grouped(band.one_in));
        writeln!(out, "  {range:<20} {:>15}", grouped(band.num_features))?;
        from = band.one_in;
    }
    Ok(())
}

/// A text in lines of at most so many characters, as far as its words allow.
fn wrapped(text: &str, most: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut len = 0;
    for word in text.split(' ') {
        let word_len = word.chars().count();
        if len > 0 && len + 1 + word_len > most {
            lines.push(String::new());
            len = 0;
        }
        let line = lines.len() - 1;
        if len > 0 {
            lines[line].push(' ');
            len += 1;
        }
        lines[line].push_str(word);
        len += word_len;
    }
    lines
}

fn show_words(
    out: &mut impl Write,
    table: &DfTable,
    words: &[Word],
) -> std::io::Result<()> {
    if words.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n       documents  ln(N/df)  word")?;
    for word in words {
        let df = grouped(u64::from(word.df.unwrap_or(table.unseen())));
        let remark = match word.df {
            Some(_) => "",
            None => " (not in the table)",
        };
        let label = clean(&word.label);
        writeln!(out, "  {df:>14}  {:>8.4}  {label}{remark}", word.idf)?;
    }
    if table.specification().stem != "none" {
        writeln!(out, "the table is of stems: type the stem of a word")?;
    }
    Ok(())
}
