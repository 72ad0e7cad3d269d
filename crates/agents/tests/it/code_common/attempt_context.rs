//! A cx in memory, with a model that answers by the names of the questions, and notes as a real cx does.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use candor_model::{
    AgentNote, AskStep, Asking, Broadcast, Consulted, ModelCall, Money, Noted, QueryAnswer, RunId, Seconds,
    TaskId, Telling, Tier, TokenUse, WorkOrder, WorkStep,
};
use candor_ports::{Ask, AttemptContext, BoxFuture, PeerChannel};
use serde_json::Value;

#[derive(Default)]
pub(crate) struct Memory {
    pub(crate) attempt: u32,
    pub(crate) notes: Mutex<Vec<Noted>>,
    /// What the model answers, by the names of the questions; nobody is there if there is nothing.
    pub(crate) answers: Option<BTreeMap<String, Value>>,
    /// Every question that reached the model.
    pub(crate) asked: Mutex<Vec<(String, Ask)>>,
    /// How long the model thinks.
    pub(crate) thinks: Duration,
    /// After how many notes no more are taken.
    pub(crate) full_after: Option<usize>,
}

impl Memory {
    pub(crate) fn new(attempt: u32, answers: &[(&str, Value)]) -> Arc<Self> {
        Self::left_with(attempt, answers, Vec::new())
    }

    pub(crate) fn left_with(attempt: u32, answers: &[(&str, Value)], notes: Vec<Noted>) -> Arc<Self> {
        let answers = answers.iter().map(|(name, value)| (format!("a{attempt}/{name}"), value.clone()));
        let (answers, notes) = (Some(answers.collect()), Mutex::new(notes));
        Arc::new(Self { attempt, answers, notes, ..Self::default() })
    }

    pub(crate) fn without_model(attempt: u32) -> Arc<Self> {
        Arc::new(Self { attempt, ..Self::default() })
    }

    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().iter().map(|(name, _)| name.clone()).collect()
    }

    pub(crate) fn steps(&self) -> Vec<WorkStep> {
        let worked = |noted: Noted| match noted.note {
            AgentNote::Worked { step } => Some(*step),
            _ => None,
        };
        self.notes().into_iter().filter_map(worked).collect()
    }

    pub(crate) fn story(&self) -> Vec<String> {
        self.steps().iter().map(|step| format!("{} {}", step.component, step.number)).collect()
    }

    fn push(&self, note: AgentNote) -> Result<(), String> {
        let mut notes = self.notes.lock().unwrap();
        if self.full_after.is_some_and(|most| notes.len() >= most) {
            return Err("the run is over".to_owned());
        }
        notes.push(Noted { attempt: self.attempt, note });
        Ok(())
    }

    async fn think(&self, name: String, ask: Ask) -> Result<Value, String> {
        let known = self.notes().into_iter().find_map(|noted| match noted.note {
            AgentNote::Consulted { ask, step, .. } if ask == name => Some(step.outcome),
            _ => None,
        });
        match known {
            Some(AskStep::Accepted { value, .. }) => return Ok(value),
            Some(AskStep::GiveUp { reason, .. }) => return Err(reason),
            _ => {}
        }
        tokio::time::sleep(self.thinks).await;
        self.asked.lock().unwrap().push((name.clone(), ask.clone()));
        let answers = self.answers.as_ref().ok_or("no models")?;
        let outcome = match answers.get(&name) {
            Some(value) if (ask.check)(value).is_empty() => {
                AskStep::Accepted { value: value.clone(), repairs: Vec::new() }
            }
            Some(value) => {
                AskStep::GiveUp { from: ask.tier, reason: (ask.check)(value).join("; "), kind: None }
            }
            None => AskStep::GiveUp { from: ask.tier, reason: format!("nothing for {name}"), kind: None },
        };
        let step = Box::new(Consulted { call: Some(call(ask.tier)), outcome: outcome.clone() });
        self.push(AgentNote::Consulted { ask: name, number: 1, step })?;
        match outcome {
            AskStep::Accepted { value, .. } => Ok(value),
            AskStep::GiveUp { reason, .. } => Err(reason),
            _ => Err("no answer".to_owned()),
        }
    }
}

fn call(tier: Tier) -> ModelCall {
    ModelCall {
        tier,
        model: format!("acme/{tier}"),
        prompt: "p".to_owned(),
        request: "r".to_owned(),
        answer: None,
        failure: None,
        tokens: TokenUse { input: 10, ..TokenUse::default() },
        cost: Money::from_micros(if tier == Tier::Strong { 3_000 } else { 500 }),
        saved: Money::ZERO,
        duration_seconds: Seconds::ZERO,
        details: None,
    }
}

impl AttemptContext for Memory {
    fn notes(&self) -> Vec<Noted> {
        self.notes.lock().unwrap().clone()
    }

    fn note(&self, note: AgentNote) -> BoxFuture<'_, Result<(), String>> {
        let taken = self.push(note);
        Box::pin(std::future::ready(taken))
    }

    fn consult(&self, name: String, ask: Ask, _: Money, _: Seconds) -> BoxFuture<'_, Result<Value, String>> {
        Box::pin(self.think(name, ask))
    }

    fn has_models(&self) -> bool {
        self.answers.is_some()
    }
}

impl PeerChannel for Memory {
    fn tell(&self, _: Telling) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(std::future::ready(Ok(())))
    }

    fn ask(&self, _: Asking) -> BoxFuture<'_, Result<QueryAnswer, String>> {
        Box::pin(std::future::ready(Err("nobody".to_owned())))
    }

    fn heard(&self) -> Vec<Broadcast> {
        Vec::new()
    }

    fn listen(&self, _: usize) -> BoxFuture<'_, Vec<Broadcast>> {
        Box::pin(std::future::pending())
    }
}

/// An order for this task with these inputs.
pub(crate) fn order(task: &str, inputs: Value, expected: &[&str]) -> WorkOrder {
    WorkOrder {
        run_id: RunId::new("run_1").unwrap(),
        task_id: TaskId::new("task_001").unwrap(),
        description: task.to_owned(),
        inputs: super::map(inputs),
        upstream: Default::default(),
        expected_outputs: expected.iter().map(|name| (*name).to_owned()).collect(),
        attempt: 1,
        idempotency_key: "run_1/task_001/1".to_owned(),
        deadline_seconds: Seconds::new(60.0).unwrap(),
        context: Vec::new(),
        brief: Default::default(),
        allow: Vec::new(),
    }
}
