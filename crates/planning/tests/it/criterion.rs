//! The language of criteria: what is understood, what is judged, what is never run.
use candor_model::{Broadcast, CheckKind, JsonMap, MessagePriority, MessageType, Phase, QueryResponse};
use candor_planning::criterion::{Clause, Judgement, is_blocking, parse};
use candor_testkit::fixtures::object;
use proptest::prelude::*;
use serde_json::{Value, json};

fn outputs() -> JsonMap {
    object(json!({
        "flights": [{ "price": 720 }, { "price": 650 }], "cost": { "total": 1950.5 }, "title": "Paris in May",
        "empty": "", "none": null, "coverage": "83.5", "a.b": 1, "status": "done", "ok": true,
    }))
}

fn verdict(text: &str) -> Judgement {
    judged(text, &outputs())
}

/// The verdict on the whole: the clause that weighs most decides.
fn judged(text: &str, outputs: &JsonMap) -> Judgement {
    let weight = |judgement: &Judgement| match judgement {
        Judgement::Unmet(_) => 0,
        Judgement::NeedsCheck(_) => 1,
        Judgement::Prose(_) => 2,
        Judgement::Met => 3,
    };
    let clauses = parse(text).clauses;
    clauses.iter().map(|clause| clause.judge(outputs)).min_by_key(weight).unwrap_or(Judgement::Met)
}

#[test]
fn what_the_outputs_tell_is_judged() {
    // spec: orchestrator DC-13
    for met in [
        "outputs present: flights, title",
        "Outputs Present: flights",
        "output cost.total <= 2000",
        "output flights.1.price == 650",
        "output coverage > 80",
        "output a.b == 1",
        "output status == done",
        "output status == \"done\"",
        "output ok == true",
        "output title not empty",
        "output title contains \"paris\"",
        "output flights contains 720",
        "count flights >= 2",
        "count cost == 1",
        "output cost.total<=2000; count flights > 1;",
        "",
    ] {
        assert_eq!(verdict(met), Judgement::Met, "{met}");
    }
}

#[test]
fn what_the_outputs_contradict_is_unmet_and_says_why() {
    // spec: orchestrator DC-13 PH-18
    for (unmet, why) in [
        ("outputs present: flights, empty, none, nothing", "empty, none, nothing"),
        ("output cost.total < 1950.5", "1950.5"),
        ("output cost.total.deeper < 1", "no output cost.total.deeper"),
        ("output title > 5", "not a number"),
        ("output empty not empty", "not empty"),
        ("output title contains \"rome\"", "Paris in May"),
        ("count flights >= 5", "2 entries"),
        ("count title >= 1", "not a list"),
        ("output status == open", "done"),
        ("output title not empty; count flights >= 5", "2 entries"),
    ] {
        let Judgement::Unmet(reason) = verdict(unmet) else { panic!("{unmet}: {:?}", verdict(unmet)) };
        assert!(reason.contains(why), "{unmet}: {reason}");
    }
}

#[test]
fn what_is_not_understood_is_prose_and_counts_for_neither() {
    for prose in
        ["It reads well", "output quality is good", "command: echo \"open", "count it", "don't; worry"]
    {
        assert!(matches!(verdict(prose), Judgement::Prose(_)), "{prose}: {:?}", verdict(prose));
    }
    assert!(
        matches!(verdict("It reads well; count flights > 9"), Judgement::Unmet(_)),
        "a failure outweighs prose"
    );
}

#[test]
fn commands_are_parted_as_a_shell_would_without_one() {
    // spec: orchestrator DC-13
    let words = |text: &str| match parse(text).clauses.as_slice() {
        [Clause::Check(CheckKind::Command(words))] => words.clone(),
        other => panic!("{text}: {other:?}"),
    };
    assert_eq!(words("command: cargo test -p x"), ["cargo", "test", "-p", "x"]);
    assert_eq!(words(r#"command: sh -c "a; b" 'c d' e\ f """#), ["sh", "-c", "a; b", "c d", "e f", ""]);
    assert_eq!(words(r#"command: echo $HOME | "\\\"""#), ["echo", "$HOME", "|", "\\\""]);
    assert_eq!(
        verdict("file exists: src/main.rs"),
        Judgement::NeedsCheck(CheckKind::File("src/main.rs".to_owned()))
    );
    let two = parse("command: ruff check x.py; file exists: \"my file\"");
    assert_eq!(two.clauses.len(), 2, "{two:?}");
    assert_eq!(two.clauses[1], Clause::Check(CheckKind::File("my file".to_owned())));
}

#[test]
fn only_a_trusted_command_may_run() {
    // spec: orchestrator DC-13
    let may_run = |text: &str, allowed: &[String], supplied| {
        parse(text).clauses.iter().all(|clause| clause.may_run(allowed, supplied))
    };
    let (criterion, cargo) = ("file exists: x; command: cargo test", ["cargo".to_owned()]);
    assert!(!may_run(criterion, &[], false));
    assert!(may_run(criterion, &[], true), "the person supplied it");
    assert!(may_run(criterion, &cargo, false));
    assert!(!may_run("command: ./cargo test", &cargo, false), "another program");
    assert!(!may_run("command: cargo test; command: rm x", &cargo, false));
}

#[test]
fn an_answer_decides_whether_a_warning_blocks() {
    // spec: orchestrator AC-10 AC-11
    let warning = |priority| Broadcast {
        phase: Phase::Execution,
        from_agent: "hotel_agent".to_owned(),
        task_id: None,
        message_type: MessageType::Warning,
        priority,
        content: "few phases left".to_owned(),
        data: JsonMap::new(),
    };
    let answer = |response: Result<Value, String>| QueryResponse {
        from_agent: "hotel_agent".to_owned(),
        to_agent: "validation-agent".to_owned(),
        query_id: "q1".to_owned(),
        response,
        confidence: 80,
        processing_time: 10,
    };
    let (high, critical) = (warning(MessagePriority::High), warning(MessagePriority::Critical));
    assert!(!is_blocking(&high, None) && is_blocking(&critical, None));
    assert!(!is_blocking(&critical, Some(&answer(Ok(json!("not critical"))))));
    assert!(is_blocking(&high, Some(&answer(Ok(json!("It is critical"))))));
    assert!(is_blocking(&high, Some(&answer(Ok(json!({ "critical": true }))))));
    assert!(!is_blocking(&high, Some(&answer(Err("no answer within 5000 ms".to_owned())))));
}

proptest! {
    #[test]
    fn nothing_that_is_written_breaks_the_reader(text in any::<String>(), tail in "[;\"'\\\\a: é]{0,20}") {
        let criterion = parse(&format!("{text}{tail}"));
        criterion.clauses.iter().for_each(|clause| drop(clause.judge(&outputs())));
        let command = format!("command: {tail}");
        prop_assert!(parse(&command).clauses.len() <= command.len());
    }

    #[test]
    fn what_is_shown_of_a_criterion_reads_back_the_same(words in prop::collection::vec("[a-zA-Z0-9 ;\"\\\\'é-]{1,12}", 1..5)) {
        let clause = Clause::Check(CheckKind::Command(words));
        prop_assert_eq!(parse(&clause.to_string()).clauses, vec![clause]);
    }
}

#[test]
fn names_of_our_own_guess_are_told_and_block_nothing() {
    // spec: orchestrator DC-13 PH-14
    let none = JsonMap::new();
    let some = JsonMap::from_iter([("hotel".to_owned(), serde_json::json!("Le Marais"))]);
    let expected = "outputs expected: hotel";
    assert_eq!(judged(expected, &some), Judgement::Met);
    assert_eq!(judged(expected, &none), Judgement::Prose("missing or empty: hotel".to_owned()));
    let anything = "outputs not empty";
    assert_eq!(judged(anything, &some), Judgement::Met);
    assert_eq!(judged(anything, &none), Judgement::Prose("nothing was put out".to_owned()));
    for text in ["outputs expected: hotel, price", "outputs not empty"] {
        assert_eq!(parse(text).clauses.first().map(ToString::to_string).as_deref(), Some(text));
    }
}
