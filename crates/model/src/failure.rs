//! Why an attempt failed, as a kind that programs can match on.
//!
//! Whoever sees the failure happen sets the kind: the adapter that got the exit code, the status or the signal,
//! the engine at its own deadline, or the agent in its answer. Nobody reads a kind out of a text afterwards;
//! [`Failure::derived`] does so for logs that were written before failures had kinds, and for nothing else.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::cause::told_line;
use crate::text_enum::text_enum;
use crate::{
    ExecutionFeedback, FeedbackType, ModelErrorKind, ModelFailure, Seconds, ToolErrorKind, ToolProblem,
};

/// The exit code by which a program says that its failure is temporary (`EX_TEMPFAIL` of `sysexits.h`).
pub const TEMPORARY_EXIT_CODE: i32 = 75;

/// The word by which an agent says that a task is more than it can do in one go: such a task is split.
pub const TOO_COMPLEX: &str = "too_complex";

text_enum!(
    /// What kind of failure ended an attempt.
    FailureKind {
        /// No answer before the deadline.
        Timeout = "timeout",
        /// The agent could not be reached or started, or went away while it worked.
        Unavailable = "unavailable",
        /// The agent had too many requests; it may say when to come again.
        RateLimited = "rate_limited",
        /// The agent's program ended with an exit code other than 0, or was killed by a signal.
        Crashed = "crashed",
        /// There was an answer, and it cannot be used: no JSON, not the expected form, too large.
        BadOutput = "bad_output",
        /// The agent says that it could not do the task.
        TaskError = "task_error",
        /// The task was done, and its result breaks a constraint of the goal.
        ConstraintViolated = "constraint_violated",
        /// Something that the task needs from another one is missing or of no use.
        DependencyFailed = "dependency_failed",
        /// The agent, or a tool, may not do this: missing rights, a rule, a person's no.
        Denied = "denied",
        /// The attempt used up what it may spend: money, tokens, steps.
        OverBudget = "over_budget",
        /// Somebody ended it: a person, or a run that has no use for it any more.
        Cancelled = "cancelled",
    }
);

text_enum!(
    /// Whether the same agent may succeed with the same inputs later.
    Transience {
        /// It may: the cause passes by itself.
        Transient = "transient",
        /// It will not: something has to change first.
        Permanent = "permanent",
        /// Treated as transient once, then as permanent.
        Unknown = "unknown",
    }
);

impl FailureKind {
    /// The transience of a failure of this kind for as long as nobody knows better.
    ///
    /// | kind | transience |
    /// |---|---|
    /// | `timeout`, `unavailable`, `rate_limited` | transient |
    /// | `crashed`, `bad_output` | unknown |
    /// | all others | permanent |
    ///
    /// Adapters that know better say so with [`Failure::with_transience`]: a program that does not exist is
    /// unavailable for good, an exit code of 75 passes.
    #[must_use]
    pub const fn usual_transience(self) -> Transience {
        match self {
            Self::Timeout | Self::Unavailable | Self::RateLimited => Transience::Transient,
            Self::Crashed | Self::BadOutput => Transience::Unknown,
            Self::TaskError
            | Self::ConstraintViolated
            | Self::DependencyFailed
            | Self::Denied
            | Self::OverBudget
            | Self::Cancelled => Transience::Permanent,
        }
    }

    /// Whether it says that the agent is not there, rather than that it could not do the task. Only such failures
    /// open a circuit.
    #[must_use]
    pub const fn is_availability(self) -> bool {
        matches!(self, Self::Timeout | Self::Unavailable)
    }

    /// The type of feedback that reports a failure of this kind.
    #[must_use]
    pub const fn feedback_type(self) -> FeedbackType {
        match self {
            Self::ConstraintViolated => FeedbackType::ConstraintViolation,
            Self::DependencyFailed => FeedbackType::DependencyFailure,
            _ => FeedbackType::Failure,
        }
    }
}

impl FeedbackType {
    /// The kind of a failure of which only the type of feedback is known; nothing for a success.
    #[must_use]
    pub const fn failure_kind(self) -> Option<FailureKind> {
        match self {
            Self::Failure => Some(FailureKind::TaskError),
            Self::ConstraintViolation => Some(FailureKind::ConstraintViolated),
            Self::DependencyFailure => Some(FailureKind::DependencyFailed),
            Self::Success | Self::PartialSuccess => None,
        }
    }
}

/// Why an attempt failed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Failure {
    /// What kind of failure it is.
    pub kind: FailureKind,
    /// Whether the same attempt may succeed later.
    pub transience: Transience,
    /// How long the agent wants to be left alone before the next attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<Seconds>,
    /// The code with which the agent's program ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// The signal that killed the agent's program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// The inputs that the agent lacks, by name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<Box<MissingInputs>>,
    /// The agent's own word for the kind, where it is none of [`FailureKind`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reported_kind: Option<String>,
    /// What failed and why, on one line: the line of a program's log that says why.
    pub message: String,
    /// What else is known, such as the end of the program's log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// Whether it was guessed from the texts of a log that has no kinds.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub derived: bool,
}

/// The names of inputs that an agent lacks. Few failures have any, so they are kept outside of [`Failure`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct MissingInputs(pub Vec<String>);

impl Failure {
    /// A failure of this kind, with the transience that is usual for it.
    #[must_use]
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            transience: kind.usual_transience(),
            retry_after: None,
            exit_code: None,
            signal: None,
            missing: None,
            reported_kind: None,
            message: message.into(),
            detail: None,
            derived: false,
        }
    }

    /// A program that ended with this code, other than 0. [`TEMPORARY_EXIT_CODE`] makes it transient.
    #[must_use]
    pub fn exited(code: i32, message: impl Into<String>) -> Self {
        let failure = Self { exit_code: Some(code), ..Self::new(FailureKind::Crashed, message) };
        if code == TEMPORARY_EXIT_CODE { failure.with_transience(Transience::Transient) } else { failure }
    }

    /// A program that was killed by this signal.
    #[must_use]
    pub fn killed(signal: i32, message: impl Into<String>) -> Self {
        Self { signal: Some(signal), ..Self::new(FailureKind::Crashed, message) }
    }

    /// An attempt that had no answer after all of its time.
    #[must_use]
    pub fn timed_out(limit: Seconds) -> Self {
        Self::new(FailureKind::Timeout, format!("Agent timeout after {limit}s"))
    }

    /// The same with another transience.
    #[must_use]
    pub fn with_transience(mut self, transience: Transience) -> Self {
        self.transience = transience;
        self
    }

    /// The same, that does not pass by itself.
    #[must_use]
    pub fn permanent(self) -> Self {
        self.with_transience(Transience::Permanent)
    }

    /// The same with the time that the agent wants to be left alone, if it says so.
    #[must_use]
    pub fn with_retry_after(mut self, retry_after: Option<Seconds>) -> Self {
        self.retry_after = retry_after.or(self.retry_after);
        self
    }

    /// The same with what else is known; nothing if that is empty or only the message again.
    #[must_use]
    pub fn with_detail(mut self, detail: impl Into<String>) -> Self {
        let detail = detail.into();
        self.detail = Some(detail).filter(|detail| !detail.is_empty() && *detail != self.message);
        self
    }

    /// The same with another message.
    #[must_use]
    pub fn with_message(mut self, message: impl Into<String>) -> Self {
        self.message = message.into();
        self
    }

    /// The same as the agent itself reports it: what it leaves out stays as it is.
    #[must_use]
    pub fn as_reported(mut self, error: &ReportedError) -> Self {
        if let Some(kind) = error.failure_kind() {
            self.kind = kind;
            self.transience = match self.exit_code {
                Some(TEMPORARY_EXIT_CODE) => Transience::Transient,
                _ => kind.usual_transience(),
            };
            self.reported_kind = error.kind.clone().filter(|said| said.parse() != Ok(kind));
        }
        if !error.missing.is_empty() {
            self.missing = Some(Box::new(MissingInputs(error.missing.clone())));
        }
        if let Some(retryable) = error.retryable {
            self.transience = if retryable { Transience::Transient } else { Transience::Permanent };
        }
        match error.message.as_deref().and_then(told_line) {
            Some(line) => {
                self.message = line.to_owned();
                self.with_detail_unless_known(error.message.as_deref())
            }
            None => self,
        }
    }

    /// A failure of which only feedback without a kind tells: by its type, with its first error as the message.
    #[must_use]
    pub fn of_feedback(feedback_type: FeedbackType, errors: &[String]) -> Option<Self> {
        let kind = feedback_type.failure_kind()?;
        let told = errors.iter().find_map(|error| Some((told_line(error)?, error)));
        Some(match told {
            Some((line, error)) => Self::new(kind, line).with_detail_unless_known(Some(error)),
            None => Self::new(kind, format!("The agent reported {feedback_type} without saying why")),
        })
    }

    /// What feedback from a log without kinds tells, by the words that were searched when there were none; nothing
    /// for a success. It is marked as derived, and nobody knows whether it passes.
    ///
    /// This is for folding old logs. Whatever fails now has its kind from where it failed.
    #[must_use]
    pub fn derived(feedback: &ExecutionFeedback) -> Option<Self> {
        let mut failure = Self::of_feedback(feedback.feedback_type, &feedback.errors)?;
        let says = |text: &str, phrase: &str| text.to_lowercase().contains(phrase);
        let errors = |phrase: &str| feedback.errors.iter().any(|error| says(error, phrase));
        if failure.kind == FailureKind::TaskError {
            if errors("timeout") || errors("timed out") {
                failure.kind = FailureKind::Timeout;
            } else if errors("unavailable") {
                failure.kind = FailureKind::Unavailable;
            } else if errors("too complex")
                || feedback.suggested_adjustments.as_deref().is_some_and(|text| says(text, "too complex"))
            {
                failure.reported_kind = Some(TOO_COMPLEX.to_owned());
            }
        }
        Some(Self { transience: Transience::Unknown, derived: true, ..failure })
    }

    /// Whether the agent says that the task is too much for one go.
    #[must_use]
    pub fn is_too_complex(&self) -> bool {
        self.reported_kind.as_deref() == Some(TOO_COMPLEX)
    }

    fn with_detail_unless_known(self, detail: Option<&str>) -> Self {
        match detail.map(str::trim) {
            Some(detail) if self.detail.is_none() => self.with_detail(detail),
            _ => self,
        }
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl From<&ModelFailure> for Failure {
    fn from(failure: &ModelFailure) -> Self {
        let failed = |kind| Self::new(kind, failure.to_string()).with_retry_after(failure.retry_after);
        match failure.kind {
            ModelErrorKind::RateLimit => failed(FailureKind::RateLimited),
            ModelErrorKind::Timeout => failed(FailureKind::Timeout),
            ModelErrorKind::Transient | ModelErrorKind::CircuitOpen => failed(FailureKind::Unavailable),
            ModelErrorKind::UnknownModel | ModelErrorKind::Tls => {
                failed(FailureKind::Unavailable).permanent()
            }
            ModelErrorKind::Auth | ModelErrorKind::ContentFilter => failed(FailureKind::Denied),
            ModelErrorKind::ContextTooLong => failed(FailureKind::TaskError),
            ModelErrorKind::TooLarge | ModelErrorKind::Protocol => failed(FailureKind::BadOutput),
        }
    }
}

impl From<&ToolProblem> for Failure {
    fn from(problem: &ToolProblem) -> Self {
        let failed = |kind| Self::new(kind, problem.message.clone());
        match problem.kind {
            ToolErrorKind::Timeout => failed(FailureKind::Timeout),
            ToolErrorKind::Unavailable => failed(FailureKind::Unavailable),
            // Whether it was carried out is not known, so neither is whether it may be done again.
            ToolErrorKind::Lost => failed(FailureKind::Unavailable).with_transience(Transience::Unknown),
            ToolErrorKind::MissingDependency => failed(FailureKind::Unavailable).permanent(),
            ToolErrorKind::Denied => failed(FailureKind::Denied),
            ToolErrorKind::Cancelled => failed(FailureKind::Cancelled),
            ToolErrorKind::InvalidArguments => failed(FailureKind::TaskError),
            ToolErrorKind::Failed => failed(FailureKind::TaskError).with_transience(Transience::Unknown),
        }
    }
}

/// What an agent says of its failure, in the answer's `error`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReportedError {
    /// One of [`FailureKind`], or a word of the agent's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Message of the agent, in its own words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Whether the same may succeed later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retryable: Option<bool>,
    /// The inputs that it lacks, by name: where another task has given an output of that name, it is handed on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
}

impl From<&Failure> for ReportedError {
    fn from(failure: &Failure) -> Self {
        let kind = failure.reported_kind.clone().unwrap_or_else(|| failure.kind.to_string());
        let retryable = match failure.transience {
            Transience::Transient => Some(true),
            Transience::Permanent => Some(false),
            Transience::Unknown => None,
        };
        Self {
            kind: Some(kind),
            message: Some(failure.message.clone()),
            retryable,
            missing: failure.missing.as_ref().map(|missing| missing.0.clone()).unwrap_or_default(),
        }
    }
}

impl ReportedError {
    /// The kind that it names: `task_error` for a word that is not known here, nothing if it names none.
    #[must_use]
    pub fn failure_kind(&self) -> Option<FailureKind> {
        self.kind.as_ref().map(|said| said.parse().unwrap_or(FailureKind::TaskError))
    }

    /// Reads an error as agents write it: an object, or only a text; nothing for `null`, `false` and `""`.
    #[must_use]
    pub fn read(value: &Value) -> Option<Self> {
        let text = |name: &str| value.get(name)?.as_str().map(str::trim).filter(|said| !said.is_empty());
        match value {
            Value::Null | Value::Bool(false) => None,
            Value::String(said) if said.trim().is_empty() => None,
            Value::String(said) => Some(Self { message: Some(said.trim().to_owned()), ..Self::default() }),
            Value::Object(_) => Some(Self {
                kind: text("kind").map(str::to_owned),
                message: text("message").map(str::to_owned),
                retryable: value.get("retryable").and_then(Value::as_bool),
                missing: names(value.get("missing")),
            }),
            other => Some(Self { message: Some(other.to_string()), ..Self::default() }),
        }
    }

    /// [`ReportedError::read`] for a field of an answer: an odd error is still an error, not an unreadable answer.
    pub(crate) fn deserialize_lenient<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Self>, D::Error> {
        Ok(Self::read(&Value::deserialize(from)?))
    }
}

/// The names in a list, or the one that stands alone.
fn names(value: Option<&Value>) -> Vec<String> {
    let list = value.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    list.iter().chain(value).filter_map(Value::as_str).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{Money, TaskId, Timestamp};

    fn feedback(errors: &[&str], advice: Option<&str>) -> ExecutionFeedback {
        ExecutionFeedback {
            task_id: TaskId::numbered(1),
            feedback_type: FeedbackType::Failure,
            actual_outputs: Default::default(),
            errors: errors.iter().map(|&error| error.to_owned()).collect(),
            duration_seconds: Seconds::ZERO,
            cost: Money::ZERO,
            suggested_adjustments: advice.map(str::to_owned),
            timestamp: Timestamp::EPOCH,
            failure: None,
        }
    }

    #[test]
    fn a_failure_is_written_with_stable_codes_and_without_what_is_not_known() {
        let failure = Failure::exited(3, "`agent` exited with code 3");
        let written = json!({
            "kind": "crashed", "transience": "unknown", "exit_code": 3, "message": "`agent` exited with code 3"
        });
        assert_eq!(serde_json::to_value(&failure).unwrap(), written);
        assert_eq!(crate::from_value::<Failure>(written).unwrap(), failure);
        let kinds: Vec<&str> = FailureKind::ALL.iter().map(|kind| kind.as_str()).collect();
        let expected = "timeout unavailable rate_limited crashed bad_output task_error constraint_violated \
                        dependency_failed denied over_budget cancelled";
        assert_eq!(kinds.join(" "), expected);
    }

    #[test]
    fn exit_code_75_is_temporary_whatever_else_is_said() {
        assert_eq!(Failure::exited(75, "later").transience, Transience::Transient);
        assert_eq!(Failure::exited(1, "no").transience, Transience::Unknown);
        let said = ReportedError { kind: Some("task_error".to_owned()), ..Default::default() };
        assert_eq!(Failure::exited(75, "later").as_reported(&said).transience, Transience::Transient);
        let said = ReportedError { retryable: Some(false), ..said };
        assert_eq!(Failure::exited(75, "later").as_reported(&said).transience, Transience::Permanent);
    }

    #[test]
    fn an_agents_own_word_is_a_task_error_and_is_kept() {
        let read = |value: Value| {
            let said = ReportedError::read(&value)?;
            Some(Failure::new(FailureKind::TaskError, "silent").as_reported(&said))
        };
        let failure =
            read(json!({ "kind": "fully_booked", "message": "no room", "retryable": true })).unwrap();
        assert_eq!((failure.kind, failure.transience), (FailureKind::TaskError, Transience::Transient));
        assert_eq!(
            (failure.reported_kind.as_deref(), failure.message.as_str()),
            (Some("fully_booked"), "no room")
        );
        let failure = read(json!({ "kind": "RATE_LIMITED" })).unwrap();
        assert_eq!((failure.kind, failure.reported_kind), (FailureKind::RateLimited, None));
        assert_eq!(failure.transience, Transience::Transient);
        assert_eq!(read(json!("no room")).unwrap().message, "no room");
        assert_eq!(read(json!({ "code": 7 })).unwrap().message, "silent");
        for nothing in [json!(null), json!(""), json!(false)] {
            assert_eq!(read(nothing), None);
        }
    }

    #[test]
    fn old_feedback_is_read_by_its_words_and_marked_so() {
        // spec: planning FT-11
        let kind = |errors: &[&str]| Failure::derived(&feedback(errors, None)).unwrap().kind;
        for text in ["Timeout", "The agent Timed Out", "TimeoutException"] {
            assert_eq!(kind(&["first", text]), FailureKind::Timeout, "{text}");
        }
        assert_eq!(kind(&["Service UNAVAILABLE"]), FailureKind::Unavailable);
        assert_eq!(kind(&["Error 1"]), FailureKind::TaskError);
        let told =
            Failure::derived(&feedback(&["no"], Some("Too complex, split it; beware of a timeout"))).unwrap();
        assert!(told.is_too_complex() && told.derived && told.kind == FailureKind::TaskError);
        assert!(!Failure::derived(&feedback(&["timeout: too complex"], None)).unwrap().is_too_complex());
        let done =
            ExecutionFeedback { feedback_type: FeedbackType::PartialSuccess, ..feedback(&["timeout"], None) };
        assert_eq!(Failure::derived(&done), None);
    }
}
