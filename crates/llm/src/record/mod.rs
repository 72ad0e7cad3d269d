//! Exchanges with models, kept as files and played back.
//!
//! Each is one JSON file, named by the digest of its request and a number, for a request may be made more than
//! once. Secrets are taken out before anything is written, and whoever records gets the cleaned answer too: a
//! run that is played back sees, byte for byte, what the recorded one saw.

mod digest;

use std::collections::HashMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use candor_model::{ModelFailure, Seconds};
use serde::{Deserialize, Serialize};

pub use digest::digest;

use crate::chat::{ChatAnswer, ChatRequest, Provider, TierConfig};
use crate::redact::Redactor;

/// How a client reaches its model.
#[derive(Debug, Clone, Default)]
pub enum Channel {
    /// Asks the provider and records nothing.
    #[default]
    Live,
    /// Over the network, and every exchange is kept.
    Recording(Arc<Recorder>),
    /// From what was kept: no network, no key.
    Replaying(Arc<Replayer>),
}

/// One exchange, as it is kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exchange {
    /// Whose model was asked.
    pub provider: Provider,
    /// Provider and model.
    pub model: String,
    /// What was asked, without secrets.
    pub request: ChatRequest,
    /// What was answered, without secrets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<ChatAnswer>,
    /// Why there is no answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<ModelFailure>,
    /// How long it took.
    pub duration_seconds: Seconds,
}

impl Exchange {
    /// An exchange with its secrets taken out.
    pub fn new(
        tier: &TierConfig,
        request: &ChatRequest,
        outcome: Result<ChatAnswer, ModelFailure>,
        duration_seconds: Seconds,
        redactor: &Redactor,
    ) -> Self {
        let clean = |text: &str| redactor.redact(text).into_owned();
        let (answer, failure) = match outcome {
            Ok(answer) => (Some(ChatAnswer { text: clean(&answer.text), ..answer }), None),
            Err(failure) => (None, Some(ModelFailure { message: clean(&failure.message), ..failure })),
        };
        let (provider, model) = (tier.provider, tier.model.clone());
        let request = request.redacted(redactor);
        Self { provider, model, request, answer, failure, duration_seconds }
    }

    /// What the caller gets.
    pub fn into_outcome(self) -> Result<ChatAnswer, ModelFailure> {
        match (self.answer, self.failure) {
            (_, Some(failure)) => Err(failure),
            (Some(answer), None) => Ok(answer),
            (None, None) => {
                Ok(ChatAnswer { text: String::new(), tokens: Default::default(), truncated: false })
            }
        }
    }
}

/// Keeps exchanges in a folder. A disk that is full costs the recording, never the run.
#[derive(Debug)]
pub struct Recorder {
    dir: PathBuf,
    numbers: Numbers,
    problem: OnceLock<String>,
}

impl Recorder {
    /// Keeps exchanges in this folder, which is made if it is not there.
    pub fn new(dir: impl Into<PathBuf>) -> Result<Self, String> {
        let dir = dir.into();
        fs::create_dir_all(&dir)
            .map_err(|error| format!("cannot make the folder {}: {error}", dir.display()))?;
        Ok(Self { dir, numbers: Numbers::default(), problem: OnceLock::new() })
    }

    /// Keeps one exchange: a whole file, or none and a word why.
    pub fn keep(&self, exchange: &Exchange) {
        if let Err(problem) = self.write(exchange) {
            // The first one says it all; the others follow from it.
            let _ = self.problem.set(problem);
        }
    }

    /// Why the recording is not complete, if it is not.
    #[must_use]
    pub fn problem(&self) -> Option<&str> {
        self.problem.get().map(String::as_str)
    }

    fn write(&self, exchange: &Exchange) -> Result<(), String> {
        let digest = digest::of(exchange.provider, &exchange.model, &exchange.request);
        // Recordings that are there already stay: a run that is resumed goes on after them.
        let path = loop {
            let path = file(&self.dir, &digest, self.numbers.next(&digest));
            if !path.exists() {
                break path;
            }
        };
        let text = serde_json::to_string_pretty(exchange).map_err(|error| error.to_string())?;
        write_whole(&path, &text)
            .map_err(|error| format!("cannot keep the recording {}: {error}", path.display()))
    }
}

/// Plays back what a [`Recorder`] kept.
#[derive(Debug)]
pub struct Replayer {
    dir: PathBuf,
    numbers: Numbers,
}

impl Replayer {
    /// Plays back what is in this folder.
    pub fn new(dir: impl Into<PathBuf>) -> Result<Self, String> {
        let dir = dir.into();
        if !dir.is_dir() {
            return Err(format!("there is no folder {} to play back", dir.display()));
        }
        Ok(Self { dir, numbers: Numbers::default() })
    }

    /// The next exchange for a request whose secrets are taken out already.
    pub fn next(&self, tier: &TierConfig, request: &ChatRequest) -> Result<Exchange, String> {
        let digest = digest(tier, request);
        let number = self.numbers.next(&digest);
        let path = file(&self.dir, &digest, number);
        let text = fs::read_to_string(&path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => format!(
                "the recording in {} lacks the step `{}` to {} (call {number} of {digest}): record the run again",
                self.dir.display(),
                request.schema_name,
                tier.name(),
            ),
            _ => format!("cannot read the recording {}: {error}", path.display()),
        })?;
        candor_model::from_json(&text).map_err(|error| format!("{}: {error}", path.display()))
    }
}

/// How often each request was made.
#[derive(Debug, Default)]
struct Numbers(Mutex<HashMap<String, u32>>);

impl Numbers {
    /// The number of this time, from 1.
    fn next(&self, digest: &str) -> u32 {
        let mut numbers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let number = numbers.entry(digest.to_owned()).or_default();
        *number = number.saturating_add(1);
        *number
    }
}

fn file(dir: &Path, digest: &str, number: u32) -> PathBuf {
    dir.join(format!("{digest}-{number}.json"))
}

/// A reader sees the whole file or none.
fn write_whole(path: &Path, text: &str) -> std::io::Result<()> {
    let draft = path.with_extension("tmp");
    let mut file = fs::File::create(&draft)?;
    file.write_all(text.as_bytes())?;
    file.write_all(b"\n")?;
    file.sync_all()?;
    fs::rename(&draft, path)
}
