//! Removes a file that is known: only if it is still just what it was.

use std::io::{Read, Seek};

use candor_model::{Carried, FollowUp, JsonMap, ToolErrorKind, ToolHints, ToolProblem, ToolResult, ToolSpec};
use rustix::fs::AtFlags;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::folder::{broken, file_in, told};
use super::read::sha256_of;
use super::{Place, problem, spec_of, write};

pub(super) const NAME: &str = "remove_file";
/// How much of a file is kept so that it can be put back.
const MOST_KEPT: u64 = 256 * 1024;

/// What it is given.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    /// The file, within the allowed folder.
    path: String,
    /// The sha256 that the file must have, as `read_file` or `write_file` gave it; otherwise it stays.
    #[schemars(length(min = 64, max = 64))]
    only_if_sha256: String,
}

pub(super) fn spec() -> ToolSpec {
    let hints = ToolHints { read_only_hint: false, destructive_hint: true, ..ToolHints::READS };
    spec_of::<Args>(NAME, "Removes a file, if its content is the one that is known.", hints)
}

pub(super) fn call(place: &Place, args: &Args) -> Result<ToolResult, ToolProblem> {
    let path = place.folder.inside(&args.path)?;
    let (folder, name) = place.folder.around(&path, false)?;
    let Some(mut file) = file_in(&folder, &name)? else {
        return Err(problem(ToolErrorKind::Failed, format!("{path:?} is not there")));
    };
    let now = sha256_of(&mut file, &path, &place.patience)?;
    if !now.eq_ignore_ascii_case(&args.only_if_sha256) {
        let what = format!("{path:?} has changed: its sha256 is {now}, not {}", args.only_if_sha256);
        return Err(problem(ToolErrorKind::Failed, what));
    }
    file.rewind().map_err(broken(&path))?;
    let mut bytes = Vec::new();
    file.take(MOST_KEPT + 1).read_to_end(&mut bytes).map_err(broken(&path))?;
    rustix::fs::unlinkat(&folder, &name, AtFlags::empty()).map_err(|error| told(&path, error))?;
    let kept = String::from_utf8(bytes).ok().filter(|text| text.len() as u64 <= MOST_KEPT);
    let mut result = ToolResult::done(format!("removed {path:?}"), None);
    result.undo = kept.map(|text| write::follow_up(&path.to_string_lossy(), text));
    if result.undo.is_none() {
        result.content += "; it was not text or over 256 KiB, so this cannot be undone";
    }
    Ok(result)
}

pub(super) fn verify(place: &Place, args: &Args) -> Result<Carried, ToolProblem> {
    let path = place.folder.inside(&args.path)?;
    let (folder, name) = match place.folder.around(&path, false) {
        Err(problem) if problem.kind == ToolErrorKind::Failed => return Ok(Carried::Done),
        around => around?,
    };
    Ok(if file_in(&folder, &name)?.is_none() { Carried::Done } else { Carried::NotDone })
}

/// The call that removes a file of this digest.
pub(super) fn follow_up(path: &str, sha256: &str) -> FollowUp {
    let arguments = JsonMap::from_iter([
        ("path".to_owned(), Value::from(path)),
        ("only_if_sha256".to_owned(), Value::from(sha256)),
    ]);
    FollowUp { tool: NAME.to_owned(), arguments }
}
