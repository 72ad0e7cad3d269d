//! Agents at work: notes that outlive a process, questions that hold up one task only, and the ledger of
//! side effects.
use std::sync::Arc;

use candor_engine::Input;
use candor_model::{
    AgentNote, AskStep, ChoiceKind, ChoiceOption, ChoiceRequest, Consulted, Effect, EventBody, FollowUp,
    JsonMap, ModelCall, Money, NonEmpty, Notification, Phase, ReadFile, RunSettings, RunStatus, Seconds,
    Tier, TokenUse, ToolCall, ToolCallBudget, ToolHints, ToolResult, Undone,
};
use candor_testkit::fixtures::{self, dollars, paris_plan, task_id};
use candor_testkit::scenario::Scenario;
use serde_json::json;

fn note(run: &mut Scenario, task: &str, note: AgentNote) {
    let attempt = run.attempt(task);
    run.take(Input::Noted { task_id: task_id(task), attempt, note: Arc::new(note) });
}

fn called(key: &str, hints: ToolHints) -> AgentNote {
    let arguments: JsonMap = [("path".to_owned(), json!("a.txt"))].into_iter().collect();
    let call = ToolCall { key: key.to_owned(), tool: "write_file".to_owned(), arguments };
    AgentNote::Called { item: "step_1".to_owned(), call: Box::new(call), hints }
}

fn returned(key: &str, undo: Option<FollowUp>) -> AgentNote {
    let result = ToolResult { undo, ..ToolResult::done("written", None) };
    AgentNote::Returned { key: key.to_owned(), result: Box::new(result) }
}

fn way_back() -> FollowUp {
    FollowUp { tool: "write_file".to_owned(), arguments: JsonMap::new() }
}

fn paid(cost: f64) -> AgentNote {
    let call = ModelCall {
        tier: Tier::Fast,
        model: "test/model".to_owned(),
        prompt: "choose_action@1".to_owned(),
        request: String::new(),
        answer: Some("{}".to_owned()),
        failure: None,
        tokens: TokenUse::default(),
        cost: dollars(cost),
        saved: Money::ZERO,
        duration_seconds: Seconds::ZERO,
        details: None,
    };
    let outcome = AskStep::Accepted { value: json!({}), repairs: Vec::new() };
    let step = Box::new(Consulted { call: Some(call), outcome });
    AgentNote::Consulted { ask: "act_1".to_owned(), number: 1, step }
}

fn may_i() -> ChoiceRequest {
    let options = vec![ChoiceOption::new("allow", "allow it", ""), ChoiceOption::new("deny", "do not", "")];
    ChoiceRequest {
        about: ChoiceKind::Agent,
        phase: None,
        reason: "write_file may destroy something".to_owned(),
        text: "May write_file be called?".to_owned(),
        options: NonEmpty::or_one(options, || ChoiceOption::new("deny", "do not", "")),
        default: None,
        concerns: Vec::new(),
    }
}

fn ask(run: &mut Scenario, task: &str) {
    let attempt = run.attempt(task);
    run.take(Input::AgentAsks { task_id: task_id(task), attempt, request: Box::new(may_i()) });
}

#[test]
fn notes_are_found_by_whoever_takes_the_work_up_and_go_with_the_task() {
    // spec: planning TA-31, beyond BY-01 BY-12
    let mut run = Scenario::paris();
    note(&mut run, "task_001", called("k1", ToolHints::READS));
    note(&mut run, "task_001", returned("k1", None));
    run.take(Input::TakenUp);
    let noted: Vec<u32> = run.state.notes(&task_id("task_001")).iter().map(|noted| noted.attempt).collect();
    assert_eq!(noted, [1, 1]);
    run.fail("task_001", "Agent timeout after 10s");
    assert_eq!(run.state.notes(&task_id("task_001")).len(), 2, "a failure takes no notes away");
    let mut run = Scenario::paris();
    note(&mut run, "task_001", called("k1", ToolHints::READS));
    run.succeed("task_001");
    assert!(run.state.notes(&task_id("task_001")).is_empty(), "what is done needs none");
    let late = Input::Noted {
        task_id: task_id("task_001"),
        attempt: 1,
        note: Arc::new(AgentNote::Warned { text: "late".to_owned() }),
    };
    assert!(run.try_take(late).unwrap_err().to_string().contains("not running"));
}

#[test]
fn what_an_attempt_spends_is_charged_at_once_and_only_once() {
    // spec: beyond BY-06 BY-28, planning BC-05
    let settings = RunSettings { run_budget: Some(dollars(1.0)), ..RunSettings::default() };
    let mut run = Scenario::of(paris_plan(), settings);
    let before = run.state.spent();
    note(&mut run, "task_001", paid(0.03));
    assert_eq!(run.state.spent(), before + dollars(0.03), "the money is gone when the call is made");
    note(&mut run, "task_001", paid(0.01));
    let mut feedback = fixtures::feedback(1, candor_model::FeedbackType::Success, &[]);
    feedback.cost = dollars(0.05);
    run.report("task_001", feedback);
    assert_eq!(run.state.spent(), before + dollars(0.05), "the rest comes with the answer");
    note(&mut run, "task_003", paid(0.07));
    run.fail("task_003", "no");
    assert_eq!(run.state.spent(), before + dollars(0.12), "a failure pays what it has used");
    let charged: Money = run
        .events()
        .iter()
        .filter_map(|event| match &event.body {
            EventBody::Charged { amount, .. } => Some(*amount),
            _ => None,
        })
        .sum();
    assert_eq!(charged, run.state.spent(), "spend on the log equals the sum of its parts");
}

#[test]
fn a_question_of_one_agent_holds_up_nobody_else() {
    // spec: beyond BY-03 BY-04
    let mut run = Scenario::paris();
    ask(&mut run, "task_001");
    assert_eq!(run.choice().1.concerns, ["task_001"]);
    assert_eq!(run.running(), ["task_003"], "its attempt rests");
    let (gate, _) = run.question();
    run.succeed("task_003");
    assert!(run.state.effects().all(|effect| !matches!(effect, Effect::WaitUntil { .. })), "no clock runs");
    run.wait(3600.0);
    run.take(Input::TakenUp);
    assert_eq!(run.question().0, gate, "the question outlives time and process");
    run.choose("allow", "");
    let attempt = run.attempt("task_001");
    assert_eq!((attempt, run.running()), (1, vec!["task_001".to_owned()]), "the same attempt goes on");
    let notes = run.state.notes(&task_id("task_001"));
    assert!(
        matches!(&notes.last().unwrap().note, AgentNote::Answered { choice } if choice.option == "allow")
    );
    let order = run.state.work_order(&task_id("task_001"), attempt).unwrap();
    assert!(order.deadline_seconds >= Seconds::whole(10), "with all of its time");
    run.succeed("task_001");
    assert_eq!(run.running(), ["task_002"]);
}

#[test]
fn whoever_rests_can_be_stopped_and_its_question_goes() {
    // spec: beyond BY-07
    let mut run = Scenario::paris();
    ask(&mut run, "task_001");
    run.take(Input::Cancel { reason: "enough".to_owned() });
    run.stop_all();
    assert_eq!(run.state.status(), RunStatus::Cancelled);
    assert!(run.state.open_questions().is_empty());
}

#[test]
fn two_agents_ask_and_are_answered_in_any_order() {
    // spec: beyond BY-03
    let mut run = Scenario::paris();
    ask(&mut run, "task_001");
    ask(&mut run, "task_003");
    assert_eq!(run.state.open_questions().len(), 2);
    let gates: Vec<_> = run.state.open_questions().keys().cloned().collect();
    let choice = |option: &str| {
        candor_model::Answer::Choice(candor_model::Choice {
            option: option.to_owned(),
            text: String::new(),
            by_default: false,
        })
    };
    run.take(Input::Answered { gate: gates[1].clone(), answer: choice("deny") });
    assert_eq!(run.running(), ["task_003"]);
    run.take(Input::Answered { gate: gates[0].clone(), answer: choice("allow") });
    assert_eq!(run.running(), ["task_001", "task_003"]);
}

#[test]
fn a_change_of_the_world_is_on_the_ledger_from_intent_to_receipt() {
    // spec: beyond BY-27
    let mut run = Scenario::paris();
    note(&mut run, "task_001", called("read", ToolHints::READS));
    note(&mut run, "task_001", called("write", ToolHints::default()));
    note(&mut run, "task_001", called("write", ToolHints::default()));
    let ledger = run.state.ledger();
    assert_eq!(ledger.len(), 1, "who only looks changes nothing, and a key is there once");
    assert_eq!((ledger[0].key.as_str(), ledger[0].receipt.as_ref()), ("write", None));
    note(&mut run, "task_001", returned("write", Some(way_back())));
    assert!(run.state.ledger()[0].receipt.as_ref().unwrap().success);
    run.succeed("task_001");
    assert_eq!(run.state.ledger().len(), 1, "the ledger outlives the task");
}

/// A run that wrote a file and went back to before the work.
fn gone_back(unattended: bool) -> Scenario {
    let mut run = Scenario::of(paris_plan(), RunSettings { unattended, ..RunSettings::default() });
    note(&mut run, "task_001", called("one", ToolHints::default()));
    note(&mut run, "task_001", returned("one", Some(way_back())));
    note(&mut run, "task_001", called("two", ToolHints::default()));
    note(&mut run, "task_001", returned("two", Some(way_back())));
    note(&mut run, "task_001", called("three", ToolHints::default()));
    note(&mut run, "task_001", returned("three", None));
    run.succeed("task_001");
    let to = run.state.after_phase(Some(Phase::Decomposition)).unwrap();
    run.take(Input::RollBack { to, run_budget: None });
    run.stop_all();
    run
}

fn to_undo(run: &Scenario) -> Vec<String> {
    let undo = run.state.effects().filter_map(|effect| match effect {
        Effect::Undo { key, .. } => Some(key),
        _ => None,
    });
    undo.collect()
}

#[test]
fn going_back_offers_to_undo_what_can_be_undone_the_latest_first() {
    // spec: beyond BY-27, orchestrator SM-12
    let mut run = gone_back(false);
    assert_eq!(run.options(), ["undo", "keep"]);
    assert_eq!(run.choice().1.concerns, ["two", "one"], "what names no way back is not offered");
    run.choose("undo", "");
    assert_eq!(to_undo(&run), ["two"], "one after the other");
    assert!(run.at_work().is_empty(), "nothing else happens meanwhile");
    let undone = |success| Undone { success, summary: "tried".to_owned() };
    assert!(run.try_take(Input::Undone { key: "one".to_owned(), undone: undone(true) }).is_ok());
    run.take(Input::Undone { key: "two".to_owned(), undone: undone(false) });
    assert!(to_undo(&run).is_empty());
    assert!(!run.at_work().is_empty(), "then the run goes on");
    let told = run.told();
    let said = told.iter().any(|told| match told {
        Notification::Announcement(said) => said.title.contains("could not be undone"),
        _ => false,
    });
    assert!(said, "what could not be undone is told");
    assert!(run.state.ledger()[0].undone.as_ref().unwrap().success);
    assert!(run.try_take(Input::Undone { key: "one".to_owned(), undone: undone(true) }).is_err());
}

#[test]
fn declining_leaves_everything_and_warns() {
    // spec: orchestrator SM-12
    for mut run in [gone_back(false), gone_back(true)] {
        run.choose("keep", "");
        assert!(to_undo(&run).is_empty());
        assert!(!run.at_work().is_empty());
        let warned = run.told().iter().any(|told| match told {
            Notification::Announcement(said) => said.title == "Side effects are kept",
            _ => false,
        });
        assert!(warned);
    }
}

#[test]
fn files_that_were_changed_are_offered_too() {
    // spec: orchestrator SM-12 SS-02
    let mut run = Scenario::of(paris_plan(), RunSettings::default());
    let file = |hash: &str, text: &str| ReadFile {
        path: "notes.md".to_owned(),
        bytes: text.len() as u64,
        modified: None,
        hash: hash.to_owned(),
        text: Ok(text.to_owned()),
    };
    run.take(Input::FilesRead { files: vec![file("a", "before")] });
    run.take(Input::FilesRead { files: vec![file("b", "after")] });
    run.take(Input::FilesRead { files: vec![file("c", "long after")] });
    let to = run.state.after_phase(Some(Phase::Decomposition)).unwrap();
    run.take(Input::RollBack { to, run_budget: None });
    run.stop_all();
    assert_eq!(run.choice().1.concerns, ["file:notes.md"]);
    run.choose("undo", "");
    assert_eq!(to_undo(&run), ["file:notes.md"]);
    assert_eq!(run.state.to_restore("file:notes.md").unwrap().text.as_deref(), Ok("before"));
    let undone = Undone { success: true, summary: String::new() };
    run.take(Input::Undone { key: "file:notes.md".to_owned(), undone });
    assert!(!run.at_work().is_empty());
    assert_eq!(run.state.files()["notes.md"].text.as_deref(), Ok("before"));
}

#[test]
fn when_every_agent_has_failed_a_model_answers_directly_and_then_a_person_is_asked() {
    // spec: orchestrator DG-11 DG-05
    let mut run = Scenario::start(RunSettings::default());
    run.prepare();
    let mut agents = fixtures::full_registry();
    agents.push(candor_model::AgentCapability {
        agent_type: fixtures::agent_type("direct_response"),
        capabilities: Vec::new(),
        ..agents[0].clone()
    });
    let proposal = candor_planning::validation::Proposal {
        plan: paris_plan(),
        agents,
        categories: Vec::new(),
        calibration: candor_model::CalibrationMetrics::default(),
        brief: None,
        added: Vec::new(),
    };
    run.phase_done(Phase::Planning, candor_engine::PhaseResult::Plan(proposal));
    let running = |run: &Scenario| {
        run.state.effects().find_map(|effect| match effect {
            Effect::InvokeAgent { task_id, agent_type, .. } if task_id.as_str().starts_with("task_001") => {
                Some((task_id.to_string(), agent_type.to_string()))
            }
            _ => None,
        })
    };
    let mut tried = Vec::new();
    while let Some((task, agent)) = running(&run) {
        tried.push(agent);
        run.fail(&task, "Agent timeout after 10s");
        run.pass(5.0);
        run.wait(1.0);
    }
    assert_eq!(tried.last().map(String::as_str), Some("direct_response"), "{tried:?}");
    assert_eq!(tried.iter().filter(|agent| *agent == "direct_response").count(), 1, "once: {tried:?}");
    assert!(run.state.degradation().level >= 2, "{:?}", run.state.degradation());
    assert!(matches!(run.question().1, candor_model::Question::Guidance(_)), "then a person decides");
    let degraded = run.count(|body| matches!(body, EventBody::PhaseDegraded { phase: Phase::Execution, .. }));
    assert_eq!(degraded, 1);
}

#[test]
fn one_call_more_than_is_usual_is_told_once_and_stops_nothing() {
    // spec: orchestrator SC-09
    let warnings = |budget: ToolCallBudget, calls: &[&str]| {
        let mut plan = paris_plan();
        plan.metadata.tool_calls = Some(budget);
        let mut run = Scenario::of(plan, RunSettings::default());
        for (n, task) in calls.iter().enumerate() {
            note(&mut run, task, called(&format!("k{n}"), ToolHints::READS));
        }
        let told = run.log.iter().filter_map(|recorded| match &recorded.event.body {
            EventBody::GuardrailTripped { rule, reason, .. } if rule == "tool_calls" => Some(reason.clone()),
            _ => None,
        });
        told.collect::<Vec<String>>()
    };
    let in_all = ToolCallBudget { calls: 3, in_all: true };
    assert!(warnings(in_all, &["task_001", "task_003", "task_001"]).is_empty());
    let told = warnings(in_all, &["task_001", "task_003", "task_001", "task_003", "task_003"]);
    assert_eq!(told, ["the run has made 4 tool calls; 3 are usual for such a request"]);
    let each = ToolCallBudget { calls: 2, in_all: false };
    assert!(warnings(each, &["task_001", "task_003", "task_001", "task_003"]).is_empty());
    assert_eq!(warnings(each, &["task_001", "task_001", "task_001"]).len(), 1);
}

#[test]
fn a_plan_that_does_with_fewer_agents_starts_no_more_tasks_at_once() {
    // spec: orchestrator EE-02 SC-07
    let started = |at_once: Option<u32>| {
        let mut plan = paris_plan();
        plan.metadata.agents_at_once = at_once;
        Scenario::of(plan, RunSettings::default()).running().len()
    };
    assert_eq!((started(None), started(Some(1))), (2, 1));
}
