//! `cargo xtask tidy`: the project's rules, as far as no compiler and no lint knows them.
//!
//! Each rule is a function from what it looks at to the problems it sees. None of them stops at the first
//! problem: a person would rather read ten lines once than one line ten times.

mod docs;
mod layers;
mod paths;
mod problem;
mod purity;
mod sentences;
mod size;
mod source;
mod test_code;
mod unfinished;
mod words;

use std::path::Path;

use anyhow::{Result, bail};

use crate::metadata::Metadata;
use crate::tree;

pub use problem::Problem;
use source::Source;

/// Prints every problem of the workspace.
///
/// # Errors
///
/// When there is any problem, or the workspace cannot be read.
pub fn run(root: &Path) -> Result<()> {
    let problems = check(root)?;
    for problem in &problems {
        eprintln!("{problem}");
    }
    if !problems.is_empty() {
        bail!("tidy found {} problem(s), listed above", problems.len());
    }
    eprintln!("tidy: no problems found");
    Ok(())
}

/// Returns every problem of the workspace, sorted by place.
///
/// # Errors
///
/// When the workspace cannot be read: a missing `Cargo.lock`, an unreadable file.
pub fn check(root: &Path) -> Result<Vec<Problem>> {
    let metadata = Metadata::load(root)?;
    let mut problems = layers::check(&metadata);
    for package in layers::pure_packages() {
        if metadata.members().any(|member| member.name == package) {
            problems.extend(layers::check_purity(package, &tree::of_package(root, package)?));
        }
    }
    problems.extend(check_sources(&source::read_all(root)?));
    problems.extend(words::check_documents(root)?);
    problems.extend(crate::docs::check(root)?);
    problems.sort();
    Ok(problems)
}

fn check_sources(sources: &[Source]) -> Vec<Problem> {
    let test_only = test_code::test_only_files(sources);
    let mut problems = Vec::new();
    for source in sources {
        problems.extend(docs::check(source));
        problems.extend(words::check(source));
        let code = match source.parse(&test_only) {
            Ok(code) => code,
            Err(problem) => {
                problems.push(problem);
                continue;
            }
        };
        problems.extend(size::check(source, &code));
        problems.extend(purity::check(source, &code));
        problems.extend(unfinished::check(source, &code));
        problems.extend(sentences::check(source, &code));
    }
    problems
}
