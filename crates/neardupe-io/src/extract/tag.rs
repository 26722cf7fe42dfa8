//! What the extraction must know about an element, looked up by its name.
//!
//! The names come from the HTML standard (WHATWG): void elements and raw text from
//! section 13.1.2, elements that leave foreign content from 13.2.6.5, formatting elements
//! from 13.2.4.3, blocks from the rendering section 15.3. Everything unknown is an inline
//! element without a part to play.

/// What a tag puts between the text before and after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) enum Gap {
    /// Nothing: the text goes on.
    #[default]
    None,
    /// One space.
    Space,
    /// One line feed.
    Line,
}

/// How the text inside an element is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Inside {
    /// Tags and text.
    Markup,
    /// Text with entities up to the end tag.
    Rcdata,
    /// Text without entities up to the end tag.
    Raw,
    /// As `Raw`, and nobody reads it.
    Dropped,
    /// As `Dropped`, with the rules for scripts inside comments.
    Script,
    /// Text without entities up to the end of the document.
    Plaintext,
}

/// The part an element plays in the extraction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// No part.
    None,
    /// The title of the page.
    Title,
    /// `<h1>` to `<h6>`.
    Heading,
    /// Bold text.
    Bold,
    /// Italic text.
    Italic,
    /// A link.
    Anchor,
    /// A template, whose content is not shown.
    Template,
    /// `<svg>`, where foreign content begins.
    Svg,
    /// `<math>`, the same.
    Math,
    /// An element of SVG that holds HTML.
    SvgIntegration,
    /// An element of MathML that holds HTML.
    MathIntegration,
}

/// How an element stands in the nesting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Nesting {
    /// No content and no end tag.
    Void,
    /// An element that is closed by its end tag.
    Closed,
    /// A block whose end tag may be left out.
    Paragraph,
    /// An element that a parser opens again in the next block when it was left open.
    Formatting,
}

/// All of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tag {
    /// What it puts between texts.
    pub(super) gap: Gap,
    /// How what it holds is read.
    pub(super) inside: Inside,
    /// What it is for regions, links and namespaces.
    pub(super) role: Role,
    /// How it is closed.
    pub(super) nesting: Nesting,
    /// Its start tag ends SVG and MathML around it.
    pub(super) leaves_foreign: bool,
}

/// A lower-case name as a number: its bytes, the last one lowest. Names begin with a
/// letter, so the length need not be in it. 0 stands for all longer names.
pub(super) type Key = u128;

/// Longest name that has a key of its own.
pub(super) const MAX_KEY_LENGTH: usize = 15;

/// The key of a known name.
pub(super) const fn key_of(name: &str) -> Key {
    let name = name.as_bytes();
    assert!(name.len() <= MAX_KEY_LENGTH);
    let mut key = 0;
    let mut at = 0;
    while at < name.len() {
        key = key << 8 | name[at] as Key;
        at += 1;
    }
    key
}

/// What every unknown element is: a separator of words.
const INLINE: Tag = Tag {
    gap: Gap::Space,
    inside: Inside::Markup,
    role: Role::None,
    nesting: Nesting::Closed,
    leaves_foreign: false,
};
/// A block: a separator of lines.
const BLOCK: Tag = Tag {
    gap: Gap::Line,
    ..INLINE
};
/// A block that the next one ends.
const PARAGRAPH: Tag = BLOCK.nesting(Nesting::Paragraph);
/// An inline element that is opened again in the next block.
const FORMATTING: Tag = INLINE.nesting(Nesting::Formatting);
/// An inline element that holds nothing.
const VOID: Tag = INLINE.nesting(Nesting::Void);
/// A block that holds nothing.
const VOID_BLOCK: Tag = BLOCK.nesting(Nesting::Void);
/// A heading.
const HEADING: Tag = BLOCK.role(Role::Heading).leaving();

impl Tag {
    /// The same tag with another nesting.
    const fn nesting(self, nesting: Nesting) -> Tag {
        Tag { nesting, ..self }
    }

    /// The same tag with another role.
    const fn role(self, role: Role) -> Tag {
        Tag { role, ..self }
    }

    /// The same tag with other content.
    const fn inside(self, inside: Inside) -> Tag {
        Tag { inside, ..self }
    }

    /// The same tag, which also ends foreign content.
    const fn leaving(self) -> Tag {
        Tag {
            leaves_foreign: true,
            ..self
        }
    }
}

/// All names with a part to play. A page of other names is read right without being listed
/// here.
#[rustfmt::skip]
const TAGS: &[(&str, Tag)] = &[
    // Text that is not markup.
    ("script", INLINE.inside(Inside::Script)),
    ("style", INLINE.inside(Inside::Dropped)),
    ("iframe", INLINE.inside(Inside::Dropped)),
    ("noembed", INLINE.inside(Inside::Dropped)),
    ("noframes", INLINE.inside(Inside::Dropped)),
    // Browsers that run scripts read it as raw text and do not show it.
    ("noscript", INLINE.inside(Inside::Dropped)),
    ("title", BLOCK.inside(Inside::Rcdata).role(Role::Title)),
    ("textarea", BLOCK.inside(Inside::Rcdata)),
    ("xmp", BLOCK.inside(Inside::Raw)),
    ("plaintext", BLOCK.inside(Inside::Plaintext)),
    ("template", BLOCK.role(Role::Template)),
    // Foreign content.
    ("svg", INLINE.role(Role::Svg)),
    ("math", INLINE.role(Role::Math)),
    ("foreignobject", INLINE.role(Role::SvgIntegration)),
    ("desc", INLINE.role(Role::SvgIntegration)),
    ("mi", INLINE.role(Role::MathIntegration)),
    ("mo", INLINE.role(Role::MathIntegration)),
    ("mn", INLINE.role(Role::MathIntegration)),
    ("ms", INLINE.role(Role::MathIntegration)),
    ("mtext", INLINE.role(Role::MathIntegration)),
    // Formatting.
    ("a", FORMATTING.role(Role::Anchor)),
    ("b", FORMATTING.role(Role::Bold).leaving()),
    ("strong", FORMATTING.role(Role::Bold).leaving()),
    ("i", FORMATTING.role(Role::Italic).leaving()),
    ("em", FORMATTING.role(Role::Italic).leaving()),
    ("big", FORMATTING.leaving()),
    ("code", FORMATTING.leaving()),
    ("font", FORMATTING),
    ("nobr", FORMATTING.leaving()),
    ("s", FORMATTING.leaving()),
    ("small", FORMATTING.leaving()),
    ("strike", FORMATTING.leaving()),
    ("tt", FORMATTING.leaving()),
    ("u", FORMATTING.leaving()),
    // Other inline elements that end foreign content.
    ("ruby", INLINE.leaving()),
    ("span", INLINE.leaving()),
    ("sub", INLINE.leaving()),
    ("sup", INLINE.leaving()),
    ("var", INLINE.leaving()),
    // Void elements.
    ("wbr", Tag { gap: Gap::None, ..VOID }),
    ("br", VOID_BLOCK.leaving()),
    ("hr", VOID_BLOCK.leaving()),
    ("area", VOID),
    ("base", VOID),
    ("basefont", VOID),
    ("bgsound", VOID),
    ("col", VOID),
    ("embed", VOID.leaving()),
    ("frame", VOID),
    ("img", VOID.leaving()),
    ("input", VOID),
    ("keygen", VOID),
    ("link", VOID),
    ("meta", VOID.leaving()),
    ("param", VOID),
    ("source", VOID),
    ("track", VOID),
    // Blocks whose end tag may be left out.
    ("html", PARAGRAPH),
    ("head", PARAGRAPH.leaving()),
    ("body", PARAGRAPH.leaving()),
    ("p", PARAGRAPH.leaving()),
    ("li", PARAGRAPH.leaving()),
    ("dt", PARAGRAPH.leaving()),
    ("dd", PARAGRAPH.leaving()),
    ("tr", PARAGRAPH),
    ("td", PARAGRAPH),
    ("th", PARAGRAPH),
    ("thead", PARAGRAPH),
    ("tbody", PARAGRAPH),
    ("tfoot", PARAGRAPH),
    ("caption", PARAGRAPH),
    ("colgroup", PARAGRAPH),
    ("option", PARAGRAPH),
    ("optgroup", PARAGRAPH),
    // Blocks.
    ("h1", HEADING), ("h2", HEADING), ("h3", HEADING),
    ("h4", HEADING), ("h5", HEADING), ("h6", HEADING),
    ("address", BLOCK),
    ("article", BLOCK),
    ("aside", BLOCK),
    ("blockquote", BLOCK.leaving()),
    ("center", BLOCK.leaving()),
    ("details", BLOCK),
    ("dialog", BLOCK),
    ("dir", BLOCK),
    ("div", BLOCK.leaving()),
    ("dl", BLOCK.leaving()),
    ("fieldset", BLOCK),
    ("figcaption", BLOCK),
    ("figure", BLOCK),
    ("footer", BLOCK),
    ("form", BLOCK),
    ("frameset", BLOCK),
    ("header", BLOCK),
    ("hgroup", BLOCK),
    ("legend", BLOCK),
    ("listing", BLOCK.leaving()),
    ("main", BLOCK),
    ("menu", BLOCK.leaving()),
    ("nav", BLOCK),
    ("ol", BLOCK.leaving()),
    ("pre", BLOCK.leaving()),
    ("search", BLOCK),
    ("section", BLOCK),
    ("select", BLOCK),
    ("summary", BLOCK),
    ("table", BLOCK.leaving()),
    ("ul", BLOCK.leaving()),
];

/// Slots of the table: four times the names keep nearly all of them at the first try.
const NUM_SLOTS: usize = 512;

/// An open-addressed table, made by the compiler.
static SLOTS: [(Key, Tag); NUM_SLOTS] = {
    let mut slots = [(0, INLINE); NUM_SLOTS];
    let mut number = 0;
    while number < TAGS.len() {
        let (name, tag) = TAGS[number];
        let key = key_of(name);
        let mut slot = first_slot(key);
        while slots[slot].0 != 0 {
            assert!(slots[slot].0 != key, "a name comes twice");
            slot = (slot + 1) % NUM_SLOTS;
        }
        slots[slot] = (key, tag);
        number += 1;
    }
    slots
};

#[expect(
    clippy::cast_possible_truncation,
    reason = "the halves of the key are mixed, bits may go"
)]
/// Where the search for a key begins: the upper nine bits of a product (Fibonacci hashing).
const fn first_slot(key: Key) -> usize {
    let mixed = (key as u64) ^ ((key >> 64) as u64).wrapping_mul(31);
    (mixed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 55) as usize
}

/// The tag of a name.
pub(super) fn tag_of(key: Key) -> Tag {
    let mut slot = first_slot(key);
    loop {
        let (other, tag) = SLOTS[slot];
        if other == key {
            return tag;
        }
        if other == 0 {
            return INLINE;
        }
        slot = (slot + 1) % NUM_SLOTS;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found_and_others_are_inline() {
        for &(name, tag) in TAGS {
            assert_eq!(tag_of(key_of(name)), tag, "{name}");
        }
        for name in ["x", "abbr", "scripts", "my-element"] {
            assert_eq!(tag_of(key_of(name)), INLINE, "{name}");
        }
        assert_eq!(tag_of(0), INLINE);
    }
}
