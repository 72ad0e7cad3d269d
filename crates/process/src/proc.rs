//! What the system tells about processes that are not our children. Linux only: elsewhere nothing is known.

use std::fs;
use std::str::FromStr;

/// Where the fields of `/proc/PID/stat` are, counted behind the name, which may hold spaces and brackets.
pub mod stat_field {
    /// One letter for what the process is doing: `Z` and `X` are dead.
    pub const STATE: usize = 0;
    /// The parent's id.
    pub const PARENT: usize = 1;
    /// The id of the process group.
    pub const GROUP: usize = 2;
    /// Time on a processor in user mode, in ticks.
    pub const USER_TIME: usize = 11;
    /// Time on a processor in the kernel, in ticks.
    pub const SYSTEM_TIME: usize = 12;
    /// How many threads it has.
    pub const THREADS: usize = 17;
    /// When it started, in ticks since the machine did.
    pub const START: usize = 19;
}

/// The fields of `/proc/PID/stat` behind the name of the process; see [`stat_field`].
#[derive(Debug, Clone)]
pub struct Stat(String);

impl Stat {
    /// Reads them; none if there is no such process.
    #[must_use]
    pub fn of(pid: u32) -> Option<Self> {
        let bytes = fs::read(format!("/proc/{pid}/stat")).ok()?;
        String::from_utf8_lossy(&bytes).rsplit_once(')').map(|(_, fields)| Self(fields.to_owned()))
    }

    /// The text of a field.
    #[must_use]
    pub fn field(&self, n: usize) -> Option<&str> {
        self.0.split_whitespace().nth(n)
    }

    /// The number in a field.
    #[must_use]
    pub fn number<T: FromStr>(&self, n: usize) -> Option<T> {
        self.field(n)?.parse().ok()
    }
}

/// The ids of all processes.
pub fn all() -> Option<impl Iterator<Item = u32>> {
    let entries = fs::read_dir("/proc").ok()?.flatten();
    Some(entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()))
}

/// When a process started, in ticks since the machine did.
#[must_use]
pub fn started(pid: u32) -> Option<u64> {
    Stat::of(pid)?.number(stat_field::START)
}

/// Which start of the machine this is.
#[must_use]
pub fn boot() -> Option<String> {
    fs::read_to_string("/proc/sys/kernel/random/boot_id").ok().map(|id| id.trim().to_owned())
}

/// Whether a process of this group still runs. One that is dead and not yet collected does not.
#[must_use]
pub fn group_runs(group: u32) -> Option<bool> {
    let runs = |stat: &Stat| !matches!(stat.field(stat_field::STATE), Some("Z" | "X") | None);
    Some(members(group)?.any(|(_, stat)| runs(&stat)))
}

/// Whether a process of this group was started with `variable` (`NAME=value`) in its environment.
#[must_use]
pub fn group_has(group: u32, variable: &str) -> bool {
    let has = |pid: u32| {
        let all = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        all.split(|byte| *byte == 0).any(|one| one == variable.as_bytes())
    };
    members(group).is_some_and(|mut members| members.any(|(pid, _)| has(pid)))
}

fn members(group: u32) -> Option<impl Iterator<Item = (u32, Stat)>> {
    let read = |pid| Stat::of(pid).map(|stat| (pid, stat));
    Some(all()?.filter_map(read).filter(move |(_, stat)| stat.number(stat_field::GROUP) == Some(group)))
}
