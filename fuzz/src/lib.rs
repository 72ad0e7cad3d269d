//! The fuzz targets by name: what each does with any bytes. `cargo test` calls the same functions with the files below
//! `fuzz/corpus`, so that what a fuzzer found once is looked for in every run of the tests.

use std::collections::BTreeSet;

use candor_app::config::Config;
use candor_llm::json;
use candor_pycheck::{AnyLibrary, Checker, Language, Policy, Program, ResultName, Syntax, imports_of};

/// Takes any bytes, and neither panics nor hangs.
pub type Target = fn(&[u8]);

/// Every target with its name, which is that of its folder in `fuzz/corpus`.
pub const TARGETS: [(&str, Target); 15] = [
    ("a2a", candor_agents::fuzzing::a2a),
    ("agent_answer", candor_agents::fuzzing::agent_answer),
    ("bus_message", candor_agents::fuzzing::bus_message),
    ("config", config),
    ("event_json", candor_testkit::fuzzing::event_json),
    ("guard", guard),
    ("http_answer", candor_agents::fuzzing::http_answer),
    ("log_open", candor_testkit::fuzzing::log_open),
    ("mcp_result", candor_tools::fuzzing::mcp_result),
    ("plan_json", candor_testkit::fuzzing::plan_json),
    ("prompt_answer", prompt_answer),
    ("pycheck", pycheck),
    ("redactor", candor_testkit::fuzzing::redactor),
    ("repair", candor_testkit::fuzzing::repair),
    ("rules", candor_testkit::fuzzing::rules),
];

/// Any text as a configuration: read, or refused with the name of the file.
fn config(data: &[u8]) {
    let Ok(folder) = tempfile::tempdir() else { return };
    let path = folder.path().join("candor.toml");
    if std::fs::write(&path, data).is_ok()
        && let Err(error) = Config::load(Some(&path))
    {
        assert!(error.told().contains("candor.toml"), "{error}");
    }
}

/// Any text as a request, and as something that was read: examined for orders to models. What is quoted is in the text.
fn guard(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for finding in candor_language::guard::examine(&text, None) {
        assert!((0.0..=1.0).contains(&finding.score) && !finding.reason.is_empty(), "{finding:?}");
    }
    let _ = candor_language::guard::examine_read("the answer", &text);
}

/// Any text as a model's answer: read, repaired or refused within its bounds; what was repaired is JSON.
fn prompt_answer(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    if let Ok(read) = json::read(&text) {
        let written = read.value.to_string();
        // Numbers beyond what JSON can hold are the one thing that may change.
        assert!(json::read(&written).is_ok(), "{written}");
    }
    let _ = json::read_strict(&text);
}

/// Any bytes as a Python program, with and without a context: every place that is named is in the text.
fn pycheck(bytes: &[u8]) {
    let code = String::from_utf8_lossy(bytes);
    let keys: BTreeSet<String> = ["amount", "client"].map(str::to_owned).into();
    let bare = Program::new(&code);
    let lines = code.bytes().filter(|byte| matches!(byte, b'\n' | b'\r')).count() + 1;
    for (program, syntax) in [
        (bare, Syntax::Latest),
        (bare.with_context(&keys), Syntax::Version(3, 8)),
        (bare.with_context(&keys).with_result(ResultName::Insights), Syntax::Latest),
    ] {
        let checker = Checker::new(Policy::default(), &AnyLibrary, syntax).with_language(Language::Spanish);
        let findings = checker.check(&program);
        assert_eq!(findings.valid, findings.errors.is_empty());
        for problem in findings.errors.iter().chain(&findings.warnings) {
            let line = usize::try_from(problem.line).unwrap_or(usize::MAX);
            assert!(line >= 1 && line <= lines && problem.column >= 1, "{problem:?}");
        }
    }
    let _ = imports_of(&code);
}
