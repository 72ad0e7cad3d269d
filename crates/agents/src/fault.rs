//! Faults on purpose: an agent that fails as asked, so that every way out of a failure can be watched.
//!
//! A crash and garbage are made by real child processes. Faults are counted in memory: a resumed run counts
//! anew.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use candor_model::{
    AgentAnswer, AgentType, Failure, FailureKind, FeedbackType, JsonMap, LedgerEntry, Query, QueryAnswer,
    RunId, Seconds, TOO_COMPLEX, WorkOrder,
};
use candor_ports::{Agent, AgentFailure, AttemptContext, BoxFuture};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::command::CommandAgent;
use crate::text::suggestion;
use crate::wait::{deadline_of, until_over};

/// How long a slow agent waits at most before it starts.
const SLOWEST: Duration = Duration::from_secs(2);
/// The budget of an injected violation, if the task names none.
const DEFAULT_BUDGET: f64 = 2000.0;

/// Declares the kinds of fault with the names that people write.
macro_rules! fault_kinds {
    ($($(#[$meta:meta])* $kind:ident = $name:literal,)*) => {
        /// A kind of fault.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum FaultKind { $($(#[$meta])* $kind,)* }

        impl FaultKind {
            /// The names of all kinds.
            pub const NAMES: &'static [&'static str] = &[$($name),*];

            /// The name as it is written.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$kind => $name,)* }
            }

            fn named(name: &str) -> Option<Self> {
                match name { $($name => Some(Self::$kind),)* _ => None }
            }
        }
    };
}

fault_kinds! {
    /// The answer never comes.
    Timeout = "timeout",
    /// Says that it failed.
    Error = "error",
    /// A real child process that dies of a signal.
    Crash = "crash",
    /// A real child process that answers something that is not JSON.
    Garbage = "garbage",
    /// Waits before it starts.
    Slow = "slow",
    /// Says that the task is too much for it.
    TooComplex = "too_complex",
    /// Says that it is not there.
    Unavailable = "unavailable",
    /// Does the work, and says that what it chose is not to be had.
    FullyBooked = "fully_booked",
    /// Says that the budget is exceeded.
    OverBudget = "over_budget",
    /// Says that what a task before it produced is of no use.
    DependencyFailed = "dependency_failed",
}

impl fmt::Display for FaultKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.as_str())
    }
}

/// A fault that was asked for, written as `AGENT=KIND` or `AGENT=KIND:TIMES`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The agent that fails.
    pub agent_type: AgentType,
    /// Kind of failure that is made up.
    pub kind: FaultKind,
    /// How many times it fails before it works; always if absent.
    pub times: Option<u32>,
}

/// A fault that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("fault `{}`: {problem}", text.escape_debug())]
pub struct FaultError {
    /// Argument as it was given.
    pub text: String,
    /// What is wrong with it and what was expected.
    pub problem: String,
}

impl FromStr for Fault {
    type Err = FaultError;

    fn from_str(text: &str) -> Result<Self, FaultError> {
        let wrong = |problem: String| FaultError { text: text.to_owned(), problem };
        let (agent, fault) = text.rsplit_once('=').ok_or_else(|| {
            wrong("expected AGENT=KIND or AGENT=KIND:TIMES, such as flight_agent=timeout:1".to_owned())
        })?;
        let (kind, times) = match fault.split_once(':') {
            Some((kind, times)) => (kind, Some(times)),
            None => (fault, None),
        };
        let agent_type =
            AgentType::new(agent).map_err(|error| wrong(format!("the agent's name: {}", error.problem)))?;
        let known = FaultKind::named(kind);
        let kind = known.ok_or_else(|| {
            wrong(format!(
                "there is no kind of fault `{}`; {}",
                kind.escape_debug(),
                suggestion(kind, FaultKind::NAMES)
            ))
        })?;
        let times = times.map(|times| match times.parse() {
            Ok(times) if times > 0 => Ok(times),
            _ => Err(wrong(format!("TIMES must be a whole number above 0, not `{}`", times.escape_debug()))),
        });
        Ok(Self { agent_type, kind, times: times.transpose()? })
    }
}

/// An agent that fails as asked, and then is the agent that it stands for.
pub struct Faulty {
    inner: Arc<dyn Agent>,
    kind: FaultKind,
    left: Option<AtomicU32>,
}

impl Faulty {
    /// Makes `inner` fail in this way, the first `times` times or always.
    #[must_use]
    pub fn new(inner: Arc<dyn Agent>, kind: FaultKind, times: Option<u32>) -> Self {
        Self { inner, kind, left: times.map(AtomicU32::new) }
    }

    /// Whether this call fails; each call that does uses one up.
    fn strikes(&self) -> bool {
        let Some(left) = &self.left else { return true };
        left.try_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok()
    }

    async fn fail(&self, order: &WorkOrder, stop: CancellationToken) -> Result<AgentAnswer, AgentFailure> {
        match self.kind {
            FaultKind::Timeout => Err(until_over(order, deadline_of(order), &stop).await),
            FaultKind::Error => Err(AgentFailure::failed(FailureKind::TaskError, "injected error")),
            FaultKind::Crash => child("echo 'injected crash' >&2; kill -9 $$", order, stop).await,
            FaultKind::Garbage => {
                child(r"echo 'injected garbage' >&2; printf 'not { JSON \377\n'", order, stop).await
            }
            FaultKind::Slow => self.slowly(order, stop).await,
            FaultKind::TooComplex => {
                Ok(told(TOO_COMPLEX, "Task too complex to execute", "Break the task into smaller steps"))
            }
            FaultKind::Unavailable => {
                Err(AgentFailure::failed(FailureKind::Unavailable, "Agent unavailable (injected)"))
            }
            FaultKind::FullyBooked => {
                let refused =
                    told(self.kind.as_str(), "Preferred option fully booked", "Look for alternatives");
                // Recovery has to know which choice was refused, as it would from an agent that books.
                match self.inner.perform(order, stop).await {
                    Ok(chosen) => Ok(AgentAnswer { outputs: chosen.outputs, ..refused }),
                    Err(AgentFailure::Stopped) => Err(AgentFailure::Stopped),
                    Err(_) => Ok(refused),
                }
            }
            FaultKind::OverBudget => Ok(over_budget(order)),
            FaultKind::DependencyFailed => Ok(dependency_failed(order)),
        }
    }

    /// Waits half of the time that there is, and leaves the rest to the agent.
    async fn slowly(&self, order: &WorkOrder, stop: CancellationToken) -> Result<AgentAnswer, AgentFailure> {
        let millis = order.deadline_seconds.as_millis();
        let pause = Duration::from_millis(millis / 2).min(SLOWEST);
        tokio::select! {
            biased;
            () = stop.cancelled() => return Err(AgentFailure::Stopped),
            () = tokio::time::sleep(pause) => {}
        }
        let mut rest = order.clone();
        let pause_millis = u64::try_from(pause.as_millis()).unwrap_or(millis);
        rest.deadline_seconds = Seconds::from_millis(millis.saturating_sub(pause_millis));
        let result = self.inner.perform(&rest, stop).await;
        result.map_err(|failure| in_terms_of(order, rest.deadline_seconds, failure))
    }
}

impl Agent for Faulty {
    fn perform<'a>(
        &'a self,
        order: &'a WorkOrder,
        stop: CancellationToken,
    ) -> BoxFuture<'a, Result<AgentAnswer, AgentFailure>> {
        if self.strikes() { Box::pin(self.fail(order, stop)) } else { self.inner.perform(order, stop) }
    }

    fn perform_among<'a>(
        &'a self,
        order: &'a WorkOrder,
        cx: Arc<dyn AttemptContext>,
        stop: CancellationToken,
    ) -> BoxFuture<'a, Result<AgentAnswer, AgentFailure>> {
        if self.strikes() {
            Box::pin(self.fail(order, stop))
        } else {
            self.inner.perform_among(order, cx, stop)
        }
    }

    /// Faults are of attempts; questions are answered as ever.
    fn answer<'a>(
        &'a self,
        run: &'a RunId,
        query: &'a Query,
        stop: CancellationToken,
    ) -> BoxFuture<'a, Result<QueryAnswer, String>> {
        self.inner.answer(run, query, stop)
    }

    fn undo<'a>(
        &'a self,
        run: &'a RunId,
        entry: &'a LedgerEntry,
        stop: CancellationToken,
    ) -> BoxFuture<'a, Result<String, String>> {
        self.inner.undo(run, entry, stop)
    }
}

/// A timeout of the rest is one of the whole order.
fn in_terms_of(order: &WorkOrder, rest: Seconds, failure: AgentFailure) -> AgentFailure {
    match failure {
        AgentFailure::Failed(failure) if failure.message == Failure::timed_out(rest).message => {
            failure.with_message(Failure::timed_out(order.deadline_seconds).message).into()
        }
        other => other,
    }
}

async fn child(
    script: &str,
    order: &WorkOrder,
    stop: CancellationToken,
) -> Result<AgentAnswer, AgentFailure> {
    match CommandAgent::new(["sh", "-c", script]) {
        Ok(agent) => agent.perform(order, stop).await,
        Err(error) => Err(AgentFailure::failed(FailureKind::Unavailable, error.to_string())),
    }
}

fn told(kind: &str, error: &str, advice: &str) -> AgentAnswer {
    AgentAnswer {
        feedback_type: Some(FeedbackType::Failure),
        suggested_adjustments: Some(advice.to_owned()),
        ..AgentAnswer::failed(kind, error)
    }
}

/// Blames the first task that this one depends on; one that depends on nothing blames itself.
fn dependency_failed(order: &WorkOrder) -> AgentAnswer {
    let blamed = order.upstream.keys().next().unwrap_or(&order.task_id);
    AgentAnswer {
        feedback_type: Some(FeedbackType::DependencyFailure),
        errors: vec![format!("Dependency {blamed} failed")],
        ..AgentAnswer::default()
    }
}

/// The shares of the budget are those of the worked example: 2150 of 2000, by flight 720 and hotel 660.
fn over_budget(order: &WorkOrder) -> AgentAnswer {
    let named = order.inputs.get("budget").and_then(Value::as_f64).filter(|budget| *budget > 0.0);
    let budget = named.unwrap_or(DEFAULT_BUDGET).min(1e12);
    let part = |share: f64| (budget * share).round() as i64;
    let (total, budget) = (part(1.075), part(1.0));
    let outputs: JsonMap = [
        ("budget_status".to_owned(), json!("EXCEEDED")),
        ("total_cost".to_owned(), json!(total)),
        ("budget".to_owned(), json!(budget)),
        ("overage".to_owned(), json!(total - budget)),
        (
            "breakdown".to_owned(),
            json!({ "flight": part(0.36), "hotel": part(0.33), "activities": part(0.0515) }),
        ),
    ]
    .into_iter()
    .collect();
    AgentAnswer {
        outputs,
        feedback_type: Some(FeedbackType::ConstraintViolation),
        errors: vec![format!("Total cost ${total} exceeds budget ${budget}")],
        suggested_adjustments: Some("Choose a cheaper flight or hotel".to_owned()),
        ..AgentAnswer::default()
    }
}
