//! How much memory this process has used at most, and how much it may still use.
//!
//! Memory that is free for the machine may be forbidden to this process: containers and `ulimit`
//! set lower limits. All are read from files of Linux; elsewhere the default of the budget holds.

mod cgroup;

use std::path::Path;

/// Lets large stretches of memory go back to the system when they are freed. The C library
/// stops doing so once it has seen some, and a job whose stages need different stretches
/// then holds twice what it uses (398 MB instead of 196 MB under `memory 256M`). Small
/// ones are kept back, some of them for each thread: else the same pages come and go all the
/// time, and every going stops all threads (5 to 10 % of the time of a job of a second).
pub fn give_back_what_is_freed() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    #[expect(unsafe_code, reason = "the C library has no other interface for it")]
    // SAFETY: mallopt only sets numbers; it is called before any thread is started.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, 1 << 20);
        libc::mallopt(libc::M_TOP_PAD, 8 << 20);
    }
}

/// Largest resident memory in bytes so far, 0 where the system does not report it.
pub fn peak_bytes() -> u64 {
    let status = read("/proc/self/status").unwrap_or_default();
    size(&status, "VmHWM").unwrap_or(0)
}

/// Memory in bytes that this process may still use: what the machine has, or less where
/// a limit on a group of processes or on this one leaves less. None where the system does
/// not report it. The smallest of all counts: to exceed any of them ends the process, or slows it to a stop.
pub fn free_bytes() -> Option<u64> {
    let machine = read("/proc/meminfo").and_then(|text| size(&text, "MemAvailable"));
    let group = read("/proc/self/cgroup")
        .and_then(|text| cgroup::left(&text, Path::new("/sys/fs/cgroup")));
    [machine, group, own_left()].into_iter().flatten().min()
}

/// What the limit on the address space of this process leaves (`ulimit -v`).
fn own_left() -> Option<u64> {
    let limit = soft_limit(&read("/proc/self/limits")?, "Max address space")?;
    let used = size(&read("/proc/self/status")?, "VmSize")?;
    Some(limit.saturating_sub(used))
}

/// A file of the system as text; None on systems that do not have it.
fn read(path: impl AsRef<Path>) -> Option<String> {
    std::fs::read_to_string(path).ok()
}

/// The bytes of a line such as `VmHWM:     1234 kB`.
fn size(text: &str, name: &str) -> Option<u64> {
    let of_line = |line: &str| {
        let number = line.strip_prefix(name)?.strip_prefix(':')?.trim();
        let kilobytes = number.strip_suffix("kB")?.trim_end().parse::<u64>();
        kilobytes.ok()?.checked_mul(1024)
    };
    text.lines().find_map(of_line)
}

/// The limit in force of a line of `/proc/self/limits`, if there is one.
fn soft_limit(text: &str, name: &str) -> Option<u64> {
    let values = text.lines().find_map(|line| line.strip_prefix(name))?;
    values.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_found_by_their_whole_name() {
        let text = "MemTotal:  24682416 kB\nMemAvailableX: 7 kB\nMemAvailable:   12 kB\n\
                    HugePages_Total:       3\nBroken: many kB\n";
        assert_eq!(size(text, "MemTotal"), Some(24_682_416 * 1024));
        assert_eq!(size(text, "MemAvailable"), Some(12 * 1024));
        for name in ["Mem", "HugePages_Total", "Broken", "Swap", ""] {
            assert_eq!(size(text, name), None, "{name}");
        }
    }

    #[test]
    fn the_soft_limit_is_read() {
        let text = "Limit              Soft Limit   Hard Limit   Units\n\
                    Max cpu time       unlimited    unlimited    seconds\n\
                    Max address space  2147483648   4294967296   bytes\n";
        assert_eq!(soft_limit(text, "Max address space"), Some(2 << 30));
        assert_eq!(soft_limit(text, "Max cpu time"), None);
        assert_eq!(soft_limit(text, "Max resident set"), None);
    }

    #[test]
    fn the_system_reports() {
        if Path::new("/proc/self/status").exists() {
            assert!(peak_bytes() > 0);
            assert!(free_bytes().is_some_and(|free| free > 0));
        }
    }
}
