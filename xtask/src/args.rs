//! What was asked for: the command line of `cargo xtask`, read by hand.
//!
//! There are too few arguments to pay for an argument parser. Everything is decided here, before anything
//! runs, so that a typing error costs no build.

use std::fmt;

use crate::quality::Data;
use crate::verify::Step;

/// The help text.
pub const USAGE: &str = "\
Usage: cargo xtask COMMAND

  verify [--only STEP]          every check, in order: fmt, clippy, tidy, deny, test, simulate, book, package; fetches
                                what they need, and lists what did not run
  tidy                          the project's rules: dependency direction, purity, sizes, module docs, words, links
  deny                          licences, banned crates and sources of all dependencies (deny.toml)
  docs                          writes the generated pages; the links of all documents, and the book if mdbook is installed
  simulate [--seeds N] [--from SEED]
                                the seeded simulator; 20000 seeds unless told otherwise
  torture [--kills N]           `kill -9` at random moments, three drivers on one data directory; 300 kills unless told
                                otherwise (`verify` makes 30)
  bench [NAME]                  the benches core, asking, routing, store, peers, phases, react, agents, code, server;
                                all of them unless one is named
  quality [--data DIR] [--minilm DIR] [--functions FILE]
                                how good the judgement is, on labelled data that is not part of the project; with MiniLM's
                                weights and choices among functions if they are named; a table of all targets at the end
  adapters                      the tests of adapters/python with the frameworks from PyPI (fetches about 1.3 GB)
  package                       the installer, the npm package and the wheel: packed from a development build, installed into
                                empty places, and run there on the README's first example
  telemetry                     mlflow reads a trace back that the command sent (fetches about 850 MB)
  fuzz [TARGET] [--seconds S]   one fuzz target, or each of them; 60 seconds unless told otherwise
  help                          this text";

const DEFAULT_FUZZ_SECONDS: u64 = 60;
const DEFAULT_KILLS: u64 = 300;

/// A chore with its arguments.
#[derive(Debug, PartialEq, Eq)]
pub enum Task {
    /// Print [`USAGE`].
    Help,
    /// Run all checks, or only one.
    Verify {
        /// The one step to run.
        only: Option<Step>,
    },
    /// Check the house's order.
    Tidy,
    /// Check licences, bans and sources.
    Deny,
    /// Check the documents, and build the book.
    Docs,
    /// Run the simulator.
    Simulate {
        /// Handed to the simulator as they are: it knows its own arguments best.
        arguments: Vec<String>,
    },
    /// Kill drivers at random moments.
    Torture {
        /// How many kills must hit.
        kills: u64,
    },
    /// Run one bench, or all.
    Bench {
        /// The bench target's name.
        name: Option<String>,
    },
    /// Measure judgement.
    Quality {
        /// Where the labelled data is.
        data: Data,
    },
    /// Test the adapters for other frameworks.
    Adapters,
    /// Have another program read a trace back.
    Telemetry,
    /// Pack the command in each way, install it and run it.
    Package,
    /// Run one fuzz target, or all.
    Fuzz {
        /// The fuzz target's name.
        target: Option<String>,
        /// For how long.
        seconds: u64,
    },
}

/// A command line that makes no sense.
#[derive(Debug, PartialEq, Eq)]
pub enum UsageError {
    /// Nothing was asked for.
    NoCommand,
    /// There is no such command.
    UnknownCommand(String),
    /// The command takes no such argument.
    UnexpectedArgument {
        /// The command.
        command: &'static str,
        /// What it was given.
        argument: String,
    },
    /// An option came without its value, or a command without its object.
    MissingValue {
        /// The command.
        command: &'static str,
        /// What should follow.
        expected: &'static str,
    },
    /// A value is not one of the possible ones.
    BadValue {
        /// The option.
        option: &'static str,
        /// What it was given.
        value: String,
        /// What would be possible.
        expected: String,
    },
}

impl fmt::Display for UsageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoCommand => write!(f, "no command was given"),
            Self::UnknownCommand(command) => write!(f, "there is no command `{command}`"),
            Self::UnexpectedArgument { command, argument } => {
                write!(f, "`{command}` takes no argument `{argument}`")
            }
            Self::MissingValue { command, expected } => write!(f, "`{command}` needs {expected}"),
            Self::BadValue { option, value, expected } => {
                write!(f, "`{option}` cannot be `{value}`; expected {expected}")
            }
        }
    }
}

impl std::error::Error for UsageError {}

/// Reads the arguments that follow `cargo xtask`.
///
/// # Errors
///
/// When they name no chore, or give a chore arguments that it does not have.
pub fn parse(arguments: impl IntoIterator<Item = String>) -> Result<Task, UsageError> {
    let mut rest = arguments.into_iter();
    let command = rest.next().ok_or(UsageError::NoCommand)?;
    match command.as_str() {
        "help" | "--help" | "-h" => Ok(Task::Help),
        "verify" => verify(rest),
        "tidy" => nothing_more("tidy", rest).map(|()| Task::Tidy),
        "deny" => nothing_more("deny", rest).map(|()| Task::Deny),
        "docs" => nothing_more("docs", rest).map(|()| Task::Docs),
        "adapters" => nothing_more("adapters", rest).map(|()| Task::Adapters),
        "package" => nothing_more("package", rest).map(|()| Task::Package),
        "telemetry" => nothing_more("telemetry", rest).map(|()| Task::Telemetry),
        "simulate" => Ok(Task::Simulate { arguments: rest.collect() }),
        "torture" => torture(rest),
        "bench" => bench(rest),
        "quality" => quality(rest),
        "fuzz" => fuzz(rest),
        _ => Err(UsageError::UnknownCommand(command)),
    }
}

fn quality(mut rest: impl Iterator<Item = String>) -> Result<Task, UsageError> {
    let mut data = Data::default();
    while let Some(argument) = rest.next() {
        let (place, command, expected) = match argument.as_str() {
            "--data" => (&mut data.folder, "quality --data", "a folder"),
            "--minilm" => (&mut data.minilm, "quality --minilm", "a folder"),
            "--functions" => (&mut data.functions, "quality --functions", "a file"),
            _ => return Err(UsageError::UnexpectedArgument { command: "quality", argument }),
        };
        if place.is_some() {
            return Err(UsageError::UnexpectedArgument { command: "quality", argument });
        }
        *place = Some(rest.next().ok_or(UsageError::MissingValue { command, expected })?);
    }
    Ok(Task::Quality { data })
}

fn verify(mut rest: impl Iterator<Item = String>) -> Result<Task, UsageError> {
    let mut only = None;
    while let Some(argument) = rest.next() {
        if argument != "--only" || only.is_some() {
            return Err(UsageError::UnexpectedArgument { command: "verify", argument });
        }
        let name = rest
            .next()
            .ok_or(UsageError::MissingValue { command: "verify --only", expected: "the name of a step" })?;
        only = Some(Step::from_name(&name).ok_or_else(|| UsageError::BadValue {
            option: "--only",
            value: name,
            expected: format!("one of {}", Step::ALL.map(Step::name).join(", ")),
        })?);
    }
    Ok(Task::Verify { only })
}

fn bench(mut rest: impl Iterator<Item = String>) -> Result<Task, UsageError> {
    let name = rest.next();
    if let Some(option) = name.as_ref().filter(|name| name.starts_with('-')) {
        return Err(UsageError::UnexpectedArgument { command: "bench", argument: option.clone() });
    }
    nothing_more("bench", rest).map(|()| Task::Bench { name })
}

fn fuzz(rest: impl Iterator<Item = String>) -> Result<Task, UsageError> {
    let mut rest = rest.peekable();
    let target = rest.next_if(|argument| !argument.starts_with('-'));
    // libFuzzer reads zero as "for ever", which nobody means who asks for zero seconds.
    let seconds = number(rest, "fuzz", "--seconds")?.unwrap_or(DEFAULT_FUZZ_SECONDS);
    Ok(Task::Fuzz { target, seconds })
}

fn torture(rest: impl Iterator<Item = String>) -> Result<Task, UsageError> {
    Ok(Task::Torture { kills: number(rest, "torture", "--kills")?.unwrap_or(DEFAULT_KILLS) })
}

/// The value of a command's only option: a number from 1 on.
fn number(
    mut rest: impl Iterator<Item = String>,
    command: &'static str,
    option: &'static str,
) -> Result<Option<u64>, UsageError> {
    let mut number = None;
    while let Some(argument) = rest.next() {
        if argument != option {
            return Err(UsageError::UnexpectedArgument { command, argument });
        }
        let value = rest.next().ok_or(UsageError::MissingValue { command: option, expected: "a number" })?;
        let read = value.parse().ok().filter(|number| *number > 0);
        number = Some(read.ok_or_else(|| UsageError::BadValue {
            option,
            value,
            expected: "a whole number, at least 1".to_owned(),
        })?);
    }
    Ok(number)
}

fn nothing_more(command: &'static str, mut rest: impl Iterator<Item = String>) -> Result<(), UsageError> {
    match rest.next() {
        None => Ok(()),
        Some(argument) => Err(UsageError::UnexpectedArgument { command, argument }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_words(line: &str) -> Result<Task, UsageError> {
        parse(line.split_whitespace().map(str::to_owned))
    }

    fn complaint(line: &str) -> String {
        parse_words(line).unwrap_err().to_string()
    }

    #[test]
    fn every_command_of_the_help_text_is_understood() {
        let fuzz = |seconds| Task::Fuzz { target: Some("plan_json".to_owned()), seconds };
        assert_eq!(parse_words("verify"), Ok(Task::Verify { only: None }));
        assert_eq!(parse_words("verify --only deny"), Ok(Task::Verify { only: Some(Step::Deny) }));
        assert_eq!(parse_words("tidy"), Ok(Task::Tidy));
        assert_eq!(parse_words("deny"), Ok(Task::Deny));
        assert_eq!(parse_words("package"), Ok(Task::Package));
        assert_eq!(parse_words("bench"), Ok(Task::Bench { name: None }));
        assert_eq!(parse_words("bench core"), Ok(Task::Bench { name: Some("core".to_owned()) }));
        assert_eq!(parse_words("fuzz plan_json"), Ok(fuzz(DEFAULT_FUZZ_SECONDS)));
        assert_eq!(parse_words("fuzz plan_json --seconds 5"), Ok(fuzz(5)));
        assert_eq!(parse_words("fuzz --seconds 5"), Ok(Task::Fuzz { target: None, seconds: 5 }));
        assert_eq!(parse_words("torture"), Ok(Task::Torture { kills: DEFAULT_KILLS }));
        assert_eq!(parse_words("torture --kills 7"), Ok(Task::Torture { kills: 7 }));
        assert_eq!(parse_words("help"), Ok(Task::Help));
    }

    #[test]
    fn the_simulator_gets_its_arguments_untouched() {
        let arguments = vec!["--seeds".to_owned(), "1".to_owned(), "--from".to_owned(), "7".to_owned()];
        assert_eq!(parse_words("simulate --seeds 1 --from 7"), Ok(Task::Simulate { arguments }));
    }

    #[test]
    fn nothing_and_nonsense_are_told_apart() {
        assert_eq!(parse_words(""), Err(UsageError::NoCommand));
        assert_eq!(complaint("verfy"), "there is no command `verfy`");
        assert_eq!(complaint("tidy up"), "`tidy` takes no argument `up`");
        assert_eq!(complaint("bench core store"), "`bench` takes no argument `store`");
        assert_eq!(complaint("verify --only fmt --only test"), "`verify` takes no argument `--only`");
        assert_eq!(complaint("bench --fast"), "`bench` takes no argument `--fast`");
    }

    #[test]
    fn a_wrong_value_is_answered_with_the_possible_ones() {
        assert_eq!(
            complaint("verify --only lint"),
            "`--only` cannot be `lint`; expected one of fmt, clippy, tidy, deny, test, simulate, book, package"
        );
        assert_eq!(complaint("verify --only"), "`verify --only` needs the name of a step");
        assert_eq!(
            complaint("fuzz plan_json --seconds 0"),
            "`--seconds` cannot be `0`; expected a whole number, at least 1"
        );
    }
}
