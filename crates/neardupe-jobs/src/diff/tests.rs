use super::*;
use neardupe_core::text::slow;
use proptest::prelude::*;

fn marked(left: &str, right: &str) -> String {
    let style = TerminalStyle {
        width: 1000,
        ..TerminalStyle::default()
    };
    shown_by(left, right, &style)
}

fn shown_by(left: &str, right: &str, style: &TerminalStyle) -> String {
    let mut out = Vec::new();
    let diff = Diff::new(left, right, &DiffLimits::default());
    render_terminal(&diff, style, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn page(left: &str, right: &str) -> String {
    let mut out = Vec::new();
    let diff = Diff::new(left, right, &DiffLimits::default());
    let page = DiffPage {
        title: left.to_owned(),
        left: left.to_owned(),
        right: right.to_owned(),
        facts: vec![(left.to_owned(), right.to_owned())],
        context: 12,
    };
    render_html(&diff, &page, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn words_are_marked_with_what_belongs_to_them() {
    let cases = [
        ("a b c", "a b c", "a b c\n"),
        (
            "the old rose, red",
            "the new rose, red",
            "the [-old-]{+new+} rose, red\n",
        ),
        ("a, b, c", "a, c", "a, [-b,-] c\n"),
        ("a c", "a b c", "a {+b+} c\n"),
        ("a b.", "a.", "a [-b-].\n"),
        (
            "City to sell",
            "City <CC> to sell",
            "City {+<CC>+} to sell\n",
        ),
        ("a (b) c", "a c", "a [-(b)-] c\n"),
        ("", "new text", "{+new text+}\n"),
        ("A rose. Is", "a rose, is", "[~A|a~] rose[~. Is|, is~]\n"),
        ("one  two\nthree", "one two three", "one two\nthree\n"),
        ("中文字", "中国字", "中[-文-]{+国+}字\n"),
        ("-- !", "...", "[~-- !|...~]\n"),
        ("", "", ""),
    ];
    for (left, right, expected) in cases {
        assert_eq!(marked(left, right), expected, "{left:?} {right:?}");
    }
}

#[test]
fn long_equal_stretches_are_folded_and_lines_are_broken() {
    let words: Vec<String> = (0..100).map(|number| format!("w{number}")).collect();
    let text = words.join(" ");
    let style = TerminalStyle {
        width: 20,
        context: 3,
        ..TerminalStyle::default()
    };
    let shown = shown_by(&format!("x {text}"), &format!("y {text}"), &style);
    assert_eq!(shown, "[-x-]{+y+} w0 w1 w2\n... 97 equal words ...\n");
    let shown = shown_by(&text, &text, &style);
    assert_eq!(shown, "... 100 equal words ...\n");
    let shown = shown_by(&format!("{text} x"), &format!("y {text}"), &style);
    assert_eq!(
        shown,
        "{+y+} w0 w1 w2\n... 94 equal words ...\nw97 w98 w99 [-x-]\n"
    );
    for line in shown_by(&text, "z", &style).lines() {
        assert!(line.chars().count() <= 20, "{line}");
    }
    let few = TerminalStyle {
        max_lines: 2,
        ..style
    };
    let shown = shown_by(&text, "z", &few);
    assert_eq!(shown.lines().count(), 3);
    assert!(shown.ends_with(" more lines ...\n"), "{shown}");
}

#[test]
fn colours_end_with_the_line() {
    let style = TerminalStyle {
        color: true,
        width: 6,
        ..TerminalStyle::default()
    };
    assert_eq!(
        shown_by("a bbb ccc", "a", &style),
        "a \x1b[31;9mbbb\x1b[0m\n\x1b[31;9mccc\x1b[0m\n"
    );
}

#[test]
fn a_text_cannot_steer_the_terminal_or_the_page() {
    let hostile =
        "</script><script>alert('x')</script> \x1b[2J\x07 \u{202e}evil \"&lt; \0";
    for (left, right) in [(hostile, "tame"), ("tame", hostile), (hostile, hostile)] {
        let shown = marked(left, right);
        assert!(
            !shown.contains(['\x1b', '\x07', '\u{202e}', '\0']),
            "{shown:?}"
        );
        let page = page(left, right);
        let body = page.split_once("</head>").unwrap().1;
        assert!(
            !body.contains("<script") && !body.contains("</script"),
            "{body}"
        );
        assert!(
            !body.contains(['\x1b', '\x07', '\u{202e}', '\0']),
            "{body:?}"
        );
        assert!(page.contains("alert(&#39;x&#39;)"), "{page}");
        assert!(page.contains("&quot;&amp;lt;"), "{page}");
    }
    let title = page("</title><b>", "x");
    assert!(!title.contains("</title><b>"));
    assert_eq!(clean("a\n\tb \x1b[31m"), "a b \u{241b}[31m");
}

#[test]
fn huge_texts_are_cut() {
    let limits = DiffLimits {
        max_words: 3,
        ..DiffLimits::default()
    };
    let diff = Diff::new("a b c d e", "a b x", &limits);
    assert!(!diff.complete);
    assert_eq!((diff.left, diff.right), ("a b c", "a b x"));
    assert!(Diff::new("a b c.", "a", &limits).complete);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]
    #[test]
    fn stretches_cover_both_texts_and_say_what_is_the_case(
        left in "([abcABC] |[ab], |é|E\u{301} |中|\\n|\\. |=\u{338}|ß ){0,30}",
        right in "([abcABC] |[ab], |é|E\u{301} |中|\\n|\\. |=\u{338}|ss ){0,30}",
    ) {
        let diff = Diff::new(&left, &right, &DiffLimits::default());
        let mut ends = (0, 0);
        let mut common = 0;
        for op in &diff.ops {
            prop_assert_eq!((op.left.start, op.right.start), ends);
            ends = (op.left.end, op.right.end);
            let (one, other) = (diff.left_of(op), diff.right_of(op));
            match op.kind {
                StretchKind::Equal => {
                    let same = one.split_whitespace().collect::<String>()
                        == other.split_whitespace().collect::<String>();
                    prop_assert!(same, "{:?} {:?}", one, other);
                }
                StretchKind::SameWords => {
                    prop_assert!(one != other);
                    prop_assert_eq!(slow::words(one), slow::words(other));
                }
                StretchKind::OnlyLeft => prop_assert!(!one.is_empty() && other.is_empty()),
                StretchKind::OnlyRight => prop_assert!(one.is_empty() && !other.is_empty()),
            }
            if matches!(op.kind, StretchKind::Equal | StretchKind::SameWords) {
                common += slow::words(one).len();
            }
        }
        prop_assert_eq!(ends, (left.len(), right.len()));
        // Words are counted as they stand; a few of them stand together.
        prop_assert!(common >= diff.common_words);
        // Nothing is shown that neither has, and it ends with a line.
        let shown = marked(&left, &right);
        prop_assert!(shown.is_empty() || shown.ends_with('\n'));
        page(&left, &right);
    }
}
