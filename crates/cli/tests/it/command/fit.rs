//! How well agents fit their tasks, and what follows when they do not.

use serde_json::Value;

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
