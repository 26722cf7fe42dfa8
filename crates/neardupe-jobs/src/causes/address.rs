//! What the addresses of two documents alone say about why they are duplicates.
//!
//! A document's address is its URL where the record has one, else its id, which in crawls is
//! often the URL. Pages of web archives are compared by the page that was archived; the archive's
//! time makes two captures of one page two versions. Documents whose ids are paths of files are
//! compared by the names of these files.

use super::forum;
use super::url::PageUrl;
use super::version::{are_version_parameters, are_versions};
use neardupe_io::fetch::numbered_id;

/// Where a document is: an address of the web, or whatever its id is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// Of the web; of a page in a web archive, that of the page.
    Page {
        /// The address.
        page: Box<PageUrl>,
        /// Its address in the archive.
        archived: Option<String>,
    },
    /// An id that is not an address: the path of a file, a number.
    Name(String),
}

/// What two addresses say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ByAddress {
    /// Two addresses of one page, and in what they differ.
    Variant(String),
    /// The very same address.
    Same,
    /// Different hosts.
    OtherHost {
        /// Whether path and parameters are the same.
        same_path: bool,
    },
    /// Views of the same forum, and which.
    Forum(&'static str),
    /// Another version of the same page.
    Version,
    /// Nothing.
    Nothing,
}

impl Address {
    /// The address of a document: its URL if it has one, else what its id says.
    pub fn new(id: &str, url: Option<&str>) -> Self {
        // The second document with an id is called `id#2`.
        let plain = numbered_id(id).map_or(id, |(plain, _)| plain);
        let page = url.and_then(page).or_else(|| page(plain));
        page.unwrap_or_else(|| Address::Name(plain.to_owned()))
    }

    /// The host, if there is one.
    pub fn host(&self) -> Option<&str> {
        match self {
            Address::Page { page, .. } => Some(page.host()),
            Address::Name(_) => None,
        }
    }

    /// The URL, if there is one.
    pub fn url(&self) -> Option<&str> {
        match self {
            Address::Page { page, archived } => {
                Some(archived.as_deref().unwrap_or(page.raw()))
            }
            Address::Name(_) => None,
        }
    }

    /// What this and another address say.
    pub fn compare(&self, other: &Self) -> ByAddress {
        match (self, other) {
            (
                Address::Page {
                    page: one,
                    archived: before,
                },
                Address::Page {
                    page: two,
                    archived: after,
                },
            ) => match compare_pages(one, two) {
                // The same page at another time.
                ByAddress::Same | ByAddress::Variant(_) if before != after => {
                    ByAddress::Version
                }
                known => known,
            },
            (Address::Name(one), Address::Name(two)) => compare_names(one, two),
            _ => ByAddress::Nothing,
        }
    }
}

/// The address of a page, unpacked from that of an archive; None if it is not of the web.
fn page(url: &str) -> Option<Address> {
    let inner = unarchived(url);
    let page = Box::new(PageUrl::parse(inner.unwrap_or(url))?);
    let archived = inner.map(|_| url.to_owned());
    Some(Address::Page { page, archived })
}

/// The address of an archived page, where an archive names its pages as most do:
/// `http://web.archive.org/web/20120111012843/http://a.org/`.
fn unarchived(url: &str) -> Option<&str> {
    let path = url.split_once("://")?.1;
    let at = path.find("/http://").or_else(|| path.find("/https://"))?;
    let (before, inner) = (&path[..at], &path[at + 1..]);
    let time = before.rsplit('/').next()?;
    // Some say after the time how the page is shown: `20120111012843id_`.
    let digits = time.bytes().take_while(u8::is_ascii_digit).count();
    // A day, a minute or a second; other numbers are parts of a path.
    matches!(digits, 8 | 12 | 14).then_some(inner)
}

/// In the order of what decides most: the same page under two addresses, other hosts, views of
/// one forum, two versions. What is left can only be decided by the texts.
fn compare_pages(one: &PageUrl, two: &PageUrl) -> ByAddress {
    if let Some(differs) = one.variant_of(two) {
        return if differs.is_empty() {
            ByAddress::Same
        } else {
            ByAddress::Variant(differs.join(", "))
        };
    }
    if one.host() != two.host() {
        return ByAddress::OtherHost {
            same_path: one.same_path(two),
        };
    }
    if let Some(views) = forum::views(one, two) {
        return ByAddress::Forum(views);
    }
    let same_path = one.path() == two.path();
    let is_version = if one.query() == two.query() {
        are_versions(one.path(), two.path())
    } else {
        same_path && are_version_parameters(one.query(), two.query())
    };
    if is_version {
        ByAddress::Version
    } else {
        ByAddress::Nothing
    }
}

/// Compares names by the parts between slashes of either kind.
fn compare_names(one: &str, two: &str) -> ByAddress {
    let parts = |name: &str| -> Vec<String> {
        name.split(['/', '\\']).map(str::to_owned).collect()
    };
    match () {
        () if one == two => ByAddress::Same,
        () if are_versions(&parts(one), &parts(two)) => ByAddress::Version,
        () => ByAddress::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compare(one: &str, two: &str) -> ByAddress {
        let [one, two] = [one, two].map(|id| Address::new(id, None));
        assert_eq!(one.compare(&two), two.compare(&one));
        one.compare(&two)
    }

    #[test]
    fn what_addresses_say() {
        let cases = [
            ("http://a.org/b", "http://a.org/b#2", ByAddress::Same),
            ("harbour", "harbour#3", ByAddress::Same),
            (
                "http://a.org/b",
                "https://www.a.org/b/",
                ByAddress::Variant("scheme, www, slashes".to_owned()),
            ),
            (
                "http://a.org/b",
                "http://b.org/b",
                ByAddress::OtherHost { same_path: true },
            ),
            (
                "http://a.org/b",
                "http://b.org/c",
                ByAddress::OtherHost { same_path: false },
            ),
            (
                "http://a.org/forum/viewtopic.php?t=1",
                "http://a.org/forum/viewtopic.php?t=1&p=2",
                ByAddress::Forum("two views of one thread"),
            ),
            (
                "http://a.org/docs/13/x.html",
                "http://a.org/docs/14/x.html",
                ByAddress::Version,
            ),
            (
                "http://a.org/w/index.php?title=Oslo",
                "http://a.org/w/index.php?title=Oslo&oldid=7",
                ByAddress::Version,
            ),
            (
                "http://web.archive.org/web/20120111012843/http://a.org/b",
                "http://web.archive.org/web/20130214000000id_/https://a.org:80/b",
                ByAddress::Version,
            ),
            (
                "http://web.archive.org/web/20120111012843/http://a.org/b",
                "http://a.org/b",
                ByAddress::Version,
            ),
            (
                "http://web.archive.org/web/20120111012843/http://a.org/b",
                "http://web.archive.org/web/20120111012843/http://b.org/b",
                ByAddress::OtherHost { same_path: true },
            ),
            (
                "http://a.org/login?to/http://a.org/b",
                "http://a.org/login?to/http://a.org/c",
                ByAddress::Nothing,
            ),
            ("pg13/x.txt", "pg14/x.txt", ByAddress::Version),
            ("a", "b", ByAddress::Nothing),
            ("a", "http://a.org/", ByAddress::Nothing),
            ("http://a.org/b", "http://a.org/c", ByAddress::Nothing),
        ];
        for (one, two, expected) in cases {
            assert_eq!(compare(one, two), expected, "{one} {two}");
        }
    }

    #[test]
    fn the_field_counts_more_than_the_id() {
        let address = Address::new("urn:uuid:1", Some("http://www.a.org/b"));
        assert_eq!(address.host(), Some("a.org"));
        let broken = Address::new("doc-1", Some("not an address"));
        assert_eq!(broken, Address::Name("doc-1".to_owned()));
    }
}
