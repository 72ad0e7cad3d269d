//! What every request goes through: host and origin, token and scope, rate and time; and the headers of every answer.

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use candor_app::tokens::Scope;

use super::listen::Peer;
use super::problem::Problem;
use super::{Shared, limits};

/// Headers of every answer. Scripts and styles come from this server only, and nothing may be framed.
const HEADERS: [(&str, &str); 8] = [
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    // Not `no-referrer`: with that, browsers call the origin of a form `null`, and our own forms could not be told from others.
    ("referrer-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("permissions-policy", "camera=(), geolocation=(), microphone=()"),
    ("cache-control", "no-store"),
    (
        "content-security-policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; \
         base-uri 'none'; frame-ancestors 'none'",
    ),
];

/// Lets those in whose token allows it.
pub(super) async fn admit(
    State((server, scope)): State<(Shared, Scope)>,
    mut request: Request,
    next: Next,
) -> Response {
    let headers = request.headers();
    let caller = server
        .doorkeeper
        .check_origin(headers)
        .and_then(|()| server.doorkeeper.caller(request.method(), headers));
    let caller = match caller {
        Ok(Some(caller)) => caller,
        Ok(None) => return stranger(&server, &request),
        Err(problem) => return problem.into_response(),
    };
    if caller.scope < scope {
        let (has, needs) = (caller.scope.as_str(), scope.as_str());
        let detail = format!("this takes a token of scope {needs}, and yours has {has}");
        return Problem::forbidden(detail).into_response();
    }
    if let Err(problem) = server.limits.request(&caller.name) {
        return problem.into_response();
    }
    request.extensions_mut().insert(caller);
    next.run(request).await
}

/// Somebody without a token: a person is shown where to log in, a program is told what is missing.
fn stranger(server: &Shared, request: &Request) -> Response {
    let peer = request.extensions().get::<Peer>().map(|peer| peer.0.ip());
    let offers = request.headers().contains_key(header::AUTHORIZATION);
    if let Some(problem) = peer.filter(|_| offers).and_then(|peer| server.limits.failure(peer).err()) {
        return problem.into_response();
    }
    if !offers && request.method().is_safe() && wants_page(request.headers()) {
        return Redirect::to("/login").into_response();
    }
    Problem::unauthorized().into_response()
}

/// Whether a browser asks for a page.
pub(super) fn wants_page(headers: &HeaderMap) -> bool {
    let accept = headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok());
    accept.is_some_and(|accept| accept.contains("text/html"))
}

/// Refuses other hosts and origins where no token is needed.
pub(super) async fn same_site(State(server): State<Shared>, request: Request, next: Next) -> Response {
    match server.doorkeeper.check_origin(request.headers()) {
        Ok(()) => next.run(request).await,
        Err(problem) => problem.into_response(),
    }
}

/// Bounds the time of a request, and adds the headers of every answer.
pub(super) async fn around(request: Request, next: Next) -> Response {
    let mut response = match tokio::time::timeout(limits::REQUEST, next.run(request)).await {
        Ok(response) => response,
        Err(_) => {
            let detail = "the request took too long; what it began goes on";
            Problem::new(StatusCode::REQUEST_TIMEOUT, "too-slow", detail).into_response()
        }
    };
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.entry(HeaderName::from_static(name)).or_insert(HeaderValue::from_static(value));
    }
    response
}
