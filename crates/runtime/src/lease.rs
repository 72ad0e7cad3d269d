//! Who drives a run: one process at a time, and nobody when that process is gone.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use candor_model::RunId;

/// How often a lock is tried for, and the time between.
const TRIES: u32 = 8;
const PATIENCE: Duration = Duration::from_millis(5);

/// The right to drive a run. It ends with the process at the latest, however that ends.
#[derive(Debug)]
pub struct Lease {
    file: File,
    path: PathBuf,
}

/// Why a run cannot be driven here.
#[derive(Debug, thiserror::Error)]
pub enum LeaseError {
    /// Someone else does.
    #[error("run {run} is being driven by another process ({holder}); watch it with `candor watch {run}`")]
    Taken {
        /// The run.
        run: RunId,
        /// Who.
        holder: String,
    },
    /// The lock cannot be made.
    #[error("could not lock run {run} at {path}: {source}; check that the data folder can be written to")]
    Storage {
        /// The run.
        run: RunId,
        /// The lock's file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
}

impl Lease {
    /// Takes the right to drive `run`; `folder` is where all processes of the installation keep their locks.
    pub fn take(folder: &Path, run: &RunId) -> Result<Self, LeaseError> {
        let path = folder.join(format!("{run}.lock"));
        let failed = |source| LeaseError::Storage { run: run.clone(), path: path.clone(), source };
        std::fs::create_dir_all(folder).map_err(failed)?;
        let mut holder = String::new();
        for _ in 0..TRIES {
            let mut file = OpenOptions::new()
                .read(true)
                .write(true)
                .create(true)
                .truncate(false)
                .open(&path)
                .map_err(failed)?;
            match file.try_lock() {
                Ok(()) if is_current(&file, &path) => {
                    sign(&mut file);
                    return Ok(Self { file, path });
                }
                // The holder before removed the file between our opening and our locking it.
                Ok(()) => {}
                // Someone who only looks holds the lock for a moment; a driver keeps it.
                Err(TryLockError::WouldBlock) => {
                    holder.clear();
                    let _ = file.read_to_string(&mut holder);
                    std::thread::sleep(PATIENCE);
                }
                Err(TryLockError::Error(source)) => return Err(failed(source)),
            }
        }
        Err(LeaseError::Taken { run: run.clone(), holder: named(&holder) })
    }

    /// Whether some process drives `run` at the moment.
    #[must_use]
    pub fn is_taken(folder: &Path, run: &RunId) -> bool {
        let path = folder.join(format!("{run}.lock"));
        File::open(path).is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        // Removed while it is still locked: whoever opened it meanwhile finds that it is not current.
        let _ = std::fs::remove_file(&self.path);
        let _ = self.file.unlock();
    }
}

/// Who holds a lock, as far as the holder has signed.
fn named(holder: &str) -> String {
    match holder.trim() {
        "" => "one that has just begun".to_owned(),
        holder => holder.to_owned(),
    }
}

fn sign(file: &mut File) {
    let _ = file.set_len(0);
    let _ = write!(file, "process {}", std::process::id());
}

#[cfg(unix)]
fn is_current(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |data: std::fs::Metadata| (data.dev(), data.ino());
    let (ours, there) = (file.metadata().map(identity), path.metadata().map(identity));
    ours.is_ok_and(|ours| there.is_ok_and(|there| ours == there))
}

#[cfg(not(unix))]
fn is_current(_: &File, path: &Path) -> bool {
    path.exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_has_one_driver_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let run = RunId::new("run_1").unwrap();
        let lease = Lease::take(folder.path(), &run).unwrap();
        assert!(Lease::is_taken(folder.path(), &run));
        let refused = Lease::take(folder.path(), &run).unwrap_err().to_string();
        assert!(refused.contains(&format!("process {}", std::process::id())), "{refused}");
        assert!(Lease::take(folder.path(), &RunId::new("run_2").unwrap()).is_ok());
        drop(lease);
        assert!(!Lease::is_taken(folder.path(), &run));
        assert!(Lease::take(folder.path(), &run).is_ok());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "locks leave nothing behind");
    }
}
