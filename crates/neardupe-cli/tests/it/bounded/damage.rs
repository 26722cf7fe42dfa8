//! Work that was damaged while nobody looked is refused by name, and nothing comes of it.

use super::Numbers;
use super::moments::{ALL_READ, OPEN, STAR, files_of_stages};
use super::place::{OUT, Place};
use std::collections::BTreeSet;
use std::fs;

const RESUME: [&str; 5] = ["--checkpoint", "--write-text", "--pairs", "all", "--resume"];

fn assert_refused(place: &Place, name: &str, what: &str) {
    let ended = place.find(&RESUME).finish();
    let named = format!(".out.work/{name}: ");
    ended.assert_says(1, &[&named, "damaged", "start again without --resume"]);
    place.assert_no_result(&format!("{name} {what}"));
}

#[test]
fn every_file_of_a_killed_job() {
    let mut numbers = Numbers::seeded(4);
    let place = Place::with_documents(300);
    let expected = place.undisturbed(&RESUME[1..4]);
    let mut kinds = BTreeSet::new();
    for moment in [ALL_READ, OPEN, STAR] {
        place.kill_at(moment, &RESUME[..4]);
        // Killed while it wrote the result, for which a job that goes on has no use.
        let _ = fs::remove_dir_all(place.path(".out.partial"));
        let mut names = files_of_stages(&place.work());
        names.push("manifest".to_owned());
        for name in names {
            kinds.insert(name.split('-').next().unwrap().to_owned());
            let path = place.work().join(&name);
            let whole = fs::read(&path).unwrap();
            for (what, damaged) in damages(&name, &whole, &mut numbers) {
                match damaged {
                    Some(bytes) => fs::write(&path, bytes).unwrap(),
                    None => fs::remove_file(&path).unwrap(),
                }
                assert_refused(&place, &name, &what);
                fs::write(&path, &whole).unwrap();
            }
        }
        place.find(&RESUME).finish().assert_code(0);
        place.assert_result(&expected, moment.0);
        fs::remove_dir_all(place.path(OUT)).unwrap();
    }
    let all = [
        "features", "kept", "log", "manifest", "open", "sets", "star", "texts",
    ];
    assert!(kinds.iter().eq(&all), "{kinds:?}");
}

/// What can happen to a file: its new content, or none when it is gone.
fn damages(
    name: &str,
    whole: &[u8],
    numbers: &mut Numbers,
) -> Vec<(String, Option<Vec<u8>>)> {
    let is_manifest = name == "manifest";
    let mut damages = vec![("longer by a byte".to_owned(), Some([whole, b"x"].concat()))];
    if !is_manifest {
        damages.push(("removed".to_owned(), None));
    }
    // Some threads had nothing to put into a file.
    if let [shorter @ .., _] = whole {
        damages.push(("shorter by a byte".to_owned(), Some(shorter.to_vec())));
        // The first line of a manifest has its version, which is another story.
        let newline = whole.iter().position(|&byte| byte == b'\n');
        let start = newline.filter(|_| is_manifest).unwrap_or(0);
        let at = start + numbers.below(whole.len() - start);
        let mut flipped = whole.to_vec();
        flipped[at] ^= 1 << numbers.below(7);
        damages.push((format!("with byte {at} flipped"), Some(flipped)));
    }
    damages
}

#[test]
fn a_manifest_of_another_version_and_none_at_all() {
    let place = Place::with_documents(300);
    let expected = place.undisturbed(&RESUME[1..4]);
    place.kill_at(ALL_READ, &RESUME[..4]);
    let path = place.work().join("manifest");
    let whole = fs::read_to_string(&path).unwrap();
    fs::write(&path, whole.replacen("work 3", "work 0", 1)).unwrap();
    let ended = place.find(&RESUME).finish();
    ended.assert_says(1, &[".out.work/manifest", "version 0", "without --resume"]);
    place.assert_no_result("another version");
    // Files that no manifest names are worth nothing: the job starts from the beginning.
    fs::remove_file(&path).unwrap();
    let ended = place.find(&RESUME).finish();
    ended.assert_says(0, &["nothing to resume"]);
    place.assert_result(&expected, "without a manifest");
    assert!(place.summary(OUT)["seconds"]["count"].is_number());
}
