//! How far people agree beyond chance.

/// Cohen's kappa (1960) of two judges over the cases that both judged; labels are numbers.
/// None without cases, and where chance alone agrees always.
#[expect(clippy::cast_precision_loss, reason = "a statistic")]
pub fn cohen(labels: &[(usize, usize)]) -> Option<f64> {
    let num_labels = labels.iter().map(|&(a, b)| a.max(b) + 1).max()?;
    let (mut first, mut second) = (vec![0u64; num_labels], vec![0u64; num_labels]);
    for &(left, right) in labels {
        first[left] += 1;
        second[right] += 1;
    }
    let cases = labels.len() as f64;
    let agreed = labels.iter().filter(|(left, right)| left == right).count();
    let observed = agreed as f64 / cases;
    // Both give a label by chance as often as each gives it at all.
    let by_chance = first.iter().zip(&second);
    let by_chance: f64 = by_chance
        .map(|(&left, &right)| (left as f64 / cases) * (right as f64 / cases))
        .sum();
    beyond(observed, by_chance)
}

/// Fleiss' kappa (1971) of several judges. Each case says how often each label was given; all
/// cases have the same number of labels, two or more. None where it is not defined.
#[expect(clippy::cast_precision_loss, reason = "a statistic")]
pub fn fleiss(cases: &[Vec<u64>]) -> Option<f64> {
    let judges: u64 = cases.first()?.iter().sum();
    let same = |case: &Vec<u64>| case.iter().sum::<u64>() == judges;
    if judges < 2 || !cases.iter().all(same) {
        return None;
    }
    // Ordered pairs of judges, and of these the ones with the same label, in whole numbers.
    let pairs = (judges * (judges - 1)) as f64;
    let agreed: u64 = cases
        .iter()
        .flatten()
        .map(|&count| count * count.saturating_sub(1))
        .sum();
    let observed = agreed as f64 / pairs / cases.len() as f64;
    let num_labels = cases.iter().map(Vec::len).max()?;
    let labels = (judges * cases.len() as u64) as f64;
    let by_chance: f64 = (0..num_labels)
        .map(|label| {
            let given: u64 = cases.iter().filter_map(|case| case.get(label)).sum();
            (given as f64 / labels).powi(2)
        })
        .sum();
    beyond(observed, by_chance)
}

/// Agreement beyond chance, as a share of what is possible beyond chance. Without any room for it
/// the quotient means nothing; the limit only takes up rounding.
fn beyond(observed: f64, by_chance: f64) -> Option<f64> {
    let room = 1.0 - by_chance;
    (room > 1e-12).then(|| (observed - by_chance) / room)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(left: Option<f64>, right: f64) {
        let left = left.unwrap();
        assert!((left - right).abs() < 5e-4, "{left} {right}");
    }

    #[test]
    fn examples_worked_by_hand() {
        // 20 yes/yes, 5 yes/no, 10 no/yes, 15 no/no: observed 0.7, by chance 0.5.
        let mut labels = vec![(0, 0); 20];
        labels.extend([(0, 1); 5]);
        labels.extend([(1, 0); 10]);
        labels.extend([(1, 1); 15]);
        near(cohen(&labels), 0.4);
        assert_eq!(cohen(&[]), None);
        assert_eq!(cohen(&[(0, 0), (0, 0)]), None);
        near(cohen(&[(0, 1), (1, 0)]), -1.0);
    }

    #[test]
    fn the_example_of_fleiss() {
        // Ten subjects, fourteen raters, five categories: kappa 0.210.
        let table = [
            [0, 0, 0, 0, 14],
            [0, 2, 6, 4, 2],
            [0, 0, 3, 5, 6],
            [0, 3, 9, 2, 0],
            [2, 2, 8, 1, 1],
            [7, 7, 0, 0, 0],
            [3, 2, 6, 3, 0],
            [2, 5, 3, 2, 2],
            [6, 5, 2, 1, 0],
            [0, 2, 2, 3, 7],
        ];
        let cases: Vec<Vec<u64>> = table.iter().map(|case| case.to_vec()).collect();
        near(fleiss(&cases), 0.2099);
        assert_eq!(fleiss(&[]), None);
        assert_eq!(fleiss(&[vec![1, 0]]), None);
        assert_eq!(fleiss(&[vec![2, 0], vec![1, 0]]), None);
    }
}
