//! A program under way. It ends with its owner: no test leaves one behind.

use std::fs::{self, File};
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Longer than any job here lasts, on a machine that has much else to do.
const LIMIT: Duration = Duration::from_secs(300);
/// Often enough to see files that are there for a moment.
const LOOK: Duration = Duration::from_micros(100);
const SIGKILL: i32 = 9;

/// A program under way.
pub(crate) struct Running {
    child: Child,
    /// What it says, in a file: a pipe that nobody empties would stop it.
    stderr: PathBuf,
    since: Instant,
}

/// How a program ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    pub(crate) stderr: String,
}

impl Running {
    /// Starts a program in a folder.
    pub(crate) fn start(command: Command, folder: &Path) -> Self {
        Running::try_start(command, folder).unwrap()
    }

    /// Starts a program that may not be there.
    pub(crate) fn try_start(mut command: Command, folder: &Path) -> io::Result<Self> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let stderr = folder.join(format!("stderr-{number}"));
        let child = command
            .current_dir(folder)
            .env_remove("RUST_BACKTRACE")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(File::create(&stderr)?)
            .spawn()?;
        Ok(Running {
            child,
            stderr,
            since: Instant::now(),
        })
    }

    /// Where its input is written; when this goes, its input ends.
    pub(crate) fn stdin(&mut self) -> ChildStdin {
        self.child.stdin.take().unwrap()
    }

    /// Waits until something holds; false when the program ended first.
    pub(crate) fn wait_until(&mut self, holds: impl Fn() -> bool) -> bool {
        loop {
            if holds() {
                return true;
            }
            if self.child.try_wait().unwrap().is_some() {
                return false;
            }
            self.assert_in_time();
            sleep(LOOK);
        }
    }

    /// Waits until it has said something; false when it ended first.
    pub(crate) fn wait_until_said(&mut self, text: &str) -> bool {
        let stderr = self.stderr.clone();
        self.wait_until(|| fs::read_to_string(&stderr).unwrap().contains(text))
    }

    /// Sends it Ctrl-C.
    pub(crate) fn interrupt(&self) {
        let pid = self.child.id().to_string();
        let sent = Command::new("kill").args(["-INT", &pid]).status().unwrap();
        assert!(sent.success());
    }

    /// Ends it at once, without a chance to tidy up; false when it had ended by itself.
    pub(crate) fn kill(mut self) -> bool {
        self.child.kill().unwrap();
        let ended = self.finish();
        let killed = ended.status.signal() == Some(SIGKILL);
        if !killed {
            ended.assert_code(0);
        }
        killed
    }

    /// Waits for its end; how long it lasted can be told afterwards.
    pub(crate) fn finish(mut self) -> Ended {
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            self.assert_in_time();
            sleep(LOOK);
        };
        let stderr = fs::read_to_string(&self.stderr).unwrap();
        Ended { status, stderr }
    }

    fn assert_in_time(&self) {
        assert!(self.since.elapsed() < LIMIT, "a program does not end");
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It has ended, or its test has failed.
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_file(&self.stderr);
    }
}

impl Ended {
    /// It ended with this code.
    pub(crate) fn assert_code(&self, code: i32) {
        assert_eq!(self.status.code(), Some(code), "{}", self.stderr);
    }

    /// It ended with this code, and what it says holds all these.
    pub(crate) fn assert_says(&self, code: i32, texts: &[&str]) {
        self.assert_code(code);
        for text in texts {
            assert!(self.stderr.contains(text), "{text:?}: {}", self.stderr);
        }
    }
}
