//! The orchestrator: what is done once, what is done again, what reaches the next attempt, and how it all ends.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::code_common::{
    FakeRunner, SUM, Scripted, Setting, TIMEOUT, adding, bad, code, complex, ended, finished, good, map,
    merged, raised, setting, simple,
};
use candor_agents::code::{
    AI_METADATA, AgentResponse, CheckRequest, Component, InputRequest, NodeResult, WorkflowError,
};
use candor_model::{JsonMap, Tier};
use candor_ports::{BoxFuture, CodeFault, CodeLimit, CodeOutcome, CodeRunner};
use serde_json::{Value, json};

const NUMBERS: &str = "Add the two numbers";

fn numbers() -> Value {
    json!({ "num1": 5, "num2": 10 })
}

fn running(runner: &Arc<FakeRunner>) -> Arc<dyn CodeRunner> {
    Arc::clone(runner) as Arc<dyn CodeRunner>
}

fn failed(error: WorkflowError) -> (String, JsonMap, JsonMap) {
    match error {
        WorkflowError::Failed { reason, metadata, context, .. } => (reason, *metadata, *context),
        other => panic!("{other:?}"),
    }
}

fn stages(metadata: &JsonMap) -> Vec<(String, u64)> {
    let entry =
        |error: &Value| (error["stage"].as_str().unwrap().to_owned(), error["attempt"].as_u64().unwrap());
    metadata["errors"].as_array().unwrap().iter().map(entry).collect()
}

/// A model that writes this in every attempt, and finds every result good.
fn always(text: &'static str) -> Arc<Scripted> {
    Scripted::new(move |_, ask| match ask.step {
        "analyse_input" => Ok(simple()),
        "write_code" => Ok(code(text)),
        _ => Ok(good()),
    })
}

// spec: code-agent AR-01, OR-01, OR-02, AR-05, OR-13
#[tokio::test]
async fn two_numbers_are_added_and_the_metadata_tells_how() {
    let setting = setting(adding(), FakeRunner::adding(json!({ "sum": 15 })));
    let given = numbers();
    let result = setting.run(NUMBERS, given.clone()).await.unwrap();
    assert_eq!(result.context, map(json!({ "num1": 5, "num2": 10, "sum": 15 })));
    assert_eq!(given, numbers(), "the caller's own is not touched");
    let metadata = &result.metadata;
    for stage in
        ["input_analysis", "code_generation", "code_validation", "execution_result", "output_validation"]
    {
        assert!(metadata[stage].is_object(), "{stage}");
    }
    assert_eq!((&metadata["attempts"], &metadata["errors"]), (&json!(1), &json!([])));
    assert!(metadata["total_time_ms"].is_number() && metadata["data_analysis"].is_null());
}

// spec: code-agent AR-03, IA-12, CV-22, DA-16, SB-12
#[tokio::test]
async fn components_work_in_this_order_without_and_with_analysis() {
    let plain = setting(adding(), FakeRunner::adding(json!({ "sum": 15 })));
    plain.run(NUMBERS, numbers()).await.unwrap();
    assert_eq!(
        plain.chain.story(),
        [
            "InputAnalyzer 0",
            "CodeGenerator 1",
            "CodeValidator 1",
            "sandbox 1",
            "OutputValidator 1",
            "MultiAgentOrchestrator 1"
        ]
    );
    assert_eq!(plain.chain.summary("InputAnalyzer"), "needs analysis: no, complexity: simple");
    let thinker = Scripted::by_name(&[
        ("input_analysis", complex()),
        ("data_analysis", code("insights = {'type': 'pdf'}")),
        ("code_1", code("context['total'] = len(context['pdf'])")),
        ("judgement_1", good()),
    ]);
    let runner = FakeRunner::new(|job, number| {
        Ok(finished(match number {
            1 => map(json!({ "insights": { "type": "pdf" } })),
            _ => merged(&job.context, &json!({ "total": 4 })),
        }))
    });
    let analysed = setting(thinker, running(&runner));
    let result = analysed.run("Extract the total", json!({ "pdf": "JVBE" })).await.unwrap();
    assert_eq!(
        analysed.chain.story(),
        [
            "InputAnalyzer 0",
            "CodeValidator 0",
            "sandbox 0",
            "DataAnalyzer 0",
            "CodeGenerator 1",
            "CodeValidator 1",
            "sandbox 1",
            "OutputValidator 1",
            "MultiAgentOrchestrator 1"
        ]
    );
    assert_eq!(analysed.chain.summary("DataAnalyzer"), "type pdf");
    assert_eq!(result.metadata["data_analysis"]["type"], "pdf");
    assert!(analysed.thinker.slot("code_1", "insights").contains("pdf"));
    assert!(!result.context.contains_key("insights"), "insights never enter the data");
}

// spec: code-agent AR-06
#[tokio::test]
async fn cheap_models_decide_and_judge_and_the_best_one_writes() {
    let setting = setting(adding(), FakeRunner::adding(json!({ "sum": 15 })));
    setting.run(NUMBERS, numbers()).await.unwrap();
    let tiers: Vec<(&str, Tier)> =
        setting.thinker.asks.lock().unwrap().iter().map(|(_, ask)| (ask.step, ask.tier)).collect();
    let expected =
        [("analyse_input", Tier::Fast), ("write_code", Tier::Strong), ("judge_output", Tier::Fast)];
    assert_eq!(tiers, expected);
}

// spec: code-agent AR-09
#[tokio::test]
async fn two_nodes_run_at_the_same_time() {
    struct Slow;
    impl Component<InputRequest> for Slow {
        fn execute<'a>(&'a self, _: &'a InputRequest) -> BoxFuture<'a, AgentResponse> {
            Box::pin(async {
                tokio::time::sleep(Duration::from_millis(100)).await;
                AgentResponse::found("InputAnalyzer", map(simple()), 100.0)
            })
        }
    }
    let slow = || {
        let mut setting = setting(adding(), FakeRunner::adding(json!({ "sum": 15 })));
        setting.parts.input_analyzer = Arc::new(Slow);
        setting
    };
    let (one, other, began) = (slow(), slow(), Instant::now());
    let (one, other) = tokio::join!(one.run(NUMBERS, numbers()), other.run(NUMBERS, numbers()));
    assert!(one.is_ok() && other.is_ok());
    assert!(began.elapsed() < Duration::from_millis(190), "{:?}", began.elapsed());
}

// spec: code-agent OR-06, OR-12, CG-16, IA-10, OR-04, OV-01, NX-25, NX-30
#[tokio::test]
async fn code_that_is_never_valid_is_written_three_times_and_never_run() {
    let runner = FakeRunner::adding(json!({ "sum": 15 }));
    let setting = setting(always("context['sum'] = missing_name"), running(&runner));
    let (reason, metadata, context) = failed(setting.run(NUMBERS, numbers()).await.unwrap_err());
    assert_eq!(context, map(numbers()));
    assert_eq!(metadata["attempts"], 3);
    let three: Vec<(String, u64)> = (1..=3).map(|n| ("code_validation".to_owned(), n)).collect();
    assert_eq!(stages(&metadata), three);
    assert_eq!(runner.count(), 0, "nothing is executed");
    let thinker = &setting.thinker;
    assert_eq!((thinker.count("analyse_input"), thinker.count("write_code")), (1, 3));
    assert_eq!(thinker.count("judge_output"), 0);
    let told = thinker.slot("code_3", "errors");
    let history: Value = serde_json::from_str(told.split_once('\n').unwrap().1).unwrap();
    assert_eq!(history.as_array().unwrap().len(), 2, "the third prompt has two errors");
    for part in ["3 attempts", "Attempt 1, code_validation", "Attempt 3", "missing_name", "give the code"] {
        assert!(reason.contains(part), "{part}: {reason}");
    }
}

// spec: code-agent CG-17, AR-05, OR-04, OR-05, NX-17
#[tokio::test]
async fn a_model_that_reads_its_errors_succeeds_at_the_second_attempt() {
    let thinker = Scripted::new(|name, ask| match ask.step {
        "analyse_input" => Ok(simple()),
        "write_code" => {
            let learnt = ask.slots.get("errors").is_some_and(|errors| errors.contains("total_amount"));
            assert_eq!(learnt, name == "code_2");
            Ok(code(if learnt { SUM } else { "context['sum'] = total_amount" }))
        }
        _ => Ok(good()),
    });
    let setting = setting(thinker, FakeRunner::adding(json!({ "sum": 15 })));
    let result = setting.run(NUMBERS, numbers()).await.unwrap();
    assert_eq!(result.metadata["attempts"], 2);
    assert_eq!(stages(&result.metadata), [("code_validation".to_owned(), 1)]);
    assert!(result.metadata["errors"][0]["errors"].is_array());
    assert_eq!(result.metadata["code_generation"]["code"], SUM);
    assert_eq!(setting.thinker.slot("code_2", "previous"), "context['sum'] = total_amount");
    assert!(!setting.thinker.ask("code_1").slots.contains_key("previous"));
    assert_eq!(result.code, SUM);
}

// spec: code-agent OR-08, NX-16, OR-07, SB-09, SB-13
#[tokio::test]
async fn an_error_while_it_runs_reaches_the_next_prompt() {
    let runner = FakeRunner::new(|job, number| {
        Ok(match number {
            1 => raised("ZeroDivisionError", "division by zero"),
            _ => candor_ports::CodeRun {
                stdout: "half way\n".to_owned(),
                ..finished(merged(&job.context, &json!({ "sum": 15 })))
            },
        })
    });
    let setting = setting(always(SUM), running(&runner));
    let result = setting.run(NUMBERS, numbers()).await.unwrap();
    assert_eq!(result.metadata["attempts"], 2);
    assert_eq!(stages(&result.metadata), [("execution".to_owned(), 1)]);
    let told = setting.thinker.slot("code_2", "errors");
    assert!(told.contains("execution error: ZeroDivisionError: division by zero (line 1)"), "{told}");
    assert_eq!(result.metadata["execution_result"]["stdout"], "half way\n");
    let jobs = runner.jobs.lock().unwrap().clone();
    assert!(jobs.iter().all(|job| job.context == map(numbers()) && job.timeout == TIMEOUT));
}

// spec: code-agent SB-09, SB-10, SB-08, SB-07, NX-19
#[tokio::test]
async fn every_way_to_end_badly_is_told_in_plain_words() {
    let cases: Vec<(&'static str, Result<CodeOutcome, CodeFault>, &str)> = vec![
        ("e2b", Ok(raised("ValueError", "bad").outcome), "E2B execution error: ValueError: bad"),
        ("local", Ok(CodeOutcome::TimedOut), "stopped after 10 s"),
        ("local", Ok(CodeOutcome::NoResult { reason: "it called exit()".to_owned() }), "without a result"),
        (
            "local",
            Ok(CodeOutcome::BadResult { reason: "no map".to_owned() }),
            "Invalid JSON in result: no map",
        ),
        ("local", Ok(CodeOutcome::Killed { signal: 9 }), "signal 9"),
        (
            "local",
            Ok(CodeOutcome::Limit { limit: CodeLimit::Memory, text: "512 MB of memory".to_owned() }),
            "went over a limit: 512 MB of memory",
        ),
        ("e2b", Err(CodeFault::new("no key")), "the sandbox (e2b) could not run it: no key"),
    ];
    for (name, end, expected) in cases {
        let runner = FakeRunner::called(name, move |_, _| end.clone().map(ended));
        let setting = setting(always(SUM), running(&runner));
        let (reason, metadata, _) = failed(setting.run(NUMBERS, numbers()).await.unwrap_err());
        assert!(reason.contains(expected), "{expected}: {reason}");
        let three: Vec<(String, u64)> = (1..=3).map(|n| ("execution".to_owned(), n)).collect();
        assert_eq!(stages(&metadata), three);
        assert_eq!(setting.thinker.count("judge_output"), 0, "only what ran is judged");
    }
}

// spec: code-agent OR-09, OR-10, NX-18, OR-11
#[tokio::test]
async fn a_refused_result_is_dropped_and_its_reason_reaches_the_next_prompt() {
    let thinker = Scripted::new(|name, ask| match (ask.step, name) {
        ("analyse_input", _) => Ok(simple()),
        ("write_code", _) => Ok(code(SUM)),
        (_, "judgement_1") => Ok(bad("the sum is not there")),
        _ => Ok(good()),
    });
    let runner = FakeRunner::new(|job, number| {
        let values = if number == 1 { json!({ "left_over": 1, "num1": 99 }) } else { json!({ "sum": 15 }) };
        Ok(finished(merged(&job.context, &values)))
    });
    let setting = setting(thinker, running(&runner));
    let result = setting.run(NUMBERS, numbers()).await.unwrap();
    assert_eq!(result.context, map(json!({ "num1": 5, "num2": 10, "sum": 15 })));
    assert_eq!(result.metadata["errors"][0]["reason"], "the sum is not there");
    assert_eq!(stages(&result.metadata), [("output_validation".to_owned(), 1)]);
    assert!(setting.thinker.slot("code_2", "errors").contains("the sum is not there"));
    assert_eq!(runner.jobs.lock().unwrap()[1].context, map(numbers()), "a fresh copy");
    assert!(!setting.thinker.slot("judgement_2", "after").contains("left_over"));
}

// spec: code-agent OR-03, OR-11, DA-03, DA-11, IA-10
#[tokio::test]
async fn analysis_is_made_once_however_many_attempts_there_are() {
    let thinker = Scripted::new(|_, ask| match ask.step {
        "analyse_input" => Ok(complex()),
        "analyse_data" => Ok(code("insights = {'type': 'csv'}")),
        "write_code" => Ok(code("context['x'] = 1")),
        _ => Ok(bad("no")),
    });
    let runner = FakeRunner::new(|job, number| {
        Ok(finished(match number {
            1 => map(json!({ "insights": { "type": "csv" } })),
            _ => merged(&job.context, &json!({ "x": 1 })),
        }))
    });
    let setting = setting(thinker, running(&runner));
    failed(setting.run("t", json!({ "csv": "a,b" })).await.unwrap_err());
    let count = |step| setting.thinker.count(step);
    assert_eq!((count("analyse_input"), count("analyse_data")), (1, 1));
    assert_eq!((count("write_code"), count("judge_output"), runner.count()), (3, 3, 4));
    assert_eq!(runner.jobs.lock().unwrap()[1].context, map(json!({ "csv": "a,b" })), "unchanged by analysis");
}

// spec: code-agent OV-10
#[tokio::test]
async fn a_judgement_that_fails_is_made_once_more_and_then_the_attempt_has_failed() {
    let thinker = Scripted::new(|name, ask| match (ask.step, name) {
        ("analyse_input", _) => Ok(simple()),
        ("write_code", _) => Ok(code(SUM)),
        (_, "judgement_2") | (_, "judgement_1" | "judgement_1_again") => Ok(json!("looks good")),
        _ => Ok(good()),
    });
    let setting = setting(thinker, FakeRunner::adding(json!({ "sum": 15 })));
    let result = setting.run(NUMBERS, numbers()).await.unwrap();
    assert_eq!(
        setting.thinker.names(),
        [
            "input_analysis",
            "code_1",
            "judgement_1",
            "judgement_1_again",
            "code_2",
            "judgement_2",
            "judgement_2_again"
        ]
    );
    assert_eq!(stages(&result.metadata), [("output_validation".to_owned(), 1)]);
    assert!(result.metadata["errors"][0]["error"].as_str().unwrap().contains("not taken"));
}

// spec: code-agent OR-16, NX-29
#[tokio::test]
async fn without_an_input_analysis_rules_decide_on_it() {
    let thinker = || {
        Scripted::new(|_, ask| match ask.step {
            "analyse_input" => Err("down".to_owned()),
            "analyse_data" => Ok(code("insights = {'type': 'text'}")),
            "write_code" => Ok(code("context['x'] = 1")),
            _ => Ok(good()),
        })
    };
    let runner = || FakeRunner::adding(json!({ "x": 1, "insights": { "type": "text" } }));
    let large = setting(thinker(), runner());
    let result = large.run("t", json!({ "text": "word ".repeat(300) })).await.unwrap();
    assert_eq!((large.thinker.count("analyse_data"), stages(&result.metadata).len()), (1, 1));
    assert_eq!(stages(&result.metadata)[0], ("input_analysis".to_owned(), 0));
    let small = setting(thinker(), runner());
    small.run("t", json!({ "text": "word" })).await.unwrap();
    assert_eq!(small.thinker.count("analyse_data"), 0);
}

// spec: code-agent OR-16, DA-12
#[tokio::test]
async fn without_a_data_analysis_the_work_goes_on() {
    let thinker = Scripted::new(|_, ask| match ask.step {
        "analyse_input" => Ok(complex()),
        "analyse_data" => Err("down".to_owned()),
        "write_code" => Ok(code("context['x'] = 1")),
        _ => Ok(good()),
    });
    let setting = setting(thinker, FakeRunner::adding(json!({ "x": 1 })));
    let result = setting.run("t", json!({})).await.unwrap();
    assert_eq!(stages(&result.metadata), [("data_analysis".to_owned(), 0)]);
    assert!(!setting.thinker.ask("code_1").slots.contains_key("insights"));
}

// spec: code-agent OR-16, CG-15
#[tokio::test]
async fn a_generator_that_fails_costs_its_attempt_only() {
    let thinker = Scripted::new(|name, ask| match (ask.step, name) {
        ("analyse_input", _) => Ok(simple()),
        (_, "code_1") => Err("quota".to_owned()),
        ("write_code", _) => Ok(code(SUM)),
        _ => Ok(good()),
    });
    let setting = setting(thinker, FakeRunner::adding(json!({ "sum": 15 })));
    let result = setting.run(NUMBERS, numbers()).await.unwrap();
    assert_eq!(stages(&result.metadata), [("code_generation".to_owned(), 1)]);
}

// spec: code-agent OR-16, AR-02
#[tokio::test]
async fn a_validator_that_breaks_costs_its_attempt_and_nothing_is_run() {
    struct Broken;
    impl Component<CheckRequest> for Broken {
        fn execute<'a>(&'a self, _: &'a CheckRequest) -> BoxFuture<'a, AgentResponse> {
            Box::pin(std::future::ready(AgentResponse::failed("CodeValidator", "it broke", 1.0)))
        }
    }
    let runner = FakeRunner::adding(json!({ "sum": 15 }));
    let mut setting = setting(always(SUM), running(&runner));
    setting.parts.code_validator = Arc::new(Broken);
    let (_, metadata, _) = failed(setting.run(NUMBERS, numbers()).await.unwrap_err());
    assert_eq!(stages(&metadata)[0], ("code_validation".to_owned(), 1));
    assert!(metadata["errors"][0]["errors"][0].as_str().unwrap().contains("it broke"));
    assert_eq!(runner.count(), 0);
}

// spec: code-agent OR-13, NX-20, OR-18, ST-07, ST-14
#[tokio::test]
async fn the_next_node_gets_the_data_and_never_the_metadata() {
    let first = setting(adding(), FakeRunner::adding(json!({ "sum": 15 })));
    let handed: NodeResult = first.run(NUMBERS, numbers()).await.unwrap();
    assert!(!handed.context.contains_key(AI_METADATA));
    let thinker = always("context['double'] = context['sum'] * 2");
    // A node that is handed the metadata all the same takes no notice of it.
    let runner = FakeRunner::adding(json!({ "double": 30, AI_METADATA: { "attempts": 9 } }));
    let second = setting(thinker, running(&runner));
    let mut with_metadata = handed.context.clone();
    with_metadata.insert(AI_METADATA.to_owned(), Value::Object(handed.metadata.clone()));
    let result = second.run("Double the sum", Value::Object(with_metadata)).await.unwrap();
    assert_eq!(result.context, map(json!({ "num1": 5, "num2": 10, "sum": 15, "double": 30 })));
    let told = second.thinker.everything();
    assert!(!told.contains(AI_METADATA) && told.contains("\"sum\""), "{told}");
    assert!(!runner.jobs.lock().unwrap()[0].context.contains_key(AI_METADATA));
}

// spec: code-agent OR-14, CO-05, NX-31
#[tokio::test]
async fn times_and_costs_are_kept_by_component() {
    let setting = setting(adding(), FakeRunner::adding(json!({ "sum": 15 })));
    let result = setting.run(NUMBERS, numbers()).await.unwrap();
    let timings = result.metadata["timings"].as_object().unwrap();
    for who in ["InputAnalyzer", "CodeGenerator", "CodeValidator", "OutputValidator", "sandbox"] {
        assert!(timings[who].as_f64().is_some_and(|ms| ms >= 0.0), "{who}");
    }
    let costs = &result.metadata["costs"];
    assert_eq!((&costs["InputAnalyzer"], &costs["CodeGenerator"]), (&json!(0.0005), &json!(0.003)));
    assert_eq!((&costs["CodeValidator"], &result.metadata["total_cost"]), (&json!(0), &json!(0.004)));
    assert_eq!(result.cost.micros(), 4_000);
    let steps = setting.chain.steps();
    assert_eq!(steps.iter().map(|step| step.cost.micros()).sum::<u64>(), 4_000, "each cost once");
}

// spec: code-agent BA-09, CV-22
#[tokio::test]
async fn the_chain_of_work_tells_what_was_decided_and_no_value_of_the_data() {
    let secret = "Tr0ub4dor-secret";
    let thinker = always("context['x'] = missing\n");
    let setting = setting(thinker, FakeRunner::adding(json!({ "x": 1 })));
    failed(setting.run("t", json!({ "password_text": secret })).await.unwrap_err());
    let told: String =
        setting.chain.steps().iter().map(|step| serde_json::to_string(step).unwrap()).collect();
    assert!(!told.contains(secret), "{told}");
    assert_eq!(setting.chain.summary("CodeValidator"), "1 error");
    let failing = crate::code_common::setting(
        Scripted::new(|_, _| Err("down".to_owned())),
        FakeRunner::adding(json!({})),
    );
    failed(failing.run("t", json!({})).await.unwrap_err());
    assert_eq!(failing.chain.summary("InputAnalyzer"), "Error in InputAnalyzer: down");
    let step = &failing.chain.steps()[0];
    assert_eq!((step.success, step.error.as_deref()), (false, Some("down")));
}

// spec: code-agent BA-09, NX-11
#[tokio::test]
async fn all_of_it_can_be_said_in_spanish() {
    let thinker = Scripted::new(|_, _| Err("caído".to_owned()));
    let setting: Setting = crate::code_common::speaking(
        candor_pycheck::Language::Spanish,
        thinker,
        FakeRunner::adding(json!({})),
    );
    let (reason, ..) = failed(setting.run("t", json!({})).await.unwrap_err());
    assert!(
        reason.contains("3 intentos") && reason.contains("Intento 1, code_generation: caído"),
        "{reason}"
    );
    assert_eq!(setting.chain.summary("InputAnalyzer"), "Error en InputAnalyzer: caído");
}
