//! What the programs of a pack may do. It is shown before they run, and the kernel holds them to it.

use serde::{Deserialize, Serialize};

use super::Pack;

/// The folder, in the working folder, to which the programs of packs write; each run has a folder of its own in it.
pub const OUTPUT_FOLDER: &str = "candor-output";

/// What stands for the pack's own folder in the command of one of its programs.
pub const PACK_PLACEHOLDER: &str = "{pack}";

/// What a pack's programs may do beside reading the working folder and writing to their output folder.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Permissions {
    /// The programs that they start.
    pub runs: Vec<String>,
    /// Folders that they read beside the working folder; `~` is the home folder. One that does not exist is skipped.
    pub reads: Vec<String>,
    /// Variables of the environment that they are given.
    pub environment: Vec<String>,
    /// Memory of each of their processes in megabytes.
    pub memory_mb: Option<u64>,
}

impl Pack {
    /// Whether it has programs of its own, which run confined to its permissions.
    #[must_use]
    pub fn has_programs(&self) -> bool {
        self.agents.iter().any(|agent| {
            let words = agent.get("command").and_then(|command| command.as_array());
            words
                .into_iter()
                .flatten()
                .filter_map(|word| word.as_str())
                .any(|word| word.contains(PACK_PLACEHOLDER))
        })
    }
}

impl Permissions {
    /// What they may do, in one line for people.
    #[must_use]
    pub fn in_words(&self) -> String {
        let also = if self.reads.is_empty() { "" } else { " and its tools" };
        // One line has room for a few of them; `candor packs show` has all.
        let runs = match self.runs.as_slice() {
            [] => "its own programs".to_owned(),
            [first, second, _, rest @ ..] if !rest.is_empty() => {
                format!("{first}, {second} and {} more", rest.len() + 1)
            }
            few => few.join(", "),
        };
        format!("reads this folder{also}, writes {OUTPUT_FOLDER}/, runs {runs}; no network")
    }
}
