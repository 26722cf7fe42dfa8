//! The summary for people: what was asked in one sentence, then numbers, then where the result is.
//!
//! The sentence names everything on which the answer depends (similarity, threshold, features, method,
//! clusters), so a terminal that was copied into a report can be understood. It says "exact" only where no
//! pair can be missed.

use super::show_filters::show_filters;
use crate::terminal::{bytes, grouped};
use neardupe_core::feature::Sampling;
use neardupe_core::pipeline::{ClusterMode, Method};
use neardupe_core::similarity::Similarity;
use neardupe_jobs::kind::find::FindJob;
use neardupe_jobs::numbers::plural;
use neardupe_jobs::report::REPORT;
use neardupe_jobs::summary::{
    CurvePoint, SimhashSummary, SimilarityWords, SpotSummary, Summary,
};
use std::io::Write;

/// Prints the summary for people.
pub(crate) fn show(
    out: &mut impl Write,
    job: &FindJob,
    summary: &Summary,
) -> std::io::Result<()> {
    show_found(out, job, summary)?;
    let counts = &summary.counts;
    let kinds = &summary.bad_records_by_kind;
    let missing = kinds.get("missing-text").copied().unwrap_or(0);
    // A wrong key makes every record bad. The kind of the bad records shows the cause better than their number.
    if missing > counts.documents {
        writeln!(out, "\nwhere is the text? --text-key names its field")?;
    }
    let output = job.output.display();
    writeln!(
        out,
        "\nwritten to {output}; to look at it, open {output}/{REPORT}"
    )
}

/// Prints what was found.
pub(crate) fn show_found(
    out: &mut impl Write,
    job: &FindJob,
    summary: &Summary,
) -> std::io::Result<()> {
    let counts = &summary.counts;
    let total = summary.seconds.get("total").copied().unwrap_or(0.0);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "shown"
    )]
    #[expect(clippy::cast_precision_loss, reason = "shown")]
    // Guarded against the zero seconds of a tiny collection.
    let rate = (counts.bytes as f64 / total.max(1e-9)) as u64;
    writeln!(
        out,
        "{} ({}) in {total:.2} s, {}/s, {} memory",
        plural(counts.documents, "document"),
        bytes(counts.bytes),
        bytes(rate),
        bytes(summary.peak_memory_bytes)
    )?;
    // What is kept follows from the clusters: without representatives nothing is.
    let clusters = match job.config.cluster {
        ClusterMode::None => "no clusters".to_owned(),
        ClusterMode::Neighbors => "neighbors of each document".to_owned(),
        mode if job.config.similarity == Similarity::Containment => {
            format!(
                "{mode} clusters, keeping the largest, then {}",
                job.config.keep
            )
        }
        mode => format!("{mode} clusters, keeping {}", job.config.keep),
    };
    let config = &job.config;
    let blocks = match &config.block_by {
        None => String::new(),
        Some(field) => format!(" among documents of the same {field}"),
    };
    let no_verify = job.is_unverified();
    // "exact" may be said only where no pair can be missed: without sampling, without an
    // approximate method and without the signature filter.
    let exact = match (config.sampling == Sampling::default(), config.method) {
        (true, Method::Exact) if config.filters.signature.is_some() => {
            "approximate (signature filter), verified".to_owned()
        }
        (true, Method::Exact) => "exact".to_owned(),
        (true, Method::IMatch) if no_verify => "not verified".to_owned(),
        (true, Method::Simhash(hamming)) if !hamming.verified => {
            "not verified".to_owned()
        }
        (true, method) => format!("{method}, verified"),
        (false, Method::Exact) if config.keep_exact => {
            format!(
                "sampled by {}, equal documents compared too",
                config.sampling
            )
        }
        (false, Method::Exact) => format!("sampled by {}", config.sampling),
        (false, method) => format!("sampled by {}, {method}, verified", config.sampling),
    };
    let similar = match config.method {
        Method::Simhash(hamming) if !hamming.verified => {
            format!("simhashes within {} of 64 bits", hamming.distance)
        }
        Method::IMatch if no_verify => "sharing a key of I-Match;".to_owned(),
        method => {
            // Sums of weights are another similarity than shares of features.
            let is_weighted = matches!(method, Method::WeightedMinHash(_));
            let words = SimilarityWords::new(config.similarity, is_weighted);
            format!("{} >= {}", words.name, config.threshold)
        }
    };
    // Every pair has one feature in common, so a limit of 1 is none.
    let similar = match config.min_overlap {
        0 | 1 => similar,
        least => format!("{similar} and {} in common,", grouped(u64::from(least))),
    };
    let features = config.features;
    writeln!(
        out,
        "{similar} of {features}{blocks}, {exact}; {clusters}\n"
    )?;
    let unverified =
        matches!(config.method, Method::Simhash(hamming) if !hamming.verified);
    let rules = counts.rules;
    // Without representatives no document is kept for another one, so the lines below have
    // other words.
    let has_representatives = matches!(
        job.config.cluster,
        ClusterMode::Star | ClusterMode::Components
    );
    let mut line = |name: &str, number: u64, what: &str| {
        let line = format!("  {name:<16} {:>12}  {what}", grouped(number));
        writeln!(out, "{}", line.trim_end())
    };
    line("documents", counts.documents, "")?;
    if let Some(against) = config.against {
        line("old", counts.old_documents, "compared with, never removed")?;
        let compared = if against.within {
            "compared with the old ones and with each other"
        } else {
            "compared with the old ones only"
        };
        line("new", counts.documents - counts.old_documents, compared)?;
    }
    // Lines with a zero would be noise; only those that every result has are always printed.
    if counts.empty > 0 {
        line(
            "empty",
            counts.empty,
            "have no text and are never duplicates",
        )?;
    }
    if counts.featureless > 0 {
        let (name, what) = match summary.spot_signatures {
            Some(_) => ("no signature", "have no spot signature"),
            None => ("no word", "have no word"),
        };
        let what = format!("{what}; only an equal text makes them duplicates");
        line(name, counts.featureless, &what)?;
    }
    line(
        "equal text",
        rules.equal_text,
        if has_representatives {
            "have the text of the document that is kept"
        } else {
            "have the text of another document"
        },
    )?;
    if rules.equal_features > 0 {
        let what = match config.sampling == Sampling::default() {
            true if unverified => "have the code",
            true if summary.spot_signatures.is_some() => "have the spot signatures",
            true => "have the words",
            false => "have the features of the sample",
        };
        let of = if has_representatives {
            "of the document that is kept"
        } else {
            "of another document"
        };
        let differ = match what {
            "have the words" => "; only punctuation, case or spacing differ",
            _ => "",
        };
        let what = format!("{what} {of}{differ}");
        line("equal features", rules.equal_features, &what)?;
    }
    // Star and components keep one document of each cluster, neighbors keep all, none has no
    // clusters.
    match job.config.cluster {
        ClusterMode::Star | ClusterMode::Components => {
            let either_way = config
                .against
                .is_some_and(|against| against.remove_containing);
            let how = match config.similarity {
                Similarity::Containment if either_way => {
                    "contain the document that is kept, or are contained in it"
                }
                Similarity::Containment => "are contained in the document that is kept",
                _ if unverified => "have a code near that of the document that is kept",
                _ => "resemble the document that is kept",
            };
            line("near-duplicate", rules.similar, how)?;
            if rules.linked > 0 {
                let how = "are linked to the document that is kept by similar ones";
                line("linked", rules.linked, how)?;
            }
            line("clusters", counts.clusters, "of two or more documents")?;
            line(
                "kept",
                counts.documents - counts.old_documents - counts.duplicates,
                match config.against {
                    Some(_) => "new documents",
                    None => "documents, one of each cluster",
                },
            )?;
        }
        ClusterMode::Neighbors => {
            line(
                "clusters",
                counts.clusters,
                "one for each document with a similar one",
            )?;
        }
        ClusterMode::None => {}
    }
    line("pairs", counts.pairs, "written")?;
    if counts.bad_records > 0 {
        let kinds = summary.bad_records_by_kind.iter();
        let kinds: Vec<String> = kinds
            .map(|(kind, &count)| format!("{} {kind}", grouped(count)))
            .collect();
        let what = format!("left out ({}); see bad-records.jsonl", kinds.join(", "));
        line("bad records", counts.bad_records, &what)?;
    }
    if counts.skipped_records > 0 {
        line(
            "skipped records",
            counts.skipped_records,
            "hold no text: requests, images and the like",
        )?;
    }
    if summary.skipped_files > 0 {
        line(
            "skipped files",
            summary.skipped_files,
            "in folders, of no known format",
        )?;
    }
    if let Some(spots) = &summary.spot_signatures {
        show_spots(out, spots, "document")?;
    }
    show_method(out, summary)?;
    show_remarks(out, summary)?;
    show_clusters(out, summary)?;
    show_ledger(out, summary)?;
    show_filters(out, summary)
}

/// A list that leaves out more documents than this is a poor one.
const POOR_SHARE: f64 = 0.1;

/// How well the antecedents fit the collection.
pub(crate) fn show_spots(
    out: &mut impl Write,
    spots: &SpotSummary,
    of_what: &str,
) -> std::io::Result<()> {
    writeln!(
        out,
        "\nspot signatures: {} antecedents give {:.1} a {of_what} on average; {:.1} % have none",
        grouped(spots.antecedents),
        spots.mean,
        spots.share_without * 100.0
    )?;
    if spots.share_without > POOR_SHARE {
        writeln!(
            out,
            "  another list may fit better: --antecedents N takes the N most frequent words of the input"
        )?;
    }
    Ok(())
}

/// What an approximate method finds, by theory and on a sample.
///
/// Theory says what share of pairs is compared at each similarity; the measured share is that
/// of a sample on which the exact join was run too.
fn show_method(out: &mut impl Write, summary: &Summary) -> std::io::Result<()> {
    let Some(method) = &summary.method else {
        return Ok(());
    };
    // Around the threshold, where it turns; the summary has all of it.
    let near = |point: &&CurvePoint| (point.similarity - method.threshold).abs() < 0.25;
    let points = method.curve.iter().filter(near);
    let curve: Vec<String> = points
        .map(|point| format!("{} at {}", likely(point.probability), point.similarity))
        .collect();
    if let Some(imatch) = &method.imatch {
        writeln!(
            out,
            "\n{}: {} or more keys in common, by {} of {} documents",
            method.setting(),
            imatch.needed,
            imatch.df_table,
            grouped(imatch.df_documents)
        )?;
    }
    match &method.simhash {
        _ if method.imatch.is_some() => {}
        None => writeln!(
            out,
            "\n{} ({} values): compares {} by theory",
            method.setting(),
            method.values.unwrap_or(0),
            curve.join(", ")
        )?,
        Some(simhash) => writeln!(out, "\n{}: {}", method.setting(), made(simhash))?,
    }
    let Some(sample) = &method.sample else {
        return Ok(());
    };
    match &method.measured {
        None => writeln!(
            out,
            "  measured: a sample of {} documents has no similar pair",
            grouped(sample.sets)
        ),
        Some(measured) => writeln!(
            out,
            "  measured: {} of {} similar pairs of a sample, {:.1} % (95 % interval {:.1} to {:.1})",
            grouped(measured.part),
            grouped(measured.whole),
            measured.share * 100.0,
            measured.interval.low * 100.0,
            measured.interval.high * 100.0
        ),
    }
}

/// How codes were made.
fn made(simhash: &SimhashSummary) -> String {
    let weights = match (&simhash.df_table, simhash.df_documents) {
        (Some(table), Some(documents)) => format!(
            "idf {} by {table} of {} documents",
            simhash.idf,
            grouped(documents)
        ),
        _ => "weights are occurrences".to_owned(),
    };
    format!("{}, {weights}", simhash.variant)
}

/// A probability in percent; what is not certain is not called 100 %.
///
/// Rounding must not promise what the method does not.
fn likely(probability: f64) -> String {
    match probability {
        0.9995..1.0 => "over 99.9 %".to_owned(),
        _ => format!("{:.1} %", probability * 100.0),
    }
}

/// What was noticed while texts were made.
fn show_remarks(out: &mut impl Write, summary: &Summary) -> std::io::Result<()> {
    if summary.remarks.is_empty() {
        return Ok(());
    }
    let remarks = summary.remarks.iter();
    let remarks: Vec<String> = remarks
        .map(|(remark, &count)| format!("{} {remark}", grouped(count)))
        .collect();
    writeln!(out, "\ntexts: {}", remarks.join(", "))
}

/// Prints the largest clusters with their first members. A cluster that is far too large is the
/// quickest sign of a wrong setting.
fn show_clusters(out: &mut impl Write, summary: &Summary) -> std::io::Result<()> {
    if summary.largest_clusters.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nlargest clusters")?;
    for cluster in &summary.largest_clusters {
        // The size stands before the first member only.
        let mut size = format!("{} x", grouped(cluster.size));
        for member in &cluster.shown {
            let side = member.source.as_ref();
            let side = side.map_or_else(String::new, |it| format!(" ({it})"));
            let line = format!("  {size:>9}  {}{side}: {}", member.id, member.preview);
            writeln!(out, "{}", line.trim_end_matches([' ', ':']))?;
            size.clear();
        }
        if cluster.size > cluster.shown.len() as u64 {
            writeln!(out, "  {:>9}  ...", "")?;
        }
    }
    Ok(())
}

/// Prints how many candidates each filter left, from many to few. It shows where time went.
fn show_ledger(out: &mut impl Write, summary: &Summary) -> std::io::Result<()> {
    let ledger = &summary.ledger;
    let steps = [
        (ledger.lookups, "lookups"),
        (ledger.postings, "postings"),
        (ledger.after_length, "by length"),
        (ledger.after_position, "by position"),
        (ledger.candidates, "candidates"),
        (ledger.verified, "by bitmap, verified"),
        (ledger.found, "similar"),
    ];
    let steps: Vec<String> = steps
        .iter()
        .map(|(number, what)| format!("{} {what}", grouped(*number)))
        .collect();
    writeln!(
        out,
        "\njoin: {} sets, {} without a partner by rare features; {}",
        grouped(ledger.sets),
        grouped(ledger.without_partner),
        steps.join(" > ")
    )
}
