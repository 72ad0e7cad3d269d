//! Costs of planning cycles and the arithmetic of caps.
use candor_model::{
    DecisionEntry, ErrorKind, LogLevel, Money, PartialResult, PlanningError, RunSettings, Severity,
    TokenPrice, TokenUse,
};
use candor_planning::budget::{self, Allowance, CostTracker, StageLimits, operation};
use candor_testkit::fixtures::{self, dollars};
use proptest::prelude::*;

fn tracker() -> CostTracker {
    CostTracker::for_run(&RunSettings::default())
}

fn decision(operation: &str) -> DecisionEntry {
    DecisionEntry {
        timestamp: fixtures::time(fixtures::NOON),
        level: LogLevel::Info,
        operation: operation.to_owned(),
        plan_id: None,
        task_id: None,
        input: String::new(),
        decision: String::new(),
        reasoning: String::new(),
        confidence: None,
        cost: Money::ZERO,
    }
}

#[test]
fn a_cycle_costs_the_sum_of_its_calls() {
    // spec: planning BC-01
    let mut tracker = tracker();
    assert_eq!(tracker.current_cost(), Money::ZERO);
    tracker.track_llm_call(operation::PARSE_GOAL, 200, 100).unwrap();
    tracker.track_llm_call(operation::DECOMPOSE_TASK, 400, 300).unwrap();
    tracker.track(operation::ROUTE_TASK, dollars(0.0001)).unwrap();
    assert_eq!(tracker.current_cost(), dollars(0.0071));
    assert_eq!(tracker.entries().len(), 3);
    let cycle = tracker.end();
    assert_eq!(cycle.total, dollars(0.0071));
    assert_eq!(cycle.entries[1].operation, "decompose_task");
    assert_eq!((cycle.entries[1].prompt_tokens, cycle.entries[1].completion_tokens), (400, 300));
}

#[test]
fn a_cycle_may_cost_a_cent_and_not_more() {
    // spec: planning BC-02
    assert_eq!(RunSettings::default().planning_budget, dollars(0.01));
    let mut default = tracker();
    assert!(default.track("x", dollars(0.01)).is_ok(), "the budget itself may be spent");
    assert!(default.track("x", Money::from_micros(1)).is_err());
    let settings = RunSettings { planning_budget: dollars(1.0), ..RunSettings::default() };
    assert!(CostTracker::for_run(&settings).track("x", dollars(0.99)).is_ok());
}

#[test]
fn the_calls_of_the_example_cost_what_the_example_says() {
    // spec: planning BC-03
    let mut tracker = CostTracker::start(dollars(1.0), TokenPrice::default());
    let calls = [
        ("parse_goal", 200, 100, 0.002),
        ("decompose_task", 400, 300, 0.005),
        ("decompose_task", 450, 320, 0.0055),
    ];
    for (operation, prompt, completion, expected) in calls {
        let cost = tracker.track_llm_call(operation, prompt, completion).unwrap();
        assert!((cost.as_dollars() - expected).abs() <= 0.0001);
    }
    assert!((tracker.current_cost().as_dollars() - 0.0125).abs() <= 0.0001);
}

#[test]
fn no_model_is_called_once_the_budget_is_exceeded() {
    // spec: planning BC-04
    let mut tracker = tracker();
    let mut calls = 0;
    let mut call_model = |operation, prompt, completion| {
        tracker.check()?;
        calls += 1;
        tracker.track_llm_call(operation, prompt, completion)
    };
    assert!(call_model("parse_goal", 200, 100).is_ok());
    assert!(call_model("decompose_task", 400, 300).is_ok());
    assert!(call_model("decompose_task", 450, 320).is_err());
    assert!(call_model("decompose_task", 450, 320).is_err());
    assert_eq!(calls, 3);
    assert_eq!(
        tracker.current_cost(),
        Money::from_micros(12_450),
        "what was called is paid, also the last call"
    );
}

fn overdrawn() -> PlanningError {
    let mut tracker = tracker();
    tracker.track("parse_goal", dollars(0.002)).unwrap();
    tracker.track("decompose_task", dollars(0.005)).unwrap();
    tracker.track("decompose_task", dollars(0.0055)).unwrap_err()
}

#[test]
fn the_tracker_and_the_caller_see_errors_of_their_own() {
    // spec: planning BC-05 EN-28
    let error = overdrawn();
    assert_eq!(error.kind(), ErrorKind::BudgetExceededError);
    assert_eq!(error, PlanningError::BudgetExceeded { spent: dollars(0.0125), budget: dollars(0.01) });
    let error = budget::planning_budget_exceeded(error, PartialResult::default());
    assert_eq!(error.kind(), ErrorKind::PlanningBudgetExceeded);
    assert_eq!(
        error.to_string(),
        "Planning cost $0.0125 exceeds budget $0.01. Consider simplifying goal or increasing budget."
    );
}

#[test]
fn developers_and_people_are_told() {
    // spec: planning BC-06
    let cause = overdrawn();
    assert_eq!(budget::log_text(&cause), "Planning budget exceeded: Cost $0.0125 exceeds budget $0.01");
    let error = budget::planning_budget_exceeded(cause, PartialResult::default());
    let notice = budget::announcement(&error, fixtures::time(fixtures::NOON));
    assert_eq!(notice.severity, Severity::Error);
    assert_eq!(notice.text, error.to_string());
    assert!(notice.suggestion.is_some());
}

#[test]
fn what_there_was_by_then_comes_with_the_error() {
    // spec: planning BC-07
    let goal = Box::new(fixtures::paris_goal());
    let partial = PartialResult { goal: Some(goal.clone()), plan: None };
    match budget::planning_budget_exceeded(overdrawn(), partial) {
        PlanningError::PlanningBudgetExceeded { spent, budget, partial } => {
            assert_eq!((spent, budget), (dollars(0.0125), dollars(0.01)));
            assert_eq!(partial.goal, Some(goal));
        }
        other => panic!("{other:?}"),
    }
    let other = PlanningError::Precondition { missing: "agents".to_owned() };
    assert_eq!(budget::planning_budget_exceeded(other.clone(), PartialResult::default()), other);
}

#[test]
fn stages_that_reach_their_limit_are_found() {
    // spec: planning BC-08
    let limits = StageLimits::default();
    assert_eq!((limits.goal, limits.decomposition), (dollars(0.002), dollars(0.005)));
    assert_eq!(limits.routing_per_task, dollars(0.001));
    let mut tracker = CostTracker::start(dollars(1.0), TokenPrice::default());
    assert!(tracker.stage_overruns(&limits).is_empty());
    tracker.track(operation::PARSE_GOAL, dollars(0.0018)).unwrap();
    tracker.track(operation::DECOMPOSE_TASK, dollars(0.0042)).unwrap();
    for _ in 0..4 {
        tracker.track(operation::ROUTE_TASK, dollars(0.0004)).unwrap();
    }
    assert!(tracker.stage_overruns(&limits).is_empty(), "the limit of routing holds for each task");
    tracker.track(operation::PARSE_GOAL, dollars(0.0002)).unwrap();
    tracker.track(operation::DECOMPOSE_TASK, dollars(0.0042)).unwrap();
    tracker.track(operation::ROUTE_TASK, dollars(0.001)).unwrap();
    let found = tracker.stage_overruns(&limits);
    let names: Vec<_> = found.iter().map(|overrun| (overrun.operation.as_str(), overrun.cost)).collect();
    assert_eq!(
        names,
        [("parse_goal", dollars(0.002)), ("decompose_task", dollars(0.0084)), ("route_task", dollars(0.001))]
    );
}

#[test]
fn a_decision_carries_the_cost_of_its_operation() {
    // spec: planning BC-09
    let mut tracker = tracker();
    tracker.track_llm_call("parse_goal", 200, 100).unwrap();
    tracker.track_llm_call("decompose_task", 400, 300).unwrap();
    assert_eq!(tracker.priced(decision("decompose_task")).cost, dollars(0.005));
    assert_eq!(tracker.priced(decision("replan")).cost, Money::ZERO);
}

#[test]
fn a_cap_may_be_reached_but_not_passed() {
    let mut allowance = Allowance { cap: Some(dollars(1.0)), ..Allowance::default() };
    assert!(allowance.can_reserve(dollars(1.0)));
    allowance.reserve(dollars(0.4));
    assert!(allowance.can_reserve(dollars(0.6)));
    assert!(!allowance.can_reserve(dollars(0.600001)));
    allowance.release(dollars(0.4));
    allowance.charge(dollars(1.0));
    assert!(!allowance.is_overdrawn());
    assert!(allowance.can_reserve(Money::ZERO) && !allowance.can_reserve(Money::from_micros(1)));
    allowance.charge(Money::from_micros(1));
    assert!(allowance.is_overdrawn());
    assert!(Allowance::default().can_reserve(Money::MAX), "without a cap there is no limit");
}

#[test]
fn the_largest_amounts_do_not_wrap_around() {
    let mut allowance = Allowance { cap: Some(Money::MAX), ..Allowance::default() };
    allowance.charge(Money::MAX);
    assert!(!allowance.can_reserve(Money::from_micros(1)));
    allowance.charge(Money::MAX);
    assert!(!allowance.is_overdrawn());
    allowance.release(Money::MAX);
    assert_eq!(allowance.reserved, Money::ZERO);
}

fn amount() -> impl Strategy<Value = Money> {
    (0..20_000u64).prop_map(Money::from_micros)
}

proptest! {
    #[test]
    fn a_tracker_fails_exactly_when_the_sum_is_over_the_budget(
        calls in prop::collection::vec((0..1000u64, 0..1000u64), 0..8), budget in amount()
    ) {
        // spec: planning BC-01 BC-04
        let mut tracker = CostTracker::start(budget, TokenPrice::default());
        let mut sum = Money::ZERO;
        for (at, (prompt, completion)) in calls.into_iter().enumerate() {
            sum = sum + TokenPrice::default().cost(&TokenUse { input: prompt, output: completion, ..TokenUse::default() });
            let result = tracker.track_llm_call("x", prompt, completion);
            prop_assert_eq!(result.is_ok(), sum <= budget);
            prop_assert_eq!(tracker.check().is_ok(), sum <= budget);
            prop_assert_eq!(tracker.current_cost(), sum);
            prop_assert_eq!(tracker.cost_of("x"), sum);
            prop_assert_eq!(tracker.entries().len(), at + 1);
        }
        let cycle = tracker.end();
        prop_assert_eq!(cycle.entries.iter().map(|entry| entry.cost).sum::<Money>(), cycle.total);
    }

    #[test]
    fn work_that_was_reserved_never_overdraws(amounts in prop::collection::vec(amount(), 0..20), cap in amount()) {
        let mut allowance = Allowance { cap: Some(cap), ..Allowance::default() };
        let mut running = Vec::new();
        for amount in amounts {
            if allowance.can_reserve(amount) {
                allowance.reserve(amount);
                running.push(amount);
            }
            prop_assert!(allowance.spent + allowance.reserved <= cap);
            if running.len() > 3 {
                let done = running.remove(0);
                allowance.release(done);
                allowance.charge(done);
            }
            prop_assert!(!allowance.is_overdrawn());
        }
        prop_assert_eq!(allowance.reserved, running.into_iter().sum::<Money>());
    }

    #[test]
    fn wrapping_keeps_the_numbers(spent in amount(), budget in amount()) {
        // spec: planning BC-05
        let error = PlanningError::BudgetExceeded { spent, budget };
        prop_assert!(budget::log_text(&error).starts_with("Planning budget exceeded: "));
        let wrapped = budget::planning_budget_exceeded(error, PartialResult::default());
        let text = wrapped.to_string();
        prop_assert_eq!(budget::announcement(&wrapped, fixtures::time(fixtures::NOON)).text, text);
        let expected = PlanningError::PlanningBudgetExceeded { spent, budget, partial: PartialResult::default() };
        prop_assert_eq!(wrapped, expected);
    }
}
