//! Which requests packs are applied to: `quality_packs DATA_DIR`.
//!
//! Reads requests that were labelled for other purposes and prints each one that a pack is applied to: nearly all of them
//! are about something else, so that each printed line is to be looked at. Of requests that are meant for a pack, those are
//! printed that it is not applied to.
#![allow(clippy::print_stdout, reason = "a measuring program prints what it measured")]

use std::error::Error;
use std::path::{Path, PathBuf};

use candor_model::{GoalType, RunId, Timestamp};
use candor_phases::{Pack, Phases, define_goal};
use serde_json::Value;

/// The files, and the field that has the request.
const FILES: [(&str, &str); 4] = [
    ("decomposition.jsonl", "task"),
    ("routing_queries.jsonl", "query"),
    ("prompts_injection.jsonl", "text"),
    ("goals_travel.jsonl", "query"),
];

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).ok_or("say where the data is: quality_packs FOLDER")?);
    let pack = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packs/travel/pack.toml");
    let phases = Phases::new(vec![Pack::from_toml(&std::fs::read_to_string(pack)?)?], 1);
    let now: Timestamp = "2022-01-10T09:00:00Z".parse()?;
    let run = RunId::new("run_quality")?;
    let mut wrong = 0_u32;
    for (file, field) in FILES {
        let text = std::fs::read_to_string(folder.join(file))?;
        let (mut all, mut applied) = (0_u32, 0_u32);
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let row: Value = serde_json::from_str(line)?;
            let Some(request) = row.get(field).and_then(Value::as_str) else { continue };
            all += 1;
            let Ok((goal, _)) = define_goal(&phases, request, now, &run) else { continue };
            let is_applied = goal.goal_type != GoalType::GENERIC;
            applied += u32::from(is_applied);
            if is_applied != file.starts_with("goals") {
                wrong += u32::from(is_applied);
                let short: String = request.chars().take(160).collect();
                println!("  {file} {}: {}", goal.goal_type, short.replace('\n', " "));
            }
        }
        println!("{file}: a pack is applied to {applied} of {all}");
    }
    println!("figure pack_misread {wrong}");
    Ok(())
}
