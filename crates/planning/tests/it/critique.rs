//! The five checks of a phase's work, and what follows from them.
use std::collections::BTreeMap;
use std::sync::Arc;

use candor_model::{
    Confidence, CritiqueChecks, CritiqueVerdict, ExecutionFeedback, Failure, FailureKind, FeedbackType,
    Handoff, JsonMap, Money, Phase, PlanId, PlanOutcome, Seconds, SpokenBy, SubTask, TaskId, Text, Timestamp,
};
use candor_planning::critique::{
    Work, checks, cost_check, decide, expected_tokens, of_execution, overlap, stems, stop_alternatives,
    unanswered, verdict,
};
use candor_testkit::fixtures::{object, paris_plan};
use candor_text::Language;
use proptest::prelude::*;
use serde_json::json;

const PARIS: &str = "Plan a 3-day trip to Paris in May with a $2000 budget";

fn handoff(summary: &str, data: serde_json::Value) -> Handoff {
    Handoff::new(SpokenBy::Model, summary.to_owned(), object(data))
}

fn judged(phase: Phase, handoff: &Handoff, expected_tokens: u64, past: &[&str]) -> CritiqueChecks {
    let past_errors: Vec<String> = past.iter().map(|&error| error.to_owned()).collect();
    checks(&Work {
        phase,
        objective: PARIS,
        handoff,
        earlier: &BTreeMap::new(),
        said: "",
        expected_tokens: Some(expected_tokens),
        past_errors: &past_errors,
    })
}

#[test]
fn the_number_of_failed_checks_decides() {
    // spec: orchestrator SQ-04
    use CritiqueVerdict::{Continue, Refine, Stop};
    let by_model: Vec<_> = (0..=5).map(|failed| verdict(failed, 0, 2, SpokenBy::Model)).collect();
    assert_eq!(by_model, [Continue, Refine, Refine, Stop, Stop, Stop]);
    let by_rules: Vec<_> = (0..=5).map(|failed| verdict(failed, 0, 2, SpokenBy::Heuristic)).collect();
    assert_eq!(by_rules, [Continue, Continue, Continue, Stop, Stop, Stop], "rules would say the same again");
}

#[test]
fn a_phase_that_always_fails_is_carried_out_three_times_and_no_more() {
    // spec: orchestrator SQ-06
    let mut executions = 1;
    while verdict(1, executions - 1, 2, SpokenBy::Model) == CritiqueVerdict::Refine {
        executions += 1;
    }
    assert_eq!(executions, 3);
}

#[test]
fn confidence_must_be_above_seventy_and_nobodys_is_no_failure() {
    // spec: orchestrator SQ-02
    let mut work = handoff("done", json!({}));
    assert!(judged(Phase::PreAnalysis, &work, 50, &[]).confidence_level.pass);
    for (score, pass) in [(70, false), (71, true)] {
        work.context.confidence = Some(score);
        assert_eq!(judged(Phase::PreAnalysis, &work, 50, &[]).confidence_level.pass, pass, "{score}");
    }
}

#[test]
fn half_as_much_again_as_expected_is_reasonable() {
    // spec: orchestrator SQ-02
    let mut work = handoff("done", json!({}));
    for (tokens, pass) in [(150, true), (151, false)] {
        work.context.tokens_consumed = tokens;
        let checks = judged(Phase::PreAnalysis, &work, 100, &[]);
        assert_eq!(checks.cost_efficiency.pass, pass, "{tokens}");
        let again = decide(&checks, 0, 2, SpokenBy::Model);
        assert_eq!(again, CritiqueVerdict::Continue, "to do it again would take even more");
    }
}

#[test]
fn an_output_about_something_else_is_seen() {
    // spec: orchestrator SQ-02
    let about = |text: &str| {
        judged(Phase::Decomposition, &handoff("2 tasks", json!({ "subtasks": [text] })), 450, &[])
    };
    let right = about("Find hotels in central Paris for 3 nights. Validate total cost against $2,000 budget");
    assert!(right.objective_alignment.pass, "{:?}", right.objective_alignment);
    let wrong = about("Write unit tests for the login form and deploy the server to production");
    assert!(!wrong.objective_alignment.pass, "{:?}", wrong.objective_alignment);
    assert_eq!(decide(&wrong, 0, 2, SpokenBy::Model), CritiqueVerdict::Refine);
}

#[test]
fn what_went_wrong_before_is_recognised() {
    // spec: orchestrator SQ-02 SQ-08
    let work = handoff("login form validated only on the client side", json!({ "text": PARIS }));
    let known = ["the login form was validated on the client side only", "wrong colour of the header"];
    let checks = judged(Phase::Planning, &work, 400, &known);
    assert_eq!(checks.similar_to_past_error.matched_errors, known[..1]);
    assert!(judged(Phase::Planning, &work, 400, &known[1..]).similar_to_past_error.pass);
    let many = ["x y z", "a b c", "d e f", "g h i", "j k l", known[0]];
    assert!(judged(Phase::Planning, &work, 400, &many).similar_to_past_error.pass, "five are looked at");
}

#[test]
fn what_does_not_fit_is_named() {
    // spec: orchestrator SQ-02 HO-05
    let tasks = json!({ "subtasks": [{ "task_id": "task_001", "description": PARIS, "dependencies": ["task_009"] }] });
    let issues = judged(Phase::Decomposition, &handoff("", tasks), 450, &[]).consistency_with_project.issues;
    assert!(issues.iter().any(|issue| issue.contains("task_009")), "{issues:?}");
    assert!(issues.iter().any(|issue| issue.contains("summary")), "{issues:?}");
    let mut before = handoff("tasks", json!({}));
    before.instructions.must_include = vec!["travel insurance".to_owned(), "hotel".to_owned()];
    let earlier = BTreeMap::from([(Phase::Decomposition, Arc::new(before))]);
    let plan = handoff("a plan", json!({ "hotels": 2 }));
    let work = Work {
        phase: Phase::Planning,
        objective: PARIS,
        handoff: &plan,
        earlier: &earlier,
        said: "flights to Paris",
        expected_tokens: Some(400),
        past_errors: &[],
    };
    let issues = checks(&work).consistency_with_project.issues;
    assert!(issues.len() == 1 && issues[0].contains("travel insurance"), "{issues:?}");
}

#[test]
fn a_stopped_phase_offers_ways_out() {
    // spec: orchestrator SQ-07
    let mut work = handoff("login form validated only on the client side", json!({}));
    work.context.confidence = Some(10);
    work.context.tokens_consumed = 100;
    let checks = judged(Phase::Planning, &work, 0, &["the login form was validated on the client side only"]);
    assert!(checks.failed().len() >= 3, "{:?}", checks.failed());
    assert_eq!(decide(&checks, 0, 2, SpokenBy::Heuristic), CritiqueVerdict::Stop);
    let ways = stop_alternatives(Phase::Planning, &checks);
    assert!(ways[0].contains("login form"), "{ways:?}");
    assert!(ways.len() > checks.failed().len());
}

#[test]
fn the_execution_of_the_example_passes() {
    // spec: orchestrator SQ-02
    let done = Handoff::new(SpokenBy::Heuristic, "4 of 4 tasks done".to_owned(), JsonMap::new());
    let checks = of_execution(PARIS, &paris_plan().subtasks, &done, &[], Some(800));
    assert_eq!(checks.failed(), Vec::<String>::new());
}

#[test]
fn stems_bring_forms_of_a_word_together_in_both_languages() {
    for (language, one, other) in [
        (Language::En, "planning", "plan"),
        (Language::En, "hotels", "hotel"),
        (Language::En, "the traveler's", "travelers"),
        (Language::Es, "viajes", "viaje"),
        (Language::Es, "reservar", "reserva"),
        (Language::Es, "reservación", "reservas"),
        (Language::En, "$2,000", "2000"),
    ] {
        assert_eq!(stems(one, language), stems(other, language), "{one}");
        assert_eq!(stems(one, language).len(), 1, "{one}");
    }
    assert!(stems("what is the por para una", Language::En).is_empty());
}

proptest! {
    #[test]
    fn overlap_is_a_share_and_alike_both_ways(one in any::<String>(), other in any::<String>()) {
        let (one, other) = (stems(&one, Language::En), stems(&other, Language::En));
        let shared = overlap(&one, &other);
        prop_assert!((0.0..=1.0).contains(&shared));
        prop_assert_eq!(shared, overlap(&other, &one));
        prop_assert!(one.is_empty() || overlap(&one, &one) == 1.0);
    }

    #[test]
    fn the_words_that_are_not_read_to_the_end_change_no_share(
        said in prop::collection::vec(prop::sample::select(vec![
            "Paris", "trips", "days", "planned", "plans", "parties", "budgets", "buds", "2000", "$2,000", "maybe", "May",
            "pizza", "cities", "travelling", "3", "bus", "triples", "the", "día", "época",
        ]), 1..40)
    ) {
        let said = said.join(" ");
        let alignment = judged(Phase::Evaluation, &handoff(&said, json!({})), 0, &[]).objective_alignment;
        let share = overlap(&stems(PARIS, Language::En), &stems(&said, Language::En));
        prop_assert_eq!(f64::from(alignment.confidence), (share * 100.0).round(), "{}", said);
    }
}

fn task_with(description: &str, outputs: serde_json::Value) -> (SubTask, ExecutionFeedback) {
    let description = Text::new(description.to_owned()).unwrap();
    let task = SubTask::new(TaskId::numbered(1), description, vec!["report".to_owned()]);
    let result = ExecutionFeedback {
        feedback_type: FeedbackType::Success,
        actual_outputs: object(outputs),
        ..ExecutionFeedback::failed(
            task.task_id.clone(),
            Failure::new(FailureKind::TaskError, "none"),
            Seconds::ZERO,
            Timestamp::EPOCH,
        )
    };
    (task, result)
}

#[test]
fn a_result_that_is_no_answer_is_found_and_others_are_left_alone() {
    let request = "Summarise the complaints about the elevators of the north building";
    let fault = |outputs: serde_json::Value| {
        let (task, result) = task_with("Summarise the complaints about the elevators", outputs);
        unanswered(request, "", &[(&task, &result)]).pop().map(|found| found.is_certain)
    };
    let certain = [
        json!({ "report": "" }),
        json!({ "report": null, "rows": [] }),
        json!({ "report": "TODO" }),
        json!({ "report": "I'm sorry, but I cannot access the tickets." }),
    ];
    for outputs in certain {
        assert_eq!(fault(outputs.clone()), Some(true), "{outputs}");
    }
    let strange = "It is a fine day for a walk, and the birds in my garden sing all of their songs to me.";
    assert_eq!(fault(json!({ "report": strange })), Some(false));
    let good = [
        json!({}),
        json!({ "report": "14" }),
        json!({ "report": "Hoy es un buen día para salir con los niños y con todos los perros a la calle." }),
        json!({ "count": 0 }),
        json!({ "report": "Most of the people say that they have to wait for the elevators in the morning." }),
        json!({ "species": ["Asplenium trichomanes", "Dryopteris filix-mas", "Blechnum spicant", "Osmunda regalis"] }),
        json!({ "text": "Die Aufzüge stehen morgens still, und niemand kümmert sich um die vielen Beschwerden." }),
    ];
    for outputs in good {
        assert_eq!(fault(outputs.clone()), None, "{outputs}");
    }
}

#[test]
fn what_a_phase_is_expected_to_take_is_the_median_of_past_runs() {
    // spec: findings GL-12
    let past = |tokens: &[u64]| -> Vec<PlanOutcome> {
        let one = |tokens: &u64| PlanOutcome {
            plan_id: PlanId::new("plan_1").unwrap(),
            confidence_score: Confidence::FULL,
            success: true,
            execution_time: Seconds::ZERO,
            cost: Money::ZERO,
            phase_tokens: [(Phase::Planning, *tokens)].into(),
            request: None,
        };
        tokens.iter().map(one).collect()
    };
    assert_eq!(expected_tokens(&past(&[900, 0, 1_000]), Phase::Planning), None, "two runs tell nothing");
    let known = past(&[900, 1_100, 5_000]);
    assert_eq!(expected_tokens(&known, Phase::Planning), Some(1_100));
    assert_eq!(expected_tokens(&known, Phase::Context), None);
    assert!(cost_check(1_650, Some(1_100)).pass && !cost_check(1_651, Some(1_100)).pass);
    assert!(cost_check(1_000_000, None).pass, "nothing is unreasonable that nobody has measured");
}
