//! Phases that ask models: what they ask, what they do with the answer, and that their rules stand by.

use std::collections::BTreeMap;
use std::sync::Arc;

use candor_model::Ask;
use candor_model::{
    AgentCapability, CalibrationMetrics, Consulted, Goal, Handoff, Phase, Plan, RunId, RunSettings, Share,
    SpokenBy,
};
use candor_phases::{Answers, Incomplete, Pack, PhaseContext, Phases};
use candor_planning::phase::{PhaseReport, PhaseResult};
use candor_testkit::consulting::{accepted_as, answered, give_up};
use candor_testkit::fixtures;
use serde_json::{Value, json};

const PARIS: &str = "Plan a 3-day trip to Paris in May with a $2000 budget";
const PACK: &str = include_str!("../../../../packs/travel/pack.toml");

/// What models say, by step; a step that is not there is given up.
struct Visit<'a> {
    phases: Phases,
    agents: Vec<AgentCapability>,
    said: &'a dyn Fn(&Ask) -> Option<Value>,
    asked: Vec<Ask>,
}

/// What became of a walk.
struct Walked {
    goal: Goal,
    plan: Plan,
    handoffs: BTreeMap<Phase, Arc<Handoff>>,
    reasons: Vec<String>,
}

impl Visit<'_> {
    /// Walks up to the plan, asking as a driver would.
    fn walk(&mut self) -> Walked {
        let (run_id, settings) = (RunId::new("run_1").unwrap(), RunSettings::default());
        let calibration = CalibrationMetrics::default();
        let (mut handoffs, mut goal, mut reasons) = (BTreeMap::new(), None, Vec::new());
        for phase in
            [Phase::PreAnalysis, Phase::Evaluation, Phase::Context, Phase::Decomposition, Phase::Planning]
        {
            let mut told: BTreeMap<String, Vec<Consulted>> = BTreeMap::new();
            let report = loop {
                let steps = |step: &str| told.get(step).map_or(&[][..], Vec::as_slice);
                let cx = PhaseContext {
                    ledger: &[],
                    addresses: &std::collections::BTreeSet::new(),
                    attempt: 1,
                    evaluation: None,
                    brief: None,
                    talk: None,
                    decisions: &[],
                    refine: &[],
                    files: &BTreeMap::new(),
                    checks: &[],
                    responses: &[],
                    messages: &[],
                    run_id: &run_id,
                    request: PARIS,
                    now: fixtures::time(fixtures::NOON),
                    settings: &settings,
                    material: None,
                    handoffs: &handoffs,
                    goal: goal.as_ref(),
                    agents: &self.agents,
                    calibration: &calibration,
                    plan: None,
                    answers: Some(Answers(&steps)),
                    meaning: None,
                    outcomes: &[],
                    started: None,
                    examples: &[],
                    open_circuits: &BTreeMap::new(),
                    feedback: &[],
                };
                match self.phases.work(phase, &cx) {
                    Ok(report) => break report,
                    Err(Incomplete::Asks(ask)) => {
                        let step = match (self.said)(&ask) {
                            Some(value) => {
                                assert_eq!((ask.check)(&value), Vec::<String>::new(), "{}", ask.step);
                                Consulted { call: Some(answered("…", 0)), outcome: accepted_as(value) }
                            }
                            None => Consulted { call: None, outcome: give_up("nobody answers") },
                        };
                        told.entry(ask.step.to_owned()).or_default().push(step);
                        self.asked.push(*ask);
                    }
                    Err(other) => panic!("{phase}: {other}"),
                }
            };
            let PhaseReport { handoff, result, decisions, .. } = report;
            reasons.extend(decisions.into_iter().map(|decision| decision.reasoning));
            handoffs.insert(phase, Arc::new(handoff));
            match result {
                PhaseResult::Goal { goal: found, .. } => goal = Some(*found),
                PhaseResult::Plan(proposal) => {
                    return Walked { goal: goal.unwrap(), plan: proposal.plan, handoffs, reasons };
                }
                _ => {}
            }
        }
        panic!("no plan")
    }
}

fn visit(said: &dyn Fn(&Ask) -> Option<Value>) -> (Walked, Vec<Ask>) {
    let phases = Phases::new(vec![Pack::from_toml(PACK).unwrap()], 0);
    let mut visit = Visit { phases, agents: fixtures::full_registry(), said, asked: Vec::new() };
    (visit.walk(), visit.asked)
}

fn sensible(ask: &Ask) -> Option<Value> {
    Some(match ask.step {
        "parse_goal" => json!({
            "goal_type": "travel_planning", "destination": "Paris", "duration_days": 3, "budget": 2000,
            "currency": "USD", "dates": "May 2025",
        }),
        "decompose_task" => json!({ "tasks": [
            { "description": "Search for round-trip flights to Paris in May", "priority": 10, "estimated_duration_seconds": 30 },
            { "description": "Find a hotel in central Paris for 3 nights", "dependencies": [0] },
            { "description": "Find activities in Paris" },
            { "description": "Validate that the total cost is within budget", "dependencies": [0, 1, 2] },
        ] }),
        "plan" => {
            json!({ "strategy": "hybrid", "confidence": 0.5, "risks": ["rain in May"], "alternatives": [
            { "name": "train", "description": "Go by train", "trade_off": "slower and cheaper" },
            { "name": "June", "description": "Go in June", "trade_off": "dearer and warmer" },
        ] })
        }
        _ => return None,
    })
}

#[test]
fn models_speak_and_the_packs_knowledge_stays() {
    // spec: planning GD-01 GD-02 GD-03 GD-04 GD-06 TD-01 TD-02 TD-06
    let (walked, asked) = visit(&sensible);
    let constraints: Vec<String> = walked
        .goal
        .constraints
        .iter()
        .map(|it| format!("{} {} {}", it.kind, it.value, it.priority))
        .collect();
    assert_eq!(constraints, ["budget 2000 USD 10", "duration 3 days 9", "time May 2025 8"]);
    assert_eq!(walked.goal.success_criteria.len(), 4);
    assert!(walked.goal.success_criteria[3].contains("2000"));
    let depends: Vec<usize> = walked.plan.subtasks.iter().map(|task| task.dependencies.len()).collect();
    assert_eq!(depends, [0, 1, 0, 3]);
    assert_eq!(walked.plan.subtasks[0].description.as_str(), "Search for round-trip flights to Paris in May");
    assert_eq!(walked.plan.subtasks[0].inputs["destination"], "Paris", "what the pack's agents understand");
    let agents: Vec<&str> = walked.plan.subtasks.iter().map(|task| task.agent_type.as_str()).collect();
    assert_eq!(agents, ["flight_agent", "hotel_agent", "activity_agent", "validation_agent"]);
    for phase in [Phase::Evaluation, Phase::Decomposition, Phase::Planning] {
        assert_eq!(walked.handoffs[&phase].spoken_by, SpokenBy::Model, "{phase}");
    }
    let planning = &walked.handoffs[&Phase::Planning].data.map();
    assert!(planning["risks"].to_string().contains("rain in May"));
    assert!(planning["alternatives"].to_string().contains("Go by train"));
    let goal = asked.iter().find(|ask| ask.step == "parse_goal").unwrap();
    assert_eq!(goal.slots["request"], PARIS);
    for key in ["destination", "duration_days", "budget", "dates", "preferences"] {
        assert!(json!(goal.schema).to_string().contains(key), "{key}");
    }
}

#[test]
fn a_models_opinion_of_the_tasks_counts_half() {
    let alone =
        visit(&|ask: &Ask| sensible(ask).filter(|_| ask.step != "plan")).0.plan.confidence_score.get();
    let with = |opinion: f64| {
        let said = |ask: &Ask| {
            let mut said = sensible(ask)?;
            if ask.step == "plan" {
                said["confidence"] = json!(opinion);
            }
            Some(said)
        };
        visit(&said).0.plan.confidence_score.get()
    };
    // Of what is left to the model, the distance between none and full confidence, it moves the half.
    let (low, high) = (with(0.0), with(1.0));
    assert!((low - alone / 2.0).abs() < 0.02, "{low} and {alone}");
    assert!(high > alone && high < 0.9, "{high} and {alone}: a poor fit stays one");
}

#[test]
fn without_an_answer_the_rules_give_what_they_always_gave() {
    // spec: orchestrator DG-05 DG-11
    let (walked, asked) = visit(&|_: &Ask| None);
    assert_eq!(
        asked.iter().map(|ask| ask.step).collect::<Vec<_>>(),
        ["parse_goal", "decompose_task", "plan"]
    );
    assert!(walked.handoffs.values().all(|handoff| handoff.spoken_by == SpokenBy::Heuristic));
    assert_eq!(walked.goal.goal_type.to_string(), "travel_planning");
    assert_eq!(walked.plan.subtasks.len(), 4);
}

#[test]
fn a_model_chooses_where_the_figures_do_not_tell_agents_apart() {
    // spec: planning SR-13
    let twin = |name: &str| AgentCapability {
        agent_type: fixtures::agent_type(name),
        success_rate: Share::ALL,
        ..fixtures::full_registry()[0].clone()
    };
    let phases = Phases::new(Vec::new(), 0);
    let said = |ask: &Ask| match ask.step {
        "route_task" => Some(json!({ "choices": [
            { "task_id": "task_001", "agent_type": "air_two", "reason": "it is cheaper in May" },
        ] })),
        "decompose_task" => Some(json!({ "tasks": [{ "description": "Search flights to Paris" }] })),
        _ => None,
    };
    let mut visit =
        Visit { phases, agents: vec![twin("air_one"), twin("air_two")], said: &said, asked: Vec::new() };
    let walked = visit.walk();
    assert_eq!(walked.plan.subtasks[0].agent_type.as_str(), "air_two");
    assert_eq!(walked.plan.subtasks[0].metadata.ranking[0].agent_type.as_str(), "air_two");
    assert!(
        walked.reasons.iter().any(|reason| reason.contains("it is cheaper in May")),
        "{:?}",
        walked.reasons
    );
    let mut alone = Visit { said: &|ask: &Ask| said(ask).filter(|_| ask.step != "route_task"), ..visit };
    assert_eq!(alone.walk().plan.subtasks[0].agent_type.as_str(), "air_one", "without it, the name decides");
}
