//! Moments of a job, told by what is in its folder, and jobs that are killed at one.

use super::place::{OUT, Place};
use super::running::Running;
use serde_json::Value;
use std::fs;
use std::path::Path;

/// How often a job is started that is too fast for its moment.
const TRIES: usize = 60;

/// What can be seen of a job from outside.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// Names of the files in the work directory.
    pub(crate) files: Vec<String>,
    /// Stages that are done.
    pub(crate) stages: Vec<String>,
    /// Whether there is a half result.
    pub(crate) partial: bool,
    /// Whether there is a complete one.
    pub(crate) result: bool,
}

impl Seen {
    pub(crate) fn of(place: &Place) -> Self {
        let names = fs::read_dir(place.work()).into_iter().flatten();
        let names = names.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let manifest = manifest(&place.work());
        let stages = manifest["stages"].as_object();
        Seen {
            files: names.collect(),
            stages: stages
                .map_or_else(Vec::new, |stages| stages.keys().cloned().collect()),
            partial: place.path(".out.partial").exists(),
            result: place.path(OUT).exists(),
        }
    }

    fn file(&self, start: &str) -> bool {
        self.files.iter().any(|name| name.starts_with(start))
    }

    pub(crate) fn stage(&self, start: &str) -> bool {
        self.stages.iter().any(|name| name.starts_with(start))
    }
}

/// What the manifest of a work directory says; nothing when there is none.
pub(crate) fn manifest(work: &Path) -> Value {
    let text = fs::read_to_string(work.join("manifest")).unwrap_or_default();
    let (_, json) = text.split_once('\n').unwrap_or_default();
    serde_json::from_str(json).unwrap_or_default()
}

/// Names of the files that belong to a stage that is done.
pub(crate) fn files_of_stages(work: &Path) -> Vec<String> {
    let manifest = manifest(work);
    let stages = manifest["stages"].as_object().into_iter().flatten();
    let files = stages.flat_map(|(_, stage)| stage["files"].as_array().unwrap());
    let names = files.map(|file| file["name"].as_str().unwrap().to_owned());
    names.collect()
}

/// A moment, by name.
pub(crate) type Moment = (&'static str, fn(&Seen) -> bool);

pub(crate) const FIRST_PART_READ: Moment =
    ("the first part is read", |seen| seen.stage("read-00000"));
pub(crate) const SECOND_PART: Moment = ("the second part is being read", |seen| {
    seen.file("features-00001") && !seen.stage("read-00001")
});
pub(crate) const ALL_READ: Moment =
    ("everything is read", |seen| seen.stage("read-00002"));
pub(crate) const OPEN: Moment = ("heads are counted", |seen| seen.stage("open"));
pub(crate) const KEPT: Moment = ("sets are selected", |seen| seen.stage("kept"));
pub(crate) const STAR: Moment = ("clusters are made", |seen| seen.stage("star"));

pub(crate) const RESULT_AND_WORK: Moment =
    ("the result is there, the work too", |seen| {
        seen.result && !seen.files.is_empty()
    });

/// Every stage at work, and every step between two.
pub(crate) const ALL: [Moment; 13] = [
    ("the work directory is there", |seen| seen.file("lock")),
    ("features are being written", |seen| {
        seen.file("features-00000")
    }),
    ("the first manifest is there", |seen| seen.file("manifest")),
    FIRST_PART_READ,
    SECOND_PART,
    ALL_READ,
    ("heads are being counted", |seen| seen.file("open")),
    OPEN,
    ("sets are being selected", |seen| seen.file("kept")),
    KEPT,
    ("clusters are being written", |seen| seen.file("star-")),
    ("the result is being written", |seen| {
        seen.partial && seen.stage("star")
    }),
    RESULT_AND_WORK,
];

impl Place {
    /// Kills jobs of `find` until one was at this moment, and nothing of a result is there before.
    pub(crate) fn kill_at(&self, moment: Moment, arguments: &[&str]) {
        self.kill_started_at(moment, || self.find(arguments));
    }

    /// The same with jobs of any kind.
    pub(crate) fn kill_started_at(&self, moment: Moment, start: impl Fn() -> Running) {
        let (name, is_now) = moment;
        for _ in 0..TRIES {
            for old in [OUT, ".out.work", ".out.partial"] {
                let _ = fs::remove_dir_all(self.path(old));
            }
            let mut job = start();
            let reached = job.wait_until(|| is_now(&Seen::of(self)));
            let killed = job.kill();
            if reached && killed && is_now(&Seen::of(self)) {
                return;
            }
        }
        panic!("no job was killed when {name}");
    }
}
