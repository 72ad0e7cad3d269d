//! Leases as locked files: the system unlocks them when their process ends, however it ends.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use candor_model::RunId;
use candor_ports::{BoxFuture, Lease, LeaseError, Leases, private};

/// How often a lock is tried for, and the time between.
const TRIES: u32 = 8;
const PATIENCE: Duration = Duration::from_millis(5);

/// How often a lock is looked at whose release somebody waits for: the system tells nobody of it.
const LOOK: Duration = Duration::from_millis(200);

/// The leases of an installation: one file for each run that is driven, in a folder of their own.
#[derive(Debug, Clone)]
pub struct FileLeases(PathBuf);

#[derive(Debug)]
struct FileLease {
    file: File,
    path: PathBuf,
}

impl FileLeases {
    /// Leases in this folder, which is made when the first is taken. All processes of an installation share it.
    #[must_use]
    pub fn new(folder: PathBuf) -> Self {
        Self(folder)
    }

    fn path(&self, run: &RunId) -> PathBuf {
        self.0.join(format!("{run}.lock"))
    }

    fn lock(&self, run: &RunId) -> Result<FileLease, LeaseError> {
        let path = self.path(run);
        let failed =
            |source| LeaseError::Storage { run: run.clone(), place: path.display().to_string(), source };
        private::create_dir_all(&self.0).map_err(failed)?;
        let mut holder = String::new();
        for _ in 0..TRIES {
            let mut file = OpenOptions::new()
                .read(true)
                .write(true)
                .create(true)
                .truncate(false)
                .mode(private::FILE)
                .open(&path)
                .map_err(failed)?;
            match file.try_lock() {
                Ok(()) if is_current(&file, &path) => {
                    sign(&mut file);
                    self.sweep_once(&path);
                    return Ok(FileLease { file, path });
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

    /// Removes the files of drivers that were killed after their run had ended, or before it began: nobody resumes those.
    /// Once in a process is enough, and a server with thousands of runs does not look at them all again and again.
    fn sweep_once(&self, own: &Path) {
        static SWEPT: AtomicBool = AtomicBool::new(false);
        if SWEPT.swap(true, Ordering::Relaxed) {
            return;
        }
        let entries = std::fs::read_dir(&self.0).into_iter().flatten().filter_map(Result::ok);
        for path in entries.map(|entry| entry.path()).filter(|path| path != own) {
            // Whoever locks it in between sees that the file is not current any more, and makes another.
            if let Ok(file) = File::open(&path)
                && file.try_lock().is_ok()
                && is_current(&file, &path)
            {
                let _ = std::fs::remove_file(&path);
            }
        }
    }

    fn is_locked(&self, run: &RunId) -> bool {
        File::open(self.path(run))
            .is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
    }
}

impl Leases for FileLeases {
    fn take<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, Result<Box<dyn Lease>, LeaseError>> {
        Box::pin(async { self.lock(run).map(|lease| Box::new(lease) as Box<dyn Lease>) })
    }

    fn is_taken<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, bool> {
        Box::pin(async { self.is_locked(run) })
    }

    fn released<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, ()> {
        Box::pin(async {
            while self.is_locked(run) {
                tokio::time::sleep(LOOK).await;
            }
        })
    }
}

impl Lease for FileLease {}

impl Drop for FileLease {
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
