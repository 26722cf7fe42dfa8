//! Dates in the forms that collections have them, as nanoseconds since 1970.
//!
//! Read are ISO 8601 (`2024-03-05T10:00:00+02:00`, `2024-03-05`, `2024-03`), RFC 2822
//! (`Tue, 5 Mar 2024 10:00:00 +0200`), Reuters-21578 (`26-FEB-1987 15:01:01.79`), months by name
//! in any order with day and year of four digits, the times of `date` and of web servers, and
//! numbers by the number of their digits. Without a zone a time is taken as UTC, without a time
//! a date is its midnight. Anything that could be two dates is not one: years of two digits,
//! zones that several countries use, and `5/1/2024` unless other values say which is the day.
//!
//! [`read_date`] reads one value; whoever reads a column decides the order of day and month for
//! all of it, from those values that can be read in one order only ([`DateReading::with_order`]),
//! and reports that and the unit of plain numbers.

use super::Decimal;
use jiff::Timestamp;
use jiff::civil::DateTime;

/// Longer texts are prose, and are not looked at.
const MAX_BYTES: usize = 100;
/// Nanoseconds of a second.
const NANOSECONDS: i128 = 1_000_000_000;

/// The result of reading a value as a date: a date, with what was assumed to read it, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DateReading {
    /// A date: nanoseconds since 1970.
    Date(i128),
    /// A number that was taken for a time since 1970, in a unit that follows from its digits.
    Unix(i128, TimeUnit),
    /// Day and month as numbers, which make a date in this order only.
    Numeric(i128, DayOrder),
    /// Day and month as numbers, which make two different dates.
    Ambiguous {
        /// The date when the day comes first.
        day_first: i128,
        /// The date when the month comes first.
        month_first: i128,
    },
    /// Not a date.
    None,
}

/// Which of two numbers is the day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DayOrder {
    /// As in `31/12/2024`.
    DayFirst,
    /// As in `12/31/2024`.
    MonthFirst,
}

/// The unit of a time since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeUnit {
    /// Numbers of 9 to 11 digits.
    Seconds,
    /// Numbers of 12 and 13 digits.
    Milliseconds,
    /// Numbers of 15 and 16 digits.
    Microseconds,
    /// Numbers of 18 and 19 digits.
    Nanoseconds,
}

impl TimeUnit {
    /// All units.
    pub const ALL: [TimeUnit; 4] = [
        TimeUnit::Seconds,
        TimeUnit::Milliseconds,
        TimeUnit::Microseconds,
        TimeUnit::Nanoseconds,
    ];

    /// The name used in outputs.
    pub fn name(self) -> &'static str {
        match self {
            TimeUnit::Seconds => "seconds",
            TimeUnit::Milliseconds => "milliseconds",
            TimeUnit::Microseconds => "microseconds",
            TimeUnit::Nanoseconds => "nanoseconds",
        }
    }

    /// The unit in which a number of so many digits is a date of our times. Each range begins
    /// in 1973: of the numbers below, those of seconds would be no more than counters, and
    /// those of the other units belong to the unit before.
    fn of_digits(digits: i64) -> Option<TimeUnit> {
        match digits {
            9..=11 => Some(TimeUnit::Seconds),
            12 | 13 => Some(TimeUnit::Milliseconds),
            15 | 16 => Some(TimeUnit::Microseconds),
            18 | 19 => Some(TimeUnit::Nanoseconds),
            _ => None,
        }
    }
}

impl DateReading {
    /// The date, given which of two numbers is the day where only that is open.
    pub fn with_order(self, order: Option<DayOrder>) -> Option<i128> {
        match (self, order) {
            (DateReading::Date(time), _)
            | (DateReading::Unix(time, _), _)
            | (DateReading::Numeric(time, _), _) => Some(time),
            (DateReading::Ambiguous { day_first, .. }, Some(DayOrder::DayFirst)) => {
                Some(day_first)
            }
            (DateReading::Ambiguous { month_first, .. }, Some(DayOrder::MonthFirst)) => {
                Some(month_first)
            }
            (DateReading::Ambiguous { .. }, None) | (DateReading::None, _) => None,
        }
    }
}

/// Reads a date. Forms are tried from the strictest on, and the first that reads all of the text
/// decides; if none does, it is not a date. The result depends on the text alone, not on the clock
/// or zone of the machine.
pub fn read_date(text: &str) -> DateReading {
    let text = text.trim();
    if text.len() > MAX_BYTES {
        return DateReading::None;
    }
    // Before ISO 8601, which would read some runs of digits too: what a number means is decided in
    // one place.
    if let Some(number) = Decimal::parse(text) {
        return of_number(&number);
    }
    // With a zone or an offset, then without: the second is taken as UTC.
    if let Ok(time) = text.parse::<Timestamp>() {
        return DateReading::Date(time.as_nanosecond());
    }
    // A zone by its name alone, as in `[Europe/Paris]`, would need a table of zones.
    if !text.contains('[')
        && let Ok(time) = text.parse::<DateTime>()
    {
        return DateReading::Date(utc(time));
    }
    Words::new(text).read().unwrap_or(DateReading::None)
}

/// Nanoseconds from 1970 to a time in UTC. Timestamps of jiff end two days before the year 9999
/// does, whose last day stands for "never" in many tables.
fn utc(time: DateTime) -> i128 {
    time.duration_since(DateTime::constant(1970, 1, 1, 0, 0, 0, 0))
        .as_nanos()
}

/// A number: a year, the digits of a date, those of a date and time as web archives have
/// them, or a time since 1970.
fn of_number(number: &Decimal<'_>) -> DateReading {
    let digits = number.whole_digits();
    if number.is_whole() && !number.is_negative() {
        let date = match digits {
            4 => number
                .scaled(0)
                .and_then(|year| of_digits(year * 10_000 + 101, 0)),
            // A calendar that does not have the day refuses it: `20241332` is no date, rather than
            // seconds of 1970.
            8 => number.scaled(0).and_then(|date| of_digits(date, 0)),
            14 => number
                .scaled(0)
                .and_then(|digits| of_digits(digits / 1_000_000, digits % 1_000_000)),
            // Numbers of other lengths, such as identifiers of 6 or 7 digits, have no unit and
            // become no date.
            _ => return of_time(number),
        };
        return date.map_or(DateReading::None, DateReading::Date);
    }
    of_time(number)
}

/// A time since 1970, in the unit that its whole digits say; a fraction is kept to the nanosecond.
fn of_time(number: &Decimal<'_>) -> DateReading {
    let Some(unit) = TimeUnit::of_digits(number.whole_digits()) else {
        return DateReading::None;
    };
    let places = match unit {
        TimeUnit::Seconds => 9,
        TimeUnit::Milliseconds => 6,
        TimeUnit::Microseconds => 3,
        TimeUnit::Nanoseconds => 0,
    };
    match number.scaled(places) {
        Some(time) if Timestamp::from_nanosecond(time).is_ok() => {
            DateReading::Unix(time, unit)
        }
        _ => DateReading::None,
    }
}

/// The digits `YYYYMMDD` and `hhmmss`.
fn of_digits(date: i128, time: i128) -> Option<i128> {
    let part = |number: i128, unit: i128| i64::try_from(number / unit % 100).ok();
    let day = Date {
        year: i64::try_from(date / 10_000).ok()?,
        month: part(date, 100)?,
        day: part(date, 1)?,
    };
    day.at(Time {
        hour: part(time, 10_000)?,
        minute: part(time, 100)?,
        second: part(time, 1)?,
        ..Time::default()
    })
}

#[derive(Debug, Clone, Copy)]
/// A day as it was written, perhaps of no calendar.
struct Date {
    year: i64,
    month: i64,
    day: i64,
}

#[derive(Debug, Clone, Copy, Default)]
/// A time of day as it was written.
struct Time {
    hour: i64,
    minute: i64,
    second: i64,
    nanosecond: i64,
    /// Whether parts of a second were written.
    exact: bool,
}

impl Date {
    /// Nanoseconds since 1970 in UTC; none when there is no such day or time.
    fn at(self, time: Time) -> Option<i128> {
        let small = |number: i64| i8::try_from(number).ok();
        let time = DateTime::new(
            i16::try_from(self.year).ok()?,
            small(self.month)?,
            small(self.day)?,
            small(time.hour)?,
            small(time.minute)?,
            // A leap second is the second before it, as jiff has it in ISO 8601.
            small(if time.second == 60 { 59 } else { time.second })?,
            i32::try_from(time.nanosecond).ok()?,
        );
        Some(utc(time.ok()?))
    }
}

/// The date of a text before its time and zone are known.
#[derive(Debug, Clone, Copy)]
enum Day {
    Date(Date),
    /// Two numbers and a year, in either order.
    Numbers(i64, i64, i64),
    /// The form of Reuters, behind which other codes may stand.
    Reuters(Date),
}

/// A text cut at white space, control characters and commas, read from left to right.
struct Words<'a> {
    words: Vec<&'a str>,
    next: usize,
}

/// The first words of a date: with the year, or without.
enum Lead<'a> {
    /// The day; the time may be in the same word.
    Day(Day, Option<Clock<'a>>),
    /// Month and day; the year follows the time.
    Yearless(i64, i64),
}

impl<'a> Words<'a> {
    /// Cuts a text into words.
    fn new(text: &'a str) -> Self {
        // RFC 2822 has comments at the end.
        let text = match text.strip_suffix(')').and_then(|rest| rest.rfind('(')) {
            Some(at) => &text[..at],
            None => text,
        };
        // Codes of the wire stand behind three characters U+0005.
        let is_gap =
            |c: char| c == ',' || c.is_ascii_whitespace() || c.is_ascii_control();
        let words = text.split(is_gap);
        Words {
            words: words.filter(|word| !word.is_empty()).collect(),
            next: 0,
        }
    }

    /// The next word, if `read` can make something of it.
    fn take<T>(&mut self, read: impl FnOnce(&'a str) -> Option<T>) -> Option<T> {
        let found = read(self.words.get(self.next)?)?;
        self.next += 1;
        Some(found)
    }

    /// Reads the whole text: weekday, date, time with half of the day and zone, and perhaps the
    /// year; none when a word is left over. Each `take` goes on by one word or stays, so a text is
    /// read once, without trying again.
    fn read(mut self) -> Option<DateReading> {
        self.take(weekday);
        let lead = self.lead()?;
        let time = match lead {
            Lead::Day(_, Some(time)) => Some(time),
            _ => {
                self.take(|word| word.eq_ignore_ascii_case("at").then_some(()));
                self.take(clock)
            }
        };
        let (mut clock, zone) = time.unwrap_or_default();
        // A zone in the same word as the time must be known, or the date would be off by hours.
        let mut offset = zone.map_or(Some(None), |zone| zone_offset(zone).map(Some))?;
        if time.is_some() {
            if let Some(half) = self.take(half_of_day) {
                clock.hour = in_half(clock.hour, half)?;
            }
            if offset.is_none() {
                offset = self.take(zone_offset);
            }
        }
        let day = match lead {
            Lead::Day(day, _) => day,
            Lead::Yearless(month, day) => {
                // `date` and old C libraries write `Tue Mar 5 10:00:00 UTC 2024`: without a time
                // there is no year to come.
                time?;
                let year = self.take(year)?;
                if offset.is_none() {
                    offset = self.take(zone_offset);
                }
                Day::Date(Date { year, month, day })
            }
        };
        if let Day::Reuters(_) = day
            && clock.exact
        {
            // Codes of the wire follow, as in `26-FEB-1987 15:01:01.79 F RM`.
            while self.take(wire_code).is_some() {}
        }
        if self.next < self.words.len() {
            return None;
        }
        let offset = offset.unwrap_or(0) * NANOSECONDS;
        let at = |date: Date| Some(date.at(clock)? - offset);
        match day {
            Day::Date(date) | Day::Reuters(date) => Some(DateReading::Date(at(date)?)),
            Day::Numbers(first, second, year) => {
                let date = |day, month| at(Date { year, month, day });
                // Both orders are tried with the calendar. One that makes no date settles the
                // order; equal numbers (`5/5/2024`) need none.
                match (date(first, second), date(second, first)) {
                    (Some(time), Some(same)) if time == same => {
                        Some(DateReading::Date(time))
                    }
                    (Some(day_first), Some(month_first)) => {
                        Some(DateReading::Ambiguous {
                            day_first,
                            month_first,
                        })
                    }
                    (Some(time), None) => {
                        Some(DateReading::Numeric(time, DayOrder::DayFirst))
                    }
                    (None, Some(time)) => {
                        Some(DateReading::Numeric(time, DayOrder::MonthFirst))
                    }
                    (None, None) => None,
                }
            }
        }
    }

    /// The day, by its first word: a month's name, a year, a day, or a date in one word. The first
    /// words of the four differ, so there is nothing to try twice.
    fn lead(&mut self) -> Option<Lead<'a>> {
        let of_date =
            |year, month, day| Lead::Day(Day::Date(Date { year, month, day }), None);
        if let Some(month) = self.take(month) {
            if let Some(year) = self.take(year) {
                return Some(of_date(year, month, 1));
            }
            let day = self.take(ordinal)?;
            return Some(match self.take(year) {
                Some(year) => of_date(year, month, day),
                None => Lead::Yearless(month, day),
            });
        }
        if let Some(year) = self.take(year) {
            let month = self.take(month)?;
            let day = self.take(ordinal).unwrap_or(1);
            return Some(of_date(year, month, day));
        }
        if let Some(day) = self.take(ordinal) {
            let (month, year) = (self.take(month)?, self.take(year)?);
            return Some(of_date(year, month, day));
        }
        self.take(one_word)
    }
}

/// A date in one word, perhaps with its time: `05/01/2024`, `2024-03-05T10:00:00`,
/// `2024-03-05Z`, `05/Mar/2024:10:00:00`.
fn one_word(word: &str) -> Option<Lead<'_>> {
    if let Some((date, rest)) = word.split_at_checked(10)
        && let [_, _, _, _, b'-', _, _, b'-', _, _] = date.as_bytes()
        && !rest.is_empty()
    {
        // After ten characters of an ISO date: a time, or a zone alone, which then belongs to
        // midnight.
        let time = match rest.strip_prefix(['T', 't']) {
            Some(time) => clock(time)?,
            None => (Time::default(), Some(rest)),
        };
        return Some(Lead::Day(joined(date)?, Some(time)));
    }
    match word.split_once(':') {
        Some((date, time)) => Some(Lead::Day(joined(date)?, Some(clock(time)?))),
        None => Some(Lead::Day(joined(word)?, None)),
    }
}

/// Time of day, and the zone that stands in the same word.
type Clock<'a> = (Time, Option<&'a str>);

/// One or two digits.
fn short(text: &str) -> Option<i64> {
    let is_short = matches!(text.len(), 1 | 2);
    let digits = is_short && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten()
}

/// Exactly two digits.
fn two_digits(text: &str) -> Option<i64> {
    short(text).filter(|_| text.len() == 2)
}

/// Four digits.
fn year(text: &str) -> Option<i64> {
    let digits = text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten()
}

/// A day as `5`, `05`, `5th`.
fn ordinal(text: &str) -> Option<i64> {
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let (day, ending) = text.split_at(end);
    let is_ending = ["", "st", "nd", "rd", "th"]
        .iter()
        .any(|known| ending.eq_ignore_ascii_case(known));
    short(day).filter(|_| is_ending)
}

/// Names of months; the place of one is its number less 1.
const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
/// Names of weekdays. They are read and not checked: the date decides.
const WEEKDAYS: [&str; 7] = [
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
];

/// Whether a word is a name, or what it is shortened to.
fn is_name(word: &str, name: &str, shortened: &[usize]) -> bool {
    let word = word.strip_suffix('.').unwrap_or(word);
    let begins = name.get(..word.len());
    let same = begins.is_some_and(|begin| begin.eq_ignore_ascii_case(word));
    same && (word.len() == name.len() || shortened.contains(&word.len()))
}

/// The number of a month by its name or its first three letters; `Sept` too.
fn month(word: &str) -> Option<i64> {
    let found = MONTHS.iter().position(|name| {
        let sept = *name == "september";
        is_name(word, name, if sept { &[3, 4] } else { &[3] })
    });
    found.and_then(|at| i64::try_from(at + 1).ok())
}

/// A weekday, in full or as its first three to five letters.
fn weekday(word: &str) -> Option<()> {
    let known = WEEKDAYS.iter().any(|name| is_name(word, name, &[3, 4, 5]));
    known.then_some(())
}

/// Hours that `am` or `pm` stands for.
fn half_of_day(word: &str) -> Option<i64> {
    let halves = [("am", 0), ("a.m.", 0), ("pm", 12), ("p.m.", 12)];
    let half = halves
        .iter()
        .find(|(name, _)| word.eq_ignore_ascii_case(name));
    half.map(|(_, hours)| *hours)
}

/// The hour of the day by the clock of twelve hours.
fn in_half(hour: i64, half: i64) -> Option<i64> {
    (1..=12).contains(&hour).then(|| hour % 12 + half)
}

/// One or two capitals, as agencies write them after a time.
fn wire_code(word: &str) -> Option<()> {
    let is_code = word.len() <= 2 && word.bytes().all(|byte| byte.is_ascii_uppercase());
    is_code.then_some(())
}

/// Day, month and year in one word.
fn joined(word: &str) -> Option<Day> {
    let separator = word.chars().find(|c| "-/.".contains(*c))?;
    let mut parts = word.split(separator);
    let (first, second, third) = (parts.next()?, parts.next()?, parts.next());
    if parts.next().is_some() {
        return None;
    }
    let Some(third) = third else {
        let (year, month) = match (year(first), year(second)) {
            (Some(year), None) => (year, two_digits(second)?),
            (None, Some(year)) => (year, short(first)?),
            _ => return None,
        };
        return Some(Day::Date(Date {
            year,
            month,
            day: 1,
        }));
    };
    if let Some(year) = year(first) {
        let month = month(second).or_else(|| short(second))?;
        let day = short(third)?;
        return Some(Day::Date(Date { year, month, day }));
    }
    // The year last. Without a name of a month it is open which number is the day.
    let year = year(third)?;
    if let Some(number) = month(second) {
        let date = Date {
            year,
            month: number,
            day: short(first)?,
        };
        let is_wire =
            separator == '-' && second.bytes().all(|byte| byte.is_ascii_uppercase());
        return Some(if is_wire {
            Day::Reuters(date)
        } else {
            Day::Date(date)
        });
    }
    if let Some(month) = month(first) {
        let day = short(second)?;
        return Some(Day::Date(Date { year, month, day }));
    }
    Some(Day::Numbers(short(first)?, short(second)?, year))
}

/// `10:00`, `10:00:00`, `10:00:00.25`, with a zone or half of the day right behind.
fn clock(word: &str) -> Option<Clock<'_>> {
    let end = word.find(|c: char| !c.is_ascii_digit() && c != ':' && c != '.');
    let (time, rest) = word.split_at(end.unwrap_or(word.len()));
    let mut parts = time.split(':');
    let mut clock = Time {
        hour: short(parts.next()?)?,
        minute: two_digits(parts.next()?)?,
        ..Time::default()
    };
    if let Some(seconds) = parts.next() {
        clock.exact = seconds.contains('.');
        let (whole, fraction) = seconds.split_once('.').unwrap_or((seconds, "0"));
        clock.second = two_digits(whole)?;
        if fraction.is_empty() || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        // Nanoseconds: nine digits, padded or cut.
        let digits = fraction.bytes().chain(std::iter::repeat(b'0')).take(9);
        clock.nanosecond =
            digits.fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0'));
    }
    if parts.next().is_some() {
        return None;
    }
    if let Some(half) = half_of_day(rest) {
        clock.hour = in_half(clock.hour, half)?;
        return Some((clock, None));
    }
    Some((clock, (!rest.is_empty()).then_some(rest)))
}

/// Seconds that a zone is ahead of UTC. Names are those of RFC 2822: others stand for several
/// zones, or differ from summer to winter.
fn zone_offset(zone: &str) -> Option<i128> {
    const HOURS: [(&str, i128); 12] = [
        ("Z", 0),
        ("UT", 0),
        ("UTC", 0),
        ("GMT", 0),
        ("EST", -5),
        ("EDT", -4),
        ("CST", -6),
        ("CDT", -5),
        ("MST", -7),
        ("MDT", -6),
        ("PST", -8),
        ("PDT", -7),
    ];
    let named = HOURS
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(zone));
    if let Some((_, hours)) = named {
        return Some(hours * 3600);
    }
    let numbers = match zone.get(..3) {
        Some(name) if name.eq_ignore_ascii_case("UTC") => &zone[3..],
        Some(name) if name.eq_ignore_ascii_case("GMT") => &zone[3..],
        _ => zone,
    };
    let sign = match numbers.as_bytes().first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let numbers = &numbers[1..];
    let (hours, minutes) = match (numbers.len(), numbers.split_once(':')) {
        (_, Some((hours, minutes))) => (short(hours)?, two_digits(minutes)?),
        (4, None) if numbers.is_ascii() => {
            (two_digits(&numbers[..2])?, two_digits(&numbers[2..])?)
        }
        (1 | 2, None) => (short(numbers)?, 0),
        _ => return None,
    };
    // More is a mistake, not a zone.
    let in_day = hours < 24 && minutes < 60;
    in_day.then(|| sign * i128::from(hours * 3600 + minutes * 60))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The time as ISO 8601, when the text is a date.
    fn iso(text: &str) -> Option<String> {
        let time = read_date(text).with_order(None)?;
        Some(Timestamp::from_nanosecond(time).unwrap().to_string())
    }

    #[test]
    fn dates_are_read_in_all_their_forms() {
        for (text, expected) in [
            ("2024-03-05", "2024-03-05T00:00:00Z"),
            ("2024-03", "2024-03-01T00:00:00Z"),
            ("2024", "2024-01-01T00:00:00Z"),
            ("1987.0", "1987-01-01T00:00:00Z"),
            ("20240305", "2024-03-05T00:00:00Z"),
            ("20240302100001", "2024-03-02T10:00:01Z"),
            ("2024-03-05T10:00:00+02:00", "2024-03-05T08:00:00Z"),
            ("2024-03-05T10:00:00Z", "2024-03-05T10:00:00Z"),
            ("2024-03-05 10:00:00.5", "2024-03-05T10:00:00.5Z"),
            ("2024-03-05 10:00:00 UTC", "2024-03-05T10:00:00Z"),
            ("2024-03-05 10:00:00 +0200", "2024-03-05T08:00:00Z"),
            ("2024-03-05T10:00:00 UTC", "2024-03-05T10:00:00Z"),
            ("2024/03/05", "2024-03-05T00:00:00Z"),
            ("2024/3/5 9:30", "2024-03-05T09:30:00Z"),
            ("2024.03.05", "2024-03-05T00:00:00Z"),
            ("2024-Mar-05", "2024-03-05T00:00:00Z"),
            ("26-FEB-1987 15:01:01.79", "1987-02-26T15:01:01.79Z"),
            (" 6-FEB-1987 15:01:01.79", "1987-02-06T15:01:01.79Z"),
            ("3-MAR-1987  09:15:05.40", "1987-03-03T09:15:05.4Z"),
            ("26-MAR-1987 15:01:01.00 F", "1987-03-26T15:01:01Z"),
            ("26-MAR-1987 15:01:01.79 F", "1987-03-26T15:01:01.79Z"),
            ("26-MAR-1987 15:01:01.79 C G T M", "1987-03-26T15:01:01.79Z"),
            (
                "26-MAR-1987 15:01:01.79\u{5}\u{5}\u{5}RM",
                "1987-03-26T15:01:01.79Z",
            ),
            ("Tue, 05 Mar 2024 10:00:00 +0200", "2024-03-05T08:00:00Z"),
            ("5 Mar 2024 10:00 -0130", "2024-03-05T11:30:00Z"),
            ("Tue, 5 Mar 2024 10:00:00 GMT", "2024-03-05T10:00:00Z"),
            ("Tue, 5 Mar 2024 10:00:00 EST", "2024-03-05T15:00:00Z"),
            (
                "Tue, 5 Mar 2024 10:00:00 -0800 (PST)",
                "2024-03-05T18:00:00Z",
            ),
            ("March 5, 2024", "2024-03-05T00:00:00Z"),
            ("March 5th, 2024", "2024-03-05T00:00:00Z"),
            ("Tuesday, March 5, 2024 at 3:04 PM", "2024-03-05T15:04:00Z"),
            ("Mar. 5, 2024, 12:30 a.m.", "2024-03-05T00:30:00Z"),
            ("Mar 5 2024 12:30pm", "2024-03-05T12:30:00Z"),
            ("5 March 2024", "2024-03-05T00:00:00Z"),
            ("5 sept 2024", "2024-09-05T00:00:00Z"),
            ("5-Mar-2024", "2024-03-05T00:00:00Z"),
            ("2024 March 5", "2024-03-05T00:00:00Z"),
            ("2024 Mar", "2024-03-01T00:00:00Z"),
            ("20070101T000000", "2007-01-01T00:00:00Z"),
            ("March 2024", "2024-03-01T00:00:00Z"),
            ("03/2024", "2024-03-01T00:00:00Z"),
            ("Tue Mar  5 10:00:00 2024", "2024-03-05T10:00:00Z"),
            ("Tue Mar  5 10:00:00 UTC 2024", "2024-03-05T10:00:00Z"),
            ("Tue Mar 5 10:00:00 2024 +0200", "2024-03-05T08:00:00Z"),
            ("2024-03-05Z", "2024-03-05T00:00:00Z"),
            ("2024-03-05+02:00", "2024-03-04T22:00:00Z"),
            ("05/Mar/2024:10:00:00 +0200", "2024-03-05T08:00:00Z"),
            ("13/1/2024", "2024-01-13T00:00:00Z"),
            ("1/13/2024", "2024-01-13T00:00:00Z"),
            ("13.01.2024 08:00", "2024-01-13T08:00:00Z"),
            ("5/5/2024", "2024-05-05T00:00:00Z"),
            ("1700000000", "2023-11-14T22:13:20Z"),
            ("1.7e9", "2023-11-14T22:13:20Z"),
            ("1700000000.25", "2023-11-14T22:13:20.25Z"),
            ("1700000000000", "2023-11-14T22:13:20Z"),
            ("1700000000000000", "2023-11-14T22:13:20Z"),
            ("1700000000000000000", "2023-11-14T22:13:20Z"),
            ("541000000000", "1987-02-22T13:46:40Z"),
            ("-541000000", "1952-11-09T10:13:20Z"),
            ("0999-01-01", "0999-01-01T00:00:00Z"),
        ] {
            assert_eq!(iso(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn the_end_of_all_days_is_a_date() {
        let times = [
            "9999-12-30",
            "9999-12-31",
            "9999-12-31T23:59:59Z",
            "99991231235959",
        ];
        let times = times.map(|text| read_date(text).with_order(None).unwrap());
        assert!(times.is_sorted());
        assert_eq!(times[2], times[3]);
    }

    #[test]
    fn what_could_be_two_dates_is_none() {
        for wrong in [
            "",
            "n/a",
            "soon",
            "2024-02-30",
            "2024-13-01",
            "20241302100001",
            "20241301",
            "5/1/24",
            "05-Mar-24",
            "Sunday, 06-Nov-94 08:49:37 GMT",
            "31-MAR-1987 605:12:19.12",
            "5-MAR-1987 10:00:00.11 # guesswork",
            "5-MAR-1987 10:00:00 F",
            "5 Mar 2024 10:00 CET",
            "5 Mar 2024 10:00 F",
            "31/4/2024",
            "4/31/2024",
            "March",
            "March 5",
            "5 March",
            "Mar 5 2024 13:00 PM",
            "0",
            "5",
            "86400",
            "123",
            "1987.5",
            "12345678901234567",
            "1e999999999",
            "-2024",
            "99999999999999",
            "2024-03-05 25:00",
            "10:00",
            "March 5, 2024 and later",
            "2024-03-05T10:00:00[Europe/Paris]",
            "1/2/3/2024",
            "2024-W10-2",
        ] {
            assert_eq!(iso(wrong), None, "{wrong}");
        }
        let long = format!("5 March 2024{}", " ".repeat(200));
        assert!(iso(&long).is_some());
        assert_eq!(iso(&long.replace("  ", " x")), None);
    }

    #[test]
    fn day_and_month_as_numbers_are_settled_by_others_only() {
        let reading = read_date("5/1/2024");
        let time = |order| {
            let time = reading.with_order(order)?;
            Some(Timestamp::from_nanosecond(time).unwrap().to_string())
        };
        assert_eq!(time(None), None);
        let day_first = time(Some(DayOrder::DayFirst));
        assert_eq!(day_first.as_deref(), Some("2024-01-05T00:00:00Z"));
        let month_first = time(Some(DayOrder::MonthFirst));
        assert_eq!(month_first.as_deref(), Some("2024-05-01T00:00:00Z"));
        let order = |text| match read_date(text) {
            DateReading::Numeric(_, order) => Some(order),
            _ => None,
        };
        assert_eq!(order("31-12-2024"), Some(DayOrder::DayFirst));
        assert_eq!(order("12/31/2024 10:00"), Some(DayOrder::MonthFirst));
        assert_eq!(order("5/5/2024"), None);
    }
}
