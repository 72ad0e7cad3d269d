//! How well confidence tells right plans from wrong ones: `quality_confidence DATA_DIR [CANDOR]`.
//!
//! The real command plans public tasks with labelled steps and public queries with labelled tools, with the tools as
//! its agents. Shown is Pearson's r between the confidence of a plan and the F1 measure of its steps, and between the
//! confidence and whether the right tool was chosen; for the rows that the weights of `planning/src/confidence` were
//! fitted on, and for all others.

#![allow(clippy::indexing_slicing, reason = "indexing JSON gives null for what is not there")]

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use serde_json::{Value, json};

/// Every second task was looked at when the weights were chosen.
const fn fitted_task(at: usize) -> bool {
    at.is_multiple_of(2)
}

/// Two of five queries were.
const fn fitted_query(at: usize) -> bool {
    matches!(at % 5, 0 | 2)
}

/// The similarity from which two steps are taken for the same, as in `quality_decomposition`.
const THRESHOLD: f64 = 0.4;

/// A confidence, how right the plan is, and whether the weights were fitted on it.
type Point = (f64, f64, bool);

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Some(folder) = arguments.next() else {
        let _ = writeln!(io::stderr(), "usage: quality_confidence DATA_DIR [CANDOR]");
        return ExitCode::from(2);
    };
    let binary = arguments.next().map_or_else(candor, PathBuf::from);
    match measure(Path::new(&folder), &binary) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            let _ = writeln!(io::stderr(), "quality_confidence: {problem}");
            ExitCode::from(2)
        }
    }
}

fn measure(folder: &Path, binary: &Path) -> Result<(), String> {
    let tools = rows(&folder.join("routing_tools.jsonl"))?;
    let home = tempfile::tempdir().map_err(|error| error.to_string())?;
    std::fs::write(home.path().join("candor.toml"), config(&tools)).map_err(|error| error.to_string())?;
    let mut steps = Vec::new();
    for (at, row) in rows(&folder.join("decomposition.jsonl"))?.iter().enumerate() {
        let plan = planned(binary, home.path(), row["task"].as_str().unwrap_or_default())?;
        steps.extend(confidence(&plan).map(|sure| (sure, f1(&plan, row), fitted_task(at))));
    }
    let mut agents = Vec::new();
    for (at, row) in rows(&folder.join("routing_queries.jsonl"))?.iter().enumerate() {
        let plan = planned(binary, home.path(), row["query"].as_str().unwrap_or_default())?;
        let right = f64::from(u8::from(plan["plan"]["subtasks"][0]["agent_type"] == row["tool"]));
        agents.extend(confidence(&plan).map(|sure| (sure, right, fitted_query(at))));
    }
    let mut out = io::stdout().lock();
    for (name, points) in [("steps right", steps), ("agent right", agents)] {
        for (title, fitted) in [("fitted on", true), ("held out", false)] {
            let points: Vec<&Point> = points.iter().filter(|point| point.2 == fitted).collect();
            let mean = |of: fn(&Point) -> f64| {
                points.iter().map(|point| of(point)).sum::<f64>() / points.len() as f64
            };
            let (sure, right) = (mean(|point| point.0), mean(|point| point.1));
            let told = format!("{} rows, confidence {sure:.2} on average, right {right:.2}", points.len());
            let _ = writeln!(out, "confidence against {name}, {title}: r = {:.2} ({told})", r(&points));
        }
    }
    Ok(())
}

fn config(tools: &[Value]) -> String {
    let agent = |tool: &Value| {
        let (name, does) = (&tool["agent_type"], &tool["specialization"]);
        format!(
            "[[agents]]\nagent_type = {name}\nspecialization = {does}\ncapabilities = [\"do\"]\nbuiltin = \"noop\"\n"
        )
    };
    tools.iter().map(agent).collect()
}

/// The plan for a request; nothing but `null` if there is none.
fn planned(binary: &Path, home: &Path, request: &str) -> Result<Value, String> {
    let output = Command::new(binary)
        .args(["--data", "data", "plan", "--json", "--", request])
        .current_dir(home)
        .output()
        .map_err(|error| format!("{}: {error}", binary.display()))?;
    Ok(serde_json::from_slice(&output.stdout).unwrap_or(json!(null)))
}

fn confidence(plan: &Value) -> Option<f64> {
    plan["plan"]["confidence_score"].as_f64()
}

/// How many steps are labelled ones, and how many labelled ones are steps.
fn f1(plan: &Value, row: &Value) -> f64 {
    let texts = |list: &Value, key: &str| -> Vec<BTreeSet<String>> {
        let entries = list.as_array().map(Vec::as_slice).unwrap_or_default();
        entries.iter().map(|entry| words(entry[key].as_str().unwrap_or_default())).collect()
    };
    let (found, labelled) = (texts(&plan["plan"]["subtasks"], "description"), texts(&row["nodes"], "text"));
    let mut pairs: Vec<(f64, usize, usize)> = Vec::new();
    for (at, one) in found.iter().enumerate() {
        pairs.extend(labelled.iter().enumerate().map(|(other, words)| (similarity(one, words), at, other)));
    }
    pairs.retain(|pair| pair.0 >= THRESHOLD);
    pairs.sort_by(|a, b| b.0.total_cmp(&a.0));
    let (mut ones, mut others) = (BTreeSet::new(), BTreeSet::new());
    for (_, one, other) in pairs {
        if !ones.contains(&one) && !others.contains(&other) {
            ones.insert(one);
            others.insert(other);
        }
    }
    2.0 * ones.len() as f64 / (found.len() + labelled.len()).max(1) as f64
}

fn similarity(found: &BTreeSet<String>, labelled: &BTreeSet<String>) -> f64 {
    let common = found.intersection(labelled).count() as f64;
    let weight = found.len() as f64 + 4.0 * labelled.len() as f64;
    if weight > 0.0 { 5.0 * common / weight } else { 0.0 }
}

fn words(text: &str) -> BTreeSet<String> {
    let words = text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| word.len() > 2);
    words.map(|word| word.to_lowercase().chars().take(6).collect()).collect()
}

fn r(points: &[&Point]) -> f64 {
    let count = points.len().max(1) as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |(x, y), point| (x + point.0 / count, y + point.1 / count));
    let (mut xy, mut xx, mut yy) = (0.0, 0.0, 0.0);
    for (sure, right, _) in points {
        (xy, xx, yy) = (xy + (sure - x) * (right - y), xx + (sure - x).powi(2), yy + (right - y).powi(2));
    }
    xy / (xx * yy).sqrt()
}

fn rows(path: &Path) -> Result<Vec<Value>, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let read = |line| serde_json::from_str(line).map_err(|error| format!("{}: {error}", path.display()));
    text.lines().map(read).collect()
}

/// The command lies beside the folder of examples.
fn candor() -> PathBuf {
    let here = std::env::current_exe().unwrap_or_default();
    here.ancestors().nth(2).unwrap_or(Path::new(".")).join("candor")
}
