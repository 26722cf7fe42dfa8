//! Ctrl-C: the first one asks the job to stop, the second one ends it.
//!
//! A job looks at the flag between blocks and returns `Cancelled`; what it had finished is in the manifest, so
//! `--resume` can continue. Ending at once is safe too, for the manifest is replaced by a rename; only the
//! stage under way is lost.

use anyhow::{Context, Result};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag::{register, register_conditional_shutdown};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The code of a program that was ended by Ctrl-C.
const ENDED: i32 = 130;

/// From now on Ctrl-C (SIGINT) and SIGTERM only set the flag that is returned, and a
/// Ctrl-C that comes when it is set ends the program at once. A second SIGTERM changes
/// nothing: what sends it, often twice, has SIGKILL for the case that nothing happens.
pub(crate) fn install() -> Result<Arc<AtomicBool>> {
    let flag = Arc::new(AtomicBool::new(false));
    let listen = || {
        // They are done in this order: the first Ctrl-C must not find the flag set.
        register_conditional_shutdown(SIGINT, ENDED, Arc::clone(&flag))?;
        register(SIGINT, Arc::clone(&flag))?;
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
        assert_eq!(code_after(&[SIGINT, SIGINT]), Some(ENDED));
        assert_eq!(code_after(&[SIGTERM, SIGINT]), Some(ENDED));
    }
}
