//! Follows titles, headings, emphasis and links while the text is written.
//!
//! Most jobs want no regions and pass none of this. It follows the tags that the scanner reports
//! and the length of the text, holds at most one open region of a kind, and allocates hardly
//! anything but the regions themselves.

use super::tag::{Gap, Nesting, Role, Tag};
use super::text::TextWriter;
use neardupe_core::document::{Link, Region, RegionKind, Span};
use std::cmp::Reverse;

/// An element that is open, and where its text begins.
#[derive(Debug, Clone, Copy)]
struct Open {
    /// How often it is open: nested bold text is bold once.
    count: u32,
    /// Place in the text where it begins.
    start: usize,
    /// Blocks that were open around it.
    depth: u32,
    /// Whether it was opened inside a block that may lack its end tag.
    in_paragraph: bool,
}

/// What can be open, and the order in which `Regions` holds it.
#[derive(Debug, Clone, Copy)]
enum OpenRegion {
    /// The title of the page; only the first one counts.
    Title,
    /// A heading of any level.
    Heading,
    /// `<b>` and `<strong>`.
    Bold,
    /// `<i>` and `<em>`.
    Italic,
    /// `<a>` with a target.
    Link,
}

/// What ends with the block around it; the title does not.
const INLINE_SLOTS: [OpenRegion; 4] = [
    OpenRegion::Heading,
    OpenRegion::Bold,
    OpenRegion::Italic,
    OpenRegion::Link,
];

/// What is open, and what was closed.
///
/// What is left open ends with the block around it: at the end tag of an outer block, or,
/// inside a paragraph, list item or table cell, where the next one begins or this one
/// ends. This is simpler than the standard, where emphasis that is left open goes on.
#[derive(Debug)]
pub(super) struct Regions<'a> {
    /// Where regions are put, if they are wanted.
    regions: Option<&'a mut Vec<Region>>,
    /// Where links are put, if they are wanted.
    links: Option<&'a mut Vec<Link>>,
    /// Regions before this one belong to texts made earlier.
    first_region: usize,
    /// What is open, by its place in [`OpenRegion`].
    open: [Option<Open>; 5],
    /// Target of the open link.
    target: String,
    /// The title, once it was closed.
    title: Option<Span>,
    /// Blocks that are open.
    depth: u32,
    /// A block that may lack its end tag is open.
    in_paragraph: bool,
}

impl<'a> Regions<'a> {
    /// Regions of a text that begins now. Existing regions in the lists are left alone.
    pub(super) fn new(
        regions: Option<&'a mut Vec<Region>>,
        links: Option<&'a mut Vec<Link>>,
    ) -> Self {
        let first_region = regions.as_ref().map_or(0, |regions| regions.len());
        Regions {
            regions,
            links,
            first_region,
            open: [None; 5],
            target: String::new(),
            title: None,
            depth: 0,
            in_paragraph: false,
        }
    }

    /// Whether links are wanted.
    pub(super) fn wants_links(&self) -> bool {
        self.links.is_some()
    }

    /// A start tag of HTML.
    #[inline]
    pub(super) fn start(&mut self, tag: Tag, writer: &TextWriter<'_>) {
        if tag.gap == Gap::Line && tag.nesting != Nesting::Void {
            self.start_block(tag, writer);
        }
        let Some(slot) = slot(tag.role) else {
            return;
        };
        if matches!(slot, OpenRegion::Title) && self.title.is_some() {
            return;
        }
        // Headings are never nested: a new one ends one that was left open.
        if matches!(slot, OpenRegion::Heading) {
            self.close(slot, writer);
        }
        let (depth, in_paragraph) = (self.depth, self.in_paragraph);
        let fresh = Open {
            count: 0,
            start: writer.end(),
            depth,
            in_paragraph,
        };
        let open = self.open[slot as usize].get_or_insert(fresh);
        open.count = open.count.saturating_add(1);
    }

    /// The start tag of a link; an empty target is none.
    pub(super) fn start_link(&mut self, target: &str, writer: &TextWriter<'_>) {
        self.close(OpenRegion::Link, writer);
        if target.is_empty() {
            return;
        }
        self.target.clear();
        self.target.push_str(target);
        self.open[OpenRegion::Link as usize] = Some(Open {
            count: 1,
            start: writer.end(),
            depth: self.depth,
            in_paragraph: self.in_paragraph,
        });
    }

    /// An end tag.
    #[inline]
    pub(super) fn end(&mut self, tag: Tag, writer: &TextWriter<'_>) {
        if tag.role == Role::Anchor {
            self.close(OpenRegion::Link, writer);
        } else if let Some(slot) = slot(tag.role) {
            let left = match &mut self.open[slot as usize] {
                Some(open) => {
                    open.count -= 1;
                    open.count
                }
                None => 0,
            };
            if left == 0 {
                self.close(slot, writer);
            }
        }
        if tag.gap == Gap::Line && tag.nesting != Nesting::Void {
            self.end_block(tag, writer);
        }
    }

    /// The document is over: closes what is open and puts everything in order.
    pub(super) fn finish(mut self, base: usize, writer: &TextWriter<'_>) {
        self.close(OpenRegion::Title, writer);
        for slot in INLINE_SLOTS {
            self.close(slot, writer);
        }
        let Some(regions) = self.regions else {
            return;
        };
        // The body is what is left beside the title.
        let title = self.title.unwrap_or(Span {
            start: base,
            end: base,
        });
        for (start, end) in [(base, title.start), (title.end, writer.end())] {
            let span = trimmed(start, end, writer);
            regions.extend(span.map(|span| Region {
                kind: RegionKind::Body,
                span,
            }));
        }
        let order = |region: &Region| {
            let Region { kind, span } = *region;
            (span.start, Reverse(span.end), kind)
        };
        regions[self.first_region..].sort_unstable_by_key(order);
    }

    /// A block begins: one without an end tag ends the one before it.
    fn start_block(&mut self, tag: Tag, writer: &TextWriter<'_>) {
        if tag.nesting == Nesting::Paragraph {
            self.close_in_paragraph(writer);
            self.in_paragraph = true;
        } else {
            self.depth = self.depth.saturating_add(1);
        }
    }

    /// A block ends, and with it what was opened inside and left open.
    fn end_block(&mut self, tag: Tag, writer: &TextWriter<'_>) {
        if tag.nesting == Nesting::Paragraph {
            self.close_in_paragraph(writer);
            self.in_paragraph = false;
            return;
        }
        self.depth = self.depth.saturating_sub(1);
        for slot in INLINE_SLOTS {
            if self.open[slot as usize].is_some_and(|open| open.depth > self.depth) {
                self.close(slot, writer);
            }
        }
    }

    /// Ends what was opened in the paragraph before and has text. What has just begun belongs
    /// to the next one.
    fn close_in_paragraph(&mut self, writer: &TextWriter<'_>) {
        for slot in INLINE_SLOTS {
            let over = self.open[slot as usize]
                .is_some_and(|open| open.in_paragraph && open.start < writer.end());
            if over {
                self.close(slot, writer);
            }
        }
    }

    /// Ends a region or link, and drops it if it has no text.
    fn close(&mut self, slot: OpenRegion, writer: &TextWriter<'_>) {
        let Some(open) = self.open[slot as usize].take() else {
            return;
        };
        let Some(span) = trimmed(open.start, writer.end(), writer) else {
            return;
        };
        let kind = match slot {
            OpenRegion::Link => {
                let target = std::mem::take(&mut self.target);
                if let Some(links) = &mut self.links {
                    links.push(Link { target, span });
                }
                return;
            }
            OpenRegion::Title => {
                self.title = Some(span);
                RegionKind::Title
            }
            OpenRegion::Heading => RegionKind::Heading,
            OpenRegion::Bold => RegionKind::Bold,
            OpenRegion::Italic => RegionKind::Italic,
        };
        if let Some(regions) = &mut self.regions {
            regions.push(Region { kind, span });
        }
    }
}

/// Which kind of region an element makes.
fn slot(role: Role) -> Option<OpenRegion> {
    match role {
        Role::Title => Some(OpenRegion::Title),
        Role::Heading => Some(OpenRegion::Heading),
        Role::Bold => Some(OpenRegion::Bold),
        Role::Italic => Some(OpenRegion::Italic),
        _ => None,
    }
}

/// Without the gaps at both ends, which are single characters; None when nothing is left.
fn trimmed(start: usize, end: usize, writer: &TextWriter<'_>) -> Option<Span> {
    let start = start + usize::from(start < end && writer.is_gap_at(start));
    let end = end - usize::from(start < end && writer.is_gap_at(end - 1));
    (start < end).then_some(Span { start, end })
}
