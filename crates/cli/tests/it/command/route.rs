//! `candor route`: one text, or a stream of them.

use std::io::{BufRead, BufReader, Write};

use serde_json::{Value, json};

use crate::support::{Candor, has_keys};

const TOML: &str = "[[agents]]\nagent_type = \"cat_agent\"\nspecialization = \"Cats and kittens\"\n\
    [[agents]]\nagent_type = \"dog_agent\"\ncapabilities = [\"walk_dogs\", \"feed_dogs\"]\n";

fn json_agents() -> String {
    json!([{"agent_type": "cat_agent", "specialization": "Cats and kittens"},
        {"agent_type": "dog_agent", "capabilities": ["walk_dogs", "feed_dogs"], "success_rate": 0.5,
         "cost_per_invocation": 1.0}])
    .to_string()
}

fn with_agents() -> Candor {
    let candor = Candor::new();
    candor.write("agents.toml", TOML);
    candor.write("agents.json", json_agents());
    candor
}

#[test]
fn a_text_gets_a_ranking_of_agents() {
    // spec: planning SR-05 SR-06
    let said =
        with_agents().run(["route", "--agents", "agents.toml", "--json", "Feed the dogs"]).ended_with(0);
    assert_eq!(said.stderr, "");
    let answer = said.json();
    let ranking = answer["ranking"].as_array().unwrap();
    assert_eq!(ranking.len(), 2);
    for agent in ranking {
        has_keys(
            agent,
            &[
                "agent_type",
                "score",
                "similarity",
                "meaning",
                "words",
                "success_rate",
                "cost",
                "breaker_open",
            ],
        );
    }
    assert_eq!(ranking[0]["agent_type"], "dog_agent");
    assert!(ranking[0]["score"].as_f64() > ranking[1]["score"].as_f64());
    assert_eq!(ranking[0]["runner_up"]["agent_type"], "cat_agent");
    assert_eq!((&answer["method"], &answer["embeddings"]), (&json!("hybrid"), &json!("candor-fixed-1")));
}

#[test]
fn the_score_is_similarity_times_success_times_what_cost_leaves() {
    // spec: planning SR-04
    let said = with_agents().run(["route", "--agents", "agents.json", "--json", "Feed the dogs"]);
    let dog = said.json()["ranking"][0].clone();
    assert_eq!(dog["agent_type"], "dog_agent");
    let (score, similarity) = (dog["score"].as_f64().unwrap(), dog["similarity"].as_f64().unwrap());
    assert!(similarity > 0.0 && (score - similarity * 0.5 * 0.9).abs() < 1e-9, "{dog}");
}

#[test]
fn top_k_limits_the_ranking() {
    let candor = with_agents();
    let said = candor.run(["route", "--agents", "agents.json", "--json", "--top-k", "1", "kitten"]);
    assert_eq!(said.ended_with(0).json()["ranking"].as_array().unwrap().len(), 1);
}

#[test]
fn json_and_toml_say_the_same() {
    let candor = with_agents();
    candor.write(
        "agents.json",
        json!({"agents": toml::from_str::<Value>(TOML).unwrap()["agents"]}).to_string(),
    );
    let ask =
        |file: &str| candor.run(["route", "--agents", file, "--json", "Walk a dog"]).ended_with(0).json();
    assert_eq!(ask("agents.toml"), ask("agents.json"));
}

#[test]
fn agents_may_come_one_per_line() {
    let candor = with_agents();
    let lines: Vec<String> = toml::from_str::<Value>(TOML).unwrap()["agents"]
        .as_array()
        .unwrap()
        .iter()
        .map(Value::to_string)
        .collect();
    candor.write("agents.jsonl", lines.join("\n"));
    let ask =
        |file: &str| candor.run(["route", "--agents", file, "--json", "Walk a dog"]).ended_with(0).json();
    assert_eq!(ask("agents.jsonl"), ask("agents.toml"));
    candor.write("agents.jsonl", format!("{}\n{{\"agent_type\": 7}}", lines[0]));
    candor
        .run(["route", "--agents", "agents.jsonl", "Walk"])
        .refused(&["agents.jsonl, line 2", "agent_type"]);
}

#[test]
fn the_agents_of_the_configuration_are_ranked_when_none_are_named() {
    let said = Candor::new().run(["route", "--json", "Find hotels in central Paris"]).ended_with(0);
    assert_eq!(said.json()["ranking"][0]["agent_type"], "hotel_agent");
}

#[test]
fn people_are_told_how_it_was_ranked() {
    let said = with_agents().run(["route", "--agents", "agents.toml", "kitten"]).ended_with(0);
    said.shows(&["1  cat_agent"]).tells(&[
        "meaning and words",
        "similarity",
        "success rate",
        "next dog_agent",
    ]);
    let said = with_agents().run(["route", "--agents", "agents.toml", "--embeddings", "words", "kitten"]);
    said.ended_with(0).shows(&["1  cat_agent"]).tells(&["shared words"]);
}

#[test]
fn whoever_succeeded_at_such_a_task_is_preferred() {
    // spec: beyond BY-22
    let candor = with_agents();
    let best = |args: &[&str]| {
        let words =
            [&["route", "--agents", "agents.toml", "--json"], args, &["Groom Rex and Bella"]].concat();
        candor.run(words).ended_with(0).json()["ranking"][0].clone()
    };
    let history = ["Groom Rex", "Groom Bella and Rex", "Rex needs grooming"]
        .map(|text| json!({ "text": text, "agent_type": "cat_agent" }).to_string());
    candor.write("history.jsonl", history.join("\n"));
    assert_eq!(best(&[])["from_history"], 0);
    for model in ["static", "words"] {
        let learned = best(&["--history", "history.jsonl", "--embeddings", model]);
        let expected = (&json!("cat_agent"), &json!(3));
        assert_eq!((&learned["agent_type"], &learned["from_history"]), expected, "{model}");
    }
    candor.write("history.jsonl", "{\"text\": \"Groom\"}");
    let refused = candor.run(["route", "--agents", "agents.toml", "--history", "history.jsonl", "Groom Rex"]);
    refused.refused(&["history.jsonl, line 1", "agent_type"]);
}

#[test]
fn each_line_is_answered_while_the_next_is_still_to_come() {
    let candor = with_agents();
    let mut child = candor.start(["route", "--agents", "agents.toml", "--json"]);
    let mut stdin = child.stdin.take().unwrap();
    let mut answers = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut ask = |line: &str| -> Value {
        writeln!(stdin, "{line}").unwrap();
        serde_json::from_str(&answers.next().unwrap().unwrap()).unwrap()
    };
    let first = ask(r#"{"id": 7, "text": "dogs"}"#);
    assert_eq!((&first["id"], &first["ranking"][0]["agent_type"]), (&json!(7), &json!("dog_agent")));
    let bad = ask("nonsense");
    has_keys(&bad, &["id", "error", "line"]);
    assert_eq!(bad["line"], 2);
    let missing = ask(r#"{"id": 8}"#);
    assert!(missing["error"].as_str().unwrap().contains("text"), "{missing}");
    let last = ask(r#"{"id": "x", "text": "cats"}"#);
    assert_eq!((&last["id"], &last["ranking"][0]["agent_type"]), (&json!("x"), &json!("cat_agent")));
    drop(stdin);
    assert_eq!(child.wait().unwrap().code(), Some(2), "one line could not be read");
}

#[test]
fn empty_lines_are_no_questions() {
    let said = with_agents()
        .feed(["route", "--agents", "agents.json", "--json"], "\n  \n{\"id\":1,\"text\":\"a\"}\n");
    assert_eq!(said.ended_with(0).lines().len(), 1);
}

#[test]
fn lines_that_are_not_text_are_answered_with_an_error() {
    let candor = with_agents();
    let input = [&[0xff, 0xfe, b'\n'][..], b"{\"id\":1,\"text\":\"dogs\"}"].concat();
    let said = candor.feed(["route", "--agents", "agents.json", "--json"], input).ended_with(2);
    let answers = said.lines();
    assert!(answers[0]["error"].is_string() && answers[1]["id"] == 1, "{answers:?}");
}
