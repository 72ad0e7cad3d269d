//! `[[webhooks]]`: who is told of what happens, and how a receiver knows that it is us.

use std::collections::BTreeSet;
use std::path::Path;

use candor_telemetry::webhook;
use candor_text::{Sentence, both};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::AppError;

/// A receiver of events.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Webhook {
    /// Its name. How far it was told is kept under it.
    pub name: String,
    /// Where events are posted to.
    pub url: String,
    /// What it is told of; everything if unset.
    #[serde(default = "WebhookEvent::all")]
    pub events: Vec<WebhookEvent>,
    /// The environment variable that holds the secret with which events are signed.
    pub secret_env: String,
    /// How often an event is sent before it is given up.
    #[serde(default = "usual_attempts")]
    pub max_attempts: u32,
    /// Whether events may go to another machine without TLS.
    #[serde(default)]
    pub plain_http: bool,
}

/// What a receiver can be told of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WebhookEvent {
    /// A run has come to its end.
    RunEnded,
    /// A run asks a person something.
    QuestionOpened,
    /// An alert was raised or cleared.
    Alert,
}

impl WebhookEvent {
    /// Its name, as it is configured and sent.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::RunEnded => "run_ended",
            Self::QuestionOpened => "question_opened",
            Self::Alert => "alert",
        }
    }

    fn all() -> Vec<Self> {
        vec![Self::RunEnded, Self::QuestionOpened, Self::Alert]
    }
}

/// With pauses that double from a second to ten minutes, twenty attempts take about two hours.
const fn usual_attempts() -> u32 {
    20
}

/// Checks what serde cannot: names that differ, and addresses that events may go to.
pub(super) fn check(path: &Path, webhooks: &[Webhook]) -> Result<(), AppError> {
    let mut seen = BTreeSet::new();
    for (n, hook) in (1..).zip(webhooks) {
        let named = |problem: Sentence| {
            AppError::usage(problem.after(format_args!(
                "{}, [[webhooks]] {n} ({}): ",
                path.display(),
                hook.name
            )))
        };
        if hook.name.trim().is_empty() || !seen.insert(&hook.name) {
            return Err(named(both!(
                "every webhook needs a name of its own",
                "cada webhook necesita un nombre propio"
            )));
        }
        if hook.secret_env.trim().is_empty() {
            return Err(named(both!(
                "secret_env names the environment variable that holds the secret",
                "secret_env nombra la variable de entorno que contiene el secreto"
            )));
        }
        if hook.max_attempts == 0 || hook.events.is_empty() {
            return Err(named(both!(
                "nothing would ever be sent: max_attempts and events must not be empty",
                "nunca se enviaría nada: max_attempts y events no deben estar vacíos"
            )));
        }
        webhook::place(&hook.url, hook.plain_http).map_err(|problem| named(problem.into()))?;
    }
    Ok(())
}
