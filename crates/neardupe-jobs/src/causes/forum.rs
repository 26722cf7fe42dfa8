//! Forums: addresses of threads and posts, and texts that are posts quoted in others.
//!
//! Forum software shows one post at many addresses (the thread, a page of it, the post alone,
//! print view), and posts quote others in full. Addresses are recognized by the scripts and
//! parameters of common programs; texts by the lines that such programs write around a quotation.

use super::url::PageUrl;
use crate::phrases::PhraseFinder;
use std::sync::LazyLock;

/// Scripts and parts of paths that show threads or posts.
const SCRIPTS: [&str; 13] = [
    "showthread",
    "showpost",
    "viewtopic",
    "viewthread",
    "showtopic",
    "printthread",
    "viewpost",
    "forumdisplay",
    "viewforum",
    "printtopic",
    "showflat",
    "showthreaded",
    "ubbthreads",
];
/// Parts of paths, and first parts of host names, of forums.
const PLACES: [&str; 13] = [
    "forum",
    "forums",
    "board",
    "boards",
    "bbs",
    "phpbb",
    "phpbb2",
    "phpbb3",
    "messageboard",
    "thread",
    "threads",
    "topic",
    "discussion",
];
/// Parameters that name a thread.
const THREAD: [&str; 7] = [
    "t", "tid", "thread", "threadid", "topic", "topicid", "topic_id",
];
/// Parameters that name a post.
const POST: [&str; 6] = ["p", "pid", "post", "postid", "post_id", "msg"];

/// What people write, and forums show, around a quoted post.
const QUOTES: [&str; 8] = [
    "wrote:",
    "writes:",
    "originally posted by",
    "quote:",
    "posted by",
    "in reply to",
    "reply with quote",
    "posted:",
];
/// A text with so many of them is a discussion.
const MIN_QUOTES: usize = 2;

/// How two addresses of the same forum belong together; none when they are of no forum.
pub(super) fn views(one: &PageUrl, other: &PageUrl) -> Option<&'static str> {
    if !one.same_host(other) || !is_forum(one) || !is_forum(other) {
        return None;
    }
    let threads = [one, other].map(thread);
    Some(match threads {
        [Some(one), Some(two)] if one == two => "two views of one thread",
        _ if post(one).is_some() || post(other).is_some() => "views of threads and posts",
        _ => "two pages of a forum",
    })
}

/// Whether an address is one of a forum.
pub fn is_forum_address(url: &str) -> bool {
    PageUrl::parse(url).is_some_and(|url| is_forum(&url))
}

/// Whether a parsed address is one of a forum: a script of such software, or a place of a
/// forum together with a number or title of a thread. A place alone is not enough, since
/// `forum` is also the name of sites and articles.
fn is_forum(url: &PageUrl) -> bool {
    let folded: Vec<String> = url.path().iter().map(|part| part.to_lowercase()).collect();
    // Scripts are compared by how they begin: they end in `.php`, `.asp` or nothing.
    let has_script = folded
        .iter()
        .any(|part| SCRIPTS.iter().any(|script| part.starts_with(script)));
    let is_place = |part: &str| PLACES.contains(&part);
    let host = url.host().split('.').next().unwrap_or_default();
    let in_place = is_place(host) || folded.iter().any(|part| is_place(part));
    has_script || (in_place && (has_number(url) || names_many(&folded)))
}

/// Whether an address chooses a thread or a post by a number.
fn has_number(url: &PageUrl) -> bool {
    thread(url).is_some() || post(url).is_some()
}

/// Whether the end of a path is the number or the title of a thread.
fn names_many(path: &[String]) -> bool {
    let last = path.last().map(String::as_str).unwrap_or_default();
    last.bytes().any(|byte| byte.is_ascii_digit())
}

/// The number of the thread, if the address has one.
fn thread(url: &PageUrl) -> Option<&str> {
    parameter(url, &THREAD)
}

/// The number of the post, if the address has one.
fn post(url: &PageUrl) -> Option<&str> {
    parameter(url, &POST)
}

/// The value of the first parameter of these names that begins with a digit: `t=blue` is not
/// a thread.
fn parameter<'a>(url: &'a PageUrl, names: &[&str]) -> Option<&'a str> {
    let mut query = url.query().iter();
    let named = query.find(|(name, value)| {
        names.contains(&name.to_lowercase().as_str())
            && value
                .bytes()
                .next()
                .is_some_and(|byte| byte.is_ascii_digit())
    });
    named.map(|(_, value)| value.as_str())
}

/// Finds all marks of quotes in one walk, without a copy of the text in small letters.
static QUOTE_MARKS: LazyLock<PhraseFinder> = LazyLock::new(|| PhraseFinder::new(&QUOTES));

/// Whether a text is a discussion: it quotes, or says who posted what.
/// Source code is none: what its lines begin with are prompts, arrows and operators.
pub fn is_discussion(text: &str) -> bool {
    let lines = memchr::memchr_iter(b'>', text.as_bytes());
    let quoted = lines.filter(|&at| begins_quote(text.as_bytes(), at));
    let marks = QUOTE_MARKS.places(text);
    // Each is found only when it is needed.
    // Source code is looked for last, and only in texts that seem to quote.
    quoted.chain(marks).take(MIN_QUOTES).count() == MIN_QUOTES && !is_source_code(text)
}

/// Lines that are looked at to detect source code.
const CODE_LINES: usize = 400;
/// One line in so many is that of a program in source code; posts quote fewer.
const CODE_SHARE: usize = 4;

/// Whether a text is source code: many of its own lines are those of a program. Quoted lines are not
/// its own, so a post about a program counts as a post.
fn is_source_code(text: &str) -> bool {
    // The beginning of a text shows what it is; a long log need not be read.
    let lines = text.lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty()).take(CODE_LINES);
    let (mut all, mut code) = (0, 0);
    for line in lines {
        all += 1;
        code += usize::from(is_code_line(line));
    }
    code * CODE_SHARE >= all && code >= 3
}

/// What lines of programs begin with that end as those do.
const CODE_STARTS: [&str; 22] = [
    "def ",
    "class ",
    "import ",
    "from ",
    "return",
    "if ",
    "elif ",
    "else",
    "for ",
    "while ",
    "try",
    "except",
    "with ",
    "fn ",
    "pub ",
    "let ",
    "const ",
    "var ",
    "function ",
    "public ",
    "private ",
    "#include",
];

/// Whether a line (without the white space around it) is one of a program: a prompt of Python, a
/// decorator, a statement, or an end that no sentence has.
fn is_code_line(line: &str) -> bool {
    let is_name = |word: &str| {
        !word.is_empty()
            && word
                .chars()
                .all(|it| it.is_alphanumeric() || "_.".contains(it))
    };
    if line.starts_with(">>> ") || line == ">>>" {
        return true;
    }
    if line.starts_with('>') {
        return false;
    }
    // A name alone, or with arguments in brackets.
    if let Some(decorator) = line.strip_prefix('@') {
        return is_name(decorator)
            || decorator
                .split_once('(')
                .is_some_and(|(name, rest)| is_name(name) && rest.ends_with(')'));
    }
    let ends_like_code = line.ends_with([':', '{', '}', ';', ')', ']', '(', '[', ',']);
    let begins_like_code = CODE_STARTS.iter().any(|start| line.starts_with(start));
    let is_import = line.starts_with("import ") && line.split(' ').skip(1).all(is_name)
        || line.starts_with("from ") && line.contains(" import ");
    let is_assignment = line.split_once(" = ").is_some_and(|(left, _)| {
        let declared = ["let ", "let mut ", "const ", "var "];
        let declared = declared.iter().find_map(|word| left.strip_prefix(word));
        let name = declared.unwrap_or(left).split([':', '[']).next();
        name.is_some_and(is_name)
    });
    let is_statement = ends_like_code && begins_like_code;
    let is_closing = ["}", "};", ")", "]", "{", "),", "});"].contains(&line);
    is_import || is_assignment || is_statement || is_closing || line.ends_with(';')
}

/// Whether a line is quoted from this place on: the first that is not white space, and a second
/// one or a space after it.
fn begins_quote(text: &[u8], at: usize) -> bool {
    let before = text[..at].iter().rev();
    // Back to the line end or the beginning of the text.
    let mut before = before.skip_while(|byte| matches!(byte, b' ' | b'\t' | b'\r'));
    matches!(before.next(), None | Some(b'\n'))
        && matches!(text.get(at + 1), Some(b' ' | b'>'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(one: &str, other: &str) -> Option<&'static str> {
        let [one, other] = [one, other].map(|url| PageUrl::parse(url).unwrap());
        assert_eq!(views(&one, &other), views(&other, &one));
        views(&one, &other)
    }

    #[test]
    fn threads_and_posts() {
        assert_eq!(
            view(
                "http://a.org/forum/viewtopic.php?t=17",
                "http://a.org/forum/viewtopic.php?t=17&start=15"
            ),
            Some("two views of one thread")
        );
        assert_eq!(
            view(
                "http://a.org/showthread.php?t=17",
                "http://a.org/showpost.php?p=99"
            ),
            Some("views of threads and posts")
        );
        assert_eq!(
            view("http://forums.a.org/?p=12", "http://forums.a.org/?p=13"),
            Some("views of threads and posts")
        );
        assert_eq!(
            view(
                "http://a.org/forums/threads/knots.12/",
                "http://a.org/forums/threads/knots.12/page-2"
            ),
            Some("two pages of a forum")
        );
        for (one, other) in [
            // A blog names its posts so.
            ("http://a.org/?p=12", "http://a.org/?p=13"),
            (
                "http://a.org/viewtopic.php?t=1",
                "http://b.org/viewtopic.php?t=1",
            ),
            ("http://a.org/viewtopic.php?t=1", "http://a.org/about"),
            ("http://a.org/board/members", "http://a.org/board/history"),
        ] {
            assert_eq!(view(one, other), None, "{one} {other}");
        }
    }

    #[test]
    fn discussions_quote() {
        assert!(is_discussion("Ann wrote:\n> the tide is late\nIt is."));
        assert!(is_discussion(
            "Posted by Ann\nHello\nPosted by Bob\nHello Ann"
        ));
        assert!(!is_discussion("She wrote: it is late. The harbour is old."));
        assert!(!is_discussion(""));
        assert!(is_discussion("so:\n\t>> one\n  > two"));
        assert!(!is_discussion("a > b > c\n>\n>x\n>>"));
        assert!(is_discussion("QUOTE: a. In Reply To b"));
    }

    #[test]
    fn source_code_is_no_discussion() {
        let python = r#"
"""Distances between words.

>>> distance("tide", "time")
1
>>> distance("tide", "tide")
0
"""
from __future__ import annotations

import functools
import re

@functools.lru_cache(maxsize=None)
def distance(one: str, other: str) -> int:
    """How many letters differ, and nothing more."""
    if not one or not other:
        return max(len(one), len(other))
    first: int = int(one[0] != other[0])
    return first + distance(one[1:], other[1:])

class Log:
    @property
    def entries(self) -> list[str]:
        return [f"{self.name} wrote: {text}" for text in self.texts]
"#;
        assert!(!is_discussion(python));
        assert!(!is_discussion(
            "let x = 1;\nlet y = a\n    >> 2;\nlet z = a\n    > b;\nreturn z;\n"
        ));
        let forum = "Help with a sorting function\n\nAnn wrote:\n> I have tried this:\n> \n\
            > def order(x):\n>     return sorted(x)\n> \n> and nothing is printed.\n\n\
            You never call it. Put this at the end:\n\nprint(order([3, 1, 2]))\n\n\
            Then you should see the list.\n\nBob wrote:\n> You never call it.\n\n\
            Right, and it returns a new list; the old one stays as it is.\n\n\
            Posted by Ann: thanks @Bob, that was it!\n";
        assert!(is_discussion(forum));
    }
}
