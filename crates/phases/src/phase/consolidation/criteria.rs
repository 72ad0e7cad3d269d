//! How well the phases did their work, as far as it is known when the run is over.

use std::collections::{BTreeMap, BTreeSet};

use candor_model::handoff::{DecompositionOutput, HandedTask, ListedTasks, LoadedItem};
use candor_model::{Phase, PhaseOutput, SubTask, TaskStatus};
use candor_planning::critique::{stems, telling};
use candor_planning::metrics::{self, Effort};
use candor_text::Language;
use serde::Deserialize;
use serde_json::Value;

use crate::PhaseContext;

/// The criteria that can be told now, by their names; what nobody can tell is absent.
pub(super) fn known(cx: &PhaseContext<'_>) -> BTreeMap<String, f64> {
    let success = execution_success(cx);
    let evaluation = cx.evaluation;
    let loaded = loaded(cx);
    let told = told(cx, &loaded);
    let (relevance, efficiency) = context(cx, &loaded, &told);
    let all = [
        (
            "budget_accuracy",
            metrics::budget_accuracy(cx.settings.phase_limits().token_budget as f64, tokens(cx) as f64),
        ),
        ("keyword_precision", keyword_precision(cx, &told)),
        (
            "complexity_calibration",
            evaluation
                .and_then(|told| metrics::complexity_calibration(told.complexity.total.into(), actual(cx))),
        ),
        (
            "confidence_accuracy",
            evaluation
                .zip(success)
                .and_then(|(told, it)| metrics::confidence_accuracy(told.confidence.into(), it)),
        ),
        ("context_relevance", relevance),
        ("token_efficiency", efficiency),
        ("decomposition_quality", decomposition_quality(cx)),
        ("plan_completeness", plan_completeness(cx)),
        ("execution_success", success),
        (
            "artifact_quality",
            metrics::artifact_quality(cx.handoffs.get(&Phase::Validation).and_then(|it| it.quality)),
        ),
    ];
    all.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}

/// How far the complexity of a run may be above what was told, in points of 100, before it counts as underestimated.
const UNDERESTIMATED: f64 = 20.0;

/// Whether the run turned out to be much more than the evaluation took it for.
pub(super) fn is_underestimated(cx: &PhaseContext<'_>) -> bool {
    cx.evaluation.is_some_and(|told| actual(cx) - f64::from(told.complexity.total) > UNDERESTIMATED)
}

/// What models took and gave in all phases.
pub(super) fn tokens(cx: &PhaseContext<'_>) -> u64 {
    cx.handoffs.values().map(|handoff| handoff.context.tokens_consumed).fold(0, u64::saturating_add)
}

fn count(of: usize) -> u64 {
    u64::try_from(of).unwrap_or(u64::MAX)
}

fn execution_success(cx: &PhaseContext<'_>) -> Option<f64> {
    let tasks = &cx.plan?.subtasks;
    let good: BTreeSet<_> = cx
        .feedback
        .iter()
        .filter(|feedback| feedback.feedback_type.is_success())
        .map(|feedback| &feedback.task_id)
        .collect();
    let done = |task: &&SubTask| {
        task.status == TaskStatus::Completed
            || task.status != TaskStatus::Skipped && good.contains(&task.task_id)
    };
    metrics::execution_success(count(tasks.iter().filter(done).count()), count(tasks.len()))
}

/// The detected keywords that are found again in the tasks.
fn keyword_precision(cx: &PhaseContext<'_>, told: &Told) -> Option<f64> {
    let keywords = &cx.evaluation?.keywords;
    cx.plan?;
    let used = keywords.iter().filter(|keyword| told.says_a_word_of(keyword));
    metrics::keyword_precision(count(used.count()), count(keywords.len()))
}

/// The words that are looked for in the plan's tasks, and those of them that are there: few are looked for in much text.
struct Told {
    language: Language,
    words: BTreeSet<String>,
}

impl Told {
    fn says_a_word_of(&self, text: &str) -> bool {
        stems(text, self.language).iter().any(|word| self.words.contains(&**word))
    }
}

fn told(cx: &PhaseContext<'_>, loaded: &[String]) -> Told {
    let language = Language::of(cx.request);
    let keywords = cx.evaluation.map_or(&[][..], |evaluation| &evaluation.keywords);
    let wanted = keywords.iter().chain(loaded).flat_map(|text| telling(text, language));
    let mut missing: BTreeSet<String> = wanted.map(|word| word.into_owned()).collect();
    let mut words = BTreeSet::new();
    for task in cx.plan.into_iter().flat_map(|plan| &plan.subtasks) {
        let inputs = serde_json::to_string(&task.inputs).unwrap_or_default();
        let text = format!("{} {inputs}", task.description);
        words.extend(telling(&text, language).filter_map(|word| missing.take(&*word)));
    }
    Told { language, words }
}

/// How much there really was to the run.
fn actual(cx: &PhaseContext<'_>) -> f64 {
    let subtasks = cx.plan.map_or(0, |plan| plan.subtasks.len());
    let files = cx.feedback.iter().filter_map(|feedback| feedback.actual_outputs.get("files_modified"));
    let seconds: candor_model::Seconds = cx.feedback.iter().map(|feedback| feedback.duration_seconds).sum();
    metrics::actual_complexity(&Effort {
        tokens: tokens(cx),
        files: count(files.filter_map(Value::as_array).map(Vec::len).sum()),
        subtasks: count(subtasks),
        repetitions: count(cx.feedback.len().saturating_sub(subtasks)),
        seconds: seconds.as_millis() / 1_000,
    })
}

/// What is read here of what was loaded.
#[derive(Default, Deserialize)]
#[serde(default)]
struct LoadedItems {
    loaded: Vec<LoadedItem>,
}

impl PhaseOutput for LoadedItems {
    const PHASE: Phase = Phase::Context;
}

/// The items that were loaded, as they are written.
fn loaded(cx: &PhaseContext<'_>) -> Vec<String> {
    let LoadedItems { loaded } = cx.left().unwrap_or_default();
    loaded.iter().map(|item| serde_json::to_string(item).unwrap_or_default()).collect()
}

/// Loaded items of which the plan says a word, and the same by their tokens.
fn context(cx: &PhaseContext<'_>, loaded: &[String], told: &Told) -> (Option<f64>, Option<f64>) {
    if loaded.is_empty() || cx.plan.is_none() {
        return (None, None);
    }
    let size = |item: &String| candor_planning::compress::tokens(item);
    let cited = loaded.iter().filter(|item| told.says_a_word_of(item));
    let relevance = metrics::context_relevance(count(cited.clone().count()), count(loaded.len()));
    (relevance, metrics::token_efficiency(cited.map(size).sum(), loaded.iter().map(size).sum()))
}

/// The tasks that turned out to be of the right size: one agent did them at the first attempt, as they were planned,
/// with everything that they promised. Nothing if none was tried.
fn decomposition_quality(cx: &PhaseContext<'_>) -> Option<f64> {
    let plan = cx.plan.filter(|_| !cx.feedback.is_empty())?;
    let as_planned = |task: &&SubTask| {
        let mut attempts = cx.feedback.iter().filter(|feedback| feedback.task_id == task.task_id);
        let (first, more) = (attempts.next(), attempts.next());
        let outputs =
            first.filter(|first| first.feedback_type.is_success()).map(|first| &first.actual_outputs);
        task.metadata.original_task_id.is_none()
            && more.is_none()
            && outputs.is_some_and(|made| task.expected_outputs.iter().all(|name| made.contains_key(name)))
    };
    let good = plan.subtasks.iter().filter(as_planned).count();
    metrics::decomposition_quality(count(good), count(plan.subtasks.len()))
}

/// The tasks of the breakdown that the plan has: the high-level ones by their places, else the tasks by ids.
fn plan_completeness(cx: &PhaseContext<'_>) -> Option<f64> {
    let plan = cx.plan?;
    let left: DecompositionOutput<HandedTask, ListedTasks> = cx.left()?;
    let high = left.listing.unwrap_or_default().high_level_tasks;
    if !high.is_empty() {
        let places: BTreeSet<&str> = plan
            .subtasks
            .iter()
            .filter_map(|task| task.metadata.place.as_deref()?.split('.').next())
            .collect();
        let covered = high.iter().filter(|task| places.contains(task.id.as_str())).count();
        return metrics::plan_completeness(count(covered), count(high.len()));
    }
    let wanted = left.subtasks.filter(|tasks| !tasks.is_empty())?;
    let there: BTreeSet<&str> =
        plan.subtasks.iter().flat_map(|task| [task.task_id.as_str(), task.origin().as_str()]).collect();
    let replaced: BTreeSet<&str> = plan
        .metadata
        .revisions
        .iter()
        .flat_map(|revision| &revision.details.replacements)
        .map(|replacement| replacement.removed.as_str())
        .collect();
    let covered = wanted.iter().map(|task| task.task_id.as_str());
    let covered = covered.filter(|id| there.contains(id) || replaced.contains(id));
    metrics::plan_completeness(count(covered.count()), count(wanted.len()))
}
