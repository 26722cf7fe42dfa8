//! Which of 64 bytes belong to ASCII words, as a bit mask. The words of a text
//! ([`words`](super::words())) and the weights of long sentences are found by these masks. The
//! plain form is the definition, and what machines without SSE2 use.

/// Bytes looked at in one step.
pub(super) const BLOCK: usize = 64;

/// Bit `i` of the first mask: byte `i` is an ASCII letter or digit; of the second: byte `i`
/// is not ASCII.
#[cfg(target_arch = "x86_64")]
#[inline]
#[expect(
    unsafe_code,
    reason = "a compare and a movemask do 16 bytes at once; measured"
)]
pub(super) fn masks(block: &[u8; BLOCK]) -> (u64, u64) {
    // SAFETY: the function needs SSE2 only, which is part of every x86-64.
    unsafe { sse2_masks(block) }
}

#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "sse2")]
fn sse2_masks(block: &[u8; BLOCK]) -> (u64, u64) {
    use std::arch::x86_64::{
        _mm_cmpeq_epi8, _mm_min_epu8, _mm_movemask_epi8, _mm_or_si128, _mm_set_epi64x,
        _mm_set1_epi8, _mm_sub_epi8,
    };
    let (mut alnum, mut high) = (0u64, 0u64);
    for part in 0..4 {
        let eight = |at: usize| {
            let mut bytes = [0; 8];
            bytes.copy_from_slice(&block[at..at + 8]);
            i64::from_le_bytes(bytes)
        };
        // Sixteen bytes, the first one lowest, as bits of `movemask` are. Made of two numbers,
        // since a load would take a raw pointer; the compiler can make one load of it.
        let bytes = _mm_set_epi64x(eight(part * 16 + 8), eight(part * 16));
        // A range test without a signed comparison: subtract the first of the range, and whatever
        // is not above the last is in it (`min(x, last) == x`, unsigned; what was below the first
        // wraps around to large values).
        let lower = _mm_or_si128(bytes, _mm_set1_epi8(0x20));
        let letter = _mm_sub_epi8(lower, _mm_set1_epi8(0x61));
        let letters = _mm_cmpeq_epi8(_mm_min_epu8(letter, _mm_set1_epi8(25)), letter);
        let digit = _mm_sub_epi8(bytes, _mm_set1_epi8(0x30));
        let digits = _mm_cmpeq_epi8(_mm_min_epu8(digit, _mm_set1_epi8(9)), digit);
        // Bytes from 0x80 on are in neither range: with 0x20 set they are 0xa0 or more.
        let both = _mm_movemask_epi8(_mm_or_si128(letters, digits)).cast_unsigned();
        alnum |= u64::from(both) << (part * 16);
        high |= u64::from(_mm_movemask_epi8(bytes).cast_unsigned()) << (part * 16);
    }
    (alnum, high)
}

/// The same for other machines.
#[cfg(not(target_arch = "x86_64"))]
#[inline]
pub(super) fn masks(block: &[u8; BLOCK]) -> (u64, u64) {
    plain_masks(block)
}

/// The slow twin.
#[cfg(any(test, not(target_arch = "x86_64")))]
fn plain_masks(block: &[u8; BLOCK]) -> (u64, u64) {
    let (mut alnum, mut high) = (0u64, 0u64);
    for (at, byte) in block.iter().enumerate() {
        alnum |= u64::from(byte.is_ascii_alphanumeric()) << at;
        high |= u64::from(!byte.is_ascii()) << at;
    }
    (alnum, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_at_every_place_has_the_right_bits() {
        for byte in 0..=255u8 {
            for place in 0..BLOCK {
                let mut block = [b' '; BLOCK];
                block[place] = byte;
                block[(place + 17) % BLOCK] = byte.wrapping_add(101);
                assert_eq!(masks(&block), plain_masks(&block));
            }
        }
    }
}
