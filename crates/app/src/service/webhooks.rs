//! Webhooks out: every receiver is told of what it asked for, in order, at least once.
//!
//! How far a receiver was told is on the stream `webhooks` of the installation: a server that is killed goes on there, and
//! what was sent without being noted is sent again under the same id. Each receiver has a task of its own, so that one
//! that is down holds up nobody else and no run.

use std::sync::Arc;
use std::time::Duration;

use candor_model::Timestamp;
use candor_ports::{LoggedEvent, Stream, StreamNote};
use candor_runtime::wall;
use candor_telemetry::webhook::{Delivery, Receiver, shown_place};
use candor_text::{Sentence, both};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::Shared;
use super::webhook_events::{self as events, Happened};
use crate::config::{Config, Webhook, WebhookEvent};
use crate::data::Log;
use crate::error::AppError;
use crate::observe;

/// The longest pause before an event is sent again, in seconds; the first is one second, and each is twice the last.
const LONGEST_PAUSE: u64 = 600;
/// So many events that concern nobody are passed before the place is noted: what a restart reads again is bounded by it.
const NOTED_EVERY: u64 = 5_000;
/// How often alerts of other processes are looked for.
const LOOK: Duration = Duration::from_secs(60);
/// How long to wait when the log cannot be read.
const AGAIN: Duration = Duration::from_secs(5);
/// How far back the state of a receiver is looked for before everything is read.
const RECENT_MS: i64 = 7 * 24 * 3_600_000;

/// How far a receiver was told, and how it does.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct WebhookState {
    /// The place among the events of all runs up to which everything was sent or given up.
    pub seq: u64,
    /// How many changes of alerts were sent or given up.
    pub alerts: u64,
    /// How many events were delivered.
    pub delivered: u64,
    /// How many events were given up.
    pub given_up: u64,
    /// The event that was delivered last.
    pub last_delivered: Option<LastDelivery>,
    /// Since when nothing could be delivered; absent if the last attempt succeeded.
    pub failing_since: Option<Timestamp>,
    /// Why the last attempt failed.
    pub error: Option<String>,
    /// How often the event that is next was sent in vain.
    pub attempts: u32,
    /// How many attempts failed in a row.
    pub failures: u32,
}

/// An event that was delivered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LastDelivery {
    /// Moment of the delivery.
    pub at: Timestamp,
    /// Id under which the receiver got it.
    pub id: String,
    /// What it told of.
    pub event: WebhookEvent,
}

/// A receiver as people see it: nothing of its secret, and of its address only the host.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct WebhookView {
    /// Name in the configuration.
    pub name: String,
    /// Where it is, without the path.
    pub place: String,
    /// What it is told of.
    pub events: Vec<WebhookEvent>,
    /// How often an event is sent before it is given up.
    pub max_attempts: u32,
    /// How far it was told; absent before a server first ran with it.
    pub state: Option<WebhookState>,
}

/// Every receiver, and how it does.
pub async fn views(config: &Config, log: Option<&Log>) -> Result<Vec<WebhookView>, AppError> {
    let mut views = Vec::new();
    for hook in &config.webhooks {
        let state = match log {
            Some(log) => state_of(log, &hook.name).await?,
            None => None,
        };
        let (name, place) = (hook.name.clone(), shown_place(&hook.url));
        let (events, max_attempts) = (hook.events.clone(), hook.max_attempts);
        views.push(WebhookView { name, place, events, max_attempts, state });
    }
    Ok(views)
}

/// The state of a receiver that was noted last.
async fn state_of(log: &Log, name: &str) -> Result<Option<WebhookState>, AppError> {
    let recent = Timestamp::from_millis(wall().as_millis().saturating_sub(RECENT_MS));
    for since in [recent, Timestamp::EPOCH] {
        let notes = log.notes(Stream::Webhooks, since).await?;
        if let Some(last) = notes.into_iter().rev().find(|note| note.key == name) {
            return Ok(serde_json::from_value(last.body).ok());
        }
    }
    Ok(None)
}

/// Every receiver with its secret, or what keeps it from being told anything.
pub(super) fn receivers(webhooks: &[Webhook]) -> Result<Vec<(Webhook, Receiver)>, AppError> {
    let with_secret = |hook: &Webhook| {
        let named =
            |problem: Sentence| AppError::usage(problem.after(format_args!("[[webhooks]] {}: ", hook.name)));
        let secret = std::env::var(&hook.secret_env).map_err(|_| {
            named(both!(
                "{} is not set; it holds the secret that signs events",
                "{} no está definida; contiene el secreto que firma los eventos",
                hook.secret_env
            ))
        })?;
        let receiver =
            Receiver::new(&hook.url, &secret, hook.plain_http).map_err(|problem| named(problem.into()))?;
        Ok((hook.clone(), receiver))
    };
    webhooks.iter().map(with_secret).collect()
}

/// Delivers events to one receiver, in order.
pub(super) struct Courier {
    shared: Arc<Shared>,
    hook: Webhook,
    receiver: Receiver,
    state: WebhookState,
    /// The place that was noted last.
    noted: u64,
}

impl Courier {
    pub(super) fn new(shared: Arc<Shared>, hook: Webhook, receiver: Receiver) -> Self {
        Self { shared, hook, receiver, state: WebhookState::default(), noted: 0 }
    }

    /// Tells the receiver for as long as the server runs.
    pub(super) async fn run(mut self) {
        let mut told = false;
        loop {
            if let Err(error) = self.follow().await
                && !std::mem::replace(&mut told, true)
            {
                tell!(
                    "webhook {}: {error}; it is tried again",
                    "webhook {}: {error}; se vuelve a intentar",
                    self.hook.name
                );
            }
            tokio::time::sleep(AGAIN).await;
        }
    }

    async fn follow(&mut self) -> Result<(), AppError> {
        match state_of(&self.shared.log, &self.hook.name).await? {
            Some(state) => self.state = state,
            None => {
                // What happened before somebody asked for it is not told.
                self.state.seq = self.shared.log.end().await?.0;
                self.state.alerts = observe::alerts(&self.shared.log).await?.history.len() as u64;
                self.note().await?;
            }
        }
        self.noted = self.state.seq;
        let wants_alerts = self.wants(WebhookEvent::Alert);
        let mut follower = self.shared.feed.follow(None, self.state.seq).await?;
        let mut judged = self.shared.alerts_judged.subscribe();
        // Its first tick is at once: alerts may have changed while no server ran.
        let mut look = tokio::time::interval(LOOK);
        loop {
            tokio::select! {
                event = follower.next() => {
                    let event = event?;
                    self.tell_event(&event).await?;
                }
                _ = judged.changed(), if wants_alerts => self.tell_alerts().await?,
                _ = look.tick(), if wants_alerts => self.tell_alerts().await?,
            }
        }
    }

    fn wants(&self, event: WebhookEvent) -> bool {
        self.hook.events.contains(&event)
    }

    async fn tell_event(&mut self, logged: &LoggedEvent) -> Result<(), AppError> {
        let mut told = false;
        if let Some(event) = events::of(logged) {
            let kind = if event.is_end() { WebhookEvent::RunEnded } else { WebhookEvent::QuestionOpened };
            let happened = match self.wants(kind) {
                true => events::happened(&self.shared.log, logged, &event).await?,
                false => None,
            };
            if let Some(happened) = happened {
                self.deliver(happened).await?;
                told = true;
            }
        }
        self.state.seq = logged.seq.0;
        if told || self.state.seq >= self.noted + NOTED_EVERY {
            self.note().await?;
        }
        Ok(())
    }

    /// Tells of alerts that were raised, acknowledged or cleared.
    async fn tell_alerts(&mut self) -> Result<(), AppError> {
        let history = observe::alerts(&self.shared.log).await?.history;
        let known = usize::try_from(self.state.alerts).unwrap_or(usize::MAX);
        for change in history.iter().rev().skip(known) {
            self.deliver(events::alert(change)?).await?;
            self.state.alerts += 1;
            self.note().await?;
        }
        Ok(())
    }

    /// Sends an event until it is delivered or given up. The caller notes what follows.
    async fn deliver(&mut self, Happened { event, id, at, data }: Happened) -> Result<(), AppError> {
        let mut body = json!({ "id": id, "type": event.as_str(), "timestamp": at, "data": data });
        self.shared.app.redactor().value(&mut body);
        let delivery = Delivery { id, body: body.to_string() };
        loop {
            let now = wall();
            match self.receiver.send(&delivery, now.as_millis() / 1000).await {
                Ok(()) => {
                    self.succeeded(now, event, delivery.id);
                    return Ok(());
                }
                Err(problem) => {
                    let given_up = self.failed(now, &delivery.id, &problem);
                    self.note().await?;
                    let doubled = 1_u64 << self.state.failures.saturating_sub(1).min(10);
                    tokio::time::sleep(Duration::from_secs(doubled.min(LONGEST_PAUSE))).await;
                    if given_up {
                        return Ok(());
                    }
                }
            }
        }
    }

    fn succeeded(&mut self, at: Timestamp, event: WebhookEvent, id: String) {
        let state = &mut self.state;
        if state.failing_since.take().is_some() {
            tell!("webhook {}: works again", "webhook {}: vuelve a funcionar", self.hook.name);
        }
        (state.attempts, state.failures, state.error) = (0, 0, None);
        state.delivered += 1;
        state.last_delivered = Some(LastDelivery { at, id, event });
    }

    /// Takes an attempt into account that failed; says whether the event is given up.
    fn failed(&mut self, at: Timestamp, id: &str, problem: &str) -> bool {
        let (name, most) = (&self.hook.name, self.hook.max_attempts);
        let problem = self.shared.app.redactor().text(problem).into_owned();
        let state = &mut self.state;
        state.attempts += 1;
        state.failures = state.failures.saturating_add(1);
        if state.failing_since.is_none() {
            state.failing_since = Some(at);
            tell!(
                "webhook {name}: {id} could not be delivered: {problem}; it is sent up to {most} times",
                "webhook {name}: no se pudo entregar {id}: {problem}; se envía hasta {most} veces"
            );
        }
        state.error = Some(problem);
        if state.attempts < most {
            return false;
        }
        tell!(
            "webhook {name}: {id} was given up after {most} attempts",
            "webhook {name}: se abandonó {id} tras {most} intentos"
        );
        (state.attempts, state.given_up) = (0, state.given_up + 1);
        true
    }

    async fn note(&mut self) -> Result<(), AppError> {
        let body = serde_json::to_value(&self.state).map_err(AppError::failed)?;
        let (stream, at, key) = (Stream::Webhooks, wall(), self.hook.name.clone());
        self.shared.log.append_note(StreamNote { stream, at, run: None, key, body }).await?;
        self.noted = self.state.seq;
        Ok(())
    }
}
