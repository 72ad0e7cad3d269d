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
mod remote;
pub mod view;

use std::process::ExitCode;

use clap::FromArgMatches;

use crate::failure::code;

/// Does what the command line asks for.
#[must_use]
pub fn main() -> ExitCode {
    // A confined command is started by this very program.
    if let Some(ended) = candor_app::run_confined_if_asked() {
        return ended;
    }
    if std::env::args_os().len() < 2 {
        let shown = output::print(args::help::START);
        return if shown.is_ok() { ExitCode::SUCCESS } else { ExitCode::from(code::FAILED) };
    }
    let matches = args::help::command().get_matches();
    let cli = args::Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    view::commands::set_options(cli.global.words());
    view::zone::set_from_machine();
    output::set_colour(cli.global.color);
    match commands::perform(cli) {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            tell!("candor: {failure}");
            ExitCode::from(failure.code.max(code::FAILED))
        }
    }
}
