//! The main content of a page: the article without menus, adverts and footers.
//!
//! The choice is made by dom_smoothie, which follows Mozilla's Readability. What it keeps
//! goes through our own scanner, so the rules of the text are the same as for full text,
//! except that captions of figures are left out.
//!
//! Measured on the 181 pages of html-articles (`tests/html_main.rs`): F1 .952 for what is
//! kept, .957 without captions, .945 with the title of the page in front. So the title,
//! which is no part of an article and carries the site's name more often than not, stays
//! out.

use super::{Remark, guard, lean};
use crate::panics::guarded;
use dom_smoothie::{Config, Readability};

/// The main content as HTML, or why there is none.
pub(super) fn main_content(
    html: &str,
    max_depth: u32,
    max_nodes: u64,
) -> Result<String, Remark> {
    let html = &lean::without_dropped(html);
    if let Some(remark) = guard::refuse(html, max_depth, max_nodes) {
        return Err(remark);
    }
    // A document is data: should the crate stumble over one, the full text is taken.
    let found = guarded(|| read(html, max_depth, max_nodes));
    found.unwrap_or(Err(Remark::NoMainContent))
}

fn read(html: &str, max_depth: u32, max_nodes: u64) -> Result<String, Remark> {
    let config = Config {
        // Only metadata that nobody asks for.
        disable_json_ld: true,
        ..Config::default()
    };
    let mut page = Readability::new(html, None, Some(config))
        .map_err(|_refused| Remark::NoMainContent)?;
    check_tree(&page, max_depth, max_nodes)?;
    let article = page.parse().map_err(|_refused| Remark::NoMainContent)?;
    if article.text_content.trim().is_empty() {
        return Err(Remark::NoMainContent);
    }
    Ok(article.content.to_string())
}

/// The guard counts before the tree is there; this counts the tree.
fn check_tree(page: &Readability, max_depth: u32, max_nodes: u64) -> Result<(), Remark> {
    if page.doc.tree.len() as u64 > max_nodes.saturating_mul(2) {
        return Err(Remark::MainTooManyNodes);
    }
    let mut node = page.doc.root();
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
