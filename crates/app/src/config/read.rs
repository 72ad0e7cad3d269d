//! Reading files that people write: errors say which file, where in it, which field, and what was expected.

use std::path::Path;

use serde::de::DeserializeOwned;

use candor_text::{Sentence, both};

use crate::error::AppError;

/// Names that differ by more than this are not meant.
const SIMILAR: f64 = 0.6;

/// Reads a TOML file.
pub(super) fn read_toml<T: DeserializeOwned>(path: &Path) -> Result<T, AppError> {
    let text = read_text(path)?;
    toml::from_str(&text).map_err(|error| {
        let place = error.span().map_or_else(|| Sentence::from(""), |span| place(&text, span.start));
        let told = error.message().trim_end();
        let problem = place.after(path.display()).then(": ").then(in_words(told));
        AppError::usage(problem.then(suggestion(told)))
    })
}

/// Reads a JSON file.
pub(super) fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T, AppError> {
    let text = read_text(path)?;
    candor_model::from_json(&text).map_err(|error| {
        let told = error.to_string();
        AppError::usage(Sentence::from(format_args!("{}: {told}", path.display())).then(suggestion(&told)))
    })
}

/// Reads a file as text.
pub fn read_text(path: &Path) -> Result<String, AppError> {
    let shown = path.display();
    let bytes = std::fs::read(path).map_err(|error| {
        AppError::usage(both!("could not read {shown}: {error}", "no se pudo leer {shown}: {error}"))
    })?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        AppError::usage(both!(
            "{shown} is not text: byte {at} is not UTF-8",
            "{shown} no es texto: el byte {at} no es UTF-8"
        ))
    })
}

fn place(text: &str, offset: usize) -> Sentence {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let on_line = before.rsplit('\n').next().unwrap_or_default();
    let column = on_line.chars().count() + 1;
    let field = on_line.split_once('=').map(|(key, _)| format!(", `{}`", key.trim()));
    let field = field.unwrap_or_default();
    both!(", line {line}, column {column}{field}", ", línea {line}, columna {column}{field}")
}

/// An error in the words of the file instead of those of the program.
fn plain(error: &str) -> String {
    // What stands before it is the parser's, in English.
    const NUMBER: &str = recorded!("a whole number");
    const WORDS: [(&str, &str); 5] =
        [("u32", NUMBER), ("u64", NUMBER), ("usize", NUMBER), ("a sequence", "a list"), ("a map", "a table")];
    let Some((problem, expected)) = error.rsplit_once("expected ") else { return error.to_owned() };
    let said = WORDS.iter().find(|(theirs, _)| *theirs == expected).map_or(expected, |(_, ours)| ours);
    format!("{problem}expected {said}")
}

/// What is wrong, in the reader's language as far as the parser's sentence is known.
fn in_words(error: &str) -> Sentence {
    let english = plain(error);
    match unknown_field(error) {
        Some((wrong, known)) => {
            let known = known.trim_start_matches([',', ' ']);
            let known = known.trim_start_matches("expected ").trim_start_matches(recorded!("one of "));
            both!("{english}", "clave desconocida `{wrong}`; aquí se conocen {known}")
        }
        None => english.into(),
    }
}

/// The name that is not known and what stands behind it: the names that are.
fn unknown_field(error: &str) -> Option<(&str, &str)> {
    error.split_once(recorded!("unknown field `"))?.1.split_once('`')
}

/// `; did you mean `x`?` for an error that lists the names that it knows.
fn suggestion(error: &str) -> Sentence {
    match meant(error) {
        Some(name) => both!("; did you mean `{name}`?", "; ¿quizá `{name}`?"),
        None => "".into(),
    }
}

fn meant(error: &str) -> Option<&str> {
    let (wrong, rest) = unknown_field(error)?;
    nearest(wrong, rest.split('`').skip(1).step_by(2))
}

/// The name that is most like `wrong`, if any is.
fn nearest<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let scored = known.into_iter().map(|name| (strsim::jaro_winkler(wrong, name), name));
    let best = scored.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (best.0 >= SIMILAR).then_some(best.1)
}

#[cfg(test)]
mod tests {
    use candor_text::Language;

    use super::*;

    #[test]
    fn the_nearest_name_is_suggested() {
        let error =
            "unknown field `max_paralel_tasks`, expected one of `max_parallel_tasks`, `max_revisions`";
        assert_eq!(meant(error), Some("max_parallel_tasks"));
        assert_eq!(meant("unknown field `zzz`, expected `limits`"), None);
        assert_eq!(meant("something else"), None);
        let told = in_words(error);
        assert_eq!(told.text(Language::En), error);
        let spanish =
            "clave desconocida `max_paralel_tasks`; aquí se conocen `max_parallel_tasks`, `max_revisions`";
        assert_eq!(told.text(Language::Es), spanish);
        assert_eq!(in_words("something else").text(Language::Es), "something else");
    }
}
