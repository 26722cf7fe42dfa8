//! Why documents are duplicates: every pair of a result is sorted into the first kind that
//! fits, by where its documents are and by how their texts differ.
//!
//! The kinds follow what Nikkhoo (2010) reports about near-duplicates of the web: the same page
//! under several URLs, mirrors, copied content, updates of pages, advertisements, forums; the
//! rest is divided by the texts. [`Address`] decides what addresses alone can decide, `text`
//! what only texts can; [`hosts`](HostPair) counts hosts with the same documents; [`sort`](sort()) goes
//! through a result. All limits are here or beside the rules, and in `docs/sources.md`.

mod address;
mod align;
mod draw;
mod forum;
pub(crate) mod hosts;
mod originals;
mod pairs;
mod sort;
mod tables;
mod tally;
mod text;
mod url;
mod version;

pub use address::{Address, ByAddress};
pub use forum::{is_discussion, is_forum_address};
pub use hosts::{HostPair, MIN_SHARED};
pub use originals::Originals;
pub use sort::{Options, PairTest, SortedPair, sort};
pub use tables::{SourcesTable, write_hosts};
pub use tally::{Example, KindCount, Sorted};
pub use text::{Hint, TextDifference};
pub use url::PageUrl;

/// The metadata field with the address of a document.
pub const URL_FIELD: &str = "url";

/// A kind of cause, in the order in which they are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CauseKind {
    /// The same page under two addresses.
    SamePage,
    /// On hosts that mirror each other.
    Mirror,
    /// On different hosts that do not.
    Copied,
    /// Views of a forum: threads, posts, quotes.
    Forum,
    /// The same page at another time or in another version.
    Update,
    /// Only the beginning, the end or the parts around the content differ.
    Periphery,
    /// The words are the same.
    Invisible,
    /// Passages were added, cut or moved.
    Body,
    /// None of these.
    Other,
    /// Only the texts could decide, and they are gone.
    Undecided,
}

impl CauseKind {
    /// All kinds, in order.
    pub const ALL: [CauseKind; 10] = [
        CauseKind::SamePage,
        CauseKind::Mirror,
        CauseKind::Copied,
        CauseKind::Forum,
        CauseKind::Update,
        CauseKind::Periphery,
        CauseKind::Invisible,
        CauseKind::Body,
        CauseKind::Other,
        CauseKind::Undecided,
    ];

    /// The name used in outputs.
    pub fn name(self) -> &'static str {
        match self {
            CauseKind::SamePage => "same-page",
            CauseKind::Mirror => "mirror",
            CauseKind::Copied => "copied",
            CauseKind::Forum => "forum",
            CauseKind::Update => "update",
            CauseKind::Periphery => "periphery",
            CauseKind::Invisible => "invisible",
            CauseKind::Body => "body",
            CauseKind::Other => "other",
            CauseKind::Undecided => "undecided",
        }
    }

    /// What it means, for people.
    pub fn meaning(self) -> &'static str {
        match self {
            CauseKind::SamePage => "the same page under two URLs",
            CauseKind::Mirror => "hosts that mirror each other",
            CauseKind::Copied => "copied to another host",
            CauseKind::Forum => "views of a forum: threads, posts, quotes",
            CauseKind::Update => "another version of the same page",
            CauseKind::Periphery => "other adverts, menus, dates around the same content",
            CauseKind::Invisible => "only punctuation, case or spacing differ",
            CauseKind::Body => "passages added, cut or moved",
            CauseKind::Other => "other words in the same text or template",
            CauseKind::Undecided => "only the texts could decide, and they were not read",
        }
    }

    /// Its place in `ALL`, for counters.
    fn number(self) -> usize {
        self as usize
    }
}

/// A kind and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// The kind.
    pub kind: CauseKind,
    /// What differs, in a few words.
    pub reason: String,
}

impl Verdict {
    /// A verdict with its reason.
    fn new(kind: CauseKind, reason: impl Into<String>) -> Self {
        Verdict {
            kind,
            reason: reason.into(),
        }
    }
}
