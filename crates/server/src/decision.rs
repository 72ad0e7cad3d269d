//! A person's decision, from the words of a call to the answer that a run takes.

use candor_model::{
    Adjustment, AgentType, Answer, ApprovalAction, Choice, GateId, Guidance, GuidanceAction,
    HumanApprovalDecision, HumanApprovalRequest, PlanVersion, Question,
};
use candor_projections::run_view::RunView;

use crate::error::ApiError;
use crate::inputs::{ApproveInput, ChangeInput};
use crate::tools::STATUS;

/// The question that is meant: the one that is named, or the only one.
pub(crate) fn asked(view: &RunView, named: Option<&str>) -> Result<(GateId, Question), ApiError> {
    let run = &view.run_id;
    let open: Vec<&str> = view.questions.iter().map(|(gate, _)| gate.as_str()).collect();
    match (view.questions.as_slice(), named) {
        ([], _) => Err(ApiError::new(format!("run {run} ({}) asks nothing", view.status))
            .hint(format!("`{STATUS}` with run_id={run} shows where it stands."))),
        ([only], None) => Ok(only.clone()),
        (_, None) => Err(ApiError::new(format!(
            "run {run} asks several questions, and the call does not say which it \
                answers"
        ))
        .hint(format!("Call again with gate set to one of: {}", open.join(", ")))),
        (questions, Some(named)) => {
            let found = questions.iter().find(|(gate, _)| gate.as_str() == named);
            found.cloned().ok_or_else(|| {
                ApiError::new(format!("run {run} has no open question {named}"))
                    .hint(format!("Open: {}", open.join(", ")))
            })
        }
    }
}

/// The answer to a question.
pub(crate) fn answer(
    view: &RunView,
    gate: &GateId,
    question: &Question,
    input: ApproveInput,
) -> Result<Answer, ApiError> {
    match question {
        Question::Approval { request, .. } => on_plan(view, request, input).map(Answer::Approval),
        Question::Guidance(_) => on_task(gate, input).map(Answer::Guidance),
        Question::Choice(_) => {
            nothing_else(&input, &[])?;
            let text = input.text.unwrap_or_default();
            Ok(Answer::Choice(Choice { option: input.decision.trim().to_owned(), text, by_default: false }))
        }
    }
}

/// A decision on exactly the plan that was shown.
fn on_plan(
    view: &RunView,
    request: &HumanApprovalRequest,
    input: ApproveInput,
) -> Result<HumanApprovalDecision, ApiError> {
    nothing_else(&input, &["changes", "alternative", "version"])?;
    let action: ApprovalAction = input.decision.trim().parse().map_err(|_| {
        let known: Vec<String> = ApprovalAction::ALL.iter().map(|it| it.as_str().to_lowercase()).collect();
        ApiError::new(format!("`{}` is no decision on a plan", input.decision))
            .hint(format!("Decisions on a plan are: {}. Nothing was decided.", known.join(", ")))
    })?;
    let digest = shown(view, request, input.digest)?;
    let change = |ChangeInput { task_id, field, value }| Adjustment { task_id, field, new_value: value };
    Ok(HumanApprovalDecision {
        adjustments: input.changes.into_iter().map(change).collect(),
        comments: input.text.unwrap_or_default(),
        alternative: input.alternative.map(|letter| letter.trim().to_uppercase()),
        version: input.version.map(PlanVersion),
        digest,
        ..HumanApprovalDecision::new(request.plan_id.clone(), action)
    })
}

/// The digest, if it is that of the plan that is shown now. The right one is not told here: whoever decides is to
/// look at the plan first.
fn shown(
    view: &RunView,
    request: &HumanApprovalRequest,
    given: Option<String>,
) -> Result<Option<String>, ApiError> {
    let given = given.map(|digest| digest.trim().to_owned()).filter(|digest| !digest.is_empty());
    let problem = match &given {
        None if request.digest.is_empty() => return Ok(None),
        Some(given) if *given == request.digest => return Ok(Some(given.clone())),
        None => "a decision on a plan needs the digest of the plan that was shown".to_owned(),
        Some(given) => format!("the digest {given} is not that of the plan that is shown now"),
    };
    let run = &view.run_id;
    Err(ApiError::new(problem).hint(format!(
        "`{STATUS}` with run_id={run} shows the plan and its digest; look at it before deciding. Nothing was decided."
    )))
}

/// What is to be done about a task that keeps failing.
fn on_task(gate: &GateId, input: ApproveInput) -> Result<Guidance, ApiError> {
    nothing_else(&input, &["agent", "inputs"])?;
    let action: GuidanceAction = input.decision.trim().parse().map_err(|_| {
        ApiError::new(format!("`{}` does not answer {gate}, which is about a failing task", input.decision))
            .hint("Decisions on a failing task are: retry, skip, abort. Nothing was decided.")
    })?;
    let agent_type = input.agent.as_ref().map(AgentType::new).transpose().map_err(ApiError::new)?;
    let comments = input.text.unwrap_or_default();
    Ok(Guidance { action, agent_type, inputs: input.inputs, comments })
}

/// An argument that does not belong to a question is a misunderstanding, and not to be passed over.
fn nothing_else(input: &ApproveInput, taken: &[&str]) -> Result<(), ApiError> {
    let given = [
        ("changes", !input.changes.is_empty()),
        ("alternative", input.alternative.is_some()),
        ("version", input.version.is_some()),
        ("agent", input.agent.is_some()),
        ("inputs", !input.inputs.is_empty()),
    ];
    match given.iter().find(|(name, given)| *given && !taken.contains(name)) {
        Some((name, _)) => Err(ApiError::new(format!("this question takes no `{name}`"))
            .hint("Look at its `decisions` and call again; nothing was decided.")),
        None => Ok(()),
    }
}
