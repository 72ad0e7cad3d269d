//! Help by purpose, and the page that bare `candor` shows.

use clap::CommandFactory;

use super::Cli;

/// The commands by what they are for.
const GROUPS: [(&str, &[&str]); 6] = [
    ("Run", &["run", "resume", "pause", "cancel", "replan"]),
    ("Dry run", &["plan", "goal", "route", "guard", "code"]),
    (
        "Inspect",
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
    ("Decide", &["answer", "approve", "reject", "ask", "choose", "modify", "adjust", "regenerate", "revert"]),
    ("Time travel", &["rollback", "restart", "fork"]),
    (
        "Set up and serve",
        &[
            "init",
            "doctor",
            "config",
            "rules",
            "packs",
            "models",
            "serve",
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
pub(crate) const START: &str = "\
Candor turns a goal in plain words into a checked plan, has agents carry it out durably, and never hides a failure.

  candor run \"Plan a 3-day trip to Paris in May with a $2000 budget\"   a demo on sample data
  candor init          settings, an agent and a plan to start from, and your model if one is found
  candor doctor        whether everything is in place
  candor list          your runs; `candor status last` shows one, `candor report last` what came of it
  candor --help        all commands
";

/// The command line as it is declared.
pub(crate) fn plain() -> clap::Command {
    Cli::command()
}

/// The command line, with its commands listed by purpose.
pub(crate) fn command() -> clap::Command {
    let command = Cli::command();
    let listed: Vec<String> = GROUPS.iter().map(|(title, names)| group(&command, title, names)).collect();
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{}\nOptions:\n{{options}}\n",
        listed.join("\n")
    );
    command.help_template(template)
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
    use super::*;

    #[test]
    fn every_command_is_listed_once() {
        let listed: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        for known in Cli::command().get_subcommands() {
            let times = listed.iter().filter(|name| **name == known.get_name()).count();
            assert_eq!(times, 1, "{}", known.get_name());
        }
    }
}
