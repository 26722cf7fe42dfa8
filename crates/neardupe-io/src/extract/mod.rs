//! HTML to text: the full text of a page, or its main content.
//!
//! Extraction never fails. It gives text, the regions and links that were asked for, and
//! a remark when the main content could not be found and the full text was taken.
//!
//! The rules of the text:
//!
//! - Scripts, styles, templates, `iframe`, `noscript`, `noembed`, `noframes`, comments and
//!   declarations are left out. The title is text and usually comes first.
//! - Every tag separates words: links and spans that the layout sets apart are far more
//!   common than tags inside a word. Tags of blocks put a line feed, others a space;
//!   `<wbr>`, soft hyphens and comments put nothing.
//! - White space collapses, also in `pre`. Lines have none at their ends, and there are
//!   no empty lines.
//! - Entities are decoded as browsers do, names without semicolon included.
//!
//! The scanner is our own for its speed. In MB a second of processor time, one run on a
//! machine with 2 cores that others used too; lol_html 3.0 only copies text as written
//! and sees the start tags. Made by `cargo bench -p neardupe-twins --bench html_speed`:
//!
//! | pages | full text | with regions, links | lol_html | main content |
//! |---|--:|--:|--:|--:|
//! | html-articles | 986 | 1126 | 441 | 67 |
//! | postgresql-docs-html | 421 | 372 | 125 | 14 |
//! | long text | 2576 | 2579 | 1287 | 88 |
//! | the same, an entity in each sentence | 445 | 479 | 766 | 38 |
//! | tag soup | 150 | 79 | 30 | 94, refused |
//!
//! Runs differ by a third: trust the ratios, and gaps under 20 % not at all. lol_html
//! leaves entities as they are, which is why it wins where there are many.

mod attribute;
mod boilerplate;
mod foreign;
mod full;
mod guard;
mod lean;
mod main_content;
mod raw;
mod region;
mod scan;
mod sniff;
mod tag;
mod text;

pub use sniff::{looks_like_html, looks_like_tei};

use neardupe_core::document::{Link, Region};
use neardupe_core::error::{Error, Result};
use neardupe_core::hash;
use std::str::FromStr;

/// Which part of a page is its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Content {
    /// Everything a reader sees.
    #[default]
    Full,
    /// The article without menus, adverts and footers.
    Main,
}

impl Content {
    /// The name used in flags and outputs.
    pub fn name(self) -> &'static str {
        match self {
            Content::Full => "full",
            Content::Main => "main",
        }
    }
}

impl FromStr for Content {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "full" => Ok(Content::Full),
            "main" => Ok(Content::Main),
            _ => Err(Error::config(
                "content",
                format!("{text} is not one of full, main"),
            )),
        }
    }
}

/// What is wanted of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HtmlOptions {
    /// Which part is the text.
    pub content: Content,
    /// Whether titles, headings and emphasis are located.
    pub keep_regions: bool,
    /// Whether links are located.
    pub keep_links: bool,
    /// Nesting up to which the main content is looked for. Time grows with its square.
    pub max_depth: u32,
    /// Elements and texts up to which the main content is looked for.
    pub max_nodes: u64,
}

impl Default for HtmlOptions {
    fn default() -> Self {
        HtmlOptions {
            content: Content::Full,
            keep_regions: false,
            keep_links: false,
            max_depth: 512,
            max_nodes: 1_000_000,
        }
    }
}

/// Why the full text was taken instead of the main content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Remark {
    /// Nested deeper than the limit.
    MainTooDeep,
    /// More elements and texts than the limit, or far too many attributes or entities.
    MainTooManyNodes,
    /// Nothing in the page stands out as its content.
    NoMainContent,
    /// What stands out is a small share of the page's text outside menus and footers.
    MainTooSmall,
    /// Many pages of different length have the same main content, as
    /// [`crate::source::FileSource::shared_main`] found.
    MainShared,
}

impl Remark {
    /// The name used in outputs.
    pub fn name(self) -> &'static str {
        match self {
            Remark::MainTooDeep => "main-too-deep",
            Remark::MainTooManyNodes => "main-too-many-nodes",
            Remark::NoMainContent => "no-main-content",
            Remark::MainTooSmall => "main-too-small",
            Remark::MainShared => "main-shared",
        }
    }
}

/// What was found in pages. Buffers that are used again and again.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Extracted {
    /// The text.
    pub text: String,
    /// Its regions, by their start; those that begin together, the longest first.
    pub regions: Vec<Region>,
    /// Its links, in the order in which they end.
    pub links: Vec<Link>,
    /// A remark on the last page, if there is one.
    pub remark: Option<Remark>,
    /// The full text of the last page, where the main content was taken instead.
    pub full: Option<FullText>,
}

/// Which text a page has as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FullText {
    /// Hash of the text.
    pub hash: u64,
    /// Its length.
    pub bytes: u64,
}

impl Extracted {
    /// Empties the buffers.
    pub fn clear(&mut self) {
        self.text.clear();
        self.regions.clear();
        self.links.clear();
        self.remark = None;
        self.full = None;
    }
}

/// Turns pages into text.
#[derive(Debug, Clone)]
pub struct HtmlExtractor {
    /// What is wanted of pages.
    options: HtmlOptions,
    /// Buffer for full texts that are only hashed.
    full: String,
}

impl HtmlExtractor {
    /// An extractor for pages of which this is wanted.
    pub fn new(options: HtmlOptions) -> Self {
        HtmlExtractor {
            options,
            full: String::new(),
        }
    }

    /// Appends what a page holds. Spans are places in the whole of `out.text`; what was
    /// there before is not touched, except for the remark.
    pub fn extract(&mut self, html: &str, out: &mut Extracted) {
        let HtmlOptions {
            max_depth,
            max_nodes,
            ..
        } = self.options;
        out.remark = None;
        out.full = None;
        if self.options.content == Content::Full {
            self.append(html, true, out);
            return;
        }
        match main_content::main_content(html, max_depth, max_nodes) {
            Ok(content) => {
                self.append(&content, false, out);
                // The full text is made too, though only its hash is kept: it decides which
                // pages are different when many share a main content.
                self.full.clear();
                full::append_text(html, true, &mut self.full, None, None);
                out.full = Some(FullText {
                    hash: hash::bytes(self.full.as_bytes(), 0),
                    bytes: self.full.len() as u64,
                });
            }
            Err(remark) => {
                out.remark = Some(remark);
                self.append(html, true, out);
            }
        }
    }

    /// Appends the text of HTML, with regions and links where they are wanted. Captions belong
    /// to full texts only.
    fn append(&self, html: &str, captions: bool, out: &mut Extracted) {
        let regions = self.options.keep_regions.then_some(&mut out.regions);
        let links = self.options.keep_links.then_some(&mut out.links);
        full::append_text(html, captions, &mut out.text, regions, links);
    }
}

#[cfg(test)]
mod tests;
