//! Files of tensors in the safetensors format: a header that says where each tensor lies, and the numbers.
//!
//! It trusts nothing that the header says: every place is checked against the file before a byte of it is
//! read. Numbers of 16 and 32 bits are read; anything else is refused.

use std::collections::HashMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

/// The longest header that is read; that of MiniLM is 10 KB long.
const LONGEST_HEADER: u64 = 16 << 20;

/// Why weights could not be read.
#[derive(Debug, thiserror::Error)]
#[error("the weights in {} cannot be used: {problem}", path.display())]
pub struct WeightsError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it, and what was expected.
    pub problem: String,
}

/// An open file of tensors.
pub(super) struct Tensors {
    path: PathBuf,
    file: File,
    places: HashMap<String, Place>,
    /// Where the numbers begin.
    start: u64,
    /// How many bytes of numbers there are.
    length: u64,
}

#[derive(Deserialize)]
struct Place {
    dtype: String,
    shape: Vec<u64>,
    data_offsets: (u64, u64),
}

impl Tensors {
    /// Opens a file and reads its header.
    pub(super) fn open(path: &Path) -> Result<Self, WeightsError> {
        let broken = |problem: String| WeightsError { path: path.to_owned(), problem };
        let unreadable = |error: std::io::Error| broken(error.to_string());
        let mut file = File::open(path).map_err(unreadable)?;
        let size = file.metadata().map_err(unreadable)?.len();
        let mut length = [0; 8];
        file.read_exact(&mut length)
            .map_err(|_| broken(format!("{size} bytes are too few for a safetensors file")))?;
        let header = u64::from_le_bytes(length);
        let rest = size.saturating_sub(8);
        if header > rest.min(LONGEST_HEADER) {
            return Err(broken(format!(
                "its header would be {header} bytes long and {rest} follow: not a safetensors file, or cut short"
            )));
        }
        let mut bytes = Vec::new();
        file.by_ref().take(header).read_to_end(&mut bytes).map_err(unreadable)?;
        let places = places(&bytes).map_err(|error| broken(format!("its header is broken: {error}")))?;
        let start = header + 8;
        Ok(Self { path: path.to_owned(), file, places, start, length: rest - header })
    }

    /// Reads the tensor of this name, which must have this shape.
    pub(super) fn read(&mut self, name: &str, shape: &[usize]) -> Result<Vec<f32>, WeightsError> {
        let (width, start, length) = self.place(name, shape).map_err(|problem| self.broken(problem))?;
        let mut bytes = Vec::new();
        self.file.seek(SeekFrom::Start(start)).map_err(|error| self.broken(error.to_string()))?;
        let read = self.file.by_ref().take(length).read_to_end(&mut bytes);
        match read {
            Ok(count) if count as u64 == length => Ok(numbers(&bytes, width)),
            Ok(_) => Err(self.broken(format!("it ends within `{name}`"))),
            Err(error) => Err(self.broken(error.to_string())),
        }
    }

    /// Where a tensor lies, once it is sure that it lies there.
    fn place(&self, name: &str, shape: &[usize]) -> Result<(Width, u64, u64), String> {
        let place = self.places.get(name).ok_or_else(|| format!("it has no tensor `{name}`"))?;
        let width = match place.dtype.as_str() {
            "F32" => Width::Full,
            "F16" => Width::Half,
            other => return Err(format!("`{name}` holds {other}; F32 and F16 can be read")),
        };
        if !place.shape.iter().copied().eq(shape.iter().map(|&side| side as u64)) {
            return Err(format!("`{name}` has the shape {:?}; {shape:?} was expected", place.shape));
        }
        let (from, to) = place.data_offsets;
        let needed = shape.iter().try_fold(width.bytes(), |size, &side| size.checked_mul(side as u64));
        let length = to.checked_sub(from).filter(|_| to <= self.length);
        match (length, needed) {
            (Some(length), Some(needed)) if length == needed => Ok((width, self.start + from, length)),
            _ => Err(format!("`{name}` would lie at bytes {from} to {to} of {}", self.length)),
        }
    }

    fn broken(&self, problem: String) -> WeightsError {
        WeightsError { path: self.path.clone(), problem }
    }
}

#[derive(Clone, Copy)]
enum Width {
    Full,
    Half,
}

impl Width {
    const fn bytes(self) -> u64 {
        match self {
            Self::Full => 4,
            Self::Half => 2,
        }
    }
}

fn places(header: &[u8]) -> serde_json::Result<HashMap<String, Place>> {
    let mut entries: HashMap<String, Value> = serde_json::from_slice(header)?;
    entries.remove("__metadata__");
    entries.into_iter().map(|(name, entry)| Ok((name, serde_json::from_value(entry)?))).collect()
}

fn numbers(bytes: &[u8], width: Width) -> Vec<f32> {
    match width {
        Width::Full => bytes.as_chunks().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect(),
        Width::Half => bytes.as_chunks().0.iter().map(|&bytes| widened(u16::from_le_bytes(bytes))).collect(),
    }
}

/// A number of 16 bits (1 of sign, 5 of exponent, 10 of fraction) in 32.
fn widened(half: u16) -> f32 {
    let sign = if half & 0x8000 == 0 { 1.0 } else { -1.0 };
    let fraction = f32::from(half & 0x3FF);
    match (half >> 10) & 0x1F {
        0 => sign * fraction * 2f32.powi(-24),
        31 if fraction == 0.0 => sign * f32::INFINITY,
        31 => f32::NAN,
        exponent => sign * (1.0 + fraction / 1024.0) * 2f32.powi(i32::from(exponent) - 15),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(header: &str, numbers: &[u8]) -> tempfile::NamedTempFile {
        let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
        bytes.extend(header.as_bytes());
        bytes.extend(numbers);
        written(&bytes)
    }

    fn written(bytes: &[u8]) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), bytes).unwrap();
        file
    }

    fn problem(header: &str, numbers: &[u8]) -> String {
        let file = file(header, numbers);
        let read = Tensors::open(file.path()).and_then(|mut tensors| tensors.read("t", &[2]));
        read.unwrap_err().problem
    }

    #[test]
    fn numbers_of_both_widths_are_read() {
        let header = r#"{"__metadata__":{"format":"pt"},
            "t":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},
            "h":{"dtype":"F16","shape":[1,2],"data_offsets":[8,12]}}"#;
        let bytes = [0, 0, 0x80, 0x3F, 0, 0, 0, 0xC0, 0x00, 0x3C, 0x01, 0x80];
        let file = file(header, &bytes);
        let mut tensors = Tensors::open(file.path()).unwrap();
        assert_eq!(tensors.read("t", &[2]).unwrap(), [1.0, -2.0]);
        assert_eq!(tensors.read("h", &[1, 2]).unwrap(), [1.0, -(2f32.powi(-24))]);
    }

    #[test]
    fn halves_become_the_numbers_they_stand_for() {
        for (half, number) in
            [(0x3555, 0.333_251_95), (0x7BFF, 65504.0), (0xC000, -2.0), (0x0400, 6.103_515_6e-5)]
        {
            assert_eq!(widened(half), number);
        }
        assert!(widened(0x7C00).is_infinite() && widened(0x7E00).is_nan());
    }

    #[test]
    fn a_broken_file_is_told_from_a_wrong_one() {
        let missing = Tensors::open(Path::new("no/such/model.safetensors")).err().unwrap();
        assert!(missing.to_string().contains("no/such/model.safetensors"), "{missing}");
        let told = |bytes: &[u8]| Tensors::open(written(bytes).path()).err().unwrap().problem;
        assert!(told(b"abc").contains("too few"));
        assert!(told(&[0xFF; 40]).contains("cut short"));
        assert!(problem("{", &[]).contains("header is broken"));
        assert!(problem("{}", &[]).contains("no tensor `t`"));
    }

    #[test]
    fn a_tensor_that_lies_elsewhere_than_it_says_is_refused() {
        let place = |dtype: &str, shape: &str, from: u64, to: u64| {
            format!(r#"{{"t":{{"dtype":"{dtype}","shape":{shape},"data_offsets":[{from},{to}]}}}}"#)
        };
        assert!(problem(&place("I64", "[2]", 0, 16), &[0; 16]).contains("I64"));
        assert!(problem(&place("F32", "[3]", 0, 12), &[0; 12]).contains("[2] was expected"));
        assert!(problem(&place("F32", "[2]", 0, 8), &[0; 7]).contains("bytes 0 to 8 of 7"));
        assert!(problem(&place("F32", "[2]", 8, 0), &[0; 8]).contains("bytes 8 to 0"));
        assert!(problem(&place("F32", "[2]", 0, 4), &[0; 8]).contains("bytes 0 to 4"));
        assert!(problem(&place("F32", "[2]", u64::MAX - 8, u64::MAX), &[0; 8]).contains("would lie"));
    }
}
