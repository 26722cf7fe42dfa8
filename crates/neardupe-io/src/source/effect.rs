//! Whether options about texts found anything to work on.
//!
//! A user who asks for `text-type html` on a collection without any tag has made a mistake that
//! changes nothing in the result. So options leave a mark when they do something, and a job warns
//! about those that did not.

use std::sync::atomic::{AtomicBool, Ordering};

/// What options did to any text so far. Shared by all who read by the same options.
#[derive(Debug, Default)]
pub struct TextEffect {
    /// A text was taken as HTML.
    html: AtomicBool,
    /// Making it text changed it.
    changed: AtomicBool,
    /// The given character set was needed.
    decoded: AtomicBool,
    /// A document had the id field.
    id: AtomicBool,
}

impl TextEffect {
    /// A text was taken as HTML.
    pub fn has_html(&self) -> bool {
        self.html.load(Ordering::Relaxed)
    }

    /// A text that was taken as HTML had markup or entities.
    pub fn has_changed(&self) -> bool {
        self.changed.load(Ordering::Relaxed)
    }

    /// The character set that was asked for gave other bytes than ASCII their meaning.
    pub fn has_decoded(&self) -> bool {
        self.decoded.load(Ordering::Relaxed)
    }

    /// A document has the field of the id.
    pub fn has_id(&self) -> bool {
        self.id.load(Ordering::Relaxed)
    }

    /// Notes that a document has the field of the id.
    pub(super) fn id(&self) {
        mark(&self.id);
    }

    /// Notes that a text was taken as HTML.
    pub(super) fn html(&self) {
        mark(&self.html);
    }

    /// What HTML became, beside what it was; compared until the first difference.
    pub(super) fn made(&self, html: &str, text: &str) {
        if !self.has_changed() && html.trim() != text.trim() {
            mark(&self.changed);
        }
    }

    /// Notes that the character set mattered.
    pub(super) fn decode(&self) {
        mark(&self.decoded);
    }
}

/// Written once: threads that only read share the line in their caches.
fn mark(flag: &AtomicBool) {
    if !flag.load(Ordering::Relaxed) {
        flag.store(true, Ordering::Relaxed);
    }
}
