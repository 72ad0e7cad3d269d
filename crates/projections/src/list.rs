//! Many runs, one entry each.

use std::collections::BTreeSet;

use candor_model::{
    Confidence, GateId, GoalType, Money, PlanId, Position, RunId, RunStatus, RunSummary, Timestamp, Verdict,
};
use schemars::JsonSchema;
use serde::Serialize;

/// A run in a list.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ListEntry<'a> {
    /// Id of the run.
    pub run_id: &'a RunId,
    /// Status after the last event.
    pub status: RunStatus,
    /// Whether it reached its goal, once it has ended.
    pub verdict: Option<Verdict>,
    /// The person's own words.
    pub request: &'a str,
    /// What kind of goal it has.
    pub goal_type: Option<&'a GoalType>,
    /// Its plan, once there is one.
    pub plan_id: Option<&'a PlanId>,
    /// Moment of the first event.
    pub started_at: Option<Timestamp>,
    /// When something last happened.
    pub updated_at: Option<Timestamp>,
    /// Ended tasks in percent.
    pub progress_percentage: f64,
    /// How sure Candor is.
    pub confidence: Option<Confidence>,
    /// Sum of all charges.
    pub cost: Money,
    /// How many attempts failed.
    pub failures: u64,
    /// What people were told of the last failure.
    pub last_failure: Option<&'a str>,
    /// The questions that wait for a person.
    pub open_gates: &'a BTreeSet<GateId>,
    /// Whether a person paused it.
    pub paused: bool,
    /// Where its log ends.
    pub events: Position,
}

impl<'a> ListEntry<'a> {
    /// The entry of a run whose log ends at `head`.
    #[must_use]
    pub fn of(summary: &'a RunSummary, head: Position) -> Self {
        Self {
            run_id: &summary.run_id,
            status: summary.status,
            verdict: summary.verdict,
            request: &summary.request,
            goal_type: summary.goal_type.as_ref(),
            plan_id: summary.plan_id.as_ref(),
            started_at: summary.started_at,
            updated_at: summary.updated_at,
            progress_percentage: summary.progress_percentage,
            confidence: summary.confidence,
            cost: summary.spent,
            failures: summary.failures,
            last_failure: summary.last_failure.as_deref(),
            open_gates: &summary.open_gates,
            paused: summary.paused,
            events: head,
        }
    }
}
