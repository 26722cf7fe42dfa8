//! `--method` and what belongs to it.

use super::super::codes::{CodeOptions, TypedCodes};
use super::options::FindOptions;
use crate::options::whole_number;
use anyhow::Result;
use neardupe_core::error::Error;
use neardupe_core::feature::{FeatureKind, Sampling};
use neardupe_core::pipeline::config::resemblance_at;
use neardupe_core::pipeline::{Hamming, Method};
use neardupe_core::signature::Bands;
use neardupe_core::signature::bands::{DEFAULT_VALUES, MAX_VALUES};
use neardupe_core::similarity::Similarity;
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
    /// How simhashes are made.
    pub(super) codes: Option<CodeOptions>,
}

/// Options that belong to one method.
fn given(options: &FindOptions) -> [(&'static str, &'static str, bool); 9] {
    [
        ("minhash", "--recall", options.recall.is_some()),
        ("minhash", "--bands", options.bands.is_some()),
        ("minhash", "--num-perm", options.num_perm.is_some()),
        ("simhash", "--distance", options.distance.is_some()),
        ("simhash", "--no-verify", options.no_verify),
        ("simhash", "--variant", options.variant.is_some()),
        ("simhash", "--idf", options.idf.is_some()),
        ("simhash", "--df-table", options.df_table.is_some()),
        ("simhash", "--reserve", options.reserve.is_some()),
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
    sampling: Sampling,
) -> Result<Asked> {
    let wrong = |flag: &str, message: &str| Err(Error::config(flag, message).into());
    let name = options.method.as_deref().unwrap_or("exact");
    if !["exact", "minhash", "simhash"].contains(&name) {
        let message = format!("{name:?} is not one of exact, minhash, simhash");
        return wrong("--method", &message);
    }
    let foreign = given(options)
        .into_iter()
        .find(|(of, _, given)| *given && *of != name);
    if let Some((of, flag, _)) = foreign {
        return wrong(flag, &format!("needs --method {of}"));
    }
    let text = |value: &Option<String>, default: &str| {
        value.clone().unwrap_or_else(|| default.to_owned())
    };
    let mut asked = Asked {
        method: Method::Exact,
        similarity: text(&options.similarity, "resemblance").parse()?,
        threshold: text(&options.threshold, "0.8").parse()?,
        codes: None,
    };
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
        if sampling != Sampling::default() {
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

impl Asked {
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
        };
        let codes = self.codes.as_ref();
        let reserve = codes.and_then(|codes| codes.reserve.as_ref());
        vec![
            ("method", json!(name)),
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
            ("df-table", json!(codes.and_then(CodeOptions::table_name))),
            (
                "reserve",
                json!(reserve.map(|one| format!("{}:{}", one.field, one.bits))),
            ),
        ]
    }
}
