//! Room 6: the result against what was wanted. What the outputs contradict is unmet; what they do not tell
//! is said to be unchecked, and not counted as met.

use candor_model::{ExecutionStatus, Money};
use candor_planning::phase::{PhaseReport, PhaseResult};
use candor_planning::report::{ConstraintCheck, ReportMaterial, constraint_summary};
use serde_json::{Value, json};

use super::report;
use crate::Desk;

pub(super) fn work(desk: &Desk<'_>) -> PhaseReport {
    let checks = checks(desk);
    let unmet: Vec<String> = checks.iter().filter(|check| check.met == Some(false)).map(said).collect();
    let open = checks.iter().filter(|check| check.met.is_none()).count();
    let met = checks.len() - unmet.len() - open;
    let summary = format!("{met} of {} constraints and criteria met, {open} not checked", checks.len());
    let listed: Vec<Value> = checks
        .iter()
        .map(|check| json!({ "what": check.what, "wanted": check.wanted, "found": check.found, "met": check.met }))
        .collect();
    report(summary, json!({ "checks": listed }), PhaseResult::Verdict { unmet })
}

fn checks(desk: &Desk<'_>) -> Vec<ConstraintCheck> {
    let (Some(goal), Some(plan)) = (desk.goal, desk.plan) else { return Vec::new() };
    let material = ReportMaterial {
        plan,
        feedback: desk.feedback,
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
