//! The parts of what is known of a run.

use std::collections::BTreeMap;

use candor_model::{
    AgentType, Broadcast, DecisionEntry, Handoff, Money, Phase, PhaseMetrics, Query, QueryResponse, ReadFile,
    Seconds, Timestamp,
};
use serde::{Deserialize, Serialize};

/// What was seen, found and decided.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SharedContext {
    /// Files by path, as they are known.
    pub files_read: BTreeMap<String, KnownFile>,
    /// Files that agents changed, by path.
    pub files_modified: BTreeMap<String, ModifiedFile>,
    /// What agents found.
    pub discoveries: Vec<Note>,
    /// What was decided.
    pub decisions: Vec<DecisionEntry>,
    /// What may go wrong.
    pub warnings: Vec<Note>,
    /// What went wrong.
    pub errors: Vec<Note>,
}

impl SharedContext {
    /// A file that could not be read is not known.
    pub(super) fn read(&mut self, file: &ReadFile, at: Timestamp) {
        let Ok(content) = file.text.clone() else {
            self.files_read.remove(&file.path);
            return;
        };
        let known = KnownFile { content, read_at: at, bytes: file.bytes, modified: file.modified };
        self.files_read.insert(file.path.clone(), known);
    }
}

/// A file as it is known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KnownFile {
    /// Its text, as far as it was read.
    pub content: String,
    /// When it was read, or written by an agent.
    pub read_at: Timestamp,
    /// How large it was.
    pub bytes: u64,
    /// When it had been changed, if the file system said so.
    pub modified: Option<Timestamp>,
}

/// A file that an agent changed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ModifiedFile {
    /// Its text before the first change, if anybody knew it.
    pub original: Option<String>,
    /// Its text after the last one, if the agent told.
    pub new: Option<String>,
}

/// Something that somebody said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// Its name within the run.
    pub id: String,
    /// Moment at which it was said.
    pub at: Timestamp,
    /// The agent or the phase it comes from.
    pub source: String,
    /// Words of whoever said it.
    pub text: String,
}

impl Note {
    pub(super) fn new(kind: &str, before: usize, source: &str, text: &str, at: Timestamp) -> Self {
        Self { id: format!("{kind}_{}", before + 1), at, source: source.to_owned(), text: text.to_owned() }
    }
}

/// What a run took.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SharedMetrics {
    /// The sum over the phases.
    pub total_tokens: u64,
    /// Everything that was charged.
    pub total_cost: Money,
    /// The sum over the phases.
    pub total_duration: Seconds,
    /// By phase; of one that ran more than once, the sum.
    pub phase_metrics: BTreeMap<Phase, PhaseMetrics>,
    /// Agents without an attempt are absent.
    pub agent_metrics: BTreeMap<AgentType, AgentFigures>,
}

impl SharedMetrics {
    /// Adds what a phase took.
    pub fn record_phase(&mut self, phase: Phase, took: &PhaseMetrics) {
        self.total_tokens = self.total_tokens.saturating_add(took.tokens_used);
        self.total_duration = [self.total_duration, took.duration].into_iter().sum();
        let sum = self.phase_metrics.entry(phase).or_default();
        sum.tokens_used = sum.tokens_used.saturating_add(took.tokens_used);
        sum.duration = [sum.duration, took.duration].into_iter().sum();
        sum.cost = sum.cost + took.cost;
        sum.failure_reasons.extend(took.failure_reasons.iter().cloned());
        sum.criteria.extend(took.criteria.iter().map(|(name, value)| (name.clone(), *value)));
    }

    /// Adds an attempt of an agent.
    pub fn record_agent(&mut self, agent: &AgentType, succeeded: bool, duration: Seconds, cost: Money) {
        let figures = self.agent_metrics.entry(agent.clone()).or_default();
        figures.attempts += 1;
        figures.successes += u64::from(succeeded);
        figures.duration = [figures.duration, duration].into_iter().sum();
        figures.cost = figures.cost + cost;
    }
}

/// How an agent did in a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct AgentFigures {
    /// Number of attempts that ended.
    pub attempts: u64,
    /// Number of `attempts` that succeeded.
    pub successes: u64,
    /// How long they took together.
    pub duration: Seconds,
    /// What they cost together.
    pub cost: Money,
}

/// Who told whom what.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Communication {
    /// From phase to phase, in order.
    pub handoffs: Vec<LoggedHandoff>,
    /// To everyone in a phase, in order.
    pub broadcasts: Vec<Broadcast>,
    /// From agent to agent, in order.
    pub queries: Vec<LoggedQuery>,
}

/// What a phase handed over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LoggedHandoff {
    /// The phase that ended.
    pub from: Phase,
    /// The phase that takes it; none after the last.
    pub to: Option<Phase>,
    /// Moment at which the phase ended.
    pub at: Timestamp,
    /// Result of the phase, with what the next ones need to know.
    pub handoff: Handoff,
}

/// A question of one agent to another, with what came of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LoggedQuery {
    /// The question as the agent put it.
    pub query: Query,
    /// What came of it, once something has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<QueryResponse>,
}
