//! Agents at work: how their attempts end, and what they want meanwhile.

use candor_engine::{Input, Refusal};
use candor_model::{Effect, ExecutionFeedback, Failure, FailureKind, Seconds, Telling, Timestamp};

use crate::Session;
use crate::input::{AgentRequest, AttemptEnd, AttemptKey, Ended, RequestId, Ticket};

impl Session {
    /// An agent at work wants something. One whose attempt is over or being stopped has no say any more.
    pub(crate) fn agent_wants(
        &mut self,
        from: AttemptKey,
        request: AgentRequest,
        ticket: Ticket,
    ) -> Result<(), Refusal> {
        match request {
            AgentRequest::Note(note) => {
                self.read_note(&from, &note);
                let AttemptKey { task_id, attempt } = from;
                self.take(Input::Noted { task_id, attempt, note: note.into() }, Some(ticket))
            }
            AgentRequest::Tell(telling) => {
                self.check_at_work(&from)?;
                self.count_message(&from)?;
                let message = self.message(&from, telling)?;
                self.take(message, Some(ticket))
            }
            AgentRequest::Ask(asking) => {
                self.check_at_work(&from)?;
                self.count_message(&from)?;
                self.query(&from, asking, ticket)
            }
            AgentRequest::Consult { name, mut ask, left, within } => {
                self.check_at_work(&from)?;
                if let Some(finding) = self.mark(&mut ask) {
                    return Err(Refusal::Guarded { reason: finding.message });
                }
                self.ask_for_attempt(from, name, *ask, (left, within), ticket);
                Ok(())
            }
        }
    }

    /// An attempt has ended.
    pub(crate) fn attempt_ended(&mut self, mut ended: Ended) {
        let key = ended.key.clone();
        self.close_queries(&key.task_id);
        self.close_asks(&key);
        for telling in self.last_messages(&mut ended) {
            // What cannot be told any more is not told.
            if let Ok(message) = self.message(&key, telling) {
                self.take_own(message);
            }
        }
        self.requests.remove(&RequestId::Attempt(key));
        // The engine knows whose circuit is open before it gives out the next task.
        self.count_attempt(&ended);
        self.note_circuits();
        self.read_answer(&mut ended);
        if let Some(input) = self.outcome_of(ended) {
            self.take_own(input);
        }
    }

    /// What the answer tells everyone, as far as the attempt may still send messages.
    fn last_messages(&self, ended: &mut Ended) -> Vec<Telling> {
        let made = ended.agent.is_some() && self.is_at_work(&ended.key);
        match &mut ended.end {
            AttemptEnd::Answered(answer) if made => {
                self.bounded(&ended.key, std::mem::take(&mut answer.messages))
            }
            _ => Vec::new(),
        }
    }

    /// What an attempt's end means to the engine; nothing if it no longer asks for the attempt.
    pub(crate) fn outcome_of(&self, ended: Ended) -> Option<Input> {
        let AttemptKey { task_id, attempt } = ended.key.clone();
        let asked = self.history.state.attempt_effect(&task_id, attempt)?;
        match &ended.end {
            AttemptEnd::Stopped
            | AttemptEnd::Waiting(_)
            | AttemptEnd::NoResources(_)
            | AttemptEnd::Failed(_)
                if matches!(asked, Effect::StopAgent { .. }) =>
            {
                Some(Input::AgentStopped { task_id, attempt })
            }
            AttemptEnd::NoResources(reason) => {
                Some(Input::AgentNotStarted { task_id, attempt, reason: reason.clone() })
            }
            AttemptEnd::Waiting(request) => {
                Some(Input::AgentAsks { task_id, attempt, request: request.clone() })
            }
            _ => {
                let feedback = Box::new(ended.into_feedback(self.now));
                Some(Input::AgentReported { task_id, attempt, feedback })
            }
        }
    }

    pub(crate) fn is_at_work(&self, key: &AttemptKey) -> bool {
        let asked = self.history.state.attempt_effect(&key.task_id, key.attempt);
        matches!(asked, Some(Effect::InvokeAgent { .. }))
    }

    fn check_at_work(&self, key: &AttemptKey) -> Result<(), Refusal> {
        if self.is_at_work(key) { Ok(()) } else { Err(stale(key)) }
    }
}

pub(crate) fn stale(key: &AttemptKey) -> Refusal {
    Refusal::StaleOutcome { task_id: key.task_id.clone(), attempt: key.attempt }
}

impl Ended {
    /// The attempt's outcome in the engine's words.
    fn into_feedback(self, now: Timestamp) -> ExecutionFeedback {
        let Self { key: AttemptKey { task_id, .. }, end, duration, price, .. } = self;
        let cancelled = |why: &str| Box::new(Failure::new(FailureKind::Cancelled, why));
        let failure = match end {
            AttemptEnd::Answered(answer) => {
                return ExecutionFeedback::answered(task_id, *answer, duration, price, now);
            }
            AttemptEnd::Stopped => cancelled("the attempt was stopped"),
            AttemptEnd::Waiting(_) => cancelled("it waits for a person"),
            AttemptEnd::NoResources(_) => cancelled("it was not begun"),
            AttemptEnd::Failed(failure) => failure,
        };
        ExecutionFeedback::failed(task_id, *failure, duration, now)
    }
}

/// An answer that the engine cannot take is answered for, so that nothing hangs.
pub(crate) fn answer_for(input: Input, refusal: &Refusal, now: Timestamp) -> Option<Input> {
    match (input, refusal) {
        (Input::AgentReported { task_id, attempt, .. }, Refusal::WrongTask { .. }) => {
            let failure = Failure::new(FailureKind::BadOutput, "The agent answered for another task");
            let feedback = ExecutionFeedback::failed(task_id.clone(), failure, Seconds::from_millis(1), now);
            Some(Input::AgentReported { task_id, attempt, feedback: Box::new(feedback) })
        }
        _ => None,
    }
}
