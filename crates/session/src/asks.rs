//! Asking models: the one loop by which phases and agents at work do it.
//!
//! Each step follows from the steps so far, the money and the time that are left, and the model's circuit breaker.
//! A step is on the log before the next one: a phase's as an event, an agent's among its notes. So an ask goes on
//! after a crash, and no call whose answer is known is made again.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use candor_engine::{Input, Refusal};
use candor_model::{
    AgentNote, Ask, AskId, AskKey, AskPolicy, AskStep, CallLimits, Consulted, Effect, FailureKind,
    ModelRequest, Money, Next, NextCall, Phase, Seconds, Timestamp,
};
use serde_json::Value;

use crate::Session;
use crate::circuits::model_circuit;
use crate::input::{Answer, AttemptKey, RequestId, Ticket};

/// What is left of the time for planning when models are not waited for any longer: enough for the rules.
const TIME_FOR_RULES_MS: u64 = 250;

/// How long a call may take when nothing else limits it; the models' own limits are usually shorter.
const LONGEST_CALL_MS: u64 = 600_000;

/// The asks that are open.
#[derive(Debug, Default)]
pub(crate) struct Asks {
    /// What phases ask, with the call that is on the log as to be made and which step it is.
    phases: BTreeMap<AskKey, (Ask, NextCall, u32)>,
    attempts: BTreeMap<AskId, AttemptAsk>,
}

/// An agent's question to a model.
#[derive(Debug)]
struct AttemptAsk {
    key: AttemptKey,
    name: String,
    ask: Ask,
    /// What is left of the money for it.
    left: Money,
    /// Until when it must be answered.
    until: Timestamp,
    /// The call to be made, and which step it is.
    call: Option<(NextCall, u32)>,
    /// The answer, once it is found; given out when it is on the log.
    answer: Option<Result<Value, String>>,
    waiting: Vec<Ticket>,
    /// How many steps there were when it was asked.
    steps_before: usize,
}

impl Session {
    /// The next step of an ask: a call that may be made, or a step that needs none.
    fn next_step(
        &self,
        policy: &dyn AskPolicy,
        ask: &Ask,
        past: &[Consulted],
        left: Money,
        out_of_time: Option<String>,
    ) -> Next {
        if let Some(reason) = out_of_time {
            let kind = Some(FailureKind::Timeout);
            return Next::Step(AskStep::GiveUp { from: ask.tier, reason, kind });
        }
        match policy.next(ask, past, left) {
            Next::Call(call) if call.at_most > left => {
                let reason = format!("a call can cost ${}, and ${left} are left", call.at_most);
                Next::Step(policy.step_down(ask, past, &reason).without_call(FailureKind::OverBudget))
            }
            Next::Call(call) => match self.deps.circuits.admit(&model_circuit(&call.model), self.now) {
                Err(reason) => {
                    Next::Step(policy.step_down(ask, past, &reason).without_call(FailureKind::Unavailable))
                }
                Ok(()) => Next::Call(call),
            },
            step => step,
        }
    }

    /// What follows from a phase's question now; nothing if its answer is on the way.
    pub(crate) fn ask_for_phase(&mut self, key: AskKey, mut ask: Ask) -> Option<Input> {
        // What a phase reads was examined when it came in: here it is only marked.
        let _ = self.mark(&mut ask);
        let policy = self.deps.models.clone()?;
        let state = &self.history.state;
        let past = state.consulted(&key);
        if let Some(open) = state.open_calls().find(|call| call.ask == key) {
            // A call that is on the log and that this session has not asked for: the log was folded.
            if let Entry::Vacant(unknown) = self.asks.phases.entry(key) {
                let left = state.money_for_models() + open.reserved;
                if let Next::Call(call) = policy.next(&ask, past, left) {
                    unknown.insert((ask, call, open.number));
                }
            }
            return None;
        }
        let number = next_number(past);
        let next = match self.asks.phases.get(&key) {
            // It was admitted, and the append of it was refused because someone else wrote in between.
            Some((_, call, of)) if *of == number => Next::Call(call.clone()),
            _ => {
                let late = self.out_of_time(key.phase);
                let setting = if key.phase < Phase::Execution { "planning_budget" } else { "run_budget" };
                let next = self.next_step(&*policy, &ask, past, state.money_for_models(), late);
                with_advice(next, &format!("raise `{setting}` under [limits] in candor.toml"))
            }
        };
        match next {
            Next::Step(outcome) => {
                let step = Box::new(Consulted { call: None, outcome });
                Some(Input::Consulted { ask: key, number, step })
            }
            Next::Call(call) => {
                let input = Input::Consulting {
                    ask: key.clone(),
                    tier: call.tier,
                    model: call.model.clone(),
                    reserved: call.at_most,
                };
                self.asks.phases.insert(key, (ask, call, number));
                Some(input)
            }
        }
    }

    /// The step that is made when the engine does not allow a phase's call.
    pub(crate) fn without_call(&mut self, key: &AskKey, model: &str, refusal: &Refusal) -> Option<Input> {
        self.deps.circuits.not_made(&model_circuit(model));
        let (ask, ..) = self.asks.phases.remove(key)?;
        let past = self.history.state.consulted(key);
        let down = self.deps.models.as_ref()?.step_down(&ask, past, &refusal.to_string());
        let outcome = match refusal {
            Refusal::NoMoney { .. } | Refusal::NoTokens { .. } => down.without_call(FailureKind::OverBudget),
            _ => down,
        };
        let step = Box::new(Consulted { call: None, outcome });
        Some(Input::Consulted { ask: key.clone(), number: next_number(past), step })
    }

    /// Why models are not asked any more, if the time for planning is nearly up.
    fn out_of_time(&self, phase: Phase) -> Option<String> {
        let left = self.time_for(phase)?;
        let limit = self.history.state.settings().planning_timeout;
        (left == Seconds::ZERO).then(|| format!("the time for planning ({limit} s) is nearly up"))
    }

    /// The time that a phase has for its questions. While tasks are executed, time is limited by attempt.
    fn time_for(&self, phase: Phase) -> Option<Seconds> {
        if phase == Phase::Execution {
            return None;
        }
        let at = self.history.state.next_timeout()?;
        Some(at.since(self.now).saturating_sub(Seconds::from_millis(TIME_FOR_RULES_MS)))
    }

    /// An agent at work asks a model.
    pub(crate) fn ask_for_attempt(
        &mut self,
        key: AttemptKey,
        name: String,
        ask: Ask,
        (left, within): (Money, Seconds),
        ticket: Ticket,
    ) {
        let AttemptKey { task_id, attempt } = key.clone();
        let id = AskId::Attempt { task_id, attempt, name: name.clone() };
        let until = self.now.plus(within);
        let steps_before = self.noted_steps(&key, &name).len();
        let open = self.asks.attempts.entry(id).or_insert_with(|| AttemptAsk {
            key,
            name,
            ask,
            left,
            until,
            call: None,
            answer: None,
            waiting: Vec::new(),
            steps_before,
        });
        open.waiting.push(ticket);
    }

    /// Goes on with every agent's question that waits for no call.
    pub(crate) fn go_on_asking(&mut self) {
        let idle = self.asks.attempts.iter().filter(|(_, open)| open.call.is_none() && open.answer.is_none());
        let idle: Vec<AskId> = idle.map(|(id, _)| id.clone()).collect();
        for id in idle {
            while self.advance(&id) {}
        }
    }

    /// Makes one step of an agent's question; whether another one follows at once.
    fn advance(&mut self, id: &AskId) -> bool {
        let Some(open) = self.asks.attempts.get(id) else { return false };
        let past = self.noted_steps(&open.key, &open.name);
        let answer = match past.last().map(|step| &step.outcome) {
            Some(AskStep::Accepted { value, .. }) => Some(Ok(value.clone())),
            Some(AskStep::GiveUp { reason, .. }) => Some(Err(reason.clone())),
            _ if self.deps.models.is_none() => Some(Err("no model is configured".to_owned())),
            _ => None,
        };
        let number = next_number(&past);
        let next = match (&answer, &self.deps.models) {
            (None, Some(policy)) => {
                let late = (open.until <= self.now).then(|| "the time for the answer is up".to_owned());
                let next = self.next_step(&**policy, &open.ask, &past, open.left, late);
                Some(with_advice(next, "raise `max_cost` of the agent in candor.toml"))
            }
            _ => None,
        };
        let Some(open) = self.asks.attempts.get_mut(id) else { return false };
        match next {
            None => {
                open.answer = answer;
                false
            }
            Some(Next::Call(call)) => {
                open.call = Some((call, number));
                false
            }
            Some(Next::Step(outcome)) => {
                let key = open.key.clone();
                let note = step_note(&open.name, number, Consulted { call: None, outcome });
                self.note_step(id, key, note)
            }
        }
    }

    /// Notes a step of an agent's question; whether it was taken. An attempt that is over gets no answer.
    fn note_step(&mut self, id: &AskId, key: AttemptKey, note: AgentNote) -> bool {
        let AttemptKey { task_id, attempt } = key;
        let taken = self.take(Input::Noted { task_id, attempt, note: note.into() }, None);
        if let (Err(refusal), Some(open)) = (&taken, self.asks.attempts.get_mut(id)) {
            open.answer = Some(Err(refusal.to_string()));
        }
        taken.is_ok()
    }

    /// The steps of an agent's question that are noted, in this attempt and in those before.
    fn noted_steps(&self, key: &AttemptKey, name: &str) -> Vec<Consulted> {
        let notes = self.history.state.notes(&key.task_id).iter();
        let steps = notes.filter_map(|noted| match &noted.note {
            AgentNote::Consulted { ask, step, .. } if ask == name => Some(step.as_ref().clone()),
            _ => None,
        });
        steps.collect()
    }

    /// A call of a model was made.
    pub(crate) fn model_answered(&mut self, ask: &AskId, number: u32, step: Box<Consulted>) {
        let change = self.count_call(&step);
        match ask {
            AskId::Phase(key) => {
                self.asks.phases.remove(key);
                self.take_own(Input::Consulted { ask: key.clone(), number, step });
            }
            AskId::Attempt { .. } => self.attempt_answered(ask, number, *step),
        }
        if let Some(input) = change {
            self.take_own(input);
        }
    }

    fn attempt_answered(&mut self, id: &AskId, number: u32, step: Consulted) {
        let Some(open) = self.asks.attempts.get_mut(id) else { return };
        if open.call.as_ref().is_none_or(|(_, made)| *made != number) {
            return;
        }
        open.call = None;
        open.left = open.left.saturating_sub(step.call.as_ref().map_or(Money::ZERO, |call| call.cost));
        let (key, note) = (open.key.clone(), step_note(&open.name, number, step));
        self.note_step(id, key, note);
    }

    /// Gives out the answers that are on the log, and forgets asks that nobody waits for any more.
    pub(crate) fn settle_asks(&mut self) {
        let answered = self.asks.attempts.extract_if(.., |_, open| open.answer.is_some());
        let answered: Vec<AttemptAsk> = answered.map(|(_, open)| open).collect();
        for AttemptAsk { key, name, answer, waiting, steps_before, .. } in answered {
            let answer = answer.unwrap_or_else(|| Err("there is no answer".to_owned()));
            let steps = (1..).zip(self.noted_steps(&key, &name)).skip(steps_before);
            let notes: Vec<AgentNote> = steps.map(|(number, step)| step_note(&name, number, step)).collect();
            for ticket in waiting {
                let (answer, notes) = (answer.clone(), notes.clone());
                self.replies.push_back((ticket, Ok(Answer::Model { answer, notes })));
            }
        }
        let state = &self.history.state;
        self.asks.phases.retain(|key, _| state.open_calls().any(|call| call.ask == *key));
    }

    /// The questions of an attempt that has ended are not answered any more.
    pub(crate) fn close_asks(&mut self, of: &AttemptKey) {
        for open in self.asks.attempts.values_mut().filter(|open| open.key == *of && open.answer.is_none()) {
            open.call = None;
            open.answer = Some(Err("the attempt is over".to_owned()));
        }
    }

    /// The calls that are to be made.
    pub(crate) fn calls(&self) -> impl Iterator<Item = (RequestId, Effect)> {
        let state = &self.history.state;
        let phases = state.open_calls().filter_map(|open| {
            let (ask, call, _) = self.asks.phases.get(&open.ask)?;
            let within =
                self.time_for(open.ask.phase).unwrap_or_else(|| Seconds::from_millis(LONGEST_CALL_MS));
            let past = state.consulted(&open.ask).to_vec();
            Some(request(AskId::Phase(open.ask.clone()), open.number, ask, call, (past, within)))
        });
        let attempts = self.asks.attempts.iter().filter_map(|(id, open)| {
            let (call, number) = open.call.as_ref()?;
            let within = open.until.since(self.now).saturating_sub(call.after);
            let past = self.noted_steps(&open.key, &open.name);
            Some(request(id.clone(), *number, &open.ask, call, (past, within)))
        });
        phases.chain(attempts)
    }
}

fn request(
    id: AskId,
    number: u32,
    ask: &Ask,
    call: &NextCall,
    (past, within): (Vec<Consulted>, Seconds),
) -> (RequestId, Effect) {
    let limits = CallLimits { within, max_output_tokens: call.max_output_tokens };
    let name = RequestId::Model { ask: id.clone(), number };
    let request = ModelRequest { id, number, ask: ask.clone(), past, limits, after: call.after };
    (name, Effect::AskModel(Box::new(request)))
}

fn step_note(name: &str, number: u32, step: Consulted) -> AgentNote {
    AgentNote::Consulted { ask: name.to_owned(), number, step: Box::new(step) }
}

/// A step without a call for want of money, with what to do about it.
fn with_advice(next: Next, advice: &str) -> Next {
    match next {
        Next::Step(AskStep::GiveUp { from, reason, kind: Some(FailureKind::OverBudget) }) => {
            let (reason, kind) = (format!("{reason}; {advice}"), Some(FailureKind::OverBudget));
            Next::Step(AskStep::GiveUp { from, reason, kind })
        }
        other => other,
    }
}

fn next_number(past: &[Consulted]) -> u32 {
    u32::try_from(past.len()).unwrap_or(u32::MAX).saturating_add(1)
}
