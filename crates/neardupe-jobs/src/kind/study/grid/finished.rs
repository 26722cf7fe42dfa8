//! Settings that are finished: what each gave is in the work directory, so that a study which is resumed does
//! not run them again.
//!
//! A setting is entered in the manifest with what it gave and what was noticed so far, since
//! warnings are about all settings together. Times come back as bits: a decimal number may differ
//! in its last digit, and a resumed study would then write another table than a straight one.

use super::super::super::find::FindJob;
use super::super::base::{StudyBase, StudyNotes};
use neardupe_core::document::Progress;
use neardupe_core::error::Result;
use neardupe_core::store::WorkDir;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};

/// What the manifest says of a setting.
#[derive(Serialize, Deserialize)]
struct Done<T> {
    /// Figures, cost and what else the study keeps of it.
    gave: T,
    /// Warnings up to then.
    notes: StudyNotes,
}

/// Numbers have five digits, so that names sort as the settings ran.
fn stage_name(number: usize) -> String {
    format!("setting-{number:05}")
}

/// The settings of a study, run in their order.
pub(super) struct Finished<'a> {
    /// The work directory of the study.
    pub(super) work: &'a WorkDir,
    /// Collects warnings.
    base: &'a StudyBase,
    /// The job whose effects are noted.
    job: &'a FindJob,
}

impl<'a> Finished<'a> {
    /// Counts the finished settings and reports them.
    pub(super) fn new(
        work: &'a WorkDir,
        base: &'a StudyBase,
        job: &'a FindJob,
        settings: usize,
        progress: &dyn Progress,
    ) -> Result<Self> {
        let mut taken = 0;
        // Settings are finished in order, so the first gap is the end.
        while work.stage::<IgnoredAny>(&stage_name(taken))?.is_some() {
            taken += 1;
        }
        if taken > 0 {
            progress.note(&format!(
                "taken over from before: {taken} of {settings} settings"
            ));
        }
        Ok(Finished { work, base, job })
    }

    /// What a setting gave before; or else it is run, and what it gives is entered.
    pub(super) fn setting<T: Serialize + DeserializeOwned>(
        &self,
        number: usize,
        run: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        let name = stage_name(number);
        if let Some((done, _)) = self.work.stage::<Done<T>>(&name)? {
            self.base.take_over(done.notes);
            return Ok(done.gave);
        }
        let done = Done {
            gave: run()?,
            notes: self.notes(),
        };
        self.work.commit(&name, &done, Vec::new(), &[])?;
        Ok(done.gave)
    }

    /// What was noticed until now.
    pub(super) fn notes(&self) -> StudyNotes {
        self.base.notes(self.job)
    }

    /// What was noticed before is known again.
    pub(super) fn take_over(&self, notes: StudyNotes) {
        self.base.take_over(notes);
    }
}

/// Values that are read back to the last bit, which decimal numbers of JSON need not be.
pub(super) mod bits {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    /// As the whole number of the same bits.
    pub(in super::super) fn serialize<S: Serializer>(
        value: &Option<f64>,
        out: S,
    ) -> Result<S::Ok, S::Error> {
        value.map(f64::to_bits).serialize(out)
    }

    /// The inverse.
    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<f64>, D::Error> {
        Ok(Option::<u64>::deserialize(from)?.map(f64::from_bits))
    }
}
