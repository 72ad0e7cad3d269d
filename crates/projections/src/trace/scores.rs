//! Judgements of a whole run, made when it has ended.

use candor_model::{EventBody, Recorded, RunStatus, Verdict};
use candor_planning::tally::Tally;
use schemars::JsonSchema;
use serde::Serialize;

/// A judgement of a run.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Score {
    /// Name under which backends group scores.
    pub name: &'static str,
    /// From 0 to 1.
    pub value: f64,
    /// How it came about.
    pub comment: &'static str,
}

/// The judgements of a run that has ended. What cannot be told is absent: a run without a budget has no efficiency.
/// What a person thinks of it is added by whoever knows.
pub(super) fn of(status: RunStatus, verdict: Option<Verdict>, records: &[Recorded]) -> Vec<Score> {
    if !status.is_end() {
        return Vec::new();
    }
    let well = status == RunStatus::Completed && verdict != Some(Verdict::NotMet);
    let figures = Tally::of(records.iter().map(|recorded| &recorded.event)).figures();
    let budget = records.iter().find_map(|recorded| match &recorded.event.body {
        EventBody::RunStarted { settings, .. } => settings.run_budget,
        _ => None,
    });
    let efficiency = budget
        .filter(|budget| budget.micros() > 0)
        .map(|budget| (1.0 - figures.total.cost.micros() as f64 / budget.micros() as f64).max(0.0));
    let number = |holds: bool| f64::from(u8::from(holds));
    let score = |name, value| Score { name, value, comment: "Auto-scored at workflow end" };
    let mut scores = vec![
        score("task_completion", number(well)),
        score("first_attempt_success", number(well && figures.retries == 0)),
    ];
    scores.extend(efficiency.map(|value| score("cost_efficiency", value)));
    scores
}
