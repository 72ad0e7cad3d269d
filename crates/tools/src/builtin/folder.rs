//! The one folder that the tools for files know.
//!
//! The kernel itself keeps every path beneath it (`openat2` with `RESOLVE_BENEATH`): `..`, absolute paths and links
//! that lead out are refused at the moment of opening, so that nobody can put a link in between. A hard link is the
//! file itself, and cannot be told from it.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Component, Path, PathBuf};

use candor_model::{ToolErrorKind, ToolProblem};
use rustix::fs::{CWD, FileType, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;

use super::problem;

/// How often a path is tried again that changed while it was followed.
const TRIES: usize = 100;

/// A folder, held open.
pub(super) struct Folder {
    root: OwnedFd,
    path: PathBuf,
    given: PathBuf,
}

impl Folder {
    pub(super) fn open(given: &Path) -> io::Result<Self> {
        let path = std::fs::canonicalize(given)?;
        let flags = OFlags::DIRECTORY | OFlags::RDONLY | OFlags::CLOEXEC;
        let root = rustix::fs::openat(CWD, &path, flags, Mode::empty())?;
        Ok(Self { root, path, given: given.to_owned() })
    }

    /// Absolute path of the folder.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// A path as it is written within the folder. Whether it stays there is for the kernel to say, but what is
    /// plain to see is told plainly.
    pub(super) fn inside(&self, path: &str) -> Result<PathBuf, ToolProblem> {
        let denied = |why| problem(ToolErrorKind::Denied, format!("{path:?}: {why}"));
        let whole = Path::new(path);
        let part = if whole.is_absolute() {
            let known = whole.strip_prefix(&self.path).or_else(|_| whole.strip_prefix(&self.given));
            known.map_err(|_| denied("only paths within the allowed folder can be used"))?
        } else {
            whole
        };
        if part.components().any(|part| matches!(part, Component::ParentDir)) {
            return Err(denied(
                "paths with `..` are not followed; write the path from the allowed folder on",
            ));
        }
        let plain = part.components().filter(|part| matches!(part, Component::Normal(_)));
        let plain: PathBuf = plain.collect();
        Ok(if plain.as_os_str().is_empty() { PathBuf::from(".") } else { plain })
    }

    /// Opens a plain file for reading.
    pub(super) fn file(&self, path: &Path) -> Result<File, ToolProblem> {
        // Without blocking: a pipe in place of a file would otherwise wait for somebody to write to it.
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
        let file = self.beneath(path, flags).map_err(|error| told(path, error))?;
        is_plain(&file, path)?;
        Ok(File::from(file))
    }

    /// Opens a folder. The last part of its path may not be a link when `strict`.
    pub(super) fn folder(&self, path: &Path, strict: bool) -> Result<OwnedFd, ToolProblem> {
        let strict = if strict { OFlags::NOFOLLOW } else { OFlags::empty() };
        self.beneath(path, OFlags::RDONLY | OFlags::DIRECTORY | strict).map_err(|error| told(path, error))
    }

    /// Opens the folder that a file is in, or is to be in, and gives the file's name there.
    pub(super) fn around(&self, path: &Path, make: bool) -> Result<(OwnedFd, OsString), ToolProblem> {
        let name = path.file_name().filter(|_| path != Path::new("."));
        let name =
            name.ok_or_else(|| problem(ToolErrorKind::Denied, "this is the folder itself, not a file"))?;
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        if make {
            self.make(parent)?;
        }
        Ok((self.folder(parent, false)?, name.to_owned()))
    }

    /// Makes a folder and those around it, as far as they are missing.
    fn make(&self, path: &Path) -> Result<(), ToolProblem> {
        let mut around = PathBuf::from(".");
        for part in path.components().filter(|part| matches!(part, Component::Normal(_))) {
            let within = around.join(part);
            if let Err(Errno::NOENT) = self.beneath(&within, OFlags::PATH | OFlags::DIRECTORY) {
                let parent = self.folder(&around, false)?;
                match rustix::fs::mkdirat(&parent, part.as_os_str(), Mode::from_raw_mode(0o777)) {
                    Ok(()) | Err(Errno::EXIST) => {}
                    Err(error) => return Err(told(&within, error)),
                }
            }
            around = within;
        }
        Ok(())
    }

    fn beneath(&self, path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
        for _ in 0..TRIES {
            match rustix::fs::openat2(&self.root, path, flags | OFlags::CLOEXEC, Mode::empty(), resolve) {
                Err(Errno::AGAIN | Errno::INTR) => {}
                done => return done,
            }
        }
        Err(Errno::AGAIN)
    }
}

/// Opens a plain file by its name in a folder that is open; links are not followed.
pub(super) fn file_in(folder: &OwnedFd, name: &OsStr) -> Result<Option<File>, ToolProblem> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let path = Path::new(name);
    match rustix::fs::openat(folder, name, flags, Mode::empty()) {
        Ok(file) => {
            is_plain(&file, path)?;
            Ok(Some(File::from(file)))
        }
        Err(Errno::NOENT) => Ok(None),
        Err(Errno::LOOP) => {
            Err(problem(ToolErrorKind::Denied, format!("{path:?} is a link; name the file that it leads to")))
        }
        Err(error) => Err(told(path, error)),
    }
}

/// Reading from a pipe or a device may never end, and writing to one is not what it seems.
fn is_plain(file: &OwnedFd, path: &Path) -> Result<(), ToolProblem> {
    let stat = rustix::fs::fstat(file).map_err(|error| told(path, error))?;
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => Ok(()),
        FileType::Directory => {
            Err(problem(ToolErrorKind::Failed, format!("{path:?} is a folder, not a file")))
        }
        _ => Err(problem(ToolErrorKind::Denied, format!("{path:?} is not a plain file"))),
    }
}

/// An error of the system, in words.
pub(super) fn told(path: &Path, error: Errno) -> ToolProblem {
    let (kind, what) = match error {
        Errno::XDEV | Errno::LOOP => (ToolErrorKind::Denied, "leads out of the allowed folder".to_owned()),
        Errno::NOENT | Errno::NOTDIR => (ToolErrorKind::Failed, "is not there".to_owned()),
        Errno::ISDIR => (ToolErrorKind::Failed, "is a folder, not a file".to_owned()),
        Errno::ACCESS | Errno::PERM => (ToolErrorKind::Denied, format!("cannot be used: {error}")),
        Errno::INVAL => (ToolErrorKind::Failed, "is not a path".to_owned()),
        Errno::NOSYS => {
            let what = "cannot be followed safely: this needs Linux 5.6 or newer".to_owned();
            (ToolErrorKind::MissingDependency, what)
        }
        _ => (ToolErrorKind::Failed, format!("cannot be used: {error}")),
    };
    problem(kind, format!("{path:?} {what}"))
}

/// An error while reading or writing, in words.
pub(super) fn broken(path: &Path) -> impl Fn(io::Error) -> ToolProblem {
    move |error| problem(ToolErrorKind::Failed, format!("{path:?}: {error}"))
}
