//! The command `candor`: arguments, terminal output, questions.

/// A sentence in the language of the process, as a `String`: in English, in Spanish, then what both place in it.
macro_rules! say {
    ($en:literal, $es:literal $($arguments:tt)*) => {
        candor_text::in_language!($crate::lang::language(); $en, $es $($arguments)*)
    };
}

/// The same without placeholders, as a `&'static str`.
macro_rules! word {
    ($en:literal, $es:literal) => {
        candor_text::word_in!($crate::lang::language(); $en, $es)
    };
}

/// Words for a log, a file or another program: they are the same whatever the language of the process.
macro_rules! recorded {
    ($words:literal) => {
        $words
    };
}

/// Tells something on standard error: cleaned, and without a panic if nobody reads it. A sentence comes in both languages.
macro_rules! tell {
    ($en:literal, $es:literal $($arguments:tt)*) => { $crate::output::tell(&say!($en, $es $($arguments)*)) };
    ($($words:tt)*) => { $crate::output::tell(&format!($($words)*)) };
}

mod args;
mod commands;
mod drive;
mod failure;
mod lang;
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
    let arguments: Vec<String> =
        std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned()).collect();
    candor_app::set_language(lang::asked_for(&arguments, |name| std::env::var(name).ok()));
    if arguments.is_empty() {
        let shown = output::print(&args::help::START);
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
            output::complain(&format!("candor: {failure}"));
            ExitCode::from(failure.code.max(code::FAILED))
        }
    }
}
