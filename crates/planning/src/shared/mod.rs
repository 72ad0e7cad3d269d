//! What everyone at work on a run may know of it: a fold over its events, one for each run.
//!
//! The state can be serialised at any point and folding continues from there.

mod folding;
mod parts;

use candor_model::{Event, EventBody, RunId, Timestamp};
use serde::{Deserialize, Serialize};

pub use self::parts::{
    AgentFigures, Communication, KnownFile, LoggedHandoff, LoggedQuery, ModifiedFile, Note, SharedContext,
    SharedMetrics,
};

/// What is known of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SharedState {
    /// Id of the run; it is written as `taskId`.
    pub task_id: RunId,
    /// Moment at which the run started; absent until it has.
    pub start_time: Option<Timestamp>,
    /// The person's words, as they are now.
    pub user_message: String,
    /// The goal in words, once it is known.
    pub objective: Option<String>,
    /// What was seen, found and decided.
    pub context: SharedContext,
    /// Tokens, money and time, by phase and by agent.
    pub metrics: SharedMetrics,
    /// Who told whom what.
    pub communication: Communication,
    /// What is to be remembered of it.
    pub learnings: Vec<String>,
    working: std::collections::BTreeMap<candor_model::TaskId, candor_model::AgentType>,
}

impl SharedState {
    /// A run of which nothing is known yet.
    #[must_use]
    pub fn new(task_id: RunId) -> Self {
        Self {
            task_id,
            start_time: None,
            user_message: String::new(),
            objective: None,
            context: SharedContext::default(),
            metrics: SharedMetrics::default(),
            communication: Communication::default(),
            learnings: Vec::new(),
            working: std::collections::BTreeMap::new(),
        }
    }

    /// Takes one more event of the run into account.
    pub fn apply(&mut self, event: &Event) {
        let at = event.at;
        match &event.body {
            EventBody::RunStarted { run_id, request, .. } => {
                self.task_id = run_id.clone();
                self.start_time = Some(at);
                self.user_message.clone_from(request);
            }
            EventBody::PromptChanged { change } => self.user_message.clone_from(&change.text),
            EventBody::GoalDefined { goal } => self.objective = Some(goal.description.to_string()),
            EventBody::DecisionMade { entry } => self.context.decisions.push(entry.as_ref().clone()),
            EventBody::FilesRead { files } => files.iter().for_each(|file| self.context.read(file, at)),
            body => self.apply_rest(body, at),
        }
    }

    /// Adds what an agent found.
    pub fn add_discovery(&mut self, source: &str, text: &str, at: Timestamp) {
        let found = &mut self.context.discoveries;
        found.push(Note::new("discovery", found.len(), source, text, at));
    }

    /// Adds what may go wrong.
    pub fn add_warning(&mut self, source: &str, text: &str, at: Timestamp) {
        let warnings = &mut self.context.warnings;
        warnings.push(Note::new("warning", warnings.len(), source, text, at));
    }
}
