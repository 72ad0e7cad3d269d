//! A cx in memory: it keeps notes as a run's log would, and what the others are told.

use std::sync::{Arc, Mutex};

use candor_model::{AgentNote, Asking, Broadcast, Choice, Money, Noted, QueryAnswer, Seconds, Telling};
use candor_ports::{Ask, AttemptContext, BoxFuture, PeerChannel};
use serde_json::Value;

/// A cx for the first attempt.
#[derive(Default)]
pub(crate) struct MemoryContext {
    notes: Mutex<Vec<Noted>>,
    told: Mutex<Vec<Telling>>,
}

impl MemoryContext {
    pub(crate) fn new() -> Arc<Self> {
        Arc::default()
    }

    /// A cx that somebody left behind with these notes.
    pub(crate) fn left_with(notes: impl IntoIterator<Item = AgentNote>) -> Arc<Self> {
        let cx = Self::new();
        notes.into_iter().for_each(|note| cx.write(note));
        cx
    }

    pub(crate) fn write(&self, note: AgentNote) {
        self.notes.lock().unwrap().push(Noted { attempt: 1, note });
    }

    /// What a person answers.
    pub(crate) fn answer(&self, option: &str, text: &str) {
        let choice = Choice { option: option.to_owned(), text: text.to_owned(), by_default: false };
        self.write(AgentNote::Answered { choice });
    }

    pub(crate) fn written(&self) -> Vec<AgentNote> {
        self.notes.lock().unwrap().iter().map(|noted| noted.note.clone()).collect()
    }

    pub(crate) fn told(&self) -> Vec<Telling> {
        self.told.lock().unwrap().clone()
    }

    /// The notes in a word each: with the state, the question or the outcome.
    pub(crate) fn story(&self) -> Vec<String> {
        let word = |note: AgentNote| match note {
            AgentNote::Called { call, .. } => format!("called {}", call.key),
            AgentNote::Remote { state, .. } => format!("remote {state}"),
            AgentNote::Returned { result, .. } => format!("returned {}", result.success),
            AgentNote::Asked { about } => format!("asked {about}"),
            AgentNote::Answered { choice } => format!("answered {}", choice.option),
            other => format!("{other:?}"),
        };
        self.written().into_iter().map(word).collect()
    }
}

impl PeerChannel for MemoryContext {
    fn tell(&self, telling: Telling) -> BoxFuture<'_, Result<(), String>> {
        self.told.lock().unwrap().push(telling);
        Box::pin(std::future::ready(Ok(())))
    }

    fn ask(&self, _: Asking) -> BoxFuture<'_, Result<QueryAnswer, String>> {
        Box::pin(std::future::ready(Err("nobody is here".to_owned())))
    }

    fn heard(&self) -> Vec<Broadcast> {
        Vec::new()
    }

    fn listen(&self, _: usize) -> BoxFuture<'_, Vec<Broadcast>> {
        Box::pin(std::future::pending())
    }
}

impl AttemptContext for MemoryContext {
    fn notes(&self) -> Vec<Noted> {
        self.notes.lock().unwrap().clone()
    }

    fn note(&self, note: AgentNote) -> BoxFuture<'_, Result<(), String>> {
        self.write(note);
        Box::pin(std::future::ready(Ok(())))
    }

    fn consult(&self, _: String, _: Ask, _: Money, _: Seconds) -> BoxFuture<'_, Result<Value, String>> {
        Box::pin(std::future::ready(Err("there are no models".to_owned())))
    }

    fn has_models(&self) -> bool {
        false
    }
}
