//! Room 4: the plan in figures, and what a person says to it.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::plan_support::{PARIS, Stage, reply};
use candor_model::Ask;
use candor_model::{
    ExecutionStrategy, Phase, Plan, PlanTalk, Seconds, SpokenBy, SubTask, TaskId, Text, Tier, TierCounts,
};
use candor_phases::decompose::tiers;
use candor_phases::{Pack, Phases, brief, talk};
use candor_planning::estimate;
use candor_planning::phase::{PhaseReport, PhaseResult};
use candor_planning::validation;
use candor_testkit::fixtures;
use proptest::prelude::*;
use serde_json::{Value, json};

fn change(words: &str) -> PlanTalk {
    PlanTalk::Change(words.to_owned())
}

fn ids(plan: &Plan) -> Vec<&str> {
    plan.subtasks.iter().map(|task| task.task_id.as_str()).collect()
}

fn agent_of<'p>(plan: &'p Plan, id: &str) -> &'p str {
    plan.subtasks.iter().find(|task| task.task_id.as_str() == id).unwrap().agent_type.as_str()
}

// ---------------------------------------------------------------------------------------------------------
// The plan in figures
// ---------------------------------------------------------------------------------------------------------

#[test]
fn the_figures_have_every_part_and_add_up() {
    // spec: orchestrator IP-02 IP-03 IP-07
    let stage = Stage::planned(PARIS);
    let brief = stage.brief();
    assert_eq!(brief.strategy, ExecutionStrategy::Hybrid);
    assert_eq!((brief.agents.total, brief.agents.parallel, brief.agents.sequential), (2, 2, 0));
    assert_eq!(brief.agents.models, TierCounts::default(), "without a model nobody belongs to a tier");
    assert!(brief.subtasks.iter().all(|task| task.model.is_none() && task.agent.is_some()));
    assert_eq!(brief.estimates.duration.map(Seconds::get), Some(60.0), "the pack states every duration");
    assert_eq!((brief.estimates.tokens, brief.estimates.measured), (None, None), "nobody measured anything");
    assert!(brief.estimates.cost.is_some_and(|cost| cost.micros() > 0));
    assert_eq!(brief.subtasks.len(), 4);
    assert_eq!(brief.subtasks[0].parallel_group, Some(1));
    assert_eq!((brief.subtasks[1].parallel_group, brief.subtasks[2].parallel_group), (None, Some(1)));
    assert!(brief.risks.iter().all(|risk| !risk.description.is_empty() && !risk.mitigation.is_empty()));
    assert!(!brief.risks.is_empty());
    let data = serde_json::to_value(brief).unwrap();
    for key in ["strategy", "agents", "estimates", "subtasks", "risks", "alternatives", "recommendation"] {
        assert!(data.get(key).is_some(), "{key}");
    }
    assert_eq!(stage.data(Phase::Planning, "brief"), data, "programs see the same");
}

#[test]
fn the_ways_have_letters_and_the_current_one_is_recommended() {
    // spec: orchestrator IP-04
    let stage = Stage::planned(PARIS);
    let brief = stage.brief();
    let ways: Vec<(&str, &str, f64)> = brief
        .alternatives
        .iter()
        .map(|way| (way.id.as_str(), way.name.as_str(), way.estimates.duration.unwrap().get()))
        .take(2)
        .collect();
    // No more than three tasks can run at once anyway, so that B would be the same plan.
    assert_eq!(ways, [("A", "all sequential", 80.0), ("C", "hybrid (current)", 60.0)]);
    assert_eq!(brief.recommendation, "C");
    assert!(brief.alternatives[0].tradeoff.contains("+33 % slower"), "{}", brief.alternatives[0].tradeoff);
}

#[test]
fn figures_that_do_not_add_up_are_a_defect() {
    // spec: orchestrator IP-07
    let whole = Stage::planned(PARIS).brief().clone();
    assert_eq!(brief::defects(&whole), Vec::<String>::new());
    let mut lacking = whole.clone();
    lacking.alternatives.retain(|way| way.id != "C");
    assert!(brief::defects(&lacking)[0].contains("recommended alternative C is not there"));
    let mut wrong = whole;
    wrong.agents.total = 16;
    assert_eq!(brief::defects(&wrong).len(), 2, "{:?}", brief::defects(&wrong));
}

#[test]
fn the_number_of_agents_is_decided_on_record() {
    // spec: orchestrator SC-07
    let mut stage = Stage::complex(PARIS, 90);
    let report = stage.walk(Phase::Planning);
    let decision = report.decisions.iter().find(|made| made.operation == "scale_agents").unwrap();
    assert!(
        decision.reasoning.contains("propose 8") && decision.reasoning.contains("4 tasks"),
        "{}",
        decision.reasoning
    );
    assert_eq!(stage.brief().agents.total, 4, "no more agents than tasks");
    assert_eq!(stage.data(Phase::Planning, "scaling")["agentCount"], 8);
}

#[test]
fn simple_work_in_one_line_is_sequential_and_nothing_else_loses_its_parallelism() {
    let strategy = |request: &str, complexity: u8| {
        let mut stage = Stage::complex(request, complexity);
        stage.walk(Phase::Planning);
        stage.plan().execution_strategy
    };
    assert_eq!(strategy("Validate the budget", 10), ExecutionStrategy::Sequential);
    assert_eq!(strategy("Validate the budget", 60), ExecutionStrategy::Hybrid);
    assert_eq!(strategy(PARIS, 10), ExecutionStrategy::Hybrid, "two of its tasks can run side by side");
    let one_file = "Format the tables of a.rs. Rename the hotel of a.rs.";
    assert_eq!(strategy(one_file, 10), ExecutionStrategy::Hybrid, "a shared file weakens nothing");
}

#[test]
fn a_good_answer_from_the_cache_halves_the_agents() {
    // spec: orchestrator EE-02
    let total = |cached: Value| {
        let mut stage = Stage::complex(PARIS, 90);
        stage.walk(Phase::Decomposition);
        let handoff = Arc::make_mut(stage.handoffs.get_mut(&Phase::Context).unwrap());
        let mut data = handoff.data.map();
        data.insert("cached".to_owned(), cached);
        handoff.data = data.into();
        let report = stage.visit(Phase::Planning, None).unwrap();
        stage.take(Phase::Planning, &report);
        let agents = stage.brief().agents;
        assert_eq!(agents.parallel + agents.sequential, agents.total);
        agents.total
    };
    assert_eq!(total(json!(false)), 4);
    assert_eq!(total(json!(true)), 2);
    assert_eq!(total(json!({ "confidence": 84 })), 4, "not sure enough");
}

#[test]
fn when_tokens_run_out_tiers_go_down_but_not_those_of_security() {
    // spec: orchestrator EE-03
    let tiers = |spent: u64| -> Vec<Tier> {
        let request = "Design the architecture of the budget store. Check the password rules of the store. Format \
                       the tables of the store.";
        let mut stage = Stage::new(request);
        stage.settings.phases = Some(candor_model::PhaseLimits { token_budget: 1000, ..Default::default() });
        stage.walk(Phase::Decomposition);
        Arc::make_mut(stage.handoffs.get_mut(&Phase::Evaluation).unwrap()).context.tokens_consumed = spent;
        let report = stage.visit(Phase::Planning, None).unwrap();
        stage.take(Phase::Planning, &report);
        stage.plan().subtasks.iter().map(tiers::tier_of).collect()
    };
    assert_eq!(tiers(800), [Tier::Strong, Tier::Strong, Tier::Fast], "a fifth is left: not critical");
    assert_eq!(tiers(810), [Tier::Balanced, Tier::Strong, Tier::Fast]);
}

#[test]
fn what_was_asked_for_and_is_in_no_task_is_a_gap() {
    // spec: orchestrator HO-05 PM-03 PM-04
    let confidence = |wanted: &[&str]| {
        let mut stage = Stage::new(PARIS);
        stage.walk(Phase::Decomposition);
        let handoff = Arc::make_mut(stage.handoffs.get_mut(&Phase::Decomposition).unwrap());
        handoff.instructions.must_include = wanted.iter().map(|name| (*name).to_owned()).collect();
        let report = stage.visit(Phase::Planning, None).unwrap();
        stage.take(Phase::Planning, &report);
        (stage.plan().confidence_score.get(), report)
    };
    let (sure, report) = confidence(&["Flight search", "Hotel search"]);
    assert_eq!(report.handoff.data.map()["gaps"], json!([]));
    assert_eq!(report.criteria["plan_completeness"], 1.0);
    let (less, report) = confidence(&["Flight search", "Travel insurance"]);
    assert!(report.handoff.data.map()["gaps"][0].as_str().unwrap().contains("Travel insurance"));
    assert_eq!(report.criteria["plan_completeness"], 0.5);
    assert!(less < sure, "{less} after {sure}");
}

#[test]
fn a_custom_template_is_used_without_any_model() {
    // spec: orchestrator DG-11 DG-14
    let pack = r#"
        name = "garden"
        description = "Gardens"
        goal_type = "gardening"
        keywords = ["garden"]
        [[tasks]]
        category = "soil"
        name = "Soil check"
        description = "Check the soil of the garden"
        outputs = ["soil"]
        seconds = 7
    "#;
    let mut stage = Stage::new("Make the garden bloom");
    stage.phases = Phases::new(vec![Pack::from_toml(pack).unwrap()], 0);
    stage.walk(Phase::Planning);
    assert_eq!(stage.plan().subtasks[0].description.as_str(), "Check the soil of the garden");
    let only: Vec<&str> = stage.brief().alternatives.iter().map(|way| way.id.as_str()).collect();
    assert_eq!(only, ["C"], "one task has no other order, and nobody is cheaper or steadier");
    assert_eq!(stage.handoffs[&Phase::Planning].spoken_by, SpokenBy::Heuristic);
}

// ---------------------------------------------------------------------------------------------------------
// Questions
// ---------------------------------------------------------------------------------------------------------

#[test]
fn typical_questions_are_answered_from_the_record() {
    // spec: orchestrator IP-09
    let mut stage = Stage::planned(PARIS);
    let cases: &[(&str, &[&str])] = &[
        ("Why this strategy rather than sequential?", &["hybrid", "side by side", "A (all sequential)"]),
        ("¿Por qué esta estrategia?", &["hybrid", "propose"]),
        ("Why is flight_agent used for task_001?", &["task_001", "flight_agent", "backup_flight_agent"]),
        ("Who does the hotel search?", &["task_002", "hotel_agent"]),
        (
            "Can the hotel search be done differently?",
            &["task_002", "waits for task_001", "use AGENT for task_002"],
        ),
        ("What if risk 1 happens?", &["Risk (low)", "sample data", "What is done about it"]),
        ("What happens if the flight search fails?", &["task_001", "backup_flight_agent"]),
        ("Can the cost be reduced?", &["hybrid", "costs less", "task_001"]),
        ("Can it be done faster?", &["hybrid", "is faster", "task_001"]),
        ("How long will it take?", &["60 s", "80 s"]),
        ("How much does it cost?", &["$0.0", "by the agents' prices"]),
        // spec: findings GL-16
        ("Why is the sky blue?", &["does not tell", "“sky blue”"]),
        ("¿Por qué llueve en Galicia?", &["does not tell"]),
        (
            "Why is the hotel search after the flight search?",
            &["task_002", "waits for", "task_001", "needs its results"],
        ),
        ("Does the activity search need the flight search first?", &["Neither waits for the other"]),
    ];
    let before = stage.plan().clone();
    for (question, parts) in cases {
        let answer = stage.ask(question);
        for part in *parts {
            assert!(answer.contains(part), "{question}\n{answer}\nlacks {part}");
        }
    }
    assert_eq!(*stage.plan(), before, "a question changes nothing");
}

#[test]
fn a_model_answers_if_there_is_one() {
    // spec: orchestrator IP-09
    let mut stage = Stage::planned(PARIS);
    stage.voice = Some(|ask: &Ask| {
        assert_eq!((ask.step, ask.tier), ("answer_question", Tier::Strong));
        assert!(
            ask.slots["decisions"].contains("route_task") && ask.slots["brief"].contains("strategy: hybrid")
        );
        Some(json!({ "answer": "Because flights come first." }))
    });
    let report = stage.say(&PlanTalk::Question("Why?".to_owned()));
    assert_eq!(
        (reply(&report).as_str(), report.handoff.spoken_by),
        ("Because flights come first.", SpokenBy::Model)
    );
    stage.voice = Some(|_| Some(json!({ "answer": " " })));
    assert!(stage.ask("Why this strategy?").contains("hybrid"), "nothing is no answer");
}

// ---------------------------------------------------------------------------------------------------------
// Another way
// ---------------------------------------------------------------------------------------------------------

#[test]
fn another_way_makes_the_next_version_of_the_same_plan() {
    // spec: orchestrator IP-06
    let mut stage = Stage::planned(PARIS);
    let first = stage.plan().clone();
    let report = stage.say(&PlanTalk::Alternative("a".to_owned()));
    assert_eq!(stage.plan().execution_strategy, ExecutionStrategy::Sequential);
    assert_eq!(stage.plan().plan_id, first.plan_id);
    assert_eq!((stage.brief().estimates.duration.unwrap().get(), stage.brief().agents.parallel), (80.0, 0));
    assert_eq!(stage.brief().recommendation, "A");
    let decision = report.decisions.iter().find(|made| made.operation == "iterate_plan").unwrap();
    assert!(decision.decision.contains("sequential"), "{}", decision.decision);
    stage.say(&PlanTalk::Alternative("B".to_owned()));
    assert_eq!(stage.plan().execution_strategy, ExecutionStrategy::Parallel);
    let told = reply(&stage.say(&PlanTalk::Alternative("Z".to_owned())));
    assert!(told.contains("no alternative Z") && told.contains("A (all sequential)"), "{told}");
    let again = reply(&stage.say(&PlanTalk::Alternative("B".to_owned())));
    assert!(again.contains("change nothing"), "{again}");
}

#[test]
fn the_cheapest_agents_are_offered_where_there_are_cheaper_ones_and_then_no_more() {
    let mut stage = Stage::new(PARIS);
    stage
        .agents
        .iter_mut()
        .find(|agent| agent.agent_type.as_str() == "backup_flight_agent")
        .unwrap()
        .cost_per_invocation = fixtures::dollars(0.001);
    stage.walk(Phase::Planning);
    let before = stage.brief().estimates.cost;
    let cheapest = stage.brief().alternatives.iter().find(|way| way.id == "D").unwrap();
    assert!(cheapest.tradeoff.contains("task_001 goes to backup_flight_agent"), "{}", cheapest.tradeoff);
    assert!(stage.ask("Can cost be reduced?").contains("To reduce cost, choose D (cheapest agents)"));
    stage.say(&PlanTalk::Alternative("D".to_owned()));
    assert_eq!(agent_of(stage.plan(), "task_001"), "backup_flight_agent");
    assert!(stage.brief().estimates.cost < before);
    assert!(stage.brief().alternatives.iter().all(|way| way.id != "D"));
}

#[test]
fn the_most_reliable_agents_are_offered_with_their_record() {
    // spec: findings GL-13
    let mut stage = Stage::new(PARIS);
    for agent in &mut stage.agents {
        let rate = if agent.agent_type.as_str() == "flight_agent" { 0.7 } else { 0.95 };
        agent.success_rate = candor_model::Share::new(rate).unwrap();
    }
    // The plan's author chose the weaker one.
    stage.walk(Phase::Planning);
    stage.say(&PlanTalk::Change("use flight_agent for task_001".to_owned()));
    let way = stage.brief().alternatives.iter().find(|way| way.id == "E").unwrap();
    assert!(
        way.tradeoff.contains("task_001 goes to backup_flight_agent instead of flight_agent (95 %"),
        "{}",
        way.tradeoff
    );
    stage.say(&PlanTalk::Alternative("E".to_owned()));
    assert_eq!(agent_of(stage.plan(), "task_001"), "backup_flight_agent");
}

#[test]
fn a_models_alternatives_are_offered_and_made_when_chosen() {
    // spec: findings GL-13
    let mut stage = Stage::new(PARIS);
    stage.voice = Some(|ask: &Ask| match ask.step {
        "plan" => Some(json!({ "strategy": "hybrid", "confidence": 0.8, "risks": [], "alternatives": [
            { "name": "by train", "description": "Go to Paris by train.", "trade_off": "Slower, less to carry." },
            { "name": "in June", "description": "Go in June.", "trade_off": "Warmer." },
        ] })),
        "decompose_task" if ask.slots.get("wishes").is_some_and(|wishes| wishes.contains("by train")) => {
            Some(json!({ "tasks": [{ "description": "Find a train to Paris" }] }))
        }
        _ => None,
    });
    stage.walk(Phase::Planning);
    let way = stage.brief().alternatives.iter().find(|way| way.id == "F").unwrap().clone();
    assert_eq!(
        (way.name.as_str(), way.tradeoff.as_str()),
        ("by train", "Go to Paris by train. Slower, less to carry.")
    );
    stage.say(&PlanTalk::Alternative("F".to_owned()));
    assert_eq!(stage.plan().subtasks[0].description.as_str(), "Find a train to Paris");
}

// ---------------------------------------------------------------------------------------------------------
// Changes in words
// ---------------------------------------------------------------------------------------------------------

/// The plan after a change, told in a line.
fn after(words: &str) -> String {
    let mut stage = Stage::planned(PARIS);
    let before = stage.plan().clone();
    let report = stage.say(&change(words));
    if let PhaseResult::Reply(text) = &report.result {
        assert_eq!(*stage.plan(), before, "all or nothing");
        return format!("reply: {text}");
    }
    let plan = stage.plan();
    let mut told =
        vec![ids(plan).iter().map(|id| id.trim_start_matches("task_00")).collect::<Vec<_>>().join("")];
    for (task, old) in plan.subtasks.iter().filter_map(|task| Some((task, before.task(&task.task_id)?))) {
        let id = task.task_id.as_str().trim_start_matches("task_00");
        if task.agent_type != old.agent_type {
            told.push(format!("{id} by {}", task.agent_type));
        }
        if task.priority != old.priority {
            told.push(format!("{id} priority {}", task.priority));
        }
        if task.dependencies != old.dependencies {
            let needs: Vec<&str> = task.dependencies.iter().map(TaskId::as_str).collect();
            told.push(format!("{id} needs {}", needs.join("+").replace("task_00", "")));
        }
        if task.description != old.description {
            told.push(format!("{id} is {}", task.description));
        }
        if task.metadata.name != old.metadata.name {
            told.push(format!("{id} named {}", task.metadata.name.as_deref().unwrap()));
        }
        for (key, value) in task.inputs.iter().filter(|(key, value)| old.inputs.get(*key) != Some(value)) {
            told.push(format!("{id} {key}={value}"));
        }
    }
    if plan.execution_strategy != before.execution_strategy {
        told.push(plan.execution_strategy.to_string());
    }
    told.join(", ")
}

#[test]
fn plain_words_change_the_plan_in_english_and_in_spanish() {
    // spec: orchestrator IP-06
    let cases = [
        ("remove task_003", "124, 4 needs 1+2"),
        ("Please skip the activity search.", "124, 4 needs 1+2"),
        ("without the activities", "124, 4 needs 1+2"),
        ("drop T3", "124, 4 needs 1+2"),
        ("Quita la tercera tarea", "124, 4 needs 1+2"),
        ("elimina la última tarea", "123"),
        ("remove task_003 and task_004", "12"),
        ("use my hotel agent for the flight search", "reply"),
        ("use hotel_agent for the flight search", "1234, 1 by hotel_agent"),
        ("give the second task to the backup flight agent", "1234, 2 by backup_flight_agent"),
        ("usa hotel_agent para la tarea 3", "1234, 3 by hotel_agent"),
        ("asigna la tarea 3 a hotel_agent", "1234, 3 by hotel_agent"),
        ("set the priority of T2.1 to 3", "1234, 2 priority 3"),
        ("pon la prioridad de task_002 a 3", "1234, 2 priority 3"),
        ("priority 4 for the hotel search", "1234, 2 priority 4"),
        ("do the activity search after the hotel search", "1234, 3 needs 2"),
        ("haz la tarea 2 antes de la tarea 3", "1234, 3 needs 2"),
        ("do the hotel search before the flight search", "1234, 1 needs 2, 2 needs "),
        ("describe task_002 as \"Find hostels in Paris\"", "1234, 2 is Find hostels in Paris"),
        ("rename task_002 to \"Beds\"", "1234, 2 named Beds"),
        ("set max price to $300 for the flight search", "1234, 1 max_price=300"),
        ("set nights of task_002 to 4", "1234, 2 nights=4"),
        ("pon nights de task_002 a 4", "1234, 2 nights=4"),
        ("one at a time, please", "1234, sequential"),
        ("Haz todo en paralelo", "1234, parallel"),
        ("de una en una", "1234, sequential"),
        (
            "skip the activities, set nights of task_002 to 4 and run everything one by one",
            "124, 2 nights=4, 4 needs 1+2, sequential",
        ),
    ];
    for (words, expected) in cases {
        let told = after(words);
        if expected == "reply" {
            assert!(told.starts_with("reply: "), "{words}: {told}");
        } else {
            assert_eq!(told, expected, "{words}");
        }
    }
}

#[test]
fn what_is_not_understood_is_told_and_nothing_is_changed() {
    // spec: orchestrator IP-06
    let cases: &[(&str, &[&str])] = &[
        (
            "remove task_003 and paint it blue",
            &[
                "\"paint it blue\" was not understood",
                "Understood was: leave task_003 out",
                "Say it like this",
            ],
        ),
        ("skip the opera", &["\"the opera\" is no task of this plan", "task_002 (Hotel search)"]),
        ("remove search", &["can be task_001", "task_002", "by its id"]),
        ("use nobody for task_001", &["\"nobody\" is no agent here", "hotel_agent"]),
        ("don't remove task_003", &["was not understood"]),
        ("do the flight search after the budget check", &["Nothing was changed", "cannot be carried out"]),
        ("set the priority of task_001 to 99", &["Nothing was changed", "priority"]),
        ("remove task_001, task_002, task_003 and task_004", &["nothing would be left"]),
        ("use flight_agent for task_001", &["change nothing"]),
        ("", &["was not understood"]),
    ];
    for (words, parts) in cases {
        let told = after(words);
        for part in *parts {
            assert!(told.contains(part), "{words}\n{told}\nlacks {part}");
        }
    }
}

#[test]
fn what_a_person_leaves_out_stays_out_and_is_told_as_a_gap() {
    let mut stage = Stage::planned(PARIS);
    let report = stage.say(&change("without the hotel search"));
    let told = report.decisions.iter().find(|made| made.operation == "iterate_plan").unwrap();
    assert!(
        told.decision.contains("task_002 (Hotel search) is left out; task_004 no longer wait"),
        "{}",
        told.decision
    );
    assert!(report.handoff.data.map()["gaps"][0].as_str().unwrap().contains("Hotel search"));
    let PhaseResult::Plan(proposal) = report.result else { panic!("no plan") };
    let accepted = validation::accept(proposal, &stage.settings).unwrap();
    assert_eq!(ids(&accepted.plan), ["task_001", "task_003", "task_004"]);
}

#[test]
fn a_task_with_other_words_is_routed_anew() {
    let mut stage = Stage::planned(PARIS);
    let report = stage.say(&change("describe task_003 as \"Find a second hotel in Paris\""));
    assert_eq!(agent_of(stage.plan(), "task_003"), "hotel_agent");
    let routed: Vec<_> = report.decisions.iter().filter(|made| made.operation == "route_task").collect();
    assert_eq!(routed.len(), 1, "only what changed is a decision");
    assert_eq!(stage.plan().subtasks[2].metadata.place.as_deref(), Some("T3.1"), "its place stays");
}

fn edits(ask: &Ask) -> Option<Value> {
    (ask.step == "change_plan").then(|| {
        json!({ "edits": [
        { "action": "remove", "task_id": "task_003" },
        { "action": "use_agent", "task_id": "task_001", "value": "backup_flight_agent" },
    ] })
    })
}

#[test]
fn a_model_turns_free_words_into_edits() {
    // spec: orchestrator IP-06
    let mut stage = Stage::planned(PARIS);
    stage.voice = Some(edits);
    stage.say(&change("we are tired of sights, and the other people should look for the plane"));
    assert_eq!(ids(stage.plan()), ["task_001", "task_002", "task_004"]);
    assert_eq!(agent_of(stage.plan(), "task_001"), "backup_flight_agent");
    stage.voice = Some(|ask: &Ask| {
        let mut said = edits(ask)?;
        said["edits"] = json!([{ "action": "remove", "task_id": "task_004" }]);
        said["not_understood"] = json!("and make it pretty");
        Some(said)
    });
    let told = reply(&stage.say(&change("no budget check and make it pretty")));
    assert!(told.contains("and make it pretty") && told.contains("leave task_004 out"), "{told}");
    stage.voice = Some(|_| None);
    stage.say(&change("remove task_004"));
    assert_eq!(ids(stage.plan()), ["task_001", "task_002"], "the rules stand by");
}

// ---------------------------------------------------------------------------------------------------------
// Another plan
// ---------------------------------------------------------------------------------------------------------

#[test]
fn the_rules_say_that_they_would_make_the_same_plan() {
    // spec: orchestrator IP-06
    let mut stage = Stage::planned(PARIS);
    let told = reply(&stage.say(&PlanTalk::Anew(String::new())));
    assert!(told.contains("same plan again") && told.contains("remove TASK"), "{told}");
    stage.say(&change("remove task_003"));
    stage.say(&PlanTalk::Anew(String::new()));
    assert_eq!(stage.plan().subtasks.len(), 4, "from the decomposition again");
    stage.say(&change("remove task_003"));
    stage.say(&PlanTalk::Anew("one at a time".to_owned()));
    assert_eq!(
        (stage.plan().subtasks.len(), stage.plan().execution_strategy),
        (4, ExecutionStrategy::Sequential)
    );
    let told = reply(&stage.say(&PlanTalk::Anew("more sparkle".to_owned())));
    assert!(told.contains("\"more sparkle\" was not understood"), "{told}");
}

#[test]
fn a_plan_that_was_brought_can_be_changed_and_begun_anew() {
    let text = r#"{"subtasks":[{"task_id":"a","description":"Find hotels in Rome","agent_type":"nobody"},
        {"task_id":"b","description":"Sing","agent_type":"hotel_agent","dependencies":["a"]}]}"#;
    let plan = candor_phases::plan_file::PlanFile::from_json(text).unwrap().into_plan("1").unwrap();
    let mut stage = Stage::new("whatever");
    stage.material = Some(candor_model::StartMaterial { plan: Some(Arc::new(plan)), goal: None });
    stage.walk(Phase::Planning);
    let routed = agent_of(stage.plan(), "a").to_owned();
    stage.say(&change("remove b"));
    assert_eq!(ids(stage.plan()), ["a"]);
    stage.say(&PlanTalk::Anew(String::new()));
    assert_eq!(ids(stage.plan()), ["a", "b"]);
    assert_eq!((agent_of(stage.plan(), "a"), agent_of(stage.plan(), "b")), (routed.as_str(), "hotel_agent"));
}

#[test]
fn a_model_makes_the_tasks_anew_with_what_the_person_said() {
    // spec: orchestrator IP-06
    let mut stage = Stage::planned(PARIS);
    let first = stage.plan().plan_id.clone();
    stage.voice = Some(|ask: &Ask| match ask.step {
        "decompose_task" => {
            assert!(ask.slots["wishes"].contains("by train") && ask.slots["wishes"].contains("task_001"));
            Some(json!({ "tasks": [
                { "description": "Search trains to Paris by train" },
                { "description": "Find hotels in Paris", "dependencies": [0] },
            ] }))
        }
        _ => None,
    });
    let report = stage.say(&PlanTalk::Anew("go by train".to_owned()));
    assert_eq!(ids(stage.plan()), ["task_001", "task_002"]);
    assert_eq!(stage.plan().plan_id, first);
    assert!(stage.plan().subtasks.iter().all(|task| !task.agent_type.is_tbd()));
    assert!(
        report.decisions.iter().any(|made| made.operation == "iterate_plan" && made.input == "go by train")
    );
}

// ---------------------------------------------------------------------------------------------------------
// Laws
// ---------------------------------------------------------------------------------------------------------

fn some_plan(needs: &[Vec<usize>]) -> Plan {
    let task = |(at, needs): (usize, &Vec<usize>)| {
        let words = ["Find hotels", "Check the password", "Format a table"][at % 3];
        let mut task =
            SubTask::new(TaskId::numbered(at + 1), Text::new(format!("{words} {at}")).unwrap(), Vec::new());
        let before: BTreeSet<usize> = needs.iter().copied().filter(|need| *need < at).collect();
        task.dependencies = before.into_iter().map(|need| TaskId::numbered(need + 1)).collect();
        task
    };
    fixtures::plan_of(needs.iter().enumerate().map(task).collect(), 0.9)
}

fn planned_with(plan: &Plan, complexity: u8) -> (Stage, PhaseReport) {
    let mut stage = Stage::complex("whatever", complexity);
    stage.walk(Phase::Decomposition);
    let handoff = Arc::make_mut(stage.handoffs.get_mut(&Phase::Decomposition).unwrap());
    let mut data = handoff.data.map();
    data.insert("subtasks".to_owned(), json!(plan.subtasks));
    handoff.data = data.into();
    let report = stage.visit(Phase::Planning, None).unwrap();
    stage.take(Phase::Planning, &report);
    (stage, report)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn agents_always_add_up_and_time_is_between_the_path_and_the_sum(
        needs in prop::collection::vec(prop::collection::vec(0usize..20, 0..3), 1..20),
        complexity in 0u8..=100,
    ) {
        // spec: orchestrator IP-03 SC-07
        let (stage, _) = planned_with(&some_plan(&needs), complexity);
        let brief = stage.brief();
        prop_assert!((1..=15).contains(&brief.agents.total));
        prop_assert_eq!(brief.agents.parallel + brief.agents.sequential, brief.agents.total);
        let plan = stage.plan();
        let time = |strategy| {
            let width = estimate::width(strategy, stage.settings.max_parallel_tasks);
            estimate::makespan(&plan.subtasks, width, |task| task.estimated_duration_seconds.as_millis()).get()
        };
        let [slow, fast, mixed] =
            [ExecutionStrategy::Sequential, ExecutionStrategy::Parallel, ExecutionStrategy::Hybrid].map(time);
        prop_assert!(fast <= mixed && mixed <= slow);
        prop_assert_eq!(slow, plan.total_estimate().get());
        prop_assert_eq!(brief::defects(brief), Vec::<String>::new());
    }

    #[test]
    fn no_words_whatever_make_a_broken_plan(words in "[a-zA-Z_0-9 ,.\"]{0,60}", verb in prop::sample::select(&["remove ", "do ", "set ", "use ", "describe ", ""])) {
        let plan = fixtures::paris_plan();
        let agents = fixtures::full_registry();
        let edits = talk::parse(&format!("{verb}{words}"), &plan, &agents).unwrap_or_default();
        if let Ok(changed) = talk::apply(&plan, &agents, &edits) {
            prop_assert!(candor_planning::dependencies::check(&changed.plan.subtasks).is_valid);
            prop_assert!(!changed.plan.subtasks.is_empty() && !changed.told.is_empty());
        }
    }
}

#[test]
fn a_model_judges_the_work_where_that_is_wanted_and_rules_do_where_it_does_not_answer() {
    // spec: orchestrator SQ-01 SQ-02 SQ-09
    fn strict(ask: &Ask) -> Option<Value> {
        (ask.step == "critique").then(|| {
            json!({
                "objectiveAlignment": { "pass": false, "confidence": 90, "reason": "there is no hotel" },
                "consistencyWithProject": { "pass": true, "issues": [] },
                "similarToPastError": { "pass": true, "matchedErrors": [] },
            })
        })
    }
    fn prose(ask: &Ask) -> Option<Value> {
        (ask.step == "critique").then(|| json!("It is fine, I think"))
    }
    let judged = |voice: fn(&Ask) -> Option<Value>, by_model: bool| {
        let mut stage = Stage::new(PARIS);
        let rules = candor_phases::Rulebook { critique_by_model: by_model, ..Default::default() };
        stage.phases = stage.phases.clone().with_rules(rules);
        stage.voice = Some(voice);
        let critique = stage.walk(Phase::Decomposition).critique.unwrap();
        let asked = stage.asked.iter().filter(|ask| ask.step == "critique").count();
        (critique.judged_by, critique.objective_alignment.pass, asked)
    };
    assert_eq!(judged(strict, true), (SpokenBy::Model, false, 4));
    assert_eq!(judged(prose, true), (SpokenBy::Heuristic, true, 4), "what is no judgement is not believed");
    assert_eq!(judged(strict, false), (SpokenBy::Heuristic, true, 0));
}
