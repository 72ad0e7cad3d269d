//! The rule that every module says what it is for.

use super::problem::Problem;
use super::source::Source;

/// Checks that the file opens with a `//!` that says something.
///
/// Integration tests are exempt: their names are sentences already.
pub(super) fn check(source: &Source) -> Option<Problem> {
    let first = source.text.lines().next().unwrap_or_default();
    let has_doc = first.strip_prefix("//!").is_some_and(|doc| !doc.trim().is_empty());
    if has_doc || !needs_docs(&source.path) {
        return None;
    }
    let what = "the file must open with a module doc: `//!` and what it owns, refuses and is driven by";
    Some(Problem::at(&source.path, 1, what))
}

fn needs_docs(path: &str) -> bool {
    path.contains("/src/") || path.starts_with("benches/") || path.starts_with("fuzz/")
}

#[cfg(test)]
mod tests {
    use super::super::source::fixtures::source;
    use super::*;

    #[test]
    fn a_file_must_open_with_words_about_itself() {
        let is_fine = |text| check(&source("crates/model/src/goal.rs", text)).is_none();
        assert!(is_fine("//! What a goal is.\nuse std::fmt;\n"));
        for bad in ["", "use std::fmt;\n", "// A remark.\n", "//!\n//! Late.\n", "\n//! Later.\n"] {
            assert!(!is_fine(bad), "{bad:?}");
        }
    }

    #[test]
    fn every_place_of_code_but_the_tests_needs_docs() {
        let needs = ["crates/a/src/bin/b.rs", "xtask/src/main.rs", "benches/core.rs", "benches/src/lib.rs"];
        assert!(needs.iter().all(|path| check(&source(path, "")).is_some()));
        assert!(check(&source("crates/a/tests/laws.rs", "")).is_none());
    }
}
