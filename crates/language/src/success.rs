//! How a request says when it is fulfilled: a file to be made, a count, a limit, a format, a language.
//!
//! Gives criteria in the language that validation executes, each with the words that it comes from. Only what is said
//! plainly becomes one: where the words could mean something else there is no criterion, because a wrong one makes a
//! good result look bad. What a request wants to have done in the world and nothing here can check is a criterion too,
//! for somebody to judge: nobody may say that it was done because everything else was.

mod limits;
mod words;

use crate::split;

use self::limits::Unit;
use self::words::{Said, is_effect, is_making, is_telling};

/// A criterion and the words that it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Derived {
    /// In the language of criteria.
    pub criterion: String,
    /// The words of the request.
    pub words: String,
}

/// So many criteria come from one request.
const MOST: usize = 8;

/// The criteria that a request's own words say.
#[must_use]
pub fn criteria(request: &str) -> Vec<Derived> {
    let steps = split::split(super::evaluate::beginning(request));
    let said: Vec<Said> = steps.iter().map(|step| Said::new(&step.description)).collect();
    let files = made_files(&said);
    let mut found: Vec<Derived> = Vec::new();
    for (file, step) in &files {
        found.push(derived(format!("file exists: {file}"), step));
        found.extend(format_of_name(file).map(|format| derived(format!("file {file} is {format}"), step)));
    }
    let subject = match files.as_slice() {
        [] => Some("answer".to_owned()),
        [(file, _)] => Some(format!("file {file}")),
        // A limit on one of several files could be meant for any of them.
        _ => None,
    };
    for step in &said {
        found.extend(about_text(step, subject.as_deref(), !files.is_empty()));
        found.extend(effect(step));
    }
    let mut once: Vec<Derived> = Vec::new();
    for criterion in found {
        if !once.iter().any(|known| known.criterion == criterion.criterion) {
            once.push(criterion);
        }
    }
    once.truncate(MOST);
    once
}

fn derived(criterion: String, step: &Said) -> Derived {
    Derived { criterion, words: step.text.clone() }
}

/// The files that a step says are to be made.
fn made_files(steps: &[Said]) -> Vec<(String, &Said)> {
    let mut files: Vec<(String, &Said)> = Vec::new();
    for step in steps.iter().filter(|step| !step.is_doubtful() && !step.asks_how()) {
        for file in step.made_files() {
            if !files.iter().any(|(known, _)| *known == file) {
                files.push((file, step));
            }
        }
    }
    files
}

/// The format that the name of a file promises.
fn format_of_name(file: &str) -> Option<&'static str> {
    match file.rsplit_once('.')?.1.to_lowercase().as_str() {
        "json" => Some("json"),
        "csv" => Some("csv"),
        _ => None,
    }
}

/// Limits, counts, formats and languages that a step says.
fn about_text(step: &Said, subject: Option<&str>, to_file: bool) -> Vec<Derived> {
    if step.is_doubtful() || !step.keys.iter().any(|key| is_making(key) || is_telling(key)) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for limit in limits::in_words(step) {
        let sign = limit.sign;
        let number = limit.number;
        let criterion = match (&limit.unit, subject) {
            (Unit::Words, Some(subject)) => Some(format!("{subject} words {sign} {number}")),
            (Unit::Lines, Some(subject)) => Some(format!("{subject} lines {sign} {number}")),
            (Unit::Things(_), Some(subject)) if to_file => Some(format!("{subject} entries {sign} {number}")),
            (Unit::Things(what), _) => Some(format!("count {what} {sign} {number}")),
            _ => None,
        };
        found.extend(criterion.map(|criterion| derived(criterion, step)));
    }
    let Some(subject) = subject else { return found };
    let named = subject.strip_prefix("file ").and_then(format_of_name);
    if let Some(format) = step.format().filter(|format| named.is_none_or(|named| named == *format)) {
        found.push(derived(format!("{subject} is {format}"), step));
    }
    if let Some(language) = step.language() {
        found.push(match language {
            "english" | "spanish" => derived(format!("{subject} in {language}"), step),
            other => derived(format!("judge: the result is written in {other}"), step),
        });
    }
    found
}

/// A change of the world that a step wants, and that no other criterion can show.
fn effect(step: &Said) -> Option<Derived> {
    let wanted = step.keys.first().is_some_and(|key| is_effect(key));
    (wanted && !step.is_doubtful()).then(|| derived(format!("judge: {}", step.text), step))
}
