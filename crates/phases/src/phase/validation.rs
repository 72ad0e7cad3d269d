//! Room 6: the result against what was wanted. Every task by its own criterion, then the goal's constraints.
//! What contradicts them is unmet; what nobody can tell is said to be unchecked, and not counted as met.
//!
//! The phase looks at the short form of what the tasks have put out, and opens only what it needs. What must be
//! looked up in the world it asks for, and is visited again.

mod tasks;
mod warnings;

use candor_model::handoff::{CheckedConstraint, FailedResult, JudgedCounts, ValidationOutput};
use candor_model::{
    Broadcast, Effect, ExecutionStatus, MessagePriority, MessageType, Money, Phase, Query, TaskId,
};
use candor_planning::metrics;
use candor_planning::phase::{PhaseReport, PhaseResult};
use candor_planning::report::{ConstraintCheck, ReportMaterial, constraint_summary};

use self::tasks::Findings;
use super::{Phases, counted, report};
use crate::{Incomplete, PhaseContext};

/// Lists in the handoff end here.
const LISTED: usize = 100;
/// So many failures are told one by one.
const TOLD: usize = 20;

pub(super) fn work(phases: &Phases, cx: &PhaseContext<'_>) -> Result<PhaseReport, Incomplete> {
    let mut found = tasks::judge(cx, &phases.rules.allowed_commands);
    if !found.wanted.is_empty() {
        return Err(Incomplete::Needs(vec![Effect::RunChecks { attempt: cx.attempt, checks: found.wanted }]));
    }
    let told = warnings::look(cx);
    if !told.to_ask.is_empty() {
        return Err(Incomplete::Needs(told.to_ask.into_iter().map(queried).collect()));
    }
    found.warnings.extend(told.warnings);
    found.failed.extend(told.blocking);
    let checks = checks(cx);
    let unmet: Vec<String> = checks.iter().filter(|check| check.met == Some(false)).map(said).collect();
    let open = checks.iter().filter(|check| check.met.is_none()).count();
    let met = checks.len() - unmet.len() - open;
    let verdict = verdict(unmet.len() + found.failed.len(), found.warnings.len());
    let summary = format!(
        "{verdict}: {met} of {} constraints and criteria met, {open} not checked; {} of {} by the tasks' own criteria",
        checks.len(),
        counted(found.met, "check"),
        found.defined,
    );
    let (defined, checked) = (found.defined + checks.len(), found.checked + checks.len() - open);
    let quality = metrics::validation_thoroughness(count(found.met + met), count(checked));
    let output = output(&verdict, &checks, &found, JudgedCounts { defined, checked, met: found.met + met });
    let messages = messages(&verdict, &found.failed);
    let mut report = report(summary, &output, None, PhaseResult::Verdict { unmet, failed: found.failed });
    report.handoff.quality = quality.map(|share| (share * 100.0).round().clamp(0.0, 100.0) as u8);
    report.messages = messages;
    let thorough = metrics::validation_thoroughness(count(checked), count(defined));
    report.criteria.extend(thorough.map(|share| ("validation_thoroughness".to_owned(), share)));
    Ok(report)
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

fn said(check: &ConstraintCheck) -> String {
    match &check.found {
        Some(found) => format!("{}: wanted {}, found {found}", check.what, check.wanted),
        None => format!("{}: wanted {}", check.what, check.wanted),
    }
}
