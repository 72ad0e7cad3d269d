//! Revising a plan after failures: what is asked and what comes back.
//!
//! Owns the order of things: look at the feedback, check the limits, have each failure answered, put all answers
//! into one revision, make the revised plan *from that revision*, and check it. It never touches the plan it is
//! given, and it refuses rather than guesses: no revision without a failure, none for a task that is not there,
//! none beyond the limits, none that leaves the plan unsound. Which way answers a failure is for
//! [`crate::recovery`] to say.

mod draft;
pub(crate) mod lineage;
mod replay;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use candor_model::{
    AgentCapability, AgentType, ExecutionFeedback, FeedbackType, Goal, Plan, PlanRevision, PlanningError,
    ReplanStrategy, RunSettings, SubTask, TaskId, Timestamp,
};

use crate::recovery::classify;
use crate::texts::shortened;
use crate::{limits, validation};

pub(crate) use self::draft::{Draft, affected};
pub use self::replay::replay;
pub use crate::recovery::replan;

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
    /// Who there is; everyone whom a ranking names, if absent.
    pub agents: Option<Agents<'a>>,
    /// Everything that agents reported so far, in order: what they found is what can be chosen from.
    pub reports: &'a [Arc<ExecutionFeedback>],
    /// Whether a person wants the change: then the limits of what Candor does by itself do not hold.
    pub by_person: bool,
}

/// The agents that there are, and those that get no task at present.
#[derive(Debug, Clone, Copy)]
pub struct Agents<'a> {
    /// Everyone who was there when the plan was made.
    pub known: &'a BTreeMap<AgentType, AgentCapability>,
    /// Those whose circuit is open, and until when.
    pub open: &'a BTreeMap<AgentType, Option<Timestamp>>,
}

impl Agents<'_> {
    /// Whether the agent can be given a task now.
    #[must_use]
    pub fn is_available(&self, agent: &AgentType) -> bool {
        self.known.contains_key(agent) && !self.open.contains_key(agent)
    }
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
    /// Nothing is known that could be changed.
    #[error("nothing is left to change about task {0}")]
    NothingToChange(TaskId),
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

/// Revises the plan by what `answer` changes for each failure among the feedback, in one revision.
pub(crate) fn replan_by(
    plan: &Plan,
    feedback: &[ExecutionFeedback],
    context: &ReplanContext<'_>,
    answer: impl Fn(&mut Draft<'_>, &Failure<'_>) -> Option<Answer>,
) -> Result<Replanned, ReplanRefusal> {
    let failures = failures(plan, feedback)?;
    if !context.by_person {
        check_limits(plan, &failures, context.settings).map_err(ReplanRefusal::Abort)?;
    }
    let mut draft = Draft::new(plan);
    let answers = answer_all(&mut draft, &failures, answer);
    let unchanged = || failures.first().map(|failure| failure.task.task_id.clone());
    let revision = match draft.into_revision(trigger(&failures), answers) {
        Some(revision) => revision,
        None => return Err(unchanged().map_or(ReplanRefusal::NothingToDo, ReplanRefusal::NothingToChange)),
    };
    let revised = replay(plan, &revision, context.now);
    validation::recheck(&revised, context.settings).map_err(ReplanRefusal::Invalid)?;
    Ok(Replanned { plan: revised, revision })
}

fn check_limits(plan: &Plan, failures: &[Failure<'_>], settings: &RunSettings) -> Result<(), PlanningError> {
    let errors: Vec<String> =
        failures.iter().flat_map(|failure| failure.feedback.errors.iter().cloned()).collect();
    limits::check_before_replan(plan, settings, &errors)?;
    failures.iter().try_for_each(|failure| limits::check_lineage(plan, failure.task, settings, &errors))
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
pub(crate) struct Failure<'a> {
    pub(crate) feedback: &'a ExecutionFeedback,
    pub(crate) task: &'a SubTask,
    /// Its row of the table of ways.
    pub(crate) class: ReplanStrategy,
}

impl Failure<'_> {
    /// What went wrong, in one line for people, however much an agent says.
    pub(crate) fn reason(&self) -> String {
        let errors: Vec<&str> =
            self.feedback.errors.iter().map(|error| error.trim()).filter(|error| !error.is_empty()).collect();
        match errors.as_slice() {
            [] => "no reason was given".to_owned(),
            errors => shortened(&errors.join("; "), REASON_CHARS),
        }
    }
}

/// How a failure was answered: by which strategy in the end, and in which words people are told.
pub(crate) struct Answer {
    pub(crate) strategy: ReplanStrategy,
    pub(crate) changes: Vec<String>,
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
        let class = classify(feedback);
        if class != ReplanStrategy::Unknown && seen.insert(&feedback.task_id) {
            failures.push(Failure { feedback, task, class });
        }
    }
    if failures.is_empty() { Err(ReplanRefusal::NothingToDo) } else { Ok(failures) }
}

/// Answers each failure that has an answer; the answers come back in the order of the failures.
///
/// Blocked tasks are seen to last, because what blocks them may be replaced by the answer to another failure.
fn answer_all(
    draft: &mut Draft<'_>,
    failures: &[Failure<'_>],
    answer: impl Fn(&mut Draft<'_>, &Failure<'_>) -> Option<Answer>,
) -> Vec<Answer> {
    let mut order: Vec<(usize, &Failure<'_>)> = failures.iter().enumerate().collect();
    order.sort_by_key(|(_, failure)| failure.class == ReplanStrategy::FixDependencies);
    let answered = order.into_iter().filter_map(|(place, failure)| Some((place, answer(draft, failure)?)));
    let mut answers: Vec<(usize, Answer)> = answered.collect();
    answers.sort_by_key(|(place, _)| *place);
    answers.into_iter().map(|(_, answer)| answer).collect()
}

/// A task that could not start counts as a failure.
fn trigger(failures: &[Failure<'_>]) -> String {
    let is_violation =
        |failure: &&Failure<'_>| failure.feedback.feedback_type == FeedbackType::ConstraintViolation;
    let violations = failures.iter().filter(is_violation).count();
    format!("{} failures, {violations} violations", failures.len() - violations)
}
