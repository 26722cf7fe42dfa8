//! Archives that nobody damaged are cut as `fastwarc` cuts them.

use neardupe_io::compress;
use neardupe_io::source::warc_frames;
use neardupe_twins::say;
use neardupe_twins::warc::twin_frames;
use std::path::{Path, PathBuf};

fn samples() -> Vec<PathBuf> {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let kept = repository.join("corpus/warc-samples");
    let data = std::env::var_os("NEARDUPE_DATA").unwrap_or("../shared/data".into());
    let beside = repository.join(data).join("warc-samples");
    if !beside.is_dir() {
        say(&format!(
            "skipped: larger WARC samples, as there is no folder {}; NEARDUPE_DATA can name \
             the folder that holds warc-samples",
            beside.display()
        ));
    }
    let mut all = Vec::new();
    for folder in [kept.clone(), kept.join("warcio"), beside] {
        let files = std::fs::read_dir(folder).into_iter().flatten();
        all.extend(
            files
                .map(|file| file.unwrap().path())
                .filter(|path| path.is_file()),
        );
    }
    all.sort();
    all
}

#[test]
fn good_samples_are_cut_as_the_twin_cuts_them() {
    let damaged = ["clipped", "bad.warc", "trunc"];
    let mut num_records = 0;
    for path in samples() {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if !name.contains(".warc") || damaged.iter().any(|part| name.contains(part)) {
            continue;
        }
        let mut bytes = Vec::new();
        let mut reader = compress::open(&path).unwrap().1;
        std::io::Read::read_to_end(&mut reader, &mut bytes).unwrap();
        let ours = warc_frames(&bytes).unwrap();
        assert_eq!(ours, twin_frames(&bytes), "{name}");
        num_records += ours.len();
    }
    assert!(num_records > 60, "{num_records}");
}
