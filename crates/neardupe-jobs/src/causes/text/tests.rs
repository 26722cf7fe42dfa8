use super::*;

/// A text of many different words, in lines of twelve.
fn body(seed: usize, words: usize) -> String {
    let mut text = String::new();
    for word in 0..words {
        let end = if word % 12 == 11 { '\n' } else { ' ' };
        text += &format!("w{seed}x{word}{end}");
    }
    text
}

fn kind(left: &str, right: &str, hint: Hint) -> (CauseKind, String) {
    let verdict = TextDifference::new(left, right).verdict(hint);
    let turned = TextDifference::new(right, left).verdict(hint);
    assert_eq!(verdict.kind, turned.kind);
    (verdict.kind, verdict.reason)
}

#[test]
fn nothing_that_is_a_word_differs() {
    let cases = [
        (
            "The walls are grey.",
            "The walls are grey.",
            "the texts are equal",
        ),
        (
            "The walls\nare grey.",
            "The walls are grey.",
            "only white space differs",
        ),
        (
            "The walls: are GREY",
            "The walls are grey.",
            "only case or punctuation differs",
        ),
    ];
    for (left, right, reason) in cases {
        let expected = (CauseKind::Invisible, reason.to_owned());
        assert_eq!(kind(left, right, Hint::Nothing), expected);
    }
    let text = "The walls are grey.";
    assert_eq!(kind(text, text, Hint::SameAddress).0, CauseKind::SamePage);
    assert_eq!(kind("", "", Hint::Nothing).0, CauseKind::Invisible);
}

#[test]
fn adverts_around_the_same_text_are_periphery() {
    let body = body(1, 300);
    let left = format!("News\nBuy a boat today, half price\n{body}\nSeen 17 times\n");
    let right = format!("News\nRent a house by the sea\n{body}\nSeen 23 times\n");
    for hint in [Hint::Nothing, Hint::SameAddress] {
        let (kind, reason) = kind(&left, &right, hint);
        assert_eq!(kind, CauseKind::Periphery);
        assert_eq!(
            reason,
            "7 words at the edge: \"Buy a boat\" / \"Rent a house\""
        );
    }
}

#[test]
fn short_lines_in_the_middle_are_no_periphery() {
    let [one, two] = [1, 2].map(|seed| body(seed, 240));
    let left = format!("{one}\nGore 1201\n{two}");
    let right = format!("{one}\nGore 977\n{two}");
    let (kind, reason) = kind(&left, &right, Hint::Nothing);
    assert_eq!(kind, CauseKind::Other);
    assert_eq!(
        reason,
        "only numbers differ in one place, 1 % of the words: \"1201\" / \"977\""
    );
}

#[test]
fn the_same_address_with_another_body_is_an_update() {
    let [one, two] = [1, 2].map(|seed| body(seed, 240));
    let left = format!("{one} the quay was closed in march and will open again {two}");
    let right = format!("{one} the quay is open {two}");
    let (update, reason) = kind(&left, &right, Hint::SameAddress);
    assert_eq!(update, CauseKind::Update);
    assert!(
        reason.starts_with("the same address at another time; 8 words changed"),
        "{reason}"
    );
    assert_eq!(kind(&left, &right, Hint::Version).0, CauseKind::Update);
    // Another page has taken its place.
    let other = body(9, 480);
    assert_eq!(kind(&left, &other, Hint::SameAddress).0, CauseKind::Other);
}

#[test]
fn passages_added_or_moved_are_changes_of_the_body() {
    let [one, two, three] = [1, 2, 3].map(|seed| body(seed, 120));
    let (added, reason) = kind(
        &format!("{one}{two}"),
        &format!("{one}{three}{two}"),
        Hint::Nothing,
    );
    assert_eq!(added, CauseKind::Body);
    assert!(
        reason.starts_with("the right text has 120 of its 360 words more, in one"),
        "{reason}"
    );
    let (moved, reason) = kind(
        &format!("{one}{two}{three}"),
        &format!("{three}{one}{two}"),
        Hint::Nothing,
    );
    assert_eq!(
        (moved, reason.as_str()),
        (CauseKind::Body, "33 % of the words were moved")
    );
}

#[test]
fn single_words_all_over_are_no_passage() {
    let words: Vec<String> = (0..200).map(|word| format!("w{word}")).collect();
    let mut more = words.clone();
    for at in (60..140).rev().step_by(10) {
        more.insert(at, format!("new{at}"));
    }
    let (other, reason) = kind(&words.join(" "), &more.join(" "), Hint::Nothing);
    assert_eq!(other, CauseKind::Other);
    assert!(
        reason.starts_with("words differ in 8 places, 2 %"),
        "{reason}"
    );
}

#[test]
fn main_contents_have_enough_words() {
    let text = body(1, 60);
    assert!(same_main(&text, &text.to_uppercase()));
    assert!(!same_main(&text, &body(2, 60)));
    assert!(!same_main("Not found", "Not found"));
}

#[test]
fn quoted_posts_are_of_a_forum() {
    let [one, two] = [1, 2].map(|seed| body(seed, 60));
    let left = format!("Posted by Ann\n{one}\nPosted by Bob\n{two}");
    let right = format!("{left}\nPosted by Cid\n> {one}\n{}", body(3, 90));
    assert_eq!(kind(&left, &right, Hint::Nothing).0, CauseKind::Forum);
}

#[test]
fn replaced_words_are_another_change() {
    let [one, two] = [1, 2].map(|seed| body(seed, 100));
    let left = format!("{one} alpha beta gamma delta {two}");
    let right = format!("{one} kappa lambda my ny {two}");
    let (kind, reason) = kind(&left, &right, Hint::Nothing);
    assert_eq!(kind, CauseKind::Other);
    assert!(
        reason.starts_with("words differ in one place, 2 %"),
        "{reason}"
    );
}
