//! How many right programs `candor code check` refuses, and how many defects it finds: `quality_code DATA_DIR`.
//!
//! The real command is fed all rows. It fails if one right program is refused, or fewer than 95 of 100 defects found.

#![allow(clippy::indexing_slicing, reason = "indexing JSON gives null for what is not there")]

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use serde::Deserialize;
use serde_json::{Value, json};

/// How many of 100 defects must be found.
const TARGET: f64 = 95.0;

#[derive(Deserialize)]
struct Row {
    id: String,
    code: String,
    #[serde(default)]
    kind: String,
    #[serde(default)]
    line: u32,
}

fn main() -> ExitCode {
    let Some(folder) = std::env::args().nth(1) else {
        let _ = writeln!(io::stderr(), "usage: quality_code DATA_DIR");
        return ExitCode::from(2);
    };
    match measure(Path::new(&folder)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(problem) => {
            let _ = writeln!(io::stderr(), "quality_code: {problem}");
            ExitCode::from(2)
        }
    }
}

fn measure(folder: &Path) -> Result<bool, String> {
    let mut out = io::stdout().lock();
    let right = rows(&folder.join("code_valid.jsonl"))?;
    let refused: Vec<_> =
        right.iter().zip(checked(&right)?).filter(|(_, answer)| answer["valid"] != json!(true)).collect();
    for (row, answer) in &refused {
        let _ = writeln!(out, "refused: {} {}", row.id, answer["errors"]);
    }
    let wrong = rows(&folder.join("code_defective.jsonl"))?;
    let mut by_kind: BTreeMap<&str, (u32, u32, u32)> = BTreeMap::new();
    for (row, answer) in wrong.iter().zip(checked(&wrong)?) {
        let errors = answer["errors"].as_array().cloned().unwrap_or_default();
        let (rows, found, placed) = by_kind.entry(&row.kind).or_default();
        *rows += 1;
        *found += u32::from(!errors.is_empty());
        *placed += u32::from(errors.iter().any(|error| error["line"] == json!(row.line)));
        if errors.is_empty() {
            let _ = writeln!(out, "missed: {} line {}", row.id, row.line);
        }
    }
    for (kind, (rows, found, placed)) in &by_kind {
        let _ = writeln!(
            out,
            "code {kind:<20} {found:>3} of {rows:>3} found, {placed:>3} on the line that was changed"
        );
    }
    let (rows, found) = by_kind.values().fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    let share = f64::from(found) * 100.0 / f64::from(rows.max(1));
    let _ = writeln!(
        out,
        "code: {} of {} right programs refused; {share:.1} % of defects found",
        refused.len(),
        right.len()
    );
    Ok(refused.is_empty() && share >= TARGET)
}

fn rows(path: &Path) -> Result<Vec<Row>, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let read = |line| serde_json::from_str(line).map_err(|error| format!("{}: {error}", path.display()));
    text.lines().map(read).collect()
}

/// What the command says of each row, in order.
fn checked(rows: &[Row]) -> Result<Vec<Value>, String> {
    let data = tempfile::tempdir().map_err(|error| error.to_string())?;
    let failed = |error: io::Error| format!("{}: {error}", candor().display());
    let mut child = Command::new(candor())
        .arg("--data")
        .arg(data.path())
        .args(["code", "check", "--stdin", "--json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    let lines: String =
        rows.iter().map(|row| json!({ "id": row.id, "code": row.code }).to_string() + "\n").collect();
    let stdin = child.stdin.take();
    let feeding = std::thread::spawn(move || stdin.map(|mut stdin| stdin.write_all(lines.as_bytes())));
    let output = child.wait_with_output().map_err(failed)?;
    let _ = feeding.join();
    let answers = String::from_utf8_lossy(&output.stdout);
    let answers: Vec<Value> = answers.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let all = answers.len() == rows.len();
    if all { Ok(answers) } else { Err(format!("{} rows, but {} answers", rows.len(), answers.len())) }
}

/// The command lies beside the folder of examples.
fn candor() -> PathBuf {
    let here = std::env::current_exe().unwrap_or_default();
    here.ancestors().nth(2).unwrap_or(Path::new(".")).join("candor")
}
