//! `--method` and what belongs to it.

use super::options::FindOptions;
use crate::options::whole_number;
use anyhow::Result;
use neardupe_core::error::Error;
use neardupe_core::pipeline::Method;
use neardupe_core::pipeline::config::resemblance_at;
use neardupe_core::signature::Bands;
use neardupe_core::signature::bands::{DEFAULT_VALUES, MAX_VALUES};
use neardupe_core::similarity::Similarity;
use neardupe_core::threshold::Threshold;

/// The method that was asked for.
pub(super) fn resolve(
    options: &FindOptions,
    similarity: Similarity,
    threshold: Threshold,
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
    let recall = match options.recall.as_deref() {
        None => 0.99,
        Some(typed) => match typed.parse::<f64>() {
            Ok(recall) if recall > 0.0 && recall < 1.0 => recall,
            _ => {
                let message = format!("{typed:?} is not a number above 0 and below 1");
                return wrong("--recall", message);
            }
        },
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
