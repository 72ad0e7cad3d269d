//! Documentation that the one who writes code asks for: from the libraries themselves, and from an MCP server.

use serde_json::json;

use crate::code::bench::{Bench, Script};

const MEDIAN: &str = "import statistics\ncontext['middle'] = statistics.median(context['numbers'])\n";

/// A model that looks something up before it writes.
fn bench(more: &str) -> Bench {
    let script = Script { looks_up: Some(("statistics", "median of numbers")), ..Script::writing(&[MEDIAN]) };
    let bench = Bench::new(script, more);
    bench.candor.write("docs_server.py", include_str!("programs/docs_server.py"));
    bench
}

// spec: code-agent CG-09, CG-10, CG-11, CG-13
#[test]
fn the_installed_library_s_own_words_are_found_without_any_server() {
    let bench = bench("");
    let context = json!({ "numbers": [3, 1, 2] });
    let result = bench.code("What is the middle?", &context, &[]).ended_with(0).json();
    assert_eq!(result["middle"], json!(2));
    let asked = bench.asked("write_code");
    assert_eq!(asked.len(), 2);
    assert!(!asked[0].says("# statistics - median of numbers"));
    assert!(asked[1].says("# statistics - median of numbers"), "with a heading");
    assert!(asked[1].says("Return the median (middle value) of numeric data"), "in the library's own words");
    let calls = &result["_ai_metadata"]["code_generation"]["tool_calls"];
    assert_eq!(calls[0]["arguments"], json!({ "library": "statistics", "query": "median of numbers" }));
}

// spec: code-agent CG-12
#[test]
fn a_documentation_server_is_asked_first_and_its_failure_is_no_failure() {
    let server = "[tools.servers.docs]\ncommand = [\"python3\", \"docs_server.py\"]\n";
    let bench_with = |command: &str| bench(&format!("[code]\ndocs_server = \"docs\"\n{command}"));
    let context = json!({ "numbers": [3, 1, 2] });
    let served = bench_with(server);
    served.code("What is the middle?", &context, &[]).ended_with(0);
    assert!(served.asked("write_code")[1].says("From the server: how statistics does median of numbers"));
    let broken = bench_with(&server.replace("docs_server.py", "not_there.py"));
    broken.code("What is the middle?", &context, &[]).ended_with(0);
    assert!(broken.asked("write_code")[1].says("Return the median"), "the library itself stands in");
}

#[test]
fn a_server_that_is_not_declared_is_refused() {
    let bench = bench("[code]\ndocs_server = \"docs\"\n");
    bench.run(&["code", "run", "--task", "x"]).ended_with(2).tells(&["docs_server", "[tools.servers.docs]"]);
}
