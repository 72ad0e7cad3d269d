//! Signals of trust: whether a message leaves the choices to the program, or objects to what it did.
//!
//! "wrong", "stop", "mal" and "para" are ordinary words. They count where they are a clause by themselves, or where the
//! clause is about what was just done ("that's wrong"), and not in "find what is wrong with the parser".

use candor_text::fold;

/// What a message says of the work so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// The person leaves the choices to the program.
    Trust,
    /// The person objects to what was done.
    Distrust,
}

/// Anywhere in a message, as whole words.
const TRUST: &[&str] =
    &["confio en ti", "hazlo tu", "decide tu", "tu decides", "you know best", "go ahead", "i trust you"];

/// Anywhere in a message, as whole words.
#[rustfmt::skip]
const DISTRUST: &[&str] = &[
    "no hagas eso", "eso no", "esta mal", "lo hiciste mal", "lo has hecho mal", "thats wrong", "that is wrong", "this is wrong",
    "thats not what i", "that is not what i", "dont do that", "do not do that", "stop that", "stop doing", "stop it", "deja de hacer",
    "deshaz eso", "no era eso",
];

/// Only as a clause by themselves: they mean much else.
const ALONE: &[&str] = &["para", "stop", "mal", "wrong", "para ya", "basta", "no stop"];

/// Words before which a phrase is no objection: "check whether that is wrong", "si está mal, avísame".
const ASKED: &[&str] =
    &["if", "whether", "when", "where", "why", "what", "si", "cuando", "donde", "porque", "que", "lo"];

/// The signal in a message, if there is one. Trust is looked for first.
#[must_use]
pub fn signal(message: &str) -> Option<Signal> {
    let clauses: Vec<String> = message
        .split(['.', ',', ';', ':', '!', '?', '¡', '¿', '\n', '—', '…'])
        .map(words)
        .filter(|clause| !clause.is_empty())
        .collect();
    let says =
        |phrases: &[&str]| clauses.iter().any(|clause| phrases.iter().any(|phrase| has(clause, phrase)));
    if says(TRUST) {
        return Some(Signal::Trust);
    }
    let alone = clauses.iter().any(|clause| ALONE.contains(&clause.as_str()));
    (alone || says(DISTRUST)).then_some(Signal::Distrust)
}

/// The words of a clause, folded, with one space between them; apostrophes are left out.
fn words(clause: &str) -> String {
    let plain: String = clause.chars().filter(|letter| !matches!(letter, '\'' | '’')).collect();
    let spaced: String =
        fold(&plain).chars().map(|letter| if letter.is_alphanumeric() { letter } else { ' ' }).collect();
    spaced.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether a clause has a phrase as whole words, and does not merely ask about it.
fn has(clause: &str, phrase: &str) -> bool {
    let Some(at) = format!(" {clause} ").find(&format!(" {phrase} ")) else { return false };
    let before = clause.get(..at).unwrap_or_default();
    !before.split_whitespace().any(|word| ASKED.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_phrase_is_found_and_ordinary_words_are_none() {
        // spec: orchestrator TL-08
        for text in
            ["Confío en ti", "hazlo tú", "Decide tú.", "You know best!", "ok, go ahead with the second one"]
        {
            assert_eq!(signal(text), Some(Signal::Trust), "{text}");
        }
        for text in [
            "No hagas eso",
            "para",
            "Stop!",
            "eso no",
            "mal",
            "wrong",
            "No, that's wrong. Undo it",
            "¡Para!",
            "Eso está mal",
        ] {
            assert_eq!(signal(text), Some(Signal::Distrust), "{text}");
        }
        for text in [
            "código para el login",
            "normal",
            "Find what is wrong with the parser",
            "stop the server on port 80",
            "el formulario queda mal alineado en el móvil",
            "Check whether that is wrong",
            "Si está mal, avísame",
            "Add a stop button",
            "",
        ] {
            assert_eq!(signal(text), None, "{text}");
        }
        assert_eq!(signal("wrong, but go ahead"), Some(Signal::Trust), "trust is looked for first");
    }
}
