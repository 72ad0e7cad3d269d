//! How much this process may still use of what the machine has: open files and memory. Linux only: elsewhere nothing
//! is known, and nothing is short.

use std::fs;

use rustix::process::{Resource, getrlimit};

/// Open files that are kept back for the log, for leases and for what is under way.
const KEPT_FILES: u64 = 24;
/// Open files that a program needs while it is started: three pipes with both ends, its handle, and its log.
const FILES_PER_PROGRAM: u64 = 8;
/// Memory that is kept back, so that what is under way can end well.
const KEPT_MEMORY: u64 = 64 << 20;

/// How many programs can be at work at once, as far as open files are concerned; at least one. With it the limit on
/// open files that it follows from.
#[must_use]
pub fn programs_at_once() -> Option<(u64, u64)> {
    let limit = getrlimit(Resource::Nofile).current?;
    Some(((limit.saturating_sub(2 * KEPT_FILES) / FILES_PER_PROGRAM).max(1), limit))
}

/// What this process is about to run out of, if anything: told before something fails for want of it.
#[must_use]
pub fn near_shortage() -> Option<String> {
    files_nearly_used().or_else(memory_nearly_used)
}

fn files_nearly_used() -> Option<String> {
    let limit = getrlimit(Resource::Nofile).current?;
    let used = u64::try_from(fs::read_dir("/proc/self/fd").ok()?.count()).ok()?;
    (used + KEPT_FILES > limit).then(|| format!("{used} of at most {limit} files are open (ulimit -n)"))
}

fn memory_nearly_used() -> Option<String> {
    let free = [machine_memory(), group_memory()].into_iter().flatten().min()?;
    (free < KEPT_MEMORY).then(|| format!("only {} MB of memory are free", free >> 20))
}

/// What the machine has left without swapping.
fn machine_memory() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    Some(line.trim().strip_suffix(" kB")?.parse::<u64>().ok()? << 10)
}

/// What the control group that a container is has left; pages of files can be given back, and count as free.
fn group_memory() -> Option<u64> {
    let number = |name: &str| fs::read_to_string(format!("/sys/fs/cgroup/{name}")).ok()?.trim().parse().ok();
    let (limit, used): (u64, u64) = match (number("memory.max"), number("memory.current")) {
        (Some(limit), Some(used)) => (limit, used),
        _ => (number("memory/memory.limit_in_bytes")?, number("memory/memory.usage_in_bytes")?),
    };
    let stat = ["memory.stat", "memory/memory.stat"];
    let stat = stat.iter().find_map(|name| fs::read_to_string(format!("/sys/fs/cgroup/{name}")).ok());
    let files = stat.unwrap_or_default();
    let files = files.lines().find_map(|line| line.strip_prefix("inactive_file ")?.parse().ok());
    Some(limit.saturating_sub(used.saturating_sub(files.unwrap_or(0))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ordinary_process_is_short_of_nothing() {
        assert_eq!(files_nearly_used(), None);
        assert!(programs_at_once().is_some_and(|(programs, limit)| programs >= 1 && limit > programs));
        assert!(machine_memory().is_some_and(|free| free > 0));
    }
}
