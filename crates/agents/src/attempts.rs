//! Which child processes are at work, kept in files, so that those which outlive a killed Candor can be
//! found and ended before their attempts are made again.
//!
//! A file names a process by its id and by the moment it started: ids are used again, that pair is not.
//! Where the moment cannot be read (outside Linux) nothing is ended, since it could be a stranger.

use std::fs;
use std::io;
use std::path::PathBuf;

use candor_model::{RunId, WorkOrder};
use candor_ports::private;
use candor_process::proc::{boot, group_has, started};
use serde::{Deserialize, Serialize};

use crate::log_folder::{attempt_name, file_name};

/// The folder in which each running attempt has a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptFolder(pub PathBuf);

impl AttemptFolder {
    /// Notes that the process `pid` works on this order, until what is returned is dropped.
    pub(crate) fn note(&self, order: &WorkOrder, pid: u32) -> io::Result<Noted> {
        self.note_process(&order.run_id, &attempt_name(order), &order.idempotency_key, pid)
    }

    /// Notes that the process `pid` works for this run under this name, with this idempotency key in its
    /// environment.
    pub(crate) fn note_process(&self, run: &RunId, name: &str, key: &str, pid: u32) -> io::Result<Noted> {
        let folder = self.0.join(file_name(run.as_str()));
        let path = folder.join(format!("{name}.pid"));
        let process = Process { pid, started: started(pid), boot: boot(), key: key.to_owned() };
        let text = serde_json::to_vec(&process)?;
        let write = || private::create_dir_all(&folder).and_then(|()| private::write(&path, &text));
        // Another attempt of the run that ends right now may take the empty folder away in between.
        write().or_else(|_| write())?;
        Ok(Noted { path })
    }
}

/// Ends what attempts of this run left behind when Candor itself was killed, and says how many there were.
///
/// It returns when they are gone. To be called before the run is resumed and while no other process drives
/// it. Other runs are not touched.
pub fn stop_orphans(folder: &AttemptFolder, run: &RunId) -> io::Result<usize> {
    let folder = folder.0.join(file_name(run.as_str()));
    let entries = match fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        Err(error) => return Err(error),
    };
    let mut stopped = 0;
    for entry in entries {
        let path = entry?.path();
        // A file that was cut off by the kill cannot be trusted to name anyone.
        let process = fs::read(&path).ok().and_then(|bytes| serde_json::from_slice::<Process>(&bytes).ok());
        if process.is_some_and(|process| process.is_alive() && candor_process::kill(process.pid)) {
            stopped += 1;
        }
        fs::remove_file(&path)?;
    }
    // Only an empty folder goes; one that holds something else is somebody's.
    let _ = fs::remove_dir(&folder);
    Ok(stopped)
}

/// A running attempt's file; it goes when the attempt has ended.
#[derive(Debug)]
pub(crate) struct Noted {
    path: PathBuf,
}

impl Drop for Noted {
    fn drop(&mut self) {
        // What stays is cleared away before the run is resumed.
        let _ = fs::remove_file(&self.path);
        if let Some(folder) = self.path.parent() {
            let _ = fs::remove_dir(folder);
        }
    }
}

/// The process that leads an attempt's group.
#[derive(Debug, Serialize, Deserialize)]
struct Process {
    pid: u32,
    started: Option<u64>,
    boot: Option<String>,
    key: String,
}

impl Process {
    /// Whether it, or a child that it left in its group, still runs.
    fn is_alive(&self) -> bool {
        let same_boot = self.boot.is_some() && self.boot == boot();
        let same_process = match started(self.pid) {
            Some(start) => self.started == Some(start),
            // Its leader is gone, but while children are left in the group its id is not used again.
            None => group_has(self.pid, &format!("CANDOR_IDEMPOTENCY_KEY={}", self.key)),
        };
        same_boot && same_process
    }
}
