//! How tasks change: dispatched, resumed, ended, repeated, done again.

use std::sync::Arc;

use candor_model::{
    AgentType, EventBody, ExecutionFeedback, Failure, FeedbackType, Money, PlanningError, Query, RankedAgent,
    RevisionStep, ScheduledRetry, Seconds, StopReason, TaskId, Timestamp,
};
use candor_planning::loop_guard::{Outcome, Watch};

use super::findings::Refused;
use super::{Attempt, RunState, TaskState, Work, outcome_of};

/// How long a task waits that this machine had no resources for, in seconds.
const WAIT_FOR_RESOURCES: u32 = 2;

impl RunState {
    pub(super) fn route(&mut self, task_id: &TaskId, agent_type: &AgentType, ranking: &[RankedAgent]) {
        let Some((work, index)) = self.work_at(task_id) else { return };
        work.assign(index, |task| {
            task.agent_type = agent_type.clone();
            task.metadata.ranking = ranking.to_vec();
        });
    }

    pub(super) fn dispatch(&mut self, body: &EventBody, at: Timestamp) {
        let EventBody::TaskDispatched { task_id, attempt, agent_type, deadline, reserved } = body else {
            return;
        };
        self.budget.allowance.reserve(*reserved);
        let Some((work, index)) = self.work_at(task_id) else { return };
        if let Some(run) = work.run_mut(index) {
            run.attempts = run.attempts.max(*attempt);
        }
        let attempt = Attempt {
            number: *attempt,
            agent_type: agent_type.clone(),
            started_at: at,
            deadline: *deadline,
            reserved: *reserved,
            halt: None,
            charged: Money::ZERO,
            waits_for: None,
        };
        work.set(index, TaskState::InFlight(Box::new(attempt)));
    }

    pub(super) fn resume_attempt(&mut self, body: &EventBody, at: Timestamp) {
        let EventBody::TaskTakenUp { task_id, attempt, deadline } = body else { return };
        let Some((work, index)) = self.work_at(task_id) else { return };
        let current = work.task(index).and_then(|(_, run)| run.in_flight());
        if let Some(current) = current.filter(|current| current.number == *attempt) {
            let renewed = Attempt { started_at: at, deadline: *deadline, waits_for: None, ..current.clone() };
            work.set(index, TaskState::InFlight(Box::new(renewed)));
        }
    }

    pub(super) fn succeed(&mut self, task_id: &TaskId, feedback: &Arc<ExecutionFeedback>) {
        self.watch(task_id, feedback);
        self.bill_attempt(task_id, feedback);
        self.keep_feedback(task_id, feedback);
        // While it is still under way, and quick to find.
        self.note_success(task_id, feedback);
        self.finish_attempt(task_id, TaskState::Succeeded(Arc::clone(feedback)));
        self.notebook.forget(task_id);
    }

    pub(super) fn fail(&mut self, body: &EventBody) {
        let EventBody::TaskFailed { task_id, attempt, agent_type, feedback, .. } = body else { return };
        let feedback = &with_kind(feedback);
        self.watch(task_id, feedback);
        self.bill_attempt(task_id, feedback);
        self.keep_feedback(task_id, feedback);
        self.finish_attempt(task_id, TaskState::Failed);
        // A task that never started has failed at nothing.
        if *attempt > 0 {
            self.note_failure(task_id, agent_type, feedback);
        }
    }

    pub(super) fn stop_attempt(&mut self, task_id: &TaskId, reason: StopReason, at: Timestamp) {
        if reason != StopReason::NoResources {
            return self.finish_attempt(task_id, TaskState::Waiting);
        }
        let later = at.plus(Seconds::whole(WAIT_FOR_RESOURCES));
        self.finish_attempt(task_id, TaskState::Backoff(later));
        // As many as run now is what the machine can bear.
        let running = self.work().map_or(0, Work::in_flight_count).max(1);
        let room = u32::try_from(running).unwrap_or(u32::MAX);
        self.room_at_once = Some(self.room_at_once.map_or(room, |before| before.min(room)));
    }

    pub(super) fn skip(&mut self, task_id: &TaskId) {
        self.notebook.forget(task_id);
        self.set_task(task_id, TaskState::Skipped);
    }

    pub(super) fn give_up(&mut self, task_id: &TaskId, error: &PlanningError) {
        self.set_task(task_id, TaskState::GivenUp(Box::new(error.clone())));
    }

    pub(super) fn revision_step(&mut self, step: &RevisionStep) {
        match step {
            RevisionStep::Requested { task_id, note } => self.request_replan(task_id, note.clone()),
            RevisionStep::Asked { task_id, number, note } => {
                self.ask_for_revision(task_id, *number, note.clone());
            }
            RevisionStep::Answered { task_id, number, .. } => self.end_revision(task_id, *number),
        }
    }

    fn request_replan(&mut self, task_id: &TaskId, note: Option<String>) {
        let Some((work, index)) = self.work_at(task_id) else { return };
        work.halt(index, StopReason::Replan);
        self.asks.requested.insert(task_id.clone(), note);
    }

    fn ask_for_revision(&mut self, task_id: &TaskId, number: u32, note: Option<String>) {
        self.asks.revisions = number;
        self.asks.requested.remove(task_id);
        self.set_task(task_id, TaskState::Revising { number, note });
    }

    fn end_revision(&mut self, task_id: &TaskId, number: u32) {
        self.asks.forget_revision(number);
        self.set_task(task_id, TaskState::Failed);
    }

    /// A task is done once more because its result does not hold, and with it the tasks that used that result.
    pub(super) fn reopen(&mut self, task_id: &TaskId, reason: &str, dependants: &[TaskId]) {
        let refused = match self.work().and_then(|work| work.find(task_id)).map(|(_, _, run)| &run.state) {
            Some(TaskState::Succeeded(result)) => {
                Some(Refused { reason: reason.to_owned(), result: Arc::clone(result) })
            }
            _ => None,
        };
        self.findings_mut().validation.rework(task_id, refused);
        self.results.progress = 0.0;
        self.set_task(task_id, TaskState::Waiting);
        dependants.iter().for_each(|dependant| self.set_task(dependant, TaskState::Waiting));
    }

    pub(super) fn schedule_retry(&mut self, body: &EventBody) {
        let EventBody::RetryScheduled(ScheduledRetry { task_id, at, agent_type, inputs, by_person }) = body
        else {
            return;
        };
        let Some((work, index)) = self.work_at(task_id) else { return };
        if agent_type.is_some() || !inputs.is_empty() {
            work.assign(index, |task| {
                task.agent_type = agent_type.clone().unwrap_or_else(|| task.agent_type.clone());
                task.inputs.extend(inputs.clone());
            });
        }
        if let Some(run) = work.run_mut(index) {
            if *by_person {
                // Whoever has failed stays known: the task does not go back to them by itself.
                run.history = run.history.take().map(|history| Box::new(history.forgiven()));
            } else if let Some(history) = &mut run.history {
                history.policy_retries = history.policy_retries.saturating_add(1);
            }
        }
        // A task that was never ready (nobody could do it) still waits for its dependencies.
        let ready = work.task(index).is_some_and(|(_, run)| run.waiting_on == 0);
        work.set(index, if ready { TaskState::Backoff(*at) } else { TaskState::Waiting });
    }

    /// Takes an outcome into account for the loop guard.
    fn watch(&mut self, task_id: &TaskId, feedback: &ExecutionFeedback) {
        let outcome = outcome_of(feedback);
        // Most runs never fail, and most outcomes are successes: then there is nothing to forget.
        if outcome == Outcome::Succeeded && self.findings.loops.watch == Watch::default() {
            return;
        }
        let Some((call, first)) = self.call_of(task_id) else { return };
        let limits = self.loop_limits();
        let loops = &mut self.findings_mut().loops;
        loops.detected = match outcome {
            Outcome::Failed(reason) if first => {
                loops.watch.note_first(&call, reason);
                false
            }
            _ => loops.watch.note(&call, outcome, &limits).is_some(),
        };
    }

    fn finish_attempt(&mut self, task_id: &TaskId, state: TaskState) {
        let Some((work, index)) = self.work_at(task_id) else {
            return;
        };
        let reserved = work.task(index).and_then(|(_, run)| run.in_flight()).map(|attempt| attempt.reserved);
        work.set(index, state);
        self.budget.allowance.release(reserved.unwrap_or_default());
        self.close_queries(|query| query.task_id == *task_id);
    }

    /// Nobody waits any more for what the agent of an attempt that is over has asked.
    pub(super) fn close_queries(&mut self, over: impl Fn(&Query) -> bool) {
        if self.findings.messages.queries.values().any(&over) {
            self.findings_mut().messages.queries.retain(|_, query| !over(query));
        }
    }

    fn note_success(&mut self, task_id: &TaskId, feedback: &ExecutionFeedback) {
        let Some((work, index)) = self.work_at(task_id) else {
            return;
        };
        if feedback.feedback_type == FeedbackType::PartialSuccess {
            work.partial_successes = work.partial_successes.saturating_add(1);
        }
        // What a success makes good is no failure of the plan, whoever had it tried again.
        work.unpaid_failures.retain(|failed| failed != task_id);
        if let Some(run) = work.run_mut(index) {
            run.history = None;
        }
    }

    fn note_failure(&mut self, task_id: &TaskId, agent: &AgentType, feedback: &ExecutionFeedback) {
        let Some((work, index)) = self.work_at(task_id) else {
            return;
        };
        // A task that failed several times is one failure of the plan.
        if feedback.feedback_type == FeedbackType::Failure && !work.unpaid_failures.contains(task_id) {
            work.unpaid_failures.push(task_id.clone());
        }
        let history = work.task(index).map(|(task, run)| run.history().with(task, agent, feedback));
        if let Some(run) = work.run_mut(index) {
            run.history = history.map(Box::new);
        }
    }
}

/// Feedback with the kind of its failure. A log that was written before failures had kinds tells it only by its
/// words, which are read here, once, and nowhere else.
fn with_kind(feedback: &Arc<ExecutionFeedback>) -> Arc<ExecutionFeedback> {
    match feedback.failure {
        Some(_) => Arc::clone(feedback),
        None => {
            let failure = Failure::derived(feedback);
            Arc::new(ExecutionFeedback { failure, ..ExecutionFeedback::clone(feedback) })
        }
    }
}
