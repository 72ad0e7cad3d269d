//! Sending a trace: one post per place, and one per score for Langfuse. Ids are the same each time, so that a trace
//! that arrives twice is there once.

use std::time::Duration;

use candor_projections::trace::{Score, Trace};
use reqwest::{Client, RequestBuilder};
use serde_json::json;

use crate::otlp;
use crate::settings::{Endpoint, Targets};

/// How long one post may take.
const WITHIN: Duration = Duration::from_secs(10);

/// Why a trace was not delivered.
#[derive(Debug, thiserror::Error)]
pub enum SendError {
    /// No connection can be made at all.
    #[error("could not prepare to send traces: {0}")]
    Client(#[source] reqwest::Error),
    /// The place did not take it.
    #[error("could not send the trace to {url}: {problem}")]
    Refused {
        /// Address that refused it.
        url: String,
        /// What it said, or what went wrong on the way.
        problem: String,
    },
}

/// Sends a trace everywhere that it goes. It is delivered when every place has taken it.
pub async fn send(targets: &Targets, trace: &Trace, version: &str) -> Result<(), SendError> {
    // Whoever installed a provider before is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = Client::builder().timeout(WITHIN).build().map_err(SendError::Client)?;
    let body = otlp::request(trace, version);
    for endpoint in &targets.endpoints {
        let post =
            client.post(&endpoint.url).header("Content-Type", "application/x-protobuf").body(body.clone());
        deliver(with_headers(post, endpoint), &endpoint.url).await?;
        if let Some(url) = &endpoint.scores {
            for score in &trace.scores {
                let post =
                    client.post(url).header("Content-Type", "application/json").body(said(trace, score));
                deliver(with_headers(post, endpoint), url).await?;
            }
        }
    }
    Ok(())
}

fn with_headers(post: RequestBuilder, endpoint: &Endpoint) -> RequestBuilder {
    endpoint.headers.iter().fold(post, |post, (name, value)| post.header(name, value))
}

/// A score as Langfuse takes it. Its id makes a second one take the place of the first.
fn said(trace: &Trace, score: &Score) -> String {
    let score = json!({
        "id": format!("{}-{}", trace.trace_id, score.name),
        "traceId": trace.trace_id,
        "name": score.name,
        "value": score.value,
        "dataType": "NUMERIC",
        "comment": score.comment,
    });
    score.to_string()
}

async fn deliver(post: RequestBuilder, url: &str) -> Result<(), SendError> {
    let refused = |problem: String| SendError::Refused { url: url.to_owned(), problem };
    let response = post.send().await.map_err(|error| refused(innermost(&error)))?;
    if response.status().is_success() {
        return Ok(());
    }
    let status = response.status();
    let said = response.text().await.unwrap_or_default();
    let said: String = said.chars().filter(|letter| !letter.is_control()).take(200).collect();
    Err(refused(format!("{status} {said}")))
}

/// The cause at the bottom: those above only repeat the address.
pub(crate) fn innermost(error: &dyn std::error::Error) -> String {
    let mut error = error;
    while let Some(source) = error.source() {
        error = source;
    }
    error.to_string()
}
