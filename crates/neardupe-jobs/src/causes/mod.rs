//! Why documents are duplicates: every pair of a result is sorted into the first kind that
//! fits, by where its documents are and by how their texts differ.
//!
//! The kinds follow what Nikkhoo (2010) tells of near-duplicates of the web: the same page
//! under several URLs, mirrors, copied content, updates of pages, advertisements, forums; with
//! what is left told apart by the texts. [`Address`] tells what addresses alone tell, `text`
//! what texts tell; [`hosts`](HostPair) counts hosts with the same documents; [`sort`] goes
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
pub use sort::{Options, PairTest, Row, sort};
pub use tables::{SourcesTable, write_hosts};
pub use tally::{Example, KindCount, Sorted};
pub use text::{Difference, Hint};
pub use url::PageUrl;

/// The metadata field that tells where a document comes from.
pub const URL_FIELD: &str = "url";

/// A kind of cause, in the order in which they are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
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
    /// Only the beginning, the end or what stands around the content differs.
    Periphery,
    /// The words are the same.
    Invisible,
    /// Passages were added, cut or moved.
    Body,
    /// None of these.
    Other,
    /// It takes the texts to tell, and they are gone.
    Undecided,
}

impl Kind {
    /// All kinds, in order.
    pub const ALL: [Kind; 10] = [
        Kind::SamePage,
        Kind::Mirror,
        Kind::Copied,
        Kind::Forum,
        Kind::Update,
        Kind::Periphery,
        Kind::Invisible,
        Kind::Body,
        Kind::Other,
        Kind::Undecided,
    ];

    /// The name used in outputs.
    pub fn name(self) -> &'static str {
        match self {
            Kind::SamePage => "same-page",
            Kind::Mirror => "mirror",
            Kind::Copied => "copied",
            Kind::Forum => "forum",
            Kind::Update => "update",
            Kind::Periphery => "periphery",
            Kind::Invisible => "invisible",
            Kind::Body => "body",
            Kind::Other => "other",
            Kind::Undecided => "undecided",
        }
    }

    /// What it means, for people.
    pub fn meaning(self) -> &'static str {
        match self {
            Kind::SamePage => "the same page under two URLs",
            Kind::Mirror => "hosts that mirror each other",
            Kind::Copied => "copied to another host",
            Kind::Forum => "views of a forum: threads, posts, quotes",
            Kind::Update => "another version of the same page",
            Kind::Periphery => "other adverts, menus, dates around the same content",
            Kind::Invisible => "no word differs",
            Kind::Body => "passages added, cut or moved",
            Kind::Other => "other words in the same text or template",
            Kind::Undecided => "only the texts would tell, and they were not read",
        }
    }

    fn place(self) -> usize {
        self as usize
    }
}

/// A kind and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// The kind.
    pub kind: Kind,
    /// What differs, in a few words.
    pub reason: String,
}

impl Verdict {
    fn new(kind: Kind, reason: impl Into<String>) -> Self {
        Verdict {
            kind,
            reason: reason.into(),
        }
    }
}
