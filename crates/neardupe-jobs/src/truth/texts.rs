//! The sentences of the documents that a truth or a result of passages names.
//!
//! Measures by sentences (with the files of the collection) count the sentences that passages touch, so the
//! texts are cut by the cutter that the job used. Positions are characters, as in the truth. Only
//! documents that occur in a passage are cut; the others are counted, for the number of documents
//! of the collection.

use super::located::Located;
use super::passing::for_each_document;
use neardupe_core::document::{Progress, Record};
use neardupe_core::error::Result;
use neardupe_core::hash::FixedMap;
use neardupe_core::numbers::saturated;
use neardupe_core::text::SentenceCutter;
use neardupe_io::source::FileSource;
use std::ops::Range;

/// Documents cut into sentences.
#[derive(Debug, Default)]
pub struct CutTexts {
    /// How many documents the collection has.
    pub documents: u64,
    /// Documents that occur in passages, by their numbers.
    texts: FixedMap<u32, CutDocument>,
}

/// What is held of a document: places, not its text.
#[derive(Debug)]
struct CutDocument {
    /// Without empty ones, in order.
    sentences: Vec<Range<u32>>,
    /// All characters, white space included.
    num_chars: u32,
}

impl CutTexts {
    /// The sentences of a document, by characters, without white space around them.
    pub fn sentences(&self, document: u32) -> &[Range<u32>] {
        match self.texts.get(&document) {
            None => &[],
            Some(text) => &text.sentences,
        }
    }

    /// Whether a document is in the collection.
    pub fn has(&self, document: u32) -> bool {
        self.texts.contains_key(&document)
    }

    /// The number of characters of a document that is in the collection.
    pub fn num_chars(&self, document: u32) -> Option<u32> {
        self.texts.get(&document).map(|text| text.num_chars)
    }
}

/// Reads a collection and cuts the documents of passages; others are only counted.
pub fn cut_texts(
    source: &FileSource,
    located: &mut Located,
    threads: usize,
    progress: &dyn Progress,
) -> Result<CutTexts> {
    let ids = &located.ids;
    let cut = || {
        let (mut cutter, mut ends) = (SentenceCutter::new(), Vec::new());
        move |record: &Record<'_>| {
            // A document without an id of its own gets one when all are known.
            let wanted = record.id.is_none_or(|id| ids.may_know(id));
            wanted.then(|| cut_document(&mut cutter, &mut ends, record.text))
        }
    };
    let mut named: Vec<(String, CutDocument)> = Vec::new();
    let mut texts = CutTexts::default();
    for_each_document(source, threads, progress, cut, |id, text| {
        texts.documents += 1;
        named.extend(text.map(|text| (id.to_owned(), text)));
        Ok(())
    })?;
    // Ids are final only now, with their suffixes.
    for (id, text) in named {
        if let Some(document) = located.ids.known(&id)? {
            texts.texts.insert(located.standing(document), text);
        }
    }
    Ok(texts)
}

/// Cuts one text. Both buffers are used again: a thread cuts millions of texts.
fn cut_document(
    cutter: &mut SentenceCutter,
    ends: &mut Vec<usize>,
    text: &str,
) -> CutDocument {
    cutter.cut(text, ends);
    // What lies behind the first 2^32 characters of a text is taken for its end: a passage there
    // is located nowhere.
    let count = |text: &str| saturated(text.chars().count());
    let mut sentences = Vec::with_capacity(ends.len());
    let (mut from, mut num_chars) = (0, 0u32);
    for &end in ends.iter() {
        let sentence = &text[from..end];
        let body = sentence.trim_start();
        let before = count(&sentence[..sentence.len() - body.len()]);
        let start = num_chars.saturating_add(before);
        let length = count(body.trim_end());
        if length > 0 {
            sentences.push(start..start.saturating_add(length));
        }
        num_chars = num_chars.saturating_add(count(sentence));
        from = end;
    }
    CutDocument {
        sentences,
        num_chars,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_counted_in_characters_without_spaces_around() {
        let text = "  Één zin hier.  Nog een!\n\n四字。 Ende";
        let cut = cut_document(&mut SentenceCutter::new(), &mut Vec::new(), text);
        let chars: Vec<char> = text.chars().collect();
        let found: Vec<String> = cut
            .sentences
            .iter()
            .map(|one| chars[one.start as usize..one.end as usize].iter().collect())
            .collect();
        assert_eq!(found, ["Één zin hier.", "Nog een!", "四字。", "Ende"]);
        assert_eq!(cut.num_chars as usize, chars.len());
    }
}
