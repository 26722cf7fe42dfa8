//! What all pages share: the head with its policy, text from outside, the parts that say
//! the same of every job.
//!
//! Everything that comes from documents goes through [`Text`] or [`Body`], which escape it; the
//! policy in the head of the page forbids whatever should get through all the same.

use super::BadExample;
use super::assets::{SCRIPT, SCRIPT_HASH, STYLE};
use super::chart::{self, Chart};
use crate::diff::{PAGE_START, clean, escape};
use crate::numbers::{bytes, duration, grouped};
use maud::{Markup, PreEscaped, Render, html};
use serde_json::Value;

/// Characters of an id, a name or a message that are shown.
const MAX_CHARS: usize = 160;

/// Text from outside: cut to a bearable length, and harmless.
pub(super) struct Text<'a>(pub(super) &'a str);

impl Render for Text<'_> {
    fn render(&self) -> Markup {
        let mut cut = clean(self.0);
        // At a character, not at a byte.
        if let Some((end, _)) = cut.char_indices().nth(MAX_CHARS) {
            cut.truncate(end);
            cut.push('…');
        }
        PreEscaped(escape(&cut))
    }
}

/// Text from outside that was cut before: harmless, its lines as they are.
pub(super) struct Body<'a>(pub(super) &'a str);

impl Render for Body<'_> {
    fn render(&self) -> Markup {
        PreEscaped(escape(self.0))
    }
}

/// A whole page.
///
/// `</head>` and `<body>` are written by hand, because the start of the page is shared with the
/// diff, which is streamed and does not go through `maud`.
pub(super) fn whole_page(title: &Markup, body: &Markup, charts: &[Chart]) -> String {
    // Only our own script may run, by its hash, and nothing may be loaded: a page about a crawl
    // holds text of strangers, and should a tag get through it must not do anything.
    let policy = format!(
        "default-src 'none'; style-src 'unsafe-inline'; script-src '{SCRIPT_HASH}'; \
         base-uri 'none'; form-action 'none'"
    );
    let page = html! {
        meta charset="utf-8";
        meta name="viewport" content="width=device-width";
        meta name="referrer" content="no-referrer";
        meta http-equiv="Content-Security-Policy" content=(policy);
        title { (title) }
        style { (PreEscaped(STYLE)) }
        (PreEscaped("</head>\n<body>\n"))
        (body)
        // Charts are data, which the policy allows; the only script is ours.
        script type="application/json" id="charts" { (PreEscaped(chart::json(charts))) }
        script { (PreEscaped(SCRIPT)) }
    };
    format!("{PAGE_START}{}\n</body>\n</html>\n", page.into_string())
}

/// What was read, from the option of that name.
pub(super) fn inputs(option: Option<&Value>) -> String {
    let inputs = option.and_then(|it| it.as_array()).into_iter().flatten();
    let inputs: Vec<&str> = inputs.filter_map(|input| input.as_str()).collect();
    inputs.join(", ")
}

/// The foot of a page; it says so when texts of documents were left out by `--no-text`.
pub(super) fn foot(version: &str, is_without_text: bool) -> Markup {
    html! {
        footer {
            "Made by neardupe " (version) ". This page holds all it needs and \
             loads nothing."
            @if is_without_text { " It holds no text of documents (--no-text)." }
        }
    }
}

/// A number that matters, as a card.
pub(super) fn fact(name: &str, value: &str) -> Markup {
    html! { div { dt { (name) } dd { (value) } } }
}

/// A time as a card shows it.
pub(super) fn time(seconds: f64) -> String {
    match seconds {
        seconds if seconds < 10.0 => format!("{seconds:.1} s"),
        seconds => duration(seconds),
    }
}

/// What a reader must know before trusting the page.
pub(super) fn warnings<'a>(warnings: impl Iterator<Item = &'a str>) -> Markup {
    html! {
        @for warning in warnings {
            p class="how" role="alert" { strong { "Warning. " } (Text(warning)) }
        }
    }
}

/// Some words with what they mean.
pub(super) fn meanings(words: &[(&str, &str)]) -> Markup {
    html! {
        dl class="words" {
            @for (word, meaning) in words { dt { (word) } dd { (meaning) } }
        }
    }
}

/// Time and memory.
pub(super) fn cost<'a>(
    seconds: impl Iterator<Item = (&'a str, f64)>,
    peak_memory_bytes: u64,
    peak_disk_bytes: u64,
) -> Markup {
    let mut stages: Vec<(&str, f64)> = seconds.collect();
    // What took longest comes first, and that is the total.
    stages.sort_by(|left, right| right.1.total_cmp(&left.1));
    html! {
        h3 { "Time and memory" }
        table {
            @for (stage, seconds) in stages {
                tr { td { (stage) } td class="n" { (format!("{seconds:.2} s")) } }
            }
            tr { td { "largest memory" } td class="n" { (bytes(peak_memory_bytes)) } }
            @if peak_disk_bytes > 0 {
                tr { td { "work on disk" } td class="n" { (bytes(peak_disk_bytes)) } }
            }
        }
    }
}

/// All options, folded.
pub(super) fn options<'a>(all: impl Iterator<Item = (&'a String, &'a Value)>) -> Markup {
    html! {
        details class="print" id="options" {
            summary { "All options" }
            div class="wide" { table {
                @for (name, value) in all {
                    tr { td { code { @if name != "inputs" { "--" } (name) } } td class="id" { (Text(&typed(value))) } }
                }
            } }
        }
    }
}

/// A value as one would type it.
///
/// Lists as the command line takes them, with commas; parameters without a value as `none`.
fn typed(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(values) if values.is_empty() => "none".to_owned(),
        Value::Array(values) => values.iter().map(typed).collect::<Vec<_>>().join(", "),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        other => other.to_string(),
    }
}

/// The first bad records, folded.
pub(super) fn bad_records(bad: &[BadExample]) -> Markup {
    html! {
        details class="table print" {
            summary { "the first of them" }
            div class="wide" { table {
                tr { th { "file" } th class="n" { "number" } th { "kind" } th { "what is wrong" } }
                @for record in bad {
                    tr {
                        td class="id" { (Text(&record.file)) }
                        td class="n" { (grouped(record.number)) }
                        td { (record.kind) }
                        td class="id" { (Text(&record.detail)) }
                    }
                }
            } }
        }
    }
}
