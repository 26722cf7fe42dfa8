use super::*;
use proptest::prelude::*;

fn differ(one: &str, two: &str) -> Option<Vec<&'static str>> {
    let [one, two] = [one, two].map(|it| PageUrl::parse(it).unwrap());
    assert_eq!(one.variant_of(&two).is_some(), one.normal() == two.normal());
    one.variant_of(&two)
}

#[test]
fn addresses_of_one_page() {
    let cases = [
        // The pair of the thesis.
        (
            "http://mirror-pole.com/apif.web/",
            "http://www.mirror-pole.com/apif.web/index.htm",
            vec!["www", "index page"],
        ),
        ("http://a.org/b", "https://a.org/b", vec!["scheme"]),
        ("http://a.org/b", "http://a.org:8080/b", vec!["port"]),
        ("http://a.org/b", "http://a.org/b/", vec!["slashes"]),
        ("http://a.org//b", "http://a.org/b", vec!["slashes"]),
        ("http://a.org", "http://A.org/", vec!["case or escapes"]),
        (
            "http://a.org/",
            "http://a.org/Default.aspx",
            vec!["index page"],
        ),
        (
            "http://a.org/b?x=1&y=2",
            "http://a.org/b?y=2&amp;x=1",
            vec!["order of parameters"],
        ),
        (
            "http://a.org/b;jsessionid=0A1B?x=1",
            "http://a.org/b?x=1",
            vec!["session id"],
        ),
        (
            "http://a.org/(S(x3k2))/b.aspx",
            "http://a.org/b.aspx",
            vec!["session id"],
        ),
        (
            "http://a.org/b?sid=0123456789abcdef0123",
            "http://a.org/b",
            vec!["session id"],
        ),
        (
            "http://a.org/b?utm_source=mail&gclid=x",
            "http://a.org/b",
            vec!["tracking parameters"],
        ),
        ("http://a.org/b#top", "http://a.org/b", vec!["fragment"]),
        (
            "http://a.org/%7Eann/a%2fb",
            "http://a.org/~ann/a%2Fb",
            vec!["case or escapes"],
        ),
        ("http://a.org/b", "http://a.org/b", vec![]),
    ];
    for (one, two, expected) in cases {
        assert_eq!(differ(one, two), Some(expected.clone()), "{one} {two}");
        assert_eq!(differ(two, one), Some(expected), "{two} {one}");
    }
}

#[test]
fn addresses_of_two_pages() {
    for (one, two) in [
        ("http://a.org/b", "http://b.org/b"),
        ("http://a.org/b", "http://a.org/c"),
        ("http://a.org/B", "http://a.org/b"),
        ("http://a.org:8081/b", "http://a.org/b"),
        ("http://a.org/b?sid=17", "http://a.org/b?sid=18"),
        ("http://a.org/b?page=1", "http://a.org/b?page=2"),
        ("http://a.org/#!/one", "http://a.org/#!/two"),
        ("http://a.org/a%2Fb", "http://a.org/a/b"),
        ("http://www.com/", "http://com/"),
        ("http://a.org/indexes.html", "http://a.org/"),
    ] {
        assert_eq!(differ(one, two), None, "{one} {two}");
    }
}

#[test]
fn other_ids_are_no_addresses() {
    for id in [
        "",
        "docs.jsonl:7",
        "urn:uuid:1",
        "ftp://a.org/b",
        "http:///",
        "clueweb09-en0000-00-00000",
        "http://",
        "a http://b.org/",
    ] {
        assert_eq!(PageUrl::parse(id), None, "{id}");
    }
}

#[test]
fn several_sessions_in_a_piece_all_go() {
    let normal = |text: &str| PageUrl::parse(text).unwrap().normal();
    for path in ["(S(x));jsessionid=1", "(S(x));jsessionid=1;jsessionid=2"] {
        assert_eq!(normal(&format!("http://a.org/{path}")), "http://a.org/");
    }
}

proptest! {
    /// The usual form of the usual form is itself.
    #[test]
    fn the_usual_form_stays(
        host in "(www\\.){0,3}[a-cA-C.%]{0,6}(www\\.)?[a-z]{0,3}(\\.)?(:[0-9]{1,4})?",
        path in "(/|//|[a-c]|%[0-9a-f]{2}|%|%%34%31|%6asessionid|;jsessionid=1|\\(S\\(x\\)\\)|index\\.htm|\\.\\.|%2e|é| ){0,8}",
        query in "(\\?([a-c]|=|&|;|amp;|utm_a|%[0-9a-f]{2}|\\+|sid=0123456789abcdef0|'){0,9})?",
        fragment in "(#[!/a%2]{0,4})?",
    ) {
        let text = format!("http://{host}/{path}{query}{fragment}");
        if let Some(url) = PageUrl::parse(&text) {
            let normal = url.normal();
            let again = PageUrl::parse(&normal);
            prop_assert_eq!(again.map(|again| again.normal()), Some(normal));
        }
    }
}
