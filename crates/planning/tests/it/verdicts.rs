//! Verdicts and what they are made of: claims, checks of texts, and what follows from criteria.

use candor_model::{CheckedCriterion, CriterionResult, CriterionSource, Verdict};
use candor_planning::assessment::{self, ClaimCounts, assess};
use candor_planning::claims::{self, Claim};
use candor_planning::criterion::{Clause, FORMS, Judgement, TextTest, nearest, parse, problems};
use candor_testkit::fixtures::{object, paris_plan};
use proptest::prelude::*;
use serde_json::{Value, json};

fn claimed(outputs: Value) -> Vec<Claim> {
    claims::of(&object(outputs), &[&object(json!({ "invoices": [1, 2, 3] }))])
}

#[test]
fn what_an_agent_says_it_did_is_a_claim() {
    // spec: findings HE-02
    let wrote = |path: &str| vec![Claim::Wrote(path.to_owned())];
    let ran = |command: &str, well: bool| vec![Claim::Ran(command.to_owned(), well)];
    let reached = |address: &str| vec![Claim::Reached(address.to_owned())];
    for (outputs, expected) in [
        (json!({ "text": "I wrote note.txt." }), wrote("note.txt")),
        (json!({ "text": "The table was saved to out/table.csv and looks fine" }), wrote("out/table.csv")),
        (json!({ "result": "He guardado el plan en `plan.md`." }), wrote("plan.md")),
        (json!({ "file": "report.pdf" }), wrote("report.pdf")),
        (json!({ "files_written": ["a.md", 7] }), wrote("a.md")),
        (
            json!({ "text": "Created 5 tickets.", "tickets": ["x", "y"] }),
            vec![Claim::Made("tickets".to_owned(), 5, 2)],
        ),
        (json!({ "text": "Processed 5 invoices." }), vec![Claim::Handled("invoices".to_owned(), 5, 3)]),
        (json!({ "text": "I ran `cargo test --all`; fine" }), ran("cargo test --all", false)),
        (json!({ "text": "Executed pytest against staging and all tests passed" }), ran("pytest", true)),
        (json!({ "text": "He ejecutado `make test` con éxito" }), ran("make test", true)),
        (json!({ "commands_run": ["terraform plan"] }), ran("terraform plan", false)),
        (json!({ "text": "Published it at https://blog.example/a." }), reached("https://blog.example/a")),
        (
            json!({ "text": "I opened a request (https://git.example/pull/7)" }),
            reached("https://git.example/pull/7"),
        ),
    ] {
        assert_eq!(claimed(outputs.clone()), expected, "{outputs}");
    }
}

#[test]
fn plans_denials_and_names_of_other_things_are_no_claims() {
    // spec: findings HE-02
    for outputs in [
        json!({ "text": "I did not write note.txt." }),
        json!({ "text": "I could have written note.txt" }),
        json!({ "text": "Next, save it to note.txt" }),
        json!({ "text": "If you like, I will have created note.txt" }),
        json!({ "text": "Have you saved note.txt?" }),
        json!({ "text": "See note.txt for more" }),
        json!({ "text": "It was written by hand in note.txt" }),
        json!({ "text": "See https://example.com/a.json" }),
        json!({ "text": "Run `cargo test` next" }),
        json!({ "text": "I ran the tests" }),
        json!({ "text": "`make deploy` was not executed" }),
        json!({ "command": "cargo test" }),
        json!({ "text": "Reviewed 2 invoices" }),
        json!({ "text": "Reviewed 20 letters" }),
        json!({ "text": "Saved. The input was data.csv" }),
        json!({ "path": "/api/v1/users" }),
        json!({ "file": "https://example.com/a.pdf" }),
        json!({ "name": "note.txt" }),
        json!({ "text": "Created 5 tickets." }),
        json!({ "files": [{ "name": "a.txt" }] }),
    ] {
        assert_eq!(claimed(outputs.clone()), [], "{outputs}");
    }
}

fn judged(test: &str, text: &str) -> Judgement {
    let clauses = parse(&format!("answer {test}")).clauses;
    let [Clause::Text { test, .. }] = clauses.as_slice() else { panic!("{clauses:?}") };
    TextTest::judge(test, text).0
}

#[test]
fn texts_are_judged_by_what_they_are() {
    let spanish = "El informe de la semana: los datos y las tablas están en el anexo del documento.";
    let english = "The report of the week: the data and the tables are in the annex.";
    let french = "Le rapport de la semaine est dans les annexes et la table des matières.";
    for (test, text) in [
        ("words <= 3", "one two three"),
        ("lines == 2", "a\n\nb\n"),
        ("entries >= 2", "[1, 2]"),
        ("entries >= 2", "name,age\nann,3\nbob,4\n"),
        ("entries >= 2", "# Risks\n- a\n- b"),
        ("is json", "{\"a\": 1}"),
        ("is csv", "a,b\n\"x, y\",2\n"),
        ("in spanish", spanish),
        ("in english", english),
        ("contains \"Annex\"", english),
    ] {
        assert_eq!(judged(test, text), Judgement::Met, "{test}: {text}");
    }
    for (test, text) in [
        ("words < 3", "one two three"),
        ("entries >= 3", "[1, 2]"),
        ("is json", "{a: 1}"),
        ("is csv", "# A heading, with text\nand more"),
        ("is csv", "a,b\n1,2,3\n"),
        ("in spanish", english),
        ("in english", spanish),
        ("contains \"x\"", "abc"),
    ] {
        assert!(matches!(judged(test, text), Judgement::Unmet(_)), "{test}: {text}");
    }
    for (test, text) in [
        ("entries >= 3", "# Risks\n- a\n- b"),
        ("in spanish", "hola"),
        ("in spanish", french),
        ("is csv", "one\ntwo"),
        ("is json", &"[1] ".repeat(20_000)),
        ("words <= 10000", &"word".repeat(20_000)),
    ] {
        assert!(matches!(judged(test, text), Judgement::Prose(_)), "{test}: {text:.40}");
    }
}

#[test]
fn a_misspelt_criterion_is_told_with_the_form_that_was_meant() {
    // spec: findings HE-05
    for (text, form) in [
        ("outptus present: zz", "outputs present: NAME, NAME"),
        ("file exist: a.md", "file exists: PATH"),
        ("comand: cargo test", "command: PROGRAM ARGUMENT"),
        ("output total less 5", "output NAME"),
    ] {
        let problems = problems(text);
        assert!(problems.len() == 1 && problems[0].contains(form), "{text}: {problems:?}");
    }
    for sentence in ["It reads well", "All tests pass and the docs are updated", "Total cost <= $2000"] {
        assert_eq!(nearest(sentence), None, "{sentence}");
        assert!(problems(sentence)[0].contains("`judge: "), "{sentence}");
    }
    assert_eq!(problems("outputs present: a; file exists: b; judge: it rhymes"), Vec::<String>::new());
}

#[test]
fn every_form_that_is_offered_is_understood() {
    for form in FORMS {
        let text = form.replace("NUMBER", "5").replace("{JSON Schema}", r#"{"type":"object"}"#);
        assert_eq!(problems(&text), Vec::<String>::new(), "{form}");
        let clause = &parse(&text).clauses[0];
        assert_eq!(&parse(&clause.to_string()).clauses[0], clause, "{form} reads back the same");
    }
    let labelled = parse("Cheap enough => output cost <= 5; count rooms > 0");
    assert_eq!((labelled.name(), labelled.clauses.len()), ("Cheap enough".to_owned(), 2));
}

fn criterion(result: CriterionResult, of_goal: bool) -> CheckedCriterion {
    CheckedCriterion {
        criterion: "file exists: a".to_owned(),
        source: CriterionSource::Task,
        task_id: None,
        words: None,
        result,
        found: String::new(),
        evidence: None,
        of_goal,
    }
}

#[test]
fn tasks_that_succeed_prove_nothing_and_what_is_left_out_lowers_the_verdict() {
    // spec: findings HE-01 HE-04
    use CriterionResult::{Holds, Unchecked};
    let verdict = |criteria: Vec<CheckedCriterion>| assess(criteria, ClaimCounts::default()).verdict;
    assert_eq!(verdict(Vec::new()), Verdict::Unverified);
    assert_eq!(verdict(vec![criterion(Holds, false)]), Verdict::Unverified);
    assert_eq!(verdict(vec![criterion(Holds, true), criterion(Unchecked, false)]), Verdict::Unverified);
    assert_eq!(verdict(vec![criterion(Holds, true), criterion(Holds, false)]), Verdict::Verified);
    let found = Some(assess(vec![criterion(Holds, true)], ClaimCounts::default()));
    let plan = paris_plan();
    let lowered = assessment::with_left_out(found, plan.subtasks.iter().take(1));
    assert_eq!((lowered.verdict, lowered.total, lowered.held), (Verdict::Unverified, 2, 1));
    assert!(assessment::unchecked(&lowered)[0].contains("left out"), "{lowered:?}");
}

proptest! {
    #[test]
    fn one_criterion_that_fails_is_enough(kinds in prop::collection::vec((0..3_u8, any::<bool>()), 0..150)) {
        let result = |kind| [CriterionResult::Holds, CriterionResult::Unchecked, CriterionResult::Fails][usize::from(kind)];
        let criteria: Vec<_> = kinds.iter().map(|(kind, of_goal)| criterion(result(*kind), *of_goal)).collect();
        let assessed = assess(criteria, ClaimCounts::default());
        let fails = kinds.iter().any(|(kind, _)| *kind == 2);
        prop_assert_eq!(assessed.verdict == Verdict::NotMet, fails);
        prop_assert_eq!(assessment::unmet(&assessed).is_empty(), !fails);
        if assessed.verdict == Verdict::Verified {
            prop_assert!(kinds.iter().all(|(kind, _)| *kind == 0) && kinds.iter().any(|(_, of_goal)| *of_goal));
        }
        prop_assert!(assessed.criteria.len() <= assessment::LISTED);
    }

    #[test]
    fn claims_are_read_from_anything(text in ".{0,200}") {
        let _ = claimed(json!({ "text": text, "file": text, "files": [text] }));
        let _ = problems(&text);
    }
}
