//! A run as a trace: one span for each phase, attempt, tool call and question, one generation for each call of a model.
//!
//! Ids come from the run's name and the positions of its events, times from the log. So the trace of a log is the same
//! whenever and wherever it is made, and sending it again changes nothing. Money stands on generations only, and adds
//! up to what was charged. Without content a trace holds names, ids and figures, and no text of a person or a model.

mod build;
mod measured;
mod metrics;
mod scores;

use std::collections::BTreeMap;

use candor_model::{Money, Recorded, RunId, RunStatus, Timestamp, TokenUse, Verdict};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

pub use self::metrics::{AgentMetrics, PhaseMetrics, RunMetrics, TokenPair, TotalMetrics};
pub use self::scores::Score;

/// Whether texts of people, models and agents are part of a trace.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Content {
    /// Names, ids and figures only.
    #[default]
    Without,
    /// Requests, answers, and prompts where they were kept.
    With,
}

/// What a span stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SpanKind {
    /// The run, or a phase.
    Span,
    /// A call of a model, or what an agent charged for itself.
    Generation,
    /// An attempt of an agent at a task.
    Agent,
    /// A call of a tool.
    Tool,
    /// A question to a person, or what was done without asking.
    Event,
}

impl SpanKind {
    /// Word for attributes and JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Span => "span",
            Self::Generation => "generation",
            Self::Agent => "agent",
            Self::Tool => "tool",
            Self::Event => "event",
        }
    }
}

/// How a span ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SpanStatus {
    /// Ended with a result.
    Complete,
    /// Ended without one.
    Failed,
    /// It has not ended, or ended without a judgement.
    Running,
}

/// Something that took time in a run.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Span {
    /// Its id: 16 hexadecimal digits.
    pub id: String,
    /// The span that it is part of; absent for the run itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// Name that backends show.
    pub name: String,
    /// What it stands for.
    pub kind: SpanKind,
    /// Moment of the first event.
    pub start: Timestamp,
    /// When it ended, or when the log ends.
    pub end: Timestamp,
    /// State at the end of the log.
    pub status: SpanStatus,
    /// The model that answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The tokens of the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<TokenUse>,
    /// What was charged for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<Money>,
    /// Attributes by name.
    pub metadata: BTreeMap<String, Value>,
    /// What went in; with content only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// What came out; with content only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
}

/// A run as a trace.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Trace {
    /// Its id: 32 hexadecimal digits.
    pub trace_id: String,
    /// Its name for people and programs: `orchestrator_` and the run.
    pub id: String,
    /// Id of the run.
    pub run_id: RunId,
    /// User who began the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
    /// The run that it continues, or its own name: runs with one session belong together.
    pub session_id: String,
    /// Status after the last event.
    pub status: RunStatus,
    /// Whether it reached its goal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// Judgements of the whole run, once it has ended.
    pub scores: Vec<Score>,
    /// The same in records: by phase, by agent and in all.
    pub metrics: RunMetrics,
    /// All spans, each after its parent. The first is the run.
    pub spans: Vec<Span>,
}

impl Trace {
    /// The trace of a run; nothing without events.
    #[must_use]
    pub fn of(run: &RunId, records: &[Recorded], content: Content, version: &str) -> Option<Self> {
        build::trace(run, records, content, version)
    }

    /// What was charged, in all.
    #[must_use]
    pub fn cost(&self) -> Money {
        self.spans.iter().filter_map(|span| span.cost).sum()
    }
}

/// The first bytes of a digest, as hexadecimal digits.
fn digits(of: &str, bytes: usize) -> String {
    let digest = Sha256::digest(of.as_bytes());
    candor_model::hex(digest.iter().take(bytes))
}
