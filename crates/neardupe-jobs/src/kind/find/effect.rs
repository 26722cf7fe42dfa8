//! Options that cannot change anything: an error where that follows from the other options, a warning
//! where only the documents could show it.
//!
//! Three kinds of options are not checked. A default may be typed: a summary names all parameters, and
//! must describe the same job when it is read back. A limit (`memory`, `max-record-bytes`,
//! `allow-bad-records`, `threshold` ...) is there for documents that may come. And how a result is
//! written or a job is resumed (`output-format`, `checkpoint` ...) does not depend on documents.

use super::job::FindJob;
use super::spec::FindSpec;
use crate::param::OrNone;
use neardupe_core::candidate::filter::Filter;
use neardupe_core::cluster::Keep;
use neardupe_core::error::{Error, Result};
use neardupe_core::feature::Sampling;
use neardupe_core::hash::FeatureHash;
use neardupe_core::pipeline::{ClusterMode, FindResult, Method};
use neardupe_core::text::{WordEffect, WordRule};
use neardupe_io::extract::{Content, HtmlOptions};
use neardupe_io::source::{FieldKeys, TextEffect, TextType};
use std::sync::Arc;

/// Refuses options that have no effect beside the other options.
///
/// Each of these would run and do nothing of what was asked, which a user would only notice by
/// comparing two results. Silence is the worst answer to a mistyped command.
pub(super) fn check(
    spec: &FindSpec,
    sampling: &Sampling,
    cluster: ClusterMode,
) -> Result<()> {
    let wrong = |param: &str, message: &str| Err(Error::config(param, message));
    let is_other = |keep: &Keep| *keep != Keep::default();
    if spec.cluster.keep.as_ref().is_some_and(is_other) && cluster == ClusterMode::None {
        return wrong("keep", "with `cluster none` no document is kept for others");
    }
    let switched_off = spec.method.no_filter.as_deref().unwrap_or_default();
    if switched_off.contains(&Filter::Signature)
        && !matches!(spec.method.signature_filter, Some(OrNone::This(_)))
    {
        return wrong("no-filter", "signature needs `signature-filter`");
    }
    let text = &spec.reading.text;
    let content = text.content.as_deref();
    let wants_main = content.is_some_and(|part| part.starts_with("main"));
    let limits = HtmlOptions::default();
    let depth = text.max_html_depth.map(|number| number.0);
    let nodes = text.max_html_nodes.map(|number| number.0);
    for (param, given, default) in [
        ("max-html-depth", depth, u64::from(limits.max_depth)),
        ("max-html-nodes", nodes, limits.max_nodes),
    ] {
        // With its default it may be there, as in every summary.
        if given.is_some_and(|given| given != default) && !wants_main {
            // The value would be ignored without a word.
            return wrong(param, "needs `content main`: full texts have no such limit");
        }
    }
    if sampling.modulus.is_some_and(|(divisor, _)| divisor == 1) {
        return wrong("sample", "mod:1 keeps every feature");
    }
    if sampling.winnow == Some(1) {
        return wrong("sample", "winnow:1 keeps every feature");
    }
    Ok(())
}

/// What options about texts and words did to all documents that a command has read. Shared by all jobs
/// of a command (the trials of a study), and set by readers on all threads: atomic flags, only ever
/// set.
#[derive(Debug, Default, Clone)]
pub struct Effects {
    /// Set by readers when an option about words changes one.
    pub(super) words: Arc<WordEffect>,
    /// The same for options about texts.
    pub(super) texts: Arc<TextEffect>,
}

/// Warnings about options of texts and words that had no effect, when all documents were read. Each
/// begins with its parameter between backquotes: `reading::idle` selects them by it.
pub(crate) fn idle_options(job: &FindJob) -> Vec<String> {
    let (words, texts) = (&job.config.words, &job.read.text);
    let (of_words, of_texts) = (&words.effect, &texts.effect);
    let is_html = texts.text_type == TextType::Html;
    let is_auto = texts.text_type == TextType::Auto;
    // ASCII, and UTF-8 by name, read the same bytes as without the option.
    let other_charset = texts.charset.is_some_and(|set| set.name() != "UTF-8");
    let idle = [
        (
            !words.stop_words.is_none() && !of_words.has_stopped(),
            "`stop-words`: no document has a word of the list, so it changed nothing",
        ),
        (
            words.stem != Default::default() && !of_words.has_stemmed(),
            "`stem`: no word has another stem, so it changed nothing",
        ),
        (
            words.rule == Some(WordRule::Segmented) && !of_words.has_cut(),
            "`words segmented`: no document has a script written without spaces, so it changed \
             nothing",
        ),
        (
            words.rule == Some(WordRule::Spaces) && !of_words.has_cut(),
            "`words spaces`: no word has more than letters and digits, so it changed nothing",
        ),
        (
            texts.html.content == Content::Main && !of_texts.has_html(),
            "`content main`: no text is HTML, so it changed nothing; `text-type html` says \
             that texts are HTML",
        ),
        (
            is_auto && !of_texts.has_html(),
            "`text-type auto`: no text begins like HTML, so it changed nothing",
        ),
        (
            is_html && !of_texts.has_changed(),
            "`text-type html`: no text has a tag or an entity, so it changed nothing",
        ),
        (
            other_charset && !of_texts.has_decoded(),
            "`charset`: no byte beyond ASCII was read in it, so it changed nothing (JSON and \
             Parquet are UTF-8)",
        ),
    ];
    // The flags were set by readers on all threads; by now all of them are done.
    let idle = idle.into_iter().filter(|(is_idle, _)| *is_idle);
    let mut idle: Vec<String> = idle.map(|(_, message)| message.to_owned()).collect();
    let key = &job.read.keys.id;
    if *key != FieldKeys::default().id && !of_texts.has_id() {
        idle.push(format!(
            "`id-key`: no document has a field {key}, so documents are named by file and number"
        ));
    }
    idle
}

/// Warnings about `seed` and `hash` where nothing but equality of features matters: an exact job
/// finds the same pairs with every hash.
pub(crate) fn idle_hashes(job: &FindJob) -> Vec<String> {
    let config = &job.config;
    let is_exact = config.method == Method::Exact
        && job.lexicons.is_none()
        && config.sampling == Sampling::default();
    let other_hash = config.words.hash != FeatureHash::default();
    let typed = [("seed", config.seed != 0), ("hash", other_hash)];
    // Approximate methods find other pairs with another hash, so there the options have an
    // effect.
    let idle = typed.into_iter().filter(|(_, typed)| *typed && is_exact);
    idle.map(|(param, _)| {
        format!("`{param}`: without `sample` or `method` the result is the same with every hash")
    })
    .collect()
}

/// Adds warnings about options that had no effect on the documents of a job.
pub(super) fn warnings(job: &FindJob, result: &FindResult, warnings: &mut Vec<String>) {
    // A resumed job has read only a part of the documents in this process: the rest may have had something.
    if !job.resumed {
        warnings.extend(idle_options(job));
    }
    let (config, documents) = (&job.config, result.totals.documents);
    let features = config.features;
    let mut warn = |message: String| warnings.push(message);
    // A preset has its limit for collections of any size.
    let of_preset = job.spec.preset.is_some();
    if let Some(most) = config.sampling.commonality
        && u64::from(most) >= documents
        && !of_preset
    {
        warn(format!(
            "`sample commonality:{most}`: there are no more documents than that, so it changed nothing"
        ));
    }
    // Documents that were compared as a whole text, for want of a feature. Kinds that give every
    // document with a word a feature count the whole short text as one.
    let mut whole = result.totals.featureless;
    if !features.may_have_none() {
        whole += result.totals.shorter_than_shingle;
    }
    if documents > 0 && whole + result.totals.empty == documents && whole > 0 {
        warn(format!(
            "`features {features}`: no document is long enough to have one, so only equal texts are found"
        ));
    }
    warnings.extend(idle_hashes(job));
}
