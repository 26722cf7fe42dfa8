//! The definition of words, obviously right and slow: the whole text is normalized at once,
//! and nothing is kept from word to word.

use super::language::LanguageOf;
use super::stem::stem;
use super::{ChainWords, Segmenter, WordOptions, WordRule, dictionary};

/// All words of a text by the simple rule, normalized and folded.
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

/// The words of a text by `rule` that are not stop words, as stems.
pub fn chosen_words(text: &str, rule: WordRule, options: &WordOptions) -> Vec<String> {
    chosen_words_of(text, text, rule, options)
}

/// The same of a piece of a text, which has the language of the text.
pub fn chosen_words_of(
    piece: &str,
    text: &str,
    rule: WordRule,
    options: &WordOptions,
) -> Vec<String> {
    let mut chosen = all_words(piece, rule);
    let language = LanguageOf::new(text);
    if let Some(list) = options.stop_words.list(&language) {
        chosen.retain(|word| !list.contains(word));
    }
    if let Some(algorithm) = options.stem.algorithm(&language) {
        for word in &mut chosen {
            *word = stem(algorithm, word);
        }
    }
    chosen
}

/// The same, but antecedents are kept as they are: each word with whether it can stand in a chain.
pub fn spot_words(
    text: &str,
    rule: WordRule,
    options: &WordOptions,
) -> Vec<(String, bool)> {
    let chain_words = ChainWords::new(options);
    let language = LanguageOf::new(text);
    let stop_list = options.stop_words.list(&language);
    let stemmer = options.stem.algorithm(&language);
    let mut words = Vec::new();
    for word in all_words(text, rule) {
        let is_antecedent = options.antecedents.contains(&word);
        let is_stop_word = chain_words.skips_word(&word)
            || (!is_antecedent && stop_list.is_some_and(|list| list.contains(&word)));
        let word = match stemmer {
            Some(algorithm) if !is_antecedent && !is_stop_word => stem(algorithm, &word),
            _ => word,
        };
        // A stem may be a stop word or an antecedent by itself.
        let in_chain = !is_stop_word && !chain_words.skips_word(&word);
        words.push((word, in_chain));
    }
    words
}

/// All words by a rule, before stop words and stems.
fn all_words(text: &str, rule: WordRule) -> Vec<String> {
    match rule {
        WordRule::Simple => words(text),
        WordRule::Segmented => segmented_words(text),
        WordRule::Spaces => {
            let mut words = Vec::new();
            Segmenter::default().spaced(text, |word| words.push(word.to_owned()));
            words
        }
    }
}
