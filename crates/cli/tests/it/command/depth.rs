//! What could not be read back from the log is not accepted.

use serde_json::json;

use crate::support::Candor;

/// An agent whose answer is nested as deep as its task says.
const DEEP: &str = r#"
import json, sys
order = json.load(sys.stdin)
depth = order["inputs"]["depth"]
print('{"outputs": {"fine": 1, "thing": ' + "[" * depth + "]" * depth + "}}")
"#;

fn candor() -> Candor {
    let candor = Candor::with_config(
        "[limits]\nunattended = true\n[limits.retry]\nmax_retries = 0\n[[agents]]\nagent_type = \"deep\"\n\
         specialization = \"Reads\"\ncapabilities = [\"read\"]\ncommand = [\"python3\", \"deep.py\"]\n",
    );
    candor.write("deep.py", DEEP);
    candor
}

fn plan(candor: &Candor, inputs: &serde_json::Value) {
    let task = json!({"task_id": "t", "description": "Read it", "agent_type": "deep", "inputs": inputs,
        "expected_outputs": ["thing"]});
    candor.write("plan.json", json!({"confidence_score": 0.95, "subtasks": [task]}).to_string());
}

#[test]
fn an_answer_that_is_nested_too_deep_is_a_failure_that_names_the_field() {
    // spec: findings DU-01
    let candor = candor();
    for depth in [100, 117, 123, 125] {
        plan(&candor, &json!({ "depth": depth }));
        let run = format!("run_{depth}");
        let (said, events) = candor.events(&["run", "--plan", "plan.json", "--run-id", &run]);
        said.ended_with(1);
        let failed = events.all("task_failed");
        let feedback = &failed[0]["feedback"];
        assert_eq!(feedback["failure"]["kind"], "bad_output", "{depth}: {feedback}");
        // Deeper than a parser reads at all, it is no JSON to begin with.
        let message = feedback["failure"]["message"].as_str().unwrap();
        assert!(message.contains("outputs.thing") || message.contains("recursion"), "{depth}: {message}");
        for view in ["status", "report", "postmortem"] {
            candor.run([view, &run]).ended_with(0);
        }
    }
    plan(&candor, &json!({ "depth": 40 }));
    candor.run(["run", "--plan", "plan.json", "--run-id", "run_fine"]).ended_with(0);
}

#[test]
fn a_plan_whose_inputs_are_nested_too_deep_is_refused() {
    // spec: findings DU-01
    let candor = candor();
    let deep = (0..90).fold(json!(1), |inner, _| json!([inner]));
    plan(&candor, &json!({ "rows": deep }));
    candor.run(["run", "--plan", "plan.json"]).refused(&["task t: inputs.rows", "64 levels"]);
    assert!(!candor.has_data());
}
