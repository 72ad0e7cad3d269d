//! `candor init` and `candor completions`: things to begin with.

use std::io::Write;

use candor_app::config::FILE_NAME;
use clap::CommandFactory;

use crate::args::{Cli, CompletionsArgs, InitArgs};
use crate::failure::{Failure, code};
use crate::output;

/// What a new configuration says: every key with its default, and an agent of each kind to uncomment.
const EXAMPLE: &str = include_str!("../../../../candor.example.toml");

pub(crate) fn init(args: &InitArgs) -> Result<u8, Failure> {
    let path = args.folder.join(FILE_NAME);
    std::fs::create_dir_all(&args.folder)
        .map_err(|error| Failure::usage(format!("could not make {}: {error}", args.folder.display())))?;
    let mut file = std::fs::OpenOptions::new().write(true).create_new(true).open(&path).map_err(|error| {
        let problem = match error.kind() {
            std::io::ErrorKind::AlreadyExists => "is there already; it was left as it is".to_owned(),
            _ => format!("could not be made: {error}"),
        };
        Failure::usage(format!("{} {problem}", path.display()))
    })?;
    file.write_all(EXAMPLE.as_bytes())?;
    let here = args.folder == std::path::Path::new(".");
    let more = if here { String::new() } else { format!(" --config {}", path.display()) };
    tell!("candor: wrote {}; look at it, then try: candor doctor{more}", path.display());
    Ok(code::DONE)
}

pub(crate) fn completions(args: &CompletionsArgs) -> Result<u8, Failure> {
    // Not straight to standard output: a reader that goes away early would make it panic.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "candor", &mut script);
    output::print(&String::from_utf8_lossy(&script))?;
    Ok(code::DONE)
}
