//! Clocks, memory, folders and processes: how things are measured.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde::de::DeserializeOwned;
use tempfile::TempDir;

/// How often the memory of a child is looked at. Its peak never falls, so only what grows within the last
/// such moment of its life can be missed.
const LOOK: Duration = Duration::from_millis(5);

/// One million bytes, as the targets count them.
pub(crate) const MEGABYTE: f64 = 1e6;

/// The folder in which cargo builds.
pub(crate) fn target_folder() -> Result<PathBuf> {
    let inside = Path::new(env!("CARGO_TARGET_TMPDIR"));
    Ok(inside.parent().context("the target folder has no name")?.to_path_buf())
}

/// A folder for one measurement, on the disk that holds the target folder; it goes when it is dropped.
pub(crate) fn folder() -> Result<TempDir> {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR"));
    std::fs::create_dir_all(root)?;
    Ok(tempfile::Builder::new().prefix("peers-").tempdir_in(root)?)
}

/// Has this program measure something in a process of its own, and reads the answer.
pub(crate) fn in_own_process<T: DeserializeOwned>(arguments: &[&str]) -> Result<T> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("measure").args(arguments);
    answer(command)
}

/// Runs a command that prints one JSON value.
pub(crate) fn answer<T: DeserializeOwned>(mut command: Command) -> Result<T> {
    let output = command.stderr(Stdio::inherit()).output().with_context(|| format!("{command:?}"))?;
    ensure!(output.status.success(), "{command:?} ended with {}", output.status);
    let text = String::from_utf8(output.stdout)?;
    serde_json::from_str(text.trim()).with_context(|| format!("{command:?} printed {text:?}"))
}

/// The most memory that this process has had, where the system says so.
pub(crate) fn own_peak_bytes() -> Option<u64> {
    peak_bytes("self")
}

fn peak_bytes(process: &str) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

/// Runs a command quietly, from the call to its end.
pub(crate) fn timed(command: &mut Command) -> Result<Duration> {
    let started = Instant::now();
    let status = quiet(command).status().with_context(|| format!("{command:?}"))?;
    let took = started.elapsed();
    ended_well(command, status)?;
    Ok(took)
}

/// Runs a command quietly; returns how long it took and the most memory it had.
pub(crate) fn watched(command: &mut Command) -> Result<(Duration, Option<u64>)> {
    let started = Instant::now();
    let mut child = quiet(command).spawn().with_context(|| format!("{command:?}"))?;
    let (status, peak) = follow(&mut child)?;
    let took = started.elapsed();
    ended_well(command, status)?;
    Ok((took, peak))
}

fn follow(child: &mut Child) -> Result<(ExitStatus, Option<u64>)> {
    let process = child.id().to_string();
    let mut peak = None;
    loop {
        peak = peak.max(peak_bytes(&process));
        if let Some(status) = child.try_wait()? {
            return Ok((status, peak));
        }
        std::thread::sleep(LOOK);
    }
}

fn quiet(command: &mut Command) -> &mut Command {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null())
}

fn ended_well(command: &Command, status: ExitStatus) -> Result<()> {
    ensure!(status.success(), "{command:?} ended with {status}");
    Ok(())
}

/// Numbers in order, to be asked for their middle and their ends.
pub(crate) struct Sorted(Vec<f64>);

impl Sorted {
    /// Sorts numbers; there must be one at least.
    pub(crate) fn new(numbers: impl IntoIterator<Item = f64>) -> Result<Self> {
        let mut numbers: Vec<f64> = numbers.into_iter().collect();
        numbers.sort_by(f64::total_cmp);
        ensure!(!numbers.is_empty(), "nothing was measured");
        Ok(Self(numbers))
    }

    /// The number that this share of all numbers does not exceed.
    pub(crate) fn at(&self, share: f64) -> f64 {
        let last = self.0.len().saturating_sub(1);
        let place = (share * last as f64).ceil() as usize;
        self.0.get(place.min(last)).copied().unwrap_or_default()
    }

    /// The number in the middle.
    pub(crate) fn median(&self) -> f64 {
        self.at(0.5)
    }
}

/// Milliseconds, for people.
pub(crate) fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
