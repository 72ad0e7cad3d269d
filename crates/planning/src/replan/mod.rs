//! Revising a plan after failures: what is asked, what comes back, and who answers which failure.
//!
//! Owns the order of things: look at the feedback, check the limits, let one strategy answer each failure,
//! put all answers into one revision, make the revised plan *from that revision*, and check it. It never
//! touches the plan it is given, and it refuses rather than guesses: no revision without a failure, none for
//! a task that is not there, none beyond the limits, none that leaves the plan unsound. Each strategy is a
//! file of its own.

mod adjust;
mod caps;
mod decompose;
mod draft;
mod fix_dependencies;
mod lineage;
mod replay;
mod retry;
mod workaround;

use std::collections::BTreeSet;

use candor_model::{
    ExecutionFeedback, FeedbackType, Goal, Plan, PlanRevision, PlanningError, ReplanStrategy, RunSettings,
    SubTask, TaskId, Timestamp,
};

use crate::classify::classify;
use crate::texts::shortened;
use crate::{limits, validation};

use self::draft::Draft;
pub use self::replay::replay;

/// How many characters of a failure's reason are written into a plan.
const REASON_CHARS: usize = 300;

/// What a revision depends on beside the plan and the feedback.
#[derive(Debug, Clone, Copy)]
pub struct ReplanContext<'a> {
    /// The goal, whose constraints say how much phase there is.
    pub goal: Option<&'a Goal>,
    /// The run's limits and thresholds.
    pub settings: &'a RunSettings,
    /// The time of the revision.
    pub now: Timestamp,
}

/// A revised plan and the revision that made it.
#[derive(Debug, Clone, PartialEq)]
pub struct Replanned {
    /// The plan as it is now.
    pub plan: Plan,
    /// What was changed and why.
    pub revision: PlanRevision,
}

/// Why a plan was not revised. Nothing has changed then, and no revision is used up.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ReplanRefusal {
    /// There is no failure among the feedback.
    #[error("there is nothing to re-plan: no feedback reports a failure")]
    NothingToDo,
    /// Feedback names a task that is not in the plan.
    #[error("feedback for task {0}, which is not in the plan")]
    UnknownTask(TaskId),
    /// The plan has been revised as often, or is as unsure, as is allowed.
    #[error("the plan may not be revised again: {0}")]
    Abort(PlanningError),
    /// The revised plan could not be carried out.
    #[error("the revised plan is not sound: {0}")]
    Invalid(PlanningError),
}

/// Revises the plan so that every failure among the feedback is answered, in one revision.
///
/// The plan is the current one, with the failures already entered in its tasks' histories.
pub fn replan(
    plan: &Plan,
    feedback: &[ExecutionFeedback],
    context: &ReplanContext<'_>,
) -> Result<Replanned, ReplanRefusal> {
    let failures = failures(plan, feedback)?;
    let errors: Vec<String> =
        failures.iter().flat_map(|failure| failure.feedback.errors.iter().cloned()).collect();
    limits::check_before_replan(plan, context.settings, &errors).map_err(ReplanRefusal::Abort)?;

    let mut draft = Draft::new(plan);
    let answers = answer_all(&mut draft, &failures, context);
    let revision = draft.into_revision(trigger(&failures), answers).ok_or(ReplanRefusal::NothingToDo)?;
    let revised = replay(plan, &revision, context.now);
    validation::recheck(&revised, context.settings).map_err(ReplanRefusal::Invalid)?;
    Ok(Replanned { plan: revised, revision })
}

/// What a strategy takes from the plan's confidence.
#[must_use]
pub const fn confidence_delta(strategy: ReplanStrategy) -> f64 {
    match strategy {
        ReplanStrategy::RetryDifferentAgent => -0.10,
        ReplanStrategy::DecomposeFurther | ReplanStrategy::FixDependencies => -0.05,
        ReplanStrategy::AdjustParameters => -0.08,
        ReplanStrategy::FindWorkaround => -0.15,
        ReplanStrategy::Unknown => 0.0,
    }
}

/// A failure to be answered, and the task it befell.
struct Failure<'a> {
    feedback: &'a ExecutionFeedback,
    task: &'a SubTask,
    strategy: ReplanStrategy,
}

impl Failure<'_> {
    /// What went wrong, in one line for people, however much an agent says.
    fn reason(&self) -> String {
        let errors: Vec<&str> =
            self.feedback.errors.iter().map(|error| error.trim()).filter(|error| !error.is_empty()).collect();
        match errors.as_slice() {
            [] => "no reason was given".to_owned(),
            errors => shortened(&errors.join("; "), REASON_CHARS),
        }
    }
}

/// How a failure was answered: by which strategy in the end, and in which words people are told.
struct Answer {
    strategy: ReplanStrategy,
    changes: Vec<String>,
}

/// The failures among the feedback, the first one of each task.
fn failures<'a>(
    plan: &'a Plan,
    feedback: &'a [ExecutionFeedback],
) -> Result<Vec<Failure<'a>>, ReplanRefusal> {
    let index = draft::positions(&plan.subtasks);
    let mut seen = BTreeSet::new();
    let mut failures = Vec::new();
    for feedback in feedback {
        let found = index.get(&feedback.task_id).and_then(|&position| plan.subtasks.get(position));
        let task = found.ok_or_else(|| ReplanRefusal::UnknownTask(feedback.task_id.clone()))?;
        let strategy = classify(feedback);
        if strategy != ReplanStrategy::Unknown && seen.insert(&feedback.task_id) {
            failures.push(Failure { feedback, task, strategy });
        }
    }
    if failures.is_empty() { Err(ReplanRefusal::NothingToDo) } else { Ok(failures) }
}

/// Answers each failure; the answers come back in the order of the failures.
///
/// Blocked tasks are seen to last, because what blocks them may be replaced by the answer to another failure.
fn answer_all(draft: &mut Draft<'_>, failures: &[Failure<'_>], context: &ReplanContext<'_>) -> Vec<Answer> {
    let mut order: Vec<(usize, &Failure<'_>)> = failures.iter().enumerate().collect();
    order.sort_by_key(|(_, failure)| failure.strategy == ReplanStrategy::FixDependencies);
    let mut answers: Vec<(usize, Answer)> =
        order.into_iter().map(|(place, failure)| (place, answer(draft, failure, context))).collect();
    answers.sort_by_key(|(place, _)| *place);
    answers.into_iter().map(|(_, answer)| answer).collect()
}

fn answer(draft: &mut Draft<'_>, failure: &Failure<'_>, context: &ReplanContext<'_>) -> Answer {
    match failure.strategy {
        ReplanStrategy::RetryDifferentAgent => retry::answer(draft, failure, context),
        ReplanStrategy::DecomposeFurther => decompose::answer(draft, failure),
        ReplanStrategy::AdjustParameters => adjust::answer(draft, failure, context),
        ReplanStrategy::FixDependencies => fix_dependencies::answer(draft, failure),
        ReplanStrategy::FindWorkaround | ReplanStrategy::Unknown => {
            workaround::answer(draft, failure, context)
        }
    }
}

/// A task that could not start counts as a failure.
fn trigger(failures: &[Failure<'_>]) -> String {
    let is_violation =
        |failure: &&Failure<'_>| failure.feedback.feedback_type == FeedbackType::ConstraintViolation;
    let violations = failures.iter().filter(is_violation).count();
    format!("{} failures, {violations} violations", failures.len() - violations)
}
