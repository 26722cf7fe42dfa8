//! Beginnings of ids, as they can be typed after other commands.

use anyhow::Result;
use neardupe_jobs::param::ParamValue;
use neardupe_jobs::truth::Between;

/// Beginnings of ids, as typed.
pub(in super::super) fn between(typed: &str) -> Result<Between> {
    Ok(Between::from_text(typed)?)
}
