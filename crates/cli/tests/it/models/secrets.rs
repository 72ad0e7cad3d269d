//! Secrets: in the goal, in the environment, in what a provider says. None of them is kept anywhere.

use candor_testkit::model_server::Reply;

use crate::models::scene::{SECRET, Scene, answer_to, sensible, step_of};
use crate::support::PARIS;

/// A key as people paste it, in the shape of a provider's.
const PASTED: &str = "sk-proj-Zq8wX1vB7nM3kL5jH9gF2dS4aP6oI0uY";

fn has(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

#[test]
fn a_secret_in_the_goal_is_neither_on_the_log_nor_in_a_recording_nor_sent() {
    let scene = Scene::new();
    let goal = format!("{PARIS}, my key is {PASTED}");
    let said = scene.run(&["run", &goal, "--json", "--record", "kept"]).ended_with(0);
    assert!(!said.stdout.contains(PASTED) && !said.stderr.contains(PASTED));
    let log = scene.bytes_below("data");
    assert!(has(&log, "3-day trip to Paris"), "the log is readable this way");
    assert!(!has(&log, PASTED));
    let kept = scene.bytes_below("kept");
    assert!(has(&kept, "3-day trip to Paris") && !has(&kept, PASTED));
    assert!(has(&kept, "[redacted:"));
    for seen in scene.server.seen() {
        assert!(!seen.says(PASTED), "nobody outside needs it");
    }
    said.tells(&["secret"]);
}

#[test]
fn neither_a_goal_in_a_file_nor_the_installations_own_key_slips_through() {
    let scene = Scene::new();
    let goal = serde_json::json!({ "description": format!("{PARIS}, my key is {PASTED}"), "goal_type": "travel_planning", "goal_id": "goal_1", "constraints": [], "success_criteria": [] });
    scene.candor.write("goal.json", goal.to_string());
    scene.candor.write("goal.txt", format!("{PARIS}, the key of the app is {SECRET}"));
    for file in ["goal.json", "goal.txt"] {
        let said = scene.run(&["run", "--goal", file, "--json"]).ended_with(0).tells(&["secret"]);
        for secret in [PASTED, SECRET] {
            assert!(!said.stdout.contains(secret), "{file}");
            assert!(!has(&scene.bytes_below("data"), secret), "{file}");
            assert!(scene.server.seen().iter().all(|seen| !seen.says(secret)), "{file}");
        }
    }
}

#[test]
fn the_key_of_a_tier_is_neither_kept_nor_told_even_if_the_provider_repeats_it() {
    let scene = Scene::new();
    scene.server.route(|seen| match (step_of(seen), seen.model()) {
        ("parse_goal", "usual") => {
            Reply::body(format!("{{\"error\": {{\"message\": \"bad key {SECRET}\"}}}}")).with_status(401)
        }
        ("decompose_task", _) => {
            let mut answer = answer_to("decompose_task");
            answer["tasks"][2]["description"] = format!("Collect activities in Paris, key {SECRET}").into();
            Reply::json(answer)
        }
        _ => sensible(seen),
    });
    let said = scene.run(&["run", PARIS, "--json"]).ended_with(0);
    // What a model says is heard as it comes; all that is kept and told of it is clean.
    let kept: Vec<&str> = said.stdout.lines().filter(|line| !line.contains("\"event\":\"words\"")).collect();
    assert!(!kept.join("").contains(SECRET) && !said.stderr.contains(SECRET), "{}", said.stdout);
    assert!(!has(&scene.bytes_below("data"), SECRET));
    scene.run(&["run", PARIS, "--json", "--record", "kept"]).ended_with(0);
    assert!(!has(&scene.bytes_below("kept"), SECRET) && !has(&scene.bytes_below("data"), SECRET));
    assert_eq!(scene.server.seen()[0].headers["authorization"], format!("Bearer {SECRET}"));
}
