//! `cargo xtask`: reads the arguments, starts the chore, and turns its end into an exit code.
//!
//! 0: done · 1: a check failed, and stderr says which · 2: the arguments make no sense.

use std::env;
use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::Result;

use xtask::args::{self, Task, USAGE};
use xtask::{deny, docs, fuzz, programs, quality, tidy, verify, workspace_root};

fn main() -> ExitCode {
    let given = env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned());
    let task = match args::parse(given) {
        Ok(task) => task,
        Err(error) => {
            eprintln!("xtask: {error}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match run(&task) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(task: &Task) -> Result<()> {
    let root = workspace_root()?;
    match task {
        Task::Help => Ok(writeln!(io::stdout(), "{USAGE}")?),
        Task::Verify { only } => verify::run(&root, *only),
        Task::Tidy => tidy::run(&root),
        Task::Deny => deny::run(&root),
        Task::Docs => docs::run(&root),
        Task::Simulate { arguments } => programs::simulate(&root, arguments),
        Task::Torture { kills } => programs::torture(&root, *kills),
        Task::Bench { name } => programs::bench(&root, name.as_deref()),
        Task::Quality { data } => quality::run(&root, data),
        Task::Adapters => programs::adapters(&root),
        Task::Telemetry => programs::telemetry(&root),
        Task::Package => verify::run(&root, Some(verify::Step::Package)),
        Task::Fuzz { target, seconds } => fuzz::fuzz(&root, target.as_deref(), *seconds),
    }
}
