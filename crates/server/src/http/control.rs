//! Requests that change something: start, answer, pause, resume, cancel, roll back, restart, fork.
//!
//! Each is carried out to its end even if the caller hangs up in between, and noted with the caller's name.

use std::sync::Arc;

use axum::extract::{Extension, Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::{Json, response::IntoResponse, response::Response};
use candor_app::{AppError, Service, StartRequest, Started};
use candor_model::{JsonMap, RiskClass, RunId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Shared;
use super::audit::AuditEntry;
use super::auth::{self, Caller};
use super::extract::{Body, Run};
use super::problem::Problem;
use crate::decision;
use crate::inputs::{ApproveInput, ChangeInput};

/// How long an idempotency key may be.
const LONGEST_KEY: usize = 200;

/// What was asked for is on the log.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Accepted {
    /// Id of the run that begins.
    pub(super) run_id: RunId,
    /// Where its log ended then.
    pub(super) events: u64,
}

/// What a run begins with: a goal, a plan, or both.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct StartBody {
    /// What is to be reached, in plain words.
    #[serde(default)]
    #[schemars(length(min = 1))]
    pub(super) goal: Option<String>,
    /// A plan, as `candor run --plan` takes it.
    #[serde(default)]
    pub(super) plan: Option<JsonMap>,
    /// Whether nobody can be asked: questions that have a default are then answered by it, on record.
    #[serde(default)]
    pub(super) unattended: Option<bool>,
    /// What may be done without asking although it cannot be undone.
    #[serde(default)]
    pub(super) allow: Vec<RiskClass>,
    /// The run that this one continues: its name, the beginning of it, or `last`.
    #[serde(default)]
    #[schemars(length(min = 1))]
    pub(super) follows: Option<String>,
}

pub(super) async fn start(
    State(server): State<Shared>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    Body(body): Body<StartBody>,
) -> Result<Response, Problem> {
    let started = begin(&server, &caller, key(&headers)?, body).await?;
    let status = if started.1 { StatusCode::CREATED } else { StatusCode::OK };
    let place = format!("/api/v1/runs/{}", started.0.run_id);
    Ok((status, [(axum::http::header::LOCATION, place)], Json(started.0)).into_response())
}

/// Begins a run; says whether it is new.
pub(super) async fn begin(
    server: &Shared,
    caller: &Caller,
    key: Option<String>,
    body: StartBody,
) -> Result<(Accepted, bool), Problem> {
    let StartBody { goal, plan, unattended, allow, follows } = body;
    let key = key.map(|key| key_of(caller, &key));
    let (plan, user) = (plan.map(Value::Object), Some(caller.name.clone()));
    let request = StartRequest { goal, plan, unattended, allow, key, user, follows };
    let started = detached(server, |service| async move { service.begin(request).await }).await?;
    if started.new {
        note(server, caller, "start", Some(&started.run), String::new()).await;
    }
    let Started { run: run_id, new, position } = started;
    Ok((Accepted { run_id, events: position.0 }, new))
}

/// Keys of different callers are different keys.
pub(super) fn key_of(caller: &Caller, key: &str) -> String {
    format!("{}\n{key}", caller.name)
}

fn key(headers: &HeaderMap) -> Result<Option<String>, Problem> {
    let Some(key) = headers.get("idempotency-key") else { return Ok(None) };
    let key = key.to_str().ok().filter(|key| (1..=LONGEST_KEY).contains(&key.len()));
    let wrong = || Problem::bad_request(format!("Idempotency-Key has 1 to {LONGEST_KEY} visible characters"));
    key.map(|key| Some(key.to_owned())).ok_or_else(wrong)
}

/// A person's decision.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AnswerBody {
    /// One of the question's `decisions`.
    #[schemars(length(min = 1))]
    pub(super) decision: String,
    /// The digest of the plan that was shown; needed for every decision on a plan.
    #[serde(default)]
    pub(super) digest: Option<String>,
    /// Words of the person's own.
    #[serde(default)]
    pub(super) text: Option<String>,
    /// Changes of the plan, for adjust and modify.
    #[serde(default)]
    pub(super) changes: Vec<ChangeInput>,
    /// The letter of an alternative.
    #[serde(default)]
    pub(super) alternative: Option<String>,
    /// The number of an earlier version.
    #[serde(default)]
    pub(super) version: Option<u32>,
    /// Another agent for a failing task.
    #[serde(default)]
    pub(super) agent: Option<String>,
    /// Other inputs for a failing task.
    #[serde(default)]
    pub(super) inputs: JsonMap,
}

pub(super) async fn answer(
    State(server): State<Shared>,
    Extension(caller): Extension<Caller>,
    Run(run): Run,
    Path(path): Path<Vec<(String, String)>>,
    Body(body): Body<AnswerBody>,
) -> Result<(StatusCode, Json<Accepted>), Problem> {
    let gate = path.into_iter().find(|(name, _)| name == "gate").map(|(_, gate)| gate).unwrap_or_default();
    decide(&server, &caller, &run, &gate, body).await?;
    Ok((StatusCode::ACCEPTED, Json(accepted(&server, run).await?)))
}

/// Answers a question.
pub(super) async fn decide(
    server: &Shared,
    caller: &Caller,
    run: &RunId,
    gate: &str,
    body: AnswerBody,
) -> Result<(), Problem> {
    let AnswerBody { decision, digest, text, changes, alternative, version, agent, inputs } = body;
    let input = ApproveInput {
        run_id: run.to_string(),
        gate: Some(gate.to_owned()),
        decision: decision.clone(),
        digest,
        text,
        changes,
        alternative,
        version,
        agent,
        inputs,
        wait_seconds: None,
    };
    let view = server.service.look(run).await?.view;
    let known = view.questions.iter().any(|(open, _)| open.as_str() == gate);
    if !known {
        return Err(Problem::not_found(format!(
            "run {run} does not ask {gate}; /questions lists what it asks"
        )));
    }
    let (gate, question) = decision::asked(&view, Some(gate))?;
    let answer = decision::answer(&view, &gate, &question, input)?;
    let detail = format!("{gate}: {decision}");
    let of = run.clone();
    detached(server, |service| async move { service.answer(&of, gate, answer).await }).await?;
    note(server, caller, "answer", Some(run), detail).await;
    Ok(())
}

/// Why, for the record.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ReasonBody {
    /// Why, for the record.
    #[serde(default)]
    pub(super) reason: Option<String>,
}

impl ReasonBody {
    fn words(self, caller: &Caller) -> String {
        let reason = self.reason.map(|reason| reason.trim().to_owned()).filter(|reason| !reason.is_empty());
        reason.unwrap_or_else(|| format!("asked for by {}", caller.name))
    }
}

/// Nothing beside the path.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NoBody {}

/// What is done to a run.
pub(super) enum Act {
    Pause(ReasonBody),
    Resume,
    Cancel(ReasonBody),
    RollBack(RollbackBody),
    Restart(PromptBody),
}

/// Does it, to the end, and notes who did.
pub(super) async fn perform(server: &Shared, caller: &Caller, run: &RunId, act: Act) -> Result<(), Problem> {
    let of = run.clone();
    let (action, detail) = match act {
        Act::Pause(body) => {
            let (reason, noted) = both(body.words(caller));
            detached(server, |service| async move { service.pause(&of, &reason).await }).await?;
            ("pause", noted)
        }
        Act::Resume => {
            detached(server, |service| async move { service.resume(&of).await }).await?;
            ("resume", String::new())
        }
        Act::Cancel(body) => {
            let (reason, noted) = both(body.words(caller));
            detached(server, |service| async move { service.cancel(&of, &reason).await }).await?;
            ("cancel", noted)
        }
        Act::RollBack(RollbackBody { phase, checkpoint, budget }) => {
            let back = |service: Arc<Service>| async move {
                service.roll_back(&of, phase, checkpoint, budget).await
            };
            detached(server, back).await?;
            ("rollback", format!("phase {phase:?}, checkpoint {checkpoint:?}"))
        }
        Act::Restart(PromptBody { prompt }) => {
            detached(server, |service| async move { service.restart(&of, prompt).await }).await?;
            ("restart", String::new())
        }
    };
    note(server, caller, action, Some(run), detail).await;
    Ok(())
}

fn both(words: String) -> (String, String) {
    (words.clone(), words)
}

/// One request that acts on a run.
macro_rules! acts {
    ($($name:ident: $body:ty => $act:expr;)*) => {$(
        pub(super) async fn $name(
            State(server): State<Shared>,
            Extension(caller): Extension<Caller>,
            Run(run): Run,
            Body(body): Body<$body>,
        ) -> Result<(StatusCode, Json<Accepted>), Problem> {
            let act: fn($body) -> Act = $act;
            perform(&server, &caller, &run, act(body)).await?;
            Ok((StatusCode::ACCEPTED, Json(accepted(&server, run).await?)))
        }
    )*};
}

acts! {
    pause: ReasonBody => Act::Pause;
    resume: NoBody => |_| Act::Resume;
    cancel: ReasonBody => Act::Cancel;
    roll_back: RollbackBody => Act::RollBack;
    restart: PromptBody => Act::Restart;
}

/// A point to go back to: one of the two.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RollbackBody {
    /// The phase whose result is kept, 0 to 7.
    #[serde(default)]
    #[schemars(range(min = 0, max = 7))]
    pub(super) phase: Option<u8>,
    /// The number of a checkpoint.
    #[serde(default)]
    pub(super) checkpoint: Option<u32>,
    /// A new limit for what the run may cost, in dollars.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1000000.0))]
    pub(super) budget: Option<f64>,
}

/// Other words to begin with.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PromptBody {
    /// Other words to begin with; the old ones stay in the run's history.
    #[serde(default)]
    #[schemars(length(min = 1))]
    pub(super) prompt: Option<String>,
}

/// Where a fork begins; at the last checkpoint if unset.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ForkBody {
    /// Where this phase had just been completed, 0 to 7.
    #[serde(default)]
    #[schemars(range(min = 0, max = 7))]
    pub(super) phase: Option<u8>,
    /// Number of the checkpoint.
    #[serde(default)]
    pub(super) checkpoint: Option<u32>,
    /// Other words to go on with, from the evaluation on.
    #[serde(default)]
    #[schemars(length(min = 1))]
    pub(super) prompt: Option<String>,
}

pub(super) async fn fork(
    State(server): State<Shared>,
    Extension(caller): Extension<Caller>,
    Run(run): Run,
    Body(body): Body<ForkBody>,
) -> Result<(StatusCode, Json<Accepted>), Problem> {
    let ForkBody { phase, checkpoint, prompt } = body;
    let from = run.clone();
    let new =
        detached(&server, |service| async move { service.fork(&from, phase, checkpoint, prompt).await })
            .await?;
    note(&server, &caller, "fork", Some(&new), format!("from {run}")).await;
    Ok((StatusCode::CREATED, Json(accepted(&server, new).await?)))
}

/// Carries something out to its end, even if the caller hangs up.
async fn detached<T, F>(server: &Shared, act: impl FnOnce(Arc<Service>) -> F) -> Result<T, Problem>
where
    T: Send + 'static,
    F: Future<Output = Result<T, AppError>> + Send + 'static,
{
    let done = tokio::spawn(act(Arc::clone(&server.service))).await;
    let broken = |error| Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", error);
    Ok(done.map_err(broken)??)
}

pub(super) async fn accepted(server: &Shared, run_id: RunId) -> Result<Accepted, Problem> {
    let events = server.service.head(&run_id).await?.0;
    Ok(Accepted { run_id, events })
}

/// Notes who did what, even if the caller hangs up. A start is acknowledged without waiting for it: the run is on the log.
pub(crate) async fn note(
    server: &Shared,
    caller: &Caller,
    action: &'static str,
    run: Option<&RunId>,
    detail: String,
) {
    let (at, actor) = (auth::now(), caller.name.clone());
    let entry = AuditEntry { at, actor, action: action.to_owned(), run_id: run.cloned(), detail };
    let server = Arc::clone(server);
    let noted = tokio::spawn(async move { server.audit.note(&entry).await });
    if action != "start" {
        let _ = noted.await;
    }
}
