//! The types of columns: what a row holds of each on its way into a file, what it is when it is
//! read back, and which values there can be.

use super::cell::{Cell, ColumnKind, ListedIds};
use super::raw::Value;
use neardupe_core::pipeline::Rule;
use neardupe_core::ratio;
use std::borrow::Cow;
use std::marker::PhantomData;

/// A type of columns.
pub trait ColumnType {
    /// How files hold it.
    const KIND: ColumnKind;
    /// Which values there can be, where that is less than the kind says.
    const VALUES: Option<&'static Values> = None;
    /// What a row that is written has.
    type Written<'a>;
    /// What a row that was read has.
    type Stored;

    /// The value of a row.
    fn cell<'a>(written: &'a Self::Written<'_>) -> Cell<'a>;

    /// The value that was read from the column of this name.
    fn stored(name: &str, value: Option<Value>) -> Result<Self::Stored, String>;
}

/// The values of a column. They are a type of their own in `docs/result.xsd`.
#[derive(Debug)]
pub struct Values {
    /// Its name there.
    pub name: &'static str,
    /// What they mean; empty where the columns say it.
    pub meaning: &'static str,
    /// Which there are.
    pub limits: Limits,
}

/// Which values there are.
#[derive(Debug)]
pub enum Limits {
    /// These words.
    OneOf(&'static [&'static str]),
    /// Texts of this regular expression.
    Pattern(&'static str),
    /// Whole numbers up to this one.
    AtMost(u64),
    /// Numbers with six decimals from 0, also above 1.
    Decimals,
}

/// The value, which the column must have.
fn needed(name: &str, value: Option<Value>) -> Result<Value, String> {
    value.ok_or_else(|| {
        format!("no value of {name:?}; is this a table that neardupe wrote?")
    })
}

/// A value that must be a text.
fn text(name: &str, value: Option<Value>) -> Result<String, String> {
    match needed(name, value)? {
        Value::Text(text) => Ok(text),
        _ => Err(format!("{name}: not a text")),
    }
}

/// A value that must be a whole number within the range of `N`.
fn number<N: TryFrom<u64>>(name: &str, value: Value) -> Result<N, String> {
    match value {
        Value::Number(number) => {
            N::try_from(number).map_err(|_| format!("{name}: {number} is too large"))
        }
        _ => Err(format!("{name}: not a number")),
    }
}

/// Any text.
#[derive(Debug)]
pub enum Text {}

impl ColumnType for Text {
    const KIND: ColumnKind = ColumnKind::Text;
    type Written<'a> = Cow<'a, str>;
    type Stored = String;

    fn cell<'a>(written: &'a Cow<'_, str>) -> Cell<'a> {
        Cell::Text(written)
    }

    fn stored(name: &str, value: Option<Value>) -> Result<String, String> {
        text(name, value)
    }
}

/// Any text, or nothing.
#[derive(Debug)]
pub enum OptionalText {}

impl ColumnType for OptionalText {
    const KIND: ColumnKind = ColumnKind::OptionalText;
    type Written<'a> = Option<Cow<'a, str>>;
    type Stored = Option<String>;

    fn cell<'a>(written: &'a Option<Cow<'_, str>>) -> Cell<'a> {
        Cell::Maybe(written.as_deref())
    }

    fn stored(name: &str, value: Option<Value>) -> Result<Option<String>, String> {
        value.map(|value| text(name, Some(value))).transpose()
    }
}

/// A whole number, read back as `N`.
#[derive(Debug)]
pub struct Number<N = u32>(PhantomData<N>);

impl<N: TryFrom<u64>> ColumnType for Number<N> {
    const KIND: ColumnKind = ColumnKind::Number;
    type Written<'a> = u64;
    type Stored = N;

    fn cell<'a>(written: &'a u64) -> Cell<'a> {
        Cell::Number(*written)
    }

    fn stored(name: &str, value: Option<Value>) -> Result<N, String> {
        number(name, needed(name, value)?)
    }
}

/// A whole number, or nothing.
#[derive(Debug)]
pub enum OptionalNumber {}

impl ColumnType for OptionalNumber {
    const KIND: ColumnKind = ColumnKind::OptionalNumber;
    type Written<'a> = Option<u64>;
    type Stored = Option<u64>;

    fn cell<'a>(written: &'a Option<u64>) -> Cell<'a> {
        Cell::MaybeNumber(*written)
    }

    fn stored(name: &str, value: Option<Value>) -> Result<Option<u64>, String> {
        value.map(|value| number(name, value)).transpose()
    }
}

/// A whole number that may be negative.
#[derive(Debug)]
pub enum Integer {}

impl ColumnType for Integer {
    const KIND: ColumnKind = ColumnKind::Integer;
    type Written<'a> = i64;
    type Stored = i64;

    fn cell<'a>(written: &'a i64) -> Cell<'a> {
        Cell::Integer(*written)
    }

    fn stored(name: &str, value: Option<Value>) -> Result<i64, String> {
        match needed(name, value)? {
            Value::Integer(number) => Ok(number),
            Value::Number(number) => i64::try_from(number)
                .map_err(|_| format!("{name}: {number} is too large")),
            _ => Err(format!("{name}: not a whole number")),
        }
    }
}

/// The bits in which two simhashes differ, or nothing.
#[derive(Debug)]
pub enum OptionalDistance {}

/// The bits in which two simhashes differ.
#[derive(Debug)]
pub enum Distance {}

static DISTANCE: Values = Values {
    name: "distance",
    meaning: "Bits in which two simhashes differ.",
    limits: Limits::AtMost(64),
};

impl ColumnType for Distance {
    const KIND: ColumnKind = ColumnKind::Number;
    const VALUES: Option<&'static Values> = Some(&DISTANCE);
    type Written<'a> = u64;
    type Stored = u32;

    fn cell<'a>(written: &'a u64) -> Cell<'a> {
        Cell::Number(*written)
    }

    fn stored(name: &str, value: Option<Value>) -> Result<u32, String> {
        number(name, needed(name, value)?)
    }
}

impl ColumnType for OptionalDistance {
    const KIND: ColumnKind = ColumnKind::OptionalNumber;
    const VALUES: Option<&'static Values> = Some(&DISTANCE);
    type Written<'a> = Option<u64>;
    type Stored = Option<u32>;

    fn cell<'a>(written: &'a Option<u64>) -> Cell<'a> {
        Cell::MaybeNumber(*written)
    }

    fn stored(name: &str, value: Option<Value>) -> Result<Option<u32>, String> {
        value.map(|value| number(name, value)).transpose()
    }
}

/// A ratio from 0 to 1: part and whole. Read back it is as written, with six decimals.
#[derive(Debug)]
pub enum Ratio {}

impl ColumnType for Ratio {
    const KIND: ColumnKind = ColumnKind::Ratio;
    type Written<'a> = ratio::Ratio;
    type Stored = f64;

    fn cell<'a>(written: &'a ratio::Ratio) -> Cell<'a> {
        Cell::Ratio(*written)
    }

    fn stored(name: &str, value: Option<Value>) -> Result<f64, String> {
        match needed(name, value)? {
            Value::Ratio(ratio) if (0.0..=1.0).contains(&ratio) => Ok(ratio),
            Value::Ratio(ratio) => Err(format!("{name}: {ratio} is not between 0 and 1")),
            _ => Err(format!("{name}: not a number")),
        }
    }
}

/// A ratio from 0 to 1, or nothing.
#[derive(Debug)]
pub enum OptionalRatio {}

impl ColumnType for OptionalRatio {
    const KIND: ColumnKind = ColumnKind::OptionalRatio;
    type Written<'a> = Option<ratio::Ratio>;
    type Stored = Option<f64>;

    fn cell<'a>(written: &'a Option<ratio::Ratio>) -> Cell<'a> {
        Cell::MaybeRatio(*written)
    }

    fn stored(name: &str, value: Option<Value>) -> Result<Option<f64>, String> {
        value
            .map(|value| Ratio::stored(name, Some(value)))
            .transpose()
    }
}

/// A number with decimals of any size.
fn any_decimal(name: &str, value: Value) -> Result<f64, String> {
    match value {
        Value::Ratio(number) => Ok(number),
        _ => Err(format!("{name}: not a number")),
    }
}

/// A number with six decimals, of any size and sign.
#[derive(Debug)]
pub enum Decimal {}

impl ColumnType for Decimal {
    const KIND: ColumnKind = ColumnKind::Decimal;
    type Written<'a> = f64;
    type Stored = f64;

    fn cell<'a>(written: &'a f64) -> Cell<'a> {
        Cell::Decimal(*written, 6)
    }

    fn stored(name: &str, value: Option<Value>) -> Result<f64, String> {
        any_decimal(name, needed(name, value)?)
    }
}

/// A number with six decimals, or nothing.
#[derive(Debug)]
pub enum OptionalDecimal {}

impl ColumnType for OptionalDecimal {
    const KIND: ColumnKind = ColumnKind::OptionalDecimal;
    type Written<'a> = Option<f64>;
    type Stored = Option<f64>;

    fn cell<'a>(written: &'a Option<f64>) -> Cell<'a> {
        Cell::MaybeDecimal(*written, 6)
    }

    fn stored(name: &str, value: Option<Value>) -> Result<Option<f64>, String> {
        value.map(|value| any_decimal(name, value)).transpose()
    }
}

/// Seconds with three decimals.
#[derive(Debug)]
pub enum Seconds {}

impl ColumnType for Seconds {
    const KIND: ColumnKind = ColumnKind::Decimal;
    type Written<'a> = f64;
    type Stored = f64;

    fn cell<'a>(written: &'a f64) -> Cell<'a> {
        Cell::Decimal(*written, 3)
    }

    fn stored(name: &str, value: Option<Value>) -> Result<f64, String> {
        any_decimal(name, needed(name, value)?)
    }
}

/// `true` or `false`.
#[derive(Debug)]
pub enum TrueFalse {}

impl ColumnType for TrueFalse {
    const KIND: ColumnKind = ColumnKind::Text;
    const VALUES: Option<&'static Values> = Some(&Values {
        name: "trueFalse",
        meaning: "",
        limits: Limits::OneOf(&["true", "false"]),
    });
    type Written<'a> = bool;
    type Stored = bool;

    fn cell<'a>(written: &'a bool) -> Cell<'a> {
        Cell::Text(if *written { "true" } else { "false" })
    }

    fn stored(name: &str, value: Option<Value>) -> Result<bool, String> {
        let text = text(name, value)?;
        text.parse()
            .map_err(|_| format!("{name}: {text:?} is neither true nor false"))
    }
}

/// Days with six decimals, or nothing: a part and what makes a day.
#[derive(Debug)]
pub enum Days {}

impl ColumnType for Days {
    const KIND: ColumnKind = ColumnKind::OptionalRatio;
    const VALUES: Option<&'static Values> = Some(&Values {
        name: "days",
        meaning: "Days with six decimals, rounded half up.",
        limits: Limits::Decimals,
    });
    type Written<'a> = Option<ratio::Ratio>;
    type Stored = Option<f64>;

    fn cell<'a>(written: &'a Option<ratio::Ratio>) -> Cell<'a> {
        Cell::MaybeRatio(*written)
    }

    fn stored(name: &str, value: Option<Value>) -> Result<Option<f64>, String> {
        match value {
            None => Ok(None),
            Some(Value::Ratio(days)) if days >= 0.0 => Ok(Some(days)),
            Some(_) => Err(format!("{name}: not a number of days")),
        }
    }
}

/// The ids of the members of a cluster.
#[derive(Debug)]
pub enum Members {}

impl ColumnType for Members {
    const KIND: ColumnKind = ColumnKind::List("member");
    type Written<'a> = ListedIds<'a>;
    type Stored = Vec<String>;

    fn cell<'a>(written: &'a ListedIds<'_>) -> Cell<'a> {
        Cell::List(written.items())
    }

    fn stored(name: &str, value: Option<Value>) -> Result<Vec<String>, String> {
        match needed(name, value)? {
            Value::List(items) => Ok(items),
            _ => Err(format!("{name}: not a list")),
        }
    }
}

/// Why a document is a duplicate.
#[derive(Debug)]
pub enum RuleName {}

impl ColumnType for RuleName {
    const KIND: ColumnKind = ColumnKind::Text;
    const VALUES: Option<&'static Values> = Some(&Values {
        name: "rule",
        meaning: "Why a document is a duplicate: it has the text of the one that is kept; it has \
                  its features; it is similar to it; or only other documents link the two.",
        limits: Limits::OneOf(&["equal-text", "equal-features", "similar", "linked"]),
    });
    type Written<'a> = Rule;
    type Stored = Rule;

    fn cell<'a>(written: &'a Rule) -> Cell<'a> {
        Cell::Text(written.name())
    }

    fn stored(name: &str, value: Option<Value>) -> Result<Rule, String> {
        let name = text(name, value)?;
        let rules = [
            Rule::EqualText,
            Rule::EqualFeatures,
            Rule::Similar,
            Rule::Linked,
        ];
        let rule = rules.into_iter().find(|rule| rule.name() == name);
        rule.ok_or_else(|| format!("{name:?} is not a rule that this version knows"))
    }
}

/// A number of `N` hexadecimal digits, held without a text of its own.
#[derive(Clone, Copy)]
pub struct Hex<const N: usize>([u8; N]);

impl<const N: usize> std::fmt::Debug for Hex<N> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(self.as_str())
    }
}

impl<const N: usize> Hex<N> {
    /// The lowest `4 * N` bits of a number.
    fn of(mut number: u128) -> Self {
        let mut digits = [b'0'; N];
        for digit in digits.iter_mut().rev() {
            *digit = b"0123456789abcdef"[(number & 15) as usize];
            number >>= 4;
        }
        Hex(digits)
    }

    /// The digits.
    pub fn as_str(&self) -> &str {
        // They are ASCII, always.
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl From<u128> for Hex<32> {
    fn from(number: u128) -> Self {
        Hex::of(number)
    }
}

impl From<u64> for Hex<16> {
    fn from(number: u64) -> Self {
        Hex::of(number.into())
    }
}

/// The number of a text of exactly so many hexadecimal digits.
pub(crate) fn hexadecimal(text: &str, num_digits: usize) -> Result<u128, String> {
    let digits = text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let number = u128::from_str_radix(text, 16).ok();
    number
        .filter(|_| digits && text.len() == num_digits)
        .ok_or_else(|| format!("{text:?} is not {num_digits} hexadecimal digits"))
}

/// The identity of a text.
#[derive(Debug)]
pub enum TextHash {}

impl ColumnType for TextHash {
    const KIND: ColumnKind = ColumnKind::Text;
    const VALUES: Option<&'static Values> = Some(&Values {
        name: "textHash",
        meaning: "The identity of a text.",
        limits: Limits::Pattern("[0-9a-f]{32}"),
    });
    type Written<'a> = Hex<32>;
    type Stored = u128;

    fn cell<'a>(written: &'a Hex<32>) -> Cell<'a> {
        Cell::Text(written.as_str())
    }

    fn stored(name: &str, value: Option<Value>) -> Result<u128, String> {
        hexadecimal(&text(name, value)?, 32)
    }
}

/// A simhash.
#[derive(Debug)]
pub enum Simhash {}

impl ColumnType for Simhash {
    const KIND: ColumnKind = ColumnKind::Text;
    const VALUES: Option<&'static Values> = Some(&Values {
        name: "simhash",
        meaning: "A simhash of 64 bits.",
        limits: Limits::Pattern("[0-9a-f]{16}"),
    });
    type Written<'a> = Hex<16>;
    type Stored = u64;

    fn cell<'a>(written: &'a Hex<16>) -> Cell<'a> {
        Cell::Text(written.as_str())
    }

    fn stored(name: &str, value: Option<Value>) -> Result<u64, String> {
        let code = hexadecimal(&text(name, value)?, 16)?;
        u64::try_from(code).map_err(|error| error.to_string())
    }
}

/// `yes` or `no`.
#[derive(Debug)]
pub enum YesNo {}

impl ColumnType for YesNo {
    const KIND: ColumnKind = ColumnKind::Text;
    const VALUES: Option<&'static Values> = Some(&Values {
        name: "yesNo",
        meaning: "",
        limits: Limits::OneOf(&["yes", "no"]),
    });
    type Written<'a> = bool;
    type Stored = bool;

    fn cell<'a>(written: &'a bool) -> Cell<'a> {
        Cell::Text(if *written { "yes" } else { "no" })
    }

    fn stored(name: &str, value: Option<Value>) -> Result<bool, String> {
        match text(name, value)?.as_str() {
            "yes" => Ok(true),
            "no" => Ok(false),
            other => Err(format!("{name}: {other:?} is neither yes nor no")),
        }
    }
}

/// Declares a type of columns that hold texts of some kind, read back as they are.
macro_rules! texts {
    ($($(#[doc = $about:literal])+ $type:ident = $name:literal, $limits:expr;)+) => {$(
        $(#[doc = $about])+
        #[derive(Debug)]
        pub enum $type {}

        impl ColumnType for $type {
            const KIND: ColumnKind = ColumnKind::Text;
            const VALUES: Option<&'static Values> = Some(&Values {
                name: $name,
                meaning: concat!($($about),+),
                limits: $limits,
            });
            type Written<'a> = Cow<'a, str>;
            type Stored = String;

            fn cell<'a>(written: &'a Cow<'_, str>) -> Cell<'a> {
                debug_assert!(Self::VALUES.is_none_or(|values| values.has(written)), "{written}");
                Cell::Text(written)
            }

            fn stored(name: &str, value: Option<Value>) -> Result<String, String> {
                text(name, value)
            }
        }
    )+};
}

impl Values {
    /// Whether a word is one of them, where they are words.
    fn has(&self, word: &str) -> bool {
        match self.limits {
            Limits::OneOf(words) => words.contains(&word),
            _ => true,
        }
    }
}

texts! {
    /// How a version differs from the one before: the same text; another text with the same
    /// simhash; another simhash; or there is none before.
    StatusName = "status",
        Limits::OneOf(&["untouched", "no significant change", "changed", "new"]);
    /// Whether the time to the next visit should change.
    SuggestionName = "suggestion", Limits::OneOf(&["longer", "same", "shorter"]);
    /// The first and the last sentence, from 1: `3-5`.
    Sentences = "sentences", Limits::Pattern("[0-9]+-[0-9]+");
    /// What kind of duplication a passage is.
    PassageKind = "passageKind",
        Limits::OneOf(&["collection", "multi-page", "quotation", "forum", "other"]);
    /// Whether a stretch was removed as a passage or with its whole document, which has the text
    /// of another one.
    RemovalKind = "removalKind", Limits::OneOf(&["passage", "equal-text"]);
    /// Whether one host mirrors the other or only has copies of some of its documents.
    MirrorVerdict = "mirrorVerdict", Limits::OneOf(&["mirror", "copied"]);
    /// A whole number that may be larger than 64 bits hold.
    Digits = "digits", Limits::Pattern("[0-9]+");
    /// Why a record is bad.
    BadKindName = "badKind", Limits::OneOf(&[
        "json", "invalid-utf8", "missing-text", "bad-field", "too-long", "compression", "binary",
        "format", "unreadable", "changed",
    ]);
}

/// On which side a document is; only when new documents were compared with old ones.
#[derive(Debug)]
pub enum SideName {}

impl ColumnType for SideName {
    const KIND: ColumnKind = ColumnKind::Text;
    const VALUES: Option<&'static Values> = Some(&Values {
        name: "side",
        meaning: "On which side a document is; only when new documents were compared with old \
                  ones.",
        limits: Limits::OneOf(&["old", "new"]),
    });
    type Written<'a> = &'a str;
    type Stored = Option<String>;

    fn cell<'a>(written: &'a &str) -> Cell<'a> {
        Cell::Text(written)
    }

    fn stored(name: &str, value: Option<Value>) -> Result<Option<String>, String> {
        value.map(|value| text(name, Some(value))).transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use neardupe_core::document::BadKind;
    use neardupe_core::passage;
    use neardupe_core::pipeline::history::rules::Status;

    #[test]
    fn hexadecimal_digits_are_those_of_the_formatter() {
        for number in [0, 1, 0xabc, u128::MAX, u128::from(u64::MAX) + 7] {
            assert_eq!(Hex::<32>::from(number).as_str(), format!("{number:032x}"));
        }
        assert_eq!(
            Hex::<16>::from(0x0123_4567_89ab_cdef_u64).as_str(),
            "0123456789abcdef"
        );
    }

    fn words<T: ColumnType>() -> Vec<&'static str> {
        match T::VALUES.map(|values| &values.limits) {
            Some(Limits::OneOf(words)) => words.to_vec(),
            _ => Vec::new(),
        }
    }

    #[test]
    fn words_of_columns_are_those_of_the_core() {
        assert_eq!(
            words::<PassageKind>(),
            passage::PassageKind::ALL.map(passage::PassageKind::name)
        );
        assert_eq!(words::<BadKindName>(), BadKind::ALL.map(BadKind::name));
        let mut statuses = Status::ALL.map(Status::name);
        statuses.rotate_left(1);
        assert_eq!(words::<StatusName>(), statuses);
    }
}
