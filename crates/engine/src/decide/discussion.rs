//! A person talks about the plan before they approve it: questions, other ways, changes, and back again.

use candor_model::{
    Answer, ApprovalAction, EventBody, GateId, HumanApprovalDecision, HumanApprovalRequest, Phase, PlanTalk,
    RepairKind, TaskId,
};
use candor_planning::graph::TaskGraph;
use candor_planning::{approval, validation};

use super::answers::{check_changed, close};
use super::draft::Draft;
use super::{phases, proposal};
use crate::Refusal;
use crate::state::ShownPlan;

/// What was decided can be decided now, and is about the plan that was shown.
pub(super) fn check(
    draft: &Draft<'_>,
    gate: &GateId,
    request: &HumanApprovalRequest,
    decision: &HumanApprovalDecision,
) -> Result<(), Refusal> {
    let other = decision.digest.as_deref().filter(|given| *given != request.digest);
    if let Some(given) = other {
        return Err(Refusal::OtherPlan { shown: request.digest.clone(), given: given.to_owned() });
    }
    let usual = [ApprovalAction::Approve, ApprovalAction::Adjust, ApprovalAction::Reject];
    let offered = if request.choices.is_empty() { &usual[..] } else { &request.choices };
    if !offered.contains(&decision.action) {
        let offered: Vec<&str> = offered.iter().map(|choice| choice.as_str()).collect();
        let (given, offered) = (decision.action.to_string(), offered.join(", "));
        return Err(Refusal::NotOffered { gate: gate.clone(), given, offered });
    }
    check_words(draft, gate, decision)
}

fn check_words(draft: &Draft<'_>, gate: &GateId, decision: &HumanApprovalDecision) -> Result<(), Refusal> {
    let silent = decision.comments.trim().is_empty();
    let missing = |option: &str| Err(Refusal::WordsMissing { gate: gate.clone(), option: option.to_owned() });
    match decision.action {
        ApprovalAction::Ask if silent => missing("ask"),
        ApprovalAction::Modify if silent && decision.adjustments.is_empty() => missing("modify"),
        ApprovalAction::Alternative => {
            let brief = draft.state.brief();
            let known: Vec<&str> = brief
                .into_iter()
                .flat_map(|brief| &brief.alternatives)
                .map(|alternative| alternative.id.as_str())
                .collect();
            let given = decision.alternative.as_deref().unwrap_or_default();
            if known.iter().any(|id| id.eq_ignore_ascii_case(given)) {
                return Ok(());
            }
            let (given, offered) = (format!("alternative {given}"), known.join(", "));
            Err(Refusal::NotOffered { gate: gate.clone(), given, offered })
        }
        ApprovalAction::Version => earlier(draft, gate, decision).map(|_| ()),
        _ => Ok(()),
    }
}

/// Something is wanted of the plan that takes the planning phase.
pub(super) fn talk(draft: &mut Draft<'_>, gate: &GateId, decision: HumanApprovalDecision) {
    close(draft, gate, Answer::Approval(decision));
    phases::begin(draft, [Phase::Planning].into());
}

/// The planning phase answers in words; the plan that was shown is shown again.
pub(super) fn reply(draft: &mut Draft<'_>, answer: String) {
    let question = match draft.state.talk() {
        Some(PlanTalk::Question(words) | PlanTalk::Change(words) | PlanTalk::Anew(words)) => words.clone(),
        Some(PlanTalk::Alternative(id)) => format!("alternative {id}"),
        None => String::new(),
    };
    let Some(version) = draft.state.work().map(|work| work.version) else { return };
    draft.emit(EventBody::PlanAnswered { version, question, answer });
    proposal::ask(draft);
}

/// Changes by field: all or none, and the plan is shown again.
pub(super) fn modify(
    draft: &mut Draft<'_>,
    gate: &GateId,
    decision: HumanApprovalDecision,
) -> Result<(), Refusal> {
    let adjusted = adjusted(draft, &decision)?;
    let adjustments = decision.adjustments.clone();
    let version = draft.state.next_version();
    close(draft, gate, Answer::Approval(decision));
    draft.emit(EventBody::PlanAdjusted { version, adjustments, rerun_task_ids: adjusted });
    proposal::ask(draft);
    Ok(())
}

/// The tasks that must run because of the changes; an error if the plan would not stand.
pub(super) fn adjusted(draft: &Draft<'_>, decision: &HumanApprovalDecision) -> Result<Vec<TaskId>, Refusal> {
    let (Some(plan), Some(work)) = (draft.state.plan(), draft.state.work()) else {
        return Err(Refusal::NotStarted);
    };
    let adjusted = approval::adjust(&plan, &decision.adjustments)?;
    validation::recheck(&adjusted, draft.state.settings()).map_err(Refusal::AdjustedPlan)?;
    let changed = approval::changed_tasks(&plan, &adjusted);
    check_changed(work, &adjusted, &changed)?;
    let seeds: Vec<_> = changed.iter().filter_map(|id| work.index_of(id)).collect();
    let affected = TaskGraph::new(&adjusted.subtasks).affected_by(&seeds);
    Ok(affected.into_iter().filter_map(|index| Some(work.task(index)?.0.task_id.clone())).collect())
}

fn earlier<'a>(
    draft: &Draft<'a>,
    gate: &GateId,
    decision: &HumanApprovalDecision,
) -> Result<&'a ShownPlan, Refusal> {
    let shown = draft.state.shown_plans();
    let wanted = decision.version.unwrap_or_default();
    shown.iter().find(|shown| shown.version == wanted).ok_or_else(|| {
        let known: Vec<String> = shown.iter().map(|shown| shown.version.to_string()).collect();
        let (given, offered) = (format!("version {wanted}"), known.join(", "));
        Refusal::NotOffered { gate: gate.clone(), given, offered }
    })
}

/// Shows an earlier plan again, as a version of its own.
pub(super) fn back_to(
    draft: &mut Draft<'_>,
    gate: &GateId,
    decision: HumanApprovalDecision,
) -> Result<(), Refusal> {
    let shown = earlier(draft, gate, &decision)?.clone();
    let version = draft.state.next_version();
    close(draft, gate, Answer::Approval(decision));
    let (plan, agents, brief) = (shown.plan, shown.agents, shown.brief);
    let repairs = vec![format!("taken up again from version {}", shown.version)];
    let repair_kinds = [RepairKind::VersionRestored].into();
    draft.emit(EventBody::PlanProposed { version, plan, agents, repairs, repair_kinds, brief });
    proposal::ask(draft);
    Ok(())
}
