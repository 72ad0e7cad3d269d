//! A plan of 10,000 tasks through the command, beside one of 1,000: what a task costs must not grow.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Result;

use crate::command::Candor;
use crate::measure::{self, MEGABYTE, Sorted};
use crate::scores::{Scores, Target, note};
use crate::shapes;

const SMALL: usize = 1_000;
const LARGE: usize = 10_000;

/// How often both plans are carried out. The small one is carried out three times each, because one moment
/// of a busy machine weighs more on it.
const ROUNDS: usize = 3;
const SMALL_TIMES: usize = 3;

/// Lets both sizes take turns, and prints how they compare.
pub(crate) fn compare(candor: &Candor, scores: &mut Scores) -> Result<()> {
    let folder = measure::folder()?;
    let plans = Plans::write(folder.path())?;
    let (mut small, mut large, mut growth, mut peak) = (Vec::new(), Vec::new(), Vec::new(), None);
    for _ in 0..ROUNDS {
        let few: Result<Vec<f64>> = (0..SMALL_TIMES)
            .map(|_| Ok(plans.carry_out(candor, SMALL)?.0.as_secs_f64() / SMALL as f64))
            .collect();
        let few = Sorted::new(few?)?.median();
        let (took, memory) = plans.carry_out(candor, LARGE)?;
        let many = took.as_secs_f64() / LARGE as f64;
        small.push(few);
        large.push(many);
        growth.push(many / few);
        peak = peak.max(memory);
    }
    let micros = |seconds: Vec<f64>| Ok::<_, anyhow::Error>(Sorted::new(seconds)?.median() * 1e6);
    note(format!("a plan of {SMALL} tasks: {:.0} µs per task", micros(small)?));
    note(format!("a plan of {LARGE} tasks: {:.0} µs per task", micros(large)?));
    let what = format!("a task of {LARGE}, beside one of {SMALL}");
    scores.judge(&what, Sorted::new(growth)?.median(), "times", Target::AtMost(1.3));
    if let Some(peak) = peak {
        let what = format!("a plan of {LARGE} tasks, memory");
        scores.judge(&what, peak as f64 / MEGABYTE, "MB", Target::AtMost(300.0));
    }
    Ok(())
}

/// Plan files and the configuration they need.
struct Plans<'a> {
    folder: &'a Path,
}

impl<'a> Plans<'a> {
    fn write(folder: &'a Path) -> Result<Self> {
        let plans = Self { folder };
        fs::write(plans.config(), shapes::config())?;
        for tasks in [SMALL, LARGE] {
            fs::write(plans.file(tasks), shapes::layers(tasks).to_string())?;
        }
        Ok(plans)
    }

    fn config(&self) -> PathBuf {
        self.folder.join("peers.toml")
    }

    fn file(&self, tasks: usize) -> PathBuf {
        self.folder.join(format!("plan_{tasks}.json"))
    }

    /// Carries a plan out in a new data folder.
    fn carry_out(&self, candor: &Candor, tasks: usize) -> Result<(Duration, Option<u64>)> {
        let data = measure::folder()?;
        let mut command = candor.command(data.path());
        command.args(["run", "--plan"]).arg(self.file(tasks)).arg("--config").arg(self.config());
        measure::watched(&mut command)
    }
}
