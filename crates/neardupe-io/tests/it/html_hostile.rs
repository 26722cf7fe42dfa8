//! Pages made to hurt: time stays linear in the length, and nothing overflows.

use crate::html_common::{cpu_time, extract, pages, say};
use neardupe_io::extract::{Content, Extracted, HtmlExtractor, HtmlOptions, Remark};
use proptest::prelude::*;
use std::time::{Duration, Instant};

/// What comes first, and what is repeated.
const PATTERNS: [(&str, &str); 36] = [
    ("", "<div>"),
    ("", "</div>"),
    ("", "<b>x"),
    ("", "<a href=x>y"),
    ("", "<script>"),
    ("", "<script"),
    ("", "<script></script>"),
    ("<script><!--", "<script></script>"),
    ("<script>", "<!--"),
    ("<script><!--", "-->"),
    ("<title>", "</title"),
    ("<title>", "</"),
    ("<style>", "</\0"),
    ("", "<!--"),
    ("<!--", "--"),
    ("<!--", ">"),
    ("", "<!-- -->"),
    ("", "<a"),
    ("<a ", "b=\""),
    ("<a ", "b "),
    ("<a b=", "c"),
    ("<a href='", "&amp"),
    ("<a", "x"),
    ("", "&"),
    ("", "&a"),
    ("", "&amp"),
    ("&#", "0"),
    ("&#x", "f"),
    ("", "&#"),
    ("", "<"),
    ("", "</"),
    ("", "<?"),
    ("<svg>", "<![CDATA["),
    ("", "<svg>"),
    ("", "<template>"),
    ("", " \u{A0}\n"),
];

fn page((first, repeated): (&str, &str), length: usize) -> String {
    first.to_owned() + &repeated.repeat(length / repeated.len())
}

fn options(content: Content) -> HtmlOptions {
    HtmlOptions {
        content,
        keep_regions: true,
        keep_links: true,
        ..HtmlOptions::default()
    }
}

/// The shortest of three times: others use the machine too.
fn time(html: &str, content: Content) -> Duration {
    let times = (0..3).map(|_| {
        let mut out = Extracted::default();
        let start = cpu_time();
        HtmlExtractor::new(options(content)).extract(html, &mut out);
        cpu_time() - start
    });
    times.min().unwrap()
}

/// Four times the length may take four times as long, or a little more; the square would
/// be sixteen times.
#[test]
fn time_is_linear_in_the_length() {
    let length = 1 << 18;
    for pattern in PATTERNS {
        for content in [Content::Full, Content::Main] {
            let short = time(&page(pattern, length), content);
            let long = time(&page(pattern, 4 * length), content);
            // Below some milliseconds the clock and the caches decide.
            let allowed = 10 * short.max(Duration::from_millis(20));
            assert!(
                long < allowed,
                "{pattern:?} {content:?}: {short:?}, four times as long: {long:?}"
            );
        }
    }
}

#[test]
#[ignore = "100 MB of each pattern, in a release build"]
fn very_long_pages_take_seconds() {
    for pattern in PATTERNS {
        let html = page(pattern, 100 << 20);
        let mut out = Extracted::default();
        let start = cpu_time();
        HtmlExtractor::new(options(Content::Main)).extract(&html, &mut out);
        let took = cpu_time() - start;
        say(&format!("{pattern:?}: {took:?}"));
        assert!(took < Duration::from_secs(30), "{pattern:?}: {took:?}");
    }
}

#[test]
fn deep_nesting_gives_the_full_text_and_a_remark() {
    for name in [
        "div",
        "span",
        "b",
        "svg",
        "table",
        "x",
        "p id=1",
        "blockquote",
    ] {
        let html = format!("<{name}>").repeat(20_000) + "text";
        let out = extract(&html, Content::Main);
        // Paragraphs end where the next one begins.
        let deep = (name != "p id=1").then_some(Remark::MainTooDeep);
        assert_eq!((out.text.as_str(), out.remark), ("text", deep), "{name}");
    }
    let many = "<br>".repeat(1_000_001) + "text";
    let out = extract(&many, Content::Main);
    assert_eq!(out.text, "text");
    assert_eq!(out.remark, Some(Remark::MainTooManyNodes));
    let empty = extract("", Content::Main);
    assert_eq!(empty.remark, Some(Remark::NoMainContent));
}

/// Pages within the limits that are as hard as they can be for the tree builder and the
/// search for the main content.
#[test]
fn pages_within_the_limits_take_no_minutes() {
    let nested = |tag: &str, depth: usize, inside: &str| {
        let name = tag.split(' ').next().unwrap();
        let end = format!("</{name}>");
        format!("<{tag}>").repeat(depth) + inside + &end.repeat(depth)
    };
    let sentence = "A sentence, with commas, of a length that counts as a paragraph. ";
    let paragraph = format!("<p>{sentence}{sentence}</p>");
    let formatting: String = (0..400).map(|n| format!("<font size={n}>")).collect();
    let cases = [
        ("nested spans", nested("span", 500, "x").repeat(30)),
        (
            "nested divs with paragraphs",
            nested("div", 480, &paragraph).repeat(20),
        ),
        (
            "paragraphs at every depth",
            format!("<div>{paragraph}").repeat(480),
        ),
        (
            "many siblings",
            format!("<div>{sentence}</div>").repeat(20_000),
        ),
        ("many paragraphs", paragraph.repeat(20_000)),
        ("many breaks", "x<br> <br>\n<br>".repeat(20_000)),
        ("many links", "<a href=x>link</a> ".repeat(50_000)),
        ("many tables", "<table><tr><td>x</table>".repeat(20_000)),
        (
            "long attribute",
            format!("<div class='{}'>x", "a ".repeat(500_000)),
        ),
        ("tag without end", {
            let names: String = (0..200_000).map(|n| format!(" a{n}")).collect();
            format!("{paragraph}<div{names}")
        }),
        ("many attributes", {
            let names: String = (0..5_000).map(|n| format!(" a{n}=b")).collect();
            format!("<div{names}>x")
        }),
        (
            "formatting left open",
            formatting + &paragraph.repeat(2_000),
        ),
        ("misnested", "<b><p><i></b>x</i>".repeat(5_000)),
        ("long text", format!("<p>{}", sentence.repeat(20_000))),
        (
            "images",
            "<noscript><img src=x></noscript><img src=y>".repeat(10_000),
        ),
        ("lists", "<ul><li><a href=x>x</a><li>y</ul>".repeat(10_000)),
    ];
    for (name, html) in cases {
        let start = Instant::now();
        let out = extract(&html, Content::Main);
        let took = start.elapsed();
        let length = html.len() / 1000;
        say(&format!(
            "{name}: {length} kB in {took:?}, {:?}",
            out.remark
        ));
        assert!(took < Duration::from_secs(60), "{name}: {took:?}");
    }
}

/// What lies beneath the remark on a page with nothing in it: nothing may end the program.
#[test]
fn changed_pages_never_panic() {
    let Some(pages) = pages("html-articles", "changed pages") else {
        return;
    };
    // Short ones, as the tests are many.
    let mut pages: Vec<&str> = pages
        .iter()
        .map(|page| page["html"].as_str().unwrap())
        .collect();
    pages.sort_by_key(|page| page.len());
    pages.truncate(20);
    let change = (
        any::<prop::sample::Index>(),
        0usize..2000,
        "[<>/a-z\"'&!-]{0,12}",
    );
    let changes = prop::collection::vec(change, 1..20);
    let strategy = (any::<prop::sample::Index>(), changes);
    let config = ProptestConfig {
        cases: 100,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    proptest!(config, |((page, changes) in strategy)| {
        let mut html = pages[page.index(pages.len())].to_owned();
        for (place, length, new) in changes {
            let boundary = |at| (at..=html.len()).find(|&at| html.is_char_boundary(at));
            let start = boundary(place.index(html.len() + 1)).unwrap();
            let end = boundary((start + length).min(html.len())).unwrap();
            html.replace_range(start..end, &new);
        }
        for content in [Content::Full, Content::Main] {
            let mut out = Extracted::default();
            HtmlExtractor::new(options(content)).extract(&html, &mut out);
            spans_are_sound(&out);
        }
    });
}

/// Spans slice the text, are not empty, and have no white space at their ends.
fn spans_are_sound(out: &Extracted) {
    let regions = out.regions.iter().map(|region| region.span);
    let links = out.links.iter().map(|link| link.span);
    for span in regions.chain(links) {
        let text = &out.text[span.start..span.end];
        assert!(!text.is_empty());
        assert_eq!(text, text.trim());
    }
    let starts = out.regions.iter().map(|region| region.span.start);
    assert!(starts.is_sorted());
    assert_eq!(out.text, out.text.trim());
    assert!(!out.text.contains("\n\n") && !out.text.contains("  "));
}
