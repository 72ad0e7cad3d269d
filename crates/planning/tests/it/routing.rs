//! Scores and rankings, against the worked example and generated vectors.
use candor_model::{
    AgentCapability, AgentType, ErrorKind, Money, PlanningError, RankedAgent, Share, SubTask,
};
use candor_planning::routing::{self, RoutingProblem};
use candor_testkit::fixtures;
use proptest::prelude::*;

fn close(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance
}

fn named(agents: &[AgentCapability], name: &str) -> AgentCapability {
    agents.iter().find(|agent| agent.agent_type.as_str() == name).unwrap().clone()
}

/// A vector at this cosine from `[1, 0]`.
fn at(cosine: f64) -> Vec<f32> {
    vec![cosine as f32, (1.0 - cosine * cosine).sqrt() as f32]
}

/// A task without an agent, as decomposition leaves it.
fn unrouted() -> SubTask {
    let mut task = fixtures::paris_plan().subtasks.remove(0);
    task.agent_type = AgentType::tbd();
    task.metadata.ranking.clear();
    task
}

fn ranked(name: &str, score: f64) -> RankedAgent {
    RankedAgent { agent_type: fixtures::agent_type(name), score, similarity: score }
}

#[test]
fn texts_are_those_of_the_documents() {
    // spec: planning SR-01 SR-02
    let flight = &fixtures::paris_agents()[0];
    assert_eq!(
        routing::agent_text(flight),
        "Flight booking and price comparison for domestic and international travel. \
         Capabilities: search_flights, compare_prices, book_flights"
    );
    let mut task = unrouted();
    task.expected_outputs = vec!["output_1".to_owned()];
    assert_eq!(
        routing::task_text(&task),
        "Search for round-trip flights to Paris in May. Expected outputs: output_1"
    );
    task.expected_outputs.push("prices".to_owned());
    assert!(routing::task_text(&task).ends_with("output_1, prices"));
}

#[test]
fn known_angles_have_known_cosines() {
    // spec: planning SR-03
    let half = 0.5f32.sqrt();
    let cases = [
        (vec![1.0, 0.0], vec![1.0, 0.0], 1.0),
        (vec![1.0, 0.0], vec![half, half], 0.5f64.sqrt()),
        (vec![1.0, 0.0], vec![0.0, 3.0], 0.0),
        (vec![1.0, 2.0], vec![-2.0, -4.0], -1.0),
        (vec![f32::MAX, 0.0], vec![f32::MAX, 0.0], 1.0),
        (vec![f32::MIN_POSITIVE, 0.0], vec![1.0, 0.0], 1.0),
    ];
    for (a, b, expected) in cases {
        assert!(close(routing::cosine(&a, &b).unwrap(), expected, 1e-7), "{a:?} {b:?}");
    }
}

#[test]
fn vectors_that_cannot_be_compared_have_their_own_problems() {
    // spec: planning SR-03 SR-12
    let problem = |a: &[f32], b: &[f32]| routing::cosine(a, b).unwrap_err();
    assert_eq!(problem(&[1.0], &[1.0, 0.0]), RoutingProblem::UnequalDimensions { left: 1, right: 2 });
    assert_eq!(problem(&[0.0, 0.0], &[1.0, 0.0]), RoutingProblem::ZeroVector);
    assert_eq!(problem(&[1.0, 0.0], &[0.0, 0.0]), RoutingProblem::ZeroVector);
    assert_eq!(problem(&[], &[]), RoutingProblem::ZeroVector);
    assert_eq!(problem(&[f32::NAN], &[1.0]), RoutingProblem::NotFinite);
    assert_eq!(problem(&[1.0], &[f32::INFINITY]), RoutingProblem::NotFinite);
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
fn the_example_goes_to_the_agents_of_the_example() {
    // spec: planning PX-05 SR-05
    let agents = fixtures::paris_agents();
    let printed = [
        ("flight_agent", 0.92, 0.843),
        ("hotel_agent", 0.950, 0.901),
        ("activity_agent", 0.995, 0.875),
        ("validation_agent", 0.931, 0.912),
    ];
    for (task, (name, similarity, score)) in fixtures::paris_plan().subtasks.iter().zip(printed) {
        let vectors: Vec<_> = agents
            .iter()
            .map(|agent| {
                let cosine = if agent.agent_type.as_str() == name { similarity } else { 0.35 };
                (agent.clone(), at(cosine))
            })
            .collect();
        let ranking = routing::rank(task, &[1.0, 0.0], &vectors, 4).unwrap();
        assert_eq!(ranking[0].agent_type.as_str(), name);
        assert!(close(ranking[0].score, score, 0.002), "{name}: {}", ranking[0].score);
        assert!(close(ranking[0].similarity, similarity, 1e-6));
        let mut task = task.clone();
        routing::assign(&mut task, ranking).unwrap();
        assert_eq!(task.agent_type.as_str(), name);
    }
}

#[test]
fn a_ranking_has_at_most_as_many_as_asked_for() {
    // spec: planning SR-06
    let agents: Vec<_> = fixtures::full_registry().into_iter().zip([0.9, 0.1, 0.5, 0.3, 0.8, 0.7]).collect();
    let agents: Vec<_> = agents.into_iter().map(|(agent, cosine)| (agent, at(cosine))).collect();
    let rank = |top_k| routing::rank(&unrouted(), &[1.0, 0.0], &agents, top_k).unwrap();
    let two = rank(2);
    assert_eq!(two.len(), 2);
    assert!(two[0].score >= two[1].score);
    assert_eq!(two, rank(6)[..2]);
    assert_eq!(rank(100).len(), 6);
    assert!(rank(0).is_empty());
}

#[test]
fn ties_go_by_name_whatever_the_order_of_the_registry() {
    // spec: planning SR-05
    let mut agents: Vec<_> = ["zeta", "alpha", "midas"]
        .map(|name| AgentCapability {
            agent_type: fixtures::agent_type(name),
            ..fixtures::paris_agents().remove(0)
        })
        .map(|agent| (agent, at(0.5)))
        .to_vec();
    for _ in 0..3 {
        agents.rotate_left(1);
        let ranking = routing::rank(&unrouted(), &[1.0, 0.0], &agents, 3).unwrap();
        let names: Vec<_> = ranking.iter().map(|ranked| ranked.agent_type.as_str()).collect();
        assert_eq!(names, ["alpha", "midas", "zeta"]);
    }
}

#[test]
fn the_backup_is_another_agent_that_is_good_enough() {
    // spec: planning SR-07
    let mut task = fixtures::paris_plan().subtasks.remove(0);
    assert_eq!(routing::backup(&task, 0.5).unwrap().agent_type.as_str(), "backup_flight_agent");
    assert_eq!(routing::backup(&task, 0.5).unwrap().score, 0.78);
    assert!(routing::backup(&task, 0.78).is_some(), "the minimum itself is enough");
    assert!(routing::backup(&task, 0.79).is_none());
    task.metadata.failed_agents = vec![task.agent_type.clone()];
    task.agent_type = fixtures::agent_type("backup_flight_agent");
    assert!(routing::backup(&task, 0.5).is_none(), "the first one failed, the third is not good enough");
    assert_eq!(routing::backup(&task, 0.3).unwrap().agent_type.as_str(), "hotel_agent");
}

#[test]
fn the_backup_is_the_best_even_if_the_ranking_is_out_of_order() {
    let mut task = unrouted();
    task.agent_type = fixtures::agent_type("a");
    task.metadata.ranking = vec![ranked("d", 0.6), ranked("c", 0.8), ranked("b", 0.8), ranked("e", f64::NAN)];
    assert_eq!(routing::backup(&task, 0.5).unwrap().agent_type.as_str(), "b");
}

#[test]
fn what_cannot_be_routed_names_the_task_and_the_agent() {
    // spec: planning SR-12 EN-28
    let task = unrouted();
    let agent = fixtures::paris_agents().remove(0);
    let error = routing::rank(&task, &[1.0, 0.0], &[], 2).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::RoutingError);
    assert!(matches!(&error, PlanningError::Routing { task_id, .. } if task_id.as_str() == "task_001"));
    assert!(error.to_string().contains("no agent is registered"));
    for bad in [vec![0.0, 0.0], vec![1.0], vec![f32::NAN, 1.0]] {
        let error = routing::rank(&task, &[1.0, 0.0], &[(agent.clone(), bad)], 2).unwrap_err();
        let text = error.to_string();
        assert!(text.starts_with("No agent for task task_001: ") && text.contains("flight_agent"), "{text}");
    }
    assert!(routing::rank(&task, &[0.0, 0.0], &[(agent, at(0.5))], 2).is_err());
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

#[test]
fn the_reason_names_the_chosen_agent_its_score_and_the_others() {
    let mut task = fixtures::paris_plan().subtasks.remove(0);
    let reason = routing::explain(&task);
    for part in
        ["flight_agent 0.8447", "similarity 0.8447", "backup_flight_agent 0.7800", "hotel_agent 0.3320"]
    {
        assert!(reason.contains(part), "{reason}");
    }
    task.agent_type = fixtures::agent_type("my_own");
    assert!(routing::explain(&task).starts_with("my_own was set without a score"));
}

fn vector() -> impl Strategy<Value = Vec<f32>> {
    prop::collection::vec(-100.0..100.0f32, 3)
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
    fn cosines_are_symmetric_bounded_and_blind_to_length(a in vector(), b in vector(), factor in 0.5..50.0f32) {
        // spec: planning SR-03
        if let Ok(cosine) = routing::cosine(&a, &b) {
            prop_assert!((-1.0..=1.0).contains(&cosine));
            prop_assert_eq!(routing::cosine(&b, &a).unwrap(), cosine);
            let longer: Vec<_> = a.iter().map(|entry| entry * factor).collect();
            prop_assert!(close(routing::cosine(&longer, &b).unwrap(), cosine, 1e-5));
        }
    }

    #[test]
    fn cosines_of_any_bits_are_numbers_or_problems(a in prop::collection::vec(any::<f32>(), 0..4), b in vector()) {
        // spec: planning SR-12
        if let Ok(cosine) = routing::cosine(&a, &b) {
            prop_assert!((-1.0..=1.0).contains(&cosine));
        }
    }

    #[test]
    fn scores_are_shares_that_grow_with_similarity(agent in agent(), low in -1.0..=1.0f64, high in -1.0..=1.0f64) {
        // spec: planning SR-04
        let (low, high) = (low.min(high), low.max(high));
        let (low, high) = (routing::score(low, &agent), routing::score(high, &agent));
        prop_assert!(0.0 <= low && low <= high && high <= 1.0);
    }

    #[test]
    fn rankings_are_sorted_and_the_backup_is_never_the_one_that_failed(
        agents in prop::collection::vec((agent(), vector()), 1..6), task_vector in vector(), top_k in 0..7usize
    ) {
        // spec: planning SR-05 SR-06 SR-07
        let mut task = unrouted();
        let Ok(ranking) = routing::rank(&task, &task_vector, &agents, top_k) else { return Ok(()) };
        prop_assert_eq!(ranking.len(), top_k.min(agents.len()));
        prop_assert!(ranking.is_sorted_by(|a, b| a.score > b.score
            || (a.score == b.score && a.agent_type <= b.agent_type)));
        if routing::assign(&mut task, ranking.clone()).is_ok() {
            prop_assert_eq!(&task.agent_type, &ranking[0].agent_type);
            prop_assert!(!routing::explain(&task).is_empty());
            if let Some(backup) = routing::backup(&task, 0.1) {
                prop_assert!(backup.agent_type != task.agent_type && backup.score >= 0.1);
            }
        }
    }

    #[test]
    fn texts_hold_everything_there_is(agent in agent(), n in 1..50usize) {
        // spec: planning SR-01 SR-02
        let text = routing::agent_text(&agent);
        prop_assert!(agent.capabilities.iter().all(|capability| text.contains(capability.as_str())));
        let task = fixtures::simple_task(n, "Work", &[], "a");
        prop_assert_eq!(routing::task_text(&task), format!("Work. Expected outputs: output_{n}"));
    }
}
