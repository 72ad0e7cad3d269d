//! A story of agents at work: notes, a question of one task, a change of the world, and the way back.

use std::sync::Arc;

use candor_engine::Input;
use candor_model::{
    AgentNote, ChoiceKind, ChoiceOption, ChoiceRequest, Consulted, Event, FollowUp, JsonMap, ListChange,
    MissionAction, Money, NonEmpty, Phase, SessionState, SpeakerRole, TodoItem, TodoStatus, TokenUse,
    ToolCall, ToolHints, ToolResult, Undone, WorkStep,
};

use super::finish;
use crate::consulting;
use crate::fixtures::task_id;
use crate::scenario::Scenario;

fn note(run: &mut Scenario, note: AgentNote) {
    let (task_id, attempt) = (task_id("task_001"), run.attempt("task_001"));
    run.take(Input::Noted { task_id, attempt, note: Arc::new(note) });
}

fn item() -> TodoItem {
    TodoItem::new("step_1", 1, "Write the file")
}

/// Everything that an agent with tools can note, each kind once.
fn notes() -> Vec<AgentNote> {
    let step = Consulted { call: Some(consulting::answered("{}", 1_500)), outcome: consulting::accepted() };
    let call =
        ToolCall { key: "call_1".to_owned(), tool: "write_file".to_owned(), arguments: JsonMap::new() };
    let way_back = FollowUp { tool: "remove_file".to_owned(), arguments: JsonMap::new() };
    let result = ToolResult { undo: Some(way_back), ..ToolResult::done("written", None) };
    let (strategy, by) = ("RETRY_WITH_PARAMS".to_owned(), "rules".to_owned());
    vec![
        AgentNote::Planned { items: vec![item()], by: "task".to_owned() },
        AgentNote::Consulted { ask: "act_1".to_owned(), number: 1, step: Box::new(step) },
        AgentNote::Decided { action: Box::new(MissionAction::Replan { reason: "it fails".to_owned() }) },
        AgentNote::ReplanTried {
            task_id: "step_1".to_owned(),
            strategy_type: strategy.clone(),
            confidence: 0.8,
            by,
        },
        AgentNote::Changed { change: Box::new(ListChange { position: 1, items: vec![item()] }) },
        AgentNote::ReplanEnded {
            task_id: "step_1".to_owned(),
            strategy_type: strategy,
            success: true,
            summary: "another path".to_owned(),
            new_task_ids: vec!["step_1".to_owned()],
            duration_ms: 3,
        },
        AgentNote::Said { role: SpeakerRole::System, text: "Replanned step 1".to_owned() },
        AgentNote::Called { item: "step_1".to_owned(), call: Box::new(call), hints: ToolHints::default() },
        AgentNote::Returned { key: "call_1".to_owned(), result: Box::new(result) },
        AgentNote::Marked {
            item: "step_1".to_owned(),
            status: TodoStatus::Completed,
            attempts: 1,
            reason: String::new(),
        },
        AgentNote::Warned { text: "one more thing".to_owned() },
        AgentNote::Remote { task: "far".to_owned(), context: "away".to_owned(), state: "working".to_owned() },
        AgentNote::Asked { about: "write_file".to_owned() },
    ]
}

/// An agent notes, asks and is answered; the run goes back, and what was written is taken back.
pub(super) fn at_their_desks() -> Vec<Event> {
    let mut run = Scenario::paris();
    for one in notes() {
        note(&mut run, one);
    }
    let options = vec![ChoiceOption::new("allow", "allow it", ""), ChoiceOption::new("deny", "do not", "")];
    let request = ChoiceRequest {
        about: ChoiceKind::Agent,
        phase: None,
        reason: "write_file may destroy something".to_owned(),
        text: "May write_file be called?".to_owned(),
        options: NonEmpty::or_one(options, || ChoiceOption::new("deny", "do not", "")),
        default: None,
        concerns: Vec::new(),
    };
    let attempt = run.attempt("task_001");
    run.take(Input::AgentAsks { task_id: task_id("task_001"), attempt, request: Box::new(request) });
    run.choose("allow", "");
    run.succeed("task_001");
    let to = run.state.after_phase(Some(Phase::Planning));
    let Some(to) = to else { return run.events() };
    run.take(Input::RollBack { to, run_budget: None });
    run.stop_all();
    run.choose("undo", "");
    let undone = Undone { success: true, summary: "removed".to_owned() };
    run.take(Input::Undone { key: "call_1".to_owned(), undone });
    finish(run, &["task_001", "task_003", "task_002", "task_004"])
}

/// A code agent writes a program, which is refused, and then another one.
pub(super) fn chain_of_work() -> Vec<Event> {
    let step = |component: &str, number, success: bool, error: Option<&str>| AgentNote::Worked {
        step: Box::new(WorkStep {
            component: component.to_owned(),
            number,
            success,
            duration_ms: 2.5,
            data: JsonMap::from_iter([("summary".to_owned(), "as it was".into())]),
            error: error.map(str::to_owned),
            cost: Money::from_micros(if component == "CodeGenerator" { 3_000 } else { 0 }),
        }),
    };
    let mut run = Scenario::paris();
    note(&mut run, step("InputAnalyzer", 0, true, None));
    for number in [1, 2] {
        note(&mut run, step("CodeGenerator", number, true, None));
        note(&mut run, step("CodeValidator", number, true, None));
    }
    note(&mut run, step("sandbox", 2, false, Some("killed at its deadline")));
    finish(run, &["task_001", "task_003", "task_002", "task_004"])
}

/// A coding assistant is interrupted, goes on in its session, and tells what it used.
pub(super) fn assistant_session() -> Vec<Event> {
    let session = |state, tokens, cost| AgentNote::Session {
        program: "assistant".to_owned(),
        id: "5e2f3b1c".to_owned(),
        state,
        tokens,
        cost,
    };
    let used = TokenUse { input: 100, output: 4, cached_read: 20, cached_write: 3 };
    let mut run = Scenario::paris();
    note(&mut run, session(SessionState::Opened, None, None));
    note(&mut run, session(SessionState::Resumed, None, None));
    note(&mut run, session(SessionState::Ended, Some(used), Some(Money::from_micros(2_500))));
    finish(run, &["task_001", "task_003", "task_002", "task_004"])
}
