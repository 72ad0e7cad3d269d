//! Plugs everything together: log, agents, packs, phases, runtime.

mod agents;
mod code;
mod deps;
mod embedder;
mod interpreter;
mod program;
mod secrets;
mod tools;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use candor_agents::{Described, Fault, Faulty};
use candor_embed::EmbeddingConfig;
use candor_llm::Tiers;
use candor_model::redact::Redactor;
use candor_model::{AgentCapability, AgentType, Tier};
use candor_phases::pack::PACK_PLACEHOLDER;
use candor_phases::{Pack, Phases};
use candor_ports::{Agent, Observer};
use candor_runtime::{AgentRegistry, Runtime};
use candor_text::both;
use candor_tools::Tools;

pub use self::code::{CODE_AGENT, Sandbox};
pub use self::deps::ModelUse;
use self::program::PackProgram;
use crate::config::{AgentInFile, Config, ModelInFile};
use crate::data::{DataFolder, Log};
use crate::error::AppError;
use crate::packs::{self, FoundPack};

/// Where an installation is; what is absent is looked for in the usual places.
#[derive(Debug, Clone, Default)]
pub struct Locations {
    /// The folder that holds all runs.
    pub data: Option<PathBuf>,
    /// Configuration file that was read, if any.
    pub config: Option<PathBuf>,
}

/// An installation that is used: by one command, or by a server for as long as it runs.
pub struct App {
    /// Configuration with its defaults.
    pub config: Config,
    /// Folder with the log and settings.
    pub data: DataFolder,
    /// Built-in packs and those of the user.
    pub packs: Vec<FoundPack>,
    /// The tools, once someone needs them.
    tools: OnceLock<Tools>,
    /// Where programs run, once someone needs it.
    sandbox: OnceLock<Sandbox>,
    /// What remote agents say of themselves.
    cards: BTreeMap<AgentType, Described>,
    /// Takes secrets out, once someone needs it.
    redactor: OnceLock<Arc<Redactor>>,
}

/// An agent that can be called.
type Callable = (AgentCapability, Arc<dyn Agent>);

/// Which agents a run may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentScope {
    /// Everyone, and a model as the last resort.
    All,
    /// Nobody but the code agent: what it cannot do is told, and done by nobody else.
    CodeAgentOnly,
}

impl App {
    /// Reads the configuration and the packs; opens nothing yet.
    pub fn build(locations: impl Into<Locations>) -> Result<Self, AppError> {
        let locations = locations.into();
        let mut config = Config::load(locations.config.as_deref())?;
        let packs = packs::find(&config)?;
        if config.uses_general_agents() {
            config.tools.look_at(&config.folder);
        }
        let data = DataFolder::find(locations.data.as_deref())?;
        let (tools, sandbox) = (OnceLock::new(), OnceLock::new());
        Ok(Self { config, data, packs, tools, sandbox, cards: BTreeMap::new(), redactor: OnceLock::new() })
    }

    /// All phases, ready for a run.
    pub fn phases(&self) -> Phases {
        let mut packs: Vec<Pack> = self.packs.iter().map(|found| found.pack.clone()).collect();
        packs.iter_mut().filter(|pack| !self.uses_agents_of(pack)).for_each(|pack| pack.agents.clear());
        // Only what is there is asked for: most runs then need not wait for the disk.
        let mut rules = self.config.rulebook.clone();
        let there = |name: &&String| self.config.folder.join(name.as_str()).is_file();
        rules.instructions = self.config.planning.instructions.iter().filter(there).cloned().collect();
        Phases::new(packs, self.config.planning.min_agents).with_rules(rules)
    }

    /// Whether a pack's own agents are there. If unset, programs are, since they do nothing but their pack's tasks, and
    /// others only when nobody else is. Those for any goal need a model.
    fn uses_agents_of(&self, pack: &Pack) -> bool {
        if pack.for_any_goal {
            return self.config.uses_general_agents();
        }
        self.config.packs.agents.unwrap_or(self.config.agents.is_empty() || pack.has_programs())
    }

    /// Everyone who can be given a task, some of them made to misbehave.
    pub fn registry(&self, faults: &[String]) -> Result<AgentRegistry, AppError> {
        self.callable(faults).map(AgentRegistry::new)
    }

    /// The same; with a model, a task is not given up before that has had a try.
    pub fn registry_with_last_resort(
        &self,
        faults: &[String],
        models: bool,
    ) -> Result<AgentRegistry, AppError> {
        let mut agents = self.callable(faults)?;
        if !models {
            agents.retain(|(agent, _)| !self.is_general(&agent.agent_type));
        }
        agents.extend(models.then(agents::last_resort).flatten());
        Ok(AgentRegistry::new(agents))
    }

    /// Whether an agent is one of those for any goal, which are nothing without a model.
    fn is_general(&self, agent: &AgentType) -> bool {
        let own = self.config.agents.iter().any(|own| own.agent_type == *agent);
        let general = self.packs.iter().filter(|found| found.pack.for_any_goal);
        !own && general.flat_map(|found| found.pack.agent_names()).any(|name| name == agent.as_str())
    }

    fn callable(&self, faults: &[String]) -> Result<Vec<Callable>, AppError> {
        let mut agents: Vec<Callable> = Vec::new();
        for declared in &self.config.agents {
            let at = |error: AppError| error.usage_at(format_args!("{}, ", self.config.path.display()));
            agents.push((self.capability(declared), self.agent(declared, &|_| None).map_err(at)?));
        }
        for pack in self.packs.iter().filter(|found| self.uses_agents_of(&found.pack)) {
            agents.extend(self.pack_agents(pack)?);
        }
        for fault in faults {
            misbehave(&mut agents, fault)?;
        }
        Ok(agents)
    }

    /// The runtime on this log.
    pub fn runtime(
        &self,
        log: Log,
        faults: &[String],
        observer: Option<Arc<dyn Observer>>,
    ) -> Result<Runtime, AppError> {
        Ok(Runtime::new(log, self.registry(faults)?, self.phases(), observer))
    }

    /// The runtime on this log, with models and all.
    pub fn runtime_with_models(
        &self,
        log: Log,
        faults: &[String],
        tiers: Option<&Arc<Tiers>>,
        observer: Option<Arc<dyn Observer>>,
        scope: AgentScope,
    ) -> Result<Runtime, AppError> {
        let deps = self.runtime_deps(tiers)?;
        let registry = match scope {
            AgentScope::All => self.registry_with_last_resort(faults, tiers.is_some())?,
            AgentScope::CodeAgentOnly => AgentRegistry::new(vec![self.built_in_code_agent()?]),
        };
        let phases = self.phases();
        Ok(Runtime::with_models(log, registry, phases, observer, deps))
    }

    /// Where the weights of models are kept.
    pub fn weights(&self) -> PathBuf {
        match &self.config.embeddings {
            EmbeddingConfig::MiniLm { weights: Some(folder) } => self.config.folder.join(folder),
            _ => self.data.weights(),
        }
    }

    fn pack_agents(&self, found: &FoundPack) -> Result<Vec<Callable>, AppError> {
        let at = |error: AppError| error.usage_at(format_args!("pack {}: ", found.pack.name));
        let mut agents = Vec::new();
        for fields in &found.pack.agents {
            let value = serde_json::Value::Object(fields.clone());
            let declared: AgentInFile = candor_model::from_value(value)
                .map_err(|error| at(AppError::usage(error).usage_at("agents: ")))?;
            let Some(agent) = self.with_what_is_there(declared) else { continue };
            let callable = match &agent.command {
                Some(command) if command.iter().any(|word| word.contains(PACK_PLACEHOLDER)) => {
                    Arc::new(self.pack_program(found, command))
                }
                _ => self.agent(&agent, &|name| found.file(name)).map_err(at)?,
            };
            agents.push((self.capability(&agent), callable));
        }
        Ok(agents)
    }

    /// A pack's agent as it can be here: not at all if it is left out, declared anew, or lacks a tool that it needs; with its
    /// model alone if none of its tools is there.
    fn with_what_is_there(&self, mut agent: AgentInFile) -> Option<AgentInFile> {
        let left_out = self.config.packs.without.iter().any(|name| name == agent.agent_type.as_str());
        let declared_anew = self.config.agents.iter().any(|own| own.agent_type == agent.agent_type);
        let lacks = agent.needs_tools.iter().any(|tool| !self.config.tools.has(tool));
        if left_out || declared_anew || lacks {
            return None;
        }
        if agent.tools.as_ref().is_some_and(|tools| !tools.iter().any(|tool| self.config.tools.has(tool))) {
            agent.tools = None;
            agent.model = Some(ModelInFile::Tier(agent.mission.tier.unwrap_or(Tier::Balanced)));
        }
        Some(agent)
    }

    fn pack_program(&self, found: &FoundPack, command: &[String]) -> PackProgram {
        PackProgram {
            command: command.to_vec(),
            files: found.files_in(&self.data),
            folder: self.config.folder.clone(),
            permissions: found.pack.permissions.clone(),
            allow_unconfined: self.config.packs.allow_unconfined,
        }
    }

    fn beside_config(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.config.folder.join(name)).ok()
    }
}

/// Makes an agent misbehave as asked.
fn misbehave(agents: &mut [Callable], fault: &str) -> Result<(), AppError> {
    let fault: Fault = fault.parse().map_err(AppError::usage)?;
    let known: Vec<String> = agents.iter().map(|(agent, _)| agent.agent_type.to_string()).collect();
    let Some((_, agent)) = agents.iter_mut().find(|(agent, _)| agent.agent_type == fault.agent_type) else {
        return Err(AppError::usage(both!(
            "--fault: there is no agent {}; there are {}",
            "--fault: no hay ningún agente {}; hay {}",
            fault.agent_type,
            known.join(", ")
        )));
    };
    *agent = Arc::new(Faulty::new(Arc::clone(agent), fault.kind, fault.times));
    Ok(())
}
