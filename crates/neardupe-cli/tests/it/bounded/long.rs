//! A large collection in little memory, with the program as released: `make test-long`.

use super::Numbers;
use super::kill::kill_at_random;
use super::place::{OUT, Place};

const DOCUMENTS: usize = 200_000;
/// So that nothing goes to disk.
const MUCH: [&str; 2] = ["--memory", "4G"];
const LITTLE: [&str; 2] = ["--memory", "256M"];
/// What a job that was given 256M may use: a quarter more.
const MOST_BYTES: u64 = 320 << 20;

#[test]
#[ignore = "long: run by make test-long"]
fn killed_at_random_moments_with_little_memory() {
    let mut numbers = Numbers::seeded(5);
    let place = Place::with_documents(DOCUMENTS);
    let expected = place.undisturbed(&MUCH);
    kill_at_random(&place, &LITTLE, &expected, 20, &mut numbers);
}

#[test]
#[ignore = "long: run by make test-long"]
fn little_memory_is_enough_and_changes_nothing() {
    let place = Place::with_documents(DOCUMENTS);
    let kinds: [&[&str]; 5] = [
        &[],
        &["--pairs", "all", "--threshold", "0.6"],
        &["--cluster", "components", "--keep", "shortest"],
        &["--cluster", "neighbors"],
        &["--write-text"],
    ];
    let mut too_much = Vec::new();
    for arguments in kinds {
        let expected = place.undisturbed(&[&MUCH, arguments].concat());
        let bounded = [&LITTLE, arguments].concat();
        place.find(&bounded).finish().assert_code(0);
        place.assert_result(&expected, &format!("{arguments:?}"));
        let summary = place.summary(OUT);
        assert_eq!(summary["spilled"], true);
        let peak = summary["peak_memory_bytes"].as_u64().unwrap();
        let unbounded = &place.summary("undisturbed")["peak_memory_bytes"];
        let seconds = &summary["seconds"]["total"];
        eprintln!("{arguments:?}: {peak} bytes where {unbounded} fit, {seconds} s");
        if peak > MOST_BYTES {
            too_much.push((arguments, peak));
        }
    }
    assert!(too_much.is_empty(), "more than {MOST_BYTES}: {too_much:?}");
}
