//! Running code in the sandbox, and saying in plain words what came of it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use candor_model::{Failure, FailureKind, JsonMap, Money, WorkStep};
use candor_ports::{CodeJob, CodeOutcome, CodeResult, CodeRun, CodeRunner};
use candor_react::{redact, shorten};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::words::Words;

/// What it is called in the chain of work.
pub(super) const SANDBOX: &str = "sandbox";
/// How much of what a program printed is kept.
const PRINTED_CHARS: usize = 2_000;
/// How much of an error is told to a model.
const ERROR_CHARS: usize = 2_000;

/// The sandbox, as the components use it.
#[derive(Clone)]
pub(super) struct Sandbox {
    pub(super) runner: Arc<dyn CodeRunner>,
    pub(super) words: Words,
    pub(super) stop: CancellationToken,
}

/// What came of a run.
#[derive(Debug, Clone)]
pub(super) struct Ran {
    /// The result, or why there is none.
    pub(super) result: Result<JsonMap, Box<Failure>>,
    /// Standard output of the program.
    pub(super) stdout: String,
    stderr: String,
    warnings: Vec<String>,
    pub(super) duration_ms: f64,
}

impl Sandbox {
    /// Runs code in the sandbox with limits and a deadline.
    pub(super) async fn run(
        &self,
        code: &str,
        context: &JsonMap,
        result: CodeResult,
        timeout: Duration,
    ) -> Ran {
        let job = CodeJob { code: code.to_owned(), context: context.clone(), result, timeout };
        let began = Instant::now();
        let run = self.runner.run(&job, self.stop.clone()).await;
        let duration_ms = began.elapsed().as_secs_f64() * 1_000.0;
        match run {
            Ok(run) => self.ran(run, timeout, duration_ms),
            Err(fault) => Ran {
                result: Err(Box::new(in_words(fault.0, |reason| {
                    self.words.fault(self.runner.name(), reason)
                }))),
                stdout: String::new(),
                stderr: String::new(),
                warnings: Vec::new(),
                duration_ms,
            },
        }
    }

    fn ran(&self, run: CodeRun, timeout: Duration, duration_ms: f64) -> Ran {
        let CodeRun { outcome, stdout, stderr, warnings, .. } = run;
        let words = self.words;
        let failed = |kind, text: String| Failure::new(kind, cut(&text, ERROR_CHARS));
        let failure = match outcome {
            CodeOutcome::Finished { result } => {
                return Ran { result: Ok(result), stdout, stderr, warnings, duration_ms };
            }
            CodeOutcome::Raised { name, text, line, trace } => {
                let text = words.raised(self.runner.name(), &name, &text, line);
                failed(FailureKind::TaskError, text).with_detail(cut(&redact(&trace), ERROR_CHARS))
            }
            CodeOutcome::NoResult { reason } => failed(FailureKind::BadOutput, words.no_result(&reason)),
            CodeOutcome::BadResult { reason } => failed(FailureKind::BadOutput, words.bad_result(&reason)),
            CodeOutcome::TimedOut => failed(FailureKind::Timeout, words.timed_out(timeout.as_secs_f64())),
            CodeOutcome::Stopped => failed(FailureKind::Cancelled, words.stopped()),
            // The same program with the same data needs as much the next time.
            CodeOutcome::Limit { text, .. } => failed(FailureKind::Crashed, words.limit(&text)).permanent(),
            CodeOutcome::Killed { signal } => Failure::killed(signal, words.killed(signal)),
        };
        Ran { result: Err(Box::new(failure)), stdout, stderr, warnings, duration_ms }
    }
}

impl Ran {
    /// What is kept of it in the metadata.
    pub(super) fn to_map(&self) -> JsonMap {
        let mut map = JsonMap::new();
        map.insert("success".to_owned(), json!(self.result.is_ok()));
        match &self.result {
            Ok(result) => map.insert("keys".to_owned(), json!(result.keys().collect::<Vec<_>>())),
            Err(failure) => map.insert("error".to_owned(), json!(failure.message)),
        };
        map.insert("stdout".to_owned(), json!(cut(&redact(&self.stdout), PRINTED_CHARS)));
        map.insert("stderr".to_owned(), json!(cut(&redact(&self.stderr), PRINTED_CHARS)));
        if !self.warnings.is_empty() {
            map.insert("warnings".to_owned(), json!(self.warnings));
        }
        map.insert("duration_ms".to_owned(), json!(self.duration_ms));
        map
    }

    /// The link of the chain of work: which keys there are, and not what they hold.
    pub(super) fn link(&self, number: u32, timeout: Duration) -> WorkStep {
        let mut data = JsonMap::new();
        data.insert("timeout_seconds".to_owned(), json!(timeout.as_secs_f64()));
        let summary = match &self.result {
            Ok(result) => {
                data.insert("keys".to_owned(), json!(result.keys().collect::<Vec<_>>()));
                format!("ran, {} keys", result.len())
            }
            Err(_) => "did not come to its end".to_owned(),
        };
        if !self.warnings.is_empty() {
            data.insert("warnings".to_owned(), json!(self.warnings));
        }
        data.insert("summary".to_owned(), Value::String(summary));
        WorkStep {
            component: SANDBOX.to_owned(),
            number,
            success: self.result.is_ok(),
            duration_ms: self.duration_ms,
            data,
            error: self
                .result
                .as_ref()
                .err()
                .map(|failure| shorten(&redact(&failure.message), PRINTED_CHARS)),
            cost: Money::ZERO,
        }
    }
}

/// The same failure in other words.
fn in_words(failure: Failure, words: impl FnOnce(&str) -> String) -> Failure {
    let message = words(&failure.message);
    failure.with_message(message)
}

/// The first characters, with their lines.
fn cut(text: &str, most: usize) -> String {
    let mut chars = text.chars();
    let kept: String = chars.by_ref().take(most).collect();
    if chars.next().is_some() { format!("{kept}…") } else { kept }
}
