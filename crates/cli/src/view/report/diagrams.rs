//! Drawings made of letters: a graph of the plan, bars over time, a line of confidence.

use candor_model::{Confidence, IdMap, Plan, SubTask, TaskId, TaskStatus, Timestamp};
use candor_planning::texts;
use candor_projections::chronicle::{Attempt, Chronicle, Outcome};
use candor_projections::format;

use crate::view::style::{Mark, Style};
use crate::view::text::{clean, shortened, width};
use crate::view::timeline::mark;
use crate::view::tree::Tree;
use crate::view::words;

/// More nodes than this, and a drawn graph helps nobody.
const GRAPH_TASKS: usize = 40;
const GANTT_ROWS: usize = 40;
const GANTT_NAME: usize = 26;
const GANTT_BAR: usize = 40;

/// The plan as a Mermaid graph, line by line; a large plan is folded to the tasks that matter.
pub(super) fn graph(plan: &Plan) -> Vec<String> {
    let tree = Tree::of(plan);
    let picked = tree.picked(GRAPH_TASKS);
    let names: IdMap<&TaskId, String> =
        picked.iter().enumerate().map(|(at, id)| (*id, format!("n{at}"))).collect();
    let shown: Vec<&SubTask> =
        plan.subtasks.iter().filter(|task| names.contains_key(&&task.task_id)).collect();
    let mut lines = vec!["graph LR".to_owned()];
    for task in &shown {
        let Some(node) = names.get(&task.task_id) else { continue };
        let symbol = Mark::of_task(task.status).symbol(true);
        let label = format!("{symbol} {}", texts::task_name(task));
        lines.push(format!("  {node}[\"{}\"]:::{}", label_text(&label), class(task.status)));
    }
    for task in &shown {
        let Some(node) = names.get(&task.task_id) else { continue };
        let parents = task.dependencies.iter().filter_map(|id| names.get(id));
        lines.extend(parents.map(|parent| format!("  {parent} --> {node}")));
    }
    let hidden = plan.subtasks.len().saturating_sub(shown.len());
    if hidden > 0 {
        lines.push(format!("  more[\"{}\"]:::waiting", words::and_more(hidden)));
    }
    lines.extend(CLASSES.map(str::to_owned));
    lines
}

const CLASSES: [&str; 5] = [
    "  classDef done fill:#e6f4ea,stroke:#34a853,color:#1e4620",
    "  classDef failed fill:#fce8e6,stroke:#d93025,color:#5f1410",
    "  classDef running fill:#e8f0fe,stroke:#1a73e8,color:#123a75",
    "  classDef waiting fill:#f4f4f4,stroke:#9aa0a6,color:#3c4043",
    "  classDef skipped fill:#fef7e0,stroke:#f9ab00,color:#5f4200,stroke-dasharray:4",
];

const fn class(status: TaskStatus) -> &'static str {
    match status {
        TaskStatus::Pending => "waiting",
        TaskStatus::InProgress => "running",
        TaskStatus::Completed => "done",
        TaskStatus::Failed => "failed",
        TaskStatus::Skipped => "skipped",
    }
}

/// Text for a quoted label: what Mermaid or HTML would take for its own is written by number.
fn label_text(text: &str) -> String {
    let mut label = String::with_capacity(text.len());
    for letter in clean(text).chars() {
        match letter {
            '"' | '#' | '<' | '>' | '&' | '`' | '\\' | ';' | '{' | '}' => {
                label.push_str(&format!("#{};", u32::from(letter)));
            }
            letter => label.push(letter),
        }
    }
    label
}

/// Every attempt as a bar over the time of the run.
pub(super) fn gantt(chronicle: &Chronicle<'_>) -> Vec<String> {
    let worked: Vec<&Attempt<'_>> =
        chronicle.attempts.iter().filter(|attempt| attempt.outcome != Outcome::NeverStarted).collect();
    let Some(first) = worked.iter().map(|attempt| attempt.started).min() else { return Vec::new() };
    let now = chronicle.now();
    let last = worked.iter().map(|attempt| attempt.ended.unwrap_or(now)).max().unwrap_or(first);
    let mut lines: Vec<String> =
        worked.iter().take(GANTT_ROWS).map(|attempt| gantt_row(attempt, chronicle, first, last)).collect();
    let hidden = worked.len().saturating_sub(GANTT_ROWS);
    if hidden > 0 {
        lines.push(words::and_more(hidden));
    }
    lines
}

fn gantt_row(attempt: &Attempt<'_>, chronicle: &Chronicle<'_>, first: Timestamp, last: Timestamp) -> String {
    let name = shortened(&clean(&chronicle.name(attempt.task_id)), GANTT_NAME, true);
    let gap = GANTT_NAME.saturating_sub(width(&name));
    let now = chronicle.now();
    let start = cell(attempt.started, first, last).min(GANTT_BAR - 1);
    let end = cell(attempt.ended.unwrap_or(now), first, last).clamp(start + 1, GANTT_BAR);
    let mark = mark(attempt.outcome);
    let fill = if mark == Mark::Failed { "▒" } else { "█" };
    format!(
        "{name}{} │{}{}{}│ {} {}",
        " ".repeat(gap),
        " ".repeat(start),
        fill.repeat(end - start),
        " ".repeat(GANTT_BAR - end),
        mark.symbol(Style::default().unicode),
        format::duration(attempt.took(now)),
    )
}

/// The cell of the bar in which a moment lies.
fn cell(at: Timestamp, first: Timestamp, last: Timestamp) -> usize {
    let whole = last.since(first).get();
    if whole <= 0.0 {
        return 0;
    }
    ((at.since(first).get() / whole * GANTT_BAR as f64).round() as usize).min(GANTT_BAR)
}

/// Confidence over time in one line, from ▁ (none) to █ (full).
pub(super) fn sparkline(points: impl IntoIterator<Item = Confidence>) -> String {
    const STEPS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let step = |confidence: Confidence| {
        let at = (confidence.get() * STEPS.len() as f64) as usize;
        STEPS.get(at).or(STEPS.last()).copied()
    };
    points.into_iter().filter_map(step).collect()
}

#[cfg(test)]
mod tests {
    use candor_testkit::{fixtures, load};

    use super::*;

    #[test]
    fn a_label_cannot_break_out_of_its_quotes() {
        let mut tasks = fixtures::paris_plan().subtasks;
        tasks[0].metadata.name = Some("a\"]; click n0 \"javascript:x\" <b>\n`".to_owned());
        let lines = graph(&fixtures::plan_of(tasks, 0.9));
        let node = lines.iter().find(|line| line.contains("n0[")).unwrap();
        assert_eq!(node.matches('"').count(), 2, "{node}");
        assert!(!node.contains('<') && !node.contains('`'), "{node}");
    }

    #[test]
    fn a_huge_plan_is_drawn_folded() {
        let lines = graph(&load::plan(10_000, 3));
        assert!(lines.len() < 200, "{} lines", lines.len());
        assert!(lines.iter().any(|line| line.contains("9,960 more")));
    }

    #[test]
    fn a_sparkline_spans_from_none_to_full() {
        let points = [0.0, 0.5, 0.85, 1.0].map(fixtures::confidence);
        assert_eq!(sparkline(points), "▁▅▇█");
    }
}
