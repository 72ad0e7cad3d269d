//! The processes below a process, as `/proc` tells of them.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Duration;

use candor_process::as_pid;
use candor_process::proc::{self, Stat, stat_field};
use rustix::process::{Signal, kill_process, kill_process_group};

/// In what the size of files is counted.
const BLOCK_BYTES: u64 = 512;
/// With so many files a temporary folder is a bomb, whatever their size.
const MANY_FILES: usize = 16 * 1024;

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
    let own = group_of(root);
    let groups: BTreeSet<u32> = all.iter().filter_map(|pid| group_of(*pid)).collect();
    for group in groups.into_iter().filter(|group| Some(*group) != own) {
        let _ = as_pid(group).map(|group| kill_process_group(group, Signal::KILL));
    }
    for pid in all {
        let _ = as_pid(pid).map(|pid| kill_process(pid, Signal::KILL));
    }
}

/// What processes use besides memory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Used {
    /// How many threads they have together.
    pub(crate) threads: u64,
    /// The longest time that one of them has had on a processor.
    pub(crate) longest: Duration,
}

pub(crate) fn used_by(all: &BTreeSet<u32>) -> Used {
    let ticks = rustix::param::clock_ticks_per_second().max(1);
    let mut used = Used::default();
    for stat in all.iter().filter_map(|pid| Stat::of(*pid)) {
        let field = |n: usize| stat.number::<u64>(n).unwrap_or_default();
        let time = field(stat_field::USER_TIME) + field(stat_field::SYSTEM_TIME);
        used.threads += field(stat_field::THREADS);
        used.longest = used.longest.max(Duration::from_millis(time.saturating_mul(1000) / ticks));
    }
    used
}

/// What a folder holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Size {
    /// What it takes on the disk: holes are free, and small files are not.
    pub(crate) bytes: u64,
    /// More than this, or more files than anybody needs: the rest was not looked at.
    pub(crate) too_much: bool,
}

/// How much a folder holds. Links are not followed.
pub(crate) fn size_of(folder: &Path, most: u64) -> Size {
    let (mut size, mut files) = (Size::default(), 0_usize);
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let Ok(found) = entry.metadata() else { continue };
            size.bytes = size.bytes.saturating_add(found.blocks().saturating_mul(BLOCK_BYTES));
            files += 1;
            if size.bytes > most || files > MANY_FILES {
                return Size { too_much: true, ..size };
            }
            if found.is_dir() {
                open.push(entry.path());
            }
        }
    }
    size
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
    let all = proc::all().into_iter().flatten();
    all.filter_map(|pid| Some((pid, Stat::of(pid)?.number(stat_field::PARENT)?))).collect()
}

fn group_of(pid: u32) -> Option<u32> {
    Stat::of(pid)?.number(stat_field::GROUP)
}
