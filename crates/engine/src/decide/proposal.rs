//! A plan on its way to execution: validated, calibrated, and shown to a person when confidence is low.

use std::sync::Arc;

use candor_model::{
    AgentCapability, Announcement, ConfidenceCause, EventBody, FallbackKind, GateId, Notification, Phase,
    PlanBrief, PlanningError, Question, Severity, TaskRisk, TaskStatus,
};
use candor_planning::approval::Discussion;
use candor_planning::validation::{Accepted, Proposal, accept};
use candor_planning::{approval, risk, routing, texts};

use super::draft::{Decision, Draft};
use super::phases::Done;
use super::{choices, critique, discussion, ending, phases, schedule};
use crate::RunState;
use crate::state::Stage;

/// Validates a proposed plan; a plan that does not pass ends the run and never reaches an agent. If there is a
/// plan already and a person wanted another, that is told them instead.
pub(super) fn propose(draft: &mut Draft<'_>, done: Done, proposal: Proposal, next: critique::Next) {
    let agents = proposal.agents.clone();
    let brief = proposal.brief.clone().map(Arc::from);
    match accept(proposal, draft.state.settings()) {
        Err(error) if draft.state.talk().is_some() => {
            discussion::reply(draft, format!("The plan would not stand: {error}"));
        }
        Err(error) => {
            draft.emit(EventBody::PhaseFailed { phase: Phase::Planning, reason: error.to_string() });
            ending::failed(draft, error);
        }
        Ok(accepted) => accepted_plan(draft, done, accepted, agents, brief, next),
    }
}

fn accepted_plan(
    draft: &mut Draft<'_>,
    mut done: Done,
    accepted: Accepted,
    agents: Vec<AgentCapability>,
    brief: Option<Arc<PlanBrief>>,
    next: critique::Next,
) {
    let Accepted { mut plan, raw_confidence, repairs, repair_kinds } = accepted;
    let calibrated = std::mem::replace(&mut plan.confidence_score, raw_confidence);
    for task in &mut plan.subtasks {
        task.status = TaskStatus::Pending;
    }
    let decisions = std::mem::take(&mut done.decisions);
    let flags = done.handoff.flags.clone();
    phases::complete(draft, done);
    let version = draft.state.next_version();
    let plan = Arc::new(plan);
    let bypassed = plan.subtasks.iter().all(|task| routing::is_last_resort(&task.agent_type));
    let told = repairs.clone();
    draft.emit(EventBody::PlanProposed { version, plan, agents, repairs: told, repair_kinds, brief });
    if bypassed {
        tell_of_bypass(draft);
    }
    if !decisions.is_empty() {
        // They speak of the plan that has just been proposed.
        draft.projected();
        phases::record(draft, decisions);
    }
    for repair in repairs {
        record_repair(draft, repair);
    }
    if calibrated != raw_confidence {
        draft.emit(EventBody::ConfidenceChanged {
            before: raw_confidence,
            after: calibrated,
            cause: ConfidenceCause::Calibrated,
        });
    }
    if phases::put_first(draft, Phase::Planning, &flags, &[], next) {
        choices::by_default(draft);
    } else {
        enter_execution(draft);
    }
}

fn record_repair(draft: &mut Draft<'_>, repair: String) {
    draft.notify(Notification::Announcement(Announcement {
        severity: Severity::Info,
        timestamp: draft.now,
        task_id: None,
        title: "Plan repaired".to_owned(),
        text: repair.clone(),
        suggestion: None,
    }));
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
    let ahead = draft.projected();
    let risks = risks(ahead);
    let Some((version, confidence)) = ahead.work().map(|work| (work.version, work.confidence)) else {
        return;
    };
    let unsure = confidence < ahead.settings().warning_threshold;
    let mut note = format!("confidence {:.2} needs no approval", confidence.get());
    if !risks.is_empty() {
        note = format!("{note}; {}", approval::allowed_note(&risks));
    }
    draft.emit(EventBody::PlanApproved { version, gate: None, note, risks });
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

/// Opens the approval gate if confidence or an act that cannot be taken back demands it, or because the plan is being
/// talked about; says whether it did. Where nobody can be asked about such an act, the run ends.
pub(super) fn ask_if_unsure(draft: &mut Draft<'_>) -> bool {
    let ahead = draft.projected();
    let Some(work) = ahead.work() else { return false };
    let risks = open_risks(ahead);
    if !risks.is_empty() && ahead.settings().unattended {
        ending::abort(draft, PlanningError::NotAllowed { risks });
        return true;
    }
    let needed = !risks.is_empty()
        || ahead.findings().dialogue.discussed
        || approval::needs_approval(work.confidence, ahead.settings());
    if needed {
        ask(draft);
    }
    needed
}

/// What of the plan cannot be taken back, as far as its tasks have agents: those without one are judged once they are routed.
fn risks(state: &RunState) -> Vec<TaskRisk> {
    let Some(work) = state.work() else { return Vec::new() };
    let tasks = work.tasks().map(|(task, run)| (task, run.status()));
    risk::of_plan(tasks, state.request(), |agent| match agent.is_tbd() {
        true => Some(&[]),
        false => work.agents.get(agent)?.effects.as_deref(),
    })
}

/// What of the plan cannot be taken back, is not allowed by the settings, and was not approved yet.
pub(super) fn open_risks(state: &RunState) -> Vec<TaskRisk> {
    let approved = &state.findings().dialogue.risks;
    let is_open = |open: &TaskRisk| {
        !state.settings().allow.contains(&open.class) && !approved.iter().any(|known| known.is_same_act(open))
    };
    risks(state).into_iter().filter(is_open).collect()
}

/// Asks a person, or ends the run, if a task that has just been routed cannot be taken back; says whether it did.
pub(super) fn ask_if_risky(draft: &mut Draft<'_>) -> bool {
    let ahead = draft.projected();
    !open_risks(ahead).is_empty() && ask_if_unsure(draft)
}

/// Opens the approval gate for a plan that was revised and should have been shown.
pub(super) fn ask_if_unapproved(draft: &mut Draft<'_>) {
    let ahead = draft.projected();
    let Some(version) = ahead.work().map(|work| work.version) else { return };
    if *ahead.stage() == Stage::Executing && ahead.findings().dialogue.approved != Some(version) {
        ask_if_unsure(draft);
    }
}

/// Opens the approval gate.
pub(super) fn ask(draft: &mut Draft<'_>) {
    let ahead = draft.projected();
    let Some(version) = ahead.work().map(|work| work.version) else { return };
    let Some(plan) = ahead.plan() else { return };
    let gate = match ahead.findings().dialogue.reply {
        Some(_) => GateId::approval_again(version, ahead.next_question()),
        None => GateId::approval(version),
    };
    let request = approval::request(&plan, ahead.goal(), ahead.settings(), discussion_of(ahead));
    draft.emit(EventBody::HumanAsked { gate, question: Box::new(Question::Approval { version, request }) });
}

/// What has been said of the plan so far. Once the work has begun it is no longer talked about, only decided on.
fn discussion_of(state: &RunState) -> Discussion {
    let supplied = state.material().is_some_and(|material| material.plan.is_some());
    if *state.stage() != Stage::Proposed {
        return Discussion { supplied, risks: open_risks(state), ..Discussion::default() };
    }
    let dialogue = &state.findings().dialogue;
    Discussion {
        supplied,
        open: true,
        brief: state.brief().cloned().map(Box::new),
        round: dialogue.rounds,
        has_earlier: dialogue.shown.len() > 1,
        reply: dialogue.reply.clone(),
        risks: open_risks(state),
    }
}

/// There is nobody but a model: it answers directly, and everyone is told what that is worth.
fn tell_of_bypass(draft: &mut Draft<'_>) {
    let reason = "there are no agents for this: a model answers each task directly, without tools and checks";
    draft.emit(EventBody::FellBack {
        what: "orchestrator".to_owned(),
        from: "agents".to_owned(),
        to: routing::LAST_RESORT.to_owned(),
        reason: reason.to_owned(),
        kind: Some(FallbackKind::Orchestrator),
    });
    let (before, after) = (draft.state.degradation().level, draft.projected().degradation().level);
    if after > before {
        draft.emit(EventBody::Degraded { level: after, reason: reason.to_owned() });
    }
}
