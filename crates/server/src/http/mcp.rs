//! MCP over streamable HTTP at `/mcp`: the tools of `candor serve --mcp`, behind the server's own doors.
//!
//! Without sessions: every request carries its token and says everything, so that a client goes on after the server was
//! restarted, and a client that goes away leaves nothing behind. A call that waits is answered by a stream of events,
//! which also carries its progress; closing it ends the waiting, not the run.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::middleware;
use axum::response::Response;
use axum::routing::any;
use candor_app::tokens::Scope;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio_stream::StreamExt as _;

use super::problem::Problem;
use super::{Shared, guard, limits};
use crate::mcp::McpServer;
use crate::tools;

/// Adds the endpoint to a router.
pub(super) fn add(router: Router<Shared>, server: &Shared) -> Router<Shared> {
    let (http, all) = (Arc::clone(server), Arc::new(tools::all()));
    let factory = move || Ok(McpServer::over_http(Arc::clone(&http), Arc::clone(&all)));
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_max_request_body_bytes(limits::BODY)
        .with_cancellation_token(server.stop.child_token())
        // The guard has checked both already, against the names that this server knows.
        .disable_allowed_hosts()
        .disable_allowed_origins();
    let service = StreamableHttpService::new(factory, Arc::new(NeverSessionManager::default()), config);
    let answer = move |State(server): State<Shared>, request: Request| {
        let service = service.clone();
        async move {
            let permit = server.limits.stream()?;
            let response = service.handle(request).await;
            Ok::<_, Problem>(holding(permit, response.map(Body::new)))
        }
    };
    let admit = middleware::from_fn_with_state((Arc::clone(server), Scope::Read), guard::admit);
    router.route("/mcp", any(answer).layer(admit))
}

/// The same answer, which counts as an open stream until its body has ended.
fn holding(permit: limits::Permit, response: Response) -> Response {
    response.map(|body| {
        let pieces = body.into_data_stream().map(move |piece| {
            let _open = &permit;
            piece
        });
        Body::from_stream(pieces)
    })
}
