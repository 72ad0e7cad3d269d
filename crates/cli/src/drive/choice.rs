//! A choice at the terminal: one of the options by its name, by its shortest unambiguous beginning, or by number.

use candor_model::{Answer, Choice, ChoiceOption, ChoiceRequest};
use candor_planning::gates::STOP;
use candor_projections::recorded;

use super::prompt::StillOpen;
use crate::failure::Failure;
use crate::lang::language;
use crate::output;
use crate::view::wrapped;

/// What leaves the question open.
const LATER: &str = "later";
/// How far what belongs to an option is set in.
const INDENT: usize = 6;

/// Asks for one of the options until one is typed and meant; nothing if the answer is left for later.
pub(super) async fn ask(
    request: &ChoiceRequest,
    open: &mut StillOpen<'_>,
) -> Result<Option<Answer>, Failure> {
    let request = &recorded::choice(language(), request);
    let columns = output::columns().unwrap_or(usize::MAX);
    output::complain(&format!("\n{}", menu(request, columns)));
    loop {
        let Some(line) = open.line("> ").await? else { return Ok(None) };
        match read(&line, request) {
            Read::Later => return Ok(None),
            Read::Help => output::complain(&help(request, columns)),
            Read::Unknown(told) => output::complain(&told),
            Read::Option(option, rest) => {
                let is_meant = option.id != STOP || open.confirms(stop_question()).await?;
                if !is_meant {
                    continue;
                }
                let text = match (option.takes_text, rest.as_str()) {
                    (true, "") => open.line(word!("Your words: ", "Texto: ")).await?.unwrap_or_default(),
                    _ => rest,
                };
                let choice = Choice { option: option.id.clone(), text, by_default: false };
                return Ok(Some(Answer::Choice(choice)));
            }
        }
    }
}

fn stop_question() -> &'static str {
    word!("Stop the run? It stays on record. [y/N] ", "¿Detener la ejecución? Queda registrada. [s/N] ")
}

/// What was typed, read against the options.
#[derive(Debug, PartialEq, Eq)]
enum Read<'a> {
    /// One of them, with the words after it.
    Option(&'a ChoiceOption, String),
    /// The answer is left for later.
    Later,
    /// A wish for help.
    Help,
    /// None of them: what to tell.
    Unknown(String),
}

fn read<'a>(line: &str, request: &'a ChoiceRequest) -> Read<'a> {
    let (word, rest) = line.trim().split_once(char::is_whitespace).unwrap_or((line.trim(), ""));
    let chosen = |option: &'a ChoiceOption| Read::Option(option, rest.trim().to_owned());
    let numbered = || request.options.get(word.parse::<usize>().ok()?.checked_sub(1)?);
    let by_default = || request.default.as_deref().and_then(|default| request.option(default));
    if word.is_empty() {
        return by_default().map_or(Read::Later, chosen);
    }
    if let Some(option) = request.option(word).or_else(numbered) {
        return chosen(option);
    }
    if matches!(word, "?" | "help" | "ayuda") {
        return Read::Help;
    }
    let lower = word.to_lowercase();
    let begun = |name: &&str| name.to_lowercase().starts_with(&lower);
    let meant: Vec<&str> = names(request).into_iter().filter(begun).collect();
    match meant.as_slice() {
        [name] => request.option(name).map_or(Read::Later, chosen),
        [] => Read::Unknown(say!(
            "Invalid choice: {word} (? for help)",
            "Opción no válida: {word} (? para ayuda)"
        )),
        several => Read::Unknown(say!(
            "Ambiguous choice: {word}; type {}",
            "Opción ambigua: {word}; escribir {}",
            several.join(word!(" or ", " o "))
        )),
    }
}

/// What can be typed, in the order in which it is shown.
fn names(request: &ChoiceRequest) -> Vec<&str> {
    request.options.iter().map(|option| option.id.as_str()).chain([LATER]).collect()
}

/// A name with the letters that are enough in brackets: `[re]word`.
fn marked(name: &str, request: &ChoiceRequest) -> String {
    let lower = name.to_lowercase();
    let others: Vec<String> =
        names(request).into_iter().filter(|it| *it != name).map(str::to_lowercase).collect();
    let ends = lower.char_indices().map(|(at, letter)| at + letter.len_utf8());
    let is_enough = |end: &usize| {
        let beginning = lower.get(..*end).unwrap_or(&lower);
        others.iter().all(|other| !other.starts_with(beginning))
    };
    // A name that another one begins with is typed whole.
    let enough = ends.into_iter().find(is_enough).unwrap_or(lower.len());
    let (enough, rest) = name.split_at_checked(enough).unwrap_or((name, ""));
    format!("[{enough}]{rest}")
}

/// The question and what can be typed.
fn menu(request: &ChoiceRequest, columns: usize) -> String {
    let mut lines = wrapped(&request.text, columns);
    for (number, option) in (1..).zip(request.options.iter()) {
        let is_default = request.default.as_ref() == Some(&option.id);
        let default = if is_default { word!(" (Enter)", " (Intro)") } else { "" };
        let entry = format!("{number} {}: {}{default}", marked(&option.id, request), option.label);
        lines.extend(set_in(&entry, 2, columns));
        lines.extend(option.details.lines().flat_map(|line| set_in(line, INDENT, columns)));
    }
    let default = if request.default.is_none() { word!(" (Enter)", " (Intro)") } else { "" };
    let later = marked(LATER, request);
    let entry = say!(
        "{later}: leave the run waiting{default}; ? help",
        "{later}: dejar la ejecución en espera{default}; ? ayuda"
    );
    lines.extend(set_in(&entry, 2, columns));
    lines.join("\n")
}

fn set_in(text: &str, by: usize, columns: usize) -> Vec<String> {
    let lines = wrapped(text, columns.saturating_sub(by)).into_iter();
    lines.map(|line| format!("{}{line}", " ".repeat(by))).collect()
}

/// How an answer is typed, and which options take words.
fn help(request: &ChoiceRequest, columns: usize) -> String {
    let mut lines = wrapped(
        word!(
            "Type a number, a name, or the letters of it that stand in brackets. Enter takes the marked one.",
            "Escribir un número, un nombre, o sus letras entre corchetes. Intro toma la opción marcada."
        ),
        columns,
    );
    for option in request.options.iter().filter(|option| option.takes_text) {
        let id = &option.id;
        lines.extend(set_in(
            &say!("{id} takes words of your own: {id} WORDS", "{id} admite palabras propias: {id} TEXTO"),
            2,
            columns,
        ));
    }
    lines.extend(set_in(
        word!(
            "later leaves the question open; `candor resume` asks again, `candor answer` answers it",
            "later deja la pregunta abierta; `candor resume` vuelve a preguntar, `candor answer` la responde"
        ),
        2,
        columns,
    ));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use candor_model::{ChoiceKind, NonEmpty};

    use super::*;

    fn request(ids: &[&str], default: Option<&str>) -> ChoiceRequest {
        let options = ids.iter().map(|id| ChoiceOption::new(id, format!("do {id}"), "")).collect();
        let options = NonEmpty::or_one(options, || ChoiceOption::new("none", "", ""));
        let default = default.map(str::to_owned);
        let text = "Which?".to_owned();
        ChoiceRequest {
            about: ChoiceKind::Guardrail,
            phase: None,
            reason: String::new(),
            text,
            options,
            default,
            concerns: Vec::new(),
        }
    }

    #[test]
    fn names_numbers_and_beginnings_are_read_and_nothing_is_guessed() {
        // spec: findings UX-03
        let asked = request(&["retry", "reword", "stop", "launch"], Some("stop"));
        let chosen = |line: &str| match read(line, &asked) {
            Read::Option(option, rest) => format!("{} {rest}", option.id),
            other => format!("{other:?}"),
        };
        assert_eq!(chosen("2 in other words"), "reword in other words");
        assert_eq!(chosen("REW"), "reword ");
        assert_eq!(chosen("s"), "stop ");
        assert_eq!(chosen(""), "stop ");
        assert_eq!(chosen("late"), "Later");
        assert_eq!(chosen("?"), "Help");
        assert!(chosen("re").contains("retry or reword"), "{}", chosen("re"));
        assert!(chosen("l").contains("launch or later"), "{}", chosen("l"));
        for wrong in ["0", "5", "x", "stops"] {
            assert!(chosen(wrong).contains("Invalid choice"), "{wrong}");
        }
        assert_eq!(read("", &request(&["keep"], None)), Read::Later, "no default");
    }

    #[test]
    fn a_menu_marks_what_is_enough_and_fits_the_terminal() {
        let asked = request(&["A", "B", "retry", "reword"], None);
        let shown = menu(&asked, 40);
        for part in ["1 [A]: do A", "3 [ret]ry: do retry", "4 [rew]ord", "[l]ater"] {
            assert!(shown.contains(part), "no `{part}` in {shown}");
        }
        assert!(
            shown.lines().chain(help(&asked, 40).lines()).all(|line| line.chars().count() <= 40),
            "{shown}"
        );
    }
}
