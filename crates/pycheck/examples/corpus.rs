//! Checks many programs: JSON lines in, JSON lines out.
//!
//! `corpus [--library FILE] [--version 3.11] [--time N] < programs.jsonl`
//!
//! Each line of the input has `id` and `code`, and may have `context` (a list of keys, or a map).
//! The library is a JSON map from module names to the list of their members; a module that maps
//! to null is known not to be there. With `--time N` every program is checked N times and the
//! nanoseconds of the quickest check are printed instead of the findings.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::io::{BufRead, Write};

use candor_pycheck::{AnyLibrary, Checker, Library, Policy, Presence, Program, Syntax};
use serde_json::{Value, json};

/// Modules and their members, as a JSON file lists them.
struct Known(BTreeMap<String, Option<BTreeSet<String>>>);

impl Library for Known {
    fn module(&self, dotted: &str) -> Presence {
        match self.0.get(dotted) {
            Some(Some(_)) => Presence::Yes,
            Some(None) => Presence::No,
            None => Presence::Unknown,
        }
    }

    fn member(&self, module: &str, name: &str) -> Presence {
        match self.0.get(module) {
            Some(Some(members)) if members.contains(name) => Presence::Yes,
            Some(_) => Presence::No,
            None => Presence::Unknown,
        }
    }
}

#[derive(Default)]
struct Options {
    library: Option<Known>,
    syntax: Syntax,
    rounds: Option<u32>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = options()?;
    let library: &dyn Library = match &options.library {
        Some(known) => known,
        None => &AnyLibrary,
    };
    let checker = Checker::new(Policy::default(), library, options.syntax);
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for line in std::io::stdin().lock().lines() {
        let row: Value = serde_json::from_str(&line?)?;
        let code = row.get("code").and_then(Value::as_str).unwrap_or_default();
        let keys = row.get("context").map(keys);
        let mut program = Program::new(code);
        program.context = keys.as_ref();
        let answer = match options.rounds {
            Some(rounds) => json!({"id": row.get("id"), "nanoseconds": time(&checker, &program, rounds)}),
            None => json!({"id": row.get("id"), "findings": checker.check(&program)}),
        };
        writeln!(out, "{answer}")?;
    }
    Ok(())
}

fn options() -> Result<Options, Box<dyn Error>> {
    let mut options = Options::default();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let value = arguments.next().ok_or("every option needs a value")?;
        match argument.as_str() {
            "--library" => options.library = Some(Known(serde_json::from_slice(&std::fs::read(value)?)?)),
            "--time" => options.rounds = Some(value.parse()?),
            "--version" => {
                let (major, minor) = value.split_once('.').ok_or("a version looks like 3.11")?;
                options.syntax = Syntax::Version(major.parse()?, minor.parse()?);
            }
            _ => return Err(format!("unknown option {argument}").into()),
        }
    }
    Ok(options)
}

fn keys(context: &Value) -> BTreeSet<String> {
    match context {
        Value::Object(map) => map.keys().cloned().collect(),
        Value::Array(list) => list.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => BTreeSet::new(),
    }
}

/// The nanoseconds of the quickest check: the one that nothing else on the machine disturbed.
#[expect(clippy::disallowed_methods, reason = "an example may look at the clock")]
fn time(checker: &Checker<'_>, program: &Program<'_>, rounds: u32) -> Option<u128> {
    let rounds = (0..rounds).map(|_| {
        let start = std::time::Instant::now();
        std::hint::black_box(checker.check(std::hint::black_box(program)));
        start.elapsed().as_nanos()
    });
    rounds.min()
}
