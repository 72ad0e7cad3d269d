//! Writes the logs of stories that have none yet: `golden DIR`. It never touches a log that is there.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use candor_engine::RunState;
use candor_model::{Event, RunId};
use candor_testkit::golden::{STORIES, essence};

fn main() -> ExitCode {
    let Some(folder) = std::env::args().nth(1).map(PathBuf::from) else {
        eprintln!("usage: golden DIR");
        return ExitCode::from(2);
    };
    match STORIES.iter().try_for_each(|(name, story)| keep(&folder, name, *story)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

fn keep(folder: &Path, name: &str, story: fn() -> Vec<Event>) -> Result<(), Box<dyn std::error::Error>> {
    let log = folder.join(format!("{name}.jsonl"));
    if log.exists() {
        return Ok(());
    }
    let mut state = RunState::new(RunId::new("run_test")?);
    let mut lines = String::new();
    for event in story() {
        state.apply(&event);
        lines.push_str(&event.to_json()?);
        lines.push('\n');
    }
    std::fs::write(&log, lines)?;
    let expected = serde_json::to_string_pretty(&essence(&state))? + "\n";
    std::fs::write(folder.join(format!("{name}.expected.json")), expected)?;
    eprintln!("wrote {name}");
    Ok(())
}
