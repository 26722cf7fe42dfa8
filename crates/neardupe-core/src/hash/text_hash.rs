//! Hashes of the text of a feature, to do as published work did.
//!
//! The default makes a feature of the hashes of its words. These hash its text instead: words
//! joined by one space. What is found is the same but for collisions; which features a sample keeps
//! is not.

use super::{mix, nonzero};
use md5::{Digest, Md5};

/// How features become numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FeatureHash {
    /// Made of the hashes of words: the fastest.
    #[default]
    Multilinear,
    /// XXH3 with 64 bits.
    Xxh3,
    /// The remainder by an irreducible polynomial of degree 64 (Rabin 1981), mixed.
    Rabin64,
    /// The first 64 bits of MD5.
    Md5,
}

impl FeatureHash {
    /// The name that a specification has; changes when any stored value would.
    pub fn specification(self) -> &'static str {
        match self {
            FeatureHash::Multilinear => "neardupe-multilinear-1",
            FeatureHash::Xxh3 => "xxh3-text-1",
            FeatureHash::Rabin64 => "rabin64-text-1",
            FeatureHash::Md5 => "md5-text-1",
        }
    }

    /// The hash of a text. Another seed gives other values.
    pub fn of_text(self, text: &[u8], seed: u64) -> u64 {
        let seeded = |hash: u64| match seed {
            0 => nonzero(hash),
            seed => nonzero(mix(hash ^ mix(seed))),
        };
        match self {
            FeatureHash::Multilinear | FeatureHash::Xxh3 => super::bytes(text, seed),
            FeatureHash::Rabin64 => seeded(mix(rabin(text))),
            FeatureHash::Md5 => {
                let mut first = [0; 8];
                first.copy_from_slice(&Md5::digest(text)[..8]);
                seeded(u64::from_be_bytes(first))
            }
        }
    }
}

/// x^64 + x^4 + x^3 + x + 1 without its highest term.
const POLYNOMIAL: u64 = 0x1b;

/// Each byte, times x^64, by the polynomial.
const TABLE: [u64; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = times_x64(byte as u64);
        byte += 1;
    }
    table
};

const fn times_x64(value: u64) -> u64 {
    let mut value = value;
    let mut step = 0;
    while step < 64 {
        let carry = value >> 63;
        value = (value << 1) ^ (carry * POLYNOMIAL);
        step += 1;
    }
    value
}

/// The text as a polynomial over the field of two elements, after a leading one, by
/// [`POLYNOMIAL`].
fn rabin(text: &[u8]) -> u64 {
    text.iter().fold(1, |hash: u64, &byte| {
        (hash << 8) ^ u64::from(byte) ^ TABLE[(hash >> 56) as usize]
    })
}

crate::named!(FeatureHash as "hash" {
    Multilinear = "multilinear",
    Xxh3 = "xxh3",
    Rabin64 = "rabin64",
    Md5 = "md5",
});

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ALL: [FeatureHash; 4] = [
        FeatureHash::Multilinear,
        FeatureHash::Xxh3,
        FeatureHash::Rabin64,
        FeatureHash::Md5,
    ];

    #[test]
    fn names_are_read_as_they_are_written() {
        for hash in ALL {
            assert_eq!(hash.to_string().parse::<FeatureHash>().unwrap(), hash);
        }
        assert!("sha1".parse::<FeatureHash>().is_err());
    }

    #[test]
    fn md5_is_that_of_the_standard() {
        // RFC 1321, A.5: MD5 ("abc") = 900150983cd24fb0d6963f7d28e17f72
        assert_eq!(FeatureHash::Md5.of_text(b"abc", 0), 0x9001_5098_3cd2_4fb0);
    }

    #[test]
    fn seeds_and_texts_give_other_values() {
        for hash in ALL {
            assert_ne!(hash.of_text(b"a rose", 0), hash.of_text(b"a rose", 1));
            assert_ne!(hash.of_text(b"a rose", 0), hash.of_text(b"a\0rose", 0));
            assert_ne!(hash.of_text(b"", 0), hash.of_text(b"\0", 0));
        }
    }

    /// Long division, bit by bit.
    fn slow_rabin(text: &[u8]) -> u64 {
        let bits = text
            .iter()
            .flat_map(|byte| (0..8).rev().map(move |bit| (byte >> bit) & 1));
        bits.fold(1, |rest: u64, bit| {
            let carry = rest >> 63;
            (rest << 1) ^ u64::from(bit) ^ (carry * POLYNOMIAL)
        })
    }

    proptest! {
        #[test]
        fn the_remainder_is_that_of_a_division(
            text in prop::collection::vec(any::<u8>(), 0..40),
        ) {
            prop_assert_eq!(rabin(&text), slow_rabin(&text));
        }
    }
}
