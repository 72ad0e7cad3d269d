//! Who succeeded at what: kinds of tasks, agents and how it went, counted and nothing more.

use std::collections::BTreeMap;

use candor_model::handoff::Pattern;
use candor_model::{IdMap, SubTask, TaskId};
use candor_planning::completeness::CATEGORY_KEY;

use crate::PhaseContext;

/// So many combinations are kept, those that were seen most first.
const MOST: usize = 50;

/// The count in words.
pub(super) fn said(pattern: &Pattern) -> String {
    let Pattern { task_type, agent, attempts, successes } = pattern;
    format!("{agent} succeeded at {successes} of {attempts} attempts at {task_type}")
}

/// Counts the attempts of a run.
pub(super) fn counted_in(cx: &PhaseContext<'_>) -> Vec<Pattern> {
    let Some(plan) = cx.plan else { return Vec::new() };
    let born = plan.metadata.revisions.iter().flat_map(|revision| &revision.new_subtasks);
    let tasks: IdMap<&TaskId, &SubTask> =
        born.chain(&plan.subtasks).map(|task| (&task.task_id, task)).collect();
    let mut counts: BTreeMap<(String, String), (u64, u64)> = BTreeMap::new();
    for feedback in cx.feedback {
        let Some(task) = tasks.get(&&feedback.task_id) else { continue };
        let (attempts, successes) = counts.entry((kind(task), task.agent_type.to_string())).or_default();
        *attempts += 1;
        *successes += u64::from(feedback.feedback_type.is_success());
    }
    let mut patterns: Vec<Pattern> = counts
        .into_iter()
        .map(|((task_type, agent), (attempts, successes))| Pattern { task_type, agent, attempts, successes })
        .collect();
    patterns.sort_by_key(|pattern| std::cmp::Reverse(pattern.attempts));
    patterns.truncate(MOST);
    patterns
}

/// What kind of task it is: as its category or its type says, else its first word.
fn kind(task: &SubTask) -> String {
    let told = |key: &str| task.metadata.other.get(key)?.as_str().map(str::to_owned);
    told(CATEGORY_KEY).or_else(|| told("type")).unwrap_or_else(|| {
        let first = task.description.as_str().split_whitespace().next().unwrap_or("task");
        first.trim_matches(|letter: char| !letter.is_alphanumeric()).to_lowercase()
    })
}
