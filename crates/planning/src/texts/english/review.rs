//! Approval and escalation: reasons, the plan in words, what a person could do.

use candor_model::{Confidence, GoalType, Plan, PlanId, RankedAgent, SubTask, TaskId, TaskRisk};

use super::{LIST_LIMIT, QUOTE_CHARS, and_more, bounded};
use crate::texts::measured::basis;
use crate::texts::plain::{plain, shortened};

const SUMMARY_LINES: usize = 100;

pub(crate) const REASON_NO_DATES: &str = "Ambiguous constraints: no specific dates are given";
const UNUSUAL_GOAL: &str = "Unusual goal type";
const LOW_ASSIGNMENT: &str = "Low assignment confidence";
const UNROUTED: &str = "Without an agent so far";
const LOW_SCORE: &str = "Plan confidence";
const POLICY: &str = "Every plan needs approval";
const FALLEN: &str = "Confidence fell";

/// Whether a reason is one of those below, whose numbers may have changed since.
pub(crate) fn is_computed_reason(reason: &str) -> bool {
    [REASON_NO_DATES, UNUSUAL_GOAL, LOW_ASSIGNMENT, UNROUTED, LOW_SCORE, POLICY, FALLEN]
        .iter()
        .any(|opening| reason.starts_with(opening))
}

pub(crate) fn reason_unusual_goal(goal_type: &GoalType) -> String {
    format!("{UNUSUAL_GOAL}: nothing is known of goals of the type {goal_type}")
}

pub(crate) fn reason_low_assignment(mean: f64) -> String {
    format!("{LOW_ASSIGNMENT}: the chosen agents fit their tasks with {mean:.2} on average")
}

pub(crate) fn reason_unrouted(tasks: &[&TaskId]) -> String {
    format!("{UNROUTED}: {}", bounded(tasks, LIST_LIMIT, ", "))
}

pub(crate) fn reason_low_score(score: Confidence, threshold: Confidence) -> String {
    format!("{LOW_SCORE} {:.2} is below {:.2}", score.get(), threshold.get())
}

pub(crate) fn reason_fallen(before: Confidence, after: Confidence, changes: &[String]) -> String {
    let why = shortened(&plain(&changes.join("; ")), QUOTE_CHARS);
    format!("{FALLEN} from {:.2} to {:.2} because of failures. Last change: {why}", before.get(), after.get())
}

pub(crate) fn reason_policy(score: Confidence) -> String {
    format!("{POLICY} (confidence {:.2})", score.get())
}

/// Whether a reason only says that nothing but the settings asks for approval.
pub(crate) fn is_policy(reason: &str) -> bool {
    reason.starts_with(POLICY)
}

pub(crate) fn reason_more_risks(count: usize) -> String {
    format!("{count} more tasks cannot be undone")
}

/// What is on record when what cannot be undone runs because the settings allow it.
pub(crate) fn allowed_risks(risks: &[TaskRisk]) -> String {
    let told: Vec<String> = risks.iter().map(ToString::to_string).collect();
    format!("allowed for this run: {}", bounded(&told, LIST_LIMIT, "; "))
}

pub(crate) fn approval_note(plan: &PlanId, confidence: Confidence) -> String {
    format!("Plan {plan} approved by human despite confidence {:.2}", confidence.get())
}

/// The plan as a numbered list.
pub(crate) fn plan_summary(plan: &Plan) -> String {
    let mut lines = vec![format!("{} tasks:", plan.subtasks.len())];
    lines.extend(
        plan.subtasks.iter().take(SUMMARY_LINES).enumerate().map(|(place, task)| task_line(place + 1, task)),
    );
    if let more @ 1.. = plan.subtasks.len().saturating_sub(SUMMARY_LINES) {
        lines.push(and_more(more));
    }
    lines.join("\n")
}

fn task_line(number: usize, task: &SubTask) -> String {
    let description = shortened(&plain(task.description.as_str()), QUOTE_CHARS);
    let agent =
        if task.agent_type.is_tbd() { "an agent still to be chosen" } else { task.agent_type.as_str() };
    let estimate = basis(task).map(|takes| format!(", {takes}")).unwrap_or_default();
    let after = match task.dependencies.as_slice() {
        [] => String::new(),
        some => format!(", after {}", bounded(some, LIST_LIMIT, ", ")),
    };
    format!("{number}. {description} ({}) by {agent}{estimate}{after}", task.task_id)
}

pub(crate) const ACTION_RETRY_WITH_CHANGES: &str =
    "Remove the cause or change the inputs, then retry the task";
pub(crate) const ACTION_SKIP: &str = "Skip the task and go on without its result";
pub(crate) const ACTION_ABORT: &str = "Abort the run";

pub(crate) fn action_other_agent(agent: &RankedAgent) -> String {
    let RankedAgent { agent_type, score, .. } = agent;
    format!("Retry the task with {agent_type} (fits with {score:.2})")
}
