//! The desk of an attempt: its notebook on the run's log, and models.

use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use candor_engine::Input;
use candor_model::{AgentNote, AskStep, Consulted, Money, Noted, Seconds};
use candor_planning::breaker::Change;
use candor_ports::{Ask, AttemptContext, BoxFuture, CallLimits, Models, Next, NextCall};
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};

use super::DriveError;
use super::actor::Message;
use super::attempt::AttemptKey;
use super::consult::told_of_model;
use super::line::{Line, gone, settled};
use crate::breakers::model_id;

/// How long a note that may be lost waits for another one: people who watch should not wait much longer.
const A_WHILE: Duration = Duration::from_millis(50);

/// Tells when what was handed in is durable.
type Durable = oneshot::Receiver<Result<(), DriveError>>;

impl AttemptContext for Line {
    fn notes(&self) -> Vec<Noted> {
        self.noted.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn note(&self, note: AgentNote) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(self.write(note))
    }

    fn note_buffered(&self, note: AgentNote) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(self.put_aside(note))
    }

    fn consult(
        &self,
        name: String,
        ask: Ask,
        left: Money,
        within: Seconds,
    ) -> BoxFuture<'_, Result<Value, String>> {
        Box::pin(self.climb(name, ask, left, within))
    }

    fn has_models(&self) -> bool {
        self.shared.models.is_some()
    }
}

impl Line {
    async fn write(&self, note: AgentNote) -> Result<(), String> {
        let durable = self.hand_in(note).await?;
        settled(durable).await
    }

    /// Gives a note to the driver, behind those that were put aside: all of them become durable together.
    async fn hand_in(&self, note: AgentNote) -> Result<Durable, String> {
        let mut outbox = self.outbox.lock().await;
        self.remember(&note);
        outbox.push(note);
        let sent = send(&mut outbox, &self.speaker.key, &self.mail).await;
        sent.ok_or_else(gone)
    }

    /// Keeps a note for the next one to take along, and sends it by itself if none comes for a while.
    async fn put_aside(&self, note: AgentNote) -> Result<(), String> {
        self.remember(&note);
        self.outbox.lock().await.push(note);
        let (outbox, key, mail) = (Arc::clone(&self.outbox), self.speaker.key.clone(), self.mail.clone());
        tokio::spawn(async move {
            tokio::time::sleep(A_WHILE).await;
            send(&mut *outbox.lock().await, &key, &mail).await;
        });
        Ok(())
    }

    fn remember(&self, note: &AgentNote) {
        let noted = Noted { attempt: self.speaker.key.1, note: note.clone() };
        self.noted.lock().unwrap_or_else(PoisonError::into_inner).push(noted);
    }

    /// The steps of an ask that are on the log.
    fn steps(&self, name: &str) -> Vec<Consulted> {
        let noted = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
        let steps = noted.iter().filter_map(|noted| match &noted.note {
            AgentNote::Consulted { ask, step, .. } if ask == name => Some(step.as_ref().clone()),
            _ => None,
        });
        steps.collect()
    }

    /// Climbs the fallback policy of an ask, one step at a time; each is on the log before the next.
    async fn climb(&self, name: String, ask: Ask, left: Money, within: Seconds) -> Result<Value, String> {
        let models = self.shared.models.clone().ok_or("no model is configured")?;
        let end = Instant::now() + Duration::from_millis(within.as_millis());
        let mut left = left;
        loop {
            let past = self.steps(&name);
            match past.last().map(|step| &step.outcome) {
                Some(AskStep::Accepted { value, .. }) => return Ok(value.clone()),
                Some(AskStep::GiveUp { reason, .. }) => return Err(reason.clone()),
                _ => {}
            }
            let step = self.step(&*models, &ask, &past, left, end).await;
            left = left.saturating_sub(step.call.as_ref().map_or(Money::ZERO, |call| call.cost));
            let number = u32::try_from(past.len()).unwrap_or(u32::MAX).saturating_add(1);
            self.write(AgentNote::Consulted { ask: name.clone(), number, step: Box::new(step) }).await?;
        }
    }

    async fn step(
        &self,
        models: &dyn Models,
        ask: &Ask,
        past: &[Consulted],
        left: Money,
        end: Instant,
    ) -> Consulted {
        let without = |outcome| Consulted { call: None, outcome };
        let time = end.saturating_duration_since(Instant::now());
        if time.is_zero() || self.stop.is_cancelled() {
            let reason = "the time for the answer is up".to_owned();
            return without(AskStep::GiveUp { from: ask.tier, reason });
        }
        match models.next(ask, past, left) {
            Next::Step(outcome) => without(outcome),
            Next::Call(call) if call.at_most > left => {
                let reason =
                    format!("a call can cost ${}, and ${left} are left for the attempt", call.at_most);
                without(models.step_down(ask, past, &reason))
            }
            Next::Call(call) => match self.shared.breakers.admit(&model_id(&call.model), self.clock.now()) {
                Err(reason) => without(models.step_down(ask, past, &reason)),
                Ok(()) => self.call(models, ask, past, &call, time).await,
            },
        }
    }

    async fn call(
        &self,
        models: &dyn Models,
        ask: &Ask,
        past: &[Consulted],
        call: &NextCall,
        time: Duration,
    ) -> Consulted {
        let wait = Duration::from_millis(call.after.as_millis());
        if !wait.is_zero() {
            tokio::select! {
                () = tokio::time::sleep(wait.min(time)) => {}
                () = self.stop.cancelled() => {}
            }
        }
        let within =
            Seconds::from_millis(u64::try_from((time - wait.min(time)).as_millis()).unwrap_or(u64::MAX));
        let limits = CallLimits { within, max_output_tokens: call.max_output_tokens };
        let step = models.call(ask, past, limits, None, self.stop.clone()).await;
        self.count(&step).await;
        step
    }

    /// Counts a call for its model's breaker, and tells the run if that changes anything.
    async fn count(&self, step: &Consulted) {
        let Some((model, result)) = told_of_model(step) else { return };
        let breakers = &self.shared.breakers;
        let change = breakers.ended(&model_id(model), result, self.clock.now(), &self.shared.log);
        let opened = match change {
            Some(Change::Opened) => Some(result.err().unwrap_or_default().to_owned()),
            Some(Change::Closed) => None,
            None => return,
        };
        let (reply, _) = oneshot::channel();
        let input = Box::new(Input::ModelBreaker { model: model.to_owned(), opened });
        // The breaker holds whether or not the run hears of it.
        let _ = self.post(Message::Give { input, reply }).await;
    }
}

/// Sends notes in their order; gives what tells when the last of them is durable.
async fn send(
    notes: &mut Vec<AgentNote>,
    (task_id, attempt): &AttemptKey,
    mail: &mpsc::Sender<Message>,
) -> Option<Durable> {
    let mut last = None;
    for note in notes.drain(..) {
        let (reply, durable) = oneshot::channel();
        let (task_id, attempt) = (task_id.clone(), *attempt);
        let input = Box::new(Input::Noted { task_id, attempt, note: Arc::new(note) });
        mail.send(Message::Give { input, reply }).await.ok()?;
        last = Some(durable);
    }
    last
}
