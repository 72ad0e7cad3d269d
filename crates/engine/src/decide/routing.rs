//! Agents for tasks that were born in a revision.

use candor_model::{
    EventBody, ExecutionFeedback, Failure, FailureKind, PlanningError, RankedAgent, Seconds, SubTask, TaskId,
    TaskStatus,
};
use candor_planning::texts::Response;

use super::draft::{Decision, Draft};
use super::{ending, failure, proposal, schedule};
use crate::Refusal;
use crate::state::{Stage, TaskState};

pub(super) fn routed(
    draft: &mut Draft<'_>,
    task_id: &TaskId,
    ranking: Result<Vec<RankedAgent>, String>,
) -> Result<(), Refusal> {
    let unknown = || Refusal::UnknownTask { task_id: task_id.clone() };
    let (_, task, run) = draft.state.work().ok_or_else(unknown)?.find(task_id).ok_or_else(unknown)?;
    let waits = task.agent_type.is_tbd() && run.state == TaskState::Waiting;
    if !waits || *draft.state.stage() != Stage::Executing {
        return Err(Refusal::NotUnrouted { task_id: task_id.clone() });
    }
    match ranking {
        Ok(ranking) if !ranking.is_empty() => assign(draft, task_id, ranking),
        Ok(_) => no_agent(draft, task, "no agent fits".to_owned()),
        Err(reason) => no_agent(draft, task, reason),
    }
    Ok(())
}

fn assign(draft: &mut Draft<'_>, task_id: &TaskId, ranking: Vec<RankedAgent>) {
    let Some(best) = ranking.first() else { return };
    let places = ranking.iter().map(|ranked| format!("{} {:.3}", ranked.agent_type, ranked.score));
    draft.record(Decision {
        operation: "route_task",
        task_id: Some(task_id),
        input: format!("task {task_id}, born in a revision"),
        decision: format!("{} with score {:.3}", best.agent_type, best.score),
        reasoning: format!("ranking: {}", places.collect::<Vec<_>>().join(", ")),
        confidence: None,
    });
    let agent_type = best.agent_type.clone();
    draft.emit(EventBody::TaskRouted { task_id: task_id.clone(), agent_type, ranking });
    if !proposal::ask_if_risky(draft) {
        schedule::after_change(draft);
    }
}

/// Nobody can do it: that is a failure like any other, and only a person can name someone.
fn no_agent(draft: &mut Draft<'_>, task: &SubTask, reason: String) {
    let error = PlanningError::Routing { task_id: task.task_id.clone(), reason };
    let failure = Failure::new(FailureKind::Unavailable, error.to_string()).permanent();
    let feedback = ExecutionFeedback::failed(task.task_id.clone(), failure, Seconds::ZERO, draft.now);
    let mut task = task.clone();
    task.status = TaskStatus::Failed;
    task.metadata.errors_history.push(error.to_string());
    let attended = !draft.state.settings().unattended;
    let response = if attended { Response::AwaitHuman } else { Response::GiveUp };
    ending::never_started(draft, &task, &feedback, &response);
    failure::hand_over(draft, &task, error);
    schedule::after_change(draft);
}
