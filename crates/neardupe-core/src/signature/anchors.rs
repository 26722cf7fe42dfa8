//! The texts of links, as features of the documents that they point to.
//!
//! The variant `tagged` of simhash weighs them like headings of the page itself: what others call
//! a page says what it is about. `pipeline/codes` reads all links first and makes [`Anchors`] of
//! them; [`Coder`](super::Coder) looks them up for each document.

use crate::hash;

/// Features by the address that they point to: sorted rows, found by binary search. They are held
/// in memory, 24 bytes an occurrence.
#[derive(Debug, Default)]
pub struct Anchors {
    /// Addresses and features, in order.
    rows: Vec<(u64, u64)>,
    /// The features alone, in the same order: the slices that are returned.
    features: Vec<u64>,
}

/// Seed of the hashes of addresses, and where the identity begins.
const SEED: u64 = 0x616e_6368_6f72_7301;

impl Anchors {
    /// Anchors of rows of [`address_hash`] and feature, in any order.
    pub fn new(mut rows: Vec<(u64, u64)>) -> Self {
        // In order of features too: equal links from different pages come together, and neither
        // codes nor the identity depend on the order in which pages were read.
        rows.sort_unstable();
        // A copy of one column, so that `of` can return a slice.
        let features = rows.iter().map(|&(_, feature)| feature).collect();
        Anchors { rows, features }
    }

    /// The features of the texts that point to an address, each as often as it occurs.
    pub fn of(&self, address: Option<&str>) -> &[u64] {
        let Some(address) = address else { return &[] };
        let wanted = address_hash(address);
        let start = self.rows.partition_point(|&(address, _)| address < wanted);
        let end = self.rows.partition_point(|&(address, _)| address <= wanted);
        &self.features[start..end]
    }

    /// A name that changes with the content.
    pub fn identity(&self) -> u64 {
        let rows = self.rows.iter();
        rows.fold(SEED, |hash, &(address, feature)| {
            hash::mix(hash::mix(hash ^ address) ^ feature)
        })
    }

    /// How many occurrences there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

/// An address as a number. Scheme, fragment and a slash at the end do not matter:
/// `http://a.b/c/#top` and `https://a.b/c` are the same page to most sites.
pub fn address_hash(address: &str) -> u64 {
    let page = address.split('#').next().unwrap_or_default();
    let plain = page.split_once("://").map_or(page, |(_, rest)| rest);
    hash::bytes(plain.trim_end_matches('/').as_bytes(), SEED)
}

/// The address that a link on a page leads to, much as in RFC 3986, section 5.2; none when it leads
/// to no page: a fragment of the same page, `mailto:`, `javascript:` and the like, or a relative
/// link on a page whose own address has no scheme.
pub fn resolve(page: &str, link: &str) -> Option<String> {
    let link = link.trim().split('#').next().unwrap_or_default();
    if link.is_empty() {
        return None;
    }
    // A colon may also stand in a path or query; before it there are then characters that no scheme
    // has, such as a slash.
    if let Some((scheme, _)) = link.split_once(':')
        && scheme
            .chars()
            .all(|ch| ch.is_ascii_alphanumeric() || "+-.".contains(ch))
    {
        return link.contains("://").then(|| link.to_owned());
    }
    let (scheme, rest) = page.split_once("://")?;
    // The cases of a reference, from the one that takes least from the page's address to the one
    // that takes most: scheme; scheme and host; all but the query; the folder.
    let host_end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (host, path) = rest.split_at(host_end);
    if let Some(rest) = link.strip_prefix("//") {
        return Some(format!("{scheme}://{rest}"));
    }
    if link.starts_with('/') {
        return Some(format!("{scheme}://{host}{}", without_dots(link)));
    }
    let path = path.split(['?', '#']).next().unwrap_or_default();
    if link.starts_with('?') {
        return Some(format!("{scheme}://{host}{path}{link}"));
    }
    let folder = path.rfind('/').map_or("/", |slash| &path[..=slash]);
    let joined = format!("{folder}{link}");
    Some(format!("{scheme}://{host}{}", without_dots(&joined)))
}

/// A path without `.` and `..`.
fn without_dots(path: &str) -> String {
    let (path, query) = match path.split_once('?') {
        None => (path, None),
        Some((path, query)) => (path, Some(query)),
    };
    let mut parts: Vec<&str> = Vec::new();
    let mut is_folder = false;
    for part in path.split('/').skip(1) {
        // The last part decides whether the path ends with a slash.
        is_folder = matches!(part, "" | "." | "..");
        match part {
            "" | "." => {}
            ".." => {
                // Above the root there is nothing: `/../a` is `/a`.
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    let mut plain = format!("/{}", parts.join("/"));
    if is_folder && plain.len() > 1 {
        plain.push('/');
    }
    match query {
        None => plain,
        Some(query) => format!("{plain}?{query}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_where_a_browser_would_go() {
        let page = "http://example.org/a/b/c.html?x=1#top";
        for (link, expected) in [
            ("d.html", "http://example.org/a/b/d.html"),
            ("./d.html#part", "http://example.org/a/b/d.html"),
            ("../d.html", "http://example.org/a/d.html"),
            ("../../../d/", "http://example.org/d/"),
            ("/d?y=2", "http://example.org/d?y=2"),
            ("?y=2", "http://example.org/a/b/c.html?y=2"),
            ("//other.org/d", "http://other.org/d"),
            ("https://other.org/d", "https://other.org/d"),
        ] {
            assert_eq!(resolve(page, link).as_deref(), Some(expected), "{link}");
        }
        for link in ["", "#top", "mailto:a@example.org", "javascript:void(0)"] {
            assert_eq!(resolve(page, link), None, "{link}");
        }
        assert_eq!(resolve("no address", "d.html"), None);
    }

    #[test]
    fn texts_are_found_by_address() {
        let rows = [
            ("http://a.org/x", 7),
            ("http://a.org/y", 8),
            ("http://a.org/x", 9),
        ];
        let rows = rows.map(|(address, feature)| (address_hash(address), feature));
        let anchors = Anchors::new(rows.to_vec());
        assert_eq!(anchors.of(Some("https://a.org/x/#part")), [7, 9]);
        assert!(anchors.of(Some("http://a.org/z")).is_empty());
        assert!(anchors.of(None).is_empty());
        assert_eq!((anchors.len(), anchors.is_empty()), (3, false));
    }
}
