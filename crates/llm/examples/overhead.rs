//! What a call through `ChatClient` takes above the very same HTTP exchange made with bare reqwest:
//! `cargo run --release -p candor-llm --example overhead`. Both in one run, in turns, on loopback.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::print_stdout, reason = "a measurement")]

use std::time::{Duration, Instant};

use candor_llm::chat::{ChatClient, ChatRequest, Provider, TierConfig};
use candor_llm::record::Channel;
use candor_model::Seconds;
use candor_testkit::model_server::{ModelServer, Reply};
use serde_json::json;
use tokio_util::sync::CancellationToken;

const ROUNDS: usize = 3_000;
/// What the issue allows.
const LIMIT: Duration = Duration::from_micros(300);

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let server = ModelServer::start().unwrap();
    let schema =
        json!({ "type": "object", "properties": { "name": { "type": "string" } }, "required": ["name"] });
    server.script(vec![Reply::json(json!({ "name": "a trip to Paris ".repeat(100) }))]);
    let tier = TierConfig {
        endpoint: Some(server.openai_url()),
        ..TierConfig::new(Provider::OpenAiCompatible, "scripted")
    };
    let client = ChatClient::new(tier, Channel::Live).unwrap();
    let request = ChatRequest {
        schema: Some(schema),
        ..ChatRequest::new("You plan. ".repeat(400), "Plan a trip. ".repeat(100), 512)
    };
    let chat = async || {
        let started = Instant::now();
        client.chat(&request, Seconds::whole(10), None, CancellationToken::new()).await.unwrap();
        started.elapsed()
    };
    chat().await;
    // The client above has installed the provider of TLS that reqwest needs.
    let http = reqwest::Client::builder().tcp_nodelay(true).build().unwrap();
    let url = format!("{}chat/completions", server.openai_url());
    let body = serde_json::to_vec(&server.seen()[0].body).unwrap();
    let bare = async || {
        let started = Instant::now();
        let post = http.post(&url).header("content-type", "application/json").body(body.clone());
        post.send().await.unwrap().bytes().await.unwrap();
        started.elapsed()
    };
    bare().await;
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        ours.push(chat().await);
        theirs.push(bare().await);
    }
    let (ours, theirs) = (median(ours), median(theirs));
    let over = ours.saturating_sub(theirs);
    let verdict = if over < LIMIT { "ok" } else { "TOO SLOW" };
    println!("chat {ours:?}, bare exchange {theirs:?}, overhead {over:?} (limit {LIMIT:?}): {verdict}");
    std::process::exit(i32::from(over >= LIMIT));
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}
