//! How a task says that it succeeded: a small language, and prose that only a person can judge.
//!
//! `outputs present: A, B` · `outputs expected: A, B` and `outputs not empty` (told, never blocking) · `output cost.total <= 2000` · `output title not empty` · `output text contains "x"`
//! · `count activities >= 5` · `file exists: PATH` · `command: PROGRAM ARG …`. Several, parted by `;`, must all
//! hold. What reads like none of these is prose: it is never counted as met or as unmet. A command is only
//! named here, never run, and only one from a source that is trusted may be.

mod reading;
mod words;

use std::fmt;

use candor_model::{Broadcast, CheckKind, JsonMap, QueryResponse};
use serde_json::Value;

pub use self::reading::parse;

/// Everything that must hold of a task's result.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Criterion {
    /// The parts, in the order in which they were written.
    pub clauses: Vec<Clause>,
}

/// One thing that must hold.
#[derive(Debug, Clone, PartialEq)]
pub enum Clause {
    /// Outputs of these names are there and say something.
    Present(Vec<String>),
    /// These should be there. What is missing is told, and blocks nothing: the names are our own guess.
    Expected(Vec<String>),
    /// Anything at all. That nothing came out is told, and blocks nothing: there are tasks that only do something.
    Something,
    /// An output is as wanted; its name may be a path into it, such as `cost.total`.
    Output {
        /// The name or path.
        path: String,
        /// What is wanted of it.
        wanted: Wanted,
    },
    /// The number of entries of an output.
    Count {
        /// The name or path.
        path: String,
        /// How it compares.
        relation: Relation,
        /// With what.
        number: f64,
    },
    /// Something to look up in the world.
    Check(CheckKind),
    /// Something for a person to judge.
    Prose(String),
}

/// What is wanted of an output.
#[derive(Debug, Clone, PartialEq)]
pub enum Wanted {
    /// It compares so with a number.
    Number(Relation, f64),
    /// It is this text.
    Same(String),
    /// It says something.
    NotEmpty,
    /// This is in it, in any case of letters.
    Contains(String),
}

/// How two numbers compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// `>=`
    AtLeast,
    /// `<=`
    AtMost,
    /// `>`
    Above,
    /// `<`
    Below,
    /// `==`
    Equal,
}

impl Relation {
    fn holds(self, found: f64, wanted: f64) -> bool {
        match self {
            Self::AtLeast => found >= wanted,
            Self::AtMost => found <= wanted,
            Self::Above => found > wanted,
            Self::Below => found < wanted,
            Self::Equal => found == wanted,
        }
    }

    const fn sign(self) -> &'static str {
        match self {
            Self::AtLeast => ">=",
            Self::AtMost => "<=",
            Self::Above => ">",
            Self::Below => "<",
            Self::Equal => "==",
        }
    }
}

/// What is to be said of a criterion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Judgement {
    /// It holds.
    Met,
    /// It does not hold, because of this.
    Unmet(String),
    /// The world must be looked at first.
    NeedsCheck(CheckKind),
    /// Nobody checked it, because of this.
    Prose(String),
}

impl Criterion {}

impl Clause {
    /// Judges this part alone.
    #[must_use]
    pub fn judge(&self, outputs: &JsonMap) -> Judgement {
        match self {
            Self::Present(names) => present(names, outputs),
            Self::Expected(names) => match present(names, outputs) {
                Judgement::Unmet(reason) => Judgement::Prose(reason),
                judgement => judgement,
            },
            Self::Something if outputs.values().all(Value::is_null) => {
                Judgement::Prose("nothing was put out".to_owned())
            }
            Self::Something => Judgement::Met,
            Self::Output { path, wanted } => match lookup(outputs, path) {
                Some(found) => wanted.judge(path, found),
                None => Judgement::Unmet(format!("there is no output {path}")),
            },
            Self::Count { path, relation, number } => counted(outputs, path, *relation, *number),
            Self::Check(kind) => Judgement::NeedsCheck(kind.clone()),
            Self::Prose(text) => Judgement::Prose(format!("nobody checked: {text}")),
        }
    }

    /// Whether a check of it may be made. A command is run if the person brought it in their own plan, or if
    /// its program is among those that were allowed, named exactly so: a path to another program of the same
    /// name is another program.
    #[must_use]
    pub fn may_run(&self, allowed: &[String], brought: bool) -> bool {
        match self {
            Self::Check(CheckKind::Command(words)) => {
                brought || words.first().is_some_and(|program| allowed.contains(program))
            }
            _ => true,
        }
    }
}

impl fmt::Display for Clause {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Expected(names) => write!(formatter, "outputs expected: {}", names.join(", ")),
            Self::Something => formatter.write_str("outputs not empty"),
            Self::Present(names) => write!(formatter, "outputs present: {}", names.join(", ")),
            Self::Output { path, wanted: Wanted::Number(relation, number) } => {
                write!(formatter, "output {path} {} {number}", relation.sign())
            }
            Self::Output { path, wanted: Wanted::Same(text) } => {
                write!(formatter, "output {path} == \"{text}\"")
            }
            Self::Output { path, wanted: Wanted::NotEmpty } => write!(formatter, "output {path} not empty"),
            Self::Output { path, wanted: Wanted::Contains(text) } => {
                write!(formatter, "output {path} contains \"{text}\"")
            }
            Self::Count { path, relation, number } => {
                write!(formatter, "count {path} {} {number}", relation.sign())
            }
            Self::Check(CheckKind::File(path)) => write!(formatter, "file exists: {path}"),
            Self::Check(CheckKind::Command(command)) => {
                write!(formatter, "command: {}", words::join(command))
            }
            Self::Prose(text) => formatter.write_str(text),
        }
    }
}

fn present(names: &[String], outputs: &JsonMap) -> Judgement {
    let missing = names.iter().filter(|name| lookup(outputs, name).is_none_or(says_nothing));
    let missing: Vec<&str> = missing.map(String::as_str).collect();
    if missing.is_empty() {
        Judgement::Met
    } else {
        Judgement::Unmet(format!("missing or empty: {}", missing.join(", ")))
    }
}

impl Wanted {
    fn judge(&self, path: &str, found: &Value) -> Judgement {
        let (met, wanted) = match self {
            Self::Number(relation, number) => {
                let Some(value) = as_number(found) else {
                    return Judgement::Unmet(format!("output {path} is {}, not a number", shown(found)));
                };
                (relation.holds(value, *number), format!("{} {number}", relation.sign()))
            }
            Self::Same(text) => (as_text(found).trim() == text.trim(), format!("== \"{text}\"")),
            Self::NotEmpty => (!says_nothing(found), "not empty".to_owned()),
            Self::Contains(text) => (contains(found, &text.to_lowercase()), format!("containing \"{text}\"")),
        };
        if met {
            Judgement::Met
        } else {
            Judgement::Unmet(format!("output {path} is {}, wanted {wanted}", shown(found)))
        }
    }
}

fn counted(outputs: &JsonMap, path: &str, relation: Relation, number: f64) -> Judgement {
    let entries = match lookup(outputs, path) {
        Some(Value::Array(entries)) => entries.len(),
        Some(Value::Object(entries)) => entries.len(),
        Some(other) => return Judgement::Unmet(format!("output {path} is {}, not a list", shown(other))),
        None => return Judgement::Unmet(format!("there is no output {path}")),
    };
    if relation.holds(entries as f64, number) {
        Judgement::Met
    } else {
        let wanted = format!("{} {number}", relation.sign());
        Judgement::Unmet(format!("output {path} has {entries} entries, wanted {wanted}"))
    }
}

/// The output of this name, or what the path leads to: `cost.total`, `flights.0.price`.
#[must_use]
pub fn lookup<'a>(outputs: &'a JsonMap, path: &str) -> Option<&'a Value> {
    if let Some(value) = outputs.get(path) {
        return Some(value);
    }
    let mut parts = path.split('.');
    let mut value = outputs.get(parts.next()?)?;
    for part in parts {
        value = match value {
            Value::Object(map) => map.get(part)?,
            Value::Array(entries) => entries.get(part.parse::<usize>().ok()?)?,
            _ => return None,
        };
    }
    Some(value)
}

fn says_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(entries) => entries.is_empty(),
        Value::Object(entries) => entries.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

fn as_number(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| value.as_str()?.trim().parse().ok()).filter(|number: &f64| number.is_finite())
}

fn as_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// In a list, an entry must have it; in anything else, the text as it would be written.
fn contains(value: &Value, text: &str) -> bool {
    match value {
        Value::Array(entries) => entries.iter().any(|entry| contains(entry, text)),
        other => as_text(other).to_lowercase().contains(text),
    }
}

fn shown(value: &Value) -> String {
    crate::texts::shortened(&value.to_string(), 80)
}

/// Whether a warning stands in the way of a result, after whoever gave it was asked whether it is critical.
///
/// An answer that is no answer changes nothing: then only a warning that was called critical does.
#[must_use]
pub fn is_blocking(warning: &Broadcast, answer: Option<&QueryResponse>) -> bool {
    let told = answer.and_then(|answer| answer.response.as_ref().ok()).and_then(is_critical);
    told.unwrap_or_else(|| warning.is_alarm())
}

/// `true`, `{"critical": true}`, `critical`, `it is not critical`; nothing if it says neither.
fn is_critical(answer: &Value) -> Option<bool> {
    match answer {
        Value::Bool(critical) => Some(*critical),
        Value::Object(fields) => fields.get("critical").or_else(|| fields.get("blocking"))?.as_bool(),
        Value::String(text) => {
            let text = text.to_lowercase();
            let denied = ["not ", "no ", "non-", "isn't", "no,"].iter().any(|word| text.contains(word));
            let named = ["critical", "blocking", "yes", "crítico"].iter().any(|word| text.contains(word));
            if denied || text.trim() == "no" { Some(false) } else { named.then_some(true) }
        }
        _ => None,
    }
}
