//! From the texts of a record to the text of its document.
//!
//! Several texts are joined by a line feed. Plain text stays as it is; HTML loses its tags.

use super::effect::TextEffect;
use super::values::{TextKind, TextSlot, Values};
use crate::extract::{self, Content, Extracted, HtmlExtractor, HtmlOptions, Remark};
use encoding_rs::Encoding;
use neardupe_core::document::{PageSample, Region, RegionKind, Span, main_hash};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What texts are taken for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TextType {
    /// HTML where the format says so, else as given: markup in a field of JSON may be the
    /// very content that is compared.
    #[default]
    Format,
    /// HTML where the format or the text's beginning says so, else plain.
    Auto,
    /// Never HTML.
    Plain,
    /// Always HTML.
    Html,
}

neardupe_core::named!(TextType as "text-type" {
    Format = "format",
    Auto = "auto",
    Plain = "plain",
    Html = "html",
});

/// How texts are made.
#[derive(Debug, Clone, Default)]
pub struct TextOptions {
    /// What texts are taken for.
    pub text_type: TextType,
    /// How HTML becomes text.
    pub html: HtmlOptions,
    /// Main contents, by their hash in ascending order, for which the full text of the page
    /// is taken: many pages have them. None where nobody has looked.
    pub full_for: Option<Arc<[u64]>>,
    /// Character set of all bytes; None to detect it by their sender, declaration or themselves.
    pub charset: Option<&'static Encoding>,
    /// What these options did so far.
    pub effect: Arc<TextEffect>,
}

/// The remark on a text that was taken as HTML.
pub const HTML: &str = "html";
/// The remark on a text that begins like HTML and is compared as given.
pub const LOOKS_LIKE_HTML: &str = "looks like html";
/// The remark on a text that begins like TEI and is compared as given.
pub const LOOKS_LIKE_TEI: &str = "looks like tei";

/// The remark on a text with titles, headings, emphasis or links, where those are wanted.
pub const MARKS: &str = "with titles, headings, emphasis or links";

/// Whether a document has anything that can be weighted. Body alone says nothing.
fn has_marks(made: &Extracted) -> bool {
    let is_mark = |region: &Region| region.kind != RegionKind::Body;
    made.regions.iter().any(is_mark) || !made.links.is_empty()
}

/// Something worth knowing about how a text was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Noticed {
    /// Taken as HTML.
    Html,
    /// Begins like HTML and was compared as given.
    LooksLikeHtml,
    /// Begins like TEI and was compared as given.
    LooksLikeTei,
    /// Read in a character set other than UTF-8.
    Charset(&'static str),
    /// Bytes without a meaning became U+FFFD.
    Replaced,
    /// Half a character became U+FFFD.
    Surrogate,
    /// A number that JSON does not have was read as no value.
    NotANumber,
    /// Has regions or links.
    Marks,
    /// What the extractor noticed.
    Extraction(&'static str),
}

impl Noticed {
    /// The remark in words, as summaries show it.
    fn text(self) -> String {
        match self {
            Noticed::Html => HTML.to_owned(),
            Noticed::LooksLikeHtml => LOOKS_LIKE_HTML.to_owned(),
            Noticed::LooksLikeTei => LOOKS_LIKE_TEI.to_owned(),
            Noticed::Charset(name) => format!("charset {name}"),
            Noticed::Replaced => "characters replaced".to_owned(),
            Noticed::Surrogate => "half characters replaced (lone surrogates)".to_owned(),
            Noticed::Marks => MARKS.to_owned(),
            Noticed::NotANumber => "NaN or Infinity read as no value".to_owned(),
            Noticed::Extraction(name) => name.to_owned(),
        }
    }
}

/// Makes the texts of one thread, reusing its buffers.
pub(super) struct TextMaker {
    /// What texts without a kind of their own are taken for.
    text_type: TextType,
    html_options: HtmlOptions,
    /// Takes what the options ask for: main content or full text.
    html: HtmlExtractor,
    /// Takes full texts.
    full: HtmlExtractor,
    /// Main contents that are not taken.
    full_for: Option<Arc<[u64]>>,
    /// The text at hand with its regions and links, where it is not the field itself.
    made: Extracted,
    /// The title of the text at hand.
    title: Extracted,
    /// Regions are wanted, so titles are marked.
    keep_regions: bool,
    /// Remarks are wanted in words per document, and not only counted.
    keep_remarks: bool,
    /// What was noticed about the document at hand, in words, where that is asked for.
    remarks: Vec<String>,
    /// How many documents each remark is about.
    counts: BTreeMap<Noticed, u64>,
    /// How often a metadata field had a value that cannot be used, by remark.
    unusable: BTreeMap<String, u64>,
    /// Pages whose main content was chosen.
    pages: PageSample,
    /// What the options did, shared with all threads.
    effect: Arc<TextEffect>,
}

/// The remark on a metadata field whose value is a list or an object.
fn unusable_field(field: &str, found: &str) -> String {
    format!("with {found} in field {field}")
}

/// What a remark says to be in a metadata field that cannot be used, if it is on this field.
pub fn unusable_kind<'a>(remark: &'a str, field: &str) -> Option<&'a str> {
    let found = remark.strip_suffix(field)?.strip_suffix(" in field ")?;
    found.strip_prefix("with ")
}

/// The text of a document, in the buffers of its maker or its record.
#[derive(Debug, Clone, Copy)]
pub(super) struct Made<'a> {
    /// The text.
    pub(super) text: &'a str,
    /// What stands around it.
    pub(super) parts: &'a Extracted,
    /// Remarks in words; empty where nobody wants them.
    pub(super) remarks: &'a [String],
}

impl TextMaker {
    /// A maker for one thread; its buffers grow to the longest text it meets.
    pub(super) fn new(options: &TextOptions) -> Self {
        TextMaker {
            text_type: options.text_type,
            html_options: options.html,
            html: HtmlExtractor::new(options.html),
            full_for: options.full_for.clone(),
            full: HtmlExtractor::new(HtmlOptions {
                content: Content::Full,
                ..options.html
            }),
            made: Extracted::default(),
            title: Extracted::default(),
            keep_regions: options.html.keep_regions,
            keep_remarks: options.html.keep_regions,
            remarks: Vec::new(),
            counts: BTreeMap::new(),
            unusable: BTreeMap::new(),
            pages: PageSample::default(),
            effect: Arc::clone(&options.effect),
        }
    }

    /// The text of a document.
    pub(super) fn make<'a>(&'a mut self, values: &'a Values) -> Made<'a> {
        self.made.clear();
        self.remarks.clear();
        if let Some(charset) = values.remarks.charset {
            self.notice(Noticed::Charset(charset.name()));
        }
        if values.id.is_some() {
            self.effect.id();
        }
        if values.remarks.forced {
            self.effect.decode();
        }
        if values.remarks.replaced {
            self.notice(Noticed::Replaced);
        }
        if values.remarks.mended.surrogate {
            self.notice(Noticed::Surrogate);
        }
        if values.remarks.mended.not_a_number {
            self.notice(Noticed::NotANumber);
        }
        for &(number, found) in &values.unusable {
            let remark = unusable_field(values.metadata_name(number), found);
            if self.keep_remarks {
                self.remarks.push(remark.clone());
            }
            *self.unusable.entry(remark).or_insert(0) += 1;
        }
        self.notice_markup(values);
        let mut present = values.texts.iter().filter(|text| text.present);
        let first = present.next();
        let second = present.next();
        let text = match (first, second) {
            (None, _) => "",
            // The usual case, one plain text: it is borrowed as it is, and nothing is copied.
            (Some(only), None) if !self.is_html(&only.value, only.kind) => {
                self.mark_title(0, only.value.len(), only.title_len);
                &only.value
            }
            // Several texts, or one that is HTML, are put together in the buffer.
            _ => {
                for text in values.texts.iter().filter(|text| text.present) {
                    self.append(text);
                }
                &self.made.text
            }
        };
        if self.keep_regions && has_marks(&self.made) {
            *self.counts.entry(Noticed::Marks).or_insert(0) += 1;
        }
        Made {
            text,
            parts: &self.made,
            remarks: &self.remarks,
        }
    }

    /// Whether a text is taken as HTML. What the format says of the text outranks a guess by
    /// its beginning, but not what the user asked for.
    fn is_html(&self, text: &str, kind: Option<TextKind>) -> bool {
        match (self.text_type, kind) {
            (TextType::Plain, _) => false,
            (TextType::Html, _) => true,
            (TextType::Format | TextType::Auto, Some(kind)) => kind != TextKind::Plain,
            (TextType::Format, None) => false,
            (TextType::Auto, None) => extract::looks_like_html(text),
        }
    }

    /// Counts a document that is compared with its tags, which the user may not want.
    fn notice_markup(&mut self, values: &Values) {
        let any = |begins_like: fn(&str) -> bool| {
            let mut texts = values.texts.iter();
            texts.any(|text| {
                text.present && text.kind.is_none() && begins_like(&text.value)
            })
        };
        match self.text_type {
            TextType::Plain | TextType::Html => {}
            TextType::Format if any(extract::looks_like_html) => {
                self.notice(Noticed::LooksLikeHtml);
            }
            TextType::Format | TextType::Auto => {
                if any(extract::looks_like_tei) {
                    self.notice(Noticed::LooksLikeTei);
                }
            }
        }
    }

    /// Notes that a text which stands at `start` begins with a title.
    fn mark_title(&mut self, start: usize, len: usize, title_len: usize) {
        if !self.keep_regions || title_len == 0 {
            return;
        }
        let mut region = |kind, start, end| {
            let span = Span { start, end };
            self.made.regions.push(Region { kind, span });
        };
        region(RegionKind::Title, start, start + title_len);
        // The line feed after the title belongs to no region.
        if title_len + 1 < len {
            region(RegionKind::Body, start + title_len + 1, start + len);
        }
    }

    /// Adds a text behind those before it, after a line feed.
    fn append(&mut self, slot: &TextSlot) {
        let (text, kind) = (slot.value.as_str(), slot.kind);
        if !self.made.text.is_empty() {
            self.made.text.push('\n');
        }
        let start = self.made.text.len();
        if !self.is_html(text, kind) {
            self.made.text.push_str(text);
            self.mark_title(start, text.len(), slot.title_len);
            return;
        }
        if kind == Some(TextKind::Marked) {
            self.append_marked(text, slot.title_len);
            return;
        }
        self.notice(Noticed::Html);
        self.effect.html();
        let before = (self.made.regions.len(), self.made.links.len());
        self.html.extract(text, &mut self.made);
        // The extractor chose a part of the page. If many pages have this part, it is a
        // notice, and the full text is taken instead.
        if let Some(full) = self.made.full.take() {
            let main = &self.made.text[start..];
            if self.is_shared(main) {
                self.made.text.truncate(start);
                self.made.regions.truncate(before.0);
                self.made.links.truncate(before.1);
                self.full.extract(text, &mut self.made);
                self.made.remark = Some(Remark::MainShared);
            } else {
                // Otherwise the page is noted: pages with the same main content are noticed in
                // this way.
                self.pages.add(full.hash, full.bytes, main);
            }
        }
        self.effect.made(text, &self.made.text[start..]);
        if let Some(remark) = self.made.remark.take() {
            self.notice(Noticed::Extraction(remark.name()));
        }
    }

    /// Whether this is a main content for which the full text of the page is taken.
    fn is_shared(&self, main: &str) -> bool {
        let shared = self.full_for.as_deref().unwrap_or_default();
        !shared.is_empty() && shared.binary_search(&main_hash(main)).is_ok()
    }

    /// Text with tags in it, which may begin with a title. What the title becomes is what it
    /// becomes by itself.
    fn append_marked(&mut self, text: &str, title_len: usize) {
        let start = self.made.text.len();
        if !self.keep_regions || title_len == 0 {
            return self.full.extract(text, &mut self.made);
        }
        self.title.clear();
        self.full.extract(&text[..title_len], &mut self.title);
        let first_region = self.made.regions.len();
        self.full.extract(text, &mut self.made);
        let made = &self.made.text[start..];
        // The title alone may become other characters than within the text; then nothing is
        // marked.
        if self.title.text.is_empty() || !made.starts_with(&self.title.text) {
            return;
        }
        // All of it was taken for the body.
        let is_body = |region: &Region| region.kind == RegionKind::Body;
        let regions = self.made.regions.drain(first_region..);
        let others: Vec<Region> = regions.filter(|region| !is_body(region)).collect();
        let (len, title_len) = (made.len(), self.title.text.len());
        self.mark_title(start, len, title_len);
        self.made.regions.extend(others);
        // Outer regions come before those within them.
        let by_start = |region: &Region| (region.span.start, Reverse(region.span.end));
        self.made.regions[first_region..].sort_by_key(by_start);
    }

    /// Counts a remark, and keeps it in words where that is asked for.
    fn notice(&mut self, noticed: Noticed) {
        *self.counts.entry(noticed).or_insert(0) += 1;
        if self.keep_remarks {
            self.remarks.push(noticed.text());
        }
    }

    /// Gives back the memory of its buffers.
    pub(super) fn give_back(&mut self) {
        self.made = Extracted::default();
        self.title = Extracted::default();
        self.html = HtmlExtractor::new(self.html_options);
        self.full = HtmlExtractor::new(HtmlOptions {
            content: Content::Full,
            ..self.html_options
        });
    }

    /// Pages whose main content was chosen.
    pub(super) fn pages(&self) -> &PageSample {
        &self.pages
    }

    /// Adds what was noticed to the counts of all threads.
    pub(super) fn count_into(&self, all: &mut BTreeMap<String, u64>) {
        for (noticed, count) in &self.counts {
            *all.entry(noticed.text()).or_insert(0) += count;
        }
        for (remark, count) in &self.unusable {
            *all.entry(remark.clone()).or_insert(0) += count;
        }
    }
}
