//! Which run belongs to which conversation, and which messages came: small files beside the log, one for each run and
//! one for each conversation.
//!
//! They are durable before a run begins, so that a client that lost the answer finds its task by its conversation, and
//! before an answer is given, so that a message that comes again is known. Runs are the log's: a line about a run that
//! was never begun, or was removed since, means nothing.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use candor_model::RunId;
use candor_ports::private;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// The folder in the data folder.
const FOLDER: &str = "a2a";

/// A message that came, one line of a run's file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Heard {
    /// Id of the conversation, `contextId` in A2A.
    pub(super) context: String,
    /// The id that its sender gave it.
    pub(super) message: String,
    /// What it decided; empty for the one that began the run.
    pub(super) decided: String,
}

/// A run of a conversation, one line of the conversation's file.
#[derive(Debug, Serialize, Deserialize)]
struct Begun {
    run: RunId,
}

/// The conversations of an installation.
pub(super) struct Conversations {
    folder: PathBuf,
}

impl Conversations {
    pub(super) fn of(data: &Path) -> Self {
        Self { folder: data.join(FOLDER) }
    }

    /// The messages of a run, the first one first; none if it was not begun over A2A.
    pub(super) fn heard(&self, run: &RunId) -> Vec<Heard> {
        read(&self.of_run(run))
    }

    /// The runs of a conversation, the first one first.
    pub(super) fn runs(&self, context: &str) -> Vec<RunId> {
        let begun: Vec<Begun> = read(&self.of_context(context));
        begun.into_iter().map(|begun| begun.run).collect()
    }

    /// Notes that a message is about to begin a run.
    pub(super) fn begin(&self, run: &RunId, heard: &Heard) -> io::Result<()> {
        private::create_dir_all(&self.folder)?;
        append(&self.of_context(&heard.context), &Begun { run: run.clone() })?;
        self.add(run, heard)
    }

    /// Notes that a message came for a run.
    pub(super) fn add(&self, run: &RunId, heard: &Heard) -> io::Result<()> {
        private::create_dir_all(&self.folder)?;
        append(&self.of_run(run), heard)
    }

    fn of_run(&self, run: &RunId) -> PathBuf {
        self.named("run", run.as_str())
    }

    fn of_context(&self, context: &str) -> PathBuf {
        self.named("context", context)
    }

    /// Names come from others and are no names of files.
    fn named(&self, kind: &str, name: &str) -> PathBuf {
        let digest = Sha256::digest(name.as_bytes());
        let hex: String = candor_model::hex(digest.iter().take(16));
        self.folder.join(format!("{kind}-{hex}.jsonl"))
    }
}

/// The lines of a file; a line that was cut off by a crash was never answered for.
fn read<T: DeserializeOwned>(path: &Path) -> Vec<T> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

fn append(path: &Path, line: &impl Serialize) -> io::Result<()> {
    let mut file = OpenOptions::new().append(true).create(true).mode(private::FILE).open(path)?;
    // It begins with the line's end too: what a crash cut off before stays a line of its own.
    file.write_all(format!("\n{}\n", serde_json::to_string(line)?).as_bytes())?;
    file.sync_data()
}
