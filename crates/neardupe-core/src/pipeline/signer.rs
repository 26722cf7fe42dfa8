//! Signatures that are made while a document is read: of its text, which is gone afterwards.

use crate::document::Record;
use crate::feature::{Extractor, FeatureKind};
use crate::signature::{Coder, IMatcher, Lexicons};
use std::sync::Arc;

/// Makes the signature of a document: the same number of words for each.
#[derive(Debug)]
pub(super) enum Signer {
    /// A simhash.
    Code(Box<Coder>),
    /// Keys of I-Match.
    Keys(Box<KeyMaker>),
}

impl Signer {
    pub(super) fn lexicons(lexicons: &Arc<Lexicons>) -> Self {
        let num_units = lexicons.df.num_documents();
        Signer::Keys(Box::new(KeyMaker {
            extractor: Extractor::new(FeatureKind::Terms, &lexicons.words, lexicons.seed),
            matcher: IMatcher::new(lexicons.settings, num_units, lexicons.seed),
            lexicons: Arc::clone(lexicons),
            terms: Vec::new(),
        }))
    }

    /// Appends the signature of a record; false when it has none because it has no word.
    pub(super) fn sign(&mut self, record: &Record<'_>, signature: &mut Vec<u64>) -> bool {
        match self {
            Signer::Code(coder) => {
                let code = coder.code(record);
                signature.extend(code);
                code.is_some()
            }
            Signer::Keys(maker) => {
                maker.sign(record.text, signature);
                true
            }
        }
    }
}

/// Makes keys of I-Match.
#[derive(Debug)]
pub(super) struct KeyMaker {
    extractor: Extractor,
    matcher: IMatcher,
    lexicons: Arc<Lexicons>,
    terms: Vec<u64>,
}

impl KeyMaker {
    /// Appends the keys of a text; 0 where there is none.
    fn sign(&mut self, text: &str, keys: &mut Vec<u64>) {
        self.terms.clear();
        self.extractor.distinct(text, &mut self.terms);
        let df = &self.lexicons.df;
        let df = |term: u64| u64::from(df.df(term));
        let start = keys.len();
        self.matcher.sign(&self.terms, df, keys);
        keys.resize(start + self.lexicons.num_keys(), 0);
    }
}
