//! The figures that were promised, measured over runs: how quick, how right, how adaptable, how dear.
//!
//! They are read off the log and cost a run nothing. What nobody can tell yet is absent, never a zero.

use std::collections::BTreeSet;

use candor_model::{
    Account, CalibrationMetrics, Event, EventBody, FailureKind, Payee, Phase, PlanningError, RepairKind,
    TaskId, Timestamp, old_logs,
};
use serde::{Deserialize, Serialize};

/// What a model is asked when agents are chosen.
const ROUTING: &str = "route_task";

/// One figure beside what it should be.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Target {
    /// What it is called.
    pub name: &'static str,
    /// What it should be.
    pub target: &'static str,
    /// What it is; absent if nobody can tell yet.
    pub value: Option<f64>,
    /// Whether it is as it should be; absent if nobody can tell, or nothing is promised.
    pub met: Option<bool>,
}

/// Measurements of several runs, by which targets are judged.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TargetFigures {
    goal_parsing: Vec<f64>,
    decomposition: Vec<f64>,
    routing: Vec<f64>,
    planning: Vec<f64>,
    replanning: Vec<f64>,
    plans: u32,
    incomplete: u32,
    miswired: u32,
    tasks: u32,
    first_choice_failed: u32,
    revised: u32,
    revised_well: u32,
    at_limit: u32,
    planning_cost: f64,
    routing_cost: f64,
    cost: f64,
}

/// What is kept of one run while it is read.
#[derive(Default)]
struct OneRun {
    phases: [f64; 5],
    failed_at: Option<Timestamp>,
    tasks: BTreeSet<TaskId>,
    failed: BTreeSet<TaskId>,
    proposed: bool,
    miswired: bool,
    revised: bool,
    completed: bool,
}

impl TargetFigures {
    /// Takes one run into account, from its first event to its last.
    pub fn add_run<'a>(&mut self, events: impl IntoIterator<Item = &'a Event>) {
        let mut run = OneRun::default();
        for event in events {
            self.add_event(event, &mut run);
        }
        if !run.proposed {
            return;
        }
        self.plans += 1;
        self.miswired += u32::from(run.miswired);
        self.tasks += count(run.tasks.len());
        self.first_choice_failed += count(run.failed.intersection(&run.tasks).count());
        let [_, evaluation, _, decomposition, planning] = run.phases;
        self.goal_parsing.push(evaluation);
        self.decomposition.push(decomposition);
        self.routing.push(planning / f64::from(count(run.tasks.len()).max(1)));
        self.planning.push(run.phases.iter().sum());
        self.revised += u32::from(run.revised);
        self.revised_well += u32::from(run.revised && run.completed);
    }

    /// Adds what other runs came to.
    pub fn merge(&mut self, other: &Self) {
        for (own, others) in [
            (&mut self.goal_parsing, &other.goal_parsing),
            (&mut self.decomposition, &other.decomposition),
            (&mut self.routing, &other.routing),
            (&mut self.planning, &other.planning),
            (&mut self.replanning, &other.replanning),
        ] {
            own.extend_from_slice(others);
        }
        for (own, others) in [
            (&mut self.plans, other.plans),
            (&mut self.incomplete, other.incomplete),
            (&mut self.miswired, other.miswired),
            (&mut self.tasks, other.tasks),
            (&mut self.first_choice_failed, other.first_choice_failed),
            (&mut self.revised, other.revised),
            (&mut self.revised_well, other.revised_well),
            (&mut self.at_limit, other.at_limit),
        ] {
            *own = own.saturating_add(others);
        }
        self.planning_cost += other.planning_cost;
        self.routing_cost += other.routing_cost;
        self.cost += other.cost;
    }

    fn add_event(&mut self, event: &Event, run: &mut OneRun) {
        match &event.body {
            EventBody::PhaseCompleted { phase, metrics: Some(metrics), .. } => {
                let place = Phase::ALL.iter().position(|one| one == phase).unwrap_or(usize::MAX);
                if let Some(seconds) = run.phases.get_mut(place) {
                    *seconds = metrics.duration.get();
                }
            }
            EventBody::PlanProposed { plan, repairs, repair_kinds, .. } => {
                run.proposed = true;
                run.tasks = plan.subtasks.iter().map(|task| task.task_id.clone()).collect();
                let kinds = old_logs::repair_kinds(repair_kinds, repairs);
                run.miswired |= kinds.contains(&RepairKind::DependencyRemoved);
                self.incomplete += u32::from(kinds.contains(&RepairKind::TaskAdded));
            }
            EventBody::TaskFailed { task_id, attempt, feedback, .. } if *attempt > 0 => {
                let kind = feedback.failure.as_ref().map(|failure| failure.kind);
                run.miswired |= kind == Some(FailureKind::DependencyFailed);
                run.failed_at = Some(event.at);
                run.failed.insert(task_id.clone());
            }
            // Dependencies that a person or a failure had to put right were wrong.
            EventBody::PlanAdjusted { adjustments, .. } => {
                run.miswired |= adjustments.iter().any(|change| change.field == "dependencies");
            }
            EventBody::Replanned { .. } => {
                run.revised = true;
                let took = run.failed_at.map(|failed| event.at.since(failed).get());
                self.replanning.extend(took);
            }
            EventBody::Charged { account, what, amount, payee, .. } => {
                let dollars = amount.as_dollars();
                self.cost += dollars;
                self.planning_cost += if *account == Account::Planning { dollars } else { 0.0 };
                let payee = old_logs::payee(payee.as_deref(), what);
                let routing = matches!(&*payee, Payee::Call { operation, .. } if operation == ROUTING);
                self.routing_cost += if routing { dollars } else { 0.0 };
            }
            EventBody::RunCompleted { .. } => run.completed = true,
            EventBody::RunAborted { error, .. } => {
                let limit = matches!(error.as_ref(), PlanningError::MaxRevisions { .. });
                self.at_limit += u32::from(limit);
            }
            _ => {}
        }
    }

    /// Every figure under its name.
    #[must_use]
    pub fn targets(&self, calibration: &CalibrationMetrics) -> Vec<Target> {
        let share = |part: u32, whole: u32| (whole > 0).then(|| f64::from(part) / f64::from(whole));
        let without = |part: u32, whole: u32| share(part, whole).map(|share| 1.0 - share);
        let each = |sum: f64, count: u32| (count > 0).then(|| sum / f64::from(count));
        vec![
            below("goal_parsing_p95_seconds", "< 1", 1.0, p95(&self.goal_parsing)),
            below("decomposition_p95_seconds", "< 2", 2.0, p95(&self.decomposition)),
            below("routing_p95_seconds_per_task", "< 0.5", 0.5, p95(&self.routing)),
            below("planning_cycle_p95_seconds", "< 3", 3.0, p95(&self.planning)),
            below("replanning_p95_seconds", "< 2", 2.0, p95(&self.replanning)),
            above("task_completeness", "> 0.95", 0.95, without(self.incomplete, self.plans)),
            above("dependency_accuracy", "> 0.90", 0.90, without(self.miswired, self.plans)),
            above("agent_assignment_accuracy", "> 0.85", 0.85, without(self.first_choice_failed, self.tasks)),
            above("calibration_r", "> 0.7", 0.7, calibration.correlation),
            above("revision_success_rate", "> 0.70", 0.70, share(self.revised_well, self.revised)),
            below("plans_revised", "< 0.20", 0.20, share(self.revised, self.plans)),
            below("revision_limit_reached", "< 0.05", 0.05, share(self.at_limit, self.plans)),
            below("planning_cost_per_plan", "< 0.01", 0.01, each(self.planning_cost, self.plans)),
            below("routing_cost_per_task", "< 0.001", 0.001, each(self.routing_cost, self.tasks)),
            Target {
                name: "cost_per_run",
                target: "what it takes",
                value: each(self.cost, self.plans),
                met: None,
            },
        ]
    }
}

fn count(of: usize) -> u32 {
    u32::try_from(of).unwrap_or(u32::MAX)
}

fn below(name: &'static str, target: &'static str, limit: f64, value: Option<f64>) -> Target {
    Target { name, target, value, met: value.map(|value| value < limit) }
}

fn above(name: &'static str, target: &'static str, limit: f64, value: Option<f64>) -> Target {
    Target { name, target, value, met: value.map(|value| value > limit) }
}

/// What 95 of 100 stay within.
fn p95(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let place = (sorted.len() * 95).div_ceil(100).saturating_sub(1);
    sorted.get(place).copied()
}
