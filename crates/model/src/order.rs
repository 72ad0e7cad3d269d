//! What an agent is given, and what it answers: the contract with everyone who can be given a task.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Failure, FailureKind, FeedbackType, JsonMap, Money, ReportedError, RiskClass, RunId, Seconds, TaskId,
    Telling, ValidationError,
};

/// What an agent is given for one attempt at one task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WorkOrder {
    /// Run that the order belongs to.
    pub run_id: RunId,
    /// Task that is to be done.
    pub task_id: TaskId,
    /// What is to be done.
    pub description: String,
    /// Parameters of the task, with references to other tasks resolved.
    pub inputs: JsonMap,
    /// What the tasks that it depends on produced.
    pub upstream: BTreeMap<TaskId, JsonMap>,
    /// The names of what it should produce.
    pub expected_outputs: Vec<String>,
    /// Which attempt it is.
    pub attempt: u32,
    /// The same for the same attempt, also after a restart.
    pub idempotency_key: String,
    /// How long the agent may take.
    pub deadline_seconds: Seconds,
    /// What it is to do and what not, in four parts.
    #[serde(default)]
    pub brief: AgentBrief,
    /// The project's instructions and the files that the request names, as far as there was room for them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub context: Vec<ContextText>,
    /// What may be done in this run without asking, though it cannot be undone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allow: Vec<RiskClass>,
}

/// A text that belongs to the request: the project's instructions, or a file that it names.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ContextText {
    /// The path of the file.
    pub name: String,
    /// Beginning of the text, cut to what fits into an order.
    pub text: String,
    /// How many characters there was no room for.
    #[serde(default)]
    pub left_out: usize,
}

impl ContextText {
    /// Texts for a prompt, each under its name; what was cut says so. Empty if there are none.
    #[must_use]
    pub fn for_prompt(texts: &[Self]) -> String {
        let told = |Self { name, text, left_out }: &Self| match left_out {
            0 => format!("## {name}\n{text}"),
            left_out => format!("## {name}\n{text}\n[cut here: {left_out} characters are left out]"),
        };
        texts.iter().map(told).collect::<Vec<_>>().join("\n\n")
    }
}

/// What an agent is to do and what not. All four parts are always there.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentBrief {
    /// The one thing it is responsible for.
    pub objective: String,
    /// What its answer must look like.
    pub output_format: String,
    /// The tools it may use.
    pub tools: Vec<String>,
    /// What it must not do.
    pub boundaries: Vec<String>,
}

impl AgentBrief {
    /// Refuses a brief that leaves something out: no agent starts with it.
    pub fn check(&self) -> Result<(), ValidationError> {
        let said = |text: &str| !text.trim().is_empty();
        let missing = if !said(&self.objective) {
            ("objective", "say what the agent is to achieve")
        } else if !said(&self.output_format) {
            ("outputFormat", "say what the answer looks like")
        } else if !self.tools.iter().all(|tool| said(tool)) {
            ("tools", "a tool has no name")
        } else if !self.boundaries.iter().any(|boundary| said(boundary)) {
            ("boundaries", "say what the agent must not do")
        } else {
            return Ok(());
        };
        Err(ValidationError::new(missing.0, format!("missing: {}", missing.1)))
    }
}

/// What an agent answers. Keys that are not known here are not looked at.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgentAnswer {
    /// Outputs by name.
    pub outputs: JsonMap,
    /// What the attempt cost; the agent's usual price if it does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Money>,
    /// How it went; a success if it does not say and reports no error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feedback_type: Option<FeedbackType>,
    /// Messages of what failed; beside a success they are warnings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<String>,
    /// Why it failed, with the kind of the failure.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "ReportedError::deserialize_lenient"
    )]
    pub error: Option<ReportedError>,
    /// What could be done about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggested_adjustments: Option<String>,
    /// What everyone at work is to be told before the outcome is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<Telling>,
}

impl AgentAnswer {
    /// A success with these outputs.
    #[must_use]
    pub fn success(outputs: JsonMap) -> Self {
        Self { outputs, ..Self::default() }
    }

    /// The answer of an agent that could not do the task, for this reason.
    #[must_use]
    pub fn failed(kind: &str, message: impl Into<String>) -> Self {
        let message = message.into();
        let error = ReportedError {
            kind: Some(kind.to_owned()),
            message: Some(message.clone()),
            ..Default::default()
        };
        Self { errors: vec![message], error: Some(error), ..Self::default() }
    }

    /// How it went, as far as the agent says. A success that reports an error is none.
    #[must_use]
    pub fn verdict(&self) -> FeedbackType {
        match (self.feedback_type, &self.error) {
            (None | Some(FeedbackType::Success), Some(error)) => {
                error.failure_kind().unwrap_or(FailureKind::TaskError).feedback_type()
            }
            (Some(said), _) => said,
            (None, None) if self.errors.is_empty() => FeedbackType::Success,
            (None, None) => FeedbackType::Failure,
        }
    }

    /// Why the agent failed, in its own words; nothing if it did not. The type of its feedback says more than the
    /// kind of its error: a broken constraint is one, whatever else is said of it.
    #[must_use]
    pub fn failure(&self) -> Option<Failure> {
        let verdict = self.verdict();
        let failure = Failure::of_feedback(verdict, &self.errors)?;
        let Some(error) = &self.error else { return Some(failure) };
        let (kind, own) = (failure.kind, failure.as_reported(error));
        Some(if verdict == FeedbackType::Failure { own } else { Failure { kind, ..own } })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_needs_only_its_outputs() {
        let answer: AgentAnswer = crate::from_json(r#"{"outputs":{"a":1},"mood":"fine"}"#).unwrap();
        assert_eq!(answer.verdict(), FeedbackType::Success);
        let answer: AgentAnswer = crate::from_json(r#"{"outputs":{},"errors":["no seats"]}"#).unwrap();
        assert_eq!(answer.verdict(), FeedbackType::Failure);
        assert!(
            crate::from_json::<AgentAnswer>(r#"{"output":{}}"#).unwrap_err().to_string().contains("outputs")
        );
    }

    #[test]
    fn an_error_makes_a_failure_of_an_answer() {
        let read = |rest: &str| {
            let answer: AgentAnswer = crate::from_json(&format!(r#"{{"outputs":{{}},{rest}}}"#)).unwrap();
            (answer.verdict(), answer.failure().map(|failure| failure.kind))
        };
        let failed = |kind| (FeedbackType::Failure, Some(kind));
        assert_eq!(read(r#""error":{"kind":"unavailable"}"#), failed(FailureKind::Unavailable));
        assert_eq!(read(r#""error":{"message":"no"}"#), failed(FailureKind::TaskError));
        assert_eq!(read(r#""feedback_type":"SUCCESS","error":"no""#), failed(FailureKind::TaskError));
        let violated = (FeedbackType::ConstraintViolation, Some(FailureKind::ConstraintViolated));
        assert_eq!(read(r#""error":{"kind":"constraint_violated"}"#), violated);
        assert_eq!(read(r#""feedback_type":"CONSTRAINT_VIOLATION","error":{"kind":"timeout"}"#), violated);
        assert_eq!(
            read(r#""feedback_type":"PARTIAL_SUCCESS","error":"half""#),
            (FeedbackType::PartialSuccess, None)
        );
        assert_eq!(read(r#""error":null"#), (FeedbackType::Success, None));
    }
}
