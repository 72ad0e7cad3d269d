//! Approval, adjustments and escalation.
use candor_model::{
    Adjustment, AgentType, ApprovalPolicy, GoalType, Plan, RecommendedAction, RunSettings, TaskStatus,
};
use candor_planning::approval::{
    AdjustmentError, Discussion, adjust, approval_note, changed_tasks, needs_approval, reasons, request,
};
use candor_planning::recovery::person;
use candor_testkit::{arbitrary, fixtures};
use fixtures::{agent_type, confidence, paris_goal, paris_plan, seconds, task_id};
use proptest::prelude::*;
use serde_json::{Value, json};

fn unsure_plan() -> Plan {
    Plan { confidence_score: confidence(0.45), ..paris_plan() }
}

fn set(task: &str, field: &str, new_value: Value) -> Adjustment {
    Adjustment { task_id: task_id(task), field: field.to_owned(), new_value }
}

#[test]
fn the_gate_opens_below_a_half_and_not_at_it() {
    // spec: planning HA-01 HA-14
    let settings = RunSettings::default();
    assert!(needs_approval(confidence(0.45), &settings));
    assert!(!needs_approval(confidence(0.50), &settings));
    assert!(needs_approval(confidence(0.55).shifted(-0.15), &settings), "a revision can open the gate");
    let always = RunSettings { approval: ApprovalPolicy::Always, ..settings };
    assert!(needs_approval(confidence(1.0), &always));
}

#[test]
fn an_unsure_plan_without_any_flaw_still_has_a_reason() {
    // spec: planning HA-03
    let settings = RunSettings::default();
    let found = reasons(&unsure_plan(), Some(&paris_goal()), &settings);
    assert_eq!(found.to_vec(), ["Plan confidence 0.45 is below 0.50"]);
    let asked = reasons(&paris_plan(), Some(&paris_goal()), &settings);
    assert_eq!(asked.to_vec(), ["Every plan needs approval (confidence 0.85)"]);
}

#[test]
fn every_signal_of_doubt_is_a_reason() {
    // spec: planning HA-03
    let mut goal = paris_goal();
    goal.goal_type = GoalType::GENERIC;
    goal.constraints.truncate(2);
    let mut plan = unsure_plan();
    for task in &mut plan.subtasks {
        task.metadata.ranking[0].score = 0.6;
    }
    plan.subtasks[3].agent_type = AgentType::tbd();
    plan.metadata.low_confidence_reasons = vec!["The destination is not known".to_owned()];
    let found = reasons(&plan, Some(&goal), &RunSettings::default()).join("\n");
    for part in ["Unusual goal type", "0.60 on average", "task_004", "destination"] {
        assert!(found.contains(part), "{part} in {found}");
    }
    // Where the chance of being right is known, it is what counts.
    for (chance, low) in [(0.8, false), (0.3, true)] {
        plan.subtasks[0].metadata.ranking[0].chance = Some(chance);
        let found = reasons(&plan, Some(&goal), &RunSettings::default()).join("\n");
        assert_eq!(found.contains("Low assignment confidence"), low, "{found}");
    }
    // spec: findings RC-15
    assert!(!found.contains("no specific dates"), "nobody knows whether such a goal needs dates: {found}");
    goal.goal_type = paris_goal().goal_type;
    let found = reasons(&plan, Some(&goal), &RunSettings::default()).join("\n");
    assert!(found.contains("no specific dates"), "{found}");
}

#[test]
fn a_plan_that_failures_have_changed_is_asked_about_for_that_reason() {
    // spec: findings RC-15
    let mut plan = paris_plan();
    plan.confidence_score = confidence(0.45);
    plan.metadata.revisions = vec![candor_model::PlanRevision {
        revision_id: candor_model::RevisionId::numbered(1),
        original_plan_id: plan.plan_id.clone(),
        trigger: "1 failures, 0 violations".to_owned(),
        changes: candor_model::NonEmpty::one("Retry task task_001 with agent b".to_owned()),
        new_subtasks: Vec::new(),
        removed_task_ids: Vec::new(),
        modified_task_ids: Vec::new(),
        confidence_delta: candor_model::Penalty::new(-0.1).unwrap(),
        details: candor_model::RevisionDetails::default(),
    }];
    plan.metadata.low_confidence_reasons = vec!["Guessed: the year of May".to_owned()];
    let found = reasons(&plan, Some(&paris_goal()), &RunSettings::default()).to_vec();
    assert_eq!(
        found,
        [
            "Confidence fell from 0.55 to 0.45 because of failures. Last change: Retry task task_001 with agent b"
        ]
    );
}

#[test]
fn reasons_kept_from_an_earlier_request_are_worked_out_anew() {
    // spec: planning HA-03 HA-14
    let settings = RunSettings::default();
    let mut plan = unsure_plan();
    plan.metadata.low_confidence_reasons = reasons(&plan, None, &settings).into_vec();
    plan.confidence_score = confidence(0.35);
    assert_eq!(reasons(&plan, None, &settings).to_vec(), ["Plan confidence 0.35 is below 0.50"]);
}

#[test]
fn a_request_shows_the_plan_and_recommends_a_review() {
    // spec: planning HA-04 EN-17
    let request =
        request(&unsure_plan(), Some(&paris_goal()), &RunSettings::default(), Discussion::default());
    assert_eq!(request.recommended_action, RecommendedAction::ReviewAndAdjust);
    assert_eq!(request.confidence_score, confidence(0.45));
    let lines: Vec<&str> = request.plan_summary.lines().collect();
    assert_eq!(lines[0], "4 tasks:");
    assert_eq!(
        lines[2],
        "2. Find hotels in central Paris for 3 nights (task_002) by hotel_agent, 25 s, stated in the plan, after task_001"
    );
    assert_eq!(lines.len(), 5);
}

#[test]
fn an_approval_is_noted_with_the_confidence_it_overrode() {
    // spec: planning HA-05
    assert_eq!(approval_note(&unsure_plan()), "Plan plan_xyz789 approved by human despite confidence 0.45");
}

#[test]
fn an_adjustment_changes_the_copy_and_not_the_original() {
    // spec: planning EN-19 HA-06
    let mut plan = unsure_plan();
    plan.metadata.requires_approval = true;
    let before = plan.clone();
    let adjusted = adjust(&plan, &[set("task_002", "priority", json!(10))]).unwrap();
    assert_eq!(plan, before);
    assert_eq!(adjusted.subtasks[1].priority.get(), 10);
    assert!(!adjusted.metadata.requires_approval);
    assert_eq!(adjusted.metadata.revision_count, 0, "an adjustment is no revision");
    assert_eq!(changed_tasks(&plan, &adjusted), [task_id("task_002")]);
}

#[test]
fn every_field_of_a_definition_can_be_adjusted() {
    // spec: planning EN-19
    let adjustments = [
        set("task_001", "agent_type", json!("backup_flight_agent")),
        set("task_001", "inputs", json!({ "from": "Berlin" })),
        set("task_001", "inputs.max_price", json!(500)),
        set("task_001", "expected_outputs", json!(["flights"])),
        set("task_001", "estimated_duration_seconds", json!(40)),
        set("task_001", "retry_policy", json!({ "max_retries": 2, "backoff_seconds": 1 })),
        set("task_003", "dependencies", json!(["task_001"])),
        set("task_004", "description", json!("Check the sum")),
        set("task_004", "agent_type", json!("validation_agent")),
    ];
    let plan = adjust(&paris_plan(), &adjustments).unwrap();
    let flight = &plan.subtasks[0];
    assert_eq!(flight.agent_type, agent_type("backup_flight_agent"));
    assert_eq!(Value::Object(flight.inputs.clone()), json!({ "from": "Berlin", "max_price": 500 }));
    assert_eq!(flight.expected_outputs, ["flights"]);
    assert_eq!(flight.retry_policy.unwrap().max_retries, 2);
    assert_eq!(plan.subtasks[2].dependencies, [task_id("task_001")]);
    assert_eq!(plan.subtasks[3].agent_type, agent_type("validation_agent"));
    assert_eq!(plan.estimated_total_duration, seconds(90.0));
    let cleared = adjust(&plan, &[set("task_001", "retry_policy", Value::Null)]).unwrap();
    assert_eq!(cleared.subtasks[0].retry_policy, None);
}

#[test]
fn a_task_with_a_new_description_is_routed_anew() {
    // spec: planning HA-06
    let plan = adjust(&paris_plan(), &[set("task_001", "description", json!("Search trains"))]).unwrap();
    assert!(plan.subtasks[0].agent_type.is_tbd() && plan.subtasks[0].metadata.ranking.is_empty());
    let same = paris_plan().subtasks[0].description.as_str().to_owned();
    let plan = adjust(&paris_plan(), &[set("task_001", "description", json!(same))]).unwrap();
    assert_eq!(plan, paris_plan(), "the same words change nothing");
}

#[test]
fn bad_adjustments_name_task_and_field() {
    // spec: planning EN-19
    let plan = paris_plan();
    let wrong = |adjustment: Adjustment| adjust(&plan, &[adjustment]).unwrap_err();
    let error = wrong(set("task_999", "priority", json!(1)));
    assert!(matches!(&error, AdjustmentError::UnknownTask { task_id, .. } if task_id.as_str() == "task_999"));
    for field in ["colour", "status", "task_id", "metadata", "inputs.", "input.max_price", ""] {
        let error = wrong(set("task_001", field, json!(1)));
        assert!(
            matches!(&error, AdjustmentError::UnknownField { field: named, .. } if named == field),
            "{error}"
        );
    }
    for (field, value) in [
        ("priority", json!(99)),
        ("description", json!("  ")),
        ("dependencies", json!("task_001")),
        ("estimated_duration_seconds", json!(-1)),
        ("retry_policy", json!({ "max_retries": -1 })),
    ] {
        let error = wrong(set("task_001", field, value));
        assert!(matches!(error, AdjustmentError::BadValue { .. }), "{error}");
        assert!(error.to_string().contains("task_001") && error.to_string().contains(field), "{error}");
    }
}

#[test]
fn adjustments_that_break_the_plan_are_refused_whole() {
    // spec: planning EN-19 HA-06
    let plan = paris_plan();
    let before = plan.clone();
    for bad in [json!(["task_004"]), json!(["task_001"]), json!(["task_999"])] {
        let list = [set("task_002", "priority", json!(1)), set("task_001", "dependencies", bad)];
        let error = adjust(&plan, &list).unwrap_err();
        assert!(matches!(error, AdjustmentError::Invalid(_)), "{error}");
    }
    assert_eq!(plan, before);
}

#[test]
fn what_happened_to_a_task_does_not_change_its_definition() {
    let plan = paris_plan();
    let mut later = plan.clone();
    later.subtasks[0].status = TaskStatus::Failed;
    later.subtasks[0].metadata.failure_count = 2;
    assert!(changed_tasks(&plan, &later).is_empty());
    for change in [
        set("task_001", "description", json!("x")),
        set("task_001", "agent_type", json!("x")),
        set("task_001", "inputs.x", json!(1)),
        set("task_001", "expected_outputs", json!(["x"])),
        set("task_001", "priority", json!(1)),
        set("task_001", "estimated_duration_seconds", json!(1)),
        set("task_001", "retry_policy", json!({ "max_retries": 1, "backoff_seconds": 1 })),
    ] {
        let adjusted = adjust(&plan, std::slice::from_ref(&change)).unwrap();
        assert_eq!(changed_tasks(&plan, &adjusted), [task_id("task_001")], "{change:?}");
    }
    later.subtasks[1].task_id = task_id("task_002_retry");
    assert_eq!(changed_tasks(&plan, &later), [task_id("task_002_retry")]);
}

/// A task that has failed with so many agents, twice with each.
fn failed_with(agents: usize) -> candor_model::SubTask {
    let mut task = paris_plan().subtasks[0].clone();
    let names = ["a", "b", "c", "d"];
    for name in names.iter().take(agents).flat_map(|name| [name, name]) {
        task.metadata.failure_count += 1;
        task.metadata.tried.push(candor_model::Tried {
            agent_type: agent_type(name),
            call: "call".to_owned(),
            kind: candor_model::FailureKind::Timeout,
            transience: candor_model::Transience::Transient,
            cause: "no answer".to_owned(),
        });
    }
    task
}

#[test]
fn the_third_way_that_fails_goes_to_a_person() {
    // spec: planning HA-10
    let settings = RunSettings::default();
    let due = |agents, settings| person::is_due(&failed_with(agents), settings);
    assert_eq!((1..=4).map(|n| due(n, &settings)).collect::<Vec<_>>(), [false, false, true, true]);
    let never_failed = RunSettings { escalate_after_failures: 0, ..RunSettings::default() };
    assert!(!due(0, &never_failed) && due(1, &never_failed));
}

#[test]
fn an_escalation_tells_the_history_and_what_can_be_done() {
    // spec: planning EN-20
    let mut task = paris_plan().subtasks[0].clone();
    task.metadata.failure_count = 3;
    task.metadata.errors_history = vec!["Agent timeout after 10s".to_owned(); 3];
    task.metadata.failed_agents = vec![agent_type("flight_agent")];
    let request = person::request(&task);
    assert_eq!(request.failure_count, 3);
    assert_eq!(request.errors, vec!["Agent timeout after 10s"; 3]);
    let actions = request.suggested_actions.join("\n");
    for part in ["retry", "backup_flight_agent", "Skip", "Abort"] {
        assert!(actions.contains(part), "{part} in {actions}");
    }
    task.metadata.failed_agents.push(agent_type("backup_flight_agent"));
    let actions = person::request(&task).suggested_actions.join("\n");
    assert!(actions.contains("hotel_agent") && !actions.contains("backup_flight_agent"), "{actions}");
    task.metadata.ranking.clear();
    assert_eq!(person::request(&task).suggested_actions.len(), 3, "nobody is named where nobody is left");
}

fn any_adjustment() -> impl Strategy<Value = Adjustment> {
    let fields = vec![
        "description",
        "agent_type",
        "dependencies",
        "inputs",
        "inputs.max_price",
        "expected_outputs",
        "priority",
        "estimated_duration_seconds",
        "retry_policy",
        "status",
        "",
    ];
    let values = vec![
        json!(5),
        json!(null),
        json!("text"),
        json!(["task_001"]),
        json!([]),
        json!({}),
        json!(-1),
        json!("TBD"),
        json!({ "max_retries": 1, "backoff_seconds": 5 }),
    ];
    (1..=6usize, prop::sample::select(fields), prop::sample::select(values)).prop_map(
        |(n, field, new_value)| Adjustment {
            task_id: candor_model::TaskId::numbered(n),
            field: field.to_owned(),
            new_value,
        },
    )
}

proptest! {
    #[test]
    fn adjusted_plans_are_sound_and_name_what_changed(
        plan in arbitrary::sound_plan(5),
        list in prop::collection::vec(any_adjustment(), 0..4),
    ) {
        let Ok(adjusted) = adjust(&plan, &list) else { return Ok(()) };
        prop_assert!(candor_planning::dependencies::check(&adjusted.subtasks).is_valid);
        prop_assert_eq!(adjusted.estimated_total_duration, adjusted.total_estimate());
        let touched: Vec<_> = list.iter().map(|adjustment| adjustment.task_id.clone()).collect();
        prop_assert!(changed_tasks(&plan, &adjusted).iter().all(|task| touched.contains(task)));
        prop_assert!(changed_tasks(&adjusted, &adjusted).is_empty());
    }

    #[test]
    fn every_plan_gives_a_request_with_reasons(plan in arbitrary::any_plan(8), always in any::<bool>()) {
        let approval = if always { ApprovalPolicy::Always } else { ApprovalPolicy::WhenUnsure };
        let settings = RunSettings { approval, ..RunSettings::default() };
        prop_assert_eq!(needs_approval(plan.confidence_score, &settings), always || plan.confidence_score.get() < 0.5);
        let request = request(&plan, None, &settings, Discussion::default());
        prop_assert_eq!(request.reasons.to_vec(), reasons(&plan, None, &settings).to_vec());
        prop_assert!(!request.reasons.is_empty() && request.reasons.iter().all(|reason| !reason.is_empty()));
        prop_assert_eq!(request.plan_summary.lines().count(), plan.subtasks.len() + 1);
        prop_assert!(approval_note(&plan).contains("plan_xyz789"));
    }

    #[test]
    fn every_task_can_be_escalated(task in arbitrary::task(1), failures in 0..5u32) {
        let mut task = task;
        task.metadata.failure_count = failures;
        let request = person::request(&task);
        prop_assert_eq!(request.failure_count, failures);
        prop_assert!(request.suggested_actions.len() >= 2);
        prop_assert_eq!(person::is_due(&task, &RunSettings::default()), failures >= 3);
    }
}
