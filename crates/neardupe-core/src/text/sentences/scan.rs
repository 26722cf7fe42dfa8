//! Finding bytes, eight at a time. Every text passes both loops; ASCII prose has few of the bytes that
//! they look for, so most turns are one load and a few operations on whole words.

/// 0x01 in each byte.
const ONES: u64 = u64::MAX / 255;
/// 0x80 in each byte: the bit that no ASCII byte has.
const HIGH: u64 = ONES << 7;

/// The high bit of some byte is set where `word` has `byte`; never before the first such place.
#[inline]
fn equal(word: u64, byte: u8) -> u64 {
    let zero = word ^ (ONES * u64::from(byte));
    // The classic test for a zero byte. A borrow may mark a byte of 1 right above a zero byte: a
    // false mark is always above a true one, and only the lowest is used.
    zero.wrapping_sub(ONES) & !zero & HIGH
}

/// The end of the line that begins at `from`, after its newline, and whether it is ASCII (it may
/// be said not to be when what follows is not).
#[inline]
pub(super) fn line(bytes: &[u8], from: usize) -> (usize, bool) {
    let mut at = from;
    let mut seen = 0;
    while let Some(eight) = bytes.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
        let word = u64::from_le_bytes(*eight);
        // All high bits of the line in one word; also of the bytes after its newline, in the last
        // turn.
        seen |= word;
        // Little endian: the lowest byte is the first, so trailing zeros count bytes from the left.
        let found = equal(word, b'\n');
        if found != 0 {
            let end = at + found.trailing_zeros() as usize / 8 + 1;
            return (end, seen & HIGH == 0);
        }
        at += 8;
    }
    let rest = bytes.get(at..).unwrap_or_default();
    let newline = rest.iter().position(|&byte| byte == b'\n');
    let end = newline.map_or(bytes.len(), |ahead| at + ahead + 1);
    (end, seen & HIGH == 0 && rest.is_ascii())
}

/// The next full stop, exclamation mark, question mark or byte that is not ASCII; none when the
/// rest of the text has none of them.
#[inline]
pub(super) fn stop_or_high(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    while let Some(eight) = bytes.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
        let word = u64::from_le_bytes(*eight);
        let stops = equal(word, b'.') | equal(word, b'!') | equal(word, b'?');
        // Bits of any of the four: the lowest is right, since each of them is exact up to its
        // first.
        let found = stops | (word & HIGH);
        if found != 0 {
            return Some(at + found.trailing_zeros() as usize / 8);
        }
        at += 8;
    }
    let is_it = |byte: &u8| matches!(byte, b'.' | b'!' | b'?') || !byte.is_ascii();
    let ahead = bytes.get(at..)?.iter().position(is_it)?;
    Some(at + ahead)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn found_is_what_comes_first(
            bytes in proptest::collection::vec(prop_oneof![
                Just(b'\n'), Just(b'.'), Just(b'!'), Just(b'/'), Just(b'-'), Just(b'\x0b'), Just(0x80u8),
                Just(0x8au8), Just(b'a'), Just(b'a'), Just(b'a'), Just(b'a'), any::<u8>(),
            ], 0..60),
            from in 0usize..70,
        ) {
            let slow = |is_it: fn(u8) -> bool| {
                (from..bytes.len()).find(|&at| is_it(bytes[at]))
            };
            let newline = slow(|byte| byte == b'\n').map(|at| at + 1);
            let (end, is_ascii) = line(&bytes, from);
            prop_assert_eq!(end, newline.unwrap_or(bytes.len()));
            if is_ascii && from <= end {
                prop_assert!(bytes[from..end].is_ascii());
            }
            prop_assert!(is_ascii || !bytes[from.min(end)..].is_ascii());
            let stop = |byte: u8| !byte.is_ascii() || b".!?".contains(&byte);
            prop_assert_eq!(stop_or_high(&bytes, from), slow(stop));
        }
    }
}
