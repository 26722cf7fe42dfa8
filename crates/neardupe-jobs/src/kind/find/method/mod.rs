//! The methods of `find`: the parameters and rules of each, and what summaries and the catalogue say
//! about it.
//!
//! A method is one file that implements [`JobMethod`] and one line of `METHODS`; what it computes is
//! one file of the core (`pipeline/method`). Both lists have the same names in the same order (a test
//! here).

mod exact;
mod imatch;
mod minhash;
mod simhash;
mod weighted;

use super::codes::{COLLECTION, CodeOptions, df_source};
use super::spec::FindSpec;
use crate::kind::methods::CatalogueMethod;
use crate::param::{OrNone, ParamValue, Params};
use crate::spec::{MethodChoice, MethodSpec};
use crate::summary::MethodSummary;
use neardupe_core::candidate::bitmap::MOST_KEYS;
use neardupe_core::error::{Error, Result};
use neardupe_core::eval::interval::Proportion;
use neardupe_core::feature::{FeatureKind, FeatureSpec, Sampling};
use neardupe_core::pipeline::codes::{DfPlan, LexiconPlan};
use neardupe_core::pipeline::recall::Recall;
use neardupe_core::pipeline::{FindConfig, Method};
use neardupe_core::signature::IMatchSettings;
use neardupe_core::similarity::Similarity;
use neardupe_core::text::WordOptions;
use neardupe_core::threshold::Threshold;
use serde_json::Value;

/// All methods, in the order of the core.
static METHODS: [&dyn JobMethod; 5] = [
    &exact::Exact,
    &minhash::MinHash,
    &simhash::Simhash,
    &imatch::IMatch,
    &weighted::WeightedMinHash,
];

/// What a job knows of a method.
pub(super) trait JobMethod: Sync {
    /// The name that the core has for it, and users type.
    fn name(&self) -> &'static str;

    /// Parameters that belong to it. A parameter that no method lists belongs to all; one that others
    /// list is refused with this method.
    fn params(&self) -> &'static [&'static str];

    /// Features that are compared unless others are asked for.
    fn default_features(&self) -> &'static str {
        "words:5"
    }

    /// Fills in how it will be done, and refuses what it cannot do. Similarity and threshold are those
    /// that were given, until a method sets others; sampling by commonality and containment are refused
    /// before.
    fn resolve(&self, given: &Given<'_>, asked: &mut Asked) -> Result<()>;

    /// The reason why the features of a job cannot be kept to be searched, if there is one.
    fn cannot_keep_work(&self) -> Option<&'static str> {
        None
    }

    /// The reason why a result cannot be explained by features, if there is one.
    fn cannot_explain(&self) -> Option<&'static str> {
        None
    }

    /// Fills in the parameters as they are used, for the description of the job.
    fn complete(&self, asked: &Asked, given: &MethodSpec, spec: &mut MethodSpec);

    /// Fills in what the summary says about it; None when the summary has no section for it.
    fn summarize(&self, config: &FindConfig, summary: &mut MethodSummary) -> Option<()>;

    /// Its entries in the catalogue of methods (`neardupe methods`, `docs/map.md`): one for each way to
    /// use it.
    fn catalogue(&self) -> &'static [CatalogueMethod];
}

/// What a method is given to decide by.
pub(super) struct Given<'a> {
    /// The description of the job.
    pub(super) spec: &'a FindSpec,
    /// What is compared.
    pub(super) features: FeatureKind,
    /// Which of these features.
    pub(super) sampling: &'a Sampling,
}

/// The method of this name.
fn method_of(name: &str) -> &'static dyn JobMethod {
    let found = METHODS.iter().find(|method| method.name() == name);
    // A name always is one of the core's, and a test holds that all of those are here.
    *found.unwrap_or(&METHODS[0])
}

/// Refuses to explain by features a result that was compared by something else. `method` is the
/// parameter as the result has it.
pub(crate) fn check_explainable(method: Option<&Value>) -> Result<()> {
    let Some(method) = method.and_then(|method| MethodChoice::from_json(method).ok())
    else {
        return Ok(());
    };
    match method_of(method.name()).cannot_explain() {
        None => Ok(()),
        Some(reason) => Err(Error::input("the result", reason)),
    }
}

/// The entries of all methods in the catalogue.
pub(crate) fn method_catalogue() -> Vec<&'static CatalogueMethod> {
    METHODS
        .iter()
        .flat_map(|method| method.catalogue())
        .collect()
}

/// What a summary says about the method of a job; nothing about the exact one without a signature filter.
pub(super) fn summarize(
    config: &FindConfig,
    recall: Option<Recall>,
) -> Option<MethodSummary> {
    let measured = |recall: Recall| Proportion::of(recall.found, recall.pairs);
    let method = method_of(config.method.name());
    let mut summary = MethodSummary {
        name: method.name().into(),
        threshold: config.resemblance(),
        sample: recall,
        measured: recall.and_then(measured),
        ..MethodSummary::default()
    };
    method.summarize(config, &mut summary)?;
    Some(summary)
}

/// What was asked for, as the method will do it. Filled in step by step: first what holds for every
/// method, then by [`JobMethod::resolve`].
pub(super) struct Asked {
    /// The method with its settings, as typed.
    pub(super) choice: MethodChoice,
    /// The method for the core; exact until it was resolved.
    pub(super) method: Method,
    /// How similarity is measured, which a method may decide: codes alone are compared by the share of
    /// equal bits.
    pub(super) similarity: Similarity,
    /// The smallest similarity, which may follow from the distance of codes.
    pub(super) threshold: Threshold,
    /// Features that a pair must have in common.
    pub(super) min_overlap: u32,
    /// How simhashes are made.
    pub(super) codes: Option<CodeOptions>,
    /// Keys of I-Match, by which pairs are found or filtered.
    pub(super) lexicons: Option<IMatchSettings>,
    /// The table by which a method weighs features, as typed.
    pub(super) df_table: Option<String>,
    /// Keys that a pair must share to pass the signature filter.
    pub(super) needed_keys: Option<u32>,
    /// The signature filter that is measured with `compare-filters`, and the keys a pair must share.
    pub(super) compared: Option<(IMatchSettings, u32)>,
}

/// Refuses parameters of other methods: without that a typed `bands` would be ignored in silence.
fn check_foreign(spec: &MethodSpec, method: &str) -> Result<()> {
    // The signature filter needs a table, too.
    let is_filtered = matches!(spec.signature_filter, Some(OrNone::This(_)))
        || spec.compare_filters == Some(true);
    // Several methods list the same parameter; the message names all of them, once.
    let all = METHODS.iter().flat_map(|method| method.params());
    let mut params: Vec<&str> = Vec::new();
    for &param in all {
        if !params.contains(&param) {
            params.push(param);
        }
    }
    for param in params {
        let takes = |one: &&&dyn JobMethod| one.params().contains(&param);
        let methods = METHODS.iter().filter(takes).map(|one| one.name());
        let methods: Vec<&str> = methods.collect();
        let is_given = match param {
            // A value that says what is done anyway is accepted.
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
    method_of(spec.method.unwrap_or_default().name()).default_features()
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
    // Foreign parameters first: their message is clearer than any that follows from them.
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
        df_table: None,
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
    // The overlap is a number of features, and none are looked at.
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
        let message = format!("{name} cannot measure containment; use `method exact`");
        return wrong("method", &message);
    }
    // What is left is for the method itself.
    let given = Given {
        spec,
        features,
        sampling,
    };
    method_of(name).resolve(&given, &mut asked)?;
    Ok(asked)
}

/// Refuses options that cannot be combined with adaptive sampling: two documents of different size are
/// compared on the features of the sparser sample, so a set has another size for each partner, and
/// whatever has one size or one signature for each document is out.
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

/// How similarity is measured. With `sample smallest` it is estimated from the smallest features of two
/// documents, which works for resemblance alone.
fn similarity(asked: Similarity, sampling: &Sampling) -> Result<Similarity> {
    let wrong = |message: String| Err(Error::config("similarity", message));
    match (sampling.smallest, asked) {
        (Some(most), Similarity::Resemblance) => Ok(Similarity::Estimate(most)),
        // As the summary of such a job has it.
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

/// Keys that a pair must share to pass a signature filter: one, unless a distance is given. A document
/// has one key of all its terms, and one of each lexicon.
fn needed_keys(settings: IMatchSettings, spec: &MethodSpec) -> Result<u32> {
    let keys = settings.num_lexicons() + 1;
    // The filter has room for so many in each posting.
    if keys as usize > MOST_KEYS {
        let message =
            format!("has {keys} keys, and a filter looks at {MOST_KEYS} at most");
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
    /// The reason why features cannot be kept to be searched, if there is one.
    pub(super) fn cannot_keep_work(&self) -> Option<&'static str> {
        method_of(self.choice.name()).cannot_keep_work()
    }

    /// The parameters of the method, filled in.
    pub(super) fn complete(&self, given: &MethodSpec, spec: &mut MethodSpec) {
        method_of(self.choice.name()).complete(self, given, spec);
    }

    /// The frequencies by which the method weighs features: where they will come from.
    pub(super) fn df_plan(
        &self,
        features: FeatureKind,
        words: &WordOptions,
        seed: u64,
    ) -> Result<Option<DfPlan>> {
        let Some(table) = &self.df_table else {
            return Ok(None);
        };
        let specification = FeatureSpec::new(features, words, seed);
        Ok(Some(DfPlan {
            features,
            words: words.clone(),
            seed,
            df: df_source(table, &specification)?,
        }))
    }

    /// How keys of I-Match will be made.
    pub(super) fn lexicon_plan(
        &self,
        spec: &FindSpec,
        words: &WordOptions,
        seed: u64,
    ) -> Result<Option<LexiconPlan>> {
        // Keys that are only compared are made like those that are used.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_of_the_core_is_here_in_its_order() {
        let names: Vec<&str> = METHODS.iter().map(|method| method.name()).collect();
        assert_eq!(names, Method::NAMES);
        for method in METHODS {
            let listed = method.catalogue().iter().map(|entry| entry.options);
            let typed = format!("--method {}", method.name());
            let is_listed =
                |options: &str| options.starts_with(&typed) || options.is_empty();
            assert!(
                { listed }.any(is_listed),
                "{} is in no catalogue",
                method.name()
            );
            let features = method.default_features();
            assert!(features.parse::<FeatureKind>().is_ok(), "{features}");
            for param in method.params() {
                let known = MethodSpec::infos().iter().any(|info| info.name == *param);
                assert!(known, "{param} is not a parameter");
            }
        }
    }
}
