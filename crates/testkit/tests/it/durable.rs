//! The engine on the real log: a run that is interrupted after every append goes on as if nothing had been.

use candor_engine::{Input, PhaseResult, RunState, decide};
use candor_model::{Effect, EffectKey, EventBody, Phase, Position, RunId, RunStatus, RunSummary, Timestamp};
use candor_ports::{EventLog, LogError, RunFilter};
use candor_store::{OpenOptions, SqliteLog};
use candor_testkit::fixtures;
use candor_testkit::scenario::{Scenario, phase_report};
use tempfile::TempDir;

type TestResult = Result<(), Box<dyn std::error::Error>>;

fn run_id() -> RunId {
    Scenario::paris().state.run_id().clone()
}

fn open(folder: &TempDir) -> Result<SqliteLog, LogError> {
    SqliteLog::open(&folder.path().join("candor.db"), OpenOptions::default()).map(|(log, _)| log)
}

fn block_on<T>(work: impl Future<Output = T>) -> Result<T, std::io::Error> {
    Ok(tokio::runtime::Builder::new_current_thread().build()?.block_on(work))
}

/// A process that takes one input and dies: opens the log, folds it, decides, appends.
fn one_step(folder: &TempDir, input: Input, now: Timestamp) -> Result<RunState, Box<dyn std::error::Error>> {
    let log = open(folder)?;
    let run = run_id();
    block_on(async {
        let mut state = RunState::fold(run.clone(), &log.read(&run, Position::START).await?)?;
        let events = decide(&state, input, now)?;
        if !events.is_empty() {
            log.append(&run, state.position(), &events).await?;
        }
        for event in &events {
            state.apply(event);
        }
        Ok(state)
    })?
}

#[test]
fn a_run_survives_a_restart_after_every_append() -> TestResult {
    // spec: beyond BY-01 BY-02
    let folder = TempDir::new()?;
    let mut now = fixtures::time(fixtures::NOON);
    // The inputs of a whole story are what its log answers to; here each is taken by a new process.
    let mut story = Scenario::start(candor_model::RunSettings::default());
    let settings = Box::new(candor_model::RunSettings::default());
    let start =
        Input::Start { request: story.state.request().to_owned(), settings, material: None, origin: None };
    let mut state = one_step(&folder, start, now)?;
    story.prepare();
    story.propose(fixtures::paris_plan());
    let mut appended = state.position();
    for batch in story.log.chunk_by(|a, b| a.event.at == b.event.at) {
        // What the story decided up to the work is appended as it is; from there on processes decide.
        let rest: Vec<_> = batch
            .iter()
            .filter(|recorded| recorded.position > appended)
            .map(|recorded| recorded.event.clone())
            .collect();
        let log = open(&folder)?;
        appended = block_on(log.append(&run_id(), appended, &rest))??;
    }
    let mut keys = Vec::new();
    while state.status() != RunStatus::Completed {
        state = one_step(&folder, Input::Tick, now)?;
        let Some(effect) = state.effects().find(|effect| !matches!(effect, Effect::WaitUntil { .. })) else {
            break;
        };
        keys.push(effect.key(state.run_id()));
        now = now.plus(fixtures::seconds(0.1));
        state = one_step(&folder, answer(&effect, now), now)?;
    }
    assert_eq!(state.status(), RunStatus::Completed);
    let attempts: Vec<_> = keys.iter().map(EffectKey::as_str).filter(|key| key.contains("/task_")).collect();
    assert_eq!(attempts.len(), 4, "no success was executed twice: {attempts:?}");
    let entry = block_on(open(&folder)?.runs(RunFilter::default()))??.remove(0);
    assert_eq!((entry.summary.status, entry.head), (RunStatus::Completed, state.position()));
    Ok(())
}

fn answer(effect: &Effect, now: Timestamp) -> Input {
    match effect {
        Effect::RunPhase { phase, attempt } => {
            let result = match phase {
                Phase::Validation => PhaseResult::Verdict { unmet: Vec::new(), failed: Vec::new() },
                _ => PhaseResult::Plain,
            };
            let report = Box::new(phase_report(result));
            Input::PhaseDone { phase: *phase, attempt: *attempt, report }
        }
        Effect::InvokeAgent { task_id, attempt, .. } => {
            let mut feedback = fixtures::feedback(1, candor_model::FeedbackType::Success, &[]);
            feedback.task_id = task_id.clone();
            feedback.timestamp = now;
            Input::AgentReported { task_id: task_id.clone(), attempt: *attempt, feedback: Box::new(feedback) }
        }
        _ => Input::Tick,
    }
}

#[test]
fn the_failure_and_the_word_of_it_are_read_together() -> TestResult {
    let folder = TempDir::new()?;
    let log = open(&folder)?;
    let mut story = Scenario::paris();
    let before = story.log.len();
    story.report("task_001", fixtures::timeout_feedback());
    let events = story.events();
    let (first, rest) = events.split_at(before);
    let seen = block_on(async {
        let head = log.append(&run_id(), Position::START, first).await?;
        log.append(&run_id(), head, rest).await?;
        log.read(&run_id(), head).await
    })??;
    let bodies: Vec<_> = seen.iter().map(|recorded| &recorded.event.body).collect();
    assert!(matches!(bodies[0], EventBody::TaskFailed { .. }));
    assert!(matches!(bodies[1], EventBody::Notified { .. }));
    let mut summary = RunSummary::new(run_id());
    events.iter().for_each(|event| summary.absorb(event));
    let listed = block_on(log.runs(RunFilter::default()))??.remove(0);
    assert_eq!(listed.summary, summary, "the list agrees with the log");
    Ok(())
}
