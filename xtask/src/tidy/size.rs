//! The rules on size: files and functions that fit in a head.

use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Block, ImplItemFn, ItemFn, Signature, TraitItemFn};

use super::problem::Problem;
use super::source::{Code, Source};
use super::test_code::TestLines;

const MAX_FILE_LINES: usize = 500;
const MAX_FUNCTION_LINES: usize = 70;

/// Checks the production lines of a file and of each of its functions. Tests may be as long as they are.
pub(super) fn check(source: &Source, code: &Code) -> Vec<Problem> {
    let mut ruler = Ruler { path: &source.path, tests: &code.tests, problems: Vec::new() };
    ruler.measure_file(&source.text);
    ruler.visit_file(&code.file);
    ruler.problems
}

struct Ruler<'a> {
    path: &'a str,
    tests: &'a TestLines,
    problems: Vec<Problem>,
}

impl Ruler<'_> {
    fn measure_file(&mut self, text: &str) {
        let production = (1..=text.lines().count()).filter(|line| !self.tests.contain(*line));
        let mut beyond = production.clone().skip(MAX_FILE_LINES);
        if let Some(line) = beyond.next() {
            let count = production.count();
            let what =
                format!("the file has {count} production lines, the limit is {MAX_FILE_LINES}; split it");
            self.problems.push(Problem::at(self.path, line, what));
        }
    }

    fn measure_function(&mut self, signature: &Signature, body: &Block) {
        let first = signature.span().start().line;
        let count = body.span().end().line + 1 - first;
        if count > MAX_FUNCTION_LINES && !self.tests.contain(first) {
            let name = &signature.ident;
            let what = format!(
                "the function `{name}` has {count} lines, the limit is {MAX_FUNCTION_LINES}; split it"
            );
            self.problems.push(Problem::at(self.path, first, what));
        }
    }
}

impl<'ast> Visit<'ast> for Ruler<'_> {
    fn visit_item_fn(&mut self, function: &'ast ItemFn) {
        self.measure_function(&function.sig, &function.block);
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast ImplItemFn) {
        self.measure_function(&function.sig, &function.block);
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_trait_item_fn(&mut self, function: &'ast TraitItemFn) {
        if let Some(body) = &function.default {
            self.measure_function(&function.sig, body);
        }
        visit::visit_trait_item_fn(self, function);
    }
}

#[cfg(test)]
mod tests {
    use super::super::source::fixtures;
    use super::*;

    const PATH: &str = "crates/store/src/log.rs";

    fn complaints(path: &str, text: &str) -> Vec<String> {
        fixtures::complaints(check, path, text)
    }

    /// A function of exactly so many lines.
    fn function(lines: usize) -> String {
        format!("fn long() {{\n{}}}\n", "    ();\n".repeat(lines - 2))
    }

    #[test]
    fn a_file_may_reach_the_limit_and_not_pass_it() {
        let full = "//\n".repeat(MAX_FILE_LINES);
        assert_eq!(complaints(PATH, &full), [""; 0]);
        assert_eq!(
            complaints(PATH, &format!("{full}//\n")),
            ["crates/store/src/log.rs:501: the file has 501 production lines, the limit is 500; split it"]
        );
    }

    #[test]
    fn tests_do_not_count_wherever_they_stand() {
        let tests = format!("#[cfg(test)]\nmod tests {{\n{}}}\n", "//\n".repeat(MAX_FILE_LINES));
        let full = "//\n".repeat(MAX_FILE_LINES);
        assert_eq!(complaints(PATH, &format!("{full}{tests}")), [""; 0]);
        assert_eq!(complaints(PATH, &format!("{tests}{full}")), [""; 0]);
        assert_eq!(complaints(PATH, &format!("{tests}{full}//\n")).len(), 1, "code after the tests counts");
    }

    #[test]
    fn a_function_may_reach_the_limit_and_not_pass_it() {
        assert_eq!(complaints(PATH, &function(MAX_FUNCTION_LINES)), [""; 0]);
        assert_eq!(
            complaints(PATH, &format!("\n{}", function(MAX_FUNCTION_LINES + 1))),
            ["crates/store/src/log.rs:2: the function `long` has 71 lines, the limit is 70; split it"]
        );
    }

    #[test]
    fn methods_count_and_attributes_and_docs_do_not() {
        let long = function(MAX_FUNCTION_LINES + 1);
        assert_eq!(complaints(PATH, &format!("impl A {{ {long} }}")).len(), 1);
        assert_eq!(complaints(PATH, &format!("trait A {{ {long} }}")).len(), 1);
        assert_eq!(
            complaints(PATH, &format!("fn outer() {{ {long} }}")).len(),
            2,
            "the outer one is long too"
        );
        let documented = format!("/// Doc.\n#[must_use]\n{}", function(MAX_FUNCTION_LINES));
        assert_eq!(complaints(PATH, &documented), [""; 0]);
    }

    #[test]
    fn tests_may_be_long() {
        let long = function(MAX_FUNCTION_LINES + 1);
        assert_eq!(complaints(PATH, &format!("#[cfg(test)]\nmod tests {{\n{long}}}\n")), [""; 0]);
        let huge = long.repeat(MAX_FILE_LINES);
        assert_eq!(complaints("crates/store/tests/damage.rs", &huge), [""; 0]);
    }
}
