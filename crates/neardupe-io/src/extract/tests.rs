//! The rules of the extraction, one by one.

use super::*;
use neardupe_core::document::RegionKind;

fn extract(html: &str) -> Extracted {
    let options = HtmlOptions {
        keep_regions: true,
        keep_links: true,
        ..HtmlOptions::default()
    };
    let mut out = Extracted::default();
    HtmlExtractor::new(options).extract(html, &mut out);
    out
}

fn text(html: &str) -> String {
    extract(html).text
}

/// The texts of the regions of a kind.
fn regions(html: &str, kind: RegionKind) -> Vec<String> {
    let out = extract(html);
    let regions = out.regions.iter().filter(|region| region.kind == kind);
    let texts = regions.map(|region| &out.text[region.span.start..region.span.end]);
    texts.map(str::to_owned).collect()
}

fn links(html: &str) -> Vec<(String, String)> {
    let out = extract(html);
    let links = out.links.iter();
    links
        .map(|link| {
            let text = &out.text[link.span.start..link.span.end];
            (link.target.clone(), text.to_owned())
        })
        .collect()
}

#[test]
fn tags_separate_words_and_blocks_lines() {
    assert_eq!(
        text("<p> a <i>b</i>c<br>d</p>\n<div><div>e</div></div>"),
        "a b c\nd\ne"
    );
    assert_eq!(text("<a>x</a><a>y</a>"), "x y");
    assert_eq!(
        text("<ul><li>a<li>b</ul><table><td>c<td>d</table>"),
        "a\nb\nc\nd"
    );
    assert_eq!(text("in<wbr>ter<!-- x -->na&shy;tional"), "international");
    assert_eq!(text("a <p></p> <b> </b> b"), "a\nb");
    assert_eq!(text("<pre>a\n  b</pre>"), "a b");
}

#[test]
fn what_nobody_sees_is_left_out() {
    let page = "<!DOCTYPE html><html><head><title>T &amp; t</title><meta x>\
        <style>s</style><script>s</script><noscript>n</noscript></head><body>a\
        <template>t<template>u</template>v</template><iframe>i</iframe>\
        <noframes>f</noframes><!-- c --><img alt=x>b</body></html> c";
    assert_eq!(text(page), "T & t\na\nb\nc");
    assert_eq!(
        text("<textarea>&lt;a></textarea><xmp><b>&lt;</xmp>"),
        "<a>\n<b>&lt;"
    );
    assert_eq!(text("a<svg><style>s</style><text>b</text></svg>c"), "a b c");
    assert_eq!(text("a<svg><style>s<div>b"), "a\nb");
    assert_eq!(text("a<script>"), "a");
    assert_eq!(text("a<plaintext><b>&amp;"), "a\n<b>&amp;");
}

#[test]
fn regions_are_told() {
    let page = "<title> A title </title><h1>One <i>two</i></h1>x <b>y <strong>z</strong>\
        </b>w<h2></h2><title>no</title>";
    assert_eq!(regions(page, RegionKind::Title), ["A title"]);
    assert_eq!(regions(page, RegionKind::Heading), ["One two"]);
    assert_eq!(regions(page, RegionKind::Italic), ["two"]);
    assert_eq!(regions(page, RegionKind::Bold), ["y z"]);
    assert_eq!(regions(page, RegionKind::Body), ["One two\nx y z w\nno"]);
    let late = "a<p><title>t</title><p>b";
    assert_eq!(regions(late, RegionKind::Body), ["a", "b"]);
    assert_eq!(
        regions("<svg><title>t</title></svg>", RegionKind::Title).len(),
        0
    );
    assert_eq!(extract("<b> </b><title></title>").regions, []);
}

#[test]
fn what_is_left_open_ends_with_its_block() {
    let bold = |html: &str| regions(html, RegionKind::Bold);
    assert_eq!(bold("<p><b>a<p>b<p>c"), ["a"]);
    assert_eq!(bold("<b><p>a</p><p>b</p></b>c"), ["a\nb"]);
    assert_eq!(bold("<div><b>a</div>b"), ["a"]);
    assert_eq!(bold("<td><b>a<br>b</td>c"), ["a\nb"]);
    assert_eq!(bold("<td><b><p>a</p>b"), ["a"]);
    assert_eq!(bold("<b>a"), ["a"]);
    assert_eq!(regions("<h1>a<h2>b</h3>c", RegionKind::Heading), ["a", "b"]);
}

#[test]
fn links_are_told() {
    let html = "<a href=' /x?a=1&amp;b=2&copy=3 '>one <b>two</b></a><a HREF=y>z<a href=w>v\
        <a href=#f>f</a><a href=JavaScript:x>j</a><a href='mailto:m'>m</a>\
        <a href=e></a><a name=n>n</a><a href='a' href='b'>first</a>";
    let pairs = [
        ("/x?a=1&b=2&copy=3", "one two"),
        ("y", "z"),
        ("w", "v"),
        ("a", "first"),
    ];
    assert_eq!(
        links(html),
        pairs.map(|(a, b)| (a.to_owned(), b.to_owned()))
    );
}

#[test]
fn pages_are_appended() {
    let options = HtmlOptions {
        keep_regions: true,
        ..HtmlOptions::default()
    };
    let mut extractor = HtmlExtractor::new(options);
    let mut out = Extracted::default();
    extractor.extract("<b>a</b>", &mut out);
    extractor.extract("<p>b <b>c</b>", &mut out);
    assert_eq!(out.text, "ab c");
    let spans: Vec<_> = out
        .regions
        .iter()
        .map(|r| (r.span.start, r.span.end))
        .collect();
    assert_eq!(spans, [(0, 1), (0, 1), (1, 4), (3, 4)]);
    out.clear();
    assert_eq!(out, Extracted::default());
}

#[test]
fn main_content_has_neither_title_nor_menus_nor_captions() {
    let sentence = "A sentence of the article, with commas, which is long enough. ";
    let paragraph = format!("<p>{}</p>", sentence.repeat(4));
    let html = format!(
        "<html><head><title>The title of this page &lt;b></title></head><body>\
         <nav><a href=a>Menu</a> <a href=b>Other</a></nav><article>{paragraph}\
         <figure><img src=x.jpg><figcaption>A caption.</figcaption></figure>\
         {paragraph}</article><footer>Imprint</footer></body></html>"
    );
    let options = HtmlOptions {
        content: Content::Main,
        keep_regions: true,
        ..HtmlOptions::default()
    };
    let mut out = Extracted::default();
    HtmlExtractor::new(options).extract(&html, &mut out);
    let paragraph = sentence.repeat(4);
    let paragraph = paragraph.trim();
    assert_eq!(out.text, format!("{paragraph}\n{paragraph}"));
    assert_eq!(out.remark, None);
    let kinds: Vec<RegionKind> = out.regions.iter().map(|region| region.kind).collect();
    assert_eq!(kinds, [RegionKind::Body]);
    assert!(text(&html).contains("A caption."));
}

#[test]
fn content_is_read_from_its_name() {
    for content in [Content::Full, Content::Main] {
        assert_eq!(content.name().parse::<Content>().unwrap(), content);
    }
    let error = "some".parse::<Content>().unwrap_err();
    assert_eq!(error.to_string(), "content: some is not one of full, main");
}
