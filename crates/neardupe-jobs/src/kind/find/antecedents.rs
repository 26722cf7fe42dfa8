//! `antecedents`: the words at which spot signatures are taken, from a list or counted in the input.

use super::job::FindJob;
use crate::param::{ParamValue, Within, of_param};
use neardupe_core::document::{Progress, Source};
use neardupe_core::error::{Error, Result};
use neardupe_core::feature::FeatureKind;
use neardupe_core::pipeline::frequent::frequent_words;
use neardupe_core::text::Antecedents;
use std::path::Path;

/// The name of the list that comes with the program.
pub(super) const PUBLISHED: &str = "published";
/// Most words that can be asked for by their frequency; far more than any use has.
const MAX_COUNTED: u64 = 1_000_000;

/// The antecedents that were asked for: a list, or how many are counted.
#[derive(Default)]
pub(super) struct ChosenAntecedents {
    /// The list; the published one until others are counted.
    pub(super) list: Antecedents,
    /// So many of the most frequent words will be counted.
    pub(super) to_count: Option<usize>,
}

/// Reads the parameter: a name, a number, or a file, in this order; a file called `60` is given as `./60`.
pub(super) fn resolve(
    typed: Option<&str>,
    features: FeatureKind,
) -> Result<ChosenAntecedents> {
    let wrong = |message: String| Error::config("antecedents", message);
    let Some(typed) = typed else {
        return Ok(ChosenAntecedents::default());
    };
    if !features.uses_antecedents() {
        return Err(wrong("needs `features spotsigs`".to_owned()));
    }
    if typed == PUBLISHED {
        return Ok(ChosenAntecedents::default());
    }
    if !typed.is_empty() && typed.bytes().all(|byte| byte.is_ascii_digit()) {
        let num = Within::<1, MAX_COUNTED>::from_text(typed)
            .map_err(|error| of_param("antecedents", error))?;
        return Ok(ChosenAntecedents {
            to_count: Some(num.usize()),
            ..ChosenAntecedents::default()
        });
    }
    let path = Path::new(typed);
    if !path.is_file() {
        let message = format!(
            "{typed:?} is not {PUBLISHED}, a number of words, or a file that is there"
        );
        return Err(wrong(message));
    }
    let bytes = std::fs::read(path).map_err(|error| Error::io(path, error))?;
    let lines =
        String::from_utf8(bytes).map_err(|_| wrong(format!("{typed:?} is not UTF-8")))?;
    Ok(ChosenAntecedents {
        list: Antecedents::from_lines(typed, &lines)?,
        to_count: None,
    })
}

/// Whether the antecedents are not known yet.
pub(crate) fn counts_antecedents(job: &FindJob) -> bool {
    job.to_count.is_some()
}

/// Counts the most frequent words of the input, if they were asked for: that reads it once
/// before the job does.
pub(crate) fn count_antecedents(
    job: &mut FindJob,
    source: &dyn Source,
    progress: &dyn Progress,
) -> Result<()> {
    // Not asked for, or counted already.
    let Some(num) = job.to_count else {
        return Ok(());
    };
    if source.origins()?.is_none() {
        let message = "the most frequent words are counted first, and standard input and \
                       pipes can be read only once; name files, or a list of words";
        return Err(Error::config("antecedents", message));
    }
    let config = &mut job.config;
    // Counted by the rule of words that features will use, or the list would have words that
    // never occur.
    let rule = config.features.word_rule(&config.words);
    let counted = frequent_words(source, num, rule, config.threads, progress)?;
    // A large input is sampled: the list is then nearly, not exactly, the most frequent words.
    if counted.one_in > 1 {
        progress.note(&format!(
            "the {num} most frequent words were counted in one document of {}",
            counted.one_in
        ));
    }
    // From here on the list is one that was given: it is recorded, and a resumed job has it in its
    // identity.
    config.words.antecedents = Antecedents::of_words(counted.words);
    job.to_count = None;
    Ok(())
}

/// Refuses to count where there is no collection: two documents, or those of a result.
pub(crate) fn check_antecedents(job: &FindJob) -> Result<()> {
    match job.to_count {
        None => Ok(()),
        Some(_) => {
            let message = "there is no collection here whose words could be counted; \
                           name a list, such as antecedents.txt of a result";
            Err(Error::config("antecedents", message))
        }
    }
}
