//! The processes below a process, as `/proc` tells of them.

use std::collections::BTreeSet;
use std::fs;

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

/// Where the fields of `/proc/PID/stat` are, counted behind the name, which may hold spaces and brackets.
const PARENT_FIELD: usize = 1;
const GROUP_FIELD: usize = 2;
/// Where `/proc/PID/statm` says how many pages are in memory.
const RESIDENT_FIELD: usize = 1;

/// Everything below `root`, without it. Processes come and go meanwhile: a second look can find more.
pub(crate) fn below(root: u32) -> BTreeSet<u32> {
    let mut found = BTreeSet::new();
    let mut open = vec![root];
    let everyone = if listed_children(root).is_none() { parents() } else { Vec::new() };
    while let Some(pid) = open.pop() {
        let children = listed_children(pid).unwrap_or_else(|| {
            everyone.iter().filter(|(_, parent)| *parent == pid).map(|(child, _)| *child).collect()
        });
        open.extend(children.into_iter().filter(|child| found.insert(*child)));
    }
    found
}

/// Kills everything below `root`. Whole groups at once: the kernel lets no member fork away meanwhile.
pub(crate) fn kill_below(root: u32) {
    let all = below(root);
    let own = stat_field(root, GROUP_FIELD);
    let groups: BTreeSet<u32> = all.iter().filter_map(|pid| stat_field(*pid, GROUP_FIELD)).collect();
    for group in groups.into_iter().filter(|group| Some(*group) != own) {
        let _ = as_pid(group).map(|group| kill_process_group(group, Signal::KILL));
    }
    for pid in all {
        let _ = as_pid(pid).map(|pid| kill_process(pid, Signal::KILL));
    }
}

/// How much memory these processes use together. What they share counts once, as far as the kernel says.
pub(crate) fn memory_of(all: &BTreeSet<u32>, limit: u64) -> u64 {
    let page = rustix::param::page_size() as u64;
    let resident = |pid: &u32| -> Option<u64> {
        let pages = fs::read_to_string(format!("/proc/{pid}/statm")).ok()?;
        pages.split_whitespace().nth(RESIDENT_FIELD)?.parse().ok()
    };
    let rough = all.iter().filter_map(resident).sum::<u64>().saturating_mul(page);
    // The exact figure is dear, and never larger.
    if rough <= limit { rough } else { all.iter().filter_map(|pid| share_of(*pid)).sum() }
}

/// A process's memory, of what it shares only its part.
fn share_of(pid: u32) -> Option<u64> {
    let all = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).ok()?;
    let line = all.lines().find_map(|line| line.strip_prefix("Pss:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()?.saturating_mul(1024))
}

/// Zero and one mean "my own group" and "everyone" to the kernel; they are nobody's id here.
pub(crate) fn as_pid(pid: u32) -> Option<Pid> {
    i32::try_from(pid).ok().filter(|pid| *pid > 1).and_then(Pid::from_raw)
}

/// The children of a process, from the kernel's own list; not all kernels keep one.
fn listed_children(pid: u32) -> Option<Vec<u32>> {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).ok()?.flatten();
    let lists: Vec<String> =
        threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok()).collect();
    if lists.is_empty() {
        return None;
    }
    Some(lists.iter().flat_map(|list| list.split_whitespace()).filter_map(|pid| pid.parse().ok()).collect())
}

/// All processes with their parents.
fn parents() -> Vec<(u32, u32)> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter_map(|pid| Some((pid, stat_field(pid, PARENT_FIELD)?))).collect()
}

fn stat_field(pid: u32, n: usize) -> Option<u32> {
    let bytes = fs::read(format!("/proc/{pid}/stat")).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let (_, fields) = text.rsplit_once(')')?;
    fields.split_whitespace().nth(n)?.parse().ok()
}
