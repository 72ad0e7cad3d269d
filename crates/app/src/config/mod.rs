//! `candor.toml`: every key has a default, unknown keys are errors with the nearest valid name.

mod agents;
mod code;
mod kpi;
mod read;
mod retention;
mod rules;
mod schedules;
mod serve;
mod tools;
mod webhooks;

use std::path::{Path, PathBuf};

pub use candor_embed::EmbeddingConfig;
use candor_llm::ModelsConfig;
pub use candor_llm::chat::TierConfig;
use candor_model::{BreakerSettings, Money, RiskClass, RunSettings, Seconds};
use candor_phases::{PlanningQuestion, Rulebook};
use candor_planning::quality_gate::QualityGate;
use candor_text::both;
use serde::Deserialize;

pub use self::agents::{AgentInFile, AgentKind, AgentList, Instructions, KindInFile, ModelInFile};
pub use self::code::{CodeInFile, Language, Runner};
pub use self::kpi::KpiConfig;
pub use self::read::read_text;
use self::read::read_toml;
pub use self::retention::{Age, Retention};
pub use self::rules::read as read_rules;
use self::rules::{GuardrailsInFile, RulesInFile, Sections, Validation};
pub use self::schedules::{CatchUp, Overlap, Schedule};
pub use self::serve::Serve;
use self::tools::ToolsInFile;
pub use self::webhooks::{Webhook, WebhookEvent};
use crate::error::AppError;

/// The configuration's usual name.
pub const FILE_NAME: &str = "candor.toml";

/// What can be configured.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Limits and thresholds of every run.
    pub limits: RunSettings,
    /// How plans are made.
    pub planning: Planning,
    /// What runs belong to.
    pub project: Project,
    /// Which packs are used.
    pub packs: Packs,
    /// Which chat models are used.
    pub models: ModelsConfig,
    /// Which embedding model is used.
    pub embeddings: EmbeddingConfig,
    /// When the circuits of failing agents and models open.
    pub breakers: BreakerSettings,
    /// What may be done without asking.
    pub approval: Approval,
    /// What is never recorded or shown.
    pub secrets: Secrets,
    /// How long runs are kept that have ended.
    pub retention: Retention,
    /// How much a server takes on.
    pub serve: Serve,
    /// Who is told of what happens.
    pub webhooks: Vec<Webhook>,
    /// Runs that begin by the clock.
    pub schedules: Vec<Schedule>,
    /// What the figures of the installation should be, and when somebody is told.
    pub kpi: KpiConfig,
    /// What may begin at all.
    pub guardrails: GuardrailsInFile,
    /// How many agents of which tiers.
    pub scaling: RulesInFile,
    /// How contradictions between agents are settled.
    pub conflicts: RulesInFile,
    /// Who works in the phases.
    pub roster: RulesInFile,
    /// How results are checked.
    pub validation: Validation,
    /// What must hold of every result.
    pub gates: Vec<QualityGate>,
    /// Which tools there are.
    pub tools: ToolsInFile,
    /// How code is written, and where it runs.
    pub code: CodeInFile,
    /// Who can be given tasks.
    pub agents: Vec<AgentInFile>,
    /// The rules that hold, read from the files that the sections above name.
    #[serde(skip)]
    pub rulebook: Rulebook,
    /// Whether the file says that somebody is there to be asked, or that nobody is.
    #[serde(skip)]
    pub unattended: Option<bool>,
    /// The file that it comes from, if it comes from one.
    #[serde(skip)]
    pub path: PathBuf,
    /// The folder that relative paths in the file start from.
    #[serde(skip)]
    pub folder: PathBuf,
}

/// How many seconds planning may take when models are asked and nothing else is said.
const PLANNING_WITH_MODELS: u32 = 120;

/// What planning may cost when models are asked and nothing else is said: a mid-size model plans a goal for a few cents,
/// and what each call can cost at most is set aside before it is made.
const BUDGET_WITH_MODELS: Money = Money::from_micros(250_000);

/// What the file itself says, where that matters.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Said {
    limits: SaidLimits,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct SaidLimits {
    planning_timeout: Option<Seconds>,
    planning_budget: Option<Money>,
    unattended: Option<bool>,
}

/// How plans are made.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Planning {
    /// The fewest agents that say what they can do with which a goal is planned.
    pub min_agents: usize,
    /// The project's instructions, looked for beside the configuration.
    pub instructions: Vec<String>,
    /// What agents are asked before a plan is decided.
    pub questions: Vec<PlanningQuestion>,
}

impl Default for Planning {
    fn default() -> Self {
        let instructions = ["AGENTS.md", "CLAUDE.md", "README.md"].map(str::to_owned).to_vec();
        Self { min_agents: candor_planning::validation::MIN_AGENTS, instructions, questions: Vec::new() }
    }
}

/// What runs belong to.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Project {
    /// Its name; the folder of the configuration if unset.
    pub name: Option<String>,
}

/// What is never recorded or shown, beside what looks like a secret.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Secrets {
    /// Environment variables whose values are secret.
    pub variables: Vec<String>,
    /// Fields of inputs and results whose values are secret.
    pub fields: Vec<String>,
}

/// What may be done without asking.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Approval {
    /// Acts that cannot be undone and that need nobody's word: `deploy`, `delete`, `access`, `money`, `message`,
    /// `irreversible`.
    pub allow: Vec<RiskClass>,
}

/// Which packs are used.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Packs {
    /// Folders with packs of your own, beside those that come with Candor.
    pub folders: Vec<PathBuf>,
    /// Whether the packs' own agents are used. If unset, those on sample data are only when no other agent is declared,
    /// and a pack's programs are for the pack's own tasks.
    pub agents: Option<bool>,
    /// Whether the agents for any goal are there, which need a model; if unset, only when no other agent is declared.
    pub general: Option<bool>,
    /// Agents of packs that are left out.
    pub without: Vec<String>,
    /// Whether packs' programs run all the same when this kernel cannot confine them.
    pub allow_unconfined: bool,
}

impl Config {
    /// Reads the file that was named, or the one in the working folder, or takes the defaults.
    pub fn load(named: Option<&Path>) -> Result<Self, AppError> {
        let found = match named {
            Some(path) => Some(path.to_owned()),
            None => Some(PathBuf::from(FILE_NAME)).filter(|path| path.is_file()),
        };
        let Some(path) = found else { return Ok(Self::default()) };
        let mut config: Self = read_toml(&path)?;
        config.folder = path.parent().map(Path::to_owned).unwrap_or_default();
        agents::check(&path, &config.agents)?;
        webhooks::check(&path, &config.webhooks)?;
        schedules::check(&path, &config.schedules)?;
        config.tools.check(&path)?;
        config.tools = config.tools.in_folder(&config.folder);
        config.code.check(&path, &config.tools.servers.keys().collect::<Vec<_>>())?;
        config.code = config.code.in_folder(&config.folder);
        config.serve = std::mem::take(&mut config.serve).in_folder(&path, &config.folder)?;
        config.heed(&path)?;
        config.rulebook = config.sections().rulebook(&path, &config.folder)?;
        config.rulebook.questions = config.questions(&path)?;
        config.path = path;
        Ok(config)
    }

    /// Whether the agents for any goal are there: they need a model, and if nothing is said, nobody else is there.
    pub fn uses_general_agents(&self) -> bool {
        !self.models.is_empty() && self.packs.general.unwrap_or(self.agents.is_empty())
    }

    /// The project's name: the configured one, or that of the folder that the configuration is in.
    #[must_use]
    pub fn project_name(&self) -> Option<String> {
        let named = self.project.name.as_ref().map(|name| name.trim().to_owned());
        named.filter(|name| !name.is_empty()).or_else(|| {
            let file = std::path::absolute(&self.path).ok().filter(|_| !self.path.as_os_str().is_empty())?;
            Some(file.parent()?.file_name()?.to_string_lossy().into_owned())
        })
    }

    /// What planning asks; each question must name an agent that there is.
    fn questions(&self, path: &Path) -> Result<Vec<PlanningQuestion>, AppError> {
        let questions = &self.planning.questions;
        let is_known = |name: &str| self.agents.iter().any(|agent| agent.agent_type.as_str() == name);
        match questions.iter().enumerate().find(|(_, asked)| !is_known(&asked.agent)) {
            None => Ok(questions.clone()),
            Some((index, asked)) => Err(AppError::usage(both!(
                "{}: planning.questions[{index}].agent: there is no agent `{}`; declare it under [[agents]]",
                "{}: planning.questions[{index}].agent: no hay ningún agente `{}`; declararlo en [[agents]]",
                path.display(),
                asked.agent
            ))),
        }
    }

    fn sections(&self) -> Sections<'_> {
        Sections {
            guardrails: &self.guardrails,
            scaling: &self.scaling,
            conflicts: &self.conflicts,
            roster: &self.roster,
            validation: &self.validation,
            gates: &self.gates,
        }
    }

    /// What the file itself says: three seconds and a cent are enough for rules, and not for models, but who set a limit
    /// gets it; and whether anybody is there to be asked is found out only if the file does not say.
    fn heed(&mut self, path: &Path) -> Result<(), AppError> {
        let said: Said = read_toml(path)?;
        self.unattended = said.limits.unattended;
        self.limits.allow.extend(self.approval.allow.iter().copied());
        self.limits.retry.get_or_insert_default();
        if !self.models.is_empty() {
            if said.limits.planning_timeout.is_none() {
                self.limits.planning_timeout = Seconds::whole(PLANNING_WITH_MODELS);
            }
            if said.limits.planning_budget.is_none() {
                self.limits.planning_budget = BUDGET_WITH_MODELS;
            }
        }
        Ok(())
    }
}
