//! A file of vectors, one for each model: what a process embedded, the next one finds.
//!
//! Records are appended, each with a checksum; texts are known by their digest and not written. A record that
//! is broken ends what is believed of the file, and the file is written anew with what comes before it.
//! Nothing here fails: without the file, vectors are computed again.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use candor_ports::{Vector, private};
use sha2::{Digest, Sha256};

/// The most bytes in a file.
const MOST_BYTES: usize = 50_000_000;
/// The form of the file; another form is another file.
const FORM: &[u8] = b"candor vectors 1\n";
const KEY: usize = 16;
const CHECKSUM: usize = 4;

type Key = [u8; KEY];

/// Vectors of one model that outlive the process.
#[derive(Debug)]
pub struct VectorFile {
    path: PathBuf,
    model: String,
    most_bytes: usize,
    vectors: HashMap<Key, Vector>,
    /// Keys in the order in which they were added.
    order: Vec<Key>,
    /// How many records of `order` are in the file.
    saved: usize,
    /// Whether what is in the file cannot be added to.
    is_stale: bool,
}

impl VectorFile {
    /// Opens the file of a model in a folder; one that is missing or broken is as good as empty.
    #[must_use]
    pub fn open(folder: &Path, model: &str) -> Self {
        Self::open_bounded(folder, model, MOST_BYTES)
    }

    fn open_bounded(folder: &Path, model: &str, most_bytes: usize) -> Self {
        let path = folder.join(file_name(model));
        let (vectors, order) = (HashMap::new(), Vec::new());
        let mut file =
            Self { path, model: model.into(), most_bytes, vectors, order, saved: 0, is_stale: true };
        let bytes = read(&file.path, most_bytes).unwrap_or_default();
        if let Some(records) = bytes.strip_prefix(header(model).as_slice()) {
            file.is_stale = !file.take(records);
            file.saved = file.order.len();
        }
        file
    }

    /// How many vectors there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.vectors.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.vectors.is_empty()
    }

    /// The vector of a text.
    #[must_use]
    pub fn get(&self, text: &str) -> Option<Vector> {
        self.vectors.get(&key(text)).cloned()
    }

    /// Adds the vector of a text; [`VectorFile::save`] writes it.
    pub fn add(&mut self, text: &str, vector: &Vector) {
        let key = key(text);
        if self.vectors.insert(key, vector.clone()).is_none() {
            self.order.push(key);
        }
    }

    /// Writes what was added. What cannot be written is not kept for the next process, and that is all.
    pub fn save(&mut self) {
        if self.saved == self.order.len() && !self.is_stale {
            return;
        }
        let size =
            header(&self.model).len() + self.order.iter().map(|key| self.record_size(key)).sum::<usize>();
        let written = if size > self.most_bytes {
            self.forget_half();
            self.rewrite()
        } else if self.is_stale {
            self.rewrite()
        } else {
            self.append()
        };
        self.is_stale = written.is_err();
        self.saved = self.order.len();
    }

    /// Takes records until one is broken; says whether none was.
    fn take(&mut self, mut bytes: &[u8]) -> bool {
        while !bytes.is_empty() {
            let Some((key, vector, rest)) = parse(bytes) else { return false };
            if self.vectors.insert(key, vector).is_none() {
                self.order.push(key);
            }
            bytes = rest;
        }
        true
    }

    /// The older half goes: a file that lets go of one record at a time would be rewritten each time.
    fn forget_half(&mut self) {
        let mut room = self.most_bytes / 2;
        let is_kept = |key: &&Key| {
            let size = self.record_size(key);
            let fits = size <= room;
            room = if fits { room - size } else { 0 };
            fits
        };
        let mut kept: Vec<Key> = self.order.iter().rev().take_while(is_kept).copied().collect();
        kept.reverse();
        let (before, _) = self.order.split_at_checked(self.order.len() - kept.len()).unwrap_or_default();
        for key in before {
            self.vectors.remove(key);
        }
        self.order = kept;
    }

    fn append(&self) -> io::Result<()> {
        let mut file = OpenOptions::new().append(true).open(&self.path)?;
        file.write_all(&self.records(self.order.get(self.saved..).unwrap_or_default()))
    }

    fn rewrite(&self) -> io::Result<()> {
        let part = self.path.with_extension(format!("{}.part", std::process::id()));
        private::create_dir_all(self.path.parent().unwrap_or(Path::new(".")))?;
        let mut bytes = header(&self.model);
        bytes.extend(self.records(&self.order));
        private::write(&part, bytes).and_then(|()| fs::rename(&part, &self.path)).inspect_err(|_| {
            let _ = fs::remove_file(&part);
        })
    }

    fn records(&self, keys: &[Key]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for key in keys {
            let Some(vector) = self.vectors.get(key) else { continue };
            let mut record = key.to_vec();
            record.extend((vector.len() as u32).to_le_bytes());
            record.extend(vector.iter().flat_map(|number| number.to_le_bytes()));
            record.extend(crc32fast::hash(&record).to_le_bytes());
            bytes.extend(record);
        }
        bytes
    }

    fn record_size(&self, key: &Key) -> usize {
        self.vectors.get(key).map_or(0, |vector| KEY + 4 + 4 * vector.len() + CHECKSUM)
    }
}

/// One record and what comes after it; none if it is not whole.
fn parse(bytes: &[u8]) -> Option<(Key, Vector, &[u8])> {
    let (key, rest) = bytes.split_first_chunk::<KEY>()?;
    let (width, rest) = rest.split_first_chunk::<4>()?;
    let width = 4 * usize::try_from(u32::from_le_bytes(*width)).ok()?;
    let (numbers, rest) = rest.split_at_checked(width)?;
    let (checksum, rest) = rest.split_first_chunk::<CHECKSUM>()?;
    let checked = bytes.get(..KEY + 4 + width)?;
    let numbers = numbers.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes));
    (crc32fast::hash(checked) == u32::from_le_bytes(*checksum)).then(|| (*key, numbers.collect(), rest))
}

fn read(path: &Path, most_bytes: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(most_bytes as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn header(model: &str) -> Vec<u8> {
    [FORM, model.as_bytes(), b"\n"].concat()
}

/// Models are named by people and servers: what a file cannot be called is left out, and a digest keeps two
/// names apart that then look alike.
fn file_name(model: &str) -> String {
    let plain: String =
        model.chars().filter(|c| c.is_ascii_alphanumeric() || "-_".contains(*c)).take(60).collect();
    let [first, second, third, ..] = key(model);
    format!("{plain}-{first:02x}{second:02x}{third:02x}.vectors")
}

fn key(text: &str) -> Key {
    Sha256::digest(text).first_chunk().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vector(number: u32) -> Vector {
        [number as f32, 1.0, -0.5].into()
    }

    fn filled(folder: &Path, texts: std::ops::Range<u32>) -> VectorFile {
        let mut file = VectorFile::open(folder, "m/1");
        for number in texts {
            file.add(&number.to_string(), &vector(number));
        }
        file.save();
        file
    }

    #[test]
    fn a_process_finds_what_the_ones_before_it_added() {
        let folder = tempfile::tempdir().unwrap();
        filled(folder.path(), 0..3);
        filled(folder.path(), 2..5);
        let file = VectorFile::open(folder.path(), "m/1");
        assert_eq!(file.len(), 5);
        assert!((0..5).all(|number| file.get(&number.to_string()) == Some(vector(number))));
        assert!(VectorFile::open(folder.path(), "m1").is_empty(), "another model has a file of its own");
    }

    #[test]
    fn a_broken_file_is_believed_up_to_the_break_and_written_anew() {
        let folder = tempfile::tempdir().unwrap();
        let path = filled(folder.path(), 0..4).path;
        let whole = fs::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x10;
            fs::write(&path, &bytes).unwrap();
            assert!(VectorFile::open(folder.path(), "m/1").len() < 4, "byte {at}");
            fs::write(&path, &whole[..at]).unwrap();
            filled(folder.path(), 0..4);
            assert_eq!(VectorFile::open(folder.path(), "m/1").len(), 4, "cut at {at}");
        }
    }

    #[test]
    fn a_file_that_grew_too_large_forgets_its_older_half() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = VectorFile::open_bounded(folder.path(), "m", 1000);
        for number in 0..100 {
            file.add(&number.to_string(), &vector(number));
            file.save();
            assert!(fs::metadata(&file.path).unwrap().len() <= 1000);
        }
        let file = VectorFile::open_bounded(folder.path(), "m", 1000);
        assert!(file.get("99").is_some() && file.get("0").is_none() && file.len() > 10);
    }

    #[test]
    fn a_folder_that_cannot_be_written_costs_only_the_memory_of_it() {
        let folder = tempfile::tempdir().unwrap();
        let in_the_way = folder.path().join("file");
        fs::write(&in_the_way, "").unwrap();
        let file = filled(&in_the_way, 0..2);
        assert_eq!(file.get("1"), Some(vector(1)));
    }
}
