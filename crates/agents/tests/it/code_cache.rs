//! Code that was proven before, and code that is given: when it is used, when it is forgotten, what it saves.

use std::path::Path;
use std::sync::Arc;

use crate::code_common::python::PythonRunner;
use crate::code_common::{FakeRunner, SUM, Scripted, Setting, TIMEOUT, code, good, map, setting, simple};
use candor_agents::code::{
    Bench, CachedExecutor, Edition, Lookup, MultiAgentOrchestrator, NO_MODEL, NodeExecutor, NodeResult,
    OutputValidator, ProvenCode, ProvenFolder, StaticExecutor, WorkflowError,
};
use candor_ports::CodeRunner;
use serde_json::{Value, json};

fn writing(text: &'static str) -> Arc<Scripted> {
    Scripted::new(move |_, ask| match ask.step {
        "analyse_input" => Ok(simple()),
        "write_code" => Ok(code(text)),
        _ => Ok(good()),
    })
}

fn bench(setting: &Setting) -> Bench {
    Bench {
        code_validator: Arc::clone(&setting.parts.code_validator),
        runner: Arc::clone(&setting.parts.runner),
        output_validator: Arc::new(OutputValidator::without_model(setting.parts.words)),
        thinker: None,
        chain: Arc::clone(&setting.parts.chain),
        expected: setting.parts.expected.clone(),
        words: setting.parts.words,
        stop: setting.parts.stop.clone(),
    }
}

fn cached(setting: &Setting, folder: &Path, edition: &Edition) -> CachedExecutor {
    let proven: Arc<dyn ProvenCode> = Arc::new(ProvenFolder::new(folder));
    let writer: Arc<dyn NodeExecutor> = Arc::new(MultiAgentOrchestrator::new(setting.parts.clone()));
    let judged = Bench {
        output_validator: Arc::clone(&setting.parts.output_validator),
        thinker: Some(Arc::clone(&setting.parts.thinker)),
        ..bench(setting)
    };
    CachedExecutor::new(Some(proven), edition.clone(), judged, Some(writer))
}

/// Runs a task on real Python with a cache in this folder; gives the result and what was asked.
async fn through(
    folder: &Path,
    thinker: &Arc<Scripted>,
    task: &str,
    context: Value,
) -> (Result<NodeResult, WorkflowError>, Setting) {
    let setting = setting(Arc::clone(thinker), PythonRunner::new());
    let result = cached(&setting, folder, &Edition::default()).execute(task, &map(context), TIMEOUT).await;
    (result, setting)
}

fn cache_step(setting: &Setting) -> Value {
    let steps = setting.chain.steps();
    Value::Object(steps.iter().find(|step| step.component == "cache").unwrap().data.clone())
}

// spec: code-agent OR-17, NX-32
#[tokio::test]
async fn proven_code_is_used_for_other_values_of_the_same_shape_and_judged_like_new_code() {
    let folder = tempfile::tempdir().unwrap();
    let thinker = writing(SUM);
    let (first, one) =
        through(folder.path(), &thinker, "Add  the numbers", json!({ "num1": 5, "num2": 10 })).await;
    assert_eq!(first.unwrap().context["sum"], 15);
    assert_eq!((&cache_step(&one)["hit"], thinker.names().len()), (&json!(false), 3));
    let (second, two) =
        through(folder.path(), &thinker, "Add the\nnumbers", json!({ "num1": 7, "num2": -1 })).await;
    let second = second.unwrap();
    assert_eq!((&second.context["sum"], second.cost.micros()), (&json!(6), 500));
    assert_eq!(thinker.names()[3..], ["judgement_0"], "nothing is written, and the result is judged");
    let step = cache_step(&two);
    assert_eq!((&step["hit"], &step["saved"], &step["uses"]), (&json!(true), &json!(0.004), &json!(1)));
    assert_eq!(step["hit_rate"], 0.5);
    assert_eq!(
        two.chain.story(),
        ["CodeValidator 0", "sandbox 0", "OutputValidator 0", "cache 0", "MultiAgentOrchestrator 0"]
    );
    let (_, entry) = ProvenFolder::new(folder.path()).entries().remove(0);
    assert_eq!((entry.uses, entry.saved.micros(), entry.code.as_str()), (1, 4_000, SUM));
    let kept = serde_json::to_string(&entry).unwrap();
    assert!(!kept.contains("15") && entry.proven_at > 1_700_000_000, "{kept}");
}

#[tokio::test]
async fn another_task_shape_expectation_or_python_is_another_key() {
    let folder = tempfile::tempdir().unwrap();
    let thinker = writing("context['out'] = len(context)");
    let run = async |task: &str, context: Value| {
        let (result, setting) = through(folder.path(), &thinker, task, context).await;
        result.unwrap();
        cache_step(&setting)["hit"] == json!(true)
    };
    assert!(!run("count", json!({ "a": 1 })).await);
    assert!(run("count", json!({ "a": 2, "_ai_metadata": { "attempts": 1 } })).await, "metadata is left out");
    assert!(!run("count them", json!({ "a": 1 })).await, "another task");
    assert!(!run("count", json!({ "a": "1" })).await, "another type");
    assert!(!run("count", json!({ "a": 1, "b": 1 })).await, "another key");
    assert!(!run("count", json!({ "a": [{ "x": 1 }] })).await);
    assert!(run("count", json!({ "a": [{ "x": 2 }, { "x": 3 }] })).await, "a longer list of the same");
    assert!(!run("count", json!({ "a": [{ "x": 2 }, { "y": 3 }] })).await, "an element of another shape");
    assert!(!run("count", json!({ "a": "id,name\n1,x\n" })).await);
    assert!(run("count", json!({ "a": "id,name\n2,y\n3,z\n" })).await, "the same columns");
    assert!(!run("count", json!({ "a": "name,id\nx,1\n" })).await, "other columns");

    let setting = setting(Arc::clone(&thinker), PythonRunner::new());
    let newer = Edition { python: vec![3, 99, 0], ..Edition::default() };
    cached(&setting, folder.path(), &newer).execute("count", &map(json!({ "a": 1 })), TIMEOUT).await.unwrap();
    assert_eq!(cache_step(&setting)["hit"], false, "another Python");
    let mut wanting = crate::code_common::setting(Arc::clone(&thinker), PythonRunner::new());
    wanting.parts.expected = vec!["out".to_owned()];
    cached(&wanting, folder.path(), &Edition::default())
        .execute("count", &map(json!({ "a": 1 })), TIMEOUT)
        .await
        .unwrap();
    assert_eq!(cache_step(&wanting)["hit"], false, "other expectations");
}

#[tokio::test]
async fn proven_code_that_fails_is_forgotten_with_the_reason_and_written_anew() {
    let folder = tempfile::tempdir().unwrap();
    let inverse = "context['inverse'] = 1 / context['n']";
    let (result, _) = through(folder.path(), &writing(inverse), "invert", json!({ "n": 4 })).await;
    assert_eq!(result.unwrap().context["inverse"], 0.25);
    let careful = "context['inverse'] = 1 / context['n'] if context['n'] else 'none'";
    let thinker = writing(careful);
    let (result, setting) = through(folder.path(), &thinker, "invert", json!({ "n": 0 })).await;
    assert_eq!(result.unwrap().context["inverse"], "none");
    let step = cache_step(&setting);
    assert_eq!(step["hit"], false);
    let dropped = step["dropped"].as_str().unwrap();
    assert!(dropped.contains("execution") && dropped.contains("ZeroDivisionError"), "{dropped}");
    let entries = ProvenFolder::new(folder.path()).entries();
    assert_eq!((entries.len(), entries[0].1.code.as_str()), (1, careful));
}

#[tokio::test]
async fn proven_code_that_fails_stays_forgotten_when_nobody_can_write_it_anew() {
    let folder = tempfile::tempdir().unwrap();
    let inverse = "context['inverse'] = 1 / context['n']";
    through(folder.path(), &writing(inverse), "invert", json!({ "n": 4 })).await.0.unwrap();
    let setting = setting(Scripted::by_name(&[]), PythonRunner::new());
    let proven: Arc<dyn ProvenCode> = Arc::new(ProvenFolder::new(folder.path()));
    let executor = CachedExecutor::new(Some(proven), Edition::default(), bench(&setting), None);
    let error = executor.execute("invert", &map(json!({ "n": 0 })), TIMEOUT).await.unwrap_err();
    assert_eq!(error, WorkflowError::NoModel);
    assert!(ProvenFolder::new(folder.path()).entries().is_empty());
}

#[tokio::test]
async fn proven_code_is_looked_at_again_and_its_result_too() {
    let folder = tempfile::tempdir().unwrap();
    let text = "context['out'] = context['a']";
    through(folder.path(), &writing(text), "copy", json!({ "a": [1] })).await.0.unwrap();
    let store = ProvenFolder::new(folder.path());
    let (key, mut entry) = store.entries().remove(0);
    // Somebody changed the file: what is in it is held to the same rules as anything else.
    entry.code = "import os\ncontext['out'] = os.name".to_owned();
    store.keep(&key, &entry).unwrap();
    let (result, setting) = through(folder.path(), &writing(text), "copy", json!({ "a": [2] })).await;
    assert_eq!(result.unwrap().context["out"], json!([2]));
    assert!(cache_step(&setting)["dropped"].as_str().unwrap().starts_with("code_validation"));
    // Code that leaves only nothing is refused without a model.
    entry.code = "context['out'] = []".to_owned();
    store.keep(&key, &entry).unwrap();
    let (_, setting) = through(folder.path(), &writing(text), "copy", json!({ "a": [2] })).await;
    assert!(cache_step(&setting)["dropped"].as_str().unwrap().starts_with("output_validation"));
}

#[tokio::test]
async fn an_entry_that_cannot_be_read_is_dropped_and_told() {
    let folder = tempfile::tempdir().unwrap();
    through(folder.path(), &writing(SUM), "add", json!({ "num1": 1, "num2": 2 })).await.0.unwrap();
    let store = ProvenFolder::new(folder.path());
    let (key, _) = store.entries().remove(0);
    std::fs::write(folder.path().join(format!("{key}.json")), "{\"code\": ").unwrap();
    let (result, setting) =
        through(folder.path(), &writing(SUM), "add", json!({ "num1": 1, "num2": 2 })).await;
    result.unwrap();
    assert!(cache_step(&setting)["dropped"].as_str().unwrap().contains("cannot be read"));
    assert!(matches!(store.find(&key), Lookup::Hit(_)), "written anew");
    assert_eq!(store.find("../../etc/passwd"), Lookup::Miss);
    assert!(store.keep("../x", &store.entries()[0].1).is_err());
}

// spec: findings SE-10
#[tokio::test]
async fn code_that_holds_values_of_its_data_is_not_kept() {
    let folder = tempfile::tempdir().unwrap();
    let cases = [
        ("context['sum'] = 1234 + context['b']", json!({ "a": 1234, "b": 1 })),
        // However short, and whatever it is written as.
        ("context['sum'] = context['num1'] + 10", json!({ "num1": 5, "num2": 10 })),
        ("context['sum'] = context['num1'] + 1", json!({ "num1": 5, "num2": 1 })),
        ("context['sum'] = context['num1'] - 7", json!({ "num1": 5, "num2": -7 })),
        ("context['sum'] = context['num1'] + float('10')", json!({ "num1": 5, "num2": 10 })),
        ("context['sum'] = context['num1'] + 10", json!({ "num1": 5, "num2": "10" })),
        // Found in a text, by whoever wrote it.
        (
            "context['total'] = '1234.56' if context['text'] else ''",
            json!({ "text": "Invoice 77: the total is 1234.56 EUR" }),
        ),
        ("context['total'] = len(context['text']) and 98.5", json!({ "text": "a total of 98.5 is due" })),
        // Worked out by whoever wrote it.
        ("context['n']\ncontext['share'] = 0.3125", json!({ "n": 5 })),
        // Nothing is read.
        ("context['sum'] = 15", json!({ "num1": 5, "num2": 10 })),
        ("context.update(sum=15)", json!({ "num1": 5, "num2": 10 })),
        ("context['greeting'] = 'Hello ' + 'Jane Doe'", json!({ "name": "Jane Doe" })),
        (
            "context['vip'] = any(p['name'] == \"Jane Doe\" for p in context['people'])",
            json!({ "people": [{ "name": "Jane Doe" }] }),
        ),
    ];
    for (text, context) in cases {
        let (result, setting) = through(folder.path(), &writing(text), text, context).await;
        result.unwrap();
        let steps = setting.chain.steps();
        let last = steps.last().unwrap();
        assert_eq!((last.component.as_str(), &last.data["kept"]), ("cache", &json!(false)));
        assert!(ProvenFolder::new(folder.path()).entries().is_empty());
    }
}

#[tokio::test]
async fn code_that_names_a_key_or_a_number_that_is_no_value_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let text = "context['copy'] = context['amount'] * 2 + 10000";
    let context = json!({ "amount": 3, "wanted": "amount", "other": 1000 });
    through(folder.path(), &writing(text), "copy", context).await.0.unwrap();
    assert_eq!(ProvenFolder::new(folder.path()).entries().len(), 1);
}

// spec: findings SE-10
#[tokio::test]
async fn a_reuse_that_the_judge_refuses_is_forgotten_and_written_anew() {
    let folder = tempfile::tempdir().unwrap();
    let context = |n: i32| json!({ "n": n });
    let halved = "context['half'] = context['n'] // 2";
    through(folder.path(), &writing(halved), "halve", context(8)).await.0.unwrap();
    let exact = "context['half'] = context['n'] / 2";
    let thinker = Scripted::new(move |name, ask| match ask.step {
        "analyse_input" => Ok(simple()),
        "write_code" => Ok(code(exact)),
        _ if name == "judgement_0" => Ok(crate::code_common::bad("half of 7 is 3.5")),
        _ => Ok(good()),
    });
    let (result, setting) = through(folder.path(), &thinker, "halve", context(7)).await;
    assert_eq!(result.unwrap().context["half"], 3.5);
    let dropped = cache_step(&setting)["dropped"].as_str().unwrap().to_owned();
    assert!(dropped.contains("output_validation") && dropped.contains("half of 7 is 3.5"), "{dropped}");
}

// spec: code-agent OR-17
#[tokio::test]
async fn given_code_runs_as_it_is_and_no_model_is_asked() {
    let setting = setting(Scripted::by_name(&[]), PythonRunner::new());
    let executor: Box<dyn NodeExecutor> = Box::new(StaticExecutor::new(SUM.to_owned(), bench(&setting)));
    let result = executor.execute("add", &map(json!({ "num1": 1, "num2": 2 })), TIMEOUT).await.unwrap();
    assert_eq!((&result.context["sum"], result.code.as_str()), (&json!(3), SUM));
    assert!(setting.thinker.names().is_empty());
    assert_eq!(
        setting.chain.story(),
        ["CodeValidator 1", "sandbox 1", "OutputValidator 1", "MultiAgentOrchestrator 1"]
    );
}

// spec: code-agent OR-17, OR-12
#[tokio::test]
async fn given_code_that_does_not_do_it_says_where_it_failed() {
    let cases = [
        ("import socket\ncontext['a'] = 1", "code_validation"),
        ("context['a'] = 1 / 0", "execution"),
        ("x = 1", "code_validation"),
        ("x = context['n']", "output_validation"),
    ];
    for (text, stage) in cases {
        let setting = setting(Scripted::by_name(&[]), PythonRunner::new());
        let executor = StaticExecutor::new(text.to_owned(), bench(&setting));
        let error = executor.execute("t", &map(json!({ "n": 1 })), TIMEOUT).await.unwrap_err();
        let WorkflowError::Failed { reason, metadata, context, .. } = error else { panic!() };
        assert!(reason.contains(stage) && reason.contains("Correct it"), "{reason}");
        assert_eq!(metadata["errors"][0]["stage"], stage);
        assert_eq!(*context, map(json!({ "n": 1 })));
    }
}

#[tokio::test]
async fn without_a_model_proven_code_still_works_and_anything_else_says_what_is_needed() {
    let folder = tempfile::tempdir().unwrap();
    through(folder.path(), &writing(SUM), "add", json!({ "num1": 1, "num2": 2 })).await.0.unwrap();
    let setting = setting(Scripted::by_name(&[]), PythonRunner::new());
    let proven: Arc<dyn ProvenCode> = Arc::new(ProvenFolder::new(folder.path()));
    let executor = CachedExecutor::new(Some(proven), Edition::default(), bench(&setting), None);
    let run = async |task: &str| executor.execute(task, &map(json!({ "num1": 3, "num2": 4 })), TIMEOUT).await;
    assert_eq!(run("add").await.unwrap().context["sum"], 7);
    let error = run("multiply").await.unwrap_err();
    assert_eq!((error.clone(), error.to_string()), (WorkflowError::NoModel, NO_MODEL.to_owned()));
}

// spec: code-agent OR-17
#[tokio::test]
async fn without_a_cache_the_executor_hands_everything_to_the_orchestrator() {
    let setting = setting(writing(SUM), FakeRunner::adding(json!({ "sum": 15 })) as Arc<dyn CodeRunner>);
    let writer: Arc<dyn NodeExecutor> = Arc::new(MultiAgentOrchestrator::new(setting.parts.clone()));
    let executor = CachedExecutor::new(None, Edition::default(), bench(&setting), Some(writer));
    let result = executor.execute("add", &map(json!({ "num1": 5, "num2": 10 })), TIMEOUT).await.unwrap();
    assert_eq!(result.context["sum"], 15);
    assert!(!setting.chain.story().iter().any(|step| step.starts_with("cache")));
}
