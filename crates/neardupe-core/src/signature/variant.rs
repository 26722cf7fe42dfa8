//! How the features of a simhash are chosen and weighed: the variants of the mit paper's
//! Table 6.1, and those that its last chapters propose.
//!
//! A variant is typed as a list of names, `position,no-numbers`. Its text form
//! ([`Display`](std::fmt::Display)) is canonical: it reads back as the same variant, stands in the
//! identity of codes ([`CodeSpec::identity`](super::CodeSpec::identity)) and in summaries, so a
//! change of the text makes old codes incomparable.

use crate::error::{Error, Result};
use crate::value::Decimal;
use std::fmt;
use std::str::FromStr;

/// What a feature weighs beside its occurrences.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Idf {
    /// `ln(N / df)`.
    #[default]
    Log,
    /// `1 / df`.
    Inverse,
    /// Occurrences alone.
    None,
}

/// What an occurrence weighs by its place `x` in a document of `L` words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scale {
    /// The same everywhere.
    #[default]
    Even,
    /// `ln(x + 2) / (x + 2)`: less and less.
    Position,
    /// `cos(2 pi x / L) + 1`: most at both ends.
    Cosine,
    /// `1 / (x + 1)`.
    Inverse,
    /// `1 / ln(x + 2)`.
    InverseLog,
}

/// What the values of metadata fields weigh.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum MetadataWeight {
    /// They are not features.
    #[default]
    None,
    /// This share of the largest weight in the text.
    Share(f64),
    /// Just enough to decide the bit that the text decides least.
    Flip,
}

/// Which features count, by their weights.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Selection {
    /// All.
    #[default]
    All,
    /// Those with at least this share of the largest weight.
    AtLeast(f64),
    /// Those with at least the one and at most the other share of the largest weight.
    Between(f64, f64),
    /// This number of features, those with the largest weights.
    Top(u32),
    /// This share of all features, those with the largest weights.
    TopShare(f64),
}

/// A metadata field whose value, a number, is the weight of the field.
#[derive(Debug, Clone, PartialEq)]
pub struct Numeric {
    /// The field.
    pub field: String,
    /// Smallest and largest value; None until the collection was read, and where no document of
    /// it has a number there.
    pub range: Option<(f64, f64)>,
}

impl Numeric {
    /// What a value weighs: after section 4.1 of the paper, very high and very low values weigh
    /// much and those in the middle little. The largest value weighs 1, the smallest -1, each as
    /// much as the largest weight in the text; the sign keeps both apart.
    pub fn weight(&self, value: &str) -> Option<f64> {
        let ((low, high), value) = (self.range?, read_weight(value)?);
        // Of halves: the distance between the largest and the smallest finite number is infinite.
        let (middle, reach) = (low / 2.0 + high / 2.0, high / 2.0 - low / 2.0);
        if reach <= 0.0 {
            return Some(0.0);
        }
        let distance = value / 2.0 - middle / 2.0;
        Some((distance / (reach / 2.0)).clamp(-1.0, 1.0))
    }
}

impl fmt::Display for Numeric {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "numeric:{}", self.field)?;
        match self.range {
            None => Ok(()),
            Some((low, high)) => write!(out, ":{}..{}", shortest(low), shortest(high)),
        }
    }
}

/// A number in the shorter of its two forms, which reads back as the same.
fn shortest(number: f64) -> String {
    let (plain, power) = (format!("{number}"), format!("{number:e}"));
    // Plain up to eight characters longer: `100000` is easier to read than `1e5`.
    if plain.len() <= power.len() + 8 {
        plain
    } else {
        power
    }
}

/// A number that can be the weight of a field.
pub fn read_weight(value: &str) -> Option<f64> {
    // First by the rule of all metadata numbers, which knows no `inf`, `nan` or hexadecimal.
    Decimal::parse(value)?;
    let number = value.trim().parse::<f64>().ok();
    number.filter(|number| number.is_finite())
}

/// How the features of a document are chosen and weighed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Variant {
    /// What the values of metadata fields weigh.
    pub metadata: MetadataWeight,
    /// Metadata fields whose value, a number, is the weight of the field.
    pub numeric: Vec<Numeric>,
    /// Features with a digit or the name of a month or day are skipped.
    pub no_numbers: bool,
    /// Which features count.
    pub selection: Selection,
    /// What an occurrence weighs by its place.
    pub scale: Scale,
    /// What occurrences in title, headings, bold and italic text weigh, and in the text of
    /// links that point here.
    pub tagged: Option<f64>,
    /// Weights far above the others are brought down.
    pub damped: bool,
    /// What features of the template of a host weigh.
    pub template: Option<f64>,
}

/// The share of `low-threshold`: in the paper about half of the features were left out.
const LOW: f64 = 0.01;
/// The share of `high-threshold`: in the paper about a tenth of the features stayed.
const HIGH: f64 = 0.5;
/// The region of `middle`.
const MIDDLE: (f64, f64) = (0.05, 0.5);
/// What `tagged` text weighs.
const TAGGED: f64 = 1.5;
/// What `template` text weighs.
const TEMPLATE: f64 = 0.1;

/// All names, as a message lists them.
const NAMES: &str = "original, metadata[:SHARE|:flip], numeric:FIELD[:LOW..HIGH], no-numbers, low-threshold, \
    high-threshold, threshold:SHARE, position, function[:cos|:inverse|:inverse-log], \
    tagged[:FACTOR], middle[:LOW-HIGH], top:N, top:N%, damped, template[:FACTOR]";

impl Variant {
    /// Whether weights depend on metadata, and not on the text alone.
    pub fn uses_metadata(&self) -> bool {
        self.metadata != MetadataWeight::None || !self.numeric.is_empty()
    }

    /// The field whose number is a weight, if it is one.
    pub fn numeric(&self, field: &str) -> Option<&Numeric> {
        self.numeric.iter().find(|numeric| numeric.field == field)
    }

    /// Whether the range of a field must be read from the collection.
    pub fn lacks_range(&self) -> bool {
        self.numeric.iter().any(|numeric| numeric.range.is_none())
    }

    /// Adds one name of the list. Names that select features exclude each other, and so do names
    /// that scale by place. A later `tagged`, `template` or `metadata` replaces an earlier one.
    fn add(&mut self, name: &str) -> Result<()> {
        let wrong = || {
            let message = format!("{name:?} is not one of {NAMES}");
            Error::config("variant", message)
        };
        let (kind, value) = match name.split_once(':') {
            None => (name, None),
            Some((kind, value)) => (kind, Some(value)),
        };
        // A name may have a value after a colon; `factor` reads an optional one, `none` refuses
        // any.
        let factor = |default: f64| match value {
            None => Ok(default),
            Some(text) => number(text).ok_or_else(wrong),
        };
        let none = match value {
            None => Ok(()),
            Some(_) => Err(wrong()),
        };
        match kind {
            "original" => none?,
            "metadata" if value == Some("flip") => self.metadata = MetadataWeight::Flip,
            "metadata" => self.metadata = MetadataWeight::Share(factor(1.0)?),
            "numeric" => {
                let numeric = numeric(value.ok_or_else(wrong)?).ok_or_else(wrong)?;
                if self.numeric(&numeric.field).is_some() {
                    let message = format!("numeric:{} is given twice", numeric.field);
                    return Err(Error::config("variant", message));
                }
                self.numeric.push(numeric);
            }
            "no-numbers" => {
                none?;
                self.no_numbers = true;
            }
            "low-threshold" | "high-threshold" => {
                none?;
                let share = if kind == "low-threshold" { LOW } else { HIGH };
                self.select(Selection::AtLeast(share))?;
            }
            "threshold" => {
                let share = value.and_then(number).filter(|share| *share <= 1.0);
                self.select(Selection::AtLeast(share.ok_or_else(wrong)?))?;
            }
            "middle" => {
                let region = match value {
                    None => Some(MIDDLE),
                    Some(text) => text
                        .split_once('-')
                        .and_then(|(low, high)| Some((number(low)?, number(high)?))),
                };
                let (low, high) = region
                    .filter(|(low, high)| low <= high && *high <= 1.0)
                    .ok_or_else(wrong)?;
                self.select(Selection::Between(low, high))?;
            }
            "top" => {
                let text = value.ok_or_else(wrong)?;
                let selection = match text.strip_suffix('%') {
                    Some(percent) => number(percent)
                        .filter(|percent| (f64::MIN_POSITIVE..=100.0).contains(percent))
                        .map(|percent| Selection::TopShare(percent / 100.0)),
                    None => text
                        .parse::<u32>()
                        .ok()
                        .filter(|number| *number > 0)
                        .map(Selection::Top),
                };
                self.select(selection.ok_or_else(wrong)?)?;
            }
            "position" => {
                none?;
                self.scale_by(Scale::Position)?;
            }
            "function" => self.scale_by(match value {
                None | Some("cos") => Scale::Cosine,
                Some("inverse") => Scale::Inverse,
                Some("inverse-log") => Scale::InverseLog,
                Some(_) => return Err(wrong()),
            })?,
            "tagged" => self.tagged = Some(factor(TAGGED)?),
            "damped" => {
                none?;
                self.damped = true;
            }
            "template" => self.template = Some(factor(TEMPLATE)?),
            _ => return Err(wrong()),
        }
        Ok(())
    }

    /// Sets the selection, once.
    fn select(&mut self, selection: Selection) -> Result<()> {
        if self.selection != Selection::All {
            let message = "low-threshold, high-threshold, threshold, middle and top exclude \
                           each other";
            return Err(Error::config("variant", message));
        }
        self.selection = selection;
        Ok(())
    }

    /// Sets the weight by place, once.
    fn scale_by(&mut self, scale: Scale) -> Result<()> {
        if self.scale != Scale::Even {
            let message = "position and function exclude each other";
            return Err(Error::config("variant", message));
        }
        self.scale = scale;
        Ok(())
    }
}

/// `FIELD`, or `FIELD:LOW..HIGH`.
fn numeric(text: &str) -> Option<Numeric> {
    // A field's name may have colons: only a last part with `..` is a range.
    let (field, range) = match text.rsplit_once(':') {
        Some((field, range)) if range.contains("..") => (field, Some(range)),
        _ => (text, None),
    };
    let range = match range {
        None => None,
        Some(range) => {
            let (low, high) = range.split_once("..")?;
            let (low, high) = (read_weight(low)?, read_weight(high)?);
            Some((low, high)).filter(|_| low < high)?;
            Some((low, high))
        }
    };
    let field = field.to_owned();
    (!field.is_empty()).then_some(Numeric { field, range })
}

/// A number that can be a weight.
fn number(text: &str) -> Option<f64> {
    // A share may be typed as a fraction.
    let value = match text.split_once('/') {
        None => text.parse::<f64>().ok()?,
        Some((part, whole)) => part.parse::<f64>().ok()? / whole.parse::<f64>().ok()?,
    };
    (value.is_finite() && (0.0..=1000.0).contains(&value)).then_some(value)
}

impl FromStr for Variant {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let mut variant = Variant::default();
        for name in text.split(',') {
            variant.add(name.trim())?;
        }
        Ok(variant)
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut names: Vec<String> = Vec::new();
        match self.metadata {
            MetadataWeight::None => {}
            MetadataWeight::Share(share) => names.push(format!("metadata:{share}")),
            MetadataWeight::Flip => names.push("metadata:flip".to_owned()),
        }
        names.extend(self.numeric.iter().map(ToString::to_string));
        if self.no_numbers {
            names.push("no-numbers".to_owned());
        }
        match self.selection {
            Selection::All => {}
            Selection::AtLeast(share) => names.push(format!("threshold:{share}")),
            Selection::Between(low, high) => names.push(format!("middle:{low}-{high}")),
            Selection::Top(number) => names.push(format!("top:{number}")),
            Selection::TopShare(share) => names.push(format!("top:{}%", share * 100.0)),
        }
        match self.scale {
            Scale::Even => {}
            Scale::Position => names.push("position".to_owned()),
            Scale::Cosine => names.push("function:cos".to_owned()),
            Scale::Inverse => names.push("function:inverse".to_owned()),
            Scale::InverseLog => names.push("function:inverse-log".to_owned()),
        }
        if let Some(factor) = self.tagged {
            names.push(format!("tagged:{factor}"));
        }
        if self.damped {
            names.push("damped".to_owned());
        }
        if let Some(factor) = self.template {
            names.push(format!("template:{factor}"));
        }
        if names.is_empty() {
            out.write_str("original")
        } else {
            out.write_str(&names.join(","))
        }
    }
}

crate::named!(Idf as "idf" {
    Log = "log",
    Inverse = "inverse",
    None = "none",
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_are_read_as_they_are_written() {
        for text in [
            "original",
            "metadata:1",
            "metadata:flip",
            "numeric:pagerank",
            "numeric:pagerank:0..10.5",
            "numeric:a:b:-1e300..1e300",
            "no-numbers",
            "threshold:0.01",
            "middle:0.05-0.5",
            "top:20",
            "top:10%",
            "position",
            "function:cos",
            "function:inverse-log",
            "tagged:1.5",
            "damped",
            "template:0.1",
            "metadata:0.5,no-numbers,threshold:0.5,position,tagged:2,damped",
        ] {
            assert_eq!(text.parse::<Variant>().unwrap().to_string(), text);
        }
        for (short, long) in [
            ("metadata", "metadata:1"),
            ("metadata:1/2", "metadata:0.5"),
            ("low-threshold", "threshold:0.01"),
            ("high-threshold", "threshold:0.5"),
            ("function", "function:cos"),
            ("tagged", "tagged:1.5"),
            ("original, damped", "damped"),
        ] {
            assert_eq!(short.parse::<Variant>().unwrap().to_string(), long);
        }
        for wrong in [
            "",
            "fast",
            "top",
            "top:0",
            "top:0%",
            "top:101%",
            "metadata:x",
            "metadata:-1",
            "threshold:2",
            "middle:0.5-0.1",
            "position,function",
            "top:3,middle",
            "numeric",
            "numeric:",
            "numeric:x:5..1",
            "numeric:x:1..1",
            "numeric:x:a..b",
            "numeric:x,numeric:x:0..1",
            "damped:1",
            "metadata:1/0",
            "no-numbers:1",
        ] {
            assert!(wrong.parse::<Variant>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn numbers_weigh_by_their_place_in_the_range() {
        let of = |range, value: &str| {
            let field = "rank".to_owned();
            Numeric { field, range }.weight(value)
        };
        let range = Some((1e9, 3e9));
        assert_eq!(of(range, "1e9"), Some(-1.0));
        assert_eq!(of(range, "2000000000"), Some(0.0));
        assert_eq!(of(range, " 2.5e9 "), Some(0.5));
        assert_eq!(of(range, "3e9"), Some(1.0));
        assert_eq!(of(range, "1e300"), Some(1.0));
        assert_eq!(of(range, "-1e300"), Some(-1.0));
        for wrong in ["", "n/a", "NaN", "inf", "1e999", "1,5"] {
            assert_eq!(of(range, wrong), None, "{wrong}");
        }
        assert_eq!(of(None, "5"), None);
        assert_eq!(of(Some((5.0, 5.0)), "5"), Some(0.0));
        let widest = Some((f64::MIN, f64::MAX));
        assert_eq!(of(widest, "1.7976931348623157e308"), Some(1.0));
        assert_eq!(of(widest, "-1.7976931348623157e308"), Some(-1.0));
        assert_eq!(of(widest, "0"), Some(0.0));
    }

    #[test]
    fn idf_is_read_as_it_is_written() {
        for text in ["log", "inverse", "none"] {
            assert_eq!(text.parse::<Idf>().unwrap().to_string(), text);
        }
        assert!("linear".parse::<Idf>().is_err());
    }
}
