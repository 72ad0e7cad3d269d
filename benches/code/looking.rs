//! The validator on the standard library's own files, and pyflakes on the same.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use candor_pycheck::{AnyLibrary, Checker, Policy, Program, Syntax};

use super::cpu_seconds;

const SCRIPT: &str = include_str!("pyflakes_peer.py");
const PYFLAKES: &str = "pyflakes==4.1.0";
const ROUNDS: usize = 5;
/// How long the program is that the target speaks of.
const LINES: f64 = 50.0;
const TARGET_US: f64 = 60.0;
const TARGET_RATIO: f64 = 20.0;

pub(super) fn measure() {
    let Some(files) = standard_library() else {
        println!("looking: skipped, there is no python3 whose files could be looked at");
        return;
    };
    let texts: Vec<String> = files.iter().filter_map(|file| std::fs::read_to_string(file).ok()).collect();
    let lines: usize = texts.iter().map(|text| text.lines().count()).sum();
    println!("looking: {} files of the standard library, {lines} lines", texts.len());
    let ours = (0..ROUNDS).map(|_| look_at(&texts)).fold(f64::INFINITY, f64::min);
    let per_program = ours * 1e6 * LINES / lines as f64;
    let verdict = if per_program < TARGET_US { "met" } else { "MISSED" };
    println!("  {per_program:.1} µs of CPU for {LINES} lines of them (target {TARGET_US}: {verdict})");
    let program = fifty_lines();
    let one = (0..20 * ROUNDS).map(|_| look_at_often(&program)).fold(f64::INFINITY, f64::min) * 1e6;
    let verdict = if one < TARGET_US { "met" } else { "MISSED" };
    println!("  {one:.1} µs of CPU for a whole program of 50 lines (target {TARGET_US}: {verdict})");
    match pyflakes(&files) {
        Some(theirs) => {
            // Once more afterwards: a machine that others use too is not the same for long.
            let ours = (0..ROUNDS).map(|_| look_at(&texts)).fold(ours, f64::min);
            let ratio = theirs / ours;
            let verdict = if ratio >= TARGET_RATIO { "met" } else { "MISSED" };
            println!(
                "  pyflakes takes {ratio:.1} times as long on the same files (target {TARGET_RATIO}: {verdict})"
            );
        }
        None => println!("  pyflakes is left out: it cannot be installed here"),
    }
}

fn look_at(texts: &[String]) -> f64 {
    let checker = Checker::new(Policy::default(), &AnyLibrary, Syntax::Latest);
    let began = cpu_seconds();
    let found: usize = texts.iter().map(|text| checker.check(&Program::new(text)).errors.len()).sum();
    std::hint::black_box(found);
    cpu_seconds() - began
}

fn look_at_often(text: &str) -> f64 {
    const TIMES: u32 = 200;
    let checker = Checker::new(Policy::default(), &AnyLibrary, Syntax::Latest);
    let began = cpu_seconds();
    for _ in 0..TIMES {
        std::hint::black_box(checker.check(&Program::new(std::hint::black_box(text))));
    }
    (cpu_seconds() - began) / f64::from(TIMES)
}

/// What a model would write: functions, loops, comprehensions, an exception, results.
fn fifty_lines() -> String {
    let part = "def summary_{n}(rows):\n    total = 0\n    seen = {}\n    for row in rows:\n        name = row.get('name', '?')\n        try:\n            amount = float(row['amount'])\n        except (KeyError, ValueError) as error:\n            seen[name] = str(error)\n            continue\n        total += amount\n    return {'total': round(total, 2), 'bad': [key for key, value in seen.items() if value]}\n\n";
    let parts: String = (0..3).map(|n| part.replace("{n}", &n.to_string())).collect();
    let head = "import csv\nimport io\nimport re\n\n";
    let tail = "rows = list(csv.DictReader(io.StringIO(context['text'])))\nfirst, *rest = rows or [{}]\nfor n, work in enumerate((summary_0, summary_1, summary_2)):\n    context[f'summary_{n}'] = work(rest)\nif re.match(r'\\d+', str(first.get('amount', ''))):\n    context['first'] = first\n";
    format!("{head}{parts}{tail}")
}

/// The files of the standard library that are Python for everyone: not its tests, some of which are wrong on purpose.
fn standard_library() -> Option<Vec<PathBuf>> {
    let asked = Command::new("python3")
        .args(["-I", "-c", "import sysconfig; print(sysconfig.get_paths()['stdlib'])"])
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let folder = PathBuf::from(String::from_utf8(asked.stdout).ok()?.trim());
    let mut files = Vec::new();
    collect(&folder, &mut files);
    files.sort();
    (!files.is_empty()).then_some(files)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        let skipped = ["test", "tests", "idlelib", "lib2to3", "site-packages", "dist-packages"];
        if path.is_dir() && !skipped.iter().any(|one| name == *one) {
            collect(&path, files);
        } else if path.extension().is_some_and(|end| end == "py") {
            files.push(path);
        }
    }
}

/// The CPU time of pyflakes on the same files, without the start of Python.
fn pyflakes(files: &[PathBuf]) -> Option<f64> {
    let folder = tempfile::tempdir().ok()?;
    let installed = Command::new("python3")
        .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--target"])
        .arg(folder.path())
        .arg(PYFLAKES)
        .output()
        .ok()?;
    if !installed.status.success() {
        return None;
    }
    let list = folder.path().join("files.txt");
    let names: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    std::fs::write(&list, names.join("\n")).ok()?;
    let said = Command::new("python3")
        .args(["-c", SCRIPT])
        .arg(&list)
        .arg("3")
        .env("PYTHONPATH", folder.path())
        .output()
        .ok()?;
    String::from_utf8(said.stdout).ok()?.trim().parse().ok()
}
