//! Puts the words of one document together, by the shape and the document's role.
//!
//! Each document is made from the seed and its rank alone: the text of a base is written again for
//! each of its copies. This costs twice the time for a copy, and no document waits for another or
//! is held.

use super::Buffer;
use super::edit::{Edits, move_sentences};
use super::giant::Difference;
use super::passage::{choose_excerpt, choose_place};
use super::prose::{write_body, write_footer, write_navigation};
use super::random::{Purpose, Random};
use super::shape::Shape;
use super::spec::{CollectionSpec, Outline, Role};
use super::token::{End, Token};
use super::vocabulary::Vocabulary;
use crate::numbers::of_len;

/// Fewest changed words of a near-duplicate with moved sentences.
const MIN_MOVED_WORDS: u32 = 8;

/// Where a passage begins and ends, as word positions in the receiver and the giver.
#[derive(Clone, Debug)]
pub(super) struct Copied {
    pub(super) giver: u64,
    pub(super) received: std::ops::Range<usize>,
    pub(super) given: std::ops::Range<usize>,
    pub(super) edited: bool,
}

/// Makes the document of this rank in `buffer.tokens`. When it has received a passage,
/// the giver's words are in `buffer.other`.
pub(super) fn compose(
    spec: &CollectionSpec,
    rank: u64,
    buffer: &mut Buffer,
) -> Option<Copied> {
    buffer.tokens.clear();
    if let Shape::Template(percent) = spec.shape {
        compose_from_template(spec, rank, percent, &mut buffer.tokens);
        return None;
    }
    match spec.role(rank) {
        Role::Own => write_own_text(spec, rank, &mut buffer.tokens),
        Role::Exact { base } => write_own_text(spec, base, &mut buffer.tokens),
        Role::Near { base } => compose_near(spec, rank, base, buffer),
        Role::Receives { giver } => {
            return Some(compose_receiver(spec, rank, giver, buffer));
        }
    };
    None
}

/// The share of words changed in a near-duplicate, of those of its base.
pub(super) fn edit_rate(
    spec: &CollectionSpec,
    rank: u64,
    base: u64,
    edits: &mut Edits,
) -> f64 {
    let words = spec.outline(base).words();
    let mut random = spec.random(Purpose::Edit, rank);
    // The same draws in the same order as in `compose_near`, so the rate is that of the text that is
    // written.
    let changed = match choose_difference(spec, &mut random) {
        None => spec.num_changed(rank, words),
        Some(difference) => {
            edits.break_shingles(&mut random, words, difference.broken_shingles);
            edits.len() + difference.appended_words
        }
    };
    f64::from(changed) / f64::from(words)
}

/// Navigation, body and footer of the own text of a document.
fn write_own_text(spec: &CollectionSpec, rank: u64, tokens: &mut Vec<Token>) -> Outline {
    let vocabulary = Vocabulary::get();
    let outline = spec.outline(rank);
    tokens.clear();
    if matches!(spec.shape, Shape::NearCopies | Shape::Spread) {
        tokens.extend_from_slice(&spec.giant.tokens);
        return outline;
    }
    // By host and not by document: all documents of a host have the same words around their bodies.
    if outline.navigation > 0 {
        let mut random = spec.random(Purpose::Boilerplate, 2 * outline.host + 1);
        write_navigation(vocabulary, &mut random, outline.navigation, tokens);
    }
    let mut random = spec.random(Purpose::Body, rank);
    write_body(vocabulary, &mut random, outline.body, tokens);
    if outline.footer > 0 {
        let mut random = spec.random(Purpose::Boilerplate, 2 * outline.host);
        write_footer(vocabulary, &mut random, outline.footer, tokens);
    }
    outline
}

/// The text of a base with edits. Without a fixed difference so many words are changed as the
/// specification says, in a giant cluster so many shingles.
fn compose_near(
    spec: &CollectionSpec,
    rank: u64,
    base: u64,
    buffer: &mut Buffer,
) -> Outline {
    let vocabulary = Vocabulary::get();
    let outline = write_own_text(spec, base, &mut buffer.original);
    let mut random = spec.random(Purpose::Edit, rank);
    let Some(difference) = choose_difference(spec, &mut random) else {
        let mut changed = spec.num_changed(rank, outline.words());
        // Moved sentences break few shingles for many words. They count as changed words all the
        // same.
        if changed >= MIN_MOVED_WORDS && random.percent(30) {
            changed -= move_sentences(&mut random, &mut buffer.original, changed);
        }
        buffer.edits.spread(&mut random, outline.words(), changed);
        buffer.edits.apply(
            vocabulary,
            &mut random,
            &buffer.original,
            &mut buffer.tokens,
        );
        return outline;
    };
    buffer
        .edits
        .break_shingles(&mut random, outline.words(), difference.broken_shingles);
    buffer.edits.apply(
        vocabulary,
        &mut random,
        &buffer.original,
        &mut buffer.tokens,
    );
    append_line(
        vocabulary,
        &mut random,
        difference.appended_words,
        &mut buffer.tokens,
    );
    outline
}

/// What a copy in a giant cluster differs in; none in other shapes.
fn choose_difference(spec: &CollectionSpec, random: &mut Random) -> Option<Difference> {
    match spec.shape {
        Shape::NearCopies => Some(spec.giant.near_copy(random)),
        Shape::Spread => Some(spec.giant.spread_copy(random)),
        Shape::Web | Shape::Unrelated | Shape::Template(_) | Shape::Passages(_) => None,
    }
}

/// Adds words drawn evenly from all forms: mostly rare ones, which hardly any other text has.
fn append_line(
    vocabulary: &Vocabulary,
    random: &mut Random,
    num_words: u32,
    tokens: &mut Vec<Token>,
) {
    for place in 1..=num_words {
        let token = Token::new(vocabulary.draw_any(random));
        tokens.push(if place < num_words {
            token
        } else {
            token.with_end(End::Stop)
        });
    }
}

/// The own text of a document with a passage of the giver in it, and where the passage is in both.
fn compose_receiver(
    spec: &CollectionSpec,
    rank: u64,
    giver: u64,
    buffer: &mut Buffer,
) -> Copied {
    // Givers have no edits of their own, so what is written here are the words that they have.
    let receiver_outline = write_own_text(spec, rank, &mut buffer.original);
    let giver_outline = write_own_text(spec, giver, &mut buffer.other);
    let mut random = spec.random(Purpose::Passage, rank);
    let given = choose_excerpt(
        &mut random,
        &giver_outline,
        &buffer.other,
        &receiver_outline,
    );
    let place = choose_place(&mut random, &receiver_outline, &buffer.original);
    buffer.tokens.extend_from_slice(&buffer.original[..place]);
    let excerpt = &buffer.other[given.clone()];
    let share = match spec.shape {
        Shape::Passages(percent) => percent,
        _ if random.percent(40) => random.between(1, 5),
        _ => 0,
    };
    let edited = share > 0;
    match excerpt {
        // The first and the last word stay, so that the passage keeps its ends.
        [first, inner @ .., last] if edited => {
            let num_words = of_len(inner.len());
            let changed = 1 + num_words * share / 100;
            buffer.edits.spread(&mut random, num_words, changed);
            buffer.tokens.push(*first);
            let vocabulary = Vocabulary::get();
            buffer
                .edits
                .apply(vocabulary, &mut random, inner, &mut buffer.tokens);
            buffer.tokens.push(*last);
        }
        _ => buffer.tokens.extend_from_slice(excerpt),
    }
    let received = place..buffer.tokens.len();
    buffer.tokens.extend_from_slice(&buffer.original[place..]);
    Copied {
        giver,
        received,
        given,
        edited,
    }
}

/// The template, broken at one or two fixed places by text of the document's own.
fn compose_from_template(
    spec: &CollectionSpec,
    rank: u64,
    percent: u32,
    tokens: &mut Vec<Token>,
) {
    let template = &spec.giant.tokens;
    let mut random = spec.random(Purpose::Body, rank);
    let blocks = spec.giant.own_blocks(&mut random, percent);
    let mut done = 0;
    for (words, place) in blocks.into_iter().zip(spec.giant.places()) {
        if words > 0 {
            tokens.extend_from_slice(&template[done..place]);
            write_body(Vocabulary::get(), &mut random, words, tokens);
            done = place;
        }
    }
    tokens.extend_from_slice(&template[done..]);
}
