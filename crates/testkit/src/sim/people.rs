//! Simulated people: they answer late, twice, wrongly or never.

use candor_engine::Input;
use candor_model::{
    Adjustment, Answer, ApprovalAction, Choice, ChoiceRequest, GateId, Guidance, GuidanceAction,
    HumanApprovalDecision, HumanApprovalRequest, JsonMap, PlanId, PlanVersion, Question, TaskId,
};
use candor_session::SessionInput;
use serde_json::json;

use super::world::{Happening, World};
use crate::arbitrary::AGENTS;
use crate::fixtures;

/// A person is asked something.
pub(super) fn ask(world: &mut World, gate: &GateId, question: &Question) {
    if world.story.is_some() {
        let answer = helpful_answer(gate, question);
        return world.later(1, Happening::Deliver(SessionInput::Command(answer)));
    }
    let never = world.odds.lost;
    if world.chance(never) {
        return;
    }
    let delay = world.rng.i64(100..40_000);
    let answer = answer(world, gate, question);
    let twice = world.odds.doubled;
    if world.chance(twice) {
        let second = if world.rng.bool() { answer.clone() } else { helpful_answer(gate, question) };
        let later = delay.saturating_add(world.rng.i64(0..10_000));
        world.later(later, Happening::Deliver(SessionInput::Command(second)));
    }
    world.later(delay, Happening::Deliver(SessionInput::Command(answer)));
}

/// An answer with which the run can go on.
#[must_use]
pub fn helpful_answer(gate: &GateId, question: &Question) -> Input {
    let answer = match question {
        Question::Approval { request, .. } => decision(&request.plan_id, ApprovalAction::Approve, Vec::new()),
        Question::Guidance(_) => guidance(GuidanceAction::Retry, Some("hotel_agent")),
        Question::Choice(request) => choice(&helpful_option(request)),
    };
    Input::Answered { gate: gate.clone(), answer }
}

fn answer(world: &mut World, gate: &GateId, question: &Question) -> Input {
    let answer = match (question, world.rng.u8(0..10)) {
        (_, 0) => guidance(GuidanceAction::Skip, None),
        (Question::Approval { request, .. }, 1) => {
            decision(&request.plan_id, ApprovalAction::Reject, Vec::new())
        }
        (Question::Approval { request, .. }, 2..=4) => {
            decision(&request.plan_id, ApprovalAction::Adjust, adjustments(world))
        }
        (Question::Approval { .. }, 5) => {
            let other = PlanId::new("plan_other").unwrap_or_else(|_| plan_id());
            decision(&other, ApprovalAction::Approve, Vec::new())
        }
        (Question::Approval { request, .. }, 6 | 7) => discuss(world, request),
        (Question::Choice(request), 1..=6) => {
            let options: Vec<&str> = request.options.iter().map(|option| option.id.as_str()).collect();
            let chosen = world.rng.choice(options).unwrap_or("nothing");
            // Whoever goes back must say where to.
            let text =
                if chosen == "rollback" { world.rng.u8(0..9).to_string() } else { "other words".to_owned() };
            Answer::Choice(Choice { option: chosen.to_owned(), text, by_default: false })
        }
        (Question::Guidance(_), 1) => guidance(GuidanceAction::Abort, None),
        (Question::Guidance(_), 2..=4) => guidance(GuidanceAction::Skip, None),
        (Question::Guidance(_), 5) => guidance(GuidanceAction::Retry, Some("nobody")),
        _ => return helpful_answer(gate, question),
    };
    Input::Answered { gate: gate.clone(), answer }
}

/// Something is said to the plan that is neither yes nor no.
fn discuss(world: &mut World, request: &HumanApprovalRequest) -> Answer {
    let actions = [
        ApprovalAction::Ask,
        ApprovalAction::Alternative,
        ApprovalAction::Modify,
        ApprovalAction::Regenerate,
        ApprovalAction::Version,
    ];
    let action = world.rng.choice(actions).unwrap_or(ApprovalAction::Ask);
    let adjustments =
        if action == ApprovalAction::Modify && world.rng.bool() { adjustments(world) } else { Vec::new() };
    Answer::Approval(HumanApprovalDecision {
        adjustments,
        comments: "could it be otherwise?".to_owned(),
        version: Some(PlanVersion(world.rng.u32(0..4))),
        alternative: Some(world.rng.choice(["a", "B", "Z"]).unwrap_or("A").to_owned()),
        digest: world.rng.bool().then(|| request.digest.clone()),
        ..HumanApprovalDecision::new(request.plan_id.clone(), action)
    })
}

fn plan_id() -> PlanId {
    fixtures::paris_plan().plan_id
}

fn decision(plan_id: &PlanId, action: ApprovalAction, adjustments: Vec<Adjustment>) -> Answer {
    Answer::Approval(HumanApprovalDecision {
        adjustments,
        ..HumanApprovalDecision::new(plan_id.clone(), action)
    })
}

fn choice(option: &str) -> Answer {
    Answer::Choice(Choice { option: option.to_owned(), text: "as you like".to_owned(), by_default: false })
}

/// The option with which a run most likely goes on.
fn helpful_option(request: &ChoiceRequest) -> String {
    let onward = ["continue", "accept", "d"].iter().find(|id| request.option(id).is_some());
    onward.map_or_else(
        || request.options.first().map_or_else(String::new, |option| option.id.clone()),
        |id| (*id).to_owned(),
    )
}

fn guidance(action: GuidanceAction, agent: Option<&str>) -> Answer {
    let agent_type = agent.map(fixtures::agent_type);
    Answer::Guidance(Guidance { action, agent_type, inputs: JsonMap::new(), comments: String::new() })
}

/// Changes that a person might ask for, sensible or not.
fn adjustments(world: &mut World) -> Vec<Adjustment> {
    let count = world.rng.usize(0..3);
    let changes = (0..count).map(|_| {
        let (field, new_value) = match world.rng.u8(0..6) {
            0 => ("priority", json!(world.rng.u8(0..12))),
            1 => ("inputs.max_price", json!(600)),
            2 => ("agent_type", json!(world.rng.choice(AGENTS).unwrap_or("nobody"))),
            3 => ("dependencies", json!([TaskId::numbered(world.rng.usize(1..8)).as_str()])),
            4 => ("description", json!("Do it in another way")),
            _ => ("colour", json!("red")),
        };
        let task_id = TaskId::numbered(world.rng.usize(1..8));
        Adjustment { task_id, field: field.to_owned(), new_value }
    });
    changes.collect()
}
