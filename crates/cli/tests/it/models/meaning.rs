//! Meaning from a server: agents are chosen by it, and by words when it does not answer.

use candor_testkit::model_server::ModelServer;

use crate::support::{Candor, PARIS};

fn config(endpoint: &str) -> String {
    format!("[embeddings]\nmodel = \"endpoint\"\nendpoint = \"{endpoint}\"\nname = \"e5\"\n")
}

#[test]
fn agents_are_chosen_by_a_servers_vectors_and_those_of_agents_are_asked_for_once() {
    // spec: planning SR-01
    // spec: findings GL-07
    let server = ModelServer::start().unwrap();
    let candor = Candor::with_config(&config(&server.openai_url()));
    // Its vectors say nothing, so that nobody clearly fits.
    candor.run(["run", PARIS, "-v", "--yes"]).ended_with(0).shows(&["meaning and words (e5)"]);
    let texts = |from: usize| -> Vec<String> {
        let asked = server.seen();
        let inputs = asked.iter().skip(from).filter_map(|seen| seen.body["input"].as_array().cloned());
        inputs.flatten().filter_map(|text| text.as_str().map(str::to_owned)).collect()
    };
    assert!(texts(0).iter().any(|text| text.contains("Capabilities: ")), "{:?}", texts(0));
    assert!(texts(0).iter().any(|text| text.starts_with("hotel agent: ")), "{:?}", texts(0));
    assert!(texts(0).iter().all(|text| !text.contains("Expected outputs")), "{:?}", texts(0));
    let before = server.seen().len();
    candor.run(["run", PARIS, "-v", "--yes"]).ended_with(0).shows(&["meaning and words (e5)"]);
    assert!(texts(before).iter().all(|text| !text.contains("Capabilities: ")), "{:?}", texts(before));
}

#[test]
fn without_the_server_words_decide_and_it_is_told() {
    // spec: orchestrator DG-05; planning SR-12
    let candor = Candor::with_config(&config("http://127.0.0.1:9/v1"));
    let said = candor.run(["run", PARIS, "-v"]).ended_with(0);
    said.shows(&["e5 could not embed", "Connection refused", "shared words", "Degradation level 2/5"]);
}
