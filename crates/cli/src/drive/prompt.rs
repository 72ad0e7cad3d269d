//! Prompts at the terminal: the verbs of the commands, by name, by their shortest unambiguous beginning, or by number.
//!
//! A beginning means one verb in every prompt: `r` alone is nothing, because `reject`, `retry`, `regenerate` and `revert` begin
//! with it. `?` explains, Enter takes the marked default, and what ends a run is confirmed.

use candor_model::GateId;
use candor_runtime::RunSnapshot;
use tokio::sync::watch;

use crate::failure::Failure;
use crate::lang::Text;
use crate::output::{self, Typed};
use crate::view::wrapped;

/// What can be typed at a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verb {
    Approve,
    Ask,
    Choose,
    Modify,
    Adjust,
    Regenerate,
    Revert,
    Reject,
    Retry,
    Skip,
    Abort,
    Later,
}

/// Every verb: its name, its shortest beginning that no other verb has, what it takes, and what it does.
const VERBS: [(Verb, &str, usize, Text, Text); 12] = [
    (
        Verb::Approve,
        "approve",
        2,
        Text::new("", ""),
        Text::new("run this plan (also `y`)", "ejecutar este plan (también `y` o `sí`)"),
    ),
    (
        Verb::Ask,
        "ask",
        2,
        Text::new(" QUESTION", " PREGUNTA"),
        Text::new(
            "ask something about the plan; it stays as it is",
            "preguntar algo sobre el plan; el plan no cambia",
        ),
    ),
    (
        Verb::Choose,
        "choose",
        1,
        Text::new(" LETTER", " LETRA"),
        Text::new(
            "make the plan again by one of its alternatives, and show it",
            "rehacer el plan según una de sus alternativas, y mostrarlo",
        ),
    ),
    (
        Verb::Modify,
        "modify",
        1,
        Text::new(" WORDS", " TEXTO"),
        Text::new(
            "change the plan in words or with --set TASK FIELD VALUE, and show it",
            "cambiar el plan con palabras o con --set TASK FIELD VALUE, y mostrarlo",
        ),
    ),
    (
        Verb::Adjust,
        "adjust",
        2,
        Text::new(" TASK FIELD VALUE", " TASK FIELD VALUE"),
        Text::new("change one field and run the plan", "cambiar un campo y ejecutar el plan"),
    ),
    (
        Verb::Regenerate,
        "regenerate",
        3,
        Text::new(" [WORDS]", " [TEXTO]"),
        Text::new("make another plan, and show it", "hacer otro plan, y mostrarlo"),
    ),
    (
        Verb::Revert,
        "revert",
        3,
        Text::new(" VERSION", " VERSIÓN"),
        Text::new(
            "go back to an earlier version of the plan, and show it",
            "volver a una versión anterior del plan, y mostrarla",
        ),
    ),
    (
        Verb::Reject,
        "reject",
        3,
        Text::new("", ""),
        Text::new(
            "reject the plan and end the run (also `n`)",
            "rechazar el plan y terminar la ejecución (también `n`)",
        ),
    ),
    (
        Verb::Retry,
        "retry",
        3,
        Text::new(" [AGENT]", " [AGENTE]"),
        Text::new(
            "try the task again, with this agent if one is named",
            "intentar la tarea de nuevo, con este agente si se nombra uno",
        ),
    ),
    (
        Verb::Skip,
        "skip",
        1,
        Text::new("", ""),
        Text::new("go on without the task's result", "seguir sin el resultado de la tarea"),
    ),
    (
        Verb::Abort,
        "abort",
        2,
        Text::new("", ""),
        Text::new(
            "end the run; what succeeded stays on record",
            "terminar la ejecución; lo que se completó queda registrado",
        ),
    ),
    (
        Verb::Later,
        "later",
        1,
        Text::new("", ""),
        Text::new(
            "leave the run waiting; `candor resume` asks again",
            "dejar la ejecución en espera; `candor resume` vuelve a preguntar",
        ),
    ),
];

impl Verb {
    fn row(self) -> (&'static str, usize, &'static str, &'static str) {
        let found = VERBS.iter().find(|(verb, ..)| *verb == self);
        found.map_or(("later", 1, "", ""), |(_, name, shortest, takes, about)| {
            (*name, *shortest, takes.text(), about.text())
        })
    }

    /// Its name with the letters that are enough in brackets: `[rej]ect`.
    fn marked(self) -> String {
        let (name, shortest, takes, _) = self.row();
        let (enough, rest) = name.split_at_checked(shortest).unwrap_or((name, ""));
        format!("[{enough}]{rest}{takes}")
    }
}

/// What was typed, read against the verbs that are offered.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Read {
    /// One of them, with the words after it.
    Verb(Verb, String),
    /// A wish for help.
    Help,
    /// None of them: what to tell.
    Unknown(String),
}

/// Reads a line. `default` is what Enter means.
pub(super) fn read(line: &str, offered: &[Verb], default: Verb) -> Read {
    let (word, rest) = line.trim().split_once(char::is_whitespace).unwrap_or((line.trim(), ""));
    let rest = rest.trim().to_owned();
    let lower = word.to_lowercase();
    match lower.as_str() {
        "" => return Read::Verb(default, String::new()),
        "?" | "h" | "help" | "ayuda" => return Read::Help,
        "y" | "yes" | "si" | "sí" if offered.contains(&Verb::Approve) => {
            return Read::Verb(Verb::Approve, rest);
        }
        "n" | "no" if offered.contains(&Verb::Reject) => return Read::Verb(Verb::Reject, rest),
        _ => {}
    }
    if let Some(verb) = lower.parse().ok().and_then(|number: usize| offered.get(number.checked_sub(1)?)) {
        return Read::Verb(*verb, rest);
    }
    let begins = |verb: &&Verb| verb.row().0.starts_with(&lower);
    let meant: Vec<&Verb> = offered.iter().filter(begins).collect();
    let enough = |verb: &Verb| lower.len() >= verb.row().1;
    match meant.as_slice() {
        [verb] if enough(verb) => Read::Verb(**verb, rest),
        [] => Read::Unknown(say!(
            "Invalid choice: {word} (? for help)",
            "Opción no válida: {word} (? para ayuda)"
        )),
        several => {
            let names: Vec<&str> = several.iter().map(|verb| verb.row().0).collect();
            Read::Unknown(say!(
                "Ambiguous choice: {word}; type {}",
                "Opción ambigua: {word}; escribir {}",
                names.join(word!(" or ", " o "))
            ))
        }
    }
}

/// Whether a question is still open; one that another terminal or the server has answered is not.
pub(super) struct StillOpen<'a> {
    pub(super) gate: &'a GateId,
    pub(super) snapshot: watch::Receiver<RunSnapshot>,
}

impl StillOpen<'_> {
    /// Returns when somebody else has answered.
    async fn closed(&mut self) {
        let is_open = |now: &RunSnapshot| now.questions.iter().any(|(gate, _)| gate == self.gate);
        if self.snapshot.wait_for(|now| !is_open(now)).await.is_err() {
            // The run has ended here: there is nobody who could tell of another answer.
            std::future::pending::<()>().await;
        }
    }

    /// Asks for a line; nothing if it is left for later, with a word if somebody else has answered.
    pub(super) async fn line(&mut self, prompt: &str) -> Result<Option<String>, Failure> {
        match output::ask_until(prompt, self.closed()).await? {
            Typed::Line(line) => Ok(Some(line)),
            Typed::Left => Ok(None),
            Typed::Closed => {
                tell!("Answered elsewhere.", "Ya respondida en otro lugar.");
                Ok(None)
            }
        }
    }

    /// Whether what cannot be taken back is really meant.
    async fn is_meant(&mut self, verb: Verb) -> Result<bool, Failure> {
        let question = match verb {
            Verb::Reject => word!(
                "Reject the plan and end the run? [y/N] ",
                "¿Rechazar el plan y terminar la ejecución? [s/N] "
            ),
            Verb::Abort => word!(
                "End the run? What succeeded stays on record. [y/N] ",
                "¿Terminar la ejecución? Lo que se completó queda registrado. [s/N] "
            ),
            _ => return Ok(true),
        };
        self.confirms(question).await
    }

    /// Whether a question is answered with yes.
    pub(super) async fn confirms(&mut self, question: &str) -> Result<bool, Failure> {
        let answer = self.line(question).await?.unwrap_or_default().to_lowercase();
        Ok(matches!(answer.as_str(), "y" | "yes" | "s" | "si" | "sí"))
    }

    /// Asks for one of these verbs until one is typed and meant; nothing if the answer is left for later.
    pub(super) async fn verb(&mut self, offered: &[Verb]) -> Result<Option<(Verb, String)>, Failure> {
        let columns = output::columns().unwrap_or(usize::MAX);
        output::complain(&menu(offered, columns));
        loop {
            let Some(line) = self.line("> ").await? else { return Ok(None) };
            match read(&line, offered, Verb::Later) {
                Read::Help => output::complain(&help(offered, columns)),
                Read::Unknown(told) => output::complain(&told),
                Read::Verb(Verb::Later, _) => return Ok(None),
                Read::Verb(verb, rest) => {
                    if self.is_meant(verb).await? {
                        return Ok(Some((verb, rest)));
                    }
                }
            }
        }
    }
}

/// What can be typed, in as few lines as it takes. An entry is never broken.
fn menu(offered: &[Verb], columns: usize) -> String {
    let mut entries: Vec<String> =
        (1..).zip(offered).map(|(number, verb)| format!("{number} {}", verb.marked())).collect();
    if let Some(last) = entries.last_mut() {
        last.push_str(word!(" (Enter)", " (Intro)"));
    }
    entries.push(word!("? help", "? ayuda").to_owned());
    let mut lines: Vec<String> = Vec::new();
    for entry in entries {
        match lines.last_mut() {
            Some(line) if line.chars().count() + BETWEEN.len() + entry.chars().count() <= columns => {
                line.push_str(BETWEEN);
                line.push_str(&entry);
            }
            _ => lines.push(entry),
        }
    }
    lines.join("\n")
}

/// What stands between two entries of a menu.
const BETWEEN: &str = "   ";
/// Where the explanations of a help begin.
const ABOUT_COLUMN: usize = 31;

/// The same with what each does.
fn help(offered: &[Verb], columns: usize) -> String {
    let entry = |(number, verb): (usize, &Verb)| {
        let (.., about) = verb.row();
        let parts = wrapped(about, columns.saturating_sub(ABOUT_COLUMN).max(ABOUT_COLUMN));
        let about = parts.join(&format!("\n{}", " ".repeat(ABOUT_COLUMN)));
        format!("  {number} {:<26} {about}", verb.marked())
    };
    (1..).zip(offered).map(entry).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortest_beginning_of_a_verb_means_it_in_every_prompt() {
        // spec: findings UX-03
        for (verb, name, shortest, ..) in VERBS {
            let enough = name.get(..shortest).unwrap();
            let also: Vec<&str> =
                VERBS.iter().map(|(_, name, ..)| *name).filter(|name| name.starts_with(enough)).collect();
            assert_eq!(also, [name], "`{enough}` for {verb:?}");
            let less = name.get(..shortest - 1).unwrap();
            let also = VERBS.iter().filter(|(_, name, ..)| name.starts_with(less)).count();
            assert!(also > 1, "`{less}` would do for {verb:?}");
        }
    }

    #[test]
    fn a_menu_and_its_help_fit_the_terminal_and_break_between_entries() {
        // spec: findings UX-04
        let offered = [Verb::Approve, Verb::Ask, Verb::Modify, Verb::Adjust, Verb::Reject, Verb::Later];
        for text in [menu(&offered, 60), help(&offered, 60)] {
            assert!(text.lines().all(|line| line.chars().count() <= 62), "{text}");
        }
        assert!(
            menu(&offered, 60)
                .lines()
                .all(|line| line.starts_with(|it: char| it.is_ascii_digit() || it == '?'))
        );
        assert_eq!(menu(&[Verb::Skip, Verb::Later], 80), "1 [s]kip   2 [l]ater (Enter)   ? help");
    }

    #[test]
    fn names_numbers_beginnings_and_enter_are_read_and_nothing_is_guessed() {
        let offered = [Verb::Approve, Verb::Ask, Verb::Reject, Verb::Later];
        let read = |line| read(line, &offered, Verb::Later);
        let verb = |verb, rest: &str| Read::Verb(verb, rest.to_owned());
        assert_eq!(read("y"), verb(Verb::Approve, ""));
        assert_eq!(read(" AP "), verb(Verb::Approve, ""));
        assert_eq!(read("2 why so dear?"), verb(Verb::Ask, "why so dear?"));
        assert_eq!(read("3"), verb(Verb::Reject, ""));
        assert_eq!(read(""), verb(Verb::Later, ""));
        assert_eq!(read("?"), Read::Help);
        for wrong in ["a", "r", "re", "retry hotel_agent", "0", "5", "what?"] {
            assert!(matches!(read(wrong), Read::Unknown(_)), "{wrong}: {:?}", read(wrong));
        }
    }
}
