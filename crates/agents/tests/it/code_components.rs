//! Each component of the code agent by itself: what it tells a model, what it makes of the answer, how it fails.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use crate::code_common::{
    FakeRunner, Scripted, Setting, code, complex, finished, good, map, setting, simple, speaking,
};
use candor_agents::code::{
    AgentResponse, CheckRequest, CodeGenerator, CodeRequest, Component, DataRequest, InputRequest,
    OutputRequest, OutputValidator, StageError, Words,
};
use candor_model::{JsonMap, Tier};
use candor_ports::{CodeFault, CodeResult, CodeRunner};
use candor_pycheck::{Language, ResultName};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

fn alone(thinker: Arc<Scripted>) -> Setting {
    setting(thinker, FakeRunner::adding(json!({})))
}

async fn analyse_input(setting: &Setting, task: &str, context: Value) -> AgentResponse {
    let request = InputRequest { task: task.to_owned(), context: Arc::new(map(context)) };
    setting.parts.input_analyzer.execute(&request).await
}

// spec: code-agent IA-11, IA-04, BA-04
#[tokio::test]
async fn adding_two_numbers_needs_no_analysis() {
    let setting = alone(Scripted::by_name(&[("input_analysis", simple())]));
    let response = analyse_input(&setting, "Suma estos dos números", json!({ "num1": 5, "num2": 10 })).await;
    assert!(response.success());
    assert_eq!(response.data()["needs_analysis"], false);
    assert_eq!(response.data()["complexity"], "simple");
    assert_eq!(response.agent_name(), "InputAnalyzer");
}

// spec: code-agent IA-11, IA-01, NX-41
#[tokio::test]
async fn a_total_in_a_pdf_needs_analysis() {
    let setting = alone(Scripted::by_name(&[("input_analysis", complex())]));
    let context = json!({ "pdf_data_b64": "JVBERi0xLjQ=".repeat(200) });
    let response = analyse_input(&setting, "Extrae el total de esta factura", context).await;
    assert_eq!(response.data()["needs_analysis"], true);
    assert_eq!(response.data()["complexity"], "complex");
    let keys: Vec<&String> = response.data().keys().collect();
    assert_eq!(keys, ["complexity", "needs_analysis", "reasoning"]);
}

// spec: code-agent IA-09, BA-09, AR-10
#[tokio::test]
async fn a_model_that_fails_is_a_response_with_its_error() {
    let setting = alone(Scripted::new(|_, _| Err("OpenAI API error".to_owned())));
    let response = analyse_input(&setting, "x", json!({})).await;
    assert!(!response.success() && response.data().is_empty());
    assert!(response.error().unwrap().contains("OpenAI API error"));
}

// spec: code-agent IA-02, IA-03, NX-36, AR-06
#[tokio::test]
async fn the_input_analyser_sees_keys_types_and_lengths_and_never_a_value() {
    let setting = alone(Scripted::by_name(&[("input_analysis", simple())]));
    let secret = "sk-very-secret-value-123";
    let context =
        json!({ "token": secret, "list": [secret], "map": { "inner": secret }, "n": 4711, "none": null });
    analyse_input(&setting, "do it", context).await;
    let ask = setting.thinker.ask("input_analysis");
    assert_eq!((ask.step, ask.tier, ask.temperature), ("analyse_input", Tier::Fast, Some(0.3)));
    let told = setting.thinker.everything();
    assert!(!told.contains(secret) && !told.contains("4711"), "{told}");
    let keys: Value = serde_json::from_str(&ask.slots["keys"]).unwrap();
    let expected = json!({
        "token": "str (length: 24)", "list": "list (length: 1)", "map": "dict (length: 1)", "n": "int",
        "none": "NoneType",
    });
    assert_eq!(keys, expected);
}

// spec: code-agent IA-08, NX-39, NX-11
#[tokio::test]
async fn an_answer_that_is_not_quite_right_is_a_failure() {
    let cases = [
        (json!({ "needs_analysis": true, "complexity": "simple" }), "faltan keys: reasoning"),
        (json!({ "needs_analysis": "false", "complexity": "simple", "reasoning": "x" }), "needs_analysis"),
        (json!({ "needs_analysis": true, "complexity": "hard", "reasoning": "x" }), "complexity"),
        (json!("yes"), "JSON"),
    ];
    for (answer, problem) in cases {
        let thinker = Scripted::by_name(&[("input_analysis", answer.clone())]);
        let setting = speaking(Language::Spanish, thinker, FakeRunner::adding(json!({})));
        let response = analyse_input(&setting, "x", json!({})).await;
        assert!(!response.success(), "{answer}");
        let error = response.error().unwrap();
        assert!(error.contains("Respuesta inválida") && error.contains(problem), "{error}");
    }
}

// spec: code-agent IA-14, IA-05, IA-06
#[tokio::test]
async fn the_analyser_decides_as_its_model_does_in_a_dozen_cases() {
    let cases = [
        ("Suma dos números", json!({ "a": 1, "b": 2 }), false),
        ("Une nombre y apellido", json!({ "name": "Ana", "surname": "Ruiz" }), false),
        ("¿Es mayor de edad?", json!({ "age": 17, "limit": 18 }), false),
        ("Invierte la bandera", json!({ "flag": true }), false),
        ("Cuenta los elementos", json!({ "items": [1, 2, 3] }), false),
        ("Extrae el total", json!({ "pdf_data_b64": "JVBERi0xLjQKJeLjz9M=".repeat(100) }), true),
        ("¿Qué hay en la imagen?", json!({ "png": "iVBORw0KGgoAAAANSUhEUg==" }), true),
        ("Resume el texto", json!({ "text": "palabra ".repeat(200) }), true),
        ("Suma la columna", json!({ "csv": "id,amount\n1,10\n2,20\n" }), true),
        ("¿Quién escribe?", json!({ "mail": "From: a@b.c\nSubject: Hi\n\nHello" }), true),
        ("Lee el pedido", json!({ "order": "{\"items\": [{\"id\": 1}]}" }), true),
        ("Descomprime", json!({ "zip": "UEsDBBQAAAAIAAAAIQA=" }), true),
        ("Mira la foto", json!({ "photo": "data:image/png;base64,iVBORw0KGgo=" }), true),
    ];
    for (task, context, expected) in cases {
        // The model says what the table expects; the twin without a model must come to the same.
        let answer = json!({ "needs_analysis": expected, "complexity": "medium", "reasoning": "table" });
        let setting = alone(Scripted::by_name(&[("input_analysis", answer)]));
        let response = analyse_input(&setting, task, context.clone()).await;
        assert_eq!(response.data()["needs_analysis"], expected, "{task}");
        let failing = alone(Scripted::new(|_, _| Err("down".to_owned())));
        let error = failing.run(task, context).await.unwrap_err();
        let candor_agents::code::WorkflowError::Failed { metadata, .. } = error else { panic!() };
        assert_eq!(metadata["input_analysis"]["needs_analysis"], expected, "{task}");
        assert_eq!(metadata["input_analysis"]["by"], "rules");
    }
}

async fn analyse_data(setting: &Setting, context: Value, timeout: u64) -> AgentResponse {
    let request = DataRequest {
        context: Arc::new(map(context)),
        libraries: "Python 3.11".to_owned(),
        timeout: Duration::from_secs(timeout),
    };
    setting.parts.data_analyzer.execute(&request).await
}

fn insights(value: Value) -> Arc<FakeRunner> {
    FakeRunner::new(move |_, _| Ok(finished(map(json!({ "insights": value })))))
}

const LOOK: &str = "insights = {'type': 'pdf', 'pages': 3}";

// spec: code-agent DA-10, BA-04, DA-16
#[tokio::test]
async fn insights_come_back_with_the_code_that_found_them() {
    let found =
        json!({ "type": "pdf", "pages": 3, "has_text_layer": true, "language": "es", "file_size_kb": 450 });
    let thinker = Scripted::by_name(&[("data_analysis", code(LOOK))]);
    let setting = setting(thinker, insights(found));
    let response = analyse_data(&setting, json!({ "pdf_data_b64": "JVBERi0x" }), 60).await;
    assert!(response.success(), "{:?}", response.error());
    assert_eq!((&response.data()["type"], &response.data()["pages"]), (&json!("pdf"), &json!(3)));
    assert_eq!(response.data()["has_text_layer"], true);
    assert_eq!(response.data()["analysis_code"], LOOK);
    assert_eq!(response.agent_name(), "DataAnalyzer");
    assert_eq!(setting.parts.data_analyzer.summary(response.data()), "type pdf");
}

// spec: code-agent DA-12, BA-08
#[tokio::test]
async fn a_sandbox_that_fails_is_a_response_with_its_error() {
    let runner = FakeRunner::new(|_, _| {
        std::thread::sleep(Duration::from_millis(20));
        Err(CodeFault::new("E2B timeout"))
    });
    let setting = setting(Scripted::by_name(&[("data_analysis", code(LOOK))]), runner);
    let response = analyse_data(&setting, json!({ "a": 1 }), 60).await;
    assert!(!response.success());
    assert!(response.error().unwrap().contains("E2B timeout"), "{:?}", response.error());
    assert!(response.execution_time_ms() >= 20.0);
}

// spec: code-agent DA-01, DA-02, DA-04, DA-05
#[tokio::test]
async fn the_data_analyser_sees_types_and_its_question_does_not_grow_with_the_data() {
    let told = async |size: usize| {
        let setting = setting(Scripted::by_name(&[("data_analysis", code(LOOK))]), insights(json!({})));
        let context = json!({
            "long": "x".repeat(101), "edge": "y".repeat(100), "n": 5, "f": 1.5, "b": true, "l": [1], "d": {},
            "none": null, "huge": "z".repeat(size), "secret": "s3cr3t-value",
        });
        analyse_data(&setting, context, 60).await;
        let ask = setting.thinker.ask("data_analysis");
        assert_eq!((ask.step, ask.tier, ask.temperature), ("analyse_data", Tier::Fast, Some(0.3)));
        assert!(!ask.slots.contains_key("task") && !setting.thinker.everything().contains("s3cr3t"));
        ask.slots["context"].clone()
    };
    let small = told(1_000).await;
    let expected = json!({
        "long": "str (length: 101)", "edge": "str (short)", "n": "int", "f": "float", "b": "bool", "l": "list",
        "d": "dict", "none": "NoneType", "huge": "str (length: 1000)", "secret": "str (short)",
    });
    assert_eq!(serde_json::from_str::<Value>(&small).unwrap(), expected);
    assert!(small.contains("\n  \"b\": \"bool\""), "indented: {small}");
    assert_eq!(told(9_000_000).await.len(), small.len() + 3);
}

// spec: code-agent DA-07, CG-14, NX-22
#[tokio::test]
async fn fences_and_words_around_code_are_taken_off() {
    let forms = [
        LOOK.to_owned(),
        format!("```python\n{LOOK}\n```"),
        format!("```\n{LOOK}\n```"),
        format!("  \n ```python\n{LOOK}\n```  \n"),
        format!("Here it is:\n```py\n{LOOK}\n```\nIt looks at the PDF.\n```\nother\n```"),
        format!("```python {LOOK}```"),
    ];
    for form in forms {
        let setting = setting(Scripted::by_name(&[("data_analysis", code(&form))]), insights(json!({})));
        let response = analyse_data(&setting, json!({}), 60).await;
        assert_eq!(response.data()["analysis_code"], LOOK, "{form}");
    }
}

// spec: code-agent DA-08, DA-11, NX-23, SB-11
#[tokio::test]
async fn analysis_code_runs_for_its_insights_within_thirty_seconds_at_most() {
    for (given, expected) in [(120, 30), (5, 5)] {
        let runner = insights(json!({ "type": "x" }));
        let setting = setting(
            Scripted::by_name(&[("data_analysis", code(LOOK))]),
            Arc::clone(&runner) as Arc<dyn CodeRunner>,
        );
        analyse_data(&setting, json!({ "a": 1 }), given).await;
        let job = runner.jobs.lock().unwrap()[0].clone();
        assert_eq!((job.code.as_str(), job.result), (LOOK, CodeResult::Insights));
        assert_eq!((job.timeout, job.context), (Duration::from_secs(expected), map(json!({ "a": 1 }))));
    }
}

// spec: code-agent DA-09, DA-10, NX-13
#[tokio::test]
async fn without_insights_it_is_unknown_what_the_data_is() {
    let cases = [
        (json!({ "insights": { "type": "csv" } }), "", json!({ "type": "csv" })),
        (json!({}), "", json!({ "type": "unknown" })),
        (json!({}), "3 pages", json!({ "type": "unknown", "message": "Could not parse insights" })),
    ];
    for (result, printed, expected) in cases {
        let runner = FakeRunner::new(move |_, _| {
            Ok(candor_ports::CodeRun { stdout: printed.to_owned(), ..finished(map(result.clone())) })
        });
        let setting = setting(Scripted::by_name(&[("data_analysis", code(LOOK))]), runner);
        let response = analyse_data(&setting, json!({}), 60).await;
        for (key, value) in map(expected.clone()) {
            assert_eq!(response.data()[&key], value, "{expected}");
        }
        assert_eq!(response.data().contains_key("warnings"), !printed.is_empty());
    }
    let setting = setting(Scripted::by_name(&[("data_analysis", code(LOOK))]), insights(json!([1])));
    let response = analyse_data(&setting, json!({}), 60).await;
    assert!(response.error().unwrap().contains("must be a dict"), "{:?}", response.error());
}

// spec: code-agent DA-14, NX-21
#[tokio::test]
async fn unsafe_analysis_code_is_written_once_more_and_never_run() {
    let bad = "import os\ninsights = {'type': os.name}";
    let runner = insights(json!({ "type": "pdf" }));
    let answers = [("data_analysis", code(bad)), ("data_analysis_again", code(LOOK))];
    let both = setting(Scripted::by_name(&answers), Arc::clone(&runner) as Arc<dyn CodeRunner>);
    let response = analyse_data(&both, json!({}), 60).await;
    assert_eq!(response.data()["type"], "pdf");
    assert_eq!(runner.jobs.lock().unwrap()[0].code, LOOK);
    assert!(both.thinker.slot("data_analysis_again", "errors").contains("os"));
    assert_eq!(both.chain.story(), ["CodeValidator 0", "CodeValidator 0", "sandbox 0"]);

    let runner = insights(json!({}));
    let answers = [("data_analysis", code(bad)), ("data_analysis_again", code(bad))];
    let never = setting(Scripted::by_name(&answers), Arc::clone(&runner) as Arc<dyn CodeRunner>);
    let response = analyse_data(&never, json!({}), 60).await;
    assert!(!response.success() && runner.count() == 0, "{:?}", response.data());
    assert_eq!(never.thinker.names().len(), 2, "one regeneration");
}

fn code_request(task: &str, context: Value) -> CodeRequest {
    CodeRequest {
        number: 1,
        task: task.to_owned(),
        context: Arc::new(map(context)),
        insights: None,
        errors: Vec::new(),
        previous: None,
        expected: Vec::new(),
        libraries: "Python 3.11".to_owned(),
    }
}

// spec: code-agent CG-01, CG-02, CG-04, BA-04, CG-18
#[tokio::test]
async fn code_is_written_for_a_task() {
    let text = "context['sum'] = context['num1'] + context['num2']";
    let setting = alone(Scripted::by_name(&[("code_1", code(text))]));
    let generator = &setting.parts.code_generator;
    let response =
        generator.execute(&code_request("Suma estos números", json!({ "num1": 5, "num2": 10 }))).await;
    assert!(response.success());
    assert!(response.data()["code"].as_str().unwrap().contains("context['sum']"));
    assert_eq!(response.data()["tool_calls"], json!([]));
    assert_eq!(response.data()["model"], "acme/large");
    assert!(response.data()["generation_time_ms"].as_f64().is_some());
    assert_eq!(response.agent_name(), "CodeGenerator");
    let ask = setting.thinker.ask("code_1");
    assert_eq!((ask.step, ask.tier, ask.temperature), ("write_code", Tier::Strong, Some(0.2)));
    let summary = generator.summary(response.data());
    assert_eq!(summary, format!("{} characters of code, 0 tool calls", text.len()));
}

// spec: code-agent CG-07, CG-03
#[tokio::test]
async fn earlier_errors_are_told_under_a_heading_and_only_then() {
    let setting = alone(Scripted::by_name(&[("code_1", code("context['a'] = 1"))]));
    let mut request = code_request("t", json!({}));
    setting.parts.code_generator.execute(&request).await;
    assert!(!setting.thinker.ask("code_1").slots.contains_key("errors"));
    let setting = alone(Scripted::by_name(&[("code_1", code("context['a'] = 1"))]));
    request.errors.push(StageError {
        stage: "code_validation".to_owned(),
        attempt: 1,
        error: "refused".to_owned(),
        errors: vec!["Variable 'x' no definida".to_owned()],
        reason: None,
    });
    setting.parts.code_generator.execute(&request).await;
    let told = setting.thinker.slot("code_1", "errors");
    assert!(told.starts_with("PREVIOUS ERRORS (ERRORES PREVIOS)"), "{told}");
    assert!(told.contains("Variable 'x' no definida") && told.contains("code_validation"), "{told}");
}

// spec: code-agent CG-05, NX-37
#[tokio::test]
async fn the_generator_sees_the_beginning_of_short_values_unless_only_types_are_told() {
    let context = json!({
        "n": 5, "short": "Acme", "fifty": "a".repeat(50), "sixty": "b".repeat(60), "long": "c".repeat(101),
        "flag": true, "none": null, "list": (0..40).collect::<Vec<_>>(),
    });
    let setting = alone(Scripted::by_name(&[("code_1", code("context['a'] = 1"))]));
    setting.parts.code_generator.execute(&code_request("t", context.clone())).await;
    let told: Value = serde_json::from_str(&setting.thinker.slot("code_1", "context")).unwrap();
    assert_eq!((&told["n"], &told["short"]), (&json!("int: 5"), &json!("str: 'Acme'")));
    assert_eq!(told["fifty"], json!(format!("str: '{}'", "a".repeat(50))));
    assert_eq!(told["sixty"], json!(format!("str: '{}...'", "b".repeat(50))));
    assert_eq!(told["long"], "str (length: 101)");
    assert_eq!((&told["flag"], &told["none"]), (&json!("bool: True"), &json!("NoneType: None")));
    assert!(told["list"].as_str().unwrap().starts_with("list: [0,1,"), "{}", told["list"]);
    assert_eq!(told["list"].as_str().unwrap().len(), "list: ".len() + 50 + 3);

    let thinker = Scripted::by_name(&[("code_1", code("context['a'] = 1"))]);
    let words = Words::new(Language::English);
    let stop = CancellationToken::new();
    let generator = CodeGenerator::new(Arc::clone(&thinker) as _, None, Tier::Strong, words, stop);
    generator.with_types_only(true).execute(&code_request("t", context)).await;
    assert!(!thinker.slot("code_1", "context").contains("Acme"));
}

// spec: code-agent CG-06, NX-28, CG-03
#[tokio::test]
async fn insights_are_told_without_the_code_that_found_them() {
    let setting = alone(Scripted::by_name(&[("code_1", code("context['a'] = 1"))]));
    let mut request = code_request("t", json!({}));
    setting.parts.code_generator.execute(&request).await;
    assert!(!setting.thinker.ask("code_1").slots.contains_key("insights"));
    let setting = alone(Scripted::by_name(&[("code_1", code("context['a'] = 1"))]));
    request.insights = Some(map(json!({ "type": "pdf", "pages": 3, "analysis_code": "import fitz" })));
    request.expected = vec!["total".to_owned()];
    setting.parts.code_generator.execute(&request).await;
    let told = setting.thinker.slot("code_1", "insights");
    assert!(told.contains("\"pages\": 3") && !told.contains("import fitz"), "{told}");
    assert_eq!(setting.thinker.slot("code_1", "outputs"), "total");
}

// spec: code-agent CG-15, CG-14, NX-38
#[tokio::test]
async fn no_code_is_a_failure() {
    for answer in
        [json!({ "code": "  ", "tool_calls": [] }), json!({ "code": "```python\n```" }), json!({ "code": 3 })]
    {
        let setting = alone(Scripted::by_name(&[("code_1", answer.clone())]));
        let response = setting.parts.code_generator.execute(&code_request("t", json!({}))).await;
        assert!(!response.success(), "{answer}");
    }
    let setting = alone(Scripted::new(|_, _| Err("quota".to_owned())));
    let response = setting.parts.code_generator.execute(&code_request("t", json!({}))).await;
    assert_eq!(response.error(), Some("quota"));
}

async fn check(setting: &Setting, text: &str, context: Value) -> AgentResponse {
    let keys: BTreeSet<String> = map(context).keys().cloned().collect();
    let request = CheckRequest { code: text.to_owned(), keys, result: ResultName::Context };
    setting.parts.code_validator.execute(&request).await
}

fn errors(response: &AgentResponse) -> String {
    let errors = response.data()["errors"].as_array().unwrap();
    errors.iter().map(|error| error.as_str().unwrap()).collect::<Vec<_>>().join("\n")
}

fn spanish() -> Setting {
    speaking(Language::Spanish, Scripted::by_name(&[]), FakeRunner::adding(json!({})))
}

// spec: code-agent CV-13, CV-01, CV-02, CV-03, CV-22, BA-04
#[tokio::test]
async fn code_that_is_fine_is_valid() {
    let text = "num1 = context['num1']\nnum2 = context['num2']\ncontext['sum'] = num1 + num2\nprint(context['sum'])\n";
    let setting = spanish();
    let response = check(&setting, text, json!({ "num1": 5, "num2": 10 })).await;
    assert!(response.success());
    assert_eq!((&response.data()["valid"], errors(&response)), (&json!(true), String::new()));
    let all = json!(["syntax", "variables", "context_access", "imports", "operations", "serialization"]);
    assert_eq!(response.data()["checks_passed"], all);
    assert_eq!(response.agent_name(), "CodeValidator");
    assert!(setting.thinker.names().is_empty(), "no model");
    let summary = setting.parts.code_validator.summary(response.data());
    assert!(summary.starts_with("valid: syntax, variables"), "{summary}");
}

// spec: code-agent CV-06, CV-05, NX-01
#[tokio::test]
async fn broken_syntax_is_found_and_the_validation_succeeded() {
    let response = check(&spanish(), "def broken(\n    x = 1\n", json!({})).await;
    assert!(response.success());
    assert_eq!(response.data()["valid"], false);
    assert!(errors(&response).contains("Syntax error"), "{}", errors(&response));
    assert_eq!(response.data()["checks_passed"], json!([]));
}

// spec: code-agent CV-07
#[tokio::test]
async fn a_variable_that_nothing_binds_is_found() {
    let response = check(&spanish(), "context['result'] = undefined_variable * 2", json!({})).await;
    assert_eq!(response.data()["valid"], false);
    let errors = errors(&response);
    assert!(errors.contains("undefined_variable") && errors.contains("no definida"), "{errors}");
}

// spec: code-agent CV-12
#[tokio::test]
async fn a_key_that_is_not_there_is_found() {
    let response =
        check(&spanish(), "x = context['nonexistent_key']\ncontext['y'] = x", json!({ "existing_key": 1 }))
            .await;
    assert_eq!(response.data()["valid"], false);
    let errors = errors(&response);
    assert!(errors.contains("nonexistent_key") && errors.contains("existing_key"), "{errors}");
}

// spec: code-agent CV-17, CV-22
#[tokio::test]
async fn a_dangerous_import_is_found() {
    let setting = spanish();
    let response = check(&setting, "import os\nos.system('ls')\ncontext['a'] = 1", json!({})).await;
    assert_eq!(response.data()["valid"], false);
    assert!(errors(&response).contains("peligrosos"), "{}", errors(&response));
    assert!(setting.parts.code_validator.summary(response.data()).contains("error"));
}

// spec: code-agent CV-18
#[tokio::test]
async fn a_dangerous_call_is_found() {
    let response = check(&spanish(), "context['r'] = eval(context['code'])", json!({ "code": "1" })).await;
    assert_eq!(response.data()["valid"], false);
    assert!(errors(&response).contains("eval"), "{}", errors(&response));
}

fn output_request(before: Value, after: Value, expected: &[&str]) -> OutputRequest {
    OutputRequest {
        number: 1,
        again: false,
        task: "Extrae el total de la factura".to_owned(),
        before: Arc::new(map(before)),
        after: Arc::new(map(after)),
        expected: expected.iter().map(|key| (*key).to_owned()).collect(),
    }
}

// spec: code-agent OV-07, OV-04, OV-02, BA-04
#[tokio::test]
async fn a_total_that_is_there_is_valid() {
    let setting = alone(Scripted::by_name(&[("judgement_1", good())]));
    let after = json!({ "pdf": "x", "total_amount": "1234.56", "currency": "USD" });
    let response =
        setting.parts.output_validator.execute(&output_request(json!({ "pdf": "x" }), after, &[])).await;
    assert_eq!(response.data()["valid"], true);
    assert_eq!(response.data()["changes_detected"], json!(["currency", "total_amount"]));
    assert!(response.data()["reason"].is_string());
    assert_eq!(response.agent_name(), "OutputValidator");
    let ask = setting.thinker.ask("judgement_1");
    assert_eq!((ask.step, ask.tier, ask.temperature), ("judge_output", Tier::Fast, Some(0.3)));
}

// spec: code-agent OV-08
#[tokio::test]
async fn a_currency_alone_is_not_the_total() {
    let setting =
        alone(Scripted::by_name(&[("judgement_1", crate::code_common::bad("the total is missing"))]));
    let request = output_request(json!({}), json!({ "currency": "USD" }), &[]);
    let response = setting.parts.output_validator.execute(&request).await;
    assert!(response.success());
    assert_eq!(response.data()["valid"], false);
    assert_eq!(response.data()["reason"], "the total is missing");
    assert_eq!(response.data()["changes_detected"], json!(["currency"]));
}

// spec: code-agent OV-06, OV-09, NX-40
#[tokio::test]
async fn what_is_wrong_at_first_sight_needs_no_model() {
    let empty: [&str; 0] = [];
    let cases: Vec<(Value, Value, Vec<&str>, &str)> = vec![
        (json!({ "a": 1 }), json!({ "a": 1 }), empty.to_vec(), "nothing in the context was changed"),
        (json!({}), json!({ "x": "", "y": null, "z": [], "w": {} }), empty.to_vec(), "only empty values"),
        (json!({}), json!({ "r": { "error": "no such page" } }), empty.to_vec(), "`r` is an error"),
        (json!({}), json!({ "r": { "success": false, "error": "x" } }), empty.to_vec(), "`r` is an error"),
        (json!({}), json!({ "error": "it broke" }), empty.to_vec(), "`error` is an error"),
        (json!({}), json!({ "currency": "USD" }), vec!["total", "currency"], "missing in the context: total"),
    ];
    for (before, after, expected, reason) in cases {
        let setting = alone(Scripted::by_name(&[]));
        let request = output_request(before, after.clone(), &expected);
        let response = setting.parts.output_validator.execute(&request).await;
        assert!(response.success());
        assert_eq!(response.data()["valid"], false, "{after}");
        assert!(response.data()["reason"].as_str().unwrap().contains(reason), "{:?}", response.data());
        assert!(setting.thinker.names().is_empty(), "no model");
    }
}

// spec: code-agent NX-40, OV-06, OV-09
#[tokio::test]
async fn zero_false_and_a_removed_key_are_for_the_model_to_judge() {
    let cases = [
        (json!({}), json!({ "count": 0 }), json!(["count"])),
        (json!({}), json!({ "found": false }), json!(["found"])),
        (
            json!({}),
            json!({ "report": { "valid": false, "error": "no date", "line": 3 } }),
            json!(["report"]),
        ),
        (json!({}), json!({ "error": 0.03 }), json!(["error"])),
        (json!({ "a": 1, "b": 2 }), json!({ "a": 1 }), json!(["b"])),
    ];
    for (before, after, changes) in cases {
        let setting = alone(Scripted::by_name(&[("judgement_1", good())]));
        let response =
            setting.parts.output_validator.execute(&output_request(before, after.clone(), &[])).await;
        assert_eq!(response.data()["valid"], true, "{after}");
        assert_eq!(response.data()["changes_detected"], changes);
    }
}

// spec: code-agent OV-03, NX-24
#[tokio::test]
async fn long_values_are_cut_for_the_judge() {
    let setting = alone(Scripted::by_name(&[("judgement_1", good())]));
    let huge = "z".repeat(1_000_000);
    let before = json!({ "pdf": huge, "rows": vec![1; 10_000] });
    let after = json!({ "pdf": huge, "rows": vec![1; 10_000], "total": 7 });
    setting.parts.output_validator.execute(&output_request(before, after, &[])).await;
    let told = setting.thinker.everything();
    assert!(told.len() < 6_000, "{}", told.len());
    assert!(told.contains("(length: 1000000)") && told.contains("\"total\": 7"), "{told}");
}

// spec: code-agent OV-10, NX-39
#[tokio::test]
async fn a_judgement_that_cannot_be_read_is_none() {
    for answer in [json!("fine"), json!({ "valid": "true", "reason": "x" }), json!({ "valid": true })] {
        let setting = alone(Scripted::by_name(&[("judgement_1", answer.clone())]));
        let request = output_request(json!({}), json!({ "a": 1 }), &[]);
        let response = setting.parts.output_validator.execute(&request).await;
        assert!(!response.success(), "{answer}");
    }
}

// spec: code-agent OV-06
#[tokio::test]
async fn without_a_model_only_the_checks_decide() {
    let validator = OutputValidator::without_model(Words::new(Language::English));
    let response = validator.execute(&output_request(json!({}), json!({ "total": 1 }), &["total"])).await;
    assert_eq!((&response.data()["valid"], &response.data()["by"]), (&json!(true), &json!("checks")));
    let none = JsonMap::new();
    let request = OutputRequest { after: Arc::new(none), ..output_request(json!({}), json!({}), &[]) };
    assert_eq!(validator.execute(&request).await.data()["valid"], false);
}
