//! The same request again, in another process: it is known, fewer agents work at once, and the figures tell of both runs.

use serde_json::Value;

use crate::support::{Candor, Events};

const REQUEST: &str = "Count the birds in notes.txt and list the boats in notes.txt.";

fn folder() -> Candor {
    let candor = Candor::with_config(
        "[planning]\nmin_agents = 1\n[[agents]]\nagent_type = \"counter\"\n\
         specialization = \"Counts birds and lists boats\"\ncapabilities = [\"count\"]\nbuiltin = \"noop\"\n",
    );
    candor.write("notes.txt", "Two herons, one barge.");
    candor
}

fn hit(events: &Events, phase: &str) -> Value {
    let completed = events.all("phase_completed").into_iter().find(|event| event["phase"] == phase);
    completed.unwrap()["handoff"]["data"]["cached"]["hit"].clone()
}

#[test]
fn the_same_words_with_the_same_files_are_known_in_another_process() {
    // spec: orchestrator PC-06 EE-02 SX-08
    let candor = folder();
    let run = || {
        let (said, events) = candor.events(&["run", REQUEST, "--yes"]);
        said.ended_with(0);
        events
    };
    let first = run();
    assert_eq!((hit(&first, "pre_analysis"), hit(&first, "context")), (false.into(), false.into()));
    let second = run();
    assert_eq!((hit(&second, "pre_analysis"), hit(&second, "context")), (true.into(), true.into()));
    let at_once =
        |events: &Events| events.only("plan_proposed")["plan"]["metadata"]["agents_at_once"].clone();
    assert_eq!((at_once(&first), at_once(&second)), (Value::Null, 1.into()));
    let id = second.only("run_started")["run_id"].as_str().unwrap().to_owned();
    let explained = candor.run(["explain", &id]).ended_with(0);
    assert!(explained.stdout.contains("a cache hit with a confidence of 90"), "{}", explained.stdout);
    candor.write("notes.txt", "Three herons.");
    assert_eq!(hit(&run(), "context"), Value::from(false), "the file was changed");
}

#[test]
fn one_command_prints_the_figures_of_simple_standard_and_complex_requests() {
    // spec: orchestrator SX-09
    let candor = folder();
    let complex = "Migrate the production database to PostgreSQL, refactor the authentication module in src/auth.rs, \
        update the API in src/api.rs and src/routes.rs, write integration tests, then deploy to staging and document \
        the security architecture, the rollback and the monitoring for every service.";
    for request in ["Count the birds", REQUEST, complex] {
        candor.run(["run", request, "--yes", "--allow", "deploy"]);
    }
    let figures = candor.run(["metrics", "--json"]).json();
    let runs: u64 =
        figures["classes"].as_object().unwrap().values().map(|it| it["runs"].as_u64().unwrap()).sum();
    assert_eq!(runs, 3, "{figures}");
    assert!(figures["classes"]["simple"]["runs"].as_u64() >= Some(1), "{figures}");
    assert!(figures["classes"].as_object().unwrap().len() >= 2, "{figures}");
    let table = candor.run(["metrics"]).ended_with(0).stdout;
    let row = table.lines().find(|line| line.starts_with("simple")).unwrap();
    assert!(table.contains("not met") && row.split_whitespace().count() == 10, "{row}");
}
