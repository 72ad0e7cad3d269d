//! Errors as problem details (RFC 9457): a stable code for programs, words for people, and nothing secret.

use std::fmt::Display;

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use candor_app::{AppError, AppErrorKind};
use schemars::JsonSchema;
use serde::Serialize;

use crate::error::ApiError;

/// Why a request was not carried out.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Problem {
    /// Names the kind of problem; the last part is its stable code.
    #[serde(rename = "type")]
    kind: String,
    /// The kind of problem in a few words.
    title: &'static str,
    /// Status code, the same as in the response's first line.
    status: u16,
    /// What happened and what to do.
    detail: String,
    #[serde(skip)]
    retry_after: Option<u64>,
}

impl Problem {
    pub(crate) fn new(status: StatusCode, code: &str, detail: impl Display) -> Self {
        Self {
            kind: format!("urn:candor:problem:{code}"),
            title: status.canonical_reason().unwrap_or("Error"),
            status: status.as_u16(),
            detail: detail.to_string(),
            retry_after: None,
        }
    }

    pub(crate) fn bad_request(detail: impl Display) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "bad-request", detail)
    }

    pub(crate) fn invalid(detail: impl Display) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, "invalid", detail)
    }

    pub(crate) fn not_found(detail: impl Display) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not-found", detail)
    }

    pub(crate) fn conflict(detail: impl Display) -> Self {
        Self::new(StatusCode::CONFLICT, "conflict", detail)
    }

    pub(crate) fn unauthorized() -> Self {
        let detail = "send a token as `Authorization: Bearer …`; the first one is in the file that `candor serve` names";
        Self::new(StatusCode::UNAUTHORIZED, "unauthorized", detail)
    }

    pub(crate) fn forbidden(detail: impl Display) -> Self {
        Self::new(StatusCode::FORBIDDEN, "forbidden", detail)
    }

    pub(crate) fn too_many(seconds: u64) -> Self {
        let detail = format!("too many requests; try again in {seconds} s");
        let retry_after = Some(seconds);
        Self { retry_after, ..Self::new(StatusCode::TOO_MANY_REQUESTS, "too-many-requests", detail) }
    }

    pub(crate) const fn status(&self) -> u16 {
        self.status
    }

    pub(crate) fn detail(&self) -> &str {
        &self.detail
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let body = serde_json::to_string(&self).unwrap_or_default();
        let mut response =
            (status, [(header::CONTENT_TYPE, "application/problem+json")], body).into_response();
        let headers = response.headers_mut();
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, header::HeaderValue::from_static("Bearer"));
        }
        if let Some(seconds) = self.retry_after {
            headers.insert(header::RETRY_AFTER, seconds.into());
        }
        response
    }
}

impl From<AppError> for Problem {
    fn from(error: AppError) -> Self {
        // Programs are answered in English.
        let message = error.to_string();
        match error.kind {
            AppErrorKind::Usage => Self::invalid(message),
            AppErrorKind::Refused | AppErrorKind::Busy => Self::conflict(message),
            AppErrorKind::NotFound => Self::not_found(message),
            AppErrorKind::Failed => Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", message),
        }
    }
}

impl From<ApiError> for Problem {
    fn from(error: ApiError) -> Self {
        Self::invalid(error.first_line())
    }
}
