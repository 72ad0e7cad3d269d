//! A cx of its own, for a tool agent that was given none: notes in memory, nobody else, no models.

use std::sync::{Mutex, MutexGuard, PoisonError};

use candor_model::{AgentNote, Asking, Broadcast, Money, Noted, QueryAnswer, Seconds, Telling};
use candor_ports::{Ask, AttemptContext, BoxFuture, PeerChannel};
use serde_json::Value;

/// Notes that live as long as the process.
#[derive(Debug, Default)]
pub struct Notebook {
    attempt: u32,
    notes: Mutex<Vec<Noted>>,
}

impl Notebook {
    /// An empty one, for this attempt.
    #[must_use]
    pub fn new(attempt: u32) -> Self {
        Self { attempt, notes: Mutex::default() }
    }

    fn pages(&self) -> MutexGuard<'_, Vec<Noted>> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl AttemptContext for Notebook {
    fn notes(&self) -> Vec<Noted> {
        self.pages().clone()
    }

    fn note(&self, note: AgentNote) -> BoxFuture<'_, Result<(), String>> {
        self.pages().push(Noted { attempt: self.attempt, note });
        Box::pin(std::future::ready(Ok(())))
    }

    fn consult(
        &self,
        _name: String,
        _ask: Ask,
        _left: Money,
        _within: Seconds,
    ) -> BoxFuture<'_, Result<Value, String>> {
        Box::pin(std::future::ready(Err("there are no models here".to_owned())))
    }

    fn has_models(&self) -> bool {
        false
    }
}

impl PeerChannel for Notebook {
    fn tell(&self, _telling: Telling) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(std::future::ready(Err("nobody else is at work here".to_owned())))
    }

    fn ask(&self, _asking: Asking) -> BoxFuture<'_, Result<QueryAnswer, String>> {
        Box::pin(std::future::ready(Err("nobody else is at work here".to_owned())))
    }

    fn heard(&self) -> Vec<Broadcast> {
        Vec::new()
    }

    fn listen(&self, _known: usize) -> BoxFuture<'_, Vec<Broadcast>> {
        Box::pin(std::future::pending())
    }
}
