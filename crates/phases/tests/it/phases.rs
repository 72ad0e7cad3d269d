//! The phases, one after the other, on the travel pack and without it.
use std::collections::BTreeMap;
use std::sync::Arc;

use candor_model::{
    AgentCapability, CalibrationMetrics, Goal, GoalType, Handoff, Phase, Plan, RunId, RunSettings,
    StartMaterial,
};
use candor_phases::plan_file::PlanFile;
use candor_phases::{Pack, PhaseContext, Phases};
use candor_planning::phase::{DecisionNote, PhaseReport, PhaseResult};
use candor_planning::validation::Proposal;
use candor_testkit::fixtures;

const PARIS: &str = "Plan a 3-day trip to Paris in May with a $2000 budget";

fn phases() -> Phases {
    let travel = Pack::from_toml(include_str!("../../../../packs/travel/pack.toml")).unwrap();
    Phases::new(vec![travel], 3)
}

/// What the way through the first five phases left.
struct Walk {
    goal: Goal,
    proposal: Proposal,
    handoffs: BTreeMap<Phase, Arc<Handoff>>,
    decisions: Vec<DecisionNote>,
}

fn walk(request: &str, agents: &[AgentCapability], material: Option<&StartMaterial>) -> Result<Walk, String> {
    walk_in(&phases(), request, agents, material)
}

fn walk_in(
    phases: &Phases,
    request: &str,
    agents: &[AgentCapability],
    material: Option<&StartMaterial>,
) -> Result<Walk, String> {
    let (run_id, settings) = (RunId::new("run_1").unwrap(), RunSettings::default());
    let calibration = CalibrationMetrics::default();
    let (mut handoffs, mut decisions, mut goal) = (BTreeMap::new(), Vec::new(), None);
    for phase in
        [Phase::PreAnalysis, Phase::Evaluation, Phase::Context, Phase::Decomposition, Phase::Planning]
    {
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
            request,
            now: fixtures::time(fixtures::NOON),
            settings: &settings,
            material,
            handoffs: &handoffs,
            goal: goal.as_ref(),
            agents,
            calibration: &calibration,
            answers: None,
            meaning: None,
            outcomes: &[],
            started: None,
            examples: &[],
            open_circuits: &BTreeMap::new(),
            plan: None,
            feedback: &[],
        };
        let PhaseReport { handoff, result, decisions: made, .. } =
            phases.work(phase, &cx).map_err(|pause| pause.to_string())?;
        handoffs.insert(phase, Arc::new(handoff));
        decisions.extend(made);
        match result {
            PhaseResult::Goal { goal: found, .. } => goal = Some(*found),
            PhaseResult::Plan(proposal) => {
                let goal = goal.ok_or("no goal")?;
                return Ok(Walk { goal, proposal, handoffs, decisions });
            }
            _ => {}
        }
    }
    Err("no plan".to_owned())
}

fn paris() -> Walk {
    walk(PARIS, &fixtures::full_registry(), None).unwrap()
}

fn brought(text: &str) -> StartMaterial {
    let plan = PlanFile::from_json(text).unwrap().into_plan("1").unwrap();
    StartMaterial { plan: Some(Arc::new(plan)), goal: None }
}

#[test]
fn paris_has_exactly_its_three_constraints_and_measurable_criteria() {
    // spec: planning GD-02 GD-03 GD-04 GD-06 PX-01
    let goal = paris().goal;
    let constraints: Vec<_> =
        goal.constraints.iter().map(|it| (it.kind.as_str(), it.value.as_str(), it.priority.get())).collect();
    assert_eq!(constraints, [("budget", "2000 USD", 10), ("duration", "3 days", 9), ("time", "May 2025", 8)]);
    assert_eq!(goal.goal_type, GoalType::TRAVEL_PLANNING);
    assert_eq!(goal.success_criteria.len(), 4);
    assert!(goal.success_criteria[3].contains("2000"), "{:?}", goal.success_criteria);
    assert_eq!(goal.priority.get(), 7);
}

#[test]
fn what_is_not_said_makes_no_constraint() {
    // spec: planning GD-03
    let goal = walk("Plan a 3-day trip to Paris in May", &fixtures::full_registry(), None).unwrap().goal;
    let kinds: Vec<_> = goal.constraints.iter().map(|it| it.kind.as_str()).collect();
    assert_eq!(kinds, ["duration", "time"]);
}

#[test]
fn the_template_gives_the_plan_of_the_example() {
    // spec: planning TD-02 TD-05 TD-06 SR-05 PX-02 PX-03
    let plan = paris().proposal.plan;
    let tasks: Vec<_> = plan
        .subtasks
        .iter()
        .map(|task| {
            let needs: Vec<&str> = task.dependencies.iter().map(candor_model::TaskId::as_str).collect();
            let (id, words) = (task.task_id.as_str(), task.description.as_str());
            (id, words, task.agent_type.as_str(), needs.join(" "), task.priority.get())
        })
        .collect();
    let row = |id, words, agent, needs: &str, priority| (id, words, agent, needs.to_owned(), priority);
    assert_eq!(
        tasks,
        [
            row("task_001", "Search for round-trip flights to Paris in May", "flight_agent", "", 10),
            row("task_002", "Find hotels in central Paris for 3 nights", "hotel_agent", "task_001", 9),
            row("task_003", "Recommend 5+ tourist activities in Paris", "activity_agent", "", 7),
            row(
                "task_004",
                "Validate total cost against $2000 budget",
                "validation_agent",
                "task_001 task_002 task_003",
                10
            ),
        ]
    );
    assert_eq!(plan.estimated_total_duration.get(), 80.0);
    assert_eq!(plan.execution_strategy.as_str(), "hybrid");
    assert!(plan.confidence_score.get() >= 0.7, "{}", plan.confidence_score);
    let inputs = &plan.subtasks[1].inputs;
    assert_eq!(inputs["nights"], 3);
    assert!(!inputs.contains_key("people"), "nobody said how many: {inputs:?}");
}

#[test]
fn decomposition_and_every_assignment_are_decisions_on_record() {
    // spec: planning TD-10 SR-13
    let decisions = paris().decisions;
    let count = |operation: &str| decisions.iter().filter(|it| it.operation == operation).count();
    assert_eq!((count("decompose_task"), count("route_task")), (1, 4));
    let flight = decisions.iter().find(|it| it.task_id.as_ref().is_some_and(|id| id.as_str() == "task_001"));
    let flight = flight.unwrap();
    assert!(flight.decision.contains("flight_agent") && flight.reasoning.contains("backup_flight_agent"));
}

#[test]
fn planning_needs_enough_agents_and_no_history() {
    // spec: planning WF-04
    let two = &fixtures::full_registry()[..2];
    let refused = walk(PARIS, two, None).err().unwrap();
    assert!(
        refused.contains("agent registry") && refused.contains('2') && refused.contains('3'),
        "{refused}"
    );
    assert!(walk(PARIS, &fixtures::full_registry()[..3], None).is_ok(), "an empty calibrator is no obstacle");
}

#[test]
fn alternatives_risks_and_estimates_come_with_the_plan() {
    let handoffs = paris().handoffs;
    let data = handoffs[&Phase::Planning].data.map();
    assert_eq!(data["alternatives"][0]["name"], "all sequential");
    assert!(data["risks"].to_string().contains("sample data"));
    assert_eq!(data["estimates"]["critical_path_seconds"], 60.0);
    assert_eq!(data["routing"], "lexical", "it says that words were compared, not meanings");
}

/// Agents that belong to no pack.
fn own_agents() -> Vec<AgentCapability> {
    let mut agents = fixtures::full_registry();
    for agent in &mut agents {
        agent.agent_type = fixtures::agent_type(&format!("my_{}", agent.agent_type));
    }
    agents
}

#[test]
fn the_agents_of_a_pack_do_only_what_it_knows() {
    let refused = walk("Prune the apple trees", &fixtures::full_registry(), None).err().unwrap();
    assert!(refused.contains("candor.toml"), "{refused}");
}

#[test]
fn a_goal_that_nobody_shares_a_word_with_needs_a_person() {
    // spec: planning HA-03 SR-12
    let plan = walk("Prune the apple trees", &own_agents(), None).unwrap().proposal.plan;
    assert!(plan.confidence_score.get() < 0.5, "{}", plan.confidence_score);
    let reasons = &plan.metadata.low_confidence_reasons;
    assert!(
        reasons.iter().any(|reason| reason.contains("fits with") && reason.contains("% only")),
        "{reasons:?}"
    );
    assert!(plan.subtasks.iter().all(|task| !task.agent_type.is_tbd()), "somebody is named all the same");
}

#[test]
fn guesses_and_contradictions_lower_confidence() {
    let score = |text: &str| {
        let plan = walk(text, &fixtures::full_registry(), None).unwrap().proposal.plan;
        plan.confidence_score.get()
    };
    let sure = score(PARIS);
    let torn = score("Plan a 3-day trip to Paris in May with a $2000 budget. The budget is $500.");
    assert!(torn < sure, "{torn} after {sure}");
}

#[test]
fn words_without_a_pack_become_their_own_steps() {
    // spec: planning TD-03 TD-04
    let text = "Validate the invoices, then search the activities of last week and finally book a hotel for the team";
    let plan = walk(text, &own_agents(), None).unwrap().proposal.plan;
    assert!(plan.subtasks.len() >= 3, "{:?}", plan.subtasks);
    assert_eq!(plan.subtasks[0].expected_outputs, ["output_1"]);
    assert_eq!(plan.subtasks[1].dependencies, [plan.subtasks[0].task_id.clone()]);
}

#[test]
fn a_brought_plan_keeps_known_agents_and_gets_others_routed() {
    let material = brought(
        r#"{"subtasks":[{"task_id":"a","description":"Sing","agent_type":"hotel_agent"},
            {"task_id":"b","description":"Find hotels in Rome","agent_type":"nobody","dependencies":["a"]}]}"#,
    );
    let walk = walk("whatever", &fixtures::full_registry(), Some(&material)).unwrap();
    let Plan { subtasks, confidence_score, .. } = &walk.proposal.plan;
    assert_eq!(subtasks[0].agent_type.as_str(), "hotel_agent");
    assert_eq!(subtasks[1].agent_type.as_str(), "hotel_agent");
    assert!(walk.handoffs[&Phase::Planning].data.map()["notes"].to_string().contains("nobody"));
    assert!(confidence_score.get() > 0.7, "who was named is no guess: {confidence_score}");
    assert_eq!(walk.decisions.len(), 1, "only what was routed is a decision: {:?}", walk.decisions);
}

#[test]
fn a_spanish_journey_is_planned_alike() {
    let text = "Planifica un viaje de 3 días a París en mayo con un presupuesto de 2000 €";
    let walk = walk(text, &fixtures::full_registry(), None).unwrap();
    assert_eq!(walk.goal.goal_type, GoalType::TRAVEL_PLANNING);
    assert_eq!(walk.proposal.plan.subtasks.len(), 4);
    assert_eq!(walk.proposal.plan.subtasks[3].inputs["budget"], 2000);
}

#[test]
fn what_not_everybody_wants_is_planned_when_it_is_asked_for() {
    // spec: planning PV-07
    let text = "Plan a 3-day trip to Paris in May with a $2000 budget and a metro pass";
    let plan = walk(text, &fixtures::full_registry(), None).unwrap().proposal.plan;
    let transport = &plan.subtasks[3];
    assert_eq!(transport.description.as_str(), "Book local transport in Paris for 3 days");
    assert_eq!(transport.agent_type.as_str(), "transportation_agent");
    assert!(plan.subtasks[4].dependencies.contains(&transport.task_id), "its cost counts too");
}

#[test]
fn the_same_words_are_broken_down_once_and_planned_anew() {
    // spec: planning WF-05
    let (phases, agents) = (phases(), fixtures::full_registry());
    let first = walk_in(&phases, PARIS, &agents, None).unwrap();
    let again = walk_in(&phases, &format!("  {PARIS}\n"), &agents, None).unwrap();
    let source = |walk: &Walk| walk.handoffs[&Phase::Decomposition].data.map()["source"].to_string();
    assert!(!source(&first).contains("before") && source(&again).contains("before"), "{}", source(&again));
    assert_eq!(again.proposal.plan, first.proposal.plan);
    let fewer = walk_in(&phases, PARIS, &agents[1..], None).unwrap();
    assert_ne!(
        fewer.proposal.plan.subtasks[0].agent_type.as_str(),
        "flight_agent",
        "routed by who is there now"
    );
}
