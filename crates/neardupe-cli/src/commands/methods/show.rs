//! Methods on the terminal.
//!
//! The table has two lines per method: what it finds with its figures, and below that what is typed
//! and what is promised. Lines are cut at the width of the terminal, and at 100 columns where it is
//! wider.

use crate::terminal::{grouped, width};
use anyhow::Result;
use neardupe_jobs::kind::methods::{
    CatalogueMethod, LEFT_OUT, LeftOutMethod, METHODS, MeasuredMethods, MethodGroup,
    THRESHOLDS,
};
use std::io::Write;

/// Columns for a name.
pub(super) const NAME: usize = 18;
/// Columns for what it finds.
pub(super) const FINDS: usize = 38;
/// Widest line.
const MOST: usize = 100;
/// Of the figures the table has those at the default threshold.
const SHOWN: &str = "0.8";

/// The table of all methods.
pub(super) fn all(out: &mut dyn Write, measured: &MeasuredMethods) -> Result<()> {
    let mut titles = String::new();
    let mut columns = String::new();
    for of in &measured.collections {
        titles += &format!(" {:>20}", of.title);
        columns += &format!(" {:>6} {:>6} {:>6}", "prec.", "recall", "CPU s");
    }
    line(out, &format!("{:NAME$} {:FINDS$}{titles}", "", ""))?;
    line(
        out,
        &format!("{:NAME$} {:FINDS$}{columns}", "method", "finds"),
    )?;
    for group in MethodGroup::ALL {
        writeln!(out, "\n{}", group.in_words())?;
        for method in METHODS.iter().filter(|method| method.group == group) {
            let mut figures = String::new();
            for of in &measured.collections {
                figures += &match measured.figures(method, of, SHOWN) {
                    Some(one) => {
                        format!(" {:>6} {:>6} {:>6}", one.precision, one.recall, one.cpu)
                    }
                    None => format!(" {:>20}", "not measured"),
                };
            }
            let (name, finds) = (method.name, method.finds);
            line(out, &format!("{name:NAME$} {finds:FINDS$}{figures}"))?;
            let (typed, promise) = (typed(method), method.promise.in_words());
            let both = format!("{:NAME$} {typed:FINDS$}  {promise}", "");
            if both.chars().count() <= MOST {
                line(out, &both)?;
            } else {
                line(out, &format!("{:NAME$} {typed}", ""))?;
                line(out, &format!("{:NAME$} {:FINDS$}  {promise}", "", ""))?;
            }
        }
    }
    writeln!(out)?;
    paragraph(
        out,
        "",
        &format!(
            "Figures are for --threshold {SHOWN} where a method takes one, and the promise is in its own \
             measure. {}",
            measured.in_words()
        ),
    )?;
    let names: Vec<_> = LEFT_OUT.iter().map(|method| method.name).collect();
    writeln!(out)?;
    paragraph(out, "", &format!("Left out: {}.", names.join(", ")))?;
    writeln!(out)?;
    let advice = "`neardupe methods NAME` describes one method with its paper, or says why it was left out";
    writeln!(out, "{advice}")?;
    Ok(())
}

/// What is typed, beside the threshold.
fn typed(method: &CatalogueMethod) -> String {
    match (method.command(), method.options) {
        ("find", "") => "(the default)".to_owned(),
        ("find", options) => options.to_owned(),
        (command, options) => {
            let typed = format!("neardupe {command} INPUT {options}");
            typed.trim_end().to_owned()
        }
    }
}

/// All of one method.
pub(super) fn method(
    out: &mut dyn Write,
    method: &CatalogueMethod,
    measured: &MeasuredMethods,
) -> Result<()> {
    let threshold = if method.takes_threshold {
        " --threshold T"
    } else {
        ""
    };
    let command = format!("neardupe {} INPUT {}", method.command(), method.options);
    writeln!(out, "{}: {}\n", method.name, method.finds)?;
    writeln!(out, "  {}{threshold}\n", command.trim_end())?;
    let rows = [
        ("how", method.how),
        ("guarantee", method.guarantee),
        ("promise", method.promise.in_words()),
        ("cost", method.cost),
        ("use it when", method.use_when),
    ];
    for (name, text) in rows {
        paragraph(out, name, text)?;
    }
    papers(out, method.papers)?;
    paragraph(out, "more", method.guide)?;
    writeln!(out)?;
    figures(out, method, measured)
}

/// Prints precision, recall and time of one method on each collection and threshold.
fn figures(
    out: &mut dyn Write,
    method: &CatalogueMethod,
    measured: &MeasuredMethods,
) -> Result<()> {
    let header = format!(
        "  {:<16} {:>11} {:>9} {:>9} {:>9} {:>9}",
        "measured on", "resemblance", "pairs", "precision", "recall", "CPU s"
    );
    line(out, &header)?;
    for of in &measured.collections {
        for threshold in THRESHOLDS {
            let row = match measured.figures(method, of, threshold) {
                Some(one) => format!(
                    "{:>9} {:>9} {:>9} {:>9}",
                    grouped(one.pairs),
                    one.precision,
                    one.recall,
                    one.cpu
                ),
                None => "not measured".to_owned(),
            };
            let at = format!(">= {threshold}");
            line(out, &format!("  {:<16} {at:>11} {row}", of.title))?;
        }
    }
    writeln!(out)?;
    paragraph(out, "", &measured.in_words())
}

/// All of a method that is not here.
pub(super) fn left_out(out: &mut dyn Write, method: &LeftOutMethod) -> Result<()> {
    writeln!(out, "{}: left out\n", method.name)?;
    paragraph(out, "what", method.what)?;
    paragraph(out, "reason", method.reason)?;
    if let Some(instead) = method.instead {
        paragraph(out, "instead", &format!("neardupe methods {instead}"))?;
    }
    papers(out, method.papers)
}

/// Prints the papers, the word before the first one only.
fn papers(out: &mut dyn Write, papers: &[&str]) -> Result<()> {
    for (place, paper) in papers.iter().enumerate() {
        paragraph(out, if place == 0 { "paper" } else { " " }, paper)?;
    }
    Ok(())
}

/// A text in lines that fit; with a name it stands to the right of it.
///
/// The width is that of the terminal, but at most [`MOST`]: longer lines are hard to read.
fn paragraph(out: &mut dyn Write, name: &str, text: &str) -> Result<()> {
    let indent = if name.is_empty() { 0 } else { 15 };
    let most = width().min(MOST).saturating_sub(indent).max(20);
    for (place, part) in wrapped(text, most).iter().enumerate() {
        let name = if place == 0 { name } else { "" };
        match indent {
            0 => line(out, part)?,
            _ => line(out, &format!("  {name:<13}{part}"))?,
        }
    }
    Ok(())
}

/// Cut at spaces into lines of at most so many characters, if words allow.
fn wrapped(text: &str, most: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.len() - 1;
        let length = lines[last].chars().count();
        if length > 0 && length + 1 + word.chars().count() > most {
            lines.push(word.to_owned());
        } else {
            if length > 0 {
                lines[last].push(' ');
            }
            lines[last].push_str(word);
        }
    }
    lines
}

/// A line without spaces at its end.
fn line(out: &mut dyn Write, text: &str) -> Result<()> {
    Ok(writeln!(out, "{}", text.trim_end())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_is_wider_than_a_terminal_of_100_columns() {
        let measured = MeasuredMethods::read().unwrap();
        let mut out = Vec::new();
        all(&mut out, &measured).unwrap();
        for one in &METHODS {
            method(&mut out, one, &measured).unwrap();
        }
        for one in &LEFT_OUT {
            left_out(&mut out, one).unwrap();
        }
        let text = String::from_utf8(out).unwrap();
        for line in text.lines() {
            assert!(line.chars().count() <= MOST, "{line}");
            assert!(!line.ends_with(' '), "{line:?}");
        }
    }

    #[test]
    fn texts_are_cut_at_spaces() {
        assert_eq!(wrapped("a bc  def", 4), ["a bc", "def"]);
        assert_eq!(wrapped("abcdef g", 3), ["abcdef", "g"]);
        assert_eq!(wrapped("", 3), [""]);
    }
}
