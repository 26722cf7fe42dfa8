//! A general table of English words that comes with the program, so that weights exist before
//! any collection was counted. Where its numbers come from: README.md beside this file.

use super::specification::FeatureSpecText;
use super::table::DfTable;
use crate::error::{Error, Result};
use crate::feature::{FeatureKind, FeatureSpec};
use crate::hash;

/// The name by which the table is asked for.
pub const ENGLISH: &str = "english";

const TABLE: &str = include_str!("english.tsv");

/// See [`DfTable::english`].
pub(super) fn table(specification: &FeatureSpec) -> Result<DfTable> {
    let refuse = |message: String| Err(Error::config("df-table", message));
    if specification.features != FeatureKind::Terms.to_string() {
        return refuse(format!(
            "{ENGLISH} is a table of words, for `features terms`; build one for {} \
             from a collection (neardupe df-table build)",
            specification.features
        ));
    }
    if specification.stem != "none" {
        return refuse(format!(
            "{ENGLISH} is a table of words, not of stems; leave `stem` out, or build a \
             table from a collection (neardupe df-table build)"
        ));
    }
    let (num_documents, min_df, words) = parse(TABLE).ok_or_else(|| {
        Error::Internal("the built-in table of English words is damaged".to_owned())
    })?;
    let counts = words.into_iter().map(|(word, df)| {
        let feature = hash::numbered(hash::word(word.as_bytes()), 1, specification.seed);
        (feature, df)
    });
    Ok(DfTable::from_counts(
        FeatureSpecText::from(specification),
        num_documents,
        min_df - 1,
        counts,
    ))
}

/// Number of documents, the least number of documents of a word, and the words.
#[expect(clippy::type_complexity, reason = "three things, taken apart at once")]
fn parse(text: &str) -> Option<(u64, u32, Vec<(&str, u32)>)> {
    let (first, rest) = text.split_once('\n')?;
    let mut fields = first.strip_prefix("# documents\t")?.split('\t');
    let num_documents = fields.next()?.parse().ok()?;
    let (name, min_df) = (fields.next()?, fields.next()?.parse().ok()?);
    if name != "min_df" || min_df < 2 {
        return None;
    }
    let words = rest.lines().map(|line| {
        let (word, df) = line.split_once('\t')?;
        Some((word, df.parse().ok()?))
    });
    Some((num_documents, min_df, words.collect::<Option<_>>()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{StopWords, WordOptions, slow};

    fn specification(kind: &str, stem: &str, seed: u64) -> FeatureSpec {
        let options = WordOptions {
            stop_words: StopWords::named("en").unwrap(),
            stem: stem.parse().unwrap(),
            ..WordOptions::default()
        };
        FeatureSpec::new(kind.parse().unwrap(), &options, seed)
    }

    #[test]
    fn frequent_words_weigh_little_and_rare_ones_much() {
        let specification = specification("terms", "none", 3);
        let table = DfTable::english(&specification).unwrap();
        table.check(&specification).unwrap();
        let feature = |word: &str| hash::numbered(hash::word(word.as_bytes()), 1, 3);
        let df = |word: &str| u64::from(table.df(feature(word)));
        let documents = table.num_documents();
        assert!(df("the") * 10 > documents * 9, "{}", df("the"));
        assert!(df("of") < df("the") && df("house") < df("of"));
        assert!(df("house") * 100 > documents && df("house") * 5 < documents);
        assert_eq!(df("xylophonist"), u64::from(table.unseen()));
        assert!(table.idf(feature("xylophonist")) > table.idf(feature("house")));
    }

    #[test]
    fn its_words_are_words_by_our_rule_each_once() {
        let (num_documents, min_df, words) = parse(TABLE).unwrap();
        assert!(num_documents >= 20_000 && words.len() > 5_000);
        assert!(TABLE.len() < 130_000 && words.len() <= 10_000);
        for &(word, df) in &words {
            assert_eq!(slow::words(word), [word]);
            assert!(
                df >= min_df && u64::from(df) <= num_documents,
                "{word} {df}"
            );
        }
        let table = DfTable::english(&specification("terms", "none", 0)).unwrap();
        assert_eq!(table.len(), words.len());
    }

    #[test]
    fn features_that_are_no_words_and_stems_are_refused() {
        let refused = |kind, stem| {
            let table = DfTable::english(&specification(kind, stem, 0));
            table.unwrap_err().to_string()
        };
        assert!(refused("words:5", "none").contains("for `features terms`"));
        assert!(refused("terms", "en").contains("not of stems"));
    }
}
