//! Where a run may do with less: fewer agents, or cheaper models. Never without agents, never without a
//! phase, and never without saying why.

use candor_model::{Money, Seconds};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::scaling::MIN_AGENTS;
use crate::score::Score;

/// From which confidence on an answer from the cache counts as good.
pub const HIGH_CONFIDENCE: u8 = 85;
/// By how much a good answer from the cache reduces the agents, in percent.
pub const CACHE_REDUCTION: u8 = 50;
/// Under which share of the budget, in percent, what remains is critical.
pub const CRITICAL_SHARE: u8 = 20;

/// What a task may use.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TaskBudget {
    /// Most tokens that may be used.
    pub tokens: u64,
    /// Most money that may be spent.
    pub money: Money,
    /// The time it should take; a target, not a limit.
    pub latency: Seconds,
}

/// What a task has used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Spent {
    /// Tokens used so far.
    pub tokens: u64,
    /// Money spent so far.
    pub money: Money,
}

/// Whose budget it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BudgetSource {
    /// The task's.
    Task,
    /// The session's.
    Session,
}

/// The budget as pre-analysis records it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BudgetRecord {
    /// Tokens used when the record was made.
    pub spent_tokens: u64,
    /// Zero if more was used than allowed.
    pub remaining_tokens: u64,
    /// Money spent when the record was made.
    pub spent_money: Money,
    /// Zero if more was spent than allowed.
    pub remaining_money: Money,
    /// Whose budget it is.
    pub source: BudgetSource,
}

impl Default for TaskBudget {
    fn default() -> Self {
        Self { tokens: 50_000, money: Money::from_micros(1_000_000), latency: Seconds::whole(5) }
    }
}

impl TaskBudget {
    /// The budget against what was used, as pre-analysis hands it over.
    #[must_use]
    pub fn record(&self, spent: Spent, source: BudgetSource) -> BudgetRecord {
        BudgetRecord {
            spent_tokens: spent.tokens,
            remaining_tokens: self.tokens.saturating_sub(spent.tokens),
            spent_money: spent.money,
            remaining_money: self.money.saturating_sub(spent.money),
            source,
        }
    }
}

/// The places where a run may do with less.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ExitPoint {
    /// The cache has an answer that is probably right.
    CachedWithHighConfidence,
    /// Little of the budget is left.
    TokenBudgetCritical,
}

/// Says “not skipped”, and can say nothing else: it is `false` wherever it is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NotSkipped;

impl Serialize for NotSkipped {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bool(false)
    }
}

impl<'de> Deserialize<'de> for NotSkipped {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match bool::deserialize(deserializer)? {
            false => Ok(Self),
            true => Err(de::Error::custom("nothing is ever skipped; write false")),
        }
    }
}

/// A decision to do with less.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EarlyExit {
    /// Where it was taken.
    pub point: ExitPoint,
    /// Written for the documents' sake: nothing is ever skipped.
    pub skip: NotSkipped,
    /// Whether there are fewer agents.
    pub reduce: bool,
    /// By how many percent.
    pub agent_reduction: u8,
    /// Whether tiers go one step down.
    pub model_downgrade: bool,
    /// What is left and what is done about it, for people.
    pub reason: String,
}

impl EarlyExit {
    /// How many of so many agents remain: rounded up, and never none.
    #[must_use]
    pub fn agents(&self, count: u32) -> u32 {
        let kept = u64::from(100 - self.agent_reduction.min(100));
        let left = (u64::from(count) * kept).div_ceil(100);
        u32::try_from(left).unwrap_or(count).max(MIN_AGENTS)
    }
}

/// Fewer agents when the cache has an answer of high confidence.
#[must_use]
pub fn on_cache(confidence: Option<Score>) -> Option<EarlyExit> {
    let confidence = confidence.filter(|confidence| confidence.get() >= HIGH_CONFIDENCE)?;
    Some(EarlyExit {
        point: ExitPoint::CachedWithHighConfidence,
        skip: NotSkipped,
        reduce: true,
        agent_reduction: CACHE_REDUCTION,
        model_downgrade: false,
        reason: format!(
            "a cache hit with a confidence of {confidence} ({HIGH_CONFIDENCE} or more is high) reduces the exploration \
             needed, so half the agents are enough"
        ),
    })
}

/// Cheaper models when little of the budget is left.
#[must_use]
pub fn on_budget(budget: &TaskBudget, spent: Spent) -> Option<EarlyExit> {
    let record = budget.record(spent, BudgetSource::Task);
    let tokens = critical(record.remaining_tokens, budget.tokens);
    let money = critical(record.remaining_money.micros(), budget.money.micros());
    let left = match (tokens, money) {
        (true, _) => format!("{} of {} tokens are left", record.remaining_tokens, budget.tokens),
        (false, true) => format!("{} of {} are left", record.remaining_money, budget.money),
        (false, false) => return None,
    };
    Some(EarlyExit {
        point: ExitPoint::TokenBudgetCritical,
        skip: NotSkipped,
        reduce: false,
        agent_reduction: 0,
        model_downgrade: true,
        reason: format!(
            "{left}, less than {CRITICAL_SHARE} percent; models go one tier down, except for security"
        ),
    })
}

/// Whether less than the critical share is left. Of a budget of nothing, nothing is left.
fn critical(remaining: u64, budget: u64) -> bool {
    budget == 0 || u128::from(remaining) * 100 < u128::from(budget) * u128::from(CRITICAL_SHARE)
}
