//! Candor as an agent for others: A2A, version 1.0, as JSON-RPC at `/a2a`, with its card at the usual place.
//!
//! A task is a run and has its name. What a run asks makes its task `input-required`, and a message to that task is the
//! answer; what the last tasks of a plan put out are its artifacts. A conversation (`contextId`) holds any number of
//! tasks. The id of a message is its idempotency key: sent again, it begins and answers nothing again.

mod call;
mod card;
mod conversations;
mod messages;
mod stream;
mod task;

use std::sync::Arc;

use a2a::A2AError;
use axum::Router;
use axum::middleware;
use axum::routing::{get, post};
use candor_app::AppError;
use candor_app::tokens::Scope;

use super::auth::Caller;
use super::problem::Problem;
use super::{Shared, guard};

/// Where requests are taken.
const ENDPOINT: &str = "/a2a";
/// Where the protocol looks for the card.
const CARD: &str = "/.well-known/agent-card.json";

/// Adds both to a router.
pub(super) fn add(router: Router<Shared>, server: &Shared) -> Router<Shared> {
    let admit = || middleware::from_fn_with_state((Arc::clone(server), Scope::Read), guard::admit);
    router.route(CARD, get(card::show).layer(admit())).route(ENDPOINT, post(call::call).layer(admit()))
}

/// Why a request was not carried out.
enum Refusal {
    /// Said in the protocol's own words.
    Rpc(A2AError),
    /// Said by HTTP: the token does not allow it, or there are too many streams.
    Http(Problem),
}

impl From<A2AError> for Refusal {
    fn from(error: A2AError) -> Self {
        Self::Rpc(error)
    }
}

impl From<Problem> for Refusal {
    fn from(problem: Problem) -> Self {
        let said = problem.detail();
        match problem.status() {
            404 => Self::Rpc(A2AError::new(a2a::error_code::TASK_NOT_FOUND, said)),
            409 => Self::Rpc(A2AError::unsupported_operation(said)),
            400 | 422 => Self::Rpc(A2AError::invalid_params(said)),
            403 | 429 => Self::Http(problem),
            _ => Self::Rpc(A2AError::internal(said)),
        }
    }
}

impl From<AppError> for Refusal {
    fn from(error: AppError) -> Self {
        Problem::from(error).into()
    }
}

/// Refuses a caller whose token does not allow this.
fn needs(caller: &Caller, scope: Scope) -> Result<(), Refusal> {
    if caller.scope >= scope {
        return Ok(());
    }
    let (has, needed) = (caller.scope.as_str(), scope.as_str());
    Err(Refusal::Http(Problem::forbidden(format!(
        "this takes a token of scope {needed}, and yours has {has}"
    ))))
}
