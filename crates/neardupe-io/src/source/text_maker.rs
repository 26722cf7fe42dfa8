//! From the texts of a record to the text of its document.
//!
//! Several texts are joined by a line feed. Plain text stays as it is; HTML loses its tags.

use super::values::{TextKind, Values};
use crate::extract::{self, Content, Extracted, HtmlExtractor, HtmlOptions};
use encoding_rs::Encoding;
use neardupe_core::error::{Error, Result};
use std::collections::BTreeMap;
use std::str::FromStr;

/// What texts are taken for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TextType {
    /// HTML where the format or the text's beginning says so, else plain.
    #[default]
    Auto,
    /// Never HTML.
    Plain,
    /// Always HTML.
    Html,
}

impl FromStr for TextType {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "auto" => Ok(TextType::Auto),
            "plain" => Ok(TextType::Plain),
            "html" => Ok(TextType::Html),
            _ => Err(Error::config(
                "--text-type",
                format!("{text:?} is not one of auto, plain, html"),
            )),
        }
    }
}

/// How texts are made.
#[derive(Debug, Clone, Default)]
pub struct TextOptions {
    /// What texts are taken for.
    pub text_type: TextType,
    /// How HTML becomes text.
    pub html: HtmlOptions,
    /// Character set of all bytes; None to tell by their sender, declaration or themselves.
    pub charset: Option<&'static Encoding>,
}

/// Something worth knowing about how a text was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Noticed {
    Html,
    Charset(&'static str),
    Replaced,
    Extraction(&'static str),
}

impl Noticed {
    fn text(self) -> String {
        match self {
            Noticed::Html => "html".to_owned(),
            Noticed::Charset(name) => format!("charset {name}"),
            Noticed::Replaced => "characters replaced".to_owned(),
            Noticed::Extraction(name) => name.to_owned(),
        }
    }
}

/// Makes the texts of one thread, reusing its buffers.
pub(super) struct TextMaker {
    text_type: TextType,
    html: HtmlExtractor,
    marked: HtmlExtractor,
    made: Extracted,
    keep_remarks: bool,
    /// What was noticed about the document at hand, in words, where that is asked for.
    remarks: Vec<String>,
    counts: BTreeMap<Noticed, u64>,
}

/// The text of a document, in the buffers of its maker or its record.
#[derive(Debug, Clone, Copy)]
pub(super) struct Made<'a> {
    pub(super) text: &'a str,
    /// What stands around it.
    pub(super) parts: &'a Extracted,
    pub(super) remarks: &'a [String],
}

impl TextMaker {
    pub(super) fn new(options: &TextOptions) -> Self {
        TextMaker {
            text_type: options.text_type,
            html: HtmlExtractor::new(options.html),
            marked: HtmlExtractor::new(HtmlOptions {
                content: Content::Full,
                ..options.html
            }),
            made: Extracted::default(),
            keep_remarks: options.html.keep_regions,
            remarks: Vec::new(),
            counts: BTreeMap::new(),
        }
    }

    /// The text of a document.
    pub(super) fn make<'a>(&'a mut self, values: &'a Values) -> Made<'a> {
        self.made.clear();
        self.remarks.clear();
        if let Some(charset) = values.remarks.charset {
            self.notice(Noticed::Charset(charset.name()));
        }
        if values.remarks.replaced {
            self.notice(Noticed::Replaced);
        }
        let mut present = values.texts.iter().filter(|text| text.present);
        let first = present.next();
        let second = present.next();
        let text = match (first, second) {
            (None, _) => "",
            (Some(only), None) if !self.is_html(&only.value, only.kind) => &only.value,
            _ => {
                for text in values.texts.iter().filter(|text| text.present) {
                    self.append(&text.value, text.kind);
                }
                &self.made.text
            }
        };
        Made {
            text,
            parts: &self.made,
            remarks: &self.remarks,
        }
    }

    fn is_html(&self, text: &str, kind: Option<TextKind>) -> bool {
        match (self.text_type, kind) {
            (TextType::Plain, _) => false,
            (TextType::Html, _) => true,
            (TextType::Auto, Some(kind)) => kind != TextKind::Plain,
            (TextType::Auto, None) => extract::looks_like_html(text),
        }
    }

    fn append(&mut self, text: &str, kind: Option<TextKind>) {
        if !self.made.text.is_empty() {
            self.made.text.push('\n');
        }
        if !self.is_html(text, kind) {
            self.made.text.push_str(text);
            return;
        }
        if kind == Some(TextKind::Marked) {
            self.marked.extract(text, &mut self.made);
            return;
        }
        self.notice(Noticed::Html);
        self.html.extract(text, &mut self.made);
        if let Some(remark) = self.made.remark.take() {
            self.notice(Noticed::Extraction(remark.name()));
        }
    }

    fn notice(&mut self, noticed: Noticed) {
        *self.counts.entry(noticed).or_insert(0) += 1;
        if self.keep_remarks {
            self.remarks.push(noticed.text());
        }
    }

    /// Adds what was noticed to the counts of all threads.
    pub(super) fn count_into(&self, all: &mut BTreeMap<String, u64>) {
        for (noticed, count) in &self.counts {
            *all.entry(noticed.text()).or_insert(0) += count;
        }
    }
}
