//! One attempt of one agent: the call, and what comes of it in the engine's words.

use std::sync::Arc;
use std::time::Instant;

use candor_model::{
    AgentAnswer, AgentType, ExecutionFeedback, FeedbackType, Money, Seconds, TaskId, Telling, Timestamp,
    ValidationError, WorkOrder,
};
use candor_ports::{Agent, AgentFailure, AttemptContext};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::actor::Message;
use super::line::Line;

/// Names an attempt within its run.
pub(super) type AttemptKey = (TaskId, u32);

/// What came of an attempt.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) key: AttemptKey,
    /// Who was at work; nobody if the attempt was not made.
    pub(super) agent: Option<AgentType>,
    pub(super) result: Result<AgentAnswer, AgentFailure>,
    pub(super) duration: Seconds,
    /// What the agent usually costs.
    pub(super) price: Money,
}

/// Begins an attempt; what comes of it is mailed. Returns how to stop it, or the failure at once if there
/// is no such agent here.
pub(super) fn begin(order: WorkOrder, line: Line) -> Result<CancellationToken, Box<Ended>> {
    let key = line.speaker.key.clone();
    let agent_type = line.speaker.agent.clone();
    let Some(member) = line.registry.find(&agent_type) else {
        let reason = format!(
            "Agent {agent_type} is unavailable: it is not configured here; add it to candor.toml, or pass the \
             file that has it with --config"
        );
        let result = Err(AgentFailure::failed(reason));
        let duration = Seconds::from_millis(1);
        return Err(Box::new(Ended { key, agent: None, result, duration, price: Money::ZERO }));
    };
    let (agent, places) = (Arc::clone(&member.agent), member.places.clone());
    let price = member.capability.cost_per_invocation;
    let (stop, mail) = (line.stop.clone(), line.mail.clone());
    let call = Call { agent, places, order, line: Arc::new(line) };
    let agent = Some(agent_type);
    tokio::spawn(async move {
        let started = Instant::now();
        let result = call.make().await;
        let millis = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX).max(1);
        let ended = Ended { key, agent, result, duration: Seconds::from_millis(millis), price };
        // A driver that is gone has nobody left to tell.
        let _ = mail.send(Message::Ended(Box::new(ended))).await;
    });
    Ok(stop)
}

struct Call {
    agent: Arc<dyn Agent>,
    places: Option<Arc<Semaphore>>,
    order: WorkOrder,
    line: Arc<Line>,
}

impl Call {
    /// Waits for a place at the agent's desk, then has it do the work.
    async fn make(self) -> Result<AgentAnswer, AgentFailure> {
        let Self { agent, places, order, line } = self;
        let stop = line.stop.clone();
        let place = match places {
            None => None,
            Some(places) => tokio::select! {
                place = places.acquire_owned() => place.ok(),
                () = stop.cancelled() => return Err(AgentFailure::Stopped),
            },
        };
        let cx: Arc<dyn AttemptContext> = Arc::clone(&line) as Arc<dyn AttemptContext>;
        let mut result = agent.perform_among(&order, cx, stop).await;
        drop(place);
        if let Ok(answer) = &mut result {
            line.bound(answer);
        }
        result
    }
}

impl Ended {
    /// An attempt that was not made, because the agent is left in peace.
    pub(super) fn refused(key: &AttemptKey, reason: &str) -> Self {
        let result = Err(AgentFailure::failed(format!("Agent is unavailable: {reason}")));
        Self { key: key.clone(), agent: None, result, duration: Seconds::from_millis(1), price: Money::ZERO }
    }

    /// An attempt that was not made, because it is not said what the agent is to do.
    pub(super) fn unbriefed(key: &AttemptKey, problem: &ValidationError) -> Self {
        let reason =
            format!("The agent was not started: its brief's `{}` is {}", problem.field, problem.problem);
        let result = Err(AgentFailure::failed(reason));
        Self { key: key.clone(), agent: None, result, duration: Seconds::from_millis(1), price: Money::ZERO }
    }

    /// What the agent wants everyone to be told, taken out of its answer.
    pub(super) fn take_messages(&mut self) -> Vec<Telling> {
        self.result.as_mut().map(|answer| std::mem::take(&mut answer.messages)).unwrap_or_default()
    }

    /// The attempt's outcome in the engine's words.
    pub(super) fn into_feedback(self, now: Timestamp) -> ExecutionFeedback {
        let Self { key: (task_id, _), result, duration, price, .. } = self;
        let answer = match result {
            Ok(answer) => answer,
            Err(failure) => return ExecutionFeedback::failure(task_id, failure.to_string(), duration, now),
        };
        let feedback_type = answer.verdict();
        let mut errors = answer.errors;
        if !feedback_type.is_success() && errors.is_empty() {
            errors.push(silent(feedback_type));
        }
        ExecutionFeedback {
            task_id,
            feedback_type,
            actual_outputs: answer.outputs,
            errors,
            duration_seconds: duration,
            cost: answer.cost.unwrap_or(price),
            suggested_adjustments: answer.suggested_adjustments,
            timestamp: now,
        }
    }
}

fn silent(kind: FeedbackType) -> String {
    format!("The agent reported {kind} without saying why")
}
