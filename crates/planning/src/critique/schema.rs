//! Whether a handoff is what it should be, by itself and beside those before it.

use std::collections::BTreeSet;

use candor_model::handoff::{DecompositionOutput, HandedTask};
use candor_model::{JsonMap, Phase, SpokenBy, TaskId};
use candor_text::Language;
use serde_json::Value;

use super::Work;
use super::words::stems;

/// How much text of a handoff is looked at; more would not change what it is about.
const ENOUGH_TEXT: usize = 20_000;

/// What does not fit.
pub(super) fn issues(work: &Work<'_>) -> Vec<String> {
    let mut issues = Vec::new();
    let handoff = work.handoff;
    if handoff.summary.trim().is_empty() {
        issues.push("the summary is empty".to_owned());
    }
    let scores = [("confidence", handoff.context.confidence), ("quality", handoff.quality)];
    let beyond =
        scores.iter().filter_map(|(name, score)| score.filter(|score| *score > 100).map(|it| (name, it)));
    issues.extend(beyond.map(|(name, score)| format!("{name} is {score}, which is above 100")));
    issues.extend(unknown_dependencies(work));
    issues.extend(left_out(work));
    issues
}

/// Tasks that wait for tasks that are not there. Only one phase hands tasks over.
fn unknown_dependencies(work: &Work<'_>) -> Vec<String> {
    if work.phase != Phase::Decomposition {
        return Vec::new();
    }
    let left: Option<DecompositionOutput<HandedTask>> = work.handoff.output().ok();
    let tasks = left.and_then(|left| left.subtasks).unwrap_or_default();
    let known: BTreeSet<&TaskId> = tasks.iter().map(|task| &task.task_id).collect();
    let waits = tasks.iter().flat_map(|task| task.dependencies.iter().map(|need| (&task.task_id, need)));
    let unknown = waits.filter(|(_, need)| !known.contains(need));
    unknown.map(|(task, need)| format!("{task} waits for {need}, which is not there")).collect()
}

/// Who is to take in what a phase asks for: what the request must have is for the tasks, not for what is loaded.
fn receiver(phase: Phase) -> Option<Phase> {
    match phase {
        Phase::Evaluation => Some(Phase::Decomposition),
        other => other.next(),
    }
}

/// What the phases before asked this one to take in, and of which it does not say a word.
fn left_out(work: &Work<'_>) -> Vec<String> {
    let before = work.earlier.iter().filter(|(phase, _)| receiver(**phase) == Some(work.phase));
    // What rules split leaves to constraints what must hold; agents are told of it with their orders.
    let splits_by_rules = work.phase == Phase::Decomposition && work.handoff.spoken_by == SpokenBy::Heuristic;
    let before = before.filter(|_| !splits_by_rules);
    let wanted: Vec<&String> = before.flat_map(|(_, handoff)| &handoff.instructions.must_include).collect();
    if wanted.is_empty() {
        return Vec::new();
    }
    let language = Language::of(work.objective);
    let mut found = stems(work.said, language);
    found.extend(stems(&work.handoff.summary, language));
    let data = all_text_in(&work.handoff.data.map());
    found.extend(stems(&data, language));
    let missed = wanted.into_iter().filter(|entry| {
        let words = stems(entry, language);
        !words.is_empty() && words.is_disjoint(&found)
    });
    missed.map(|entry| format!("`{entry}` was to be included and is not")).collect()
}

/// The texts and numbers in a handoff's data, without the names of its fields.
pub(super) fn texts_in(data: &JsonMap) -> String {
    let mut text = String::new();
    data.values().for_each(|value| collect(value, false, &mut text));
    text
}

/// The same with the names of the fields: what is asked for may be one.
fn all_text_in(data: &JsonMap) -> String {
    let mut text = String::new();
    for (name, value) in data {
        text.extend([name, " "]);
        collect(value, true, &mut text);
    }
    text
}

fn collect(value: &Value, names: bool, text: &mut String) {
    if text.len() > ENOUGH_TEXT {
        return;
    }
    match value {
        Value::String(said) => text.extend([said, " "]),
        Value::Number(number) => text.extend([number.to_string().as_str(), " "]),
        Value::Array(entries) => entries.iter().for_each(|entry| collect(entry, names, text)),
        Value::Object(entries) => entries.iter().for_each(|(name, entry)| {
            if names {
                text.extend([name, " "]);
            }
            collect(entry, names, text);
        }),
        Value::Null | Value::Bool(_) => {}
    }
}
