//! How requests of each class did: simple, standard and complex, by the complexity that the evaluation gave them.

use std::collections::BTreeMap;

use candor_model::{Money, RunSummary, Verdict};
use candor_planning::scaling::TaskClass;
use serde::Serialize;

use super::ClassWork;

/// The figures of the runs of one class.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ClassFigures {
    /// How many runs there were.
    pub runs: u64,
    /// Those whose result was verified.
    pub verified: u64,
    /// Those whose result could not be checked.
    pub unverified: u64,
    /// Those that missed their goal.
    pub not_met: u64,
    /// Number of tasks that succeeded.
    pub tasks: u64,
    /// How often plans were revised.
    pub revisions: u64,
    /// How long the runs took, from start to last event.
    pub milliseconds: u64,
    /// What models took and gave, in tokens.
    pub model_tokens: u64,
    /// What the runs cost.
    pub cost: Money,
}

/// The figures of all classes.
#[derive(Debug, Default, Serialize)]
#[serde(transparent)]
pub struct Classes(pub BTreeMap<TaskClass, ClassFigures>);

impl Classes {
    /// Counts a run that was evaluated; others belong to no class.
    pub(super) fn add_run(&mut self, summary: &RunSummary, work: ClassWork) {
        let figures = self.0.entry(work.class).or_default();
        figures.runs += 1;
        match summary.verdict {
            Some(Verdict::Verified) => figures.verified += 1,
            Some(Verdict::Unverified) => figures.unverified += 1,
            Some(Verdict::NotMet) => figures.not_met += 1,
            None => {}
        }
        let took = summary.updated_at.zip(summary.started_at).map(|(end, start)| end.since(start));
        figures.milliseconds += took.map_or(0, |took| took.as_millis());
        figures.cost = [figures.cost, summary.spent].into_iter().sum();
        figures.tasks += work.tasks;
        figures.revisions += work.revisions;
        figures.model_tokens += work.tokens;
    }
}
