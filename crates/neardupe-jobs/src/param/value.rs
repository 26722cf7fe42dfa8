//! Values of parameters: how each type is read from text and JSON, and written.
//!
//! Reading and writing must agree: `summary.json` records parameters as they are written here, and a
//! resumed job, a later `explain` or `rethreshold` reads them back (`tests/it/params.rs` tries all of
//! them).
//!
//! A value is read from text (command line, file) or JSON (program, summary) and written as JSON,
//! in such a way that what is written can be read back (`each_is_read_back`). Ranges are part of
//! the type, so the message about a number names its limits and no job has to check them again.

use neardupe_core::candidate::filter::Filter;
use neardupe_core::cluster::Keep;
use neardupe_core::error::{Error, Result};
use neardupe_core::feature::FeatureKind;
use neardupe_core::hash::FeatureHash;
use neardupe_core::numbers::{in_memory, saturated};
use neardupe_core::pipeline::{ClusterMode, PairsMode};
use neardupe_core::signature::{Bands, IMatchSettings, Idf};
use neardupe_core::similarity::Similarity;
use neardupe_core::text::{Stem, WordRule};
use neardupe_core::threshold::Threshold;
use neardupe_io::output::{Offsets, OutputFormat};
use neardupe_io::source::{InputFormat, TextType};
use serde_json::{Value, json};
use std::fmt;
use std::path::PathBuf;

/// How many values a parameter has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParamShape {
    /// True or false.
    Switch,
    /// One value.
    One,
    /// A list.
    Many,
}

/// A type of values. A type of the core that can be parsed and displayed needs one line of `as_text!`.
pub trait ParamValue: Clone + fmt::Debug + Sized {
    /// How many values there are.
    const SHAPE: ParamShape = ParamShape::One;
    /// All of them, where they can be listed.
    const VALUES: &'static [&'static str] = &[];
    /// How they are typed, where a registry lists their kinds: `{values}` in help.
    const LISTED: Option<fn() -> String> = None;
    /// Whether a single value may contain a comma: `grams:8,nospace`. A [`CommaList`] then finds out
    /// which commas separate values.
    const HAS_COMMAS: bool = false;

    /// Reads what was typed. The parameter in an error is filled in by the caller.
    fn from_text(text: &str) -> Result<Self>;

    /// Reads what a file or a program gave.
    fn from_json(value: &Value) -> Result<Self> {
        Self::from_text(&text_of(value)?)
    }

    /// For a summary; [`from_json`](ParamValue::from_json) reads it back.
    fn to_json(&self) -> Value;
}

/// An error about a value; `of_param` puts in the name of the parameter.
fn wrong(message: String) -> Error {
    Error::config("", message)
}

/// A single value as it would be typed: a threshold may be written as a number.
pub fn text_of(value: &Value) -> Result<String> {
    match value {
        Value::String(text) => Ok(text.clone()),
        // A float is written in full: 0.000001, not 1e-6.
        Value::Number(number) => Ok(match number.as_f64() {
            Some(value) if number.is_f64() => value.to_string(),
            _ => number.to_string(),
        }),
        other => Err(wrong(format!("{other} is not a single value"))),
    }
}

// In JSON a switch is a boolean only: the text "false" would be easy to take for true.
impl ParamValue for bool {
    const SHAPE: ParamShape = ParamShape::Switch;

    fn from_text(text: &str) -> Result<Self> {
        match text {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err(wrong(format!("{text:?} is not true or false"))),
        }
    }

    fn from_json(value: &Value) -> Result<Self> {
        let is = value.as_bool();
        is.ok_or_else(|| wrong(format!("{value} is not true or false")))
    }

    fn to_json(&self) -> Value {
        json!(self)
    }
}

impl ParamValue for String {
    fn from_text(text: &str) -> Result<Self> {
        Ok(text.to_owned())
    }

    fn to_json(&self) -> Value {
        json!(self)
    }
}

impl ParamValue for PathBuf {
    fn from_text(text: &str) -> Result<Self> {
        Ok(PathBuf::from(text))
    }

    fn to_json(&self) -> Value {
        json!(self.to_string_lossy())
    }
}

// A list on the command line is a parameter that is given several times.
impl<T: ParamValue> ParamValue for Vec<T> {
    const SHAPE: ParamShape = ParamShape::Many;
    const VALUES: &'static [&'static str] = T::VALUES;

    fn from_text(text: &str) -> Result<Self> {
        Ok(vec![T::from_text(text)?])
    }

    /// A list, or a single value without the brackets.
    fn from_json(value: &Value) -> Result<Self> {
        match value {
            // Each value is checked by its own type, so an error names the one that is wrong.
            Value::Array(values) => values.iter().map(T::from_json).collect(),
            one => Ok(vec![T::from_json(one)?]),
        }
    }

    fn to_json(&self) -> Value {
        self.iter().map(T::to_json).collect()
    }
}

/// A whole number within a range, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Within<const LEAST: u64, const MOST: u64>(pub u64);

impl<const LEAST: u64, const MOST: u64> Within<LEAST, MOST> {
    /// The number, for parameters whose range fits. A number that was read is within its range; one
    /// that a program has built beyond it is taken for the largest.
    pub fn u32(self) -> u32 {
        // A declaration with a larger range does not compile, so no typed number is ever cut.
        const { assert!(MOST <= u32::MAX as u64, "the range must fit in u32") };
        saturated(self.0)
    }

    /// The number as a length. All are limits, and on a machine where such a length does not exist the
    /// largest one limits nothing either.
    pub fn usize(self) -> usize {
        in_memory(self.0)
    }
}

impl<const LEAST: u64, const MOST: u64> ParamValue for Within<LEAST, MOST> {
    fn from_text(text: &str) -> Result<Self> {
        let number = text.parse::<u64>().ok();
        let number = number.filter(|number| (LEAST..=MOST).contains(number));
        number.map(Within).ok_or_else(|| {
            wrong(format!(
                "{text:?} is not a whole number from {LEAST} to {MOST}"
            ))
        })
    }

    fn to_json(&self) -> Value {
        json!(self.0)
    }
}

/// A size in bytes: a number with an optional K, M, G or T. All units are powers of 1024, however they
/// are written: `64M`, `64MB` and `64MiB` are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size(pub u64);

impl ParamValue for Size {
    fn from_text(text: &str) -> Result<Self> {
        let refuse = || wrong(format!("{text:?} is not a size, as 512M or 2G"));
        let upper = text.to_ascii_uppercase();
        // `B` and `iB` add nothing; a plain `B` leaves a number of bytes.
        let unit = upper
            .strip_suffix("IB")
            .or(upper.strip_suffix('B'))
            .unwrap_or(&upper);
        let units = [('K', 10), ('M', 20), ('G', 30), ('T', 40)];
        let with_unit = units
            .iter()
            .find_map(|&(name, shift)| Some((unit.strip_suffix(name)?, shift)));
        let (number, shift) = with_unit.unwrap_or((unit, 0));
        let number = number.trim_end().parse::<u64>().map_err(|_| refuse())?;
        number
            // Refused, not cut: a size beyond 64 bits is a mistake. So is 0.
            .checked_mul(1 << shift)
            .filter(|&bytes| bytes > 0)
            .map(Size)
            .ok_or_else(refuse)
    }

    fn to_json(&self) -> Value {
        json!(self.0)
    }
}

/// A number above 0 and below 1. Its text is kept, so that a summary shows what was typed and not the
/// digits of a binary fraction, and a resumed job compares equal.
#[derive(Debug, Clone, PartialEq)]
pub struct Fraction {
    /// The number.
    pub value: f64,
    /// The number as it was typed.
    text: String,
}

impl Fraction {
    /// The number, if it is above 0 and below 1.
    pub fn new(value: f64) -> Option<Self> {
        let text = value.to_string();
        (value > 0.0 && value < 1.0).then_some(Fraction { value, text })
    }
}

impl fmt::Display for Fraction {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.text)
    }
}

impl ParamValue for Fraction {
    fn from_text(text: &str) -> Result<Self> {
        let value = text.parse::<f64>().ok();
        let value = value.filter(|value| *value > 0.0 && *value < 1.0);
        let value = value.ok_or_else(|| {
            wrong(format!("{text:?} is not a number above 0 and below 1"))
        })?;
        Ok(Fraction {
            value,
            text: text.to_owned(),
        })
    }

    fn to_json(&self) -> Value {
        json!(self.text)
    }
}

/// A number of seconds or another factor: any number that is not negative.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Seconds(pub f64);

impl ParamValue for Seconds {
    fn from_text(text: &str) -> Result<Self> {
        let value = text.parse::<f64>().ok();
        let value = value.filter(|value| *value >= 0.0 && value.is_finite());
        let value = value.map(Seconds);
        value.ok_or_else(|| wrong(format!("{text:?} is not a number")))
    }

    fn to_json(&self) -> Value {
        json!(self.0)
    }
}

// Not for parameters with a limit; those have types of their own.
impl ParamValue for f64 {
    fn from_text(text: &str) -> Result<Self> {
        let value = text.parse::<f64>().ok().filter(|value| value.is_finite());
        value.ok_or_else(|| wrong(format!("{text:?} is not a number")))
    }

    fn to_json(&self) -> Value {
        json!(self)
    }
}

/// A value, or `auto`, which is found out from the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OrAuto<T> {
    /// To be found out from the input.
    Auto,
    /// This one.
    This(T),
}

impl<T> OrAuto<T> {
    /// The value, if there is one.
    pub fn this(self) -> Option<T> {
        match self {
            OrAuto::Auto => None,
            OrAuto::This(value) => Some(value),
        }
    }
}

// `auto` wins over a value of that name, which no type has.
impl<T: ParamValue> ParamValue for OrAuto<T> {
    const VALUES: &'static [&'static str] = T::VALUES;

    fn from_text(text: &str) -> Result<Self> {
        match text {
            "auto" => Ok(OrAuto::Auto),
            _ => T::from_text(text).map(OrAuto::This),
        }
    }

    fn to_json(&self) -> Value {
        match self {
            OrAuto::Auto => json!("auto"),
            OrAuto::This(value) => value.to_json(),
        }
    }
}

/// A value, or `none`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OrNone<T> {
    /// None at all.
    None,
    /// This one.
    This(T),
}

impl<T> OrNone<T> {
    /// The value, if there is one.
    pub fn this(self) -> Option<T> {
        match self {
            OrNone::None => None,
            OrNone::This(value) => Some(value),
        }
    }
}

// The same for `none`.
impl<T: ParamValue> ParamValue for OrNone<T> {
    fn from_text(text: &str) -> Result<Self> {
        match text {
            "none" => Ok(OrNone::None),
            _ => T::from_text(text).map(OrNone::This),
        }
    }

    fn to_json(&self) -> Value {
        match self {
            OrNone::None => json!("none"),
            OrNone::This(value) => value.to_json(),
        }
    }
}

/// A number, or `all`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OrAll<T> {
    /// Without a limit.
    All,
    /// So many.
    This(T),
}

impl<T> OrAll<T> {
    /// The limit, if there is one.
    pub fn this(self) -> Option<T> {
        match self {
            OrAll::All => None,
            OrAll::This(value) => Some(value),
        }
    }
}

impl<T: ParamValue> ParamValue for OrAll<T> {
    fn from_text(text: &str) -> Result<Self> {
        match text {
            "all" => Ok(OrAll::All),
            _ => T::from_text(text).map(OrAll::This),
        }
    }

    fn to_json(&self) -> Value {
        match self {
            OrAll::All => json!("all"),
            OrAll::This(value) => value.to_json(),
        }
    }
}

/// Values with commas between, as one parameter: `0.5,0.8`. A program may give a list.
#[derive(Debug, Clone, PartialEq)]
pub struct CommaList<T>(pub Vec<T>);

impl<T: ParamValue> ParamValue for CommaList<T> {
    fn from_text(text: &str) -> Result<Self> {
        if T::HAS_COMMAS {
            return joined_values(text).map(CommaList);
        }
        // Spaces after commas are allowed: lists are copied from text.
        let values = text.split(',').map(|one| T::from_text(one.trim()));
        values.collect::<Result<_>>().map(CommaList)
    }

    fn from_json(value: &Value) -> Result<Self> {
        match value {
            Value::Array(values) => {
                let values = values.iter().map(T::from_json);
                values.collect::<Result<_>>().map(CommaList)
            }
            one => Self::from_text(&text_of(one)?),
        }
    }

    fn to_json(&self) -> Value {
        self.0.iter().map(T::to_json).collect()
    }
}

/// The values of a list whose values may contain commas themselves. A part that is no value by itself
/// belongs to the value before it. A part that is a value alone and also continues the one before it
/// could be meant either way, so it is refused. No kind of today has such a part: the tests look at all.
fn joined_values<T: ParamValue>(text: &str) -> Result<Vec<T>> {
    let mut values: Vec<T> = Vec::new();
    // The text of the last value, which the next part may continue.
    let mut last = String::new();
    for part in text.split(',').map(str::trim) {
        // Both readings are tried for every part; texts are short.
        let joined = format!("{last},{part}");
        let longer = T::from_text(&joined).ok().filter(|_| !values.is_empty());
        match (T::from_text(part), longer) {
            (Ok(_), Some(_)) => {
                let message = format!(
                    "{text:?} can be read in two ways: {joined:?} as one value or as two; give a JSON \
                     list in the configuration file"
                );
                return Err(wrong(message));
            }
            (Ok(value), None) => {
                values.push(value);
                part.clone_into(&mut last);
            }
            (Err(_), Some(value)) => {
                values.pop();
                values.push(value);
                last = joined;
            }
            (Err(error), None) => return Err(error),
        }
    }
    Ok(values)
}

/// A text as typed. In JSON it may be a number: ids and labels of a program often are.
pub type Text = String;

/// Types that are read and written as text by their own `FromStr` and `Display`. After a colon, the
/// names of all values.
macro_rules! as_text {
    ($($type:ty $(: $values:expr)?),* $(,)?) => {
        $(
            impl ParamValue for $type {
                $( const VALUES: &'static [&'static str] = $values; )?

                fn from_text(text: &str) -> Result<Self> {
                    text.parse()
                }

                fn to_json(&self) -> Value {
                    json!(self.to_string())
                }
            }
        )*
    };
}

impl ParamValue for FeatureKind {
    const LISTED: Option<fn() -> String> = Some(FeatureKind::help);
    const HAS_COMMAS: bool = true;

    fn from_text(text: &str) -> Result<Self> {
        text.parse()
    }

    fn to_json(&self) -> Value {
        json!(self.to_string())
    }
}

as_text! {
    Threshold,
    Similarity: Similarity::NAMES,
    Keep,
    Bands,
    IMatchSettings,
    Stem,
    FeatureHash: FeatureHash::NAMES,
    ClusterMode: ClusterMode::NAMES,
    PairsMode: PairsMode::NAMES,
    WordRule: WordRule::NAMES,
    Idf: Idf::NAMES,
    Filter: Filter::NAMES,
    TextType: TextType::NAMES,
    InputFormat: InputFormat::NAMES,
    OutputFormat: OutputFormat::NAMES,
    Offsets: Offsets::NAMES,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_with_and_without_units() {
        let size = |text| Size::from_text(text).ok().map(|size| size.0);
        assert_eq!(size("512"), Some(512));
        assert_eq!(size("2G"), Some(2 << 30));
        assert_eq!(size("64MiB"), Some(64 << 20));
        assert_eq!(size("3 kB"), Some(3 << 10));
        for wrong in ["0", "many", "", "M", "5KM", "1.5G", "-1", "99999999T"] {
            assert_eq!(size(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn whole_numbers_outside_the_range_are_refused() {
        let number = |text| Within::<1, 9>::from_text(text).ok();
        assert_eq!(number("9"), Some(Within(9)));
        for wrong in ["0", "10", "-1", "1.0", "x", ""] {
            assert_eq!(number(wrong), None, "{wrong}");
        }
    }

    fn each_is_read_back<T: ParamValue>() {
        assert!(!T::VALUES.is_empty());
        for name in T::VALUES.iter().filter(|name| **name != "auto") {
            let value = T::from_text(name).unwrap();
            assert_eq!(value.to_json(), json!(name));
        }
    }

    #[test]
    fn listed_values_are_all_read_and_written_as_listed() {
        each_is_read_back::<FeatureHash>();
        each_is_read_back::<ClusterMode>();
        each_is_read_back::<PairsMode>();
        each_is_read_back::<WordRule>();
        each_is_read_back::<Idf>();
        each_is_read_back::<Filter>();
        each_is_read_back::<TextType>();
        each_is_read_back::<InputFormat>();
        each_is_read_back::<OutputFormat>();
        each_is_read_back::<Offsets>();
    }

    #[test]
    fn a_list_of_kinds_may_have_kinds_with_commas() {
        let read = |text| {
            let list = CommaList::<FeatureKind>::from_text(text).ok()?;
            Some(list.0.iter().map(ToString::to_string).collect::<Vec<_>>())
        };
        let kinds =
            |names: &[&str]| Some(names.iter().map(|&name| name.to_owned()).collect());
        assert_eq!(
            read("words:5, grams:8,nospace,terms"),
            kinds(&["words:5", "grams:8,nospace", "terms"])
        );
        assert_eq!(
            read("grams:8,grams:4,nospace"),
            kinds(&["grams:8", "grams:4,nospace"])
        );
        for wrong in [
            "nospace",
            "words:5,nospace",
            "grams:8,nospace,nospace",
            "",
            "terms,",
        ] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }

    /// A value that is one of two letters, or both with a comma: lists of it can be ambiguous.
    #[derive(Debug, Clone, PartialEq)]
    struct Letters(String);

    impl ParamValue for Letters {
        const HAS_COMMAS: bool = true;

        fn from_text(text: &str) -> Result<Self> {
            let is_one = ["a", "b", "a,b", "b,c"].contains(&text);
            is_one
                .then(|| Letters(text.to_owned()))
                .ok_or_else(|| wrong("no".to_owned()))
        }

        fn to_json(&self) -> Value {
            json!(self.0)
        }
    }

    #[test]
    fn a_list_that_can_be_read_in_two_ways_is_refused() {
        let read = |text| CommaList::<Letters>::from_text(text);
        assert!(read("a,b").unwrap_err().to_string().contains("in two ways"));
        let names = |text| read(text).unwrap().0.into_iter().map(|one| one.0);
        assert!(names("b,c,a").eq(["b,c", "a"]));
        assert!(names("b,a").eq(["b", "a"]));
    }

    #[test]
    fn a_threshold_may_be_a_number() {
        let threshold = Threshold::from_json(&json!(0.8)).unwrap();
        assert_eq!(threshold.to_json(), json!("0.8"));
        let smallest = Threshold::from_json(&json!(0.000001)).unwrap();
        assert_eq!(smallest.to_json(), json!("0.000001"));
        assert!(Threshold::from_json(&json!(true)).is_err());
        assert!(Threshold::from_json(&json!([0.8])).is_err());
    }
}
