//! What the phase before asked the plan to include, and what of it is in no task.

use std::collections::BTreeSet;

use candor_model::handoff::{DecompositionOutput, HandedTask, ListedTasks};
use candor_model::{Phase, SubTask};

use crate::PhaseContext;
use crate::consult::content_words;

/// The share of its words by which a point counts as covered, if its place in the breakdown does not tell.
const ENOUGH_WORDS: f64 = 0.5;

/// What a plan was asked to include.
pub(crate) struct Coverage {
    /// What is in no task.
    pub(crate) gaps: Vec<String>,
    /// The share that is; none if nothing was asked for.
    pub(crate) share: Option<f64>,
}

/// Compares the tasks with what the decomposition asked for.
pub(crate) fn coverage(cx: &PhaseContext<'_>, tasks: &[SubTask]) -> Coverage {
    let wanted =
        cx.handoffs.get(&Phase::Decomposition).map(|handoff| handoff.instructions.must_include.as_slice());
    let wanted = wanted.unwrap_or_default();
    if wanted.is_empty() {
        return Coverage { gaps: Vec::new(), share: None };
    }
    let parents: BTreeSet<&str> = tasks
        .iter()
        .filter_map(|task| task.metadata.place.as_deref()?.split_once('.'))
        .map(|(id, _)| id)
        .collect();
    let words: BTreeSet<String> = tasks.iter().flat_map(words_of).collect();
    let left: Option<DecompositionOutput<HandedTask, ListedTasks>> = cx.left();
    let listed = left.and_then(|left| left.listing).unwrap_or_default();
    let missing = |name: &&String| match id_of(&listed, name) {
        Some(id) if !parents.is_empty() => !parents.contains(id),
        _ => !is_told(name, &words),
    };
    let gaps: Vec<String> = wanted
        .iter()
        .filter(missing)
        .map(|name| format!("`{name}` was asked for and is in no task"))
        .collect();
    let share = 1.0 - gaps.len() as f64 / wanted.len() as f64;
    Coverage { gaps, share: Some(share) }
}

fn id_of<'a>(listed: &'a ListedTasks, name: &str) -> Option<&'a str> {
    let task = listed.high_level_tasks.iter().find(|task| task.name == name)?;
    Some(task.id.as_str()).filter(|id| !id.is_empty())
}

fn words_of(task: &SubTask) -> Vec<String> {
    let name = task.metadata.name.as_deref().unwrap_or_default();
    content_words(task.description.as_str()).chain(content_words(name)).collect()
}

fn is_told(name: &str, words: &BTreeSet<String>) -> bool {
    let wanted: Vec<String> = content_words(name).collect();
    let told = wanted.iter().filter(|word| words.contains(*word)).count();
    wanted.is_empty() || told as f64 / wanted.len() as f64 >= ENOUGH_WORDS
}
