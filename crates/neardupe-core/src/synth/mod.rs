//! Synthetic collections with known truth, for tests, benchmarks and studies.
//!
//! A collection is specified before it is made: who copies whom, with which edits. Documents are
//! made from the specification one by one, each from its number alone, so any part can be made in
//! parallel or again, and the memory does not grow with the text. The same configuration gives the
//! same bytes on every machine.
//!
//! ```
//! use neardupe_core::synth::{Buffer, Collection, SynthConfig};
//!
//! let config = SynthConfig { documents: 1000, ..SynthConfig::default() };
//! let collection = Collection::new(config);
//! let mut buffer = Buffer::default();
//! collection.document(42, &mut buffer);
//! assert!(buffer.line().starts_with(b"{\"id\":\"doc-00000042\""));
//! for cluster in collection.clusters() {
//!     assert!(cluster.members.len() >= 2);
//! }
//! ```
//!
//! In reading order: [`Shape`] says what is made; `spec` gives every document its role;
//! `length`, `vocabulary` with `zipf`, and `prose` make original texts of `token`s;
//! `edit`, `passage` and `giant` change and copy them; `compose` puts one document
//! together; `render` writes it out; `truth` says what a search should find.

mod compose;
mod edit;
mod giant;
mod length;
mod passage;
mod spec;
mod prose;
mod random;
mod render;
mod scatter;
mod shape;
mod token;
mod truth;
mod vocabulary;
mod zipf;

#[cfg(test)]
mod tests;

use std::io::Write as _;

pub use self::shape::{Shape, UnknownShape};
pub use self::truth::{
    MemberKind, PlantedCluster, PlantedCounts, PlantedMember, PlantedPassage,
};

use self::compose::{Copied, compose};
use self::edit::Edits;
use self::random::Purpose;
use self::render::Renderer;
use self::spec::{CollectionSpec, Role};
use self::token::Token;
use self::vocabulary::Vocabulary;

/// What to make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SynthConfig {
    /// Number of documents.
    pub documents: u64,
    /// Another seed gives another collection of the same kind.
    pub seed: u64,
    /// The kind of collection.
    pub shape: Shape,
}

impl Default for SynthConfig {
    fn default() -> Self {
        Self {
            documents: 1000,
            seed: 1,
            shape: Shape::Web,
        }
    }
}

/// A planned collection. Its documents are numbered from 0 in the order of the file.
pub struct Collection {
    config: SynthConfig,
    spec: CollectionSpec,
    vocabulary: &'static Vocabulary,
    json: Renderer,
    plain: Renderer,
    id_digits: usize,
}

/// One document at a time, and the memory to make it, reused for the next.
#[derive(Default)]
pub struct Buffer {
    tokens: Vec<Token>,
    /// The text before edits, or the template.
    original: Vec<Token>,
    /// The text a passage comes from.
    other: Vec<Token>,
    edits: Edits,
    head: Vec<u8>,
    /// The written document, up to `end`.
    written: Vec<u8>,
    end: usize,
    passage: Option<PlantedPassage>,
}

impl Buffer {
    /// The document as one line of JSON, without the line break, or as plain text,
    /// whichever was made last.
    pub fn line(&self) -> &[u8] {
        &self.written[..self.end]
    }

    /// Words of the document. Ideographs are one word each, as everywhere; compounds and
    /// possessives count as one.
    pub fn num_words(&self) -> u64 {
        self.tokens.len() as u64
    }

    /// The passage the document has received from another.
    pub fn passage(&self) -> Option<PlantedPassage> {
        self.passage
    }
}

impl Collection {
    /// Plans a collection. Takes about 0.1 seconds for a million documents.
    pub fn new(config: SynthConfig) -> Self {
        let SynthConfig {
            documents,
            seed,
            shape,
        } = config;
        let largest = documents.saturating_sub(1);
        Self {
            config,
            spec: CollectionSpec::new(seed, documents, shape),
            vocabulary: Vocabulary::get(),
            json: Renderer::json(),
            plain: Renderer::plain(),
            id_digits: largest.to_string().len().max(8),
        }
    }

    /// What the collection was planned from.
    pub fn config(&self) -> &SynthConfig {
        &self.config
    }

    /// The id of a document: `doc-00000042`. Ids sort like numbers.
    pub fn id(&self, document: u64) -> String {
        format!("doc-{document:0digits$}", digits = self.id_digits)
    }

    /// Makes a document as a line of JSON: id, url, date, text.
    ///
    /// # Panics
    ///
    /// If the collection has no document of this number.
    pub fn document(&self, document: u64, buffer: &mut Buffer) {
        self.compose(document, buffer);
        self.write_head(document, &mut buffer.head);
        let start = buffer.head.len();
        if buffer.written.len() < start {
            buffer.written.resize(start, 0);
        }
        buffer.written[..start].copy_from_slice(&buffer.head);
        let end =
            self.json
                .write(self.vocabulary, &buffer.tokens, &mut buffer.written, start);
        // The renderer leaves room for one token more than it writes.
        buffer.written[end..end + 2].copy_from_slice(b"\"}");
        buffer.end = end + 2;
    }

    /// Makes the text of a document only.
    ///
    /// # Panics
    ///
    /// If the collection has no document of this number.
    pub fn text<'a>(&self, document: u64, buffer: &'a mut Buffer) -> &'a str {
        self.compose(document, buffer);
        buffer.end =
            self.plain
                .write(self.vocabulary, &buffer.tokens, &mut buffer.written, 0);
        std::str::from_utf8(buffer.line()).expect("forms and marks are UTF-8")
    }

    fn compose(&self, document: u64, buffer: &mut Buffer) {
        assert!(document < self.config.documents, "no document {document}");
        let rank = self.spec.scatter.rank_of(document);
        let copied = compose(&self.spec, rank, buffer);
        buffer.passage = copied.map(|copied| self.locate(document, &copied, buffer));
    }

    /// The spans of a passage in code points of both texts.
    fn locate(&self, document: u64, copied: &Copied, buffer: &Buffer) -> PlantedPassage {
        let span = |tokens: &[Token], words: &std::ops::Range<usize>| {
            let count = |tokens| self.plain.count_chars(self.vocabulary, tokens);
            let (before, separator) = count(&tokens[..words.start]);
            let start = before + separator;
            (start, start + count(&tokens[words.clone()]).0)
        };
        let received = (document, span(&buffer.tokens, &copied.received));
        let giver = self.spec.scatter.document_of(copied.giver);
        let given = (giver, span(&buffer.other, &copied.given));
        let (left, right) = (received.min(given), received.max(given));
        PlantedPassage {
            left: left.0,
            left_start: left.1.0,
            left_end: left.1.1,
            right: right.0,
            right_start: right.1.0,
            right_end: right.1.1,
            edited: copied.edited,
        }
    }

    /// Everything of the line before the text.
    fn write_head(&self, document: u64, head: &mut Vec<u8>) {
        const SECTIONS: [&str; 6] = ["news", "blog", "docs", "shop", "archive", "wiki"];
        let rank = self.spec.scatter.rank_of(document);
        let mut random = self.spec.random(Purpose::Head, document);
        // Half of the copies are on the host of their base, the others on mirrors.
        let host_rank = match self.spec.role(rank) {
            Role::Exact { base } | Role::Near { base } if random.percent(50) => base,
            _ => rank,
        };
        let host = self.spec.host_of(host_rank);
        let section = SECTIONS[random.below(6) as usize];
        let year = random.between(2012, 2025);
        let month = random.between(1, 12);
        let day = random.between(1, 28);
        head.clear();
        write!(
            head,
            "{{\"id\":\"doc-{document:0digits$}\",\
             \"url\":\"http://host{host}.example/{section}/{document}\",\
             \"date\":\"{year}-{month:02}-{day:02}\",\"text\":\"",
            digits = self.id_digits,
        )
        .expect("a vector takes all bytes");
    }
}
