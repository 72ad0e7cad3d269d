//! The Rust files of the workspace: found, read and parsed.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use proc_macro2::TokenStream;

use super::problem::Problem;
use super::test_code::{TestLines, is_test_only};

/// The folders that hold our code; a missing one is no problem, as crates come when they are needed.
const ROOTS: &[&str] = &["crates", "xtask", "benches", "tests", "fuzz/src"];

/// A file as it lies on the disk.
pub(super) struct Source {
    /// Relative to the workspace, with `/` on every platform.
    pub(super) path: String,
    pub(super) text: String,
}

/// A file that was understood.
pub(super) struct Code {
    pub(super) tokens: TokenStream,
    pub(super) file: syn::File,
    /// The lines that only exist in tests.
    pub(super) tests: TestLines,
}

impl Source {
    /// Tells whether the file lies in a folder of tests, where everything is a test.
    pub(super) fn is_under_tests(&self) -> bool {
        self.path.split('/').any(|folder| folder == "tests")
    }

    /// Parses the file; `test_only` are the files that only exist in tests.
    pub(super) fn parse(&self, test_only: &BTreeSet<String>) -> Result<Code, Problem> {
        let tokens: TokenStream = self
            .text
            .parse()
            .map_err(|error: proc_macro2::LexError| self.unreadable(error.span(), &error))?;
        let file: syn::File =
            syn::parse2(tokens.clone()).map_err(|error| self.unreadable(error.span(), &error))?;
        let all_test = self.is_under_tests() || is_test_only(&self.path, test_only);
        let tests = if all_test { TestLines::whole_file() } else { TestLines::of(&file) };
        Ok(Code { tokens, file, tests })
    }

    fn unreadable(&self, span: proc_macro2::Span, error: &dyn std::fmt::Display) -> Problem {
        Problem::at(&self.path, span.start().line, format!("does not parse as Rust: {error}"))
    }
}

/// Reads every Rust file of the workspace.
pub(super) fn read_all(root: &Path) -> Result<Vec<Source>> {
    let mut sources = Vec::new();
    for folder in ROOTS {
        if root.join(folder).is_dir() {
            read_folder(root, folder, &mut sources)?;
        }
    }
    if sources.is_empty() {
        bail!("no Rust file was found under {}; is this the workspace?", root.display());
    }
    Ok(sources)
}

fn read_folder(root: &Path, folder: &str, sources: &mut Vec<Source>) -> Result<()> {
    let unreadable = || format!("the folder {folder} could not be read");
    for entry in fs::read_dir(root.join(folder)).with_context(unreadable)? {
        let entry = entry.with_context(unreadable)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{folder}/{name}");
        let kind = entry.file_type().with_context(|| format!("{path} could not be looked at"))?;
        // Hidden folders and build output hold nobody's handwriting.
        if kind.is_dir() && name != "target" && !name.starts_with('.') {
            read_folder(root, &path, sources)?;
        } else if kind.is_file() && name.ends_with(".rs") {
            let text =
                fs::read_to_string(entry.path()).with_context(|| format!("{path} could not be read"))?;
            sources.push(Source { path, text });
        }
    }
    Ok(())
}

#[cfg(test)]
pub(super) mod fixtures {
    //! Sources written down in tests.

    use super::super::problem::Problem;
    use super::{Code, Source};

    /// Runs a rule over a text that claims to be the file at `path`.
    pub(in crate::tidy) fn complaints<R>(rule: fn(&Source, &Code) -> R, path: &str, text: &str) -> Vec<String>
    where
        R: IntoIterator<Item = Problem>,
    {
        let source = source(path, text);
        let code = source.parse(&[].into()).unwrap();
        rule(&source, &code).into_iter().map(|problem| problem.to_string()).collect()
    }

    /// A file that lies on no disk.
    pub(in crate::tidy) fn source(path: &str, text: &str) -> Source {
        Source { path: path.to_owned(), text: text.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::fixtures::source;
    use super::*;
    use crate::workspace_root;

    #[test]
    fn a_file_that_is_no_rust_is_a_problem_with_its_line() {
        for text in ["//! Doc.\nfn f( {\n", "//! Doc.\nfn 1() {}\n"] {
            let problem = source("crates/model/src/a.rs", text).parse(&BTreeSet::new()).err().unwrap();
            let problem = problem.to_string();
            assert!(problem.starts_with("crates/model/src/a.rs:2: does not parse as Rust"), "{problem}");
        }
    }

    #[test]
    fn a_folder_of_tests_is_told_from_a_file_of_that_name() {
        assert!(source("crates/model/tests/golden/mod.rs", "").is_under_tests());
        assert!(!source("crates/model/src/tests.rs", "").is_under_tests());
    }

    #[test]
    fn the_workspace_is_found_and_a_folder_without_code_refused() {
        let root = workspace_root().unwrap();
        let here = "xtask/src/tidy/source.rs";
        assert!(read_all(&root).unwrap().iter().any(|source| source.path == here));
        assert!(read_all(&root.join("xtask/src/tidy")).is_err());
    }
}
