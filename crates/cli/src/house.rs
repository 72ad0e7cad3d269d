//! Plugs everything together: log, agents, packs, rooms, runtime.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

use candor_agents::{CommandAgent, Fault, Faulty, HttpAgent, builtin};
use candor_llm::Tiers;
use candor_llm::embed::EmbeddingConfig;
use candor_llm::redact::Redactor;
use candor_model::{AgentCapability, JsonMap};
use candor_phases::{Pack, Rooms};
use candor_ports::{Agent, Reader};
use candor_runtime::{Runtime, Staff};
use candor_store::SqliteLog;

use crate::args::{DriveOptions, Place};
use crate::config::{AgentInFile, AgentKind, Config};
use crate::data::DataFolder;
use crate::equip;
use crate::failure::Failure;
use crate::packs::{self, FoundPack};

/// What a command works with.
pub(crate) struct House {
    /// The configuration.
    pub(crate) config: Config,
    /// The data folder.
    pub(crate) data: DataFolder,
    /// The packs.
    pub(crate) packs: Vec<FoundPack>,
}

/// An agent that can be called.
type Callable = (AgentCapability, Arc<dyn Agent>);

impl House {
    /// Reads the configuration and the packs; opens nothing yet.
    pub(crate) fn build(place: &Place) -> Result<Self, Failure> {
        let config = Config::load(place.config.as_deref())?;
        let packs = packs::find(&config)?;
        let data = DataFolder::find(place.data.as_deref())?;
        Ok(Self { config, data, packs })
    }

    /// The eight rooms.
    pub(crate) fn rooms(&self) -> Rooms {
        let mut packs: Vec<Pack> = self.packs.iter().map(|found| found.pack.clone()).collect();
        if !self.uses_pack_agents() {
            packs.iter_mut().for_each(|pack| pack.agents.clear());
        }
        Rooms::new(packs, self.config.planning.min_agents).with_rules(self.config.rulebook.clone())
    }

    /// Whether the packs' own agents are there: if not said, only when nobody else is.
    fn uses_pack_agents(&self) -> bool {
        self.config.packs.agents.unwrap_or(self.config.agents.is_empty())
    }

    /// Everyone who can be given a task, some of them made to misbehave.
    pub(crate) fn staff(&self, faults: &[String]) -> Result<Staff, Failure> {
        let mut agents: Vec<Callable> = Vec::new();
        for declared in &self.config.agents {
            let at =
                |error: Failure| Failure::usage(format!("{}, {}", self.config.path.display(), error.message));
            agents.push((declared.capability(), self.agent(declared, &|_| None).map_err(at)?));
        }
        if self.uses_pack_agents() {
            for pack in &self.packs {
                agents.extend(self.pack_agents(pack)?);
            }
        }
        for fault in faults {
            misbehave(&mut agents, fault)?;
        }
        Ok(Staff::new(agents))
    }

    /// The runtime on this log.
    pub(crate) fn runtime(
        &self,
        log: SqliteLog,
        faults: &[String],
        reader: Option<Arc<dyn Reader>>,
    ) -> Result<Runtime, Failure> {
        Ok(Runtime::new(Arc::new(log), self.staff(faults)?, self.rooms(), reader))
    }

    /// The runtime on this log, with models and all.
    pub(crate) fn equipped(
        &self,
        log: SqliteLog,
        options: &DriveOptions,
        tiers: Option<&Arc<Tiers>>,
        reader: Option<Arc<dyn Reader>>,
    ) -> Result<Runtime, Failure> {
        let equipment = equip::equipment(self, tiers)?;
        let (staff, rooms) = (self.staff(&options.faults)?, self.rooms());
        Ok(Runtime::with_models(Arc::new(log), staff, rooms, reader, equipment))
    }

    /// The words of a person without secrets: one in them would be on the log for good, and go to every model and
    /// agent.
    pub(crate) fn without_secrets(&self, words: String) -> String {
        let keys: Vec<&str> =
            self.config.models.tiers().filter_map(|(_, tier)| tier.key_variable()).collect();
        let redactor = Redactor::of_environment(&keys, &|name| std::env::var(name).ok());
        match redactor.redact(&words) {
            Cow::Borrowed(_) => words,
            Cow::Owned(clean) => {
                eprintln!(
                    "candor: there is what looks like a secret in these words; it was taken out before anything \
                     was recorded. Agents get secrets from their environment."
                );
                clean
            }
        }
    }

    /// Where the weights of models are kept.
    pub(crate) fn weights(&self) -> PathBuf {
        match &self.config.embeddings {
            EmbeddingConfig::MiniLm { weights: Some(folder) } => self.config.folder.join(folder),
            _ => self.data.weights(),
        }
    }

    fn pack_agents(&self, found: &FoundPack) -> Result<Vec<Callable>, Failure> {
        let declared = found.pack.agents.iter().map(|fields: &JsonMap| {
            let at = |problem: String| Failure::usage(format!("pack {}: {problem}", found.pack.name));
            let value = serde_json::Value::Object(fields.clone());
            let agent: AgentInFile =
                candor_model::from_value(value).map_err(|error| at(format!("agents: {error}")))?;
            let callable = self.agent(&agent, &|name| found.file(name)).map_err(|error| at(error.message))?;
            Ok((agent.capability(), callable))
        });
        declared.collect()
    }

    fn agent(
        &self,
        declared: &AgentInFile,
        files: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Arc<dyn Agent>, Failure> {
        let name = &declared.agent_type;
        let at = |problem: String| Failure::usage(format!("agent {name}: {problem}"));
        match declared.kind() {
            AgentKind::Command(command) => {
                let command = CommandAgent::new(command).map_err(|error| at(error.to_string()))?;
                let folder = self.config.folder.join(declared.cwd.clone().unwrap_or_default());
                let here = folder.as_os_str().is_empty();
                let command = if here { command } else { command.in_folder(folder) };
                let command = command.with_env(declared.env.clone());
                Ok(Arc::new(command.logging_to(self.data.logs()).noted_in(self.data.attempts())))
            }
            AgentKind::Http(url) => Ok(Arc::new(HttpAgent::new(url).map_err(|error| at(error.to_string()))?)),
            AgentKind::Builtin(kind) => {
                let beside = |name: &str| files(name).or_else(|| self.beside_config(name));
                builtin(kind, &declared.options, &beside).map_err(|error| at(error.to_string()))
            }
            AgentKind::Nothing => Err(at("has none of `command`, `http`, `builtin`".to_owned())),
        }
    }

    fn beside_config(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.config.folder.join(name)).ok()
    }
}

/// Makes an agent misbehave as asked.
fn misbehave(agents: &mut [Callable], fault: &str) -> Result<(), Failure> {
    let fault: Fault = fault.parse().map_err(Failure::usage)?;
    let known: Vec<String> = agents.iter().map(|(agent, _)| agent.agent_type.to_string()).collect();
    let Some((_, agent)) = agents.iter_mut().find(|(agent, _)| agent.agent_type == fault.agent_type) else {
        return Err(Failure::usage(format!(
            "--fault: there is no agent {}; there are {}",
            fault.agent_type,
            known.join(", ")
        )));
    };
    *agent = Arc::new(Faulty::new(Arc::clone(agent), fault.kind, fault.times));
    Ok(())
}
