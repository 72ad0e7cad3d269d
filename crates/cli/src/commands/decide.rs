//! Answers of people: approve, reject, adjust, guide.

use candor_engine::Input;
use candor_model::{
    Adjustment, AgentType, Answer, ApprovalAction, GateId, Guidance, GuidanceAction, HumanApprovalDecision,
    JsonMap, PlanId, Question,
};

use super::control::AtRun;
use crate::args::{AdjustArgs, AnswerArgs, ApproveArgs, GuidanceWord, Place};
use crate::data;
use crate::drive::{adjustments, json_or_text};
use crate::failure::Failure;

pub(crate) async fn approve(place: &Place, args: &ApproveArgs) -> Result<u8, Failure> {
    decide(place, args, ApprovalAction::Approve).await
}

pub(crate) async fn reject(place: &Place, args: &ApproveArgs) -> Result<u8, Failure> {
    decide(place, args, ApprovalAction::Reject).await
}

async fn decide(place: &Place, args: &ApproveArgs, action: ApprovalAction) -> Result<u8, Failure> {
    let at = AtRun::find(place, &args.run).await?;
    let (gate, plan_id) = approval_gate(&at).await?;
    let input = decision(gate, plan_id, action, Vec::new(), &args.comments);
    at.give(place, input, &args.drive).await
}

pub(crate) async fn adjust(place: &Place, args: &AdjustArgs) -> Result<u8, Failure> {
    let changes = adjustments(&args.changes)?;
    let at = AtRun::find(place, &args.run).await?;
    let (gate, plan_id) = approval_gate(&at).await?;
    let input = decision(gate, plan_id, ApprovalAction::Adjust, changes, &args.comments);
    at.give(place, input, &args.drive).await
}

fn decision(
    gate: GateId,
    plan_id: PlanId,
    action: ApprovalAction,
    adjustments: Vec<Adjustment>,
    comments: &str,
) -> Input {
    let comments = comments.to_owned();
    Input::Answered {
        gate,
        answer: Answer::Approval(HumanApprovalDecision { plan_id, action, adjustments, comments }),
    }
}

async fn approval_gate(at: &AtRun) -> Result<(GateId, PlanId), Failure> {
    let state = data::look(&at.log, &at.run).await?.state;
    let found = state.open_questions().iter().find_map(|(gate, question)| match question {
        Question::Approval { request, .. } => Some((gate.clone(), request.plan_id.clone())),
        Question::Guidance(_) => None,
    });
    found.ok_or_else(|| {
        Failure::usage(format!("run {} ({}) does not wait for approval", at.run, state.status()))
    })
}

pub(crate) async fn answer(place: &Place, args: &AnswerArgs) -> Result<u8, Failure> {
    let guidance = guidance(args)?;
    let at = AtRun::find(place, &args.run).await?;
    let gate = guidance_gate(&at, args.gate.as_deref()).await?;
    let input = Input::Answered { gate, answer: Answer::Guidance(guidance) };
    at.give(place, input, &args.drive).await
}

fn guidance(args: &AnswerArgs) -> Result<Guidance, Failure> {
    let action = match args.action {
        GuidanceWord::Retry => GuidanceAction::Retry,
        GuidanceWord::Skip => GuidanceAction::Skip,
        GuidanceWord::Abort => GuidanceAction::Abort,
    };
    let agent_type = args.agent.as_ref().map(AgentType::new).transpose().map_err(Failure::usage)?;
    let mut inputs = JsonMap::new();
    for input in &args.inputs {
        let (key, value) = input
            .split_once('=')
            .ok_or_else(|| Failure::usage(format!("--input {input}: expected KEY=VALUE")))?;
        inputs.insert(key.to_owned(), json_or_text(value));
    }
    Ok(Guidance { action, agent_type, inputs, comments: args.comments.clone() })
}

async fn guidance_gate(at: &AtRun, named: Option<&str>) -> Result<GateId, Failure> {
    let state = data::look(&at.log, &at.run).await?.state;
    let open =
        state.open_questions().iter().filter(|(_, question)| matches!(question, Question::Guidance(_)));
    let gates: Vec<&GateId> = open.map(|(gate, _)| gate).collect();
    let listed = || gates.iter().map(|gate| gate.as_str()).collect::<Vec<_>>().join(", ");
    match (named, gates.as_slice()) {
        (_, []) => Err(Failure::usage(format!(
            "run {} ({}) does not ask what to do about a task",
            at.run,
            state.status()
        ))),
        (None, [only]) => Ok((*only).clone()),
        (None, _) => {
            Err(Failure::usage(format!("several questions are open, say which with --gate: {}", listed())))
        }
        (Some(named), gates) => {
            gates.iter().find(|gate| gate.as_str() == named).map(|gate| (*gate).clone()).ok_or_else(|| {
                Failure::usage(format!("there is no open question {named}; open: {}", listed()))
            })
        }
    }
}
