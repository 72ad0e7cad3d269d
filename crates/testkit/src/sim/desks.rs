//! Simulated desks: agents that note what they do, change the world, pay for models and ask people.

use std::sync::Arc;

use candor_engine::{Input, RunState};
use candor_model::{
    AgentNote, ChoiceKind, ChoiceOption, ChoiceRequest, FollowUp, JsonMap, NonEmpty, TaskId, ToolCall,
    ToolHints, ToolResult, Undone,
};

use super::world::{Happening, World};
use crate::consulting;

/// Notes of an attempt, delivered one after the other within this time.
pub(super) fn notes(world: &mut World, state: &RunState, task_id: &TaskId, attempt: u32, within: i64) {
    let steps = world.rng.usize(0..3);
    let known = state.notes(task_id).len();
    for step in 0..steps {
        let key = format!("{task_id}/{attempt}/{}", known + step);
        let hints = if world.rng.bool() { ToolHints::READS } else { ToolHints::default() };
        let call = ToolCall { key: key.clone(), tool: "tool".to_owned(), arguments: JsonMap::new() };
        let item = "step_1".to_owned();
        note(world, within, task_id, attempt, AgentNote::Called { item, call: Box::new(call), hints });
        let undo = world.rng.bool().then(|| FollowUp { tool: "back".to_owned(), arguments: JsonMap::new() });
        let result = Box::new(ToolResult { undo, ..ToolResult::done("done", None) });
        note(world, within, task_id, attempt, AgentNote::Returned { key, result });
    }
    if world.rng.u8(0..4) == 0 {
        let step = Box::new(candor_model::Consulted {
            call: Some(consulting::answered("{}", world.rng.u64(0..5_000))),
            outcome: consulting::accepted(),
        });
        let ask = format!("act_{known}");
        note(world, within, task_id, attempt, AgentNote::Consulted { ask, number: 1, step });
    }
}

fn note(world: &mut World, within: i64, task_id: &TaskId, attempt: u32, note: AgentNote) {
    let delay = world.rng.i64(0..within.max(1));
    let input = Input::Noted { task_id: task_id.clone(), attempt, note: Arc::new(note) };
    world.later(delay, Happening::Deliver(input));
}

/// Whether an agent asks a person instead of answering, which it does once in an attempt.
pub(super) fn asks(world: &mut World, state: &RunState, task_id: &TaskId, attempt: u32) -> bool {
    let is_answered = |note: &candor_model::Noted| {
        note.attempt == attempt && matches!(note.note, AgentNote::Answered { .. })
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
    let input = Input::AgentAsks { task_id: task_id.clone(), attempt, request: Box::new(request) };
    let delay = world.rng.i64(1..1_000);
    world.later(delay, Happening::Deliver(input));
    true
}

/// Something is undone, or not.
pub(super) fn undo(world: &mut World, key: String) {
    let undone = Undone { success: world.rng.bool(), summary: "tried".to_owned() };
    let delay = world.rng.i64(1..2_000);
    world.later(delay, Happening::Deliver(Input::Undone { key, undone }));
}
