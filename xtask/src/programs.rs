//! The chores that only start another program: the simulator, the benches, the adapters.

use std::env;
use std::fs::{self, File};
use std::iter;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::cargo;
use crate::needs::target_folder;

/// How many seeds the simulator runs when nobody says otherwise.
const DEFAULT_SEEDS: &str = "20000";

/// Runs the seeded simulator in release mode, with its own arguments passed through.
///
/// # Errors
///
/// When it cannot be built or started, or when it found a seed that breaks a law.
pub fn simulate(root: &Path, arguments: &[String]) -> Result<()> {
    let mut line =
        vec!["run", "--release", "--locked", "--package", "candor-testkit", "--bin", "simulate", "--"];
    let seeds_given =
        arguments.iter().any(|argument| argument == "--seeds" || argument.starts_with("--seeds="));
    if !seeds_given {
        line.extend(["--seeds", DEFAULT_SEEDS]);
    }
    line.extend(arguments.iter().map(String::as_str));
    cargo::run(root, &line)
}

/// The seeded simulator at work, as the tests have built it: a release build of everything takes longer than the usual number
/// of seeds without optimisation. Dropped before it has ended, it is stopped.
pub(crate) struct Simulation {
    process: Child,
    log: PathBuf,
}

impl Simulation {
    /// Builds the simulator and starts it with the lowest priority, so that tests which watch the clock beside it do not
    /// wait for it.
    pub(crate) fn start(root: &Path) -> Result<Self> {
        // All of the workspace, so that features are those of the tests and nothing is compiled anew.
        let build = ["build", "--locked", "--workspace", "--bin", "simulate", "--message-format", "json"];
        let built = cargo::answer(root, &build)?;
        let executable = built.lines().find_map(|line| {
            let message: serde_json::Value = serde_json::from_str(line).ok()?;
            message.get("executable")?.as_str().map(PathBuf::from)
        });
        let executable = executable.context("cargo did not say where it put the simulator")?;
        let log = target_folder(root).join("simulate.log");
        let file = File::create(&log).with_context(|| format!("{} cannot be written", log.display()))?;
        let mut command = Command::new("nice");
        command.args(["-n", "19"]).arg(executable).args(["--seeds", DEFAULT_SEEDS]);
        command.current_dir(root).stdin(Stdio::null()).stderr(file);
        let process = command.spawn().context("the simulator could not be started by `nice`")?;
        Ok(Self { process, log })
    }

    /// Waits for the end and passes on what the simulator said.
    pub(crate) fn finish(mut self) -> Result<()> {
        let status = self.process.wait().context("the simulator cannot be waited for")?;
        eprint!("{}", fs::read_to_string(&self.log).unwrap_or_default());
        if !status.success() {
            bail!("`simulate --seeds {DEFAULT_SEEDS}` failed ({status}); its own words are above");
        }
        Ok(())
    }
}

impl Drop for Simulation {
    fn drop(&mut self) {
        if matches!(self.process.try_wait(), Ok(None)) {
            let _ = self.process.kill();
            let _ = self.process.wait();
        }
    }
}

/// Tests `adapters/python` with the real frameworks, each in an environment of its own below cargo's target folder.
///
/// # Errors
///
/// When a framework cannot be fetched, or a test fails.
pub fn adapters(root: &Path) -> Result<()> {
    let mut command = Command::new("sh");
    command.arg(root.join("adapters/python/test.sh")).arg(target_folder(root).join("test-adapters"));
    command.current_dir(root);
    cargo::finish(command, "adapters/python/test.sh")
}

/// Has mlflow read a trace back that the real command sent: its spans, their parents, and what they cost.
///
/// # Errors
///
/// When mlflow cannot be fetched, or what it reads is not what was sent.
pub fn telemetry(root: &Path) -> Result<()> {
    let folder = target_folder(root).join("test-telemetry");
    let mut command = Command::new("sh");
    command.arg(root.join("crates/testkit/peers/telemetry.sh")).arg(&folder).current_dir(root);
    cargo::finish(command, "crates/testkit/peers/telemetry.sh")?;
    let line = ["test", "--locked", "--package", "candor", "--test", "it", "models::traces::mlflow"];
    cargo::run_with(root, &line, &[("CANDOR_TEST_MLFLOW", folder.into())])
}

/// Packs a development build as installer, npm package and wheel, installs each into an empty place, and runs it there on the
/// README's first example; `maturin` is the folder of the program that packs the wheel.
///
/// # Errors
///
/// When npm or Python is missing, or what was installed does not run.
pub(crate) fn package(root: &Path, maturin: &Path) -> Result<()> {
    // As maturin builds it, and as the README's first command does: nothing is compiled twice.
    cargo::run(root, &["build", "--locked", "--package", "candor", "--bin", "candor"])?;
    let old = env::var_os("PATH").unwrap_or_default();
    let path = env::join_paths(iter::once(maturin.to_owned()).chain(env::split_paths(&old)))?;
    let mut test = Command::new("sh");
    test.arg(root.join("packaging/test.sh")).arg(target_folder(root).join("debug/candor"));
    test.env("PATH", path).current_dir(root);
    cargo::finish(test, "packaging/test.sh")
}

/// Kills drivers of the real command at random moments, until so many kills have hit.
///
/// # Errors
///
/// When the tests cannot be built, or something was lost, done twice or left behind.
pub fn torture(root: &Path, kills: u64) -> Result<()> {
    let line =
        ["test", "--locked", "--package", "candor", "--test", "it", "durability::kills", "--", "--nocapture"];
    cargo::run_with(root, &line, &[("CANDOR_KILLS", kills.to_string().into())])
}

/// Runs one bench, or all of them.
///
/// # Errors
///
/// When there is no such bench, or it cannot be built or run.
pub fn bench(root: &Path, name: Option<&str>) -> Result<()> {
    let mut line = vec!["bench", "--locked", "--package", "candor-benches"];
    match name {
        Some(name) => line.extend(["--bench", name]),
        None => line.push("--benches"),
    }
    cargo::run(root, &line)
}
