//! `candor code run`: a run of its own with one task, which the code agent does.

use std::path::Path;
use std::sync::Arc;

use candor_app::{App, AskedBy, Begin, CODE_AGENT, LoadedRun, fresh_run_id, load_run, plan_of};
use candor_model::{AgentNote, EventBody, Goal, JsonMap, Recorded, RunId, Seconds, StartMaterial, TaskId};
use candor_projections::line::clean;
use candor_runtime::RunOrder;
use serde_json::{Value, json};

use super::super::run::read;
use crate::args::{CodeRunArgs, DriveOptions, GlobalOptions};
use crate::drive::{self, Screen};
use crate::failure::{Failure, code};
use crate::output;

/// The name of the one task.
const TASK: &str = "code";

/// How large a context and a program may be.
const MOST_CONTEXT_BYTES: usize = 32 << 20;
const MOST_CODE_BYTES: usize = 1 << 20;

/// How the metadata of a node is called in its context.
const METADATA: &str = "_ai_metadata";

pub(super) async fn run(global: &GlobalOptions, args: CodeRunArgs) -> Result<u8, Failure> {
    let mut app = App::build(global)?;
    if let Some(seconds) = args.timeout {
        app.config.code.timeout = timeout(seconds)?;
    }
    let run_id = match &args.run_id {
        Some(name) => RunId::new(name).map_err(|error| Failure::usage(format!("--run-id: {error}")))?,
        None => fresh_run_id()?,
    };
    let order = order(&app, &run_id, &args)?;
    app.check_code_agent()?;
    app.models(&args.models)?;
    let log = app.data.open()?;
    let options = DriveOptions {
        yes: true,
        json: true,
        plain: true,
        verbose: false,
        quiet: false,
        strict: false,
        faults: Vec::new(),
        models: args.models,
    };
    let begin = Begin::Start(Box::new(order));
    let screen = Screen::aside(args.json);
    let ended = drive::drive_on(&app, log.clone(), begin, &options, global, screen).await?;
    // A run that was interrupted or waits has come to no end yet, and has said how to go on.
    if matches!(ended, code::DONE | code::FAILED) {
        tell(&load_run(&log, &run_id).await?, global, args.json, ended == code::DONE)?;
    }
    Ok(ended)
}

fn timeout(seconds: f64) -> Result<Seconds, Failure> {
    Seconds::new(seconds).ok().filter(|time| time.as_millis() > 0).ok_or_else(|| {
        Failure::usage(say!(
            "--timeout: must be a number of seconds above 0, not {seconds}",
            "--timeout: debe ser un número de segundos mayor que 0, no {seconds}"
        ))
    })
}

/// A run with one task, whose goal and plan are brought: nobody has to be asked what is meant.
fn order(app: &App, run_id: &RunId, args: &CodeRunArgs) -> Result<RunOrder, Failure> {
    let context = args.context.as_deref().map(context_from).transpose()?.unwrap_or_default();
    let code = args.code.as_deref().map(|path| bounded(path, MOST_CODE_BYTES)).transpose()?;
    let task = app
        .without_secrets(args.task.clone().unwrap_or_else(|| recorded!("Run the given program").to_owned()));
    if task.trim().is_empty() {
        return Err(Failure::usage(word!(
            "--task: say what is to be done",
            "--task: indicar qué hay que hacer"
        )));
    }
    let mut inputs = JsonMap::from_iter([("context".to_owned(), Value::Object(context))]);
    inputs.extend(code.map(|code| ("python".to_owned(), Value::String(code))));
    let plan = json!({
        "description": task,
        "confidence_score": 1.0,
        "subtasks": [{
            "task_id": TASK,
            "description": task,
            "agent_type": CODE_AGENT,
            "inputs": inputs,
            "expected_outputs": args.expected,
            // What is tried again is tried again by the agent, which knows what went wrong.
            "retry_policy": { "max_retries": 0, "backoff_seconds": 0 },
        }],
    })
    .to_string();
    let mut settings = app.config.limits.clone();
    settings.unattended = true;
    settings.direct = true;
    // Recorded, so that whoever resumes the run keeps to it.
    settings.code_timeout = args.timeout.map(timeout).transpose()?;
    settings.max_revisions = 0;
    let (plan, _) = plan_of(&plan, run_id, &mut settings).map_err(|error| {
        Failure::usage(say!(
            "the task cannot be planned: {error}",
            "la tarea no se puede planificar: {error}"
        ))
    })?;
    let goal = goal(&plan.goal_id, &task)?;
    let material = StartMaterial { goal: Some(Arc::new(goal)), plan: Some(Arc::new(plan)) };
    let origin = Some(app.origin(AskedBy::default()));
    Ok(RunOrder { run_id: run_id.clone(), request: task, settings, material: Some(material), origin })
}

fn goal(id: &candor_model::GoalId, task: &str) -> Result<Goal, Failure> {
    let goal = json!({
        "goal_id": id,
        "goal_type": "generic",
        "description": task,
    });
    candor_model::from_value(goal).map_err(Failure::failed)
}

/// Reads a context: a JSON object.
pub(super) fn context_from(path: &Path) -> Result<JsonMap, Failure> {
    let text = bounded(path, MOST_CONTEXT_BYTES)?;
    let at = |problem: String| Failure::usage(format!("{}: {problem}", path.display()));
    match serde_json::from_str(&text) {
        Ok(value @ Value::Object(_)) => {
            candor_model::check_depth("context", &value).map_err(|error| at(error.to_string()))?;
            Ok(value.as_object().cloned().unwrap_or_default())
        }
        Ok(_) => Err(at(word!(
            "a context must be a JSON object, such as {\"amount\": 100}",
            "un contexto debe ser un objeto JSON, como {\"amount\": 100}"
        )
        .to_owned())),
        Err(error) => Err(at(say!(
            "is not JSON: {error}; a context is a JSON object",
            "no es JSON: {error}; un contexto es un objeto JSON"
        ))),
    }
}

/// Reads a file that is recorded with the run, and so must not be of any size.
fn bounded(path: &Path, most: usize) -> Result<String, Failure> {
    let text = read(path)?;
    if text.len() <= most {
        return Ok(text);
    }
    let (path, size, most) = (path.display(), text.len() >> 20, most >> 20);
    Err(Failure::usage(say!(
        "{path}: is {size} MB large; at most {most} MB are taken: give less",
        "{path}: ocupa {size} MB; se aceptan como mucho {most} MB: dar menos"
    )))
}

/// The context as it is now, and how it came about. After a failure it is as it was.
fn tell(loaded: &LoadedRun, global: &GlobalOptions, as_json: bool, done: bool) -> Result<(), Failure> {
    let Ok(task) = TaskId::new(TASK) else { return Ok(()) };
    let last = loaded.state.feedback().iter().rev().find(|feedback| feedback.task_id == task);
    let context = last.filter(|_| done).map(|feedback| feedback.actual_outputs.clone());
    let mut context = context.unwrap_or_else(|| given(loaded));
    if !done {
        // What a program says of itself may be anything, colours and hidden letters included.
        let lines = last.iter().flat_map(|feedback| &feedback.errors).flat_map(|error| error.lines());
        let reasons: Vec<String> = lines.map(clean).collect();
        tell!("candor: it failed: {}", "candor: falló: {}", reasons.join("\n"));
    }
    if as_json {
        let metadata = loaded.records.iter().rev().find_map(metadata_in).unwrap_or_default();
        context.insert(METADATA.to_owned(), Value::Object(metadata));
        return output::print_json(&context);
    }
    if done {
        output::print_as_is(&(serde_json::to_string_pretty(&context)? + "\n"))?;
    }
    let (run_id, more) = (loaded.state.run_id(), global.words());
    tell!(
        "candor: how it came about: candor code chain {run_id}{more}",
        "candor: cómo se llegó a ello: candor code chain {run_id}{more}"
    );
    Ok(())
}

/// The context that the run began with.
fn given(loaded: &LoadedRun) -> JsonMap {
    let plan = loaded.state.material().and_then(|material| material.plan.as_deref());
    let task = plan.and_then(|plan| plan.subtasks.first());
    let context = task.and_then(|task| task.inputs.get("context")).and_then(Value::as_object);
    context.cloned().unwrap_or_default()
}

/// What the last link of the chain of work tells of all of it.
fn metadata_in(recorded: &Recorded) -> Option<JsonMap> {
    let EventBody::AgentNoted { note, .. } = &recorded.event.body else { return None };
    match note.as_ref() {
        AgentNote::Worked { step } if step.component == "MultiAgentOrchestrator" => Some(step.data.clone()),
        _ => None,
    }
}
