//! The code validator: looks at code before it runs, without a model and without running it.

use std::collections::BTreeSet;
use std::sync::Arc;

use candor_model::JsonMap;
use candor_ports::BoxFuture;
use candor_pycheck::{Checker, Policy, Program, ResultName, Syntax};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::component::{Component, responding};
use super::library::InstalledLibrary;
use super::response::AgentResponse;
use super::words::Words;

/// What the code validator is asked.
#[derive(Debug, Clone)]
pub struct CheckRequest {
    /// Python that is checked.
    pub code: String,
    /// The keys of the context that it will run with.
    pub keys: BTreeSet<String>,
    /// Where it leaves its result.
    pub result: ResultName,
}

/// Refuses code that cannot work, or that must not run.
pub struct CodeValidator {
    policy: Policy,
    syntax: Syntax,
    library: Arc<InstalledLibrary>,
    words: Words,
    stop: CancellationToken,
}

impl CodeValidator {
    /// One that keeps to this policy, and knows what this Python has.
    #[must_use]
    pub fn new(
        policy: Policy,
        syntax: Syntax,
        library: Arc<InstalledLibrary>,
        words: Words,
        stop: CancellationToken,
    ) -> Self {
        Self { policy, syntax, library, words, stop }
    }

    async fn check(&self, request: &CheckRequest) -> Result<JsonMap, String> {
        self.library.learn(&candor_pycheck::imports_of(&request.code), &self.stop).await;
        let checker = Checker::new(self.policy.clone(), &*self.library, self.syntax())
            .with_language(self.words.language());
        let program = Program { code: &request.code, context: Some(&request.keys), result: request.result };
        let findings = checker.check(&program);
        let texts = |problems: &[candor_pycheck::Problem]| -> Vec<String> {
            problems.iter().map(|problem| problem.message.clone()).collect()
        };
        let codes: Vec<&str> = findings.errors.iter().map(|problem| problem.code.text()).collect();
        let data = json!({
            "valid": findings.valid,
            "errors": texts(&findings.errors),
            "codes": codes,
            "warnings": texts(&findings.warnings),
            "checks_passed": findings.checks_passed,
        });
        Ok(data.as_object().cloned().unwrap_or_default())
    }

    /// What is newer than the Python that will run it is refused, if that Python is known.
    fn syntax(&self) -> Syntax {
        match (self.syntax, self.library.version()) {
            (Syntax::Latest, Some((major, minor))) => Syntax::Version(major, minor),
            (syntax, _) => syntax,
        }
    }
}

impl Component<CheckRequest> for CodeValidator {
    fn execute<'a>(&'a self, input: &'a CheckRequest) -> BoxFuture<'a, AgentResponse> {
        Box::pin(responding(Component::<CheckRequest>::name(self), self.check(input)))
    }

    fn summary(&self, data: &JsonMap) -> String {
        let texts =
            |key: &str| data.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        match texts("errors").len() {
            0 => {
                let passed: Vec<&str> = texts("checks_passed").iter().filter_map(Value::as_str).collect();
                format!("valid: {}", passed.join(", "))
            }
            1 => "1 error".to_owned(),
            count => format!("{count} errors"),
        }
    }
}

/// Whether the code may run, and what is wrong with it if not.
pub(super) fn verdict(response: &AgentResponse) -> Result<(), Vec<String>> {
    if let Some(error) = response.error() {
        return Err(vec![error.to_owned()]);
    }
    if response.data().get("valid").and_then(Value::as_bool) == Some(true) {
        return Ok(());
    }
    let errors = response.data().get("errors").and_then(Value::as_array);
    let texts = errors.into_iter().flatten().filter_map(|error| error.as_str().map(str::to_owned));
    Err(texts.collect())
}
