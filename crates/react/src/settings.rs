//! What a mission must keep to.

use candor_model::{MAX_REPLANS, Money, RiskClass, Seconds};
use serde::{Deserialize, Serialize};

/// Which calls need a person's leave, unless the run allows their class.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Approve {
    /// Those that cannot be undone. `never` is an old name: it once let these through, which only `[approval] allow` does.
    #[default]
    #[serde(alias = "never")]
    Destructive,
    /// Those that have side effects.
    Changes,
}

impl Approve {
    /// Whether an act of this class needs leave.
    #[must_use]
    pub fn needs_leave(self, class: RiskClass) -> bool {
        match self {
            Self::Destructive => class.asks(),
            Self::Changes => class != RiskClass::Read,
        }
    }
}

/// What a mission must keep to, and what it may use. The limits hold for one attempt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MissionSettings {
    /// How many steps the loop makes: calls of models and of tools together.
    pub max_steps: u32,
    /// How many tokens models may take.
    pub max_tokens: u64,
    /// What models may cost; no limit of its own if absent.
    pub max_cost: Option<Money>,
    /// How long one call of a tool may take.
    pub tool_timeout: Seconds,
    /// How long a model may think about one question.
    pub model_timeout: Seconds,
    /// Whether a step whose tool keeps failing is re-planned.
    pub replanning: bool,
    /// How often one step is re-planned.
    pub max_replans: u32,
    /// Which calls need a person's leave.
    pub approve: Approve,
    /// The tools that may be used, by name; all of the toolbox if it names none.
    pub allowed_tools: Vec<String>,
    /// Whether there is a model; whoever drives the mission knows.
    pub model: bool,
}

impl Default for MissionSettings {
    fn default() -> Self {
        Self {
            max_steps: 30,
            max_tokens: 50_000,
            max_cost: None,
            tool_timeout: Seconds::whole(60),
            model_timeout: Seconds::whole(60),
            replanning: true,
            max_replans: MAX_REPLANS,
            approve: Approve::default(),
            allowed_tools: Vec::new(),
            model: false,
        }
    }
}
