//! Answers that concern the installation: health, agents, tools, packs, configuration, audit.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Shared;
use super::audit::AuditEntry;
use super::extract::Query;
use super::problem::Problem;

/// How many entries are given out if nobody says.
const USUAL: u32 = 100;

/// Answers as long as the process does.
pub(super) async fn health() -> Json<Value> {
    Json(json!({ "status": "ok", "version": env!("CARGO_PKG_VERSION") }))
}

/// The log can be read, and interrupted runs were taken up.
pub(super) async fn ready(State(server): State<Shared>) -> (StatusCode, Json<Value>) {
    let taken_up = server.is_ready();
    let readable = server.service.latest(1).await.is_ok();
    let status = if taken_up && readable { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (status, Json(json!({ "log": readable, "interrupted_runs_resumed": taken_up })))
}

pub(super) async fn agents(State(server): State<Shared>) -> Result<Json<Value>, Problem> {
    Ok(Json(server.service.agents().await?))
}

pub(super) async fn tools(State(server): State<Shared>) -> Result<Json<Value>, Problem> {
    Ok(Json(server.service.tools().await?))
}

pub(super) async fn packs(State(server): State<Shared>) -> Json<Value> {
    Json(server.service.packs())
}

pub(super) async fn config(State(server): State<Shared>) -> Result<Json<Value>, Problem> {
    Ok(Json(server.service.configuration()?))
}

/// How many entries.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AuditQuery {
    /// Maximum number of entries; 100 if unset.
    #[serde(default)]
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<u32>,
}

/// Who did what, the last first.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct AuditList {
    entries: Vec<AuditEntry>,
}

pub(super) async fn audit(
    State(server): State<Shared>,
    Query(query): Query<AuditQuery>,
) -> Result<Json<AuditList>, Problem> {
    let limit = query.limit.unwrap_or(USUAL);
    if !(1..=1000).contains(&limit) {
        return Err(Problem::bad_request("limit is a number from 1 to 1000"));
    }
    Ok(Json(AuditList { entries: server.audit.latest(limit as usize).await? }))
}
