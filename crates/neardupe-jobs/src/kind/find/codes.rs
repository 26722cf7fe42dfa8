//! Options of simhashes: variant, idf, table, reserved bits. `find` and `history` share them.

use neardupe_core::error::{Error, Result};
use neardupe_core::feature::{FeatureKind, FeatureSpec};
use neardupe_core::frequency::{DfTable, ENGLISH};
use neardupe_core::pipeline::codes::{CodePlan, DfSource};
use neardupe_core::signature::{Idf, Reserve, Variant};
use neardupe_core::text::WordOptions;
use std::path::Path;
use std::sync::Arc;

/// The options as they were given.
#[derive(Debug, Default, Clone, Copy)]
pub struct TypedCodes<'a> {
    /// How features are chosen and weighed.
    pub variant: Option<&'a str>,
    /// What a feature weighs.
    pub idf: Option<Idf>,
    /// Where document frequencies come from.
    pub df_table: Option<&'a str>,
    /// The field that leading bits stand for.
    pub reserve: Option<&'a str>,
}

/// How simhashes are made, as far as it follows from these options alone; the table is opened by
/// [`plan`](CodeOptions::plan), when the features are known.
#[derive(Debug, Clone)]
pub struct CodeOptions {
    /// How features are chosen and weighed.
    pub variant: Variant,
    /// What a feature weighs.
    pub idf: Idf,
    /// Where document frequencies come from.
    pub table: String,
    /// The field that leading bits stand for.
    pub reserve: Option<Reserve>,
}

/// Bits that are reserved for a value when no number is typed.
const RESERVED_BITS: u32 = 8;

impl CodeOptions {
    /// Reads what was typed. `auto` is the variant with metadata when there is any.
    pub fn resolve(
        typed: TypedCodes<'_>,
        features: FeatureKind,
        has_metadata: bool,
    ) -> Result<Self> {
        let variant = match typed.variant {
            None => "original",
            Some("auto") if has_metadata => "metadata",
            Some("auto") => "original",
            Some(typed) => typed,
        };
        let variant: Variant = variant.parse()?;
        if variant.metadata != Default::default() && !has_metadata {
            let message = "metadata needs the fields to be named with `meta-key`";
            return Err(Error::config("variant", message));
        }
        // A shingle is rare, whatever its words: how many documents have it says little, and counting
        // takes long. Whoever names a table wants it used, whatever the features are.
        let default = match (features, typed.df_table) {
            (FeatureKind::Terms, _) | (_, Some(_)) => Idf::Log,
            _ => Idf::None,
        };
        let idf = typed.idf.unwrap_or(default);
        // Refused, not ignored: the table was named for something.
        if idf == Idf::None && typed.df_table.is_some() {
            let message = "`idf none` uses no table";
            return Err(Error::config("df-table", message));
        }
        Ok(CodeOptions {
            variant,
            idf,
            table: typed.df_table.unwrap_or(COLLECTION).to_owned(),
            reserve: typed.reserve.map(reserve).transpose()?,
        })
    }

    /// Metadata fields that must be read for these codes.
    pub fn fields(&self) -> impl Iterator<Item = &str> {
        let reserve = self.reserve.iter().map(|reserve| reserve.field.as_str());
        let numeric = self.variant.numeric.iter();
        reserve.chain(numeric.map(|numeric| numeric.field.as_str()))
    }

    /// The table as outputs name it; None where codes do not depend on one.
    pub fn table_name(&self) -> Option<&str> {
        (self.idf != Idf::None).then_some(self.table.as_str())
    }

    /// Where document frequencies come from.
    fn source(&self, specification: &FeatureSpec) -> Result<DfSource> {
        match self.idf {
            // Never read: the plan of codes counts nothing without weights.
            Idf::None => Ok(DfSource::Collection),
            Idf::Log | Idf::Inverse => df_source(&self.table, specification),
        }
    }

    /// How codes are made of features. `fields` are all metadata fields that are read; the first
    /// `num_features` of them were named by the user and may become features. The others are read for
    /// rules, reports and options.
    pub fn plan(
        &self,
        features: FeatureKind,
        words: &WordOptions,
        seed: u64,
        fields: &[String],
        num_features: usize,
    ) -> Result<CodePlan> {
        let df = self.source(&FeatureSpec::new(features, words, seed))?;
        Ok(CodePlan {
            features,
            words: words.clone(),
            seed,
            variant: self.variant.clone(),
            idf: self.idf,
            df,
            reserve: self.reserve.clone(),
            fields: fields.to_vec(),
            num_features,
        })
    }
}

/// The name of the table that is counted from the input, which is read once more for it.
pub const COLLECTION: &str = "collection";

/// A table by its name: the collection, the English one, or a file. A table of other features, words or
/// seed is refused: its numbers would be those of other hashes, and every lookup would miss.
pub fn df_source(typed: &str, specification: &FeatureSpec) -> Result<DfSource> {
    let table = match typed {
        COLLECTION => return Ok(DfSource::Collection),
        ENGLISH => DfTable::english(specification)?,
        path => DfTable::read(Path::new(path))?,
    };
    table.check(specification)?;
    Ok(DfSource::Table(Arc::new(table)))
}

/// Reads `FIELD` or `FIELD:BITS`. The last colon separates the bits, since a field may have colons in
/// its name.
fn reserve(typed: &str) -> Result<Reserve> {
    let (field, bits) = match typed.rsplit_once(':') {
        None => (typed, Some(RESERVED_BITS)),
        Some((field, bits)) => (field, bits.parse::<u32>().ok()),
    };
    match bits {
        Some(bits) if (1..=32).contains(&bits) && !field.is_empty() => Ok(Reserve {
            field: field.to_owned(),
            bits,
        }),
        _ => {
            let message =
                format!("{typed:?} is not FIELD or FIELD:BITS, BITS from 1 to 32");
            Err(Error::config("reserve", message))
        }
    }
}
