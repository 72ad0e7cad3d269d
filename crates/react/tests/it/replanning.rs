//! Planning a step anew: the eight behaviours of the spec, and what bounds them.

use crate::common::{World, failed, map, mission, mission_with, strategy};
use candor_model::{
    AgentNote, FeedbackType, MissionAction, SpeakerRole, TodoStatus, ToolErrorKind, ToolResult,
};
use candor_react::{Metrics, MissionSettings, NO_STRATEGY, metrics};
use serde_json::json;

fn one_step() -> serde_json::Value {
    json!([{ "id": "get", "description": "Get the page", "tool": "read", "parameters": { "url": "a" } }])
}

/// `read` of `a` fails, all else goes well.
fn read_a_fails() -> World {
    World::new(|call| match (call.tool.as_str(), call.arguments.get("url")) {
        ("read", Some(url)) if url == "a" => failed("no such page"),
        _ => ToolResult::done("fine", None),
    })
}

#[test]
fn retry_with_params_changes_the_parameters_at_the_same_place() {
    // spec: planning TA-01 TA-04 TA-06 TA-11 TA-15 TA-41 TA-45
    let mut world = read_a_fails().with_strategy(|item, error| {
        assert_eq!((item.id.as_str(), error.success, error.error_text()), ("get", false, "no such page"));
        Some(strategy("RETRY_WITH_PARAMS", 0.9, json!({ "parameters": { "url": "b" } })))
    });
    let mut mission = mission(one_step(), &[]);
    let ending = world.run(&mut mission).unwrap();
    assert_eq!(ending.verdict, FeedbackType::Success);
    assert_eq!(world.called(), ["read"; 4], "three tries before the step is re-planned");
    let item = &mission.list().items[0];
    assert_eq!((item.id.as_str(), item.position, item.replan_count), ("get", 1, 1));
    assert_eq!((item.status, &item.parameters), (TodoStatus::Completed, &map(json!({ "url": "b" }))));
}

#[test]
fn swap_tool_replaces_the_step() {
    // spec: planning TA-17 TA-41
    let mut world =
        read_a_fails().with_strategy(|_, _| Some(strategy("SWAP_TOOL", 0.8, json!({ "tool": "look" }))));
    let mut mission = mission(one_step(), &[]);
    assert_eq!(world.run(&mut mission).unwrap().verdict, FeedbackType::Success);
    assert_eq!(world.called(), ["read", "read", "read", "look"]);
    assert_eq!(mission.list().items[0].id, "get_r1");
}

#[test]
fn decompose_task_puts_smaller_steps_in_its_place() {
    // spec: planning TA-16 TA-24 TA-41
    let mut world = read_a_fails().with_strategy(|_, _| {
        let subtasks = json!({ "subtasks": [
            { "description": "Look", "tool": "look", "parameters": { "url": "x" } },
            { "description": "Read", "tool": "read", "parameters": { "url": "${steps.get_a.content}" } },
        ]});
        Some(strategy("DECOMPOSE_TASK", 0.7, subtasks))
    });
    let steps = json!([
        { "id": "get", "description": "Get", "tool": "read", "parameters": { "url": "a" }, "save_as": "page" },
        { "id": "use", "description": "Use", "tool": "look", "parameters": { "url": "${steps.get.content}" } },
    ]);
    let mut mission = mission(steps, &["page"]);
    let ending = world.run(&mut mission).unwrap();
    assert_eq!((ending.verdict, &ending.outputs), (FeedbackType::Success, &map(json!({ "page": "fine" }))));
    let ids: Vec<&str> = mission.list().items.iter().map(|item| item.id.as_str()).collect();
    assert_eq!(ids, ["get_a", "get_b", "use"]);
    assert_eq!(
        mission.list().items[2].dependencies,
        ["get_b"],
        "what waited for the step waits for its last part"
    );
    assert_eq!(mission.list().items.iter().map(|item| item.position).collect::<Vec<_>>(), [1, 2, 3]);
    let ended = world.notes.iter().find_map(|note| match note {
        AgentNote::ReplanEnded { new_task_ids, success: true, .. } => Some(new_task_ids.clone()),
        _ => None,
    });
    assert_eq!(ended.unwrap(), ["get_a", "get_b"]);
}

#[test]
fn the_third_replan_is_refused_and_the_step_fails() {
    // spec: planning TA-05 TA-07 TA-08 TA-10 TA-40 TA-41, QT-08
    let mut n = 0;
    let mut world =
        World::new(|call| if call.tool == "look" { ToolResult::done("ok", None) } else { failed("no") })
            .with_strategy(move |_, _| {
                n += 1;
                Some(strategy(
                    "RETRY_WITH_PARAMS",
                    0.9,
                    json!({ "parameters": { "url": format!("try {n}") } }),
                ))
            });
    let steps = json!([
        { "id": "bad", "description": "Fails", "tool": "read", "parameters": { "url": "a" } },
        { "id": "good", "description": "Works", "tool": "look", "parameters": { "url": "a" }, "save_as": "page" },
        { "id": "after", "description": "Waits", "tool": "look", "parameters": { "url": "a" }, "depends_on": ["bad"] },
    ]);
    let mut mission = mission(steps, &[]);
    let ending = world.run(&mut mission).unwrap();
    assert_eq!(world.strategies, 2, "no generator is asked once the limit is reached");
    assert_eq!(world.called().iter().filter(|tool| **tool == "read").count(), 9);
    let statuses: Vec<TodoStatus> = mission.list().items.iter().map(|item| item.status).collect();
    assert_eq!(statuses, [TodoStatus::Failed, TodoStatus::Completed, TodoStatus::Skipped]);
    assert_eq!((ending.verdict, &ending.outputs["page"]), (FeedbackType::PartialSuccess, &json!("ok")));
    assert!(world.warnings().iter().any(|text| text.contains("limit")), "{:?}", world.warnings());
    assert!(
        ending.errors.iter().any(|error| error.contains("bad") && error.contains("no")),
        "{:?}",
        ending.errors
    );
    assert!(ending.errors.iter().any(|error| error.contains("after") && error.contains("waits for step 1")));
}

#[test]
fn endless_decomposition_ends_after_two_levels() {
    // spec: planning TA-40
    let mut world = World::new(|_| failed("never")).with_strategy(|item, _| {
        let parameters = json!({ "url": format!("{} again", item.id) });
        let subtask = json!({ "description": "Smaller", "tool": "read", "parameters": parameters });
        Some(strategy("DECOMPOSE_TASK", 0.9, json!({ "subtasks": [subtask] })))
    });
    let mut mission = mission(one_step(), &[]);
    assert_eq!(world.run(&mut mission).unwrap().verdict, FeedbackType::Failure);
    assert_eq!(world.strategies, 2);
    assert_eq!(mission.list().items[0].id, "get_a_a");
}

#[test]
fn low_confidence_is_rejected_and_the_list_stays() {
    // spec: planning TA-14 TA-20 TA-41
    for (confidence, accepted) in [(0.59, false), (0.6, true), (1.0, true), (f64::NAN, false), (1.5, false)] {
        let change = json!({ "parameters": { "url": "b" } });
        let mut world = read_a_fails()
            .with_strategy(move |_, _| Some(strategy("RETRY_WITH_PARAMS", confidence, change.clone())));
        let mut mission = mission(one_step(), &[]);
        let ending = world.run(&mut mission).unwrap();
        assert_eq!(ending.verdict == FeedbackType::Success, accepted, "{confidence}");
        if !accepted {
            assert_eq!(mission.list().items[0].parameters, map(json!({ "url": "a" })));
            assert_eq!(ended(&world), [(false, NO_STRATEGY.to_owned())]);
        }
    }
}

fn ended(world: &World) -> Vec<(bool, String)> {
    let of = |note: &AgentNote| match note {
        AgentNote::ReplanEnded { success, summary, .. } => Some((*success, summary.clone())),
        _ => None,
    };
    world.notes.iter().filter_map(of).collect()
}

#[test]
fn a_strategy_that_cannot_be_applied_fails_and_the_loop_lives() {
    // spec: planning TA-13 TA-18 TA-20 TA-33 TA-35 TA-41
    let cases = [
        ("RETRY_WITH_PARAMS", json!({}), "Failed to apply RETRY_WITH_PARAMS"),
        ("RETRY_WITH_PARAMS", json!({ "parameters": { "uri": 7 } }), "Failed to apply RETRY_WITH_PARAMS"),
        ("DECOMPOSE_TASK", json!({ "subtasks": [{ "tool": "read" }] }), "Failed to apply DECOMPOSE_TASK"),
        ("DECOMPOSE_TASK", json!({ "subtasks": [] }), "Failed to apply DECOMPOSE_TASK"),
        ("SWAP_TOOL", json!({ "tool": "forbidden" }), "Failed to apply SWAP_TOOL"),
        ("SWAP_TOOL", json!({ "tool": "" }), "Failed to apply SWAP_TOOL"),
        ("PRAY", json!({}), "Unknown strategy type PRAY"),
    ];
    for (kind, modifications, summary) in cases {
        let mut world =
            read_a_fails().with_strategy(move |_, _| Some(strategy(kind, 0.9, modifications.clone())));
        world.tools.push(crate::common::tool("forbidden", "x", json!({}), candor_model::ToolHints::READS));
        let allowed = ["read", "look"].map(str::to_owned).to_vec();
        let settings = MissionSettings { allowed_tools: allowed, ..MissionSettings::default() };
        let mut mission = mission_with(one_step(), &[], settings);
        let ending = world.run(&mut mission).unwrap();
        assert_eq!(ended(&world), [(false, summary.to_owned())]);
        assert_eq!((ending.verdict, mission.list().items.len()), (FeedbackType::Failure, 1));
        assert_eq!(mission.list().items[0].parameters, map(json!({ "url": "a" })));
        assert_eq!(mission.list().items[0].status, TodoStatus::Failed);
    }
}

#[test]
fn the_history_tells_of_each_replan_in_order() {
    // spec: planning TA-19 TA-21 TA-22 TA-41, CX-40
    let mut n = 0;
    let mut world = World::new(|_| failed("no")).with_strategy(move |_, _| {
        n += 1;
        let mut found =
            strategy("RETRY_WITH_PARAMS", 0.9, json!({ "parameters": { "url": format!("{n}") } }));
        found.rationale = format!("reason {n}");
        Some(found)
    });
    let mut mission = mission(one_step(), &[]);
    world.run(&mut mission);
    let said: Vec<&str> = mission
        .history()
        .iter()
        .filter(|message| message.role == SpeakerRole::System && message.text.starts_with("Replanned"))
        .map(|message| message.text.lines().next().unwrap())
        .collect();
    assert_eq!(
        said,
        ["Replanned step 1: RETRY_WITH_PARAMS - reason 1", "Replanned step 1: RETRY_WITH_PARAMS - reason 2"]
    );
    assert_eq!(ended(&world)[0], (true, "reason 1".to_owned()));
    let detail = mission.history().iter().find(|message| message.text.contains("reason 1")).unwrap();
    assert!(detail.text.contains("\"url\":\"1\""), "{}", detail.text);
}

#[test]
fn metrics_are_noted_for_tries_and_ends_alike() {
    // spec: planning TA-23 TA-24 TA-25 TA-41, CX-41
    let mut n = 0;
    let mut world = World::new(|_| failed("no")).with_strategy(move |_, _| {
        n += 1;
        let confidence = if n == 1 { 0.9 } else { 0.1 };
        Some(strategy("RETRY_WITH_PARAMS", confidence, json!({ "parameters": { "url": "b" } })))
    });
    let mut mission = mission(one_step(), &[]);
    world.run(&mut mission);
    let tried: Vec<(&str, f64)> = world
        .notes
        .iter()
        .filter_map(|note| match note {
            AgentNote::ReplanTried { task_id, strategy_type, confidence, .. } => {
                assert_eq!(task_id, "get");
                Some((strategy_type.as_str(), *confidence))
            }
            _ => None,
        })
        .collect();
    assert_eq!(tried, [("RETRY_WITH_PARAMS", 0.9), ("RETRY_WITH_PARAMS", 0.1)]);
    let told: Metrics = metrics(&world.noted());
    assert_eq!(&told, mission.metrics());
    assert_eq!((told.success_rate(), told.replans().tried, told.tool_calls), (Some(0.5), 2, 6));
    assert_eq!(told.strategies["RETRY_WITH_PARAMS"].succeeded, 1);
    assert_eq!(Metrics::default().success_rate(), None);
}

#[test]
fn a_strategy_that_took_too_long_is_none() {
    // spec: planning TA-29, QT-08
    for (took, accepted) in [(10_000, true), (10_001, false)] {
        let mut world = read_a_fails().with_strategy(|_, _| {
            Some(strategy("RETRY_WITH_PARAMS", 0.9, json!({ "parameters": { "url": "b" } })))
        });
        world.strategy_ms = took;
        let mut mission = mission(one_step(), &[]);
        assert_eq!(world.run(&mut mission).unwrap().verdict == FeedbackType::Success, accepted);
        assert_eq!(mission.list().items[0].parameters["url"], if accepted { "b" } else { "a" });
    }
}

fn asking_model(replan_first: bool) -> World {
    let mut world = World::well();
    world.plan = Ok(vec![candor_model::TodoItem::new("", 0, "Do it")]);
    let mut n = 0;
    world.on_act = Box::new(move |item| {
        n += 1;
        Ok(match (item, replan_first && n <= 3) {
            (Some(_), true) => MissionAction::Replan { reason: "not like this".to_owned() },
            (Some(_), false) => {
                MissionAction::ToolCall { tool: "read".to_owned(), parameters: map(json!({ "url": "a" })) }
            }
            (None, _) => MissionAction::Complete { summary: "done".to_owned(), outputs: map(json!({})) },
        })
    });
    world
}

#[test]
fn the_model_can_ask_for_a_replan_within_the_same_limit() {
    // spec: planning TA-02 TA-27
    let mut world = asking_model(true).with_strategy(|_, error| {
        assert_eq!(error.error_text(), "not like this");
        let subtask = json!({ "description": "Smaller" });
        Some(strategy("DECOMPOSE_TASK", 0.9, json!({ "subtasks": [subtask] })))
    });
    let settings = MissionSettings { model: true, ..MissionSettings::default() };
    let mut mission = mission_with(json!(null), &[], settings);
    let ending = world.run(&mut mission).unwrap();
    assert_eq!(world.strategies, 2, "the third is refused");
    assert_eq!(mission.list().items[0].status, TodoStatus::Failed);
    assert_eq!(ending.verdict, FeedbackType::PartialSuccess);
}

#[test]
fn with_replanning_off_failures_fail_and_a_wish_to_replan_skips() {
    // spec: planning TA-39, CX-47
    let off = MissionSettings { replanning: false, ..MissionSettings::default() };
    let mut world = read_a_fails();
    let mut first = mission_with(one_step(), &[], off.clone());
    world.run(&mut first);
    assert_eq!((world.strategies, first.list().items[0].status), (0, TodoStatus::Failed));
    let mut world = asking_model(true);
    let mut second = mission_with(json!(null), &[], MissionSettings { model: true, ..off });
    world.run(&mut second);
    assert_eq!((world.strategies, second.list().items[0].status), (0, TodoStatus::Skipped));
}

#[test]
fn a_run_without_failures_is_the_same_with_replanning_on_and_off() {
    // spec: planning TA-37
    let notes = |replanning| {
        let settings = MissionSettings { replanning, ..MissionSettings::default() };
        let mut world = World::well();
        world.run(&mut mission_with(one_step(), &["page"], settings));
        world.notes
    };
    assert_eq!(notes(true), notes(false));
    assert_eq!(notes(true).len(), 3, "planned, called, returned: nothing more");
}

#[test]
fn errors_in_notes_are_short_and_without_secrets() {
    // spec: planning TA-34
    let secret = "password=hunter2hunter2";
    let long = format!("{secret} {}", "x".repeat(500));
    let mut world = World::new(move |_| failed(&long));
    let mut mission = mission(one_step(), &[]);
    let ending = world.run(&mut mission).unwrap();
    for note in &world.notes {
        match note {
            AgentNote::Marked { reason, .. } => assert!(reason.chars().count() <= 100, "{reason}"),
            AgentNote::Warned { text } => assert!(text.chars().count() <= 250, "{text}"),
            AgentNote::Returned { .. } => continue,
            _ => {}
        }
        assert!(!serde_json::to_string(note).unwrap().contains("hunter2"), "{note:?}");
    }
    assert!(!ending.errors.join(" ").contains("hunter2"));
    assert!(mission.history().iter().all(|message| !message.text.contains("hunter2")));
}

#[test]
fn arguments_that_cannot_fit_are_not_sent_but_planned_anew_at_once() {
    // spec: planning TA-36, beyond BY-14
    let steps = json!([{ "id": "get", "description": "Get", "tool": "read", "parameters": { "link": "a" } }]);
    let mut world = World::well().with_strategy(|item, error| {
        assert_eq!(error.error.as_ref().unwrap().kind, ToolErrorKind::InvalidArguments);
        assert!(error.error_text().contains("url"), "{}", error.error_text());
        let mut parameters = item.parameters.clone();
        let value = parameters.remove("link").unwrap();
        parameters.insert("url".to_owned(), value);
        Some(strategy("RETRY_WITH_PARAMS", 0.9, json!({ "parameters": parameters })))
    });
    let mut mission = mission(steps, &[]);
    assert_eq!(world.run(&mut mission).unwrap().verdict, FeedbackType::Success);
    assert_eq!((world.called(), world.strategies), (vec!["read"], 1));
}
