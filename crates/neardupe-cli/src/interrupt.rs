//! Ctrl-C: the first one asks the job to stop, the second one ends it.
//!
//! A job looks at the flag between blocks and returns `Cancelled`; what it had finished is in the manifest, so
//! `--resume` can continue. Ending at once is safe too, for the manifest is replaced by a rename; only the
//! stage under way is lost.

use anyhow::{Context, Result};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag::{register, register_conditional_shutdown, register_usize};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

/// The code of a program that was ended by Ctrl-C.
const ENDED: u8 = 130;
/// The code of a program that was ended by SIGTERM.
const TERMINATED: u8 = 143;

/// The signal by which the job was asked to stop; 0 before.
static ASKED_BY: OnceLock<Arc<AtomicUsize>> = OnceLock::new();

/// The code with which a job ends that was stopped, as shells report the signal (128 and its number).
pub(crate) fn code() -> u8 {
    let signal = ASKED_BY.get().map_or(0, |by| by.load(Ordering::Relaxed));
    if signal == TERM { TERMINATED } else { ENDED }
}

/// SIGTERM as it is noted.
const TERM: usize = 15;

/// A file that may not grow any further (`ulimit -f`) is an error of its write, with a message and a clean
/// end. The signal that comes with it would end the program without either.
#[cfg(unix)]
pub(crate) fn survive_full_files() {
    // Noted and not looked at. If it cannot be, the program ends as before.
    let _ = register(signal_hook::consts::SIGXFSZ, Arc::default());
}

/// No such signal elsewhere.
#[cfg(not(unix))]
pub(crate) fn survive_full_files() {}

/// From now on Ctrl-C (SIGINT) and SIGTERM only set the flag that is returned, and a
/// Ctrl-C that comes when it is set ends the program at once. A second SIGTERM changes
/// nothing: what sends it, often twice, has SIGKILL for the case that nothing happens.
pub(crate) fn install() -> Result<Arc<AtomicBool>> {
    let flag = Arc::new(AtomicBool::new(false));
    let listen = || {
        // They are done in this order: the first Ctrl-C must not find the flag set.
        register_conditional_shutdown(SIGINT, ENDED.into(), Arc::clone(&flag))?;
        register(SIGINT, Arc::clone(&flag))?;
        let by = ASKED_BY.get_or_init(Arc::default);
        // Before the flag: who sees that is set knows by what.
        register_usize(SIGTERM, Arc::clone(by), TERM)?;
        register(SIGTERM, Arc::clone(&flag))
    };
    listen().context("cannot listen to Ctrl-C")?;
    Ok(flag)
}

#[cfg(test)]
mod tests {
    use super::*;
    use signal_hook::low_level::raise;
    use std::process::{Command, Stdio};
    use std::sync::atomic::Ordering;

    /// Set for a test that runs in a process of its own.
    const SIGNALS: &str = "NEARDUPE_TEST_SIGNALS";

    /// Sends these signals to itself, in a process of its own. Does nothing elsewhere.
    #[test]
    fn hears_signals() {
        let Ok(signals) = std::env::var(SIGNALS) else {
            return;
        };
        let flag = install().unwrap();
        assert!(!flag.load(Ordering::Relaxed));
        for signal in signals.split(' ') {
            raise(signal.parse().unwrap()).unwrap();
            assert!(flag.load(Ordering::Relaxed));
        }
    }

    fn code_after(signals: &[i32]) -> Option<i32> {
        let (_, module) = module_path!().split_once("::").unwrap();
        let signals: Vec<String> = signals.iter().map(i32::to_string).collect();
        let status = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", &format!("{module}::hears_signals")])
            .env(SIGNALS, signals.join(" "))
            .stdout(Stdio::null())
            .status();
        status.unwrap().code()
    }

    #[test]
    fn the_first_sets_the_flag_and_a_second_interrupt_ends() {
        assert_eq!(code_after(&[SIGINT]), Some(0));
        assert_eq!(code_after(&[SIGTERM, SIGTERM]), Some(0));
        assert_eq!(code_after(&[SIGINT, SIGTERM]), Some(0));
        assert_eq!(code_after(&[SIGINT, SIGINT]), Some(ENDED.into()));
        assert_eq!(code_after(&[SIGTERM, SIGINT]), Some(ENDED.into()));
    }
}
