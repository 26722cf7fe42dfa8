//! The definition of words, obviously right and slow: the whole text is normalised at once,
//! and nothing is kept from word to word.

use super::language::LanguageOf;
use super::stem::stem;
use super::{Segmenter, WordOptions, WordRule, dictionary};

/// All words of a text by the simple rule, normalised and folded.
pub fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    Segmenter::default().words(text, |word| words.push(word.to_owned()));
    words
}

/// All words of a text by the segmented rule.
pub fn segmented_words(text: &str) -> Vec<String> {
    let language = LanguageOf::new(text);
    let mut words = Vec::new();
    Segmenter::default().runs(text, |run, script| match script {
        None => words.push(run.to_owned()),
        Some(script) => dictionary::cut(run, script, &language, |word| {
            words.push(word.to_owned());
        }),
    });
    words
}

/// The words of a text by `rule` that are no stop words, as stems.
pub fn chosen_words(text: &str, rule: WordRule, options: &WordOptions) -> Vec<String> {
    choose(text, rule, options, |_| false)
}

/// The same, but antecedents stay as they are.
pub fn spot_words(text: &str, rule: WordRule, options: &WordOptions) -> Vec<String> {
    choose(text, rule, options, |word| {
        options.antecedents.contains(word)
    })
}

fn choose(
    text: &str,
    rule: WordRule,
    options: &WordOptions,
    stays: impl Fn(&str) -> bool,
) -> Vec<String> {
    let mut chosen = match rule {
        WordRule::Simple => words(text),
        WordRule::Segmented => segmented_words(text),
    };
    let language = LanguageOf::new(text);
    if let Some(list) = options.stop_words.list(&language) {
        chosen.retain(|word| stays(word) || !list.contains(word));
    }
    if let Some(algorithm) = options.stem.algorithm(&language) {
        for word in chosen.iter_mut().filter(|word| !stays(word)) {
            *word = stem(algorithm, word);
        }
    }
    chosen
}
