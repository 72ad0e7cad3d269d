//! Simulated agents at work: they note what they do, change the world, ask models, people and each other.

use candor_engine::RunState;
use candor_model::{
    AgentNote, AgentType, Ask, Asking, ChoiceKind, ChoiceOption, ChoiceRequest, FollowUp, JsonMap,
    MessagePriority, MessageType, Money, NonEmpty, QueryType, Seconds, Telling, Tier, ToolCall, ToolHints,
    ToolResult, Undone,
};
use candor_session::{AgentRequest, AttemptEnd, AttemptKey, Ended, Outcome, SessionInput};

use super::world::{Happening, World};
use crate::arbitrary::AGENTS;

/// What an agent does until it answers, at random times within this time.
pub(super) fn work(world: &mut World, state: &RunState, key: &AttemptKey, within: i64) {
    let steps = world.rng.usize(0..3);
    let known = state.notes(&key.task_id).len();
    for step in 0..steps {
        let name = format!("{}/{}/{}", key.task_id, key.attempt, known + step);
        let hints = if world.rng.bool() { ToolHints::READS } else { ToolHints::default() };
        let call = ToolCall { key: name.clone(), tool: "tool".to_owned(), arguments: JsonMap::new() };
        let item = "step_1".to_owned();
        note(world, within, key, AgentNote::Called { item, call: Box::new(call), hints });
        let undo = world.rng.bool().then(|| FollowUp { tool: "back".to_owned(), arguments: JsonMap::new() });
        let result = Box::new(ToolResult { undo, ..ToolResult::done("done", None) });
        note(world, within, key, AgentNote::Returned { key: name, result });
    }
    if world.rng.u8(0..4) == 0 {
        let ask = Box::new(Ask::expecting::<serde_json::Value>("act", Tier::Fast));
        let (left, time) =
            (Money::from_micros(world.rng.u64(0..9_000)), Seconds::whole(world.rng.u32(0..20)));
        let name = format!("act_{known}");
        wants(world, within, key, AgentRequest::Consult { name, ask, left, within: time });
    }
    if world.rng.u8(0..4) == 0 {
        let telling = telling(world);
        wants(world, within, key, AgentRequest::Tell(telling));
    }
    if world.rng.u8(0..6) == 0 {
        let to_agent = world.rng.choice(AGENTS).unwrap_or("nobody").to_owned();
        let (query, context) = ("is it so?".to_owned(), JsonMap::new());
        let asking = Asking { to_agent, query_type: QueryType::Data, query, context, timeout: 5_000 };
        wants(world, within, key, AgentRequest::Ask(asking));
    }
}

/// Something that an agent says to everyone.
pub(super) fn telling(world: &mut World) -> Telling {
    Telling {
        message_type: *world.rng.choice(MessageType::ALL).unwrap_or(&MessageType::Discovery),
        priority: *world.rng.choice(MessagePriority::ALL).unwrap_or(&MessagePriority::Low),
        content: "something is up".to_owned(),
        data: JsonMap::new(),
    }
}

fn note(world: &mut World, within: i64, key: &AttemptKey, note: AgentNote) {
    wants(world, within, key, AgentRequest::Note(note));
}

fn wants(world: &mut World, within: i64, key: &AttemptKey, request: AgentRequest) {
    let delay = world.rng.i64(0..within.max(1));
    world.later(delay, Happening::Deliver(SessionInput::Agent { from: key.clone(), request }));
}

/// Whether an agent asks a person instead of answering, which it does once in an attempt.
pub(super) fn asks(world: &mut World, state: &RunState, key: &AttemptKey, agent: &AgentType) -> bool {
    let AttemptKey { task_id, attempt } = key;
    let is_answered = |note: &candor_model::Noted| {
        note.attempt == *attempt && matches!(note.note, AgentNote::Answered { .. })
    };
    if world.rng.u8(0..12) != 0 || state.notes(task_id).iter().any(is_answered) {
        return false;
    }
    let options = vec![ChoiceOption::new("allow", "allow it", ""), ChoiceOption::new("stop", "do not", "")];
    let request = ChoiceRequest {
        about: ChoiceKind::Agent,
        phase: None,
        reason: format!("{task_id} may destroy something"),
        text: "May it?".to_owned(),
        options: NonEmpty::or_one(options, || ChoiceOption::new("stop", "do not", "")),
        default: world.rng.bool().then(|| "stop".to_owned()),
        concerns: Vec::new(),
    };
    let delay = world.rng.i64(1..1_000);
    world.outcome(
        delay,
        Outcome::Attempt(Box::new(Ended {
            key: key.clone(),
            agent: Some(agent.clone()),
            end: AttemptEnd::Waiting(Box::new(request)),
            duration: Seconds::whole(1),
            price: Money::ZERO,
        })),
    );
    true
}

/// Something is undone, or not.
pub(super) fn undo(world: &mut World, key: String) {
    let undone = Undone { success: world.rng.bool(), summary: "tried".to_owned() };
    let delay = world.rng.i64(1..2_000);
    world.outcome(delay, Outcome::Undone { key, undone });
}
