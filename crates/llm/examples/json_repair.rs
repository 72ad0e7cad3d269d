//! Tries the reader of model answers from outside.
//!
//! `json_repair < rows.jsonl` prints the value of each row's `input` on its own line; a row with
//! `"strict": true` must be plain, and one that cannot be read prints `{"raises": …}`. Where a text has no
//! data at all the value is the empty text. `json_repair --data FILE` prints `equal N of M` over rows with
//! `expected` or `raises`, and names the rows that differ on stderr.

use std::io::{BufRead, Write};

use candor_llm::json::{self, Unreadable};
use serde_json::{Value, json};

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [] => print_values(),
        ["--data", file] => print_score(file),
        _ => Err("usage: json_repair [--data FILE] (without it: JSON lines on standard input)".into()),
    }
}

fn print_values() -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let row: Value = serde_json::from_str(&line?)?;
        match read(&row) {
            Ok(value) => writeln!(out, "{value}")?,
            Err(error) => writeln!(out, "{}", json!({ "raises": error.to_string() }))?,
        }
    }
    Ok(())
}

fn print_score(file: &str) -> Result<(), Failure> {
    let (mut equal, mut all) = (0, 0);
    for line in std::fs::read_to_string(file)?.lines() {
        let row: Value = serde_json::from_str(line)?;
        let found = read(&row);
        let same = match (&found, row.get("expected")) {
            (Ok(value), Some(expected)) => value == expected,
            (Err(_), None) => true,
            _ => false,
        };
        (equal, all) = (equal + usize::from(same), all + 1);
        if !same {
            let id = row.get("id").unwrap_or(&Value::Null);
            writeln!(std::io::stderr(), "{id}: {found:?}")?;
        }
    }
    writeln!(std::io::stdout(), "equal {equal} of {all}")?;
    Ok(())
}

fn read(row: &Value) -> Result<Value, Unreadable> {
    let text = row.get("input").or_else(|| row.get("broken")).and_then(Value::as_str).unwrap_or_default();
    let strict = row.get("strict").and_then(Value::as_bool).unwrap_or(false);
    match if strict { json::read_strict(text) } else { json::read(text) } {
        Ok(read) => Ok(read.value),
        Err(Unreadable::NoData | Unreadable::Empty) => Ok(Value::String(String::new())),
        Err(error) => Err(error),
    }
}
