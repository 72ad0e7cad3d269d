//! Right and wrong programs, each in a file of its own.
//!
//! A wrong program opens with one `# expect: CODE line:column` for each problem, in order. Both
//! kinds may set `# context: a, b` (the keys of the context), `# python: 3.11` (the version) and
//! `# result: insights`.

#![expect(clippy::unwrap_used, reason = "a file that cannot be read is a failed test")]

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use candor_pycheck::{
    Check, Checker, Code, Findings, Library, Policy, Presence, Program, ResultName, Syntax,
};

/// A Python that has everything but what its name says it has not.
struct Sandbox;

impl Library for Sandbox {
    fn module(&self, dotted: &str) -> Presence {
        let absent = ["no_such", "_no_such", "java"].iter().any(|start| dotted.starts_with(start));
        if absent { Presence::No } else { Presence::Yes }
    }

    fn member(&self, _module: &str, name: &str) -> Presence {
        let absent = ["no_such", "oem_"].iter().any(|start| name.starts_with(start));
        if absent { Presence::No } else { Presence::Unknown }
    }
}

struct Case {
    name: String,
    code: String,
}

impl Case {
    fn all(folder: &str) -> Vec<Self> {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(folder);
        let mut cases: Vec<Self> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .map(|path| Self {
                name: path.file_stem().unwrap().to_string_lossy().into_owned(),
                code: fs::read_to_string(&path).unwrap(),
            })
            .collect();
        cases.sort_by(|a, b| a.name.cmp(&b.name));
        cases
    }

    fn setting<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let header = self.code.lines().take_while(|line| line.starts_with("# "));
        header.filter_map(move |line| line.strip_prefix("# ")?.strip_prefix(name)?.strip_prefix(": "))
    }

    fn check(&self) -> Findings {
        let syntax = match self.setting("python").next().and_then(|v| v.split_once('.')) {
            Some((major, minor)) => Syntax::Version(major.parse().unwrap(), minor.parse().unwrap()),
            None => Syntax::Latest,
        };
        let keys: Option<BTreeSet<String>> =
            self.setting("context").next().map(|keys| keys.split(", ").map(str::to_owned).collect());
        let mut program = Program::new(&self.code);
        program.context = keys.as_ref();
        if self.setting("result").next() == Some("insights") {
            program.result = ResultName::Insights;
        }
        Checker::new(Policy::default(), &Sandbox, syntax).check(&program)
    }
}

// spec: code-agent CV-03, CV-08, CV-09, CV-10, CV-11, CV-13, CV-14, CV-15, CV-20, QT-11, NX-03
#[test]
fn right_programs_are_valid() {
    let cases = Case::all("right");
    assert!(cases.len() >= 60);
    let mut refused = Vec::new();
    for case in cases {
        let findings = case.check();
        if !findings.valid || findings.checks_passed != Check::ALL {
            refused.push((case.name, findings.errors));
        }
    }
    assert!(refused.is_empty(), "{refused:#?}");
}

// spec: code-agent CV-06, CV-07, CV-11, CV-12, CV-14, CV-16, CV-17, CV-18, NX-05, NX-08
#[test]
fn wrong_programs_are_refused_for_the_expected_reasons_only() {
    let cases = Case::all("wrong");
    assert!(cases.len() >= 80);
    let mut differing = Vec::new();
    for case in cases {
        let expected: Vec<String> = case.setting("expect").map(str::to_owned).collect();
        let findings = case.check();
        let found: Vec<String> = findings
            .errors
            .iter()
            .map(|problem| format!("{} {}:{}", problem.code, problem.line, problem.column))
            .collect();
        if found != expected || findings.valid {
            differing.push((case.name, expected, findings.errors));
        }
    }
    assert!(differing.is_empty(), "{differing:#?}");
}

#[test]
fn every_error_code_has_a_wrong_program() {
    // Too deep is tested where the texts are made, and a warning refuses nothing.
    let elsewhere = [Code::TooDeep, Code::GlobalStatement];
    let cases = Case::all("wrong");
    let expects =
        |code: &Code| cases.iter().any(|case| case.setting("expect").any(|e| e.starts_with(code.text())));
    let missing: Vec<&Code> =
        Code::ALL.iter().filter(|code| !elsewhere.contains(code) && !expects(code)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
