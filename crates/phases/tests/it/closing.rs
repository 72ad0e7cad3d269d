//! The phases after the work: what holds, what is left, and what every phase thinks of its own work.
use std::collections::BTreeMap;
use std::sync::Arc;

use candor_model::{
    Broadcast, CalibrationMetrics, CheckKind, CheckResult, Complexity, CritiqueVerdict, Effect, Evaluation,
    ExecutionFeedback, FeedbackType, Goal, Handoff, JsonMap, MessagePriority, MessageType, Phase, Plan,
    PromptQuality, QueryResponse, RunId, RunSettings, SpokenBy, StartMaterial, TaskStatus, Text, WantedCheck,
};
use candor_phases::{Incomplete, Pack, PhaseContext, Phases, Rulebook};
use candor_planning::compress::execution_output;
use candor_planning::critique;
use candor_planning::phase::{PhaseReport, PhaseResult};
use candor_planning::validation;
use candor_testkit::fixtures::{self, feedback, object, simple_task};
use serde_json::{Value, json};

/// What lies on the cx, owned.
struct Table {
    phases: Phases,
    request: String,
    run_id: RunId,
    settings: RunSettings,
    calibration: CalibrationMetrics,
    material: Option<StartMaterial>,
    handoffs: BTreeMap<Phase, Arc<Handoff>>,
    evaluation: Option<Evaluation>,
    goal: Option<Goal>,
    plan: Option<Plan>,
    feedback: Vec<Arc<ExecutionFeedback>>,
    checks: Vec<CheckResult>,
    responses: Vec<QueryResponse>,
    messages: Vec<Arc<Broadcast>>,
}

impl Table {
    fn new(request: &str) -> Self {
        let travel = Pack::from_toml(include_str!("../../../../packs/travel/pack.toml")).unwrap();
        Self {
            phases: Phases::new(vec![travel], validation::MIN_AGENTS),
            request: request.to_owned(),
            run_id: RunId::new("run_1").unwrap(),
            settings: RunSettings::default(),
            calibration: CalibrationMetrics::default(),
            material: None,
            handoffs: BTreeMap::new(),
            evaluation: None,
            goal: None,
            plan: None,
            feedback: Vec::new(),
            checks: Vec::new(),
            responses: Vec::new(),
            messages: Vec::new(),
        }
    }

    /// A plan of tasks with these criteria and outputs, carried out.
    fn done(tasks: &[(&str, Value)]) -> Self {
        let mut table = Self::new("Do it");
        let with_criterion = |(n, (criterion, _)): (usize, &(&str, Value))| {
            let mut task = simple_task(n, "Do it", &[], "agent");
            task.metadata.validation = (!criterion.is_empty()).then(|| (*criterion).to_owned());
            task.status = TaskStatus::Completed;
            task
        };
        table.plan = Some(fixtures::plan_of((1..).zip(tasks).map(with_criterion).collect(), 0.8));
        let told = (1..).zip(tasks).map(|(n, (_, outputs))| {
            let mut told = feedback(n, FeedbackType::Success, &[]);
            told.actual_outputs = object(outputs.clone());
            Arc::new(told)
        });
        table.feedback = told.collect();
        table.hand_over_execution();
        table
    }

    fn hand_over_execution(&mut self) {
        let short = execution_output(self.plan.as_ref().unwrap(), &self.feedback);
        let data = object(json!({ "compressed": short }));
        let handoff = Handoff::new(SpokenBy::Heuristic, short.summary, data);
        self.handoffs.insert(Phase::Execution, Arc::new(handoff));
    }

    fn visit(&self, phase: Phase) -> Result<PhaseReport, Incomplete> {
        let cx = PhaseContext {
            ledger: &[],
            addresses: &std::collections::BTreeSet::new(),
            attempt: 1,
            evaluation: self.evaluation.as_ref(),
            brief: None,
            talk: None,
            decisions: &[],
            refine: &[],
            files: &BTreeMap::new(),
            checks: &self.checks,
            responses: &self.responses,
            messages: &self.messages,
            run_id: &self.run_id,
            request: &self.request,
            now: fixtures::time(fixtures::NOON),
            settings: &self.settings,
            material: self.material.as_ref(),
            handoffs: &self.handoffs,
            goal: self.goal.as_ref(),
            agents: &fixtures::full_registry(),
            calibration: &self.calibration,
            answers: None,
            meaning: None,
            outcomes: &[],
            started: None,
            examples: &[],
            open_circuits: &BTreeMap::new(),
            plan: self.plan.as_ref(),
            feedback: &self.feedback,
        };
        self.phases.work(phase, &cx)
    }

    fn validated(&self) -> PhaseReport {
        self.visit(Phase::Validation).unwrap()
    }

    fn wanted(&self) -> Vec<WantedCheck> {
        match self.visit(Phase::Validation) {
            Err(Incomplete::Needs(effects)) => match effects.as_slice() {
                [Effect::RunChecks { checks, .. }] => checks.clone(),
                other => panic!("{other:?}"),
            },
            other => panic!("{other:?}"),
        }
    }
}

fn failed(report: &PhaseReport) -> Vec<(String, String)> {
    let PhaseResult::Verdict { failed, .. } = &report.result else { panic!("{:?}", report.result) };
    failed.iter().map(|(task, why)| (task.to_string(), why.clone())).collect()
}

fn verdict(report: &PhaseReport) -> String {
    report.handoff.data.map()["verdict"].as_str().unwrap().to_owned()
}

fn warnings(report: &PhaseReport) -> String {
    report.handoff.data.map()["warnings"].to_string()
}

fn check(n: usize, kind: CheckKind) -> WantedCheck {
    WantedCheck { task_id: candor_model::TaskId::numbered(n), kind }
}

fn command(words: &[&str]) -> CheckKind {
    CheckKind::Command(words.iter().map(|&word| word.to_owned()).collect())
}

#[test]
fn only_the_task_whose_criterion_fails_is_sent_back() {
    // spec: orchestrator PH-14 PH-18
    let table = Table::done(&[
        ("count hotels >= 2", json!({ "hotels": ["a"] })),
        ("output price <= 100", json!({ "price": 90 })),
        ("outputs present: text; output text contains \"hi\"", json!({ "text": "hi" })),
    ]);
    let report = table.validated();
    assert_eq!(verdict(&report), "FAIL");
    let failed = failed(&report);
    assert!(
        failed.len() == 1 && failed[0].0 == "task_001" && failed[0].1.contains("1 entries"),
        "{failed:?}"
    );
    let told = report.messages.iter().find(|message| message.message_type == MessageType::Warning).unwrap();
    assert_eq!((told.from_agent.as_str(), told.phase), ("validation-agent", Phase::Validation));
    assert!(told.content.contains("task_001"), "{}", told.content);
    assert!(!told.is_alarm(), "the way back is known; nobody has to be asked");
    assert_eq!(report.criteria["validation_thoroughness"], 1.0);
    assert_eq!(report.handoff.quality, Some(75));
}

#[test]
fn warnings_alone_are_listed_and_block_nothing() {
    // spec: orchestrator PH-14 CX-06
    let mut table =
        Table::done(&[("It reads well", json!({ "output_1": "x" })), ("", json!({ "other": 1 }))]);
    let report = table.validated();
    assert_eq!(verdict(&report), "PASS with 2 warnings");
    assert!(failed(&report).is_empty());
    assert!(warnings(&report).contains("It reads well") && warnings(&report).contains("output_2"));
    assert_eq!(report.criteria["validation_thoroughness"], 0.0, "nobody checked the prose");
    let mut half = feedback(2, FeedbackType::PartialSuccess, &["only half of it"]);
    half.actual_outputs = object(json!({ "output_2": 1, "warnings": ["prices are old"] }));
    table.feedback.push(Arc::new(half));
    table.messages.push(Arc::new(Broadcast {
        phase: Phase::Execution,
        from_agent: "agent".to_owned(),
        task_id: None,
        message_type: MessageType::Warning,
        priority: MessagePriority::Medium,
        content: "the service is slow".to_owned(),
        data: JsonMap::new(),
    }));
    table.hand_over_execution();
    let report = table.validated();
    assert_eq!(verdict(&report), "PASS with 4 warnings");
    for warning in ["only half of it", "prices are old", "the service is slow"] {
        assert!(warnings(&report).contains(warning), "{}", warnings(&report));
    }
}

#[test]
fn without_anything_to_say_it_passes_plainly() {
    let report =
        Table::done(&[("", json!({ "output_1": 1 })), ("count output_2 > 0", json!({ "output_2": [1] }))])
            .validated();
    assert_eq!(verdict(&report), "PASS");
}

#[test]
fn what_must_be_looked_up_is_asked_for_and_judged_by_what_was_seen() {
    // spec: orchestrator DC-13 PH-14 DG-11
    let mut table = Table::done(&[
        ("command: cargo test; file exists: report.md", json!({})),
        ("file exists: report.md", json!({})),
    ]);
    table.phases = table
        .phases
        .clone()
        .with_rules(Rulebook { allowed_commands: vec!["cargo".to_owned()], ..Rulebook::default() });
    let file = CheckKind::File("report.md".to_owned());
    let expected = [check(1, command(&["cargo", "test"])), check(1, file.clone()), check(2, file)];
    let wanted = table.wanted();
    assert_eq!(wanted, expected);
    let result = |(n, check): (usize, &WantedCheck)| CheckResult {
        check: check.clone(),
        passed: n != 0,
        detail: "exit status 101: 1 test failed".to_owned(),
    };
    table.checks = wanted.iter().enumerate().map(result).collect();
    let report = table.validated();
    let failed = failed(&report);
    assert!(failed.len() == 1 && failed[0].1.contains("cargo test: exit status 101"), "{failed:?}");
    table.checks.iter_mut().for_each(|check| check.passed = true);
    assert_eq!(verdict(&table.validated()), "PASS");
}

#[test]
fn a_command_that_nobody_vouched_for_is_not_run() {
    // spec: orchestrator DC-13
    let mut table = Table::done(&[("command: rm -r everything", json!({ "output_1": 1 }))]);
    let report = table.validated();
    assert_eq!(verdict(&report), "PASS with 1 warning");
    assert!(warnings(&report).contains("command: rm -r everything was not run"), "{}", warnings(&report));
    table.material = Some(StartMaterial { goal: None, plan: table.plan.clone().map(Arc::new) });
    assert_eq!(table.wanted().len(), 1, "the person brought it");
    let plan = table.plan.as_mut().unwrap();
    plan.subtasks[0].metadata.validation = Some("command: rm -r more".to_owned());
    assert!(table.visit(Phase::Validation).is_ok(), "this one they did not bring");
}

#[test]
fn a_task_that_was_left_out_is_not_judged() {
    let mut table = Table::done(&[("count x > 5", json!({})), ("file exists: x", json!({}))]);
    table.plan.as_mut().unwrap().subtasks.iter_mut().for_each(|task| task.status = TaskStatus::Skipped);
    assert_eq!(verdict(&table.validated()), "PASS");
}

#[test]
fn the_last_success_counts_and_a_missing_one_fails() {
    let mut table = Table::done(&[("output price < 5", json!({ "price": 9 }))]);
    let mut again = feedback(1, FeedbackType::Success, &[]);
    again.actual_outputs = object(json!({ "price": 4 }));
    table.feedback.push(Arc::new(again));
    table.hand_over_execution();
    assert_eq!(verdict(&table.validated()), "PASS");
    table.feedback.clear();
    assert!(failed(&table.validated())[0].1.contains("no result"));
}

#[test]
fn only_what_the_short_form_does_not_tell_is_opened() {
    // spec: orchestrator CX-05 CX-04
    let long: Vec<Value> = (0..100).map(|n| json!({ "row": n })).collect();
    let mut table = Table::done(&[
        ("", json!({ "output_1": long })),
        ("count rows >= 100", json!({ "rows": long })),
        ("It reads well", json!({ "output_3": long })),
    ]);
    let report = table.validated();
    assert_eq!(report.handoff.data.map()["expanded"], json!(["task_002"]));
    let mut other = table.feedback[1].as_ref().clone();
    other.actual_outputs.insert("more".to_owned(), json!(1));
    table.feedback[1] = Arc::new(other);
    assert!(warnings(&table.validated()).contains("has changed since"), "it is no longer what was shortened");
}

#[test]
fn the_goals_constraints_still_decide() {
    let mut table = Table::done(&[("", json!({ "output_1": 1, "total_cost": 2150 }))]);
    table.goal = Some(fixtures::paris_goal());
    let report = table.validated();
    let PhaseResult::Verdict { unmet, failed } = &report.result else { panic!() };
    assert!(unmet.iter().any(|it| it.contains("2150")) && failed.is_empty(), "{unmet:?}");
    assert_eq!(verdict(&report), "FAIL");
}

fn evaluated(keywords: &[&str]) -> Evaluation {
    Evaluation {
        keywords: keywords.iter().map(|&keyword| keyword.to_owned()).collect(),
        complexity: Complexity { total: 20, parts: Vec::new() },
        prompt_quality: PromptQuality::default(),
        confidence: 80,
        file_count: 0,
    }
}

#[test]
fn the_last_room_counts_what_is_known_and_leaves_out_what_is_not() {
    // spec: orchestrator PM-04 DG-11
    let mut table =
        Table::done(&[("It works", json!({ "output_1": 1 })), ("It works", json!({ "output_2": 1 }))]);
    table.evaluation = Some(evaluated(&["it", "paris", "doing"]));
    table.feedback.insert(0, Arc::new(feedback(1, FeedbackType::Failure, &["no"])));
    let plan = table.plan.as_mut().unwrap();
    plan.subtasks[0].description = Text::new("Book Paris".to_owned()).unwrap();
    plan.subtasks[0].metadata.estimated_tokens = Some(200);
    plan.subtasks[1].metadata.estimated_tokens = Some(1_000);
    let decomposed =
        json!({ "subtasks": [{ "task_id": "task_001" }, { "task_id": "task_002" }, { "task_id": "gone" }] });
    let mut handoff = Handoff::new(SpokenBy::Model, "3 tasks".to_owned(), object(decomposed));
    handoff.context.tokens_consumed = 450;
    table.handoffs.insert(Phase::Decomposition, Arc::new(handoff));
    let report = table.visit(Phase::Consolidation).unwrap();
    let close = |name: &str, value: f64| {
        assert!((report.criteria[name] - value).abs() < 1e-9, "{name}: {:?}", report.criteria);
    };
    close("execution_success", 1.0);
    close("confidence_accuracy", 0.8);
    close("keyword_precision", 1.0 / 3.0);
    close("decomposition_quality", 0.5);
    close("plan_completeness", 2.0 / 3.0);
    assert!(report.criteria.contains_key("complexity_calibration"));
    assert!(!report.criteria.contains_key("context_relevance"), "nothing was loaded");
    let data = report.handoff.data.map();
    assert_eq!(data["metrics"]["phases"]["3"]["tokensUsed"], 450);
    assert_eq!(data["metrics"]["totalTokens"], 450);
    let pattern = json!({ "taskType": "book", "agent": "agent", "attempts": 2, "successes": 1 });
    assert_eq!(data["patterns"][0], pattern);
    assert_eq!(data["learnings"][0], "agent succeeded at 1 of 2 attempts at book");
    let speakers: Vec<&str> = report.messages.iter().map(|message| message.from_agent.as_str()).collect();
    assert_eq!(speakers, ["pattern-detector", "knowledge-consolidator"]);
}

#[test]
fn a_large_plan_is_not_repeated() {
    let tasks: Vec<(&str, Value)> =
        (0..500).map(|_| ("It reads well", json!({ "output": "x".repeat(100) }))).collect();
    let table = Table::done(&tasks);
    let report = table.visit(Phase::Consolidation).unwrap();
    assert!(report.handoff.data.map().get("produced").is_none());
    let bytes = serde_json::to_string(&report.handoff).unwrap().len();
    assert!(bytes < 4_000, "{bytes}");
    let report = table.validated();
    assert_eq!(verdict(&report), "PASS with 500 warnings");
    assert_eq!(report.handoff.data.map()["warnings"].as_array().unwrap().len(), 101);
}

/// All phases in a row, with agents that deliver what is expected of them; the verdicts of the critique.
fn verdicts(request: &str, mut table: Table) -> Vec<(Phase, CritiqueVerdict, Vec<String>)> {
    let mut verdicts = Vec::new();
    for &phase in Phase::ALL {
        let checks = if phase == Phase::Execution {
            let plan = table.plan.as_ref().unwrap();
            let told = (1..=plan.subtasks.len()).map(|n| {
                let mut told = feedback(n, FeedbackType::Success, &[]);
                let names = &plan.subtasks[n - 1].expected_outputs;
                told.actual_outputs = names.iter().map(|name| (name.clone(), json!("42"))).collect();
                told.task_id = plan.subtasks[n - 1].task_id.clone();
                Arc::new(told)
            });
            table.feedback = told.collect();
            table.hand_over_execution();
            let handoff = &table.handoffs[&Phase::Execution];
            critique::of_execution(request, &table.plan.as_ref().unwrap().subtasks, handoff, &[], Some(800))
        } else {
            let report = table.visit(phase).unwrap();
            table.handoffs.insert(phase, Arc::new(report.handoff));
            match report.result {
                PhaseResult::Goal { goal, .. } => table.goal = Some(*goal),
                PhaseResult::Plan(proposal) => table.plan = Some(proposal.plan),
                _ => {}
            }
            *report.critique.expect("every room judges its own work")
        };
        verdicts.push((phase, critique::decide(&checks, 0, 2, SpokenBy::Model), checks.failed()));
    }
    verdicts
}

#[test]
fn ordinary_runs_please_their_own_critique_in_all_eight_phases() {
    // spec: orchestrator PH-17 SQ-02
    for request in [
        "Plan a 3-day trip to Paris in May with a $2000 budget",
        "Find a flight to Rome",
        "Planifica un viaje de 3 días a París en mayo con un presupuesto de 2000 €",
        "What is the weather like during a trip to Lisbon?",
        "I need a two week vacation in Japan with direct flights and quiet hotels for less than $9000",
    ] {
        let verdicts = verdicts(request, Table::new(request));
        assert_eq!(verdicts.len(), 8);
        for (phase, verdict, failed) in verdicts {
            assert_eq!((verdict, failed), (CritiqueVerdict::Continue, Vec::new()), "{request}: {phase}");
        }
    }
}

#[test]
fn so_do_plain_questions_and_work_that_no_pack_knows() {
    // spec: orchestrator PH-17 SQ-02
    for request in [
        "What is the capital of France?",
        "Summarise the quarterly report and translate it into French",
        "Refactor the login module, add tests for it and then update the documentation",
        "Traduce el informe al inglés y envía un resumen al equipo",
    ] {
        let mut table = Table::new(request);
        table.phases = Phases::new(Vec::new(), validation::MIN_AGENTS);
        for (phase, verdict, mut failed) in verdicts(request, table) {
            // Nobody at this table can do such work, and the plan says so.
            if phase == Phase::Planning {
                failed.retain(|check| !check.starts_with("confidenceLevel"));
                assert_eq!(failed, Vec::<String>::new(), "{request}");
                continue;
            }
            assert_eq!((verdict, failed), (CritiqueVerdict::Continue, Vec::new()), "{request}: {phase}");
        }
    }
}

#[test]
fn a_brought_plan_is_what_the_person_wants_whatever_they_call_it() {
    let mut table = Table::new("the usual thing, as every Monday morning");
    let tasks = vec![simple_task(1, "Find hotels in Rome", &[], "hotel_agent")];
    table.material = Some(StartMaterial { goal: None, plan: Some(Arc::new(fixtures::plan_of(tasks, 0.9))) });
    let report = table.visit(Phase::Planning).err();
    assert!(report.is_some(), "there is no goal yet");
    let goal = table.visit(Phase::Evaluation).unwrap();
    let PhaseResult::Goal { goal, .. } = goal.result else { panic!() };
    table.goal = Some(*goal);
    let report = table.visit(Phase::Planning).unwrap();
    assert!(report.critique.unwrap().objective_alignment.pass);
}

#[test]
fn whoever_warned_says_whether_it_is_critical() {
    // spec: orchestrator AC-11
    let mut table = Table::done(&[("", json!({ "output_1": "x" }))]);
    table.messages.push(Arc::new(Broadcast {
        phase: Phase::Execution,
        from_agent: "agent".to_owned(),
        task_id: Some(candor_model::TaskId::numbered(1)),
        message_type: MessageType::Warning,
        priority: MessagePriority::High,
        content: "the prices are a year old".to_owned(),
        data: JsonMap::new(),
    }));
    let Err(Incomplete::Needs(effects)) = table.visit(Phase::Validation) else { panic!("nobody is asked") };
    let queries = effects.iter().filter_map(|effect| match effect {
        Effect::QueryAgent { query } => Some(query),
        _ => None,
    });
    let asked: Vec<_> = queries.collect();
    assert_eq!((asked.len(), asked[0].to_agent.as_str()), (1, "agent"));
    assert!(asked[0].query.contains("a year old"), "{}", asked[0].query);
    let mut answered = |response: Result<Value, String>| {
        table.responses = vec![QueryResponse {
            from_agent: "agent".to_owned(),
            to_agent: asked[0].from_agent.clone(),
            query_id: asked[0].id.clone(),
            response,
            confidence: 90,
            processing_time: 1,
        }];
        table.validated()
    };
    let report = answered(Ok(json!("not critical")));
    assert_eq!((verdict(&report).as_str(), failed(&report).len()), ("PASS with 1 warning", 0));
    let report = answered(Ok(json!({ "critical": true })));
    assert_eq!(verdict(&report), "FAIL");
    assert!(failed(&report)[0].1.contains("a year old"), "{:?}", failed(&report));
    let report = answered(Err("it does not answer questions".to_owned()));
    assert_eq!(verdict(&report), "PASS with 1 warning", "no answer changes nothing");
}
