//! The set of one record: its features, its signature, and what equal texts and equal sets are known by.
//!
//! Of a record it depends on nothing but the job: neither on other records nor on where the result is kept.
//! So a thread of one process and a task on a cluster make the same set of the same record. Work is in two
//! steps, since most of it can be saved where the text has been met before: [`SetMaker::sign`] says what the
//! text is remembered by, [`SetMaker::make`] makes the features.

use crate::candidate::side::SideLayout;
use crate::document::Record;
use crate::error::Result;
use crate::feature::{Sampler, Sampling, whole_text};
use crate::hash::{self, TextKey};
use crate::pipeline::config::FindConfig;
use crate::pipeline::method::Signer;

/// Keeps hashes of blocks apart from other hashes; itself the block of documents without a value.
const BLOCK_SEED: u64 = 0x71d6_7fff_eda6_0000;

/// Keeps the number under which sets are hashed apart from others of the same key.
const SETS: u64 = 0x7365_7473;

/// Makes the sets of records, one after the other, in buffers that are used again.
#[derive(Debug)]
pub struct SetMaker {
    sampler: Sampler,
    sampling: Sampling,
    signer: Option<Box<dyn Signer>>,
    side_layout: SideLayout,
    blocks: Blocks,
    /// A set with fewer features is similar to none.
    min_overlap: usize,
    count_words: bool,
    /// Under what texts without features are hashed, if features are hashed under a key.
    text_key: Option<TextKey>,
    /// Under what sets are hashed, if features are not.
    public_under: Option<u64>,
    features: Vec<u64>,
    side: Vec<u64>,
    is_signed: bool,
}

/// The set of a record.
#[derive(Debug)]
pub struct MadeSet<'a> {
    /// Its features, distinct, in the order in which they first occur. They may be put in any order.
    pub features: &'a mut [u64],
    /// What is kept beside them, as [`SetMaker::side_layout`] has it.
    pub side: &'a [u64],
    /// Two sets are equal if these are.
    pub hash: u128,
    /// The text has no feature; the text as a whole stands for it.
    pub is_featureless: bool,
    /// The text has words but no whole shingle.
    pub is_shorter: bool,
}

impl SetMaker {
    /// Makes the sets of a job.
    pub fn new(config: &FindConfig) -> Result<Self> {
        Ok(SetMaker {
            sampler: config.sampler(),
            sampling: config.sampling.clone(),
            signer: config.signer()?,
            side_layout: config.side(),
            blocks: Blocks::of(config),
            min_overlap: config.min_overlap as usize,
            count_words: config.count_words,
            text_key: config.words.key.map(TextKey::new),
            public_under: (config.key.is_secret() && config.words.key.is_none())
                .then(|| config.key.seed(SETS)),
            features: Vec::new(),
            side: Vec::new(),
            is_signed: true,
        })
    }

    /// What is kept of each set beside its features.
    pub fn side_layout(&self) -> &SideLayout {
        &self.side_layout
    }

    /// Makes the signature of a record. Returns what its text, of which the hash is given, is remembered by:
    /// records with the same key have the same set. None for a text that is not compared, because there is
    /// nothing in it.
    pub fn sign(&mut self, record: &Record<'_>, text_hash: u128) -> Option<u128> {
        let mut text_key = self.blocks.text_key(text_hash, record.metadata);
        self.is_signed = true;
        self.side.clear();
        if let Some(signer) = &mut self.signer {
            self.is_signed = signer.sign(record, &mut self.side);
            if !self.is_signed {
                // Without a code it is near to none, but it may be equal to another.
                self.side
                    .push(whole_text(record.text, self.text_key.as_ref())?);
            }
            // Of the same text, metadata may make another one.
            text_key ^= u128::from(hash::words(&self.side)) << 23;
        }
        Some(text_key)
    }

    /// Makes the set of the record that was signed last, with the key that it got. None when it has no
    /// feature at all.
    pub fn make(&mut self, record: &Record<'_>, text_key: u128) -> Option<MadeSet<'_>> {
        let features = &mut self.features;
        features.clear();
        let own = match &mut self.signer {
            Some(signer) if self.is_signed => signer.features(record, features),
            _ => None,
        };
        let (num_words, is_shorter) = match own {
            // Below the text as a whole stands for it.
            _ if !self.is_signed => (0, false),
            Some(num_words) => (num_words, false),
            None => {
                let num_words = self.sampler.extract(record.text, features);
                (num_words, self.sampler.was_shorter())
            }
        };
        let is_featureless = features.is_empty();
        if is_featureless {
            features.extend(whole_text(record.text, self.text_key.as_ref()));
        }
        self.blocks.put_apart(record.metadata, features);
        // After that: which features are the smallest depends on the block.
        self.sampling.take_smallest(features);
        if let Some(plan) = &self.sampling.adaptive {
            plan.thin(num_words, features, &mut self.side);
        }
        if self.count_words {
            self.side.push(num_words as u64);
        }
        if self.features.is_empty() {
            return None;
        }
        debug_assert_eq!(self.side.len(), self.side_layout.words());
        Some(MadeSet {
            hash: self.hash(text_key),
            features: &mut self.features,
            side: &self.side,
            is_featureless,
            is_shorter,
        })
    }

    /// What two sets are equal by: features, side data, and the text where the features alone must not decide.
    fn hash(&self, text_key: u128) -> u128 {
        let mut hash = match self.public_under {
            None => hash::set(&self.features),
            Some(key) => hash::set_under(key, &self.features),
        };
        if self.features.len() < self.min_overlap {
            // Too few to be similar to anything: only equal texts have the same set.
            hash ^= text_key;
        }
        if !self.side.is_empty() {
            // Sets of the same features with different side data are different.
            hash ^= u128::from(hash::words(&self.side)) << 29;
        }
        hash
    }
}

/// Documents are compared within blocks: those that have the same value in a field.
#[derive(Debug, Clone, Copy)]
pub(in crate::pipeline) struct Blocks {
    /// Place of the field among the metadata; without it all are compared with all.
    field: Option<usize>,
}

impl Blocks {
    /// Those of a job.
    pub(in crate::pipeline) fn of(config: &FindConfig) -> Self {
        Blocks {
            field: config.block_field(),
        }
    }

    /// Hash of the block that a document is in; 0 when all are compared with all. Documents
    /// without a value are a block too.
    fn block(self, metadata: &[Option<String>]) -> u64 {
        let Some(field) = self.field else {
            return 0;
        };
        match metadata.get(field) {
            Some(Some(value)) => hash::bytes(value.as_bytes(), BLOCK_SEED),
            _ => BLOCK_SEED,
        }
    }

    /// Under what a text is remembered: the same text in another block has another set.
    pub(in crate::pipeline) fn text_key(
        self,
        text_hash: u128,
        metadata: &[Option<String>],
    ) -> u128 {
        text_hash ^ (u128::from(self.block(metadata)) << 17)
    }

    /// Documents of different blocks share no feature.
    fn put_apart(self, metadata: &[Option<String>], features: &mut [u64]) {
        let block = self.block(metadata);
        if block != 0 {
            for feature in features {
                *feature = hash::numbered(*feature, block, 0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feature::FeatureKind;

    /// The hash, the sorted features and the marks of a text in a block.
    fn made(
        maker: &mut SetMaker,
        text: &str,
        block: &str,
    ) -> Option<(u128, Vec<u64>, bool)> {
        let metadata = [Some(block.to_owned())];
        let record = Record {
            text,
            metadata: &metadata,
            ..Record::default()
        };
        let text_key = maker.sign(&record, hash::text(text))?;
        let set = maker.make(&record, text_key)?;
        set.features.sort_unstable();
        Some((set.hash, set.features.to_vec(), set.is_featureless))
    }

    fn config() -> FindConfig {
        FindConfig {
            features: FeatureKind::Words(2),
            min_overlap: 3,
            ..FindConfig::new("work".into())
        }
    }

    #[test]
    fn a_set_depends_on_its_record_alone() {
        let texts = [
            "a rose is a rose",
            "",
            "...",
            "rose",
            "a rose is",
            "a rose, is",
        ];
        let mut used = SetMaker::new(&config()).unwrap();
        for text in texts.iter().chain(texts.iter().rev()) {
            let mut fresh = SetMaker::new(&config()).unwrap();
            assert_eq!(made(&mut used, text, ""), made(&mut fresh, text, ""));
        }
    }

    #[test]
    fn sets_are_equal_if_features_are_and_there_are_enough_to_be_similar() {
        let mut maker = SetMaker::new(&config()).unwrap();
        let mut hash = |text: &str| made(&mut maker, text, "").unwrap().0;
        assert_eq!(hash("a rose is a rose"), hash("A rose is: a rose!"));
        assert_ne!(hash("a rose is a rose"), hash("a rose is a red rose"));
        // Two features are fewer than three: only equal texts have equal sets.
        assert_ne!(hash("a rose is"), hash("a rose, is"));
        assert_eq!(hash("a rose is"), hash("a rose is"));
    }

    #[test]
    fn a_text_without_words_stands_for_itself_and_an_empty_one_for_nothing() {
        let mut maker = SetMaker::new(&config()).unwrap();
        let (_, features, is_featureless) = made(&mut maker, "...", "").unwrap();
        assert_eq!((features.len(), is_featureless), (1, true));
        assert_eq!(made(&mut maker, "", ""), None);
    }

    #[test]
    fn documents_of_different_blocks_share_nothing() {
        let by_field = FindConfig {
            metadata: vec!["host".to_owned()],
            block_by: Some("host".to_owned()),
            ..config()
        };
        let text = "a rose is a rose";
        let mut apart = SetMaker::new(&by_field).unwrap();
        let (one, one_features, _) = made(&mut apart, text, "a").unwrap();
        let (other, other_features, _) = made(&mut apart, text, "b").unwrap();
        assert_ne!(one, other);
        assert!(!one_features.iter().any(|one| other_features.contains(one)));
        let mut together = SetMaker::new(&config()).unwrap();
        assert_eq!(
            made(&mut together, text, "a"),
            made(&mut together, text, "b")
        );
    }
}
