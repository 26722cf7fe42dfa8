//! Documents of the three kinds, field by field.

use super::super::testing::{Document, Read as Was, documents, read_all, values};
use super::*;
use neardupe_core::document::BadKind;
use std::io::Cursor;

const NEWSWIRE: &[u8] =
    include_bytes!("../../../../../corpus/formats/trec-newswire.sgml");
const WEB: &[u8] = include_bytes!("../../../../../corpus/formats/trec-web.sgml");
const SOGOU: &[u8] = include_bytes!("../../../../../corpus/formats/sogou.sgml");

fn read(bytes: &[u8], text: &[&str], metadata: &[&str]) -> Vec<Was> {
    let reader = Box::new(Cursor::new(bytes.to_vec()));
    let mut entries = TrecEntries::new(reader, 1 << 20);
    read_all(&mut entries, &mut values(text, metadata))
}

fn ids(documents: &[&Document]) -> Vec<String> {
    let id = |document: &&Document| document.id.clone().unwrap_or_default();
    documents.iter().map(id).collect()
}

fn metadata(document: &Document) -> Vec<Option<&str>> {
    document.metadata.iter().map(Option::as_deref).collect()
}

#[test]
fn newswire_is_headline_and_text_as_markup() {
    let keys = [
        "headline", "date", "byline", "dateline", "page", "doctype", "hl", "trailer", "f",
    ];
    let all = read(NEWSWIRE, &["text", "body"], &keys);
    let documents = documents(&all);
    assert_eq!(documents.len(), all.len());
    assert_eq!(
        ids(&documents),
        [
            "FT900-101",
            "AP900312-0042",
            "FBIS9-77",
            "WSJ900313-0007",
            "XIE19990105.0033",
            "EXA_ENG_20010203.0004",
        ]
    );
    let ft = documents[0];
    assert_eq!(ft.offset, 0);
    assert_eq!(ft.kinds, [Some(TextKind::Marked); 2]);
    let text = ft.texts[0].as_deref().unwrap();
    assert!(text.starts_with("\nFT  12 MAR 90 / Harbour board votes for a new crane\n"));
    assert!(text.contains("The crane &amp; its rails"));
    assert!(text.contains("the long-promised berth in autumn.\n"));
    assert!(!text.contains("Example Times"));
    let headline = "FT 12 MAR 90 / Harbour board votes for a new crane";
    let byline = Some("By OUR PORTS CORRESPONDENT");
    let page = Some("London Page 7");
    let expected = [Some(headline), Some("900312"), byline, None, page];
    assert_eq!(metadata(ft)[..5], expected);

    let ap = documents[1];
    let headline = "Harbor Board Votes For Crane\nEds: updates with cost";
    assert_eq!(metadata(ap)[0], Some(headline));
    assert_eq!(metadata(ap)[3], Some("NORTH QUAY (AP)"));
    let body = ap.texts[1].as_deref().unwrap();
    assert!(body.ends_with("in autumn.\n\n\n   The vote was seven to two.\n"));
}

#[test]
fn every_collection_has_its_own_tags() {
    let keys = ["headline", "date", "doctype", "hl", "trailer", "f"];
    let all = read(NEWSWIRE, &["body"], &keys);
    let documents = documents(&all);
    let fbis = metadata(documents[2]);
    assert_eq!(fbis[0], Some("Minister Opens Railway Bridge"));
    assert_eq!(fbis[1], Some("5 January 1994"));
    // The one in the text is markup.
    assert_eq!(fbis[5], Some("Sample Country"));
    let wsj = documents[3];
    let body = wsj.texts[0].as_deref().unwrap();
    let lead = "\n   The board of the north quay will have its crane.\n\n\n   Members";
    assert!(body.starts_with(lead), "{body}");
    let headline = Some("Dockside Crane: @ A Vote at Last @ ---- @ By A Staff Writer");
    assert_eq!((metadata(wsj)[0], metadata(wsj)[3]), (headline, headline));
    let xie = documents[4];
    let expected = [
        Some("Roundup: Snow Closes Mountain Roads"),
        Some("1999-01-05"),
        Some("NEWS STORY"),
        None,
        Some("Example Agency"),
        None,
    ];
    assert_eq!(metadata(xie), expected);
    let body = "\n<P>\nSnow closed four mountain roads on Tuesday.\n</P>\n<P>\nVillages are \
        supplied by helicopter.\n</P>\n";
    assert_eq!(xie.texts[0].as_deref(), Some(body));
}

#[test]
fn a_page_of_the_web_comes_after_what_its_server_sent() {
    let keys = ["url", "http-content-type", "http-date", "docoldno"];
    let all = read(WEB, &["text"], &keys);
    let documents = documents(&all);
    assert_eq!(documents.len(), all.len());
    assert_eq!(
        ids(&documents),
        [
            "GX900-00-0000001",
            "GX900-00-0000002",
            "WTX900-B01-3",
            "GX900-00-0000004",
        ]
    );
    let first = documents[0].texts[0].as_deref().unwrap();
    let second = documents[1].texts[0].as_deref().unwrap();
    assert!(first.starts_with("<html><head><title>Water levels"));
    assert!(first.contains("Café at the lock: open."));
    assert!(second.contains("Café at the lock: closed."));
    let expected = [
        Some("http://www.river.example.gov/levels.html"),
        Some("text/html; charset=ISO-8859-1"),
        Some("Tue, 09 Dec 2003 21:21:33 GMT"),
        None,
    ];
    assert_eq!(metadata(documents[0]), expected);
    let choir = documents[2];
    assert_eq!(metadata(choir)[0], Some("http://www.example.org:80/choir/"));
    assert_eq!(metadata(choir)[3], Some("IA900-000000-B001-3"));
    assert_eq!(choir.kinds, [Some(TextKind::Html)]);
    let report = documents[3];
    assert_eq!(report.kinds, [Some(TextKind::Plain)]);
    let text = report.texts[0].as_deref().unwrap();
    assert!(text.ends_with("the discharge was < 30 m3/s.\n"));
}

#[test]
fn chinese_in_gbk_is_known_by_its_bytes() {
    let all = read(SOGOU, &["text"], &["headline", "url"]);
    let documents = documents(&all);
    assert_eq!(
        ids(&documents),
        [
            "sample-0001",
            "http://news.example.cn/2.html",
            "sample-0003"
        ]
    );
    let first = documents[0];
    assert_eq!(metadata(first)[0], Some("北岸码头将建第二台起重机"));
    let text = first.texts[0].as_deref().unwrap();
    assert!(text.starts_with("北岸码头将建第二台起重机\n港务委员会昨晚"));
    let page = documents[2].texts[0].as_deref().unwrap();
    assert!(
        page.starts_with("<html><head><title>河流水位</title>"),
        "{page}"
    );
    assert!(page.ends_with("<svg><text>图</text></svg></body></html>\n"));
    assert_eq!(metadata(documents[2])[0], None);
}

#[test]
fn what_is_not_there_is_not_put() {
    let bytes =
        b"<DOC></DOC><DOC>only text</DOC><DOC><TEXT></DOC><doc><DOCNO> 7 </DOCNO>\
        <DOCID>x</DOCID>a<b>c</doc><DOC><P>x</P><DOCNO>8</DOCNO></DOC>\
        <DOC><HL>h</HL><SECTION>s</SECTION>words</DOC>";
    let all = read(bytes, &["text"], &["headline", "docid", "section"]);
    let documents = documents(&all);
    let of = |number: usize| {
        let document: &Document = documents[number];
        (document.id.as_deref(), document.texts[0].as_deref())
    };
    assert_eq!(of(0), (None, None));
    assert_eq!(of(1), (None, Some("only text")));
    assert_eq!(of(2), (None, Some("<TEXT>")));
    assert_eq!(of(3), (Some("7"), Some("a<b>c")));
    assert_eq!(metadata(documents[3]), [None, Some("x"), None]);
    assert_eq!(of(4).0, Some("8"));
    assert_eq!(of(5).1, Some("<HL>h</HL><SECTION>s</SECTION>words"));
    assert_eq!(metadata(documents[5]), [Some("h"), None, Some("s")]);
}

#[test]
fn hostile_documents_do_no_harm() {
    let nested = b"<DOC><DOCNO>1</DOCNO><DOC><DOCNO>2</DOCNO>\0a\0</DOC></DOC>";
    let all = read(nested, &["text"], &[]);
    let detail = "no </DOC> before the next <DOC>".to_owned();
    assert_eq!(all[0], Was::Bad(0, (BadKind::Format, detail)));
    assert_eq!(ids(&documents(&all)), ["2"]);
    assert_eq!(all.len(), 2);

    let piece = "<TEXT><HEADLINE><x><DOCNO></x><DATE>";
    let many = format!("<DOC>{}</DOC>", piece.repeat(20_000));
    let started = std::time::Instant::now();
    let all = read(many.as_bytes(), &["text"], &["headline", "x", "date"]);
    assert_eq!(documents(&all).len(), 1);
    assert!(started.elapsed().as_secs() < 10);
}
