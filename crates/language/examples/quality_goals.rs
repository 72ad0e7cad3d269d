//! Measures how many fields of labelled travel requests are read right.
//!
//! Takes the folder of the data as its argument and prints each wrong field, then the share of right ones.
#![allow(clippy::print_stdout, reason = "a measuring program prints what it measured")]

use std::error::Error;
use std::path::PathBuf;

use candor_language::goal;
use candor_model::Timestamp;
use serde_json::{Value, json};

/// The label's name, and where the reading keeps it.
const FIELDS: [(&str, &str); 11] = [
    ("/org", "/origin"),
    ("/dest", "/destination"),
    ("/days", "/duration_days"),
    ("/visiting_city_number", "/visiting_city_number"),
    ("/date", "/dates"),
    ("/people_number", "/people"),
    ("/budget", "/budget"),
    ("/local_constraint/house rule", "/local_constraint/house rule"),
    ("/local_constraint/cuisine", "/local_constraint/cuisine"),
    ("/local_constraint/room type", "/local_constraint/room type"),
    ("/local_constraint/transportation", "/local_constraint/transportation"),
];

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("say where the data is: quality_goals FOLDER")?;
    let path = PathBuf::from(folder).join("goals_travel.jsonl");
    let rows = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let now: Timestamp = "2022-01-10T09:00:00Z".parse()?;
    let (mut right, mut all) = (0_u32, 0_u32);
    for line in rows.lines().filter(|line| !line.trim().is_empty()) {
        let row: Value = serde_json::from_str(line)?;
        let wrong = wrong_fields(&row, now)?;
        all += u32::try_from(FIELDS.len())?;
        right += u32::try_from(FIELDS.len() - wrong.len())?;
        for problem in wrong {
            println!("row {}: {problem}", row.get("id").unwrap_or(&Value::Null));
        }
    }
    let percent = 100.0 * f64::from(right) / f64::from(all.max(1));
    println!("fields right: {right} of {all} ({percent:.1} %)\nfigure goal_fields {percent:.1}");
    Ok(())
}

fn wrong_fields(row: &Value, now: Timestamp) -> Result<Vec<String>, Box<dyn Error>> {
    let query = row.get("query").and_then(Value::as_str).ok_or("a row without `query`")?;
    let reading = json!(goal::read(query, now).extracted);
    let field = |value: &Value, pointer: &str| value.pointer(pointer).cloned().unwrap_or(Value::Null);
    Ok(FIELDS
        .iter()
        .map(|(label, name)| (label, field(row, label), field(&reading, name)))
        .filter(|(_, expected, found)| expected != found)
        .map(|(label, expected, found)| format!("{label}: expected {expected}, read {found}"))
        .collect())
}
