//! Lines and tables: everything survives that is not removed, and what is removed has two
//! more fields.

use super::{Folder, gzip, line, prose, rows, unpacked};

/// Lines that a program which parses and prints would change.
fn odd_lines(seed: &str) -> Vec<String> {
    let text = |number: usize| prose(&format!("{seed}odd{number}x"), 30);
    let fields = [
        r#""n":1.0,"e":1e400,"big":123456789012345678901234567890,"zero":-0"#,
        r#""a":null,"b":{"x":[1,{"y":[]}],"z":{}},"c":[ ]"#,
        r#""k":1,"k":2,"K":3"#,
        r#""s":"\ud83d\ude00 \u0000 \/ \u0041","rtl":"שלום","comb":"e\u0301é"  "#,
        "\"tab\":\t\"x\" ,  \"sp\" : 1",
        r#""":"","":1"#,
    ];
    let lines = fields.iter().enumerate();
    let lines = lines.map(|(number, fields)| {
        format!(
            "{{{fields},\"id\":\"{seed}{number}\",\"text\":\"{}\"}}",
            text(number)
        )
    });
    lines.collect()
}

/// A file of odd lines with all kinds of line ends, and copies of some among them.
fn odd_file(seed: &str, last: &str) -> (String, String, Vec<String>) {
    let lines = odd_lines(seed);
    let (mut all, mut kept, mut removed) = (String::new(), String::new(), Vec::new());
    for (number, odd) in lines.iter().enumerate() {
        let end = ["\n", "\r\n", " \n", "\n\n", "\t\r\n", last][number];
        all += &format!("{odd}{end}");
        kept += &format!("{odd}{end}");
        if number < 5 {
            // Shorter by its last word, so it is the one that goes.
            let copy = odd.replace(&format!(" {seed}odd{number}x29\""), "\"");
            let copy = copy.replace("\"id\":\"", "\"id\":\"copy");
            all += &format!("{copy}\r\n");
            removed.push(copy);
        }
    }
    (all, kept, removed)
}

#[test]
fn lines_stay_byte_for_byte_in_every_packing() {
    let (plain, plain_kept, removed) = odd_file("plain", "");
    let (packed, packed_kept, _) = odd_file("packed", "\n");
    let (squeezed, squeezed_kept, _) = odd_file("squeezed", "");
    let marked = format!("\u{feff}\n{}", odd_file("marked", "").0);
    let marked_kept = format!("\u{feff}\n{}", odd_file("marked", "").1);
    let whole = odd_file("whole", "").1;
    let whole = gzip(whole.as_bytes());
    let zst = zstd::encode_all(squeezed.as_bytes(), 1).unwrap();
    let folder = Folder::with(&[
        ("a.jsonl", plain.as_bytes()),
        ("b/c.jsonl.gz", &gzip(packed.as_bytes())),
        ("b/d/e.jsonl.zst", &zst),
        ("marked.ndjson", marked.as_bytes()),
        ("whole.jsonl.gz", &whole),
        ("empty.jsonl", b""),
    ]);
    folder.dedup(&["--quiet"]);
    let of = |name: &str| {
        let bytes = unpacked(name, folder.read(name));
        String::from_utf8(bytes).unwrap()
    };
    assert_eq!(of("out/a.jsonl"), plain_kept);
    assert_eq!(of("out/b/c.jsonl.gz"), packed_kept);
    assert_eq!(of("out/b/d/e.jsonl.zst"), squeezed_kept);
    assert_eq!(of("out/marked.ndjson"), marked_kept);
    assert_eq!(of("out/empty.jsonl"), "");
    // Nothing was removed of it, so not a byte of the file has changed.
    assert_eq!(folder.read("out/whole.jsonl.gz"), whole);
    let written = of("out/removed/a.jsonl");
    let written: Vec<&str> = written.split_terminator("\r\n").collect();
    assert_eq!(written.len(), removed.len());
    for (number, (line, original)) in written.iter().zip(&removed).enumerate() {
        let rest = line
            .strip_prefix(original.strip_suffix('}').unwrap())
            .unwrap();
        let expected = format!(",\"duplicate_of\":\"plain{number}\",\"similarity\":0.96");
        assert!(rest.starts_with(&expected), "{rest}");
        assert!(rest.ends_with('}'), "{rest}");
    }
    assert_eq!(of("out/removed/b/c.jsonl.gz").lines().count(), 5);
    assert_eq!(of("out/removed/b/d/e.jsonl.zst").lines().count(), 5);
    assert!(!folder.path("out/removed/whole.jsonl.gz").exists());
}

#[test]
fn rows_of_tables_stay_byte_for_byte() {
    let (one, two) = (prose("one", 40), prose("two", 40));
    let head = "\u{feff}\"id\",text,\"a \"\"b\"\"\"\r\n";
    let kept = [
        format!("\"x,\"\"1\"\"\",\"{one}\r\nwith, more\",\"\"\r\n\r\n"),
        format!("y, {two} ,\"multi\nline\"\n"),
        format!("z,{},", prose("three", 40)),
    ];
    let removed = [
        format!("c1,\"{one}\r\nwith\",q\r\n"),
        format!("c2,{two},\n"),
    ];
    let table = format!(
        "{head}{}{}{}{}{}",
        kept[0], removed[0], removed[1], kept[1], kept[2]
    );
    let four = prose("four", 40);
    let tsv = format!("text\tid\n{four} tabs more\ta\"b\n{four} tabs\tc\n");
    let folder = Folder::with(&[
        ("t.csv", table.as_bytes()),
        ("u.tsv", tsv.as_bytes()),
        ("head.csv", b"id,text\r\n"),
    ]);
    folder.dedup(&["--quiet", "--keep", "shortest"]);
    folder.dedup(&["--quiet"]);
    assert_eq!(folder.text("out/head.csv"), "id,text\r\n");
    assert_eq!(folder.text("out/t.csv"), format!("{head}{}", kept.concat()));
    let written = folder.text("out/removed/t.csv");
    let ratio = written.rsplit(',').nth(1).unwrap();
    assert!(
        ratio.starts_with("1.0") || ratio.starts_with("0.9"),
        "{ratio}"
    );
    let first = written.split("q,").nth(1).unwrap();
    assert!(first.starts_with("\"x,\"\"1\"\"\",0.9"), "{first}");
    let names = "\u{feff}\"id\",text,\"a \"\"b\"\"\",duplicate_of,similarity,duplicate_of_record\r\n";
    assert!(written.starts_with(names), "{written}");
    assert!(written.contains("\r\nwith\",q,"), "{written}");
    assert!(written.contains(&format!("c2,{two},,y,")), "{written}");
    let tsv = folder.text("out/removed/u.tsv");
    assert!(
        tsv.starts_with("text\tid\tduplicate_of\tsimilarity\tduplicate_of_record\n"),
        "{tsv}"
    );
    assert!(tsv.contains("tabs\tc\ta\"b\t0.9"), "{tsv}");
}

#[test]
fn bad_records_are_told_and_not_written() {
    let good = line("a", &prose("good", 20));
    let lines = format!("{good}{{\"id\":\"b\"}}\nnot json\n{}", line("c", "short"));
    let csv = "id,text\na,b,c\nd,some text here\n";
    let folder = Folder::with(&[
        ("a.jsonl", lines.as_bytes()),
        ("b.csv", csv.as_bytes()),
        ("c.csv", b"id,other\n1,2\n"),
        (
            "d.jsonl.gz",
            &gzip(good.replace("good", "cut").as_bytes())[..60],
        ),
    ]);
    let output = folder.dedup(&["--quiet"]);
    assert_eq!(output.status.code(), Some(3));
    let kept = format!("{good}{}", line("c", "short"));
    assert_eq!(folder.text("out/a.jsonl"), kept);
    assert_eq!(folder.text("out/b.csv"), "id,text\nd,some text here\n");
    assert!(!folder.path("out/c.csv").exists());
    let bad = rows(&folder.read("out/_neardupe/bad-records.jsonl"));
    assert_eq!(bad.len(), 5, "{bad:?}");
}

#[test]
fn a_line_of_many_blocks_is_whole() {
    // Lines longer than the ranges in which a file is read.
    let long = |id: &str, words: usize| line(id, &prose("word", words));
    let (kept, removed) = (long("a", 260_000), long("b", 259_000));
    let other = line("c", "other");
    let all = format!("{removed}{other}{kept}");
    let folder = Folder::with(&[("a.jsonl", all.as_bytes())]);
    folder.dedup(&["--quiet"]);
    assert_eq!(folder.text("out/a.jsonl"), format!("{other}{kept}"));
    assert_eq!(folder.ids("out/removed/a.jsonl"), ["b"]);
}
