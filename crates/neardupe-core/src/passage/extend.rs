//! From a seed to the stretch that two texts have in common around it.
//!
//! Beginning where the texts agree, words are followed on both sides as long as they agree. Where
//! they do not, the nearest place is sought from which a few words agree again: a word that was
//! replaced, removed or inserted, a sentence that was inserted. A word in common scores two, a word
//! passed over costs one; the stretch ends where the score was highest, so always with words in
//! common, and it is given up when the score has fallen too low or nothing agrees within reach.
//! This is the extension of seeds of sequence search (Altschul et al., J. Mol. Biol. 1990), on
//! words and with gaps.
//!
//! The cost is one comparison per word that agrees, eight at a time, and for each gap usually a few
//! times `max_gap` steps (`next_agreement`): linear in the stretch, and independent of the length
//! of the texts around it.

use super::cut::is_alone;
use std::ops::Range;

/// How far apart the parts of a passage may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reach {
    /// Words that may be passed over at a time, on either side.
    pub max_gap: usize,
    /// Words by which one side may get ahead of the other over a whole stretch.
    pub max_drift: usize,
}

impl Default for Reach {
    fn default() -> Self {
        Reach {
            max_gap: 30,
            max_drift: 60,
        }
    }
}

/// A stretch that two texts have in common, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fragment {
    /// Where it is in the left text.
    pub left: Range<usize>,
    /// Where it is in the right text.
    pub right: Range<usize>,
    /// Words that agree, in order.
    pub matched: usize,
}

impl Fragment {
    /// Whether a pair of places lies within it.
    pub fn covers(&self, left: usize, right: usize) -> bool {
        self.left.contains(&left) && self.right.contains(&right)
    }
}

/// What a word in common adds to the score.
const MATCH: i64 = 2;
/// What a word that is passed over takes from it.
const SKIP: i64 = 1;

/// The stretch around places where both texts have the same word.
pub fn extend(
    left: &[u32],
    right: &[u32],
    left_at: usize,
    right_at: usize,
    reach: Reach,
) -> Fragment {
    let after = SeedSide {
        left: &left[left_at..],
        right: &right[right_at..],
    };
    let forward = walk(after, reach, Forward);
    let before = SeedSide {
        left: &left[..left_at],
        right: &right[..right_at],
    };
    let back = walk(before, reach, Backward);
    Fragment {
        left: left_at - back.left..left_at + forward.left,
        right: right_at - back.right..right_at + forward.right,
        matched: back.matched + forward.matched,
    }
}

/// Words of both texts to one side of a seed.
#[derive(Debug, Clone, Copy)]
struct SeedSide<'a> {
    left: &'a [u32],
    right: &'a [u32],
}

/// How far a walk came: words on both sides, and how many agree.
#[derive(Debug, Clone, Copy, Default)]
struct Walk {
    left: usize,
    right: usize,
    matched: usize,
}

/// Which way words are counted. Both directions are the same walk over distances from the seed; a
/// type parameter and not a flag, so that the inner loops have no branch for it.
trait Direction: Copy {
    /// The word at a distance from the seed.
    fn word(self, words: &[u32], distance: usize) -> u32;

    /// Number of words that agree from these distances on.
    fn agreeing(self, side: SeedSide<'_>, left: usize, right: usize) -> usize;
}

/// Words that are compared at once.
const TOGETHER: usize = 8;

#[derive(Clone, Copy)]
/// Words after the seed, the nearest first.
struct Forward;

impl Direction for Forward {
    #[inline]
    fn word(self, words: &[u32], distance: usize) -> u32 {
        words[distance]
    }

    #[inline]
    fn agreeing(self, side: SeedSide<'_>, left: usize, right: usize) -> usize {
        let (left, right) = (&side.left[left..], &side.right[right..]);
        // Eight words are compared as one array, which compiles to a few wide comparisons.
        // The word that differs is then found in the chunk where the arrays did.
        let chunks = left.as_chunks::<TOGETHER>().0.iter();
        let both = chunks.zip(right.as_chunks::<TOGETHER>().0);
        let whole = both.take_while(|(one, other)| one == other).count() * TOGETHER;
        let rest = left[whole..].iter().zip(&right[whole..]);
        whole + rest.take_while(|(one, other)| one == other).count()
    }
}

#[derive(Clone, Copy)]
/// Words before the seed, the nearest first. Distances count from the end of the slice.
struct Backward;

impl Direction for Backward {
    #[inline]
    fn word(self, words: &[u32], distance: usize) -> u32 {
        words[words.len() - 1 - distance]
    }

    #[inline]
    fn agreeing(self, side: SeedSide<'_>, left: usize, right: usize) -> usize {
        let left = &side.left[..side.left.len() - left];
        let right = &side.right[..side.right.len() - right];
        // As forward, with chunks counted from the end, so that both sides stay aligned to
        // the seed.
        let chunks = left.as_rchunks::<TOGETHER>().1.iter().rev();
        let both = chunks.zip(right.as_rchunks::<TOGETHER>().1.iter().rev());
        let whole = both.take_while(|(one, other)| one == other).count() * TOGETHER;
        let left = left[..left.len() - whole].iter().rev();
        let rest = left.zip(right[..right.len() - whole].iter().rev());
        whole + rest.take_while(|(one, other)| one == other).count()
    }
}

/// Follows words to one side of a seed, and returns how far the stretch reaches: to the place of
/// the highest score, which is after words in common or at the seed itself. Each turn passes at
/// least one word, so it ends with the texts at the latest.
fn walk<D: Direction>(side: SeedSide<'_>, reach: Reach, direction: D) -> Walk {
    // The score may fall below its best by as much as one gap of the greatest length costs. A
    // longer loss means that the texts have gone apart, and the words after it are another
    // stretch.
    let lowest = -(reach.max_gap as i64) * SKIP;
    let mut at = Walk::default();
    let mut best = at;
    let (mut score, mut best_score) = (0i64, 0i64);
    loop {
        let agreeing = direction.agreeing(side, at.left, at.right);
        at.left += agreeing;
        at.right += agreeing;
        at.matched += agreeing;
        score += agreeing as i64 * MATCH;
        // Only a higher score moves the end: of equal ones the shorter stretch is taken.
        if score > best_score {
            best_score = score;
            best = at;
        }
        let Some((skip_left, skip_right)) = next_agreement(side, at, reach, direction)
        else {
            return best;
        };
        // A word replaced by another is one edit, not two: the longer side counts.
        score -= skip_left.max(skip_right) as i64 * SKIP;
        if score - best_score < lowest {
            return best;
        }
        at.left += skip_left;
        at.right += skip_right;
    }
}

/// Words that must agree after a gap: after a longer one more, since more places are tried, and
/// more of a script without spaces.
fn needed(gap: usize, word: u32) -> usize {
    let needed = match gap {
        0..=3 => 2,
        4..=10 => 3,
        _ => 5,
    };
    if is_alone(word) { needed * 2 } else { needed }
}

/// How good a gap is: fewer words in all are better, then about as many on both sides, since a
/// replaced word is more likely than one inserted here and another one removed there.
fn rank(skip_left: usize, skip_right: usize) -> (usize, usize) {
    let sum = skip_left + skip_right;
    // `aside` differs for all splits of one sum: even on one side of the middle, odd on the
    // other. So no two gaps have the same rank, and `next_agreement` and `nearest` choose the
    // same one in whatever order they try them.
    let middle = sum / 2;
    let aside = if skip_left >= middle {
        2 * (skip_left - middle)
    } else {
        2 * (middle - skip_left) - 1
    };
    (sum, aside)
}

/// Whether the texts agree again after these words are passed over.
fn agrees<D: Direction>(
    side: SeedSide<'_>,
    at: Walk,
    (skip_left, skip_right): (usize, usize),
    reach: Reach,
    direction: D,
) -> bool {
    // The drift is bounded from the seed on, not from gap to gap: small insertions that always
    // fall on one side may not add up to stretches of very different lengths.
    let (left, right) = (at.left + skip_left, at.right + skip_right);
    if left >= side.left.len()
        || right >= side.right.len()
        || left.abs_diff(right) > reach.max_drift
    {
        return false;
    }
    let needed = needed(skip_left.max(skip_right), direction.word(side.left, left));
    side.left.len() - left >= needed
        && side.right.len() - right >= needed
        && (0..needed).all(|step| {
            direction.word(side.left, left + step)
                == direction.word(side.right, right + step)
        })
}

/// Longest gap for which places are held in a mask.
const MASKED: usize = 63;
/// Places on the right are looked up by so many different bits of a word. Words that share these
/// bits by chance cost a comparison in [`agrees`], no more.
const SLOTS: usize = 256;

/// The nearest place where the texts agree again: how many words are passed over on each side, by
/// [`rank`]; none when nothing within reach agrees. [`nearest`] is the slow twin.
fn next_agreement<D: Direction>(
    side: SeedSide<'_>,
    at: Walk,
    reach: Reach,
    direction: D,
) -> Option<(usize, usize)> {
    if reach.max_gap > MASKED {
        return nearest(side, at, reach, direction);
    }
    // Where each word is within reach on the right, a bit for each place.
    let mut places = [0u64; SLOTS];
    // Not the lowest bits: bit 0 marks scripts without spaces, and is the same for most words.
    let slot = |word: u32| (word >> 8) as usize % SLOTS;
    let right_rest = (side.right.len() - at.right).min(reach.max_gap + 1);
    // At most 64 places, `MASKED + 1`: one bit each.
    for skip in 0..right_rest {
        places[slot(direction.word(side.right, at.right + skip))] |= 1 << skip;
    }
    let left_rest = (side.left.len() - at.left).min(reach.max_gap + 1);
    let mut best: Option<((usize, usize), (usize, usize))> = None;
    for skip_left in 0..left_rest {
        // All gaps from here on pass over more words than the best one. With an equal sum
        // one may still be nearer to the middle, so the comparison is strict.
        if best.is_some_and(|((sum, _), _)| sum < skip_left) {
            break;
        }
        let mut found = places[slot(direction.word(side.left, at.left + skip_left))];
        while found != 0 {
            // From the lowest bit up: the shortest gaps on the right first.
            let skip_right = found.trailing_zeros() as usize;
            found &= found - 1;
            let rank = rank(skip_left, skip_right);
            let is_better = best.is_none_or(|(before, _)| rank < before);
            let skips = (skip_left, skip_right);
            // Rank 0 is the place itself, where the texts are known to differ. The rank
            // is tried before the words: it costs no memory access.
            if is_better && rank.0 > 0 && agrees(side, at, skips, reach, direction) {
                best = Some((rank, skips));
            }
        }
    }
    best.map(|(_, skips)| skips)
}

/// The same by trying all places: the square of `max_gap` of them. For gaps that do not fit a
/// mask, and the definition that tests compare with.
fn nearest<D: Direction>(
    side: SeedSide<'_>,
    at: Walk,
    reach: Reach,
    direction: D,
) -> Option<(usize, usize)> {
    let skips = 0..=reach.max_gap;
    let all = skips
        .clone()
        .flat_map(|left| skips.clone().map(move |right| (left, right)));
    let possible = all.filter(|&(left, right)| left + right > 0);
    let agreeing = possible.filter(|&skips| agrees(side, at, skips, reach, direction));
    agreeing.min_by_key(|&(left, right)| rank(left, right))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn words(text: &str) -> Vec<u32> {
        let word = |word: &str| (crate::hash::word(word.as_bytes()) >> 32) as u32 & !1;
        text.split_whitespace().map(word).collect()
    }

    fn around(left: &str, right: &str, left_at: usize, right_at: usize) -> Fragment {
        let (left, right) = (words(left), words(right));
        extend(&left, &right, left_at, right_at, Reach::default())
    }

    #[test]
    fn equal_words_are_followed_to_both_ends() {
        let found = around("x a b c d y", "z z a b c d", 2, 3);
        assert_eq!((found.left, found.right), (1..5, 2..6));
        assert_eq!(found.matched, 4);
    }

    #[test]
    fn words_replaced_put_in_and_left_out_are_passed_over() {
        let left = "p q a b c d e f g h i j k l m n r s";
        let right = "u v w a b c X e f g Y Y h i j l m n t";
        let found = around(left, right, 2, 3);
        assert_eq!((found.left, found.right), (2..16, 3..18));
        assert_eq!(found.matched, 12);
        // Also from the other end.
        assert_eq!(around(left, right, 15, 17), around(left, right, 2, 3));
    }

    #[test]
    fn an_inserted_sentence_is_passed_over() {
        let before: String = (0..15).map(|number| format!("a{number} ")).collect();
        let after: String = (0..15).map(|number| format!("b{number} ")).collect();
        let put_in: String = (0..20).map(|number| format!("c{number} ")).collect();
        let left = format!("{before}{after}");
        let right = format!("{before}{put_in}{after}");
        let found = around(&left, &right, 3, 3);
        assert_eq!((found.left, found.right), (0..30, 0..50));
        assert_eq!(found.matched, 30);
    }

    #[test]
    fn a_stretch_ends_with_words_in_common_and_not_with_chance() {
        // "of the" far from the rest is not worth the words between.
        let left = "a b c d e f g h i x1 x2 x3 x4 x5 x6 x7 of the y1 y2 y3";
        let right = "a b c d e f g h i z1 z2 z3 z4 z5 z6 z7 of the w1 w2 w3";
        assert_eq!(around(left, right, 0, 0).left, 0..9);
    }

    proptest! {
        #[test]
        fn the_nearest_agreement_is_the_best_of_all(
            left in prop::collection::vec(0u32..9, 0..50),
            right in prop::collection::vec(0u32..9, 0..50),
            max_gap in 0usize..40,
            max_drift in 0usize..30,
        ) {
            let spread = |words: &[u32]| -> Vec<u32> {
                words.iter().map(|&word| (word << 9) | (word & 1)).collect()
            };
            let (left, right) = (spread(&left), spread(&right));
            let side = SeedSide { left: &left, right: &right };
            let reach = Reach { max_gap, max_drift };
            let at = Walk::default();
            prop_assert_eq!(
                next_agreement(side, at, reach, Forward),
                nearest(side, at, reach, Forward)
            );
            prop_assert_eq!(
                next_agreement(side, at, reach, Backward),
                nearest(side, at, reach, Backward)
            );
        }

        #[test]
        fn a_stretch_lies_within_both_and_its_ends_agree(
            left in prop::collection::vec(0u32..6, 1..60),
            mut right in prop::collection::vec(0u32..6, 1..60),
            left_at in any::<prop::sample::Index>(),
            right_at in any::<prop::sample::Index>(),
            max_gap in 0usize..12,
            max_drift in 0usize..9,
        ) {
            let (at, other) = (left_at.index(left.len()), right_at.index(right.len()));
            right[other] = left[at];
            let found = extend(&left, &right, at, other, Reach { max_gap, max_drift });
            prop_assert!(found.covers(at, other));
            prop_assert!(found.left.end <= left.len() && found.right.end <= right.len());
            prop_assert_eq!(left[found.left.start], right[found.right.start]);
            prop_assert_eq!(left[found.left.end - 1], right[found.right.end - 1]);
            prop_assert!(found.matched <= found.left.len().min(found.right.len()));
            if max_gap == 0 {
                prop_assert_eq!(&left[found.left.clone()], &right[found.right.clone()]);
            }
        }
    }
}
