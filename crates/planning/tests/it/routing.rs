//! Scores and rankings, against the worked example and generated vectors.
use candor_model::{AgentCapability, AgentType, Money, PlanningError, RankedAgent, Share, SubTask};
use candor_planning::routing;
use candor_testkit::fixtures;
use proptest::prelude::*;

fn close(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance
}

fn named(agents: &[AgentCapability], name: &str) -> AgentCapability {
    agents.iter().find(|agent| agent.agent_type.as_str() == name).unwrap().clone()
}

/// A task without an agent, as decomposition leaves it.
fn unrouted() -> SubTask {
    let mut task = fixtures::paris_plan().subtasks.remove(0);
    task.agent_type = AgentType::tbd();
    task.metadata.ranking.clear();
    task
}

fn ranked(name: &str, score: f64) -> RankedAgent {
    RankedAgent { agent_type: fixtures::agent_type(name), score, similarity: score, chance: None }
}

#[test]
fn an_agent_is_its_name_and_description_and_a_task_its_own_words() {
    // spec: planning SR-01
    // spec: findings GL-07 GL-15
    let flight = &fixtures::paris_agents()[0];
    let described = "Flight booking and price comparison for domestic and international travel. \
                     Capabilities: search_flights, compare_prices, book_flights";
    assert_eq!(routing::agent_text(flight), format!("flight agent: {described}"));
    assert_eq!(routing::agent_line(flight), format!("flight_agent: {described}"));
    let mut task = unrouted();
    task.expected_outputs = vec!["output_1".to_owned()];
    assert_eq!(routing::task_text(&task), "Search for round-trip flights to Paris in May");
    for recorded in ["Recommend one. Expected outputs: output_2", "Recommend one"] {
        assert_eq!(routing::own_words(recorded), "Recommend one");
    }
}

#[test]
fn scores_follow_the_formula() {
    // spec: planning SR-04
    let agents = fixtures::paris_agents();
    assert!(close(routing::score(0.92, &named(&agents, "flight_agent")), 0.8447, 5e-5));
    assert!(close(routing::score(0.35, &named(&agents, "hotel_agent")), 0.3320, 5e-5));
    let mut slow = named(&agents, "flight_agent");
    slow.avg_latency_ms = 1_000_000;
    assert!(close(routing::score(0.92, &slow), 0.8447, 5e-5), "latency does not enter");
}

#[test]
fn absurd_costs_and_opposite_meanings_score_nothing() {
    let mut agent = fixtures::paris_agents().remove(0);
    assert_eq!(routing::score(-0.9, &agent), 0.0);
    assert_eq!(routing::score(f64::NAN, &agent), 0.0);
    agent.cost_per_invocation = Money::MAX;
    assert_eq!(routing::score(0.9, &agent), 0.0);
    assert_eq!(routing::score(-0.9, &agent), 0.0);
}

#[test]
fn the_backup_is_another_agent_that_is_good_enough() {
    // spec: planning SR-07
    let mut task = fixtures::paris_plan().subtasks.remove(0);
    assert_eq!(routing::backup(&task, 0.5, |_| true).unwrap().agent_type.as_str(), "backup_flight_agent");
    assert_eq!(routing::backup(&task, 0.5, |_| true).unwrap().score, 0.78);
    assert!(routing::backup(&task, 0.78, |_| true).is_some(), "the minimum itself is enough");
    assert!(routing::backup(&task, 0.79, |_| true).is_none());
    task.metadata.failed_agents = vec![task.agent_type.clone()];
    task.agent_type = fixtures::agent_type("backup_flight_agent");
    assert!(
        routing::backup(&task, 0.5, |_| true).is_none(),
        "the first one failed, the third is not good enough"
    );
    assert_eq!(routing::backup(&task, 0.3, |_| true).unwrap().agent_type.as_str(), "hotel_agent");
}

#[test]
fn the_backup_is_the_best_even_if_the_ranking_is_out_of_order() {
    let mut task = unrouted();
    task.agent_type = fixtures::agent_type("a");
    task.metadata.ranking = vec![ranked("d", 0.6), ranked("c", 0.8), ranked("b", 0.8), ranked("e", f64::NAN)];
    assert_eq!(routing::backup(&task, 0.5, |_| true).unwrap().agent_type.as_str(), "b");
}

#[test]
fn a_task_that_nobody_can_do_stays_as_it_was() {
    // spec: planning SR-12 WF-10
    let mut task = unrouted();
    for ranking in [vec![], vec![ranked("hotel_agent", 0.0)]] {
        let error = routing::assign(&mut task, ranking).unwrap_err();
        assert!(matches!(&error, PlanningError::Routing { task_id, .. } if *task_id == task.task_id));
        assert_eq!(task, unrouted());
    }
}

#[test]
fn an_agent_that_failed_at_the_task_is_passed_over_while_there_is_another() {
    // spec: planning SR-07
    let ranking = vec![ranked("a", 0.9), ranked("b", 0.6)];
    let mut task = unrouted();
    task.metadata.failed_agents = vec![fixtures::agent_type("a")];
    routing::assign(&mut task, ranking.clone()).unwrap();
    assert_eq!(task.agent_type.as_str(), "b");
    assert_eq!(task.metadata.ranking, ranking);
    task.metadata.failed_agents.push(fixtures::agent_type("b"));
    routing::assign(&mut task, ranking).unwrap();
    assert_eq!(task.agent_type.as_str(), "a");
}

fn agent() -> impl Strategy<Value = AgentCapability> {
    (0..30_000_000u64, 0.0..=1.0f64, prop::sample::select(vec!["a", "b", "c", "d"])).prop_map(
        |(cost, rate, name)| {
            let mut agent = fixtures::paris_agents().remove(0);
            agent.agent_type = fixtures::agent_type(name);
            agent.cost_per_invocation = Money::from_micros(cost);
            agent.success_rate = Share::new(rate).unwrap();
            agent
        },
    )
}

proptest! {
    #[test]
    fn scores_are_shares_that_grow_with_similarity(agent in agent(), low in -1.0..=1.0f64, high in -1.0..=1.0f64) {
        // spec: planning SR-04
        let (low, high) = (low.min(high), low.max(high));
        let (low, high) = (routing::score(low, &agent), routing::score(high, &agent));
        prop_assert!(0.0 <= low && low <= high && high <= 1.0);
    }

    #[test]
    fn texts_hold_everything_there_is(agent in agent(), n in 1..50usize) {
        // spec: planning SR-01
        let text = routing::agent_text(&agent);
        prop_assert!(agent.capabilities.iter().all(|capability| text.contains(capability.as_str())));
        let task = fixtures::simple_task(n, "Work", &[], "a");
        prop_assert_eq!(routing::task_text(&task), "Work");
    }
}
