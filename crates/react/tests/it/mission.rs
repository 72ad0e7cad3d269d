//! The loop: order, references, outputs, limits, questions, calls whose end is not known.

use crate::common::{World, failed, map, mission, mission_with, order};
use candor_model::{
    AgentNote, AskStep, Carried, Consulted, FeedbackType, MissionAction, ModelCall, Money, Seconds, Tier,
    TodoItem, TodoStatus, TokenUse, ToolErrorKind, ToolResult,
};
use candor_react::{Approve, Limit, Mission, MissionSettings, Wanted};
use serde_json::json;

fn with_model() -> MissionSettings {
    MissionSettings { model: true, ..MissionSettings::default() }
}

#[test]
fn steps_refer_to_inputs_to_other_tasks_and_to_each_other() {
    // The agent works without a model.
    let steps = json!([
        { "id": "second", "description": "Second", "tool": "add",
          "parameters": { "n": "${steps.first.list.1.n}", "text": "in ${inputs.city}: ${steps.first.list.1.n}, ${HOME}",
                          "all": "${steps.first}", "said": "${steps.first.content}" }, "save_as": "b" },
        { "id": "first", "description": "First", "tool": "add",
          "parameters": { "days": "${inputs.days}", "money": "${upstream.task_000.budget}" }, "save_as": "a" },
    ]);
    let mut world = World::new(|call| {
        let data = json!({ "list": [{ "n": 1 }, { "n": 2 }] });
        ToolResult::done(format!("said {}", call.arguments.len()), Some(data))
    });
    let mut mission = mission(steps, &["a", "b"]);
    let ending = world.run(&mut mission).unwrap();
    assert_eq!(ending.verdict, FeedbackType::Success, "{:?}", ending.errors);
    assert_eq!(world.calls[0].arguments, map(json!({ "days": 3, "money": 2000 })));
    let given = &world.calls[1].arguments;
    assert_eq!((&given["n"], &given["text"]), (&json!(2), &json!("in Paris: 2, ${HOME}")));
    assert_eq!((&given["said"], &given["all"]["list"][0]["n"]), (&json!("said 2"), &json!(1)));
    assert_eq!(world.calls[1].key, "run_1/task_001/1/second/2");
    assert!(ending.outputs.contains_key("a") && ending.outputs.contains_key("b"));
}

#[test]
fn without_a_model_and_without_steps_it_is_said_what_to_do() {
    let ending = World::well().run(&mut mission(json!(null), &["a"])).unwrap();
    assert_eq!(ending.verdict, FeedbackType::Failure);
    assert!(ending.errors[0].contains("Configure a model") && ending.errors[0].contains("`steps`"));
    for (steps, message) in [
        (json!("do it"), "inputs.steps: must be a list"),
        (json!([]), "must have 1 to 100 steps"),
        (json!([{ "description": "x", "tol": "read" }]), "inputs.steps[0]"),
        (json!([{ "id": "a", "tool": "read" }, { "id": "a", "tool": "read" }]), "inputs.steps[1].id: `a`"),
        (json!([{ "tool": "read", "depends_on": ["z"] }]), "no step `z`"),
        (json!([{ "tool": "read", "parameters": { "url": "${steps.z}" } }]), "no step `z`"),
    ] {
        let ending = World::well().run(&mut mission(steps, &[])).unwrap();
        assert!(ending.errors[0].contains(message), "{:?}", ending.errors);
    }
}

#[test]
fn steps_that_wait_for_each_other_fail_and_say_so() {
    let steps = json!([
        { "id": "a", "tool": "read", "parameters": { "url": "x" }, "depends_on": ["b"] },
        { "id": "b", "tool": "read", "parameters": { "url": "x" }, "depends_on": ["a"] },
        { "id": "c", "tool": "read", "parameters": { "url": "x" } },
    ]);
    let ending = World::well().run(&mut mission(steps, &[])).unwrap();
    assert_eq!(ending.verdict, FeedbackType::PartialSuccess);
    assert!(ending.errors[0].contains("waits for a step that waits for it"), "{:?}", ending.errors);
}

#[test]
fn a_single_expected_output_is_the_last_result() {
    let steps = json!([{ "tool": "read", "parameters": { "url": "x" } }]);
    let ending = World::well().run(&mut mission(steps.clone(), &["page"])).unwrap();
    assert_eq!(ending.outputs, map(json!({ "page": "read did it" })));
    let ending = World::well().run(&mut mission(steps, &["page", "title"])).unwrap();
    assert_eq!(ending.verdict, FeedbackType::PartialSuccess, "what is there is handed over");
    assert!(ending.errors[0].contains("page, title"), "{:?}", ending.errors);
    assert_eq!(ending.outputs["steps"]["step_1"], "read did it");
}

#[test]
fn each_limit_gives_what_there_is_and_how_to_go_on() {
    // spec: beyond BY-08
    let steps = json!([
        { "id": "a", "tool": "read", "parameters": { "url": "1" }, "save_as": "a" },
        { "id": "b", "tool": "read", "parameters": { "url": "2" }, "save_as": "b" },
    ]);
    let settings = MissionSettings { max_steps: 1, ..MissionSettings::default() };
    let mut mission = mission_with(steps.clone(), &["a", "b"], settings.clone());
    let mut world = World::well();
    let ending = world.run(&mut mission).unwrap();
    assert_eq!((ending.limit, ending.verdict), (Some(Limit::Steps), FeedbackType::PartialSuccess));
    assert_eq!((&ending.outputs["a"], ending.left), (&json!("read did it"), vec!["b".to_owned()]));
    assert!(ending.errors[0].contains("1 of 1 steps") && ending.advice.unwrap().contains("max_steps"));
    // Another attempt goes on where this one stopped.
    let mut order = order(steps, &["a", "b"]);
    order.attempt = 2;
    let mut again = Mission::resume(&order, settings, &world.noted());
    let mut world = World::well();
    let ending = world.run(&mut again).unwrap();
    assert_eq!((ending.verdict, world.calls.len()), (FeedbackType::Success, 1), "{:?}", ending.errors);
    assert_eq!(world.calls[0].arguments["url"], "2");
}

fn consulted(tokens: u64, micros: u64) -> AgentNote {
    let call = ModelCall {
        tier: Tier::Fast,
        model: "m".to_owned(),
        prompt: "p".to_owned(),
        request: "r".to_owned(),
        answer: None,
        failure: None,
        tokens: TokenUse { input: tokens, ..TokenUse::default() },
        cost: Money::from_micros(micros),
        saved: Money::ZERO,
        duration_seconds: Seconds::ZERO,
        details: None,
    };
    let outcome = AskStep::Accepted { value: json!({}), repairs: Vec::new() };
    let step = Box::new(Consulted { call: Some(call), outcome });
    AgentNote::Consulted { ask: "plan".to_owned(), number: 1, step }
}

#[test]
fn tokens_money_and_time_are_limits_too() {
    // spec: beyond BY-08
    let limit = |settings: MissionSettings, note: Option<AgentNote>, now| {
        let mut mission = mission_with(json!(null), &[], settings);
        note.iter().for_each(|note| mission.apply(note));
        match mission.poll_action(&crate::common::tools(), now) {
            Wanted::Done(ending) => ending.limit,
            _ => None,
        }
    };
    assert_eq!(limit(with_model(), Some(consulted(49_999, 0)), 0), None);
    assert_eq!(limit(with_model(), Some(consulted(50_000, 0)), 0), Some(Limit::Tokens));
    let poor = MissionSettings { max_cost: Some(Money::from_micros(10)), ..with_model() };
    assert_eq!(limit(poor.clone(), Some(consulted(1, 9)), 0), None);
    assert_eq!(limit(poor, Some(consulted(1, 10)), 0), Some(Limit::Money));
    assert_eq!(limit(with_model(), None, 59_799), None);
    assert_eq!(limit(with_model(), None, 59_800), Some(Limit::Time));
    let one = MissionSettings { max_steps: 1, ..with_model() };
    assert_eq!(limit(one, Some(consulted(1, 0)), 0), Some(Limit::Steps));
}

#[test]
fn a_new_attempt_gives_what_failed_another_chance() {
    let steps = json!([
        { "id": "a", "tool": "look", "parameters": { "url": "1" } },
        { "id": "b", "tool": "read", "parameters": { "url": "2" } },
        { "id": "c", "tool": "look", "parameters": { "url": "3" }, "depends_on": ["b"] },
    ]);
    let mut world =
        World::new(|call| if call.tool == "read" { failed("no") } else { ToolResult::done("ok", None) });
    let ending = world.run(&mut mission(steps.clone(), &[])).unwrap();
    assert_eq!((ending.errors.len() >= 2, world.calls.len()), (true, 4));
    let mut order = order(steps, &[]);
    order.attempt = 2;
    let mut again = Mission::resume(&order, MissionSettings::default(), &world.noted());
    let mut world = World::well();
    assert_eq!(world.run(&mut again).unwrap().verdict, FeedbackType::Success);
    assert_eq!(world.called(), ["read", "look"], "what was done is not done again");
}

fn wipe() -> serde_json::Value {
    json!([{ "id": "w", "tool": "wipe", "parameters": { "path": "/a", "password": "hunter2hunter2" } },
           { "id": "x", "tool": "wipe", "parameters": { "path": "/b" } }])
}

#[test]
fn what_can_destroy_needs_a_persons_leave() {
    let mut mission = mission(wipe(), &[]);
    let mut world = World::well();
    assert_eq!(world.run(&mut mission), None, "it rests");
    assert!(world.calls.is_empty());
    let Wanted::Ask { question, about } = mission.poll_action(&world.tools, 0) else { panic!() };
    assert!(
        question.text.contains("wipe") && question.text.contains("/a") && !question.text.contains("hunter2")
    );
    assert_eq!((question.default.as_deref(), mission.asked()), (Some("deny"), Some(about.as_str())));
    // Leave for one call is leave for one call.
    world.answers = vec!["allow"];
    assert_eq!(world.run(&mut mission), None);
    assert_eq!(world.calls.len(), 1);
    world.answers = vec!["deny"];
    let ending = world.run(&mut mission).unwrap();
    assert_eq!((world.calls.len(), ending.verdict), (1, FeedbackType::PartialSuccess));
    assert!(ending.errors[0].contains("did not allow it: as I say"), "{:?}", ending.errors);
    assert_eq!(world.strategies, 0, "a denial is not got around");
}

#[test]
fn leave_for_a_tool_is_leave_for_all_its_calls_and_policies_differ() {
    let run = |approve, answers: Vec<&'static str>| {
        let settings = MissionSettings { approve, ..MissionSettings::default() };
        let mut world = World::well();
        world.answers = answers;
        let ended = world.run(&mut mission_with(wipe(), &[], settings)).is_some();
        (ended, world.calls.len())
    };
    assert_eq!(run(Approve::Destructive, vec!["all"]), (true, 2));
    let old: Approve = serde_json::from_value(json!("never")).unwrap();
    assert_eq!(run(old, vec![]), (false, 0), "no setting but the classes that a run allows lets it through");
    let adding = json!([{ "tool": "add", "parameters": {} }]);
    let asks = |approve| {
        let settings = MissionSettings { approve, ..MissionSettings::default() };
        World::well().run(&mut mission_with(adding.clone(), &[], settings)).is_none()
    };
    assert_eq!((asks(Approve::Destructive), asks(Approve::Changes)), (false, true));
}

fn cut_off(world: &World) -> Mission {
    let steps = json!([{ "id": "a", "tool": "add", "parameters": { "title": "t" }, "save_as": "a" }]);
    let at = world.notes.iter().position(|note| matches!(note, AgentNote::Called { .. })).unwrap();
    Mission::resume(&order(steps, &[]), MissionSettings::default(), &world.noted()[..=at])
}

fn added() -> World {
    let steps = json!([{ "id": "a", "tool": "add", "parameters": { "title": "t" }, "save_as": "a" }]);
    let mut world = World::new(|_| ToolResult::done("added", Some(json!({ "id": "e1" }))));
    world.run(&mut mission(steps, &[]));
    world
}

#[test]
fn an_intent_without_a_receipt_is_looked_into_and_never_blindly_repeated() {
    // spec: beyond BY-27
    let before = added();
    for (carried, answers, calls, status) in [
        (Carried::Done, vec![], 0, TodoStatus::Completed),
        (Carried::NotDone, vec![], 1, TodoStatus::Completed),
        (Carried::Unknown, vec!["done"], 0, TodoStatus::Completed),
        (Carried::Unknown, vec!["again"], 1, TodoStatus::Completed),
        (Carried::Unknown, vec!["skip"], 0, TodoStatus::Skipped),
    ] {
        let mut mission = cut_off(&before);
        let mut world = World::well();
        world.carried = carried;
        world.answers = answers.clone();
        assert!(world.run(&mut mission).is_some());
        assert_eq!(
            (world.calls.len(), mission.list().items[0].status),
            (calls, status),
            "{carried} {answers:?}"
        );
        let first = before.calls[0].key.as_str();
        let settled =
            world.notes.iter().any(|note| matches!(note, AgentNote::Returned { key, .. } if key == first));
        assert!(settled, "the intent has a receipt in the end: {carried} {answers:?}");
        assert_eq!(mission.list().items[0].attempts, 1, "{carried} {answers:?}");
    }
    let mut mission = cut_off(&before);
    let mut world = World::well();
    assert_eq!((world.run(&mut mission), world.calls.len()), (None, 0), "it rests until a person has looked");
}

#[test]
fn a_call_that_only_looks_is_simply_made_again_under_its_key() {
    // spec: beyond BY-27
    let steps = json!([{ "id": "a", "tool": "read", "parameters": { "url": "t" } }]);
    let mut world = World::well();
    world.run(&mut mission(steps.clone(), &[]));
    let key = world.calls[0].key.clone();
    let mut again = Mission::resume(&order(steps, &[]), MissionSettings::default(), &world.noted()[..2]);
    let mut world = World::well();
    world.run(&mut again);
    assert_eq!((world.calls[0].key.as_str(), world.calls.len()), (key.as_str(), 1));
    assert!(
        !world.notes.iter().any(|note| matches!(note, AgentNote::Called { .. })),
        "the intent is there already"
    );
}

#[test]
fn a_change_that_timed_out_may_have_been_made() {
    // spec: beyond BY-09 BY-27
    let steps = json!([{ "id": "a", "tool": "add", "parameters": {} }]);
    let mut world = World::new(|_| ToolResult::failed(ToolErrorKind::Timeout, "no answer"));
    let mut mission = mission(steps, &[]);
    assert_eq!(
        (world.run(&mut mission), world.calls.len()),
        (None, 1),
        "a person is asked before it is repeated"
    );
    world.answers = vec!["done"];
    assert_eq!(world.run(&mut mission).unwrap().verdict, FeedbackType::Success);
}

#[test]
fn a_receipt_says_how_its_call_is_undone() {
    // spec: beyond BY-27
    let world = added();
    let undo = world.notes.iter().find_map(|note| match note {
        AgentNote::Returned { result, .. } => result.undo.clone(),
        _ => None,
    });
    let undo = undo.unwrap();
    assert_eq!((undo.tool.as_str(), undo.arguments), ("wipe", map(json!({ "path": "e1", "why": "undo t" }))));
}

#[test]
fn a_model_lists_decides_asks_skips_and_completes() {
    // spec: planning TA-02
    let mut world = World::well();
    world.plan = Ok(["First", "Second", "Third"].map(|text| TodoItem::new("", 0, text)).to_vec());
    let mut n = 0;
    world.on_act = Box::new(move |item| {
        n += 1;
        Ok(match (n, item.map(|item| item.id.as_str())) {
            (1, Some("step_1")) => MissionAction::AskUser { question: "Which page?".to_owned() },
            (2, Some("step_1")) => {
                MissionAction::ToolCall { tool: "nope".to_owned(), parameters: map(json!({})) }
            }
            (3, Some("step_1")) => {
                MissionAction::ToolCall { tool: "read".to_owned(), parameters: map(json!({ "url": "a" })) }
            }
            (4, Some("step_2")) => MissionAction::Skip { reason: "not needed".to_owned() },
            (5, Some("step_3")) => {
                MissionAction::ToolCall { tool: "look".to_owned(), parameters: map(json!({ "url": "b" })) }
            }
            // One more call than was planned.
            (6, None) => {
                MissionAction::ToolCall { tool: "read".to_owned(), parameters: map(json!({ "url": "c" })) }
            }
            (7, None) => MissionAction::Complete {
                summary: "all read".to_owned(),
                outputs: map(json!({ "page": "text" })),
            },
            other => panic!("{other:?}"),
        })
    });
    world.answers = vec!["answer"];
    let mut mission = mission_with(json!(null), &["page"], with_model());
    let ending = world.run(&mut mission).unwrap();
    assert_eq!((ending.verdict, &ending.outputs), (FeedbackType::Success, &map(json!({ "page": "text" }))));
    assert_eq!(world.called(), ["read", "look", "read"]);
    let statuses: Vec<&str> = mission.list().items.iter().map(|item| item.status.as_str()).collect();
    assert_eq!(statuses, ["COMPLETED", "SKIPPED", "COMPLETED", "COMPLETED"]);
    assert!(
        mission.history().iter().any(|message| message.text == "as I say"),
        "the person's words are there"
    );
}

#[test]
fn the_same_fruitless_call_trips_the_guard_also_after_a_restart() {
    // spec: beyond BY-05 BY-31
    let same = || MissionAction::ToolCall { tool: "read".to_owned(), parameters: map(json!({ "url": "a" })) };
    let mut world = World::well();
    world.plan = Ok(vec![TodoItem::new("", 0, "Go")]);
    world.on_act = Box::new(move |_| Ok(same()));
    let mut mission = mission_with(json!(null), &["page"], with_model());
    world.run(&mut mission);
    assert_eq!(world.calls.len(), 3, "the fourth is not made");
    assert!(world.strategies > 0, "it is re-planned instead");
    let third =
        world.notes.iter().enumerate().filter(|(_, note)| matches!(note, AgentNote::Returned { .. })).nth(2);
    let cut = third.unwrap().0;
    let mut again = Mission::resume(&order(json!(null), &["page"]), with_model(), &world.noted()[..=cut]);
    let mut world = World::well();
    world.on_act = Box::new(move |_| Ok(same()));
    world.run(&mut again);
    assert_eq!(world.calls.len(), 0);
}

#[test]
fn a_model_that_does_not_answer_is_told_of_and_nothing_hangs() {
    // spec: beyond BY-10
    let mut world = World::well();
    let ending = world.run(&mut mission_with(json!(null), &["page"], with_model())).unwrap();
    assert_eq!((ending.verdict, world.acts <= 2), (FeedbackType::Failure, true));
    assert!(ending.errors.iter().any(|error| error.contains("no model decided")), "{:?}", ending.errors);
}

#[test]
fn a_change_whose_line_broke_may_have_been_made() {
    // spec: beyond BY-27
    let mut world = World::new(|_| ToolResult::failed(ToolErrorKind::Lost, "the server was lost"));
    let steps = json!([{ "id": "only", "description": "Only", "tool": "add", "parameters": {} }]);
    let mut mission = mission(steps, &[]);
    assert!(world.run(&mut mission).is_none(), "a person is asked");
    assert_eq!(world.calls.len(), 1, "and it is not made twice");
}

#[test]
fn a_step_can_be_a_question_to_a_person() {
    let asks = || {
        json!([
            { "id": "who", "description": "Who", "tool": "ask_person", "parameters": { "question": "For whom?" } },
            { "id": "then", "description": "Then", "tool": "read", "depends_on": ["who"],
              "parameters": { "url": "${steps.who.answer}" } },
        ])
    };
    let asked = |option: &'static str| {
        let mut world = World::well();
        let schema = json!({ "type": "object", "properties": { "question": { "type": "string" } } });
        world.tools.push(crate::common::tool("ask_person", "Asks", schema, candor_model::ToolHints::READS));
        let mut mission = mission(asks(), &[]);
        assert!(world.run(&mut mission).is_none());
        assert_eq!(mission.asked(), Some("person who"));
        world.answers = vec![option];
        let ending = world.run(&mut mission).unwrap();
        (world, mission, ending)
    };
    let (world, _, ending) = asked("answer");
    assert_eq!(ending.verdict, FeedbackType::Success, "{:?}", ending.errors);
    assert_eq!(world.called(), ["read"], "nobody calls the question itself");
    assert_eq!(world.calls[0].arguments["url"], json!("as I say"));
    let (_, mission, _) = asked("skip");
    assert_eq!(mission.list().items[0].status, TodoStatus::Skipped);
}
