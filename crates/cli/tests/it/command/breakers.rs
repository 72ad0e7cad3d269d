//! Agents that keep failing: their circuit opens, in the next run too, until a person closes it.

use serde_json::{Value, json};

use crate::support::Candor;

/// One agent that is not there, one that is and is less fit.
const CONFIG: &str = r#"
[breakers]
reset_timeout = 600
[planning]
min_agents = 1
[[agents]]
agent_type = "broken_writer"
specialization = "Writes letters, poems and reports"
capabilities = ["write_letters", "write_poems"]
command = ["/no/such/writer"]
[[agents]]
agent_type = "clerk"
specialization = "Writes letters and poems, slowly"
capabilities = ["write_letters"]
success_rate = 0.8
builtin = "noop"
"#;

fn plan(agent: &str) -> String {
    json!({ "subtasks": [{ "task_id": "a", "description": "Write letters and poems", "agent_type": agent }] })
        .to_string()
}

fn breaker(candor: &Candor) -> Value {
    let agents = candor.run(["agents", "--json"]).ended_with(0).json();
    agents["agents"][0]["breaker"].clone()
}

#[test]
fn an_agent_that_keeps_failing_rests_and_the_router_knows() {
    // spec: orchestrator ER-01 ER-02; beyond BY-22 BY-26
    let candor = Candor::with_config(CONFIG);
    assert_eq!(breaker(&candor), Value::Null);
    candor.write("plan.json", plan("broken_writer"));
    let mut runs = 0;
    while breaker(&candor)["state"] != "OPEN" {
        runs += 1;
        assert!(runs < 5, "{}", breaker(&candor));
        candor.run(["run", "--plan", "plan.json"]);
    }
    assert_eq!(breaker(&candor)["failureThreshold"], 3);
    let agents = candor.run(["agents"]).ended_with(0).shows(&["circuit open, retry in", "cannot start"]);
    // Three failures of three attempts, whatever it declares of itself.
    let row = agents.stdout.lines().find(|line| line.starts_with("broken_writer")).unwrap();
    assert_eq!(row.split_whitespace().nth(1), Some("0%"), "{row}");
    let ranking =
        candor.run(["route", "--json", "Write letters and poems"]).ended_with(0).json()["ranking"].clone();
    assert_eq!(ranking[0]["agent_type"], "clerk");
    assert_eq!(
        (&ranking[1]["agent_type"], &ranking[1]["breaker_open"]),
        (&json!("broken_writer"), &json!(true))
    );
    // The next run, in another process, gives its task to somebody else, and says why.
    let said = candor.run(["run", "--plan", "plan.json", "--plain"]).ended_with(0);
    said.shows(&[": circuit open", "clerk", "Degradation level 1/5"]);
}
