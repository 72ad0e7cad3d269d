//! What agents recommend, and what came of it when they disagreed.

use candor_model::Tier;
use serde::{Deserialize, Serialize};

use crate::score::Score;

/// What an agent recommends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Recommendation {
    /// Name of the agent.
    pub agent: String,
    /// The agent's own words, for a person who has to decide.
    pub text: String,
    /// The tier of models it wants.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<Tier>,
    /// How it would go about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approach: Option<Approach>,
    /// What it would do first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<String>,
    /// How sure it is.
    pub confidence: Score,
    /// What could be harmed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub risks: Vec<Risk>,
}

/// What could be harmed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Risk {
    /// Access, secrets or a protection could be weakened.
    Security,
    /// Data that could be lost.
    DataLoss,
}

/// A way to go about something, and how much it changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Approach {
    /// Something new, or more of what is there.
    pub kind: ApproachKind,
    /// Number of new files.
    #[serde(default)]
    pub files_created: u32,
    /// Number of existing files that change.
    #[serde(default)]
    pub files_modified: u32,
    /// Lines it writes or changes.
    #[serde(default)]
    pub lines: u32,
}

/// Something new, or more of what is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ApproachKind {
    /// What is there is extended.
    Extend,
    /// Something new is made.
    Create,
}

/// What agents disagree about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConflictType {
    /// Which tier of models.
    Model,
    /// How to go about it.
    Approach,
    /// Which of several things is done first.
    Priority,
    /// Nothing tells them apart.
    Tie,
    /// Security or data is at risk.
    Critical,
}

/// How a conflict is ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResolutionStrategy {
    /// The higher tier wins.
    HigherModel,
    /// The smallest change wins.
    MinimumChange,
    /// Whoever is nearest to what the user wants wins.
    UserAlignment,
    /// A person decides ("human in the loop"); files of rules write `hitl`.
    Hitl,
    /// Reserved; nothing is decided by counting heads.
    Vote,
}

/// How a conflict ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Resolution {
    /// Criterion by which it was decided.
    pub strategy: ResolutionStrategy,
    /// The agent whose recommendation holds; none while a person has to decide.
    #[serde(default)]
    pub winner: Option<String>,
    /// Why, in words for people.
    pub reason: String,
    /// How sure the decision is.
    pub confidence: Score,
}

/// A disagreement and its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Conflict {
    /// What it was about.
    pub conflict_type: ConflictType,
    /// Names of the agents whose recommendations differ.
    pub agents_involved: Vec<String>,
    /// As the agents gave them.
    pub recommendations: Vec<Recommendation>,
    /// Criterion, winner and reason.
    pub resolution: Resolution,
}
