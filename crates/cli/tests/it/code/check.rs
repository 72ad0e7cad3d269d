//! `candor code check`: every kind of defect with its place, and nothing said of code that is right.

use serde_json::{Value, json};

use crate::support::{Candor, has_keys, texts};

fn checked(code: &str, more: &[&str]) -> Value {
    let candor = Candor::new();
    candor.write("program.py", code);
    candor.run([&["code", "check", "program.py", "--json"], more].concat()).json()
}

fn codes(findings: &Value) -> Vec<&str> {
    findings["errors"].as_array().unwrap().iter().map(|error| error["code"].as_str().unwrap()).collect()
}

// spec: code-agent CV-02, CV-03
#[test]
fn right_code_passes_all_six_checks() {
    let findings = checked("import math\nprint(math.sqrt(2))\n", &[]);
    has_keys(&findings, &["valid", "errors", "checks_passed"]);
    assert_eq!(findings["valid"], json!(true));
    assert_eq!(
        texts(&findings["checks_passed"]),
        ["syntax", "variables", "context_access", "imports", "operations", "serialization"]
    );
}

// spec: code-agent CV-04, CV-07, CV-17
#[test]
fn every_error_has_a_code_a_place_and_words() {
    let findings = checked("import os\n\ntotal = amuont * 2\n", &[]);
    assert_eq!(findings["valid"], json!(false));
    let errors = findings["errors"].as_array().unwrap();
    assert_eq!(errors.len(), 2, "{findings}");
    errors.iter().for_each(|error| has_keys(error, &["code", "line", "column", "message"]));
    assert_eq!(
        (&errors[0]["line"], &errors[1]["line"], &errors[1]["column"]),
        (&json!(1), &json!(3), &json!(9))
    );
    assert!(errors[1]["message"].as_str().unwrap().contains("amuont"));
}

// spec: code-agent CV-12, CV-13
#[test]
fn keys_are_judged_by_the_context_that_is_given() {
    let candor = Candor::new();
    candor.write("program.py", "context['sum'] = context['a'] + context['b']\nprint(context['sum'])\n");
    candor.write("context.json", r#"{"a": 1}"#);
    let check = |more: &[&str]| candor.run([&["code", "check", "program.py", "--json"], more].concat());
    let findings = check(&["--context", "context.json"]).ended_with(1).json();
    assert_eq!(findings["errors"].as_array().unwrap().len(), 1, "{findings}");
    assert!(findings["errors"][0]["message"].as_str().unwrap().contains("'b'"));
    assert_eq!(check(&[]).ended_with(0).json()["valid"], json!(true), "an unknown context is not judged");
}

// The sandbox's own Python is asked, not a list that comes with Candor.
// spec: code-agent NX-09
#[test]
fn imports_that_the_sandbox_does_not_have_are_found_before_running() {
    let findings = checked("import rex\nfrom collections import Counters\nfrom math import sqrt\n", &[]);
    let errors = findings["errors"].as_array().unwrap();
    let lines: Vec<&Value> = errors.iter().map(|error| &error["line"]).collect();
    assert_eq!(lines, [&json!(1), &json!(2)], "{findings}");
    let unasked = checked("import rex\n", &["--no-library"]);
    assert_eq!(unasked["valid"], json!(true), "{unasked}");
}

// spec: code-agent CV-06, NX-11
#[test]
fn messages_come_in_spanish_too_with_the_same_codes() {
    let (english, spanish) = (checked("def broken(\n", &[]), checked("def broken(\n", &["--spanish"]));
    assert_eq!(codes(&english), codes(&spanish));
    let message = |findings: &Value| findings["errors"][0]["message"].as_str().unwrap().to_owned();
    assert!(message(&spanish).starts_with("Syntax error: Línea"), "{spanish}");
    assert!(message(&english).contains("line"), "{english}");
}

#[test]
fn lines_are_answered_one_by_one_with_their_ids() {
    let candor = Candor::new();
    let lines = [
        json!({ "id": "one", "code": "x = 1\n" }).to_string(),
        json!({ "id": 2, "code": "print(y)\n", "context": {} }).to_string(),
        "not json".to_owned(),
        json!({ "id": null, "code": "context['b'] = context['a']\n", "context": { "a": 1 } }).to_string(),
    ]
    .join("\n");
    let said = candor.feed(["code", "check", "--stdin", "--json"], lines);
    let answers = said.lines();
    assert_eq!(answers.len(), 4);
    assert_eq!((&answers[0]["id"], &answers[0]["valid"]), (&json!("one"), &json!(true)));
    assert_eq!((&answers[1]["id"], &answers[1]["valid"]), (&json!(2), &json!(false)));
    assert!(answers[2]["error"].as_str().unwrap().contains("line 3"), "{}", answers[2]);
    assert_eq!(answers[3]["valid"], json!(true));
    said.ended_with(2);
}

#[test]
fn several_files_are_told_for_people_with_places_they_can_jump_to() {
    let candor = Candor::new();
    candor.write("good.py", "print('hello')\n");
    candor.write("bad.py", "print(hello)\n");
    candor
        .run(["code", "check", "good.py", "bad.py"])
        .ended_with(1)
        .shows(&["good.py: nothing is wrong with it", "bad.py:1:7: error PY101"]);
}

#[test]
fn bytes_that_are_no_text_are_refused_and_latin_1_is_read_if_it_says_so() {
    let candor = Candor::new();
    candor.write("wrong.py", b"x = '\xff'\n");
    candor.write("latin.py", b"# -*- coding: latin-1 -*-\nx = '\xe9'\n");
    let check = |file| candor.run(["code", "check", file, "--json"]).json();
    let wrong = check("wrong.py");
    assert_eq!((&wrong["valid"], &wrong["errors"][0]["line"]), (&json!(false), &json!(1)), "{wrong}");
    assert_eq!(check("latin.py")["valid"], json!(true));
}

#[test]
fn what_is_not_there_or_no_context_is_said_clearly() {
    let candor = Candor::new();
    candor.write("program.py", "x = 1\n");
    candor.write("list.json", "[1]");
    let check = |more: &[&str]| candor.run([&["code", "check"], more].concat());
    check(&["missing.py"]).ended_with(2).tells(&["could not read missing.py"]);
    check(&["program.py", "--context", "list.json"]).ended_with(2).tells(&["must be a JSON object"]);
    check(&[]).ended_with(2);
}
