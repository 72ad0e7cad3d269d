//! Strategies by rules: the three deliberate failures, and what rules leave alone.

use std::sync::Arc;

use crate::common::{World, map, mission, tool};
use candor_model::{FeedbackType, StepStrategy, TodoItem, ToolErrorKind, ToolHints, ToolResult, ToolSpec};
use candor_react::{MIN_CONFIDENCE, rules};
use serde_json::{Value, json};

fn item(tool: &str, parameters: Value) -> TodoItem {
    TodoItem { tool: Some(tool.to_owned()), parameters: map(parameters), ..TodoItem::new("s", 1, "Do it") }
}

fn find(item: &TodoItem, kind: ToolErrorKind, text: &str, tools: &[Arc<ToolSpec>]) -> Option<StepStrategy> {
    rules::strategy(item, &ToolResult::failed(kind, text), tools)
}

#[test]
fn a_missing_module_is_installed_first() {
    // spec: planning TA-36
    let tools = crate::common::tools();
    for text in [
        "ModuleNotFoundError: No module named 'pandas'",
        "Traceback …\nImportError: No module named pandas.io",
        "Error: Cannot find module 'pandas/x'",
    ] {
        let found =
            find(&item("read", json!({ "url": "a" })), ToolErrorKind::MissingDependency, text, &tools);
        let found = found.unwrap();
        assert_eq!(found.strategy_type, "DECOMPOSE_TASK");
        let subtasks = &found.modifications["subtasks"];
        assert_eq!(subtasks[0]["parameters"], json!({ "package": "pandas" }), "{text}");
        assert_eq!(
            (&subtasks[1]["tool"], &subtasks[1]["parameters"]),
            (&json!("read"), &json!({ "url": "a" }))
        );
        assert!(found.confidence >= MIN_CONFIDENCE);
    }
}

#[test]
fn without_an_installer_a_missing_module_leads_to_another_tool() {
    // spec: planning TA-36
    let tools: Vec<_> =
        crate::common::tools().into_iter().filter(|tool| tool.name != "install_package").collect();
    let text = "No module named 'pandas'";
    let found =
        find(&item("read", json!({ "url": "a" })), ToolErrorKind::MissingDependency, text, &tools).unwrap();
    assert_eq!((found.strategy_type.as_str(), &found.modifications["tool"]), ("SWAP_TOOL", &json!("look")));
}

#[test]
fn parameters_are_bent_towards_the_schema() {
    // spec: planning TA-36
    let schema = json!({
        "type": "object", "additionalProperties": false, "required": ["timezone", "count", "format"],
        "properties": {
            "timezone": { "type": "string" },
            "count": { "type": "integer", "minimum": 1, "maximum": 10 },
            "format": { "type": "string", "default": "iso" },
            "unit": { "type": "string", "enum": ["celsius", "fahrenheit"] },
        },
    });
    let tools = vec![tool("weather", "Weather", schema, ToolHints::READS)];
    let given = json!({ "time_zone": "UTC", "cuont": "4", "unit": "Celcius", "mood": "good" });
    let found = find(&item("weather", given), ToolErrorKind::InvalidArguments, "bad", &tools).unwrap();
    assert_eq!(found.strategy_type, "RETRY_WITH_PARAMS");
    let expected = json!({ "timezone": "UTC", "count": 4, "unit": "celsius", "format": "iso" });
    assert_eq!(found.modifications["parameters"], expected, "{}", found.rationale);
    assert!(
        found.confidence >= MIN_CONFIDENCE && found.rationale.contains("`cuont` is `count`"),
        "{found:?}"
    );
    let large = json!({ "timezone": "${inputs.zone}", "count": 70, "format": "x" });
    let found = find(&item("weather", large), ToolErrorKind::Failed, "that went wrong", &tools).unwrap();
    assert_eq!(found.modifications["parameters"]["count"], 10);
    assert_eq!(found.modifications["parameters"]["timezone"], "${inputs.zone}");
    // What is not known is not made up.
    let poor = item("weather", json!({ "count": 1 }));
    assert_eq!(find(&poor, ToolErrorKind::InvalidArguments, "timezone is missing", &tools), None);
}

#[test]
fn a_tool_that_is_gone_gives_way_to_the_one_most_like_it() {
    // spec: planning TA-36
    let query = |name: &str| json!({ "type": "object", "properties": { name: { "type": "string" } }, "required": [name] });
    let tools = vec![
        tool("send_mail", "Sends a message by mail", query("to"), ToolHints::READS),
        tool("web.find", "Searches the web for pages", query("q"), ToolHints::READS),
        tool("search_files", "Searches files in a folder", query("query"), ToolHints::READS),
    ];
    let mut gone = item("search_web", json!({ "query": "rust" }));
    gone.description = "Search the web for pages about Rust".to_owned();
    let found = find(&gone, ToolErrorKind::Unavailable, "no such tool", &tools).unwrap();
    assert_eq!(found.modifications["tool"], "web.find");
    assert_eq!(found.modifications["parameters"], json!({ "q": "rust" }));
    assert!(found.confidence >= MIN_CONFIDENCE, "{found:?}");
    let unlike = item("paint", json!({ "colour": "red" }));
    assert_eq!(find(&unlike, ToolErrorKind::Unavailable, "gone", &tools), None);
}

#[test]
fn a_denial_is_not_got_around_and_looking_does_not_become_destroying() {
    // spec: planning TA-35
    let tools = crate::common::tools();
    let step = item("read", json!({ "url": "a" }));
    assert_eq!(find(&step, ToolErrorKind::Denied, "not allowed", &tools), None);
    let schema = json!({ "type": "object", "properties": { "url": { "type": "string" } } });
    let risky =
        vec![Arc::clone(&tools[0]), tool("reader", "Reads a page of the web", schema, ToolHints::default())];
    assert_eq!(find(&step, ToolErrorKind::Unavailable, "gone", &risky), None);
}

#[test]
fn rules_alone_bring_a_mission_through_the_three_failures() {
    // spec: planning TA-01 TA-36 TA-42
    let steps = json!([
        { "id": "gone", "description": "Read a page of the web", "tool": "fetch_page", "parameters": { "url": "a" } },
        { "id": "bad", "description": "Read", "tool": "read", "parameters": { "ulr": "b" } },
        { "id": "lacks", "description": "Read", "tool": "read", "parameters": { "url": "c" } },
    ]);
    let mut installed = false;
    let mut world = World::new(move |call| {
        installed |= call.tool == "install_package";
        if call.arguments.get("url") == Some(&json!("c")) && !installed {
            return ToolResult::failed(ToolErrorKind::MissingDependency, "No module named 'lxml'");
        }
        ToolResult::done("fine", None)
    });
    let tools = world.tools.clone();
    world = world.with_strategy(move |item, error| rules::strategy(item, error, &tools));
    let ending = world.run(&mut mission(steps, &[])).unwrap();
    assert_eq!(ending.verdict, FeedbackType::Success, "{:?} {:?}", ending.errors, world.warnings());
    assert_eq!(world.called()[1..], ["read", "read", "read", "read", "install_package", "read"]);
}

#[test]
fn rules_take_any_input() {
    let schema = json!({ "type": "object", "properties": { "path": { "type": "string" } } });
    let tools: Vec<_> = (0..200)
        .map(|n| {
            tool(
                &format!("tool_{n}"),
                "Searches and reads files of a folder",
                schema.clone(),
                ToolHints::READS,
            )
        })
        .collect();
    for text in ["", "No module named ", "No module named '../../x'", "\u{0}", "Cannot find module '@'"] {
        for kind in ToolErrorKind::ALL {
            let found = find(&item("tool_x", json!({ "path": 1 })), *kind, text, &tools);
            assert!(found.is_none_or(|found| (0.0..=1.0).contains(&found.confidence)), "{text}");
        }
    }
}
