//! Files that are empty, binary, unreadable or not files at all, and what happens to an
//! older result when a job fails.

use super::{Folder, collection, line};
use std::fs;
use std::io::Write;

#[test]
fn empty_files_hold_no_record_or_an_empty_text() {
    let folder = Folder::with("empty.jsonl", "");
    folder.write("empty.jsonl.gz", "");
    folder.write("empty.txt", "");
    let found = folder.find(&["."]);
    assert_eq!((found.documents(), found.count("empty")), (1, 1));
    let found = folder.find_in(b"", &["-", "--input-format", "jsonl"]);
    assert_eq!(found.documents(), 0);
}

#[test]
fn a_binary_file_is_one_bad_record() {
    let mut bytes = b"\x7fELF\x02\x01\x01\x00".to_vec();
    bytes.extend((0..100_000u32).flat_map(u32::to_le_bytes));
    let folder = Folder::with("program.jsonl", &bytes);
    folder.write("program.txt", &bytes);
    folder.write("packed.jsonl.gz", super::compressed::gzip(&bytes));
    folder.write("utf16.txt", b"\xff\xfet\0e\0x\0t\0");
    folder.write("good.jsonl", line("a", "text"));
    let found = folder.find(&["."]);
    assert_eq!(found.documents(), 2);
    let names = ["packed.jsonl.gz", "program.jsonl", "program.txt"];
    assert_eq!(found.places(), names.map(|name| (name, 1, 0, "binary")));
    let found = folder.find_in(&bytes, &["-"]);
    assert_eq!(found.places(), [("stdin", 1, 0, "binary")]);
}

#[test]
fn zero_bytes_far_into_a_file_spoil_only_their_line() {
    let lines = collection(300, 5);
    let content = lines[..200].concat() + "\0\0\0\n" + &lines[200..].concat();
    let found = Folder::with("docs.jsonl", &content).find(&["docs.jsonl"]);
    assert_eq!(found.documents(), 300);
    assert_eq!(found.places()[0].1, 201);
}

#[cfg(unix)]
#[test]
fn what_the_system_refuses_is_a_bad_record_each() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::with("good.jsonl", line("a", "text"));
    folder.write("closed.jsonl", line("b", "text"));
    folder.write("shut/inner.jsonl", line("c", "text"));
    let close = |name: &str, mode: u32| {
        fs::set_permissions(folder.path(name), fs::Permissions::from_mode(mode)).unwrap();
    };
    close("closed.jsonl", 0);
    close("shut", 0);
    if fs::File::open(folder.path("closed.jsonl")).is_ok() {
        println!("skipped: this user may read every file, whatever its permissions");
        return;
    }
    let found = folder.find(&["."]);
    close("shut", 0o755);
    assert_eq!(found.documents(), 1);
    let kind = "unreadable";
    assert_eq!(
        found.places(),
        [("closed.jsonl", 1, 0, kind), ("shut", 1, 0, kind)]
    );
}

#[cfg(unix)]
#[test]
fn links_that_lead_nowhere_are_recorded_and_links_to_a_folder_above_are_passed_over() {
    use std::os::unix::fs::symlink;
    let folder = Folder::with("docs/good.jsonl", line("a", "text"));
    for name in ["gone.jsonl", "gone.txt", "gone", ".hidden.txt"] {
        symlink("nowhere", folder.path("docs").join(name)).unwrap();
    }
    // What is reached in two ways is one file, whether it can be read or not.
    folder.write("docs/sub/more.jsonl", line("b", "words"));
    symlink("nowhere", folder.path("docs/sub/gone.md")).unwrap();
    symlink("..", folder.path("docs/sub/above")).unwrap();
    symlink("sub", folder.path("docs/sub-again")).unwrap();
    symlink("good.jsonl", folder.path("docs/same.jsonl")).unwrap();
    let found = folder.find(&["docs"]);
    assert_eq!(found.documents(), 2);
    let unreadable = ["gone.jsonl", "gone.txt", "sub/gone.md"];
    assert_eq!(
        found.places(),
        unreadable.map(|name| (name, 1, 0, "unreadable"))
    );
    assert_eq!(found.summary["skipped_files"], 1);
}

#[cfg(target_os = "linux")]
#[test]
fn names_that_are_not_utf8_are_read() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let folder = Folder::with("docs/b.txt", "one two three");
    folder.write(OsStr::from_bytes(b"docs/caf\xe9.txt"), "one two three");
    let found = folder.find(&["docs"]);
    assert!(
        found.clusters.contains("[\"b.txt\",\"caf\u{fffd}.txt\"]"),
        "{}",
        found.clusters
    );
}

#[cfg(unix)]
#[test]
fn a_pipe_given_by_name_is_read_like_standard_input() {
    let lines = collection(300, 6);
    let folder = Folder::with("docs.jsonl", lines.concat());
    let plain = folder.find(&["docs.jsonl"]);
    let packed = super::compressed::gzip(lines.concat().as_bytes());
    for bytes in [lines.concat().as_bytes(), &packed] {
        let found = folder.find_in(bytes, &["/dev/stdin"]);
        assert_eq!(found.tables(), plain.tables());
    }
}

#[test]
fn ids_that_repeat_across_files_stay_apart() {
    let folder = Folder::with(
        "a.jsonl",
        line("x", "one two three") + &line("y", "other words"),
    );
    folder.write(
        "b/c.jsonl",
        line("x", "one two three") + &line("x", "something else"),
    );
    folder.write("d.jsonl", line("x#2", "something else"));
    let found = folder.find(&[".", "--pairs", "all"]);
    assert_eq!((found.documents(), found.count("duplicates")), (5, 2));
    let mut ids: Vec<&str> = found
        .pairs
        .split('"')
        .filter(|id| id.starts_with('x'))
        .collect();
    ids.sort_unstable();
    assert_eq!(ids, ["x", "x#2", "x#3", "x#4"]);
}

#[test]
fn a_job_that_fails_leaves_the_older_result_complete() {
    let folder = Folder::with("docs.jsonl", collection(100, 9).concat());
    let before = folder.find(&["docs.jsonl"]);
    let names = ["pairs", "clusters", "duplicates", "bad-records"]
        .map(|name| format!("{name}.jsonl"));
    let contents = || {
        let paths = names.iter().map(String::as_str).chain(["summary.json"]);
        let paths = paths.map(|name| folder.path("neardupe-out").join(name));
        paths
            .map(|path| fs::read(path).unwrap())
            .collect::<Vec<_>>()
    };
    let old = contents();
    folder.write("bad.jsonl", collection(3000, 9).concat() + "oops\n");
    let message = folder.fail(&["bad.jsonl", "--strict"]);
    assert!(
        message.contains("bad.jsonl") && message.contains("--strict"),
        "{message}"
    );
    folder.fail(&["docs.jsonl", "nowhere.jsonl"]);
    assert_eq!(contents(), old);
    // And a job that does not fail replaces it.
    folder.write("docs.jsonl", collection(40, 9).concat());
    let after = folder.find(&["docs.jsonl"]);
    assert_ne!(after.tables(), before.tables());
}

#[test]
fn a_strict_job_ends_at_the_first_bad_record_of_a_stream_without_end() {
    for threads in ["1", "4"] {
        let folder = Folder::new();
        let mut program = std::process::Command::new(env!("CARGO_BIN_EXE_neardupe"))
            .args(["find", "-", "--strict", "--quiet", "--threads", threads])
            .current_dir(folder.path(""))
            .stdin(std::process::Stdio::piped())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        let mut stdin = program.stdin.take().unwrap();
        stdin.write_all(b"{\"text\": 1}\n").unwrap();
        let more = line("a", "good").repeat(1000);
        // Far more than is read before the fault is known; then nobody listens any more.
        let written =
            (0..100_000).take_while(|_| stdin.write_all(more.as_bytes()).is_ok());
        let written = written.count() * more.len();
        assert!(written < 200 << 20, "{written} bytes were read");
        assert_eq!(program.wait().unwrap().code(), Some(1));
        assert!(!folder.path("neardupe-out").exists());
    }
}
