//! The code agent as an agent of a run: orders, notes, real Python, and every place where it can be killed.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::code_common::attempt_context::{Memory, order};
use crate::code_common::python::PythonRunner;
use crate::code_common::{
    FakeRunner, SUM, bad, code, complex, ended, finished, good, map, merged, raised, simple,
};
use candor_agents::code::{CodeAgent, CodeAgentConfig, ProvenFolder};
use candor_model::{
    AgentAnswer, AgentNote, Failure, FailureKind, JsonMap, Noted, Seconds, TaskId, Transience, WorkOrder,
};
use candor_ports::{
    Agent, AgentFailure, AttemptContext, CodeFault, CodeLimit, CodeOutcome, CodeRun, CodeRunner,
};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

fn agent() -> CodeAgent {
    agent_on(PythonRunner::new())
}

fn agent_on(runner: Arc<dyn CodeRunner>) -> CodeAgent {
    CodeAgent::new(CodeAgentConfig::new("coder", runner))
}

async fn perform(
    agent: &CodeAgent,
    order: &WorkOrder,
    cx: &Arc<Memory>,
) -> Result<AgentAnswer, AgentFailure> {
    agent.perform_among(order, Arc::clone(cx) as Arc<dyn AttemptContext>, CancellationToken::new()).await
}

fn reason(result: Result<AgentAnswer, AgentFailure>) -> String {
    match result {
        Err(AgentFailure::Failed(failure)) => failure.message,
        other => panic!("{other:?}"),
    }
}

fn numbers() -> WorkOrder {
    order("Add the two numbers", json!({ "num1": 5, "num2": 10 }), &["sum"])
}

fn added() -> Vec<(&'static str, Value)> {
    vec![("input_analysis", simple()), ("code_1", code(SUM)), ("judgement_1", good())]
}

// spec: code-agent AR-01, AR-05, OR-18, CO-05
#[tokio::test]
async fn a_task_is_done_with_real_code_and_the_chain_of_work_is_on_the_log() {
    let cx = Memory::new(1, &added());
    let answer = perform(&agent(), &numbers(), &cx).await.unwrap();
    assert_eq!(answer.outputs, map(json!({ "num1": 5, "num2": 10, "sum": 15 })));
    assert_eq!(answer.cost.unwrap().micros(), 4_000);
    assert_eq!(
        cx.story(),
        [
            "InputAnalyzer 0",
            "CodeGenerator 1",
            "CodeValidator 1",
            "sandbox 1",
            "OutputValidator 1",
            "MultiAgentOrchestrator 1"
        ]
    );
    let last = cx.steps().pop().unwrap();
    assert_eq!((&last.data["attempts"], &last.data["costs"]["CodeGenerator"]), (&json!(1), &json!(0.003)));
    assert_eq!(last.data["summary"], "done after 1 attempt");
    assert_eq!(last.data["code_generation"]["model"], "acme/strong");
    assert_eq!(cx.asked(), ["a1/input_analysis", "a1/code_1", "a1/judgement_1"]);
}

// spec: code-agent ST-13, ST-14, OR-18, NX-20
#[tokio::test]
async fn the_context_is_what_others_left_with_the_tasks_own_inputs_on_top() {
    let mut order = order("Join them", json!({ "context": { "b": "input", "d": 1 }, "c": "own" }), &["all"]);
    let upstream = |id: &str, value: Value| (TaskId::new(id).unwrap(), map(value));
    order.upstream = [
        upstream("task_002", json!({ "a": "second", "b": "second" })),
        upstream(
            "task_000",
            json!({ "a": "first", "b": "first", "e": "first", "_ai_metadata": { "attempts": 9 } }),
        ),
    ]
    .into();
    order.task_id = TaskId::new("task_003").unwrap();
    let text = "context['all'] = [context[key] for key in sorted(context)]";
    let cx = Memory::new(1, &[("input_analysis", simple()), ("code_1", code(text)), ("judgement_1", good())]);
    let answer = perform(&agent(), &order, &cx).await.unwrap();
    let expected = json!({
        "a": "second", "b": "input", "c": "own", "d": 1, "e": "first",
        "all": ["second", "input", "own", 1, "first"],
    });
    assert_eq!(answer.outputs, map(expected));
    let told: String =
        cx.asked.lock().unwrap().iter().flat_map(|(_, ask)| ask.slots.values().cloned()).collect();
    assert!(!told.contains("_ai_metadata"));
}

// spec: code-agent OR-17
#[tokio::test]
async fn code_that_is_given_runs_without_a_model() {
    let mut order = numbers();
    order.inputs.insert("python".to_owned(), json!(SUM));
    let cx = Memory::without_model(1);
    let answer = perform(&agent(), &order, &cx).await.unwrap();
    assert_eq!(answer.outputs, map(json!({ "num1": 5, "num2": 10, "sum": 15 })));
    assert_eq!(cx.story(), ["CodeValidator 1", "sandbox 1", "OutputValidator 1", "MultiAgentOrchestrator 1"]);
    let alone = agent().perform(&order, CancellationToken::new()).await.unwrap();
    assert_eq!(alone.outputs["sum"], 15);
}

#[tokio::test]
async fn without_a_model_it_says_what_is_needed() {
    let said = reason(perform(&agent(), &numbers(), &Memory::without_model(1)).await);
    assert_eq!(
        said,
        "writing code needs a model: set up a tier with `[models.…]` in candor.toml (see `candor models`), replay recorded exchanges, or give the code"
    );
}

// spec: code-agent OV-06, OR-12
#[tokio::test]
async fn expected_outputs_that_are_missing_are_refused_and_each_attempt_is_named() {
    let wrong = code("context['total'] = context['num1']");
    let cx = Memory::new(
        1,
        &[
            ("input_analysis", simple()),
            ("code_1", wrong.clone()),
            ("code_2", code("context['sum'] = context['num3']")),
            ("code_3", code("context['sum'] = 1 / 0")),
        ],
    );
    let failure = failure(perform(&agent(), &numbers(), &cx).await);
    assert!(failure.message.contains("in 3 attempts: Attempt 3, execution: "), "{failure:?}");
    assert!(failure.message.ends_with("ZeroDivisionError: division by zero (line 1)"), "{failure:?}");
    let said = failure.detail.unwrap();
    for part in [
        "Attempt 1, output_validation",
        "missing in the context: sum",
        "Attempt 2, code_validation",
        "num3",
        "Attempt 3, execution",
        "ZeroDivisionError: division by zero (line 1)",
        "give the code as the input `code`",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let last = cx.steps().pop().unwrap();
    assert_eq!((last.component.as_str(), last.success), ("MultiAgentOrchestrator", false));
    assert_eq!(last.data["errors"].as_array().unwrap().len(), 3);
}

/// A PDF of one page with a text, without any library.
fn pdf() -> String {
    let text = "%PDF-1.4\n1 0 obj<</Type/Page>>endobj\nBT (FACTURA el total: 1234.56 USD) Tj ET\n%%EOF";
    // Base64 by hand: three bytes are four characters.
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let encode = |three: &[u8]| {
        let bits =
            three.iter().fold(0u32, |bits, byte| (bits << 8) | u32::from(*byte)) << (8 * (3 - three.len()));
        (0..4)
            .map(
                |n| if n > three.len() { '=' } else { LETTERS[(bits >> (18 - 6 * n)) as usize & 63] as char },
            )
            .collect::<String>()
    };
    text.as_bytes().chunks(3).map(encode).collect()
}

const LOOK_AT_PDF: &str = "import base64
data = base64.b64decode(context['pdf_data_b64'])
insights = {'type': 'pdf' if data.startswith(b'%PDF') else 'unknown', 'pages': data.count(b'/Type/Page'), 'has_text_layer': b'Tj' in data}
";

const READ_INVOICE: &str = r"import base64
import re
text = base64.b64decode(context['pdf_data_b64']).decode('latin-1')
found = re.search(r'total: ([0-9.]+) ([A-Z]{3})', text)
if not found:
    raise ValueError('there is no total')
context['total_amount'] = found.group(1)
context['currency'] = found.group(2)
";

// spec: code-agent DA-15, QT-06, ST-13, OV-07
#[tokio::test]
async fn an_invoice_is_read_after_a_look_at_it() {
    let cx = Memory::new(
        1,
        &[
            ("input_analysis", complex()),
            ("data_analysis", code(LOOK_AT_PDF)),
            ("code_1", code(READ_INVOICE)),
            ("judgement_1", good()),
        ],
    );
    let order = order(
        "Extrae el total de la factura",
        json!({ "pdf_data_b64": pdf(), "client_name": "Acme" }),
        &["total_amount", "currency"],
    );
    let answer = perform(&agent(), &order, &cx).await.unwrap();
    assert_eq!(
        (&answer.outputs["total_amount"], &answer.outputs["currency"]),
        (&json!("1234.56"), &json!("USD"))
    );
    assert_eq!((&answer.outputs["client_name"], answer.outputs.len()), (&json!("Acme"), 4));
    let asked = cx.asked.lock().unwrap().clone();
    let insights: Value = serde_json::from_str(&asked[2].1.slots["insights"]).unwrap();
    assert_eq!(insights, json!({ "type": "pdf", "pages": 1, "has_text_layer": true }));
    let told: String =
        asked[..2].iter().flat_map(|(_, ask)| ask.slots.values().cloned()).collect::<Vec<_>>().join("\n");
    assert!(!told.contains("JVBERi") && !told.contains("Acme"), "no value before code is written: {told}");
}

// spec: code-agent DA-15, QT-06
#[tokio::test]
async fn a_table_is_summed_after_a_look_at_it() {
    let look = "import csv\nimport io\nrows = list(csv.reader(io.StringIO(context['sales'])))\ninsights = {'type': 'csv', 'columns': rows[0], 'rows': len(rows) - 1}\n";
    let sum = "import csv\nimport io\nrows = csv.DictReader(io.StringIO(context['sales']))\ncontext['total'] = sum(float(row['amount']) for row in rows)\n";
    let cx = Memory::new(
        1,
        &[
            ("input_analysis", complex()),
            ("data_analysis", code(look)),
            ("code_1", code(sum)),
            ("judgement_1", good()),
        ],
    );
    let order = order("Sum the amounts", json!({ "sales": "id,amount\n1,10.5\n2,20\n" }), &["total"]);
    let answer = perform(&agent(), &order, &cx).await.unwrap();
    assert_eq!(answer.outputs["total"], 30.5);
    let insights = cx.asked.lock().unwrap()[2].1.slots["insights"].clone();
    assert!(insights.contains("\"columns\"") && insights.contains("\"rows\": 2"), "{insights}");
}

// spec: code-agent QT-06, CG-17, OR-08
#[tokio::test]
async fn an_e_mail_is_read_at_the_second_attempt() {
    let wrong = "import email\nmessage = email.message_from_string(context['raw'])\ncontext['sender'] = message['From'].address\n";
    let right = "import email\nfrom email.utils import parseaddr\nmessage = email.message_from_string(context['raw'])\ncontext['sender'] = parseaddr(message['From'])[1]\ncontext['subject'] = message['Subject']\n";
    let cx = Memory::new(
        1,
        &[
            ("input_analysis", simple()),
            ("code_1", code(wrong)),
            ("code_2", code(right)),
            ("judgement_2", good()),
        ],
    );
    let raw = "From: Ana <ana@example.org>\nSubject: Factura\n\nHola";
    let order = order("Who wrote, and what about?", json!({ "raw": raw }), &["sender", "subject"]);
    let answer = perform(&agent(), &order, &cx).await.unwrap();
    assert_eq!(
        (&answer.outputs["sender"], &answer.outputs["subject"]),
        (&json!("ana@example.org"), &json!("Factura"))
    );
    let errors = cx.asked.lock().unwrap()[2].1.slots["errors"].clone();
    assert!(errors.contains("AttributeError") && errors.contains("(line 3)"), "{errors}");
}

fn answers_in(notes: &[Noted]) -> usize {
    notes.iter().filter(|noted| matches!(noted.note, AgentNote::Consulted { .. })).count()
}

// spec: code-agent AR-05, IA-10, OR-11
#[tokio::test]
async fn killed_anywhere_the_same_attempt_ends_the_same_and_asks_nothing_twice() {
    let answers = [
        ("input_analysis", complex()),
        ("data_analysis", code("import os\ninsights = {'type': os.name}")),
        ("data_analysis_again", code("insights = {'type': 'numbers'}")),
        ("code_1", code("context['sum'] = missing")),
        ("code_2", code("context['sum'] = context['num1'] - context['num2']")),
        ("judgement_2", bad("that is the difference")),
        ("code_3", code(SUM)),
        ("judgement_3", json!("well")),
        ("judgement_3_again", good()),
    ];
    let cx = Memory::new(1, &answers);
    let whole = perform(&agent(), &numbers(), &cx).await.unwrap();
    assert_eq!(whole.outputs["sum"], 15);
    let notes = cx.notes();
    let story = cx.story();
    assert_eq!(cx.asked().len(), answers.len());
    assert!(notes.len() > 20, "{}", notes.len());
    // From here on without Python: what its programs gave is known.
    let quick = FakeRunner::new(|job, _| {
        let number = |key: &str| job.context[key].as_i64().unwrap();
        Ok(finished(match job.code.as_str() {
            SUM => merged(&job.context, &json!({ "sum": number("num1") + number("num2") })),
            text if text.contains(" - ") => merged(&job.context, &json!({ "sum": -5 })),
            _ => map(json!({ "insights": { "type": "numbers" } })),
        }))
    });
    let quick = agent_on(quick);
    for cut in 0..=notes.len() {
        let again = Memory::left_with(1, &answers, notes[..cut].to_vec());
        let answer = perform(&quick, &numbers(), &again).await.unwrap();
        assert_eq!((&answer.outputs, answer.cost), (&whole.outputs, whole.cost), "{cut}");
        let asked = again.asked().len();
        assert_eq!(asked + answers_in(&notes[..cut]), answers.len(), "{cut}: nothing is asked twice");
        assert_eq!(again.story(), story, "{cut}: every link once");
    }
}

#[tokio::test]
async fn a_new_attempt_at_the_task_asks_anew_and_is_noted_anew() {
    let cx = Memory::new(1, &added());
    perform(&agent(), &numbers(), &cx).await.unwrap();
    let second = Memory::left_with(2, &added(), cx.notes());
    let order = WorkOrder { attempt: 2, ..numbers() };
    let answer = perform(&agent(), &order, &second).await.unwrap();
    assert_eq!(second.asked(), ["a2/input_analysis", "a2/code_1", "a2/judgement_1"]);
    assert_eq!((second.story().len(), answer.cost.unwrap().micros()), (12, 4_000), "its own cost only");
}

#[tokio::test]
async fn an_agent_whose_notes_are_not_taken_stops() {
    for full_after in [0, 1, 3, 5] {
        let cx = Memory::new(1, &added());
        let mut cx = Arc::into_inner(cx).unwrap();
        cx.full_after = Some(full_after);
        let cx = Arc::new(cx);
        let said = reason(perform(&agent(), &numbers(), &cx).await);
        assert!(said.contains("notes are not taken: the run is over"), "{full_after}: {said}");
        assert_eq!(cx.notes().len(), full_after);
    }
}

const ENDLESS: &str = "while True:\n    context['sum'] = 1\n";

// spec: code-agent SB-10
#[tokio::test]
async fn an_endless_loop_ends_at_its_time_and_the_next_attempt_is_made() {
    let answers = [
        ("input_analysis", simple()),
        ("code_1", code(ENDLESS)),
        ("code_2", code(SUM)),
        ("judgement_2", good()),
    ];
    let cx = Memory::new(1, &answers);
    let config = CodeAgentConfig {
        timeout: Duration::from_millis(1_000),
        ..CodeAgentConfig::new("coder", PythonRunner::new())
    };
    let began = Instant::now();
    let answer = perform(&CodeAgent::new(config), &numbers(), &cx).await.unwrap();
    assert_eq!(answer.outputs["sum"], 15);
    assert!(began.elapsed() < Duration::from_secs(8), "{:?}", began.elapsed());
    assert!(cx.asked.lock().unwrap()[2].1.slots["errors"].contains("stopped after 1 s"));
}

#[tokio::test]
async fn a_deadline_and_an_order_to_stop_end_what_is_running() {
    let answers = [("input_analysis", simple()), ("code_1", code(ENDLESS))];
    let (cx, began) = (Memory::new(1, &answers), Instant::now());
    let order = WorkOrder { deadline_seconds: Seconds::new(1.5).unwrap(), ..numbers() };
    let said = reason(perform(&agent(), &order, &cx).await);
    assert!(said.contains("timeout after 1.5s"), "{said}");
    assert!(began.elapsed() < Duration::from_secs(4), "{:?}", began.elapsed());
    assert!(
        !cx.story().contains(&"sandbox 1".to_owned()),
        "a run that was stopped is no failure of its code"
    );

    let (cx, runner) = (Memory::new(1, &answers), PythonRunner::new());
    let (agent, stop) = (agent_on(Arc::clone(&runner) as _), CancellationToken::new());
    let order = numbers();
    let performing = agent.perform_among(&order, Arc::clone(&cx) as Arc<dyn AttemptContext>, stop.clone());
    let stopping = async {
        while runner.programs().is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        stop.cancel();
    };
    let (ended, ()) = tokio::join!(performing, stopping);
    assert_eq!(ended.unwrap_err(), AgentFailure::Stopped);
    // Whoever goes on has the answers, and asks only what is new.
    let later = Memory::left_with(1, &answers, cx.notes());
    let short = WorkOrder { deadline_seconds: Seconds::new(1.0).unwrap(), ..numbers() };
    reason(perform(&agent, &short, &later).await);
    assert!(later.asked().is_empty(), "{:?}", later.asked());
}

#[tokio::test]
async fn a_model_that_thinks_too_long_is_not_waited_for() {
    let mut cx = Arc::into_inner(Memory::new(1, &added())).unwrap();
    cx.thinks = Duration::from_secs(30);
    let order = WorkOrder { deadline_seconds: Seconds::new(0.8).unwrap(), ..numbers() };
    let began = Instant::now();
    let said = reason(perform(&agent(), &order, &Arc::new(cx)).await);
    assert!(said.contains("timeout after 0.8s") && began.elapsed() < Duration::from_secs(3), "{said}");
}

// spec: code-agent OR-17
#[tokio::test]
async fn proven_code_is_used_by_the_next_run_and_told_on_its_log() {
    let folder = tempfile::tempdir().unwrap();
    let config = || CodeAgentConfig {
        proven: Some(Arc::new(ProvenFolder::new(folder.path()))),
        ..CodeAgentConfig::new("coder", PythonRunner::new())
    };
    let cx = Memory::new(1, &added());
    perform(&CodeAgent::new(config()), &numbers(), &cx).await.unwrap();
    assert_eq!(cx.story().first().map(String::as_str), Some("cache 0"));
    let next = Memory::without_model(1);
    let order = order("Add the two numbers", json!({ "num1": 100, "num2": 1 }), &["sum"]);
    let answer = perform(&CodeAgent::new(config()), &order, &next).await.unwrap();
    assert_eq!((&answer.outputs["sum"], answer.cost.unwrap().micros()), (&json!(101), 0));
    let step = next.steps().into_iter().find(|step| step.component == "cache").unwrap();
    assert_eq!((&step.data["hit"], &step.data["saved"]), (&json!(true), &json!(0.004)));
    // Killed after it was kept and before the answer: the code is there, and the outcome the same.
    let resumed = Memory::left_with(1, &[("judgement_0", good())], cx.notes());
    let again = perform(&CodeAgent::new(config()), &numbers(), &resumed).await.unwrap();
    assert_eq!(again.outputs["sum"], 15);
    assert_eq!(resumed.asked().len(), 1, "a reuse is judged like a first run");
}

// spec: code-agent SB-05, SB-13
#[tokio::test]
async fn what_a_program_printed_is_in_the_metadata() {
    let cx = Memory::new(
        1,
        &[
            ("input_analysis", simple()),
            ("code_1", code(&format!("print('adding')\n{SUM}"))),
            ("judgement_1", good()),
        ],
    );
    perform(&agent(), &numbers(), &cx).await.unwrap();
    let last = cx.steps().pop().unwrap();
    assert_eq!(last.data["execution_result"]["stdout"], "adding\n");
}

// spec: code-agent IA-03, DA-02
#[tokio::test]
async fn no_value_is_told_before_code_is_written() {
    let secret = "hunter2-is-my-password";
    let cx = Memory::new(
        1,
        &[
            ("input_analysis", complex()),
            ("data_analysis", code("insights = {'type': 'text', 'length': len(context['note'])}")),
            ("code_1", code("context['length'] = len(context['note'])")),
            ("judgement_1", good()),
        ],
    );
    let config = CodeAgentConfig { types_only: true, ..CodeAgentConfig::new("coder", PythonRunner::new()) };
    let order =
        order("How long is it?", json!({ "note": secret, "deep": { "note": [secret] } }), &["length"]);
    perform(&CodeAgent::new(config), &order, &cx).await.unwrap();
    let asked = cx.asked.lock().unwrap().clone();
    for (name, ask) in &asked {
        let told = serde_json::to_string(&ask.slots.values().collect::<Vec<_>>()).unwrap();
        assert!(!told.contains(secret), "{name}: {told}");
    }
    let chain: JsonMap = cx.steps().into_iter().map(|step| (step.component.clone(), json!(step))).collect();
    assert!(!json!(chain).to_string().contains(secret));
}

// spec: code-agent CG-08, SB-15
#[tokio::test]
async fn the_generator_is_told_what_this_python_has() {
    let cx = Memory::new(1, &added());
    perform(&agent(), &numbers(), &cx).await.unwrap();
    let libraries = cx.asked.lock().unwrap()[1].1.slots["libraries"].clone();
    assert!(libraries.starts_with("Python 3.") && libraries.contains("standard library"), "{libraries}");
}

// A plan that says nothing of outputs has names of its own for them.
#[tokio::test]
async fn outputs_that_nobody_named_are_not_missed() {
    let mut order = numbers();
    order.expected_outputs = vec!["output_1".to_owned()];
    order.inputs.insert("python".to_owned(), json!(SUM));
    let answer = agent().perform(&order, CancellationToken::new()).await.unwrap();
    assert_eq!(answer.outputs["sum"], 15);
}

#[tokio::test]
async fn the_kind_of_a_failure_is_that_of_what_happened_in_the_sandbox() {
    use FailureKind as Kind;
    use Transience::{Permanent, Transient, Unknown};
    let limit = |limit| CodeOutcome::Limit { limit, text: "it used more than 256 MB".to_owned() };
    let reason = || "http timeout=30s".to_owned();
    let gone =
        Failure::new(Kind::RateLimited, "too many sandboxes").with_retry_after(Some(Seconds::whole(9)));
    let rows: Vec<(Result<CodeRun, CodeFault>, Kind, Transience)> = vec![
        (Ok(raised("ValueError", "http timeout=30s")), Kind::TaskError, Permanent),
        (Ok(ended(CodeOutcome::NoResult { reason: reason() })), Kind::BadOutput, Unknown),
        (Ok(ended(CodeOutcome::BadResult { reason: reason() })), Kind::BadOutput, Unknown),
        (Ok(ended(CodeOutcome::TimedOut)), Kind::Timeout, Transient),
        (Ok(ended(limit(CodeLimit::Memory))), Kind::Crashed, Permanent),
        (Ok(ended(CodeOutcome::Killed { signal: 11 })), Kind::Crashed, Unknown),
        (Ok(finished(JsonMap::new())), Kind::BadOutput, Unknown),
        (Err(CodeFault::new("there is no Python")), Kind::Unavailable, Transient),
        (Err(CodeFault(gone)), Kind::RateLimited, Transient),
    ];
    let mut given = numbers();
    given.inputs.insert("python".to_owned(), json!(SUM));
    for (end, kind, transience) in rows {
        let (row, signal) = (format!("{end:?}"), end.as_ref().is_ok_and(|run| row_is_killed(&run.outcome)));
        let agent = agent_on(FakeRunner::new(move |_, _| end.clone()));
        // Code that was written three times and failed each time does not pass by itself; a missing sandbox does.
        let is_there = !matches!(kind, Kind::Unavailable | Kind::RateLimited);
        let written = if is_there { Permanent } else { transience };
        for (order, cx, transience) in [
            (&given, Memory::without_model(1), transience),
            (&numbers(), Memory::new(1, &added_thrice()), written),
        ] {
            let failure = failure(perform(&agent, order, &cx).await);
            assert_eq!((failure.kind, failure.transience), (kind, transience), "{row}: {failure:?}");
            assert_eq!(failure.signal, signal.then_some(11));
            assert_eq!(failure.retry_after.is_some(), kind == Kind::RateLimited);
            assert!(!failure.message.contains('\n') && failure.detail.is_some(), "{failure:?}");
        }
    }
    let failure = failure(perform(&agent(), &numbers(), &Memory::without_model(1)).await);
    assert_eq!((failure.kind, failure.transience), (Kind::Unavailable, Permanent));
}

fn row_is_killed(outcome: &CodeOutcome) -> bool {
    matches!(outcome, CodeOutcome::Killed { .. })
}

/// A model that writes the same code three times.
fn added_thrice() -> Vec<(&'static str, Value)> {
    let mut answers = vec![("input_analysis", simple())];
    answers.extend(["code_1", "code_2", "code_3"].map(|name| (name, code(SUM))));
    answers
}

fn failure(result: Result<AgentAnswer, AgentFailure>) -> Failure {
    match result {
        Err(AgentFailure::Failed(failure)) => *failure,
        other => panic!("{other:?}"),
    }
}
