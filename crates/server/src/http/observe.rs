//! Figures, alerts, money, traces, artifacts, webhooks and schedules: the same JSON that the commands print.

use axum::Json;
use axum::extract::{Extension, Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use candor_app::config::Age;
use candor_app::feedback::Feedback;
use candor_app::tokens::Scope;
use candor_app::{ScheduleView, WebhookView};
use candor_model::RunId;
use candor_projections::artifacts::{Artifact, ArtifactContent};
use candor_projections::dashboard::Dashboard;
use candor_projections::efficiency::EfficiencyReport;
use candor_projections::kpi::{ActiveAlert, AlertChange, KpiReport};
use candor_projections::spend::SpendReport;
use candor_projections::summary::Summary;
use candor_projections::trace::{Content, Trace};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::auth::Caller;
use super::control::{NoBody, note};
use super::endpoints::Endpoint;
use super::extract::{Body, Query, Run};
use super::problem::Problem;
use super::{Shared, control};

/// Content type of Prometheus' text format.
const PROMETHEUS: &str = "text/plain; version=0.0.4; charset=utf-8";

/// The endpoints of this file.
pub(super) fn endpoints() -> Vec<Endpoint> {
    let mut all = vec![
        Endpoint::get("/api/v1/kpis", "getKpis", "Show key figures with their targets", get(kpis))
            .query::<SinceQuery>()
            .answers::<Kpis>(),
        Endpoint::get(
            "/api/v1/metrics",
            "getRunMetrics",
            "Show how phases, tools and models did",
            get(run_metrics),
        )
        .query::<MetricsQuery>(),
        Endpoint::get("/api/v1/alerts", "listAlerts", "List alerts", get(alerts))
            .query::<AlertsQuery>()
            .answers::<Alerts>(),
        Endpoint::post(
            "/api/v1/alerts/{alert}/ack",
            Scope::Answer,
            "acknowledgeAlert",
            "Say that you look into an active alert",
            post(acknowledge),
        )
        .body::<NoBody>()
        .answers::<ActiveAlert>(),
        Endpoint::get("/api/v1/cost", "getSpending", "Show what runs spent", get(cost))
            .query::<SinceQuery>()
            .answers::<SpendReport>(),
        Endpoint::get(
            "/api/v1/efficiency",
            "getEfficiency",
            "Show what tokens and money bought",
            get(efficiency),
        )
        .query::<SinceQuery>()
        .answers::<EfficiencyReport>(),
        Endpoint::get(
            "/api/v1/dashboard",
            "getDashboard",
            "Show the run that changed last and the installation at a glance",
            get(dashboard),
        )
        .answers::<Dashboard>(),
        Endpoint::get(
            "/api/v1/runs/{run}/dashboard",
            "getRunDashboard",
            "Show a run and the installation at a glance",
            get(dashboard_of),
        )
        .answers::<Dashboard>(),
        Endpoint::get("/api/v1/summary", "getSummary", "Show a period in one record", get(summary))
            .query::<SinceQuery>()
            .answers::<Summary>(),
        Endpoint {
            media: "text/plain",
            ..Endpoint::get("/metrics", "getMetrics", "Show figures for Prometheus", get(metrics))
        },
        Endpoint::get("/api/v1/webhooks", "listWebhooks", "List who is told of events", get(webhooks))
            .answers::<Webhooks>(),
    ];
    all.extend(of_runs());
    all.extend(of_schedules());
    all
}

fn of_runs() -> Vec<Endpoint> {
    vec![
        Endpoint::post(
            "/api/v1/runs/{run}/feedback",
            Scope::Answer,
            "rateRun",
            "Say what you think of a run",
            post(rate),
        )
        .body::<RatingBody>()
        .answers::<Feedback>(),
        Endpoint::get("/api/v1/runs/{run}/trace", "getTrace", "Show a run as a trace", get(trace))
            .query::<TraceQuery>()
            .answers::<Trace>(),
        Endpoint::get(
            "/api/v1/runs/{run}/artifacts",
            "listArtifacts",
            "List what a run produced",
            get(artifacts),
        )
        .answers::<Artifacts>(),
        Endpoint::get(
            "/api/v1/runs/{run}/artifacts/{artifact}",
            "getArtifact",
            "Show one output of a run",
            get(artifact),
        )
        .answers::<ArtifactContent>(),
    ]
}

fn of_schedules() -> Vec<Endpoint> {
    let act = |path, id, summary, handler| {
        Endpoint::post(path, Scope::Admin, id, summary, handler).body::<NoBody>()
    };
    vec![
        Endpoint::get("/api/v1/schedules", "listSchedules", "List schedules", get(schedules))
            .answers::<Schedules>(),
        act(
            "/api/v1/schedules/{schedule}/pause",
            "pauseSchedule",
            "Begin nothing by a schedule until it is resumed",
            post(pause),
        )
        .answers::<ScheduleChanged>(),
        act("/api/v1/schedules/{schedule}/resume", "resumeSchedule", "Go on with a schedule", post(resume))
            .answers::<ScheduleChanged>(),
        Endpoint {
            status: 201,
            ..act(
                "/api/v1/schedules/{schedule}/trigger",
                "triggerSchedule",
                "Begin a run of a schedule now",
                post(trigger),
            )
            .answers::<control::Accepted>()
        },
    ]
}

/// How far back.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SinceQuery {
    /// A number with h, d or w, such as 7d.
    #[serde(default)]
    #[schemars(regex(pattern = r"^[1-9][0-9]{0,3}[hdw]$"))]
    pub(super) since: Option<String>,
}

impl SinceQuery {
    pub(super) fn age(&self) -> Result<Option<Age>, Problem> {
        let read =
            |since: &String| since.parse().map_err(|error| Problem::bad_request(format!("since: {error}")));
        self.since.as_ref().map(read).transpose()
    }
}

/// Key figures and what follows from them.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Kpis {
    /// Key figures with their targets.
    report: KpiReport,
    /// The alerts that are active.
    alerts: Vec<ActiveAlert>,
}

async fn kpis(State(server): State<Shared>, Query(query): Query<SinceQuery>) -> Result<Json<Kpis>, Problem> {
    let (report, book) = server.service.kpis(query.age()?).await?;
    Ok(Json(Kpis { report, alerts: book.active }))
}

/// Over which runs.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct MetricsQuery {
    /// Only runs that began so long ago at most: a number with h, d or w, such as 7d. All runs if unset.
    #[serde(default)]
    #[schemars(regex(pattern = r"^[1-9][0-9]{0,3}[hdw]$"))]
    since: Option<String>,
    /// Add a line for each run.
    #[serde(default)]
    all: Option<bool>,
}

async fn run_metrics(
    State(server): State<Shared>,
    Query(MetricsQuery { since, all }): Query<MetricsQuery>,
) -> Result<Json<Value>, Problem> {
    let report = server.service.run_metrics(SinceQuery { since }.age()?).await?;
    Ok(Json(report.to_json(all.unwrap_or(false))?))
}

/// Which alerts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AlertsQuery {
    /// Those that were cleared too.
    #[serde(default)]
    all: Option<bool>,
}

/// Alerts, the latest first.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Alerts {
    /// Those that are active.
    active: Vec<ActiveAlert>,
    /// Every change; only if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    history: Option<Vec<AlertChange>>,
}

async fn alerts(
    State(server): State<Shared>,
    Query(query): Query<AlertsQuery>,
) -> Result<Json<Alerts>, Problem> {
    let (_, book) = server.service.kpis(None).await?;
    let history = query.all.unwrap_or(false).then_some(book.history);
    Ok(Json(Alerts { active: book.active, history }))
}

/// Puts on record that the caller looks into an alert.
pub(super) async fn acknowledge_alert(
    server: &Shared,
    caller: &Caller,
    name: &str,
) -> Result<ActiveAlert, Problem> {
    let alert = server.service.acknowledge_alert(name, &caller.name).await?;
    note(server, caller, "acknowledge_alert", None, name.to_owned()).await;
    Ok(alert)
}

async fn acknowledge(
    State(server): State<Shared>,
    Extension(caller): Extension<Caller>,
    Path(path): Path<Vec<(String, String)>>,
    Body(NoBody {}): Body<NoBody>,
) -> Result<(StatusCode, Json<ActiveAlert>), Problem> {
    let alert = acknowledge_alert(&server, &caller, &named(path, "alert")).await?;
    Ok((StatusCode::ACCEPTED, Json(alert)))
}

async fn cost(
    State(server): State<Shared>,
    Query(query): Query<SinceQuery>,
) -> Result<Json<SpendReport>, Problem> {
    Ok(Json(server.service.spending(query.age()?).await?))
}

async fn efficiency(
    State(server): State<Shared>,
    Query(query): Query<SinceQuery>,
) -> Result<Json<EfficiencyReport>, Problem> {
    Ok(Json(server.service.efficiency(query.age()?).await?.0))
}

async fn summary(
    State(server): State<Shared>,
    Query(query): Query<SinceQuery>,
) -> Result<Json<Summary>, Problem> {
    Ok(Json(server.service.efficiency(query.age()?).await?.1))
}

async fn dashboard(State(server): State<Shared>) -> Result<Json<Dashboard>, Problem> {
    Ok(Json(server.service.board(None).await?))
}

async fn dashboard_of(State(server): State<Shared>, Run(run): Run) -> Result<Json<Dashboard>, Problem> {
    Ok(Json(server.service.board(Some(&run)).await?))
}

/// What somebody thinks of a run.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RatingBody {
    /// From 1, the worst, to 5, the best.
    #[schemars(range(min = 1, max = 5))]
    rating: u8,
    /// What they say of it.
    #[serde(default)]
    text: Option<String>,
}

async fn rate(
    State(server): State<Shared>,
    Extension(caller): Extension<Caller>,
    Run(run): Run,
    Body(RatingBody { rating, text }): Body<RatingBody>,
) -> Result<(StatusCode, Json<Feedback>), Problem> {
    let feedback = server.service.rate(&run, rating, text, &caller.name).await?;
    note(&server, &caller, "rate", Some(&run), rating.to_string()).await;
    Ok((StatusCode::ACCEPTED, Json(feedback)))
}

async fn metrics(State(server): State<Shared>) -> Result<Response, Problem> {
    Ok(([(header::CONTENT_TYPE, PROMETHEUS)], server.service.prometheus().await?).into_response())
}

/// What a trace has.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct TraceQuery {
    /// With requests, answers, and prompts where they were kept.
    #[serde(default)]
    content: Option<bool>,
}

async fn trace(
    State(server): State<Shared>,
    Run(run): Run,
    Query(query): Query<TraceQuery>,
) -> Result<Json<Trace>, Problem> {
    let content = if query.content.unwrap_or(false) { Content::With } else { Content::Without };
    Ok(Json(server.service.trace(&run, content).await?))
}

/// What a run produced.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Artifacts {
    /// Id of the run.
    run_id: RunId,
    /// Its outputs, in the order of its plan.
    artifacts: Vec<Artifact>,
}

async fn artifacts(State(server): State<Shared>, Run(run): Run) -> Result<Json<Artifacts>, Problem> {
    let made = server.service.artifacts(&run).await?;
    Ok(Json(Artifacts { run_id: run, artifacts: made.into_iter().map(|made| made.artifact).collect() }))
}

async fn artifact(
    State(server): State<Shared>,
    Run(run): Run,
    Path(path): Path<Vec<(String, String)>>,
) -> Result<Json<ArtifactContent>, Problem> {
    let id = named(path, "artifact");
    let mut made = server.service.artifacts(&run).await?.into_iter();
    let found = made.find(|made| made.artifact.artifact_id == id);
    found.map(Json).ok_or_else(|| Problem::not_found("the run has no such output"))
}

/// Who is told of events.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Webhooks {
    webhooks: Vec<WebhookView>,
}

async fn webhooks(State(server): State<Shared>) -> Result<Json<Webhooks>, Problem> {
    Ok(Json(Webhooks { webhooks: server.service.webhooks().await? }))
}

/// What begins by the clock.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Schedules {
    schedules: Vec<ScheduleView>,
}

async fn schedules(State(server): State<Shared>) -> Result<Json<Schedules>, Problem> {
    Ok(Json(Schedules { schedules: server.service.schedules().await? }))
}

/// A schedule was paused or resumed.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ScheduleChanged {
    /// Name of the schedule.
    schedule: String,
    /// Whether nothing begins by it.
    paused: bool,
}

/// What is done to a schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ScheduleAct {
    Pause,
    Resume,
    Trigger,
}

/// Does something to a schedule; returns the run that began, if one did.
pub(super) async fn act_on_schedule(
    server: &Shared,
    caller: &Caller,
    name: &str,
    act: ScheduleAct,
) -> Result<Option<RunId>, Problem> {
    let (by, detail) = (caller.name.as_str(), name.to_owned());
    match act {
        ScheduleAct::Pause => {
            server.service.pause_schedule(name, by).await?;
            note(server, caller, "pause_schedule", None, detail).await;
            Ok(None)
        }
        ScheduleAct::Resume => {
            server.service.resume_schedule(name, by).await?;
            note(server, caller, "resume_schedule", None, detail).await;
            Ok(None)
        }
        ScheduleAct::Trigger => {
            let run = server.service.trigger_schedule(name).await?;
            note(server, caller, "trigger_schedule", Some(&run), detail).await;
            Ok(Some(run))
        }
    }
}

async fn changed(
    server: &Shared,
    caller: &Caller,
    path: Vec<(String, String)>,
    act: ScheduleAct,
) -> Result<(StatusCode, Json<ScheduleChanged>), Problem> {
    let schedule = named(path, "schedule");
    act_on_schedule(server, caller, &schedule, act).await?;
    let paused = act == ScheduleAct::Pause;
    Ok((StatusCode::ACCEPTED, Json(ScheduleChanged { schedule, paused })))
}

async fn pause(
    State(server): State<Shared>,
    Extension(caller): Extension<Caller>,
    Path(path): Path<Vec<(String, String)>>,
    Body(NoBody {}): Body<NoBody>,
) -> Result<(StatusCode, Json<ScheduleChanged>), Problem> {
    changed(&server, &caller, path, ScheduleAct::Pause).await
}

async fn resume(
    State(server): State<Shared>,
    Extension(caller): Extension<Caller>,
    Path(path): Path<Vec<(String, String)>>,
    Body(NoBody {}): Body<NoBody>,
) -> Result<(StatusCode, Json<ScheduleChanged>), Problem> {
    changed(&server, &caller, path, ScheduleAct::Resume).await
}

async fn trigger(
    State(server): State<Shared>,
    Extension(caller): Extension<Caller>,
    Path(path): Path<Vec<(String, String)>>,
    Body(NoBody {}): Body<NoBody>,
) -> Result<(StatusCode, Json<control::Accepted>), Problem> {
    let schedule = named(path, "schedule");
    let begun = act_on_schedule(&server, &caller, &schedule, ScheduleAct::Trigger).await?;
    let run = begun.ok_or_else(|| Problem::not_found("nothing began"))?;
    Ok((StatusCode::CREATED, Json(control::accepted(&server, run).await?)))
}

/// A part of the path.
pub(super) fn named(path: Vec<(String, String)>, name: &str) -> String {
    path.into_iter().find(|(known, _)| known == name).map(|(_, value)| value).unwrap_or_default()
}
