//! The tools of an installation, made once and shared by all who use them; and agents that are met before they work.

use std::sync::Arc;

use candor_agents::{A2aAgent, Described};
use candor_tools::builtin::Builtin;
use candor_tools::{McpServer, ToolSource, Tools};

use super::agents::a2a_config;
use super::{App, Sandbox};
use crate::config::{AgentInFile, AgentKind};
use crate::error::AppError;

impl App {
    /// Every tool that is configured. Nothing is started for it.
    pub fn tools(&self) -> Result<Tools, AppError> {
        if let Some(tools) = self.tools.get() {
            return Ok(tools.clone());
        }
        let at = |problem: String| AppError::usage(format!("{}, {problem}", self.config.path.display()));
        let declared = &self.config.tools;
        let builtin = Builtin::new(declared.builtin.clone())
            .map_err(|error| at(format!("[tools.builtin]: {error}")))?;
        let mut parts: Vec<Arc<dyn ToolSource>> = vec![Arc::new(builtin)];
        for (name, server) in &declared.servers {
            let server = McpServer::new(name, server.clone()).map_err(|error| at(error.to_string()))?;
            parts.push(Arc::new(server));
        }
        Ok(self.tools.get_or_init(|| Tools::new(parts)).clone())
    }

    /// Reads the cards of remote agents that the file does not describe. One that cannot be reached now is told,
    /// and is in the app all the same: it may be there when its turn comes.
    pub async fn discover_agents(mut self) -> Self {
        let unknown: Vec<AgentInFile> =
            self.config.agents.iter().filter(|agent| !agent.is_described()).cloned().collect();
        for declared in unknown {
            if !matches!(declared.kind(), AgentKind::A2a(_)) {
                continue;
            }
            match self.card(&declared).await {
                Ok(card) => _ = self.cards.insert(declared.agent_type.clone(), card),
                Err(error) => tell!(
                    "nothing is known of agent {}: {error}",
                    "no se sabe nada del agente {}: {error}",
                    declared.agent_type
                ),
            }
        }
        self
    }

    /// What a remote agent says of itself.
    pub async fn card(&self, declared: &AgentInFile) -> Result<Described, String> {
        let AgentKind::A2a(url) = declared.kind() else {
            return Err(say!("it is not a remote agent", "no es un agente remoto"));
        };
        let agent = A2aAgent::lazy(url, a2a_config(declared)).map_err(|error| error.to_string())?;
        agent.describe().await.map_err(|error| error.to_string())
    }

    /// Ends everything that tools have started, and the pre-warmed interpreters.
    pub async fn close(&self) {
        if let Some(tools) = self.tools.get() {
            tools.shutdown().await;
        }
        if let Some(Sandbox::Local(python)) = self.sandbox.get() {
            python.close();
        }
    }
}
