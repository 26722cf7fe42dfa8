//! Pages whose main content was chosen, to notice a choice that many pages share.
//!
//! The main content of a page is chosen page by page, so only after reading is it known
//! that one text, such as a copyright notice, was chosen in many different pages. The pages
//! are compared by hashes. Of a large collection a sample is kept: the pages whose full
//! texts have the smallest hashes. Which these are does not depend on the order of reading,
//! on threads or on parts, and the sample of two halves is made of their samples.

use crate::hash;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Different pages that are kept. Up to here counts are exact; beyond, a text is noticed
/// when it is the main content of about one page in 200.
const MAX_PAGES: usize = 1024;

/// Pages with the same main content from which on there is something to report.
const MANY_PAGES: usize = 5;

/// Characters kept of a main content.
const BEGINNING: usize = 60;

/// A sample of different pages with their main content.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageSample {
    /// By the hash of the full text.
    pages: BTreeMap<u64, SampledPage>,
}

/// A page of the sample.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct SampledPage {
    /// Length of the full text.
    bytes: u64,
    /// Hash of the main content.
    main: u64,
    main_bytes: u64,
    beginning: String,
}

/// A text that is the main content of many different pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedMain {
    /// Hash of the text, as [`main_hash`] makes it.
    pub hash: u64,
    /// Different pages, by an estimate where not all were kept.
    pub num_pages: u64,
    /// Whether all pages were kept.
    pub is_exact: bool,
    /// How the text begins.
    pub beginning: String,
}

/// The hash by which main contents are compared.
pub fn main_hash(main: &str) -> u64 {
    hash::bytes(main.as_bytes(), 0)
}

impl PageSample {
    /// Notes a page: the hash and length of its full text, and its main content.
    pub fn add(&mut self, full_hash: u64, full_bytes: u64, main: &str) {
        // Most pages of a large collection end here.
        if self.pages.len() >= MAX_PAGES
            && let Some((&largest, _page)) = self.pages.last_key_value()
            && full_hash >= largest
        {
            return;
        }
        let words = main.split_whitespace().collect::<Vec<_>>().join(" ");
        let page = SampledPage {
            bytes: full_bytes,
            main: main_hash(main),
            main_bytes: main.len() as u64,
            beginning: words.chars().take(BEGINNING).collect(),
        };
        self.insert(full_hash, page);
    }

    /// Adds the pages of another sample.
    pub fn merge(&mut self, other: &PageSample) {
        for (&full_hash, page) in &other.pages {
            self.insert(full_hash, page.clone());
        }
    }

    /// Takes a page, and forgets the one with the largest hash when there are too many.
    fn insert(&mut self, full_hash: u64, page: SampledPage) {
        // Equal pages have equal main contents: whichever came first will do.
        self.pages.entry(full_hash).or_insert(page);
        if self.pages.len() > MAX_PAGES {
            self.pages.pop_last();
        }
    }

    /// The texts that are the main content of many pages of different length, the most
    /// frequent first.
    ///
    /// An article that many sites copy is the main content of different pages too. It is
    /// not reported where it makes up half of the page or more.
    pub fn shared(&self) -> Vec<SharedMain> {
        let mut by_main: BTreeMap<u64, Vec<&SampledPage>> = BTreeMap::new();
        for page in self.pages.values() {
            by_main.entry(page.main).or_default().push(page);
        }
        let mut shared = Vec::new();
        for (&hash, pages) in &by_main {
            let lengths = pages.iter().map(|page| page.bytes);
            let (Some(shortest), Some(longest)) = (lengths.clone().min(), lengths.max())
            else {
                continue;
            };
            let differ = longest * 10 >= shortest * 11;
            let is_small = pages[0].main_bytes * 2 < longest;
            if pages.len() >= MANY_PAGES && differ && is_small {
                shared.push(SharedMain {
                    hash,
                    num_pages: self.scaled(pages.len() as u64),
                    is_exact: self.pages.len() < MAX_PAGES,
                    beginning: pages[0].beginning.clone(),
                });
            }
        }
        shared.sort_by(|left, right| {
            let by_pages = right.num_pages.cmp(&left.num_pages);
            by_pages.then_with(|| {
                (&left.beginning, left.hash).cmp(&(&right.beginning, right.hash))
            })
        });
        shared
    }

    /// From pages of the sample to pages of the collection. Hashes are spread evenly, so the
    /// largest that was kept is to all hashes as the sample is to the collection.
    fn scaled(&self, pages: u64) -> u64 {
        match self.pages.last_key_value() {
            Some((&largest, _page)) if self.pages.len() >= MAX_PAGES => {
                let all = u128::from(pages) * (1 << 64) / (u128::from(largest) + 1);
                // More pages than 64 bits can count: the estimate is as good.
                u64::try_from(all).unwrap_or(u64::MAX)
            }
            _ => pages,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A page of some length; one in `every` has the notice for its main content.
    fn note(sample: &mut PageSample, number: u64, every: u64) {
        let main = match number % every {
            0 => "Copyright of all\npages".to_owned(),
            _ => format!("text of page {number}"),
        };
        let full_hash = hash::bytes(&number.to_le_bytes(), 0);
        sample.add(full_hash, 100 + number % 50, &main);
    }

    #[test]
    fn a_text_that_many_different_pages_have_is_reported() {
        let mut sample = PageSample::default();
        for number in 0..100 {
            note(&mut sample, number, 10);
            // The same page again is no other page.
            note(&mut sample, number, 10);
        }
        let expected = SharedMain {
            hash: main_hash("Copyright of all\npages"),
            num_pages: 10,
            is_exact: true,
            beginning: "Copyright of all pages".to_owned(),
        };
        assert_eq!(sample.shared(), [expected]);
    }

    #[test]
    fn few_pages_pages_of_one_length_and_large_texts_are_not() {
        let mut few = PageSample::default();
        for number in 0..40 {
            note(&mut few, number, 10);
        }
        assert_eq!(few.shared(), []);
        let mut same_length = PageSample::default();
        let mut large = PageSample::default();
        for number in 0..40 {
            same_length.add(number, 1000, "notice");
            large.add(number, 1000 + 10 * number, &"article ".repeat(100));
        }
        assert_eq!(same_length.shared(), []);
        assert_eq!(large.shared(), []);
    }

    #[test]
    fn any_order_and_any_parts_give_the_same_sample() {
        let mut straight = PageSample::default();
        for number in 0..20_000 {
            note(&mut straight, number, 10);
        }
        let mut parts = [const {
            PageSample {
                pages: BTreeMap::new(),
            }
        }; 3];
        for number in (0..20_000).rev() {
            note(&mut parts[(number % 3) as usize], number, 10);
        }
        let mut merged = PageSample::default();
        for part in parts.iter().rev() {
            merged.merge(part);
        }
        assert_eq!(merged, straight);
        assert_eq!(merged.pages.len(), MAX_PAGES);
    }

    /// The estimate of one sample is off by a tenth (102 of 1,024 pages, give or take
    /// ten), so the mean of many is looked at: a wrong scale would show.
    #[test]
    fn pages_of_a_large_collection_are_estimated() {
        let mut sum = 0;
        for seed in 0..20 {
            let mut sample = PageSample::default();
            for number in 0..20_000_u64 {
                let main = if number % 10 == 0 { 0 } else { number };
                let full_hash = hash::bytes(&number.to_le_bytes(), seed);
                sample.add(full_hash, 100 + number % 50, &format!("text {main}"));
            }
            let shared = sample.shared();
            assert_eq!(shared.len(), 1);
            assert!(!shared[0].is_exact);
            sum += shared[0].num_pages;
        }
        assert!((1900..2100).contains(&(sum / 20)), "{}", sum / 20);
    }
}
