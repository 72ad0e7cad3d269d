//! Reads a file.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use candor_model::{ToolErrorKind, ToolHints, ToolProblem, ToolResult, ToolSpec};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use sha2::{Digest, Sha256};

use super::folder::broken;
use super::patience::Patience;
use super::{Place, problem, spec_of};

pub(super) const NAME: &str = "read_file";
/// How much is read at once.
const CHUNK_BYTES: usize = 64 * 1024;
/// A file with one of these among its first bytes is not text.
const NOT_TEXT: u8 = 0;

/// What it is given.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    /// The file, within the allowed folder.
    path: String,
    /// The first line to give; 1 is the first of the file.
    #[serde(default)]
    #[schemars(range(min = 1))]
    offset: Option<u64>,
    /// How many lines to give.
    #[serde(default)]
    #[schemars(range(min = 1))]
    limit: Option<u64>,
}

pub(super) fn spec() -> ToolSpec {
    spec_of::<Args>(
        NAME,
        "Reads a text file, or some lines of it. Its data has the file's size and sha256.",
        ToolHints::READS,
    )
}

pub(super) fn call(place: &Place, args: &Args, most: usize) -> Result<ToolResult, ToolProblem> {
    let path = place.folder.inside(&args.path)?;
    let file = place.folder.file(&path)?;
    let (first, count) = (args.offset.unwrap_or(1), args.limit.unwrap_or(u64::MAX));
    let read = Lines { first, last: first.saturating_add(count).saturating_sub(1), most };
    let taken = read.take(file, &path, &place.patience)?;
    if taken.binary {
        let what = format!("{path:?} is not text: {} bytes, sha256 {}", taken.bytes, taken.sha256);
        return Err(problem(ToolErrorKind::Failed, what));
    }
    let mut text = String::from_utf8_lossy(&taken.text).into_owned();
    let given = taken.given;
    let data = json!({
        "path": path.to_string_lossy(), "bytes": taken.bytes, "lines": taken.lines, "sha256": taken.sha256,
        "first_line": first, "lines_given": given, "is_utf8": std::str::from_utf8(&taken.text).is_ok(),
    });
    if taken.cut {
        let line = first.saturating_add(given.saturating_sub(1));
        // A line that is too long by itself would be cut at the same place again.
        let next = if given > 1 { line } else { line + 1 };
        text += &format!("\n[... cut in line {line} of {}: read on with offset {next} ...]", taken.lines);
    }
    let mut result = ToolResult::done(text, Some(data));
    result.cut = taken.cut;
    Ok(result)
}

/// Which lines are wanted, and how many bytes of them.
struct Lines {
    first: u64,
    last: u64,
    most: usize,
}

/// What was read of a file, and what was learned of all of it.
struct Taken {
    text: Vec<u8>,
    given: u64,
    cut: bool,
    bytes: u64,
    lines: u64,
    binary: bool,
    sha256: String,
}

impl Lines {
    /// Goes through the whole file, which keeps nothing of it but what is wanted.
    fn take(&self, file: File, path: &Path, patience: &Patience) -> Result<Taken, ToolProblem> {
        let mut reader = BufReader::with_capacity(CHUNK_BYTES, file);
        let mut digest = Sha256::new();
        let (mut text, mut cut, mut given) = (Vec::new(), false, 0);
        let (mut bytes, mut line, mut begun, mut binary) = (0_u64, 1_u64, false, false);
        loop {
            patience.check()?;
            let chunk = reader.fill_buf().map_err(broken(path))?;
            if chunk.is_empty() {
                break;
            }
            binary |= bytes == 0 && chunk.contains(&NOT_TEXT);
            digest.update(chunk);
            for part in chunk.split_inclusive(|byte| *byte == b'\n') {
                if (self.first..=self.last).contains(&line) && !cut {
                    let room = self.most.saturating_sub(text.len()).min(part.len());
                    text.extend_from_slice(part.get(..room).unwrap_or_default());
                    cut = room < part.len();
                    given = line - self.first + 1;
                }
                begun = !part.ends_with(b"\n");
                line += u64::from(!begun);
            }
            let length = chunk.len();
            bytes += length as u64;
            reader.consume(length);
        }
        let lines = if begun { line } else { line - 1 };
        Ok(Taken { text, given, cut, bytes, lines, binary, sha256: hex(digest) })
    }
}

/// Goes through a file and gives its digest.
pub(super) fn sha256_of(file: &mut File, path: &Path, patience: &Patience) -> Result<String, ToolProblem> {
    let mut digest = Sha256::new();
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        patience.check()?;
        match file.read(&mut chunk).map_err(broken(path))? {
            0 => return Ok(hex(digest)),
            length => digest.update(chunk.get(..length).unwrap_or_default()),
        }
    }
}

/// A digest in the usual way to write it.
pub(super) fn hex(digest: Sha256) -> String {
    candor_model::hex(digest.finalize().iter())
}
