//! The words of our own with which a request can be put better, and how to tell them from a person's.
//!
//! They are known line by line, so that a variant is judged by what a person said in it: a blank that nobody
//! filled says nothing, and our own words raise no score. They reach the agents as instructions, with every task.

use std::borrow::Cow;

use crate::goal::Language;

/// What stands where a person is to write something.
pub(super) const BLANK: &str = "____";

/// The wording of one language.
#[derive(Debug)]
pub(super) struct Wording {
    /// Before what was said, in the structured variant.
    pub(super) said: &'static str,
    /// How the structured variant ends.
    pub(super) only_this: &'static str,
    /// The steps of the variant with a checklist.
    pub(super) steps: &'static [&'static str],
    /// Before the checklist.
    pub(super) done_when: &'static str,
    /// The checklist.
    pub(super) checklist: &'static [&'static str],
    /// The form of the answer, by an example.
    pub(super) form: &'static str,
    /// Before the blanks.
    pub(super) fill_in: &'static str,
    pub(super) which_file: &'static str,
    pub(super) which_fact: &'static str,
    pub(super) which_thing: &'static str,
    pub(super) what_to_do: &'static str,
    pub(super) what_result: &'static str,
    pub(super) which_holds: &'static str,
    pub(super) more: &'static str,
}

const ENGLISH: Wording = Wording {
    said: "In the person's own words:",
    only_this: "Work only with what is said here; name what is missing instead of making it up.",
    steps: &[
        "Think it through step by step:",
        "1. Say in one sentence what is asked for.",
        "2. List what is not said, and what is assumed in its place.",
        "3. Do one part after the other.",
    ],
    done_when: "It is done when:",
    checklist: &[
        "- [ ] every part of the request has its answer",
        "- [ ] what was assumed is marked as assumed",
        "- [ ] the result can be checked against the request",
    ],
    form: "The form of the answer, as an example: Result – … / Assumed – … / Left open – …",
    fill_in: "Filled in:",
    which_file: "Which file, component or technology:",
    which_fact: "Which place, date, amount or name:",
    which_thing: "What is meant, by its name:",
    what_to_do: "What is to be done with what:",
    what_result: "What must be there or be different afterwards:",
    which_holds: "Which of the two holds:",
    more: "What else matters:",
};

const SPANISH: Wording = Wording {
    said: "Con las palabras de la persona:",
    only_this: "Trabaja solo con lo que se dice aquí; nombra lo que falta en vez de inventarlo.",
    steps: &[
        "Piénsalo paso a paso:",
        "1. Di en una frase qué se pide.",
        "2. Enumera lo que no se dice y lo que se supone en su lugar.",
        "3. Haz una parte tras otra.",
    ],
    done_when: "Está hecho cuando:",
    checklist: &[
        "- [ ] cada parte de la petición tiene su respuesta",
        "- [ ] lo supuesto está marcado como supuesto",
        "- [ ] el resultado se puede comprobar con la petición",
    ],
    form: "La forma de la respuesta, como ejemplo: Resultado – … / Supuesto – … / Pendiente – …",
    fill_in: "Completado:",
    which_file: "Qué archivo, componente o tecnología:",
    which_fact: "Qué lugar, fecha, cantidad o nombre:",
    which_thing: "De qué se trata, por su nombre:",
    what_to_do: "Qué hay que hacer y con qué:",
    what_result: "Qué debe haber o cambiar después:",
    which_holds: "Cuál de las dos cosas vale:",
    more: "Qué más importa:",
};

impl Wording {
    pub(super) const fn of(language: Language) -> &'static Self {
        match language {
            Language::En => &ENGLISH,
            Language::Es => &SPANISH,
        }
    }

    /// Whether a line is one of ours; it then counts as words, but says nothing of the matter.
    fn has(&self, line: &str) -> bool {
        let lines = [self.only_this, self.done_when, self.form];
        line.starts_with(self.said)
            || lines.contains(&line)
            || self.steps.contains(&line)
            || self.checklist.contains(&line)
    }
}

/// A request without our own wording.
#[derive(Debug)]
pub(super) struct Bare<'t> {
    /// What a person said.
    pub(super) matter: Cow<'t, str>,
    /// How many words of it there are.
    pub(super) words: usize,
    /// What our wording tells those who work on it, line by line.
    pub(super) instructions: Vec<&'t str>,
}

/// The tags of the structured variant.
const TAGS: [&str; 4] = ["<context>", "</context>", "<task>", "</task>"];

/// Takes our own wording off a request.
pub(super) fn bare(text: &str) -> Bare<'_> {
    if !is_ours(text) {
        return Bare { matter: Cow::Borrowed(text), words: count(text), instructions: Vec::new() };
    }
    let mut bare = Bare { matter: Cow::Borrowed(""), words: 0, instructions: Vec::new() };
    let mut matter: Vec<&str> = Vec::new();
    for line in text.lines().map(str::trim) {
        let headings = [ENGLISH.fill_in, SPANISH.fill_in];
        if line.is_empty() || TAGS.contains(&line) || line.ends_with(BLANK) || headings.contains(&line) {
            continue;
        }
        if !ENGLISH.has(line) && !SPANISH.has(line) {
            bare.words += count(line);
            matter.push(line);
        } else if ![ENGLISH.said, SPANISH.said].iter().any(|said| line.starts_with(said)) {
            bare.instructions.push(line);
        }
    }
    bare.matter = Cow::Owned(matter.join("\n"));
    bare
}

fn is_ours(text: &str) -> bool {
    text.lines().map(str::trim).any(|line| {
        TAGS.contains(&line)
            || line.ends_with(BLANK)
            || [&ENGLISH, &SPANISH].iter().any(|it| it.has(line) || it.fill_in == line)
    })
}

/// How many words a text has.
fn count(text: &str) -> usize {
    text.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric)).count()
}
