//! Changes of the world that are to be undone: by the agent that made them, or by whoever keeps the files.

use std::sync::Arc;

use candor_engine::Input;
use candor_model::{AgentType, Undone};
use tokio_util::sync::CancellationToken;

use super::actor::{Actor, Message};

impl Actor {
    /// Begins to undo what is next, unless that is under way.
    pub(super) fn undo(&mut self, key: &str, agent: Option<&AgentType>) {
        if self.undoing.as_ref().is_some_and(|(open, _)| open == key) {
            return;
        }
        let stop = CancellationToken::new();
        let (token, mail, key) = (stop.clone(), self.mail.clone(), key.to_owned());
        let (run, state) = (self.book.state.run_id().clone(), &self.book.state);
        self.undoing = Some((key.clone(), stop));
        let entry = state.to_undo(&key).cloned();
        let file = state.to_restore(&key).cloned();
        let shared = Arc::clone(&self.shared);
        let agent = agent.cloned();
        let within = std::time::Duration::from_millis(state.settings().agent_timeout.as_millis());
        tokio::spawn(async move {
            let work = async {
                match (&agent, &entry, &file, &shared.inspector) {
                    (Some(agent), Some(entry), _, _) => match shared.registry.find(agent) {
                        Some(member) => member.agent.undo(&run, entry, token).await,
                        None => Err(format!("{agent}, which made it, is not configured here")),
                    },
                    (_, _, Some(file), Some(inspector)) => inspector.restore(file).await,
                    _ => Err("nobody here can undo it".to_owned()),
                }
            };
            let result = tokio::time::timeout(within, work).await;
            let result = result.unwrap_or_else(|_| Err(format!("it took longer than {within:?}")));
            let undone = match result {
                Ok(summary) => Undone { success: true, summary },
                Err(summary) => Undone { success: false, summary },
            };
            // A driver that is gone has nobody left to tell; what is undone twice is as undone as once.
            let _ = mail.send(Message::Undone(Box::new(Input::Undone { key, undone }))).await;
        });
    }
}
