//! Rules of a pack applied to failures, in a domain that has no pack: moving house.
use std::sync::Arc;

use candor_model::{
    ExecutionFeedback, Failure, FailureKind, FeedbackType, JsonMap, PackRules, Plan, PlanRevision, SubTask,
    Timestamp,
};
use candor_planning::recovery::budget_rule::{Cap, Fit, fit};
use candor_planning::recovery::pack_rules::{Case, RuleChange, apply};
use candor_planning::replan::{ReplanContext, ReplanRefusal, Replanned, replan};
use candor_testkit::fixtures;
use serde_json::{Value, json};

/// A van, boxes, and a check of what both cost.
fn moving(rules: Value) -> Plan {
    let task = |n, words, needs: &[usize], category, inputs: Value| {
        let mut task = fixtures::simple_task(n, words, needs, "agent");
        task.inputs = fixtures::object(inputs);
        task.metadata.other.insert("category".to_owned(), json!(category));
        task
    };
    let tasks = vec![
        task(1, "Rent a van", &[], "van", json!({ "day": "2027-02-27", "km": 50 })),
        task(2, "Buy boxes", &[], "boxes", json!({ "count": 10 })),
        task(3, "Check the cost", &[1, 2], "check", json!({ "budget": 100 })),
    ];
    let mut plan = fixtures::plan_of(tasks, 0.8);
    plan.metadata.pack_rules = Some(Arc::new(candor_model::from_value(rules).unwrap()));
    plan
}

fn rules(plan: &Plan) -> &PackRules {
    plan.metadata.pack_rules.as_deref().unwrap()
}

fn failed(n: usize, word: &str) -> ExecutionFeedback {
    let mut feedback = fixtures::feedback(n, FeedbackType::Failure, &["not to be had"]);
    let mut failure = Failure::new(FailureKind::TaskError, "not to be had");
    failure.reported_kind = Some(word.to_owned());
    feedback.failure = Some(failure);
    feedback
}

fn done(n: usize, outputs: Value) -> Arc<ExecutionFeedback> {
    let mut feedback = fixtures::feedback(n, FeedbackType::Success, &[]);
    feedback.actual_outputs = fixtures::object(outputs);
    Arc::new(feedback)
}

fn applied(
    plan: &Plan,
    feedback: &ExecutionFeedback,
    reports: &[Arc<ExecutionFeedback>],
) -> Option<RuleChange> {
    let task = plan.task(&feedback.task_id).unwrap();
    apply(rules(plan), &Case { plan, task, feedback, reports, goal: None })
}

fn inputs(value: Value) -> JsonMap {
    fixtures::object(value)
}

fn one_rule(more: Value) -> Value {
    let mut rule =
        json!({ "name": "rule", "categories": ["van"], "words": ["taken"], "tell": "try {km} km" });
    rule.as_object_mut().unwrap().extend(inputs(more));
    json!({ "pack": "moving", "recovery": [rule] })
}

#[test]
fn a_rule_sets_multiplies_shifts_and_excludes() {
    let rule = json!({
        "set": { "size": "small" }, "multiply": { "km": 1.5, "absent": 2 }, "shift_days": { "day": 3, "km": 1 },
        "exclude": { "without": "chosen.name" }, "description": "Rent another van on {day}[ in {town}]",
    });
    let mut feedback = failed(1, "Taken");
    feedback.actual_outputs = inputs(json!({ "chosen": { "name": "Van 7" } }));
    let change = applied(&moving(one_rule(rule)), &feedback, &[]).unwrap();
    assert_eq!(change.task_id.as_str(), "task_001");
    assert_eq!(
        change.inputs,
        inputs(json!({ "day": "2027-03-02", "km": 75, "size": "small", "without": ["Van 7"] }))
    );
    assert_eq!(change.description.unwrap().as_str(), "Rent another van on 2027-03-02");
    assert_eq!(change.told, "try 75 km");
}

#[test]
fn a_rule_is_for_its_categories_and_failures_only() {
    let plan = moving(one_rule(json!({ "multiply": { "km": 2 }, "kinds": ["bad_output"] })));
    assert!(applied(&plan, &failed(1, "taken"), &[]).is_some());
    assert_eq!(applied(&plan, &failed(1, "closed"), &[]), None, "another word");
    assert_eq!(applied(&plan, &failed(2, "taken"), &[]), None, "another category");
    let mut garbage = failed(1, "closed");
    garbage.failure = Some(Failure::new(FailureKind::BadOutput, "no JSON"));
    assert!(applied(&plan, &garbage, &[]).is_some(), "one of its kinds");
}

#[test]
fn a_rule_that_would_change_nothing_does_not_apply() {
    // spec: findings RC-03
    let plan = moving(one_rule(json!({ "set": { "km": 50 } })));
    assert_eq!(applied(&plan, &failed(1, "taken"), &[]), None);
    let plan = moving(one_rule(json!({ "exclude": { "without": "chosen.name" } })));
    assert_eq!(applied(&plan, &failed(1, "taken"), &[]), None, "nobody says what was chosen");
}

fn replanned(
    plan: &Plan,
    feedback: &ExecutionFeedback,
    reports: &[Arc<ExecutionFeedback>],
) -> Result<Replanned, ReplanRefusal> {
    let settings = candor_model::RunSettings::default();
    let context = ReplanContext {
        goal: None,
        settings: &settings,
        now: Timestamp::EPOCH,
        agents: None,
        reports,
        by_person: false,
    };
    replan(plan, std::slice::from_ref(feedback), &context)
}

#[test]
fn a_rule_applies_as_often_as_it_says_to_a_task_and_its_successors() {
    let plan = moving(one_rule(json!({ "multiply": { "km": 2 }, "most": 2 })));
    let first = replanned(&plan, &failed(1, "taken"), &[]).unwrap();
    let used = |revision: &PlanRevision| revision.details.rules.len();
    let again = |plan: &Plan| {
        let mut feedback = failed(1, "taken");
        feedback.task_id = plan.subtasks[0].task_id.clone();
        feedback
    };
    let second = replanned(&first.plan, &again(&first.plan), &[]).unwrap();
    assert_eq!((used(&first.revision), used(&second.revision)), (1, 1));
    let [van, ..] = &second.plan.subtasks[..] else { panic!() };
    assert_eq!((van.task_id.as_str(), &van.inputs["km"]), ("task_001_workaround2", &json!(200)));
    assert_eq!(applied(&second.plan, &again(&second.plan), &[]), None);
}

#[test]
fn the_changed_task_takes_the_place_of_the_failed_one_and_keeps_its_agent() {
    let plan = moving(one_rule(json!({ "multiply": { "km": 2 } })));
    let Replanned { plan, revision } = replanned(&plan, &failed(1, "taken"), &[]).unwrap();
    assert_eq!(plan.subtasks[0].agent_type.as_str(), "agent");
    assert_eq!(plan.subtasks[2].dependencies[0].as_str(), "task_001_workaround");
    assert_eq!(
        *revision.changes,
        ["Use workaround task_001_workaround for task task_001: try 100 km, because: not to be had"]
    );
}

#[test]
fn a_rule_may_change_a_task_before_the_failed_one() {
    let rule = json!({
        "categories": ["check"], "change": "van", "set": { "size": "small" }, "tell": "a smaller van",
        "exclude": { "without": "chosen.name" },
    });
    let plan = moving(one_rule(rule));
    let reports = [done(1, json!({ "chosen": { "name": "Van 7" } }))];
    let Replanned { plan, revision } = replanned(&plan, &failed(3, "taken"), &reports).unwrap();
    let van = &plan.subtasks[0];
    assert_eq!((&van.inputs["size"], &van.inputs["without"]), (&json!("small"), &json!(["Van 7"])));
    let again: Vec<&str> = revision.details.rerun_task_ids.iter().map(|id| id.as_str()).collect();
    assert_eq!(again, ["task_001", "task_003"]);
}

/// The van and the boxes may cost less; offers are `(name, price)`, the best first.
fn budget() -> Value {
    let part =
        |category: &str| json!({ "category": category, "offers": "offers", "price": "price", "cap": "max" });
    json!({ "pack": "moving", "budget": { "parts": [part("van"), part("boxes")] } })
}

fn offers(n: usize, listed: &[(&str, u32)]) -> Arc<ExecutionFeedback> {
    let listed: Vec<Value> =
        listed.iter().map(|(name, price)| json!({ "name": name, "price": price })).collect();
    done(n, json!({ "offers": listed }))
}

fn too_dear(total: u32, budget: u32) -> ExecutionFeedback {
    let mut feedback = fixtures::feedback(3, FeedbackType::ConstraintViolation, &["too dear"]);
    feedback.actual_outputs = inputs(json!({ "total_cost": total, "budget": budget }));
    feedback
}

fn fitted(feedback: &ExecutionFeedback, reports: &[Arc<ExecutionFeedback>]) -> Option<Fit> {
    let plan = moving(budget());
    let task: &SubTask = plan.task(&feedback.task_id).unwrap();
    let goal = {
        let mut goal = fixtures::paris_goal();
        goal.constraints[0].value = candor_model::Text::new("100 EUR".to_owned()).unwrap();
        goal
    };
    let case = Case { plan: &plan, task, feedback, reports, goal: Some(&goal) };
    fit(rules(&plan).budget.as_ref().unwrap(), &case)
}

fn caps(fit: Option<Fit>) -> Vec<String> {
    match fit {
        Some(Fit::Caps(caps)) => caps.iter().map(Cap::to_string).collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_best_ranked_combination_that_fits_is_chosen_and_only_what_changes_is_capped() {
    // spec: findings RC-09
    let reports =
        [offers(1, &[("A", 80), ("B", 60), ("C", 40)]), offers(2, &[("X", 30), ("Y", 25), ("Z", 5)])];
    // 80 + 30 and 10 for the rest. With 100 there is room for 90: A and Z (rank 2), B and X (rank 1).
    assert_eq!(caps(fitted(&too_dear(120, 100), &reports)), ["max of task task_001 is now 60 (B)"]);
    // Room for 55: C and X are of rank 2, and so would B and Z be, but they cost 65.
    let reports =
        [offers(1, &[("A", 80), ("B", 60), ("C", 25)]), offers(2, &[("X", 30), ("Y", 25), ("Z", 5)])];
    assert_eq!(caps(fitted(&too_dear(120, 65), &reports)), ["max of task task_001 is now 25 (C)"]);
    // Room for 31: only C and Z fit.
    assert_eq!(
        caps(fitted(&too_dear(120, 41), &reports)),
        ["max of task task_001 is now 25 (C)", "max of task task_002 is now 5 (Z)"]
    );
}

#[test]
fn when_nothing_fits_the_cheapest_total_is_named_in_the_goals_currency() {
    // spec: findings RC-09
    let reports = [offers(1, &[("A", 80), ("B", 60)]), offers(2, &[("X", 30), ("Y", 25)])];
    assert_eq!(
        fitted(&too_dear(120, 90), &reports),
        Some(Fit::Nothing(
            "Nothing on offer fits 90 EUR: the cheapest total is 95 EUR (B 60, Y 25, all else 10)".to_owned()
        ))
    );
    let refusal = replanned(&moving(budget()), &too_dear(120, 90), &reports).unwrap_err();
    assert!(matches!(refusal, ReplanRefusal::NothingToChange(_)), "and nothing else is cut: {refusal:?}");
}

#[test]
fn without_offers_or_a_budget_the_rule_is_silent() {
    assert_eq!(fitted(&too_dear(120, 90), &[]), None);
    let reports = [offers(1, &[("A", 80)])];
    assert_eq!(fitted(&failed(3, "taken"), &reports), None, "not about the budget");
}

#[test]
fn a_part_without_offers_costs_what_it_costs() {
    let reports = [offers(1, &[("A", 80), ("B", 60)])];
    assert_eq!(caps(fitted(&too_dear(120, 100), &reports)), ["max of task task_001 is now 60 (B)"]);
}
