//! The rule that nothing unfinished and no sleeping test gets in.
//!
//! It holds in tests, too: a test that is ignored tells nobody anything.

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use super::problem::Problem;
use super::source::{Code, Source};

const UNFINISHED: &[&str] = &["todo", "unimplemented"];

/// Checks all code of a file.
pub(super) fn check(source: &Source, code: &Code) -> Vec<Problem> {
    let mut problems = Vec::new();
    read(&source.path, &code.tokens, &mut problems);
    problems
}

fn read(path: &str, tokens: &TokenStream, problems: &mut Vec<Problem>) {
    let mut tokens = tokens.clone().into_iter().peekable();
    while let Some(token) = tokens.next() {
        let line = token.span().start().line;
        match (&token, tokens.peek()) {
            (TokenTree::Ident(word), Some(TokenTree::Punct(mark)))
                if mark.as_char() == '!' && UNFINISHED.iter().any(|name| word == name) =>
            {
                let what = format!("`{word}!` is unfinished; write it, or return an error that says so");
                problems.push(Problem::at(path, line, what));
            }
            (TokenTree::Punct(mark), Some(TokenTree::Group(attribute)))
                if mark.as_char() == '#' && ignores_test(attribute) =>
            {
                let what = "`#[ignore]` lets a test sleep; repair the test or remove it";
                problems.push(Problem::at(path, line, what));
            }
            (TokenTree::Group(group), _) => read(path, &group.stream(), problems),
            _ => {}
        }
    }
}

fn ignores_test(attribute: &proc_macro2::Group) -> bool {
    let first = attribute.stream().into_iter().next();
    attribute.delimiter() == Delimiter::Bracket
        && matches!(first, Some(TokenTree::Ident(name)) if name == "ignore")
}

#[cfg(test)]
mod tests {
    use super::super::source::fixtures;
    use super::*;

    fn complaints(text: &str) -> Vec<String> {
        fixtures::complaints(check, "crates/store/src/log.rs", text)
    }

    #[test]
    fn unfinished_code_is_found_even_in_macros_and_tests() {
        assert_eq!(
            complaints("fn f() {\n    todo!()\n}\n"),
            ["crates/store/src/log.rs:2: `todo!` is unfinished; write it, or return an error that says so"]
        );
        assert_eq!(complaints("fn f() { unimplemented!(\"later\") }").len(), 1);
        assert_eq!(complaints("m! { x => { todo!() } }").len(), 1);
        assert_eq!(complaints("#[cfg(test)]\nmod tests { fn f() { todo!() } }").len(), 1);
    }

    #[test]
    fn sleeping_tests_are_found_with_and_without_an_excuse() {
        assert_eq!(complaints("#[test]\n#[ignore]\nfn f() {}").len(), 1);
        assert_eq!(complaints("#[test]\n#[ignore = \"slow\"]\nfn f() {}").len(), 1);
        assert_eq!(complaints("proptest! { #[test] #[ignore] fn f() {} }").len(), 1);
    }

    #[test]
    fn words_about_it_are_no_problem() {
        let text =
            "// todo!()\nfn f(todo: bool) -> bool { !todo && g(\"todo!()\") }\n#[serde(ignore)] struct S;";
        assert_eq!(complaints(text), [""; 0]);
    }
}
