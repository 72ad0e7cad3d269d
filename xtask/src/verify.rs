//! `cargo xtask verify`: every check that a change must pass, one after the other.
//!
//! The cheap checks come first. The first failure ends it, because what follows a failure is mostly noise. What the
//! tests need is fetched meanwhile, the simulator runs beside the tests, and at the end stands which tests did not run.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};

use crate::needs::{Fetching, PEERS_VARIABLE, Skips};
use crate::programs::{self, Simulation};
use crate::{cargo, deny, docs, tidy};

/// One check of `verify`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The formatting.
    Fmt,
    /// The lints, all of them errors.
    Clippy,
    /// The house's order.
    Tidy,
    /// Licences, bans and sources of the dependencies.
    Deny,
    /// All tests, doctests among them.
    Test,
    /// The seeded simulator, as the tests have built it; beside the tests where both run.
    Simulate,
    /// The book, whose warnings are errors.
    Book,
    /// The command packed in each way, installed into an empty place and run.
    Package,
}

impl Step {
    /// All steps, in the order they run in.
    pub const ALL: [Self; 8] = [
        Self::Fmt,
        Self::Clippy,
        Self::Tidy,
        Self::Deny,
        Self::Test,
        Self::Simulate,
        Self::Book,
        Self::Package,
    ];
    /// Those that need what is fetched.
    const FETCHING: [Self; 3] = [Self::Test, Self::Book, Self::Package];

    /// Returns the name used on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fmt => "fmt",
            Self::Clippy => "clippy",
            Self::Tidy => "tidy",
            Self::Deny => "deny",
            Self::Test => "test",
            Self::Simulate => "simulate",
            Self::Book => "book",
            Self::Package => "package",
        }
    }

    /// Finds a step by the name used on the command line.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|step| step.name() == name)
    }

    fn run(self, root: &Path, tests: &mut Option<Tests>) -> Result<()> {
        match self {
            Self::Fmt => cargo::run(root, &["fmt", "--all", "--check"])
                .context("the formatting is not rustfmt's; `cargo fmt --all` repairs it"),
            Self::Clippy => cargo::run(
                root,
                &["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"],
            ),
            Self::Tidy => tidy::run(root),
            Self::Deny => deny::run(root),
            Self::Test => tests.as_mut().map_or(Ok(()), |tests| tests.run(root)),
            Self::Simulate => match tests.as_mut().and_then(|tests| tests.simulation.take()) {
                Some(simulation) => simulation.finish(),
                None => Simulation::start(root)?.finish(),
            },
            Self::Book => {
                with_program(self, tests, "bin/mdbook", |mdbook| docs::build_book(root, mdbook.as_ref()))
            }
            Self::Package => {
                with_program(self, tests, "packing/bin", |maturin| programs::package(root, maturin))
            }
        }
    }
}

/// Runs a step with something that was fetched; without it the step is listed as not run.
fn with_program(
    step: Step,
    tests: &mut Option<Tests>,
    name: &str,
    run: impl FnOnce(&Path) -> Result<()>,
) -> Result<()> {
    let Some(tests) = tests else { return Ok(()) };
    match tests.peers().map(|peers| peers.join(name)).filter(|program| program.exists()) {
        Some(program) => run(&program),
        None => tests.skips.add(step.name(), &format!("{name} could not be fetched")),
    }
}

/// Runs all steps, or only one of them.
///
/// # Errors
///
/// When a step fails; the steps after it have not run.
pub fn run(root: &Path, only: Option<Step>) -> Result<()> {
    let steps = match &only {
        Some(step) => std::slice::from_ref(step),
        None => &Step::ALL,
    };
    let fetches = steps.iter().any(|step| Step::FETCHING.contains(step));
    let mut tests = fetches.then(|| Tests::prepare(root)).transpose()?;
    let outcome = run_in_order(steps, |step| step.run(root, &mut tests));
    if let Some(tests) = tests.filter(|tests| tests.fetching.is_none()) {
        eprintln!("\nverify: {}", tests.skips.report());
    }
    eprintln!("\nverify: {}", summary(&outcome?));
    Ok(())
}

/// The tests, with what they need and the list of those that did not run.
struct Tests {
    /// Taken when something of it is needed first.
    fetching: Option<Fetching>,
    /// The variables that name what was fetched.
    fetched: Vec<(&'static str, OsString)>,
    skips: Skips,
    /// Runs beside the tests, which mostly wait for other processes; taken by its own step.
    simulation: Option<Simulation>,
}

impl Tests {
    fn prepare(root: &Path) -> Result<Self> {
        Ok(Self {
            skips: Skips::new(root)?,
            fetching: Some(Fetching::start(root)),
            fetched: Vec::new(),
            simulation: None,
        })
    }

    /// Waits for what is fetched.
    fn wait(&mut self) {
        self.fetched.extend(self.fetching.take().map(Fetching::finish).unwrap_or_default());
    }

    /// The folder of the programs that were fetched.
    fn peers(&mut self) -> Option<PathBuf> {
        self.wait();
        let folder = self.fetched.iter().find(|(variable, _)| *variable == PEERS_VARIABLE);
        folder.map(|(_, folder)| PathBuf::from(folder))
    }

    fn run(&mut self, root: &Path) -> Result<()> {
        cargo::run(root, &["test", "--workspace", "--locked", "--no-run", "--quiet"])?;
        self.simulation = Some(Simulation::start(root)?);
        self.wait();
        let variables = [self.fetched.as_slice(), &[self.skips.variable()]].concat();
        cargo::run_with(root, &["test", "--workspace", "--locked", "--no-fail-fast"], &variables)
    }
}

fn run_in_order(steps: &[Step], mut run: impl FnMut(Step) -> Result<()>) -> Result<Vec<(Step, Duration)>> {
    let mut times = Vec::new();
    for (position, &step) in steps.iter().enumerate() {
        let name = step.name();
        eprintln!("\n== {name} ({} of {})", position + 1, steps.len());
        let start = Instant::now();
        let outcome = run(step);
        let time = start.elapsed();
        outcome.map_err(|error| {
            let time = seconds(time);
            anyhow!("{name} FAILED after {time}: {error:#}\nonly this step again: cargo xtask verify --only {name}")
        })?;
        eprintln!("== {name} passed in {}", seconds(time));
        times.push((step, time));
    }
    Ok(times)
}

fn summary(times: &[(Step, Duration)]) -> String {
    let each: Vec<_> =
        times.iter().map(|(step, time)| format!("{} {}", step.name(), seconds(*time))).collect();
    let total = times.iter().map(|(_, time)| *time).sum();
    let which = if times.len() == Step::ALL.len() { "all steps passed" } else { "passed" };
    format!("{which}: {} (together {})", each.join(", "), seconds(total))
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use anyhow::bail;

    use super::*;

    #[test]
    fn the_first_failure_ends_it_and_says_how_to_repeat_it() {
        let mut ran = Vec::new();
        let error = run_in_order(&Step::ALL, |step| {
            ran.push(step);
            if step == Step::Tidy { bail!("2 problems") } else { Ok(()) }
        })
        .unwrap_err();
        assert_eq!(ran, [Step::Fmt, Step::Clippy, Step::Tidy]);
        assert_eq!(
            format!("{error:#}"),
            "tidy FAILED after 0.0 s: 2 problems\nonly this step again: cargo xtask verify --only tidy"
        );
    }

    #[test]
    fn all_steps_run_in_their_order_and_are_summed_up() {
        let times = run_in_order(&Step::ALL, |_| Ok(())).unwrap();
        assert_eq!(times.iter().map(|(step, _)| *step).collect::<Vec<_>>(), Step::ALL);
        let times = [(Step::Fmt, Duration::from_millis(1500)), (Step::Test, Duration::from_secs(9))];
        assert_eq!(summary(&times), "passed: fmt 1.5 s, test 9.0 s (together 10.5 s)");
    }
}
