//! The cost of one planning cycle, call by call.

use candor_model::{DecisionEntry, Money, PlanningError, RunSettings, TokenPrice, TokenUse};
use serde::{Deserialize, Serialize};

/// The names of the operations that planning pays for.
pub mod operation {
    /// Understanding the goal.
    pub const PARSE_GOAL: &str = "parse_goal";
    /// Breaking the goal into tasks.
    pub const DECOMPOSE_TASK: &str = "decompose_task";
    /// Finding the agent for one task.
    pub const ROUTE_TASK: &str = "route_task";
}

/// One paid call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CostEntry {
    /// What it was for.
    pub operation: String,
    /// Tokens sent; zero if it was not priced by tokens.
    #[serde(default)]
    pub prompt_tokens: u64,
    /// Tokens received; zero if it was not priced by tokens.
    #[serde(default)]
    pub completion_tokens: u64,
    /// What it cost.
    pub cost: Money,
}

/// What a planning cycle cost when it had ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CycleCost {
    /// The sum.
    pub total: Money,
    /// Every paid call, in order.
    pub entries: Vec<CostEntry>,
}

/// Adds up what one planning cycle costs and refuses to go on once that is more than its budget.
///
/// A tracker is a cycle: it cannot be used before the start or after the end.
#[derive(Debug, Clone, PartialEq)]
pub struct CostTracker {
    budget: Money,
    price: TokenPrice,
    entries: Vec<CostEntry>,
    spent: Money,
}

impl CostTracker {
    /// Starts a cycle that may cost up to `budget`, the budget included.
    #[must_use]
    pub fn start(budget: Money, price: TokenPrice) -> Self {
        Self { budget, price, entries: Vec::new(), spent: Money::ZERO }
    }

    /// Starts a cycle with the planning budget of a run.
    #[must_use]
    pub fn for_run(settings: &RunSettings) -> Self {
        Self::start(settings.planning_budget, TokenPrice::default())
    }

    /// Records a call of a model and returns its cost, or an error if the budget is now exceeded.
    pub fn track_llm_call(
        &mut self,
        operation: &str,
        prompt_tokens: u64,
        completion_tokens: u64,
    ) -> Result<Money, PlanningError> {
        let tokens = TokenUse { input: prompt_tokens, output: completion_tokens, ..TokenUse::default() };
        let cost = self.price.cost(&tokens);
        self.record(CostEntry { operation: operation.to_owned(), prompt_tokens, completion_tokens, cost })
    }

    /// Records a call whose cost is known, such as an embedding, or an error if the budget is now exceeded.
    pub fn track(&mut self, operation: &str, cost: Money) -> Result<Money, PlanningError> {
        let operation = operation.to_owned();
        self.record(CostEntry { operation, prompt_tokens: 0, completion_tokens: 0, cost })
    }

    /// Whether another call may be made: an error if the budget is exceeded.
    pub fn check(&self) -> Result<(), PlanningError> {
        if self.spent > self.budget {
            return Err(PlanningError::BudgetExceeded { spent: self.spent, budget: self.budget });
        }
        Ok(())
    }

    /// What the cycle has cost so far.
    #[must_use]
    pub fn current_cost(&self) -> Money {
        self.spent
    }

    /// Every paid call so far, in order.
    #[must_use]
    pub fn entries(&self) -> &[CostEntry] {
        &self.entries
    }

    /// What all calls for one operation have cost so far.
    #[must_use]
    pub fn cost_of(&self, operation: &str) -> Money {
        self.entries.iter().filter(|entry| entry.operation == operation).map(|entry| entry.cost).sum()
    }

    /// The entry with the cost of its operation filled in.
    #[must_use]
    pub fn priced(&self, entry: DecisionEntry) -> DecisionEntry {
        DecisionEntry { cost: self.cost_of(&entry.operation), ..entry }
    }

    /// The stages that cost as much as their limit or more. A finding for the metrics: only the budget stops.
    #[must_use]
    pub fn stage_overruns(&self, limits: &StageLimits) -> Vec<StageOverrun> {
        let stage = |name: &str, limit| overrun(name, self.cost_of(name), limit);
        let routing = self
            .entries
            .iter()
            .filter(|entry| entry.operation == operation::ROUTE_TASK)
            .filter_map(|entry| overrun(&entry.operation, entry.cost, limits.routing_per_task));
        [stage(operation::PARSE_GOAL, limits.goal), stage(operation::DECOMPOSE_TASK, limits.decomposition)]
            .into_iter()
            .flatten()
            .chain(routing)
            .collect()
    }

    /// Ends the cycle.
    #[must_use]
    pub fn end(self) -> CycleCost {
        CycleCost { total: self.spent, entries: self.entries }
    }

    /// The call was made and must be paid, so it is recorded even if it breaks the budget.
    fn record(&mut self, entry: CostEntry) -> Result<Money, PlanningError> {
        let cost = entry.cost;
        self.spent = self.spent + cost;
        self.entries.push(entry);
        self.check().map(|()| cost)
    }
}

/// What the stages of planning should stay below.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct StageLimits {
    /// Understanding the goal.
    pub goal: Money,
    /// Breaking it into tasks.
    pub decomposition: Money,
    /// Finding the agent for one task.
    pub routing_per_task: Money,
}

impl Default for StageLimits {
    fn default() -> Self {
        Self {
            goal: Money::from_micros(2_000),
            decomposition: Money::from_micros(5_000),
            routing_per_task: Money::from_micros(1_000),
        }
    }
}

/// A stage that cost too much.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StageOverrun {
    /// Which one.
    pub operation: String,
    /// What it cost.
    pub cost: Money,
    /// What it should have stayed below.
    pub limit: Money,
}

fn overrun(operation: &str, cost: Money, limit: Money) -> Option<StageOverrun> {
    (cost >= limit && cost > Money::ZERO).then(|| StageOverrun {
        operation: operation.to_owned(),
        cost,
        limit,
    })
}
