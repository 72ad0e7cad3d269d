//! Guardrails: the eight of the phases, and the user's own.

use candor_planning::guardrails::{Guardrails, RulePriority};
use candor_planning::rules_file::read;

use super::files::refusal;

/// Guardrails with one rule of the user's, in TOML.
fn with_rule(rule: &str) -> Guardrails {
    read("skill-rules.toml", &format!("[[rules]]\nskillId = \"mine\"\nmessage = \"Careful.\"\n{rule}\n"))
        .unwrap()
}

fn tripped(rails: &Guardrails, prompt: &str) -> Vec<String> {
    rails.violations(prompt, &|_| false).into_iter().map(|violation| violation.rule_id).collect()
}

#[test]
fn eight_rules_come_with_candor() {
    // spec: orchestrator GR-03 GR-04
    let json = serde_json::to_value(Guardrails::default()).unwrap();
    let rules = json["rules"].as_array().unwrap();
    let graph: Vec<(&str, Vec<&str>)> = rules
        .iter()
        .map(|rule| {
            let needs = rule["dependsOn"].as_array().unwrap();
            (rule["skillId"].as_str().unwrap(), needs.iter().map(|id| id.as_str().unwrap()).collect())
        })
        .collect();
    let expected: [(&str, Vec<&str>); 8] = [
        ("phase-0-pre-analysis", vec![]),
        ("phase-1-evaluation", vec![]),
        ("phase-2-context-loading", vec!["phase-0-pre-analysis", "phase-1-evaluation"]),
        ("phase-3-decomposition", vec!["phase-2-context-loading"]),
        ("phase-4-planning", vec!["phase-3-decomposition"]),
        ("phase-5-execution", vec!["phase-4-planning"]),
        ("phase-6-validation", vec!["phase-5-execution"]),
        ("phase-7-consolidation", vec!["phase-6-validation"]),
    ];
    assert_eq!(graph, expected);
    for rule in rules {
        assert_eq!((&rule["enforcement"], &rule["priority"]), (&"block".into(), &"critical".into()));
        assert_eq!((&rule["tripwire"], &rule["run_in_parallel"]), (&true.into(), &false.into()));
        assert!(!rule["message"].as_str().unwrap().is_empty());
    }
    assert_eq!(rules[0]["promptTriggers"], serde_json::json!({"keywords": ["*"], "intent": ["any"]}));
    assert!(rules[0]["message"].as_str().unwrap().contains("before any action"));
}

#[test]
fn the_settings_for_all_rules_can_be_read() {
    // spec: orchestrator GR-05
    let json = serde_json::to_value(Guardrails::default()).unwrap();
    let usual = serde_json::json!({
        "haltOnTripwire": true, "requireExplicitHandoffs": true, "forcedEvaluation": true
    });
    assert_eq!(json["globalSettings"], usual);
    let text = "[globalSettings]\nhaltOnTripwire = false\n";
    let rails: Guardrails = read("skill-rules.toml", text).unwrap();
    let expected = serde_json::json!({
        "haltOnTripwire": false, "requireExplicitHandoffs": true, "forcedEvaluation": true
    });
    assert_eq!(serde_json::to_value(&rails).unwrap()["globalSettings"], expected);
    for fixed in ["requireExplicitHandoffs", "forcedEvaluation"] {
        let text = format!("[globalSettings]\n{fixed} = false\n");
        let refused = read::<Guardrails>("skill-rules.toml", &text).unwrap_err().to_string();
        assert!(refused.contains(fixed) && refused.contains("cannot be switched off"), "{refused}");
    }
}

#[test]
fn without_halting_a_tripwire_is_a_rule_like_others() {
    // spec: orchestrator GR-05
    let rule = "[[rules]]\nskillId = \"own\"\nenforcement = \"block\"\ntripwire = true\nmessage = \"no\"\n\
                promptTriggers = { keywords = [\"*\"] }\n";
    for (settings, halts) in [("", true), ("[globalSettings]\nhaltOnTripwire = false\n", false)] {
        let rails: Guardrails = read("skill-rules.toml", &format!("{rule}{settings}")).unwrap();
        let found = rails.violations("anything", &|_| false);
        assert_eq!((found.len(), found[0].tripwire), (1, halts));
    }
}

#[test]
fn without_rules_of_ones_own_no_message_violates_anything() {
    assert!(tripped(&Guardrails::default(), "delete everything").is_empty());
}

#[test]
fn keywords_are_whole_words_and_phrases_in_any_case() {
    // spec: orchestrator GR-03
    let rails = with_rule(
        "enforcement = \"block\"\npromptTriggers = { keywords = [\"Drop\", \"main branch\", \"c++\", \".env\"] }",
    );
    for prompt in
        ["DROP it", "please drop.", "push to the MAIN\n  Branch!", "port it to C++", "read the .env file"]
    {
        assert_eq!(tripped(&rails, prompt), ["mine"], "{prompt}");
    }
    for prompt in
        ["a dropdown", "a raindrop", "drop_table", "the main idea of the branch", "c", "my.environment", ""]
    {
        assert!(tripped(&rails, prompt).is_empty(), "{prompt}");
    }
    let spanish = with_rule("enforcement = \"block\"\npromptTriggers = { keywords = [\"producción\"] }");
    assert_eq!(tripped(&spanish, "Despliega en PRODUCCION"), ["mine"], "accents do not count");
    let all = with_rule("enforcement = \"block\"\npromptTriggers = { keywords = [\"*\"] }");
    assert_eq!(tripped(&all, "anything"), ["mine"]);
}

#[test]
fn intents_are_recognised_by_their_words() {
    // spec: orchestrator GR-03
    for (intent, meant, not_meant) in [
        ("delete", "please erase the old logs", "summarise the logs"),
        ("deploy", "Deploy the service", "describe the service"),
        ("publish", "publica el artículo", "lee el artículo"),
        ("pay", "buy two tickets", "compare two tickets"),
        ("send", "email the team", "list the team"),
    ] {
        let rule = format!("enforcement = \"block\"\npromptTriggers = {{ intent = [\"{intent}\"] }}");
        let rails = with_rule(&rule);
        assert_eq!(tripped(&rails, meant), ["mine"], "{intent}");
        assert!(tripped(&rails, not_meant).is_empty(), "{intent}");
    }
    let any = with_rule("enforcement = \"block\"\npromptTriggers = { intent = [\"any\"] }");
    assert_eq!(tripped(&any, "anything"), ["mine"]);
    let both = with_rule(
        "enforcement = \"block\"\npromptTriggers = { keywords = [\"production\"], intent = [\"delete\"] }",
    );
    assert_eq!(tripped(&both, "delete the production data"), ["mine"]);
    assert!(tripped(&both, "delete the test data").is_empty(), "both are needed");
    assert!(tripped(&both, "look at the production data").is_empty());
}

#[test]
fn a_rule_that_depends_on_others_trips_while_they_are_open() {
    // spec: orchestrator GR-09
    let text = r#"{"rules": [
        {"skillId": "review", "enforcement": "suggest", "message": "Review.", "dependsOn": ["phase-1-evaluation"]},
        {"skillId": "mine", "enforcement": "block", "message": "Not before the review.",
         "promptTriggers": {"intent": ["deploy"]}, "dependsOn": ["review", "phase-6-validation"]}]}"#;
    let rails: Guardrails = read("skill-rules.json", text).unwrap();
    let open = rails.violations("deploy it", &|id| id == "review" || id == "phase-1-evaluation");
    assert_eq!(open.len(), 1);
    assert_eq!(
        (open[0].rule_id.as_str(), open[0].missing.as_slice()),
        ("mine", &["phase-6-validation".to_owned()][..])
    );
    assert!(rails.violations("deploy it", &|_| true).is_empty());
    assert!(rails.violations("look at it", &|id| id != "review").is_empty(), "not about this message");
    assert_eq!(
        rails.violations("look at it", &|_| false).len(),
        1,
        "without triggers it is about every message"
    );
}

#[test]
fn the_most_important_violation_comes_first() {
    // spec: orchestrator GR-03
    let rule = |id: &str, priority: &str| {
        format!(
            "[[rules]]\nskillId = \"{id}\"\nmessage = \"m\"\nenforcement = \"block\"\npriority = \"{priority}\"\n\
                 promptTriggers = {{ keywords = [\"*\"] }}\n"
        )
    };
    let text = rule("a", "low") + &rule("b", "critical") + &rule("c", "high") + &rule("d", "medium");
    let rails: Guardrails = read("skill-rules.toml", &text).unwrap();
    assert_eq!(tripped(&rails, "x"), ["b", "c", "d", "a"]);
    let usual = with_rule("enforcement = \"block\"\npromptTriggers = { keywords = [\"*\"] }");
    assert_eq!(usual.violations("x", &|_| false)[0].priority, RulePriority::Medium);
}

#[test]
fn a_phase_rule_takes_other_words_and_nothing_else() {
    // spec: orchestrator PH-03 GR-04
    let text = "[[rules]]\nskillId = \"phase-3-decomposition\"\nmessage = \"Primero el contexto.\"\n\
                enforcement = \"block\"\n";
    let rails: Guardrails = read("skill-rules.toml", text).unwrap();
    assert_eq!(rails.rules().len(), 8, "not one less and not one more");
    let changed = rails.rules().iter().find(|rule| rule.skill_id == "phase-3-decomposition").unwrap();
    assert_eq!(changed.message, "Primero el contexto.");
    for (field, value) in [
        ("enforcement", "\"suggest\""),
        ("priority", "\"low\""),
        ("tripwire", "false"),
        ("run_in_parallel", "true"),
        ("dependsOn", "[]"),
        ("promptTriggers", "{ keywords = [\"never\"] }"),
    ] {
        let text = format!("[[rules]]\nskillId = \"phase-3-decomposition\"\n{field} = {value}\n");
        let told = refusal::<Guardrails>("skill-rules.toml", &text);
        assert!(told.starts_with(&format!("skill-rules.toml:3: rules[0].{field}: ")), "{told}");
        assert!(told.contains("every phase always runs"), "{told}");
    }
}

#[test]
fn rules_that_cannot_stand_are_refused_with_rule_and_field() {
    // spec: orchestrator GR-03 SF-03
    const FIRST: &str =
        "[[rules]]\nskillId = \"a\"\nenforcement = \"block\"\nmessage = \"m\"\ndependsOn = [\"b\"]\n";
    let second = |lines: &str| format!("{FIRST}[[rules]]\nskillId = \"b\"\n{lines}\n");
    let whole = "enforcement = \"block\"\nmessage = \"m\"\n";
    for (text, place, words) in [
        (second(&format!("{whole}dependsOn = [\"a\"]")), "5: rules[0].dependsOn", "circle: a → b → a"),
        (second(&format!("{whole}dependsOn = [\"b\"]")), "10: rules[1].dependsOn", "circle: b → b"),
        (FIRST.to_owned(), "5: rules[0].dependsOn[0]", "rule `a` depends on `b`"),
        (
            FIRST.replace("[\"b\"]", "[\"phase-4-planing\"]"),
            "5: rules[0].dependsOn[0]",
            "did you mean `phase-4-planning`?",
        ),
        (FIRST.replace("\"a\"", "\"phase-9-rest\""), "2: rules[0].skillId", "unknown phase"),
        (
            FIRST.replace("\"a\"", "\"phase-3-decompose\""),
            "2: rules[0].skillId",
            "did you mean `phase-3-decomposition`?",
        ),
        (format!("{FIRST}{FIRST}"), "7: rules[1].skillId", "`a` is there twice"),
        (FIRST.replace("block", "blok"), "3: rules[0].enforcement", "did you mean `block`?"),
        (FIRST.replace("enforcement = \"block\"\n", ""), "1: rules[0].enforcement", "missing in rule `a`"),
        (FIRST.replace("\"m\"", "\" \""), "4: rules[0].message", "is empty"),
        (second(whole), "6: rules[1].promptTriggers", "which messages it is about"),
        (second(&format!("{whole}priority = \"urgent\"")), "10: rules[1].priority", "unknown variant"),
        (
            second(&format!("{whole}promptTriggers = {{ intent = [\"delte\"] }}")),
            "10: rules[1].promptTriggers.intent[0]",
            "did you mean `delete`?",
        ),
        (
            second(&format!("{whole}promptTriggers = {{ keywords = [\"drop*\"] }}")),
            "10: rules[1].promptTriggers.keywords[0]",
            "stands alone",
        ),
        (
            second(&format!("{whole}promptTriggers = {{ keywords = [\"\"] }}")),
            "10: rules[1].promptTriggers.keywords[0]",
            "is empty",
        ),
    ] {
        let told = refusal::<Guardrails>("skill-rules.toml", &text);
        assert!(told.starts_with(&format!("skill-rules.toml:{place}: ")), "{told}");
        assert!(told.contains(words), "{told}");
    }
}
