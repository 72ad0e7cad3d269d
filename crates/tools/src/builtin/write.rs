//! Writes a file: whole and at once, by putting a finished one in its place.
//!
//! What was there before comes back as the way to undo it, as long as it is text and not too long. Folders that
//! were made for a file are left when it is undone.

use std::ffi::OsStr;
use std::fs::{File, Permissions};
use std::io::{Read, Seek, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use candor_model::{Carried, FollowUp, JsonMap, ToolErrorKind, ToolHints, ToolProblem, ToolResult, ToolSpec};
use rustix::fs::{AtFlags, Gid, Mode, OFlags, RenameFlags, Uid};
use rustix::io::Errno;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::folder::{broken, file_in, told};
use super::read::hex;
use super::{Place, problem, remove, spec_of};

pub(super) const NAME: &str = candor_model::WRITE_FILE;
pub(super) const APPEND: &str = "append_file";
/// How much of a file is kept so that it can be put back.
const MOST_KEPT: u64 = 256 * 1024;
/// How much is copied at once.
const CHUNK_BYTES: usize = 64 * 1024;

/// What to do with a file that is there already.
#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum WriteMode {
    /// The file must not exist.
    #[default]
    Create,
    /// Its content is replaced.
    Overwrite,
}

/// What it is given.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    /// The file, within the allowed folder. Missing folders are made.
    path: String,
    /// All that is to be in it.
    content: String,
    /// `create` fails if there is another file already; `overwrite` replaces it.
    #[serde(default)]
    mode: WriteMode,
}

/// What appending is given.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AppendArgs {
    /// The file, within the allowed folder. One that is not there is made.
    path: String,
    /// What is added at its end.
    content: String,
}

pub(super) fn spec() -> ToolSpec {
    let hints = ToolHints { read_only_hint: false, destructive_hint: true, ..ToolHints::READS };
    spec_of::<Args>(NAME, "Writes a text file: a new one, or all of one that is there.", hints)
}

pub(super) fn append_spec() -> ToolSpec {
    let hints = ToolHints { read_only_hint: false, idempotent_hint: false, ..ToolHints::READS };
    spec_of::<AppendArgs>(APPEND, "Adds text at the end of a file.", hints)
}

pub(super) fn call(place: &Place, args: &Args) -> Result<ToolResult, ToolProblem> {
    let path = place.folder.inside(&args.path)?;
    // Looked at first: what is refused makes no folders.
    if let Some(mut file) = existing(place, &path)? {
        let same = holds(&mut file, &path, args.content.as_bytes())?;
        if args.mode == WriteMode::Create && !same {
            let what = format!("{path:?} is there already; read it, and use mode `overwrite` to replace it");
            return Err(problem(ToolErrorKind::Failed, what));
        }
        if same {
            return Ok(ToolResult::done(format!("{path:?} is there already, with just this content"), None));
        }
    }
    Writing { place, path, keep_old: false, replace: args.mode == WriteMode::Overwrite }.put(&args.content)
}

pub(super) fn append(place: &Place, args: &AppendArgs) -> Result<ToolResult, ToolProblem> {
    let path = place.folder.inside(&args.path)?;
    Writing { place, path, keep_old: true, replace: true }.put(&args.content)
}

pub(super) fn verify(place: &Place, args: &Args) -> Result<Carried, ToolProblem> {
    let path = place.folder.inside(&args.path)?;
    let Some(mut file) = existing(place, &path)? else { return Ok(Carried::NotDone) };
    Ok(if holds(&mut file, &path, args.content.as_bytes())? { Carried::Done } else { Carried::NotDone })
}

/// Text at the end may have been there before. Only where it is missing is the answer sure.
pub(super) fn verify_append(place: &Place, args: &AppendArgs) -> Result<Carried, ToolProblem> {
    let path = place.folder.inside(&args.path)?;
    let Some(mut file) = existing(place, &path)? else { return Ok(Carried::NotDone) };
    let wanted = args.content.as_bytes();
    let length = file.metadata().map_err(broken(&path))?.len();
    let Some(from) = length.checked_sub(wanted.len() as u64) else { return Ok(Carried::NotDone) };
    file.seek(std::io::SeekFrom::Start(from)).map_err(broken(&path))?;
    let mut end = Vec::new();
    file.take(wanted.len() as u64).read_to_end(&mut end).map_err(broken(&path))?;
    Ok(if end == wanted { Carried::Unknown } else { Carried::NotDone })
}

/// The file as it is now, if it is there.
fn existing(place: &Place, path: &Path) -> Result<Option<File>, ToolProblem> {
    match place.folder.around(path, false) {
        Ok((folder, name)) => file_in(&folder, &name),
        Err(problem) if problem.kind == ToolErrorKind::Failed => Ok(None),
        Err(problem) => Err(problem),
    }
}

/// Whether a file holds just this.
fn holds(file: &mut File, path: &Path, content: &[u8]) -> Result<bool, ToolProblem> {
    if file.metadata().map_err(broken(path))?.len() != content.len() as u64 {
        return Ok(false);
    }
    let mut now = Vec::with_capacity(content.len());
    file.take(content.len() as u64 + 1).read_to_end(&mut now).map_err(broken(path))?;
    Ok(now == content)
}

/// One file that is being written.
struct Writing<'a> {
    place: &'a Place,
    path: PathBuf,
    /// Whether what is there stays, with the new behind it.
    keep_old: bool,
    /// Whether there may be a file already.
    replace: bool,
}

impl Writing<'_> {
    fn put(&self, content: &str) -> Result<ToolResult, ToolProblem> {
        let (folder, name) = self.place.folder.around(&self.path, true)?;
        let mut old = file_in(&folder, &name)?;
        let kept = old.as_mut().map(|old| self.kept(old)).transpose()?;
        let scratch = Scratch::make(&folder, &self.path)?;
        let sha256 = self.fill(&scratch, old.as_mut(), content)?;
        scratch.replace(&name, self.replace).map_err(|error| match error {
            Errno::EXIST => problem(ToolErrorKind::Failed, format!("{:?} appeared meanwhile", self.path)),
            _ => told(&self.path, error),
        })?;
        Ok(self.result(content, old.is_some(), kept.flatten(), &sha256))
    }

    /// What was there, if it can be put back as text.
    fn kept(&self, old: &mut File) -> Result<Option<String>, ToolProblem> {
        let mut bytes = Vec::new();
        old.take(MOST_KEPT + 1).read_to_end(&mut bytes).map_err(broken(&self.path))?;
        old.rewind().map_err(broken(&self.path))?;
        Ok(if bytes.len() as u64 > MOST_KEPT { None } else { String::from_utf8(bytes).ok() })
    }

    /// Writes everything into the scratch file, and makes sure that it is on the disk.
    fn fill(
        &self,
        scratch: &Scratch<'_>,
        old: Option<&mut File>,
        content: &str,
    ) -> Result<String, ToolProblem> {
        let mut file = &scratch.file;
        let mut digest = Sha256::new();
        let told = broken(&self.path);
        if let Some(old) = old {
            let metadata = old.metadata().map_err(&told)?;
            // Someone else's file stays theirs, if we may give it to them.
            let owner = (Uid::from_raw(metadata.uid()), Gid::from_raw(metadata.gid()));
            let _ = rustix::fs::fchown(file, Some(owner.0), Some(owner.1));
            file.set_permissions(Permissions::from_mode(metadata.mode() & 0o7777)).map_err(&told)?;
            if self.keep_old {
                self.copy(old, file, &mut digest)?;
            }
        }
        digest.update(content.as_bytes());
        file.write_all(content.as_bytes()).map_err(&told)?;
        file.sync_all().map_err(&told)?;
        self.place.patience.check()?;
        Ok(hex(digest))
    }

    fn copy(&self, old: &mut File, mut to: &File, digest: &mut Sha256) -> Result<(), ToolProblem> {
        let mut chunk = vec![0; CHUNK_BYTES];
        loop {
            self.place.patience.check()?;
            let length = old.read(&mut chunk).map_err(broken(&self.path))?;
            let part = chunk.get(..length).filter(|part| !part.is_empty());
            let Some(part) = part else { return Ok(()) };
            digest.update(part);
            to.write_all(part).map_err(broken(&self.path))?;
        }
    }

    fn result(&self, content: &str, replaced: bool, kept: Option<String>, sha256: &str) -> ToolResult {
        let path = self.path.to_string_lossy();
        let mut said = match (replaced, self.keep_old) {
            (true, true) => format!("added {} bytes to {:?}", content.len(), self.path),
            (true, false) => format!("replaced {:?} with {} bytes", self.path, content.len()),
            (false, _) => format!("wrote {:?}, {} bytes", self.path, content.len()),
        };
        let undo = match (replaced, kept) {
            (false, _) => Some(remove::follow_up(&path, sha256)),
            (true, Some(kept)) => Some(follow_up(&path, kept)),
            (true, None) => {
                said += "; what was there before was not text or over 256 KiB, so this cannot be undone";
                None
            }
        };
        let data = json!({"path": path, "sha256": sha256, "created": !replaced});
        let mut result = ToolResult::done(said, Some(data));
        result.undo = undo;
        result
    }
}

/// The call that puts this content into a file.
pub(super) fn follow_up(path: &str, content: String) -> FollowUp {
    let arguments = JsonMap::from_iter([
        ("path".to_owned(), Value::from(path)),
        ("content".to_owned(), Value::from(content)),
        ("mode".to_owned(), Value::from("overwrite")),
    ]);
    FollowUp { tool: NAME.to_owned(), arguments }
}

/// A file that is written before it gets its name; it goes when it never gets one.
struct Scratch<'a> {
    folder: &'a OwnedFd,
    name: String,
    file: File,
}

impl<'a> Scratch<'a> {
    fn make(folder: &'a OwnedFd, path: &Path) -> Result<Self, ToolProblem> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        loop {
            let count = COUNT.fetch_add(1, Ordering::Relaxed);
            let name = format!(".candor-{}-{count}.tmp", std::process::id());
            let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            match rustix::fs::openat(folder, &name, flags, Mode::from_raw_mode(0o666)) {
                Ok(file) => return Ok(Self { folder, name, file: file.into() }),
                // One that a crash has left behind, from a process with the same number.
                Err(Errno::EXIST) => {}
                Err(error) => return Err(told(path, error)),
            }
        }
    }

    /// Gives it its name.
    fn replace(&self, name: &OsStr, replace: bool) -> Result<(), Errno> {
        if replace {
            return rustix::fs::renameat(self.folder, &self.name, self.folder, name);
        }
        rustix::fs::renameat_with(self.folder, &self.name, self.folder, name, RenameFlags::NOREPLACE)
    }
}

impl Drop for Scratch<'_> {
    fn drop(&mut self) {
        // Gone already when it got its name.
        let _ = rustix::fs::unlinkat(self.folder, &self.name, AtFlags::empty());
    }
}
