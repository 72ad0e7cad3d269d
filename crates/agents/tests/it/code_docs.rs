//! Documentation and what Python has: asked of real Python, and of servers that answer as Context7 does.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::code_common::python::PythonRunner;
use crate::code_common::{FakeRunner, Scripted, code, map};
use candor_agents::code::{
    Both, CodeGenerator, CodeRequest, Component, Documentation, InstalledLibrary, LocalDocs, ToolDocs, Words,
};
use candor_model::{Carried, Tier, ToolCall, ToolErrorKind, ToolHints, ToolResult, ToolSpec};
use candor_ports::{BoxFuture, CodeFault, CodeRunner, Toolbox};
use candor_pycheck::{Language, Library, Presence};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

async fn search(docs: &dyn Documentation, library: &str, query: &str) -> Result<String, String> {
    docs.search(library, query, CancellationToken::new()).await
}

/// Documentation that says this, or fails.
struct Fixed(Result<&'static str, &'static str>, Mutex<Vec<(String, String)>>);

impl Fixed {
    fn new(said: Result<&'static str, &'static str>) -> Arc<Self> {
        Arc::new(Self(said, Mutex::default()))
    }
}

impl Documentation for Fixed {
    fn search<'a>(
        &'a self,
        library: &'a str,
        query: &'a str,
        _: CancellationToken,
    ) -> BoxFuture<'a, Result<String, String>> {
        self.1.lock().unwrap().push((library.to_owned(), query.to_owned()));
        Box::pin(std::future::ready(self.0.map(str::to_owned).map_err(str::to_owned)))
    }
}

fn generator(thinker: &Arc<Scripted>, docs: Option<Arc<dyn Documentation>>) -> CodeGenerator {
    let (words, stop) = (Words::new(Language::English), CancellationToken::new());
    CodeGenerator::new(Arc::clone(thinker) as _, docs, Tier::Strong, words, stop)
}

fn request() -> CodeRequest {
    CodeRequest {
        number: 1,
        task: "Count the pages".to_owned(),
        context: Arc::new(map(json!({ "pdf": "JVBE" }))),
        insights: None,
        errors: Vec::new(),
        previous: None,
        expected: Vec::new(),
        libraries: "Python 3.11".to_owned(),
    }
}

fn call(function: &str, arguments: Value) -> Value {
    let mut call = json!({ "function": function });
    call["arguments"] = arguments;
    call
}

// spec: code-agent CG-09, CG-10, CG-11, CG-13, NX-35
#[tokio::test]
async fn what_a_model_wants_to_look_up_is_looked_up_and_the_code_is_written_again() {
    let calls = json!([
        call("search_documentation", json!({ "library": "pymupdf", "query": "page count" })),
        call("search_documentation", json!({ "library": "pandas", "query": "read csv" })),
    ]);
    let thinker = Scripted::by_name(&[
        ("code_1", json!({ "code": "", "tool_calls": calls })),
        ("code_1_documented", json!({ "code": "context['pages'] = 3" })),
    ]);
    let docs = Fixed::new(Ok("Document.page_count: int"));
    let response = generator(&thinker, Some(Arc::clone(&docs) as _)).execute(&request()).await;
    assert!(response.success(), "{:?}", response.error());
    assert_eq!(response.data()["code"], "context['pages'] = 3");
    assert_eq!(response.data()["tool_calls"], calls);
    assert_eq!(thinker.names(), ["code_1", "code_1_documented"]);
    let told = thinker.slot("code_1_documented", "documentation");
    assert_eq!(
        told,
        "# pymupdf - page count\nDocument.page_count: int\n\n# pandas - read csv\nDocument.page_count: int"
    );
    assert_eq!(thinker.slot("code_1_documented", "task"), "Count the pages", "the original prompt");
    let (first, second) =
        (thinker.ask("code_1").schema.unwrap(), thinker.ask("code_1_documented").schema.unwrap());
    let items = &first["properties"]["tool_calls"]["items"]["properties"];
    // An answer with a function that nobody knows still fits: only that call is rejected.
    assert!(
        items["function"].get("enum").is_none()
            && items["function"].to_string().contains("search_documentation")
    );
    assert_eq!(items["arguments"]["required"], json!(["library", "query"]));
    assert!(second["properties"].get("tool_calls").is_none(), "the second time nothing is offered");
}

// spec: code-agent CG-12, CG-10, NX-35
#[tokio::test]
async fn documentation_that_fails_and_strange_calls_fail_nothing() {
    let calls = json!([
        call("search_documentation", json!({ "library": "pandas" })),
        call("format_disk", json!({ "now": true })),
    ]);
    for docs in [Some(Fixed::new(Err("server down"))), Some(Fixed::new(Ok("text"))), None] {
        let thinker = Scripted::by_name(&[
            ("code_1", json!({ "code": "", "tool_calls": calls })),
            ("code_1_documented", code("context['a'] = 1")),
        ]);
        let response = generator(&thinker, docs.map(|docs| docs as _)).execute(&request()).await;
        assert_eq!(response.data()["code"], "context['a'] = 1");
        let record = &response.data()["tool_calls"];
        assert!(record[0]["error"].is_string(), "a missing query is warned of");
        assert!(record[1]["error"].as_str().unwrap().contains("no function format_disk"));
        let told = thinker.slot("code_1_documented", "documentation");
        assert!(told.starts_with("# pandas - \n") && !told.contains("format_disk"), "{told}");
    }
}

#[tokio::test]
async fn a_function_that_nobody_knows_rejects_only_itself() {
    let calls = json!([call("format_disk", json!({ "now": true }))]);
    let thinker =
        Scripted::by_name(&[("code_1", json!({ "code": "context['a'] = 1", "tool_calls": calls }))]);
    let response = generator(&thinker, Some(Fixed::new(Ok("text")) as _)).execute(&request()).await;
    assert_eq!(response.data()["code"], "context['a'] = 1");
    assert!(response.data()["tool_calls"][0]["error"].as_str().unwrap().contains("no function format_disk"));
    assert_eq!(thinker.names(), ["code_1"], "the code that came with it is taken");
}

// spec: code-agent DA-13
#[tokio::test]
async fn the_data_analyser_may_look_things_up_too() {
    let calls = json!([call("search_documentation", json!({ "library": "csv", "query": "sniff" }))]);
    let thinker = Scripted::by_name(&[
        ("data_analysis", json!({ "code": "", "tool_calls": calls })),
        ("data_analysis_documented", code("insights = {'type': 'csv'}")),
    ]);
    let runner = PythonRunner::new();
    let setting =
        crate::code_common::setting(Arc::clone(&thinker), Arc::clone(&runner) as Arc<dyn CodeRunner>);
    let data = candor_agents::code::DataAnalyzer::new(candor_agents::code::DataAnalyzerParts {
        thinker: Arc::clone(&thinker) as _,
        docs: Some(Arc::new(LocalDocs::new(Arc::clone(&runner) as _))),
        validator: Arc::clone(&setting.parts.code_validator),
        runner,
        chain: Arc::clone(&setting.parts.chain),
        tier: Tier::Fast,
        words: setting.parts.words,
        stop: CancellationToken::new(),
    });
    let request = candor_agents::code::DataRequest {
        context: Arc::new(map(json!({ "csv": "a,b\n1,2\n" }))),
        libraries: String::new(),
        timeout: Duration::from_secs(10),
    };
    let response = data.execute(&request).await;
    assert_eq!(response.data()["type"], "csv", "{:?}", response.error());
    assert!(thinker.slot("data_analysis_documented", "documentation").contains("Sniffer"));
}

// spec: code-agent CG-12
#[tokio::test]
async fn python_itself_documents_what_it_has() {
    let docs = LocalDocs::new(PythonRunner::new());
    let text = search(&docs, "statistics", "median of a list").await.unwrap();
    assert!(text.contains("statistics.median(data)"), "{text}");
    assert!(text.contains("median (middle value)"), "{text}");
    assert!(text.chars().count() <= 6_000);
    let first = text.split("\n\n").nth(1).unwrap();
    assert!(first.starts_with("statistics.median"), "the best comes first: {first}");
    let email = search(&docs, "email", "message from bytes parse").await.unwrap();
    assert!(email.contains("message_from_bytes"), "{email}");
    assert!(search(&docs, "json", "").await.is_ok(), "a query may be empty");
}

// spec: code-agent CG-12
#[tokio::test]
async fn a_library_that_is_not_there_says_so_and_names_near_ones() {
    let docs = LocalDocs::new(PythonRunner::new());
    let error = search(&docs, "statistiks", "median").await.unwrap_err();
    assert!(error.contains("not installed") && error.contains("statistics"), "{error}");
    let broken = LocalDocs::new(Arc::new(Broken));
    assert_eq!(search(&broken, "json", "x").await.unwrap_err(), "there is no Python");
}

/// A sandbox without Python.
struct Broken;

impl CodeRunner for Broken {
    fn run<'a>(
        &'a self,
        _: &'a candor_ports::CodeJob,
        _: CancellationToken,
    ) -> BoxFuture<'a, Result<candor_ports::CodeRun, CodeFault>> {
        Box::pin(std::future::ready(Err(CodeFault::new("there is no Python"))))
    }

    fn name(&self) -> &str {
        "broken"
    }
}

#[tokio::test]
async fn the_second_source_is_asked_when_the_first_has_nothing() {
    let second = || Fixed::new(Ok("from Python"));
    for (first, expected) in [
        (Fixed::new(Ok("from the server")), "from the server"),
        (Fixed::new(Ok(" ")), "from Python"),
        (Fixed::new(Err("down")), "from Python"),
    ] {
        assert_eq!(search(&Both::new(first, second()), "a", "b").await.unwrap(), expected);
    }
    let neither = Both::new(Fixed::new(Err("down")), Fixed::new(Err("not installed")));
    assert_eq!(search(&neither, "a", "b").await.unwrap_err(), "down; not installed");
}

/// A server with these tools, by the names of their properties.
struct Server {
    tools: Vec<(&'static str, Vec<&'static str>)>,
    calls: Mutex<Vec<(String, Value)>>,
}

impl Server {
    fn new(tools: Vec<(&'static str, Vec<&'static str>)>) -> Arc<Self> {
        Arc::new(Self { tools, calls: Mutex::default() })
    }
}

impl Toolbox for Server {
    fn tools(&self) -> BoxFuture<'_, Vec<Arc<ToolSpec>>> {
        let spec = |(name, properties): &(&str, Vec<&str>)| {
            let properties: serde_json::Map<String, Value> =
                properties.iter().map(|name| ((*name).to_owned(), json!({ "type": "string" }))).collect();
            let input_schema = Arc::new(json!({ "type": "object", "properties": properties }));
            let (name, description, hints) = ((*name).to_owned(), String::new(), ToolHints::READS);
            Arc::new(ToolSpec { name, description, input_schema, hints, undo: None, check: None })
        };
        Box::pin(std::future::ready(self.tools.iter().map(spec).collect()))
    }

    fn call<'a>(
        &'a self,
        call: &'a ToolCall,
        _: Duration,
        _: CancellationToken,
    ) -> BoxFuture<'a, ToolResult> {
        self.calls.lock().unwrap().push((call.tool.clone(), json!(call.arguments)));
        let result = if call.tool.contains("resolve") {
            let text = "Available Libraries:\n- Title: pandas\n- Context7-compatible library ID: /pandas-dev/pandas\n- Snippets: 7";
            ToolResult::done(text, None)
        } else if call.arguments.values().any(|value| value == "broken") {
            ToolResult::failed(ToolErrorKind::Failed, "no such library")
        } else {
            ToolResult::done("x".repeat(9_000), None)
        };
        Box::pin(std::future::ready(result))
    }

    fn verify<'a>(&'a self, _: &'a ToolCall, _: Duration, _: CancellationToken) -> BoxFuture<'a, Carried> {
        Box::pin(std::future::ready(Carried::Unknown))
    }
}

// spec: code-agent CG-12
#[tokio::test]
async fn a_server_is_asked_with_the_names_that_its_tools_have() {
    let plain = Server::new(vec![("docs.search_documentation", vec!["library", "query"])]);
    let text = search(&ToolDocs::new(Arc::clone(&plain) as _), "pandas", "read csv").await.unwrap();
    assert_eq!(text.chars().count(), 6_000);
    let asked = json!({ "library": "pandas", "query": "read csv" });
    assert_eq!(*plain.calls.lock().unwrap(), [("docs.search_documentation".to_owned(), asked)]);

    let older = Server::new(vec![
        ("context7.resolve-library-id", vec!["libraryName"]),
        ("context7.get-library-docs", vec!["accuracy", "context7CompatibleLibraryID", "topic", "tokens"]),
    ]);
    search(&ToolDocs::new(Arc::clone(&older) as _), "pandas", "read csv").await.unwrap();
    let calls = older.calls.lock().unwrap().clone();
    assert_eq!(calls[0].1, json!({ "libraryName": "pandas" }));
    assert_eq!(
        calls[1].1,
        json!({ "context7CompatibleLibraryID": "/pandas-dev/pandas", "topic": "read csv" })
    );

    let newer = Server::new(vec![
        ("context7.resolve-library-id", vec!["libraryName", "query"]),
        ("context7.query-docs", vec!["libraryId", "query"]),
    ]);
    search(&ToolDocs::new(Arc::clone(&newer) as _), "pandas", "read csv").await.unwrap();
    let calls = newer.calls.lock().unwrap().clone();
    assert_eq!(calls[0].1, json!({ "libraryName": "pandas", "query": "read csv" }));
    assert_eq!(calls[1].1, json!({ "libraryId": "/pandas-dev/pandas", "query": "read csv" }));

    let error = search(&ToolDocs::new(plain), "broken", "x").await.unwrap_err();
    assert!(error.contains("no such library"), "{error}");
    let nothing = ToolDocs::new(Server::new(vec![("clock.now", vec![])]));
    assert!(search(&nothing, "a", "b").await.unwrap_err().contains("no tool searches documentation"));
}

fn wanted(modules: &[(&str, &[&str])]) -> Vec<(String, Vec<String>)> {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    modules.iter().map(|(module, members)| ((*module).to_owned(), names(members))).collect()
}

// spec: code-agent NX-09, SB-15
#[tokio::test]
async fn real_python_says_what_it_has_and_is_asked_once() {
    let runner = PythonRunner::new();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("library.json");
    let library = InstalledLibrary::new(Arc::clone(&runner) as _, Some(file.clone()));
    let stop = CancellationToken::new();
    let imports = wanted(&[
        ("json", &["dumps", "no_such_thing"]),
        ("os.path", &["join"]),
        ("email", &["message"]),
        ("no_such_module", &["x"]),
    ]);
    assert_eq!(library.module("json"), Presence::Unknown);
    library.learn(&imports, &stop).await;
    assert_eq!((library.module("json"), library.module("no_such_module")), (Presence::Yes, Presence::No));
    assert_eq!((library.module("os.path"), library.module("re")), (Presence::Yes, Presence::Unknown));
    assert_eq!(library.member("json", "dumps"), Presence::Yes);
    assert_eq!(library.member("json", "no_such_thing"), Presence::No);
    assert_eq!(library.member("email", "message"), Presence::Yes, "a submodule");
    assert!(library.version().unwrap() >= (3, 8));
    assert!(library.in_words().contains("standard library"), "{}", library.in_words());
    let asked = runner.jobs.lock().unwrap().len();
    library.learn(&imports, &stop).await;
    assert_eq!(runner.jobs.lock().unwrap().len(), asked, "what is known is not asked again");
    // Another process finds it in the file, and asks only whether it is still the same Python.
    let later = InstalledLibrary::new(Arc::clone(&runner) as _, Some(file.clone()));
    later.learn(&imports, &stop).await;
    assert_eq!(later.member("json", "dumps"), Presence::Yes);
    assert_eq!(runner.jobs.lock().unwrap().len(), asked + 1);
    // What was kept of another Python does not count.
    let kept = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, kept.replacen("\"python\": [", "\"python\": [9, ", 1)).unwrap();
    let other = InstalledLibrary::new(Arc::clone(&runner) as _, Some(file));
    other.look_around(&stop).await;
    assert_eq!(other.module("json"), Presence::Unknown);
}

#[tokio::test]
async fn a_sandbox_that_fails_refuses_nothing() {
    let library = InstalledLibrary::new(Arc::new(Broken), None);
    library.learn(&wanted(&[("numpy", &["array"])]), &CancellationToken::new()).await;
    assert_eq!(
        (library.module("numpy"), library.member("numpy", "array")),
        (Presence::Unknown, Presence::Unknown)
    );
    let setting = crate::code_common::setting(Scripted::by_name(&[]), Arc::new(Broken));
    let keys = std::collections::BTreeSet::new();
    let code = "import numpy\ncontext['a'] = list(numpy.array([1]))".to_owned();
    let request =
        candor_agents::code::CheckRequest { code, keys, result: candor_pycheck::ResultName::Context };
    let response = setting.parts.code_validator.execute(&request).await;
    assert_eq!(response.data()["valid"], true, "{:?}", response.data());
}

// spec: code-agent NX-09
#[tokio::test]
async fn code_that_imports_what_is_not_there_is_refused_before_it_runs() {
    let setting = crate::code_common::setting(Scripted::by_name(&[]), PythonRunner::new());
    let keys = std::collections::BTreeSet::new();
    let check = async |code: &str| {
        let request = candor_agents::code::CheckRequest {
            code: code.to_owned(),
            keys: keys.clone(),
            result: candor_pycheck::ResultName::Context,
        };
        setting.parts.code_validator.execute(&request).await.data()["valid"] == json!(true)
    };
    assert!(check("import json\nfrom math import pi\ncontext['a'] = json.dumps(pi)").await);
    assert!(!check("import no_such_module\ncontext['a'] = 1").await);
    assert!(!check("from math import no_such_thing\ncontext['a'] = no_such_thing").await);
    let unknown = FakeRunner::adding(json!({}));
    assert!(unknown.own.lock().unwrap().is_empty());
}
