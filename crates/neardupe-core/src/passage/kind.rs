//! What a passage is: the kinds of partial duplicates of Zhang et al. (SIGIR 2010), section 1
//! and Table 3, by rules with numbers.
//!
//! The paper's kinds were given by people who looked at pages. Here only what can be counted
//! decides, in this order:
//!
//! 1. *other*: banners, notices of copyright, navigation: the text says so and is short, or its
//!    sentences are shorter than [`SHORT_SENTENCE`] words on average;
//! 2. *forum*: one of the documents is a discussion;
//! 3. *collection*: at least [`WHOLE`] of one document, less than [`PART`] of the other: an
//!    article among others;
//! 4. *multi-page*: at least [`PART`] of both: an article that is split in another way;
//! 5. *quotation*: everything else.

use crate::threshold::Threshold;

/// Sentences of fewer words, on average, are not prose.
pub const SHORT_SENTENCE: u32 = 5;
/// A text that speaks of copyright and the like, up to so many words, is a notice.
pub const LONGEST_NOTICE: u32 = 80;
/// Nearly a whole document.
pub const WHOLE: Threshold = Threshold::exactly(3, 5);
/// A considerable part of a document.
pub const PART: Threshold = Threshold::exactly(3, 10);

/// The kind of a passage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PassageKind {
    /// A whole document within a larger one.
    Collection,
    /// A considerable part of both.
    MultiPage,
    /// A part of little weight in one of them.
    Quotation,
    /// Of a discussion.
    Forum,
    /// No content: banner, copyright, navigation.
    Other,
}

impl PassageKind {
    /// All kinds.
    pub const ALL: [PassageKind; 5] = [
        PassageKind::Collection,
        PassageKind::MultiPage,
        PassageKind::Quotation,
        PassageKind::Forum,
        PassageKind::Other,
    ];

    /// The name used in outputs.
    pub fn name(self) -> &'static str {
        match self {
            PassageKind::Collection => "collection",
            PassageKind::MultiPage => "multi-page",
            PassageKind::Quotation => "quotation",
            PassageKind::Forum => "forum",
            PassageKind::Other => "other",
        }
    }
}

/// The facts by which the kind of a passage is decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KindFacts {
    /// Words and sentences of its left side.
    pub left: (u32, u32),
    /// Words and sentences of its right side.
    pub right: (u32, u32),
    /// Words of the left document.
    pub left_document: u32,
    /// Words of the right document.
    pub right_document: u32,
    /// Whether one of the documents is a discussion.
    pub in_forum: bool,
    /// Whether it speaks of copyright, cookies and the like.
    pub is_notice: bool,
}

/// The kind of a passage.
pub fn kind_of(facts: &KindFacts) -> PassageKind {
    let ((words, sentences), (right_words, _)) = (facts.left, facts.right);
    // Multiplied, not divided: exact, and right for a passage without a sentence. The left side
    // stands for both, which have nearly the same words.
    let is_list = words < sentences.saturating_mul(SHORT_SENTENCE);
    let is_notice = facts.is_notice && words.max(right_words) <= LONGEST_NOTICE;
    if is_list || is_notice {
        return PassageKind::Other;
    }
    if facts.in_forum {
        return PassageKind::Forum;
    }
    // Shares are of words, and inclusive. A document without words reaches nothing.
    let reaches = |words, document, share: Threshold| share.is_reached(words, document);
    let (left, right) = (facts.left_document, facts.right_document);
    let part_of_left = reaches(words, left, PART);
    let part_of_right = reaches(right_words, right, PART);
    let whole_of_one = reaches(words, left, WHOLE) || reaches(right_words, right, WHOLE);
    // A considerable part of both is `multi-page` even when it is a whole one: the sizes are
    // alike.
    match (part_of_left, part_of_right) {
        (true, true) => PassageKind::MultiPage,
        (true, false) | (false, true) if whole_of_one => PassageKind::Collection,
        _ => PassageKind::Quotation,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(words: u32, left_document: u32, right_document: u32) -> PassageKind {
        kind_of(&facts(words, left_document, right_document))
    }

    fn facts(words: u32, left_document: u32, right_document: u32) -> KindFacts {
        KindFacts {
            left: (words, words / 10),
            right: (words, words / 10),
            left_document,
            right_document,
            in_forum: false,
            is_notice: false,
        }
    }

    #[test]
    fn shares_decide_and_limits_are_inclusive() {
        assert_eq!(kind(60, 100, 1000), PassageKind::Collection);
        assert_eq!(kind(59, 100, 1000), PassageKind::Quotation);
        assert_eq!(kind(60, 1000, 100), PassageKind::Collection);
        assert_eq!(kind(300, 1000, 1000), PassageKind::MultiPage);
        assert_eq!(kind(299, 1000, 1000), PassageKind::Quotation);
        assert_eq!(kind(100, 100, 300), PassageKind::MultiPage);
        assert_eq!(kind(20, 1000, 1000), PassageKind::Quotation);
    }

    #[test]
    fn lists_notices_and_forums_come_before() {
        let mut of_forum = facts(60, 100, 1000);
        of_forum.in_forum = true;
        assert_eq!(kind_of(&of_forum), PassageKind::Forum);
        let mut notice = of_forum;
        notice.is_notice = true;
        assert_eq!(kind_of(&notice), PassageKind::Other);
        notice.left = (81, 8);
        assert_eq!(kind_of(&notice), PassageKind::Forum);
        let mut list = facts(60, 100, 1000);
        list.left = (60, 13);
        assert_eq!(kind_of(&list), PassageKind::Other);
    }
}
