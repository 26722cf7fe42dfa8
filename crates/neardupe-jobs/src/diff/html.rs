//! A diff as a page: both texts side by side, what differs marked, long equal stretches
//! folded. The page needs nothing else, runs no script and follows the reader's choice of
//! light or dark.
//!
//! Rows are cut where both sides agree, so that both texts are side by side. Output stops at a
//! number of bytes and says so: a page of a report shows many diffs.

use super::shown::shown;
use super::stretch::{WordPair, fold, joined, pieces};
use super::{Diff, Op, StretchKind};
use neardupe_core::text::Segmenter;
use std::fmt::Write as _;
use std::io::{self, Write};

/// Title, names and facts around a diff.
#[derive(Debug, Clone, Default)]
pub struct DiffPage {
    /// Title of the page.
    pub title: String,
    /// Name of the left text.
    pub left: String,
    /// Name of the right text.
    pub right: String,
    /// Facts about both: name and value.
    pub facts: Vec<(String, String)>,
    /// Equal words shown before and after a difference.
    pub context: usize,
}

/// What our pages begin with: a file that begins so may be replaced by another.
pub const PAGE_START: &str = "<!doctype html>\n<html lang=\"en\">\n<head>\n\
                              <meta name=\"generator\" content=\"neardupe\">\n";

/// Words in a row of the page, about: rows keep both sides beside each other.
const ROW_WORDS: usize = 60;

// Colors are variables, so that light and dark need one rule each. Nothing is loaded: the
// policy in the head forbids it.
const STYLE: &str = "\
:root{color-scheme:light dark;--page:#fff;--ink:#1c1e21;--quiet:#6a7078;--line:#dfe3e8;
--head:#f5f7f9;--left:#ffe2e0;--left-ink:#8f1d14;--right:#d9f5e0;--right-ink:#0d5a2b;--same:#fff3c9}
@media(prefers-color-scheme:dark){:root{--page:#14171a;--ink:#e3e6ea;--quiet:#939aa3;
--line:#2c3238;--head:#1c2025;--left:#4a1f1d;--left-ink:#ffb4ac;--right:#173d26;
--right-ink:#a4e8bb;--same:#3b341c}}
*{box-sizing:border-box}body{margin:0 auto;max-width:1400px;padding:24px;background:var(--page);
color:var(--ink);font:15px/1.55 system-ui,sans-serif}h1{font-size:20px;margin:0 0 12px}
dl{display:flex;flex-wrap:wrap;gap:6px 28px;margin:0 0 18px}dl div{display:flex;gap:8px}
dt{color:var(--quiet)}dd{margin:0;font-variant-numeric:tabular-nums}
.row,.names{display:grid;grid-template-columns:1fr 1fr;border-bottom:1px solid var(--line)}
.names{position:sticky;top:0;background:var(--head);font-weight:600;border-top:1px solid var(--line)}
.row>div,.names>div{padding:5px 14px;white-space:pre-wrap;overflow-wrap:anywhere;min-width:0}
.row>div+div,.names>div+div{border-left:1px solid var(--line)}
del,ins,mark{border-radius:3px;padding:0 1px;color:inherit;text-decoration:none}
del{background:var(--left);color:var(--left-ink);text-decoration:line-through;
text-decoration-thickness:1px}ins{background:var(--right);color:var(--right-ink)}
mark{background:var(--same)}summary{cursor:pointer;padding:4px 14px;color:var(--quiet);
border-bottom:1px solid var(--line);background:var(--head)}
p{color:var(--quiet)}@media(max-width:640px){body{padding:10px;font-size:14px}
.row>div,.names>div{padding:4px 8px}}
";

/// Writes a diff as a page that needs no other file.
pub fn render_html(
    diff: &Diff<'_>,
    page: &DiffPage,
    out: &mut impl Write,
) -> io::Result<()> {
    let title = escape(&page.title);
    write!(
        out,
        "{PAGE_START}<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n\
         <meta http-equiv=\"Content-Security-Policy\" \
         content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n<dl>\n"
    )?;
    for (name, value) in &page.facts {
        let (name, value) = (escape(name), escape(value));
        writeln!(out, "<div><dt>{name}</dt><dd>{value}</dd></div>")?;
    }
    writeln!(
        out,
        "</dl>\n<div class=\"names\"><div>{}</div><div>{}</div></div>",
        escape(&page.left),
        escape(&page.right)
    )?;
    // Texts come from the web: names, facts and texts are all escaped.
    let mut rows = HtmlRows::new(diff, out);
    rows.all(page.context)?;
    if !diff.complete {
        let words = diff.left_words.max(diff.right_words);
        writeln!(
            out,
            "<p>The first {words} words were compared; the texts are longer.</p>"
        )?;
    }
    writeln!(out, "</body>\n</html>")
}

/// The rows of a diff alone, for a page that has others too. What is folded is left out, and
/// after about `max_bytes` bytes the rest; whether everything was shown.
pub fn render_rows(
    diff: &Diff<'_>,
    context: usize,
    max_bytes: usize,
    out: &mut impl Write,
) -> io::Result<bool> {
    let mut rows = HtmlRows::new(diff, out);
    // Bytes of the texts are counted, not those of tags.
    rows.max_bytes = Some(max_bytes);
    rows.all(context)?;
    Ok(rows.num_bytes < max_bytes)
}

/// Rows of both texts while they are written.
struct HtmlRows<'a, Out> {
    diff: &'a Diff<'a>,
    out: &'a mut Out,
    /// The left cell of the open row, as HTML; `right` is the other.
    left: String,
    right: String,
    /// Words in the open row, about: changed ones are estimated by their length.
    num_words: usize,
    /// Bytes that were put so far, and how many there may be.
    num_bytes: usize,
    max_bytes: Option<usize>,
}

impl<'a, Out: Write> HtmlRows<'a, Out> {
    fn new(diff: &'a Diff<'a>, out: &'a mut Out) -> Self {
        HtmlRows {
            diff,
            out,
            left: String::new(),
            right: String::new(),
            num_words: 0,
            num_bytes: 0,
            max_bytes: None,
        }
    }

    /// All rows, or as many as there may be.
    fn all(&mut self, context: usize) -> io::Result<()> {
        let segmenter = Segmenter::default();
        let diff = self.diff;
        for (place, op) in diff.ops.iter().enumerate() {
            // The rest is neither escaped nor written.
            if self.is_full() {
                break;
            }
            if op.kind != StretchKind::Equal {
                self.changed(op)?;
                continue;
            }
            let words = pieces(diff, op, &segmenter);
            let (is_first, is_last) = (place == 0, place + 1 == diff.ops.len());
            match fold(words.len(), context, is_first, is_last) {
                None => self.equal(&words)?,
                Some((before, after)) => {
                    self.equal(&words[..before])?;
                    self.folded(&words[before..after])?;
                    self.equal(&words[after..])?;
                }
            }
        }
        self.finish()
    }

    /// Whether as much was put as there may be.
    fn is_full(&self) -> bool {
        self.max_bytes.is_some_and(|most| self.num_bytes >= most)
    }

    /// A stretch of text as far as there is room for it.
    fn fitting<'t>(&self, text: &'t str) -> &'t str {
        let Some(most) = self.max_bytes else {
            return text;
        };
        let mut end = text.len().min(most.saturating_sub(self.num_bytes));
        // At most three steps: a character has four bytes.
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        &text[..end]
    }

    /// Puts words that both sides have, and ends the row at a line end or after enough words:
    /// only here both sides are at the same place.
    fn equal(&mut self, words: &[WordPair]) -> io::Result<()> {
        for (left, right) in words {
            let left = self.fitting(&self.diff.left[left.start..left.end]);
            let right = self.fitting(&self.diff.right[right.start..right.end]);
            self.num_bytes += left.len() + right.len();
            self.left += &escape(left);
            self.right += &escape(right);
            self.num_words += 1;
            // Lines that are very short share a row.
            let is_line = left.contains('\n') && self.num_words >= ROW_WORDS / 4;
            if is_line || self.num_words >= ROW_WORDS {
                self.finish()?;
            }
        }
        Ok(())
    }

    /// Puts what differs: marked on each side by its kind.
    fn changed(&mut self, op: &Op) -> io::Result<()> {
        let left = self.fitting(self.diff.left_of(op));
        let right = self.fitting(self.diff.right_of(op));
        self.num_bytes += left.len() + right.len();
        let (left_tag, right_tag) = match op.kind {
            StretchKind::SameWords => ("mark", "mark"),
            _ => ("del", "ins"),
        };
        put(&mut self.left, left_tag, left);
        put(&mut self.right, right_tag, right);
        // Eight bytes for a word and its space, about.
        self.num_words += left.len().max(right.len()) / 8;
        // Not between what is replaced and its replacement.
        if op.kind == StretchKind::OnlyRight && self.num_words >= ROW_WORDS * 4 {
            self.finish()
        } else {
            Ok(())
        }
    }

    /// Puts a note instead of words; a whole page can unfold it, a page with a limit leaves
    /// the words out.
    fn folded(&mut self, words: &[WordPair]) -> io::Result<()> {
        self.finish()?;
        let Some((left, right)) = joined(words) else {
            return Ok(());
        };
        if self.max_bytes.is_some() {
            let words = words.len();
            return writeln!(self.out, "<div class=\"fold\">{words} equal words</div>");
        }
        writeln!(
            self.out,
            "<details><summary>{} equal words</summary>\
             <div class=\"row\"><div dir=\"auto\">{}</div><div dir=\"auto\">{}</div></div></details>",
            words.len(),
            escape(self.diff.left[left.start..left.end].trim_end()),
            escape(self.diff.right[right.start..right.end].trim_end())
        )
    }

    /// Writes the open row, if there is something in it. The direction of each cell follows
    /// its own text.
    fn finish(&mut self) -> io::Result<()> {
        self.num_words = 0;
        if self.left.is_empty() && self.right.is_empty() {
            return Ok(());
        }
        let (left, right) = (self.left.trim_end(), self.right.trim_end());
        writeln!(
            self.out,
            "<div class=\"row\"><div dir=\"auto\">{left}</div><div dir=\"auto\">{right}</div></div>",
        )?;
        self.left.clear();
        self.right.clear();
        Ok(())
    }
}

/// Puts text within a tag, and the white space around it outside.
fn put(html: &mut String, tag: &str, text: &str) {
    // White space around it would be struck out too.
    let inner = text.trim();
    let start = text.len() - text.trim_start().len();
    html.push_str(&text[..start]);
    if !inner.is_empty() {
        // Writing to a string cannot fail.
        let _ = write!(html, "<{tag}>{}</{tag}>", escape(inner));
        html.push_str(&text[start + inner.len()..]);
    }
}

/// Text as HTML shows it, also within quotes; characters that do something else than being
/// seen are replaced.
pub fn escape(text: &str) -> String {
    let mut html = String::with_capacity(text.len() + text.len() / 16);
    for ch in text.chars() {
        match ch {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            _ => html.push(shown(ch)),
        }
    }
    html
}
