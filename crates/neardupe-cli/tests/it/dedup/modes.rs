//! Annotating, lists of ids, what is printed.

use super::{Folder, gzip, line, prose, rows};

fn two_clusters() -> (String, String) {
    let (one, two) = (prose("one", 40), prose("two", 40));
    let first = [
        line("a", &format!("{one} end")),
        line("b", &one),
        line("single", "nothing like it"),
    ];
    let second =
        format!("id,text\nc,{one}\n\"d,\"\"1\"\"\",{two} end\ne,{two}\nempty,\n");
    (first.concat(), second)
}

#[test]
fn all_documents_are_annotated_in_place() {
    let (first, second) = two_clusters();
    let folder = Folder::with(&[
        ("a.jsonl.gz", &gzip(first.as_bytes())),
        ("s/b.csv", second.as_bytes()),
    ]);
    let output = folder.dedup(&["--annotate", "--prefix", "nd_"]);
    let shown = String::from_utf8(output.stdout).unwrap();
    assert!(
        shown.contains("2 files annotated: 4 documents are kept, 3"),
        "{shown}"
    );
    assert!(!folder.path("out/removed").exists());
    let name = "out/a.jsonl.gz";
    let lines = super::unpacked(name, folder.read(name));
    let lines = String::from_utf8(lines).unwrap();
    let added: Vec<&str> = lines
        .lines()
        .zip(first.lines())
        .map(|(line, original)| {
            line.strip_prefix(original.strip_suffix('}').unwrap())
                .unwrap()
        })
        .collect();
    assert_eq!(
        added,
        [
            ",\"nd_cluster_id\":\"a\",\"nd_cluster_size\":3,\"nd_is_representative\":true,\
             \"nd_duplicate_of\":null,\"nd_similarity\":null,\"nd_duplicate_of_record\":null}",
            ",\"nd_cluster_id\":\"a\",\"nd_cluster_size\":3,\"nd_is_representative\":false,\
             \"nd_duplicate_of\":\"a\",\"nd_similarity\":0.972973,\
             \"nd_duplicate_of_record\":\"in/a.jsonl.gz#1\"}",
            ",\"nd_cluster_id\":\"single\",\"nd_cluster_size\":1,\
             \"nd_is_representative\":true,\"nd_duplicate_of\":null,\"nd_similarity\":null,\
             \"nd_duplicate_of_record\":null}",
        ]
    );
    let table = folder.text("out/s/b.csv");
    let ends: Vec<&str> = table
        .lines()
        .map(|row| row.rsplit("3").next().unwrap())
        .collect();
    assert!(
        table.starts_with(
            "id,text,nd_cluster_id,nd_cluster_size,nd_is_representative,nd_duplicate_of,\
             nd_similarity,nd_duplicate_of_record\n"
        ),
        "{ends:?}"
    );
    assert!(
        table.contains(",a,3,false,a,0.972973,in/a.jsonl.gz#1\n"),
        "{table}"
    );
    assert!(
        table.contains(" end,\"d,\"\"1\"\"\",2,true,,,\n"),
        "{table}"
    );
    assert!(
        table.contains(",\"d,\"\"1\"\"\",2,false,\"d,\"\"1\"\"\",0.972973,in/"),
        "{table}"
    );
    assert!(table.ends_with("empty,,empty,1,true,,,\n"), "{table}");
}

#[test]
fn lists_of_ids_are_written_for_any_format() {
    let text = prose("text", 30);
    let lines = [
        line("plain", &text),
        line("two\nlines", &text),
        line("\"quoted", "other"),
        "{\"text\":\"no id at all\"}\n".to_owned(),
    ];
    let page = format!("<p>{text}</p>");
    let folder = Folder::with(&[
        ("a.jsonl", lines.concat().as_bytes()),
        ("p.html", page.as_bytes()),
    ]);
    let output = folder.dedup(&["--ids-only"]);
    let kept = folder.text("out/kept-ids.txt");
    assert_eq!(kept, "\"\\\"quoted\"\na.jsonl:4\np.html\n");
    assert_eq!(
        folder.text("out/removed-ids.txt"),
        "plain\n\"two\\nlines\"\n"
    );
    assert!(!folder.path("out/a.jsonl").exists());
    let shown = String::from_utf8(output.stdout).unwrap();
    assert!(shown.contains("kept-ids.txt"), "{shown}");
    // Standard input can be read once, which is enough for this.
    let output = assert_cmd::Command::new(env!("CARGO_BIN_EXE_neardupe"))
        .args(["dedup", "-", "-o", "piped", "--ids-only", "--quiet"])
        .current_dir(folder.path(""))
        .write_stdin(lines.concat())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
    let removed = folder.text("piped/removed-ids.txt");
    assert_eq!(removed, "\"two\\nlines\"\n");
}

#[test]
fn rates_are_told_by_file_and_more_than_half_is_a_warning() {
    let text = prose("text", 30);
    let file = |name: &str, copies: usize| {
        let ids = (0..copies).map(|number| format!("{name}{number}"));
        let lines: String = ids.map(|id| line(&id, &text)).collect();
        lines + &line(name, &prose(name, 20))
    };
    let names: Vec<String> = (0..25)
        .map(|it| format!("f{}/{it:02}.jsonl", it % 3))
        .collect();
    let folder = Folder::new();
    for (number, name) in names.iter().enumerate() {
        let content = file(&format!("n{number:02}x"), number % 4);
        folder.write(&format!("in/{name}"), content.as_bytes());
    }
    let output = folder.dedup(&[]);
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(
        told.contains("WARNING: 35 of 61 documents (57.4 %)"),
        "{told}"
    );
    assert!(
        told.contains("the largest cluster has 36 documents"),
        "{told}"
    );
    assert!(
        told.contains("35 have the text of the document that is kept"),
        "{told}"
    );
    assert!(told.contains("neardupe explain"), "{told}");
    let shown = String::from_utf8(output.stdout).unwrap();
    assert!(shown.contains("removed by folder"), "{shown}");
    assert!(shown.contains("3 of 4"), "{shown}");
    let dedup = &folder.summary()["dedup"];
    assert_eq!(dedup["most_removed_files"].as_array().unwrap().len(), 17);
    assert_eq!(dedup["most_removed_folders"].as_array().unwrap().len(), 3);
    assert_eq!(dedup["removed_share"], 0.573_770);
    // Half is no more than half; quiet says nothing but the warning.
    let half = [line("a", &text), line("b", &text)].concat();
    let folder = Folder::with(&[("a.jsonl", half.as_bytes())]);
    let output = folder.dedup(&["--quiet"]);
    assert_eq!((output.stderr.len(), output.stdout.len()), (0, 0));
    let output = folder.dedup(&["--json"]);
    let printed: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(printed["command"], "dedup");
    assert_eq!(printed["options"]["annotate"], false);
    assert_eq!(printed["dedup"], folder.summary()["dedup"]);
    assert_eq!(
        rows(&folder.read("out/_neardupe/duplicates.jsonl")).len(),
        1
    );
}
