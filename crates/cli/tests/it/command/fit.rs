//! How well agents fit their tasks, and what follows when they do not.

use serde_json::{Value, json};

use crate::support::Candor;

/// Agents of a workshop; none of them does anything.
fn workshop() -> Candor {
    let agent = |name: &str, does: &str, can: &str| {
        format!(
            "[[agents]]\nagent_type = \"{name}\"\nspecialization = \"{does}\"\ncapabilities = [\"{can}\"]\nbuiltin = \"noop\"\n"
        )
    };
    Candor::with_config(
        &[
            agent("joiner", "Builds and repairs wooden furniture", "repair_furniture"),
            agent("tester", "Tests machines and writes test reports", "test_machines"),
            agent("clerk", "Answers letters of customers", "answer_letters"),
        ]
        .concat(),
    )
}

fn confidence(candor: &Candor, request: &str) -> f64 {
    let plan = candor.run(["plan", request, "--json"]).json();
    plan["plan"]["confidence_score"].as_f64().unwrap_or_else(|| panic!("{plan}"))
}

#[test]
fn a_poor_fit_among_good_ones_is_asked_about_and_named() {
    // spec: findings GL-08
    let candor = workshop();
    let fits = "Repair the wooden furniture. Then test the machines in hall 2.";
    assert!(confidence(&candor, fits) >= 0.5, "{}", confidence(&candor, fits));
    let odd = "Repair the wooden furniture. Then negotiate the lease with our landlord.";
    assert!(confidence(&candor, odd) < 0.5, "{}", confidence(&candor, odd));
    let said = candor.run(["run", odd, "--run-id", "run_1", "--plain"]).ended_with(3);
    assert!(said.stdout.contains("task_002: ") && said.stdout.contains("% only"), "{}", said.stdout);
}

#[test]
fn an_agent_that_is_alone_is_not_taken_for_one_that_does_everything() {
    // spec: findings GL-08
    let alone = |does: &str| {
        let agent = format!(
            "[[agents]]\nagent_type = \"shepherd\"\nspecialization = \"{does}\"\nbuiltin = \"noop\"\n"
        );
        Candor::with_config(&agent)
    };
    let (own, other) =
        ("Shear the sheep. Then weigh the wool.", "Shear the sheep. Then renew the passport of my daughter.");
    let narrow = alone("Shears sheep and sells their wool");
    assert!(confidence(&narrow, own) >= 0.5 && confidence(&narrow, other) < 0.5);
    let said = narrow.run(["run", other, "--run-id", "run_1", "--plain"]).ended_with(3);
    assert!(said.stdout.contains("task_002: shepherd fits with "), "{}", said.stdout);
    assert!(confidence(&alone("Does whatever is asked"), other) >= 0.5);
}

#[test]
fn a_success_teaches_nothing_about_requests_that_share_no_word_with_it() {
    // spec: findings GL-07
    let candor = workshop();
    let before = confidence(&candor, "Asdf qwer zxcv");
    candor.run(["run", "Repair the wooden furniture", "--run-id", "run_1"]).ended_with(0);
    assert!(confidence(&candor, "Asdf qwer zxcv") <= before);
    let ranked = |text: &str| -> Value {
        candor.run(["route", text, "--json"]).ended_with(0).json()["ranking"][0].clone()
    };
    let own = ranked("Repair the wooden furniture");
    assert_eq!((&own["agent_type"], &own["from_history"]), (&"joiner".into(), &1.into()));
    assert!(own["chance"].as_f64().unwrap() > 0.8, "{own}");
    let boilerplate = ranked("Recommend one. Expected outputs: output_1");
    assert!(boilerplate["chance"].as_f64().unwrap() < 0.3, "{boilerplate}");
}

#[test]
fn the_name_of_an_agent_counts_and_meaning_weighs_more_than_words_among_few() {
    // spec: findings GL-15
    let agent = |name: &str, does: &str| {
        format!("[[agents]]\nagent_type = \"{name}\"\nspecialization = \"{does}\"\nbuiltin = \"noop\"\n")
    };
    let candor = Candor::with_config(
        &[
            agent("beekeeper", "Looks after what it is given"),
            agent("locksmith", "Looks after what it is given"),
            agent("copyist", "Copies the text of a request about doors, keys and other things word by word"),
        ]
        .concat(),
    );
    let first = |text: &str| -> Value {
        candor.run(["route", text, "--json"]).ended_with(0).json()["ranking"][0]["agent_type"].clone()
    };
    assert_eq!(first("Honey is leaking out of the hive"), "beekeeper");
    assert_eq!(first("I am shut out and the bolt is jammed"), "locksmith");
}

#[test]
fn what_was_asked_before_in_a_batch_lowers_agents_that_are_near_to_everything() {
    // spec: findings GL-15
    let trades = [
        "baker",
        "cooper",
        "tanner",
        "glazier",
        "mason",
        "weaver",
        "dyer",
        "potter",
        "smith",
        "carpenter",
        "roofer",
        "plumber",
        "tailor",
        "cobbler",
        "saddler",
        "thatcher",
        "brewer",
        "miller",
        "gardener",
        "fisher",
        "hunter",
    ];
    let agents: Vec<Value> = trades
        .iter()
        .map(|trade| json!({ "agent_type": trade, "specialization": format!("Does the work of a {trade}") }))
        .chain([json!({ "agent_type": "helper", "specialization": "Helps with any work, repairs, orders and questions of people" })])
        .collect();
    let candor = Candor::new();
    candor.write("agents.json", json!(agents).to_string());
    let asked = |texts: &[String]| -> Vec<Value> {
        let lines: String =
            texts.iter().map(|text| format!("{}\n", json!({ "id": 1, "text": text }))).collect();
        let said = candor.feed(["route", "--stdin", "--agents", "agents.json", "--top-k", "22"], &lines);
        said.ended_with(0).lines()
    };
    let meaning = |answer: &Value| -> f64 {
        let ranking = answer["ranking"].as_array().unwrap();
        ranking.iter().find(|it| it["agent_type"] == "helper").unwrap()["meaning"].as_f64().unwrap()
    };
    let question = "Help people with questions about repairs and orders".to_owned();
    let alone = meaning(asked(std::slice::from_ref(&question)).last().unwrap());
    let before = (0..60).map(|n| format!("Please help with repair order {n} of these people"));
    let after = meaning(asked(&before.chain([question]).collect::<Vec<_>>()).last().unwrap());
    assert!(after < alone - 0.01, "{after} after {alone}");
}
