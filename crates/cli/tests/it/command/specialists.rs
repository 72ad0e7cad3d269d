//! Planning asks a configured agent before it decides, and the plan depends on the answer.

use crate::support::{Candor, Events};

const EXPERT: &str = "import json, sys, time\n\
    asked = json.load(sys.stdin)\n\
    if 'query' in asked:\n\
    \x20   time.sleep(float(sys.argv[2]))\n\
    \x20   print(json.dumps({'response': sys.argv[1], 'confidence': 90}))\n\
    else:\n\
    \x20   print(json.dumps({'outputs': {'text': json.dumps(asked['inputs'])}}))\n";

fn folder(answer: &str, delay: &str, timeout: u32) -> Candor {
    let candor = Candor::with_config(&format!(
        "[planning]\nmin_agents = 1\n[[planning.questions]]\nagent = \"curator\"\n\
         question = \"How many rooms does the museum have?\"\nwhen = [\"museum\", \"museo\"]\ntimeout = {timeout}\n\
         [[agents]]\nagent_type = \"curator\"\nspecialization = \"Writes guides to the museum\"\n\
         capabilities = [\"write_guide\"]\ncommand = [\"python3\", \"curator.py\", \"{answer}\", \"{delay}\"]\n"
    ));
    candor.write("curator.py", EXPERT);
    candor
}

fn plan_of(candor: &Candor, request: &str) -> (serde_json::Value, Events) {
    let (said, events) = candor.events(&["run", request, "--yes"]);
    said.ended_with(0);
    (events.only("plan_proposed")["plan"]["subtasks"][0]["inputs"]["specialists"].clone(), events)
}

#[test]
fn the_plan_depends_on_what_a_specialist_answers() {
    // spec: orchestrator SX-04
    for answer in ["seven", "twelve"] {
        let candor = folder(answer, "0", 20);
        let (inputs, events) = plan_of(&candor, "Write a guide to the museum");
        assert_eq!(inputs["How many rooms does the museum have?"], answer);
        assert_eq!(events.all("agent_queried").len(), 1);
        assert!(events.only("task_succeeded").to_string().contains(answer), "its agent is told");
        let id = events.only("run_started")["run_id"].as_str().unwrap().to_owned();
        let explained = candor.run(["explain", &id, "--decisions"]).ended_with(0).stdout;
        assert!(explained.contains("How many rooms") && explained.contains(answer), "{explained}");
    }
}

#[test]
fn a_question_that_is_not_about_the_request_is_not_put_and_a_late_answer_holds_nothing_up() {
    let (inputs, events) = plan_of(&folder("seven", "0", 20), "Write a guide to the harbour");
    assert!(inputs.is_null() && events.all("agent_queried").is_empty());
    let (inputs, events) = plan_of(&folder("seven", "30", 1), "Write a guide to the museum");
    assert!(inputs.is_null(), "{inputs}");
    assert!(events.only("query_answered").to_string().contains("answer"), "and that is on the log");
}

#[test]
fn a_question_to_an_agent_that_is_not_there_is_an_error() {
    let candor = folder("seven", "0", 5);
    let text = std::fs::read_to_string(candor.path("candor.toml")).unwrap();
    candor.write("candor.toml", text.replacen("agent = \"curator\"", "agent = \"porter\"", 1));
    let said = candor.run(["run", "Write a guide to the museum"]).ended_with(2);
    assert!(said.stderr.contains("planning.questions[0].agent"), "{}", said.stderr);
}
