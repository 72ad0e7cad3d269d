//! The documents held against the command line and the configuration: what they show can be typed, and what can be typed
//! is documented. `UPDATE_DOCS=1 cargo test -p candor --lib documents` writes the generated pages again.

mod api;
mod keys;
mod pieces;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use candor_app::config::Config;

use super::help::{GROUPS, built};

/// The pages that are made here.
const REFERENCE: &str = "docs/command-reference.md";
const TITLE: &str = "# Command reference\n\nEvery command with its arguments, made from the program itself. What the commands are for is in \
    [Commands](commands.md). Options that every command takes stand at the end.\n";

const CONFIGURATION: &str = "docs/configuration.md";
const CONFIGURATION_TITLE: &str = "# Configuration\n\nOne file, `candor.toml` in the working directory or `--config FILE`. Every key has a \
    default; values shown are defaults. Unknown keys are errors. `candor init --full` writes this file, `candor config show` prints what is \
    in effect. Secrets never go into it. This page is made from `candor.example.toml`.\n";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// README and the pages of the book, with their names.
fn documents() -> Vec<(String, String)> {
    let mut found = vec![("README.md".to_owned(), root().join("README.md"))];
    let pages = fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let mut pages: Vec<PathBuf> =
        pages.filter(|path| path.extension().is_some_and(|it| it == "md")).collect();
    pages.sort();
    found.extend(
        pages.into_iter().map(|path| (format!("docs/{}", path.file_name().unwrap().display()), path)),
    );
    found.into_iter().map(|(name, path)| (name, fs::read_to_string(path).unwrap())).collect()
}

/// The blocks of code of a language, with the line they begin at.
fn blocks(text: &str, language: &str) -> Vec<(usize, String)> {
    let mut found: Vec<(usize, String)> = Vec::new();
    let mut inside = None;
    for (number, line) in (1..).zip(text.lines()) {
        match (line.trim_start().strip_prefix("```"), inside) {
            (Some(_), Some(_)) => inside = None,
            (Some(info), None) => {
                let is_wanted = info.trim() == language;
                inside = Some(is_wanted);
                found.extend(is_wanted.then(|| (number, String::new())));
            }
            (None, Some(true)) => {
                let (_, block) = found.last_mut().unwrap();
                block.push_str(line);
                block.push('\n');
            }
            _ => {}
        }
    }
    found
}

/// The words of a line for a shell, up to what ends a command.
fn shell_words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (Some(open), letter) if letter == open => quote = None,
            (None, '"' | '\'') => quote = Some(letter),
            (None | Some('"'), '\\') => words.last_mut().unwrap().extend(letters.next()),
            (None, '#' | '|' | ';' | '&' | '>') => break,
            (None, letter) if letter.is_whitespace() => {
                if !words.last().unwrap().is_empty() {
                    words.push(String::new());
                }
            }
            (_, letter) => words.last_mut().unwrap().push(letter),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[test]
fn every_command_in_the_documents_can_be_typed() {
    // spec: findings UX-09
    let mut read = 0;
    for (name, text) in documents() {
        for (start, block) in blocks(&text, "sh") {
            let block = block.replace("\\\n", " ");
            let commands = block.lines().map(|line| line.trim().replace("cargo run -- ", "candor "));
            for line in commands.filter(|line| line.starts_with("candor ")) {
                let words = shell_words(&line);
                let parsed = super::help::plain().try_get_matches_from(&words);
                assert!(parsed.is_ok(), "{name}, block at line {start}: {line}\n{}", parsed.unwrap_err());
                read += 1;
            }
        }
    }
    assert!(read > 40, "only {read} commands were found");
}

#[test]
fn every_piece_of_configuration_in_the_documents_is_read() {
    // spec: findings UX-09
    let folder = tempfile::tempdir().unwrap();
    let (mut read, mut wrong) = (0, Vec::new());
    for (name, text) in documents() {
        for (start, block) in blocks(&text, "toml") {
            let path = folder.path().join("candor.toml");
            fs::write(&path, &block).unwrap();
            let config = Config::load(Some(&path));
            wrong
                .extend(config.err().map(|error| format!("{name}, block at line {start}: {error}\n{block}")));
            read += 1;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(read > 20, "only {read} pieces were found");
}

#[test]
fn every_key_of_the_configuration_is_documented() {
    // The example has every key: `candor init --full` writes it, and a test of the configuration holds it complete.
    let example = fs::read_to_string(root().join("candor.example.toml")).unwrap();
    is_up_to_date(CONFIGURATION, &configuration(&example));
}

/// The page with every key, a section each. A paragraph of words stands before the section that it explains.
fn configuration(example: &str) -> String {
    let mut page = CONFIGURATION_TITLE.to_owned();
    let (mut now, mut words) = (String::new(), String::new());
    let paragraphs = example.split("\n\n").map(str::trim).filter(|paragraph| !paragraph.is_empty());
    // The first one says what the title of the page says.
    for paragraph in paragraphs.skip(1) {
        if !paragraph.lines().any(|line| section_of(line).is_some() || line.contains(" = ")) {
            let _ = write!(words, "{paragraph}\n\n");
            continue;
        }
        let section = paragraph.lines().find_map(section_of).unwrap_or_else(|| now.clone());
        let is_new = section != now;
        page.push_str(match (is_new, now.is_empty()) {
            (true, true) => "",
            (true, false) => "```\n",
            (false, _) => "\n",
        });
        if is_new {
            let _ = write!(page, "\n## {section}\n\n```toml\n");
        }
        let _ = writeln!(page, "{}{paragraph}", std::mem::take(&mut words));
        now = section;
    }
    page + &words + "```\n"
}

/// The section that a header begins, also one that is commented out: `[models.retry]`, `# [[gates]]`.
fn section_of(line: &str) -> Option<String> {
    let header = line.trim_start_matches(['#', ' ']).strip_prefix('[')?.trim_start_matches('[');
    let name: String = header.chars().take_while(|it| it.is_ascii_lowercase() || *it == '_').collect();
    let ends = header.get(name.len()..)?;
    (!name.is_empty() && (ends.starts_with(']') || ends.starts_with('.'))).then_some(name)
}

/// Compares a generated page with the one that is kept, or writes it.
#[track_caller]
fn is_up_to_date(page: &str, made: &str) {
    let path = root().join(page);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, made).unwrap();
    }
    let kept = fs::read_to_string(path).unwrap_or_default();
    assert!(made == kept, "{page} is not up to date: UPDATE_DOCS=1 cargo test -p candor --lib documents");
}

#[test]
fn every_command_and_option_is_in_the_reference() {
    // spec: findings UX-10
    is_up_to_date(REFERENCE, &reference());
}

/// The page with every command.
fn reference() -> String {
    let command = built();
    let mut page = TITLE.to_owned();
    for (title, names) in &GROUPS {
        let _ = write!(page, "\n## {title}\n");
        for name in names.iter().filter(|name| **name != "help") {
            describe(&mut page, command.find_subcommand(name).unwrap(), "candor");
        }
    }
    page.push_str("\n## Every command\n\n");
    page + &table(command.get_arguments())
}

fn describe(page: &mut String, command: &clap::Command, before: &str) {
    let name = format!("{before} {}", command.get_name());
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let positionals = command.get_positionals().map(|it| {
        let value = it
            .get_value_names()
            .and_then(|names| names.first())
            .map_or(it.get_id().as_str(), |name| name.as_str());
        if it.is_required_set() {
            format!(" {}", value.to_uppercase())
        } else {
            format!(" [{}]", value.to_uppercase())
        }
    });
    let _ = write!(page, "\n### `{name}{}`\n\n{about}.\n", positionals.collect::<String>());
    let rows = table(command.get_arguments().filter(|it| !it.is_global_set()));
    if !rows.is_empty() {
        let _ = write!(page, "\n{rows}");
    }
    for below in command.get_subcommands().filter(|below| below.get_name() != "help") {
        describe(page, below, &name);
    }
}

/// The arguments as a table, without those that clap adds.
fn table<'a>(arguments: impl Iterator<Item = &'a clap::Arg>) -> String {
    let own = arguments.filter(|it| !matches!(it.get_id().as_str(), "help" | "version"));
    let rows: String = own.map(row).collect();
    if rows.is_empty() { rows } else { format!("| argument | meaning |\n|---|---|\n{rows}") }
}

fn row(argument: &clap::Arg) -> String {
    let value = argument.get_value_names().and_then(|names| names.first()).map(|name| name.to_string());
    let takes = argument.get_action().takes_values();
    let long = argument.get_long().map(|long| format!("--{long}"));
    let short = argument.get_short().map(|short| format!("-{short}"));
    let flags: Vec<String> = short.into_iter().chain(long).collect();
    let name = match (flags.is_empty(), value.filter(|_| takes)) {
        (true, value) => value.unwrap_or_else(|| argument.get_id().to_string()).to_uppercase(),
        (false, Some(value)) => format!("{} {value}", flags.join(", ")),
        (false, None) => flags.join(", "),
    };
    let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
    let values: Vec<String> =
        argument.get_possible_values().iter().map(|it| it.get_name().to_owned()).collect();
    let values =
        if values.is_empty() || !takes { String::new() } else { format!(" ({})", values.join(", ")) };
    format!("| `{}` | {}{values} |\n", name.replace('|', "\\|"), help.replace('|', "\\|"))
}
