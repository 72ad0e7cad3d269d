//! The plan drawn as a tree of dependencies, with states.
//!
//! A task with several parents is drawn once, under the deepest of them, with a note that names all. Large
//! plans are folded to the rows that matter: failures first, then what runs. Nothing here recurses, so a
//! chain of any length is drawn in constant stack.

mod drawing;
mod layout;

use candor_engine::RunState;
use candor_model::{
    AgentType, DurationBasis, Event, EventBody, IdMap, MeasuredTime, Plan, Recorded, ScheduledRetry, Seconds,
    TaskId, TaskStatus, Timestamp,
};
use candor_planning::texts;

use super::style::Style;
use super::words;

/// How many parents a note names.
const NAMED_PARENTS: usize = 3;
/// Draws the plan of a run as it stands; nothing if there is no plan yet.
#[must_use]
pub fn draw(state: &RunState, records: &[Recorded], style: Style) -> Vec<String> {
    let Some(plan) = state.plan() else { return Vec::new() };
    let mut tree = Tree::of(&plan);
    for recorded in records {
        tree.note(&recorded.event);
    }
    let now = records.last().map(|recorded| recorded.event.at);
    tree.lines(now, style)
}

/// A plan laid out for drawing; kept up to date event by event.
#[derive(Debug, Clone, Default)]
pub struct Tree {
    tasks: Vec<Task>,
    index: IdMap<TaskId, usize>,
    /// The tasks in the order in which they are drawn.
    order: Vec<usize>,
    counts: Counts,
    /// Failed attempts at a task and at those it replaces. A later success, a person's pardon or a rollback
    /// does not undo them.
    failures: IdMap<TaskId, u32>,
}

/// How many tasks have each status, in the order of [`TaskStatus::ALL`].
type Counts = [usize; 5];

#[derive(Debug, Clone)]
struct Task {
    id: TaskId,
    name: String,
    agent: AgentType,
    status: TaskStatus,
    estimate: Option<MeasuredTime>,
    after: String,
    parents: usize,
    parent: Option<usize>,
    started: Option<Timestamp>,
    took: Option<Seconds>,
}

impl Tree {
    /// Lays a plan out.
    #[must_use]
    pub fn of(plan: &Plan) -> Self {
        let ids = plan.subtasks.iter().enumerate().map(|(at, task)| (task.task_id.clone(), at));
        let index: IdMap<TaskId, usize> = ids.collect();
        let dependencies = plan
            .subtasks
            .iter()
            .map(|task| task.dependencies.iter().filter_map(|id| index.get(id).copied()).collect::<Vec<_>>());
        let parents = layout::parents(&dependencies.collect::<Vec<_>>());
        let mut counts = Counts::default();
        let tasks = plan.subtasks.iter().zip(&parents).map(|(task, parent)| {
            tally(&mut counts, task.status, 1);
            Task {
                id: task.task_id.clone(),
                name: texts::task_name(task),
                agent: task.agent_type.clone(),
                status: task.status,
                estimate: task.metadata.duration_basis.and_then(DurationBasis::measured),
                after: after(&task.dependencies),
                parents: task.dependencies.len(),
                parent: *parent,
                started: None,
                took: None,
            }
        });
        let tasks = tasks.collect();
        Self { tasks, index, order: layout::drawing_order(&parents), counts, failures: IdMap::default() }
    }

    /// Takes one event into account; a changed plan needs a new layout instead.
    pub fn absorb(&mut self, event: &Event) {
        self.note(event);
        match &event.body {
            EventBody::TaskDispatched { task_id, .. } => self.set(task_id, TaskStatus::InProgress),
            EventBody::TaskSucceeded { task_id, .. } => self.set(task_id, TaskStatus::Completed),
            EventBody::TaskFailed { task_id, .. } => self.set(task_id, TaskStatus::Failed),
            EventBody::TaskSkipped { task_id, .. } => self.set(task_id, TaskStatus::Skipped),
            EventBody::TaskStopped { task_id, .. }
            | EventBody::RetryScheduled(ScheduledRetry { task_id, .. }) => {
                self.set(task_id, TaskStatus::Pending);
            }
            EventBody::TaskReopened { task_id, dependants, .. } => {
                let all = std::iter::once(task_id).chain(dependants);
                all.for_each(|task| self.set(task, TaskStatus::Pending));
            }
            _ => {}
        }
    }

    /// Takes from an event what a plan does not keep: who worked, how long, and what failed before.
    pub(super) fn note(&mut self, event: &Event) {
        match &event.body {
            EventBody::TaskDispatched { task_id, agent_type, .. } => {
                self.edit(task_id, |task| {
                    task.agent = agent_type.clone();
                    task.started = Some(event.at);
                    task.took = None;
                });
            }
            EventBody::TaskRouted { task_id, agent_type, .. } => {
                self.edit(task_id, |task| task.agent = agent_type.clone());
            }
            EventBody::TaskSucceeded { task_id, feedback, .. } => {
                self.edit(task_id, |task| task.took = Some(feedback.duration_seconds));
            }
            EventBody::TaskFailed { task_id, attempt, feedback, .. } => {
                let took = (*attempt > 0).then_some(feedback.duration_seconds);
                self.edit(task_id, |task| task.took = took);
                let before = self.failures.get(task_id).copied().unwrap_or(0);
                self.failures.insert(task_id.clone(), before.saturating_add(u32::from(*attempt > 0)));
            }
            EventBody::Replanned { revision, .. } => {
                for born in revision.new_subtasks.iter().filter(|task| task.metadata.failure_count > 0) {
                    self.failures.insert(born.task_id.clone(), born.metadata.failure_count);
                }
            }
            _ => {}
        }
    }

    /// Keeps what was noted before the plan was laid out anew.
    pub(super) fn inherit(&mut self, older: Self) {
        for task in &mut self.tasks {
            let before = older.index.get(&task.id).and_then(|&at| older.tasks.get(at));
            if let Some(before) = before {
                task.started = before.started;
                task.took = before.took;
            }
        }
        self.failures = older.failures;
    }

    /// Whether anybody began with a task; true of one that is not drawn.
    #[must_use]
    pub fn was_begun(&self, id: &TaskId) -> bool {
        let task = self.index.get(id).and_then(|&at| self.tasks.get(at));
        task.is_none_or(|task| task.started.is_some())
    }

    /// How many tasks there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tasks.len()
    }

    /// Whether there is no task.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tasks.is_empty()
    }

    /// How many tasks have this status.
    #[must_use]
    pub fn count(&self, status: TaskStatus) -> usize {
        self.counts.get(status as usize).copied().unwrap_or(0)
    }

    fn set(&mut self, id: &TaskId, status: TaskStatus) {
        let Some(task) = self.index.get(id).and_then(|&at| self.tasks.get_mut(at)) else { return };
        let before = std::mem::replace(&mut task.status, status);
        tally(&mut self.counts, before, -1);
        tally(&mut self.counts, status, 1);
    }

    fn edit(&mut self, id: &TaskId, change: impl FnOnce(&mut Task)) {
        if let Some(task) = self.index.get(id).and_then(|&at| self.tasks.get_mut(at)) {
            change(task);
        }
    }
}

fn tally(counts: &mut Counts, status: TaskStatus, by: isize) {
    if let Some(count) = counts.get_mut(status as usize) {
        *count = count.saturating_add_signed(by);
    }
}

/// Names the parents of a task that has several.
fn after(dependencies: &[TaskId]) -> String {
    if dependencies.len() < 2 {
        return String::new();
    }
    let named: Vec<&str> = dependencies.iter().take(NAMED_PARENTS).map(TaskId::as_str).collect();
    words::after(&named, dependencies.len().saturating_sub(NAMED_PARENTS))
}

#[cfg(test)]
mod tests {
    use candor_testkit::scenario::Scenario;
    use candor_testkit::{arbitrary, fixtures, load};
    use proptest::prelude::*;

    use super::*;
    use crate::view::text::width;

    #[test]
    fn the_plan_is_drawn_with_states_agents_and_times() {
        // spec: planning QT-07
        let mut run = Scenario::paris();
        run.succeed("task_001");
        run.pass(2.0);
        let mut lines = Tree::of(&run.plan());
        run.log.iter().for_each(|recorded| lines.note(&recorded.event));
        let style = Style { width: 90, ..Style::default() };
        assert_eq!(
            lines.lines(Some(run.now), style),
            [
                "✓ Flight search                                           flight agent         1.0s",
                "└─ ● Hotel search                                         hotel agent          2.0s",
                "   └─ ○ Budget check  after task_001, task_002, task_003  validation agent",
                "● Activity search                                         activity agent       2.0s",
            ]
        );
        let ascii = lines.lines(Some(run.now), Style { unicode: false, ..style });
        assert_eq!(ascii.get(2).unwrap().get(..20).unwrap(), "   `- o Budget check");
    }

    #[test]
    fn a_huge_plan_is_folded_to_what_matters_and_counts_the_rest() {
        let mut plan = load::plan(10_000, 1);
        for task in plan.subtasks.iter_mut().take(9_000) {
            task.status = TaskStatus::Completed;
        }
        plan.subtasks[8_888].status = TaskStatus::Failed;
        for task in &mut plan.subtasks[9_500..9_503] {
            task.status = TaskStatus::InProgress;
        }
        let started = std::time::Instant::now();
        let lines = Tree::of(&plan).lines(None, Style::default());
        let took = started.elapsed();
        assert_eq!(lines.len(), 40);
        assert_eq!(lines.iter().filter(|line| line.contains('✗')).count(), 1);
        assert_eq!(lines.iter().filter(|line| line.contains('●')).count(), 3);
        assert_eq!(lines.last().unwrap(), "… 9,961 more: 962 waiting, 8,999 done");
        assert!(took.as_millis() < 1_000, "{took:?}");
    }

    #[test]
    fn a_chain_deeper_than_the_screen_keeps_room_for_names() {
        let mut tasks: Vec<_> =
            (1..=60).map(|n| fixtures::simple_task(n, "Do a step", &[], "hotel_agent")).collect();
        for (at, task) in tasks.iter_mut().enumerate().skip(1) {
            task.dependencies = vec![TaskId::numbered(at)];
        }
        let style = Style { width: 40, rows: 100, ..Style::default() };
        let lines = Tree::of(&fixtures::plan_of(tasks, 0.9)).lines(None, style);
        assert_eq!(lines.len(), 60);
        assert!(lines.iter().all(|line| line.contains("Do a step") && width(line) <= 40), "{lines:#?}");
    }

    proptest! {
        #[test]
        fn every_task_of_any_plan_is_drawn_once_or_counted(plan in arbitrary::any_plan(30), rows in 2u16..40, columns in 1u16..120) {
            let style = Style { width: columns, rows, ..Style::default() };
            let lines = Tree::of(&plan).lines(None, style);
            let all = plan.subtasks.len();
            prop_assert_eq!(lines.len(), all.min(usize::from(rows)));
            for line in &lines {
                prop_assert!(width(line) <= usize::from(columns), "{}", line);
            }
        }
    }
}
