//! Questions to models: when they are put, what they may cost and how long they may take, and what their
//! answers mean to the engine.

use std::sync::Arc;
use std::time::Duration;

use candor_engine::{Input, Refusal};
use candor_model::{AskKey, AskStep, Consulted, ModelErrorKind, OpenCall, Seconds, Timestamp};
use candor_planning::breaker::Change;
use candor_ports::{Ask, CallLimits, Models, Next, NextCall, Words};
use tokio_util::sync::CancellationToken;

use super::actor::{Actor, Message};
use super::batch::Batch;
use crate::breakers::model_id;

/// What is left of the time for planning when models are not waited for any longer: enough for the rules.
const TIME_FOR_RULES: Duration = Duration::from_millis(250);

/// How long a call may take when nothing else limits it; the models' own limits are usually shorter.
const LONGEST_CALL: Duration = Duration::from_secs(600);

/// A question that a phase has put.
pub(super) struct Question {
    ask: Ask,
    /// The call that is to be made once it is on the log.
    call: Option<NextCall>,
}

impl Actor {
    /// What follows from a phase's question now; nothing if its answer is on the way.
    pub(super) fn put(&mut self, key: AskKey, ask: Ask) -> Option<Input> {
        let models = Arc::clone(self.shared.models.as_ref()?);
        let state = &self.book.state;
        if state.open_calls().any(|call| call.ask == key) {
            return None;
        }
        let past = state.consulted(&key);
        let number = u32::try_from(past.len()).unwrap_or(u32::MAX).saturating_add(1);
        let step = |outcome| Box::new(Consulted { call: None, outcome });
        if let Some(reason) = self.out_of_time() {
            let outcome = AskStep::GiveUp { from: ask.tier, reason };
            return Some(Input::Consulted { ask: key, number, step: step(outcome) });
        }
        let now = self.book.clock.now();
        match models.next(&ask, past, state.money_for_models()) {
            Next::Step(outcome) => Some(Input::Consulted { ask: key, number, step: step(outcome) }),
            Next::Call(call) => match self.shared.breakers.admit(&model_id(&call.model), now) {
                Err(reason) => {
                    let outcome = models.step_down(&ask, past, &reason);
                    Some(Input::Consulted { ask: key, number, step: step(outcome) })
                }
                Ok(()) => {
                    let input = Input::Consulting {
                        ask: key.clone(),
                        tier: call.tier,
                        model: call.model.clone(),
                        reserved: call.at_most,
                    };
                    self.questions.insert(key, Question { ask, call: Some(call) });
                    Some(input)
                }
            },
        }
    }

    /// What is said instead when the engine does not allow a call.
    pub(super) fn in_place_of_call(&self, input: &Input, refusal: &Refusal) -> Option<Input> {
        let Input::Consulting { ask: key, model, .. } = input else { return None };
        self.shared.breakers.not_probed(&model_id(model));
        let question = self.questions.get(key)?;
        let past = self.book.state.consulted(key);
        let outcome = self.shared.models.as_ref()?.step_down(&question.ask, past, &refusal.to_string());
        let number = u32::try_from(past.len()).unwrap_or(u32::MAX).saturating_add(1);
        Some(Input::Consulted { ask: key.clone(), number, step: Box::new(Consulted { call: None, outcome }) })
    }

    /// Makes the calls that are on the log as to be made, and stops those that nobody waits for any more.
    pub(super) fn make_calls(&mut self) {
        let open: Vec<OpenCall> = self.book.state.open_calls().cloned().collect();
        let gone = self.calls.iter().filter(|(key, _)| open.iter().all(|call| call.ask != **key));
        gone.for_each(|(_, stop)| stop.cancel());
        for OpenCall { ask: key, number, .. } in open {
            if self.calls.contains_key(&key) {
                continue;
            }
            let Some(question) = self.questions.get_mut(&key) else { continue };
            let Some(call) = question.call.take() else { continue };
            let ask = question.ask.clone();
            self.make_call(key, number, ask, &call);
        }
    }

    fn make_call(&mut self, key: AskKey, number: u32, ask: Ask, call: &NextCall) {
        let Some(models) = self.shared.models.clone() else { return };
        let within = seconds(self.time_for_models().unwrap_or(LONGEST_CALL));
        let limits = CallLimits { within, max_output_tokens: call.max_output_tokens };
        let stop = CancellationToken::new();
        let task = Call {
            models,
            ask,
            past: self.book.state.consulted(&key).to_vec(),
            limits,
            after: Duration::from_millis(call.after.as_millis()),
            words: self.words(&key),
            stop: stop.clone(),
        };
        self.calls.insert(key.clone(), stop);
        let mail = self.mail.clone();
        tokio::spawn(async move {
            let step = Box::new(task.make().await);
            // A driver that is gone has nobody left to tell.
            let _ = mail.send(Message::Consulted { key, number, step }).await;
        });
    }

    /// Lets observers hear the words as they come.
    fn words(&self, key: &AskKey) -> Option<Words> {
        let observer = Arc::clone(self.shared.observer.as_ref()?);
        let (run, key) = (self.book.state.run_id().clone(), key.clone());
        Some(Arc::new(move |words: &str| observer.on_chunk(&run, &key, words)))
    }

    /// Takes a step that was made into account.
    pub(super) fn heard(&mut self, key: AskKey, number: u32, step: Box<Consulted>, batch: &mut Batch) {
        self.calls.remove(&key);
        let change = self.note_call(&step);
        self.take(Input::Consulted { ask: key, number, step }, None, batch);
        if let Some(input) = change {
            self.take(input, None, batch);
        }
    }

    /// Counts a call for its model's breaker.
    fn note_call(&self, step: &Consulted) -> Option<Input> {
        let (model, result) = told_of_model(step)?;
        let now = self.book.clock.now();
        let change = self.shared.breakers.ended(&model_id(model), result, now, &self.shared.log)?;
        let opened = match change {
            Change::Opened => Some(result.err().unwrap_or_default().to_owned()),
            Change::Closed => None,
        };
        Some(Input::ModelBreaker { model: model.to_owned(), opened })
    }

    /// Why models are not asked any more, if the time for planning is nearly up.
    fn out_of_time(&self) -> Option<String> {
        let left = self.time_for_models()?;
        let limit = self.book.state.settings().planning_timeout;
        left.is_zero().then(|| format!("the time for planning ({limit} s) is nearly up"))
    }

    fn time_for_models(&self) -> Option<Duration> {
        let at: Timestamp = self.book.state.next_timeout()?;
        Some(self.book.clock.until(at).saturating_sub(TIME_FOR_RULES))
    }
}

/// What a step says of the model that was called. A series of repetitions counts once, at its end; a request that
/// the model must refuse says nothing of the model.
pub(super) fn told_of_model(step: &Consulted) -> Option<(&str, Result<(), &str>)> {
    let call = step.call.as_ref()?;
    let about_request = |kind| matches!(kind, ModelErrorKind::ContentFilter | ModelErrorKind::ContextTooLong);
    let result = match &step.outcome {
        AskStep::Accepted { .. } => Ok(()),
        AskStep::FallBack { reason, .. } | AskStep::GiveUp { reason, .. } => match &call.failure {
            Some(failure) if about_request(failure.kind) => return None,
            _ => Err(reason.as_str()),
        },
        AskStep::Repeat { .. } | AskStep::AskAgain { .. } => return None,
    };
    Some((&call.model, result))
}

fn seconds(duration: Duration) -> Seconds {
    Seconds::from_millis(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX))
}

struct Call {
    models: Arc<dyn Models>,
    ask: Ask,
    past: Vec<Consulted>,
    limits: CallLimits,
    after: Duration,
    words: Option<Words>,
    stop: CancellationToken,
}

impl Call {
    async fn make(self) -> Consulted {
        if !self.after.is_zero() {
            tokio::select! {
                () = tokio::time::sleep(self.after) => {}
                () = self.stop.cancelled() => {}
            }
        }
        self.models.call(&self.ask, &self.past, self.limits, self.words, self.stop).await
    }
}
