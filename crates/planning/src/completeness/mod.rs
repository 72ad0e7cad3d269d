//! Whether a plan has a task for everything that its kind of goal needs, and the tasks that would be missing.
//!
//! What a kind of goal needs is data: categories come from packs, with the words to recognise them by and,
//! where the pack knows one, the task that covers them. This module knows no category by name.

mod coverage;

use std::collections::BTreeSet;

use candor_model::{CompletenessResult, JsonMap, Priority, Seconds, Share, SubTask, TaskId, Text};
use serde::{Deserialize, Serialize};

use self::coverage::{Matcher, Subject};
use crate::dependencies::is_validation;
use crate::graph::{TaskGraph, TaskIndex};

/// The share of covered categories from which on a plan is complete.
pub const COMPLETE_FROM: f64 = 0.95;

/// The key of a task's metadata under which its category is written.
pub const CATEGORY_KEY: &str = "category";

/// Something that plans for a kind of goal must take care of, such as `flight_booking`.
///
/// A task that has a category (or a list of them) in its metadata covers exactly that. Any other task
/// covers a category if the category's name or one of its keywords occurs in the task's description,
/// expected outputs or agent name: at the beginning of a word, without regard to case, with `_` and other
/// marks taken as spaces. So `flight` is found in `Search flights` and `flight_agent`, but `air` is not
/// found in `repair`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Category {
    /// Referred to by `depends_on_category` and by the metadata of tasks.
    pub name: String,
    /// Words by which a task that covers it is recognised.
    #[serde(default)]
    pub keywords: Vec<String>,
    /// The task that is added if none covers it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<CategoryTask>,
}

/// The template of a task that covers a category.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CategoryTask {
    /// What is to be done.
    pub description: Text,
    /// A short name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The categories whose tasks it needs the results of.
    #[serde(default)]
    pub depends_on_category: Vec<String>,
    /// Inputs of the task that is added.
    #[serde(default)]
    pub inputs: JsonMap,
    /// The names of what it produces.
    #[serde(default)]
    pub expected_outputs: Vec<String>,
    /// Ready tasks of higher priority go first.
    #[serde(default)]
    pub priority: Priority,
    /// How long it will probably take.
    #[serde(default = "default_estimate")]
    pub estimated_duration_seconds: Seconds,
}

fn default_estimate() -> Seconds {
    Seconds::whole(30)
}

/// Finds the categories that no task covers.
#[must_use]
pub fn check(tasks: &[SubTask], categories: &[Category]) -> CompletenessResult {
    let missing = uncovered(tasks, categories);
    let score = Share::of(categories.len() - missing.len(), categories.len());
    CompletenessResult {
        is_complete: score.get() >= COMPLETE_FROM,
        missing_categories: missing.iter().map(|category| category.name.clone()).collect(),
        score,
    }
}

/// Adds a task for every category that has none, as far as the category has a template, and says what was
/// added.
///
/// New tasks have the next free ids and no agent yet. They go before the last validation task, which gets
/// to wait for them; those that need that validation's result, and those of a plan without a validation,
/// go to the end.
#[must_use]
pub fn add_missing(tasks: &[SubTask], categories: &[Category]) -> (Vec<SubTask>, Vec<String>) {
    let missing = uncovered(tasks, categories);
    let wanted =
        missing.iter().filter_map(|category| Some((category.name.as_str(), category.task.as_ref()?)));
    let born: Vec<_> = wanted
        .zip(free_ids(tasks))
        .map(|((name, template), id)| (template, task(name, template, id)))
        .collect();
    if born.is_empty() {
        return (tasks.to_vec(), Vec::new());
    }
    let notes = born.iter().map(|(_, task)| note(task)).collect();
    let templates: Vec<_> = born.iter().map(|(template, _)| *template).collect();
    let mut all = tasks.to_vec();
    all.extend(born.into_iter().map(|(_, task)| task));
    for (position, template) in (tasks.len()..).zip(templates) {
        let needed = needs(template, &all, position, categories);
        if let Some(task) = all.get_mut(position) {
            task.dependencies = needed;
        }
    }
    (before_validation(all, tasks.len()), notes)
}

/// The first category that a task covers. A validation speaks of all that it judges, so it counts only for
/// categories that are validations themselves.
#[must_use]
pub fn category_of<'c>(task: &SubTask, categories: &'c [Category]) -> Option<&'c str> {
    let subject = Subject::new(task);
    let judges = is_validation(task);
    let fits = |category: &&Category| category.name.to_lowercase().contains("validat") == judges;
    let covered = |category: &&Category| judges || Matcher::new(category).covers(&subject);
    categories.iter().filter(fits).find(covered).map(|category| category.name.as_str())
}

fn uncovered<'c>(tasks: &[SubTask], categories: &'c [Category]) -> Vec<&'c Category> {
    let mut missing: Vec<_> = categories.iter().map(|category| (category, Matcher::new(category))).collect();
    for task in tasks {
        if missing.is_empty() {
            break;
        }
        let subject = Subject::new(task);
        missing.retain(|(_, matcher)| !matcher.covers(&subject));
    }
    missing.into_iter().map(|(category, _)| category).collect()
}

/// Ids that no task has, counted on from the number of tasks.
fn free_ids(tasks: &[SubTask]) -> impl Iterator<Item = TaskId> {
    let graph = TaskGraph::new(tasks);
    (tasks.len() + 1..).map(TaskId::numbered).filter(move |id| graph.index_of(id).is_none())
}

fn task(category: &str, template: &CategoryTask, id: TaskId) -> SubTask {
    let mut task = SubTask::new(id, template.description.clone(), template.expected_outputs.clone());
    task.inputs = template.inputs.clone();
    task.priority = template.priority;
    task.estimated_duration_seconds = template.estimated_duration_seconds;
    task.metadata.name = template.name.clone();
    task.metadata.other.insert(CATEGORY_KEY.to_owned(), category.into());
    task
}

fn note(task: &SubTask) -> String {
    let category =
        task.metadata.other.get(CATEGORY_KEY).and_then(serde_json::Value::as_str).unwrap_or_default();
    let shown = task.metadata.name.as_deref().unwrap_or(task.description.as_str());
    format!("Added {} for {category}, which no task covered: {shown}", task.task_id)
}

/// The tasks whose results the task at `position` needs. A validation that mentions flights is not where
/// flights come from, so validations only count where nothing else covers the category.
fn needs(
    template: &CategoryTask,
    tasks: &[SubTask],
    position: usize,
    categories: &[Category],
) -> Vec<TaskId> {
    let mut needed = Vec::new();
    for name in &template.depends_on_category {
        let category = categories.iter().find(|category| category.name == *name);
        let matcher = category.map_or_else(|| Matcher::of_name(name), Matcher::new);
        let covering = tasks
            .iter()
            .enumerate()
            .filter(|&(other, task)| other != position && matcher.covers(&Subject::new(task)))
            .map(|(_, task)| task);
        let (validations, others): (Vec<_>, Vec<_>) = covering.partition(|task| is_validation(task));
        let providers = if others.is_empty() { validations } else { others };
        needed.extend(providers.into_iter().map(|task| task.task_id.clone()));
    }
    let mut seen = BTreeSet::new();
    needed.retain(|id| seen.insert(id.clone()));
    needed
}

/// Moves the tasks from `first_new` on before the last validation and makes it wait for them, except
/// where they wait for it themselves.
fn before_validation(tasks: Vec<SubTask>, first_new: usize) -> Vec<SubTask> {
    let Some(validation) = tasks.iter().rposition(is_validation) else {
        return tasks;
    };
    let after = TaskGraph::new(&tasks).affected_by(&[TaskIndex::at(validation)]);
    let (mut moved, mut rest) = (Vec::new(), Vec::with_capacity(tasks.len()));
    let mut place = validation;
    for (position, task) in tasks.into_iter().enumerate() {
        if position == validation {
            place = rest.len();
        }
        let stays = position < first_new || after.binary_search(&TaskIndex::at(position)).is_ok();
        if stays { rest.push(task) } else { moved.push(task) }
    }
    if let Some(task) = rest.get_mut(place) {
        task.dependencies.retain(|id| moved.iter().all(|new| new.task_id != *id));
        task.dependencies.extend(moved.iter().map(|new| new.task_id.clone()));
    }
    rest.splice(place..place, moved);
    rest
}
