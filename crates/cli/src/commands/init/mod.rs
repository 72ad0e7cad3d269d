//! `candor init` and `candor completions`: things to begin with.

mod model;

use std::io::Write;
use std::path::Path;

use candor_app::config::FILE_NAME;
use clap::CommandFactory;

use self::model::Found;
use crate::args::{Cli, CompletionsArgs, InitArgs};
use crate::failure::{Failure, code};
use crate::output;

/// Every key with its default, and an agent of each kind to uncomment.
const FULL: &str = include_str!("../../../../../candor.example.toml");

/// Settings that are short enough to be read, with an agent that runs.
const SHORT: &str = include_str!("../../../templates/candor.toml");
/// That agent, and a plan for it.
const AGENT: &str = include_str!("../../../templates/word_counter.py");
const PLAN: &str = include_str!("../../../templates/plan.json");

/// What stands in the settings beside a model.
const WITH_MODEL: &str = r#"# Agents that do any task with the model; `candor agents` lists them.
general = true

[tools.builtin]
# Agents may read and write files here. What destroys something is asked about first.
folder = "."
writable = true
"#;

pub(crate) fn init(args: &InitArgs) -> Result<u8, Failure> {
    let model = if args.full { None } else { model::find() };
    let settings = if args.full { FULL.to_owned() } else { settings(model.as_ref()) };
    let mut files = vec![(FILE_NAME, settings)];
    if !args.full {
        files.extend([("agents/word_counter.py", AGENT.to_owned()), ("plan.json", PLAN.to_owned())]);
    }
    let there = files.iter().map(|(name, _)| args.folder.join(name)).find(|path| path.exists());
    if let Some(path) = there {
        let problem = say!(
            "{} is there already; it was left as it is, and nothing was written",
            "{} ya existe; se dejó como está, y no se escribió nada",
            path.display()
        );
        return Err(Failure::usage(problem));
    }
    for (name, text) in &files {
        write_new(&args.folder.join(name), text)?;
    }
    let names: Vec<String> =
        files.iter().map(|(name, _)| args.folder.join(name).display().to_string()).collect();
    tell!("candor: wrote {}", "candor: escrito {}", names.join(", "));
    tell_next(args, model.as_ref());
    Ok(code::DONE)
}

fn settings(model: Option<&Found>) -> String {
    match model {
        Some(found) => format!("# {}\n{}\n{SHORT}{WITH_MODEL}", found.by, found.section),
        None => SHORT.to_owned(),
    }
}

/// Writes a file that is not there yet.
fn write_new(path: &Path, text: &str) -> Result<(), Failure> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(|error| {
        Failure::usage(say!("could not make {}: {error}", "no se pudo crear {}: {error}", folder.display()))
    })?;
    let mut file = std::fs::OpenOptions::new().write(true).create_new(true).open(path).map_err(|error| {
        let problem = match error.kind() {
            std::io::ErrorKind::AlreadyExists => {
                word!("is there already; it was left as it is", "ya existe; se dejó como está").to_owned()
            }
            _ => say!("could not be made: {error}", "no se pudo crear: {error}"),
        };
        Failure::usage(format!("{} {problem}", path.display()))
    })?;
    Ok(file.write_all(text.as_bytes())?)
}

/// Which model was found, and what to try.
fn tell_next(args: &InitArgs, model: Option<&Found>) {
    match model {
        Some(found) => tell!("candor: model {} ({})", "candor: modelo {} ({})", found.name, found.by),
        None if args.full => {}
        None => tell!(
            "candor: no model was found ({}); goals are planned by rules",
            "candor: no se encontró ningún modelo ({}); los objetivos se planifican con reglas",
            model::places()
        ),
    }
    let here = args.folder == Path::new(".");
    let place = if here { String::new() } else { format!("cd {} && ", args.folder.display()) };
    tell!("Try next:\n  {place}candor doctor", "Para probar:\n  {place}candor doctor");
    if !args.full {
        tell!("  {place}candor run --plan plan.json");
    }
    if model.is_some() {
        tell!(
            "  {place}candor run \"Summarise what is in this folder\"",
            "  {place}candor run \"Resume lo que hay en esta carpeta\""
        );
    }
}

pub(crate) fn completions(args: &CompletionsArgs) -> Result<u8, Failure> {
    // Not straight to standard output: a reader that goes away early would make it panic.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "candor", &mut script);
    output::print(&String::from_utf8_lossy(&script))?;
    Ok(code::DONE)
}
