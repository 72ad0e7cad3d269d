//! Agents as they are declared: what is known of them, and how they are reached.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use candor_agents::Preset;
use candor_model::{
    AgentCapability, AgentType, JsonMap, Money, RetryPolicy, RiskClass, Seconds, Share, Tier,
};
use candor_planning::risk;
use candor_react::Approve;
use candor_text::{Sentence, both};
use serde::Deserialize;

use super::read::{read_json, read_text, read_toml};
use crate::error::AppError;

/// An agent as it is declared.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentInFile {
    /// Name by which plans assign tasks to the agent.
    pub agent_type: AgentType,
    /// What it can do.
    #[serde(default)]
    pub capabilities: Vec<String>,
    /// What it is good at, in words.
    #[serde(default)]
    pub specialization: String,
    /// What a call costs, in dollars.
    #[serde(default)]
    pub cost_per_invocation: Money,
    /// How long a call takes.
    #[serde(default)]
    pub avg_latency_ms: f64,
    /// How often a call succeeds, from 0 to 1.
    #[serde(default)]
    pub success_rate: Option<Share>,
    /// How many calls it takes on at once.
    #[serde(default)]
    pub max_concurrent: Option<u32>,
    /// A program and its arguments.
    #[serde(default)]
    pub command: Option<Vec<String>>,
    /// The folder in which the program runs, seen from the configuration's, which it is if nothing is said.
    #[serde(default)]
    pub cwd: Option<PathBuf>,
    /// What is added to the program's environment.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// The address of a service.
    #[serde(default)]
    pub http: Option<String>,
    /// The tools that it may use: it works with them, step by step.
    #[serde(default)]
    pub tools: Option<Vec<String>>,
    /// Tools without which an agent of a pack is left out; without any of `tools` it works with its model alone.
    #[serde(default)]
    pub needs_tools: Vec<String>,
    /// How it works with them.
    #[serde(default)]
    pub mission: MissionInFile,
    /// The tier of the model that it is; for an assistant, its own name of the model that it uses.
    #[serde(default)]
    pub model: Option<ModelInFile>,
    /// What its models are told beside its specialization.
    #[serde(default)]
    pub instructions: Option<Instructions>,
    /// The address of a remote agent, or of its card.
    #[serde(default)]
    pub a2a: Option<String>,
    /// Headers for a service or a remote agent, and the variables that hold their values.
    #[serde(default)]
    pub headers_env: BTreeMap<String, String>,
    /// How long one attempt may take; what holds for all agents if absent.
    #[serde(default)]
    pub timeout: Option<Seconds>,
    /// The most that one attempt may cost, in dollars: so much is set aside for it.
    #[serde(default)]
    pub max_cost: Option<Money>,
    /// How its failed attempts are repeated.
    #[serde(default)]
    pub retry: Option<RetryPolicy>,
    /// What it does to the world at most; if absent, its kind and the words of its tasks decide.
    #[serde(default)]
    pub effects: Option<Vec<RiskClass>>,
    /// `code`: it writes Python for a task, checks it, and runs it in a sandbox. `cli`: a coding assistant.
    #[serde(default)]
    pub kind: Option<KindInFile>,
    /// Which coding assistant it is.
    #[serde(default)]
    pub preset: Option<Preset>,
    /// The assistant's program, if it is not found under its usual name.
    #[serde(default)]
    pub program: Option<String>,
    /// Further arguments for the assistant.
    #[serde(default)]
    pub args: Vec<String>,
    /// A kind that comes with Candor.
    #[serde(default)]
    pub builtin: Option<String>,
    /// The options of that kind.
    #[serde(default)]
    pub options: JsonMap,
}

/// What the models of an agent are told: a text, or the file that has it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Instructions {
    /// Text in the configuration itself.
    Text(String),
    /// A file beside the configuration, or in the pack.
    File {
        /// Path relative to the configuration.
        file: String,
    },
}

/// How an agent works with tools.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MissionInFile {
    /// The tier of models that it asks.
    pub tier: Option<Tier>,
    /// Which calls need a person's leave: `destructive`, `changes` or `never`.
    pub approve: Option<Approve>,
    /// How many calls of models and tools one attempt may make.
    pub max_steps: Option<u32>,
    /// How many tokens models may take in one attempt.
    pub max_tokens: Option<u64>,
    /// How long one call of a tool may take, in seconds.
    pub tool_timeout: Option<Seconds>,
    /// Whether a step whose tool keeps failing is re-planned.
    pub replanning: Option<bool>,
}

/// A model, as an agent names it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum ModelInFile {
    /// By how capable it is.
    Tier(Tier),
    /// By its own name.
    Named(String),
}

/// A kind of agent that needs no address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum KindInFile {
    /// An agent that writes and runs Python.
    Code,
    /// A coding assistant that is run as a command.
    Cli,
}

/// How an agent is reached.
pub enum AgentKind<'a> {
    /// A program with its arguments.
    Command(&'a [String]),
    /// A service at this URL.
    Http(&'a str),
    /// Something that comes with Candor.
    Builtin(&'a str),
    /// Tools of these names, driven by a model.
    Tools(&'a [String]),
    /// A model of this tier.
    Model(Tier),
    /// A remote agent at this URL.
    A2a(&'a str),
    /// An agent that writes and runs Python.
    Code,
    /// A coding assistant, started as this program.
    Cli(Preset, &'a str),
    /// Not at all: it can only be ranked.
    Nothing,
}

impl AgentInFile {
    /// One of which nothing is said but its name.
    pub fn named(agent_type: AgentType) -> Self {
        Self {
            agent_type,
            capabilities: Vec::new(),
            specialization: String::new(),
            cost_per_invocation: Money::ZERO,
            avg_latency_ms: 0.0,
            success_rate: None,
            max_concurrent: None,
            command: None,
            cwd: None,
            env: BTreeMap::new(),
            http: None,
            tools: None,
            needs_tools: Vec::new(),
            mission: MissionInFile::default(),
            model: None,
            instructions: None,
            a2a: None,
            headers_env: BTreeMap::new(),
            timeout: None,
            max_cost: None,
            retry: None,
            effects: None,
            kind: None,
            preset: None,
            program: None,
            args: Vec::new(),
            builtin: None,
            options: JsonMap::new(),
        }
    }

    /// What is known of it.
    pub fn capability(&self) -> AgentCapability {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to what fits")]
        let latency = self.avg_latency_ms.clamp(0.0, 1e15) as u64;
        AgentCapability {
            agent_type: self.agent_type.clone(),
            capabilities: self.capabilities.clone(),
            specialization: self.specialization.clone(),
            cost_per_invocation: self.cost_per_invocation,
            avg_latency_ms: latency,
            success_rate: self.success_rate.unwrap_or(Share::ALL),
            max_concurrent: self.max_concurrent,
            timeout: self.timeout,
            max_cost: self.max_cost,
            retry: self.retry,
            effects: self.effects(),
        }
    }

    /// What it does to the world at most, as declared or as its kind allows; absent if that is not known.
    fn effects(&self) -> Option<Vec<RiskClass>> {
        if self.effects.is_some() {
            return self.effects.clone();
        }
        match self.kind() {
            AgentKind::Command(command) => Some(vec![risk::of_command(&command.join(" "))?.0]),
            AgentKind::Model(_) | AgentKind::Builtin(_) => Some(vec![RiskClass::Read]),
            // It runs in the sandbox.
            AgentKind::Code => Some(vec![RiskClass::Change]),
            // It edits files in its folder; its own rules decide on anything else.
            AgentKind::Cli(..) => Some(vec![RiskClass::Change]),
            // It asks before each call that cannot be undone.
            AgentKind::Tools(_) => Some(vec![RiskClass::Change]),
            _ => None,
        }
    }

    /// The ways in which an agent can be reached.
    pub const WAYS: &str = recorded!("`command`, `http`, `tools`, `model`, `a2a`, `kind`, `builtin`");

    /// How it is reached.
    pub fn kind(&self) -> AgentKind<'_> {
        self.ways().into_iter().flatten().next().unwrap_or(AgentKind::Nothing)
    }

    fn ways(&self) -> [Option<AgentKind<'_>>; 7] {
        [
            self.command.as_deref().map(AgentKind::Command),
            self.http.as_deref().map(AgentKind::Http),
            self.tools.as_deref().map(AgentKind::Tools),
            self.model.as_ref().filter(|_| !self.is_assistant()).map(|model| match model {
                ModelInFile::Tier(tier) => AgentKind::Model(*tier),
                // `problem` refuses it.
                ModelInFile::Named(_) => AgentKind::Nothing,
            }),
            self.a2a.as_deref().map(AgentKind::A2a),
            self.kind.map(|kind| self.of_kind(kind)),
            self.builtin.as_deref().map(AgentKind::Builtin),
        ]
    }

    fn of_kind(&self, kind: KindInFile) -> AgentKind<'_> {
        match (kind, self.preset) {
            (KindInFile::Code, _) => AgentKind::Code,
            (KindInFile::Cli, Some(preset)) => {
                AgentKind::Cli(preset, self.program.as_deref().unwrap_or(preset.program()))
            }
            // `problem` refuses it.
            (KindInFile::Cli, None) => AgentKind::Nothing,
        }
    }

    fn is_assistant(&self) -> bool {
        self.kind == Some(KindInFile::Cli)
    }

    /// The model that an assistant is told to use.
    pub fn assistant_model(&self) -> Option<String> {
        self.model.as_ref().filter(|_| self.is_assistant()).map(|model| match model {
            ModelInFile::Tier(tier) => tier.to_string(),
            ModelInFile::Named(name) => name.clone(),
        })
    }

    /// What is wrong with the keys of an assistant.
    fn assistant_problem(&self) -> Option<Sentence> {
        let keys = [
            ("preset", self.preset.is_some()),
            ("program", self.program.is_some()),
            ("args", !self.args.is_empty()),
        ];
        if let (false, Some((key, _))) = (self.is_assistant(), keys.into_iter().find(|(_, given)| *given)) {
            return Some(both!(
                "`{key}` is for coding assistants; add `kind = \"cli\"`",
                "`{key}` es para asistentes de programación; añadir `kind = \"cli\"`"
            ));
        }
        match &self.model {
            _ if self.is_assistant() && self.preset.is_none() => Some(both!(
                "`kind = \"cli\"` needs `preset`: claude, codex, gemini or goose",
                "`kind = \"cli\"` necesita `preset`: claude, codex, gemini o goose"
            )),
            Some(ModelInFile::Named(name)) if !self.is_assistant() => Some(both!(
                "`model` is a tier (fast, balanced or strong), not `{name}`",
                "`model` es un nivel (fast, balanced o strong), no `{name}`"
            )),
            _ => None,
        }
    }

    /// Whether the file says what it is good at.
    pub fn is_described(&self) -> bool {
        !self.specialization.is_empty() || !self.capabilities.is_empty()
    }

    fn problem(&self) -> Option<Sentence> {
        if self.ways().into_iter().flatten().count() > 1 {
            return Some(both!(
                "has more than one of {}; keep one",
                "tiene más de uno de {}; dejar uno",
                Self::WAYS
            ));
        }
        if self.command.as_ref().is_some_and(Vec::is_empty) {
            return Some(both!(
                "`command` is empty; give the program and its arguments",
                "`command` está vacío; indicar el programa y sus argumentos"
            ));
        }
        let has_models = matches!(self.kind(), AgentKind::Model(_) | AgentKind::Tools(_) | AgentKind::Code);
        if self.instructions.is_some() && !has_models && !self.is_assistant() {
            return Some(both!(
                "`instructions` are for agents with `model`, `tools` or `kind`",
                "`instructions` es para agentes con `model`, `tools` o `kind`"
            ));
        }
        if self.tools.as_ref().is_some_and(Vec::is_empty) {
            return Some(both!(
                "`tools` is empty; name tools, `server.*` or `*`",
                "`tools` está vacío; nombrar herramientas, `server.*` o `*`"
            ));
        }
        self.assistant_problem()
    }
}

/// Checks what serde cannot: one way to reach each agent, and no name twice.
pub(super) fn check(path: &Path, agents: &[AgentInFile]) -> Result<(), AppError> {
    let mut seen = BTreeSet::new();
    for (n, agent) in (1..).zip(agents) {
        let name = &agent.agent_type;
        let problem = agent.problem().or_else(|| match agent.kind() {
            AgentKind::Nothing => Some(both!(
                "has none of {}: say how it is reached",
                "no tiene ninguno de {}: indicar cómo se llega a él",
                AgentInFile::WAYS
            )),
            _ if !seen.insert(name.clone()) => Some(both!(
                "is declared twice; names must differ",
                "está declarado dos veces; los nombres deben ser distintos"
            )),
            _ => None,
        });
        if let Some(problem) = problem {
            return Err(AppError::usage(
                problem.after(format_args!("{}, [[agents]] {n} ({name}): ", path.display())),
            ));
        }
    }
    Ok(())
}

/// Agents only to be ranked: `[[agents]]` in TOML; in JSON a list, an object with one, or an object per line.
pub struct AgentList;

impl AgentList {
    /// Reads a list of agents.
    pub fn read(path: &Path) -> Result<Vec<AgentCapability>, AppError> {
        let is_json = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
        let agents = if is_json || starts_like_json(path) { from_json(path)? } else { from_toml(path)? };
        if agents.is_empty() {
            return Err(AppError::usage(both!(
                "{} lists no agents",
                "{} no contiene agentes",
                path.display()
            )));
        }
        let mut seen = BTreeSet::new();
        if let Some(agent) = agents.iter().find(|agent| !seen.insert(&agent.agent_type)) {
            return Err(AppError::usage(both!(
                "{}, agent {}: is listed twice; names must differ",
                "{}, agente {}: aparece dos veces; los nombres deben ser distintos",
                path.display(),
                agent.agent_type
            )));
        }
        if let Some(agent) = agents.iter().find(|agent| !agent.is_described()) {
            return Err(AppError::usage(both!(
                "{}, agent {}: needs `specialization` or `capabilities`: there is nothing to rank it by",
                "{}, agente {}: necesita `specialization` o `capabilities`: no hay nada por lo que clasificarlo",
                path.display(),
                agent.agent_type
            )));
        }
        Ok(agents.iter().map(AgentInFile::capability).collect())
    }
}

fn starts_like_json(path: &Path) -> bool {
    std::fs::read(path).is_ok_and(|bytes| {
        let first: Vec<u8> = bytes.into_iter().filter(|byte| !byte.is_ascii_whitespace()).take(2).collect();
        // `[[agents]]` is TOML, `[{` and `{` are JSON.
        matches!(first.as_slice(), [b'{', ..] | [b'[', b'{' | b']'])
    })
}

/// A file of which only the agents are read.
#[derive(Deserialize)]
struct AgentsFile {
    agents: Vec<AgentInFile>,
}

fn from_json(path: &Path) -> Result<Vec<AgentInFile>, AppError> {
    let text = read_text(path)?;
    if is_lines(&text) {
        return from_lines(path, &text);
    }
    if text.trim_start().starts_with('{') {
        return read_json::<AgentsFile>(path).map(|file| file.agents);
    }
    read_json(path)
}

/// Whether each line is an object of its own.
fn is_lines(text: &str) -> bool {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let first = lines.next().unwrap_or_default();
    serde_json::from_str::<AgentInFile>(first).is_ok() && lines.all(|line| line.trim_start().starts_with('{'))
}

fn from_lines(path: &Path, text: &str) -> Result<Vec<AgentInFile>, AppError> {
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let read = |(n, line): (usize, &str)| {
        candor_model::from_json(line).map_err(|error| {
            AppError::usage(both!("{}, line {n}: {error}", "{}, línea {n}: {error}", path.display()))
        })
    };
    lines.map(read).collect()
}

fn from_toml(path: &Path) -> Result<Vec<AgentInFile>, AppError> {
    read_toml::<AgentsFile>(path).map(|file| file.agents)
}
