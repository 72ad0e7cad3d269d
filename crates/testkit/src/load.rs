//! Large plans and the quickest possible driver, for benches.

use candor_engine::{Input, PhaseResult, Refusal, RunState, decide};
use candor_model::{
    CalibrationMetrics, Effect, Event, ExecutionFeedback, FeedbackType, JsonMap, Money, Phase, Plan, RunId,
    RunSettings, Seconds, TaskId, Timestamp,
};
use candor_planning::validation::Proposal;

use crate::fixtures;
use crate::scenario::phase_report;

/// A plan of `tasks` tasks, each of which needs up to `needs` of the ten before it.
#[must_use]
pub fn plan(tasks: usize, needs: usize) -> Plan {
    let subtasks = (1..=tasks).map(|n| {
        let mut task = fixtures::simple_task(n, "Do a step", &[], "hotel_agent");
        let first = n.saturating_sub(10).max(1);
        let nearest = (first..n).step_by(2).chain((first + 1..n).step_by(2)).take(needs);
        task.dependencies = nearest.map(TaskId::numbered).collect();
        task
    });
    fixtures::plan_of(subtasks.collect(), 0.9)
}

/// Limits that let a plan of any size through.
#[must_use]
pub fn settings() -> RunSettings {
    RunSettings { max_plan_bytes: u64::MAX, ..RunSettings::default() }
}

/// A plan as it comes out of planning.
#[must_use]
pub fn proposal(plan: Plan) -> Proposal {
    let calibration = CalibrationMetrics::default();
    Proposal {
        plan,
        agents: fixtures::full_registry(),
        categories: Vec::new(),
        calibration,
        brief: None,
        added: Vec::new(),
    }
}

/// Drives one run without a store, and keeps what it would have written.
pub struct Quick {
    /// The run.
    pub state: RunState,
    /// What it would have written; empty unless asked for.
    pub events: Vec<Event>,
    keep: bool,
    now: Timestamp,
}

impl Quick {
    /// A run of this plan, ready to be carried out.
    pub fn new(run_id: RunId, plan: Plan, keep_events: bool) -> Result<Self, Refusal> {
        let state = RunState::new(run_id);
        let mut quick = Self { state, events: Vec::new(), keep: keep_events, now: Timestamp::EPOCH };
        quick.take(Input::Start {
            request: "bench".to_owned(),
            settings: Box::new(settings()),
            material: None,
            origin: None,
        })?;
        quick.take(Input::Guarded { attempt: 1, report: Box::default() })?;
        quick.phase(Phase::PreAnalysis, PhaseResult::Plain)?;
        quick.phase(Phase::Evaluation, PhaseResult::goal(fixtures::paris_goal()))?;
        quick.phase(Phase::Context, PhaseResult::Plain)?;
        quick.phase(Phase::Decomposition, PhaseResult::Plain)?;
        quick.phase(Phase::Planning, PhaseResult::Plan(proposal(plan)))?;
        Ok(quick)
    }

    /// Carries every task out: the oldest attempt succeeds, and so on; returns the number of tasks.
    pub fn execute(&mut self) -> Result<usize, Refusal> {
        let mut done = 0;
        while let Some((task_id, attempt)) = self.next_attempt() {
            let feedback = Box::new(success(&task_id));
            self.take(Input::AgentReported { task_id, attempt, feedback })?;
            done += 1;
        }
        Ok(done)
    }

    fn next_attempt(&self) -> Option<(TaskId, u32)> {
        // A real driver looks at all effects after each step, so this one does too.
        let mut first = None;
        for effect in self.state.effects() {
            if let (None, Effect::InvokeAgent { task_id, attempt, .. }) = (&first, effect) {
                first = Some((task_id, attempt));
            }
        }
        first
    }

    fn phase(&mut self, phase: Phase, result: PhaseResult) -> Result<(), Refusal> {
        let report = Box::new(phase_report(result));
        self.take(Input::PhaseDone { phase, attempt: 1, report })
    }

    fn take(&mut self, input: Input) -> Result<(), Refusal> {
        let events = decide(&self.state, input, self.now)?;
        for event in &events {
            self.state.apply(event);
        }
        if self.keep {
            self.events.extend(events);
        }
        Ok(())
    }
}

fn success(task_id: &TaskId) -> ExecutionFeedback {
    ExecutionFeedback {
        task_id: task_id.clone(),
        feedback_type: FeedbackType::Success,
        actual_outputs: JsonMap::new(),
        errors: Vec::new(),
        duration_seconds: Seconds::from_millis(1),
        cost: Money::ZERO,
        suggested_adjustments: None,
        timestamp: Timestamp::EPOCH,
        failure: None,
    }
}
