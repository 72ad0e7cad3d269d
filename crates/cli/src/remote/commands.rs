//! `run`, `list`, `watch` and `answer` with `--server`.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::time::Duration;

use candor_app::LoadedRun;
use candor_engine::RunState;
use candor_model::{Answer, ApprovalAction, GateId, Position, Question, RunId, RunStatus, RunSummary};
use candor_ports::RunEntry;
use serde_json::{Value, json};

use super::Remote;
use crate::args::{AnswerArgs, DriveOptions, ListArgs, ModelOptions, OneRun, RunArgs};
use crate::commands::inspect::{USUAL_RUNS, query};
use crate::commands::run::read;
use crate::drive::{Screen, answer_question, is_done, json_or_text};
use crate::failure::{Failure, code};
use crate::output;
use crate::view;

/// How often a server is asked whether somebody else has answered, while a question is on the screen.
const LOOK_FOR_ANSWER: Duration = Duration::from_secs(1);

/// The statuses of runs that have not ended.
const UNFINISHED: [RunStatus; 5] = [
    RunStatus::Preparing,
    RunStatus::Executing,
    RunStatus::WaitingHuman,
    RunStatus::Paused,
    RunStatus::Stopping,
];

/// Starts a run there, and shows it until it ends or waits for somebody who is not here.
pub(crate) async fn run(remote: &Remote, args: RunArgs) -> Result<u8, Failure> {
    let options = args.drive.clone();
    if !options.faults.is_empty() || args.run_id.is_some() {
        return Err(Failure::usage(word!(
            "--fault and --run-id are for runs that this command drives itself",
            "--fault y --run-id son para ejecuciones que conduce esta misma orden"
        )));
    }
    let goal = match &args.goal_file {
        Some(path) => Some(read(path)?),
        None => Some(args.words.join(" ")).filter(|words| !words.trim().is_empty()),
    };
    let plan: Option<Value> = args
        .plan_file
        .as_deref()
        .map(read)
        .transpose()?
        .map(|text| serde_json::from_str(&text))
        .transpose()?;
    let mut body = json!({ "allow": args.allow });
    if let Some(fields) = body.as_object_mut() {
        fields.extend(goal.map(|goal| ("goal".to_owned(), json!(goal))));
        fields.extend(plan.map(|plan| ("plan".to_owned(), plan)));
        fields.extend(args.follows.map(|run| ("follows".to_owned(), json!(run))));
        fields.extend(args.unattended.then(|| ("unattended".to_owned(), json!(true))));
    }
    let started = remote.post("/runs", &body).await?;
    let id = started.get("run_id").and_then(Value::as_str).unwrap_or_default();
    let run = RunId::new(id).map_err(Failure::failed)?;
    tell!("candor: run {run} on {}", "candor: ejecución {run} en {}", remote.base);
    let mut loaded = LoadedRun { records: Vec::new(), state: RunState::new(run.clone()) };
    let mut screen = Screen::new(&options, &run);
    follow(remote, &mut loaded, &mut screen, &options, true).await?;
    let (ended, done) = (loaded.state.status().is_end(), is_done(&loaded, options.strict));
    screen.close(&loaded)?;
    if !ended {
        tell!(
            "candor: run {run} waits for an answer: candor answer {run} OPTION --server {}",
            "candor: la ejecución {run} espera una respuesta: candor answer {run} OPTION --server {}",
            remote.base
        );
        return Ok(code::WAITING);
    }
    Ok(if done { code::DONE } else { code::FAILED })
}

/// Shows a run until it ends or, if somebody could answer, until it waits for somebody who is not here.
async fn follow(
    remote: &Remote,
    loaded: &mut LoadedRun,
    screen: &mut Screen,
    options: &DriveOptions,
    may_answer: bool,
) -> Result<(), Failure> {
    let see = async |loaded: &mut LoadedRun, known: usize| {
        screen.tell(loaded.records.get(known..).unwrap_or_default())?;
        screen.redraw()?;
        let status = loaded.state.status();
        if status.is_end() || (may_answer && status == RunStatus::Paused) {
            return Ok(ControlFlow::Break(()));
        }
        let open = loaded.state.open_questions().iter().next();
        let Some((gate, question)) = open.filter(|_| may_answer) else {
            return Ok(ControlFlow::Continue(()));
        };
        let run = loaded.state.run_id();
        let gone = answered_elsewhere(remote, run, gate);
        let Some(answer) = answer_question(gate, question, screen, options, gone).await? else {
            let left = is_open(remote, run, gate).await?;
            return Ok(if left { ControlFlow::Break(()) } else { ControlFlow::Continue(()) });
        };
        screen.leave_frame();
        remote.post(&format!("/runs/{}/questions/{gate}", loaded.state.run_id()), &body_of(answer)).await?;
        Ok(ControlFlow::Continue(()))
    };
    remote.follow(loaded, see).await
}

/// Returns when the server has an answer to a question. A server that does not answer says nothing of it.
async fn answered_elsewhere(remote: &Remote, run: &RunId, gate: &GateId) {
    loop {
        tokio::time::sleep(LOOK_FOR_ANSWER).await;
        if let Ok(false) = is_open(remote, run, gate).await {
            return;
        }
    }
}

async fn is_open(remote: &Remote, run: &RunId, gate: &GateId) -> Result<bool, Failure> {
    let asked = remote.get(&format!("/runs/{run}/questions")).await?;
    let open = asked.get("questions").and_then(Value::as_array).into_iter().flatten();
    Ok(open.filter_map(|it| it.get("gate")?.as_str()).any(|it| it == gate.as_str()))
}

/// An answer as the server takes it.
fn body_of(answer: Answer) -> Value {
    match answer {
        Answer::Choice(choice) => json!({ "decision": choice.option, "text": choice.text }),
        Answer::Guidance(it) => json!({
            "decision": it.action.as_str().to_lowercase(), "agent": it.agent_type, "inputs": it.inputs, "text": it.comments,
        }),
        Answer::Approval(it) => {
            let change = |change: &candor_model::Adjustment| json!({ "task_id": change.task_id, "field": change.field, "value": change.new_value });
            json!({
                "decision": it.action.as_str().to_lowercase(), "digest": it.digest, "text": it.comments,
                "changes": it.adjustments.iter().map(change).collect::<Vec<_>>(),
                "alternative": it.alternative, "version": it.version,
            })
        }
    }
}

pub(crate) async fn watch(remote: &Remote, args: &OneRun) -> Result<u8, Failure> {
    let mut loaded = remote.load(&args.run).await?;
    let options = DriveOptions {
        yes: false,
        json: args.json,
        plain: true,
        verbose: false,
        quiet: false,
        strict: false,
        faults: Vec::new(),
        models: ModelOptions::default(),
    };
    let mut screen = Screen::new(&options, loaded.state.run_id());
    screen.tell(&loaded.records)?;
    if !loaded.state.status().is_end() {
        follow(remote, &mut loaded, &mut screen, &options, false).await?;
    }
    Ok(code::DONE)
}

pub(crate) async fn list(remote: &Remote, args: &ListArgs) -> Result<u8, Failure> {
    let mut query = query(args);
    if args.unfinished {
        query.statuses = UNFINISHED.to_vec();
    }
    let runs = remote.runs(&query, args.listing.limit_or(USUAL_RUNS)).await?;
    if args.listing.json {
        output::print_json(&runs)?;
        return Ok(code::DONE);
    }
    let entries: Result<Vec<RunEntry>, Failure> = runs.into_iter().map(entry).collect();
    output::print(&view::list::text(&entries?, &BTreeSet::new(), output::style()))?;
    Ok(code::DONE)
}

/// A run in a list, as if it had been read from the log.
fn entry(run: Value) -> Result<RunEntry, Failure> {
    #[derive(serde::Deserialize)]
    struct Listed {
        run_id: RunId,
        status: RunStatus,
        verdict: Option<candor_model::Verdict>,
        request: String,
        started_at: Option<candor_model::Timestamp>,
        updated_at: Option<candor_model::Timestamp>,
        progress_percentage: f64,
        cost: candor_model::Money,
        events: Position,
    }
    let it: Listed = serde_json::from_value(run)?;
    let mut summary = RunSummary::new(it.run_id);
    (summary.status, summary.verdict, summary.request) = (it.status, it.verdict, it.request);
    (summary.started_at, summary.updated_at) = (it.started_at, it.updated_at);
    (summary.progress_percentage, summary.spent) = (it.progress_percentage, it.cost);
    Ok(RunEntry { summary, head: it.events })
}

/// Answers a question there. A plan is decided on as it is shown at this moment.
pub(crate) async fn answer(remote: &Remote, args: &AnswerArgs) -> Result<u8, Failure> {
    let loaded = remote.load(&args.run).await?;
    let (run, open) = (loaded.state.run_id(), loaded.state.open_questions());
    let found = match &args.gate {
        Some(named) => open.iter().find(|(gate, _)| gate.as_str() == named),
        None if open.len() > 1 => {
            let names: Vec<&str> = open.keys().map(GateId::as_str).collect();
            return Err(Failure::usage(say!(
                "several questions are open, say which with --gate: {}",
                "hay varias preguntas abiertas; indicar cuál con --gate: {}",
                names.join(", ")
            )));
        }
        None => open.iter().next(),
    };
    let Some((gate, question)) = found else {
        return Err(Failure::usage(say!(
            "run {run} ({}) does not ask this",
            "la ejecución {run} ({}) no pregunta esto",
            view::words::run_status(loaded.state.status())
        )));
    };
    let mut body = json!({ "decision": args.option, "agent": args.agent });
    let said = [args.text.as_str(), args.comments.as_str()].into_iter().find(|said| !said.is_empty());
    if let Some(fields) = body.as_object_mut() {
        fields.extend(said.map(|said| ("text".to_owned(), json!(said))));
        if let Question::Approval { request, .. } = question {
            let action: Result<ApprovalAction, _> = args.option.parse();
            action.map_err(|_| {
                Failure::usage(say!(
                    "`{}` is no decision on a plan",
                    "`{}` no es una decisión sobre un plan",
                    args.option
                ))
            })?;
            fields.insert("digest".to_owned(), json!(request.digest));
        }
        let inputs = args.inputs.iter().filter_map(|input| input.split_once('='));
        let inputs: serde_json::Map<String, Value> =
            inputs.map(|(key, value)| (key.to_owned(), json_or_text(value))).collect();
        if !inputs.is_empty() {
            fields.insert("inputs".to_owned(), Value::Object(inputs));
        }
    }
    remote.post(&format!("/runs/{run}/questions/{gate}"), &body).await?;
    tell!(
        "candor: answered; follow it with: candor watch {run} --server {}",
        "candor: respondido; seguir con: candor watch {run} --server {}",
        remote.base
    );
    Ok(code::DONE)
}
