//! Parts of a page that are never its content: menus, footers, banners, search forms.
//!
//! Elements and roles of the HTML standard and of WAI-ARIA say so for most pages; the names
//! below for generators whose markup has neither.

use dom_query::{NodeId, NodeRef};

/// Classes. Whole names only: `footer-note` is something else.
const CLASSES: &[&str] = &[
    // Sphinx, Doxygen, GTK-Doc and many others
    "footer",
    // Sphinx: links to the previous and next page, and the column beside the text
    "related",
    "sphinxsidebar",
    // GTK-Doc and DocBook: a table of links above the text
    "navigation",
    // Javadoc: up to version 15, and since
    "topNav",
    "subNav",
    "bottomNav",
    "legalCopy",
    "top-nav",
    "sub-nav",
    "bottom-nav",
    "legal-copy",
];

/// Ids.
const IDS: &[&str] = &[
    // Doxygen: name of the project, menu and path of the page
    "titlearea",
    "side-nav",
    "nav-path",
    // Yahoo's page layout, as in the manual of Django: head and foot
    "hd",
    "ft",
    "footer",
];

/// Takes all boilerplate out of the tree, except what holds the declared content.
pub(super) fn remove(body: &NodeRef, declared: Option<&NodeRef>) {
    let mut above: Vec<NodeId> = Vec::new();
    if let Some(declared) = declared {
        above.push(declared.id);
        above.extend(declared.ancestors_it(None).map(|node| node.id));
    }
    let mut found = Vec::new();
    walk(body, |node| {
        if !is_boilerplate(&node) || above.contains(&node.id) {
            return Step::Into;
        }
        found.push(node);
        Step::Over
    });
    // Removed after the walk, which would lose its way in a tree that changes.
    for node in found {
        node.remove_from_parent();
    }
}

/// Whether a node is a part that is never content, by its element, role, class or id.
fn is_boilerplate(node: &NodeRef) -> bool {
    let Some(element) = node.element_ref() else {
        return false;
    };
    let by_name = match &*element.name.local {
        "nav" | "footer" | "search" | "aside" | "dialog" => true,
        // The head of the page; that of an article or section may hold its title.
        "header" => !node.ancestors_it(None).any(|above| {
            let names = ["main", "article", "section"];
            names.iter().any(|name| above.has_name(name))
                || above.attr("role").as_deref() == Some("main")
        }),
        _ => false,
    };
    by_name
        || element.attrs.iter().any(|attribute| {
            let value = &*attribute.value;
            match &*attribute.name.local {
                "role" => matches!(
                    value,
                    "navigation"
                        | "contentinfo"
                        | "banner"
                        | "search"
                        | "complementary"
                        | "dialog"
                ),
                "hidden" => true,
                "class" => value
                    .split_ascii_whitespace()
                    .any(|class| CLASSES.contains(&class)),
                "id" => IDS.contains(&value),
                _ => false,
            }
        })
}

/// Where a walk goes after a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// To its first child.
    Into,
    /// To what follows it.
    Over,
}

/// Goes through all nodes below a node, in the order of the page. Not recursive, since
/// pages can be nested deeply.
pub(super) fn walk<'a>(root: &NodeRef<'a>, mut visit: impl FnMut(NodeRef<'a>) -> Step) {
    let mut next = root.first_child();
    while let Some(mut node) = next {
        let step = visit(node);
        // Down, then to the side, then up until there is a side: every node is visited once.
        next = node.first_child().filter(|_child| step == Step::Into);
        while next.is_none() {
            next = node.next_sibling();
            if next.is_none() {
                match node.parent() {
                    Some(parent) if parent.id != root.id => node = parent,
                    _ => return,
                }
            }
        }
    }
}
