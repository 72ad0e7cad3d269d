//! A laid-out plan as lines: which rows are shown, what stands in front of them, and in which columns.

use candor_model::{IdMap, TaskId, TaskStatus, Timestamp};
use candor_planning::texts;
use candor_projections::format;

use super::{Task, Tree, tally};
use crate::view::style::{Line, Mark, Style, Tone};
use crate::view::{text, words};

const AGENT_COLUMNS: usize = 20;
const TIME_COLUMNS: usize = 7;
/// Wider than this, the eye loses the row between its name and its agent.
const MAX_COLUMNS: usize = 110;
/// Narrower than this, there is no room for agents.
const AGENT_FROM_COLUMNS: usize = 60;

impl Tree {
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
    pub(in crate::view) fn picked(&self, rows: usize) -> Vec<&TaskId> {
        let shown = if self.len() <= rows { self.order.clone() } else { self.chosen(rows) };
        shown.iter().filter_map(|&at| self.tasks.get(at).map(|task| &task.id)).collect()
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

/// Where the columns of a drawn tree lie.
struct Columns {
    name: usize,
    agent: usize,
    time: usize,
}

impl Columns {
    fn of(tree: &Tree, shown: &[usize], stems: &[(String, String)], style: Style) -> Self {
        let columns = style.columns().min(MAX_COLUMNS);
        let tasks = || shown.iter().filter_map(|&at| tree.tasks.get(at));
        let agent = tasks().map(|task| text::width(&agent(task))).max().unwrap_or(0).min(AGENT_COLUMNS);
        let agent = if columns >= AGENT_FROM_COLUMNS { agent + 2 } else { 0 };
        // A measured range is wider than a duration.
        let time = tasks().map(|task| text::width(&time(task, None))).max().unwrap_or(0).max(TIME_COLUMNS);
        let room = columns.saturating_sub(agent + time + 2);
        let widths =
            tasks().zip(stems).map(|(task, (stem, _))| tree.left(task, stem, style, usize::MAX).width());
        Self { name: room.min(widths.max().unwrap_or(0)), agent, time }
    }

    fn row(&self, tree: &Tree, task: &Task, stem: &str, now: Option<Timestamp>, style: Style) -> String {
        let mut line = tree.left(task, stem, style, self.name).pad_to(self.name + 2);
        if self.agent > 0 {
            line =
                line.fit(Tone::Dim, &agent(task), self.name + self.agent).pad_to(self.name + self.agent + 2);
        }
        let tone = if task.status == TaskStatus::InProgress { Tone::Accent } else { Tone::Dim };
        line.add(tone, &format!("{:>1$}", time(task, now), self.time)).render()
    }
}

fn agent(task: &Task) -> String {
    if task.agent.is_tbd() { words::NO_AGENT_YET.text().to_owned() } else { texts::agent_name(&task.agent) }
}

/// How long a task took or has been at work; before that, what such tasks took.
fn time(task: &Task, now: Option<Timestamp>) -> String {
    match task.status {
        TaskStatus::Pending => task.estimate.map(texts::time_span).unwrap_or_default(),
        TaskStatus::InProgress => {
            task.started.zip(now).map(|(start, now)| format::duration(now.since(start))).unwrap_or_default()
        }
        TaskStatus::Completed | TaskStatus::Failed => task.took.map(format::duration).unwrap_or_default(),
        TaskStatus::Skipped => String::new(),
    }
}
