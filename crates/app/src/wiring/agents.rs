//! Agents as they are declared become agents that can be called.

use std::sync::Arc;

use candor_agents::{
    A2aAgent, A2aConfig, AssistantAgent, CommandAgent, HttpAgent, ModelAgent, Preset, ToolAgent,
    ToolAgentConfig, builtin, role,
};
use candor_model::{AgentCapability, AgentType, Money, RiskClass, Seconds, Share, Tier};
use candor_planning::routing::LAST_RESORT;
use candor_ports::{Agent, Toolbox};
use candor_text::both;

use super::{App, Callable};
use crate::config::{AgentInFile, AgentKind, Instructions};
use crate::error::AppError;

/// What an attempt may cost at most when models are asked and nothing is said.
const MAX_COST: Money = Money::from_micros(500_000);

/// How long an attempt may take that needs more than one call, when nothing is said.
const LONG: u32 = 300;

/// How long a coding assistant may take, when nothing is said.
const ASSISTANT: u32 = 1_800;

impl App {
    pub(super) fn agent(
        &self,
        declared: &AgentInFile,
        files: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Arc<dyn Agent>, AppError> {
        let name = &declared.agent_type;
        let at =
            |problem: String| AppError::usage(both!("agent {name}: {problem}", "agente {name}: {problem}"));
        match declared.kind() {
            AgentKind::Command(command) => Ok(Arc::new(self.command(declared, command).map_err(at)?)),
            AgentKind::Cli(preset, program) => {
                let role = self.role(declared, files).map_err(at)?;
                self.assistant(declared, (preset, program), role).map_err(at)
            }
            AgentKind::Http(url) => Ok(Arc::new(http(declared, url).map_err(at)?)),
            AgentKind::Builtin(kind) => {
                let beside = |name: &str| files(name).or_else(|| self.beside_config(name));
                builtin(kind, &declared.options, &beside).map_err(|error| at(error.to_string()))
            }
            AgentKind::Tools(patterns) => {
                let role = self.role(declared, files).map_err(at)?;
                self.tool_agent(declared, patterns, role)
            }
            AgentKind::Model(tier) => {
                let role = self.role(declared, files).map_err(at)?;
                Ok(Arc::new(ModelAgent::in_role(tier, declared.max_cost.unwrap_or(MAX_COST), role)))
            }
            AgentKind::A2a(url) => {
                let agent = A2aAgent::lazy(url, a2a_config(declared));
                Ok(Arc::new(agent.map_err(|error| at(error.to_string()))?))
            }
            AgentKind::Code => {
                let role = self.role(declared, files).map_err(at)?;
                self.code_agent(declared, declared.max_cost.unwrap_or(MAX_COST), role)
            }
            AgentKind::Nothing => {
                Err(at(say!("has none of {}", "no tiene ninguno de {}", AgentInFile::WAYS)))
            }
        }
    }

    /// Who a model-backed agent is: its specialization and its instructions.
    fn role(&self, declared: &AgentInFile, files: &dyn Fn(&str) -> Option<String>) -> Result<String, String> {
        let instructions = match &declared.instructions {
            None => String::new(),
            Some(Instructions::Text(text)) => text.clone(),
            Some(Instructions::File { file }) => {
                files(file).or_else(|| self.beside_config(file)).ok_or_else(|| {
                    say!(
                        "instructions: the file {file} cannot be read; its path starts at the configuration's",
                        "instructions: no se puede leer el archivo {file}; su ruta parte de la configuración"
                    )
                })?
            }
        };
        Ok(role(declared.agent_type.as_str(), &declared.specialization, &instructions))
    }

    fn command(&self, declared: &AgentInFile, command: &[String]) -> Result<CommandAgent, String> {
        let command = CommandAgent::new(command).map_err(|error| error.to_string())?;
        let folder = self.config.folder.join(declared.cwd.clone().unwrap_or_default());
        let here = folder.as_os_str().is_empty();
        let command = if here { command } else { command.in_folder(folder) };
        let command = command.with_env(declared.env.clone());
        Ok(command.logging_to(self.data.logs()).redacted_by(self.redactor()).noted_in(self.data.attempts()))
    }

    /// A coding assistant; one that is declared to read only is kept from changing files.
    fn assistant(
        &self,
        declared: &AgentInFile,
        (preset, program): (Preset, &str),
        role: String,
    ) -> Result<Arc<dyn Agent>, String> {
        let command = self.command(declared, &[program.to_owned()])?;
        let read_only =
            declared.effects.as_deref().is_some_and(|it| it.iter().all(|it| *it == RiskClass::Read));
        Ok(Arc::new(
            AssistantAgent::new(preset, command)
                .with_args(declared.args.clone())
                .with_model(declared.assistant_model())
                .with_role(role)
                .read_only(read_only),
        ))
    }

    fn tool_agent(
        &self,
        declared: &AgentInFile,
        patterns: &[String],
        role: String,
    ) -> Result<Arc<dyn Agent>, AppError> {
        let toolbox: Arc<dyn Toolbox> = Arc::new(self.tools()?.only(patterns));
        let mut config = ToolAgentConfig::new(declared.agent_type.to_string(), toolbox);
        config.undo = Arc::new(self.tools()?);
        let mission = &declared.mission;
        let settings = &mut config.settings;
        settings.max_cost = Some(declared.max_cost.unwrap_or(MAX_COST));
        settings.max_steps = mission.max_steps.unwrap_or(settings.max_steps);
        settings.max_tokens = mission.max_tokens.unwrap_or(settings.max_tokens);
        settings.tool_timeout = mission.tool_timeout.unwrap_or(settings.tool_timeout);
        settings.replanning = mission.replanning.unwrap_or(settings.replanning);
        settings.approve = mission.approve.unwrap_or(settings.approve);
        config.tier = mission.tier.unwrap_or_default();
        config.role = role;
        Ok(Arc::new(ToolAgent::new(config)))
    }

    /// What is known of an agent: what the file says, and what the agent says of itself where the file does not.
    pub(super) fn capability(&self, declared: &AgentInFile) -> AgentCapability {
        let mut known = declared.capability();
        let models = !self.config.models.is_empty();
        match declared.kind() {
            AgentKind::Tools(_) | AgentKind::Code => {
                known.timeout = known.timeout.or(Some(Seconds::whole(LONG)));
                known.max_cost = known.max_cost.or(models.then_some(MAX_COST));
            }
            AgentKind::Model(_) => {
                known.timeout = known.timeout.or(Some(Seconds::whole(LONG)));
                known.max_cost = known.max_cost.or(Some(MAX_COST));
            }
            AgentKind::Cli(..) => known.timeout = known.timeout.or(Some(Seconds::whole(ASSISTANT))),
            AgentKind::A2a(_) => {
                known.timeout = known.timeout.or(Some(Seconds::whole(LONG)));
                if let Some(card) = self.cards.get(&declared.agent_type) {
                    if known.specialization.is_empty() {
                        known.specialization = card.specialization();
                    }
                    if known.capabilities.is_empty() {
                        known.capabilities.clone_from(&card.skills);
                    }
                }
            }
            _ => {}
        }
        known
    }
}

/// An agent behind a URL, with the headers that are declared for it.
fn http(declared: &AgentInFile, url: &str) -> Result<HttpAgent, String> {
    let mut agent = HttpAgent::new(url).map_err(|error| error.to_string())?;
    for (name, variable) in &declared.headers_env {
        let value = std::env::var(variable).map_err(|_| {
            say!(
                "header `{name}`: the environment variable `{variable}` is not set; set it, or take the header \
                 out of `headers_env`",
                "header `{name}`: la variable de entorno `{variable}` no está definida; definirla, o quitar la \
                 cabecera de `headers_env`"
            )
        })?;
        agent = agent.with_header(name, &value).map_err(|error| error.to_string())?;
    }
    Ok(agent)
}

/// How an A2A agent is reached.
pub(super) fn a2a_config(declared: &AgentInFile) -> A2aConfig {
    A2aConfig { headers_env: declared.headers_env.clone(), ..A2aConfig::default() }
}

/// The agent that is asked when everyone else has failed.
pub(super) fn last_resort() -> Option<Callable> {
    let capability = AgentCapability {
        agent_type: AgentType::new(LAST_RESORT).ok()?,
        capabilities: Vec::new(),
        specialization: recorded!("Answers a task with a model alone, when everyone else has failed")
            .to_owned(),
        cost_per_invocation: Money::ZERO,
        avg_latency_ms: 0,
        success_rate: Share::ALL,
        max_concurrent: None,
        timeout: Some(Seconds::whole(60)),
        max_cost: Some(MAX_COST),
        retry: None,
        effects: Some(vec![RiskClass::Read]),
    };
    Some((capability, Arc::new(ModelAgent::last_resort(Tier::Balanced, MAX_COST))))
}
