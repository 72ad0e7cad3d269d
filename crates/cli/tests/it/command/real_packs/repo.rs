//! The pack `repo`: the health of a repository.

use std::fs;
use std::path::PathBuf;

use super::{copied, output, report};
use crate::support::{Candor, texts};

/// The source of a crate that was fetched for our own build.
fn crate_source(name: &str) -> Option<PathBuf> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")))?;
    let registries = fs::read_dir(home.join("registry/src")).ok()?.flatten();
    let crates = registries.filter_map(|registry| fs::read_dir(registry.path()).ok()).flatten().flatten();
    crates
        .map(|found| found.path())
        .find(|path| path.file_name().is_some_and(|it| it.to_string_lossy().starts_with(name)))
}

#[test]
fn a_real_crates_source_gets_a_health_report() {
    // Vendored builds have no registry; there is nothing to look at then.
    let Some(source) = crate_source("strsim-0") else { return };
    let candor = Candor::new();
    copied(&source, candor.folder());
    let (said, events) = candor.events(&["run", "Check the health of this repository"]);
    said.ended_with(0);
    assert_eq!(events.report()["verdict"], "verified", "{:?}", events.report());
    let text = report(&candor, &events);
    assert!(text.contains("Licence: MIT (LICENSE)") && text.contains("| Rust |"), "{text}");
    assert!(text.contains("not a git repository"), "{text}");
    let run = texts(output(&events, "checks_run")).join("\n");
    assert!(run.contains("cargo test: passed") || run.contains("cargo test: not run"), "{run}");
    assert!(!candor.path("target").exists(), "the folder stays as it is");
}

#[test]
fn secrets_in_a_repository_are_told_by_place_and_never_by_value() {
    let candor = Candor::new();
    // Put together here, so that nobody takes this file for a leak.
    let (token, password) = (format!("ghp_{}", "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bD1fG3hJ5"), "Tr0ub4dor&3x!");
    candor.write("settings.py", format!("import os\nGITHUB = \"{token}\"\nDB_PASSWORD = \"{password}\"\n"));
    candor.write("README.md", "# A thing\n");
    candor.write("broken.py", "def f(:\n    pass\n");
    let (said, events) = candor.events(&["run", "Revisa la salud de este repositorio"]);
    said.ended_with(0);
    let text = report(&candor, &events);
    assert!(
        text.contains("settings.py:2 (GitHub token)") && text.contains("settings.py:3 (assigned secret)"),
        "{text}"
    );
    let (secrets, licence) = (text.find("settings.py:2").unwrap(), text.find("No hay licencia").unwrap());
    assert!(secrets < licence, "by weight: {text}");
    assert!(text.contains("python syntax") && text.contains("fallido"), "{text}");
    assert!(!text.contains(&token) && !text.contains(password), "{text}");
    for file in fs::read_dir(candor.path("candor-output"))
        .unwrap()
        .flatten()
        .flat_map(|run| fs::read_dir(run.path()).unwrap().flatten())
    {
        let kept = fs::read_to_string(file.path()).unwrap();
        assert!(!kept.contains(&token) && !kept.contains(password), "{}", file.path().display());
    }
}
