//! The rule that every sentence for people stands in both languages.
//!
//! A sentence is a string with at least two words. It is written with `say!`, `both!`, `word!`, `tell!` or `Text::new`, which
//! take English and Spanish side by side; `recorded!` and `in_english!` mark what is written to a log or answered to a
//! program, in English. Elsewhere a crate says nothing to people itself: what it prints on standard error is checked there.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

use super::problem::Problem;
use super::source::{Code, Source};

/// Where people are spoken to.
const PLACES: [&str; 4] =
    ["crates/cli/src/", "crates/app/src/", "crates/projections/src/", "crates/server/src/http/pages/"];

/// Where programs are answered, in English, and only standard error is for people.
const ANSWERS: &str = "crates/server/src/";

/// Why the tables of recorded sentences are left alone.
const RECORDED: &str = "it is the catalogue of what logs say in English, which a test holds complete";

/// Files whose strings are for somebody else, with the reason.
const OTHERS: &[(&str, &str)] = &[
    ("crates/cli/src/args/spanish.rs", "it is the catalogue of help texts, which a test holds complete"),
    ("crates/cli/src/commands/init/model.rs", "HTTP"),
    ("crates/cli/src/commands/hook/mod.rs", "what it tells is read by the model of a coding assistant"),
    ("crates/cli/src/commands/hook/trust.rs", "what it tells is read by the model of a coding assistant"),
    ("crates/cli/src/view/commands.rs", "commands to be typed"),
    ("crates/cli/src/view/report/diagrams.rs", "Mermaid"),
    ("crates/cli/src/view/report/html.rs", "HTML"),
    ("crates/projections/src/recorded/failures.rs", RECORDED),
    ("crates/projections/src/recorded/phases.rs", RECORDED),
    ("crates/projections/src/recorded/plans.rs", RECORDED),
    ("crates/projections/src/recorded/questions.rs", RECORDED),
    (
        "crates/projections/src/kpi/alerts.rs",
        "rules to start from; a message is shown as the configuration has it",
    ),
    ("crates/projections/src/kpi/condition.rs", "serde tells it with its own words, which are English"),
    (
        "crates/projections/src/kpi/names.rs",
        "it is a catalogue: each figure stands with its words in both languages",
    ),
    ("crates/projections/src/kpi/prometheus.rs", "Prometheus"),
    ("crates/projections/src/trace/scores.rs", "comments in traces"),
    (
        "crates/server/src/http/pages/words.rs",
        "it is the catalogue of the pages: every word has both languages",
    ),
];

/// Macros that take a sentence in every language, or mark one that is not for the screen.
const CATALOGUE: [&str; 8] =
    ["say", "both", "word", "words", "recorded", "in_english", "in_language", "word_in"];

/// Values of HTML, SVG and HTTP with two words, and a label that logs have.
const VALUES: [&str; 5] = [
    "\"xMinYMin meet\"",
    "\"light dark\"",
    "\"private, max-age=300\"",
    "\"{name}={value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=31536000\"",
    "\"plan proposed\"",
];

/// What is typed as it stands is no sentence.
const COMMAND: &str = "candor ";

/// Checks production code that speaks to people.
pub(super) fn check(source: &Source, code: &Code) -> Vec<Problem> {
    let path = source.path.as_str();
    if OTHERS.iter().any(|(other, _)| *other == path) {
        return Vec::new();
    }
    let mut found = Vec::new();
    if PLACES.iter().any(|place| path.starts_with(place)) {
        collect(code.tokens.clone(), &mut found);
    } else if path.starts_with(ANSWERS) {
        printed(code.tokens.clone(), &mut found);
    }
    let production = found.into_iter().filter(|(line, _)| !code.tests.contain(*line));
    let problem = |(line, text): (usize, String)| {
        let what = "a sentence in one language: write it with say!, both!, word!, tell! or Text::new, in English and Spanish";
        Problem::at(&source.path, line, format!("{what}: {text}"))
    };
    production.map(problem).collect()
}

/// The sentences outside the catalogue, with their lines.
fn collect(tokens: TokenStream, found: &mut Vec<(usize, String)>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (at, token) in tokens.iter().enumerate() {
        let before = tokens.get(..at).unwrap_or_default();
        match token {
            TokenTree::Group(group) if !is_exempt(before, group) => collect(group.stream(), found),
            TokenTree::Literal(literal) => {
                let text = literal.to_string();
                if text.starts_with('"') && !VALUES.contains(&text.as_str()) && is_sentence(&text) {
                    found.push((literal.span().start().line, text));
                }
            }
            _ => {}
        }
    }
}

/// The sentences that are printed on standard error.
fn printed(tokens: TokenStream, found: &mut Vec<(usize, String)>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (at, token) in tokens.iter().enumerate() {
        let TokenTree::Group(group) = token else { continue };
        let before = tokens.get(..at).unwrap_or_default();
        match before.iter().rev().take(2).map(ToString::to_string).collect::<Vec<_>>().as_slice() {
            [mark, name] if mark == "!" && name == "eprintln" => collect(group.stream(), found),
            _ => printed(group.stream(), found),
        }
    }
}

/// Whether a group is an attribute, or holds a sentence in both languages.
fn is_exempt(before: &[TokenTree], group: &Group) -> bool {
    let texts: Vec<String> = before.iter().rev().take(4).map(ToString::to_string).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    match texts.as_slice() {
        ["#", ..] | ["!", "#", ..] if group.delimiter() == Delimiter::Bracket => true,
        ["!", "tell", ..] => has_two_literals(group) && begins_with_words(group),
        ["!", name, ..] => CATALOGUE.contains(name),
        ["new", ":", ":", "Text"] => has_two_literals(group),
        // A problem is what the API answers, also where a page shows it.
        [_, ":", ":", "Problem"] => true,
        _ => false,
    }
}

fn has_two_literals(group: &Group) -> bool {
    let first: Vec<TokenTree> = group.stream().into_iter().take(3).collect();
    matches!(first.as_slice(), [TokenTree::Literal(_), TokenTree::Punct(_), TokenTree::Literal(_)])
}

/// Whether the first literal says something: where it is only a place, the second is what is put there.
fn begins_with_words(group: &Group) -> bool {
    let first = group.stream().into_iter().next().map(|token| token.to_string()).unwrap_or_default();
    outside_braces(&first).contains(char::is_alphabetic)
}

/// A string without what is placed in it.
fn outside_braces(literal: &str) -> String {
    let mut rest = String::new();
    let mut depth = 0_u32;
    for letter in literal.chars() {
        match letter {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            letter if depth == 0 => rest.push(letter),
            _ => {}
        }
    }
    rest.replace("\\n", " ")
}

/// Whether a string has two words beside what is placed in it.
fn is_sentence(literal: &str) -> bool {
    let rest = outside_braces(literal);
    // TOML has keys and values.
    if rest.contains(" = ") || rest.trim_start_matches('"').trim_start().starts_with(COMMAND) {
        return false;
    }
    let is_word = |word: &&str| {
        let word = word.trim_matches(|letter: char| !letter.is_alphabetic());
        word.chars().count() > 1 && word.chars().all(|letter| letter.is_alphabetic() || "'-".contains(letter))
    };
    rest.split_whitespace().filter(is_word).count() > 1
}

#[cfg(test)]
mod tests {
    use super::super::source::fixtures;
    use super::*;

    fn complaints(text: &str) -> Vec<String> {
        fixtures::complaints(check, "crates/cli/src/commands/list.rs", text)
    }

    #[test]
    fn a_sentence_in_one_language_is_a_problem_wherever_it_stands() {
        // spec: findings UX-10
        for text in [
            "fn f() { print(\"No runs yet.\") }",
            "fn f() { format!(\"run {run} is paused\") }",
            "fn f() { tell!(\"candor: no runs: {}\", runs) }",
            "const NONE: &str = \"No runs yet.\";",
            "fn f() { tell!(\"{}\", \"nothing was found\") }",
        ] {
            let found = complaints(text);
            let is_told = |it: &String| it.contains("a sentence in one language");
            assert_eq!(found.iter().filter(|it| is_told(it)).count(), 1, "{text}: {found:?}");
        }
    }

    #[test]
    fn both_languages_keys_commands_and_tests_are_free() {
        for text in [
            "fn f() { say!(\"No runs yet.\", \"Aún no hay ejecuciones.\") }",
            "fn f() { tell!(\"no runs in {}\", \"no hay ejecuciones en {}\", place) }",
            "const NONE: Text = Text::new(\"No runs yet.\", \"Aún no hay ejecuciones.\");",
            "/// A sentence in a comment.\n#[arg(help = \"two words\")]\nfn f() { g(\"run_id\") }",
            "fn f() { format!(\"candor resume {run} --yes please\") }",
            "fn f() { recorded!(\"approved at the terminal\") }",
            "#[cfg(test)]\nmod tests {\n    fn f() { g(\"No runs yet.\") }\n}\n",
        ] {
            assert_eq!(complaints(text), [""; 0], "{text}");
        }
        let at = |path: &str, text: &str| fixtures::complaints(check, path, text).len();
        let said = "fn f() { g(\"No runs yet.\") }";
        assert_eq!(
            ["app/src/data.rs", "projections/src/words.rs", "server/src/http/pages/run.rs"]
                .map(|file| { at(&format!("crates/{file}"), said) }),
            [1; 3]
        );
        // A library says nothing to people, and a program is answered in English; what the server prints is for people.
        assert_eq!(at("crates/engine/src/lib.rs", said), 0);
        assert_eq!(at("crates/server/src/http/runs.rs", said), 0);
        assert_eq!(at("crates/server/src/http/runs.rs", "fn f() { eprintln!(\"No runs yet: {x}\") }"), 1);
    }
}
