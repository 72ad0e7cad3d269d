//! What can be told of a log's files without SQLite, which rebuilds or ignores some of what is damaged.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::pages::{FRAME_HEADER, WAL_HEADER, number};

/// A log's files as they are on the disk.
pub(crate) struct Files {
    pub(crate) file: Vec<u8>,
    pub(crate) wal: Vec<u8>,
    pub(crate) shm: Vec<u8>,
}

impl Files {
    /// Reads them. A file that is not there is empty.
    pub(crate) fn read(path: &Path) -> io::Result<Self> {
        // The write-ahead log first: a checkpoint in between then loses nothing.
        let wal = read_if_there(&beside(path, "-wal"))?;
        Ok(Self { file: read_if_there(path)?, wal, shm: read_if_there(&beside(path, "-shm"))? })
    }

    /// What was committed and is in no file any more.
    pub(crate) fn missing_frames(&self) -> Option<String> {
        missing_frames(&self.shm, &self.wal)
    }

    /// What is wrong with them.
    pub(crate) fn problems(&self) -> Vec<String> {
        let wal = Wal::read(&self.wal);
        let mut problems: Vec<String> = wal.problem.clone().into_iter().collect();
        problems.extend(self.missing_frames());
        // A log that was never checkpointed is in its write-ahead log alone.
        if !self.file.is_empty() {
            problems.extend(header_problem(&self.file));
            problems.extend(length_problem(&self.file, &wal));
        }
        problems
    }
}

/// Why a log must not be opened: SQLite would go on without what its index says was committed.
///
/// Another process may close the log meanwhile: it copies all commits, then removes the index, then the write-ahead log.
/// So frames are missing only if the index that names them is the same after the write-ahead log was read.
pub(crate) fn lost_commits(path: &Path) -> Option<String> {
    let index = || read_if_there(&beside(path, "-shm")).ok();
    let mut shm = index()?;
    loop {
        index_frames(&shm)?;
        let missing = missing_frames(&shm, &read_if_there(&beside(path, "-wal")).ok()?)?;
        let again = index()?;
        if again == shm {
            return Some(missing);
        }
        shm = again;
    }
}

/// The path of a file that belongs to another.
pub(crate) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// The files of logs that were read here. A process that closes any descriptor of a file loses all its locks on that file,
/// those of SQLite among them; another process would then take the log for closed, and cut its index under our feet. So each
/// file stays open until it is deleted.
static READ: Mutex<Vec<File>> = Mutex::new(Vec::new());

fn read_if_there(path: &Path) -> io::Result<Vec<u8>> {
    let found = match std::fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        other => other?,
    };
    let mut files = READ.lock().unwrap_or_else(PoisonError::into_inner);
    files.retain(|file| file.metadata().is_ok_and(|of| of.nlink() > 0));
    let is_same =
        |file: &File| file.metadata().is_ok_and(|of| (of.dev(), of.ino()) == (found.dev(), found.ino()));
    let at = match files.iter().position(is_same) {
        Some(known) => known,
        None => {
            files.push(File::open(path)?);
            files.len() - 1
        }
    };
    let mut bytes = Vec::new();
    if let Some(mut file) = files.get(at) {
        file.rewind()?;
        file.read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

/// Bytes of the header that are the same in every log of ours, with what they say.
const FIXED: &[(usize, &[u8], &str)] = &[
    (0, b"SQLite format 3\0", "the mark of the format"),
    (16, &[0x10, 0], "the page size"),
    (18, &[2, 2], "the format version"),
    (20, &[0, 64, 32, 32], "the layout of pages"),
    (44, &[0, 0, 0, 4], "the schema format"),
    (52, &[0, 0, 0, 0], "the vacuum mode"),
    (56, &[0, 0, 0, 1], "the text encoding"),
    (64, &[0; 28], "the reserved bytes"),
];

fn header_problem(file: &[u8]) -> Option<String> {
    let differs = |(at, bytes, _): &&(usize, &[u8], &str)| file.get(*at..at + bytes.len()) != Some(*bytes);
    // The schema format and the text encoding are set with the first table.
    let empty = number(file, 28, 4) == Some(1) && file.get(44..48) == Some(&[0; 4]);
    let (at, _, what) = FIXED.iter().filter(|(at, ..)| !empty || *at < 44).find(differs)?;
    Some(format!("the header of the file is damaged at byte {at}: {what}"))
}

/// A file that is longer or shorter than its own header says. What the write-ahead log has may still be missing.
fn length_problem(file: &[u8], wal: &Wal) -> Option<String> {
    const PAGE: usize = 4096;
    let said = number(file, 28, 4)?;
    let (pages, rest) = (file.len() / PAGE, file.len() % PAGE);
    if rest != 0 {
        return Some(format!("the file ends in the middle of page {}", pages + 1));
    }
    if pages > said.max(wal.pages) {
        return Some(format!("{} pages follow the end of the file", pages - said.max(wal.pages)));
    }
    (pages < said && wal.pages == 0).then(|| format!("the last {} of {said} pages are missing", said - pages))
}

/// What a write-ahead log says.
#[derive(Default)]
struct Wal {
    /// How many pages the log has after its last commit; 0 if nothing was committed.
    pages: usize,
    problem: Option<String>,
}

impl Wal {
    fn read(wal: &[u8]) -> Self {
        let Some(head) = wal.get(..WAL_HEADER) else {
            let problem =
                (!wal.is_empty()).then(|| "the write-ahead log is cut within its header".to_owned());
            return Self { pages: 0, problem };
        };
        let big_endian = match number(wal, 0, 4) {
            Some(0x377f_0682) => false,
            Some(0x377f_0683) => true,
            _ => return Self::broken("the header of the write-ahead log is damaged".to_owned()),
        };
        let mut sum = checksum([0, 0], head.get(..24).unwrap_or_default(), big_endian);
        let size = number(wal, 8, 4).filter(|size| *size == 4096);
        let (Some(size), true) = (size, sums(wal, 24) == Some(sum)) else {
            return Self::broken("the header of the write-ahead log is damaged".to_owned());
        };
        let frames: Vec<&[u8]> =
            wal.get(WAL_HEADER..).unwrap_or_default().chunks(FRAME_HEADER + size).collect();
        let of_this_round = |frame: &[u8]| frame.get(8..16) == wal.get(16..24);
        let mut pages = 0;
        for (n, frame) in frames.iter().enumerate() {
            sum = checksum(sum, frame.get(..8).unwrap_or_default(), big_endian);
            sum = checksum(sum, frame.get(FRAME_HEADER..).unwrap_or_default(), big_endian);
            if !of_this_round(frame) || frame.len() < FRAME_HEADER + size || sums(frame, 16) != Some(sum) {
                let later = frames.get(n + 1..).unwrap_or_default();
                // Frames of an earlier round differ in both salts.
                let half = frame.get(8..12) == wal.get(16..20) || frame.get(12..16) == wal.get(20..24);
                let damaged = half || later.iter().any(|frame| of_this_round(frame));
                let problem = damaged.then(|| {
                    format!("the write-ahead log is damaged at frame {} of {}", n + 1, frames.len())
                });
                return Self { pages, problem };
            }
            pages = number(frame, 4, 4).filter(|pages| *pages > 0).unwrap_or(pages);
        }
        Self { pages, problem: None }
    }

    fn broken(problem: String) -> Self {
        Self { pages: 0, problem: Some(problem) }
    }
}

/// The two sums of a header.
fn sums(bytes: &[u8], at: usize) -> Option<[u32; 2]> {
    let sum = |at| u32::try_from(number(bytes, at, 4)?).ok();
    Some([sum(at)?, sum(at + 4)?])
}

/// The checksum of SQLite's write-ahead log: over pairs of words, carried on from frame to frame.
fn checksum([mut a, mut b]: [u32; 2], bytes: &[u8], big_endian: bool) -> [u32; 2] {
    let word = |bytes: &[u8]| {
        let bytes = bytes.try_into().unwrap_or_default();
        if big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) }
    };
    for pair in bytes.chunks_exact(8) {
        let (first, second) = pair.split_at(4);
        a = a.wrapping_add(word(first)).wrapping_add(b);
        b = b.wrapping_add(word(second)).wrapping_add(a);
    }
    [a, b]
}

/// How many frames the index of the write-ahead log knows, if the index is one.
fn index_frames(shm: &[u8]) -> Option<usize> {
    let word = |at: usize| Some(u32::from_ne_bytes(shm.get(at..at + 4)?.try_into().ok()?));
    // The index is kept twice; where the two differ, it is being written.
    let whole = word(0) == Some(3_007_000) && shm.get(12) == Some(&1) && shm.get(..48) == shm.get(48..96);
    usize::try_from(word(16).filter(|_| whole)?).ok()
}

/// What the index says was committed and is not in the write-ahead log. SQLite makes a new index when the first
/// process opens the log, and nothing tells of the loss any more.
fn missing_frames(shm: &[u8], wal: &[u8]) -> Option<String> {
    const FRAME: usize = FRAME_HEADER + 4096;
    let known = index_frames(shm)?;
    // The length of the file says little: behind the last commit lie zeros (see `reserve`) or frames of earlier rounds. Which
    // round it is the index says too, and the header of the log may be what is damaged.
    let of_this_round = |frame: &[u8]| frame.get(8..16) == shm.get(32..40);
    let mut frames = wal.get(WAL_HEADER..).unwrap_or_default().chunks_exact(FRAME);
    // Up to the last of them: one between them that is damaged is there, and is told of by what reads the log.
    let there = frames.rposition(of_this_round).map_or(0, |last| last + 1);
    // What was copied into the file already is not lost with the write-ahead log.
    let copied = usize::try_from(u32::from_ne_bytes(shm.get(96..100)?.try_into().ok()?)).ok()?;
    (known > there && known > copied).then(|| match there {
        0 => format!("the write-ahead log is missing: {known} pages of commits are lost"),
        _ => format!(
            "the write-ahead log is cut or overwritten: {} of {known} pages of commits are missing",
            known - there
        ),
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    #[test]
    fn a_log_that_is_opened_and_closed_meanwhile_has_lost_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("candor.db");
        let over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for _ in 0..300 {
                    let log = rusqlite::Connection::open(&path).unwrap();
                    log.execute_batch(
                        "PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS t (x);
                         INSERT INTO t VALUES (zeroblob(50000));",
                    )
                    .unwrap();
                }
                over.store(true, Ordering::Release);
            });
            while !over.load(Ordering::Acquire) {
                assert_eq!(lost_commits(&path), None);
            }
        });
    }
}
