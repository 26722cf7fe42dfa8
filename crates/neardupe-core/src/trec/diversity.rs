//! Measures by subtopic, as ndeval has them: labels are relevant or not, and a document relevant
//! to a subtopic is worth half of the one before (alpha = 0.5).

/// What is left of a subtopic's worth after each document that is relevant to it.
const LEFT: f64 = 0.5;

/// What documents are worth, one after the other: by how many documents before them each
/// subtopic was seen.
#[derive(Default)]
struct Seen(Vec<i32>);

impl Seen {
    fn worth(&self, subtopics: &[u32]) -> f64 {
        let times = |&subtopic: &u32| self.0.get(subtopic as usize).copied().unwrap_or(0);
        subtopics.iter().map(|it| LEFT.powi(times(it))).sum()
    }

    fn take(&mut self, subtopics: &[u32]) -> f64 {
        let worth = self.worth(subtopics);
        for &subtopic in subtopics {
            let at = subtopic as usize;
            if self.0.len() <= at {
                self.0.resize(at + 1, 0);
            }
            self.0[at] += 1;
        }
        worth
    }
}

fn discount(place: usize) -> f64 {
    1.0 / libm::log2(place as f64 + 2.0)
}

/// alpha-DCG of the first k results (Clarke and others 2008).
pub(super) fn alpha_dcg(results: &[Vec<u32>], k: usize) -> f64 {
    let mut seen = Seen::default();
    let results = results.iter().take(k).enumerate();
    results
        .map(|(place, subtopics)| seen.take(subtopics) * discount(place))
        .sum()
}

/// alpha-DCG after each rank of the order that takes the best document each time; of equal ones
/// the last by id. Finding the best order of all is NP-complete; ndeval does the same. Where
/// documents end, the last value stands for all ranks after it.
pub(super) fn alpha_ideal(documents: &[Vec<u32>], depth: usize) -> Vec<f64> {
    let mut seen = Seen::default();
    let mut left: Vec<&Vec<u32>> = documents.iter().collect();
    let mut sum = 0.0;
    let mut after = Vec::new();
    for place in 0..depth.min(documents.len()) {
        let mut best = (0, f64::MIN);
        for (at, subtopics) in left.iter().enumerate() {
            let worth = seen.worth(subtopics);
            if worth >= best.1 {
                best = (at, worth);
            }
        }
        sum += seen.take(left.remove(best.0)) * discount(place);
        after.push(sum);
    }
    after
}

/// ERR-IA of the first k results (Chapelle and others 2009), divided by what an endless supply
/// of documents relevant to all subtopics would give, as ndeval does.
pub(super) fn err_ia(results: &[Vec<u32>], k: usize, num_subtopics: usize) -> f64 {
    if num_subtopics == 0 {
        return 0.0;
    }
    let mut seen = Seen::default();
    let own = results.iter().take(k).enumerate();
    let own: f64 = own
        .map(|(place, subtopics)| seen.take(subtopics) / (place as f64 + 1.0))
        .sum();
    let (mut best, mut worth) = (0.0, num_subtopics as f64);
    for place in 0..k {
        best += worth / (place as f64 + 1.0);
        worth *= LEFT;
    }
    own / best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subtopic_is_worth_half_the_second_time() {
        let results = [vec![0], vec![], vec![0, 1]];
        let dcg = 1.0 + (0.5 + 1.0) / 2.0;
        assert!((alpha_dcg(&results, 20) - dcg).abs() < 1e-12);
        let ideal = alpha_ideal(&[vec![0], vec![0, 1]], 20);
        assert!((ideal[1] - (2.0 + 0.5 / 3f64.log2())).abs() < 1e-12);
        let best = 2.0 + 1.0 / 2.0 + 0.5 / 3.0;
        assert!((err_ia(&results, 3, 2) - (1.0 + 1.5 / 3.0) / best).abs() < 1e-12);
        assert!(err_ia(&results, 3, 0) < 1e-12);
    }
}
