//! The command `candor`: arguments, terminal output, questions.

/// Tells something on standard error: cleaned, and without a panic if nobody reads it.
macro_rules! tell {
    ($($words:tt)*) => { $crate::output::tell(&format!($($words)*)) };
}

mod args;
mod commands;
mod drive;
mod failure;
mod output;
pub mod view;

use std::process::ExitCode;

use clap::Parser;

use crate::failure::code;

/// Does what the command line asks for.
#[must_use]
pub fn main() -> ExitCode {
    // A confined command is started by this very program.
    if let Some(ended) = candor_app::run_confined_if_asked() {
        return ended;
    }
    let cli = args::Cli::parse();
    view::commands::set_options(cli.global.words());
    match commands::perform(cli) {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            tell!("candor: {failure}");
            ExitCode::from(failure.code.max(code::FAILED))
        }
    }
}
