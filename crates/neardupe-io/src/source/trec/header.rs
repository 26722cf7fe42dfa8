//! The elements at the start of a document that are about it and not of its text.
//!
//! Only elements at the very start count. An article may quote tags in its text, and a `<DATE>` far
//! below is that of something else. Ids are read here, before anything is decoded, because a
//! document without its id would be lost to the qrels.

use super::super::tagged::sgml::flat;
use memchr::{memchr, memchr_iter};

/// Their names.
const NAMES: [&str; 10] = [
    "docno",
    "docoldno",
    "docid",
    "doctype",
    "dochdr",
    "id",
    "url",
    "date",
    "date_time",
    "date1",
];

/// What stands before the text.
pub(super) struct TrecHeader<'a> {
    /// Names in lower case, and what the elements hold.
    pub(super) fields: Vec<(String, &'a [u8])>,
    /// What comes after them.
    pub(super) rest: &'a [u8],
}

impl<'a> TrecHeader<'a> {
    /// Takes the elements off the start of what stands between the tags of a document.
    pub(super) fn new(inner: &'a [u8]) -> Self {
        let mut fields = Vec::new();
        let mut rest = inner.trim_ascii_start();
        while let Some((name, content, after)) = leading(rest) {
            fields.push((name.to_owned(), content));
            rest = after.trim_ascii_start();
        }
        TrecHeader { fields, rest }
    }

    /// What the first element of a name holds, without tags and spaces around it. `None`
    /// when that is nothing.
    pub(super) fn get(&self, name: &str) -> Option<String> {
        let content = self.raw(name)?;
        let value = flat(&String::from_utf8_lossy(content));
        Some(value).filter(|value| !value.is_empty())
    }

    /// What a web server sent before the page.
    pub(super) fn dochdr(&self) -> Option<&'a [u8]> {
        self.raw("dochdr")
    }

    /// The bytes of the first element of this name, which is in lower case.
    fn raw(&self, name: &str) -> Option<&'a [u8]> {
        let field = self.fields.iter().find(|(own, _)| own == name);
        field.map(|&(_, content)| content)
    }
}

/// The element that the bytes begin with, if it is of a header: its name, what it holds
/// and what comes after it.
fn leading(bytes: &[u8]) -> Option<(&'static str, &[u8], &[u8])> {
    let tag = bytes.strip_prefix(b"<")?;
    // The name must end there: `<DOCNO2>` is another element.
    let is_named = |tag: &[u8], name: &str| {
        let own = tag.get(..name.len());
        own.is_some_and(|own| own.eq_ignore_ascii_case(name.as_bytes()))
            && tag
                .get(name.len())
                .is_some_and(|next| *next == b'>' || next.is_ascii_whitespace())
    };
    let name = NAMES.into_iter().find(|name| is_named(tag, name))?;
    let content = &tag[memchr(b'>', tag)? + 1..];
    let closing = memchr_iter(b'<', content).find(|&at| {
        let after = content[at + 1..].strip_prefix(b"/");
        after.is_some_and(|after| is_named(after, name))
    })?;
    let (content, after) = content.split_at(closing);
    let end = memchr(b'>', after)?;
    Some((name, content, &after[end + 1..]))
}
