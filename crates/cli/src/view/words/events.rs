//! What is said while a run goes on.

use candor_model::{
    Account, Adjustment, Answer, CheckpointId, Confidence, CritiqueVerdict, FailureNotification, GateId,
    Goal, GuidanceAction, HumanApprovalRequest, MeasuredTime, Money, Phase, PlanRevision, PlanVersion,
    RecoveryNotification, ReplanStrategy, RunId, Seconds, StopReason,
};

use candor_planning::texts;
use candor_projections::format;
use candor_projections::words::plural;

use super::remaining;
use crate::view::text;

pub(in crate::view) const RESUMED: &str = "Resumed";
pub(in crate::view) const STOPPING_TO_CANCEL: &str = "Stopping everything that runs, to cancel the run";
pub(in crate::view) const STOPPING_TO_ABORT: &str =
    "Stopping everything that runs, because the plan cannot go on";

/// `text: details`, or only `text`.
fn with(text: &str, details: &str) -> String {
    if details.trim().is_empty() { text.to_owned() } else { format!("{text}: {details}") }
}

pub(in crate::view) fn run_started(run: &RunId, request: &str) -> String {
    with(&format!("Run {run}"), request)
}

pub(in crate::view) const fn phase(phase: Phase) -> &'static str {
    match phase {
        Phase::PreAnalysis => "Pre-analysis",
        Phase::Evaluation => "Evaluation",
        Phase::Context => "Context",
        Phase::Decomposition => "Decomposition",
        Phase::Planning => "Planning",
        Phase::Execution => "Execution",
        Phase::Validation => "Validation",
        Phase::Consolidation => "Consolidation",
    }
}

pub(in crate::view) fn phase_done(which: Phase, summary: &str, figures: &str) -> String {
    format!("{} ({figures})", with(phase(which), summary))
}

pub(in crate::view) fn phase_failed(which: Phase, reason: &str) -> String {
    with(&format!("{} failed", phase(which)), reason)
}

pub(in crate::view) fn phase_degraded(which: Phase, reason: &str) -> String {
    with(&format!("{} degraded", phase(which)), reason)
}

pub(in crate::view) fn goal_defined(goal: &Goal) -> String {
    let constraints = goal.constraints.iter();
    let constraints: Vec<String> =
        constraints.map(|it| format!("{} {}", it.label(), it.value.as_str())).collect();
    with(&format!("Goal understood ({})", goal.goal_type.as_str().replace('_', " ")), &constraints.join(", "))
}

pub(in crate::view) fn prompt_scored(score: u8, issues: &[String]) -> String {
    with(&format!("The request scores {score} of 100"), &issues.join("; "))
}

pub(in crate::view) fn critiqued(which: Phase, verdict: CritiqueVerdict, notes: &[String]) -> String {
    let verdict = match verdict {
        CritiqueVerdict::Continue => "is good enough",
        CritiqueVerdict::Refine => "is not good enough yet",
        CritiqueVerdict::Stop => "does not hold",
    };
    with(&format!("{} {verdict}", phase(which)), &notes.join("; "))
}

pub(in crate::view) fn proposed(
    version: Option<PlanVersion>,
    tasks: usize,
    confidence: Confidence,
    estimate: Option<MeasuredTime>,
    repairs: usize,
) -> String {
    let repaired = if repairs == 0 { String::new() } else { format!(", {} made", plural(repairs, "repair")) };
    let version = version.map(|version| format!(" version {version}")).unwrap_or_default();
    let takes = estimate.map(|time| format!(", {}", texts::measured(time))).unwrap_or_default();
    let confidence = format::confidence(confidence);
    format!("Plan{version} with {}, confidence {confidence}{takes}{repaired}", plural(tasks, "task"))
}

/// What a pack's programs may do, told before they run.
pub(in crate::view) fn pack_allowed(pack: &str, permissions: &str) -> String {
    format!("Pack {pack} {permissions}")
}

pub(in crate::view) fn adjusted(adjustments: &[Adjustment]) -> String {
    let changes: Vec<String> =
        adjustments.iter().map(|it| format!("{} {} = {}", it.task_id, it.field, it.new_value)).collect();
    with("Plan adjusted by a person", &changes.join(", "))
}

pub(in crate::view) fn approved(why: &str) -> String {
    with("Plan approved", why)
}

pub(in crate::view) fn rejected(comments: &str) -> String {
    with("Plan rejected by a person", comments)
}

/// What a revision changes; `told` is what people have just been told of it.
pub(in crate::view) fn replanned(revision: &PlanRevision, told: &str) -> String {
    let count = |number: usize, what: &str| (number > 0).then(|| format!("{number} {what}"));
    let parts = [
        count(revision.new_subtasks.len(), "added"),
        count(revision.removed_task_ids.len(), "taken out"),
        count(revision.modified_task_ids.len(), "changed"),
        count(revision.details.rerun_task_ids.len(), "to run again"),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let changes: Vec<&str> =
        revision.changes.iter().map(String::as_str).filter(|change| !told.contains(change)).collect();
    let changes = changes.join("; ");
    if parts.is_empty() {
        return with(&format!("Plan revised ({})", revision.revision_id), &changes);
    }
    with(&format!("Plan revised ({}; tasks: {})", revision.revision_id, parts.join(", ")), &changes)
}

pub(in crate::view) fn confidence_moved(before: Confidence, after: Confidence, cause: &str) -> String {
    format!("Confidence {} → {} ({cause})", format::confidence(before), format::confidence(after))
}

/// The cause of a confidence, from its stable name.
pub(in crate::view) fn confidence_cause(cause: &str) -> &str {
    match cause {
        "plan proposed" | "proposed" => "the plan was proposed",
        "calibrated" => "what past runs teach",
        "revised" => "the plan was revised",
        "all_succeeded" => "every task succeeded without a revision",
        "failures" => "unrecovered failures",
        "rolled_back" => "the run went back",
        other => other,
    }
}

pub(in crate::view) fn replan_requested(task: &str) -> String {
    format!("{task} stopped: another approach was requested")
}

pub(in crate::view) fn revision_asked(task: &str) -> String {
    format!("{task}: a model is asked for another approach")
}

pub(in crate::view) fn revision_refused(task: &str, reason: &str) -> String {
    format!("{task}: no other approach was found: {reason}")
}

pub(in crate::view) fn routed(task: &str, agent: &str) -> String {
    format!("{task} goes to {agent}")
}

pub(in crate::view) fn dispatched(task: &str, agent: &str, attempt: u32) -> String {
    let again = if attempt > 1 { format!(", attempt {attempt}") } else { String::new() };
    format!("{task} started ({agent}{again})")
}

pub(in crate::view) fn succeeded(task: &str, agent: Option<&str>, took: Option<Seconds>) -> String {
    let took = took.map(|took| format!(" in {}", format::duration(took))).unwrap_or_default();
    let agent = agent.map(|agent| format!(" ({agent})")).unwrap_or_default();
    format!("{task} done{took}{agent}")
}

pub(in crate::view) fn progress(percentage: f64, left: Option<MeasuredTime>) -> String {
    let left = left.map(|left| format!(", {}", remaining(left))).unwrap_or_default();
    format!("{} done{left}", format::percent(percentage))
}

pub(in crate::view) fn joined(first: &str, second: &str) -> String {
    format!("{first} — {second}")
}

/// The task, the cause and what happens next.
pub(in crate::view) fn not_started(task: &str, cause: &str) -> String {
    with(&format!("{task} not started"), cause)
}

pub(in crate::view) fn failure(notice: &FailureNotification) -> String {
    joined(&notice.error_summary, &notice.recovery_strategy)
}

/// The task and the cause in at most `columns`. Of a cause that is too long the end says why: `exited with code 3:
/// ValueError: no column` gives way to `ValueError: no column`.
pub(in crate::view) fn failure_cause(notice: &FailureNotification, columns: usize) -> String {
    let whole = text::clean(&notice.error_summary);
    let Some((task, mut cause)) = whole.split_once(FAILED) else { return whole };
    while text::width(task) + FAILED.len() + text::width(cause) > columns {
        let Some((_, rest)) = cause.split_once(": ") else { break };
        cause = rest;
    }
    text::shortened(&format!("{task}{FAILED}{cause}"), columns, true)
}

/// What stands between a task and the cause of its failure.
const FAILED: &str = " failed: ";

pub(in crate::view) fn recovery(notice: &RecoveryNotification) -> String {
    let sentences = [&notice.what_were_doing, &notice.why, &notice.expected_impact];
    sentences.map(|sentence| format!("{}.", sentence.trim_end_matches('.'))).join(" ")
}

/// What a recovery adds to what the line of the failure has `told` already: the changes that it makes. Nothing where
/// that line names the agent who tries it next.
pub(in crate::view) fn recovery_details(notice: &RecoveryNotification, told: &str) -> Option<String> {
    let what = notice.what_were_doing.trim_end_matches('.');
    let other_agent = texts::recovery_notification(
        ReplanStrategy::RetryDifferentAgent,
        Confidence::NONE,
        Confidence::NONE,
        &[],
    );
    if !told.is_empty() && what.starts_with(&other_agent.what_were_doing) {
        return None;
    }
    match what.strip_prefix(told) {
        Some(rest) => {
            let rest = rest.trim_start_matches([':', ' ']);
            (!rest.is_empty()).then(|| rest.to_owned())
        }
        // Something that was not announced, such as a model's revision, comes with its reason.
        None => Some(format!("{what}. {}", notice.why)),
    }
}

/// A question that nobody was asked, and the answer that was used.
pub(in crate::view) fn answered_by_default(asked: &str, answer: &Answer) -> String {
    let Answer::Choice(choice) = answer else { return joined(asked, &answered(answer)) };
    format!("{} — unattended: used default {}", asked.trim_end_matches('.'), choice.option)
}

pub(in crate::view) fn announcement(title: &str, text: &str) -> String {
    with(title, text)
}

pub(in crate::view) fn stopped(task: &str, reason: StopReason) -> String {
    match reason {
        StopReason::RunStopping => format!("{task} stopped, because the run is stopping"),
        StopReason::Replan => format!("{task} stopped, because another approach is wanted"),
        StopReason::Superseded => format!("{task} stopped, because the plan changed under it"),
        StopReason::NoResources => format!("{task} starts later: this machine has no resources left for it"),
    }
}

pub(in crate::view) fn skipped(task: &str, comments: &str) -> String {
    with(&format!("{task} left out by a person"), comments)
}

pub(in crate::view) fn retrying(task: &str, agent: Option<&str>, wait: Seconds, by_person: bool) -> String {
    let agent = agent.map(|agent| format!(" with {agent}")).unwrap_or_default();
    let wait = if wait == Seconds::ZERO { String::new() } else { format!(" in {}", format::duration(wait)) };
    let who = if by_person { ", on your answer" } else { "" };
    format!("{task} will be tried again{agent}{wait}{who}")
}

pub(in crate::view) fn escalated(task: &str, failures: u32, errors: &[String], actions: &[&str]) -> String {
    let text =
        with(&format!("{task} failed {} and needs a person", format::times(failures)), &errors.join("; "));
    if actions.is_empty() { text } else { format!("{text}. Possible: {}", actions.join("; ")) }
}

pub(in crate::view) fn ask_approval(request: &HumanApprovalRequest) -> String {
    let confidence = format::confidence(request.confidence_score);
    with(&format!("Approve this plan? Confidence {confidence}"), &request.reasons.join("; "))
}

pub(in crate::view) fn ask_guidance(task: &str, failures: u32) -> String {
    format!("What should be done about {task}? It failed {}", format::times(failures))
}

pub(in crate::view) fn answered(answer: &Answer) -> String {
    match answer {
        Answer::Approval(decision) => with(
            &format!("A person answered: {}", decision.action.as_str().to_lowercase()),
            &decision.comments,
        ),
        Answer::Choice(choice) if choice.by_default => {
            format!("Unattended: used default {}", choice.option)
        }
        Answer::Choice(choice) => with(&format!("A person chose: {}", choice.option), &choice.text),
        Answer::Guidance(guidance) => {
            let agent =
                guidance.agent_type.as_ref().map(|agent| format!(" with {agent}")).unwrap_or_default();
            let action = match guidance.action {
                GuidanceAction::Retry => "try again",
                GuidanceAction::Skip => "go on without it",
                GuidanceAction::Abort => "give up",
            };
            with(&format!("A person answered: {action}{agent}"), &guidance.comments)
        }
    }
}

pub(in crate::view) fn withdrawn(gate: &GateId, reason: &str) -> String {
    with(&format!("Question {gate} needs no answer any more"), reason)
}

pub(in crate::view) fn guardrail(rule: &str, reason: &str) -> String {
    with(&format!("Guardrail {rule}"), reason)
}

pub(in crate::view) fn breaker_opened(agent: &str, reason: &str) -> String {
    with(&format!("{agent}: circuit open"), reason)
}

pub(in crate::view) fn breaker_closed(agent: &str) -> String {
    format!("{agent}: circuit closed")
}

pub(in crate::view) fn fell_back(what: &str, from: &str, to: &str, reason: &str) -> String {
    with(&format!("Second choice for {what}: {to} instead of {from}"), reason)
}

pub(in crate::view) fn degraded(level: u8, reason: &str) -> String {
    with(&format!("Degraded mode {level}/5"), reason)
}

pub(in crate::view) fn budget_exceeded(which: Account, spent: Money, budget: Money) -> String {
    format!(
        "The budget for {} does not allow more: {} spent of {}",
        account(which),
        format::money(spent),
        format::money(budget)
    )
}

pub(in crate::view) const fn account(account: Account) -> &'static str {
    match account {
        Account::Planning => "planning",
        Account::Execution => "execution",
    }
}

pub(in crate::view) fn conflict(between: &[String], resolution: &str) -> String {
    with(&format!("Contradiction between {} resolved", between.join(" and ")), resolution)
}

pub(in crate::view) fn paused(reason: &str) -> String {
    with("Paused", reason)
}

pub(in crate::view) fn stopping_to_roll_back(to: CheckpointId) -> String {
    format!("Stopping everything that runs, to go back to checkpoint {to}")
}

pub(in crate::view) fn rolled_back(to: CheckpointId, budget: Option<Money>) -> String {
    let budget =
        budget.map(|budget| format!(", with a budget of {}", format::money(budget))).unwrap_or_default();
    format!("Went back to checkpoint {to}{budget}")
}

pub(in crate::view) fn cancelled(reason: &str) -> String {
    with("Run cancelled", reason)
}
