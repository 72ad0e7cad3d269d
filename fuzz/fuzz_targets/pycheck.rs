//! Any bytes as a Python program, with and without a context: no panic, and places in the text.

#![no_main]

use std::collections::BTreeSet;

use candor_pycheck::{AnyLibrary, Checker, Language, Policy, Program, ResultName, Syntax, imports_of};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
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
            assert!(problem.line >= 1 && problem.line as usize <= lines && problem.column >= 1);
        }
    }
    let _ = imports_of(&code);
});
