//! What a synthetic collection looks like.

use std::fmt;
use std::str::FromStr;

/// The kind of collection to make.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shape {
    /// Web pages: skewed lengths and hosts, boilerplate, exact copies, near-duplicates,
    /// copied passages.
    #[default]
    Web,
    /// Independent documents of 500 to 700 words: no two are similar.
    Unrelated,
    /// Edited copies of one document; two of them have a resemblance of about 0.95.
    NearCopies,
    /// Edited copies of one document; their resemblance to it is spread from 0.7 to 0.99.
    Spread,
    /// Documents that share this percentage (1 to 99) of their shingles: one template,
    /// with own text inside.
    Template(u32),
    /// Independent documents of 500 to 700 words, a third of which have a passage of another
    /// third with this percentage (0 to 50) of its words changed.
    Passages(u32),
}

impl fmt::Display for Shape {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Web => formatter.write_str("web"),
            Self::Unrelated => formatter.write_str("unrelated"),
            Self::NearCopies => formatter.write_str("near-copies"),
            Self::Spread => formatter.write_str("spread"),
            Self::Template(percent) => write!(formatter, "template:{percent}"),
            Self::Passages(percent) => write!(formatter, "passages:{percent}"),
        }
    }
}

impl FromStr for Shape {
    type Err = UnknownShape;

    fn from_str(text: &str) -> Result<Self, UnknownShape> {
        match text {
            "web" => Ok(Self::Web),
            "unrelated" => Ok(Self::Unrelated),
            "near-copies" => Ok(Self::NearCopies),
            "spread" => Ok(Self::Spread),
            _ => {
                let (name, percent) = text.split_once(':').unwrap_or((text, ""));
                match (name, percent.parse()) {
                    ("template", Ok(percent @ 1..=99)) => Ok(Self::Template(percent)),
                    ("passages", Ok(percent @ 0..=50)) => Ok(Self::Passages(percent)),
                    _ => Err(UnknownShape(text.to_owned())),
                }
            }
        }
    }
}

/// A text that names no [`Shape`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown shape '{0}': expected web, unrelated, near-copies, spread, template:PERCENT \
     with a percentage from 1 to 99, or passages:PERCENT with one from 0 to 50"
)]
pub struct UnknownShape(String);

#[cfg(test)]
mod tests {
    use super::Shape;

    #[test]
    fn shapes_are_read_as_they_are_written() {
        let shapes = [
            Shape::Web,
            Shape::Unrelated,
            Shape::NearCopies,
            Shape::Spread,
            Shape::Template(87),
            Shape::Passages(5),
        ];
        for shape in shapes {
            assert_eq!(shape.to_string().parse(), Ok(shape));
        }
    }

    #[test]
    fn other_names_and_percentages_are_refused() {
        for text in [
            "",
            "Web",
            "template",
            "template:0",
            "template:100",
            "template:x",
        ] {
            assert!(text.parse::<Shape>().is_err(), "{text}");
        }
    }
}
