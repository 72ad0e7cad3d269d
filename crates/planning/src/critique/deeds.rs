//! The critique of the work itself, which the engine closes without a phase: what agents put out, against what was asked.
//!
//! Rules cannot tell whether an answer is right. They can tell that there is none: empty values, a placeholder, a
//! refusal, or prose that shares no word with the request, the task and what the task was given.

use std::collections::{BTreeMap, BTreeSet};

use candor_model::{
    AlignmentCheck, CritiqueChecks, ExecutionFeedback, Handoff, JsonMap, Phase, SubTask, TaskId, TaskStatus,
};
use candor_text::{Language, Rule, fold};
use serde_json::Value;

use super::schema::texts_in;
use super::words::{is_stop_word, stems};
use super::{Work, checks};

/// How many tasks are read for what the work was about.
const ENOUGH_TASKS: usize = 200;
/// A text of fewer words is no prose that could be compared.
const PROSE_WORDS: usize = 8;
/// One word in so many is a small one in prose; in lists and code it is not.
const SMALL_WORDS: usize = 5;
/// So many of them at least: one may be a name.
const LEAST_SMALL: usize = 3;
/// With fewer words in request, task and inputs there is nothing to compare with.
const ENOUGH_ASKED: usize = 5;
/// A longer text is more than a placeholder, whatever it begins with.
const LONGEST_REFUSAL: usize = 200;

/// Texts that stand for a result that is missing, as whole texts.
const PLACEHOLDERS: &[&str] = &[
    "todo",
    "tbd",
    "fixme",
    "n/a",
    "placeholder",
    "not implemented",
    "coming soon",
    "pendiente",
    "por hacer",
];
/// How an agent begins that did not do what it was asked.
const REFUSALS: &[&str] = &[
    "i cannot",
    "i can't",
    "i can not",
    "i am unable",
    "i'm unable",
    "i am not able",
    "i'm not able",
    "sorry, i",
    "i'm sorry, but",
    "as an ai",
    "lorem ipsum",
    "no puedo",
    "no me es posible",
    "lo siento, pero",
];

/// What tasks are about, in their own words.
pub fn told_of_tasks<'a>(tasks: impl IntoIterator<Item = &'a SubTask>) -> String {
    let done = tasks.into_iter().filter(|task| task.status != TaskStatus::Skipped).take(ENOUGH_TASKS);
    done.map(|task| task.description.as_str()).collect::<Vec<_>>().join("\n")
}

/// A result that does not answer its task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unanswered {
    /// Task whose result does not answer it.
    pub task_id: TaskId,
    /// What is wrong with its result.
    pub why: String,
    /// Whether that is certain. A text without a shared word may still be right.
    pub is_certain: bool,
}

/// The results that do not answer their tasks. `known` is what was given beside the request: files and instructions.
#[must_use]
pub fn unanswered<'a>(
    objective: &str,
    known: &str,
    results: &[(&'a SubTask, &'a ExecutionFeedback)],
) -> Vec<Unanswered> {
    let outputs: BTreeMap<&TaskId, &JsonMap> =
        results.iter().map(|(task, result)| (&task.task_id, &result.actual_outputs)).collect();
    let results = results.iter().take(ENOUGH_TASKS);
    let found = results.filter_map(|(task, result)| {
        let around = || {
            let upstream =
                task.dependencies.iter().filter_map(|id| outputs.get(id)).map(|given| texts_in(given));
            let given: String = upstream.collect::<Vec<_>>().join(" ");
            [objective, known, task.description.as_str(), &texts_in(&task.inputs), &given].join(" ")
        };
        let (why, is_certain) = fault(&result.actual_outputs, around, objective)?;
        Some(Unanswered { task_id: task.task_id.clone(), why, is_certain })
    });
    found.collect()
}

/// What is wrong with outputs, and whether that is certain. A task that puts out nothing at all may have acted instead.
fn fault(outputs: &JsonMap, around: impl Fn() -> String, objective: &str) -> Option<(String, bool)> {
    if outputs.is_empty() {
        return None;
    }
    if outputs.values().all(is_empty) {
        return Some(("every output is empty".to_owned(), true));
    }
    let text = texts_in(outputs);
    let text = text.trim();
    if let Some(said) = refusal(text) {
        return Some((format!("the result is a placeholder or a refusal: `{said}`"), true));
    }
    // Most results are no prose, which is quickly seen.
    if !is_prose(text) {
        return None;
    }
    let language = Language::of(objective);
    let around = around();
    let asked = stems(&around, language);
    // A translation shares no word with what it translates, and two words of a request tell nothing.
    let comparable = asked.len() >= ENOUGH_ASKED && Language::of(text) == language;
    let strange = comparable && stems(text, language).is_disjoint(&asked);
    strange.then(|| ("the result shares no word with the request, the task or its inputs".to_owned(), false))
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.iter().all(is_empty),
        Value::Object(map) => map.values().all(is_empty),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

fn refusal(text: &str) -> Option<String> {
    let folded = fold(text).replace('\u{2019}', "'");
    let bare = folded.trim_matches(|letter: char| !letter.is_alphanumeric());
    let short = text.chars().count() <= LONGEST_REFUSAL;
    let refused = PLACEHOLDERS.contains(&bare) || short && REFUSALS.iter().any(|it| folded.starts_with(it));
    refused.then(|| crate::texts::shortened(text, 60))
}

/// Whether a text is made of sentences of a language that is known here.
fn is_prose(text: &str) -> bool {
    let words: Vec<String> =
        Rule::Prose.split(text).take(500).map(|word| fold(word.text).into_owned()).collect();
    let small = words.iter().filter(|word| is_stop_word(word)).count();
    let different: BTreeSet<&String> = words.iter().collect();
    different.len() >= PROSE_WORDS && small >= LEAST_SMALL && small * SMALL_WORDS >= words.len()
}

/// Makes the five checks on the work of a plan, of which these are the tasks, with what was found unanswered.
#[must_use]
pub fn of_execution<'a>(
    objective: &str,
    tasks: impl IntoIterator<Item = &'a SubTask>,
    handoff: &Handoff,
    unanswered: &[Unanswered],
    expected_tokens: Option<u64>,
) -> CritiqueChecks {
    let said = told_of_tasks(tasks);
    let mut checks = checks(&Work {
        phase: Phase::Execution,
        objective,
        handoff,
        earlier: &BTreeMap::new(),
        said: &said,
        expected_tokens,
        past_errors: &[],
    });
    if !unanswered.is_empty() {
        let listed: Vec<String> = unanswered.iter().map(|it| format!("{}: {}", it.task_id, it.why)).collect();
        checks.objective_alignment = AlignmentCheck { pass: false, confidence: 0, reason: listed.join("; ") };
    }
    checks
}
