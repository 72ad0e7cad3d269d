//! Three deliberate failures that a mission recovers from by rules, and one that it does not.

use candor_testkit::peers::Peers;
use candor_testkit::skips::or_skipped;
use serde_json::{Value, json};

use crate::support::Events;
use crate::tools::bench::{Bench, called, errors, first_attempt, notes, outputs};

/// How the one replan of a mission went: what was tried, what came of it, and what the history says.
#[track_caller]
fn replanned(events: &Events) -> (Value, Value, String) {
    let (tried, ended) = (notes(events, "replan_tried"), notes(events, "replan_ended"));
    assert_eq!((tried.len(), ended.len()), (1, 1), "{tried:?} {ended:?}");
    let said = notes(events, "said");
    assert_eq!((said.len(), &said[0]["role"]), (1, &json!("system")));
    (tried[0].clone(), ended[0].clone(), said[0]["text"].as_str().unwrap().to_owned())
}

#[test]
fn what_is_not_installed_is_installed_first() {
    // spec: planning TA-36 TA-01 TA-04 TA-06 TA-16 TA-21 TA-23 TA-24
    let bench = Bench::with_desk(
        &["desk.*"],
        r#"
TOOLS = [tool("draw", "Draws a chart of numbers", {"numbers": (TEXT, True)}, **READS),
         tool("install_package", "Installs a package", {"package": (TEXT, True)}, **ADDS)]
def run(name, arguments, meta):
    if name == "install_package":
        note("installed.txt", arguments["package"])
        return "installed"
    if not os.path.exists("installed.txt"):
        raise Wrong("ModuleNotFoundError: No module named 'plotter.charts'")
    return "a chart of " + arguments["numbers"]
"#,
        "",
    );
    let steps = json!([
        {"id": "chart", "description": "Draw the chart", "tool": "desk.draw", "parameters": {"numbers": "1 2 3"}},
        {"id": "again", "tool": "desk.draw", "parameters": {"numbers": "${steps.chart}"}, "save_as": "result"},
    ]);
    let events = bench.run_steps(&steps, 0);
    assert_eq!(bench.calls(), ["draw", "draw", "draw", "install_package", "draw", "draw"]);
    assert_eq!(bench.lines("installed.txt"), ["plotter"]);
    assert_eq!(outputs(&events)["result"], json!("a chart of a chart of 1 2 3"));
    let (tried, ended, said) = replanned(&events);
    assert_eq!((&tried["task_id"], &tried["strategy_type"]), (&json!("chart"), &json!("DECOMPOSE_TASK")));
    assert_eq!((&tried["confidence"], &tried["by"]), (&json!(0.85), &json!("rules")));
    assert_eq!((&ended["task_id"], &ended["success"]), (&json!("chart"), &json!(true)));
    assert_eq!(ended["new_task_ids"].as_array().unwrap().len(), 2, "{ended}");
    let rationale = "plotter is not installed; desk.install_package can install it";
    assert_eq!(ended["summary"], rationale);
    assert!(said.starts_with(&format!("Replanned step 1: DECOMPOSE_TASK - {rationale}\n")), "{said}");
    // The tool was tried three times before anything was re-planned, and the step had not failed by then.
    let at = |kind: &str| events.position(|event| !event["note"][kind].is_null());
    let before = Events(events.0[..at("replan_tried")].to_vec());
    assert_eq!((called(&before).len(), notes(&before, "returned").len()), (3, 3));
    assert!(notes(&before, "marked").is_empty());
}

/// A server made with the protocol's own library: one tool imports what is not there, the other one puts it there.
const REAL: &str = r#"
import importlib, os, sys
try:
    from mcp.server.mcpserver import MCPServer as Server
except ImportError:  # The library's first major version calls it otherwise.
    from mcp.server.fastmcp import FastMCP as Server
from mcp.types import ToolAnnotations

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(FOLDER, "installed"))
server = Server("charts")

@server.tool(annotations=ToolAnnotations(readOnlyHint=True))
def draw(numbers: str) -> str:
    """Draws a chart of numbers"""
    open(os.path.join(FOLDER, "calls.txt"), "a").write("draw\n")
    importlib.invalidate_caches()
    import plotter
    return plotter.chart(numbers)

@server.tool(annotations=ToolAnnotations(readOnlyHint=False, destructiveHint=False))
def install_package(package: str) -> str:
    """Installs a package"""
    os.makedirs(os.path.join(FOLDER, "installed"))
    with open(os.path.join(FOLDER, "installed", package + ".py"), "w") as file:
        file.write("def chart(numbers): return 'a real chart of ' + numbers")
    return "installed " + package

server.run()
"#;

#[test]
fn a_real_import_error_of_a_real_server_is_recovered_from() {
    // spec: planning TA-36 TA-01 TA-04
    let Some(peers) = or_skipped(Peers::find()) else { return };
    let server = format!(
        "[tools.servers.charts]\ncommand = {}\nstart_timeout = 60\n",
        json!([peers.python().display().to_string(), "HOME/charts.py".to_owned()])
    );
    let bench = Bench::new(&["charts.*"], &server);
    bench.candor.write("charts.py", REAL);
    let steps = json!([{"id": "chart", "description": "Draw the chart", "tool": "charts.draw",
        "parameters": {"numbers": "1 2 3"}}]);
    let events = bench.run_steps(&steps, 0);
    assert_eq!(bench.calls(), ["draw", "draw", "draw", "draw"]);
    assert!(outputs(&events).to_string().contains("a real chart of 1 2 3"), "{}", outputs(&events));
    let (tried, ended, _) = replanned(&events);
    assert_eq!((&tried["strategy_type"], &ended["success"]), (&json!("DECOMPOSE_TASK"), &json!(true)));
    assert!(bench.processes().is_empty(), "a server is left over");
}

#[test]
fn parameters_that_the_tool_does_not_take_are_corrected() {
    // spec: planning TA-36 TA-15 TA-21
    let bench = Bench::with_desk(
        &["desk.*"],
        r#"
TOOLS = [tool("repeat", "Repeats words", {"words": (TEXT, True), "times": (NUMBER, True)}, **READS)]
def run(name, arguments, meta):
    return " ".join([arguments["words"]] * arguments["times"])
"#,
        "",
    );
    let steps = json!([{"id": "say", "tool": "desk.repeat", "parameters": {"wrods": "hey", "times": "2"}}]);
    let events = bench.run_steps(&steps, 0);
    assert_eq!(bench.calls(), ["repeat"], "a call that cannot go well is not made");
    assert_eq!(outputs(&events)["result"], json!("hey hey"));
    let (tried, ended, said) = replanned(&events);
    assert_eq!((&tried["strategy_type"], &ended["success"]), (&json!("RETRY_WITH_PARAMS"), &json!(true)));
    assert!(said.starts_with("Replanned step 1: RETRY_WITH_PARAMS - "), "{said}");
    assert!(said.contains("`wrods` is `words`"), "{said}");
    assert!(ended.get("new_task_ids").is_none(), "{ended}");
}

#[test]
fn values_that_the_tool_does_not_know_are_brought_to_the_nearest_that_it_does() {
    // spec: planning TA-36 TA-15
    let bench = Bench::with_desk(
        &["desk.*"],
        r#"
TOOLS = [tool("paint", "Paints a wall", {"colour": ({"type": "string", "enum": ["red", "green"]}, True)}, **READS)]
TOOLS[0]["inputSchema"]["properties"]["coats"] = {"type": "integer", "maximum": 3}
def run(name, arguments, meta):
    return "painted " + arguments["colour"]
"#,
        "",
    );
    let steps = json!([{"id": "wall", "tool": "desk.paint", "parameters": {"colour": "Gren", "coats": 9}}]);
    let events = bench.run_steps(&steps, 0);
    assert_eq!(outputs(&events)["result"], json!("painted green"));
    assert_eq!(replanned(&events).0["strategy_type"], json!("RETRY_WITH_PARAMS"));
}

#[test]
fn what_only_the_tool_itself_refuses_is_tried_three_times_before_anything_is_changed() {
    // spec: planning TA-36 TA-04 TA-15
    let bench = Bench::with_desk(
        &["desk.*"],
        r#"
TOOLS = [{"name": "greet", "description": "Greets a person", "annotations": READS,
          "inputSchema": {"type": "object", "properties": {"name": TEXT}}}]
def run(name, arguments, meta):
    if "name" not in arguments:
        raise Wrong("1 validation error for greet: name: Field required")
    return "hello " + arguments["name"]
"#,
        "",
    );
    let steps = json!([{"id": "hello", "tool": "desk.greet", "parameters": {"nmae": "Ana"}}]);
    let events = bench.run_steps(&steps, 0);
    assert_eq!(bench.calls().len(), 4, "three tries, and one with the right name");
    assert_eq!(outputs(&events)["result"], json!("hello Ana"));
    let (tried, _, said) = replanned(&events);
    assert_eq!(tried["strategy_type"], json!("RETRY_WITH_PARAMS"));
    assert!(said.contains("`nmae` is `name`"), "{said}");
}

#[test]
fn a_look_is_not_given_to_a_tool_that_changes_something() {
    // spec: planning TA-35
    let bench = Bench::with_desk(
        &["desk.*"],
        r#"
DAY = {"day": (TEXT, True)}
TOOLS = [tool("show_news", "Shows the news of a day", DAY, **READS),
         tool("post_news", "Shows the news of a day", DAY, **ADDS)]
def run(name, arguments, meta):
    if name == "show_news":
        raise Wrong("the press is on strike")
    return "posted"
"#,
        "",
    );
    bench.plan(&json!([{"id": "news", "tool": "desk.show_news", "parameters": {"day": "today"}}]));
    let events = bench.run(1);
    assert!(!bench.calls().contains(&"post_news".to_owned()), "{:?}", bench.calls());
    assert!(errors(&events).contains("the press is on strike"));
}

#[test]
fn a_tool_that_is_gone_gives_way_to_the_one_most_like_it() {
    // spec: planning TA-36 TA-17 TA-21 TA-35
    let bench = Bench::with_desk(
        &["desk.search_web", "desk.search_pages", "desk.count_words"],
        r#"
TOOLS = [tool("count_words", "Counts the words of a text", {"text": (TEXT, True)}, **READS),
         tool("search_all_pages", "Searches all pages for a query", {"query": (TEXT, True)}, **READS),
         tool("search_pages", "Searches pages of the web for a query", {"query": (TEXT, True)}, **READS)]
def run(name, arguments, meta):
    if name == "count_words":
        return {"counted": arguments["text"]}
    return name + " found " + arguments["query"]
"#,
        "",
    );
    let steps = json!([
        {"id": "find", "description": "Search the web for pages", "tool": "desk.search_web",
         "parameters": {"query": "bees"}},
        {"id": "count", "tool": "desk.count_words", "parameters": {"text": "${steps.find}"}, "save_as": "result"},
    ]);
    let events = bench.run_steps(&steps, 0);
    assert_eq!(bench.calls(), ["search_pages", "count_words"], "only tools that the agent may use");
    assert_eq!(outputs(&events)["result"], json!({"counted": "search_pages found bees"}));
    let (tried, ended, said) = replanned(&events);
    assert_eq!((&tried["strategy_type"], &ended["success"]), (&json!("SWAP_TOOL"), &json!(true)));
    assert!(tried["confidence"].as_f64().unwrap() >= 0.6, "{tried}");
    assert!(said.starts_with("Replanned step 1: SWAP_TOOL - desk.search_web is not available"), "{said}");
}

/// Two tools that always fail in the same way, which are alike, and one that works.
const HOPELESS: &str = r#"
TOOLS = [tool("fetch_news", "Fetches the news of a day", {"day": (TEXT, True)}, **READS),
         tool("fetch_daily_news", "Fetches the news of a day", {"day": (TEXT, True)}, **READS),
         tool("fetch_old_news", "Fetches the news of a day", {"day": (TEXT, True)}, **READS),
         tool("greet", "Says hello", {}, **READS)]
def run(name, arguments, meta):
    if name == "greet":
        return "hello"
    raise Wrong("the press is on strike")
"#;

#[test]
fn the_third_replan_is_refused_and_the_other_steps_still_run() {
    // spec: planning TA-07 TA-08 TA-23 TA-24 TA-25 QT-02 TA-40 beyond BY-08
    let bench = Bench::with_desk(&["desk.*"], HOPELESS, "");
    let steps = json!([
        {"id": "news", "tool": "desk.fetch_news", "parameters": {"day": "today"}, "save_as": "news"},
        {"id": "print", "tool": "desk.greet", "depends_on": ["news"], "save_as": "printed"},
        {"id": "hello", "tool": "desk.greet", "save_as": "result"},
    ]);
    bench.plan_of(&[json!({"task_id": "a", "description": "Do the work", "agent_type": "keeper",
        "inputs": { "steps": steps }, "expected_outputs": ["result", "news"]})]);
    let said = bench.candor.run(["run", "--plan", "plan.json", "--run-id", "run_1", "--json"]);
    let events = Events(said.lines());
    let first = first_attempt(&events);
    assert_eq!(notes(&first, "replan_tried").len(), 2);
    let fetched = called(&first).into_iter().filter(|tool| tool.starts_with("desk.fetch")).count();
    assert_eq!(fetched, 9, "three tries of the tool, and of each that took its place");
    assert_eq!(called(&first).last(), Some(&"desk.greet"), "an independent step runs all the same");
    let warned: Vec<&str> =
        notes(&first, "warned").iter().map(|note| note["text"].as_str().unwrap()).collect();
    assert!(
        warned.iter().any(|text| text.contains("was re-planned 2 times, which is the limit")),
        "{warned:?}"
    );
    let marks = notes(&first, "marked");
    let marked = |item: &str, status: &str| {
        marks.iter().any(|mark| mark["item"].as_str().unwrap().starts_with(item) && mark["status"] == status)
    };
    assert!(marked("news", "FAILED") && marked("print", "SKIPPED"), "{marks:?}");
    // What there is counts, and what is missing is told.
    let done = events.only("task_succeeded");
    assert_eq!(done["feedback"]["feedback_type"], json!("PARTIAL_SUCCESS"));
    // spec: findings HE-03
    let report = events.report();
    assert_eq!(report["verdict"], "unverified", "{}", report["assessment"]);
    assert!(report["outcome"].as_str().unwrap().contains("succeeded in part"), "{}", report["outcome"]);
    assert_eq!(done["feedback"]["actual_outputs"], json!({"result": "hello"}));
    let told = done["feedback"]["errors"].to_string();
    for word in ["the press is on strike", "it waits for step 1", "not there: news"] {
        assert!(told.contains(word), "no `{word}` in {told}");
    }
    assert_eq!(said.code, 0, "{}", said.stderr);
    let report = bench.candor.run(["report", "run_1"]).ended_with(0).stdout;
    assert!(report.contains("done in part"), "{report}");
    // Every try counts, and what came of it.
    let metrics = bench.candor.run(["metrics", "--json"]).ended_with(0).json();
    let tools = &metrics["tools"];
    assert!(
        tools["toolCalls"].as_u64().unwrap() > 3 && tools["failedCalls"].as_u64().unwrap() >= 3,
        "{tools}"
    );
    assert!(tools["replans"].as_object().is_some_and(|tried| !tried.is_empty()), "{tools}");
    let rate = tools["replanSuccessRate"].as_f64().unwrap();
    assert!((0.0..=1.0).contains(&rate), "{tools}");
    let names: Vec<&str> = metrics["targets"]
        .as_array()
        .unwrap()
        .iter()
        .map(|target| target["name"].as_str().unwrap())
        .collect();
    assert!(names.contains(&"agent_assignment_accuracy") && names.contains(&"replanning_p95_seconds"));
}
