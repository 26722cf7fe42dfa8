//! Ids as numbers, and back.

use crate::hash::{self, FixedMap};
use crate::numbers::of_len;
use std::cmp::Ordering;

/// Numbers of ids, in the order in which they were met first. Two ids are one when 128 bits of
/// their hashes agree.
#[derive(Debug, Default, Clone)]
pub struct Names {
    numbers: FixedMap<u128, u32>,
    texts: String,
    /// Where each text ends.
    ends: Vec<usize>,
}

impl Names {
    /// The number of an id; a new one for an id that was not met before.
    pub fn number(&mut self, id: &str) -> u32 {
        // An id takes at least 28 bytes here, so memory ends before the numbers: at 120 GB.
        let next = of_len(self.ends.len());
        let number = *self.numbers.entry(hash::text(id)).or_insert(next);
        if number == next {
            self.texts.push_str(id);
            self.ends.push(self.texts.len());
        }
        number
    }

    /// The number of an id that was met before.
    pub fn known(&self, id: &str) -> Option<u32> {
        self.numbers.get(&hash::text(id)).copied()
    }

    /// The id of a number that was given out.
    pub fn text(&self, number: u32) -> &str {
        let number = number as usize;
        let start = match number {
            0 => 0,
            _ => self.ends[number - 1],
        };
        &self.texts[start..self.ends[number]]
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}

/// The order of topics: numbers by value and before all others, then by bytes.
pub fn topic_order(left: &str, right: &str) -> Ordering {
    let number = |text: &str| text.parse::<u64>().ok();
    match (number(left), number(right)) {
        (Some(one), Some(two)) => one.cmp(&two).then_with(|| left.cmp(right)),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => left.cmp(right),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_keeps_its_number() {
        let mut names = Names::default();
        assert_eq!(names.number("b"), 0);
        assert_eq!(names.number(""), 1);
        assert_eq!(names.number("a"), 2);
        assert_eq!(names.number("b"), 0);
        assert_eq!(names.len(), 3);
        let texts: Vec<&str> = (0..3).map(|number| names.text(number)).collect();
        assert_eq!(texts, ["b", "", "a"]);
        assert_eq!(names.known("c"), None);
    }

    #[test]
    fn topics_are_in_the_order_of_numbers() {
        let mut topics = ["wt09-2", "10", "9", "wt09-10", "009"];
        topics.sort_by(|left, right| topic_order(left, right));
        assert_eq!(topics, ["009", "9", "10", "wt09-10", "wt09-2"]);
    }
}
