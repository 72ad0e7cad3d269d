//! The phases around the work: each always runs, in order, and hands over explicitly.

use std::collections::BTreeSet;
use std::sync::Arc;

use candor_model::{CritiqueVerdict, EventBody, Handoff, Phase, PlanningError, Severity};
use candor_planning::phase::RoomDecision;

use super::draft::{Decision, Draft};
use super::{ending, proposal};
use crate::state::{Stage, following};
use crate::{PhaseReport, PhaseResult, Refusal};

/// Begins the work of these phases.
pub(super) fn begin(draft: &mut Draft<'_>, phases: BTreeSet<Phase>) {
    for phase in phases {
        let attempt = draft.state.phase_attempt(phase).saturating_add(1);
        draft.say(EventBody::PhaseStarted { phase, attempt });
    }
}

pub(super) fn done(
    draft: &mut Draft<'_>,
    phase: Phase,
    attempt: u32,
    report: PhaseReport,
) -> Result<(), Refusal> {
    check_at_work(draft, phase, attempt)?;
    let PhaseReport { handoff, result, decisions, warnings } = report;
    for (rule, reason) in warnings {
        let severity = Severity::Warning;
        draft.say(EventBody::GuardrailTripped { rule: rule.to_owned(), severity, reason });
    }
    match (phase, result) {
        (Phase::Evaluation, PhaseResult::Goal(goal)) => {
            draft.say(EventBody::GoalDefined { goal: Arc::new(goal) });
            complete(draft, phase, handoff, decisions);
        }
        (Phase::Evaluation, _) => {
            return Err(Refusal::WrongPhaseResult { phase, expected: "a goal" });
        }
        (Phase::Planning, PhaseResult::Plan(plan)) => proposal::propose(draft, handoff, plan, decisions),
        (Phase::Planning, _) => {
            return Err(Refusal::WrongPhaseResult { phase, expected: "a plan" });
        }
        (Phase::Validation, PhaseResult::Verdict { unmet }) => {
            let verdict = if unmet.is_empty() { CritiqueVerdict::Continue } else { CritiqueVerdict::Stop };
            draft.say(EventBody::Critiqued { phase, verdict, notes: unmet });
            complete(draft, phase, handoff, decisions);
        }
        (Phase::Validation, _) => {
            return Err(Refusal::WrongPhaseResult { phase, expected: "a verdict" });
        }
        (Phase::Consolidation, PhaseResult::Plain) => {
            draft.say(EventBody::PhaseCompleted { phase, handoff });
            record(draft, decisions);
            ending::finished(draft);
        }
        (_, PhaseResult::Plain) => complete(draft, phase, handoff, decisions),
        (_, _) => {
            return Err(Refusal::WrongPhaseResult { phase, expected: "nothing beyond its handoff" });
        }
    }
    Ok(())
}

pub(super) fn failed(
    draft: &mut Draft<'_>,
    phase: Phase,
    attempt: u32,
    reason: String,
) -> Result<(), Refusal> {
    check_at_work(draft, phase, attempt)?;
    draft.say(EventBody::PhaseFailed { phase, reason: reason.clone() });
    let by_rules = format!("phase {} ({phase})", phase.number());
    if draft.state.degradation().failed_components.contains(&by_rules) {
        let reason = format!("no model answered in phase {phase}, and its rules found nothing either");
        draft.say(EventBody::Degraded { level: 5, reason });
    }
    ending::failed(draft, PlanningError::PhaseFailed { phase, reason });
    Ok(())
}

/// Puts what a room decided on record.
pub(super) fn record(draft: &mut Draft<'_>, decisions: Vec<RoomDecision>) {
    for RoomDecision { operation, task_id, input, decision, reasoning } in decisions {
        let task_id = task_id.as_ref();
        draft.record(Decision { operation, task_id, input, decision, reasoning, confidence: None });
    }
}

pub(super) fn check_at_work(draft: &Draft<'_>, phase: Phase, attempt: u32) -> Result<(), Refusal> {
    let at_work = match draft.state.stage() {
        Stage::Preparing { open, .. } => open.contains(&phase),
        Stage::Closing { phase: current } => *current == phase,
        _ => false,
    };
    if at_work && draft.state.phase_attempt(phase) == attempt {
        Ok(())
    } else {
        Err(Refusal::StalePhase { phase, attempt })
    }
}

fn complete(draft: &mut Draft<'_>, phase: Phase, handoff: Handoff, decisions: Vec<RoomDecision>) {
    draft.say(EventBody::PhaseCompleted { phase, handoff });
    record(draft, decisions);
    let alone = match draft.state.stage() {
        Stage::Preparing { open, .. } => open.len() == 1,
        _ => true,
    };
    if alone {
        begin(draft, following(phase));
    }
}
