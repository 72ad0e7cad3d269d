//! A plan on its way to execution: validated, calibrated, and shown to a person when confidence is low.

use std::sync::Arc;

use candor_model::{ConfidenceCause, EventBody, GateId, Handoff, Notification, Phase, Question, TaskStatus};
use candor_planning::phase::RoomDecision;
use candor_planning::validation::{Accepted, Proposal, accept};
use candor_planning::{approval, texts};

use super::draft::{Decision, Draft};
use super::{ending, phases, schedule};

/// Validates a proposed plan; a plan that does not pass ends the run and never reaches an agent.
pub(super) fn propose(
    draft: &mut Draft<'_>,
    handoff: Handoff,
    proposal: Proposal,
    decisions: Vec<RoomDecision>,
) {
    let agents = proposal.agents.clone();
    match accept(proposal, draft.state.settings()) {
        Err(error) => {
            draft.say(EventBody::PhaseFailed { phase: Phase::Planning, reason: error.to_string() });
            ending::failed(draft, error);
        }
        Ok(Accepted { mut plan, raw_confidence, repairs }) => {
            let calibrated = std::mem::replace(&mut plan.confidence_score, raw_confidence);
            for task in &mut plan.subtasks {
                task.status = TaskStatus::Pending;
            }
            draft.say(EventBody::PhaseCompleted { phase: Phase::Planning, handoff });
            let version = draft.state.next_version();
            let plan = Arc::new(plan);
            draft.say(EventBody::PlanProposed { version, plan, agents, repairs: repairs.clone() });
            if !decisions.is_empty() {
                // They speak of the plan that has just been proposed.
                draft.ahead();
                phases::record(draft, decisions);
            }
            for repair in repairs {
                record_repair(draft, repair);
            }
            if calibrated != raw_confidence {
                draft.say(EventBody::ConfidenceChanged {
                    before: raw_confidence,
                    after: calibrated,
                    cause: ConfidenceCause::Calibrated,
                });
            }
            enter_execution(draft);
        }
    }
}

fn record_repair(draft: &mut Draft<'_>, repair: String) {
    draft.record(Decision {
        operation: "repair_plan",
        task_id: None,
        input: "a plan that did not pass validation".to_owned(),
        decision: repair,
        reasoning: "the plan is valid with this change; repairs before execution cost no confidence"
            .to_owned(),
        confidence: None,
    });
}

/// Starts the work, or asks a person first.
pub(super) fn enter_execution(draft: &mut Draft<'_>) {
    if ask_if_unsure(draft) {
        return;
    }
    let ahead = draft.ahead();
    let Some((version, confidence)) = ahead.work().map(|work| (work.version, work.confidence)) else {
        return;
    };
    let unsure = confidence < ahead.settings().warning_threshold;
    let note = format!("confidence {:.2} needs no approval", confidence.get());
    draft.say(EventBody::PlanApproved { version, gate: None, note });
    if unsure {
        let warning = texts::low_confidence_warning(confidence, draft.now);
        draft.notify(Notification::Announcement(warning));
    }
    begin_execution(draft);
}

/// Starts the work on a plan that is approved.
pub(super) fn begin_execution(draft: &mut Draft<'_>) {
    phases::begin(draft, [Phase::Execution].into());
    schedule::after_change(draft);
}

/// Opens the approval gate if confidence demands it; says whether it did.
pub(super) fn ask_if_unsure(draft: &mut Draft<'_>) -> bool {
    let ahead = draft.ahead();
    let Some(work) = ahead.work() else { return false };
    if !approval::needs_approval(work.confidence, ahead.settings()) {
        return false;
    }
    let version = work.version;
    let Some(plan) = ahead.plan() else { return false };
    let request = approval::request(&plan, ahead.goal(), ahead.settings());
    draft.say(EventBody::HumanAsked {
        gate: GateId::approval(version),
        question: Box::new(Question::Approval { version, request }),
    });
    true
}
