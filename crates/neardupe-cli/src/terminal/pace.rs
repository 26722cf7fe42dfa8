//! How fast a stage is at present.
//!
//! Stages slow down and speed up: files of another format, a disk that others use, the dense part
//! of a join. An exponential mean forgets the past at a fixed rate, needs three numbers and no list
//! of measurements.

/// Seconds after which what was seen counts about a third.
const MEMORY: f64 = 15.0;

/// The recent rate of a stage. The average since its beginning would be slow to notice
/// that the work has become harder, and the rate of the last moment would jump.
#[derive(Debug, Default)]
pub(super) struct Pace {
    /// Amount and seconds at the last look.
    last: Option<(u64, f64)>,
    /// What was done recently, older amounts counting less.
    amount: f64,
    /// The time in which it was done, weighted alike.
    seconds: f64,
}

impl Pace {
    /// So much was done when the stage had lasted so many seconds.
    ///
    /// Looks that bring no new time are ignored, so it does not matter how often it is called.
    pub(super) fn observe(&mut self, done: u64, seconds: f64) {
        // What is there at the first look is where it starts: a job that is resumed says
        // at once how much was done before, and that says nothing about its speed.
        let (before, then) = *self.last.get_or_insert((done, seconds));
        let passed = seconds - then;
        if passed <= 0.0 {
            return;
        }
        // A stage that lasts long may move in large steps.
        let memory = MEMORY.max(seconds / 4.0);
        // An exponential mean over time, so looking at it more often does not change it.
        let kept = (-passed / memory).exp();
        #[expect(clippy::cast_precision_loss, reason = "shown with one decimal")]
        let more = done.saturating_sub(before) as f64;
        // Amount and time fade alike, so their quotient is a mean rate.
        self.amount = self.amount * kept + more;
        self.seconds = self.seconds * kept + passed;
        self.last = Some((done, seconds));
    }

    /// What is done in a second; not known before something was.
    pub(super) fn per_second(&self) -> Option<f64> {
        (self.amount > 0.0).then(|| self.amount / self.seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pace after steps of a tenth of a second, each with this much done.
    fn paced(pace: &mut Pace, from: (u64, f64), step: u64, seconds: f64) -> (u64, f64) {
        let (mut done, mut now) = from;
        while now < from.1 + seconds {
            now += 0.1;
            done += step;
            pace.observe(done, now);
        }
        (done, now)
    }

    #[test]
    fn a_steady_rate_is_shown_exactly() {
        let mut pace = Pace::default();
        assert_eq!(pace.per_second(), None);
        paced(&mut pace, (0, 0.0), 5, 3.0);
        let rate = pace.per_second().unwrap();
        assert!((rate - 50.0).abs() < 1e-6, "{rate}");
    }

    #[test]
    fn a_change_is_noticed() {
        let mut pace = Pace::default();
        let at = paced(&mut pace, (0, 0.0), 10, 60.0);
        paced(&mut pace, at, 1, 60.0);
        let rate = pace.per_second().unwrap();
        assert!((10.0..20.0).contains(&rate), "{rate}");
    }

    #[test]
    fn what_was_done_before_is_no_speed() {
        let mut pace = Pace::default();
        pace.observe(1_000_000, 0.1);
        assert_eq!(pace.per_second(), None);
        paced(&mut pace, (1_000_000, 0.1), 1, 5.0);
        let rate = pace.per_second().unwrap();
        assert!((rate - 10.0).abs() < 1e-6, "{rate}");
    }

    #[test]
    fn the_same_moment_twice_changes_nothing() {
        let mut pace = Pace::default();
        pace.observe(0, 1.0);
        pace.observe(10, 2.0);
        pace.observe(99, 2.0);
        let rate = pace.per_second().unwrap();
        assert!((rate - 10.0).abs() < 1e-6, "{rate}");
    }
}
