//! What agents note while they work, and what they need a person's word for.

use std::sync::Arc;

use candor_model::{
    Account, AgentNote, Choice, ChoiceKind, ChoiceRequest, EventBody, GateId, Money, Noted, Payee, Question,
    Severity, TaskId, ToolCallBudget,
};

use super::draft::Draft;
use super::{choices, consult, outcome};
use crate::Refusal;
use crate::state::{Stage, asked_by};

/// An agent at work noted something; what it paid for is on the bill in the same append.
pub(super) fn noted(
    draft: &mut Draft<'_>,
    task_id: &TaskId,
    attempt: u32,
    note: Arc<AgentNote>,
) -> Result<(), Refusal> {
    let running = outcome::running(draft, task_id, attempt)?;
    let agent_type = running.attempt.agent_type.clone();
    let paid = match note.as_ref() {
        AgentNote::Consulted { ask, step, .. } => {
            step.call.as_ref().map(|call| (consult::payee(ask, &call.model), call.cost))
        }
        AgentNote::Session { cost, .. } => {
            let payee = Payee::Attempt { task_id: task_id.clone(), agent_type };
            cost.map(|cost| (payee, cost))
        }
        _ => None,
    };
    let is_call = matches!(note.as_ref(), AgentNote::Called { .. });
    draft.emit(EventBody::AgentNoted { task_id: task_id.clone(), attempt, note });
    if is_call {
        tell_of_many_calls(draft, task_id, attempt);
    }
    if let Some((payee, amount)) = paid.filter(|(_, amount)| *amount > Money::ZERO) {
        outcome::spent(draft, Account::Execution, payee, amount);
    }
    Ok(())
}

/// Tells once that more tools are called than is usual for a request of its class. Nothing is stopped: the limit of an
/// agent's calls is its own setting.
fn tell_of_many_calls(draft: &mut Draft<'_>, task_id: &TaskId, attempt: u32) {
    let ahead = draft.projected();
    let Some(work) = ahead.work() else { return };
    let Some(ToolCallBudget { calls, in_all }) = work.plan().metadata.tool_calls else { return };
    let is_call = |noted: &&Noted| matches!(noted.note, AgentNote::Called { .. });
    let (who, made) = if in_all {
        let tasks = work.tasks().flat_map(|(task, _)| ahead.notes(&task.task_id));
        ("the run".to_owned(), tasks.filter(is_call).count())
    } else {
        let own = ahead.notes(task_id).iter().filter(|noted| noted.attempt == attempt);
        (task_id.to_string(), own.filter(is_call).count())
    };
    if u32::try_from(made).is_ok_and(|made| made == calls.saturating_add(1)) {
        let (rule, severity) = ("tool_calls".to_owned(), Severity::Warning);
        let reason = format!("{who} has made {made} tool calls; {calls} are usual for such a request");
        draft.emit(EventBody::GuardrailTripped { rule, severity, reason });
    }
}

/// An agent needs a person's word: its attempt rests, and everything else goes on.
pub(super) fn asks(
    draft: &mut Draft<'_>,
    task_id: &TaskId,
    attempt: u32,
    mut request: ChoiceRequest,
) -> Result<(), Refusal> {
    let running = outcome::running(draft, task_id, attempt)?;
    if running.attempt.halt.is_some() || *draft.state.stage() != Stage::Executing {
        return outcome::stopped(draft, task_id, attempt);
    }
    request.about = ChoiceKind::Agent;
    request.concerns = vec![task_id.to_string()];
    let gate = GateId::choice(request.about.as_str(), draft.projected().next_question());
    let question = Box::new(Question::Choice(request));
    draft.emit(EventBody::HumanAsked { gate, question });
    choices::by_default(draft);
    Ok(())
}

/// A person answered an agent: the attempt goes on where it was, with the answer among its notes.
pub(super) fn answered(draft: &mut Draft<'_>, request: &ChoiceRequest, choice: &Choice) {
    let resting = asked_by(request).and_then(|asker| {
        let ahead = draft.projected();
        let (_, task, run) = ahead.work()?.find(&asker)?;
        Some((task.task_id.clone(), run.in_flight()?.clone()))
    });
    let Some((task_id, resting)) = resting.filter(|(_, attempt)| attempt.waits_for.is_some()) else { return };
    let attempt = resting.number;
    let note = Arc::new(AgentNote::Answered { choice: choice.clone() });
    draft.emit(EventBody::AgentNoted { task_id: task_id.clone(), attempt, note });
    let deadline = draft.now.plus(draft.state.time_for(&resting.agent_type));
    draft.emit(EventBody::TaskTakenUp { task_id, attempt, deadline });
}

/// A person wants another approach to one step of an agent at work. It learns of it before its next action; a question
/// that it waits for is withdrawn, because the step that it is about may change.
pub(super) fn replan_step(
    draft: &mut Draft<'_>,
    task_id: &TaskId,
    item: String,
    note: Option<String>,
) -> Result<(), Refusal> {
    let unknown = || Refusal::UnknownTask { task_id: task_id.clone() };
    let (_, _, run) = draft.state.work().ok_or_else(unknown)?.find(task_id).ok_or_else(unknown)?;
    let refuse = |why: String| Refusal::NoOtherApproach { task_id: task_id.clone(), why };
    let at_work = run.in_flight().filter(|attempt| attempt.halt.is_none());
    let Some(attempt) = at_work.cloned() else {
        return Err(refuse(
            "its agent is not at work; leave --step out to re-plan the whole task".to_owned(),
        ));
    };
    let steps = steps(draft.state.notes(task_id));
    if !steps.contains(&item.as_str()) {
        let known = if steps.is_empty() { "it has no list of steps".to_owned() } else { steps.join(", ") };
        return Err(refuse(format!("it has no step {item}; its steps: {known}")));
    }
    let note = Arc::new(AgentNote::ReplanAsked { item, note });
    let (task_id, number) = (task_id.clone(), attempt.number);
    if let Some(gate) = attempt.waits_for {
        let reason = "a person wants another approach".to_owned();
        draft.emit(EventBody::QuestionWithdrawn { gate, reason });
        draft.emit(EventBody::AgentNoted { task_id: task_id.clone(), attempt: number, note });
        let deadline = draft.now.plus(draft.state.time_for(&attempt.agent_type));
        draft.emit(EventBody::TaskTakenUp { task_id, attempt: number, deadline });
    } else {
        draft.emit(EventBody::AgentNoted { task_id, attempt: number, note });
    }
    Ok(())
}

/// The steps that an agent's notes name, in their order.
fn steps(notes: &[Noted]) -> Vec<&str> {
    let mut steps = Vec::new();
    for noted in notes {
        let items = match &noted.note {
            AgentNote::Planned { items, .. } => items,
            AgentNote::Changed { change } => &change.items,
            _ => continue,
        };
        let new: Vec<&str> =
            items.iter().map(|item| item.id.as_str()).filter(|id| !steps.contains(id)).collect();
        steps.extend(new);
    }
    steps
}

/// A question of an attempt that is over needs no answer any more.
pub(super) fn withdraw(draft: &mut Draft<'_>, gate: Option<&GateId>) {
    let Some(gate) = gate.filter(|gate| draft.state.open_questions().contains_key(*gate)) else { return };
    let reason = "whoever asked has come to its end".to_owned();
    draft.emit(EventBody::QuestionWithdrawn { gate: gate.clone(), reason });
}
