//! What all components have in common: a name, one thing that they do, and errors that never escape.

use std::future::Future;
use std::time::Instant;

use candor_model::JsonMap;
use candor_ports::BoxFuture;

use super::response::AgentResponse;

/// A component of the code agent. Whatever goes wrong in it is told in its response.
pub trait Component<I>: Send + Sync {
    /// What it is called: its type, if it does not say otherwise.
    fn name(&self) -> &'static str {
        let whole = std::any::type_name::<Self>();
        let plain = whole.split('<').next().unwrap_or(whole);
        plain.rsplit("::").next().unwrap_or(plain)
    }

    /// Answers, or says what kept it from answering.
    fn execute<'a>(&'a self, input: &'a I) -> BoxFuture<'a, AgentResponse>;

    /// What it found, in a few words for the chain of work; never a value of the workflow.
    fn summary(&self, data: &JsonMap) -> String {
        let _ = data;
        String::new()
    }
}

/// What something gave, and how long it took.
#[derive(Debug, Clone, PartialEq)]
pub struct Timed<T> {
    /// Answer of the component.
    pub result: T,
    /// How long it took.
    pub ms: f64,
}

/// Does something, and measures how long it takes.
pub async fn timed<T>(operation: impl Future<Output = T>) -> Timed<T> {
    let began = Instant::now();
    let result = operation.await;
    Timed { result, ms: began.elapsed().as_secs_f64() * 1_000.0 }
}

/// Does a component's part, and makes a response of whatever comes of it.
pub(super) async fn responding(
    name: &str,
    part: impl Future<Output = Result<JsonMap, String>>,
) -> AgentResponse {
    let Timed { result, ms } = timed(part).await;
    match result {
        Ok(data) => AgentResponse::found(name, data, ms),
        Err(error) => AgentResponse::failed(name, &error, ms),
    }
}
