//! Whether a run has reached its goal: checked, not claimed, and told alike wherever a run is told of.

use serde_json::{Value, json};

use super::mcp::Mcp;
use crate::support::{Candor, Said};

/// Three agents that are the program `agent.py`: its body says what they do and answer.
fn with_agent(body: &str) -> Candor {
    let agent = |name: &str, does: &str| {
        format!(
            "[[agents]]\nagent_type = \"{name}\"\nspecialization = \"{does}\"\ncapabilities = [\"{name}\"]\n\
             command = [\"python3\", \"agent.py\"]\n"
        )
    };
    let agents = [
        agent("gardener", "Writes and plans garden chores, lists and notes"),
        agent("clerk", "Sends letters, lowers bills and keeps accounts"),
        agent("reader", "Reads logs and data and summarises them"),
    ];
    let candor = Candor::with_config(&agents.concat());
    candor.write("agent.py", format!("import json, sys\norder = json.load(sys.stdin)\n{body}\n"));
    candor
}

fn say(outputs: &Value) -> String {
    format!("print(json.dumps({{'outputs': json.loads({:?})}}))", outputs.to_string())
}

/// Runs a plan of one task with this criterion.
fn with_criterion(candor: &Candor, criterion: &str) -> i32 {
    let task = json!({ "task_id": "t", "description": "Water the beds", "agent_type": "gardener",
        "metadata": { "validation": criterion } });
    candor.write("plan.json", json!({ "subtasks": [task] }).to_string());
    candor.run(["run", "--plan", "plan.json", "--run-id", "run_1", "--unattended"]).code
}

/// The verdict as every account of the run gives it, which must be one and the same.
#[track_caller]
fn verdict(candor: &Candor) -> String {
    let status = candor.run(["status", "run_1", "--json"]).json();
    let report = candor.run(["report", "run_1", "--json"]).json();
    let list = candor.run(["list", "--json"]).json();
    let mortem = candor.run(["postmortem", "run_1", "--json"]).json();
    let mut mcp = Mcp::start(candor);
    let served = mcp.call("status", json!({ "run_id": "run_1" }));
    let runs = mcp.call("status", json!({}));
    let told = [
        &status["verdict"],
        &status["assessment"]["verdict"],
        &report["verdict"],
        &list[0]["verdict"],
        &mortem["verdict"],
        &served["verdict"],
        &runs["runs"][0]["verdict"],
    ];
    assert!(told.iter().all(|it| *it == told[0]), "{told:?}");
    let sentence = status["assessment"]["sentence"].as_str().unwrap();
    for text in [&report["outcome"], &served["outcome"], &mortem["outcome"]] {
        assert!(text.as_str().unwrap().starts_with(sentence), "{text} does not say {sentence}");
    }
    assert_eq!(report["summary"]["success"] == true, told[0] != "not_met", "{}", report["summary"]);
    told[0].as_str().unwrap_or("none").to_owned()
}

fn criteria(candor: &Candor) -> Vec<Value> {
    let status = candor.run(["status", "run_1", "--json"]).json();
    status["assessment"]["criteria"].as_array().unwrap().clone()
}

#[test]
fn an_agent_that_lies_about_a_file_ends_the_run_not_met() {
    // spec: findings HE-01 HE-02
    let candor = with_agent(&say(&json!({ "summary": "I have written the plan to beds/plan.md." })));
    let said =
        candor.run(["run", "Plan the garden chores of this week", "--run-id", "run_1", "--unattended"]);
    said.ended_with(1)
        .shows(&["Goal not met: the agent says it wrote beds/plan.md; the file does not exist"]);
    assert_eq!(verdict(&candor), "not_met");
    let status = candor.run(["status", "run_1", "--json"]).json();
    let assessment = &status["assessment"];
    assert_eq!((&assessment["claims"], &assessment["unsupported_claims"]), (&json!(1), &json!(1)));
    let report = candor.run(["report", "run_1", "--json"]).json();
    let lessons = &report["lessons_learned"];
    assert!(lessons["what_failed"].to_string().contains("the file does not exist"), "{lessons}");
    assert!(!lessons["recommendations"].to_string().contains("Use this plan again for"), "{lessons}");
    candor.run(["report", "run_1"]).shows(&["✗", "the file does not exist"]);
    candor.run(["status", "run_1"]).shows(&["Verdict", "Goal not met"]);
}

#[test]
fn an_agent_that_wrote_its_file_supports_its_claim() {
    let body = "open('plan.md', 'w').write('dig')\n".to_owned()
        + &say(&json!({ "files_written": ["plan.md"], "text": "I did not write other.md." }));
    let candor = with_agent(&body);
    assert_eq!(with_criterion(&candor, "file exists: plan.md"), 0);
    assert_eq!(verdict(&candor), "verified");
    let status = candor.run(["status", "run_1", "--json"]).json();
    let assessment = &status["assessment"];
    assert_eq!((&assessment["claims"], &assessment["unsupported_claims"]), (&json!(1), &json!(0)));
}

#[test]
fn commands_and_addresses_that_nothing_shows_leave_the_goal_unverified() {
    // spec: findings HE-02
    let cases = [
        ("I ran `mvn verify` and it passed.", "the agent says it ran `mvn verify`; no receipt shows it"),
        ("Published at https://beds.example/plan.", "the agent says it used https://beds.example/plan; "),
    ];
    for (answer, finding) in cases {
        let body = "open('plan.md', 'w').write('dig')\n".to_owned() + &say(&json!({ "text": answer }));
        let candor = with_agent(&body);
        assert_eq!(with_criterion(&candor, "file exists: plan.md"), 0);
        assert_eq!(verdict(&candor), "unverified", "{answer}");
        candor.run(["status", "run_1"]).shows(&[finding]);
    }
    let body = "open('plan.md', 'w').write('dig')\n".to_owned()
        + &say(&json!({ "text": "I ran `test -s plan.md`. I fetched https://beds.example/soil." }));
    let candor = with_agent(&body);
    let task = json!({ "task_id": "t", "description": "Water the beds", "agent_type": "gardener",
        "inputs": { "soil": "see https://beds.example/soil" },
        "metadata": { "validation": "command: test -s plan.md" } });
    candor.write("plan.json", json!({ "subtasks": [task] }).to_string());
    candor.run(["run", "--plan", "plan.json", "--run-id", "run_1", "--unattended"]).ended_with(0);
    assert_eq!(verdict(&candor), "verified");
}

#[test]
fn more_than_was_given_cannot_have_been_worked_on() {
    // spec: findings HE-02
    let candor = with_agent(&say(&json!({ "text": "Classified 9 seeds." })));
    let task = json!({ "task_id": "t", "description": "Classify the seeds", "agent_type": "reader",
        "inputs": { "seeds": ["bean", "pea"] } });
    candor.write("plan.json", json!({ "subtasks": [task] }).to_string());
    candor.run(["run", "--plan", "plan.json", "--run-id", "run_1", "--unattended"]).ended_with(1);
    assert_eq!(verdict(&candor), "not_met");
    candor.run(["status", "run_1"]).shows(&["says it worked on 9 seeds; it was given 2"]);
}

#[test]
fn a_goal_of_which_nothing_can_be_checked_is_not_called_reached() {
    // spec: findings HE-01
    let candor = with_agent(&say(&json!({ "done": true })));
    let goal = "Reduce our water bill by 20 %";
    let said = candor.run(["run", goal, "--run-id", "run_1", "--unattended"]).ended_with(0);
    let said = said.shows(&["All tasks finished; the goal is not verified: ", "educe our water bill"]);
    assert!(!said.stdout.contains("Goal reached"), "{}", said.stdout);
    assert_eq!(verdict(&candor), "unverified");
    candor.run(["list"]).shows(&["completed, not verified"]);
    candor.run(["report", "run_1"]).shows(&["the goal is not verified"]);
    let strict = candor.run(["run", goal, "--run-id", "run_2", "--unattended", "--strict"]);
    strict.ended_with(1);
}

#[test]
fn the_goals_own_words_are_executed() {
    // spec: findings HE-01
    let long = "'word ' * 60 + '\\n- a\\n- b\\n- c'";
    let goal = "Write at least 3 chores to chores.md, under 50 words";
    let short =
        with_agent(&format!("open('chores.md', 'w').write('- a\\n- b\\n- c\\n')\n{}", say(&json!({}))));
    let said = short.run(["run", goal, "--run-id", "run_1", "--unattended"]);
    said.ended_with(0).shows(&["Goal reached: 3 of 3 criteria hold"]);
    assert_eq!(verdict(&short), "verified");
    let found = criteria(&short);
    assert!(found.iter().all(|it| it["source"] == "goal" && it["result"] == "holds"), "{found:?}");
    assert!(
        found.iter().all(|it| it["evidence"]["file"] == "chores.md" && it["event"].is_u64()),
        "{found:?}"
    );
    assert!(found[0]["words"].as_str().unwrap().contains("chores.md"), "{found:?}");
    let wordy = with_agent(&format!("open('chores.md', 'w').write({long})\n{}", say(&json!({}))));
    let said = wordy.run(["run", goal, "--run-id", "run_1", "--unattended"]);
    said.ended_with(1).shows(&["Goal not met: file chores.md words < 50 (6"]);
    assert_eq!(verdict(&wordy), "not_met");
    short.run(["plan", goal]).shows(&["reached when: file exists: chores.md", "words < 50"]);
}

#[test]
fn a_file_that_was_there_before_proves_nothing() {
    let candor = with_agent(&say(&json!({ "done": true })));
    candor.write("chores.md", "- old\n");
    let said = candor.run(["run", "Write the chores to chores.md", "--run-id", "run_1", "--unattended"]);
    said.ended_with(0).shows(&["not verified", "was there before"]);
    assert_eq!(verdict(&candor), "unverified");
}

#[test]
fn a_goal_that_a_person_wrote_has_its_criteria_executed() {
    for (criterion, expected) in [
        ("output beds >= 3", "verified"),
        ("output beds >= 4", "not_met"),
        ("output carrots >= 4", "not_met"),
        ("The beds look tidy", "unverified"),
    ] {
        let candor = with_agent(&say(&json!({ "beds": 3 })));
        let goal = json!({ "goal_id": "goal_1", "goal_type": "generic", "description": "Plan the garden chores",
            "success_criteria": [criterion] });
        candor.write("goal.json", goal.to_string());
        candor.run(["run", "--goal", "goal.json", "--run-id", "run_1", "--unattended", "--yes"]);
        assert_eq!(verdict(&candor), expected, "{criterion}");
    }
}

#[test]
fn a_tasks_criterion_is_executed_whatever_it_looks_at() {
    // spec: findings HE-09
    let body = "open('out.json', 'w').write('[1, 2]')\n".to_owned()
        + &say(
            &json!({ "beds": ["a", "b"], "note": "Hoy regamos las camas del jardín y el huerto con agua." }),
        );
    let schema = r#"outputs schema: {"type": "object", "required": ["beds"]}"#;
    let other = r#"output beds schema: {"type": "array", "items": {"type": "number"}}"#;
    for (criterion, expected) in [
        ("count beds >= 2", "verified"),
        ("count beds >= 3", "not_met"),
        ("file exists: out.json; file out.json is json; file out.json entries == 2", "verified"),
        ("file out.json is csv", "not_met"),
        ("output note in spanish", "verified"),
        ("output note in english", "not_met"),
        ("command: test -s out.json", "verified"),
        ("command: test -s nothing.json", "not_met"),
        (schema, "verified"),
        (other, "not_met"),
        ("judge: It reads well", "unverified"),
        ("outputs present: beds", "verified"),
        ("outputs present: harvest", "not_met"),
    ] {
        let candor = with_agent(&body);
        let code = with_criterion(&candor, criterion);
        assert_eq!(verdict(&candor), expected, "{criterion}");
        assert_eq!(code, i32::from(expected == "not_met"), "{criterion}");
    }
}

#[test]
fn a_criterion_that_is_not_understood_is_an_error_with_the_form_that_was_meant() {
    // spec: findings HE-05
    let candor = with_agent(&say(&json!({})));
    let task = json!({ "task_id": "t", "description": "Water", "agent_type": "gardener",
        "metadata": { "validation": "outptus present: zz; It reads well" } });
    candor.write("plan.json", json!({ "subtasks": [task] }).to_string());
    let said = candor.run(["plan", "check", "plan.json"]).ended_with(1);
    said.shows(&[
        "task t: criterion `outptus present: zz` is not understood; did you mean `outputs present: NAME, NAME`?",
        "`judge: It reads well`",
        "the plan is not valid",
    ]);
    candor.run(["run", "--plan", "plan.json"]).refused(&["task t", "outputs present: NAME, NAME"]);
}

#[test]
fn what_was_left_out_shows_in_every_account() {
    // spec: findings HE-04
    let candor = with_agent("sys.exit('no water')");
    let agents = std::fs::read_to_string(candor.path("candor.toml")).unwrap();
    candor.write("candor.toml", format!("[limits]\nunattended = false\n{agents}"));
    let task = |id: &str| json!({ "task_id": id, "description": "Water the beds", "agent_type": "gardener" });
    candor.write("plan.json", json!({ "subtasks": [task("a")] }).to_string());
    let waiting = candor.run(["run", "--plan", "plan.json", "--run-id", "run_1"]).ended_with(3);
    let skip = waiting.printed_command("candor answer run_1 skip");
    Said::of(candor.command(&skip).output().unwrap())
        .ended_with(0)
        .shows(&["1 task left out", "not verified"]);
    let report = candor.run(["report", "run_1", "--json"]).json();
    assert_eq!(report["summary"]["status"], "PARTIAL", "{}", report["summary"]);
    assert_eq!(report["result"]["status"], "PARTIAL");
    assert!(report["outcome"].as_str().unwrap().contains("1 task left out"), "{}", report["outcome"]);
    let status = candor.run(["status", "run_1", "--json"]).json();
    assert_eq!((&status["status"], &status["verdict"]), (&json!("completed"), &json!("unverified")));
}

#[test]
fn errors_beside_a_success_are_warnings_everywhere() {
    // spec: findings HE-07
    let answer = json!({ "outputs": { "n": 1 }, "feedback_type": "SUCCESS", "errors": ["the hose leaks"] });
    let candor = with_agent(&format!("print({:?})", answer.to_string()));
    assert_eq!(with_criterion(&candor, "output n == 1"), 0);
    for command in ["status", "report", "explain", "postmortem"] {
        candor.run([command, "run_1"]).shows(&["the hose leaks"]);
        let told = candor.run([command, "run_1", "--json"]).json();
        assert_eq!(told["warnings"][0]["warning"], "the hose leaks", "{command}");
    }
}

#[test]
fn a_task_that_is_done_again_has_its_dependants_done_again() {
    // spec: findings HE-08
    let body = "import os\n\
        n = len(os.listdir('tries')) if os.path.isdir('tries') else 0\n\
        os.makedirs('tries', exist_ok=True)\n\
        if 'count' in order['description']:\n    \
            open(f'tries/{n}', 'w').write('x')\n    \
            print(json.dumps({'outputs': {'beds': list(range(n + 1))}}))\n\
        else:\n    \
            print(json.dumps({'outputs': {'seen': len(json.dumps(order).split('beds')), 'order': order['upstream']}}))";
    let candor = with_agent(body);
    let tasks = json!([
        { "task_id": "a", "description": "count the beds", "agent_type": "gardener",
          "metadata": { "validation": "count beds >= 2" } },
        { "task_id": "b", "description": "Draw the beds", "agent_type": "gardener", "dependencies": ["a"] },
    ]);
    candor.write("plan.json", json!({ "subtasks": tasks }).to_string());
    let (said, events) = candor.events(&["run", "--plan", "plan.json", "--run-id", "run_1"]);
    said.ended_with(0);
    let done: Vec<String> =
        events.all("task_succeeded").iter().map(|it| it["task_id"].as_str().unwrap().to_owned()).collect();
    assert_eq!(done, ["a", "b", "a", "b"]);
    let last =
        events.all("task_succeeded").last().unwrap()["feedback"]["actual_outputs"]["order"].to_string();
    assert!(last.contains("[0,1]"), "b worked with the new result: {last}");
}

#[test]
fn other_words_do_not_run_an_own_plan_under_their_title() {
    // spec: findings HE-06
    let candor = with_agent(&say(&json!({ "n": 1 })));
    assert_eq!(with_criterion(&candor, "output n == 1"), 0);
    let said = candor.run(["restart", "run_1", "--prompt", "Plan the autumn sowing"]);
    assert_ne!(said.code, 0);
    said.tells(&["began with a plan of your own", "candor run"]);
}
