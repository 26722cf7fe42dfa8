//! Distinguishes HTML from other text by its beginning.

/// The signatures of the MIME sniffing standard (WHATWG, section 7.1, "identifying a
/// resource with an unknown MIME type"). A space or `>` must follow.
const SIGNATURES: [&str; 16] = [
    "<!DOCTYPE HTML",
    "<HTML",
    "<HEAD",
    "<SCRIPT",
    "<IFRAME",
    "<H1",
    "<DIV",
    "<FONT",
    "<TABLE",
    "<A",
    "<STYLE",
    "<TITLE",
    "<B",
    "<BODY",
    "<BR",
    "<P",
];

/// Whether a text begins like an HTML document. Beyond the standard, a line feed or tab
/// may follow the name too, and an XML declaration may come first: XHTML has one.
pub fn looks_like_html(text: &str) -> bool {
    let text = text.trim_start_matches('\u{FEFF}');
    let text = skip_space(text);
    let text = match strip_declaration(text) {
        Some(rest) => skip_space(rest),
        None => text,
    };
    if text.starts_with("<!--") {
        // Comments stand before other XML too.
        return !looks_like_tei(text);
    }
    let bytes = text.as_bytes();
    SIGNATURES.iter().any(|signature| {
        let start = bytes.get(..signature.len());
        let matches =
            start.is_some_and(|start| start.eq_ignore_ascii_case(signature.as_bytes()));
        let follower = bytes.get(signature.len());
        matches && matches!(follower, Some(b' ' | b'>' | b'\n' | b'\r' | b'\t'))
    })
}

/// Whether a text begins like TEI: the XML of the Text Encoding Initiative, with a header before
/// the text.
pub fn looks_like_tei(text: &str) -> bool {
    let mut rest = skip_space(text.trim_start_matches('\u{FEFF}'));
    // Declarations, instructions and comments come before the first element.
    for (start, end) in [("<?", "?>"), ("<!--", "-->"), ("<!", ">")].repeat(4) {
        while rest.starts_with(start) {
            match rest.find(end) {
                Some(at) => rest = skip_space(&rest[at + end.len()..]),
                None => return false,
            }
        }
    }
    let Some(tag) = rest.strip_prefix('<') else {
        return false;
    };
    let name = tag.split([' ', '\t', '\n', '\r', '>']).next();
    let name = name.map(|name| name.strip_prefix("tei:").unwrap_or(name));
    matches!(name, Some("TEI" | "TEI.2" | "teiCorpus" | "teiCorpus.2"))
}

/// Text without HTML's white space at its start.
fn skip_space(text: &str) -> &str {
    text.trim_start_matches([' ', '\t', '\n', '\r', '\x0C'])
}

/// What follows `<?xml ... ?>`.
fn strip_declaration(text: &str) -> Option<&str> {
    let inside = text.strip_prefix("<?xml")?;
    // A declaration is short: the end of another document is not searched for.
    let end = inside.bytes().take(200).position(|byte| byte == b'>')?;
    Some(&inside[end + 1..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tei_is_told_by_its_first_element() {
        for tei in [
            "<TEI xmlns=\"http://www.tei-c.org/ns/1.0\">",
            "\u{FEFF}<?xml version=\"1.0\"?>\n<?xml-model href=\"a\"?>\n<!-- x -->\n<?b?><TEI\n>",
            "<?xml version=\"1.0\"?><!DOCTYPE TEI.2 SYSTEM \"tei.dtd\"><TEI.2>",
            "<tei:teiCorpus>",
        ] {
            assert!(looks_like_tei(tei), "{tei}");
            assert!(!looks_like_html(tei), "{tei}");
        }
        for other in [
            "", "TEI", "<TEIX>", "<!-- TEI", "<p>TEI", "<?xml?>", "<a><TEI>",
        ] {
            assert!(!looks_like_tei(other), "{other}");
        }
    }

    #[test]
    fn html_is_told_by_its_beginning() {
        for html in [
            "<!doctype html>",
            "\u{FEFF}\r\n <HTML lang=en>",
            "<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0\">",
            "<?xml version=\"1.0\"?>\n<!DOCTYPE html PUBLIC>",
            "<?xml version=\"1.0\"?><html\nxmlns=\"\">",
            "<!-- x",
            "<p>",
            "<a href=x>",
            "<br>",
        ] {
            assert!(looks_like_html(html), "{html}");
        }
        for other in [
            "",
            "<",
            "<p",
            "plain <p>",
            "<article>",
            "<abbr>",
            "<?xml version=\"1.0\"?><rss>",
            "<?xml never ends",
            "{\"a\": \"<p>\"}",
        ] {
            assert!(!looks_like_html(other), "{other}");
        }
    }
}
