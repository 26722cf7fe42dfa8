//! `--method` and what belongs to it.

use super::options::FindOptions;
use crate::options::whole_number;
use anyhow::Result;
use neardupe_core::error::Error;
use neardupe_core::feature::Sampling;
use neardupe_core::pipeline::Method;
use neardupe_core::pipeline::config::resemblance_at;
use neardupe_core::signature::Bands;
use neardupe_core::signature::bands::{DEFAULT_VALUES, MAX_VALUES};
use neardupe_core::similarity::Similarity;
use neardupe_core::threshold::Threshold;

/// What `--recall` is when bands are chosen.
const DEFAULT_RECALL: &str = "0.99";

/// The method that was asked for.
pub(super) fn resolve(
    options: &FindOptions,
    similarity: Similarity,
    threshold: Threshold,
    sampling: Sampling,
) -> Result<Method> {
    let wrong = |flag: &str, message: String| Err(Error::config(flag, message).into());
    let name = options.method.as_deref().unwrap_or("exact");
    if name == "exact" {
        let given = [
            ("--recall", &options.recall),
            ("--bands", &options.bands),
            ("--num-perm", &options.num_perm),
        ];
        return match given.iter().find(|(_, value)| value.is_some()) {
            Some((flag, _)) => wrong(flag, "needs --method minhash".to_owned()),
            None => Ok(Method::Exact),
        };
    }
    if name != "minhash" {
        return wrong("--method", format!("{name:?} is not one of exact, minhash"));
    }
    if sampling.commonality.is_some() {
        let message = "with --sample commonality features are left out after all were counted, \
                       and signatures are made before; take --sample mod or --method exact";
        return wrong("--method", message.to_owned());
    }
    if similarity == Similarity::Containment {
        let message = "minhash tells nothing of containment; take --method exact";
        return wrong("--method", message.to_owned());
    }
    if let Some(bands) = &options.bands {
        for (flag, value) in [
            ("--recall", &options.recall),
            ("--num-perm", &options.num_perm),
        ] {
            if value.is_some() {
                return wrong(flag, "follows from --bands".to_owned());
            }
        }
        return Ok(Method::MinHash(bands.parse()?));
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
    let threshold = resemblance_at(similarity, threshold);
    Ok(Method::MinHash(Bands::for_threshold(
        threshold, recall, most,
    )?))
}

/// `--recall` and `--num-perm` as they were used; none where bands were given.
pub(super) fn chosen_by(
    options: &FindOptions,
    method: Method,
) -> (Option<String>, Option<String>) {
    if method == Method::Exact || options.bands.is_some() {
        return (None, None);
    }
    let or = |typed: &Option<String>, default: String| typed.clone().or(Some(default));
    (
        or(&options.recall, DEFAULT_RECALL.to_owned()),
        or(&options.num_perm, DEFAULT_VALUES.to_string()),
    )
}

/// The name of a method.
pub(super) fn name(method: Method) -> &'static str {
    match method {
        Method::Exact => "exact",
        Method::MinHash(_) => "minhash",
    }
}

/// The bands of a method, if it has any.
pub(super) fn bands(method: Method) -> Option<String> {
    match method {
        Method::Exact => None,
        Method::MinHash(bands) => Some(bands.to_string()),
    }
}
