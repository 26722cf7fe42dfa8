//! The kinds of passages: what the core counts, and what texts and addresses tell of forums and
//! notices.

use crate::causes::{is_discussion, is_forum_address};
use neardupe_core::document::DocIdx;
use neardupe_core::error::Result;
use neardupe_core::hash::FixedMap;
use neardupe_core::passage::kind::LONGEST_NOTICE;
use neardupe_core::passage::{Kind, KindFacts, kind_of};
use neardupe_core::pipeline::PassagesResult;
use neardupe_core::pipeline::passages::{PairOfTexts, TextSide};

/// What stands in notices, banners and navigation.
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

/// Tells the kind of passages.
#[derive(Debug, Clone, Default)]
pub struct Kinds {
    /// Place of the address among the metadata.
    url: Option<usize>,
    /// Whether documents are discussions, as far as that was asked: a document may be in
    /// thousands of pairs.
    discussions: FixedMap<DocIdx, bool>,
}

impl Kinds {
    /// With the place of the address among the metadata.
    pub fn new(url: Option<usize>) -> Self {
        Kinds {
            url,
            ..Kinds::default()
        }
    }

    /// The kind of each passage of a pair.
    pub fn of(
        &mut self,
        result: &PassagesResult,
        pair: &PairOfTexts<'_>,
    ) -> Result<Vec<Kind>> {
        let in_forum = self.is_of_forum(result, pair.left, pair.left_text)?
            || self.is_of_forum(result, pair.right, pair.right_text)?;
        let size = |side: &TextSide| {
            let sentences = side.sentences.end - side.sentences.start;
            (side.num_words(), sentences)
        };
        let kinds = pair.passages.iter().map(|passage| {
            let span = passage.left.span;
            kind_of(&KindFacts {
                left: size(&passage.left),
                right: size(&passage.right),
                left_document: pair.left_words.1,
                right_document: pair.right_words.1,
                in_forum,
                is_notice: passage.left.num_words() <= LONGEST_NOTICE
                    && is_notice(&pair.left_text[span.start..span.end]),
            })
        });
        Ok(kinds.collect())
    }

    fn is_of_forum(
        &mut self,
        result: &PassagesResult,
        document: DocIdx,
        text: &str,
    ) -> Result<bool> {
        if let Some(&known) = self.discussions.get(&document) {
            return Ok(known);
        }
        let is_one = is_discussion(text) || self.has_forum_address(result, document)?;
        self.discussions.insert(document, is_one);
        Ok(is_one)
    }

    fn has_forum_address(&self, result: &PassagesResult, document: u32) -> Result<bool> {
        let Some(url) = self.url else {
            return Ok(false);
        };
        let metadata = result.documents.metadata(document)?;
        let url = metadata.get(url).and_then(Option::as_deref);
        Ok(url.is_some_and(is_forum_address))
    }
}

fn is_notice(text: &str) -> bool {
    let folded = text.to_lowercase();
    NOTICES.iter().any(|notice| folded.contains(notice))
}
