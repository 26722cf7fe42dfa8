//! An article of a newspaper or agency, or a page without anything before it.
//!
//! Every collection has tags of its own. Those of headline, date and text are known here;
//! any other element is a field under its own name. What is within the text is markup
//! (`<P>`, `<F P=105>`, `<TABLE>`), so the text goes on as HTML.

use super::super::tagged::sgml::{Tags, flat};
use super::super::values::{TextKind, Values};
use super::header::TrecHeader;

/// Elements of the text itself. The Wall Street Journal and the San Jose Mercury News put
/// the first paragraph into an element of its own, before the text.
const BODY: [&str; 4] = ["lp", "leadpara", "text", "content"];
/// Names of the headline, the best first: Financial Times, Los Angeles Times, AQUAINT;
/// Associated Press; Wall Street Journal; Ziff; FBIS; SogouCS.
const HEADLINE: [&str; 7] = [
    "headline",
    "head",
    "hl",
    "title",
    "ti",
    "h3",
    "contenttitle",
];
/// Names of the date, the best first.
const DATE: [&str; 3] = ["date", "date_time", "date1"];
/// Fields that are made of elements of other names, or were put already.
const KNOWN: [&str; 6] = ["id", "url", "text", "body", "headline", "date"];

/// Puts the fields of an article. Headline and body are recognised by the tags of their
/// collection.
pub(super) fn put_article(article: &str, header: &TrecHeader<'_>, values: &mut Values) {
    let tags = Tags::new(article, &BODY);
    if values.id.is_none()
        && let Some(docno) = tags.content("docno")
    {
        values.put("id", &flat(docno));
    }
    let in_header = DATE.iter().find_map(|name| header.get(name));
    let date = || DATE.iter().find_map(|name| tags.content(name).map(flat));
    if values.wants("date")
        && let Some(date) = in_header.or_else(date)
    {
        values.put("date", &date);
    }
    // A page has a title and a head of its own, which are no headline of an article.
    if is_page(article, &tags) {
        put_markup("body", &[article], values);
        put_markup("text", &[article], values);
        return;
    }
    let headlines = HEADLINE.iter().map(|name| tags.contents(&[name]));
    let headlines = headlines.into_iter().find(|found| !found.is_empty());
    let headlines = headlines.unwrap_or_default();
    if values.wants("headline") && !headlines.is_empty() {
        let headline: Vec<String> = headlines.iter().map(|line| flat(line)).collect();
        values.put_titled(
            "headline",
            Some(&headline.join("\n")),
            None,
            TextKind::Plain,
        );
    }
    put_others(&tags, values);
    let bodies = tags.contents(&BODY);
    if !bodies.is_empty() {
        put_markup("body", &bodies, values);
        if values.wants("text") {
            let (headline, body) = (markup(&headlines), markup(&bodies));
            let title = (!headlines.is_empty()).then_some(headline.as_str());
            values.put_titled("text", title, Some(&body), TextKind::Marked);
        }
    } else if !article.trim().is_empty() {
        // Nothing says where the text is: all of it, its headline too.
        put_markup("body", &[article], values);
        put_markup("text", &[article], values);
    }
}

/// Puts pieces of an article as one field with tags in it.
fn put_markup(field: &str, parts: &[&str], values: &mut Values) {
    if values.wants(field) {
        values.put_kind(field, &markup(parts), Some(TextKind::Marked));
    }
}

/// Pieces one after the other, as HTML. Two entities of the TREC disks are no HTML, or
/// mean another thing there.
fn markup(parts: &[&str]) -> String {
    let markup = parts.join("\n");
    if markup.contains("&hyph;") || markup.contains("&blank;") {
        markup.replace("&hyph;", "-").replace("&blank;", " ")
    } else {
        markup
    }
}

/// Every other element that is wanted, under its name in lower case.
fn put_others(tags: &Tags<'_>, values: &mut Values) {
    let mut done: Vec<String> = Vec::new();
    for name in tags.names() {
        let name = name.to_ascii_lowercase();
        let is_known = KNOWN.contains(&name.as_str());
        // Every name is looked at once, however often the element occurs.
        if is_known || !values.wants(&name) || done.contains(&name) {
            continue;
        }
        let parts = tags.contents(&[&name]).into_iter().map(flat);
        let parts: Vec<String> = parts.filter(|part| !part.is_empty()).collect();
        if !parts.is_empty() {
            values.put_kind(&name, &parts.join("\n"), Some(TextKind::Plain));
        }
        done.push(name);
    }
}

/// A whole page: what is called text or head in it is not an article's.
fn is_page(article: &str, tags: &Tags<'_>) -> bool {
    let start = article.trim_start().as_bytes();
    let doctype = b"<!doctype html";
    let has_doctype = start
        .get(..doctype.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(doctype));
    has_doctype || tags.opening("html").is_some()
}
