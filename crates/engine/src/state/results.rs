//! What came of the work: reports of agents, how they did, how sure the plan was over time, and the report.

use std::collections::BTreeMap;
use std::sync::Arc;

use candor_model::{
    AgentMeasure, AgentType, Confidence, ConfidenceCause, ConfidencePoint, ExecutionFeedback,
    ExecutionReport, TaskId, Timestamp,
};
use serde::{Deserialize, Serialize};

use super::RunState;

/// What came of the work so far.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Results {
    /// When the work began first.
    pub(crate) started: Option<Timestamp>,
    /// Everything agents reported, in the order in which it came.
    pub(crate) feedback: Vec<Arc<ExecutionFeedback>>,
    /// How the agents did so far, also before a rollback.
    pub(crate) measured: BTreeMap<AgentType, AgentMeasure>,
    pub(crate) report: Option<Box<ExecutionReport>>,
    /// How far the run has come, in percent, as people were told last; 0 since work was undone.
    #[serde(default)]
    pub(crate) progress: f64,
}

/// How sure the plan was, from the first proposal on.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct ConfidenceHistory {
    pub(crate) points: Vec<ConfidencePoint>,
    /// What moved it last; nothing since a plan was proposed.
    pub(crate) cause: Option<ConfidenceCause>,
}

impl ConfidenceHistory {
    pub(super) fn propose(&mut self, at: Timestamp, confidence: Confidence) {
        self.cause = None;
        self.push(at, confidence, "plan proposed");
    }

    pub(super) fn change(&mut self, at: Timestamp, confidence: Confidence, cause: ConfidenceCause) {
        self.cause = Some(cause);
        self.push(at, confidence, cause.as_str());
    }

    fn push(&mut self, at: Timestamp, confidence: Confidence, cause: &str) {
        self.points.push(ConfidencePoint { at: Some(at), confidence, cause: cause.to_owned() });
    }
}

impl RunState {
    /// Everything agents reported, in the order in which it came.
    #[must_use]
    pub fn feedback(&self) -> &[Arc<ExecutionFeedback>] {
        &self.results.feedback
    }

    /// How far the run has come, in percent, as people were told last.
    #[must_use]
    pub const fn progress(&self) -> f64 {
        self.results.progress
    }

    /// How the agents did so far.
    #[must_use]
    pub const fn measured(&self) -> &BTreeMap<AgentType, AgentMeasure> {
        &self.results.measured
    }

    /// When the first task was given out; absent before.
    #[must_use]
    pub const fn execution_started(&self) -> Option<Timestamp> {
        self.results.started
    }

    /// What confidence was last changed by.
    pub(crate) const fn last_confidence_cause(&self) -> Option<ConfidenceCause> {
        self.confidence.cause
    }

    /// Keeps what an agent reported, and counts it for the agent that was at work; a task that never started says
    /// nothing of anybody.
    pub(super) fn keep_feedback(&mut self, task_id: &TaskId, feedback: &Arc<ExecutionFeedback>) {
        self.results.feedback.push(Arc::clone(feedback));
        let agent = self.work().and_then(|work| work.find(task_id)?.2.in_flight()).map(|it| &it.agent_type);
        if let Some(agent) = agent.cloned() {
            self.results.measured.entry(agent).or_default().add(feedback);
        }
    }
}
