//! `--method` and what belongs to it.

use super::super::codes::{COLLECTION, CodeOptions, TypedCodes, df_source};
use super::options::FindOptions;
use crate::options::whole_number;
use anyhow::Result;
use neardupe_core::candidate::bitmap::MOST_KEYS;
use neardupe_core::error::Error;
use neardupe_core::feature::{FeatureKind, FeatureSpec, Sampling};
use neardupe_core::pipeline::codes::LexiconPlan;
use neardupe_core::pipeline::config::resemblance_at;
use neardupe_core::pipeline::{Hamming, Method};
use neardupe_core::signature::bands::{DEFAULT_VALUES, MAX_VALUES};
use neardupe_core::signature::{Bands, IMatchSettings};
use neardupe_core::similarity::Similarity;
use neardupe_core::text::WordOptions;
use neardupe_core::threshold::Threshold;
use serde_json::{Value, json};

/// What `--recall` is when bands are chosen.
const DEFAULT_RECALL: &str = "0.99";
/// What `--distance` is unless typed: the choice of Manku and others for the web.
const DEFAULT_DISTANCE: &str = "3";

/// What was asked for.
pub(super) struct Asked {
    pub(super) method: Method,
    pub(super) similarity: Similarity,
    pub(super) threshold: Threshold,
    /// Features that a pair must have in common.
    pub(super) min_overlap: u32,
    /// How simhashes are made.
    pub(super) codes: Option<CodeOptions>,
    /// Keys of I-Match, by which pairs are found or filtered.
    pub(super) lexicons: Option<IMatchSettings>,
    /// Keys that a pair must share to pass the signature filter.
    pub(super) needed_keys: Option<u32>,
    /// The signature filter that is measured with `--compare-filters`, and the keys a pair must share.
    pub(super) compared: Option<(IMatchSettings, u32)>,
}

/// Options that belong to one method.
fn given(options: &FindOptions) -> [(&'static [&'static str], &'static str, bool); 9] {
    // The signature filter needs a table, too.
    let filtered = options.signature_filter.is_some() || options.compare_filters;
    let with_table = options.df_table.is_some() && !filtered;
    [
        (&["minhash"], "--recall", options.recall.is_some()),
        (&["minhash"], "--bands", options.bands.is_some()),
        (&["minhash"], "--num-perm", options.num_perm.is_some()),
        (&["simhash"], "--distance", options.distance.is_some()),
        (&["simhash", "imatch"], "--no-verify", options.no_verify),
        (&["simhash"], "--variant", options.variant.is_some()),
        (&["simhash"], "--idf", options.idf.is_some()),
        (&["simhash", "imatch"], "--df-table", with_table),
        (&["simhash"], "--reserve", options.reserve.is_some()),
    ]
}

/// Features that are compared unless others are asked for.
pub(super) fn default_features(options: &FindOptions) -> &'static str {
    match options.method.as_deref() {
        Some("simhash") => "words:3+5",
        _ => "words:5",
    }
}

/// The method that was asked for, and what follows from it.
pub(super) fn resolve(
    options: &FindOptions,
    features: FeatureKind,
    sampling: &Sampling,
) -> Result<Asked> {
    let wrong = |flag: &str, message: &str| Err(Error::config(flag, message).into());
    let typed = options.method.as_deref().unwrap_or("exact");
    let name = match typed.split_once(':') {
        Some(("imatch", _)) => "imatch",
        _ => typed,
    };
    if !["exact", "minhash", "simhash", "imatch"].contains(&name) {
        let message = format!("{name:?} is not one of exact, minhash, simhash, imatch");
        return wrong("--method", &message);
    }
    let foreign = given(options)
        .into_iter()
        .find(|(of, _, given)| *given && !of.contains(&name));
    if let Some((of, flag, _)) = foreign {
        return wrong(flag, &format!("needs --method {}", of.join(" or ")));
    }
    let text = |value: &Option<String>, default: &str| {
        value.clone().unwrap_or_else(|| default.to_owned())
    };
    check_adaptive(options, name, sampling)?;
    let mut asked = Asked {
        method: Method::Exact,
        similarity: similarity(&text(&options.similarity, "resemblance"), sampling)?,
        threshold: text(&options.threshold, "0.8").parse()?,
        min_overlap: match options.min_overlap.as_deref() {
            None => 1,
            Some(typed) => {
                let most = u64::from(u32::MAX);
                u32::try_from(whole_number("--min-overlap", typed, 1..=most)?)?
            }
        },
        codes: None,
        lexicons: None,
        needed_keys: None,
        compared: None,
    };
    if options.compare_filters {
        if name != "exact" {
            let message = "needs --method exact: the others have no such filters";
            return wrong("--compare-filters", message);
        }
        if sampling.commonality.is_some() {
            let message = "with --sample commonality features are left out after they were \
                           counted, and filters are compared before";
            return wrong("--compare-filters", message);
        }
        if sampling.smallest.is_some() {
            let message = "with --sample smallest similarity is estimated, and plain counting \
                           would count something else";
            return wrong("--compare-filters", message);
        }
    }
    if let Some(filter) = &options.signature_filter {
        if name != "exact" {
            return wrong("--signature-filter", "needs --method exact");
        }
        let settings = filter.parse()?;
        let needed = needed_keys(settings, options)?;
        (asked.lexicons, asked.needed_keys) = (Some(settings), Some(needed));
        asked.compared = options.compare_filters.then_some((settings, needed));
    } else if options.compare_filters {
        let settings: IMatchSettings = "imatch".parse()?;
        asked.compared = Some((settings, needed_keys(settings, options)?));
    } else if options.signature_distance.is_some() {
        return wrong("--signature-distance", "needs --signature-filter");
    }
    if options.no_verify && asked.min_overlap > 1 {
        return wrong("--min-overlap", "with --no-verify no features are compared");
    }
    if name == "exact" {
        return Ok(asked);
    }
    if sampling.commonality.is_some() {
        let message = "with --sample commonality features are left out after all were counted, \
                       and signatures are made before; take --sample mod or --method exact";
        return wrong("--method", message);
    }
    if asked.similarity == Similarity::Containment {
        let message = format!("{name} tells nothing of containment; take --method exact");
        return wrong("--method", &message);
    }
    if name == "minhash" {
        let resemblance = resemblance_at(asked.similarity, asked.threshold);
        asked.method = Method::MinHash(bands_of(options, resemblance)?);
        return Ok(asked);
    }
    if name == "imatch" {
        asked.lexicons = Some(typed.parse()?);
        asked.method = Method::IMatch;
        if options.no_verify {
            if options.threshold.is_some() {
                return wrong(
                    "--threshold",
                    "with --no-verify a key in common is enough",
                );
            }
            asked.threshold = Threshold::new(1, 1_000_000)
                .ok_or_else(|| Error::Internal("no such threshold".to_owned()))?;
        }
        return Ok(asked);
    }
    let typed = options.distance.as_deref().unwrap_or(DEFAULT_DISTANCE);
    let distance = u32::try_from(whole_number("--distance", typed, 0..=32)?)?;
    asked.codes = Some(CodeOptions::resolve(
        TypedCodes {
            variant: options.variant.as_deref(),
            idf: options.idf.as_deref(),
            df_table: options.df_table.as_deref(),
            reserve: options.reserve.as_deref(),
        },
        features,
        !options.meta_key.is_empty(),
    )?);
    if options.no_verify {
        for (flag, typed) in [
            ("--threshold", &options.threshold),
            ("--similarity", &options.similarity),
        ] {
            if typed.is_some() {
                return wrong(flag, "with --no-verify it follows from --distance");
            }
        }
        if *sampling != Sampling::default() {
            return wrong("--sample", "with --no-verify codes alone are compared");
        }
        // Of the bits of two codes as many agree as their sets have in common.
        asked.similarity = Similarity::S3;
        asked.threshold = Threshold::new(u64::from(64 - distance), 64)
            .ok_or_else(|| Error::Internal("a distance beyond 64".to_owned()))?;
    }
    asked.method = Method::Simhash(Hamming {
        distance,
        verified: !options.no_verify,
    });
    Ok(asked)
}

/// Refuses what adaptive sampling cannot be combined with.
fn check_adaptive(
    options: &FindOptions,
    method: &str,
    sampling: &Sampling,
) -> Result<()> {
    if sampling.adaptive.is_none() {
        return Ok(());
    }
    let wrong = |flag: &str, message: &str| Err(Error::config(flag, message).into());
    for (rule, given) in [
        ("mod", sampling.modulus.is_some()),
        ("smallest", sampling.smallest.is_some()),
        ("commonality", sampling.commonality.is_some()),
    ] {
        if given {
            let message = format!("{rule} cannot be combined with adaptive");
            return wrong("--sample", &message);
        }
    }
    let others = "with --sample adaptive sizes depend on both documents of a pair; ";
    if method != "exact" {
        return wrong("--method", &format!("{others}take exact"));
    }
    if options.similarity.as_deref() == Some("containment") {
        return wrong("--similarity", &format!("{others}take resemblance or s3"));
    }
    for (flag, given) in [
        ("--signature-filter", options.signature_filter.is_some()),
        ("--compare-filters", options.compare_filters),
    ] {
        if given {
            return wrong(flag, &format!("{others}leave it out"));
        }
    }
    Ok(())
}

/// How similarity is measured: from the smallest features of two documents it is estimated.
fn similarity(typed: &str, sampling: &Sampling) -> Result<Similarity> {
    let asked: Similarity = typed.parse()?;
    let wrong = |message: String| Err(Error::config("--similarity", message).into());
    match (sampling.smallest, asked) {
        (Some(most), Similarity::Resemblance) => Ok(Similarity::Estimate(most)),
        // As a result has it.
        (Some(most), Similarity::Estimate(of)) if most == of => Ok(asked),
        (Some(_), Similarity::Containment | Similarity::S3) => wrong(format!(
            "{asked} cannot be estimated from the smallest features of two documents; take \
             resemblance, or --sample mod"
        )),
        (_, Similarity::Estimate(most)) => {
            wrong(format!("{asked} needs --sample smallest:{most}"))
        }
        (None, _) => Ok(asked),
    }
}

/// The bands of MinHash.
fn bands_of(options: &FindOptions, resemblance: f64) -> Result<Bands> {
    let wrong = |flag: &str, message: String| Err(Error::config(flag, message).into());
    if let Some(bands) = &options.bands {
        for (flag, value) in [
            ("--recall", &options.recall),
            ("--num-perm", &options.num_perm),
        ] {
            if value.is_some() {
                return wrong(flag, "follows from --bands".to_owned());
            }
        }
        return Ok(bands.parse()?);
    }
    let typed = options.recall.as_deref().unwrap_or(DEFAULT_RECALL);
    let recall = match typed.parse::<f64>() {
        Ok(recall) if recall > 0.0 && recall < 1.0 => recall,
        _ => {
            let message = format!("{typed:?} is not a number above 0 and below 1");
            return wrong("--recall", message);
        }
    };
    let most = match &options.num_perm {
        None => DEFAULT_VALUES,
        Some(typed) => u32::try_from(whole_number(
            "--num-perm",
            typed,
            1..=u64::from(MAX_VALUES),
        )?)?,
    };
    Ok(Bands::for_threshold(resemblance, recall, most)?)
}

/// Keys that a pair must share to pass a signature filter.
fn needed_keys(settings: IMatchSettings, options: &FindOptions) -> Result<u32> {
    let keys = settings.num_lexicons() + 1;
    let most = u32::try_from(MOST_KEYS).unwrap_or(u32::MAX);
    if keys > most {
        let message = format!("has {keys} keys, and a filter looks at {most} at most");
        return Err(Error::config("--signature-filter", message).into());
    }
    let range = 0..=u64::from(keys - 1);
    let distance = match options.signature_distance.as_deref() {
        None => keys - 1,
        Some(typed) => {
            u32::try_from(whole_number("--signature-distance", typed, range)?)?
        }
    };
    Ok(keys - distance)
}

impl Asked {
    /// How keys of I-Match shall be made.
    pub(super) fn lexicon_plan(
        &self,
        options: &FindOptions,
        words: &WordOptions,
        seed: u64,
    ) -> Result<Option<LexiconPlan>> {
        let compared = self.compared.map(|(settings, _)| settings);
        let Some(settings) = self.lexicons.or(compared) else {
            return Ok(None);
        };
        let table = options.df_table.as_deref().unwrap_or(COLLECTION);
        let specification = FeatureSpec::new(FeatureKind::Terms, words, seed);
        Ok(Some(LexiconPlan {
            settings,
            words: words.clone(),
            seed,
            df: df_source(table, &specification)?,
        }))
    }

    /// Keys in which two documents may differ to pass the signature filter.
    fn signature_distance(&self) -> Option<u32> {
        Some(self.lexicons?.num_lexicons() + 1 - self.needed_keys?)
    }

    /// The options of the method, as they were used.
    pub(super) fn shown(&self, options: &FindOptions) -> Vec<(&'static str, Value)> {
        let (mut recall, mut num_perm, mut bands) = (None, None, None);
        let (mut distance, mut verify) = (None, None);
        let or =
            |typed: &Option<String>, default: String| typed.clone().or(Some(default));
        let name = match self.method {
            Method::Exact => "exact",
            Method::MinHash(used) => {
                bands = Some(used.to_string());
                if options.bands.is_none() {
                    recall = or(&options.recall, DEFAULT_RECALL.to_owned());
                    num_perm = or(&options.num_perm, DEFAULT_VALUES.to_string());
                }
                "minhash"
            }
            Method::Simhash(hamming) => {
                distance = Some(hamming.distance);
                verify = Some(!hamming.verified);
                "simhash"
            }
            Method::IMatch => {
                verify = Some(options.no_verify);
                "imatch"
            }
        };
        let imatch = self.lexicons.map(|settings| settings.to_string());
        let (method, filter) = match (self.method, imatch) {
            (Method::IMatch, Some(settings)) => (settings, None),
            (_, filter) => (name.to_owned(), filter),
        };
        let table = options.df_table.clone().unwrap_or(COLLECTION.to_owned());
        let table = self.lexicons.map(|_| table);
        let codes = self.codes.as_ref();
        let reserve = codes.and_then(|codes| codes.reserve.as_ref());
        vec![
            ("method", json!(method)),
            ("recall", json!(recall)),
            ("bands", json!(bands)),
            ("num-perm", json!(num_perm)),
            ("distance", json!(distance)),
            ("no-verify", json!(verify)),
            (
                "variant",
                json!(codes.map(|codes| codes.variant.to_string())),
            ),
            ("idf", json!(codes.map(|codes| codes.idf.to_string()))),
            (
                "df-table",
                json!(codes.and_then(CodeOptions::table_name).or(table.as_deref())),
            ),
            ("signature-filter", json!(filter)),
            ("signature-distance", json!(self.signature_distance())),
            (
                "reserve",
                json!(reserve.map(|one| format!("{}:{}", one.field, one.bits))),
            ),
        ]
    }
}
