//! What holds for every text: no panic, places inside the text, the spec's own examples and words.

use std::collections::BTreeSet;

use candor_pycheck::{
    AnyLibrary, Check, Checker, Code, Findings, Language, Policy, Program, ResultName, Syntax, imports_of,
    written_keys,
};
use proptest::prelude::*;

fn keys(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn check(code: &str) -> Findings {
    checker().check(&Program::new(code))
}

fn checker() -> Checker<'static> {
    Checker::new(Policy::default(), &AnyLibrary, Syntax::Latest)
}

fn check_with(code: &str, names: &[&str]) -> Findings {
    checker().check(&Program::new(code).with_context(&keys(names)))
}

fn spanish(code: &str, names: &[&str]) -> Vec<String> {
    let keys = keys(names);
    let findings = checker().with_language(Language::Spanish).check(&Program::new(code).with_context(&keys));
    findings.errors.into_iter().map(|problem| problem.message).collect()
}

// spec: code-agent CV-21
#[test]
fn the_example_of_the_specification_is_valid() {
    let findings = check_with("total = context['amount']\nprint(total)", &["amount", "client"]);
    assert!(findings.valid);
    assert_eq!(findings.checks_passed, Check::ALL);
}

// spec: code-agent CV-04, CV-21
#[test]
fn the_wrong_example_of_the_specification_has_two_errors() {
    let code = "a = 1\nb = 2\nc = 3\nd = context['total']\nprint(total_amount)\n";
    let findings = check_with(code, &["amount", "client"]);
    let found: Vec<(Code, u32)> = findings.errors.iter().map(|e| (e.code, e.line)).collect();
    assert_eq!(found, [(Code::MissingKey, 4), (Code::UndefinedName, 5)]);
    assert!(findings.checks_passed.contains(&Check::Syntax));
    assert!(findings.checks_passed.contains(&Check::Imports));
    assert!(!findings.checks_passed.contains(&Check::Variables));
}

// spec: code-agent CV-06
#[test]
fn a_syntax_error_stops_all_checks() {
    let findings = check("import os\ndef broken(\n    pass\n");
    assert_eq!(findings.errors.len(), 1);
    assert!(findings.errors[0].message.starts_with("Syntax error: line 2: "));
    assert!(findings.checks_passed.is_empty());
}

// spec: code-agent CV-06, CV-07, CV-12, CV-14, CV-17, CV-18, NX-11
#[test]
fn the_spanish_texts_are_those_of_the_specification() {
    let said = spanish("x = (", &[]);
    assert_eq!(said, ["Syntax error: Línea 1: '(' nunca se cierra"]);
    let said = spanish("print(total)", &[]);
    assert_eq!(said, ["Variable 'total' usada en línea 1 pero no definida"]);
    let said = spanish("x = 1\nprint(context['c'])", &["b", "a"]);
    assert_eq!(said, ["Línea 2: Acceso a context['c'] pero esa key no existe. Keys disponibles: ['a', 'b']"]);
    let said = spanish("print(context.get('c'))", &["a"]);
    assert_eq!(said, ["Línea 1: context.get('c') pero esa key no existe"]);
    let said = spanish("import subprocess, os\n", &[]);
    assert_eq!(said, ["Imports peligrosos detectados: os, subprocess"]);
    let said = spanish("eval('1')", &[]);
    assert_eq!(said, ["Línea 1: Uso de función peligrosa 'eval()' no permitido"]);
}

// spec: code-agent CV-12, CV-17
#[test]
fn the_english_texts_say_the_same() {
    let findings = check_with("import sys, os\nsys.exit()\nprint(context['total'])", &["client", "amount"]);
    let said: Vec<&str> = findings.errors.iter().map(|e| e.message.as_str()).collect();
    assert_eq!(
        said,
        [
            "Dangerous imports: os, sys",
            "line 3: context['total'] is read but there is no such key; available: ['amount', 'client']",
        ]
    );
}

// spec: code-agent NX-10
#[test]
fn global_is_a_warning_only() {
    let findings = check("n = 0\ndef f():\n    global n\n    n = 1\n");
    assert!(findings.valid);
    assert_eq!(findings.warnings.len(), 1);
    assert_eq!((findings.warnings[0].code, findings.warnings[0].line), (Code::GlobalStatement, 3));
}

// spec: code-agent CV-02, CV-03
#[test]
fn findings_are_written_with_stable_names() {
    let written = serde_json::to_value(check("x = y")).unwrap();
    let expected = serde_json::json!({
        "valid": false,
        "errors": [{
            "code": "PY101", "line": 1, "column": 5,
            "message": "line 1: variable 'y' is used but never defined",
        }],
        "checks_passed": ["syntax", "context_access", "imports", "operations", "serialization"],
    });
    assert_eq!(written, expected);
}

// spec: code-agent NX-08, NX-09
#[test]
fn a_policy_can_be_changed() {
    let policy = Policy::default().allow("os").allow("eval").deny("math").deny("print").deny("pickle");
    let code = "import os\nimport math\neval('1')\nprint(os)\nimport pickle\n";
    let findings = Checker::new(policy, &AnyLibrary, Syntax::Latest).check(&Program::new(code));
    let found: Vec<(&str, u32)> = findings.errors.iter().map(|e| (e.code.text(), e.line)).collect();
    assert_eq!(found, [("PY301", 2), ("PY401", 4), ("PY301", 5)]);
}

#[test]
fn texts_that_nobody_writes_are_survived() {
    let deep = [
        format!("x = {}{}", "[".repeat(10_000), "]".repeat(10_000)),
        format!("x = {}", "(".repeat(1_000_000)),
        format!("x = a{}", "+a".repeat(50_000)),
        format!("x = {}a", "not ".repeat(50_000)),
        format!("x = a{}", ".b".repeat(50_000)),
        format!("x = a{}", "()".repeat(50_000)),
        format!("x = {}1{}", "{1:".repeat(5_000), "}".repeat(5_000)),
        format!("x = {}1", "1 if a else ".repeat(20_000)),
        format!("x = {}1", "lambda: ".repeat(20_000)),
        format!("x = a{}", "**a".repeat(50_000)),
        "if a: ".repeat(20_000),
        (0..5_000).map(|n| format!("{}if a:\n", " ".repeat(n))).collect(),
        format!("match a:\n case {}b{}: pass", "[".repeat(5_000), "]".repeat(5_000)),
        "f'{".repeat(20_000),
        format!("x: {}a", "-".repeat(50_000)),
    ];
    for code in deep {
        let findings = check(&code);
        let start: String = code.chars().take(20).collect();
        assert_eq!(findings.errors.len(), 1, "{start}");
        assert_eq!(findings.errors[0].code.check(), Check::Syntax, "{start}");
    }
}

// spec: code-agent CV-13
#[test]
fn the_keys_a_program_writes_are_listed() {
    let code = "context['b'] = 1\ncontext.update({'a': 1}, c=2)\ndef f():\n    context.setdefault('d', 0)\nprint(context['e'])\n";
    assert_eq!(written_keys(code), ["a", "b", "c", "d"]);
    assert!(written_keys("context[").is_empty());
}

/// Just below the limits everything is walked, in the small stack of a test.
#[test]
fn the_deepest_texts_that_pass_are_walked() {
    let wide = [
        format!("a = 1\nx = a{}", "+a".repeat(2_400)),
        format!("a = 1\nx = a{}", "*a".repeat(2_400)),
        format!("x = {}{}", "[".repeat(199), "]".repeat(199)),
        format!("f = len\nx = {}1{}", "f(".repeat(190), ")".repeat(190)),
        format!("a = 1\nx = {}1", "1 if a else ".repeat(700)),
        (0..99).map(|n| format!("{}if 1:\n", " ".repeat(n))).collect::<String>() + &" ".repeat(99) + "pass",
        format!("a = 1\nx = [{}]", "a + a,".repeat(100_000)),
        "x = 1\n".repeat(200_000),
    ];
    for code in wide {
        let findings = check(&code);
        assert!(findings.valid, "{:?}", findings.errors);
    }
    // Leaning the other way a text is refused before it does harm.
    for code in [
        format!("a = 1\nx = {}a", "not ".repeat(2_400)),
        format!("a = 1\nx = {}a", "lambda: ".repeat(2_400)),
        format!("a = 1\nx = a{}", "**a".repeat(2_400)),
        format!("a = 1\nx = a{}", ".b".repeat(2_400)),
        format!("a = 1\nx = [a{} for i in a]", ".b".repeat(2_400)),
    ] {
        assert!(check(&code).errors.iter().all(|e| e.code == Code::TooDeep));
    }
}

/// Were anything here quadratic, this test would not end.
#[test]
fn large_texts_take_their_time_in_proportion() {
    let many = |line: &dyn Fn(usize) -> String| (0..20_000).map(line).collect::<String>();
    let shapes = [
        many(&|n| format!("print(undefined_{n})\n")),
        many(&|n| format!("x_{n} = 'k_{n}' in context\nprint(context['r_{n}'])\n")),
        many(&|n| format!("context['a_{n}'] = 1\nprint(context['b_{n}'])\n")),
        many(&|n| format!("def f_{n}(x: 'T_{n}'): pass\n")),
        many(&|n| format!("if 'a_{n}' in globals(): print(b_{n})\n")),
        "def f():\n".to_owned() + &many(&|n| format!("    print(a_{n})\n    a_{n} = 1\n")),
        "def f():\n".to_owned() + &many(&|n| format!("    global a_{n}\n    a_{n} = b_{n}\n")),
        "def f():\n for i in f:\n".to_owned()
            + &many(&|n| format!("  for j in i: print(a_{n})\n  a_{n} = 1\n")),
        many(&|n| format!("import m_{n}, os\n")),
        "x = [".to_owned() + &many(&|n| format!("lambda a: a_{n},\n")) + "]",
    ];
    for code in shapes {
        let findings = check_with(&code, &["k"]);
        assert!(findings.errors.iter().all(|e| e.code.check() != Check::Syntax));
    }
}

#[test]
fn odd_bytes_and_line_ends_are_survived() {
    assert!(check("").valid);
    assert!(check("\u{feff}x = 1\r\ny = x\rz = y\n").valid);
    assert!(!check("x = 1\0").valid);
    let findings = check("\u{feff}é = ñ");
    assert_eq!((findings.errors[0].line, findings.errors[0].column), (1, 5));
    assert!(imports_of("\0").is_empty());
}

fn inside(code: &str, findings: &Findings) -> bool {
    let lines = code.replace("\r\n", "\n").replace('\r', "\n");
    let lines: Vec<&str> = lines.split('\n').collect();
    findings.errors.iter().chain(&findings.warnings).all(|problem| {
        let line = lines.get(problem.line as usize - 1);
        line.is_some_and(|line| problem.column >= 1 && problem.column as usize <= line.chars().count() + 1)
    })
}

fn survives(code: &str) -> Result<(), TestCaseError> {
    let names = keys(&["amount", "client"]);
    let bare = Program::new(code);
    for program in [bare, bare.with_context(&names).with_result(ResultName::Insights)] {
        let findings = checker().check(&program);
        prop_assert_eq!(findings.valid, findings.errors.is_empty());
        prop_assert!(inside(code, &findings), "{:?}", findings);
    }
    let old = Checker::new(Policy::default(), &AnyLibrary, Syntax::Version(3, 8));
    prop_assert!(inside(code, &old.check(&bare)));
    let _ = imports_of(code);
    Ok(())
}

/// Pieces that meet in every order.
const PIECES: &[&str] = &[
    "def f(",
    "class A:",
    "    ",
    "\n",
    "\n    ",
    "x",
    "context",
    "['k']",
    " = ",
    ":",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "for x in ",
    "if ",
    "else",
    " and ",
    "lambda y: ",
    "import os",
    "from a import *",
    "try:",
    "except E as e:",
    "global x",
    "nonlocal x",
    "del x",
    "match x:",
    "case [a, *b]:",
    "await ",
    "yield ",
    "return ",
    "async ",
    "f'{x",
    "'",
    "\"\"\"",
    "\\",
    "#",
    "@",
    ":=",
    "**",
    "*",
    ",",
    ".",
    "->",
    "é",
    "\u{feff}",
    "\0",
    "\r",
    "\t",
    "1e5",
    "0x",
    "type T[U] = ",
    "x: \"A[B]\" = 1",
    "__all__ = ['x']",
    "with a as b:",
    "while x:",
    "break",
    "+=",
    "|=",
    ".get('k')",
    ".update(",
    "in context",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_text_makes_it_panic(code in any::<String>()) {
        survives(&code)?;
    }

    #[test]
    fn no_mixture_of_pieces_makes_it_panic(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..60)) {
        survives(&pieces.concat())?;
    }

    #[test]
    fn no_cut_program_makes_it_panic(from in 0usize..2_000, length in 0usize..40, by in "\\PC{0,4}") {
        let code = include_str!("../programs/right/context_guards.py").to_owned()
            + include_str!("../programs/right/bind_match.py")
            + include_str!("../programs/right/class_scope.py");
        let mut letters: Vec<char> = code.chars().collect();
        let from = from % letters.len();
        let to = (from + length).min(letters.len());
        letters.splice(from..to, by.chars());
        survives(&letters.into_iter().collect::<String>())?;
    }
}
