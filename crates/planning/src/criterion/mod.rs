//! How a task or a goal says that it succeeded: a small language.
//!
//! `outputs present: A, B` · `outputs expected: A, B` and `outputs not empty` (told, never blocking) · `output
//! cost.total <= 2000` · `output title not empty` · `output text contains "x"` · `output rows is a list` · `count activities >= 5` · `file
//! exists: PATH` · `file PATH words < 300` · `file PATH is csv` · `answer in spanish` · `outputs schema: {…}` ·
//! `command: PROGRAM ARG …` · `judge: WORDS`. Several, parted by `;`, must all hold. `LABEL => CRITERION` gives it a
//! name for people. Any other text is prose: an error in a plan that a person wrote, and never counted as
//! met or as unmet. A command is only named here, never run, and only one from a source that is trusted may be.

mod content;
mod forms;
mod reading;
mod words;

use std::fmt;

use candor_model::{Broadcast, CheckKind, JsonMap, QueryResponse};
use serde_json::Value;

pub use self::content::{Format, MOST_TEXT, Subject, TextTest};
pub use self::forms::{FORMS, nearest, problems};
pub use self::reading::parse;

/// Everything that must hold of a task's result.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Criterion {
    /// Its name for people, if it has one.
    pub label: Option<String>,
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
        /// How the number of entries, on the left, compares.
        relation: Relation,
        /// Right side of the relation.
        number: f64,
    },
    /// Something must hold of a text.
    Text {
        /// Which text is read: an output, the answer, or a file.
        subject: Subject,
        /// What must hold of it.
        test: TextTest,
    },
    /// The outputs, or one of them, have this form.
    Schema {
        /// The name or path; absent if all outputs together are meant.
        path: Option<String>,
        /// The form, as JSON Schema.
        schema: Value,
    },
    /// Something to look up outside the run.
    Check(CheckKind),
    /// Words that only somebody who understands them can judge.
    Judge(String),
    /// What was not understood.
    Prose(String),
}

/// What is wanted of an output.
#[derive(Debug, Clone, PartialEq)]
pub enum Wanted {
    /// It compares so with a number.
    Number(Relation, f64),
    /// It is this text.
    Same(String),
    /// It is there, and not empty.
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
    /// The outputs show that it holds.
    Met,
    /// It does not hold, because of this.
    Unmet(String),
    /// The world must be looked at first.
    NeedsCheck(CheckKind),
    /// Nobody checked it, because of this.
    Prose(String),
}

impl Criterion {
    /// What the criterion is called before people: its label, or its clauses.
    #[must_use]
    pub fn name(&self) -> String {
        let clauses = || self.clauses.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
        self.label.clone().unwrap_or_else(clauses)
    }
}

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
            Self::Text { subject: Subject::File(path), .. } => {
                Judgement::NeedsCheck(CheckKind::Content(path.clone()))
            }
            Self::Text { subject: Subject::Output(path), test } => match lookup(outputs, path) {
                Some(found) => test.judge(&as_text(found)).0,
                None => Judgement::Unmet(format!("there is no output {path}")),
            },
            Self::Text { subject: Subject::Answer, test } => match answer(outputs) {
                Some(text) => test.judge(text).0,
                None => Judgement::Prose("no single text was put out as the answer".to_owned()),
            },
            Self::Schema { path, schema } => fits(outputs, path.as_deref(), schema),
            Self::Check(kind) => Judgement::NeedsCheck(kind.clone()),
            Self::Judge(_) => Judgement::Prose("no model was there to judge it".to_owned()),
            Self::Prose(text) => Judgement::Prose(format!("nobody checked: {text}")),
        }
    }

    /// The names of the outputs that it looks at, or the beginnings of paths into them.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        let first = |path: &'_ str| path.split('.').next().unwrap_or_default().len();
        match self {
            Self::Present(names) | Self::Expected(names) => names.iter().map(String::as_str).collect(),
            Self::Output { path, .. }
            | Self::Count { path, .. }
            | Self::Text { subject: Subject::Output(path), .. }
            | Self::Schema { path: Some(path), .. } => path.get(..first(path)).into_iter().collect(),
            _ => Vec::new(),
        }
    }

    /// Whether it says no more than that something was put out.
    #[must_use]
    pub const fn is_shape(&self) -> bool {
        matches!(self, Self::Present(_) | Self::Expected(_) | Self::Something)
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
            Self::Check(CheckKind::Content(path) | CheckKind::Written(path)) => {
                write!(formatter, "file exists: {path}")
            }
            Self::Check(CheckKind::Secrets(_)) => formatter.write_str(crate::quality_gate::NO_SECRETS),
            Self::Check(CheckKind::Program(name)) => write!(formatter, "program installed: {name}"),
            Self::Text { subject, test } => write!(formatter, "{subject} {test}"),
            Self::Schema { path: None, schema } => write!(formatter, "outputs schema: {schema}"),
            Self::Schema { path: Some(path), schema } => write!(formatter, "output {path} schema: {schema}"),
            Self::Judge(words) => write!(formatter, "judge: {words}"),
            Self::Prose(text) => formatter.write_str(text),
        }
    }
}

/// The text that outputs are about: the only one, or the one that is named as such.
fn answer(outputs: &JsonMap) -> Option<&str> {
    const NAMES: &[&str] = &["answer", "text", "result", "summary", "report", "output", "content", "message"];
    let texts = || outputs.iter().filter_map(|(name, value)| Some((name.as_str(), value.as_str()?)));
    let named: Vec<&str> = texts().filter(|(name, _)| NAMES.contains(name)).map(|(_, text)| text).collect();
    let all: Vec<&str> = texts().map(|(_, text)| text).collect();
    match (named.as_slice(), all.as_slice()) {
        ([only], _) | ([], [only]) => Some(only),
        _ => None,
    }
}

fn fits(outputs: &JsonMap, path: Option<&str>, schema: &Value) -> Judgement {
    let value = match path {
        None => Some(Value::Object(outputs.clone())),
        Some(path) => lookup(outputs, path).cloned(),
    };
    let Some(value) = value else {
        return Judgement::Unmet(format!("there is no output {}", path.unwrap_or_default()));
    };
    match candor_schema::problems(&value, schema).first() {
        None => Judgement::Met,
        Some(problem) => Judgement::Unmet(problem.clone()),
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

/// A value as it is told, shortened.
#[must_use]
pub fn shown(value: &Value) -> String {
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
