//! Lists files.

use candor_model::{ToolHints, ToolProblem, ToolResult, ToolSpec};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::walk::{Kind, Walk, on_a_line};
use super::{Place, glob, spec_of};

pub(super) const NAME: &str = "list_files";
/// How many entries are given.
const MAX_GIVEN: usize = 1000;

/// What it is given.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    /// The folder to list, within the allowed one; without it, that one.
    #[serde(default)]
    path: Option<String>,
    /// Lists everything below whose name fits: `*.rs` anywhere, `src/**/*.rs` for paths, `*.{ts,tsx}` for either.
    /// Without it, what is directly in the folder.
    #[serde(default)]
    pattern: Option<String>,
}

pub(super) fn spec() -> ToolSpec {
    spec_of::<Args>(
        NAME,
        "Lists the files of a folder, or finds files by a pattern for their names. Folders end in `/`, links in `@`; \
         links are not followed.",
        ToolHints::READS,
    )
}

pub(super) fn call(place: &Place, args: &Args) -> Result<ToolResult, ToolProblem> {
    let from = place.folder.inside(args.path.as_deref().unwrap_or("."))?;
    let mut walk = Walk::start(place, &from, args.pattern.is_some())?;
    let (mut lines, mut entries, mut more) = (Vec::new(), Vec::new(), 0_usize);
    while let Some(entry) = walk.next()? {
        let path = entry.name();
        if args.pattern.as_ref().is_some_and(|pattern| !glob::fits(pattern, &path)) {
            continue;
        }
        if entries.len() == MAX_GIVEN {
            more += 1;
            continue;
        }
        let (mark, kind) = match entry.kind {
            Kind::File => ("", "file"),
            Kind::Folder => ("/", "folder"),
            Kind::Link => ("@", "link"),
            Kind::Other => ("", "other"),
        };
        lines.push(format!("{}{mark}", on_a_line(&path)));
        entries.push(json!({"path": path, "kind": kind}));
    }
    if lines.is_empty() {
        lines.push("(nothing)".to_owned());
    }
    if more > 0 {
        lines.push(format!("[... {more} more left out: use a narrower path or pattern ...]"));
    }
    if walk.incomplete {
        lines.push("[... not everything could be looked at ...]".to_owned());
    }
    let mut result = ToolResult::done(lines.join("\n"), Some(json!({"entries": entries})));
    result.cut = more > 0 || walk.incomplete;
    Ok(result)
}
