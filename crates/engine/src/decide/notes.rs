//! What agents note while they work, and what they need a person's word for.

use std::sync::Arc;

use candor_model::{
    Account, AgentNote, Choice, ChoiceKind, ChoiceRequest, EventBody, GateId, Money, Question, TaskId,
};

use super::draft::Draft;
use super::{choices, consult, outcome};
use crate::Refusal;
use crate::state::{Stage, asked_by};

/// An agent at work noted something; what it paid for is on the bill in the same append.
pub(super) fn noted(
    draft: &mut Draft<'_>,
    task_id: TaskId,
    attempt: u32,
    note: Arc<AgentNote>,
) -> Result<(), Refusal> {
    outcome::running(draft, &task_id, attempt)?;
    let paid = match note.as_ref() {
        AgentNote::Consulted { ask, step, .. } => {
            step.call.as_ref().map(|call| (consult::payee(ask, &call.model), call.cost))
        }
        _ => None,
    };
    draft.emit(EventBody::AgentNoted { task_id, attempt, note });
    if let Some((payee, amount)) = paid.filter(|(_, amount)| *amount > Money::ZERO) {
        outcome::spent(draft, Account::Execution, payee, amount);
    }
    Ok(())
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

/// A question of an attempt that is over needs no answer any more.
pub(super) fn withdraw(draft: &mut Draft<'_>, gate: Option<&GateId>) {
    let Some(gate) = gate.filter(|gate| draft.state.open_questions().contains_key(*gate)) else { return };
    let reason = "whoever asked has come to its end".to_owned();
    draft.emit(EventBody::QuestionWithdrawn { gate: gate.clone(), reason });
}
