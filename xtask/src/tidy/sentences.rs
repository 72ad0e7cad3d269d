//! The rule that every sentence of the command stands in both languages.
//!
//! A sentence is a string with at least two words. It is written with `say!`, `word!`, `tell!` or `Text::new`, which take
//! English and Spanish side by side; `recorded!` marks what is written to a log, in English.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

use super::problem::Problem;
use super::source::{Code, Source};

/// Where people are spoken to.
const PLACE: &str = "crates/cli/src/";

/// Files whose strings are for somebody else, with the reason.
const OTHERS: &[(&str, &str)] = &[
    ("args/spanish.rs", "it is the catalogue of help texts, which a test holds complete"),
    ("commands/init/model.rs", "HTTP"),
    ("commands/hook/mod.rs", "what it tells is read by the model of a coding assistant"),
    ("commands/hook/trust.rs", "what it tells is read by the model of a coding assistant"),
    ("view/commands.rs", "commands to be typed"),
    ("view/report/diagrams.rs", "Mermaid"),
    ("view/report/html.rs", "HTML"),
    (
        "view/words/recorded.rs",
        "it is the catalogue of what logs say in English, which a test holds complete",
    ),
];

/// Macros that take a sentence in every language, or mark one that is not for the screen.
const CATALOGUE: [&str; 4] = ["say", "word", "recorded", "in_language"];

/// What is typed as it stands is no sentence.
const COMMAND: &str = "candor ";

/// Checks the production code of the command.
pub(super) fn check(source: &Source, code: &Code) -> Vec<Problem> {
    let Some(file) = source.path.strip_prefix(PLACE) else { return Vec::new() };
    if OTHERS.iter().any(|(other, _)| *other == file) {
        return Vec::new();
    }
    let mut found = Vec::new();
    collect(code.tokens.clone(), &mut found);
    let production = found.into_iter().filter(|(line, _)| !code.tests.contain(*line));
    let problem = |(line, text): (usize, String)| {
        let what = "a sentence in one language: write it with say!, word!, tell! or Text::new, in English and Spanish";
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
                if text.starts_with('"') && is_sentence(&text) {
                    found.push((literal.span().start().line, text));
                }
            }
            _ => {}
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
        let elsewhere =
            fixtures::complaints(check, "crates/app/src/lib.rs", "fn f() { g(\"No runs yet.\") }");
        assert_eq!(elsewhere, [""; 0]);
    }
}
