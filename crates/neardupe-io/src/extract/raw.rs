//! Where raw text ends: at the matching end tag, and nowhere else.
//!
//! Within these elements nothing is markup but the end tag, so a `<b>` in a script does not become
//! bold text, and an unclosed script takes the rest of the page, as in a browser.

use super::attribute::is_space;
use super::tag::{Key, key_of};
use memchr::{memchr, memchr2};

/// Length of the text before the end tag of this name, or of everything.
pub(super) fn length(html: &[u8], key: Key) -> usize {
    let mut at = 0;
    while let Some(bracket) = memchr(b'<', &html[at..]) {
        at += bracket;
        if html.get(at + 1) == Some(&b'/') && is_name(&html[at + 2..], key) {
            return at;
        }
        at += 1;
    }
    html.len()
}

/// The same for a script (WHATWG HTML 13.2.5.4 and 13.2.5.15 to 31). Old pages hide
/// scripts from older browsers in `<!--` and `-->`. Within, a script may write a script:
/// an end tag after a start tag does not end the script itself.
pub(super) fn script_length(html: &[u8]) -> usize {
    #[derive(PartialEq)]
    enum RawState {
        Plain,
        /// After `<!--`.
        Escaped,
        /// After `<!--` and `<script`.
        DoubleEscaped,
    }
    let mut state = RawState::Plain;
    let mut dashes_from = 0;
    let mut at = 0;
    loop {
        let rest = &html[at..];
        let found = match state {
            // `<` begins the end tag or another script, `>` may end the comment.
            RawState::Plain => memchr(b'<', rest),
            RawState::Escaped | RawState::DoubleEscaped => memchr2(b'<', b'>', rest),
        };
        let Some(found) = found else {
            return html.len();
        };
        at += found;
        let rest = &html[at..];
        if rest[0] == b'>' {
            // The dashes of `<!--` count: `<!-->` is closed at once.
            if at >= dashes_from + 2 && &html[at - 2..at] == b"--" {
                state = RawState::Plain;
            }
        } else if rest.get(1) == Some(&b'/') && is_name(&rest[2..], SCRIPT) {
            if state != RawState::DoubleEscaped {
                return at;
            }
            state = RawState::Escaped;
        } else if state == RawState::Plain && rest.starts_with(b"<!--") {
            state = RawState::Escaped;
            dashes_from = at + 2;
            // On past the dashes only: a bracket may follow at once.
            at += 3;
        } else if state == RawState::Escaped && is_name(&rest[1..], SCRIPT) {
            state = RawState::DoubleEscaped;
        }
        at += 1;
    }
}

/// The only element whose raw text has these rules.
const SCRIPT: Key = key_of("script");

/// Whether this name, in either case, stands at the start, and ends there.
fn is_name(html: &[u8], key: Key) -> bool {
    if !html.first().is_some_and(u8::is_ascii_alphabetic) {
        return false;
    }
    let mut read: Key = 0;
    for &byte in html {
        if is_space(byte) || byte == b'/' || byte == b'>' {
            return read == key;
        }
        // Longer names than the known one are given up at once, so a long word costs nothing.
        read = read << 8 | Key::from(byte.to_ascii_lowercase());
        if read > key {
            return false;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The part of the script before its end tag.
    fn script(html: &str) -> &str {
        &html[..script_length(html.as_bytes())]
    }

    #[test]
    fn a_script_ends_at_its_end_tag() {
        assert_eq!(script("a</script>b"), "a");
        assert_eq!(script("a</scripts></SCRIPT\n>b"), "a</scripts>");
        assert_eq!(script("a</script"), "a</script");
        assert_eq!(script("'<script>'</script>b"), "'<script>'");
    }

    #[test]
    fn scripts_in_comments_of_scripts_follow_the_standard() {
        assert_eq!(script("<!--a</script>b"), "<!--a");
        let text = "<!--a<script >b</script>c";
        assert_eq!(script("<!--a<script >b</script>c</script>d"), text);
        assert_eq!(script("<!--<script>--></script>x"), "<!--<script>-->");
        assert_eq!(script("<!--><script></script>x"), "<!--><script>");
        assert_eq!(script("<!---><script></script>x"), "<!---><script>");
        assert_eq!(script("<!-<script></script>x"), "<!-<script>");
        let open = "<!--<script></script><scripts>a";
        assert_eq!(script("<!--<script></script><scripts>a</script>"), open);
        let unclosed = "<!--<script></script>";
        assert_eq!(script(unclosed), unclosed);
    }
}
