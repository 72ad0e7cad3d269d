//! What requests carry: a body as JSON, a query, a run in the path. What cannot be read is a problem with its place.

use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{FromRequest, FromRequestParts, Path, Request};
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use candor_model::RunId;
use serde::de::DeserializeOwned;

use super::Shared;
use super::problem::Problem;

/// A body as JSON.
pub(super) struct Body<T>(pub(super) T);

impl<T: DeserializeOwned> FromRequest<Shared> for Body<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &Shared) -> Result<Self, Problem> {
        let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        let is_json = kind.is_some_and(|kind| {
            kind.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"))
        });
        if !is_json {
            let detail = "the body must be JSON, with `Content-Type: application/json`";
            return Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "not-json", detail));
        }
        let bytes = Bytes::from_request(request, state).await.map_err(|rejection| unread(&rejection))?;
        parsed(&bytes).map(Self)
    }
}

/// Reads JSON; an empty body is an empty object, so that a request without options needs none.
fn parsed<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    serde_json::from_slice(bytes)
        .map_err(|error| Problem::invalid(format!("the body cannot be read: {error}")))
}

/// Why a body could not be read.
pub(super) fn unread(rejection: &BytesRejection) -> Problem {
    match rejection.status() {
        StatusCode::PAYLOAD_TOO_LARGE => Problem::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "too-large",
            "the body is larger than this server reads",
        ),
        _ => Problem::bad_request("the body could not be read"),
    }
}

/// The parameters after the question mark; one that is unknown is an error.
pub(super) struct Query<T>(pub(super) T);

impl<T: DeserializeOwned> FromRequestParts<Shared> for Query<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &Shared) -> Result<Self, Problem> {
        let read = axum::extract::Query::<T>::from_request_parts(parts, state).await;
        read.map(|axum::extract::Query(query)| Self(query))
            .map_err(|error| Problem::bad_request(format!("the query cannot be read: {}", error.body_text())))
    }
}

/// The run that the path names, which exists.
pub(super) struct Run(pub(super) RunId);

impl FromRequestParts<Shared> for Run {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &Shared) -> Result<Self, Problem> {
        let path = Path::<Vec<(String, String)>>::from_request_parts(parts, state).await;
        let named = path.ok().and_then(|Path(parts)| parts.into_iter().find(|(name, _)| name == "run"));
        let unknown = || Problem::not_found("there is no such run");
        let run = named.and_then(|(_, run)| RunId::new(run).ok()).ok_or_else(unknown)?;
        if state.service.exists(&run).await? { Ok(Self(run)) } else { Err(unknown()) }
    }
}
