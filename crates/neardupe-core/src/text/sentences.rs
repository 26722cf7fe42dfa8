//! Placeholder until merged.
#[derive(Debug, Default)]
pub struct SentenceCutter;
impl SentenceCutter {
    /// New.
    pub fn new() -> Self {
        SentenceCutter
    }
    /// Cuts.
    pub fn cut(&mut self, text: &str, ends: &mut Vec<usize>) {
        ends.clear();
        let mut last = 0;
        for (at, ch) in text.char_indices() {
            let end = at + ch.len_utf8();
            let stop = matches!(ch, '。' | '！' | '？')
                || (matches!(ch, '.' | '!' | '?')
                    && text[end..].starts_with([' ', '\n']))
                || text[at..].starts_with("\n\n");
            if stop && text[last..end].chars().any(char::is_alphanumeric) {
                ends.push(end);
                last = end;
            }
        }
        if last < text.len() {
            if text[last..].chars().any(char::is_alphanumeric) || ends.is_empty() {
                ends.push(text.len());
            } else if let Some(e) = ends.last_mut() {
                *e = text.len();
            }
        }
    }
}
use crate::document::Span;
/// Trimmed.
pub fn trimmed(text: &str, span: Span) -> Span {
    let inner = &text[span.start..span.end];
    let start = span.start + (inner.len() - inner.trim_start().len());
    Span {
        start,
        end: start + inner.trim().len(),
    }
}
