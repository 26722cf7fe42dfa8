//! The kinds of passages: what the core counts, and what texts and addresses say about forums and
//! notices.
//!
//! Whether a document is a discussion is asked once and remembered in a byte, since a document
//! may be in thousands of pairs. Two threads may both compute it: they get the same answer, so no
//! lock is needed.

use crate::causes::{is_discussion, is_forum_address};
use crate::phrases::PhraseFinder;
use neardupe_core::document::{DocIdx, Span};
use neardupe_core::error::Result;
use neardupe_core::passage::kind::LONGEST_NOTICE;
use neardupe_core::passage::{KindFacts, PassageKind, kind_of};
use neardupe_core::pipeline::PassagesResult;
use neardupe_core::pipeline::passages::{PairOfTexts, TextSide};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU8, Ordering};

/// Phrases of notices, banners and navigation.
const NOTICES: [&str; 17] = [
    "copyright",
    "\u{a9}",
    "all rights reserved",
    "privacy policy",
    "terms of use",
    "terms of service",
    "terms and conditions",
    "cookie",
    "subscribe to",
    "sign up for",
    "log in",
    "skip to content",
    "powered by",
    "版权所有",
    "保留所有权利",
    "隐私政策",
    "免责声明",
];

/// Built once, for all phrases together.
static NOTICE_MARKS: LazyLock<PhraseFinder> =
    LazyLock::new(|| PhraseFinder::new(&NOTICES));

/// Decides the kind of passages. Any number of threads may ask.
#[derive(Debug)]
pub struct Kinds {
    /// Place of the address among the metadata.
    url: Option<usize>,
    /// What is known of documents, a byte for each: one may be in thousands of pairs.
    known: Vec<AtomicU8>,
}

/// The stretch that was looked at last: a footer is in many pairs of the same document, one
/// after the other.
#[derive(Debug, Default)]
pub struct LastNotice {
    /// Two, since many documents have a header and a footer in common.
    known: [Option<(DocIdx, Span, bool)>; 2],
}

impl LastNotice {
    /// Whether a stretch has a phrase of a notice, from memory if it was asked last or
    /// before.
    fn is_notice(&mut self, document: DocIdx, span: Span, text: &str) -> bool {
        let mut known = self.known.iter().flatten();
        let same = known.find(|(of, at, _)| (*of, *at) == (document, span));
        if let Some(&(_, _, is_one)) = same {
            return is_one;
        }
        let is_one = NOTICE_MARKS.is_in(&text[span.start..span.end]);
        // The newer one first; the older one is dropped.
        self.known = [Some((document, span, is_one)), self.known[0]];
        is_one
    }
}

/// Nothing was asked yet of a document, it is no discussion, it is one.
const UNKNOWN: u8 = 0;
const NO_DISCUSSION: u8 = 1;
const DISCUSSION: u8 = 2;

impl Kinds {
    /// With the place of the address among the metadata.
    pub fn new(url: Option<usize>, result: &PassagesResult) -> Self {
        let mut known = Vec::new();
        known.resize_with(result.documents.len() as usize, || AtomicU8::new(UNKNOWN));
        Kinds { url, known }
    }

    /// The kind of each passage of a pair.
    pub fn of(
        &self,
        result: &PassagesResult,
        texts: &PairOfTexts<'_>,
        last: &mut LastNotice,
    ) -> Result<impl Iterator<Item = PassageKind>> {
        let pair = texts.pair;
        // One side is enough: a post is quoted elsewhere as a part of a discussion.
        let in_forum = self.is_of_forum(result, pair.left, texts.left_text)?
            || self.is_of_forum(result, pair.right, texts.right_text)?;
        let size = |side: &TextSide| {
            let sentences = side.sentences.end - side.sentences.start;
            (side.num_words(), sentences)
        };
        let kinds = pair.passages.iter().map(move |passage| {
            let span = passage.left.span;
            kind_of(&KindFacts {
                left: size(&passage.left),
                right: size(&passage.right),
                left_document: pair.left_words.1,
                right_document: pair.right_words.1,
                in_forum,
                // Only short passages can be notices, and only those are searched. The left
                // side stands for both, since they have the same words.
                is_notice: passage.left.num_words() <= LONGEST_NOTICE
                    && last.is_notice(pair.left, span, texts.left_text),
            })
        });
        Ok(kinds)
    }

    /// Whether a document is a discussion, by its text, or else by its address.
    fn is_of_forum(
        &self,
        result: &PassagesResult,
        document: DocIdx,
        text: &str,
    ) -> Result<bool> {
        let known = &self.known[document.index()];
        match known.load(Ordering::Relaxed) {
            UNKNOWN => {
                let is_one =
                    is_discussion(text) || self.has_forum_address(result, document)?;
                let what = if is_one { DISCUSSION } else { NO_DISCUSSION };
                known.store(what, Ordering::Relaxed);
                Ok(is_one)
            }
            what => Ok(what == DISCUSSION),
        }
    }

    /// Whether its address is that of a forum; no without an address.
    fn has_forum_address(
        &self,
        result: &PassagesResult,
        document: DocIdx,
    ) -> Result<bool> {
        let Some(url) = self.url else {
            return Ok(false);
        };
        let metadata = result.documents.metadata(document)?;
        let url = metadata.get(url).and_then(Option::as_deref);
        Ok(url.is_some_and(is_forum_address))
    }
}
