//! Help by purpose, and the page that bare `candor` shows.

use candor_text::Language;
use clap::CommandFactory;

use super::Cli;
use super::spanish::HELP;
use crate::lang::{Text, language};

/// The commands by what they are for.
pub(super) const GROUPS: [(Text, &[&str]); 6] = [
    (Text::new("Run", "Ejecutar"), &["run", "resume", "pause", "cancel", "replan"]),
    (Text::new("Dry run", "Sin ejecutar"), &["plan", "goal", "route", "guard", "code"]),
    (
        Text::new("Inspect", "Consultar"),
        &[
            "list",
            "status",
            "watch",
            "report",
            "open",
            "explain",
            "postmortem",
            "logs",
            "effects",
            "metrics",
            "dashboard",
            "alerts",
            "cost",
            "tokens",
            "trace",
            "export",
            "agents",
            "tools",
        ],
    ),
    (
        Text::new("Decide", "Decidir"),
        &[
            "answer",
            "approve",
            "reject",
            "ask",
            "choose",
            "modify",
            "adjust",
            "regenerate",
            "revert",
            "feedback",
        ],
    ),
    (Text::new("Time travel", "Volver atrás"), &["rollback", "restart", "fork"]),
    (
        Text::new("Set up and serve", "Configurar y servir"),
        &[
            "init",
            "doctor",
            "config",
            "rules",
            "packs",
            "models",
            "serve",
            "schedules",
            "token",
            "hook",
            "trust",
            "repair",
            "prune",
            "completions",
            "man",
            "help",
        ],
    ),
];

/// What bare `candor` shows.
pub(crate) const START: Text = Text::new(
    "\
Candor turns a goal in plain words into a checked plan, has agents carry it out durably, and never hides a failure.

  candor run \"Plan a 3-day trip to Paris in May with a $2000 budget\"   a demo on sample data
  candor init          settings, an agent and a plan to start from, and your model if one is found
  candor doctor        whether everything is in place
  candor list          your runs; `candor status last` shows one, `candor report last` what came of it
  candor --help        all commands
",
    "\
Candor convierte un objetivo en palabras sencillas en un plan comprobado, hace que unos agentes lo lleven a cabo de forma
duradera, y nunca oculta un fallo.

  candor run \"Plan a 3-day trip to Paris in May with a $2000 budget\"   una demostración con datos de ejemplo
  candor init          ajustes, un agente y un plan para empezar, y un modelo si se encuentra
  candor doctor        si todo está en su sitio
  candor list          las ejecuciones; `candor status last` muestra una, `candor report last` su resultado
  candor --help        todas las órdenes
",
);

/// The command line as it is declared.
pub(crate) fn plain() -> clap::Command {
    Cli::command()
}

/// The command line in the language of the process, with its commands listed by purpose.
pub(crate) fn command() -> clap::Command {
    let command = match language() {
        Language::En => Cli::command(),
        Language::Es => in_spanish(built()),
    };
    let listed: Vec<String> = GROUPS.iter().map(|(title, names)| group(&command, title, names)).collect();
    let (usage, options) = (word!("Usage", "Uso"), word!("Options", "Opciones"));
    let template = format!(
        "{{about-with-newline}}\n{usage}: {{usage}}\n\n{}\n{options}:\n{{options}}\n",
        listed.join("\n")
    );
    command.help_template(template)
}

/// The command line with what clap adds to every command: help, version, global options.
pub(super) fn built() -> clap::Command {
    let mut command = Cli::command();
    command.build();
    command
}

/// A command with its texts in Spanish, and all below it. What clap itself says, such as its errors and the notes on
/// defaults and possible values, has no other language.
fn in_spanish(command: clap::Command) -> clap::Command {
    let about = command.get_about().map(|about| spanish(&about.to_string()));
    let below: Vec<String> = command.get_subcommands().map(|it| it.get_name().to_owned()).collect();
    let command = command
        .about(about.unwrap_or_default())
        .help_template("{about-with-newline}\nUso: {usage}\n\n{all-args}\n")
        .subcommand_help_heading("Órdenes")
        .mut_args(|argument| {
            let heading = if argument.is_positional() { "Argumentos" } else { "Opciones" };
            let help = argument.get_help().map(|help| spanish(&help.to_string()));
            argument.help(help.unwrap_or_default()).help_heading(heading)
        });
    below.into_iter().fold(command, |command, name| command.mut_subcommand(name, in_spanish))
}

/// A help text in Spanish; one that has no translation stays as it is.
fn spanish(help: &str) -> String {
    let found = HELP.iter().find(|(english, _)| *english == help);
    found.map_or(help, |(_, spanish)| *spanish).to_owned()
}

fn group(command: &clap::Command, title: &str, names: &[&str]) -> String {
    let line = |name: &&str| {
        let about = command.find_subcommand(name)?.get_about()?;
        Some(format!("  {name:<12} {about}\n"))
    };
    format!("{title}:\n{}", names.iter().filter_map(line).collect::<String>())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Every text of a command and those below it.
    fn texts(command: &clap::Command) -> BTreeSet<String> {
        let helps = command.get_arguments().filter_map(|argument| argument.get_help());
        let own = helps.chain(command.get_about()).map(ToString::to_string);
        own.chain(command.get_subcommands().flat_map(texts)).collect()
    }

    #[test]
    fn every_help_text_is_there_in_spanish_and_none_is_left_over() {
        // spec: findings UX-10
        let declared = texts(&built());
        let known: BTreeSet<String> = HELP.iter().map(|(english, _)| (*english).to_owned()).collect();
        let missing: Vec<&String> = declared.difference(&known).collect();
        assert!(missing.is_empty(), "without Spanish in args/spanish.rs: {missing:#?}");
        let unused: Vec<&String> = known.difference(&declared).collect();
        assert!(unused.is_empty(), "not declared any more: {unused:#?}");
    }

    #[test]
    fn the_spanish_command_line_is_the_same_command_line() {
        let mut spanish = in_spanish(built());
        spanish.clone().debug_assert();
        let help = spanish.find_subcommand_mut("run").unwrap().render_help().to_string();
        assert!(
            help.contains("Uso: ") && help.contains("Opciones:") && help.contains("Argumentos:"),
            "{help}"
        );
        assert!(help.contains("El objetivo, en palabras sencillas"), "{help}");
        let read =
            spanish.try_get_matches_from(["candor", "run", "--yes", "ordena", "los", "recibos"]).unwrap();
        assert!(read.subcommand_matches("run").unwrap().get_flag("yes"));
    }

    #[test]
    fn every_command_is_listed_once() {
        let listed: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        for known in Cli::command().get_subcommands() {
            let times = listed.iter().filter(|name| **name == known.get_name()).count();
            assert_eq!(times, 1, "{}", known.get_name());
        }
    }
}
