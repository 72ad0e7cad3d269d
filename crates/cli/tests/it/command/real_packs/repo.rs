//! The pack `repo`: the health of a repository.

use std::fs;
use std::path::PathBuf;

use serde_json::json;

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

/// The checks of a repository's health report, where the tool that they need is installed.
fn checks(candor: &Candor, tool: &str) -> Option<(String, String)> {
    std::process::Command::new(tool).arg("version").output().ok()?;
    let (said, events) = candor.events(&["run", "Check the health of this repository"]);
    said.ended_with(0);
    Some((texts(output(&events, "checks_run")).join("\n"), report(candor, &events)))
}

#[test]
fn the_tests_of_a_package_for_node_are_run_and_counted() {
    let candor = Candor::new();
    let package = json!({ "name": "lamp", "license": "MIT",
        "scripts": { "test": "node --test", "lint": "surely-not-installed ." } });
    candor.write("package.json", package.to_string());
    candor.write("lamp.js", "exports.dim = (level, by) => Math.max(0, level - by);\n");
    let test = |name: &str, wanted: i32| {
        format!("test('{name}', () => assert.strictEqual(dim(10, 3), {wanted}));\n")
    };
    let head = "const test = require('node:test'); const assert = require('node:assert'); const { dim } = require('./lamp.js');\n";
    candor.write("lamp.test.js", format!("{head}{}{}{}", test("a", 7), test("b", 7), test("c", 8)));
    let Some((run, text)) = checks(&candor, "npm") else { return };
    assert!(run.contains("npm run test: failed, 2 passed, 1 failed"), "{run}");
    assert!(run.contains("npm run lint: not run, a program that it needs is not installed"), "{run}");
    assert!(text.contains("npm run test fails: 1 / 3") && text.contains("MIT (package.json)"), "{text}");
}

#[test]
fn the_tests_of_a_go_module_are_run_and_counted() {
    let candor = Candor::new();
    candor.write("go.mod", "module example.org/tide\n\ngo 1.18\n");
    candor.write("tide.go", "package tide\n\n// Height is the height at an hour.\nfunc Height(hour int) int { return hour % 12 }\n");
    let test = |name: &str, wanted: i32| {
        format!(
            "func Test{name}(t *testing.T) {{\n\tif Height(13) != {wanted} {{\n\t\tt.Fatal(\"no\")\n\t}}\n}}\n"
        )
    };
    let tests = format!("package tide\n\nimport \"testing\"\n\n{}{}", test("A", 1), test("B", 2));
    candor.write("tide_test.go", tests);
    let Some((run, _)) = checks(&candor, "go") else { return };
    assert!(run.contains("go test: failed, 1 passed, 1 failed") && run.contains("go vet: passed"), "{run}");
}
