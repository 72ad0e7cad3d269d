//! Documentation that Python itself has: signatures and descriptions of what is installed in the sandbox.

use std::sync::Arc;
use std::time::Duration;

use candor_ports::{BoxFuture, CodeJob, CodeOutcome, CodeResult, CodeRunner};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::{Documentation, MOST_CHARS, within};

const SCRIPT: &str = include_str!("docs.py");
/// How long Python may look.
const TIME: Duration = Duration::from_secs(20);

/// What the sandbox's Python says of its own libraries.
pub struct LocalDocs {
    runner: Arc<dyn CodeRunner>,
}

impl LocalDocs {
    /// Asks the Python of this runner.
    #[must_use]
    pub fn new(runner: Arc<dyn CodeRunner>) -> Self {
        Self { runner }
    }

    async fn look(&self, library: &str, query: &str, stop: CancellationToken) -> Result<String, String> {
        let context = json!({ "library": library, "query": query, "most": MOST_CHARS });
        let context = context.as_object().cloned().unwrap_or_default();
        let job = CodeJob { code: SCRIPT.to_owned(), context, result: CodeResult::Context, timeout: TIME };
        let run = self.runner.run(&job, stop).await.map_err(|fault| fault.0.message)?;
        let result = match run.outcome {
            CodeOutcome::Finished { result } => result,
            other => return Err(format!("Python could not look into {library}: {}", in_words(&other))),
        };
        let text = |key: &str| result.get(key).and_then(Value::as_str).map(str::trim).unwrap_or_default();
        match (text("text"), text("error")) {
            ("", "") => Err(format!("nothing is documented in {library}")),
            ("", error) => Err(error.to_owned()),
            (text, _) => Ok(within(text, MOST_CHARS)),
        }
    }
}

impl Documentation for LocalDocs {
    fn search<'a>(
        &'a self,
        library: &'a str,
        query: &'a str,
        stop: CancellationToken,
    ) -> BoxFuture<'a, Result<String, String>> {
        Box::pin(self.look(library, query, stop))
    }
}

fn in_words(outcome: &CodeOutcome) -> String {
    match outcome {
        CodeOutcome::Raised { name, text, .. } => format!("{name}: {text}"),
        CodeOutcome::TimedOut => format!("not within {} s", TIME.as_secs()),
        CodeOutcome::Limit { text, .. } => text.clone(),
        CodeOutcome::NoResult { reason } | CodeOutcome::BadResult { reason } => reason.clone(),
        CodeOutcome::Stopped => "it was stopped".to_owned(),
        CodeOutcome::Killed { signal } => format!("it was killed by signal {signal}"),
        CodeOutcome::Finished { .. } => "it ended without a word".to_owned(),
    }
}
