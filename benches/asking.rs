//! What asking a model costs above the HTTP exchange itself, against its target.
//!
//! A step of the fallback policy (prompt, exchange, repair, judgement, record) and the very same exchange made bare
//! take turns on loopback, so that a slow moment of the machine hits both.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a bench prints, and stops at once"
)]

use std::time::{Duration, Instant};

use candor_llm::chat::{Provider, TierConfig};
use candor_llm::record::Channel;
use candor_llm::{ModelsConfig, Tiers, json};
use candor_model::{AskStep, Seconds, Tier};
use candor_ports::{Ask, CallLimits, Models};
use candor_testkit::model_server::{ModelServer, Reply};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio_util::sync::CancellationToken;

const ROUNDS: usize = 2_000;
const TARGET: Duration = Duration::from_micros(300);

/// An answer as small models give it: prose, a fence, single quotes, trailing commas, a comment.
const DAMAGED: &str = r#"Sure! Here is the goal as JSON:

```json
{
  'goal_type': "travel_planning",
  "destination": "Paris", // the city
  "duration_days": 3,
  "budget": 2000,
  "preferences": ["museums", "a quiet hotel", 'good food',],
  "must": ["stay within the budget", "fly direct"],
  "success_criteria": ["Flights are booked", "A hotel for 3 nights is booked", "At least 5 activities are planned",],
}
```

Let me know if you need anything else!"#;

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only its shape is used")]
struct Goal {
    goal_type: String,
    destination: String,
    duration_days: u32,
    budget: f64,
    preferences: Vec<String>,
    must: Vec<String>,
    success_criteria: Vec<String>,
}

fn ask() -> Ask {
    let mut ask = Ask::expecting::<Goal>("parse_goal", Tier::Balanced);
    let request = "Plan a 3-day trip to Paris in May with a $2000 budget. ".repeat(10);
    let slots =
        [("today", "2025-11-03"), ("known_kinds", "travel_planning, research"), ("request", &request)];
    ask.slots = slots.into_iter().map(|(name, text)| (name, text.to_owned())).collect();
    ask
}

fn tiers(server: &ModelServer) -> Tiers {
    let tier = TierConfig {
        endpoint: Some(server.openai_url()),
        ..TierConfig::new(Provider::OpenAiCompatible, "scripted")
    };
    let config = ModelsConfig { balanced: Some(tier), ..ModelsConfig::default() };
    Tiers::new(&config, &Channel::Live).unwrap()
}

/// One step of the fallback policy; it must end in an answer that is used.
async fn step(tiers: &Tiers, ask: &Ask) -> Duration {
    let limits = CallLimits { within: Seconds::whole(10), max_output_tokens: ask.max_output_tokens };
    let started = Instant::now();
    let step = tiers.call(ask, &[], limits, None, CancellationToken::new()).await;
    let took = started.elapsed();
    assert!(matches!(step.outcome, AskStep::Accepted { .. }), "{step:?}");
    took
}

async fn asking() {
    let server = ModelServer::start().unwrap();
    server.script(vec![Reply::text(DAMAGED)]);
    let (tiers, ask) = (tiers(&server), ask());
    step(&tiers, &ask).await;
    // The tiers have installed the provider of TLS that reqwest needs.
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
        ours.push(step(&tiers, &ask).await);
        theirs.push(bare().await);
    }
    let (ours, theirs) = (median(ours), median(theirs));
    let over = ours.saturating_sub(theirs);
    let ratio = over.as_secs_f64() / TARGET.as_secs_f64();
    println!("asking: for information: a step {ours:.1?}, the exchange alone {theirs:.1?}");
    println!(
        "asking: a step above its exchange: {over:.1?}, target {TARGET:.0?}, ratio {ratio:.2} (at most 1)"
    );
}

fn reading() {
    let times = (0..ROUNDS).map(|_| {
        let started = Instant::now();
        std::hint::black_box(json::read(std::hint::black_box(DAMAGED)).unwrap());
        started.elapsed()
    });
    let took = median(times.collect());
    println!("asking: for information: read a damaged answer of {} bytes: {took:.1?}", DAMAGED.len());
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(asking());
    reading();
}
