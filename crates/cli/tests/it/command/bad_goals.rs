//! Goals that are none: empty, huge, binary, contradictory.

use crate::support::{Candor, GENERAL, PARIS, texts};

#[test]
fn an_empty_goal_is_refused_with_what_to_say() {
    let candor = Candor::new();
    candor.run(["goal", ""]).refused(&["goal is empty", "plain words"]);
    candor.run(["goal", "  \n ", "--json"]).refused(&["goal is empty"]);
    candor.feed(["goal"], "").refused(&["goal is empty"]);
    candor.run(["plan", ""]).refused(&["candor plan \"GOAL\""]);
    candor.run(["plan"]).refused(&["candor plan \"GOAL\""]);
    candor.run(["run"]).refused(&["candor run \"GOAL\""]);
    candor.run(["run", " "]).refused(&["candor run \"GOAL\""]);
    candor.write("goal.txt", "\n");
    candor.run(["run", "--goal", "goal.txt"]).refused(&["goal.txt", "empty"]);
    assert!(!candor.has_data(), "nothing was begun");
}

#[test]
fn a_huge_goal_is_refused_with_the_limit() {
    let candor = Candor::new();
    let huge = "a trip to Paris ".repeat(125_000);
    assert_eq!(huge.len(), 2_000_000);
    candor.feed(["goal", "--json"], &huge).refused(&["2000000 bytes", "1000000"]);
    candor.write("goal.txt", &huge);
    candor.run(["run", "--goal", "goal.txt"]).refused(&["2000000 bytes", "1000000", "--plan"]);
    assert!(!candor.has_data());
}

#[test]
fn a_large_goal_within_the_limit_is_read() {
    let text = format!("{PARIS}. {}", "Mind the weather. ".repeat(2_000));
    let said = Candor::new().feed(["goal", "--json"], text).ended_with(0);
    assert_eq!(said.json()["extracted"]["destination"], "Paris");
}

#[test]
fn a_binary_goal_is_refused() {
    let candor = Candor::new();
    candor.feed(["goal"], [0xff, 0xfe, 0x00]).refused(&["standard input", "UTF-8"]);
    candor.feed(["goal"], [b'a', 0x07, b'b']).refused(&["control characters"]);
    candor.run(["run", "a\u{1b}[31m trip"]).refused(&["control characters"]);
    candor.write("goal.txt", [0x80, 0x81]);
    candor.run(["run", "--goal", "goal.txt"]).refused(&["goal.txt", "UTF-8"]);
}

#[cfg(unix)]
#[test]
fn an_argument_that_is_not_text_is_refused() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let candor = Candor::new();
    candor.run([OsStr::new("goal"), OsStr::from_bytes(&[0xff, 0xfe])]).refused(&["UTF-8"]);
}

#[test]
fn two_budgets_are_a_doubt_that_costs_confidence() {
    let candor = Candor::new();
    let plan = |text: &str| candor.run(["plan", text, "--json"]).json();
    let one = plan("Plan a 3-day trip to Rome with a $2000 budget");
    let two = plan("Plan a 3-day trip to Rome with a $2000 budget and a budget of $500");
    let doubts = texts(&two["goal"]["doubts"]).join(" ");
    assert!(doubts.contains("2000") && doubts.contains("500"), "{doubts}");
    let confidence = |planned: &serde_json::Value| planned["plan"]["confidence_score"].as_f64().unwrap();
    assert!(confidence(&two) < confidence(&one));
    let reasons = texts(&two["plan"]["metadata"]["low_confidence_reasons"]).join(" ");
    assert!(reasons.contains("Two budgets"), "{reasons}");
    candor.run(["goal", "A trip to Rome for $2000 with a budget of $500"]).shows(&["unclear: Two budgets"]);
}

#[test]
fn odd_characters_make_no_panic() {
    let candor = Candor::with_config(GENERAL);
    for text in [
        "💥🛫🏨",
        "\u{202e}sirap",
        "a\u{301}\u{301}\u{301}",
        "½ día ∞ €€€ -5 people",
        "$",
        "99999999999999999999 USD",
    ] {
        // What has no word in it is refused as `candor run` refuses it.
        if text.chars().any(char::is_alphanumeric) {
            candor.run(["goal", text, "--json"]).ended_with(0).json();
            candor.run(["plan", text, "--json"]).json();
        } else {
            candor.run(["goal", text, "--json"]).refused(&["no word"]);
            candor.run(["plan", text, "--json"]).refused(&["no word"]);
        }
    }
}

#[test]
fn a_goal_file_that_is_broken_json_names_the_field() {
    let candor = Candor::new();
    candor.write("goal.json", r#"{"description": 3}"#);
    candor.run(["run", "--goal", "goal.json"]).refused(&["goal.json", "description", "line 1"]);
    candor.run(["run", "--goal", "nowhere.txt"]).refused(&["nowhere.txt"]);
    candor.run(["run", "words", "--goal", "goal.json"]).refused(&["--goal"]);
}
