//! `cargo xtask docs`: the generated pages, whether the documents hang together, and the book if mdbook is there.
//!
//! The pages are made by tests of the command, which know its arguments; without `UPDATE_DOCS` those tests compare them.
//! Links lead to files and headings that exist, those of the book's pages stay in the book, and its summary lists every
//! page once. `cargo xtask tidy` checks the same without building; `cargo xtask verify` fetches mdbook and builds.

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::cargo;
use crate::tidy::Problem;

/// Documents outside the book.
const OUTSIDE: [&str; 6] =
    ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "packaging/README.md"];
const BOOK: &str = "docs";
const SUMMARY: &str = "docs/SUMMARY.md";
/// How to get mdbook.
const GET_MDBOOK: &str = "`cargo install mdbook --locked --version 0.4.52`, or name the program in MDBOOK";

/// Writes the generated pages, checks the documents, and builds the book where mdbook is installed.
///
/// # Errors
///
/// When a page cannot be made, a link leads nowhere, a page is not in the summary, or mdbook fails.
pub fn run(root: &Path) -> Result<()> {
    let arguments = ["test", "--quiet", "--locked", "-p", "candor", "--lib", "documents"];
    cargo::run_with(root, &arguments, &[("UPDATE_DOCS", "1".into())])?;
    let problems = check(root)?;
    problems.iter().for_each(|problem| eprintln!("{problem}"));
    if !problems.is_empty() {
        bail!("docs found {} problem(s), listed above", problems.len());
    }
    let named = env::var_os("MDBOOK");
    let program = named.clone().unwrap_or_else(|| "mdbook".into());
    // Whoever names a program wants the book.
    if named.is_some() || cargo::has(Command::new(&program), &["--version"]) {
        return build_book(root, &program);
    }
    eprintln!("docs: links are fine; the book was not built, because mdbook is not installed: {GET_MDBOOK}");
    Ok(())
}

/// Builds the book. What mdbook warns of is an error.
///
/// # Errors
///
/// When mdbook cannot be started, fails, or warns.
pub fn build_book(root: &Path, mdbook: &OsStr) -> Result<()> {
    let built = Command::new(mdbook).arg("build").arg(root.join(BOOK)).output();
    let built = built.with_context(|| format!("{} could not be started", mdbook.to_string_lossy()))?;
    let said = String::from_utf8_lossy(&built.stderr);
    if warns(&said) || !built.status.success() {
        bail!("mdbook ended with {}:\n{said}", built.status);
    }
    eprintln!("docs: the book is in target/book");
    Ok(())
}

/// Whether mdbook warned of something: 0.4 marks the level as `[WARN]`, 0.5 begins the line with it. Both end with 0 all the
/// same.
fn warns(said: &str) -> bool {
    let mut levels = said.lines().flat_map(|line| line.split_whitespace().take(3));
    levels.any(|word| matches!(word, "WARN" | "ERROR" | "[WARN]" | "[ERROR]"))
}

/// Every link that leads nowhere, and every page that the summary does not list once.
///
/// # Errors
///
/// When a document cannot be read.
pub fn check(root: &Path) -> Result<Vec<Problem>> {
    let mut pages = Vec::new();
    collect(root, Path::new(BOOK), &mut pages)?;
    let mut problems = Vec::new();
    let outside = OUTSIDE.iter().map(PathBuf::from).filter(|path| root.join(path).exists());
    for page in pages.iter().cloned().chain(outside) {
        let text = expanded(root, &page, read(root, &page)?)?;
        for (line, target) in links(&text) {
            let what = dead(root, &page, &text, &target).or_else(|| leads_out(&page, &target));
            problems.extend(what.map(|what| Problem::at(&page.to_string_lossy(), line, what)));
        }
    }
    let summary = Path::new(SUMMARY);
    if root.join(summary).exists() {
        let text = read(root, summary)?;
        let listed: Vec<PathBuf> =
            links(&text).into_iter().map(|(_, target)| joined(summary, &target)).collect();
        for page in pages.iter().filter(|page| *page != summary) {
            let times = listed.iter().filter(|listed| *listed == page).count();
            if times != 1 {
                let what = format!("the summary lists {} {times} times", page.display());
                problems.push(Problem::at(SUMMARY, 1, what));
            }
        }
    }
    Ok(problems)
}

fn read(root: &Path, path: &Path) -> Result<String> {
    fs::read_to_string(root.join(path)).with_context(|| format!("could not read {}", path.display()))
}

/// A page as mdbook makes it: with the files that it includes.
fn expanded(root: &Path, page: &Path, mut text: String) -> Result<String> {
    while let Some((before, rest)) = text.split_once("{{#include ") {
        let Some((file, after)) = rest.split_once("}}") else { break };
        text = format!("{before}{}{after}", read(root, &joined(page, file.trim()))?);
    }
    Ok(text)
}

/// Why a link of a page of the book would be dead in the built book: it has the pages and what lies beside them only.
fn leads_out(page: &Path, target: &str) -> Option<String> {
    let is_file = !target.contains("://") && !target.starts_with("mailto:");
    let leaves = is_file
        && page.starts_with(BOOK)
        && !joined(page, target).starts_with(BOOK)
        && !target.starts_with('#');
    leaves.then(|| format!("the link to {target} leads out of the book, where the built book has nothing"))
}

fn collect(root: &Path, folder: &Path, found: &mut Vec<PathBuf>) -> Result<()> {
    let mut entries: Vec<PathBuf> = fs::read_dir(root.join(folder))?
        .map(|entry| Ok(folder.join(entry?.file_name())))
        .collect::<Result<_>>()?;
    entries.sort();
    for path in entries {
        if root.join(&path).is_dir() {
            collect(root, &path, found)?;
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
    Ok(())
}

/// The targets of links and pictures outside blocks of code, with their lines.
fn links(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut in_code = false;
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        }
        if in_code {
            continue;
        }
        for piece in line.split("](").skip(1) {
            found.extend(piece.split_once(')').map(|(target, _)| (number, target.to_owned())));
        }
        for attribute in ["src=\"", "srcset=\""] {
            for piece in line.split(attribute).skip(1) {
                found.extend(piece.split_once('"').map(|(target, _)| (number, target.to_owned())));
            }
        }
    }
    found
}

/// Why a link leads nowhere, if it does.
fn dead(root: &Path, page: &Path, text: &str, target: &str) -> Option<String> {
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (path, heading) = target.split_once('#').unwrap_or((target, ""));
    let place = if path.is_empty() { page.to_owned() } else { joined(page, path) };
    if !root.join(&place).exists() {
        return Some(format!("the link to {target} leads nowhere"));
    }
    let other =
        if path.is_empty() { Some(text.to_owned()) } else { fs::read_to_string(root.join(&place)).ok() };
    let known = other.as_deref().map(headings).unwrap_or_default();
    (!heading.is_empty() && !known.contains(heading))
        .then(|| format!("there is no heading for the link to {target}"))
}

/// A path as it is seen from a page, without `..`.
fn joined(page: &Path, target: &str) -> PathBuf {
    let target = target.split('#').next().unwrap_or_default();
    let mut path = page.parent().unwrap_or(Path::new("")).to_owned();
    for part in Path::new(target).components() {
        match part {
            Component::ParentDir => _ = path.pop(),
            Component::Normal(name) => path.push(name),
            _ => {}
        }
    }
    path
}

/// The headings of a page as links name them.
fn headings(text: &str) -> BTreeSet<String> {
    let titles = text.lines().filter_map(|line| Some(line.strip_prefix('#')?.trim_start_matches('#').trim()));
    let slug = |title: &str| {
        let kept =
            title.chars().filter(|letter| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_'));
        kept.collect::<String>().to_lowercase().replace(' ', "-")
    };
    titles.map(slug).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_read_outside_code_and_headings_become_anchors() {
        let text = "# A title, with marks\nsee [b](b.md#x) and ![p](p.svg)\n```\n[c](c.md)\n```\n<img src=\"q.svg\">\n";
        assert_eq!(links(text), [(2, "b.md#x".to_owned()), (2, "p.svg".to_owned()), (6, "q.svg".to_owned())]);
        assert!(headings(text).contains("a-title-with-marks"));
        assert_eq!(joined(Path::new("docs/decisions/a.md"), "../b.md#x"), Path::new("docs/b.md"));
    }

    #[test]
    fn warnings_of_both_kinds_of_mdbook_are_seen() {
        assert!(warns("2026-11-19 03:00:00 [WARN] (mdbook::book): no such file\n"));
        assert!(warns(" INFO Book building has started\n WARN unclosed HTML tag `<div>` found in `a.md`\n"));
        assert!(warns("ERROR Error updating \"{{#include x}}\"\n"));
        assert!(!warns(" INFO Book building has started\n INFO HTML book written to `/tmp/WARN`\n"));
    }

    #[test]
    fn a_link_that_leads_nowhere_is_a_problem() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let page = Path::new("docs/plans.md");
        assert!(dead(&root, page, "", "no-such-page.md").is_some());
        assert!(dead(&root, page, "# Here\n", "#here").is_none());
        assert!(dead(&root, page, "# Here\n", "#there").is_some());
        assert!(dead(&root, page, "", "https://example.org/x").is_none());
        assert!(leads_out(page, "../candor.example.toml").is_some());
        assert!(leads_out(page, "agents.md#tools").or_else(|| leads_out(page, "#here")).is_none());
        assert!(leads_out(Path::new("README.md"), "docs/plans.md").is_none());
        let page = expanded(&root, Path::new("docs/security.md"), "{{#include ../SECURITY.md}}\n".to_owned())
            .unwrap();
        assert!(page.starts_with("# ") && !page.contains("{{"), "{page}");
    }
}
