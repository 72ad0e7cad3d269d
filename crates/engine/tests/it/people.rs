//! People: the approval gate, adjustments, rejection, and answers that do not fit.

use candor_engine::{Input, Refusal};
use candor_model::{
    Adjustment, Answer, ApprovalAction, EventBody, GuidanceAction, HumanApprovalDecision, PlanId, Question,
    RunSettings, RunStatus,
};
use candor_testkit::fixtures::{self, confidence, paris_plan, plan_of, seconds, task_id};
use candor_testkit::scenario::Scenario;
use serde_json::json;

fn unsure() -> Scenario {
    Scenario::of(plan_of(paris_plan().subtasks, 0.45), RunSettings::default())
}

fn adjustment(task: &str, field: &str, new_value: serde_json::Value) -> Adjustment {
    Adjustment { task_id: task_id(task), field: field.to_owned(), new_value }
}

#[test]
fn a_plan_below_the_threshold_waits_for_approval() {
    // spec: planning HA-01 HA-02 EN-08
    let run = unsure();
    let asked = run.last.iter().filter(|body| matches!(body, EventBody::HumanAsked { .. }));
    assert_eq!(asked.count(), 1);
    assert!(run.running().is_empty());
    let plan = run.plan();
    assert!(plan.metadata.requires_approval && plan.metadata.execution_paused);
    assert!(!plan.metadata.low_confidence_reasons.is_empty());
    let exactly = Scenario::of(plan_of(paris_plan().subtasks, 0.5), RunSettings::default());
    assert!(!exactly.running().is_empty(), "exactly 0.5 needs no approval");
}

#[test]
fn a_person_may_take_their_time() {
    // spec: planning HA-09
    let mut run = unsure();
    run.wait(30.0);
    assert_eq!(run.state.status(), RunStatus::WaitingHuman);
    run.decide_on_plan(ApprovalAction::Approve, Vec::new());
    assert_eq!(run.started(), ["task_001", "task_003"]);
}

#[test]
fn approval_is_noted_with_the_confidence_it_overrides() {
    // spec: planning HA-05
    let mut run = unsure();
    run.decide_on_plan(ApprovalAction::Approve, Vec::new());
    let note = run.last.iter().find_map(|body| match body {
        EventBody::PlanApproved { note, .. } => Some(note.as_str()),
        _ => None,
    });
    assert_eq!(note, Some("Plan plan_xyz789 approved by human despite confidence 0.45"));
}

#[test]
fn an_adjusted_plan_is_executed_with_its_changes_and_no_revision() {
    // spec: planning HA-06 EN-19
    let mut run = unsure();
    run.decide_on_plan(ApprovalAction::Adjust, vec![adjustment("task_003", "priority", json!(10))]);
    assert_eq!(run.plan().task(&task_id("task_003")).unwrap().priority.get(), 10);
    assert_eq!(run.plan().metadata.revisions_made(), 0);
    assert!(!run.plan().metadata.requires_approval);
    assert_eq!(run.started(), ["task_001", "task_003"]);
}

#[test]
fn a_bad_adjustment_changes_nothing_and_the_question_stays_open() {
    // spec: planning WF-10
    let mut run = unsure();
    let before = run.state.clone();
    for bad in [
        adjustment("task_999", "priority", json!(10)),
        adjustment("task_001", "colour", json!("red")),
        adjustment("task_001", "priority", json!(99)),
        adjustment("task_001", "agent_type", json!("nobody")),
        adjustment("task_001", "dependencies", json!(["task_004"])),
    ] {
        let (gate, _) = run.question();
        let decision = HumanApprovalDecision {
            adjustments: vec![bad.clone()],
            ..HumanApprovalDecision::new(paris_plan().plan_id, ApprovalAction::Adjust)
        };
        let refusal = run.try_take(Input::Answered { gate, answer: Answer::Approval(decision) }).unwrap_err();
        assert!(matches!(refusal, Refusal::Adjustment(_) | Refusal::AdjustedPlan(_)), "{refusal}");
        assert!(!refusal.to_string().is_empty());
        assert_eq!(run.state, before, "{bad:?}");
    }
}

#[test]
fn a_rejected_plan_never_runs() {
    // spec: planning HA-07
    let mut run = unsure();
    run.decide_on_plan(ApprovalAction::Reject, Vec::new());
    let Some(EventBody::RunAborted { error, .. }) = run.last.last() else { panic!("{:?}", run.last) };
    assert_eq!(error.kind(), candor_model::ErrorKind::PlanRejectedError);
    assert_eq!(error.to_string(), "Plan rejected by human reviewer");
    assert!(run.told().iter().any(|notice| format!("{notice:?}").to_lowercase().contains("reject")));
    assert!(run.running().is_empty());
}

#[test]
fn an_answer_must_fit_an_open_question_and_counts_once() {
    // spec: planning HA-08
    // spec: beyond BY-03
    let mut run = unsure();
    let (gate, _) = run.question();
    let decision = |plan: &str| {
        Answer::Approval(HumanApprovalDecision::new(PlanId::new(plan).unwrap(), ApprovalAction::Approve))
    };
    let other = run.try_take(Input::Answered { gate: gate.clone(), answer: decision("plan_other") });
    assert!(matches!(other, Err(Refusal::WrongPlan { .. })));
    run.take(Input::Answered { gate: gate.clone(), answer: decision("plan_xyz789") });
    let twice = run.try_take(Input::Answered { gate, answer: decision("plan_xyz789") });
    assert!(matches!(twice, Err(Refusal::UnknownGate { .. })));
}

#[test]
fn a_revision_that_leaves_too_little_confidence_asks_again() {
    // spec: planning HA-14
    let mut plan = plan_of(paris_plan().subtasks, 0.55);
    plan.subtasks[2].description = candor_model::Text::or("Choose museums and parks", "-");
    let mut run = Scenario::of(plan, RunSettings::default());
    run.fail("task_001", "Agent timeout after 10s");
    assert_eq!(run.state.confidence(), Some(confidence(0.45)));
    let (gate, Question::Approval { version, .. }) = run.question() else { panic!("no approval asked") };
    assert_eq!(version.0, 2);
    assert!(run.started().is_empty(), "nothing starts before the answer");
    // A sibling turns out to be too much meanwhile: the plan that was shown no longer exists.
    run.fail("task_003", "Task too complex to execute");
    let withdrawn = run
        .last
        .iter()
        .any(|body| matches!(body, EventBody::QuestionWithdrawn { gate: old, .. } if *old == gate));
    assert!(withdrawn);
    let (newer, _) = run.question();
    assert_ne!(newer, gate);
}

#[test]
fn questions_open_at_the_same_time_are_answered_in_any_order() {
    // spec: beyond BY-03
    let settings = RunSettings { escalate_after_failures: 1, ..RunSettings::default() };
    let mut run = Scenario::of(paris_plan(), settings);
    run.fail("task_001", "Error 1");
    run.fail("task_003", "Error 2");
    let gates: Vec<_> = run.state.open_questions().keys().cloned().collect();
    assert_eq!(gates.len(), 2);
    let retry = |agent: &str| {
        Answer::Guidance(candor_model::Guidance {
            action: GuidanceAction::Retry,
            agent_type: Some(fixtures::agent_type(agent)),
            inputs: fixtures::object(json!({ "radius": 5 })),
            comments: String::new(),
        })
    };
    run.take(Input::Answered { gate: gates[1].clone(), answer: retry("activity_agent") });
    assert!(run.started().is_empty(), "the other question is still open");
    run.take(Input::Answered { gate: gates[0].clone(), answer: retry("flight_agent") });
    assert_eq!(run.started(), ["task_001", "task_003"]);
    assert_eq!(run.plan().subtasks[0].inputs["radius"], json!(5));
}

#[test]
fn an_unknown_agent_in_guidance_is_refused_by_name() {
    let settings = RunSettings { escalate_after_failures: 1, ..RunSettings::default() };
    let mut run = Scenario::of(paris_plan(), settings);
    run.fail("task_001", "Error 1");
    let (gate, _) = run.question();
    let guidance = candor_model::Guidance {
        action: GuidanceAction::Retry,
        agent_type: Some(fixtures::agent_type("nobody")),
        inputs: candor_model::JsonMap::new(),
        comments: String::new(),
    };
    let refusal = run.try_take(Input::Answered { gate, answer: Answer::Guidance(guidance) }).unwrap_err();
    assert!(
        refusal.to_string().contains("nobody") && refusal.to_string().contains("flight_agent"),
        "{refusal}"
    );
}

#[test]
fn low_but_sufficient_confidence_is_mentioned() {
    let run = Scenario::of(plan_of(paris_plan().subtasks, 0.6), RunSettings::default());
    assert!(run.told().iter().any(|notice| notice.severity() == candor_model::Severity::Warning));
    assert_eq!(run.plan().estimated_total_duration, seconds(80.0));
}
