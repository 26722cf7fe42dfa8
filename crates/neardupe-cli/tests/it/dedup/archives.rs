//! Formats without fields: records stay as they are, the proof is in a table.

use super::{Folder, gzip, prose, rows, unpacked};
use std::fs;

fn warc(kind: &str, id: &str, content: &str) -> String {
    format!(
        "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:{id}>\r\n\
         Content-Type: text/plain\r\nContent-Length: {}\r\n\r\n{content}\r\n\r\n",
        content.len()
    )
}

/// Records of a crawl; those whose id begins with `c` are copies.
fn crawl(seed: &str) -> Vec<(&'static str, String)> {
    let text = |name: &str| prose(&format!("{seed}{name}"), 50);
    let (one, two) = (text("one"), text("two"));
    let id = |name: &str| format!("{seed}-{name}");
    vec![
        ("info", warc("warcinfo", "info", "software: x\r\n")),
        ("a", warc("conversion", &id("a"), &one)),
        ("request", warc("request", "r", "GET / HTTP/1.1\r\n\r\n")),
        ("c1", warc("conversion", &id("c1"), &one[..one.len() - 6])),
        ("b", warc("conversion", &id("b"), &two)),
        ("c2", warc("resource", &id("c2"), &two)),
        ("last", warc("metadata", "m", "x: y")),
    ]
}

fn joined(records: &[(&str, String)], copies: bool) -> String {
    let of = |(name, _): &&(&str, String)| name.starts_with('c') == copies;
    let chosen = records.iter().filter(of);
    chosen.map(|(_, record)| record.as_str()).collect()
}

#[test]
fn records_of_archives_stay_and_members_stay_members() {
    let [plain, in_members, whole] = ["plain", "members", "whole"].map(crawl);
    let all = |records: &[(&str, String)]| {
        records
            .iter()
            .map(|(_, record)| record.as_str())
            .collect::<String>()
    };
    let members: Vec<Vec<u8>> = in_members
        .iter()
        .map(|(_, record)| gzip(record.as_bytes()))
        .collect();
    let folder = Folder::with(&[
        ("plain.warc", all(&plain).as_bytes()),
        ("m/members.warc.gz", &members.concat()),
        ("m/whole.warc.gz", &gzip(all(&whole).as_bytes())),
    ]);
    folder.dedup(&["--quiet"]);
    assert_eq!(folder.text("out/plain.warc"), joined(&plain, false));
    assert_eq!(folder.text("out/removed/plain.warc"), joined(&plain, true));
    let of = |name: &str| {
        let packed = folder.read(name);
        let heads = packed
            .windows(3)
            .filter(|it| it == &[0x1f, 0x8b, 8])
            .count();
        let text = String::from_utf8(unpacked(name, packed)).unwrap();
        (text, heads)
    };
    let found = of("out/m/members.warc.gz");
    assert_eq!(found, (joined(&in_members, false), 5));
    let found = of("out/removed/m/members.warc.gz");
    assert_eq!(found, (joined(&in_members, true), 2));
    assert_eq!(of("out/m/whole.warc.gz"), (joined(&whole, false), 1));
    assert_eq!(of("out/removed/m/whole.warc.gz"), (joined(&whole, true), 1));
    let table = rows(&folder.read("out/_neardupe/removed.jsonl"));
    let row = table
        .iter()
        .find(|row| row["path"] == "plain.warc")
        .unwrap();
    assert_eq!(row["id"], "urn:plain-c1");
    assert_eq!(row["duplicate_of"], "urn:plain-a");
    assert_eq!(row["duplicate_of_path"], "plain.warc");
    assert!(row["similarity"].as_f64().unwrap() > 0.9);
}

#[test]
fn elements_are_taken_out_and_what_is_around_them_stays() {
    let doc = |id: &str, text: &str| {
        format!("<DOC>\n<DOCNO> {id} </DOCNO>\n<TEXT>\n{text}\n</TEXT>\n</DOC>")
    };
    let (one, two) = (prose("one", 50), prose("two", 50));
    let (a, b, c) = (
        doc("A", &one),
        doc("B", &two),
        doc("C", &one[..one.len() - 6]),
    );
    let trec = format!("<ROOT>\n{a}\n\n{c}  \n<!-- x -->\n{b}\n</ROOT>\n");
    let article = |id: u32, text: &str| {
        format!(
            "<PubmedArticle><MedlineCitation><PMID>{id}</PMID><Article><ArticleTitle>{text}\
             </ArticleTitle></Article></MedlineCitation></PubmedArticle>"
        )
    };
    let (three, four) = (prose("three", 50), prose("four", 50));
    let (d, e) = (article(1, &three), article(2, &three));
    let f = article(3, &four);
    let head = "<?xml version=\"1.0\"?>\n<PubmedArticleSet>\n";
    let pubmed = format!("{head}{d}\n{f}\n{e}\n</PubmedArticleSet>\n");
    let nitf = |text: &str| {
        format!(
            "<?xml version=\"1.0\"?>\n<nitf><body><body.content><p>{text}</p></body.content>\
             </body></nitf>\n"
        )
    };
    let five = prose("five", 50);
    let folder = Folder::with(&[
        ("t.trec", trec.as_bytes()),
        ("p.xml.gz", &gzip(pubmed.as_bytes())),
        ("n1.nitf", nitf(&format!("{five} end")).as_bytes()),
        ("n2.nitf", nitf(&five).as_bytes()),
    ]);
    folder.dedup(&["--quiet", "--keep", "first"]);
    let kept = format!("<ROOT>\n{a}\n\n<!-- x -->\n{b}\n</ROOT>\n");
    assert_eq!(folder.text("out/t.trec"), kept);
    let removed = format!("<ROOT>\n\n{c}  \n<!-- x -->\n</ROOT>\n");
    assert_eq!(folder.text("out/removed/t.trec"), removed);
    let of = |name: &str| {
        let bytes = unpacked(name, folder.read(name));
        String::from_utf8(bytes).unwrap()
    };
    let end = "</PubmedArticleSet>\n";
    assert_eq!(of("out/p.xml.gz"), format!("{head}{d}\n{f}\n{end}"));
    assert_eq!(of("out/removed/p.xml.gz"), format!("{head}{e}\n{end}"));
    // A file whose only article is removed is not there, as a text file would not be.
    assert!(folder.path("out/n1.nitf").exists());
    assert!(!folder.path("out/n2.nitf").exists());
    assert_eq!(folder.text("out/removed/n2.nitf"), nitf(&five));
}

#[test]
fn files_that_are_documents_are_there_or_not() {
    let text = prose("file", 60);
    let html = |text: &str| format!("<html><body><p>{text}</p></body></html>");
    let (one, two) = (prose("page", 60), format!("{text} end"));
    let folder = Folder::with(&[
        ("a/one.txt", two.as_bytes()),
        ("a/two.txt.gz", &gzip(text.as_bytes())),
        ("b/three.html", html(&one).as_bytes()),
        ("b/four.html", html(&format!("{one} end")).as_bytes()),
        ("empty.txt", b""),
    ]);
    folder.dedup(&["--quiet"]);
    assert_eq!(folder.text("out/a/one.txt"), two);
    assert!(folder.path("out/b/four.html").exists());
    assert_eq!(folder.text("out/empty.txt"), "");
    assert_eq!(folder.text("out/removed/b/three.html"), html(&one));
    let packed = folder.read("out/removed/a/two.txt.gz");
    assert_eq!(packed, gzip(text.as_bytes()));
    assert!(!folder.path("out/a/two.txt.gz").exists());
    assert!(!folder.path("out/b/three.html").exists());
    // What was kept is a collection without duplicates; its own tables are not read.
    let again = folder.run(&["dedup", "out", "-o", "again", "--quiet"]);
    assert_eq!(again.status.code(), Some(0));
    let table = fs::read(folder.path("again/_neardupe/files.jsonl")).unwrap();
    let table = rows(&table);
    assert_eq!(table.len(), 3, "{table:?}");
    assert!(table.iter().all(|row| row["removed"] == 0));
    assert!(!folder.path("again/removed").exists());
}

#[test]
fn records_too_long_to_be_held_are_copied_all_the_same() {
    let one = prose("one", 50);
    let image = warc("resource", "i", &"\u{1}noise ".repeat(4 << 20));
    let image = image.replacen("text/plain", "image/png", 1);
    let records = [
        ("a", warc("conversion", "a", &one)),
        ("image", image),
        ("c", warc("conversion", "c", &one[..one.len() - 6])),
        ("b", warc("conversion", "b", "other words")),
    ];
    let packed: Vec<Vec<u8>> = records
        .iter()
        .map(|(_, record)| gzip(record.as_bytes()))
        .collect();
    let folder = Folder::with(&[("a.warc.gz", &packed.concat())]);
    folder.dedup(&["--quiet", "--max-record-bytes", "10K"]);
    let name = "out/a.warc.gz";
    let kept = unpacked(name, folder.read(name));
    assert!(
        kept == joined(&records, false).as_bytes(),
        "{} bytes",
        kept.len()
    );
}
