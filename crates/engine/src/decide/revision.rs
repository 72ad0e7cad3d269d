//! Another approach to a task that failed for good: a model is asked, and what it proposes is checked like any change
//! of the plan.

use candor_model::{EventBody, RevisionProposal, RevisionStep, TaskId};
use candor_planning::recovery::proposal;

use super::draft::Draft;
use super::{failure, schedule};
use crate::Refusal;
use crate::state::{Stage, TaskState};

/// Has a model asked; `note` is what a person said about it.
pub(super) fn ask(draft: &mut Draft<'_>, task_id: &TaskId, note: Option<String>) {
    let number = draft.projected().next_revision();
    draft.emit(EventBody::Revision(RevisionStep::Asked { task_id: task_id.clone(), number, note }));
}

/// A person wants another approach to a task: at once if it has failed, else as soon as its agent has stopped.
pub(super) fn replan(draft: &mut Draft<'_>, task_id: &TaskId, note: Option<String>) -> Result<(), Refusal> {
    let unknown = || Refusal::UnknownTask { task_id: task_id.clone() };
    let refuse = |why: &str| Err(Refusal::NoOtherApproach { task_id: task_id.clone(), why: why.to_owned() });
    let (_, task, run) = draft.state.work().ok_or_else(unknown)?.find(task_id).ok_or_else(unknown)?;
    if *draft.state.stage() != Stage::Executing {
        return refuse(
            "the run is not executing tasks; `candor modify` changes a plan that waits for approval",
        );
    }
    let gate = match &run.state {
        TaskState::InFlight(attempt) => {
            let others = task.metadata.ranking.iter().any(|other| other.agent_type != attempt.agent_type);
            if !failure::has_model(draft) && !others {
                return refuse("no model is configured and nobody else fits it");
            }
            draft.emit(EventBody::Revision(RevisionStep::Requested { task_id: task_id.clone(), note }));
            return Ok(());
        }
        TaskState::Escalated(gate) => Some(gate.clone()),
        TaskState::Backoff(_) | TaskState::Failed => None,
        TaskState::Revising { .. } => return refuse("another approach is being looked for already"),
        TaskState::Waiting => return refuse("it has not begun; `candor modify` changes it before it does"),
        TaskState::Succeeded(_) => return refuse("it is done; `candor rollback` goes back behind it"),
        TaskState::GivenUp(_) | TaskState::Skipped => {
            return refuse("it is over; `candor resume` tries it again");
        }
    };
    let failed = draft.state.task(task_id).ok_or_else(unknown)?;
    let told = draft.state.feedback().iter().rev().find(|feedback| feedback.task_id == *task_id);
    let feedback = told.cloned().ok_or_else(unknown)?;
    let rules = failure::by_rules(draft, &failed, &feedback);
    let with_model = failure::has_model(draft);
    if !with_model && rules.is_none() {
        return refuse(
            "no model is configured and nobody else fits it; answer with `retry --agent`, `skip` or `abort`",
        );
    }
    if let Some(gate) = gate {
        let reason = "a person wants another approach".to_owned();
        draft.emit(EventBody::QuestionWithdrawn { gate, reason });
    }
    match rules.filter(|_| !with_model) {
        Some(step) => failure::revise_by_rules(draft, &failed, &feedback, step),
        None => {
            ask(draft, task_id, note);
            schedule::after_change(draft);
        }
    }
    Ok(())
}

/// What a model proposes, or why there is no proposal.
pub(super) fn revised(
    draft: &mut Draft<'_>,
    task_id: &TaskId,
    number: u32,
    proposal: Result<RevisionProposal, String>,
) -> Result<(), Refusal> {
    let unknown = || Refusal::UnknownTask { task_id: task_id.clone() };
    let (_, _, run) = draft.state.work().ok_or_else(unknown)?.find(task_id).ok_or_else(unknown)?;
    let wanted = matches!(&run.state, TaskState::Revising { number: wanted, .. } if *wanted == number);
    if !wanted || *draft.state.stage() != Stage::Executing {
        return Err(Refusal::NotRevising { task_id: task_id.clone(), number });
    }
    let failed = draft.state.task(task_id).ok_or_else(unknown)?;
    let told = draft.state.feedback().iter().rev().find(|feedback| feedback.task_id == *task_id);
    let (feedback, plan) = (told.cloned().ok_or_else(unknown)?, draft.state.plan().ok_or_else(unknown)?);
    let applied = proposal.and_then(|proposal| {
        let replanned = proposal::apply(&plan, &feedback, &proposal, &failure::context(draft))?;
        Ok((replanned, proposal.why))
    });
    let refused = applied.as_ref().err().cloned();
    draft.emit(EventBody::Revision(RevisionStep::Answered { task_id: task_id.clone(), number, refused }));
    match applied {
        Ok((replanned, why)) => {
            let reasoning = format!("a model proposes it: {why}");
            failure::revise_as(draft, replanned, &failed, reasoning, Some(&why));
            schedule::after_change(draft);
        }
        Err(_) => failure::without_model(draft, &failed, &feedback),
    }
    Ok(())
}
