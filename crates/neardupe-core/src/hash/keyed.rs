//! Hashes under a key that the writer of a text does not know.
//!
//! A fixed hash can be aimed at: whoever knows it makes a text whose features are those of another
//! page, or words that all meet in one place of a table. These hashes are universal: for any two
//! different inputs, chosen without the key, the share of keys under which they collide is proved
//! to be small, whatever the inputs are. No assumption about a cipher is made, so a few
//! multiplications are enough.
//!
//! - Words and short stretches of bytes: [`KeyedWords`], multilinear in 128 bits (Dietzfelbinger,
//!   STACS 1996; Lemire and Kaser, The Computer Journal 2014). Two inputs collide with probability
//!   2^-64 for each 128 bytes of the longer.
//! - Texts: [`TextKey`], NH with 64-bit words (Black and others, CRYPTO 1999; Krovetz and Dai, 2007),
//!   2^-63 for each kibibyte, and beside it the public hash, for texts that nobody has made.
//!
//! The proofs need a key that is independent of the inputs. A job draws one at random, keeps it in
//! its work directory and prints none of the values, so nothing can be learned from it.

use super::{Multipliers, mix};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use siphasher::sip::SipHasher24;
use std::fmt;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::str::FromStr;
use std::sync::Arc;

/// A key of 128 bits. All other numbers that a hash needs are drawn from it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct HashKey(u128);

impl HashKey {
    /// The key that everybody knows: values are the same in every job, and can be aimed at.
    pub const PUBLIC: HashKey = HashKey(0);

    /// A key that nobody knows, drawn by the standard library from the random numbers of the system.
    pub fn drawn() -> Self {
        let half = || u128::from(RandomState::new().hash_one(0u64));
        HashKey((half() << 64) | half())
    }

    /// Whether it is not [`HashKey::PUBLIC`].
    pub fn is_secret(self) -> bool {
        self != HashKey::PUBLIC
    }

    /// A key from random bits.
    pub fn new(bits: u128) -> Self {
        HashKey(bits)
    }

    /// Random numbers that only this key gives. Different purposes get different ones.
    fn numbers(self, purpose: u64) -> impl Iterator<Item = u64> {
        #[expect(clippy::cast_possible_truncation, reason = "the two halves")]
        let sip = SipHasher24::new_with_keys((self.0 >> 64) as u64, self.0 as u64);
        (0u64..).map(move |number| {
            let mut sip = sip;
            sip.write_u64(purpose);
            sip.write_u64(number);
            sip.finish()
        })
    }

    /// A seed for a hash that takes one.
    pub fn seed(self, purpose: u64) -> u64 {
        self.numbers(purpose).next().unwrap_or(0)
    }

    fn wide_numbers(self, purpose: u64) -> impl Iterator<Item = u128> {
        let mut numbers = self.numbers(purpose);
        std::iter::from_fn(move || {
            let (high, low) = (numbers.next()?, numbers.next()?);
            Some((u128::from(high) << 64) | u128::from(low))
        })
    }
}

/// 32 hexadecimal digits.
impl fmt::Display for HashKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:032x}", self.0)
    }
}

/// A key is a secret: what is printed for debugging must not show it.
impl fmt::Debug for HashKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(if *self == HashKey::PUBLIC {
            "HashKey(public)"
        } else {
            "HashKey(..)"
        })
    }
}

impl Serialize for HashKey {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for HashKey {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let typed = String::deserialize(from)?;
        typed
            .parse()
            .map_err(|()| D::Error::custom("not a key of 32 digits"))
    }
}

impl FromStr for HashKey {
    type Err = ();

    fn from_str(typed: &str) -> Result<Self, ()> {
        let is_hex = typed.bytes().all(|byte| byte.is_ascii_hexdigit());
        let key = u128::from_str_radix(typed, 16).ok();
        key.filter(|_| is_hex && typed.len() == 32)
            .map(HashKey)
            .ok_or(())
    }
}

const WORDS: u64 = 0x776f_7264;
const TEXTS: u64 = 0x7465_7874;

/// How many eight-byte blocks of an input have a factor of their own.
const FACTORS: usize = 16;

/// What makes hashes of words. A word is given as blocks of eight bytes, the last one zero-padded;
/// no word has a zero byte, so different words are different blocks.
pub trait WordHasher: fmt::Debug + Clone + Send + Sync {
    /// What is known after some blocks.
    type State: Copy;

    /// Of the first block.
    fn first(&self, block: u64) -> Self::State;

    /// After one more block, the one of this number.
    fn next(&self, state: Self::State, number: usize, block: u64) -> Self::State;

    /// The hash.
    fn done(&self, state: Self::State) -> u64;

    /// The multipliers of shingles of `len` words.
    fn multipliers(&self, seed: u64, len: usize) -> Multipliers;

    /// The seed of what is hashed with one.
    fn seed(&self, seed: u64) -> u64;

    /// The hash of a normalized word: the definition that the fast path must agree with.
    fn word(&self, word: &[u8]) -> u64 {
        let mut blocks = word.chunks(8).map(|chunk| {
            let mut padded = [0; 8];
            padded[..chunk.len()].copy_from_slice(chunk);
            u64::from_le_bytes(padded)
        });
        let first = self.first(blocks.next().unwrap_or(0));
        let numbered = (1..).zip(blocks);
        self.done(numbered.fold(first, |state, (number, block)| {
            self.next(state, number, block)
        }))
    }

    /// The hash of any bytes, as a feature.
    fn bytes(&self, bytes: &[u8], seed: u64) -> u64;
}

/// The hash that is the same in every job: [`super::word`].
#[derive(Debug, Clone, Copy, Default)]
pub struct PublicWords;

impl WordHasher for PublicWords {
    type State = u64;

    #[inline(always)]
    fn first(&self, block: u64) -> u64 {
        super::word_start(block)
    }

    #[inline(always)]
    fn next(&self, state: u64, _: usize, block: u64) -> u64 {
        super::word_more(state, block)
    }

    #[inline(always)]
    fn done(&self, state: u64) -> u64 {
        state
    }

    fn multipliers(&self, seed: u64, len: usize) -> Multipliers {
        Multipliers::new(seed, len)
    }

    fn seed(&self, seed: u64) -> u64 {
        seed
    }

    #[inline]
    fn bytes(&self, bytes: &[u8], seed: u64) -> u64 {
        super::bytes(bytes, seed)
    }
}

/// Hashes of words under a key: the upper half of a sum of products in 128 bits.
///
/// The words `a`, `b` and `c` differ by equal steps. That does no harm, since every feature that is made of
/// words is mixed at its end; mixing here too made a job 1.7 % slower.
#[derive(Debug, Clone)]
pub struct KeyedWords {
    key: HashKey,
    offset: u128,
    /// One for each block; the last is for what came before when there are more.
    factors: Arc<[u128; FACTORS + 1]>,
}

impl KeyedWords {
    /// The hash under a key.
    pub fn new(key: HashKey) -> Self {
        let mut numbers = key.wide_numbers(WORDS);
        let mut next = || numbers.next().unwrap_or_default();
        KeyedWords {
            key,
            offset: next(),
            factors: Arc::new(std::array::from_fn(|_| next())),
        }
    }
}

impl WordHasher for KeyedWords {
    type State = u128;

    #[inline(always)]
    fn first(&self, block: u64) -> u128 {
        self.offset
            .wrapping_add(self.factors[0].wrapping_mul(u128::from(block)))
    }

    #[inline(always)]
    fn next(&self, state: u128, number: usize, block: u64) -> u128 {
        let number = number % FACTORS;
        // All factors were used: what came before becomes one block more, with a factor of its own.
        // Two words that differ in it collide with the same small probability again.
        let state = if number == 0 {
            let so_far = u128::from(self.done(state));
            self.offset
                .wrapping_add(self.factors[FACTORS].wrapping_mul(so_far))
        } else {
            state
        };
        state.wrapping_add(self.factors[number].wrapping_mul(u128::from(block)))
    }

    #[inline(always)]
    fn done(&self, state: u128) -> u64 {
        (state >> 64) as u64
    }

    fn multipliers(&self, seed: u64, len: usize) -> Multipliers {
        Multipliers::new(self.seed(seed), len)
    }

    fn seed(&self, seed: u64) -> u64 {
        self.key.seed(WORDS ^ mix(seed ^ 1))
    }

    /// Any bytes may end in zeros, so the number of bytes is hashed too.
    #[inline]
    fn bytes(&self, bytes: &[u8], seed: u64) -> u64 {
        super::numbered(self.word(bytes), bytes.len() as u64, seed)
    }
}

/// Eight-byte words of a text that are hashed at once; a kibibyte.
const BLOCK: usize = 128;

/// What of the text before goes into the next block: a sum of 128 bits.
const CARRIED: usize = 2;

/// Hash of whole texts under a key.
///
/// Each kibibyte is reduced to 128 bits by a sum of NH: products of two words, to each of which a
/// random number was added. It goes into the next block as its first words, and the length of the
/// text into the end. It runs at the speed of memory: 16 bytes cost one multiplication.
#[derive(Clone)]
pub struct TextKey {
    numbers: Arc<[u64; BLOCK + CARRIED]>,
    end: KeyedWords,
}

impl fmt::Debug for TextKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("TextKey").finish_non_exhaustive()
    }
}

impl TextKey {
    /// The hash under a key.
    pub fn new(key: HashKey) -> Self {
        let mut numbers = key.numbers(TEXTS);
        let mut next = || numbers.next().unwrap_or_default();
        let numbers = std::array::from_fn(|_| next());
        let end = (u128::from(next()) << 64) | u128::from(next());
        TextKey {
            numbers: Arc::new(numbers),
            end: KeyedWords::new(HashKey(end)),
        }
    }

    /// The hash of a text.
    pub fn text(&self, text: &str) -> u64 {
        self.bytes(text.as_bytes())
    }

    /// The hash of some bytes.
    pub fn bytes(&self, bytes: &[u8]) -> u64 {
        let mut carried = [0u64; CARRIED];
        let (blocks, rest) = bytes.as_chunks::<{ BLOCK * 8 }>();
        for block in blocks {
            carried = self.sum(carried, block);
        }
        // The rest is padded with zeros to a whole number of pairs; the length tells it from a
        // text that ends in zeros.
        let mut last = [0; BLOCK * 8];
        last[..rest.len()].copy_from_slice(rest);
        carried = self.sum(carried, &last[..rest.len().next_multiple_of(16)]);
        let end = self.end.first(bytes.len() as u64);
        let end = self.end.next(end, 1, carried[0]);
        mix(self.end.done(self.end.next(end, 2, carried[1])))
    }

    /// The sum over what is carried and a block whose length is a multiple of 16 bytes.
    #[expect(clippy::cast_possible_truncation, reason = "the two halves")]
    #[inline]
    fn sum(&self, carried: [u64; CARRIED], block: &[u8]) -> [u64; CARRIED] {
        let (first, numbers) = self.numbers.split_at(CARRIED);
        let product = |left: u64, right: u64, numbers: &[u64]| {
            let left = u128::from(left.wrapping_add(numbers[0]));
            left * u128::from(right.wrapping_add(numbers[1]))
        };
        let mut sum = product(carried[0], carried[1], first);
        let pairs = block.as_chunks::<16>().0.iter();
        for (pair, numbers) in pairs.zip(numbers.as_chunks::<2>().0) {
            let pair = u128::from_le_bytes(*pair);
            sum = sum.wrapping_add(product(pair as u64, (pair >> 64) as u64, numbers));
        }
        [sum as u64, (sum >> 64) as u64]
    }
}

#[cfg(test)]
#[expect(clippy::cast_possible_truncation, reason = "parts of random numbers")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn keys() -> impl Strategy<Value = HashKey> {
        any::<u128>().prop_map(HashKey::new)
    }

    #[test]
    fn keys_are_read_as_they_are_written_and_never_shown() {
        let key = HashKey::new(0xfeed);
        assert_eq!(key.to_string().parse(), Ok(key));
        for wrong in ["", "feed", "+000000000000000000000000000feed"] {
            assert_eq!(wrong.parse::<HashKey>(), Err(()), "{wrong}");
        }
        assert!(!format!("{key:?} {:?}", TextKey::new(key)).contains("feed"));
    }

    #[test]
    fn values_of_a_key_never_change() {
        // Work directories keep the key and the values: a change needs a new version of theirs.
        let key = HashKey::new(1);
        let words = KeyedWords::new(key);
        let values = [
            words.word(b"near"),
            words.word(&[b'x'; 200]),
            words.bytes(b"near", 0),
            words.seed(0),
        ];
        assert_eq!(
            values,
            [
                7_814_168_187_534_397_646,
                14_052_461_777_006_909_916,
                1_092_217_624_567_378_171,
                14_946_685_902_213_015_776
            ]
        );
        let texts = TextKey::new(key);
        let values = [texts.text(""), texts.text(&"near-duplicate ".repeat(200))];
        assert_eq!(
            values,
            [12_967_364_946_252_222_536, 16_722_704_871_985_522_202]
        );
    }

    /// The definition: a sum in which nothing is done at once.
    fn slow_text(key: HashKey, bytes: &[u8]) -> u64 {
        let fast = TextKey::new(key);
        let mut carried = vec![0u64; CARRIED];
        let mut at = 0;
        loop {
            let end = bytes.len().min(at + BLOCK * 8);
            let mut padded = bytes[at..end].to_vec();
            while !padded.len().is_multiple_of(16) {
                padded.push(0);
            }
            let eights = padded.chunks(8).map(|eight| {
                eight
                    .iter()
                    .rev()
                    .fold(0u64, |all, &one| (all << 8) | u64::from(one))
            });
            let words: Vec<u64> = carried.iter().copied().chain(eights).collect();
            let sum = words.chunks(2).enumerate().fold(0u128, |sum, (pair, two)| {
                let left = two[0].wrapping_add(fast.numbers[2 * pair]);
                let right = two[1].wrapping_add(fast.numbers[2 * pair + 1]);
                sum.wrapping_add(u128::from(left) * u128::from(right))
            });
            carried = vec![sum as u64, (sum >> 64) as u64];
            if end - at < BLOCK * 8 {
                break;
            }
            at = end;
        }
        let all = [bytes.len() as u64, carried[0], carried[1]];
        let hasher = &fast.end;
        let sum = all.iter().zip(&hasher.factors[..]).fold(
            hasher.offset,
            |sum, (&block, &factor)| {
                sum.wrapping_add(factor.wrapping_mul(u128::from(block)))
            },
        );
        mix((sum >> 64) as u64)
    }

    proptest! {
        #[test]
        fn texts_have_the_hash_of_the_definition(
            key in keys(),
            len in prop_oneof![0usize..40, 1000usize..1100, 2040usize..2060, 0usize..5000],
            seed in any::<u64>(),
        ) {
            let bytes: Vec<u8> = (0..len as u64).map(|at| mix(at ^ seed) as u8).collect();
            prop_assert_eq!(TextKey::new(key).bytes(&bytes), slow_text(key, &bytes));
        }

        #[test]
        fn any_change_of_a_text_changes_the_hash(
            key in keys(),
            len in 1usize..3000,
            at in any::<prop::sample::Index>(),
            byte in 1u8..,
        ) {
            let texts = TextKey::new(key);
            let mut bytes = vec![0u8; len];
            let zeros = texts.bytes(&bytes);
            bytes[at.index(len)] ^= byte;
            prop_assert_ne!(texts.bytes(&bytes), zeros);
            bytes[at.index(len)] = 0;
            bytes.push(0);
            prop_assert_ne!(texts.bytes(&bytes), zeros);
        }

        #[test]
        fn any_change_of_a_word_changes_the_hash(
            key in keys(),
            word in "[a-z]{1,300}",
            at in any::<prop::sample::Index>(),
        ) {
            let hasher = KeyedWords::new(key);
            let mut bytes = word.into_bytes();
            let hash = hasher.word(&bytes);
            let place = at.index(bytes.len());
            bytes[place] ^= 0x40;
            prop_assert_ne!(hasher.word(&bytes), hash);
            bytes[place] ^= 0x40;
            bytes.push(b'x');
            prop_assert_ne!(hasher.word(&bytes), hash);
        }
    }

    #[test]
    fn what_collides_under_one_key_does_not_under_another() {
        // Two words that the public hash gives one value, made from its definition: the second
        // block takes back what the first one changed.
        let blocks = |word: &[u8; 16]| {
            let (first, second) = word.split_at(8);
            let number = |eight: &[u8]| u64::from_le_bytes(eight.try_into().unwrap());
            (number(first), number(second))
        };
        let (first, second) = blocks(b"aaaaaaaabbbbbbbb");
        let step = 0xd1b5_4a32_d192_ed03u64;
        let of = |block: u64| super::super::word_start(block).wrapping_mul(step);
        let other_first = first ^ 0x0101;
        let other_second = of(first) ^ second ^ of(other_first);
        let public = |first, second| {
            super::super::word_more(super::super::word_start(first), second)
        };
        assert_eq!(public(first, second), public(other_first, other_second));
        for key in 1..200u128 {
            let hasher = KeyedWords::new(HashKey::new(key));
            let keyed =
                |first, second| hasher.done(hasher.next(hasher.first(first), 1, second));
            assert_ne!(keyed(first, second), keyed(other_first, other_second));
        }
    }

    #[test]
    fn bits_of_features_are_even() {
        // Words that differ in one place, as numbers and names do.
        let hasher = KeyedWords::new(HashKey::new(7));
        let shingle = hasher.multipliers(0, 1);
        let mut ones = [0u32; 64];
        for number in 0..4096u32 {
            let word = hasher.word(format!("item{number:05}").as_bytes());
            let hash = shingle.shingle(&[word]);
            for (bit, ones) in ones.iter_mut().enumerate() {
                *ones += u32::from((hash >> bit) & 1 == 1);
            }
        }
        // Five standard deviations of 4,096 throws are 160.
        assert!(
            ones.iter().all(|&ones| ones.abs_diff(2048) < 160),
            "{ones:?}"
        );
    }
}
