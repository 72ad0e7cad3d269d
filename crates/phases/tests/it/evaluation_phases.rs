//! Phases 0, 1 and 2: what they leave for the others, what they tell each other, and what they need first.

use std::collections::BTreeMap;
use std::sync::Arc;

use candor_model::{
    AgentCapability, Broadcast, CalibrationMetrics, Consulted, Effect, Enhancement, Evaluation, Goal,
    Handoff, MessagePriority, MessageType, OptionalStep, Phase, ReadFile, RunId, RunSettings, StartMaterial,
};
use candor_phases::plan_file::PlanFile;
use candor_phases::{Answers, Incomplete, Pack, PhaseContext, Phases, define_goal, skippable};
use candor_planning::phase::{PhaseReport, PhaseResult};
use candor_planning::validation;
use candor_testkit::consulting::{accepted_as, answered};
use candor_testkit::fixtures;
use serde_json::{Value, json};

const PARIS: &str = "Plan a 3-day trip to Paris in May with a $2000 budget";

fn phases() -> Phases {
    let travel = Pack::from_toml(include_str!("../../../../packs/travel/pack.toml")).unwrap();
    Phases::new(vec![travel], validation::MIN_AGENTS)
}

/// What lies on the cx, and what was left on it.
struct Table {
    phases: Phases,
    request: String,
    material: Option<StartMaterial>,
    agents: Vec<AgentCapability>,
    files: BTreeMap<String, ReadFile>,
    handoffs: BTreeMap<Phase, Arc<Handoff>>,
    told: Option<BTreeMap<String, Vec<Consulted>>>,
    goal: Option<Goal>,
}

impl Table {
    fn new(request: &str) -> Self {
        Self {
            phases: phases(),
            request: request.to_owned(),
            material: None,
            agents: fixtures::full_registry(),
            files: BTreeMap::new(),
            handoffs: BTreeMap::new(),
            told: None,
            goal: None,
        }
    }

    fn said(mut self, step: &str, value: Value) -> Self {
        let step_taken = Consulted { call: Some(answered("…", 0)), outcome: accepted_as(value) };
        self.told.get_or_insert_default().insert(step.to_owned(), vec![step_taken]);
        self
    }

    fn file(mut self, path: &str, text: Result<&str, &str>, hash: &str) -> Self {
        let text = text.map(str::to_owned).map_err(str::to_owned);
        let (path, hash) = (path.to_owned(), hash.to_owned());
        self.files.insert(path.clone(), ReadFile { path, bytes: 0, modified: None, hash, text });
        self
    }

    fn work(&mut self, phase: Phase) -> Result<PhaseReport, Incomplete> {
        let (run_id, settings) = (RunId::new("run_1").unwrap(), RunSettings::default());
        let empty = BTreeMap::new();
        let told = self.told.as_ref().unwrap_or(&empty);
        let steps = |step: &str| told.get(step).map_or(&[][..], Vec::as_slice);
        let cx = PhaseContext {
            ledger: &[],
            addresses: &std::collections::BTreeSet::new(),
            attempt: 1,
            run_id: &run_id,
            request: &self.request,
            now: fixtures::time(fixtures::NOON),
            settings: &settings,
            material: self.material.as_ref(),
            handoffs: &self.handoffs,
            evaluation: None,
            goal: self.goal.as_ref(),
            agents: &self.agents,
            calibration: &CalibrationMetrics::default(),
            plan: None,
            brief: None,
            talk: None,
            decisions: &[],
            refine: &[],
            files: &self.files,
            checks: &[],
            responses: &[],
            messages: &[],
            answers: self.told.is_some().then_some(Answers(&steps)),
            meaning: None,
            outcomes: &[],
            started: None,
            examples: &[],
            open_circuits: &BTreeMap::new(),
            feedback: &[],
        };
        let report = self.phases.work(phase, &cx)?;
        self.handoffs.insert(phase, Arc::new(report.handoff.clone()));
        if let PhaseResult::Goal { goal, .. } = &report.result {
            self.goal = Some(*goal.clone());
        }
        Ok(report)
    }

    fn done(&mut self, phase: Phase) -> PhaseReport {
        self.work(phase).unwrap_or_else(|pause| panic!("{phase}: {pause}"))
    }

    /// Walks through the first three phases, and says what the last one left.
    fn context(&mut self) -> Handoff {
        self.done(Phase::PreAnalysis);
        self.done(Phase::Evaluation);
        self.done(Phase::Context).handoff
    }
}

fn parts(report: PhaseReport) -> (Goal, Evaluation, Option<Enhancement>) {
    let PhaseResult::Goal { goal, evaluation, enhancement } = report.result else { panic!("no goal") };
    (*goal, *evaluation.unwrap(), enhancement.map(|it| *it))
}

/// The files that a phase wants to be read.
fn wanted_files(worked: Result<PhaseReport, Incomplete>) -> Vec<String> {
    match worked {
        Err(Incomplete::Needs(effects)) => match effects.as_slice() {
            [Effect::ReadFiles { paths }] => paths.clone(),
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    }
}

#[test]
fn room_0_leaves_exactly_what_was_found_the_budget_and_what_to_skip() {
    // spec: orchestrator PH-07 EE-04
    let report = Table::new(PARIS).done(Phase::PreAnalysis);
    let data = report.handoff.data.map();
    assert_eq!(data.keys().collect::<Vec<_>>(), ["budget", "cached", "skip"]);
    assert_eq!((&data["cached"]["hit"], &data["skip"]), (&json!(false), &json!([])));
    let budget = &data["budget"];
    assert_eq!(
        (&budget["tokens"], &budget["spent"]["tokens"], &budget["source"]),
        (&json!(50_000), &json!(0), &json!("task"))
    );
    assert_eq!(budget["remaining"]["tokens"], 50_000);
    assert_eq!(report.criteria["cache_hit_rate"], 0.0);
}

#[test]
fn only_optional_steps_can_be_skipped() {
    // spec: orchestrator PH-07 EE-01 X-06
    for phase in Phase::ALL {
        let refused = skippable(&[phase.as_str()]).unwrap_err();
        assert!(refused.contains(phase.as_str()) && refused.contains("every phase runs"), "{refused}");
    }
    assert!(skippable(&["5"]).is_err() && skippable(&["agents"]).unwrap_err().contains("prompt_enhancement"));
    assert_eq!(skippable(&["file_reading"]).unwrap(), [OptionalStep::FileReading]);
}

#[test]
fn the_same_words_are_known_the_second_time_and_other_words_are_looked_up_anew() {
    // spec: orchestrator PC-06 SM-06
    let mut first = Table::new(PARIS);
    first.context();
    first.done(Phase::Decomposition);
    let mut again = Table {
        phases: first.phases.clone(),
        ..Table::new("  plan a 3-DAY trip to Paris in May with a $2000 budget")
    };
    let cached = again.done(Phase::PreAnalysis).handoff.data.map()["cached"].clone();
    assert_eq!((&cached["hit"], &cached["confidence"]), (&json!(true), &json!(90)));
    again.done(Phase::Evaluation);
    let kept = again.done(Phase::Context).handoff.data.map()["cached"].clone();
    assert_eq!(kept, json!({ "hit": true, "confidence": 90, "looked_up_again": false }));
    again.request = "Plan a 4-day trip to Rome in June".to_owned();
    again.done(Phase::Evaluation);
    let anew = again.done(Phase::Context).handoff.data.map()["cached"].clone();
    assert_eq!(anew, json!({ "hit": false, "confidence": 0, "looked_up_again": true }));
}

#[test]
fn the_same_words_with_other_files_are_not_the_same() {
    // spec: orchestrator PC-06
    let request = "Summarise the story in notes.md for the team";
    let mut table = Table::new(request).file("notes.md", Ok("once upon a time"), "1");
    table.agents = own_agents();
    table.context();
    table.done(Phase::Decomposition);
    let again = |hash: &str| {
        let next = Table { phases: table.phases.clone(), ..Table::new(request) };
        let mut next = next.file("notes.md", Ok("once upon a time"), hash);
        next.context().data.map()["cached"]["hit"].clone()
    };
    assert_eq!(again("1"), true);
    assert_eq!(again("2"), false, "the file was changed");
    assert_eq!(again("2"), true);
}

#[test]
fn room_1_leaves_its_five_figures_and_what_it_left_before() {
    // spec: orchestrator PH-08 HO-03 HO-05 HO-06
    let report = Table::new(PARIS).done(Phase::Evaluation);
    let handoff = report.handoff.clone();
    for key in [
        "language",
        "extracted",
        "guesses",
        "doubts",
        "keywords",
        "complexity",
        "promptQuality",
        "confidence",
        "fileCount",
    ] {
        assert!(handoff.data.map().contains_key(key), "{key}");
    }
    let (_, evaluation, enhancement) = parts(report);
    assert_eq!((handoff.quality, handoff.context.confidence), (Some(100), Some(evaluation.confidence)));
    assert_eq!(handoff.instructions.focus, evaluation.keywords);
    assert!(handoff.instructions.focus.contains(&"Paris".to_owned()), "{:?}", handoff.instructions);
    assert_eq!(handoff.data.map()["complexity"]["total"], evaluation.complexity.total);
    assert_eq!(enhancement, None);
}

fn told<'m>(messages: &'m [Broadcast], agent: &str) -> Vec<&'m Broadcast> {
    messages.iter().filter(|message| message.from_agent == agent).collect()
}

#[test]
fn the_four_agents_of_room_1_tell_each_other_what_they_found() {
    // spec: orchestrator PH-08 AC-02 AC-05 X-07
    let messages =
        Table::new("Write the report about Rome in Spanish, only English").done(Phase::Evaluation).messages;
    assert!(messages.iter().all(|message| message.phase == Phase::Evaluation));
    let kind = |message: &Broadcast| (message.message_type, message.priority);
    let found = told(&messages, "keyword-detector");
    assert_eq!(kind(found[0]), (MessageType::Discovery, MessagePriority::High));
    assert!(found[0].data["implication"].as_str().unwrap().contains("clarified"), "{found:?}");
    let scored = told(&messages, "complexity-scorer");
    assert_eq!(kind(scored[0]), (MessageType::Completion, MessagePriority::Medium));
    assert!(scored[0].data["complexity"]["total"].is_u64());
    let quality = told(&messages, "prompt-quality-scorer");
    assert!(quality[0].is_alarm() && quality[0].content.contains("only in English"), "{quality:?}");
    assert_eq!(kind(quality[1]), (MessageType::Completion, MessagePriority::Medium));
    assert_eq!(messages.last().unwrap().from_agent, "confidence-assessor");
    let calm = Table::new(PARIS).done(Phase::Evaluation).messages;
    assert!(calm.len() == 4 && !calm.iter().any(Broadcast::is_alarm));
}

#[test]
fn a_weak_request_is_offered_better_words_and_one_with_a_plan_is_not() {
    // spec: orchestrator PH-09 PE-02 PE-03
    let (_, evaluation, enhancement) = parts(Table::new("make it better").done(Phase::Evaluation));
    assert!(evaluation.prompt_quality.score < 70);
    assert_eq!(enhancement.unwrap().variants.len(), 3);
    let plan = r#"{"subtasks":[{"task_id":"a","description":"Sing","agent_type":"hotel_agent"}]}"#;
    let plan = PlanFile::from_json(plan).unwrap().into_plan("1").unwrap();
    let mut brought = Table::new("make it better");
    brought.material = Some(StartMaterial { plan: Some(Arc::new(plan)), goal: None });
    assert_eq!(brought.done(Phase::PreAnalysis).handoff.data.map()["skip"], json!(["prompt_enhancement"]));
    let (_, evaluation, enhancement) = parts(brought.done(Phase::Evaluation));
    assert!(evaluation.prompt_quality.score < 70 && enhancement.is_none());
}

#[test]
fn a_chosen_wording_keeps_the_goal_in_the_persons_words() {
    // spec: orchestrator PE-07
    let (_, _, enhancement) = parts(Table::new("Improve the kitchen").done(Phase::Evaluation));
    for variant in enhancement.unwrap().variants {
        let now = fixtures::time(fixtures::NOON);
        let (goal, _) = define_goal(&phases(), &variant.text, now, &RunId::new("run_1").unwrap()).unwrap();
        assert_eq!(goal.description.as_str(), "Improve the kitchen");
    }
}

#[test]
fn what_a_chosen_wording_adds_reaches_every_task() {
    // spec: findings GL-14
    for (request, told) in [("Improve the kitchen", "step by step"), ("Mejora la cocina", "paso a paso")] {
        let (_, _, enhancement) = parts(Table::new(request).done(Phase::Evaluation));
        let variants = enhancement.unwrap().variants;
        let chosen = variants.iter().find(|variant| variant.text.contains(told)).unwrap();
        let mut table = Table::new(&chosen.text);
        table.context();
        let tasks = table.done(Phase::Decomposition).handoff.data.map()["subtasks"].clone();
        let tasks = tasks.as_array().unwrap();
        assert_eq!(tasks[0]["description"], request);
        assert!(tasks.iter().all(|task| task["inputs"]["instructions"].as_str().unwrap().contains(told)));
        let mut plain = Table::new(request);
        plain.context();
        let tasks = plain.done(Phase::Decomposition).handoff.data.map()["subtasks"].clone();
        assert_eq!(tasks[0]["inputs"].get("instructions"), None);
    }
}

#[test]
fn a_models_figures_stand_over_those_of_the_rules() {
    // spec: orchestrator PH-08 FD-03
    let answer = json!({
        "keywords": ["Paris", "budget", "unicorns"], "complexity": 44,
        "promptQuality": { "score": 88, "issues": ["no origin"] }, "confidence": 77,
    });
    let report = Table::new(PARIS).said("parse_goal", answer).done(Phase::Evaluation);
    let (_, evaluation, enhancement) = parts(report);
    assert_eq!(evaluation.keywords, ["Paris", "budget"], "what is not in the request is no keyword of it");
    assert_eq!((evaluation.complexity.total, evaluation.confidence), (44, 77));
    assert_eq!((evaluation.prompt_quality.score, enhancement), (88, None));
    let (_, by_rules, _) = parts(Table::new(PARIS).said("parse_goal", json!({})).done(Phase::Evaluation));
    let (_, alone, _) = parts(Table::new(PARIS).done(Phase::Evaluation));
    assert_eq!(by_rules, alone, "an answer without figures leaves those of the rules");
}

#[test]
fn scores_out_of_range_are_refused() {
    // spec: orchestrator FD-03
    let mut table = Table::new(PARIS);
    table.told = Some(BTreeMap::new());
    let Err(Incomplete::Asks(ask)) = table.work(Phase::Evaluation) else { panic!("nothing was asked") };
    assert_eq!(ask.step, "parse_goal");
    assert!(
        (ask.check)(&json!({ "complexity": 100, "promptQuality": { "score": 0, "issues": [] } })).is_empty()
    );
    for (answer, field) in [
        (json!({ "complexity": 140 }), "complexity"),
        (json!({ "promptQuality": { "score": -1, "issues": [] } }), "promptQuality.score"),
        (json!({ "confidence": 101 }), "confidence"),
    ] {
        let problems = (ask.check)(&answer).join("\n");
        assert!(problems.contains(field) && problems.contains("from 0 to 100"), "{problems}");
    }
}

#[test]
fn a_model_is_asked_for_better_words_only_if_they_are_needed() {
    // spec: orchestrator PE-02 PE-03 PE-04
    let mut weak = Table::new("make it better").said("parse_goal", json!({}));
    let Err(Incomplete::Asks(ask)) = weak.work(Phase::Evaluation) else { panic!("nothing was asked") };
    assert_eq!((ask.step, ask.tier.as_str()), ("enhance_prompt", "balanced"));
    let variant =
        |text: &str, score: u8| json!({ "text": text, "score": score, "improvements": ["specificity"] });
    let three = json!({ "variants": [variant("Make ____ better", 40), variant("Make it better: ____", 55), variant("better ____", 30)] });
    assert_eq!((ask.check)(&three), Vec::<String>::new());
    let (_, _, enhancement) = parts(weak.said("enhance_prompt", three).done(Phase::Evaluation));
    let enhancement = enhancement.unwrap();
    assert_eq!(enhancement.variants.iter().map(|it| it.score).collect::<Vec<_>>(), [55, 40, 30]);
    assert_eq!(
        (enhancement.recommendation.as_str(), enhancement.original.text.as_str()),
        ("A", "make it better")
    );
}

fn own_agents() -> Vec<AgentCapability> {
    let mut agents = fixtures::full_registry();
    for agent in &mut agents {
        agent.agent_type = fixtures::agent_type(&format!("my_{}", agent.agent_type));
    }
    agents
}

#[test]
fn room_2_reads_the_files_that_are_named_and_no_others() {
    // spec: orchestrator PH-10 CL-09
    let request =
        "Summarise src/a.rs, ./notes.md, /etc/passwd.txt, ../secret.md, a/../../b.md and ~/x.md for the team";
    let mut table = Table::new(request);
    table.done(Phase::PreAnalysis);
    table.done(Phase::Evaluation);
    let paths = wanted_files(table.work(Phase::Context));
    assert_eq!(paths, ["src/a.rs", "notes.md"]);
    let mut table = table.file("src/a.rs", Ok("fn main() {}"), "1").file("notes.md", Err("no such file"), "");
    let handoff = table.done(Phase::Context).handoff;
    assert_eq!(handoff.context.files_read, ["src/a.rs"]);
    assert!(handoff.flags.uncertainty_areas[0].contains("notes.md could not be read: no such file"));
    assert_eq!(handoff.context.confidence, Some(90));
    let many: Vec<String> = (0..30).map(|n| format!("f{n}.rs")).collect();
    let paths = wanted_files(Table::new(&format!("Summarise {}", many.join(" "))).work(Phase::Context));
    assert_eq!(paths.len(), 20);
}

#[test]
fn what_room_2_loads_stays_small_and_what_is_dropped_is_told() {
    // spec: orchestrator PH-10 CL-08
    let long = "Invoices are paid monthly. ".repeat(400);
    let other = "Nothing of note. ".repeat(400);
    let mut table =
        Table::new("Summarise how invoices are paid in dull.md, good.md and small.md for the team")
            .file("dull.md", Ok(&other), "1")
            .file("good.md", Ok(&long), "2")
            .file("small.md", Ok("invoices paid"), "3");
    let data = table.context().data.map();
    let items = data["loaded"].as_array().unwrap();
    let tokens: u64 = items.iter().map(|item| item["tokens"].as_u64().unwrap()).sum();
    assert!(tokens <= 3_000 && tokens == data["tokens"].as_u64().unwrap(), "{tokens}");
    let names: Vec<&str> = items.iter().map(|item| item["ref"].as_str().unwrap()).collect();
    assert_eq!(names[..2], ["good.md", "small.md"], "the most relevant first");
    assert!(data["dropped"].to_string().contains("dull.md"), "{}", data["dropped"]);
    assert!(items.iter().all(|item| item["relevance"].is_number() && item["kind"].is_string()));
}

#[test]
fn every_agent_and_pack_gets_yes_or_no_with_a_reason() {
    // spec: orchestrator GR-14 PH-10
    let data = Table::new(PARIS).context().data.map();
    let answers = data["skills"]["answers"].as_array().unwrap();
    assert_eq!(answers.len(), fixtures::full_registry().len() + 1);
    for answer in answers {
        let activated = data["skills_activated"].as_array().unwrap().contains(&answer["name"]);
        assert_eq!(activated, answer["answer"] == "YES", "{answer}");
        assert!(!answer["reason"].as_str().unwrap().is_empty());
    }
    assert!(data["skills_activated"].as_array().unwrap().contains(&json!("travel")));
    let mut other = Table::new("Find a good hotel for Ann in Rome. Run `cargo test` then.");
    other.phases = Phases::new(Vec::new(), 1);
    other.agents = own_agents();
    let data = other.context().data.map();
    assert_eq!(data["commands"][0]["name"], "cargo test");
    let chosen = data["skills_activated"].to_string();
    assert!(chosen.contains("my_hotel_agent") && !chosen.contains("my_flight_agent"), "{chosen}");
}

#[test]
fn with_a_thousand_agents_only_those_who_fit_are_listed() {
    // spec: orchestrator GR-14
    let mut table = Table::new("Find a good hotel for Ann");
    table.phases = Phases::new(Vec::new(), 1);
    let hotel = own_agents().into_iter().find(|agent| agent.agent_type.as_str() == "my_hotel_agent").unwrap();
    table.agents = (0..1_000)
        .map(|n| AgentCapability {
            agent_type: fixtures::agent_type(&format!("number_{n}")),
            capabilities: vec!["weld".to_owned()],
            specialization: "Welding of pipes".to_owned(),
            ..hotel.clone()
        })
        .chain([hotel.clone()])
        .collect();
    let skills = table.context().data.map()["skills"].clone();
    assert_eq!((&skills["evaluated"], &skills["no"]), (&json!(1_001), &json!(1_000)));
    assert_eq!(skills["answers"].as_array().unwrap().len(), 1);
}

#[test]
fn both_agents_of_room_2_say_that_they_are_done() {
    // spec: orchestrator PH-10 CL-01 X-09
    let mut table = Table::new(PARIS);
    table.done(Phase::PreAnalysis);
    table.done(Phase::Evaluation);
    let messages = table.done(Phase::Context).messages;
    let agents: Vec<_> = messages.iter().map(|it| (it.from_agent.as_str(), it.message_type)).collect();
    assert_eq!(
        agents,
        [("context-loader", MessageType::Completion), ("memory-retriever", MessageType::Completion)]
    );
    assert_eq!(messages[1].data.len(), 5, "five loads, even from an empty memory");
}

#[test]
fn room_2_works_without_what_room_0_left() {
    // spec: orchestrator PH-20
    let mut table = Table::new(PARIS);
    table.done(Phase::Evaluation);
    let data = table.done(Phase::Context).handoff.data.map();
    assert_eq!(data["cached"]["hit"], false);
    let mut bare = Table::new(PARIS);
    assert!(bare.done(Phase::Context).handoff.instructions.focus.contains(&"Paris".to_owned()), "read anew");
}
