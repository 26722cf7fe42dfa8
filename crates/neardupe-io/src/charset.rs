//! From bytes to text: the character set is decided by the byte order mark, then by whoever
//! sent the text, then by its own declaration, then by its bytes.
//!
//! Nothing fails here: bytes without a meaning become U+FFFD, and the caller learns about it. The
//! decision is made per text and not per file, since one archive holds pages of any character set.
//! It costs one look at the bytes for text in UTF-8, which is most of it.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};

/// Bytes in which a declaration is looked for, as browsers do.
const DECLARATION_BYTES: usize = 1024;
/// Bytes that are enough to detect a character set.
const DETECTION_BYTES: usize = 1 << 14;

/// What is known of a text's character set before its bytes are looked at.
#[derive(Debug, Clone, Copy, Default)]
pub struct Hints {
    /// Asked for by the user: nothing else counts.
    pub forced: Option<&'static Encoding>,
    /// Declared by whoever sent the text, as in an HTTP header.
    pub sent: Option<&'static Encoding>,
    /// Whether the text can declare its own, as HTML and XML do.
    pub declares: bool,
}

/// How bytes became text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decoded {
    /// The character set they were read in.
    pub encoding: &'static Encoding,
    /// Whether bytes that mean nothing in it became U+FFFD.
    pub replaced: bool,
}

/// Appends the text of `bytes` to `out`.
pub fn decode(bytes: &[u8], hints: Hints, out: &mut String) -> Decoded {
    let (encoding, bom) = choose(bytes, hints);
    let bytes = &bytes[bom..];
    // A copy is made only where bytes change; valid UTF-8 is appended as it is.
    let (text, replaced) = encoding.decode_without_bom_handling(bytes);
    out.push_str(&text);
    Decoded { encoding, replaced }
}

/// The character set of a name, as the web understands it.
pub fn by_label(label: &str) -> Option<&'static Encoding> {
    Encoding::for_label(label.trim().trim_matches(['"', '\'']).as_bytes())
}

/// The character set named in a content type such as `text/html; charset=gbk`.
pub fn by_content_type(content_type: &str) -> Option<&'static Encoding> {
    let lower = content_type.to_ascii_lowercase();
    let (_, after) = lower.split_once("charset")?;
    let name = after.trim_start().strip_prefix('=')?;
    by_label(name.split([';', ',']).next().unwrap_or_default())
}

/// Whether bytes are no text in any character set we know of.
pub fn is_binary(bytes: &[u8]) -> bool {
    memchr::memchr(0, bytes).is_some()
        && Encoding::for_bom(bytes).is_none()
        && utf16_without_bom(bytes).is_none()
}

/// The character set and the length of the byte order mark.
fn choose(bytes: &[u8], hints: Hints) -> (&'static Encoding, usize) {
    let bom = Encoding::for_bom(bytes);
    if let Some(forced) = hints.forced {
        // The user's choice counts even against a mark of another character set, whose bytes
        // then become characters.
        let own = bom.filter(|(encoding, _)| *encoding == forced);
        return (forced, own.map_or(0, |(_, len)| len));
    }
    // A byte order mark outranks the sender, as in the Encoding standard: senders configure one character
    // set for all their files, while the mark was written with this one.
    if let Some((encoding, len)) = bom {
        return (encoding, len);
    }
    let declared_first = || {
        hints
            .sent
            .or_else(|| hints.declares.then(|| declared(bytes))?)
    };
    (declared_first().unwrap_or_else(|| detected(bytes)), 0)
}

/// The character set by the bytes alone.
fn detected(bytes: &[u8]) -> &'static Encoding {
    // Before UTF-8: ASCII text in UTF-16 is valid UTF-8 with zeros in it.
    if let Some(encoding) = utf16_without_bom(bytes) {
        return encoding;
    }
    if is_mostly_utf8(bytes) {
        return UTF_8;
    }
    let sample = &bytes[..bytes.len().min(DETECTION_BYTES)];
    // A long text may be plain ASCII where the sample is: a page can have a thousand lines of
    // markup before its text.
    let sample = if sample.is_ascii() {
        let from = bytes.iter().position(|byte| !byte.is_ascii()).unwrap_or(0);
        &bytes[from..bytes.len().min(from + DETECTION_BYTES)]
    } else {
        sample
    };
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(sample, sample.len() == bytes.len());
    detector.guess(None, Utf8Detection::Allow)
}

/// UTF-8, but for a few bytes: a text cut inside a character, or one that quotes another
/// in another character set. Bytes of other character sets are hardly ever valid UTF-8.
fn is_mostly_utf8(bytes: &[u8]) -> bool {
    if std::str::from_utf8(bytes).is_ok() {
        return true;
    }
    let (mut wide, mut broken) = (0usize, 0usize);
    for chunk in bytes.utf8_chunks() {
        let valid = chunk.valid().as_bytes();
        // The first byte of each character of two or more.
        wide += valid.iter().filter(|&&byte| byte >= 0xc0).count();
        broken += usize::from(!chunk.invalid().is_empty());
    }
    // A guess: text in another character set has few sequences that are valid UTF-8 by chance.
    wide > 2 * broken
}

/// UTF-16 without a byte order mark: Latin letters, spaces and line feeds leave zeros in
/// every other byte, and nowhere else.
fn utf16_without_bom(bytes: &[u8]) -> Option<&'static Encoding> {
    let sample = &bytes[..bytes.len().min(DETECTION_BYTES) & !1];
    // Almost all texts end here: without a zero byte it is no UTF-16.
    memchr::memchr(0, sample)?;
    let zeros = |parity: usize| {
        let half = sample.iter().skip(parity).step_by(2);
        half.filter(|&&byte| byte == 0).count()
    };
    // The high byte of a Latin letter is zero: it comes second in little-endian order.
    let (even, odd) = (zeros(0), zeros(1));
    let encoding = match (even, odd) {
        (0, _) => UTF_16LE,
        (_, 0) => UTF_16BE,
        (even, odd) if even * 16 < odd => UTF_16LE,
        (even, odd) if odd * 16 < even => UTF_16BE,
        _ => return None,
    };
    let (text, replaced) = encoding.decode_without_bom_handling(sample);
    let odd_ones = |ch: &char| ch.is_control() && !matches!(ch, '\t' | '\n' | '\r');
    let strange = text.chars().filter(odd_ones).count();
    // Binary data of small numbers has zeros like this too, and control characters.
    (!replaced && strange * 64 < sample.len()).then_some(encoding)
}

/// What HTML or XML says of itself.
fn declared(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = &bytes[..bytes.len().min(DECLARATION_BYTES)];
    let lower = head.to_ascii_lowercase();
    let found = xml_declaration(&lower).or_else(|| meta(&lower))?;
    // A text whose ASCII bytes could be read is in neither of these (HTML 13.2.3.2).
    match found {
        found if found == UTF_16LE || found == UTF_16BE => Some(UTF_8),
        found if found == X_USER_DEFINED => Some(WINDOWS_1252),
        found => Some(found),
    }
}

/// The character set of an XML declaration, which must stand first.
fn xml_declaration(lower: &[u8]) -> Option<&'static Encoding> {
    let start = lower.trim_ascii_start();
    if !start.starts_with(b"<?xml") {
        return None;
    }
    let end = memchr::memchr(b'>', start)?;
    named(&start[..end], b"encoding")
}

/// The character set of a `<meta>` tag, looked for as a browser does before it parses: comments
/// are passed over, and the first usable name counts.
fn meta(lower: &[u8]) -> Option<&'static Encoding> {
    let mut rest = lower;
    while let Some(at) = memchr::memchr(b'<', rest) {
        rest = &rest[at..];
        if rest.starts_with(b"<!--") {
            // From the second hyphen on: `<!-->` is a complete comment.
            let end = memchr::memmem::find(&rest[2..], b"-->")?;
            rest = &rest[2 + end + 3..];
            continue;
        }
        // Quotes are not followed: within the first kilobyte a `>` in an attribute is rare.
        let end = memchr::memchr(b'>', rest).unwrap_or(rest.len());
        let (tag, after) = rest.split_at(end);
        let is_meta = tag.strip_prefix(b"<meta").is_some_and(|attributes| {
            attributes
                .first()
                .is_some_and(|&byte| byte == b'/' || byte.is_ascii_whitespace())
        });
        if is_meta && let Some(encoding) = named(tag, b"charset") {
            return Some(encoding);
        }
        rest = after.get(1..).unwrap_or_default();
    }
    None
}

/// The character set after `key =` within a tag.
fn named(tag: &[u8], key: &[u8]) -> Option<&'static Encoding> {
    for at in memchr::memmem::find_iter(tag, key) {
        let after = tag[at + key.len()..].trim_ascii_start();
        let Some(value) = after.strip_prefix(b"=") else {
            continue;
        };
        let value = value.trim_ascii_start();
        let value = value
            .strip_prefix(b"\"")
            .or(value.strip_prefix(b"'"))
            .unwrap_or(value);
        let ends = |byte: &u8| byte.is_ascii_whitespace() || b"\"';/?>".contains(byte);
        let end = value.iter().position(ends).unwrap_or(value.len());
        // A name that no standard knows is passed over; another one may follow in the same
        // tag.
        if let Some(encoding) = Encoding::for_label(&value[..end]) {
            return Some(encoding);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use encoding_rs::{BIG5, GBK, ISO_8859_2, SHIFT_JIS, WINDOWS_1251};

    const HTML: Hints = Hints {
        forced: None,
        sent: None,
        declares: true,
    };

    fn decoded(bytes: &[u8], hints: Hints) -> (String, &'static str, bool) {
        let mut out = String::new();
        let decoded = decode(bytes, hints, &mut out);
        (out, decoded.encoding.name(), decoded.replaced)
    }

    #[test]
    fn the_order_is_mark_sender_declaration_bytes() {
        let page = "<html><meta charset=windows-1251><p>\u{436}";
        let bytes = WINDOWS_1251.encode(page).0;
        assert_eq!(decoded(&bytes, HTML).0, page);
        let sent = Hints {
            sent: Some(ISO_8859_2),
            ..HTML
        };
        assert_eq!(decoded(&bytes, sent).1, "ISO-8859-2");
        let marked = [b"\xef\xbb\xbf", page.as_bytes()].concat();
        assert_eq!(decoded(&marked, sent), (page.to_owned(), "UTF-8", false));
        let forced = Hints {
            forced: Some(GBK),
            ..sent
        };
        assert_eq!(decoded(&marked, forced).1, "GBK");
        assert_eq!(decoded("naïve".as_bytes(), Hints::default()).1, "UTF-8");
    }

    #[test]
    fn declarations_are_found_in_all_their_forms() {
        for (page, expected) in [
            (
                "<meta http-equiv='Content-Type' content='text/html; charset=Big5'>",
                BIG5,
            ),
            (
                "<?xml version=\"1.0\" encoding='Shift_JIS'?><html>",
                SHIFT_JIS,
            ),
            (
                "<!-- <meta charset=big5> --><META\nCHARSET = \"gb2312\" />",
                GBK,
            ),
            ("<meta charset=utf-16><meta charset=gbk>", UTF_8),
            ("<meta name=charset><meta charset=gbk>", GBK),
            ("<metacharset=big5><meta/charset=gbk>", GBK),
        ] {
            let mut bytes = page.as_bytes().to_vec();
            bytes.extend_from_slice(&[b' '; 2000]);
            assert_eq!(declared(&bytes), Some(expected), "{page}");
        }
        assert_eq!(
            declared(b"<meta charset=nonsense><!-- <meta charset=gbk>"),
            None
        );
        assert_eq!(by_content_type("text/html; Charset=\"GB2312\""), Some(GBK));
        assert_eq!(by_content_type("text/html"), None);
    }

    #[test]
    fn bytes_alone_tell_the_common_character_sets() {
        let chinese =
            "中华人民共和国公民在法律面前一律平等,国家尊重和保障人权。".repeat(4);
        assert_eq!(
            decoded(&GBK.encode(&chinese).0, Hints::default()).0,
            chinese
        );
        let late = format!("{}{chinese}", "x ".repeat(DETECTION_BYTES));
        assert_eq!(decoded(&GBK.encode(&late).0, Hints::default()).0, late);
        let french = "L’été, la forêt était très éloignée de là où nous étions déjà.";
        let bytes = WINDOWS_1252.encode(french).0;
        assert_eq!(decoded(&bytes, Hints::default()).0, french);
    }

    #[test]
    fn a_few_broken_bytes_do_not_make_another_character_set() {
        let text = "naïve café, crème brûlée".as_bytes();
        let cut = [text, &[0xc3]].concat();
        let (decoded, name, replaced) = decoded(&cut, Hints::default());
        assert_eq!((name, replaced), ("UTF-8", true));
        assert_eq!(decoded, "naïve café, crème brûlée\u{fffd}");
    }

    #[test]
    fn utf16_is_known_without_a_mark_and_binary_data_is_not_text() {
        let text = "Hello, world\nпривет 中文\n";
        let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        for bytes in [little, big] {
            assert!(!is_binary(&bytes));
            assert_eq!(decoded(&bytes, Hints::default()).0, text);
        }
        let numbers: Vec<u8> = (0u32..400).flat_map(u32::to_le_bytes).collect();
        assert!(is_binary(&numbers));
        assert!(is_binary(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"));
    }

    #[test]
    fn what_means_nothing_is_replaced_and_said() {
        let hints = Hints {
            sent: Some(UTF_8),
            ..Hints::default()
        };
        let (text, _, replaced) = decoded(b"caf\xe9 caf\xc3\xa9", hints);
        assert_eq!((text.as_str(), replaced), ("caf\u{fffd} café", true));
    }
}
