//! The command as a person meets it: how soon it answers, how large it is, how long the Paris run takes.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Result, ensure};

use crate::measure::{self, MEGABYTE, Sorted, millis};
use crate::scores::{Scores, Target, note};
use crate::shapes;

const ANSWERS: usize = 50;
const RUNS: usize = 30;

/// The release binary.
pub(crate) struct Candor {
    binary: PathBuf,
}

impl Candor {
    /// Builds it, or finds it built.
    pub(crate) fn build() -> Result<Self> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let line = ["build", "--release", "--locked", "--quiet", "--package", "candor"];
        let status = Command::new(cargo).args(line).current_dir(env!("CARGO_MANIFEST_DIR")).status()?;
        ensure!(status.success(), "`cargo {}` failed; its own words are above", line.join(" "));
        let name = format!("release/candor{}", std::env::consts::EXE_SUFFIX);
        Ok(Self { binary: measure::target_folder()?.join(name) })
    }

    /// A command on a data folder, without a configuration unless it is given one.
    pub(crate) fn command(&self, data: &Path) -> Command {
        let mut command = Command::new(&self.binary);
        // A candor.toml in the working folder would be found.
        command.current_dir(data).env_remove("CANDOR_CONFIG").env("CANDOR_DATA", data);
        command
    }
}

/// Measures, and prints what must be reached.
pub(crate) fn compare(candor: &Candor, scores: &mut Scores) -> Result<()> {
    answers(candor, scores)?;
    paris(candor, scores)?;
    let size = std::fs::metadata(&candor.binary)?.len() as f64 / MEGABYTE;
    scores.judge("the release binary", size, "MB", Target::AtMost(35.0));
    Ok(())
}

fn answers(candor: &Candor, scores: &mut Scores) -> Result<()> {
    let folder = measure::folder()?;
    let (mut nothing, mut version, mut list) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ANSWERS {
        nothing.push(measure::timed(&mut Command::new("true"))?);
        version.push(measure::timed(candor.command(folder.path()).arg("--version"))?);
        list.push(measure::timed(candor.command(folder.path()).arg("list"))?);
    }
    let nothing = Sorted::new(nothing.into_iter().map(millis))?;
    note(format!("starting `true`: median {:.1} ms, p95 {:.1} ms", nothing.median(), nothing.at(0.95)));
    within(scores, "candor --version", version, 5.0)?;
    within(scores, "candor list, no runs", list, 15.0)
}

fn paris(candor: &Candor, scores: &mut Scores) -> Result<()> {
    let kept = measure::folder()?;
    let run = |data: &Path| measure::timed(candor.command(data).args(["run", shapes::PARIS]));
    run(kept.path())?;
    let (mut first, mut later) = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        let fresh = measure::folder()?;
        first.push(run(fresh.path())?);
        later.push(run(kept.path())?);
    }
    within(scores, "the Paris run, in a new data folder", first, 100.0)?;
    within(scores, "the Paris run, in one that has runs", later, 100.0)
}

/// Holds the median against the target, and shows how far the slow ones are from it.
fn within(scores: &mut Scores, what: &str, times: Vec<Duration>, target: f64) -> Result<()> {
    let times = Sorted::new(times.into_iter().map(millis))?;
    note(format!("{what}: quickest {:.1} ms, p95 {:.1} ms", times.at(0.0), times.at(0.95)));
    scores.judge(&format!("{what}, median"), times.median(), "ms", Target::AtMost(target));
    Ok(())
}
