//! LangGraph from PyPI, in a virtual environment of its own.
//!
//! The environment is made once and made anew when the versions in `requirements.txt` change.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::measure;
use crate::scores::note;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/peers/langgraph_peer.py");
const VERSIONS: &str = include_str!("requirements.txt");

/// LangGraph, ready to be measured.
pub(crate) struct LangGraph {
    python: PathBuf,
}

/// Many runs at once.
#[derive(Deserialize)]
pub(crate) struct Crowd {
    /// How many.
    pub(crate) runs: u32,
    /// From the first start to the last end.
    pub(crate) seconds: f64,
    /// The most memory, where the system says so.
    pub(crate) peak_bytes: Option<u64>,
}

/// Chains, one after the other; the seconds that each took.
#[derive(Deserialize)]
pub(crate) struct Chains {
    /// While the file was new.
    pub(crate) new: Vec<f64>,
    /// When it had been in use.
    pub(crate) used: Vec<f64>,
}

impl LangGraph {
    /// Makes the environment; without Python or a registry it says so, and there is no peer.
    pub(crate) fn prepare() -> Option<Self> {
        match Self::install() {
            Ok(peer) => Some(peer),
            Err(error) => {
                note(format!("LangGraph is left out: {error:#}"));
                None
            }
        }
    }

    fn install() -> Result<Self> {
        let folder = measure::target_folder()?.join("peers-venv");
        let peer = Self { python: folder.join("bin/python") };
        let installed = folder.join("installed.txt");
        if std::fs::read_to_string(&installed).is_ok_and(|versions| versions == VERSIONS) {
            return Ok(peer);
        }
        note(format!("making a virtual environment with LangGraph in {}", folder.display()));
        succeed(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder))?;
        let wanted = Path::new(SCRIPT).with_file_name("requirements.txt");
        succeed(Command::new(&peer.python).args(["-m", "pip", "install", "--quiet", "-r"]).arg(wanted))?;
        std::fs::write(installed, VERSIONS)?;
        Ok(peer)
    }

    /// Runs of the Paris shape, all at once, with checkpoints on disk or with none.
    pub(crate) fn crowd(&self, runs: u32, durable: bool) -> Result<Crowd> {
        self.measure("crowd", &runs.to_string(), if durable { "sqlite" } else { "memory" })
    }

    /// Chains of no-op nodes, each step on disk before the next begins; `between` are made unmeasured.
    pub(crate) fn chain(&self, tasks: usize, chains: usize, between: usize) -> Result<Chains> {
        self.measure("chain", &tasks.to_string(), &format!("{chains},{between}"))
    }

    fn measure<T: DeserializeOwned>(&self, shape: &str, size: &str, how: &str) -> Result<T> {
        let folder = measure::folder()?;
        let mut command = Command::new(&self.python);
        command.args([SCRIPT, shape]).arg(folder.path()).args([size, how]);
        measure::answer(command)
    }
}

/// Runs a command to its end; what it says on failure becomes the error.
fn succeed(command: &mut Command) -> Result<()> {
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("{command:?}"))?;
    let words = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{command:?} ended with {}: {}", output.status, words.trim());
    Ok(())
}
