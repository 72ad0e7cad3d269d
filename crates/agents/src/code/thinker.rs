//! How components think: one question under a name that makes it free to ask again.

use std::sync::Arc;

use candor_model::{AgentNote, Failure, FailureKind, Money, Seconds};
use candor_ports::{Ask, AttemptContext, BoxFuture};
use serde_json::Value;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::model::failure_of_ask;

/// What is left of the time when an answer is not waited for any longer.
const MARGIN_MS: u64 = 200;

/// Whoever answers the components' questions.
pub trait Thinker: Send + Sync {
    /// Answers a question. What was answered under a name is not asked again.
    fn ask<'a>(&'a self, name: String, ask: Ask) -> BoxFuture<'a, Result<Value, String>>;

    /// What the question of this name has cost.
    fn spent(&self, name: &str) -> Money {
        let _ = name;
        Money::ZERO
    }

    /// Why no model answered the question of this name.
    fn failure(&self, name: &str) -> Failure {
        let _ = name;
        Failure::new(FailureKind::Unavailable, "no model answered")
    }

    /// Which model answered the question of this name.
    fn model(&self, name: &str) -> Option<String> {
        let _ = name;
        None
    }

    /// Whether there is anyone to ask.
    fn has_models(&self) -> bool {
        true
    }
}

/// The models of a cx, within the money and the time of one attempt.
pub struct DeskThinker {
    cx: Arc<dyn AttemptContext>,
    role: String,
    attempt: u32,
    most: Money,
    deadline: Instant,
    stop: CancellationToken,
}

impl DeskThinker {
    /// The models of this cx for one attempt at a task, which costs at most so much.
    #[must_use]
    pub fn new(
        cx: Arc<dyn AttemptContext>,
        attempt: u32,
        most: Money,
        deadline: Instant,
        stop: CancellationToken,
    ) -> Self {
        Self { cx, role: String::new(), attempt, most, deadline, stop }
    }

    /// The same in a role, of which every model is told.
    #[must_use]
    pub fn in_role(mut self, role: &str) -> Self {
        role.clone_into(&mut self.role);
        self
    }

    /// A new attempt at the task asks anew; the same attempt in another process does not.
    fn full_name(&self, name: &str) -> String {
        format!("a{}/{name}", self.attempt)
    }

    /// Everything that this attempt has paid for.
    pub(super) fn spent_in_all(&self) -> Money {
        let notes = self.cx.notes();
        let own = notes.iter().filter(|noted| noted.attempt == self.attempt);
        own.map(|noted| noted.note.cost()).sum()
    }

    async fn consult(&self, name: String, mut ask: Ask) -> Result<Value, String> {
        ask.role.clone_from(&self.role);
        let left = self.most.saturating_sub(self.spent_in_all());
        let time = self.deadline.saturating_duration_since(Instant::now());
        let within = u64::try_from(time.as_millis()).unwrap_or(u64::MAX).saturating_sub(MARGIN_MS);
        tokio::select! {
            // A cx that is stopped in a call would give the question up for good.
            biased;
            () = self.stop.cancelled() => Err("it was stopped".to_owned()),
            answer = self.cx.consult(self.full_name(&name), ask, left, Seconds::from_millis(within)) => answer,
        }
    }
}

impl Thinker for DeskThinker {
    fn ask<'a>(&'a self, name: String, ask: Ask) -> BoxFuture<'a, Result<Value, String>> {
        Box::pin(self.consult(name, ask))
    }

    fn spent(&self, name: &str) -> Money {
        let full = self.full_name(name);
        let of_name = |note: &AgentNote| matches!(note, AgentNote::Consulted { ask, .. } if *ask == full);
        self.cx.notes().iter().filter(|noted| of_name(&noted.note)).map(|noted| noted.note.cost()).sum()
    }

    fn failure(&self, name: &str) -> Failure {
        failure_of_ask(&self.cx.notes(), &self.full_name(name))
    }

    fn model(&self, name: &str) -> Option<String> {
        let full = self.full_name(name);
        self.cx.notes().into_iter().rev().find_map(|noted| match noted.note {
            AgentNote::Consulted { ask, step, .. } if ask == full => step.call.map(|call| call.model),
            _ => None,
        })
    }

    fn has_models(&self) -> bool {
        self.cx.has_models()
    }
}
