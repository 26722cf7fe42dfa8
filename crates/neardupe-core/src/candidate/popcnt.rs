//! Counting bits with the instruction for it, where the processor has one.
//!
//! The oldest x86-64 processors have none, so a program that runs on all of them counts the
//! bits of a word in a dozen steps. The loops that count bits for every posting ask once for
//! each list instead, and run in a version of their own.

/// Work that counts bits. A closure is some; where it is large the compiler may leave it a function of its own, which
/// is then compiled without the instruction. A type with `run` always inlined is sure to have it.
pub(crate) trait CountsBits {
    /// What comes of it.
    type Output;

    /// Does it.
    fn run(self) -> Self::Output;
}

impl<R, F: FnOnce() -> R> CountsBits for F {
    type Output = R;

    #[inline(always)]
    fn run(self) -> R {
        self()
    }
}

/// Runs `work`, compiled for processors that count the bits of a word in one step, if this is one.
///
/// The body of `work` and what it calls must be inlined to profit: a call that stays a call runs as it
/// was compiled. What it gives is the same.
#[inline(always)]
pub(crate) fn counting_bits<W: CountsBits>(work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "popcnt,sse4.2")]
        fn with_popcnt<W: CountsBits>(work: W) -> W::Output {
            work.run()
        }
        if std::is_x86_feature_detected!("popcnt")
            && std::is_x86_feature_detected!("sse4.2")
        {
            #[expect(unsafe_code, reason = "the instruction has to be asked for first")]
            // SAFETY: the processor has been asked.
            return unsafe { with_popcnt(work) };
        }
    }
    work.run()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn bits_are_counted_as_by_hand(words in prop::collection::vec(any::<u64>(), 0..20)) {
            let by_hand: u32 = words
                .iter()
                .flat_map(|word| (0..64).map(move |bit| u32::from(word >> bit & 1 == 1)))
                .sum();
            let counted: u32 = counting_bits(|| words.iter().map(|word| word.count_ones()).sum());
            prop_assert_eq!(counted, by_hand);
        }
    }
}
