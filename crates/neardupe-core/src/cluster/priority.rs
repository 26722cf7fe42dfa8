//! Which document of a cluster is kept: the order in which representatives are chosen.

use crate::error::{Error, Result};
use crate::numbers::{DocIdx, IdRank, MaybeFieldRank};
use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// The rule of `keep`. Ties go to the smaller id, compared as bytes. Documents without a value
/// that the rule can read come last.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Keep {
    /// Most features, then most characters.
    #[default]
    Longest,
    /// Fewest features, then fewest characters.
    Shortest,
    /// Shortest value of a field.
    ShortestField(String),
    /// Latest date in a field.
    Newest(String),
    /// Earliest date in a field.
    Oldest(String),
    /// Largest number in a field.
    Highest(String),
    /// Smallest number in a field.
    Lowest(String),
    /// Documents with this value in a field before all others.
    Prefer(String, String),
    /// The order of the input.
    First,
}

/// What the order of documents depends on.
#[derive(Debug, Clone, Copy)]
pub struct Candidate {
    /// Old documents come before the new ones that are compared with them.
    pub is_new: bool,
    /// Number of features that are compared, where a larger document must come before a
    /// smaller one; None where sizes matter to the rule alone. The same for all documents of
    /// a job.
    pub larger_first: Option<u32>,
    /// Number of features.
    pub size: u64,
    /// Number of characters.
    pub chars: u32,
    /// Place in the order of ids.
    pub id_rank: IdRank,
    /// Rank of its value of the field of the rule, smaller first. A document without a value that can be read comes
    /// after all that have one.
    pub field_rank: MaybeFieldRank,
    /// Its number, which is its place in the input.
    pub document: DocIdx,
}

/// All rules, as a message lists them.
const RULES: &str = "longest, shortest, shortest:FIELD, newest:FIELD, oldest:FIELD, \
    highest:FIELD, lowest:FIELD, prefer:FIELD=VALUE, first";

impl Keep {
    /// The metadata field the rule looks at.
    pub fn field(&self) -> Option<&str> {
        match self {
            Keep::ShortestField(field)
            | Keep::Newest(field)
            | Keep::Oldest(field)
            | Keep::Highest(field)
            | Keep::Lowest(field)
            | Keep::Prefer(field, _) => Some(field),
            Keep::Longest | Keep::Shortest | Keep::First => None,
        }
    }

    /// Whether documents come by descending number of features.
    pub fn by_descending_size(&self) -> bool {
        *self == Keep::Longest
    }

    /// Order of two documents: the smaller is kept before the larger.
    pub fn compare(&self, left: &Candidate, right: &Candidate) -> Ordering {
        let before = (left.is_new.cmp(&right.is_new))
            .then_with(|| right.larger_first.cmp(&left.larger_first));
        let rule = || match self {
            Keep::Longest => (right.size, right.chars).cmp(&(left.size, left.chars)),
            Keep::Shortest => (left.size, left.chars).cmp(&(right.size, right.chars)),
            Keep::First => left.document.cmp(&right.document),
            _ => left.field_rank.cmp(&right.field_rank),
        };
        before
            .then_with(rule)
            .then_with(|| left.id_rank.cmp(&right.id_rank))
    }

    /// Bytes whose order is the order of keeping: [`Keep::compare`] for those who sort rows and
    /// know nothing of rules. Only the keys of one rule and one job can be compared.
    pub fn sort_key(&self, candidate: &Candidate) -> Vec<u8> {
        self.sort_key_with_id(candidate, &candidate.id_rank.get().to_be_bytes())
    }

    /// Like [`Keep::sort_key`], with the id itself where ids have not been put in order. Ids
    /// may differ in length: all that stands before them has the same for all documents.
    pub fn sort_key_with_id(&self, candidate: &Candidate, id: &[u8]) -> Vec<u8> {
        let mut key = vec![u8::from(candidate.is_new)];
        if let Some(size) = candidate.larger_first {
            key.extend((!size).to_be_bytes());
        }
        match self {
            Keep::Longest => {
                key.extend((!candidate.size).to_be_bytes());
                key.extend((!candidate.chars).to_be_bytes());
            }
            Keep::Shortest => {
                key.extend(candidate.size.to_be_bytes());
                key.extend(candidate.chars.to_be_bytes());
            }
            Keep::First => key.extend(candidate.document.get().to_be_bytes()),
            _ => key.extend(candidate.field_rank.bits().to_be_bytes()),
        }
        key.extend(id);
        key
    }
}

impl FromStr for Keep {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let wrong = || Error::config("keep", format!("{text:?} is not one of {RULES}"));
        let (rule, field) = text.split_once(':').unwrap_or((text, ""));
        let named = |keep: fn(String) -> Keep| {
            if field.is_empty() {
                Err(wrong())
            } else {
                Ok(keep(field.to_owned()))
            }
        };
        match (rule, text.contains(':')) {
            ("longest", false) => Ok(Keep::Longest),
            ("shortest", false) => Ok(Keep::Shortest),
            ("first", false) => Ok(Keep::First),
            ("shortest", true) => named(Keep::ShortestField),
            ("newest", true) => named(Keep::Newest),
            ("oldest", true) => named(Keep::Oldest),
            ("highest", true) => named(Keep::Highest),
            ("lowest", true) => named(Keep::Lowest),
            ("prefer", true) => match field.split_once('=') {
                Some((field, value)) if !field.is_empty() => {
                    Ok(Keep::Prefer(field.to_owned(), value.to_owned()))
                }
                _ => Err(wrong()),
            },
            _ => Err(wrong()),
        }
    }
}

impl fmt::Display for Keep {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Keep::Longest => out.write_str("longest"),
            Keep::Shortest => out.write_str("shortest"),
            Keep::ShortestField(field) => write!(out, "shortest:{field}"),
            Keep::Newest(field) => write!(out, "newest:{field}"),
            Keep::Oldest(field) => write!(out, "oldest:{field}"),
            Keep::Highest(field) => write!(out, "highest:{field}"),
            Keep::Lowest(field) => write!(out, "lowest:{field}"),
            Keep::Prefer(field, value) => write!(out, "prefer:{field}={value}"),
            Keep::First => out.write_str("first"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const RULES_OF_EACH_KIND: [&str; 9] = [
        "longest",
        "shortest",
        "shortest:url",
        "newest:meta.date",
        "oldest:date",
        "highest:score",
        "lowest:rank",
        "prefer:source=wiki",
        "first",
    ];

    /// Small numbers, which are often equal, and large ones, which need every byte.
    fn number() -> impl Strategy<Value = u32> {
        prop_oneof![0u32..3, 250u32..260, 0..u32::MAX]
    }

    fn candidate() -> impl Strategy<Value = Candidate> {
        let numbers = (number(), number(), number(), number(), number(), number());
        (any::<bool>(), any::<bool>(), numbers).prop_map(|(is_new, is_large, numbers)| {
            let (size, compared, chars, id_rank, field_rank, document) = numbers;
            Candidate {
                is_new,
                larger_first: Some(compared),
                size: u64::from(size) << (u32::from(is_large) * 31),
                chars,
                id_rank: IdRank::new(id_rank),
                field_rank: MaybeFieldRank::of_bits(field_rank),
                document: DocIdx::new(document),
            }
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]
        #[test]
        fn keys_are_in_the_order_of_the_comparison(
            left in candidate(),
            right in candidate(),
            same in 0u8..8,
            larger_first in any::<bool>(),
            ids in ("[a-c]{0,3}", "[a-c]{0,3}"),
        ) {
            let (mut left, mut right) = (left, right);
            // What comes first is often equal, so that what comes after decides.
            right.is_new = if same > 0 { left.is_new } else { right.is_new };
            right.larger_first = if same > 1 { left.larger_first } else { right.larger_first };
            right.size = if same > 2 { left.size } else { right.size };
            right.chars = if same > 3 { left.chars } else { right.chars };
            right.field_rank = if same > 4 { left.field_rank } else { right.field_rank };
            right.document = if same > 5 { left.document } else { right.document };
            if !larger_first {
                (left.larger_first, right.larger_first) = (None, None);
            }
            for rule in RULES_OF_EACH_KIND {
                let keep: Keep = rule.parse().unwrap();
                let keys = keep.sort_key(&left).cmp(&keep.sort_key(&right));
                prop_assert_eq!(keys, keep.compare(&left, &right), "{}", rule);
                // Ranks that are in the order of the ids.
                let (mut one, mut two) = (left, right);
                one.id_rank = IdRank::new(1);
                two.id_rank = IdRank::new(match ids.0.cmp(&ids.1) {
                    Ordering::Less => 2,
                    Ordering::Equal => 1,
                    Ordering::Greater => 0,
                });
                let of_left = keep.sort_key_with_id(&one, ids.0.as_bytes());
                let of_right = keep.sort_key_with_id(&two, ids.1.as_bytes());
                prop_assert_eq!(of_left.cmp(&of_right), keep.compare(&one, &two), "{}", rule);
            }
        }
    }

    #[test]
    fn rules_are_read_as_they_are_written() {
        for text in RULES_OF_EACH_KIND {
            assert_eq!(text.parse::<Keep>().unwrap().to_string(), text);
        }
        for wrong in [
            "",
            "newest",
            "longest:x",
            "prefer:a",
            "prefer:=b",
            "best",
            "newest:",
            "oldest",
            "lowest",
        ] {
            assert!(wrong.parse::<Keep>().is_err(), "{wrong}");
        }
    }
}
