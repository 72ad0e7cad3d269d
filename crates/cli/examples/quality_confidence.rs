//! How well confidence tells right plans from wrong ones: `quality_confidence DATA_DIR [CANDOR]`.
//!
//! The real command plans public tasks with labelled steps, with one agent for everything and with 199 tools of which few
//! fit, and public queries with labelled tools, with the tools as its agents. Shown are Pearson's r between the confidence of a plan and the F1 measure of its steps, and between the
//! confidence and whether the right tool was chosen, with the calibration error: how far the confidence is from what
//! was right, on average over ten bands of confidence. The weights of `planning/src/confidence` were fitted on one half
//! of the rows, by a hash of their text; the other half is held out.

#![allow(clippy::indexing_slicing, reason = "indexing JSON gives null for what is not there")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use serde_json::{Value, json};

/// Whether the weights were fitted on a row: a hash (FNV-1a) of its text is even.
fn is_fitted(text: &str) -> bool {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    // The lowest bit is only that of the bytes.
    (hash >> 32).is_multiple_of(2)
}

/// The similarity from which two steps are taken for the same, as in `quality_decomposition`.
const THRESHOLD: f64 = 0.4;

/// The bands of confidence in which it is compared with what was right.
const BANDS: usize = 10;

/// A plan: how sure it is, how right, and where its request comes from.
struct Point {
    sure: f64,
    right: f64,
    fitted: bool,
    source: String,
}

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
    let worker = json!({ "agent_type": "worker", "specialization": "Does any task" });
    let tasks = rows(&folder.join("decomposition.jsonl"))?;
    let queries = rows(&folder.join("routing_queries.jsonl"))?;
    let is_tool =
        |plan: &Value, row: &Value| f64::from(u8::from(plan["subtasks"][0]["agent_type"] == row["tool"]));
    let measured = [
        ("steps right, one agent", points(binary, &[worker], &tasks, "task", f1)?),
        ("steps right, tools that hardly fit", points(binary, &tools, &tasks, "task", f1)?),
        ("agent right", points(binary, &tools, &queries, "query", is_tool)?),
    ];
    let mut out = io::stdout().lock();
    for (name, points) in measured {
        for (title, fitted) in [("fitted on", true), ("held out", false)] {
            let half: Vec<&Point> = points.iter().filter(|point| point.fitted == fitted).collect();
            let _ = writeln!(out, "confidence against {name}, {title}: {}", line(&half));
        }
        if let Some(short) = name.strip_prefix("steps right, ").and_then(|it| it.split(' ').next()) {
            let held_out: Vec<&Point> = points.iter().filter(|point| !point.fitted).collect();
            let _ = writeln!(out, "figure confidence_{short}_r {:.2}", r(&held_out));
            let _ = writeln!(out, "figure confidence_{short}_error {:.2}", calibration_error(&held_out));
        }
        let mut sources = BTreeMap::<&str, Vec<&Point>>::new();
        for point in points.iter().filter(|point| !point.fitted) {
            sources.entry(&point.source).or_default().push(point);
        }
        for (source, points) in sources.iter().filter(|_| sources.len() > 1) {
            let _ = writeln!(out, "  held out, {source}: {}", line(points));
        }
        let held_out: Vec<&Point> = points.iter().filter(|point| !point.fitted).collect();
        for (band, points) in (0..).zip(bands(&held_out)).filter(|(_, points)| !points.is_empty()) {
            let from = f64::from(band) / BANDS as f64;
            let (sure, right) = (mean(&points, |point| point.sure), mean(&points, |point| point.right));
            let _ = writeln!(
                out,
                "  held out, from {from:.1}: {:3} rows, confidence {sure:.2}, right {right:.2}",
                points.len()
            );
        }
    }
    Ok(())
}

fn line(points: &[&Point]) -> String {
    let (sure, right) = (mean(points, |point| point.sure), mean(points, |point| point.right));
    format!(
        "r = {:.2}, calibration error {:.2} ({} rows, confidence {sure:.2} on average, right {right:.2})",
        r(points),
        calibration_error(points),
        points.len()
    )
}

fn mean(points: &[&Point], of: fn(&Point) -> f64) -> f64 {
    points.iter().map(|point| of(point)).sum::<f64>() / points.len().max(1) as f64
}

fn bands<'p>(points: &[&'p Point]) -> Vec<Vec<&'p Point>> {
    let mut bands: Vec<Vec<&Point>> = (0..BANDS).map(|_| Vec::new()).collect();
    for point in points {
        let band = ((point.sure * BANDS as f64) as usize).min(BANDS - 1);
        bands[band].push(point);
    }
    bands
}

/// The expected calibration error (ECE).
fn calibration_error(points: &[&Point]) -> f64 {
    let gap = |band: &Vec<&Point>| {
        band.len() as f64 * (mean(band, |point| point.sure) - mean(band, |point| point.right)).abs()
    };
    bands(points).iter().map(gap).sum::<f64>() / points.len().max(1) as f64
}

/// Has all rows planned in one batch, and compares each plan with its labels.
fn points(
    binary: &Path,
    agents: &[Value],
    rows: &[Value],
    key: &str,
    right: impl Fn(&Value, &Value) -> f64,
) -> Result<Vec<Point>, String> {
    let mut lines = String::new();
    for (at, row) in rows.iter().enumerate() {
        lines.push_str(&format!("{}\n", json!({ "id": at, "text": row[key] })));
    }
    let home = tempfile::tempdir().map_err(|error| error.to_string())?;
    let file = home.path().join("requests.jsonl");
    std::fs::write(&file, lines).map_err(|error| error.to_string())?;
    std::fs::write(home.path().join("candor.toml"), config(agents)).map_err(|error| error.to_string())?;
    let output = Command::new(binary)
        .args(["--data", "data", "plan", "--stdin", "--json"])
        .current_dir(home.path())
        .stdin(File::open(&file).map_err(|error| error.to_string())?)
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("{}: {error}", binary.display()))?;
    let mut points = Vec::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let answer: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
        let row = answer["id"].as_u64().and_then(|at| rows.get(usize::try_from(at).ok()?));
        let (Some(row), Some(sure)) = (row, answer["plan"]["confidence"].as_f64()) else { continue };
        points.push(Point {
            sure,
            right: right(&answer["plan"], row),
            fitted: is_fitted(row[key].as_str().unwrap_or_default()),
            source: row["source"].as_str().unwrap_or_default().to_owned(),
        });
    }
    Ok(points)
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

/// How many steps are labelled ones, and how many labelled ones are steps.
fn f1(plan: &Value, row: &Value) -> f64 {
    let texts = |list: &Value, key: &str| -> Vec<BTreeSet<String>> {
        let entries = list.as_array().map(Vec::as_slice).unwrap_or_default();
        entries.iter().map(|entry| words(entry[key].as_str().unwrap_or_default())).collect()
    };
    let (found, labelled) = (texts(&plan["subtasks"], "description"), texts(&row["nodes"], "text"));
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

/// Pearson's r.
fn r(points: &[&Point]) -> f64 {
    let count = points.len().max(1) as f64;
    let (x, y) =
        points.iter().fold((0.0, 0.0), |(x, y), point| (x + point.sure / count, y + point.right / count));
    let (mut xy, mut xx, mut yy) = (0.0, 0.0, 0.0);
    for Point { sure, right, .. } in points {
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
