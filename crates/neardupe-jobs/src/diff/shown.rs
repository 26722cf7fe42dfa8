//! Characters that are replaced before they are shown: a text must not be able to steer a
//! terminal, or to turn the direction of the text around it.
//!
//! Control characters could move the cursor or change the title of a window, and marks of
//! direction could show text in another order than it is compared in.

/// Whether a character does something instead of being seen.
pub fn is_active(ch: char) -> bool {
    (ch.is_control() && !matches!(ch, '\n' | '\t'))
        || matches!(ch, '\u{200e}' | '\u{200f}' | '\u{061c}' | '\u{feff}')
        || matches!(ch, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// What is shown instead of a character.
pub(super) fn shown(ch: char) -> char {
    match ch {
        '\r' => ' ',
        '\u{7f}' => '\u{2421}',
        '\0'..='\u{1f}' if is_active(ch) => {
            char::from_u32(0x2400 + u32::from(ch)).unwrap_or('\u{fffd}')
        }
        _ if is_active(ch) => '\u{fffd}',
        _ => ch,
    }
}

/// A text on one line with nothing in it that steers a terminal.
pub fn clean(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    words.chars().map(shown).collect()
}
