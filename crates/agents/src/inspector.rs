//! Looks at one folder for phases that must not touch the world: reads files, and checks results.
//!
//! Paths are within the folder: none that is absolute, goes up, or leads out by a link is followed. A command
//! is started in the folder without a shell, as a process group of its own that ends as a whole.

mod changed;

use std::convert::Infallible;
use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, UNIX_EPOCH};

use candor_model::{CheckKind, ReadFile, Seconds, Timestamp};
use candor_ports::{BoxFuture, Inspector};
use candor_process::Group;
use sha2::{Digest, Sha256};
use tokio::net::unix::pipe;
use tokio::process::Command;
use tokio::time::{Instant, sleep_until, timeout};

use crate::command::outcome::end_in_words;
use crate::command::streams::{DRAIN_WITHIN, Tail, take};
use crate::text;
use crate::wait::FAR_AWAY;

/// How much of a file's text is kept.
const MOST_TEXT: usize = 64 * 1024;
/// Larger files get no digest: reading them takes longer than a phase should wait.
const MOST_HASHED: u64 = 64 * 1024 * 1024;
/// How much of the end of a command's output is told.
const MOST_OUTPUT: usize = 2 * 1024;
/// A file with one of these among its first bytes is not text.
const NOT_TEXT: u8 = 0;

/// What is said of a file that is not there.
const GONE: &str = "there is no such file";

/// Reads files and checks results in one folder.
#[derive(Debug, Clone)]
pub struct FolderInspector {
    folder: PathBuf,
}

impl FolderInspector {
    /// One that looks at this folder; an empty path is the working folder.
    #[must_use]
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        let folder: PathBuf = folder.into();
        Self { folder: if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder } }
    }

    /// Where a file of this path really is, if that is within the folder and a file.
    fn find(&self, path: &str) -> Result<(PathBuf, Metadata), String> {
        let inside = Path::new(path);
        let plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
        if path.trim().is_empty() || !inside.components().all(plain) {
            return Err("only paths within the folder are looked at, without `..`".to_owned());
        }
        let told = |error: io::Error| match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => GONE.to_owned(),
            _ => format!("it cannot be read: {error}"),
        };
        let root = fs::canonicalize(&self.folder).map_err(told)?;
        let real = fs::canonicalize(root.join(inside)).map_err(told)?;
        if !real.starts_with(&root) {
            return Err("it is a link that leads out of the folder".to_owned());
        }
        let metadata = fs::metadata(&real).map_err(told)?;
        if metadata.is_file() {
            Ok((real, metadata))
        } else if metadata.is_dir() {
            Err("it is a folder, not a file".to_owned())
        } else {
            // Reading from a pipe or a device may never end.
            Err("it is not a plain file".to_owned())
        }
    }

    fn read_file(&self, path: &str) -> ReadFile {
        let mut file = ReadFile {
            path: path.to_owned(),
            bytes: 0,
            modified: None,
            hash: String::new(),
            text: Err(String::new()),
        };
        let (real, metadata) = match self.find(path) {
            Ok(found) => found,
            Err(problem) => {
                file.text = Err(problem);
                return file;
            }
        };
        (file.bytes, file.modified) = (metadata.len(), modified(&metadata));
        match content(&real, metadata.len()) {
            Ok((start, hash)) => {
                file.hash = hash;
                file.text = as_text(start, metadata.len());
            }
            Err(error) => file.text = Err(format!("it cannot be read: {error}")),
        }
        file
    }

    /// Writes a file as it was: beside it first, so that it is never half of both.
    fn restore_file(&self, file: &ReadFile) -> Result<String, String> {
        let text = file.text.as_ref().map_err(Clone::clone)?;
        if !file.is_whole() {
            return Err(format!("{}: not all of it was kept", file.path));
        }
        let (folder, name) = match Path::new(&file.path).parent().zip(Path::new(&file.path).file_name()) {
            Some((folder, name)) => (folder, name),
            None => return Err(format!("{}: it has no name", file.path)),
        };
        let place = match self.find(&file.path) {
            Ok((real, _)) => real,
            // It is gone; the folder that it was in must still be one of ours.
            Err(problem) if problem == GONE => self.folder_within(folder)?.join(name),
            Err(problem) => return Err(format!("{}: {problem}", file.path)),
        };
        let told = |error: io::Error| format!("{}: it cannot be written: {error}", file.path);
        let draft = place.with_file_name(format!(".{}.restored", name.to_string_lossy()));
        fs::write(&draft, text).map_err(told)?;
        fs::rename(&draft, &place).map_err(told)?;
        Ok(format!("{}: as it was ({} bytes)", file.path, file.bytes))
    }

    fn folder_within(&self, folder: &Path) -> Result<PathBuf, String> {
        let told = |error: io::Error| format!("{}: {error}", folder.display());
        let root = fs::canonicalize(&self.folder).map_err(told)?;
        let real = fs::canonicalize(root.join(folder)).map_err(told)?;
        if real.starts_with(&root) { Ok(real) } else { Err("it leads out of the folder".to_owned()) }
    }

    fn check_file(&self, path: &str) -> (bool, String) {
        match self.find(path) {
            Err(problem) => (false, format!("{path}: {problem}")),
            Ok((_, metadata)) if metadata.len() == 0 => (false, format!("{path}: the file is empty")),
            Ok((_, metadata)) => (true, format!("{path}: {} bytes", metadata.len())),
        }
    }

    /// Whether an agent can have written this file. Only its existence is looked at, so that it may be anywhere; what
    /// cannot be looked at speaks neither for nor against the agent.
    fn check_written(&self, path: &str) -> (bool, String) {
        match fs::metadata(self.folder.join(path)) {
            Ok(metadata) => (true, format!("{path}: {} bytes", metadata.len())),
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                (false, format!("{path}: {GONE}"))
            }
            Err(error) => (true, format!("{path}: it cannot be looked at: {error}")),
        }
    }

    async fn check_command(&self, words: &[String], within: Seconds) -> (bool, String) {
        let Some((program, args)) = words.split_first().filter(|(program, _)| !program.is_empty()) else {
            return (false, "the command names no program".to_owned());
        };
        let mut tail = Tail::default();
        match self.run(program, args, within, &mut tail).await {
            Ok((passed, how)) => match text::tail_within(tail.bytes(), usize::MAX, MOST_OUTPUT) {
                said if said.is_empty() => (passed, format!("`{program}` {how}")),
                said => (passed, format!("`{program}` {how}; the end of its output: {said}")),
            },
            Err(error) => (false, format!("cannot run `{program}`: {error}")),
        }
    }

    async fn run(
        &self,
        program: &str,
        args: &[String],
        within: Seconds,
        tail: &mut Tail,
    ) -> io::Result<(bool, String)> {
        let deadline = Instant::now() + Duration::from_millis(within.as_millis()).min(FAR_AWAY);
        let (mut group, output) = start(program, args, &self.folder)?;
        let mut output = Some(output);
        let mut said = Box::pin(take(&mut output, |bytes| {
            tail.add(bytes);
            Ok::<(), Infallible>(())
        }));
        let mut open = true;
        let in_time = loop {
            tokio::select! {
                biased;
                () = sleep_until(deadline) => break false,
                () = group.ended() => break true,
                _ = &mut said, if open => open = false,
            }
        };
        let status = group.end().await?;
        if open {
            let _ = timeout(DRAIN_WITHIN, &mut said).await;
        }
        Ok(if in_time {
            (status.success(), end_in_words(status))
        } else {
            (false, format!("had not ended after {within}s and was killed"))
        })
    }
}

impl Inspector for FolderInspector {
    fn read<'a>(&'a self, path: &'a str) -> BoxFuture<'a, ReadFile> {
        let (inspector, wanted) = (self.clone(), path.to_owned());
        Box::pin(async move {
            let read = tokio::task::spawn_blocking(move || inspector.read_file(&wanted)).await;
            read.unwrap_or_else(|error| ReadFile {
                path: path.to_owned(),
                bytes: 0,
                modified: None,
                hash: String::new(),
                text: Err(format!("it cannot be read: {error}")),
            })
        })
    }

    fn unchanged(&self, known: &ReadFile) -> bool {
        match self.find(&known.path) {
            Ok((_, metadata)) => {
                let now = modified(&metadata);
                now.is_some() && now == known.modified && metadata.len() == known.bytes
            }
            // What was not there, and still is not.
            Err(problem) => known.modified.is_none() && known.text.as_ref().err() == Some(&problem),
        }
    }

    fn restore<'a>(&'a self, file: &'a ReadFile) -> BoxFuture<'a, Result<String, String>> {
        let (inspector, wanted) = (self.clone(), file.clone());
        Box::pin(async move {
            let restored = tokio::task::spawn_blocking(move || inspector.restore_file(&wanted)).await;
            restored.unwrap_or_else(|error| Err(error.to_string()))
        })
    }

    fn check<'a>(&'a self, check: &'a CheckKind, within: Seconds) -> BoxFuture<'a, (bool, String)> {
        match check {
            CheckKind::File(path) => Box::pin(std::future::ready(self.check_file(path))),
            CheckKind::Command(words) => Box::pin(self.check_command(words, within)),
            CheckKind::Content(path) => Box::pin(async move {
                match self.read(path).await.text {
                    Ok(text) => (true, text),
                    Err(problem) => (false, format!("{path}: {problem}")),
                }
            }),
            CheckKind::Written(path) => Box::pin(std::future::ready(self.check_written(path))),
            CheckKind::Program(name) => Box::pin(std::future::ready(check_program(name))),
            CheckKind::Secrets(since) => {
                let (folder, since) = (self.folder.clone(), *since);
                Box::pin(async move {
                    let looked = tokio::task::spawn_blocking(move || changed::secrets(&folder, since)).await;
                    looked.unwrap_or_else(|error| (false, format!("the files cannot be looked at: {error}")))
                })
            }
        }
    }
}

/// Whether a program can be started: by its path, or by its name in `PATH`.
fn check_program(name: &str) -> (bool, String) {
    let is_there = if name.contains('/') {
        Path::new(name).is_file()
    } else {
        let folders = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&folders).any(|folder| folder.join(name).is_file())
    };
    let how = if is_there { "is installed" } else { "is not installed" };
    (is_there, format!("`{name}` {how}"))
}

/// Starts a command whose output and errors come as one, in the order in which they are written.
fn start(program: &str, args: &[String], folder: &Path) -> io::Result<(Group, pipe::Receiver)> {
    let (reader, writer) = io::pipe()?;
    let mut command = Command::new(program);
    command.args(args).current_dir(folder).stdin(Stdio::null());
    command.stdout(writer.try_clone()?).stderr(writer);
    let (group, _) = Group::start(&mut command)?;
    Ok((group, pipe::Receiver::from_owned_fd(reader.into())?))
}

fn modified(metadata: &Metadata) -> Option<Timestamp> {
    let since = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    i64::try_from(since.as_millis()).ok().map(Timestamp::from_millis)
}

/// The beginning of a file and the digest of the whole.
fn content(path: &Path, bytes: u64) -> io::Result<(Vec<u8>, String)> {
    let mut file = File::open(path)?;
    let mut start = Vec::new();
    file.by_ref().take(MOST_TEXT as u64).read_to_end(&mut start)?;
    if bytes > MOST_HASHED {
        return Ok((start, String::new()));
    }
    let mut digest = Sha256::new();
    digest.update(&start);
    let mut chunk = vec![0; MOST_TEXT];
    // A file that grows while it is read is read no further than it may be.
    let mut rest = file.take(MOST_HASHED);
    loop {
        match rest.read(&mut chunk)? {
            0 => break,
            read => digest.update(chunk.get(..read).unwrap_or_default()),
        }
    }
    let hash = candor_model::hex(digest.finalize().iter());
    Ok((start, hash))
}

fn as_text(start: Vec<u8>, bytes: u64) -> Result<String, String> {
    let binary = || format!("it is not text ({bytes} bytes)");
    if start.contains(&NOT_TEXT) {
        return Err(binary());
    }
    let is_cut = bytes > start.len() as u64;
    let mut text = match String::from_utf8(start) {
        Ok(text) => text,
        // The cut may go through the middle of a letter.
        Err(error) if is_cut && error.utf8_error().error_len().is_none() => {
            let valid = error.utf8_error().valid_up_to();
            String::from_utf8_lossy(error.as_bytes().get(..valid).unwrap_or_default()).into_owned()
        }
        Err(_) => return Err(binary()),
    };
    if is_cut {
        text.push_str(&format!("\n[… cut here: the file has {bytes} bytes …]\n"));
    }
    Ok(text)
}
