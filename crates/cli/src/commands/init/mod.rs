//! `candor init` and `candor completions`: things to begin with.

mod ask;
mod model;

use std::io::Write;
use std::path::Path;

use candor_app::config::FILE_NAME;
use clap::CommandFactory;
use serde_json::{Value, json};

use self::model::Found;
use crate::args::{Cli, CompletionsArgs, InitArgs, InitKind};
use crate::failure::{Failure, code};
use crate::output;

/// The plan that is written beside the settings.
const PLAN_FILE: &str = "plan.json";

/// Every key with its default, and an agent of each kind to uncomment.
const FULL: &str = include_str!("../../../../../candor.example.toml");

/// Settings that are short enough to be read, without the agent.
const SHORT: &str = include_str!("../../../templates/candor.toml");
/// Where the agent stands in them.
const AGENT_PLACE: &str = "@AGENT@\n";
/// An agent that runs: its section, the program, and a plan for it.
const EXAMPLE: &str = include_str!("../../../templates/agent.toml");
const PROGRAM: &str = include_str!("../../../templates/word_counter.py");
const PLAN: &str = include_str!("../../../templates/plan.json");

/// What stands in the settings beside a model.
const WITH_MODEL: &str = r#"# Agents that do any task with the model; `candor agents` lists them.
general = true

[tools.builtin]
# Agents may read and write files here. What destroys something is asked about first.
folder = "."
writable = true
"#;

/// What is set up.
struct Wish {
    agent: Agent,
    model: Option<Found>,
    /// Whether a person said that there is to be no model.
    refused_model: bool,
}

/// The agent that is set up.
enum Agent {
    /// The example that comes with Candor.
    Example,
    /// A program, by the words of its command line, and what it does.
    Command(Vec<String>, String),
    /// A service, by its address, and what it does.
    Http(String, String),
    /// None: a model does the tasks.
    Model,
}

pub(crate) fn init(args: &InitArgs) -> Result<u8, Failure> {
    // Nobody is asked about what would be refused afterwards.
    refuse_if_there(&args.folder, [FILE_NAME])?;
    let wish = match (args.full, is_asked(args)) {
        (true, _) => None,
        (_, true) => Some(ask::ask(&args.folder)?),
        (_, false) => Some(wished(args)?),
    };
    let files = files(wish.as_ref());
    refuse_if_there(&args.folder, files.iter().map(|(name, _)| *name))?;
    for (name, text) in &files {
        write_new(&args.folder.join(name), text)?;
    }
    let names: Vec<String> =
        files.iter().map(|(name, _)| args.folder.join(name).display().to_string()).collect();
    tell!("candor: wrote {}", "candor: escrito {}", names.join(", "));
    tell_next(&args.folder, wish.as_ref());
    Ok(code::DONE)
}

/// Whether a person is asked: one is there, and no option says what is wanted.
fn is_asked(args: &InitArgs) -> bool {
    let InitArgs { kind, command, url, does, model, .. } = args;
    let is_said = kind.is_some() || [command, url, does, model].iter().any(|option| option.is_some());
    output::is_interactive() && !is_said
}

/// What the options say.
fn wished(args: &InitArgs) -> Result<Wish, Failure> {
    let model = match &args.model {
        Some(name) => model::named(name).map_err(Failure::usage)?,
        None => model::find().into_iter().next(),
    };
    let does = || args.does.clone().filter(|does| !does.trim().is_empty()).ok_or_else(missing("--does"));
    let kind = match (&args.kind, &args.command, &args.url) {
        (Some(kind), ..) => *kind,
        (None, Some(_), _) => InitKind::Command,
        (None, _, Some(_)) => InitKind::Http,
        (None, None, None) => InitKind::Example,
    };
    let agent = match kind {
        InitKind::Example => Agent::Example,
        InitKind::Command => {
            let command = args.command.as_deref().ok_or_else(missing("--command"))?;
            Agent::Command(command_words(command).ok_or_else(missing("--command"))?, does()?)
        }
        InitKind::Http => Agent::Http(args.url.clone().ok_or_else(missing("--url"))?, does()?),
        InitKind::Model if model.is_none() => {
            return Err(Failure::usage(say!(
                "no model was found ({}); name one with --model PROVIDER/NAME",
                "no se encontró ningún modelo ({}); indicar uno con --model PROVIDER/NAME",
                model::places()
            )));
        }
        InitKind::Model => Agent::Model,
    };
    Ok(Wish { agent, refused_model: model.is_none() && args.model.is_some(), model })
}

fn missing(option: &'static str) -> impl Fn() -> Failure {
    move || {
        Failure::usage(say!(
            "this kind of agent needs {option}; `candor init` asks for it on a terminal",
            "este tipo de agente necesita {option}; `candor init` lo pregunta en un terminal"
        ))
    }
}

/// The words of a command line; nothing if there is none.
fn command_words(line: &str) -> Option<Vec<String>> {
    let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    Some(words).filter(|words| !words.is_empty())
}

fn refuse_if_there<'a>(folder: &Path, names: impl IntoIterator<Item = &'a str>) -> Result<(), Failure> {
    let there = names.into_iter().map(|name| folder.join(name)).find(|path| path.exists());
    there.map_or(Ok(()), |path| {
        Err(Failure::usage(say!(
            "{} is there already; it was left as it is, and nothing was written",
            "{} ya existe; se dejó como está, y no se escribió nada",
            path.display()
        )))
    })
}

/// The files that are written.
fn files(wish: Option<&Wish>) -> Vec<(&'static str, String)> {
    let Some(wish) = wish else { return vec![(FILE_NAME, FULL.to_owned())] };
    let mut files = vec![(FILE_NAME, settings(wish))];
    match &wish.agent {
        Agent::Example => {
            files.extend([("agents/word_counter.py", PROGRAM.to_owned()), (PLAN_FILE, PLAN.to_owned())]);
        }
        Agent::Command(_, does) | Agent::Http(_, does) => {
            let task =
                json!({ "task_id": "first", "description": does, "agent_type": agent_type(&wish.agent) });
            let plan = serde_json::to_string_pretty(&json!({ "subtasks": [task] })).unwrap_or_default();
            files.push((PLAN_FILE, plan + "\n"));
        }
        Agent::Model => {}
    }
    files
}

fn settings(wish: &Wish) -> String {
    let agent = match &wish.agent {
        Agent::Example => format!("{EXAMPLE}\n"),
        Agent::Model => String::new(),
        Agent::Command(words, does) => format!("{}\n", section(&wish.agent, does, "command", &json!(words))),
        Agent::Http(url, does) => format!("{}\n", section(&wish.agent, does, "http", &json!(url))),
    };
    let short = SHORT.replace(AGENT_PLACE, &agent);
    match &wish.model {
        Some(found) => format!("# {}\n{}\n{short}{WITH_MODEL}", found.by, found.section),
        None => short,
    }
}

/// The section of an agent of one's own. A JSON string is a TOML string too.
fn section(agent: &Agent, does: &str, key: &str, value: &Value) -> String {
    format!(
        "# It is given one JSON object (description, inputs, upstream) and answers one: {{\"outputs\": {{…}}}}.\n\
         [[agents]]\nagent_type = \"{}\"\nspecialization = {}\n{key} = {value}\n",
        agent_type(agent),
        json!(does)
    )
}

/// A name for an agent: that of its script, of its program, or of its host.
fn agent_type(agent: &Agent) -> String {
    let named = match agent {
        Agent::Command(words, _) => {
            let script = words.iter().skip(1).find(|word| !word.starts_with('-')).or(words.first());
            let script = script
                .map(|word| Path::new(word).file_stem().unwrap_or_default().to_string_lossy().into_owned());
            script.unwrap_or_default()
        }
        Agent::Http(url, _) => {
            let host = url.split("//").nth(1).unwrap_or(url).split(['/', ':']).next().unwrap_or_default();
            host.split('.').find(|part| part.parse::<u8>().is_err()).unwrap_or("service").to_owned()
        }
        Agent::Example | Agent::Model => String::new(),
    };
    let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { '_' };
    let name: String = named.chars().map(plain).collect();
    let name = name.trim_matches('_');
    if name.is_empty() { "agent".to_owned() } else { name.to_owned() }
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
fn tell_next(folder: &Path, wish: Option<&Wish>) {
    let model = wish.and_then(|wish| wish.model.as_ref());
    match model {
        Some(found) => tell!("candor: model {} ({})", "candor: modelo {} ({})", found.name, found.by),
        None if wish.is_none_or(|wish| wish.refused_model) => {}
        None => tell!(
            "candor: no model was found ({}); goals are planned by rules",
            "candor: no se encontró ningún modelo ({}); los objetivos se planifican con reglas",
            model::places()
        ),
    }
    let here = folder == Path::new(".");
    let place = if here { String::new() } else { format!("cd {} && ", folder.display()) };
    tell!("Try next:\n  {place}candor doctor", "Para probar:\n  {place}candor doctor");
    if wish.is_some_and(|wish| !matches!(wish.agent, Agent::Model)) {
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
