//! What has been and what is under way.
//!
//! It has no clock of its own: every call brings the time, so tests can let an hour pass. Stages of
//! one name that follow each other are added up, because a job in parts reads, joins and reads
//! again.

use super::display::Display;
use super::pace::Pace;
use super::status::Status;
use std::collections::BTreeMap;
use std::time::Instant;

/// The stages of a job so far. Time comes from outside.
pub(super) struct Board {
    /// When the job began.
    started: Instant,
    /// Seconds of each stage that has ended; stages that come again are added up.
    seconds: BTreeMap<&'static str, f64>,
    /// The stage under way, if one is.
    run: Option<Run>,
    /// Where progress is shown.
    display: Display,
    /// The note about Ctrl-C was printed, or there is nobody to print it for.
    knows_of_interrupt: bool,
}

/// The stage under way.
struct Run {
    /// Its name.
    stage: &'static str,
    /// How much there is to do, 0 when not known.
    total: u64,
    /// When this run of it began.
    began: Instant,
    /// How fast it is at present.
    pace: Pace,
    /// What is added to it on display.
    before: Before,
}

/// Runs of the same stage just before: they are shown as one.
struct Before {
    /// When the first of them began.
    began: Instant,
    /// What they have done together.
    done: u64,
    /// How long they took together.
    seconds: f64,
}

impl Board {
    /// Before the first stage.
    pub(super) fn new(now: Instant, display: Display) -> Self {
        Board {
            started: now,
            seconds: BTreeMap::new(),
            run: None,
            display,
            knows_of_interrupt: false,
        }
    }

    /// A stage begins; `done` is what was done in the one before it.
    ///
    /// The stage before it is shown as ended, unless it has the same name: then both are shown
    /// as one, with their amounts and times added up.
    pub(super) fn begin(
        &mut self,
        stage: &'static str,
        total: u64,
        done: u64,
        now: Instant,
    ) {
        let mut before = Before {
            began: now,
            done: 0,
            seconds: 0.0,
        };
        match self.end(done, now) {
            // A job in parts has the same stage again and again; people see one stage that goes on.
            Some(ended) if ended.stage == stage => {
                before = Before {
                    began: ended.began,
                    done: ended.done,
                    seconds: ended.seconds,
                };
            }
            Some(ended) => self.display.ended(&ended),
            None => {}
        }
        self.run = Some(Run {
            stage,
            total,
            began: now,
            pace: Pace::default(),
            before,
        });
    }

    /// Shows what is due now.
    pub(super) fn show(&mut self, done: u64, now: Instant) {
        let status = self.run.as_mut().map(|run| run.status(done, now));
        self.display.show(status.as_ref(), now);
    }

    /// Prints a message for the user.
    pub(super) fn note(&mut self, message: &str) {
        self.display.note(message);
    }

    /// Someone at a terminal who has pressed Ctrl-C sees once that it was noticed.
    /// Stopping takes a while, and pressing it again would end the job at once.
    pub(super) fn interrupted(&mut self) {
        if matches!(self.display, Display::Bar(_)) && !self.knows_of_interrupt {
            self.note("stopping; another Ctrl-C ends at once");
        }
        self.knows_of_interrupt = true;
    }

    /// Ends the last stage, shows what is due, and clears the bar.
    pub(super) fn finish(
        &mut self,
        done: u64,
        now: Instant,
    ) -> BTreeMap<&'static str, f64> {
        if let Some(ended) = self.end(done, now) {
            self.display.ended(&ended);
        }
        // Lines that were held back for a job that turned out to be long are printed now.
        self.show(0, now);
        self.display = Display::Nothing;
        let mut seconds = std::mem::take(&mut self.seconds);
        seconds.insert("total", (now - self.started).as_secs_f64());
        seconds
    }

    /// Ends the stage under way: what is to be said of it, runs just before included.
    fn end(&mut self, done: u64, now: Instant) -> Option<Status> {
        let run = self.run.take()?;
        let seconds = (now - run.began).as_secs_f64();
        *self.seconds.entry(run.stage).or_insert(0.0) += seconds;
        Some(Status {
            stage: run.stage,
            began: run.before.began,
            done: run.before.done + done,
            total: run.total,
            seconds: run.before.seconds + seconds,
            per_second: None,
        })
    }
}

impl Run {
    /// What is shown of the stage now. Rates are of this run alone, times since its beginning.
    fn status(&mut self, done: u64, now: Instant) -> Status {
        let seconds = now.saturating_duration_since(self.began).as_secs_f64();
        self.pace.observe(done, seconds);
        Status {
            stage: self.stage,
            began: self.before.began,
            done,
            total: self.total,
            seconds,
            per_second: self.pace.per_second(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::lines::TerminalLines;
    use super::*;
    use std::io::Write;
    use std::sync::{Arc, Mutex};
    use std::time::Duration;

    /// What was written, for a look from outside.
    #[derive(Clone, Default)]
    struct Page(Arc<Mutex<Vec<u8>>>);

    impl Write for Page {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    impl Page {
        fn text(&self) -> String {
            String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
        }
    }

    /// A board of lines with a clock turned by hand, shown every tenth of a second.
    struct Played {
        board: Board,
        page: Page,
        now: Instant,
    }

    impl Played {
        fn new() -> Self {
            let (page, now) = (Page::default(), Instant::now());
            let display = Display::Lines(TerminalLines::new(now), Box::new(page.clone()));
            Played {
                board: Board::new(now, display),
                page,
                now,
            }
        }

        /// The stage goes on from one amount to another.
        fn go_on(&mut self, from: u64, to: u64, seconds: u64) {
            for tenth in 1..=seconds * 10 {
                self.now += Duration::from_millis(100);
                let done = from + (to - from) * tenth / (seconds * 10);
                self.board.show(done, self.now);
            }
        }
    }

    #[test]
    fn a_long_job_is_told_by_stage() {
        let mut job = Played::new();
        job.board.begin("read", 3_000_000, 0, job.now);
        job.go_on(0, 3_000_000, 25);
        job.board.begin("join", 100, 3_000_000, job.now);
        job.go_on(0, 100, 1);
        job.board.begin("write", 0, 100, job.now);
        job.go_on(0, 0, 12);
        let seconds = job.board.finish(0, job.now);
        let expected = "read      1.2 MB of 3.0 MB (40 %), 120.0 kB/s, 15 s left\n\
                        read      2.4 MB of 3.0 MB (80 %), 120.0 kB/s, 5 s left\n\
                        read      3.0 MB in 25.0 s, 120.0 kB/s\n\
                        join      100 in 1.0 s, 100/s\n\
                        write     10 s so far\n\
                        write     12.0 s\n";
        assert_eq!(job.page.text(), expected);
        let seconds: Vec<(&str, f64)> = seconds.into_iter().collect();
        let names = ["join", "read", "total", "write"];
        for ((name, found), (expected, time)) in seconds
            .iter()
            .zip(names.iter().zip([1.0, 25.0, 38.0, 12.0]))
        {
            assert_eq!(name, expected);
            assert!((found - time).abs() < 1e-6, "{name} {found}");
        }
    }

    #[test]
    fn a_short_job_is_not_told_but_messages_are() {
        let mut job = Played::new();
        job.board.begin("read", 100, 0, job.now);
        job.go_on(0, 100, 1);
        job.board.note("the disk is nearly full");
        job.board.begin("join", 100, 0, job.now);
        job.board.interrupted();
        job.board.finish(100, job.now);
        assert_eq!(job.page.text(), "neardupe: the disk is nearly full\n");
    }

    #[test]
    fn runs_of_one_stage_in_a_row_are_told_as_one() {
        let mut job = Played::new();
        for _ in 0..3 {
            job.board.begin("read", 1_000, 0, job.now);
            job.now += Duration::from_secs(1);
            job.board.begin("read", 1_000, 1_000, job.now);
        }
        job.now += Duration::from_secs(2);
        let seconds = job.board.finish(500, job.now);
        assert_eq!(job.page.text(), "read      3.5 kB in 5.0 s, 700 B/s\n");
        assert!((seconds["read"] - 5.0).abs() < 1e-6);
    }

    #[test]
    fn a_stage_of_many_short_runs_is_told_about_while_it_lasts() {
        let mut job = Played::new();
        let mut done = 0;
        for _ in 0..6 {
            job.board.begin("read", 1_000, done, job.now);
            job.go_on(0, 1_000, 4);
            done = 1_000;
        }
        let expected = "read      500 B of 1.0 kB (50 %), 250 B/s, 2 s left\n\
                        read      1.0 kB of 1.0 kB (100 %), 250 B/s\n";
        assert_eq!(job.page.text(), expected);
    }

    #[test]
    fn a_job_without_stages_has_a_total() {
        let mut job = Played::new();
        job.go_on(0, 0, 3);
        let seconds = job.board.finish(0, job.now);
        assert!((seconds["total"] - 3.0).abs() < 1e-6);
        assert_eq!(job.page.text(), "");
    }
}
