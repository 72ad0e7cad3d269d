//! What travels to the launcher, and what comes back.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::Limits;

/// Where the temporary folder is in a world of one's own.
pub(crate) const OWN_TMP: &str = "/tmp";

/// Which of its parts a launcher plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Holds all processes of the command.
    Keep,
    /// Becomes the command.
    Enter,
    /// Is the first process of its namespaces.
    First,
    /// Tries whether there can be such a world.
    TryWorld,
}

impl Stage {
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Keep => "keep",
            Self::Enter => "enter",
            Self::First => "first",
            Self::TryWorld => "try-world",
        }
    }

    pub(crate) fn parse(word: &str) -> Option<Self> {
        [Self::Keep, Self::Enter, Self::First, Self::TryWorld].into_iter().find(|stage| stage.word() == word)
    }
}

/// One command and its confinement. Its environment is the launcher's own, which was cleared before.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Spec {
    /// The process that wants to know; when it is gone, so is the command.
    pub(crate) parent: u32,
    /// Where the keeper writes how it ended.
    pub(crate) report: PathBuf,
    /// Where the one that becomes the command writes why it could not.
    pub(crate) problem: PathBuf,
    /// The program's file.
    pub(crate) program: PathBuf,
    /// What the program is called, and its arguments.
    pub(crate) command: Vec<String>,
    /// Where it is started.
    pub(crate) folder: PathBuf,
    /// Its temporary folder, if its size is to be looked at.
    #[serde(default)]
    pub(crate) tmp: Option<PathBuf>,
    /// An empty folder in which the root of its namespaces is built, if it gets one.
    #[serde(default)]
    pub(crate) world: Option<PathBuf>,
    /// What the keeper removes if nobody else is left to do so.
    #[serde(default)]
    pub(crate) clean: Option<PathBuf>,
    pub(crate) read_write: Vec<PathBuf>,
    pub(crate) read_only: Vec<PathBuf>,
    pub(crate) network: bool,
    /// Whether it may know who the users of this machine are.
    pub(crate) users: bool,
    pub(crate) change_modes: bool,
    /// Who it is in its namespaces: a user and a group. Without these it seems to be root there.
    #[serde(default)]
    pub(crate) identity: Option<(u32, u32)>,
    pub(crate) limits: Limits,
    /// Whether it may run with less protection than there should be.
    pub(crate) allow_unconfined: bool,
}

/// Which limit a command ran into, of those that the keeper watches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LimitHit {
    Processes,
    Memory,
    Cpu,
    Disk,
}

/// How a command ended.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Ending {
    pub(crate) code: Option<i32>,
    pub(crate) signal: Option<i32>,
    pub(crate) limit: Option<LimitHit>,
    /// Why it was never started.
    pub(crate) problem: Option<String>,
}
