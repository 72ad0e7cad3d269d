//! The plan at work: its shape, where each task stands, and who may start next.
//!
//! Everything that scheduling asks for is kept up to date as tasks change, so that one outcome costs the
//! same in a plan of ten tasks and in one of a hundred thousand. A change of the plan's shape counts anew.

mod recovering;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use candor_model::{
    AgentCapability, AgentType, Confidence, Plan, PlanVersion, Seconds, StopReason, SubTask, TaskId,
    Timestamp,
};
use candor_planning::graph::{TaskGraph, TaskIndex};
use serde::{Deserialize, Serialize};

use super::task_run::{Attempt, Brief, TaskRun, TaskState};

/// A plan's definition and its graph; shared between states, since only revisions change it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(from = "Plan", into = "Plan")]
pub(crate) struct Shape {
    /// Shared with the event that brought it, until a task gets another agent.
    plan: Arc<Plan>,
    pub(crate) graph: TaskGraph,
}

impl From<Plan> for Shape {
    fn from(plan: Plan) -> Self {
        Arc::new(plan).into()
    }
}

impl From<Arc<Plan>> for Shape {
    fn from(plan: Arc<Plan>) -> Self {
        let graph = TaskGraph::new(&plan.subtasks);
        Self { plan, graph }
    }
}

impl From<Shape> for Plan {
    fn from(shape: Shape) -> Self {
        Arc::unwrap_or_clone(shape.plan)
    }
}

impl PartialEq for Shape {
    fn eq(&self, other: &Self) -> bool {
        self.plan == other.plan
    }
}

/// How many tasks under way are looked at before the index is asked.
const NEAR: usize = 16;

/// A ready task's place in the queue: higher priority first, then the plan's order.
pub(crate) type ReadyKey = (u8, u32);

/// Counts and queues that follow from the tasks' states.
#[derive(Debug, Clone, Default, PartialEq)]
struct Queues {
    ready: BTreeSet<ReadyKey>,
    in_flight: BTreeSet<u32>,
    backoff: BTreeSet<(Timestamp, u32)>,
    unrouted: BTreeSet<u32>,
    revising: BTreeSet<u32>,
    done: usize,
    succeeded: usize,
    ended: usize,
    remaining_millis: u64,
    /// Tasks that have not ended and whose duration nobody knows.
    guessed: usize,
}

/// The plan at work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "WorkRecord", into = "WorkRecord")]
pub(crate) struct Work {
    pub(crate) version: PlanVersion,
    pub(crate) shape: Arc<Shape>,
    pub(crate) agents: Arc<BTreeMap<AgentType, AgentCapability>>,
    pub(crate) confidence: Confidence,
    /// The confidence the plan was launched with, for the calibrator.
    pub(crate) launch_confidence: Option<Confidence>,
    pub(crate) partial_successes: u32,
    /// The tasks of failures that no revision has paid for, one entry per failure.
    pub(crate) unpaid_failures: Vec<TaskId>,
    tasks: Vec<TaskRun>,
    queues: Queues,
}

/// What is written of [`Work`]; the rest follows from it.
#[derive(Serialize, Deserialize)]
struct WorkRecord {
    version: PlanVersion,
    shape: Arc<Shape>,
    agents: Arc<BTreeMap<AgentType, AgentCapability>>,
    confidence: Confidence,
    launch_confidence: Option<Confidence>,
    partial_successes: u32,
    unpaid_failures: Vec<TaskId>,
    tasks: Vec<TaskRun>,
}

impl From<WorkRecord> for Work {
    fn from(record: WorkRecord) -> Self {
        let mut work = Self {
            version: record.version,
            shape: record.shape,
            agents: record.agents,
            confidence: record.confidence,
            launch_confidence: record.launch_confidence,
            partial_successes: record.partial_successes,
            unpaid_failures: record.unpaid_failures,
            tasks: record.tasks,
            queues: Queues::default(),
        };
        work.recount();
        work
    }
}

impl From<Work> for WorkRecord {
    fn from(work: Work) -> Self {
        Self {
            version: work.version,
            shape: work.shape,
            agents: work.agents,
            confidence: work.confidence,
            launch_confidence: work.launch_confidence,
            partial_successes: work.partial_successes,
            unpaid_failures: work.unpaid_failures,
            tasks: work.tasks,
        }
    }
}

impl Work {
    /// A plan of which nothing has run; `attempts` tells how often a task was tried before a rollback.
    pub(crate) fn new(
        version: PlanVersion,
        plan: Arc<Plan>,
        agents: &[AgentCapability],
        attempts: impl Fn(&TaskId) -> u32,
    ) -> Self {
        let tasks = plan.subtasks.iter().map(|task| TaskRun::new(task, attempts(&task.task_id))).collect();
        let agents = agents.iter().map(|agent| (agent.agent_type.clone(), agent.clone())).collect();
        WorkRecord {
            version,
            confidence: plan.confidence_score,
            shape: Arc::new(plan.into()),
            agents: Arc::new(agents),
            launch_confidence: None,
            partial_successes: 0,
            unpaid_failures: Vec::new(),
            tasks,
        }
        .into()
    }

    pub(crate) fn plan(&self) -> &Plan {
        &self.shape.plan
    }

    pub(crate) fn len(&self) -> usize {
        self.tasks.len()
    }

    /// Finds a task. Drivers speak of tasks that are under way or next in line, by ids that this state gave
    /// them: those are found by looking at a few neighbours, where the index of a large plan would be a miss
    /// of the cache.
    pub(crate) fn index_of(&self, id: &TaskId) -> Option<TaskIndex> {
        let next = self.queues.ready.first().map(|(_, n)| n);
        let mut near = next.into_iter().chain(self.queues.in_flight.iter().take(NEAR)).map(|&n| TaskIndex(n));
        near.find(|index| self.task(*index).is_some_and(|(task, _)| task.task_id.is_same(id)))
            .or_else(|| self.shape.graph.index_of(id))
    }

    pub(crate) fn task(&self, index: TaskIndex) -> Option<(&SubTask, &TaskRun)> {
        Some((self.shape.plan.subtasks.get(index.as_usize())?, self.tasks.get(index.as_usize())?))
    }

    pub(crate) fn find(&self, id: &TaskId) -> Option<(TaskIndex, &SubTask, &TaskRun)> {
        let index = self.index_of(id)?;
        let (task, run) = self.task(index)?;
        Some((index, task, run))
    }

    /// Every task with where it stands, in the plan's order.
    pub(crate) fn tasks(&self) -> impl Iterator<Item = (&SubTask, &TaskRun)> {
        self.shape.plan.subtasks.iter().zip(&self.tasks)
    }

    /// The attempts that have not ended, in the plan's order.
    pub(crate) fn attempts(&self) -> impl Iterator<Item = (&SubTask, &Attempt)> {
        self.queues.in_flight.iter().filter_map(|&n| {
            let (task, run) = self.task(TaskIndex(n))?;
            Some((task, run.in_flight()?))
        })
    }

    pub(crate) fn in_flight_count(&self) -> usize {
        self.queues.in_flight.len()
    }

    pub(crate) fn unrouted(&self) -> impl Iterator<Item = &SubTask> {
        self.queues.unrouted.iter().filter_map(|&n| Some(self.task(TaskIndex(n))?.0))
    }

    /// The tasks that may start, first come first.
    pub(crate) fn ready(&self) -> impl Iterator<Item = ReadyKey> {
        self.queues.ready.iter().copied()
    }

    /// The repetitions that are waited for, soonest first.
    pub(crate) fn backoffs(&self) -> impl Iterator<Item = (Timestamp, TaskIndex)> {
        self.queues.backoff.iter().map(|&(at, n)| (at, TaskIndex(n)))
    }

    /// The place that a task would have in the queue of ready tasks.
    pub(crate) fn ready_key(&self, index: TaskIndex) -> Option<ReadyKey> {
        let run = self.tasks.get(index.as_usize())?;
        Some((run.brief.urgency, index.0))
    }

    /// Those that wait for nothing but this task.
    pub(crate) fn released_by(&self, index: TaskIndex) -> impl Iterator<Item = TaskIndex> {
        self.shape.graph.dependents(index).iter().copied().filter(|&dependent| {
            self.tasks.get(dependent.as_usize()).is_some_and(|run| {
                run.waiting_on == 1 && run.state == TaskState::Waiting && !run.brief.unrouted
            })
        })
    }

    /// Whether every task has succeeded or was left out by a person.
    pub(crate) fn is_complete(&self) -> bool {
        self.queues.done == self.tasks.len()
    }

    /// Whether nothing runs, nothing may start and nothing is waited for.
    pub(crate) fn is_idle(&self) -> bool {
        let Queues { ready, in_flight, backoff, unrouted, revising, .. } = &self.queues;
        let waiting = !unrouted.is_empty() || !revising.is_empty();
        ready.is_empty() && in_flight.is_empty() && backoff.is_empty() && !waiting
    }

    /// Tasks that succeeded or were left out, and tasks that ended in any way.
    pub(crate) fn counts(&self) -> (usize, usize) {
        (self.queues.done, self.queues.ended)
    }

    /// Tasks that succeeded.
    pub(crate) fn succeeded(&self) -> usize {
        self.queues.succeeded
    }

    /// What is left to do once the task `ending` has ended too; nothing if a duration rests on nothing.
    pub(crate) fn remaining_after(&self, ending: Option<TaskIndex>) -> Option<Seconds> {
        let ending = ending.and_then(|index| self.tasks.get(index.as_usize())).map(|run| run.brief);
        let guessed = usize::from(ending.is_some_and(|brief| brief.guessed));
        let millis = ending.map_or(0, |brief| brief.estimate_millis);
        (self.queues.guessed == guessed)
            .then(|| Seconds::from_millis(self.queues.remaining_millis.saturating_sub(millis)))
    }

    /// Puts a task into a new state, and everything that follows from it.
    pub(crate) fn set(&mut self, index: TaskIndex, state: TaskState) {
        let Some(run) = self.tasks.get_mut(index.as_usize()) else {
            return;
        };
        let was_done = run.is_done();
        let old = std::mem::replace(&mut run.state, state);
        let is_done = run.is_done();
        self.leave(index, &old);
        self.enter(index);
        if was_done != is_done {
            self.tell_dependents(index, is_done);
        }
    }

    /// The task's run, to change its past.
    pub(crate) fn run_mut(&mut self, index: TaskIndex) -> Option<&mut TaskRun> {
        self.tasks.get_mut(index.as_usize())
    }

    /// Puts another definition in place; `rerun` names the tasks whose results no longer hold.
    pub(crate) fn reshape(
        &mut self,
        version: PlanVersion,
        plan: Plan,
        rerun: &[TaskId],
        attempts: impl Fn(&TaskId) -> u32,
    ) {
        let rerun: BTreeSet<&TaskId> = rerun.iter().collect();
        let old = std::mem::take(&mut self.tasks);
        let mut kept: Vec<Option<TaskRun>> = old.into_iter().map(Some).collect();
        let tasks = plan.subtasks.iter().map(|task| {
            let index = self.shape.graph.index_of(&task.task_id);
            let run = index.and_then(|index| kept.get_mut(index.as_usize())?.take());
            match run {
                Some(run) if rerun.contains(&task.task_id) => reset(run),
                Some(run) => run,
                None => TaskRun::new(task, attempts(&task.task_id)),
            }
        });
        self.tasks = tasks.collect();
        self.version = version;
        self.shape = Arc::new(plan.into());
        self.recount();
    }

    /// Gives a task its agent, and what else belongs to the choice. The graph stays as it is.
    pub(crate) fn assign(&mut self, index: TaskIndex, change: impl FnOnce(&mut SubTask)) {
        let shape = Arc::make_mut(&mut self.shape);
        if let Some(task) = Arc::make_mut(&mut shape.plan).subtasks.get_mut(index.as_usize()) {
            change(task);
            if let Some(run) = self.tasks.get_mut(index.as_usize()) {
                run.brief = Brief::of(task);
            }
        }
        self.refresh_ready(index);
    }

    /// As if nothing but the successes had happened: for going back to this point later.
    pub(crate) fn at_rest(work: &Arc<Self>) -> Arc<Self> {
        let restless = |run: &TaskRun| match run.state {
            TaskState::Succeeded(_) | TaskState::Skipped => false,
            TaskState::Waiting => run.history.is_some(),
            _ => true,
        };
        if !work.tasks.iter().any(restless) {
            return Arc::clone(work);
        }
        let mut rest = Self::clone(work);
        for run in rest.tasks.iter_mut().filter(|run| restless(run)) {
            run.state = TaskState::Waiting;
            run.history = None;
        }
        rest.recount();
        Arc::new(rest)
    }

    /// Takes over how often tasks were tried, so that no key is used twice.
    pub(crate) fn remember_attempts(&mut self, attempts: impl Fn(&TaskId) -> u32) {
        for (run, task) in self.tasks.iter_mut().zip(&self.shape.plan.subtasks) {
            run.attempts = run.attempts.max(attempts(&task.task_id));
        }
    }

    fn tell_dependents(&mut self, index: TaskIndex, is_done: bool) {
        let shape = Arc::clone(&self.shape);
        for &dependent in shape.graph.dependents(index) {
            let Some(run) = self.tasks.get_mut(dependent.as_usize()) else {
                continue;
            };
            run.waiting_on =
                if is_done { run.waiting_on.saturating_sub(1) } else { run.waiting_on.saturating_add(1) };
            self.refresh_ready(dependent);
        }
    }

    fn leave(&mut self, index: TaskIndex, old: &TaskState) {
        match old {
            TaskState::InFlight(_) => _ = self.queues.in_flight.remove(&index.0),
            TaskState::Backoff(at) => _ = self.queues.backoff.remove(&(*at, index.0)),
            TaskState::Succeeded(_) | TaskState::Skipped => {
                self.queues.done = self.queues.done.saturating_sub(1);
                let success = usize::from(matches!(old, TaskState::Succeeded(_)));
                self.queues.succeeded = self.queues.succeeded.saturating_sub(success);
                self.unend(index);
            }
            TaskState::Revising { .. } => {
                self.queues.revising.remove(&index.0);
                self.unend(index);
            }
            TaskState::Failed | TaskState::Escalated(_) | TaskState::GivenUp(_) => self.unend(index),
            TaskState::Waiting => {}
        }
    }

    fn enter(&mut self, index: TaskIndex) {
        let Some(run) = self.tasks.get(index.as_usize()) else {
            return;
        };
        match &run.state {
            TaskState::InFlight(_) => _ = self.queues.in_flight.insert(index.0),
            TaskState::Backoff(at) => _ = self.queues.backoff.insert((*at, index.0)),
            state @ (TaskState::Succeeded(_) | TaskState::Skipped) => {
                self.queues.succeeded += usize::from(matches!(state, TaskState::Succeeded(_)));
                self.queues.done += 1;
                self.end(index);
            }
            TaskState::Revising { .. } => {
                self.queues.revising.insert(index.0);
                self.end(index);
            }
            TaskState::Failed | TaskState::Escalated(_) | TaskState::GivenUp(_) => self.end(index),
            TaskState::Waiting => {}
        }
        self.refresh_ready(index);
    }

    fn brief(&self, index: TaskIndex) -> Brief {
        self.tasks.get(index.as_usize()).map_or_else(Brief::default, |run| run.brief)
    }

    fn end(&mut self, index: TaskIndex) {
        self.queues.ended += 1;
        let Brief { estimate_millis, guessed, .. } = self.brief(index);
        self.queues.remaining_millis = self.queues.remaining_millis.saturating_sub(estimate_millis);
        self.queues.guessed = self.queues.guessed.saturating_sub(usize::from(guessed));
    }

    fn unend(&mut self, index: TaskIndex) {
        self.queues.ended = self.queues.ended.saturating_sub(1);
        let Brief { estimate_millis, guessed, .. } = self.brief(index);
        self.queues.remaining_millis = self.queues.remaining_millis.saturating_add(estimate_millis);
        self.queues.guessed += usize::from(guessed);
    }

    fn refresh_ready(&mut self, index: TaskIndex) {
        let Some(run) = self.tasks.get(index.as_usize()) else { return };
        let (key, unrouted) = ((run.brief.urgency, index.0), run.brief.unrouted);
        let waits = run.state == TaskState::Waiting;
        let ready = waits && run.waiting_on == 0 && !unrouted;
        if ready {
            self.queues.ready.insert(key)
        } else {
            self.queues.ready.remove(&key)
        };
        if waits && unrouted {
            self.queues.unrouted.insert(index.0)
        } else {
            self.queues.unrouted.remove(&index.0)
        };
    }

    fn recount(&mut self) {
        self.queues = Queues::default();
        for (run, task) in self.tasks.iter_mut().zip(&self.shape.plan.subtasks) {
            run.brief = Brief::of(task);
            let Brief { estimate_millis, guessed, .. } = run.brief;
            self.queues.remaining_millis = self.queues.remaining_millis.saturating_add(estimate_millis);
            self.queues.guessed += usize::from(guessed);
        }
        for index in (0..u32::try_from(self.tasks.len()).unwrap_or(u32::MAX)).map(TaskIndex) {
            let open = self.shape.graph.dependencies(index).iter();
            let open =
                open.filter(|dep| self.tasks.get(dep.as_usize()).is_none_or(|run| !run.is_done())).count();
            if let Some(run) = self.tasks.get_mut(index.as_usize()) {
                run.waiting_on = u32::try_from(open).unwrap_or(u32::MAX);
                // A repetition whose inputs must be made again waits for them, not for a time.
                if open > 0 && matches!(run.state, TaskState::Backoff(_)) {
                    run.state = TaskState::Waiting;
                }
            }
            self.enter(index);
        }
    }
}

/// A task whose result no longer holds runs again. An attempt under way must stop first; a task that a
/// person is asked about waits for the answer.
fn reset(mut run: TaskRun) -> TaskRun {
    match &mut run.state {
        TaskState::InFlight(attempt) => {
            attempt.halt.get_or_insert(StopReason::Superseded);
        }
        TaskState::Escalated(_) | TaskState::Skipped => {}
        _ => run.state = TaskState::Waiting,
    }
    run
}

impl TaskRun {
    /// Writes what is known of the run into the task's definition, for people and for the planner.
    pub(crate) fn write_into(&self, task: &mut SubTask) {
        task.status = self.status();
        let history = self.history();
        task.metadata.failure_count = history.count;
        task.metadata.errors_history = history.errors;
        task.metadata.failed_agents = history.agents;
        task.metadata.tried = history.tried;
    }
}
