//! Doing with less: never without agents, never without a reason.

use candor_model::{Money, Seconds};
use candor_planning::early_exit::{BudgetSource, EarlyExit, Spent, TaskBudget, on_budget, on_cache};
use candor_planning::score::Score;
use proptest::prelude::*;

fn spent(tokens: u64) -> Spent {
    Spent { tokens, money: Money::ZERO }
}

#[test]
fn a_good_answer_from_the_cache_halves_the_agents() {
    // spec: orchestrator EE-02 EE-01
    assert_eq!(on_cache(None), None);
    assert_eq!(on_cache(Some(Score::at_most_full(84))), None);
    let exit = on_cache(Some(Score::at_most_full(85))).unwrap();
    for (before, after) in [(7, 4), (1, 1), (2, 1), (15, 8), (0, 1)] {
        assert_eq!(exit.agents(before), after, "{before}");
    }
    assert!(!exit.model_downgrade, "the models stay");
    let json = serde_json::to_value(&exit).unwrap();
    assert_eq!((&json["point"], &json["skip"]), (&"cachedWithHighConfidence".into(), &false.into()));
    assert_eq!((&json["reduce"], &json["agentReduction"]), (&true.into(), &50.into()));
    assert_eq!(json["modelDowngrade"], false);
    assert!(json["reason"].as_str().unwrap().contains("confidence of 85"));
}

#[test]
fn a_critical_budget_takes_tiers_one_step_down() {
    // spec: orchestrator EE-03 EE-01
    let budget = TaskBudget { tokens: 100, ..TaskBudget::default() };
    assert_eq!(on_budget(&budget, spent(80)), None, "20 % are left");
    let exit = on_budget(&budget, spent(81)).unwrap();
    assert!(exit.model_downgrade);
    assert_eq!(exit.agents(7), 7, "the agents stay");
    let json = serde_json::to_value(&exit).unwrap();
    assert_eq!((&json["point"], &json["skip"]), (&"tokenBudgetCritical".into(), &false.into()));
    assert_eq!((&json["reduce"], &json["modelDowngrade"]), (&false.into(), &true.into()));
    assert!(json["reason"].as_str().unwrap().contains("19 of 100 tokens"), "{json}");
}

#[test]
fn money_that_runs_out_is_critical_too() {
    let money = |micros| Spent { tokens: 0, money: Money::from_micros(micros) };
    assert_eq!(on_budget(&TaskBudget::default(), money(800_000)), None);
    assert!(on_budget(&TaskBudget::default(), money(800_001)).is_some());
    assert!(on_budget(&TaskBudget { tokens: 0, ..TaskBudget::default() }, spent(0)).is_some());
}

#[test]
fn the_usual_budget_is_fifty_thousand_tokens_and_a_dollar() {
    // spec: orchestrator EE-04
    let budget = TaskBudget::default();
    assert_eq!((budget.tokens, budget.money), (50_000, Money::from_dollars(1.0).unwrap()));
    assert_eq!(budget.latency, Seconds::whole(5));
    let record = budget.record(spent(20_000), BudgetSource::Session);
    assert_eq!((record.spent_tokens, record.remaining_tokens), (20_000, 30_000));
    assert_eq!(serde_json::to_value(record).unwrap()["source"], "session");
}

#[test]
fn a_record_that_says_skipped_cannot_be_read() {
    // spec: orchestrator EE-01
    let mut json = serde_json::to_value(on_cache(Some(Score::FULL)).unwrap()).unwrap();
    assert!(candor_model::from_value::<EarlyExit>(json.clone()).is_ok());
    json["skip"] = true.into();
    let error = candor_model::from_value::<EarlyExit>(json).unwrap_err();
    assert_eq!(error.field, "skip");
}

proptest! {
    #[test]
    fn there_is_always_an_agent_and_never_more_than_before(count in 1_u32.., confidence in 85_u8..=100) {
        // spec: orchestrator SC-04
        let exit = on_cache(Some(Score::at_most_full(confidence))).unwrap();
        prop_assert!((1..=count).contains(&exit.agents(count)));
    }
}
