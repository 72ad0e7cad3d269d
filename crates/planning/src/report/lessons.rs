//! What a run teaches: what failed, what worked, what to do next time.

use std::collections::BTreeMap;

use candor_model::{
    AgentType, Assessment, ExecutionFeedback, FeedbackType, IdMap, Lessons, Plan, Seconds, SubTask, TaskId,
    Verdict,
};

use super::ReportMaterial;
use crate::assessment;
use crate::texts::{self, english};

/// Draws the lessons of a run; none of the three lists is empty, and none grows with the run.
pub(super) fn learned(material: &ReportMaterial<'_>) -> Lessons {
    let tasks = KnownTasks::of(material.plan);
    let failures = failures(material);
    let recoveries = recoveries(material, &tasks);
    let was_tried = material.feedback.iter().any(|feedback| !never_started(feedback));
    let otherwise = if was_tried { english::KEEP_AS_IS } else { english::NOT_TRIED };
    Lessons {
        what_failed: bounded_or(what_failed(material, &failures, &tasks), english::NOTHING_FAILED),
        what_worked: bounded_or(worked_lines(material, &recoveries, &tasks), english::NOTHING_WORKED),
        recommendations: bounded_or(advice(&failures, &recoveries, &tasks), otherwise),
    }
}

/// The lessons of a run with its verdict: a plan that was not seen to reach its goal is not recommended as it is.
pub(super) fn judged(mut lessons: Lessons, judged: &Assessment) -> Lessons {
    let unmet = assessment::unmet(judged);
    if !unmet.is_empty() {
        lessons.what_failed.retain(|line| line != english::NOTHING_FAILED);
        let failed = unmet.iter().map(|line| english::lesson_unmet(line));
        lessons.what_failed = bounded_or(lessons.what_failed.into_iter().chain(failed).collect(), "");
    }
    let instead = match judged.verdict {
        Verdict::Verified => return lessons,
        Verdict::Unverified => english::advise_criteria(&assessment::unchecked(judged)),
        Verdict::NotMet => english::advise_unmet(&unmet),
    };
    for line in lessons.recommendations.iter_mut().filter(|line| *line == english::KEEP_AS_IS) {
        line.clone_from(&instead);
    }
    lessons
}

/// The tasks that a plan has or ever had, as far as its revisions tell.
struct KnownTasks<'a> {
    by_id: IdMap<&'a TaskId, &'a SubTask>,
    by_origin: IdMap<&'a TaskId, &'a SubTask>,
    replaced: IdMap<&'a TaskId, &'a TaskId>,
    /// Who had failed at a task when it was made.
    failed: IdMap<&'a TaskId, &'a [AgentType]>,
}

impl<'a> KnownTasks<'a> {
    fn of(plan: &'a Plan) -> Self {
        let revisions = &plan.metadata.revisions;
        let all = || revisions.iter().flat_map(|revision| &revision.new_subtasks).chain(&plan.subtasks);
        let replacements = revisions.iter().flat_map(|revision| &revision.details.replacements);
        let replaced =
            replacements.flat_map(|replacement| replacement.by.iter().map(|new| (new, &replacement.removed)));
        Self {
            by_id: all().map(|task| (&task.task_id, task)).collect(),
            by_origin: all().map(|task| (task.origin(), task)).collect(),
            replaced: replaced.collect(),
            failed: revisions
                .iter()
                .flat_map(|revision| &revision.new_subtasks)
                .map(|task| (&task.task_id, task.metadata.failed_agents.as_slice()))
                .collect(),
        }
    }

    fn get(&self, id: &TaskId) -> Option<&'a SubTask> {
        self.by_id.get(id).copied()
    }

    /// The name of a task; of one that is gone, the name of what came of it.
    fn name(&self, id: &TaskId) -> String {
        let task = self.get(id).or_else(|| self.by_origin.get(id).copied());
        task.map_or_else(|| english::UNNAMED_TASK.to_owned(), texts::task_name)
    }

    fn agent(&self, id: &TaskId) -> String {
        self.get(id)
            .map_or_else(|| english::ANOTHER_AGENT.to_owned(), |task| texts::agent_name(&task.agent_type))
    }

    /// Whether the task went to an agent that had failed at it before.
    fn failed_before(&self, id: &TaskId) -> bool {
        self.get(id).zip(self.failed.get(id)).is_some_and(|(task, failed)| failed.contains(&task.agent_type))
    }

    /// The task in whose place this one stands.
    fn predecessor(&self, id: &TaskId) -> Option<&'a TaskId> {
        let replaced = self.replaced.get(id).copied();
        replaced.or_else(|| self.get(id).and_then(|task| task.metadata.original_task_id.as_ref()))
    }
}

/// One cause for which a task failed, and how often it did.
struct Failure<'a> {
    task: &'a TaskId,
    cause: String,
    times: usize,
    /// Nobody tried it, because a task that it needs had failed.
    never_started: bool,
}

/// The failures of a run, the same cause of the same task once, in the order in which they first came.
fn failures<'a>(material: &ReportMaterial<'a>) -> Vec<Failure<'a>> {
    let mut places: BTreeMap<(&TaskId, String), usize> = BTreeMap::new();
    let mut failures: Vec<Failure<'a>> = Vec::new();
    for feedback in material.feedback.iter().filter(|feedback| !feedback.feedback_type.is_success()) {
        let cause = texts::short_cause(&feedback.errors);
        let next = failures.len();
        let place = *places.entry((&feedback.task_id, cause.clone())).or_insert(next);
        match failures.get_mut(place) {
            Some(failure) => failure.times += 1,
            None => {
                let never_started = never_started(feedback);
                failures.push(Failure { task: &feedback.task_id, cause, times: 1, never_started });
            }
        }
    }
    failures
}

/// A task that succeeded in the place of one that had failed.
struct Recovery<'a> {
    succeeded: &'a TaskId,
    failed: &'a TaskId,
}

fn recoveries<'a>(material: &ReportMaterial<'a>, tasks: &KnownTasks<'a>) -> Vec<Recovery<'a>> {
    let good = |feedback: &&'a ExecutionFeedback| feedback.feedback_type.is_success();
    let succeeded =
        material.feedback.iter().map(AsRef::as_ref).filter(good).map(|feedback| &feedback.task_id);
    succeeded
        .filter_map(|succeeded| tasks.predecessor(succeeded).map(|failed| Recovery { succeeded, failed }))
        .collect()
}

/// Everything that failed, and what is missing from results that are only a part.
fn what_failed(
    material: &ReportMaterial<'_>,
    failures: &[Failure<'_>],
    tasks: &KnownTasks<'_>,
) -> Vec<String> {
    let partial = material.feedback.iter().filter(|feedback| {
        feedback.feedback_type == FeedbackType::PartialSuccess && !feedback.errors.is_empty()
    });
    let lines = partial.map(|feedback| {
        let task = &feedback.task_id;
        english::lesson_partial(&tasks.name(task), task, &texts::short_cause(&feedback.errors))
    });
    failed_lines(failures, tasks).into_iter().chain(lines).collect()
}

fn failed_lines(failures: &[Failure<'_>], tasks: &KnownTasks<'_>) -> Vec<String> {
    let line = |failure: &Failure<'_>| {
        english::lesson_failed(&tasks.name(failure.task), failure.task, &failure.cause, failure.times)
    };
    failures.iter().map(line).collect()
}

fn worked_lines(
    material: &ReportMaterial<'_>,
    recoveries: &[Recovery<'_>],
    tasks: &KnownTasks<'_>,
) -> Vec<String> {
    let attempts = material.feedback.iter().filter(|feedback| !never_started(feedback)).count();
    let succeeded = material.feedback.iter().filter(|feedback| feedback.feedback_type.is_success()).count();
    let mut lines: Vec<String> = recoveries
        .iter()
        .map(|Recovery { succeeded, failed }| {
            english::lesson_recovered(&tasks.name(succeeded), succeeded, &tasks.agent(succeeded), failed)
        })
        .collect();
    if succeeded > 0 {
        lines.insert(0, english::lesson_worked(succeeded, attempts));
    }
    lines
}

/// What recovered goes first next time; what did not has to be seen to.
fn advice(failures: &[Failure<'_>], recoveries: &[Recovery<'_>], tasks: &KnownTasks<'_>) -> Vec<String> {
    let recovered: IdMap<&TaskId, &TaskId> =
        recoveries.iter().map(|recovery| (recovery.failed, recovery.succeeded)).collect();
    let line = |failure: &Failure<'_>| {
        let name = tasks.name(failure.task);
        match recovered.get(failure.task) {
            Some(by) if tasks.failed_before(by) => {
                english::advise_other_way(&name, failure.task, by, &failure.cause)
            }
            Some(by) => english::advise_recovery(&tasks.agent(by), &name, failure.task, &failure.cause),
            None => english::advise_unrecovered(&name, failure.task, &failure.cause),
        }
    };
    failures.iter().filter(|failure| !failure.never_started).map(line).collect()
}

/// Whether it tells of a task that waited for one that failed. No attempt was made, and mending the cause mends it.
fn never_started(feedback: &ExecutionFeedback) -> bool {
    feedback.feedback_type == FeedbackType::DependencyFailure && feedback.duration_seconds == Seconds::ZERO
}

fn bounded_or(mut lines: Vec<String>, otherwise: &str) -> Vec<String> {
    if lines.is_empty() {
        return vec![otherwise.to_owned()];
    }
    let more = lines.len().saturating_sub(english::LIST_LIMIT);
    lines.truncate(english::LIST_LIMIT);
    if more > 0 {
        lines.push(english::and_more(more));
    }
    lines
}
