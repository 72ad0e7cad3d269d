//! Disks that are full or cannot be written to: a clear word, no panic, and the run goes on when there is
//! room again.

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::durability::support::{Done, Place, successes};

/// How many tasks the plans have: enough to fill a small disk.
const TASKS: usize = 120;

fn long_plan(place: &Place) -> PathBuf {
    let names: Vec<String> = (1..=TASKS).map(|n| format!("task_{n:03}")).collect();
    let tasks: Vec<(&str, &str, &[&str])> =
        names.iter().map(|name| (name.as_str(), "quick", &[][..])).collect();
    place.plan("plan", &tasks)
}

/// A run on a full disk ended with a clear word, and completes when there is room again.
fn goes_on_when_there_is_room(place: &Place, run: &str, done: &Done, make_room: impl FnOnce()) {
    assert_eq!(done.code(), Some(1), "{}", done.err);
    done.is_clear();
    assert!(done.err.contains(&place.data().display().to_string()), "it says where: {}", done.err);
    assert!(done.err.contains(&format!("candor resume {run}")), "it says how to go on: {}", done.err);
    let before = place.ledger(run).len();
    let recorded = successes(run, &place.log(run));
    assert!((1..TASKS).contains(&recorded.len()), "{} were done before the disk was full", recorded.len());
    make_room();
    place.complete(run);
    let again: Vec<_> = place
        .ledger(run)
        .split_off(before)
        .into_iter()
        .filter(|entry| recorded.contains(&entry.key))
        .collect();
    assert!(again.is_empty(), "done before the disk was full, and done again: {again:?}");
    assert_eq!(successes(run, &place.log(run)).len(), TASKS);
}

#[test]
fn a_file_that_may_not_grow_ends_the_process_with_a_clear_word_and_the_run_goes_on_later() {
    // spec: orchestrator FD-06
    let place = Place::new();
    let plan = long_plan(&place);
    // In blocks of 512 bytes; without the trap the system would end the process by a signal.
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' XFSZ; ulimit -f 1000; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_candor")]);
    command.args(["run", "--plain", "--yes", "--run-id", "run_cap", "--plan"]).arg(&plan);
    place.equip(&mut command, "run_cap");
    let done = place.spawn(&mut command).end();
    goes_on_when_there_is_room(&place, "run_cap", &done, || {});
}

#[test]
fn a_full_disk_ends_the_process_with_a_clear_word_and_the_run_goes_on_later() {
    // spec: orchestrator FD-06
    let Some(disk) = SmallDisk::mount() else { return };
    let place = Place::new().with_data(disk.data());
    let plan = long_plan(&place);
    let done = place.start_run("run_full", &plan).end();
    assert!(done.err.contains("full"), "it says what is wrong: {}", done.err);
    goes_on_when_there_is_room(&place, "run_full", &done, || disk.remount("size=64m"));
}

#[test]
fn a_disk_without_any_room_is_named_from_the_start() {
    let Some(disk) = SmallDisk::mount() else { return };
    let place = Place::new().with_data(disk.data());
    let filler = disk.path().join("filler");
    assert!(std::fs::write(&filler, vec![0u8; 4 << 20]).is_err(), "it is full now");
    let plan = place.plan("plan", &[("only", "quick", &[])]);
    let done = place.start_run("run_none", &plan).end();
    assert!(done.code().is_some_and(|code| code != 0));
    done.is_clear();
    assert!(done.err.contains(&disk.path().display().to_string()), "{}", done.err);
    assert!(place.ledger("run_none").is_empty(), "nothing is done that cannot be recorded");
    std::fs::remove_file(filler).unwrap();
    assert_eq!(place.start_run("run_none", &plan).end().code(), Some(0), "the name is still free");
}

#[test]
fn a_data_folder_that_cannot_be_written_to_is_named() {
    let place = Place::new();
    let plan = place.plan("plan", &[("only", "quick", &[])]);
    std::fs::write(place.path().join("file"), "").unwrap();
    let below_a_file = place.path().join("file/data");
    let place = place.with_data(&below_a_file);
    let done = place.start_run("run_no", &plan).end();
    refused(&place, &done);
    let listed = place.does("", &["list"]);
    assert_eq!(listed.code(), Some(0), "there is nothing to list: {}", listed.err);

    let place = place.with_data("/dev/null/candor");
    let done = place.start_run("run_no", &plan).end();
    refused(&place, &done);
}

#[test]
fn a_read_only_disk_is_named_and_what_is_on_it_stays() {
    let Some(disk) = SmallDisk::mount() else { return };
    let place = Place::new().with_data(disk.data());
    let plan = place.plan("plan", &[("only", "quick", &[])]);
    assert_eq!(place.start_run("run_first", &plan).end().code(), Some(0));
    disk.remount("ro");
    let done = place.start_run("run_second", &plan).end();
    refused(&place, &done);
    disk.remount("rw");
    assert_eq!(place.status("run_first"), "completed");
    assert_eq!(place.start_run("run_second", &plan).end().code(), Some(0));
}

fn refused(place: &Place, done: &Done) {
    assert!(done.code().is_some_and(|code| code != 0));
    done.is_clear();
    assert!(done.err.contains(&place.data().display().to_string()), "{}", done.err);
    assert!(place.ledger("run_no").is_empty() && place.ledger("run_second").is_empty());
}

/// A real disk of a few hundred kilobytes, for as long as it lives.
struct SmallDisk {
    /// Removed after the disk is gone from it.
    folder: TempDir,
}

impl SmallDisk {
    /// Mounts one; nothing where that is not allowed.
    fn mount() -> Option<Self> {
        let folder = TempDir::new().unwrap();
        let mut command = Command::new("mount");
        command.args(["-t", "tmpfs", "-o", "size=400k", "tmpfs"]).arg(folder.path());
        let mounted = command.output().is_ok_and(|output| output.status.success());
        if !mounted {
            candor_testkit::skips::skipped("only root can mount a small disk");
        }
        mounted.then_some(Self { folder })
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The data folder on it.
    fn data(&self) -> PathBuf {
        self.path().join("data")
    }

    fn remount(&self, option: &str) {
        let option = format!("remount,{option}");
        assert!(Command::new("mount").args(["-o", &option]).arg(self.path()).status().unwrap().success());
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.path()).status();
    }
}
