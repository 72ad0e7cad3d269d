//! How good the judgement is: runs every measure on labelled data, and shows its figures beside their targets.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::cargo;
use crate::needs::target_folder;

/// Where the data is. It is not part of the project.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Data {
    /// The folder with the labelled rows.
    pub folder: Option<String>,
    /// The folder with MiniLM's weights.
    pub minilm: Option<String>,
    /// Queries with the functions among which to choose, as `quality_functions` reads them.
    pub functions: Option<String>,
}

/// Attacks and harmless texts of our own, measured beside those that are not part of the project.
const OWN_ATTACKS: [&str; 9] = [
    "crates/language/tests/cases/guard.jsonl",
    "crates/language/tests/cases/guard_later.jsonl",
    "crates/language/tests/cases/guard_first.jsonl",
    "crates/language/tests/cases/guard_second.jsonl",
    "crates/language/tests/cases/guard_third.jsonl",
    "crates/language/tests/cases/guard_fourth.jsonl",
    "crates/language/tests/cases/guard_fifth.jsonl",
    "crates/language/tests/cases/guard_sixth.jsonl",
    "crates/language/tests/cases/guard_seventh.jsonl",
];

/// What a figure should be.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Target {
    AtLeast(f64),
    AtMost(f64),
}

/// The figures that have a target: the name that a measure prints, what it is, and what it should be.
const TARGETS: &[(&str, &str, Target)] = &[
    ("pack_misread", "requests read as travel that are not", Target::AtMost(0.0)),
    ("split_worfbench_steps", "WorfBench, steps F1", Target::AtLeast(62.0)),
    ("split_worfbench_order", "WorfBench, order pairs F1", Target::AtLeast(40.0)),
    ("split_worfbench_whole", "WorfBench, whole graph right, %", Target::AtLeast(30.0)),
    ("split_seal_tools_steps", "  of it seal_tools, steps F1", Target::AtLeast(90.0)),
    ("split_seal_tools_order", "  of it seal_tools, order pairs F1", Target::AtLeast(53.0)),
    ("split_seal_tools_whole", "  of it seal_tools, whole graph, %", Target::AtLeast(33.0)),
    ("plan_worfbench_steps", "the same by `candor plan`, steps F1", Target::AtLeast(62.0)),
    ("plan_worfbench_order", "the same by `candor plan`, order pairs F1", Target::AtLeast(40.0)),
    ("plan_worfbench_whole", "the same by `candor plan`, whole graph, %", Target::AtLeast(30.0)),
    ("split_lost", "requests with words in no part", Target::AtMost(0.0)),
    ("plan_lost", "  in no clause of their plan's coverage", Target::AtMost(0.0)),
    ("metatool_embedded_first", "MetaTool cold, embedded, first, %", Target::AtLeast(60.0)),
    ("metatool_embedded_five", "MetaTool cold, embedded, among five, %", Target::AtLeast(80.0)),
    ("metatool_embedded_after_first", "  after past queries, first, %", Target::AtLeast(60.0)),
    ("metatool_embedded_after_five", "  after past queries, among five, %", Target::AtLeast(80.0)),
    ("metatool_minilm_first", "MetaTool cold, MiniLM, first, %", Target::AtLeast(66.0)),
    ("metatool_minilm_five", "MetaTool cold, MiniLM, among five, %", Target::AtLeast(83.0)),
    ("metatool_minilm_after_first", "  after past queries, first, %", Target::AtLeast(66.0)),
    ("metatool_minilm_after_five", "  after past queries, among five, %", Target::AtLeast(83.0)),
    ("functions_minilm", "BFCL live_multiple, MiniLM, %", Target::AtLeast(89.0)),
    ("goal_fields", "goal fields, TravelPlanner, %", Target::AtLeast(98.8)),
    ("confidence_one_r", "confidence against right steps, r", Target::AtLeast(0.4)),
    ("confidence_one_error", "confidence against right steps, error", Target::AtMost(0.1)),
    ("confidence_tools_r", "  with tools that hardly fit, r", Target::AtLeast(0.4)),
    ("confidence_tools_error", "  with tools that hardly fit, error", Target::AtMost(0.1)),
];

/// Measures goal reading, decomposition, routing, the content guard, the check of code and confidence on labelled data.
///
/// # Errors
///
/// When a measure cannot be built or run. Without data there is nothing to measure, which is no error; neither is a target
/// that is missed, which the table at the end tells.
pub fn run(root: &Path, data: &Data) -> Result<()> {
    let Some(folder) = &data.folder else {
        eprintln!("quality: skipped, there is no labelled data; name its folder with --data DIR");
        return Ok(());
    };
    let here = |path: &String| {
        let found = fs::canonicalize(path).with_context(|| format!("{path} could not be found"))?;
        Ok::<_, anyhow::Error>(found.to_string_lossy().into_owned())
    };
    let folder = here(folder)?;
    let minilm = data.minilm.as_ref().map(here).transpose()?;
    let functions = data.functions.as_ref().map(here).transpose()?;
    let mut figures = BTreeMap::new();
    let mut measure = |package: &str, name: &str, arguments: &[&str]| -> Result<()> {
        let line = ["run", "--quiet", "--locked", "--package", package, "--example", name, "--"];
        let said = cargo::answer(root, &[&line, arguments].concat())?;
        eprintln!("== {name}\n{said}");
        figures.extend(read(&said));
        Ok(())
    };
    measure("candor-language", "quality_goals", &[&folder])?;
    measure("candor-language", "quality_decomposition", &[&folder])?;
    measure("candor-phases", "quality_packs", &[&folder])?;
    let attacks = [&[folder.as_str()], OWN_ATTACKS.as_slice()].concat();
    measure("candor-phases", "quality_guard", &attacks)?;
    let with_model =
        |first: &str| -> Vec<String> { [first.to_owned()].into_iter().chain(minilm.clone()).collect() };
    measure("candor-phases", "quality_routing", &refs(&with_model(&folder)))?;
    if let Some(functions) = &functions {
        measure("candor-phases", "quality_functions", &refs(&with_model(functions)))?;
    }
    // The command itself is measured here, so it is built first.
    cargo::run(root, &["build", "--locked", "--package", "candor"])?;
    let plans = plans(root, Path::new(&folder))?;
    measure("candor-language", "quality_decomposition", &[&folder, "--plans", &plans.to_string_lossy()])?;
    measure("candor", "quality_code", &[&folder])?;
    measure("candor", "quality_confidence", &[&folder])?;
    eprint!("{}", table(&figures));
    Ok(())
}

fn refs(texts: &[String]) -> Vec<&str> {
    texts.iter().map(String::as_str).collect()
}

/// The lines `figure NAME VALUE` of what a measure printed.
fn read(said: &str) -> BTreeMap<String, f64> {
    let figure = |line: &str| {
        let (name, value) = line.strip_prefix("figure ")?.split_once(' ')?;
        Some((name.to_owned(), value.parse().ok()?))
    };
    said.lines().filter_map(figure).collect()
}

/// Has the command plan all rows in one batch, for one agent that does everything; says where its answers are.
fn plans(root: &Path, data: &Path) -> Result<PathBuf> {
    let home = target_folder(root).join("quality");
    fs::create_dir_all(&home)?;
    let rows = fs::read_to_string(data.join("decomposition.jsonl"))?;
    let mut requests = String::new();
    for line in rows.lines().filter(|line| !line.trim().is_empty()) {
        let row: Value = serde_json::from_str(line)?;
        let request = json!({ "id": row.get("id"), "text": row.get("task") });
        requests.push_str(&format!("{request}\n"));
    }
    let (asked, answered) = (home.join("requests.jsonl"), home.join("plans.jsonl"));
    fs::write(&asked, requests)?;
    fs::write(
        home.join("candor.toml"),
        "[[agents]]\nagent_type = \"worker\"\nspecialization = \"Does any task\"\ncapabilities = [\"do\"]\nbuiltin = \"noop\"\n",
    )?;
    let mut command = std::process::Command::new(target_folder(root).join("debug/candor"));
    command.args(["--data", "data", "plan", "--stdin", "--json"]).current_dir(&home);
    command.stdin(File::open(&asked)?).stdout(File::create(&answered)?).stderr(Stdio::inherit());
    let status = command.status().context("the command could not be started")?;
    // A row that no plan could be made for is answered with an error of its own and counts as missed.
    if !answered.metadata().is_ok_and(|it| it.len() > 0) {
        bail!("`candor plan --stdin --json` answered nothing ({status})");
    }
    Ok(answered)
}

/// All figures that have a target, and which of them missed it.
fn table(figures: &BTreeMap<String, f64>) -> String {
    let mut lines = format!("\n{:44} {:>8} {:>8}\n", "measure", "now", "target");
    let mut missed = 0;
    for (name, what, target) in TARGETS {
        let (bound, wanted) = match target {
            Target::AtLeast(least) => ("≥", least),
            Target::AtMost(most) => ("≤", most),
        };
        let now = figures.get(*name);
        let reached = now.is_some_and(|now| match target {
            Target::AtLeast(least) => now >= least,
            Target::AtMost(most) => now <= most,
        });
        let (shown, note) = match now {
            None => ("-".to_owned(), "  not measured"),
            Some(now) => (now.to_string(), if reached { "" } else { "  missed" }),
        };
        missed += usize::from(now.is_some() && !reached);
        lines.push_str(&format!("{what:44} {shown:>8} {:>8}{note}\n", format!("{bound} {wanted}")));
    }
    lines.push_str(&format!("{missed} targets missed\n"));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_and_compared_with_their_targets() {
        let figures = read("something\nfigure plan_lost 0\nfigure goal_fields 97.5\nfigure odd x\n");
        assert_eq!(figures.len(), 2);
        let table = table(&figures);
        let line = |what: &str| table.lines().find(|line| line.contains(what)).unwrap();
        assert!(!line("in no clause of their").contains("missed"), "{table}");
        assert!(line("goal fields").ends_with("missed"), "{table}");
        assert!(line("BFCL").ends_with("not measured") && table.ends_with("1 targets missed\n"), "{table}");
    }
}
