//! The main content of a page: the article without menus, adverts and footers.
//!
//! 1. Menus, footers and the like are removed (`boilerplate`).
//! 2. The region to choose in is the content that the page declares: its `main` element or
//!    `role="main"`, else its only `article`, else the whole body.
//! 3. A region with little text is the main content itself: statistics of paragraphs have
//!    nothing to work with there, and take the footer of a short page for its article. So
//!    is the region of a page that names a documentation generator: its tables, lists and
//!    examples are content, and it has no adverts.
//! 4. In others dom_smoothie chooses, which follows Mozilla's Readability. Where it takes a
//!    small share, a declared region is the main content itself; without one, the full text
//!    is taken, with a remark.
//!
//! What is chosen goes through our own scanner, so the rules of the text are the same as
//! for full text, except that captions of figures are left out.
//!
//! Measured on the 181 pages of html-articles (`tests/it/html_main.rs`), F1 of runs of four
//! words: .957 for Readability alone, without captions (.952 with them, .945 with the title
//! of the page in front, which is no part of an article); .959 with steps 1 and 2, and
//! .9575 with all four. Always taking the declared region gives .908, taking it below 1,500
//! characters .949, and where Readability keeps less than half of it .947: news sites put
//! lists of other articles into `main`. The manuals of `tests/it/html_manuals.rs` would gain
//! from larger limits, but by less than a point each.

use super::{Remark, boilerplate, guard, lean};
use crate::panics::guarded;
use boilerplate::Step;
use dom_query::{Document, NodeRef};
use dom_smoothie::{Config, Readability};

/// Characters, without white space, below which a region is taken as it is.
const SHORT_REGION: usize = 800;

/// Names with which `<meta name=generator>` begins in pages of manuals, in lower case.
const MANUAL_GENERATORS: &[&str] = &[
    "docusaurus",
    "docutils",
    "doxygen",
    "gtk-doc",
    "javadoc",
    "mkdocs",
    "rustdoc",
    "sphinx",
];

/// A choice is too small below one part in this many of what it was chosen from.
const SMALL_PART: usize = 20;

/// A choice of fewer characters is too small below half.
const SHORT_CHOICE: usize = 300;

/// The main content as HTML, or why there is none.
pub(super) fn main_content(
    html: &str,
    max_depth: u32,
    max_nodes: u64,
) -> Result<String, Remark> {
    let html = &lean::without_dropped(html);
    // Before a tree is built: the builder needs quadratic time for some pages, and nothing could stop it.
    if let Some(remark) = guard::refuse(html, max_depth, max_nodes) {
        return Err(remark);
    }
    // A document is data: should the crate stumble over one, the full text is taken.
    let found = guarded(|| read(html, max_depth, max_nodes));
    found.unwrap_or(Err(Remark::NoMainContent))
}

/// Builds the tree and chooses. The limits have been checked on the tags, and are checked again
/// on the tree.
fn read(html: &str, max_depth: u32, max_nodes: u64) -> Result<String, Remark> {
    let document = Document::from(html);
    // The tree may have more nodes than tags: the builder adds and repeats elements (the adoption agency
    // algorithm of the standard).
    check_tree(&document, max_depth, max_nodes)?;
    let Some(body) = document.body() else {
        return Err(Remark::NoMainContent);
    };
    let declared = declared_region(&body);
    boilerplate::remove(&body, declared.as_ref());
    // Boilerplate inside may have been all that it had.
    let declared = declared.filter(|region| has_text(region));
    let region = declared.unwrap_or(body);
    // Characters without white space, since indented markup has more white space than text.
    let num_region = num_characters(&region.text());
    let is_content = num_region < SHORT_REGION || is_manual(&document);
    if num_region > 0 && is_content {
        return Ok(region.html().to_string());
    }
    // Kept as HTML now, because Readability takes the tree apart.
    let region_html = declared.map(|region| region.html().to_string());
    if declared.is_some() {
        region.remove_from_parent();
        body.remove_children();
        body.append_child(&region);
    }
    let chosen = readability(document).and_then(|(html, num_chosen)| {
        if is_too_small(num_chosen, num_region) {
            Err(Remark::MainTooSmall)
        } else {
            Ok(html)
        }
    });
    match region_html {
        Some(region_html) => Ok(chosen.unwrap_or(region_html)),
        None => chosen,
    }
}

/// Whether a choice is so small that something else than the content must have been chosen.
fn is_too_small(num_chosen: usize, num_all: usize) -> bool {
    num_chosen * SMALL_PART < num_all
        || num_chosen < SHORT_CHOICE && num_chosen * 2 < num_all
}

/// What Readability keeps of a document, as HTML, and its number of characters.
fn readability(document: Document) -> Result<(String, usize), Remark> {
    let config = Config {
        // Only metadata that nobody asks for.
        disable_json_ld: true,
        ..Config::default()
    };
    let mut page = Readability::with_document(document, None, Some(config))
        .map_err(|_refused| Remark::NoMainContent)?;
    let article = page.parse().map_err(|_refused| Remark::NoMainContent)?;
    let size = num_characters(&article.text_content);
    if size == 0 {
        return Err(Remark::NoMainContent);
    }
    Ok((article.content.to_string(), size))
}

/// The element that the page declares as its content: the only `main`, or where there is
/// none, the only `article`. Of several, none is more likely than the others.
fn declared_region<'a>(body: &NodeRef<'a>) -> Option<NodeRef<'a>> {
    let is_main = |node: &NodeRef| {
        node.has_name("main") || node.attr("role").as_deref() == Some("main")
    };
    let mains = outermost(body, is_main);
    match mains.as_slice() {
        [] => {}
        &[only] => return Some(only),
        _ => return None,
    }
    match outermost(body, |node| node.has_name("article")).as_slice() {
        &[only] => Some(only),
        _ => None,
    }
}

/// Whether the page names a documentation generator.
fn is_manual(document: &Document) -> bool {
    let mut is_manual = false;
    for node in document.head().iter().flat_map(NodeRef::children) {
        let is_generator = |name: &str| name.eq_ignore_ascii_case("generator");
        if node.has_name("meta") && node.attr("name").as_deref().is_some_and(is_generator)
        {
            let content = node.attr_or("content", "").trim().to_ascii_lowercase();
            is_manual |= MANUAL_GENERATORS
                .iter()
                .any(|name| content.starts_with(name));
        }
    }
    is_manual
}

/// Elements with text that are of a kind and not inside another of it.
fn outermost<'a>(
    body: &NodeRef<'a>,
    is_wanted: impl Fn(&NodeRef<'a>) -> bool,
) -> Vec<NodeRef<'a>> {
    let mut found = Vec::new();
    boilerplate::walk(body, |node| {
        if !node.is_element() || !is_wanted(&node) {
            return Step::Into;
        }
        if has_text(&node) {
            found.push(node);
        }
        Step::Over
    });
    found
}

/// Whether an element has text besides white space.
fn has_text(node: &NodeRef) -> bool {
    num_characters(&node.text()) > 0
}

/// Characters without white space.
fn num_characters(text: &str) -> usize {
    text.chars().filter(|char| !char.is_whitespace()).count()
}

/// The guard counts before the tree is there; this counts the tree.
fn check_tree(document: &Document, max_depth: u32, max_nodes: u64) -> Result<(), Remark> {
    if document.tree.len() as u64 > max_nodes.saturating_mul(2) {
        return Err(Remark::MainTooManyNodes);
    }
    // Without recursion: the depth is what is to be limited, and the stack would end before
    // it.
    let mut node = document.root();
    let mut depth = 0;
    loop {
        if let Some(child) = node.first_child() {
            node = child;
            depth += 1;
            if depth > max_depth.saturating_add(8) {
                return Err(Remark::MainTooDeep);
            }
            continue;
        }
        loop {
            if let Some(next) = node.next_sibling() {
                node = next;
                break;
            }
            match node.parent() {
                Some(parent) => node = parent,
                None => return Ok(()),
            }
            depth -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Content, Extracted, HtmlExtractor, HtmlOptions};
    use super::*;

    fn extract(html: &str) -> Extracted {
        let options = HtmlOptions {
            content: Content::Main,
            ..HtmlOptions::default()
        };
        let mut out = Extracted::default();
        HtmlExtractor::new(options).extract(html, &mut out);
        out
    }

    const FOOTER: &str = "Copyright 2001-2024, the authors of the manual, who ask for \
        donations, since they live on them, and on nothing else. Please donate, and help \
        to improve this page. Last updated in March, with the usual tools, in a hurry.";

    #[test]
    fn a_footer_is_never_the_content() {
        let footers = [
            format!("<footer><p>{FOOTER}</p></footer>"),
            format!("<div role=contentinfo><p>{FOOTER}</p></div>"),
            format!("<div class='footer'><p>{FOOTER}</p></div>"),
            format!("<nav><p>{FOOTER}</p></nav>"),
        ];
        for footer in footers {
            let short = "<h1>m.f</h1><p>Gives m.</p>";
            let pages = [
                format!("<div><div role=main>{short}</div></div>{footer}"),
                format!("<main>{short}{footer}</main>"),
                format!("<article>{short}</article>{footer}"),
                format!("<div>{short}</div>{footer}"),
            ];
            for page in pages {
                let out = extract(&page);
                assert_eq!(out.text, "m.f\nGives m.", "{page}");
                assert_eq!(out.remark, None);
            }
        }
    }

    #[test]
    fn what_holds_the_declared_content_is_no_boilerplate() {
        let page = "<div class=footer><nav>a</nav><main><p>b</p></main></div>";
        assert_eq!(extract(page).text, "b");
        // The only text there is, whatever it is in.
        let page = "<main><nav>a</nav></main><div>b</div>";
        assert_eq!(extract(page).text, "b");
    }

    #[test]
    fn a_small_share_is_not_taken() {
        let rows: String = (0..1000)
            .map(|n| format!("<tr><td>{n}<td>name{n}<td>value of number {n}"))
            .collect();
        // Readability passes over a comment, as it calls it, once it has 500 characters.
        let notice = format!("<div><p>{FOOTER}</p><p>{FOOTER}</p><p>{FOOTER}</p></div>");
        let page = format!("<div class=comment><table>{rows}</table></div>{notice}");
        let out = extract(&page);
        assert_eq!(out.remark, Some(Remark::MainTooSmall));
        assert!(out.text.contains("name99"));
        assert_eq!(out.full, None);
        // Where it is declared, the table is the content.
        let out = extract(&format!(
            "<main><table>{rows}</table></main><p>{FOOTER}</p>"
        ));
        assert_eq!(out.remark, None);
        assert!(out.text.contains("name99"));
        assert!(!out.text.contains("Copyright"));
        assert!(out.full.is_some());
    }
}
