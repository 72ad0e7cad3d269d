//! `candor init` on a terminal: what is in the folder, which kind of agent is wanted, and which model.

use std::io::{BufRead, Write};
use std::path::Path;

use super::model::{self, Found};
use super::{Agent, Wish, command_words};
use crate::failure::Failure;
use crate::output;

/// How many names of a folder are shown.
const SHOWN_NAMES: usize = 5;

/// What runs a script, by the ending of its name.
const INTERPRETERS: [(&str, &str); 5] =
    [("py", "python3"), ("js", "node"), ("mjs", "node"), ("rb", "ruby"), ("sh", "sh")];

/// Asks what is to be set up in a folder.
pub(super) fn ask(folder: &Path) -> Result<Wish, Failure> {
    let names = names(folder);
    output::complain(&contents(&names));
    let scripts: Vec<String> = names.iter().filter_map(|name| command_of(name)).collect();
    let found = model::find();
    let agent = ask_agent(&scripts, !found.is_empty())?;
    let is_there = !found.is_empty();
    let model = ask_model(found, matches!(agent, Agent::Model))?;
    Ok(Wish { agent, refused_model: is_there && model.is_none(), model })
}

/// The names in a folder, without hidden ones.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter(|name| !name.starts_with('.')).collect();
    names.sort();
    names
}

fn contents(names: &[String]) -> String {
    if names.is_empty() {
        return word!("This folder is empty.", "Esta carpeta está vacía.").to_owned();
    }
    let shown = names.iter().take(SHOWN_NAMES).cloned().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(SHOWN_NAMES) {
        0 => say!("In this folder: {shown}", "En esta carpeta: {shown}"),
        more => say!("In this folder: {shown} and {more} more", "En esta carpeta: {shown} y {more} más"),
    }
}

/// The command line that runs a script, if the name is one of a script.
fn command_of(name: &str) -> Option<String> {
    let ending = Path::new(name).extension()?.to_str()?;
    let (_, program) = INTERPRETERS.iter().find(|(known, _)| *known == ending)?;
    // A name with a space would be two words of a command line.
    Some(format!("{program} {name}")).filter(|_| !name.contains(char::is_whitespace))
}

fn ask_agent(scripts: &[String], has_model: bool) -> Result<Agent, Failure> {
    let own = match scripts {
        [] => word!("a program of yours", "un programa propio").to_owned(),
        [first, ..] => say!("a program of yours, such as: {first}", "un programa propio, como: {first}"),
    };
    let mut options = vec![
        (
            "example",
            word!("a Python program that counts words", "un programa en Python que cuenta palabras")
                .to_owned(),
        ),
        ("command", own),
        (
            "http",
            word!(
                "a service of yours that answers POST requests",
                "un servicio propio que responde a peticiones POST"
            )
            .to_owned(),
        ),
    ];
    if has_model {
        options.push((
            "model",
            word!(
                "a model, with tools for the files here",
                "un modelo, con herramientas para los archivos de aquí"
            )
            .to_owned(),
        ));
    }
    let question = word!("Which agent should do the work?", "¿Qué agente debe hacer el trabajo?");
    Ok(match choose(question, &options, usize::from(!scripts.is_empty()))? {
        "command" => {
            let usual = scripts.first().map(String::as_str).unwrap_or_default();
            let prompt = word!("Its command", "Su orden");
            let words = until(prompt, usual, command_words)?;
            Agent::Command(words, ask_purpose()?)
        }
        "http" => {
            let url = until(word!("Its URL", "Su URL"), "", |text| {
                reqwest::Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https"))
            })?;
            Agent::Http(url.to_string(), ask_purpose()?)
        }
        "model" => Agent::Model,
        _ => Agent::Example,
    })
}

fn ask_purpose() -> Result<String, Failure> {
    let prompt = word!("What does it do, in a few words", "Qué hace, en pocas palabras");
    until(prompt, "", |text| Some(text.to_owned()).filter(|text| !text.is_empty()))
}

fn ask_model(mut found: Vec<Found>, is_needed: bool) -> Result<Option<Found>, Failure> {
    if found.is_empty() {
        return Ok(None);
    }
    let mut options: Vec<(&str, String)> =
        found.iter().map(|model| (model.name.as_str(), model.by.clone())).collect();
    if !is_needed {
        let about = word!("goals are planned by rules", "los objetivos se planifican con reglas");
        options.push(("none", about.to_owned()));
    }
    let chosen = choose(word!("Which model?", "¿Qué modelo?"), &options, 0)?.to_owned();
    let at = found.iter().position(|model| model.name == chosen);
    Ok(at.map(|at| found.swap_remove(at)))
}

/// Asks for one of the options: by number, by name, or by a beginning of it that no other has.
fn choose<'a>(question: &str, options: &[(&'a str, String)], usual: usize) -> Result<&'a str, Failure> {
    output::complain(&format!("\n{question}"));
    let width = options.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (at, (name, about)) in options.iter().enumerate() {
        let enter = if at == usual { word!(" (Enter)", " (Intro)") } else { "" };
        output::complain(&format!("  {} {name:<width$}  {about}{enter}", at + 1));
    }
    loop {
        let typed = line("> ")?.to_lowercase();
        let numbered = typed.parse::<usize>().ok().and_then(|number| options.get(number.checked_sub(1)?));
        let begun: Vec<&(&str, String)> =
            options.iter().filter(|(name, _)| name.to_lowercase().starts_with(&typed)).collect();
        match (typed.as_str(), numbered, begun.as_slice()) {
            ("", ..) => return Ok(options.get(usual).map_or("", |(name, _)| *name)),
            (_, Some((name, _)), _) | (_, None, [(name, _)]) => return Ok(name),
            ("?", ..) => output::complain(word!(
                "Type a number, a name, or the beginning of one; Enter takes the marked one. Nothing is written until the end.",
                "Escribir un número, un nombre, o el principio de uno; Intro toma el marcado. No se escribe nada hasta el final."
            )),
            _ => output::complain(&say!(
                "Invalid choice: {typed} (? for help)",
                "Opción no válida: {typed} (? para ayuda)"
            )),
        }
    }
}

/// Asks until an answer can be read. Enter takes the usual one.
fn until<T>(prompt: &str, usual: &str, read: impl Fn(&str) -> Option<T>) -> Result<T, Failure> {
    let shown = if usual.is_empty() { String::new() } else { format!(" [{usual}]") };
    loop {
        let typed = line(&format!("{prompt}{shown}: "))?;
        let typed = if typed.is_empty() { usual } else { &typed };
        match read(typed) {
            Some(answer) => return Ok(answer),
            None => {
                output::complain(&say!("`{typed}` cannot be used here", "`{typed}` no se puede usar aquí"));
            }
        }
    }
}

fn line(prompt: &str) -> Result<String, Failure> {
    eprint!("{prompt}");
    std::io::stderr().flush()?;
    let mut typed = String::new();
    if std::io::stdin().lock().read_line(&mut typed)? == 0 {
        return Err(Failure::usage(word!("nothing was written", "no se escribió nada")));
    }
    Ok(typed.trim().to_owned())
}
