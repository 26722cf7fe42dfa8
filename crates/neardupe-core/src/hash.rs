//! Every hash whose value is stored or compared, and maps with a fixed hasher.
//!
//! Values are fixed for good: results and work files of one version must be readable by
//! the next. Words are hashed once, straight from the bytes of the text; a shingle is a
//! combination of its word hashes, so its cost does not depend on the length of its words.
//!
//! Collisions. Words of up to eight bytes never collide (the mixer is a bijection and a
//! word has no zero byte). Beyond that two different features agree with probability
//! about 2^-64 (a few bits more for shingles that differ by an exchange of two words): among
//! a billion distinct features one expects 0.03 colliding pairs.

mod keyed;
mod text_hash;

pub use keyed::{HashKey, KeyedWords, PublicWords, TextKey, WordHasher};
pub use text_hash::FeatureHash;

use std::hash::{BuildHasher, BuildHasherDefault, Hasher, RandomState};
use std::sync::LazyLock;

/// A map whose iteration order and speed do not change from run to run.
pub type FixedMap<K, V> = hashbrown::HashMap<K, V, BuildHasherDefault<Prehashed>>;
/// A set to go with [`FixedMap`].
pub type FixedSet<K> = hashbrown::HashSet<K, BuildHasherDefault<Prehashed>>;

const WORD_SEED: u64 = 0x9e6c_63d0_876a_68d1;
const WORD_STEP: u64 = 0xd1b5_4a32_d192_ed03;

/// A number that is drawn once in each process, for the layout of tables that nothing outside sees.
/// No result depends on it.
pub fn drawn_for_this_process() -> u64 {
    static DRAWN: LazyLock<u64> = LazyLock::new(|| RandomState::new().hash_one(0u64));
    *DRAWN
}

/// A bijection of 64-bit values in which every input bit reaches every output bit.
#[inline]
pub fn mix(mut value: u64) -> u64 {
    value ^= value >> 32;
    value = value.wrapping_mul(0xe9846af9b1a615d5);
    value ^= value >> 29;
    value = value.wrapping_mul(0xa0761d6478bd642f);
    value ^ (value >> 32)
}

/// The first eight bytes of a word as a number, later ones appended by [`word_more`].
#[inline]
pub fn word_start(first_eight: u64) -> u64 {
    mix(first_eight ^ WORD_SEED)
}

/// Adds the next (up to) eight bytes of a word, zero-padded.
#[inline]
pub fn word_more(hash: u64, next_eight: u64) -> u64 {
    mix(hash.wrapping_mul(WORD_STEP) ^ next_eight)
}

/// The hash of a normalised word: the definition that the fast path must agree with.
pub fn word(bytes: &[u8]) -> u64 {
    let mut chunks = bytes.chunks(8).map(|chunk| {
        let mut padded = [0; 8];
        padded[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(padded)
    });
    let start = word_start(chunks.next().unwrap_or(0));
    chunks.fold(start, word_more)
}

/// Multipliers for shingles: a multilinear hash of the word hashes, mixed at the end.
#[derive(Debug, Clone)]
pub struct Multipliers {
    factors: Vec<u64>,
    offset: u64,
}

impl Multipliers {
    /// Multipliers for shingles of `len` words.
    pub fn new(seed: u64, len: usize) -> Self {
        let mut state = seed ^ 0x2545_f491_4f6c_dd1d;
        let mut next = || {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            mix(state)
        };
        let offset = next();
        // Odd, and neighbours differ by an odd multiple of two: of the 64 bits in which
        // two shingles with two words exchanged may differ, at most a few are lost.
        let factors = (0..len as u64).map(|place| (next() & !7) | ((place * 2 + 1) & 7));
        Multipliers {
            factors: factors.collect(),
            offset,
        }
    }

    /// The multipliers, one for each place of the shingle.
    pub fn factors(&self) -> &[u64] {
        &self.factors
    }

    /// Hash of a shingle given as the hashes of its words; `words` has `len` of them.
    #[inline]
    pub fn shingle(&self, words: &[u64]) -> u64 {
        debug_assert_eq!(words.len(), self.factors.len());
        let products = words.iter().zip(&self.factors);
        let sum = products.fold(self.offset, |sum, (&word, &factor)| {
            sum.wrapping_add(word.wrapping_mul(factor))
        });
        nonzero(finish(sum))
    }

    /// Like [`Multipliers::shingle`] for a length known to the compiler.
    #[inline]
    pub fn shingle_of<const N: usize>(
        &self,
        words: &[u64; N],
        factors: &[u64; N],
    ) -> u64 {
        let mut sum = self.offset;
        for place in 0..N {
            sum = sum.wrapping_add(words[place].wrapping_mul(factors[place]));
        }
        nonzero(finish(sum))
    }
}

/// A bijection that spreads a sum over all bits.
#[inline]
fn finish(mut sum: u64) -> u64 {
    sum ^= sum >> 32;
    sum = sum.wrapping_mul(0xe984_6af9_b1a6_15d5);
    sum ^ (sum >> 32)
}

/// Zero marks an empty slot in tables of features, so no feature has that value.
#[inline]
pub fn nonzero(feature: u64) -> u64 {
    feature | u64::from(feature == 0)
}

/// Where a feature stands in the order in which the smallest of a set are taken. The first byte,
/// by which features are shared out, comes last: the smallest are from all over the feature space.
#[inline]
pub fn rank(feature: u64) -> u64 {
    feature.rotate_left(8)
}

/// A feature made of a hash and a number: a term's occurrence, a short text's length.
#[inline]
pub fn numbered(hash: u64, number: u64, seed: u64) -> u64 {
    nonzero(mix(
        hash ^ mix(number.wrapping_add(seed ^ 0x5851_f42d_4c95_7f2d))
    ))
}

/// Hash of a stretch of bytes, for character shingles.
#[inline]
pub fn bytes(bytes: &[u8], seed: u64) -> u64 {
    nonzero(xxhash_rust::xxh3::xxh3_64_with_seed(bytes, seed))
}

/// Identity of a text: two texts are called equal when these 128 bits agree.
#[inline]
pub fn text(text: &str) -> u128 {
    xxhash_rust::xxh3::xxh3_128(text.as_bytes())
}

/// Identity of a text in a job, of its public hash and that under the key of the job: texts that nobody
/// has made differ in all bits, and those that somebody has made in the upper half.
#[expect(clippy::cast_possible_truncation, reason = "half of a hash is a hash")]
pub fn text_identity(public: u128, keyed: u64) -> u128 {
    (u128::from(keyed) << 64) | u128::from(public as u64)
}

/// Identity of a set of features whatever their order: a sum of the features, which are
/// hashes already, and a sum of their products with themselves turned by half.
#[inline]
pub fn set(features: &[u64]) -> u128 {
    // Both sums are independent of the order, so sets need not be sorted. Two sets with one sum
    // hardly have one sum of products too, since these are not linear in the features.
    let (mut sum, mut products) = (0u64, 0u64);
    for &feature in features {
        sum = sum.wrapping_add(feature);
        products = products.wrapping_add((feature & 0xffff_ffff) * (feature >> 32));
    }
    let low = mix(sum ^ features.len() as u64);
    (u128::from(mix(products)) << 64) | u128::from(low)
}

/// [`set`] of features that a writer can choose, under a number that he does not know: the features
/// are hashed again, so no two sets can be made to agree.
pub fn set_under(key: u64, features: &[u64]) -> u128 {
    let (mut sum, mut products) = (0u64, 0u64);
    for &feature in features {
        let feature = mix(feature ^ key);
        sum = sum.wrapping_add(feature);
        products = products.wrapping_add((feature & 0xffff_ffff) * (feature >> 32));
    }
    let low = mix(sum ^ features.len() as u64);
    (u128::from(mix(products ^ key)) << 64) | u128::from(low)
}

/// Identity of a list of words of a signature.
#[inline]
pub fn words(words: &[u64]) -> u64 {
    words
        .iter()
        .fold(WORD_SEED, |hash, &word| word_more(hash, word))
}

/// A hasher for keys that are hashes already; other keys go through xxh3.
#[derive(Debug, Default, Clone, Copy)]
pub struct Prehashed(u64);

impl Hasher for Prehashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = xxhash_rust::xxh3::xxh3_64_with_seed(bytes, self.0);
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = mix(self.0 ^ value);
    }

    #[expect(clippy::cast_possible_truncation, reason = "half of a hash is a hash")]
    fn write_u128(&mut self, value: u128) {
        self.0 = value as u64;
    }

    fn write_u32(&mut self, value: u32) {
        self.write_u64(u64::from(value));
    }

    fn write_u8(&mut self, value: u8) {
        self.0 = self.0.rotate_left(8) ^ u64::from(value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_values_never_change() {
        // A change here breaks every stored result: it needs a new format version.
        assert_eq!(word(b"near"), 0x1cab_d979_a424_b05f);
        assert_eq!(word(b"duplicates"), 0xe0e3_7d89_477d_140b);
        let words = [
            word(b"a"),
            word(b"rose"),
            word(b"is"),
            word(b"a"),
            word(b"rose"),
        ];
        assert_eq!(
            Multipliers::new(0, 5).shingle(&words),
            0x799a_6c39_cfcb_87cb
        );
        assert_eq!(numbered(word(b"rose"), 2, 0), 0xfed3_d7f9_4bf8_7e51);
        assert_eq!(bytes(b"a rose is", 0), 0x96ae_5fb1_0ab4_2325);
        assert_eq!(set(&[1, 2, 3]), 0x8bd9_93c7_efad_e671);
    }

    #[test]
    fn a_shingle_depends_on_the_order_of_its_words() {
        let multipliers = Multipliers::new(0, 2);
        let (a, b) = (word(b"a"), word(b"b"));
        assert_ne!(multipliers.shingle(&[a, b]), multipliers.shingle(&[b, a]));
    }

    #[test]
    fn a_set_hash_ignores_order() {
        assert_eq!(set(&[5, 9, 1]), set(&[1, 5, 9]));
        assert_ne!(set(&[5, 9, 1]), set(&[5, 9, 2]));
    }
}
