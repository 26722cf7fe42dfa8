//! How much memory the limits on groups of processes leave: containers, batch systems and services set
//! them, and a process that exceeds them is killed without a message. The machine's own free memory
//! says nothing about that.

use std::path::{Component, Path, PathBuf};

/// Where a version of control groups keeps its numbers about memory.
struct Version {
    /// The folder below the mount point that has the groups of memory.
    folder: &'static str,
    /// Files with a limit in bytes; the smallest counts.
    limits: &'static [&'static str],
    /// The file with the bytes in use.
    used: &'static str,
    /// Contents of files, read once, that are dropped before memory gets scarce; they
    /// count as used. The name of their line in `memory.stat`.
    reclaimable: &'static str,
}

/// Version 1. A group without a limit has a number near 2^63.
const FIRST: Version = Version {
    folder: "memory",
    limits: &["memory.limit_in_bytes"],
    used: "memory.usage_in_bytes",
    reclaimable: "total_inactive_file",
};

/// Version 2. Beyond `memory.high` a process is not ended but slowed down until it is useless.
const SECOND: Version = Version {
    folder: "",
    limits: &["memory.max", "memory.high"],
    used: "memory.current",
    reclaimable: "inactive_file",
};

/// Bytes that are left to a process: `groups` is its `/proc/self/cgroup`, `root` where
/// the groups are mounted. None when it is in no group with a limit.
pub(super) fn left(groups: &str, root: &Path) -> Option<u64> {
    let groups = groups.lines().filter_map(memory_group);
    groups
        .filter_map(|(version, group)| least_left(version, root, group))
        .min()
}

/// What a group and all above it leave: a limit holds for all groups within a group.
fn least_left(version: &Version, root: &Path, group: &str) -> Option<u64> {
    let folder = root.join(version.folder);
    // In a container the own group may be the root, whatever it is called outside.
    let own: PathBuf = Path::new(group)
        .components()
        .filter(|part| matches!(part, Component::Normal(_)))
        .collect();
    let groups = own.ancestors();
    groups
        .filter_map(|group| left_in(version, &folder.join(group)))
        .min()
}

/// The group of a line such as `0::/user.slice` or `4:memory:/docker/1f`, if it is about
/// memory.
fn memory_group(line: &str) -> Option<(&'static Version, &str)> {
    let mut parts = line.splitn(3, ':');
    let (number, controllers, group) = (parts.next()?, parts.next()?, parts.next()?);
    if number == "0" && controllers.is_empty() {
        Some((&SECOND, group))
    } else if controllers.split(',').any(|name| name == "memory") {
        Some((&FIRST, group))
    } else {
        None
    }
}

/// What the limits of one group leave.
fn left_in(version: &Version, group: &Path) -> Option<u64> {
    let read = |name: &str| std::fs::read_to_string(group.join(name)).ok();
    let number = |name: &&str| read(name)?.trim().parse::<u64>().ok();
    // "max" means that there is no limit; it is not a number, so it drops out.
    let limit = version.limits.iter().filter_map(number).min()?;
    let used = number(&version.used)?;
    let stat = read("memory.stat").unwrap_or_default();
    let reclaimable = stat_value(&stat, version.reclaimable).unwrap_or(0);
    // Saturates on purpose: a group may be beyond its limit, and a file may change between two reads.
    Some(limit.saturating_sub(used.saturating_sub(reclaimable)))
}

/// The value of a line such as `inactive_file 4096`.
fn stat_value(stat: &str, name: &str) -> Option<u64> {
    let of_line = |line: &str| line.strip_prefix(name)?.strip_prefix(' ')?.parse().ok();
    stat.lines().find_map(of_line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    /// A tree of groups.
    fn tree(files: &[(&str, &str)]) -> TempDir {
        let root = tempfile::tempdir().unwrap();
        for (path, content) in files {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, format!("{content}\n")).unwrap();
        }
        root
    }

    #[test]
    fn lines_about_memory_are_told_from_others() {
        let group =
            |line| memory_group(line).map(|(version, group)| (version.used, group));
        assert_eq!(group("0::/a:b/c"), Some((SECOND.used, "/a:b/c")));
        assert_eq!(group("4:memory:/x"), Some((FIRST.used, "/x")));
        assert_eq!(group("4:cpu,memory:/"), Some((FIRST.used, "/")));
        for line in ["1:cpu:/", "9:name=systemd:/", "5:memoryx:/", "", "0:", "x"] {
            assert_eq!(group(line), None, "{line}");
        }
    }

    #[test]
    fn values_of_statistics_are_found_by_their_whole_name() {
        let stat = "file 9\ninactive_file_x 8\ninactive_file 4096\n";
        assert_eq!(stat_value(stat, "inactive_file"), Some(4096));
        assert_eq!(stat_value(stat, "active_file"), None);
    }

    #[test]
    fn the_least_of_all_groups_above_counts() {
        let root = tree(&[
            ("job/memory.max", "1000"),
            ("job/memory.current", "700"),
            ("job/step/memory.max", "max"),
            ("job/step/memory.high", "900"),
            ("job/step/memory.current", "100"),
        ]);
        assert_eq!(left("0::/job/step\n", root.path()), Some(300));
        assert_eq!(left("0::/job/other\n", root.path()), Some(300));
        assert_eq!(left("0::/\n", root.path()), None);
        assert_eq!(left("", root.path()), None);
    }

    #[test]
    fn contents_of_files_can_be_dropped() {
        let files = [
            ("memory.max", "1000"),
            ("memory.current", "990"),
            ("memory.stat", "anon 300\nfile 690\ninactive_file 600"),
        ];
        assert_eq!(left("0::/", tree(&files).path()), Some(610));
    }

    #[test]
    fn nothing_is_left_beyond_the_limit() {
        let files = [("memory.max", "10"), ("memory.current", "11")];
        assert_eq!(left("0::/", tree(&files).path()), Some(0));
    }

    #[test]
    fn the_first_version_has_a_folder_of_its_own() {
        let root = tree(&[
            ("memory/docker/memory.limit_in_bytes", "9223372036854771712"),
            ("memory/docker/memory.usage_in_bytes", "500"),
            ("memory/memory.limit_in_bytes", "2000"),
            ("memory/memory.usage_in_bytes", "500"),
            (
                "memory/memory.stat",
                "inactive_file 1\ntotal_inactive_file 100",
            ),
        ]);
        let groups = "5:devices:/\n4:memory:/docker\n0::/\n";
        assert_eq!(left(groups, root.path()), Some(1600));
    }

    #[test]
    fn a_group_outside_of_the_container_does_not_lead_out() {
        let files = [("memory.max", "1000"), ("memory.current", "400")];
        assert_eq!(left("0::/../../other", tree(&files).path()), Some(600));
    }
}
