//! The logs of attempts: what agents wrote to stderr, one file each, made when there is something to write.
//!
//! A file holds the beginning of the log up to a limit and, if there was more, its end.

use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

use candor_model::redact::Redactor;
use candor_model::{RunId, TaskId, WorkOrder};
use candor_ports::private;

/// The folder that holds the logs of attempts, as `RUN/TASK.ATTEMPT.log`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogFolder(pub PathBuf);

/// The log of one attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptLog {
    /// The task; shortened if its id is too long for a file's name.
    pub task_id: String,
    /// Which attempt it was.
    pub attempt: u32,
    /// What the agent wrote to stderr.
    pub text: String,
}

impl AttemptLog {
    /// Whether this is the log of an attempt at this task.
    #[must_use]
    pub fn is_of(&self, task: &TaskId) -> bool {
        self.task_id == id_of(&file_name(task.as_str()))
    }
}

impl LogFolder {
    /// Reads the logs of a run, or of one task of it, by task and attempt. A run without logs has none.
    pub fn read(&self, run: &RunId, task: Option<&TaskId>) -> io::Result<Vec<AttemptLog>> {
        let entries = match fs::read_dir(self.0.join(file_name(run.as_str()))) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let wanted = task.map(|task| file_name(task.as_str()));
        let mut logs = Vec::new();
        for entry in entries {
            let path = entry?.path();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let Some((stem, attempt)) = name.strip_suffix(".log").and_then(|name| name.rsplit_once('.'))
            else {
                continue;
            };
            let Ok(attempt) = attempt.parse() else { continue };
            if wanted.as_deref().is_none_or(|wanted| wanted == stem) {
                let text = String::from_utf8_lossy(&fs::read(&path)?).into_owned();
                logs.push(AttemptLog { task_id: id_of(stem), attempt, text });
            }
        }
        logs.sort_by(|a, b| (&a.task_id, a.attempt).cmp(&(&b.task_id, b.attempt)));
        Ok(logs)
    }

    /// Removes the logs of a run. Some that cannot be removed do no harm.
    pub fn remove(&self, run: &RunId) {
        let _ = fs::remove_dir_all(self.0.join(file_name(run.as_str())));
    }

    /// The log of one attempt, to be written; of at most `limit` bytes and an end.
    pub(crate) fn writer(&self, order: &WorkOrder, limit: u64, redactor: Arc<Redactor>) -> LogWriter {
        let path = self.0.join(file_name(order.run_id.as_str())).join(format!("{}.log", attempt_name(order)));
        LogWriter { path, file: None, room: limit, left_out: 0, broken: false, redactor, line: Vec::new() }
    }
}

/// Writes one attempt's log. A log that cannot be written is given up: it must not fail the attempt.
#[derive(Debug)]
pub(crate) struct LogWriter {
    path: PathBuf,
    file: Option<File>,
    room: u64,
    left_out: u64,
    broken: bool,
    redactor: Arc<Redactor>,
    /// What has come of a line, or of a key of several lines: secrets are looked for in whole ones.
    line: Vec<u8>,
}

impl LogWriter {
    /// Adds to the log while there is room.
    pub(crate) fn write(&mut self, bytes: &[u8]) {
        self.line.extend_from_slice(bytes);
        let is_whole = self.line.len() > LONGEST_LINE || !holds_open_key(&self.line);
        let end = self.line.iter().rposition(|byte| *byte == b'\n').filter(|_| is_whole);
        let end =
            end.map(|end| end + 1).or_else(|| (self.line.len() > LONGEST_LINE).then_some(self.line.len()));
        if let Some(end) = end {
            let rest = self.line.split_off(end);
            let whole = std::mem::replace(&mut self.line, rest);
            self.add(&self.clean(&whole));
        }
    }

    /// What was written, without secrets.
    fn clean(&self, bytes: &[u8]) -> Vec<u8> {
        match self.redactor.text(&String::from_utf8_lossy(bytes)) {
            Cow::Borrowed(_) => bytes.to_vec(),
            Cow::Owned(clean) => clean.into_bytes(),
        }
    }

    fn add(&mut self, bytes: &[u8]) {
        let fits = usize::try_from(self.room).unwrap_or(usize::MAX).min(bytes.len());
        let (kept, dropped) = bytes.split_at_checked(fits).unwrap_or((bytes, &[]));
        self.room -= kept.len() as u64;
        self.left_out += dropped.len() as u64;
        self.put(kept);
    }

    /// Ends the log with the `tail` of what came, if there was no room for it.
    pub(crate) fn finish(&mut self, tail: &[u8]) {
        let rest = std::mem::take(&mut self.line);
        self.add(&self.clean(&rest));
        if self.left_out > 0 {
            let shown = (tail.len() as u64).min(self.left_out);
            let missing = self.left_out - shown;
            let start = tail.len().saturating_sub(usize::try_from(shown).unwrap_or(usize::MAX));
            self.put(format!("\n[… {missing} bytes left out …]\n").as_bytes());
            self.put(&self.clean(tail.get(start..).unwrap_or(tail)));
        }
    }

    fn put(&mut self, bytes: &[u8]) {
        if !bytes.is_empty() && !self.broken {
            self.broken = self.try_put(bytes).is_err();
        }
    }

    fn try_put(&mut self, bytes: &[u8]) -> io::Result<()> {
        if let Some(file) = &mut self.file {
            return file.write_all(bytes);
        }
        if let Some(folder) = self.path.parent() {
            private::create_dir_all(folder)?;
        }
        self.file.insert(private::create(&self.path)?).write_all(bytes)
    }
}

/// How much of a line is waited for before it is written as it is.
const LONGEST_LINE: usize = 64 * 1024;

/// Whether a private key has begun and not ended.
fn holds_open_key(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    text.rfind("-----BEGIN").is_some_and(|at| !text.get(at..).unwrap_or_default().contains("-----END"))
}

/// The name of an attempt's file, without its ending.
pub(crate) fn attempt_name(order: &WorkOrder) -> String {
    format!("{}.{}", file_name(order.task_id.as_str()), order.attempt)
}

/// File systems allow 255 bytes; attempt and ending must fit too.
const MAX_NAME_BYTES: usize = 200;

/// The name of a file or folder for an id. Ids may hold `..`, `\` and any letter; names hold plain ones only.
pub(crate) fn file_name(id: &str) -> String {
    let mut name = String::new();
    for byte in id.bytes() {
        let plain = byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        if plain || (byte == b'.' && !name.is_empty()) {
            name.push(char::from(byte));
        } else {
            name.push_str(&format!("%{byte:02X}"));
        }
    }
    if name.len() > MAX_NAME_BYTES {
        let start: String = name.chars().take(MAX_NAME_BYTES - 17).collect();
        name = format!("{start}~{:016x}", fnv1a(id.as_bytes()));
    }
    name
}

/// A hash whose numbers stay the same for good, unlike the standard library's.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// The id that a file's name was made of.
fn id_of(name: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = name;
    while let Some((plain, coded)) = rest.split_once('%') {
        bytes.extend_from_slice(plain.as_bytes());
        let code = coded.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(code.unwrap_or(b'%'));
        rest = if code.is_some() { coded.get(2..).unwrap_or_default() } else { coded };
    }
    bytes.extend_from_slice(rest.as_bytes());
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_id_leaves_its_folder_and_every_id_comes_back() {
        for id in ["..", ".", "task_001", "a\\b", "tâche_1", "100%", ".hidden", "a.b.c"] {
            let name = file_name(id);
            assert!(!name.starts_with('.') && !name.contains(['\\', '/']), "{name}");
            assert_eq!(id_of(&name), id);
        }
        let long = |end: char| file_name(&format!("{}{end}", "é".repeat(199)));
        assert!(long('a').len() <= MAX_NAME_BYTES);
        assert_ne!(long('a'), long('b'));
    }

    #[test]
    fn a_log_keeps_its_beginning_and_its_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.log");
        let mut log = LogWriter {
            path: path.clone(),
            file: None,
            room: 5,
            left_out: 0,
            broken: false,
            redactor: Arc::default(),
            line: Vec::new(),
        };
        assert!(!path.exists());
        log.write(b"0123456789abcdef");
        log.finish(b"cdef");
        assert_eq!(fs::read_to_string(&path).unwrap(), "01234\n[… 7 bytes left out …]\ncdef");
    }
}
