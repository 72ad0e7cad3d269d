//! How much memory processes hold together, as far as the kernel says.
//!
//! A memory cgroup would say it exactly. It is not used: only whoever has such a group handed over may make one below
//! it, which is the case neither in a terminal nor in a container, and this must hold there as well. Instead, memory
//! that cannot be counted cannot be had (shared memory without a file, huge pages, pages kept by pipes: see
//! `confine/calls.rs`), and the rest is counted: pages of processes, also those in swap, the tables that describe
//! them, files in a folder in memory, and what the kernel may keep for sockets.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::statvfs;

/// What the kernel keeps for a socket if it does not say.
const USUAL_SOCKET_BYTES: u64 = 212_992;
/// Where it says.
const SOCKET_BYTES: &str = "/proc/sys/net/core/wmem_default";
/// In what `/proc` counts.
const KIB: u64 = 1024;

/// What counts processes' memory.
pub(crate) struct Meter {
    /// What one socket can hold: as much as is sent, and as much again for how it is kept.
    socket_bytes: u64,
    root: Option<u64>,
}

impl Meter {
    pub(crate) fn new() -> Self {
        let told = fs::read_to_string(SOCKET_BYTES).ok().and_then(|text| text.trim().parse().ok());
        let socket_bytes = told.unwrap_or(USUAL_SOCKET_BYTES).saturating_mul(2);
        Self { socket_bytes, root: fs::metadata("/").ok().map(|root| root.dev()) }
    }

    /// Whether these processes hold more than `limit`, with `files` bytes in a folder in memory. The cheap figure comes
    /// first, which is never too small; the exact one is dear.
    pub(crate) fn is_above(&self, all: &BTreeSet<u32>, files: u64, limit: u64) -> bool {
        let rough: Pages = all.iter().filter_map(|pid| Pages::of(*pid)).sum();
        let descriptors: u64 = all.iter().map(|pid| open_files(*pid)).sum();
        let most = rough.all().saturating_add(files);
        if most.saturating_add(descriptors.saturating_mul(self.socket_bytes)) <= limit {
            return false;
        }
        let exact: Pages =
            all.iter().filter_map(|pid| Pages::shared_out(*pid).or_else(|| Pages::of(*pid))).sum();
        let sockets = sockets_of(all).saturating_mul(self.socket_bytes);
        // What is mapped of a folder in memory is there once.
        let memory = exact.private.saturating_add(exact.tables).saturating_add(exact.shared.max(files));
        memory.saturating_add(sockets) > limit
    }

    /// How much is in the folder in memory of the world that a process lives in; nothing before it has moved there.
    pub(crate) fn folder_in_memory(&self, leader: u32, folder: &Path) -> u64 {
        let root = PathBuf::from(format!("/proc/{leader}/root"));
        if fs::metadata(root.join(".")).ok().map(|found| found.dev()) == self.root {
            return 0;
        }
        let inside = root.join(folder.strip_prefix("/").unwrap_or(folder));
        statvfs(inside)
            .map_or(0, |told| told.f_blocks.saturating_sub(told.f_bfree).saturating_mul(told.f_frsize))
    }
}

/// Whether what is put into a folder is put into memory.
pub(crate) fn is_in_memory(folder: &Path) -> bool {
    /// As `statfs` names the file system.
    const TMPFS: i64 = libc::TMPFS_MAGIC;
    rustix::fs::statfs(folder).is_ok_and(|told| told.f_type == TMPFS)
}

/// Bytes of a process.
#[derive(Debug, Clone, Copy, Default)]
struct Pages {
    /// Its own, and those of files; in memory or in swap.
    private: u64,
    /// Of files in memory.
    shared: u64,
    /// What describes all of them.
    tables: u64,
}

impl Pages {
    /// All that it has, whoever has it too.
    fn of(pid: u32) -> Option<Self> {
        let told = Figures::read(pid, "status")?;
        Some(Self {
            private: told.sum(&["RssAnon", "RssFile", "VmSwap"]),
            shared: told.sum(&["RssShmem"]),
            tables: told.sum(&["VmPTE"]),
        })
    }

    /// Of what it shares, only its part.
    fn shared_out(pid: u32) -> Option<Self> {
        let told = Figures::read(pid, "smaps_rollup")?;
        let shared = told.sum(&["Pss_Shmem"]);
        let private = told.sum(&["Pss", "SwapPss"]).saturating_sub(shared);
        let tables = Figures::read(pid, "status").map_or(0, |told| told.sum(&["VmPTE"]));
        Some(Self { private, shared, tables })
    }

    const fn all(self) -> u64 {
        self.private.saturating_add(self.shared).saturating_add(self.tables)
    }
}

impl std::iter::Sum for Pages {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |one, other| Self {
            private: one.private.saturating_add(other.private),
            shared: one.shared.saturating_add(other.shared),
            tables: one.tables.saturating_add(other.tables),
        })
    }
}

/// A file of `/proc/PID` that has lines such as `RssAnon:  1234 kB`.
struct Figures(String);

impl Figures {
    fn read(pid: u32, file: &str) -> Option<Self> {
        fs::read_to_string(format!("/proc/{pid}/{file}")).ok().map(Self)
    }

    /// In bytes.
    fn sum(&self, names: &[&str]) -> u64 {
        let lines = self.0.lines().filter_map(|line| line.split_once(':'));
        let wanted = lines.filter(|(name, _)| names.contains(name));
        let kib = wanted.filter_map(|(_, rest)| rest.split_whitespace().next()?.parse::<u64>().ok());
        kib.sum::<u64>().saturating_mul(KIB)
    }
}

/// How many files a process has open; kernels that do not say so cannot confine either.
fn open_files(pid: u32) -> u64 {
    fs::metadata(format!("/proc/{pid}/fd")).map_or(0, |found| found.len())
}

/// How many sockets these processes have, each counted once.
fn sockets_of(all: &BTreeSet<u32>) -> u64 {
    let files = all.iter().filter_map(|pid| fs::read_dir(format!("/proc/{pid}/fd")).ok()).flatten().flatten();
    let targets = files.filter_map(|file| fs::read_link(file.path()).ok());
    let sockets: BTreeSet<PathBuf> =
        targets.filter(|target| target.as_os_str().as_encoded_bytes().starts_with(b"socket:")).collect();
    sockets.len() as u64
}
