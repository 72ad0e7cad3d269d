//! A remote agent is met by its card: what it says it can do is what it gets to do.

use serde_json::{Value, json};

use crate::peers::peer::{Peer, RUN, carry_out, knowing, plan, status};
use crate::support::{Candor, Events, texts};

/// What is known of an agent.
fn known(candor: &Candor, name: &str) -> Value {
    let listed = candor.run(["agents", "--json"]).ended_with(0).json();
    let mut known = listed["agents"].as_array().unwrap().iter().map(|agent| &agent["known"]);
    known.find(|agent| agent["agent_type"] == name).expect("the agent is listed").clone()
}

#[test]
fn its_skills_are_what_it_can_do() {
    let Some(peer) = Peer::start(&[]) else { return };
    let candor = knowing(&peer.url, "");
    let far = known(&candor, "far_agent");
    let skills = texts(&far["capabilities"]);
    assert!(["echo", "repeat", "slow", "report"].iter().all(|skill| skills.contains(skill)), "{skills:?}");
    let words = far["specialization"].as_str().unwrap();
    assert!(words.contains("An agent for tests") && words.contains("Says what it was told"), "{words}");
    // Whoever describes it in the file has the last word.
    let candor = knowing(&peer.url, "capabilities = [\"paint\"]\nspecialization = \"Paints\"");
    let far = known(&candor, "far_agent");
    assert_eq!((&far["capabilities"], &far["specialization"]), (&json!(["paint"]), &json!("Paints")));
}

#[test]
fn a_task_for_nobody_in_particular_goes_to_whoever_has_the_skill() {
    let Some(peer) = Peer::start(&[]) else { return };
    let candor = knowing(&peer.url, "");
    plan(&candor, "echo what it was told", None);
    let said = candor.run(RUN).ended_with(0);
    let events = Events(said.lines());
    assert_eq!(events.texts("task_dispatched", "agent_type"), ["far_agent"]);
    assert_eq!(status(&candor), "completed");
    let message = peer.gets("message");
    assert_eq!((&message["text"], &message["id"]), (&json!("echo what it was told"), &json!("run_1/t/1")));
    let outputs = &events.only("task_succeeded")["feedback"]["actual_outputs"];
    assert!(outputs.to_string().contains("You said: echo"), "{outputs}");
}

#[test]
fn a_failure_is_told_in_the_words_of_the_peer() {
    // spec: beyond BY-10
    let Some(peer) = Peer::start(&[]) else { return };
    let candor = knowing(&peer.url, "");
    let (said, events) = carry_out(&candor, "fail please");
    assert_ne!(said.code, 0, "{}", said.stdout);
    let reason = events.first_reason();
    assert!(reason.contains("the printer is on fire"), "{reason}");
}

#[test]
fn an_agent_that_is_not_there_is_told_and_the_others_work() {
    // spec: beyond BY-10
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", nobody.local_addr().unwrap());
    drop(nobody);
    let candor = knowing(&url, "");
    plan(&candor, "Send the letters by mail", Some("mailer"));
    let said = candor.run(RUN).ended_with(0).tells(&["nothing is known of agent far_agent", &url]);
    assert_eq!(Events(said.lines()).texts("task_dispatched", "agent_type"), ["mailer"]);
    candor.run(["agents", "--json"]).ended_with(0).tells(&["far_agent", &url]).shows(&["mailer"]);

    // A task for it fails, and says why.
    let (_, events) = carry_out(&knowing(&url, ""), "echo hello");
    assert!(events.first_reason().contains(&url), "{}", events.first_reason());
}
