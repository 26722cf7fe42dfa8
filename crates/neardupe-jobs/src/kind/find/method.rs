//! The method and what belongs to it.

use super::codes::{COLLECTION, CodeOptions, TypedCodes, df_source};
use super::spec::FindSpec;
use crate::param::{OrNone, Params};
use crate::spec::{MethodChoice, MethodSpec};
use neardupe_core::candidate::bitmap::MOST_KEYS;
use neardupe_core::error::{Error, Result};
use neardupe_core::feature::{FeatureKind, FeatureSpec, Sampling};
use neardupe_core::pipeline::codes::LexiconPlan;
use neardupe_core::pipeline::config::resemblance_at;
use neardupe_core::pipeline::{Hamming, Method};
use neardupe_core::signature::bands::DEFAULT_VALUES;
use neardupe_core::signature::{Bands, IMatchSettings};
use neardupe_core::similarity::Similarity;
use neardupe_core::text::WordOptions;
use neardupe_core::threshold::Threshold;

/// What `recall` is when bands are chosen.
pub(super) const DEFAULT_RECALL: f64 = 0.99;
/// What `distance` is unless given: the choice of Manku and others for the web.
const DEFAULT_DISTANCE: u32 = 3;

/// What was asked for.
pub(super) struct Asked {
    pub(super) choice: MethodChoice,
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
    /// The signature filter that is measured with `compare-filters`, and the keys a pair must share.
    pub(super) compared: Option<(IMatchSettings, u32)>,
}

/// Parameters that belong to some methods.
const OF_METHODS: [(&str, &[&str]); 9] = [
    ("recall", &["minhash"]),
    ("bands", &["minhash"]),
    ("num-perm", &["minhash"]),
    ("distance", &["simhash"]),
    ("no-verify", &["simhash", "imatch"]),
    ("variant", &["simhash"]),
    ("idf", &["simhash"]),
    ("df-table", &["simhash", "imatch"]),
    ("reserve", &["simhash"]),
];

/// Refuses parameters of other methods.
fn check_foreign(spec: &MethodSpec, method: &str) -> Result<()> {
    // The signature filter needs a table, too.
    let is_filtered = matches!(spec.signature_filter, Some(OrNone::This(_)))
        || spec.compare_filters == Some(true);
    for (param, methods) in OF_METHODS {
        let is_given = match param {
            // To ask for what is done anyway is no mistake.
            "no-verify" => spec.no_verify == Some(true),
            "df-table" => spec.df_table.is_some() && !is_filtered,
            _ => spec.is_set(param),
        };
        if is_given && !methods.contains(&method) {
            let needed: Vec<String> = methods
                .iter()
                .map(|name| format!("`method {name}`"))
                .collect();
            let message = format!("needs {}", needed.join(" or "));
            return Err(Error::config(param, message));
        }
    }
    Ok(())
}

/// Features that are compared unless others are asked for.
pub(super) fn default_features(spec: &MethodSpec) -> &'static str {
    match spec.method {
        Some(MethodChoice::Simhash) => "words:3+5",
        _ => "words:5",
    }
}

/// The method that was asked for, and what follows from it.
pub(super) fn resolve(
    spec: &FindSpec,
    features: FeatureKind,
    sampling: &Sampling,
) -> Result<Asked> {
    let wrong = |param: &str, message: &str| Err(Error::config(param, message));
    let (given, similar) = (&spec.method, &spec.similarity);
    let choice = given.method.unwrap_or_default();
    let name = choice.name();
    check_foreign(given, name)?;
    check_adaptive(spec, name, sampling)?;
    let mut asked = Asked {
        choice,
        method: Method::Exact,
        similarity: similarity(similar.similarity.unwrap_or_default(), sampling)?,
        threshold: similar.threshold.unwrap_or_default(),
        min_overlap: similar.min_overlap.map_or(1, |number| number.u32()),
        codes: None,
        lexicons: None,
        needed_keys: None,
        compared: None,
    };
    let compares_filters = given.compare_filters == Some(true);
    let no_verify = given.no_verify == Some(true);
    if compares_filters {
        if name != "exact" {
            let message = "needs `method exact`: the others have no such filters";
            return wrong("compare-filters", message);
        }
        if sampling.commonality.is_some() {
            let message = "with `sample commonality` features are left out after they were \
                           counted, and filters are compared before";
            return wrong("compare-filters", message);
        }
        if sampling.smallest.is_some() {
            let message = "with `sample smallest` similarity is estimated, and plain counting \
                           would count something else";
            return wrong("compare-filters", message);
        }
    }
    if let Some(OrNone::This(settings)) = given.signature_filter {
        if name != "exact" {
            return wrong("signature-filter", "needs `method exact`");
        }
        let needed = needed_keys(settings, given)?;
        (asked.lexicons, asked.needed_keys) = (Some(settings), Some(needed));
        asked.compared = compares_filters.then_some((settings, needed));
    } else if compares_filters {
        let settings: IMatchSettings = "imatch".parse()?;
        asked.compared = Some((settings, needed_keys(settings, given)?));
    } else if given.signature_distance.is_some() {
        return wrong("signature-distance", "needs `signature-filter`");
    }
    if no_verify && asked.min_overlap > 1 {
        return wrong("min-overlap", "with `no-verify` no features are compared");
    }
    if name == "exact" {
        return Ok(asked);
    }
    if sampling.commonality.is_some() {
        let message = "with `sample commonality` features are left out after all were counted, \
                       and signatures are made before; take `sample mod` or `method exact`";
        return wrong("method", message);
    }
    if asked.similarity == Similarity::Containment {
        let message = format!("{name} tells nothing of containment; take `method exact`");
        return wrong("method", &message);
    }
    match choice {
        MethodChoice::Exact => {}
        MethodChoice::MinHash => {
            let resemblance = resemblance_at(asked.similarity, asked.threshold);
            asked.method = Method::MinHash(bands_of(given, resemblance)?);
        }
        MethodChoice::IMatch(settings) => {
            asked.lexicons = Some(settings);
            asked.method = Method::IMatch;
            if no_verify {
                // A pair with a key in common has a word in common.
                let least = Threshold::new(1, 1_000_000)
                    .ok_or_else(|| Error::Internal("no such threshold".to_owned()))?;
                let is_other =
                    similar.threshold.is_some_and(|given| !given.equals(least));
                if is_other {
                    let message = "with `no-verify` a key in common is enough";
                    return wrong("threshold", message);
                }
                asked.threshold = least;
            }
        }
        MethodChoice::Simhash => {
            let distance = given
                .distance
                .map_or(DEFAULT_DISTANCE, |number| number.u32());
            asked.codes = Some(CodeOptions::resolve(
                TypedCodes {
                    variant: given.variant.as_deref(),
                    idf: given.idf,
                    df_table: given.df_table.as_deref(),
                    reserve: given.reserve.as_deref(),
                },
                features,
                spec.metadata
                    .meta_key
                    .as_ref()
                    .is_some_and(|keys| !keys.is_empty()),
            )?);
            if no_verify {
                if *sampling != Sampling::default() {
                    return wrong("sample", "with `no-verify` codes alone are compared");
                }
                // Of the bits of two codes as many agree as their sets have in common.
                let (measure, least) = (Similarity::S3, share_of_bits(distance)?);
                let follows = "with `no-verify` it follows from `distance`; `verify` compares features \
                               too";
                if similar.threshold.is_some_and(|given| !given.equals(least)) {
                    return wrong("threshold", follows);
                }
                if similar.similarity.is_some_and(|given| given != measure) {
                    return wrong("similarity", follows);
                }
                (asked.similarity, asked.threshold) = (measure, least);
            }
            asked.method = Method::Simhash(Hamming {
                distance,
                verified: !no_verify,
            });
        }
    }
    Ok(asked)
}

/// The share of bits in which near codes agree.
fn share_of_bits(distance: u32) -> Result<Threshold> {
    Threshold::new(u64::from(64 - distance), 64)
        .ok_or_else(|| Error::Internal("a distance beyond 64".to_owned()))
}

/// Refuses what adaptive sampling cannot be combined with.
fn check_adaptive(spec: &FindSpec, method: &str, sampling: &Sampling) -> Result<()> {
    if sampling.adaptive.is_none() {
        return Ok(());
    }
    let wrong = |param: &str, message: &str| Err(Error::config(param, message));
    for (rule, given) in [
        ("mod", sampling.modulus.is_some()),
        ("smallest", sampling.smallest.is_some()),
        ("commonality", sampling.commonality.is_some()),
    ] {
        if given {
            let message = format!("{rule} cannot be combined with adaptive");
            return wrong("sample", &message);
        }
    }
    let others = "with `sample adaptive` sizes depend on both documents of a pair; ";
    if method != "exact" {
        return wrong("method", &format!("{others}take exact"));
    }
    if spec.similarity.similarity == Some(Similarity::Containment) {
        return wrong("similarity", &format!("{others}take resemblance or s3"));
    }
    let has_filter = matches!(spec.method.signature_filter, Some(OrNone::This(_)));
    for (param, given) in [
        ("signature-filter", has_filter),
        ("compare-filters", spec.method.compare_filters == Some(true)),
    ] {
        if given {
            return wrong(param, &format!("{others}leave it out"));
        }
    }
    Ok(())
}

/// How similarity is measured: from the smallest features of two documents it is estimated.
fn similarity(asked: Similarity, sampling: &Sampling) -> Result<Similarity> {
    let wrong = |message: String| Err(Error::config("similarity", message));
    match (sampling.smallest, asked) {
        (Some(most), Similarity::Resemblance) => Ok(Similarity::Estimate(most)),
        // As a result has it.
        (Some(most), Similarity::Estimate(of)) if most == of => Ok(asked),
        (Some(_), Similarity::Containment | Similarity::S3) => wrong(format!(
            "{asked} cannot be estimated from the smallest features of two documents; take \
             resemblance, or `sample mod`"
        )),
        (_, Similarity::Estimate(most)) => {
            wrong(format!("{asked} needs `sample smallest:{most}`"))
        }
        (None, _) => Ok(asked),
    }
}

/// Most values of a signature when bands are chosen.
pub(super) fn most_values(spec: &MethodSpec) -> u32 {
    spec.num_perm.map_or(DEFAULT_VALUES, |number| number.u32())
}

/// The bands of MinHash. What follows from them may be given too, as in a summary, if it does.
fn bands_of(spec: &MethodSpec, resemblance: f64) -> Result<Bands> {
    let recall = spec
        .recall
        .as_ref()
        .map_or(DEFAULT_RECALL, |recall| recall.value);
    let chosen = Bands::for_threshold(resemblance, recall, most_values(spec));
    let Some(bands) = spec.bands else {
        return chosen;
    };
    let params = [
        ("recall", spec.recall.is_some()),
        ("num-perm", spec.num_perm.is_some()),
    ];
    let given = params.into_iter().find(|(_, given)| *given);
    match given {
        Some((param, _)) if chosen.ok() != Some(bands) => {
            Err(Error::config(param, "follows from `bands`"))
        }
        _ => Ok(bands),
    }
}

/// Keys that a pair must share to pass a signature filter.
fn needed_keys(settings: IMatchSettings, spec: &MethodSpec) -> Result<u32> {
    let keys = settings.num_lexicons() + 1;
    let most = u32::try_from(MOST_KEYS).unwrap_or(u32::MAX);
    if keys > most {
        let message = format!("has {keys} keys, and a filter looks at {most} at most");
        return Err(Error::config("signature-filter", message));
    }
    match spec.signature_distance.map(|number| number.u32()) {
        None => Ok(1),
        Some(distance) if distance < keys => Ok(keys - distance),
        Some(distance) => {
            let message = format!(
                "\"{distance}\" is not a whole number from 0 to {}",
                keys - 1
            );
            Err(Error::config("signature-distance", message))
        }
    }
}

impl Asked {
    /// How keys of I-Match will be made.
    pub(super) fn lexicon_plan(
        &self,
        spec: &FindSpec,
        words: &WordOptions,
        seed: u64,
    ) -> Result<Option<LexiconPlan>> {
        let compared = self.compared.map(|(settings, _)| settings);
        let Some(settings) = self.lexicons.or(compared) else {
            return Ok(None);
        };
        let table = spec.method.df_table.as_deref().unwrap_or(COLLECTION);
        let specification = FeatureSpec::new(FeatureKind::Terms, words, seed);
        Ok(Some(LexiconPlan {
            settings,
            words: words.clone(),
            seed,
            df: df_source(table, &specification)?,
        }))
    }

    /// Keys in which two documents may differ to pass the signature filter.
    pub(super) fn signature_distance(&self) -> Option<u32> {
        Some(self.lexicons?.num_lexicons() + 1 - self.needed_keys?)
    }
}
