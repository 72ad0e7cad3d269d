//! What the built-in tools may do.

use std::collections::BTreeMap;
use std::path::PathBuf;

use candor_model::Seconds;
use serde::{Deserialize, Serialize};

/// What the built-in tools may do. Without anything said, they can do nothing but ask a person.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BuiltinConfig {
    /// The folder that files are read and written in, and commands are run in. Without one there are no tools for
    /// files and commands.
    pub folder: Option<PathBuf>,
    /// Whether files in it may be changed.
    pub writable: bool,
    /// The programs that may be run: names of installed ones, or paths. Each can start any other that is
    /// installed; what protects is the confinement, not this list. Empty: no commands.
    pub commands: Vec<String>,
    /// What commands may read besides the folder and the system's programs and libraries.
    pub readable: Vec<PathBuf>,
    /// Variables for commands, which get nothing of Candor's own environment.
    pub env: BTreeMap<String, String>,
    /// Whether commands may use the network.
    pub network: bool,
    /// Whether commands may change modes, owners and times of files where there are no namespaces, which then holds
    /// for all files of the user. In namespaces of their own they may, in their folder only.
    pub change_modes: bool,
    /// The hosts that pages may be fetched from: `example.org`, or `example.org:8080` for another port than the
    /// usual ones. Empty: no fetching.
    pub http_hosts: Vec<String>,
    /// How much of a file or a page is given at once.
    pub max_read_bytes: usize,
    /// How much is kept of what a command prints, for stdout and stderr each.
    pub max_output_bytes: usize,
    /// How much memory a command may use.
    pub max_memory_bytes: u64,
    /// How long a command may run.
    pub command_timeout: Seconds,
    /// Whether commands run with all of Candor's own rights when this kernel cannot confine them.
    pub allow_unconfined: bool,
    /// The program that confines commands: Candor itself, or `candor-confine`.
    pub launcher: PathBuf,
}

impl BuiltinConfig {
    /// Whether these settings allow the tool of this name.
    #[must_use]
    pub fn has(&self, tool: &str) -> bool {
        super::specs(self).iter().any(|spec| spec.name == tool)
    }
}

impl Default for BuiltinConfig {
    fn default() -> Self {
        Self {
            folder: None,
            writable: false,
            commands: Vec::new(),
            readable: Vec::new(),
            env: BTreeMap::new(),
            network: false,
            change_modes: false,
            http_hosts: Vec::new(),
            max_read_bytes: 64 * 1024,
            max_output_bytes: 32 * 1024,
            max_memory_bytes: candor_sandbox::Limits::default().memory_bytes,
            command_timeout: Seconds::whole(60),
            allow_unconfined: false,
            // By this name it is the running program itself.
            launcher: PathBuf::from("/proc/self/exe"),
        }
    }
}
