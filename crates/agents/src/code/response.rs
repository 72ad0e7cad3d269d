//! What every component answers.

use candor_model::JsonMap;
use serde::Serialize;

/// What a component answers. One that did not succeed always says why.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AgentResponse {
    success: bool,
    data: JsonMap,
    error: Option<String>,
    execution_time_ms: f64,
    agent_name: String,
}

impl AgentResponse {
    /// What this component found.
    #[must_use]
    pub fn found(agent_name: &str, data: JsonMap, execution_time_ms: f64) -> Self {
        Self { success: true, data, error: None, execution_time_ms, agent_name: agent_name.to_owned() }
    }

    /// Why this component found nothing. Without a word of why, that is said.
    #[must_use]
    pub fn failed(agent_name: &str, error: &str, execution_time_ms: f64) -> Self {
        let error = if error.trim().is_empty() { "it failed without saying why" } else { error };
        Self {
            success: false,
            data: JsonMap::new(),
            error: Some(error.to_owned()),
            execution_time_ms,
            agent_name: agent_name.to_owned(),
        }
    }

    /// Whether the component did its part.
    #[must_use]
    pub const fn success(&self) -> bool {
        self.success
    }

    /// Outputs of the agent.
    #[must_use]
    pub const fn data(&self) -> &JsonMap {
        &self.data
    }

    /// What it found, to keep.
    #[must_use]
    pub fn into_data(self) -> JsonMap {
        self.data
    }

    /// Why it did not do its part.
    #[must_use]
    pub fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }

    /// How long it took.
    #[must_use]
    pub const fn execution_time_ms(&self) -> f64 {
        self.execution_time_ms
    }

    /// Name of the component that answers.
    #[must_use]
    pub fn agent_name(&self) -> &str {
        &self.agent_name
    }
}
