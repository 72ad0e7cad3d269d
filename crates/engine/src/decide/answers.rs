//! What a person answers: on a plan, and on a task that failed again and again.

use candor_model::{
    Answer, ApprovalAction, EventBody, ExecutionFeedback, GateId, Guidance, GuidanceAction,
    HumanApprovalDecision, Plan, PlanVersion, PlanningError, Question, ScheduledRetry, SubTask, TaskId,
};
use candor_planning::replan::{ReplanContext, ReplanRefusal, replan};
use candor_planning::texts::Response;
use candor_planning::{approval, assignment};

use super::draft::{Decision, Draft};
use super::{choices, discussion, ending, failure, proposal, schedule};
use crate::Refusal;
use crate::state::{Stage, TaskState, Work};

pub(super) fn answered(draft: &mut Draft<'_>, gate: &GateId, answer: Answer) -> Result<(), Refusal> {
    let questions = draft.state.open_questions();
    let question = questions.get(gate).ok_or_else(|| {
        let open: Vec<_> = questions.keys().map(GateId::as_str).collect();
        let open = if open.is_empty() { "none".to_owned() } else { open.join(", ") };
        Refusal::UnknownGate { gate: gate.clone(), open }
    })?;
    let wrong = |expected| Refusal::WrongAnswer { gate: gate.clone(), expected };
    match (question, answer) {
        (Question::Approval { version, request }, Answer::Approval(decision)) => {
            if decision.plan_id != request.plan_id {
                let expected = request.plan_id.clone();
                return Err(Refusal::WrongPlan { given: decision.plan_id, expected });
            }
            discussion::check(draft, gate, request, &decision)?;
            on_plan(draft, gate, *version, decision)
        }
        (Question::Guidance(request), Answer::Guidance(guidance)) => {
            on_task(draft, gate, &request.task_id.clone(), guidance)
        }
        (Question::Approval { .. }, _) => Err(wrong("a decision on the plan: approve, adjust or reject")),
        (Question::Choice(request), Answer::Choice(choice)) => {
            choices::answered(draft, gate, &request.clone(), choice)
        }
        (Question::Choice(_), _) => Err(wrong("one of the options")),
        (Question::Guidance(_), _) => Err(wrong("guidance on the task: retry, skip or abort")),
    }
}

fn on_plan(
    draft: &mut Draft<'_>,
    gate: &GateId,
    version: PlanVersion,
    decision: HumanApprovalDecision,
) -> Result<(), Refusal> {
    match decision.action {
        ApprovalAction::Approve => {
            close(draft, gate, Answer::Approval(decision));
            approve(draft, gate, version);
        }
        ApprovalAction::Adjust => adjust(draft, gate, decision)?,
        ApprovalAction::Reject => {
            let comments = decision.comments.clone();
            let plan_id = decision.plan_id.clone();
            close(draft, gate, Answer::Approval(decision));
            draft.emit(EventBody::PlanRejected { version, comments: comments.clone() });
            ending::abort(draft, PlanningError::PlanRejected { plan_id, comments });
        }
        ApprovalAction::Modify if !decision.adjustments.is_empty() => {
            discussion::modify(draft, gate, decision)?;
        }
        ApprovalAction::Version => discussion::back_to(draft, gate, decision)?,
        ApprovalAction::Ask
        | ApprovalAction::Alternative
        | ApprovalAction::Modify
        | ApprovalAction::Regenerate => discussion::talk(draft, gate, decision),
    }
    Ok(())
}

pub(super) fn close(draft: &mut Draft<'_>, gate: &GateId, answer: Answer) {
    draft.emit(EventBody::HumanAnswered { gate: gate.clone(), answer: Box::new(answer) });
}

fn approve(draft: &mut Draft<'_>, gate: &GateId, version: PlanVersion) {
    let note = draft.projected().plan().map(|plan| approval::approval_note(&plan)).unwrap_or_default();
    draft.record(Decision {
        operation: "approve_plan",
        task_id: None,
        input: format!("question {gate}"),
        decision: "execute".to_owned(),
        reasoning: note.clone(),
        confidence: None,
    });
    let risks = proposal::open_risks(draft.projected());
    draft.emit(EventBody::PlanApproved { version, gate: Some(gate.clone()), note, risks });
    match draft.state.stage() {
        Stage::Proposed => proposal::begin_execution(draft),
        _ => schedule::after_change(draft),
    }
}

/// Makes the person's changes, all or none, and executes the plan with them.
fn adjust(draft: &mut Draft<'_>, gate: &GateId, decision: HumanApprovalDecision) -> Result<(), Refusal> {
    let rerun = discussion::adjusted(draft, &decision)?;
    let (version, adjustments) = (draft.state.next_version(), decision.adjustments.clone());
    close(draft, gate, Answer::Approval(decision));
    draft.emit(EventBody::PlanAdjusted { version, adjustments, rerun_task_ids: rerun });
    approve(draft, gate, version);
    Ok(())
}

/// The changed tasks can be carried out: their agents exist, and nothing they need was left out.
pub(super) fn check_changed(work: &Work, adjusted: &Plan, changed: &[TaskId]) -> Result<(), Refusal> {
    let tasks = adjusted.subtasks.iter().filter(|task| changed.contains(&task.task_id));
    let (mut errors, mut assigned) = (Vec::new(), Vec::new());
    for task in tasks {
        let skipped = |id: &&TaskId| work.find(id).is_some_and(|(_, _, run)| run.state == TaskState::Skipped);
        if let Some(missing) = task.dependencies.iter().find(skipped) {
            errors.push(format!("{} would need {missing}, which was left out", task.task_id));
        }
        if !task.agent_type.is_tbd() {
            assigned.push(task.clone());
        }
    }
    let agents: Vec<_> = work.agents.values().cloned().collect();
    let verdict = assignment::check(&assigned, &agents);
    if !verdict.is_valid {
        errors.push(format!("Invalid assignments: {}", verdict.errors.join("; ")));
    }
    if errors.is_empty() {
        return Ok(());
    }
    let plan_id = adjusted.plan_id.clone();
    Err(Refusal::AdjustedPlan(PlanningError::PlanInvalid { plan_id, errors }))
}

fn on_task(
    draft: &mut Draft<'_>,
    gate: &GateId,
    task_id: &TaskId,
    guidance: Guidance,
) -> Result<(), Refusal> {
    let unknown = || Refusal::UnknownTask { task_id: task_id.clone() };
    let task = draft.state.task(task_id).ok_or_else(unknown)?;
    match guidance.action {
        GuidanceAction::Retry => retry(draft, gate, &task, guidance),
        GuidanceAction::Skip => {
            let comments = guidance.comments.clone();
            close(draft, gate, Answer::Guidance(guidance));
            skip(draft, &task, comments);
            Ok(())
        }
        GuidanceAction::Abort => {
            let comments = guidance.comments.clone();
            close(draft, gate, Answer::Guidance(guidance));
            ending::abort(draft, PlanningError::GivenUp { task_id: task_id.clone(), comments });
            Ok(())
        }
    }
}

fn retry(draft: &mut Draft<'_>, gate: &GateId, task: &SubTask, guidance: Guidance) -> Result<(), Refusal> {
    let agents = draft.state.work().map(|work| &work.agents);
    let chosen = guidance.agent_type.as_ref().unwrap_or(&task.agent_type);
    if let Some(agents) = agents.filter(|agents| !agents.contains_key(chosen)) {
        let known: Vec<_> = agents.keys().map(candor_model::AgentType::as_str).collect();
        return Err(Refusal::UnknownAgent { agent_type: chosen.clone(), known: known.join(", ") });
    }
    let (agent_type, inputs) = (guidance.agent_type.clone(), guidance.inputs.clone());
    close(draft, gate, Answer::Guidance(guidance));
    let (task_id, at) = (task.task_id.clone(), draft.now);
    draft.emit(EventBody::RetryScheduled(ScheduledRetry {
        task_id,
        at,
        agent_type,
        inputs,
        by_person: true,
    }));
    schedule::after_change(draft);
    Ok(())
}

/// Goes on without a task: those that need it are told so, and the plan is revised to do without.
fn skip(draft: &mut Draft<'_>, task: &SubTask, comments: String) {
    draft.emit(EventBody::TaskSkipped { task_id: task.task_id.clone(), comments });
    let ahead = draft.projected();
    let (Some(plan), Some(work)) = (ahead.plan(), ahead.work()) else {
        return;
    };
    let dependents = work.index_of(&task.task_id).map(|index| work.shape.graph.dependents(index));
    let blocked = dependents.unwrap_or_default().iter().filter_map(|&index| work.task(index));
    let blocked: Vec<(SubTask, bool)> =
        blocked.map(|(task, run)| (task.clone(), run.in_flight().is_some())).collect();
    if blocked.is_empty() {
        return schedule::after_change(draft);
    }
    let feedback: Vec<_> =
        blocked.iter().map(|(blocked, _)| blocked_feedback(draft, blocked, &task.task_id)).collect();
    let context = ReplanContext { by_person: true, ..failure::context(draft) };
    let revised = replan(&plan, &feedback, &context);
    let response = match &revised {
        Ok(replanned) => failure::strategy_response(replanned),
        Err(_) => Response::GiveUp,
    };
    for ((blocked, in_flight), feedback) in blocked.iter().zip(&feedback) {
        // An attempt that is still being stopped has its own end to come.
        if !in_flight {
            ending::never_started(draft, blocked, feedback, &response);
        }
    }
    match revised {
        Ok(replanned) => {
            failure::revise(draft, replanned, task, "a person chose to go on without the task".to_owned());
            schedule::after_change(draft);
        }
        Err(ReplanRefusal::Abort(error) | ReplanRefusal::Invalid(error)) => ending::abort(draft, error),
        Err(refusal) => {
            let errors = vec![refusal.to_string()];
            ending::abort(draft, PlanningError::PlanInvalid { plan_id: plan.plan_id, errors });
        }
    }
}

fn blocked_feedback(draft: &Draft<'_>, blocked: &SubTask, cause: &TaskId) -> ExecutionFeedback {
    ending::blocked(&blocked.task_id, cause, draft.now)
}
