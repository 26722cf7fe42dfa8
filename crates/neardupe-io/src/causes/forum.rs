//! Forums: addresses of threads and posts, and texts that are posts quoted in others.

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

fn is_forum(url: &PageUrl) -> bool {
    let folded: Vec<String> = url.path().iter().map(|part| part.to_lowercase()).collect();
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

fn thread(url: &PageUrl) -> Option<&str> {
    parameter(url, &THREAD)
}

fn post(url: &PageUrl) -> Option<&str> {
    parameter(url, &POST)
}

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

/// Whether a text is a discussion: it quotes, or tells who posted what.
pub fn is_discussion(text: &str) -> bool {
    let lines = memchr::memchr_iter(b'>', text.as_bytes());
    let quoted = lines.filter(|&at| begins_quote(text.as_bytes(), at));
    let marks = QUOTE_MARKS.places(text);
    // Each is found only when it is needed.
    quoted.chain(marks).take(MIN_QUOTES).count() == MIN_QUOTES
}

/// Whether a line is quoted from this place on: the first that is not white space, and a second
/// one or a space after it.
fn begins_quote(text: &[u8], at: usize) -> bool {
    let before = text[..at].iter().rev();
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
}
