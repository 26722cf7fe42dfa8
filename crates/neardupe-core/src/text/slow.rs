//! The definition of words, obviously right and slow: the whole text is normalised at once.

use super::Segmenter;

/// All words of a text, normalised and folded.
pub fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    Segmenter::default().words(text, |word| words.push(word.to_owned()));
    words
}
