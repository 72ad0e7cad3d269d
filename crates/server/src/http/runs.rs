//! Answers that show runs. All of them are projections of the log, the same that the command shows.

use std::str::FromStr;

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use candor_app::config::Age;
use candor_app::{Driver, LoadedRun};
use candor_model::{GateId, PlanVersion, Position, Question, RunId, RunStatus, SubTask, TaskId, Timestamp};
use candor_ports::{RunPage, RunQuery, Seq};
use candor_projections::chronicle::Chronicle;
use candor_projections::explain::Explanation;
use candor_projections::list::ListEntry;
use candor_projections::plans;
use candor_projections::postmortem::Case;
use candor_projections::report::Report;
use candor_projections::status::Status;
use candor_projections::{attempt_output, timeline as in_time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Shared;
use super::auth::now;
use super::extract::{Query, Run};
use super::problem::Problem;
use super::sse::event_json;
use crate::report::QuestionReport;

/// How many runs or questions a page has if nobody says.
const USUAL_RUNS: u32 = 50;
/// How many runs a page has at most.
const MOST_RUNS: u32 = 200;
/// How many events a page has at most, and if nobody says.
const MOST_EVENTS: u32 = 1000;

/// A time, or an age, as [`moment`] reads it.
const MOMENT: &str = r"^([1-9][0-9]{0,3}[hdw]|20[0-9]{2}-((0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])|(0[13-9]|1[0-2])-(29|30)|(0[13578]|1[02])-31)T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,3})?Z)$";

/// Which runs are listed.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ListQuery {
    /// Only runs of these statuses, separated by commas.
    #[serde(default)]
    #[schemars(regex(
        pattern = r"^(preparing|executing|waiting_human|paused|stopping|completed|failed|aborted|cancelled)(,(preparing|executing|waiting_human|paused|stopping|completed|failed|aborted|cancelled))*$"
    ))]
    pub(super) status: Option<String>,
    /// Only runs that ask a person something.
    #[serde(default)]
    pub(super) asking: Option<bool>,
    /// Only runs whose request or name contains this.
    #[serde(default)]
    pub(super) q: Option<String>,
    /// Only runs that began at this time or later: a time such as 2026-05-31T08:00:00Z, or an age such as 12h, 7d or 2w.
    #[serde(default)]
    #[schemars(regex(pattern = MOMENT))]
    pub(super) since: Option<String>,
    /// Only runs that began before this time.
    #[serde(default)]
    #[schemars(regex(pattern = MOMENT))]
    pub(super) until: Option<String>,
    /// Only runs of this project, as `[project] name` says.
    #[serde(default)]
    pub(super) project: Option<String>,
    /// Only runs of this user.
    #[serde(default)]
    pub(super) user: Option<String>,
    /// Where the page begins: `next` of the page before.
    #[serde(default)]
    pub(super) cursor: Option<u64>,
    /// Maximum number of runs; 50 if unset.
    #[serde(default)]
    #[schemars(range(min = 1, max = 200))]
    pub(super) limit: Option<u32>,
}

impl ListQuery {
    pub(super) fn query(&self) -> Result<RunQuery, Problem> {
        let named = self.status.iter().flat_map(|names| names.split(',')).map(str::trim);
        let statuses: Result<Vec<RunStatus>, _> = named.map(RunStatus::from_str).collect();
        let limit = within(self.limit, USUAL_RUNS, MOST_RUNS)?;
        Ok(RunQuery {
            statuses: statuses.map_err(|error| Problem::bad_request(format!("status: {error}")))?,
            asking: self.asking.unwrap_or(false),
            text: self.q.clone().filter(|text| !text.is_empty()),
            since: self.since.as_deref().map(|text| moment("since", text)).transpose()?,
            until: self.until.as_deref().map(|text| moment("until", text)).transpose()?,
            project: self.project.clone(),
            user: self.user.clone(),
            before: self.cursor.map(Seq),
            limit,
        })
    }
}

/// A moment, given as a time or as an age.
fn moment(name: &str, text: &str) -> Result<Timestamp, Problem> {
    let age: Result<Age, _> = text.parse();
    let read = age.map(|age| age.before(now())).or_else(|_| text.parse());
    read.map_err(|_| {
        Problem::bad_request(format!(
            "{name}: `{text}` is no time; expected a time such as 2026-05-31T08:00:00Z, or an age such as 12h, 7d or 2w"
        ))
    })
}

/// A number of entries, if it is one that is given out.
fn within(given: Option<u32>, usual: u32, most: u32) -> Result<u32, Problem> {
    match given.unwrap_or(usual) {
        limit if (1..=most).contains(&limit) => Ok(limit),
        limit => Err(Problem::bad_request(format!("limit is {limit}; it is a number from 1 to {most}"))),
    }
}

/// A page of runs.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct RunList<'a> {
    /// The runs, the most recently changed first.
    runs: Vec<ListEntry<'a>>,
    /// Where the next page begins; absent if this is the last.
    next: Option<u64>,
}

pub(super) async fn list(
    State(server): State<Shared>,
    Query(query): Query<ListQuery>,
) -> Result<Response, Problem> {
    let RunPage { runs, next } = server.service.page(query.query()?).await?;
    let runs = runs.iter().map(|entry| ListEntry::of(&entry.summary, entry.head)).collect();
    Ok(Json(RunList { runs, next: next.map(|next| next.0) }).into_response())
}

pub(super) async fn one(State(server): State<Shared>, Run(run): Run) -> Result<Json<Value>, Problem> {
    let loaded = server.service.load(&run).await?;
    let driver = server.service.driver(&run).await;
    let mut status = data(&Status::of(&loaded.state, &loaded.records))?;
    if let Some(fields) = status.as_object_mut() {
        fields.insert("driver".to_owned(), json!(driver));
        fields.insert("driven".to_owned(), json!(matches!(driver, Driver::Here | Driver::Elsewhere)));
        fields.insert("error".to_owned(), json!(server.service.failure_of(&run)));
        fields.insert("events".to_owned(), json!(loaded.state.position()));
    }
    Ok(Json(status))
}

/// Which events are listed.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct EventsQuery {
    /// Only events after this position.
    #[serde(default)]
    after: Option<u64>,
    /// Maximum number of events; 1000 if unset.
    #[serde(default)]
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<u32>,
}

/// A page of events.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct EventPage {
    /// The events as they are on the log, each with its run and position.
    events: Vec<Value>,
    /// What to pass as `after` for the next page; absent if this is the last.
    next: Option<u64>,
}

pub(super) async fn events(
    State(server): State<Shared>,
    Run(run): Run,
    Query(query): Query<EventsQuery>,
) -> Result<Response, Problem> {
    let limit = within(query.limit, MOST_EVENTS, MOST_EVENTS)?;
    let events = server.service.events(&run, Position(query.after.unwrap_or(0)), limit).await?;
    let full = events.len() >= limit as usize;
    let next = events.last().filter(|_| full).map(|last| last.position.0);
    // Passed on as they are on the log, without reading them.
    let listed: Vec<String> = events.iter().map(event_json).collect();
    let body = format!("{{\"events\":[{}],\"next\":{}}}", listed.join(","), json!(next));
    Ok(([(header::CONTENT_TYPE, "application/json")], Body::from(body)).into_response())
}

pub(super) async fn tasks(State(server): State<Shared>, Run(run): Run) -> Result<Json<Value>, Problem> {
    let loaded = server.service.load(&run).await?;
    let tasks = Status::of(&loaded.state, &loaded.records).tasks;
    let chronicle = Chronicle::of(&loaded.records);
    let attempts = attempt_output::attempts(&loaded.records, &chronicle, None);
    Ok(Json(json!({ "run_id": run, "tasks": tasks, "attempts": attempts })))
}

pub(super) async fn plans(State(server): State<Shared>, Run(run): Run) -> Result<Json<Value>, Problem> {
    let loaded = server.service.load(&run).await?;
    Ok(Json(json!({ "run_id": run, "plans": plans::shapes(&run, &loaded.records) })))
}

/// Which two versions are compared.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DiffQuery {
    /// The earlier version; the one before the later if unset.
    #[serde(default)]
    from: Option<u32>,
    /// The later version; the last if unset.
    #[serde(default)]
    to: Option<u32>,
}

pub(super) async fn diff(
    State(server): State<Shared>,
    Run(run): Run,
    Query(query): Query<DiffQuery>,
) -> Result<Json<Value>, Problem> {
    let loaded = server.service.load(&run).await?;
    let shapes = plans::shapes(&run, &loaded.records);
    let unknown =
        || Problem::not_found("the run's plan has no such versions; /plans lists those that there are");
    let at = |version: u32| shapes.iter().position(|shape| shape.version == PlanVersion(version));
    let to = query.to.map_or_else(|| shapes.len().checked_sub(1), at).ok_or_else(unknown)?;
    let from = query.from.map_or_else(|| to.checked_sub(1), at).ok_or_else(unknown)?;
    let (Some(from), Some(to)) = (shapes.get(from), shapes.get(to)) else { return Err(unknown()) };
    Ok(Json(data(&plans::diff(from, to))?))
}

/// Open questions of all runs.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Questions {
    /// The questions, those of the run that changed last first.
    pub(super) questions: Vec<OpenQuestion>,
}

/// A question with its run.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct OpenQuestion {
    /// The run that asks.
    pub(super) run_id: RunId,
    /// What the run is for.
    pub(super) request: String,
    /// Question as it is shown.
    #[serde(flatten)]
    pub(super) question: QuestionReport,
    /// The same as it is on the log: for pages only.
    #[serde(skip)]
    #[schemars(skip)]
    pub(super) asked: Option<Question>,
    /// The task that it is about: for pages only.
    #[serde(skip)]
    #[schemars(skip)]
    pub(super) task: Option<SubTask>,
    /// What changed of the plan since it was shown before: for pages only.
    #[serde(skip)]
    #[schemars(skip)]
    pub(super) changes: Option<plans::PlanDiff>,
}

pub(super) async fn questions(
    State(server): State<Shared>,
    Run(run): Run,
) -> Result<Json<Questions>, Problem> {
    Ok(Json(Questions { questions: asked_by(&server, &run).await? }))
}

/// How many runs the inbox looks at.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct InboxQuery {
    /// Maximum number of runs; 50 if unset.
    #[serde(default)]
    #[schemars(range(min = 1, max = 200))]
    limit: Option<u32>,
}

pub(super) async fn inbox(
    State(server): State<Shared>,
    Query(query): Query<InboxQuery>,
) -> Result<Json<Questions>, Problem> {
    let limit = within(query.limit, USUAL_RUNS, MOST_RUNS)?;
    Ok(Json(Questions { questions: all_asked(&server, limit).await? }))
}

/// What all runs ask.
pub(super) async fn all_asked(server: &Shared, limit: u32) -> Result<Vec<OpenQuestion>, Problem> {
    let query = RunQuery { asking: true, limit, ..RunQuery::default() };
    let mut questions = Vec::new();
    for entry in server.service.page(query).await?.runs {
        questions.extend(asked_by(server, &entry.summary.run_id).await?);
    }
    Ok(questions)
}

/// The task that a question is about.
pub(super) fn task_of(LoadedRun { state, .. }: &LoadedRun, question: &Question) -> Option<SubTask> {
    let Question::Guidance(request) = question else { return None };
    state.plan()?.subtasks.iter().find(|task| task.task_id == request.task_id).cloned()
}

/// What a run asks.
async fn asked_by(server: &Shared, run: &RunId) -> Result<Vec<OpenQuestion>, Problem> {
    let loaded = server.service.load(run).await?;
    let LoadedRun { state, records } = &loaded;
    let asked = |gate: &GateId, question: &Question| OpenQuestion {
        run_id: run.clone(),
        request: state.request().to_owned(),
        question: QuestionReport::of(gate, question),
        asked: Some(question.clone()),
        task: task_of(&loaded, question),
        changes: plans::asked_about(run, records, question, None),
    };
    Ok(state.open_questions().iter().map(|(gate, question)| asked(gate, question)).collect())
}

pub(super) async fn report(State(server): State<Shared>, Run(run): Run) -> Result<Json<Value>, Problem> {
    let loaded = server.service.load(&run).await?;
    Ok(Json(data(&Report::of(&loaded.state, &loaded.records))?))
}

/// What is explained.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ExplainQuery {
    /// Id of the task that the explanation is limited to.
    #[serde(default)]
    #[schemars(length(min = 1))]
    task: Option<String>,
}

pub(super) async fn explanation(
    State(server): State<Shared>,
    Run(run): Run,
    Query(query): Query<ExplainQuery>,
) -> Result<Json<Value>, Problem> {
    let task =
        query.task.map(TaskId::new).transpose().map_err(|_| Problem::not_found("there is no such task"))?;
    let loaded = server.service.load(&run).await?;
    Ok(Json(data(&Explanation::of(&loaded.state, &loaded.records, task.as_ref()))?))
}

pub(super) async fn post_mortem(State(server): State<Shared>, Run(run): Run) -> Result<Json<Value>, Problem> {
    let loaded = server.service.load(&run).await?;
    Ok(Json(data(&Case::of(&loaded.state, &loaded.records).post_mortem())?))
}

pub(super) async fn timeline(State(server): State<Shared>, Run(run): Run) -> Result<Json<Value>, Problem> {
    let loaded = server.service.load(&run).await?;
    let chronicle = Chronicle::of(&loaded.records);
    let way = loaded.records.iter().filter_map(|recorded| in_time::WayEntry::of(&chronicle, recorded));
    let way: Vec<_> = way.collect();
    Ok(Json(json!({ "run_id": run, "attempts": in_time::attempts(&chronicle), "events": way })))
}

pub(super) async fn cost(State(server): State<Shared>, Run(run): Run) -> Result<Json<Value>, Problem> {
    let loaded = server.service.load(&run).await?;
    let Report { cost, models, .. } = Report::of(&loaded.state, &loaded.records);
    Ok(Json(json!({ "run_id": run, "cost": cost, "models": models })))
}

pub(super) async fn effects(State(server): State<Shared>, Run(run): Run) -> Result<Json<Value>, Problem> {
    let loaded = server.service.load(&run).await?;
    Ok(Json(json!({ "run_id": run, "effects": loaded.state.ledger() })))
}

fn data(value: &impl Serialize) -> Result<Value, Problem> {
    serde_json::to_value(value)
        .map_err(|error| Problem::new(axum::http::StatusCode::INTERNAL_SERVER_ERROR, "internal", error))
}
