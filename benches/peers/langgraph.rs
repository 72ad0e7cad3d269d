//! LangGraph and DBOS from PyPI, each in a virtual environment of its own.
//!
//! An environment is made once and made anew when the versions in its list of requirements change.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::measure;
use crate::scores::note;

/// A peer that is a Python program: its name, its script and the versions that it needs.
struct Program {
    name: &'static str,
    script: &'static str,
    requirements: &'static str,
    versions: &'static str,
}

const LANGGRAPH: Program = Program {
    name: "LangGraph",
    script: concat!(env!("CARGO_MANIFEST_DIR"), "/peers/langgraph_peer.py"),
    requirements: concat!(env!("CARGO_MANIFEST_DIR"), "/peers/requirements.txt"),
    versions: include_str!("requirements.txt"),
};

const DBOS: Program = Program {
    name: "DBOS",
    script: concat!(env!("CARGO_MANIFEST_DIR"), "/peers/dbos_peer.py"),
    requirements: concat!(env!("CARGO_MANIFEST_DIR"), "/peers/dbos_requirements.txt"),
    versions: include_str!("dbos_requirements.txt"),
};

/// LangGraph, ready to be measured.
pub(crate) struct LangGraph(Peer);

/// DBOS, ready to be measured.
pub(crate) struct Dbos(Peer);

struct Peer {
    python: PathBuf,
    script: &'static str,
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

impl Peer {
    /// Makes the environment; without Python or a registry it says so, and there is no peer.
    fn prepare(program: &Program) -> Option<Self> {
        let left_out = |error: &anyhow::Error| note(format!("{} is left out: {error:#}", program.name));
        Self::install(program).inspect_err(left_out).ok()
    }

    fn install(program: &Program) -> Result<Self> {
        let folder = measure::target_folder()?.join(format!("peers-venv-{}", program.name.to_lowercase()));
        let peer = Self { python: folder.join("bin/python"), script: program.script };
        let installed = folder.join("installed.txt");
        if std::fs::read_to_string(&installed).is_ok_and(|versions| versions == program.versions) {
            return Ok(peer);
        }
        note(format!("making a virtual environment with {} in {}", program.name, folder.display()));
        succeed(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder))?;
        let mut install = Command::new(&peer.python);
        succeed(install.args(["-m", "pip", "install", "--quiet", "-r", program.requirements]))?;
        std::fs::write(installed, program.versions)?;
        Ok(peer)
    }

    fn measure<T: DeserializeOwned>(&self, shape: &str, size: &str, how: &str) -> Result<T> {
        let folder = measure::folder()?;
        let mut command = Command::new(&self.python);
        command.args([self.script, shape]).arg(folder.path()).args([size, how]);
        measure::answer(command)
    }
}

impl Dbos {
    /// Makes the environment, if it can be had.
    pub(crate) fn prepare() -> Option<Self> {
        Peer::prepare(&DBOS).map(Self)
    }

    /// Runs of the Paris shape, all at once, every step on disk.
    pub(crate) fn crowd(&self, runs: u32) -> Result<Crowd> {
        self.0.measure("crowd", &runs.to_string(), "sqlite")
    }
}

impl LangGraph {
    /// Makes the environment, if it can be had.
    pub(crate) fn prepare() -> Option<Self> {
        Peer::prepare(&LANGGRAPH).map(Self)
    }

    /// Runs of the Paris shape, all at once, with checkpoints on disk or with none.
    pub(crate) fn crowd(&self, runs: u32, durable: bool) -> Result<Crowd> {
        self.0.measure("crowd", &runs.to_string(), if durable { "sqlite" } else { "memory" })
    }

    /// Chains of no-op nodes, each step on disk before the next begins; `between` are made unmeasured.
    pub(crate) fn chain(&self, tasks: usize, chains: usize, between: usize) -> Result<Chains> {
        self.0.measure("chain", &tasks.to_string(), &format!("{chains},{between}"))
    }
}

/// Runs a command to its end; what it says on failure becomes the error.
fn succeed(command: &mut Command) -> Result<()> {
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("{command:?}"))?;
    let words = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{command:?} ended with {}: {}", output.status, words.trim());
    Ok(())
}
