//! The texts of links, as features of the documents that they point to.

use crate::hash;

/// Features by the address that they point to.
#[derive(Debug, Default)]
pub struct Anchors {
    /// Addresses and features, in order.
    rows: Vec<(u64, u64)>,
    /// What is read by address.
    features: Vec<u64>,
}

const SEED: u64 = 0x616e_6368_6f72_7301;

impl Anchors {
    /// Anchors of rows of [`address_hash`] and feature, in any order.
    pub fn new(mut rows: Vec<(u64, u64)>) -> Self {
        rows.sort_unstable();
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

/// An address as a number: scheme, fragment and a slash at the end do not matter.
pub fn address_hash(address: &str) -> u64 {
    let plain = address.split('#').next().unwrap_or_default();
    let plain = plain.split_once("://").map_or(plain, |(_, rest)| rest);
    hash::bytes(plain.trim_end_matches('/').as_bytes(), SEED)
}

/// The address that a link on a page leads to; none when it leads to no page.
pub fn resolve(page: &str, link: &str) -> Option<String> {
    let link = link.trim();
    let link = link.split('#').next().unwrap_or_default();
    if link.is_empty() {
        return None;
    }
    if let Some((scheme, _)) = link.split_once(':')
        && scheme
            .chars()
            .all(|ch| ch.is_ascii_alphanumeric() || "+-.".contains(ch))
    {
        return link.contains("://").then(|| link.to_owned());
    }
    let (scheme, rest) = page.split_once("://")?;
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
        is_folder = matches!(part, "" | "." | "..");
        match part {
            "" | "." => {}
            ".." => {
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
