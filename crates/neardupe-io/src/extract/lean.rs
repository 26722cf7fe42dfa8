//! A page without what nobody reads, for the tree builder.
//!
//! Scripts and styles are most of many pages, and the tree builder reads some of them at
//! a few MB a second. It also compares the attributes of a tag at the end of the page that
//! never ends, which the guard does not see, as it is no tag.

use super::scan::{Scanner, Token};
use super::tag::Inside;

/// The page with a space instead of each element whose raw text is dropped.
pub(super) fn without_dropped(html: &str) -> String {
    // Positions are in the page: everything between two dropped elements is copied at once.
    let mut scanner = Scanner::new(html);
    let mut lean = String::new();
    let mut kept_from = 0;
    let mut place = 0;
    while let Some(token) = scanner.next_token() {
        if let Token::Start(start) = token
            && !start.foreign
            && matches!(start.tag.inside, Inside::Script | Inside::Dropped)
        {
            lean.push_str(&html[kept_from..place]);
            lean.push(' ');
            // The text is passed over: what follows is the end tag, or nothing.
            scanner.next_token();
            kept_from = scanner.place();
        }
        place = scanner.place();
    }
    // After the last token only comments are left, and a tag that never ends.
    lean.push_str(&html[kept_from..place]);
    lean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raw_text_that_is_dropped_goes_with_its_tags() {
        let html = "a<script>b</script>c<style x>d</style >e<p>f<xmp>g</xmp><noscript>h";
        assert_eq!(without_dropped(html), "a c e<p>f<xmp>g</xmp> ");
        assert_eq!(without_dropped("a<script></script><!--b-->"), "a ");
        assert_eq!(without_dropped("a<!--b-->c<d e f"), "a<!--b-->c");
        assert_eq!(
            without_dropped("a<svg><style>b</style>"),
            "a<svg><style>b</style>"
        );
        assert_eq!(without_dropped(""), "");
    }
}
