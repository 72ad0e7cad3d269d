//! The plan drawn as a tree of dependencies, with states.
//!
//! A task with several parents is drawn once, under the deepest of them, with a note that names all. Large
//! plans are folded to the rows that matter: failures first, then what runs. Nothing here recurses, so a
//! chain of any length is drawn in constant stack.

use candor_engine::RunState;
use candor_model::{
    AgentType, Event, EventBody, IdMap, Plan, Recorded, Seconds, TaskId, TaskStatus, Timestamp,
};
use candor_planning::texts;

use super::style::{Line, Mark, Style, Tone};
use super::{format, text, words};

/// How many parents a note names.
const NAMED_PARENTS: usize = 3;
const AGENT_COLUMNS: usize = 20;
const TIME_COLUMNS: usize = 7;
/// Wider than this, the eye loses the row between its name and its agent.
const MAX_COLUMNS: usize = 110;
/// Narrower than this, there is no room for agents.
const AGENT_FROM_COLUMNS: usize = 60;

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
    estimate: Seconds,
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
        let parents = parents(&dependencies.collect::<Vec<_>>());
        let mut counts = Counts::default();
        let tasks = plan.subtasks.iter().zip(&parents).map(|(task, parent)| {
            tally(&mut counts, task.status, 1);
            Task {
                id: task.task_id.clone(),
                name: texts::task_name(task),
                agent: task.agent_type.clone(),
                status: task.status,
                estimate: task.estimated_duration_seconds,
                after: after(&task.dependencies),
                parents: task.dependencies.len(),
                parent: *parent,
                started: None,
                took: None,
            }
        });
        let tasks = tasks.collect();
        Self { tasks, index, order: drawing_order(&parents), counts, failures: IdMap::default() }
    }

    /// Takes one event into account; a changed plan needs a new layout instead.
    pub fn absorb(&mut self, event: &Event) {
        self.note(event);
        match &event.body {
            EventBody::TaskDispatched { task_id, .. } => self.set(task_id, TaskStatus::InProgress),
            EventBody::TaskSucceeded { task_id, .. } => self.set(task_id, TaskStatus::Completed),
            EventBody::TaskFailed { task_id, .. } => self.set(task_id, TaskStatus::Failed),
            EventBody::TaskSkipped { task_id, .. } => self.set(task_id, TaskStatus::Skipped),
            EventBody::TaskStopped { task_id, .. } | EventBody::RetryScheduled { task_id, .. } => {
                self.set(task_id, TaskStatus::Pending);
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
                self.edit(task_id, |task| task.took = Some(feedback.duration_seconds));
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

    /// The tree as lines, folded to the style's rows.
    #[must_use]
    pub fn lines(&self, now: Option<Timestamp>, style: Style) -> Vec<String> {
        let rows = usize::from(style.rows.max(2));
        let shown = if self.len() <= rows { self.order.clone() } else { self.chosen(rows - 1) };
        let stems = self.stems(&shown, style);
        let columns = Columns::of(self, &shown, &stems, style);
        let mut lines: Vec<String> = shown
            .iter()
            .zip(&stems)
            .filter_map(|(&at, stem)| Some(columns.row(self, self.tasks.get(at)?, &stem.0, now, style)))
            .collect();
        if shown.len() < self.len() {
            let fold = self.fold_note(&shown);
            lines.push(Line::new(style).add(Tone::Dim, &fold).render());
        }
        lines
    }

    /// The tasks in the order in which they are drawn, folded to at most `rows`.
    pub(super) fn picked(&self, rows: usize) -> Vec<&TaskId> {
        let shown = if self.len() <= rows { self.order.clone() } else { self.chosen(rows) };
        shown.iter().filter_map(|&at| self.tasks.get(at).map(|task| &task.id)).collect()
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

    /// The rows that matter most, in drawing order: some failures, what runs, the other failures, the rest.
    fn chosen(&self, rows: usize) -> Vec<usize> {
        let mut taken = vec![false; self.tasks.len()];
        let mut left = rows;
        let passes = [
            (TaskStatus::Failed, rows.div_ceil(2)),
            (TaskStatus::InProgress, rows),
            (TaskStatus::Failed, rows),
            (TaskStatus::Skipped, rows),
            (TaskStatus::Pending, rows),
            (TaskStatus::Completed, rows),
        ];
        for (status, quota) in passes {
            let mut quota = quota.min(left);
            for &at in &self.order {
                if quota == 0 {
                    break;
                }
                let fits = self.tasks.get(at).is_some_and(|task| task.status == status);
                if let Some(taken) = taken.get_mut(at).filter(|taken| fits && !**taken) {
                    *taken = true;
                    quota -= 1;
                    left -= 1;
                }
            }
        }
        self.order.iter().copied().filter(|&at| taken.get(at) == Some(&true)).collect()
    }

    /// What stands in front of each shown task, and in front of those below it.
    fn stems(&self, shown: &[usize], style: Style) -> Vec<(String, String)> {
        let [tee, corner, bar] =
            if style.unicode { ["├─ ", "└─ ", "│  "] } else { ["|- ", "`- ", "|  "] };
        let places: IdMap<usize, usize> = shown.iter().enumerate().map(|(place, &at)| (at, place)).collect();
        let parents: Vec<Option<usize>> = shown.iter().map(|&at| self.shown_parent(at, &places)).collect();
        let mut last_child = IdMap::default();
        for (place, parent) in parents.iter().enumerate() {
            last_child.insert(*parent, place);
        }
        let deepest = style.columns() / 3;
        let mut stems: Vec<(String, String)> = Vec::with_capacity(shown.len());
        for (place, parent) in parents.iter().enumerate() {
            let Some(above) = parent.and_then(|parent| stems.get(parent)).map(|(_, below)| below.clone())
            else {
                stems.push((String::new(), String::new()));
                continue;
            };
            let is_last = last_child.get(parent) == Some(&place);
            let own = format!("{above}{}", if is_last { corner } else { tee });
            // Deeper down there would be no room for names: a long chain goes on straight below itself.
            let too_deep = above.chars().count() >= deepest;
            let below =
                if too_deep { above } else { format!("{above}{}", if is_last { "   " } else { bar }) };
            stems.push((own, below));
        }
        stems
    }

    /// The place of the nearest ancestor that is shown.
    fn shown_parent(&self, at: usize, places: &IdMap<usize, usize>) -> Option<usize> {
        let mut next = self.tasks.get(at)?.parent;
        while let Some(at) = next {
            if let Some(place) = places.get(&at) {
                return Some(*place);
            }
            next = self.tasks.get(at)?.parent;
        }
        None
    }

    /// A task's place in the drawing, its name, and what is worth knowing beside; at most to `column`.
    fn left(&self, task: &Task, stem: &str, style: Style, column: usize) -> Line {
        let tone = match task.status {
            TaskStatus::Failed => Tone::Bad,
            TaskStatus::InProgress => Tone::Strong,
            TaskStatus::Pending | TaskStatus::Skipped => Tone::Dim,
            TaskStatus::Completed => Tone::Plain,
        };
        let line = Line::new(style).add(Tone::Dim, stem).mark(Mark::of_task(task.status));
        let line = line.fit(tone, &task.name, column);
        let room = column.saturating_sub(line.width() + 2);
        // A note that would have to be cut only disturbs.
        match self.notes(task).into_iter().find(|note| !note.is_empty() && text::width(note) <= room) {
            Some(note) => line.add(Tone::Dim, &format!("  {note}")),
            None => line,
        }
    }

    /// What is worth knowing of a task, from the longest wording to the shortest.
    fn notes(&self, task: &Task) -> [String; 3] {
        let failures = self.failures.get(&task.id).copied().unwrap_or(0);
        let earlier = failures.saturating_sub(u32::from(task.status == TaskStatus::Failed));
        let failed = if earlier > 0 { words::failed_before(earlier) } else { String::new() };
        let joined = |after: &str| match (failed.is_empty(), after.is_empty()) {
            (true, _) => after.to_owned(),
            (_, true) => failed.clone(),
            _ => format!("{failed}, {after}"),
        };
        let counted = if task.after.is_empty() { String::new() } else { words::after_count(task.parents) };
        let shortest = if failed.is_empty() { counted.clone() } else { failed.clone() };
        [joined(&task.after), joined(&counted), shortest]
    }

    fn fold_note(&self, shown: &[usize]) -> String {
        let mut counts = self.counts;
        let tasks = shown.iter().filter_map(|&at| self.tasks.get(at));
        tasks.for_each(|task| tally(&mut counts, task.status, -1));
        let parts = TaskStatus::ALL.iter().zip(counts).filter(|(_, count)| *count > 0);
        let parts: Vec<String> =
            parts.map(|(status, count)| words::counted(count, words::task_status(*status))).collect();
        words::folded(self.len() - shown.len(), &parts)
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

/// Each task's deepest dependency. A task in a circle (of a plan nobody checked) has none.
fn parents(dependencies: &[Vec<usize>]) -> Vec<Option<usize>> {
    let mut dependents: Vec<Vec<usize>> = vec![Vec::new(); dependencies.len()];
    let mut waiting: Vec<usize> = dependencies.iter().map(Vec::len).collect();
    for (at, needed) in dependencies.iter().enumerate() {
        for &dependency in needed {
            if let Some(list) = dependents.get_mut(dependency) {
                list.push(at);
            }
        }
    }
    let mut ready: Vec<usize> = (0..waiting.len()).filter(|&at| waiting.get(at) == Some(&0)).collect();
    let mut depth = vec![0usize; dependencies.len()];
    let mut parents = vec![None; dependencies.len()];
    while let Some(at) = ready.pop() {
        let deepest = dependencies.get(at).into_iter().flatten().max_by_key(|&&it| depth.get(it).copied());
        if let (Some(&parent), Some(own), Some(slot)) = (deepest, parents.get_mut(at), depth.get(at).copied())
        {
            *own = Some(parent);
            let below = depth.get(parent).map_or(slot, |above| above + 1);
            if let Some(slot) = depth.get_mut(at) {
                *slot = below;
            }
        }
        for &dependent in dependents.get(at).into_iter().flatten() {
            if let Some(waiting) = waiting.get_mut(dependent) {
                *waiting = waiting.saturating_sub(1);
                if *waiting == 0 {
                    ready.push(dependent);
                }
            }
        }
    }
    parents
}

/// Parents before children, siblings in the plan's order.
fn drawing_order(parents: &[Option<usize>]) -> Vec<usize> {
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); parents.len()];
    let mut stack = Vec::new();
    for (at, parent) in parents.iter().enumerate().rev() {
        match parent.and_then(|parent| children.get_mut(parent)) {
            Some(list) => list.push(at),
            None => stack.push(at),
        }
    }
    let mut order = Vec::with_capacity(parents.len());
    while let Some(at) = stack.pop() {
        order.push(at);
        stack.extend(children.get_mut(at).map(std::mem::take).unwrap_or_default());
    }
    order
}

/// Where the columns of a drawn tree lie.
struct Columns {
    name: usize,
    agent: usize,
}

impl Columns {
    fn of(tree: &Tree, shown: &[usize], stems: &[(String, String)], style: Style) -> Self {
        let columns = style.columns().min(MAX_COLUMNS);
        let tasks = || shown.iter().filter_map(|&at| tree.tasks.get(at));
        let agent = tasks().map(|task| text::width(&agent(task))).max().unwrap_or(0).min(AGENT_COLUMNS);
        let agent = if columns >= AGENT_FROM_COLUMNS { agent + 2 } else { 0 };
        let room = columns.saturating_sub(agent + TIME_COLUMNS + 2);
        let widths =
            tasks().zip(stems).map(|(task, (stem, _))| tree.left(task, stem, style, usize::MAX).width());
        Self { name: room.min(widths.max().unwrap_or(0)), agent }
    }

    fn row(&self, tree: &Tree, task: &Task, stem: &str, now: Option<Timestamp>, style: Style) -> String {
        let mut line = tree.left(task, stem, style, self.name).pad_to(self.name + 2);
        if self.agent > 0 {
            line =
                line.fit(Tone::Dim, &agent(task), self.name + self.agent).pad_to(self.name + self.agent + 2);
        }
        let tone = if task.status == TaskStatus::InProgress { Tone::Accent } else { Tone::Dim };
        line.add(tone, &format!("{:>TIME_COLUMNS$}", time(task, now))).render()
    }
}

fn agent(task: &Task) -> String {
    if task.agent.is_tbd() { words::NO_AGENT_YET.to_owned() } else { texts::agent_name(&task.agent) }
}

/// How long a task took or has been at work; before that, how long it probably takes.
fn time(task: &Task, now: Option<Timestamp>) -> String {
    match task.status {
        TaskStatus::Pending => format!("~{}", format::duration(task.estimate)),
        TaskStatus::InProgress => {
            task.started.zip(now).map(|(start, now)| format::duration(now.since(start))).unwrap_or_default()
        }
        TaskStatus::Completed | TaskStatus::Failed => task.took.map(format::duration).unwrap_or_default(),
        TaskStatus::Skipped => String::new(),
    }
}
