//! Phase 6: the result against what was wanted. Every task by its own criterion and by what its agent says it did,
//! then the goal by its constraints and criteria. What contradicts them is unmet; what nobody can tell is said to be
//! unchecked, and never counted as met. The assessment that the run ends with is made here.
//!
//! The phase looks at the short form of what the tasks have put out, and opens only what it needs. What must be
//! looked up outside the run it asks for, and is visited again.

mod answers;
mod checked;
mod claims;
mod gates;
mod goal;
mod judging;
mod tasks;
mod warnings;

use candor_model::handoff::{CheckedConstraint, FailedResult, JudgedCounts, ValidationOutput};
use candor_model::{
    Broadcast, CheckedCriterion, CriterionResult, Effect, ExecutionStatus, MessagePriority, MessageType,
    Money, Phase, Query, TaskId,
};
use candor_planning::phase::{PhaseReport, PhaseResult};
use candor_planning::report::{ConstraintCheck, ReportMaterial, constraint_summary};
use candor_planning::{assessment, metrics};

use self::tasks::Findings;
use super::{Phases, counted, report};
use crate::{Incomplete, PhaseContext};

/// Lists in the handoff end here.
const LISTED: usize = 100;
/// So many failures are told one by one.
const TOLD: usize = 20;

pub(super) fn work(phases: &Phases, cx: &PhaseContext<'_>) -> Result<PhaseReport, Incomplete> {
    let to_judge = cx.goal.map(goal::to_judge).unwrap_or_default();
    let judged = judging::judge(cx, to_judge.into_iter().chain(tasks::to_judge(cx)).collect())?;
    let mut found = tasks::judge(cx, &phases.rules.allowed_commands, &judged);
    let checks = checks(cx);
    let of_goal = goal::judge(phases, cx, &checks, &judged);
    found.wanted.extend(of_goal.wanted);
    found.failed.extend(of_goal.failed);
    found.warnings.extend(of_goal.warnings);
    if !found.wanted.is_empty() {
        found.wanted.sort_unstable();
        found.wanted.dedup();
        return Err(Incomplete::Needs(vec![Effect::RunChecks { attempt: cx.attempt, checks: found.wanted }]));
    }
    let told = warnings::look(cx);
    if !told.to_ask.is_empty() {
        return Err(Incomplete::Needs(told.to_ask.into_iter().map(queried).collect()));
    }
    found.warnings.extend(told.warnings);
    found.failed.extend(told.blocking);
    answers::by_rules(cx, &mut found);
    if phases.rules.critique_by_model {
        answers::by_model(cx, &mut found)?;
    }
    found.failed = by_task(found.failed);
    Ok(reported(&checks, found, of_goal.criteria))
}

/// The failures with all reasons of a task in one: it is done again once for all of them.
fn by_task(failed: Vec<(TaskId, String)>) -> Vec<(TaskId, String)> {
    let mut all: Vec<(TaskId, String)> = Vec::new();
    for (task, why) in failed {
        match all.iter_mut().find(|(known, _)| *known == task) {
            Some((_, reasons)) => reasons.extend(["; ", &why]),
            None => all.push((task, why)),
        }
    }
    all
}

fn reported(checks: &[ConstraintCheck], found: Findings, of_goal: Vec<CheckedCriterion>) -> PhaseReport {
    let with = |result| of_goal.iter().filter(move |it| it.result == result);
    let unmet: Vec<String> = with(CriterionResult::Fails).map(assessment::line).collect();
    let open = with(CriterionResult::Unchecked).count();
    let met = with(CriterionResult::Holds).count();
    let verdict = verdict(unmet.len() + found.failed.len(), found.warnings.len());
    let summary = format!(
        "{verdict}: {met} of {} constraints and criteria met, {open} not checked; {} of {} by the tasks' own criteria",
        of_goal.len(),
        counted(found.met, "check"),
        found.defined,
    );
    let (defined, checked) = (found.defined + of_goal.len(), found.checked + of_goal.len() - open);
    let judged = JudgedCounts { defined, checked, met: found.met + met };
    let quality = metrics::validation_thoroughness(count(judged.met), count(checked));
    // What a task repeats of the goal is one criterion.
    let same = |it: &CheckedCriterion| {
        of_goal.iter().any(|goal| goal.criterion == it.criterion && goal.result == it.result)
    };
    let of_tasks: Vec<_> = found.criteria.iter().filter(|it| !same(it)).cloned().collect();
    let all = of_goal.into_iter().chain(of_tasks).collect();
    let mut output = output(&verdict, checks, &found, judged);
    output.assessment = Some(assessment::assess(all, found.claims));
    let messages = messages(&verdict, &found.failed);
    let mut report = report(summary, &output, None, PhaseResult::Verdict { unmet, failed: found.failed });
    report.handoff.quality = quality.map(|share| (share * 100.0).round().clamp(0.0, 100.0) as u8);
    report.messages = messages;
    let thorough = metrics::validation_thoroughness(count(checked), count(defined));
    report.criteria.extend(thorough.map(|share| ("validation_thoroughness".to_owned(), share)));
    report
}

fn queried(query: Query) -> Effect {
    Effect::QueryAgent { query: Box::new(query) }
}

fn count(of: usize) -> u64 {
    u64::try_from(of).unwrap_or(u64::MAX)
}

fn verdict(failures: usize, warnings: usize) -> String {
    match (failures, warnings) {
        (0, 0) => "PASS".to_owned(),
        (0, warnings) => format!("PASS with {}", counted(warnings, "warning")),
        _ => "FAIL".to_owned(),
    }
}

fn output(
    verdict: &str,
    checks: &[ConstraintCheck],
    found: &Findings,
    judged: JudgedCounts,
) -> ValidationOutput {
    let listed = checks
        .iter()
        .cloned()
        .map(|ConstraintCheck { what, wanted, found, met }| CheckedConstraint { what, wanted, found, met });
    let failed = found.failed.iter().take(LISTED).cloned();
    ValidationOutput {
        verdict: verdict.to_owned(),
        checks: listed.collect(),
        failed: failed.map(|(task_id, why)| FailedResult { task_id, why }).collect(),
        warnings: bounded(&found.warnings),
        expanded: found.expanded.iter().take(LISTED).cloned().collect(),
        judged,
        assessment: None,
    }
}

fn bounded(lines: &[String]) -> Vec<String> {
    let mut listed: Vec<String> = lines.iter().take(LISTED).cloned().collect();
    if let Some(more) = lines.len().checked_sub(LISTED).filter(|more| *more > 0) {
        listed.push(format!("and {more} more"));
    }
    listed
}

fn messages(verdict: &str, failed: &[(TaskId, String)]) -> Vec<Broadcast> {
    let said = |content| Broadcast::completion(Phase::Validation, Phase::Validation.lead_agent(), content);
    let failures = failed.iter().take(TOLD).map(|(task, why)| Broadcast {
        message_type: MessageType::Warning,
        priority: MessagePriority::High,
        task_id: Some(task.clone()),
        ..said(format!("{task} failed: {why}"))
    });
    let done = said(verdict.to_owned());
    failures.chain([done]).collect()
}

fn checks(cx: &PhaseContext<'_>) -> Vec<ConstraintCheck> {
    let (Some(goal), Some(plan)) = (cx.goal, cx.plan) else { return Vec::new() };
    let material = ReportMaterial {
        plan,
        feedback: cx.feedback,
        confidence: &[],
        status: ExecutionStatus::Success,
        started_at: None,
        ended_at: None,
        planning_cost: Money::ZERO,
        degradation: None,
    };
    constraint_summary(goal, &material).checks
}
