//! What became of a document between two visits, and what follows from the last few of them
//! (the MIT paper, 2.6.1): how soon its index entry should be made again, and whether it should
//! be visited more or less often.

use crate::value::read_date;
use std::fmt;

/// So many comparisons decide how often a document is visited.
pub const LAST: usize = 3;
/// Bits of a code: the largest distance.
pub const MAX_DISTANCE: u32 = 64;
/// Priorities are whole numbers of this many parts.
pub const PRIORITY_PARTS: u64 = MAX_DISTANCE as u64 + 2;

/// What became of a document between two versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// There is no version before.
    New,
    /// The text is the same.
    Untouched,
    /// The text is another one, the code the same.
    NoSignificantChange,
    /// The code is another one.
    Changed,
}

impl Status {
    /// All of them; the number of a status is its place.
    pub const ALL: [Status; 4] = [
        Status::New,
        Status::Untouched,
        Status::NoSignificantChange,
        Status::Changed,
    ];

    /// The name used in outputs.
    pub fn name(self) -> &'static str {
        match self {
            Status::New => "new",
            Status::Untouched => "untouched",
            Status::NoSignificantChange => "no significant change",
            Status::Changed => "changed",
        }
    }
}

/// What the last visits say about the time to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Suggestion {
    /// Nothing happened between them.
    Longer,
    /// Something between some of them, or there were too few.
    Same,
    /// The document changed between any two.
    Shorter,
}

impl Suggestion {
    /// All of them; the number of a suggestion is its place.
    pub const ALL: [Suggestion; 3] =
        [Suggestion::Longer, Suggestion::Same, Suggestion::Shorter];

    /// The name used in outputs.
    pub fn name(self) -> &'static str {
        match self {
            Suggestion::Longer => "longer",
            Suggestion::Same => "same",
            Suggestion::Shorter => "shorter",
        }
    }

    /// By the last comparisons, the newest last: when no code changed in three of them visits
    /// can be rarer, when it changed in all three they should be more frequent.
    pub fn of(comparisons: &[Status]) -> Self {
        let Some(first) = comparisons.len().checked_sub(LAST) else {
            return Suggestion::Same;
        };
        let changed = |status: &&Status| **status == Status::Changed;
        match comparisons[first..].iter().filter(changed).count() {
            0 => Suggestion::Longer,
            LAST => Suggestion::Shorter,
            _ => Suggestion::Same,
        }
    }
}

/// By what the time between visits is multiplied.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Factors {
    /// Where it should be longer.
    pub lengthen: f64,
    /// Where it should be shorter.
    pub shorten: f64,
}

impl Default for Factors {
    fn default() -> Self {
        Factors {
            lengthen: 2.0,
            shorten: 0.5,
        }
    }
}

impl Factors {
    /// The suggested time to the next visit, given what it was.
    pub fn apply(&self, suggestion: Suggestion, micros: u64) -> u64 {
        let factor = match suggestion {
            Suggestion::Longer => self.lengthen,
            Suggestion::Same => return micros,
            Suggestion::Shorter => self.shorten,
        };
        #[expect(clippy::cast_possible_truncation, reason = "saturates far out")]
        {
            (micros as f64 * factor).round() as u64
        }
    }
}

/// What is known of the content of a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VersionContent {
    /// Identity of the text.
    pub text: u128,
    /// Its code; a text without features has none.
    pub code: Option<u64>,
}

impl VersionContent {
    /// What became of a document, and the distance of the codes.
    ///
    /// Two texts without features differ in nothing that counts. Where only one has features,
    /// everything has changed: the largest distance.
    pub fn since(&self, before: &VersionContent) -> (Status, u32) {
        if self.text == before.text {
            return (Status::Untouched, 0);
        }
        let distance = match (self.code, before.code) {
            (None, None) => 0,
            (Some(code), Some(before)) => (code ^ before).count_ones(),
            _ => MAX_DISTANCE,
        };
        match distance {
            0 => (Status::NoSignificantChange, 0),
            _ => (Status::Changed, distance),
        }
    }
}

/// How urgent it is to index a document again, in [`PRIORITY_PARTS`]: nothing for an untouched
/// one, all for a new one, and between them one part more than the distance, so that every
/// other text counts for something.
pub fn priority(status: Status, distance: u32) -> u64 {
    match status {
        Status::New => PRIORITY_PARTS,
        Status::Untouched => 0,
        Status::NoSignificantChange | Status::Changed => {
            1 + u64::from(distance.min(MAX_DISTANCE))
        }
    }
}

/// The usual time between visits: the median of the times between the last of them. One long
/// gap, as when the crawler was out of order, then counts for little. None where there is no
/// time between them.
pub fn usual_interval(dates: &[Date]) -> Option<u64> {
    // Of the same visits whose comparisons decide about the suggestion.
    let first = dates.len().saturating_sub(LAST + 1);
    let pairs = dates[first..].windows(2);
    let mut times: Vec<u64> = pairs.map(|pair| pair[1].0.abs_diff(pair[0].0)).collect();
    times.sort_unstable();
    let middle = times.len() / 2;
    let median = match times.len() {
        0 => return None,
        len if len % 2 == 0 => times[middle - 1].midpoint(times[middle]),
        _ => times[middle],
    };
    (median > 0).then_some(median)
}

/// When a version was made: microseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Date(pub i64);

impl Date {
    /// Reads a date in any of the forms that `keep newest` knows. Day and month as numbers are
    /// read only where one order makes a date: versions of other days may have been written
    /// by others.
    pub fn parse(text: &str) -> Option<Date> {
        let nanos = read_date(text).with_order(None)?;
        // A date that no calendar has could not be written to the store.
        let time = jiff::Timestamp::from_nanosecond(nanos).ok()?;
        Some(Date(time.as_microsecond()))
    }
}

impl fmt::Display for Date {
    /// ISO 8601 in UTC.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match jiff::Timestamp::from_microsecond(self.0) {
            Ok(time) => write!(out, "{time}"),
            Err(_) => write!(out, "{} microseconds since 1970", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Status::{Changed, New, NoSignificantChange as Little, Untouched};
    use super::*;

    fn content(text: u128, code: Option<u64>) -> VersionContent {
        VersionContent { text, code }
    }

    #[test]
    fn equal_texts_equal_codes_and_distances_are_told_apart() {
        let cases = [
            (content(1, Some(7)), content(1, Some(7)), (Untouched, 0)),
            (content(1, None), content(1, None), (Untouched, 0)),
            (content(1, Some(7)), content(2, Some(7)), (Little, 0)),
            (content(1, Some(7)), content(2, Some(0)), (Changed, 3)),
            (
                content(1, Some(0)),
                content(2, Some(u64::MAX)),
                (Changed, 64),
            ),
            // Signs only, then others: nothing that counts.
            (content(1, None), content(2, None), (Little, 0)),
            // All words gone, or the first ones there.
            (content(1, None), content(2, Some(7)), (Changed, 64)),
            (content(1, Some(7)), content(2, None), (Changed, 64)),
        ];
        for (before, after, expected) in cases {
            assert_eq!(after.since(&before), expected, "{before:?} {after:?}");
            assert_eq!(before.since(&after), expected, "{after:?} {before:?}");
        }
    }

    #[test]
    fn the_last_three_comparisons_decide_and_no_others() {
        use Suggestion::{Longer, Same, Shorter};
        let cases: [(&[Status], Suggestion); 10] = [
            (&[], Same),
            (&[Changed], Same),
            (&[Changed, Changed], Same),
            (&[Untouched, Untouched], Same),
            (&[Changed, Changed, Changed], Shorter),
            (&[Untouched, Untouched, Untouched], Longer),
            (&[Untouched, Little, Untouched], Longer),
            (&[Changed, Untouched, Changed], Same),
            (&[Changed, Little, Untouched, Untouched], Longer),
            (&[Untouched, Changed, Changed, Changed], Shorter),
        ];
        for (comparisons, expected) in cases {
            assert_eq!(Suggestion::of(comparisons), expected, "{comparisons:?}");
        }
    }

    #[test]
    fn priority_grows_from_untouched_by_distance_to_new() {
        let mut last = 0;
        assert_eq!(priority(Untouched, 0), 0);
        assert_eq!(priority(Little, 0), 1);
        for distance in 1..=MAX_DISTANCE {
            let next = priority(Changed, distance);
            assert!(next > last, "{distance}");
            last = next;
        }
        assert!(priority(New, 0) > last);
        assert_eq!(priority(New, 0), PRIORITY_PARTS);
    }

    #[test]
    fn intervals_are_medians_of_the_last_three() {
        let usual = |dates: &[i64]| {
            let dates: Vec<Date> = dates.iter().map(|&date| Date(date)).collect();
            usual_interval(&dates)
        };
        assert_eq!(usual(&[]), None);
        assert_eq!(usual(&[5]), None);
        assert_eq!(usual(&[5, 5]), None);
        assert_eq!(usual(&[-5, 5]), Some(10));
        assert_eq!(usual(&[0, 10, 30]), Some(15));
        assert_eq!(usual(&[0, 10, 20, 1000]), Some(10));
        // The first times are long ago.
        assert_eq!(usual(&[-9000, 0, 10, 20, 40]), Some(10));
    }

    #[test]
    fn factors_change_the_interval_as_suggested() {
        let factors = Factors::default();
        assert_eq!(factors.apply(Suggestion::Longer, 10), 20);
        assert_eq!(factors.apply(Suggestion::Same, 10), 10);
        assert_eq!(factors.apply(Suggestion::Shorter, 10), 5);
        let far = factors.apply(Suggestion::Longer, u64::MAX);
        assert_eq!(far, u64::MAX);
    }

    #[test]
    fn dates_come_back_as_they_were_written() {
        for (text, expected) in [
            ("2024-03-02", "2024-03-02T00:00:00Z"),
            ("2024-03-02T10:00:00+02:00", "2024-03-02T08:00:00Z"),
            ("20240302100001", "2024-03-02T10:00:01Z"),
            ("1709373601.5", "2024-03-02T10:00:01.5Z"),
            ("1709373601500", "2024-03-02T10:00:01.5Z"),
            ("2-MAR-1987 10:00:01.50", "1987-03-02T10:00:01.5Z"),
            ("31/12/1999", "1999-12-31T00:00:00Z"),
            ("1815-06-18", "1815-06-18T00:00:00Z"),
        ] {
            let date = Date::parse(text).unwrap();
            assert_eq!(date.to_string(), expected);
            assert_eq!(Date::parse(expected), Some(date));
        }
        for wrong in [
            "",
            "soon",
            "2024-02-30",
            "5/1/2024",
            "1.5",
            "99999999999999999",
        ] {
            assert_eq!(Date::parse(wrong), None, "{wrong}");
        }
    }
}
