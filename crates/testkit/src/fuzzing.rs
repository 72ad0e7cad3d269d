//! What fuzz targets call; also called by ordinary tests, so that the targets keep working without a fuzzer.
//!
//! Each takes any bytes, and must neither panic nor hang.

use std::sync::LazyLock;
use std::time::Duration;

use candor_engine::RunState;
use candor_model::redact::Redactor;
use candor_model::{Event, EventBody, Plan, Position, RunId, from_json};
use candor_planning::dependencies;
use candor_planning::validation::accept;
use candor_ports::{EventLog, RunFilter};
use candor_store::{OpenOptions, SqliteLog};

use crate::load;

/// A plan from outside: read, checked, repaired or refused, and written again without loss.
pub fn plan_json(data: &[u8]) {
    let Ok(plan) = from_json::<Plan>(&String::from_utf8_lossy(data)) else { return };
    let written = serde_json::to_string(&plan).unwrap_or_default();
    assert_eq!(from_json::<Plan>(&written).as_ref(), Ok(&plan), "a plan changed by being written and read");
    let _ = dependencies::unnecessary(&plan.subtasks);
    if let Ok(accepted) = accept(load::proposal(plan), &candor_model::RunSettings::default()) {
        assert!(dependencies::check(&accepted.plan.subtasks).is_valid, "an unsound plan was accepted");
    }
}

/// A log from outside, one event per line: read, folded, and its effects asked for.
pub fn event_json(data: &[u8]) {
    let Ok(run_id) = RunId::new("run_fuzz") else { return };
    let mut state = RunState::new(run_id);
    for line in String::from_utf8_lossy(data).lines() {
        if let Ok(event) = Event::from_json(line) {
            let written = event.to_json().unwrap_or_default();
            assert_eq!(
                Event::from_json(&written).as_ref(),
                Ok(&event),
                "an event changed by being written and read"
            );
            state.apply(&event);
            let _ = state.effects().count();
        }
    }
}

/// A file from outside, taken for a log: opened, told what is wrong with it, and usable afterwards.
///
/// The first byte chooses between the bytes themselves as the file, and a real log that they overwrite
/// in part.
pub fn log_open(data: &[u8]) {
    if let Err(error) = try_open(data) {
        // Refusing is an answer; what must not happen is a panic, a hang or silence.
        assert!(!error.to_string().is_empty(), "an error without a word");
    }
}

fn try_open(data: &[u8]) -> Result<(), Box<dyn std::error::Error>> {
    let folder = folder()?;
    let path = folder.path().join("candor.db");
    let run = RunId::new(RUN)?;
    let (choice, bytes) = data.split_first().unwrap_or((&0, &[]));
    std::fs::write(&path, if *choice < 128 { bytes.to_vec() } else { overwritten(bytes) })?;
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let (log, _) = SqliteLog::open(&path, ALONE)?;
    runtime.block_on(async {
        let events = log.read(&run, Position::START).await?;
        let state = RunState::fold(run.clone(), &events)?;
        let more = [Event::new(candor_model::Timestamp::EPOCH, EventBody::RunResumed {})];
        log.append(&run, state.position(), &more).await?;
        log.runs(RunFilter::default()).await?;
        Ok(())
    })
}

/// A damaged log: repaired or refused. What was saved can be opened, and folds.
pub fn repair(data: &[u8]) {
    if let Err(error) = try_repair(data) {
        assert!(!error.to_string().is_empty(), "an error without a word");
    }
}

fn try_repair(data: &[u8]) -> Result<(), Box<dyn std::error::Error>> {
    let folder = folder()?;
    let (path, to) = (folder.path().join("candor.db"), folder.path().join("saved.db"));
    let (choice, bytes) = data.split_first().unwrap_or((&0, &[]));
    std::fs::write(&path, if *choice < 64 { bytes.to_vec() } else { overwritten(bytes) })?;
    candor_store::repair(&path, Some(&to))?;
    let (log, _) = SqliteLog::open(&to, ALONE).map_err(|error| panicked(&error))?;
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let runs = runtime.block_on(log.runs(RunFilter::default())).map_err(|error| panicked(&error))?;
    for entry in runs {
        let events = runtime.block_on(log.read(&entry.summary.run_id, Position::START));
        let events = events.map_err(|error| panicked(&error))?;
        // What is missing in the middle is told by the fold, not by a panic.
        let _ = RunState::fold(entry.summary.run_id, &events);
    }
    Ok(())
}

/// What must not be: a log that was repaired cannot be read.
#[expect(clippy::panic, reason = "a fuzz target fails by panicking")]
fn panicked(error: &impl std::fmt::Display) -> Box<dyn std::error::Error> {
    panic!("a repaired log cannot be used: {error}")
}

/// Any text and any JSON: redacting again changes nothing, and a value that is known to be secret is gone.
pub fn redactor(data: &[u8]) {
    const KNOWN: &str = "Plain-words-9";
    let redactor = Redactor::new([KNOWN.to_owned()], ["ssn".to_owned()], [7; 16]);
    let text = String::from_utf8_lossy(data);
    let once = redactor.text(&text).into_owned();
    assert!(!once.contains(KNOWN), "a known value is left");
    assert_eq!(redactor.text(&once), once, "redacting again changed something");
    let with_secret =
        redactor.text(&format!("{text} ghp_abcdefghijklmnopqrstuvwxyz0123456789 ")).into_owned();
    assert!(!with_secret.contains("ghp_abcdefghijklmnopqrstuvwxyz0123456789"), "a token is left");
    let Ok(value) = serde_json::from_slice::<serde_json::Value>(data) else { return };
    let clean = redactor.record(&value).unwrap_or_else(|| value.clone());
    assert!(redactor.record(&clean).is_none(), "redacting a record again changed something");
    let written = redactor.written(&value, &mut Vec::new()).map(|(written, _)| written).unwrap_or_default();
    assert_eq!(written, clean.to_string(), "what is appended is not the clean record");
}

/// A file of rules of each kind, in each format.
pub fn rules(data: &[u8]) {
    use candor_planning::{
        conflict::ConflictRules, guardrails::Guardrails, rules_file, scaling::ScalingRules,
    };
    let text = String::from_utf8_lossy(data);
    for name in ["rules.yaml", "rules.toml", "rules.json"] {
        let _ = rules_file::read::<Guardrails>(name, &text);
        let _ = rules_file::read::<ScalingRules>(name, &text);
        let _ = rules_file::read::<ConflictRules>(name, &text);
    }
}

/// The run that the log holds.
const RUN: &str = "run_fuzz";

/// Nobody else has the file: whoever waits for somebody waits in vain, and an input that takes seconds is a finding.
const ALONE: OpenOptions = OpenOptions {
    queue: 16,
    readers: 1,
    open_timeout: Duration::from_secs(1),
    busy_timeout: Duration::from_secs(1),
    large_body: 32 * 1024,
};

/// The bytes of a real log, made once: making one for each input costs a hundred times what looking at it does.
static REAL: LazyLock<Vec<u8>> = LazyLock::new(|| real_log().unwrap_or_default());

fn real_log() -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let folder = folder()?;
    let path = folder.path().join("candor.db");
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let (log, _) = SqliteLog::open(&path, ALONE)?;
    let events = crate::scenario::Scenario::paris().events();
    runtime.block_on(log.append(&RunId::new(RUN)?, Position::START, &events))?;
    drop(log);
    Ok(std::fs::read(path)?)
}

/// The bytes of a real log, overwritten in part: the first two say where.
fn overwritten(bytes: &[u8]) -> Vec<u8> {
    let mut file = REAL.clone();
    let (place, rest) = bytes.split_at_checked(2).unwrap_or((&[], &[]));
    let place = place.iter().fold(0, |sum, byte| sum * 256 + usize::from(*byte)) % file.len().max(1);
    for (old, new) in file.iter_mut().skip(place).zip(rest) {
        *old = *new;
    }
    file
}

/// A folder for the files of one input: in memory where the system has a place for that, since a log waits for the disk
/// some twenty times while it is made, opened and closed.
fn folder() -> std::io::Result<tempfile::TempDir> {
    tempfile::TempDir::new_in("/dev/shm").or_else(|_| tempfile::TempDir::new())
}
