//! What the system tells about processes that are not our children. Linux only: elsewhere nothing is known.

use std::fs;
use std::path::{Path, PathBuf};

/// Where the fields of `/proc/PID/stat` are, counted behind the name, which may hold spaces and brackets.
const STATE_FIELD: usize = 0;
const GROUP_FIELD: usize = 2;
const START_FIELD: usize = 19;

/// When a process started, in ticks since the machine did.
pub(crate) fn started(pid: u32) -> Option<u64> {
    field(&stat(&PathBuf::from(format!("/proc/{pid}")))?, START_FIELD)?.parse().ok()
}

/// Which start of the machine this is.
pub(crate) fn boot() -> Option<String> {
    fs::read_to_string("/proc/sys/kernel/random/boot_id").ok().map(|id| id.trim().to_owned())
}

/// Whether a process of this group still runs. One that is dead and not yet collected does not.
pub(crate) fn group_runs(group: u32) -> Option<bool> {
    Some(members(group)?.any(|(_, stat)| !matches!(field(&stat, STATE_FIELD), Some("Z" | "X") | None)))
}

/// Whether a process of this group was started with `variable` (`NAME=value`) in its environment.
pub(crate) fn group_has(group: u32, variable: &str) -> bool {
    let has = |path: &Path| {
        let all = fs::read(path.join("environ")).unwrap_or_default();
        all.split(|byte| *byte == 0).any(|one| one == variable.as_bytes())
    };
    members(group).is_some_and(|mut members| members.any(|(path, _)| has(&path)))
}

fn members(group: u32) -> Option<impl Iterator<Item = (PathBuf, String)>> {
    let group = group.to_string();
    let entries = fs::read_dir("/proc").ok()?.flatten();
    let is_process =
        |entry: &fs::DirEntry| entry.file_name().as_encoded_bytes().iter().all(u8::is_ascii_digit);
    let paths = entries.filter(is_process).map(|entry| entry.path());
    let all = paths.filter_map(|path| stat(&path).map(|stat| (path, stat)));
    Some(all.filter(move |(_, stat)| field(stat, GROUP_FIELD) == Some(&group)))
}

/// The fields of a process behind its name.
fn stat(process: &Path) -> Option<String> {
    let bytes = fs::read(process.join("stat")).ok()?;
    String::from_utf8_lossy(&bytes).rsplit_once(')').map(|(_, fields)| fields.to_owned())
}

fn field(stat: &str, n: usize) -> Option<&str> {
    stat.split_whitespace().nth(n)
}
