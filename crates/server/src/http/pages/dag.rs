//! The plan as a picture: tasks in layers from left to right, each beside those it depends on.
//!
//! Layers are longest paths; the order within a layer is the barycentre of the tasks before. A plan that is too large to
//! read task by task is shown layer by layer, so that a browser draws hundreds of shapes and not ten thousand.

use std::collections::BTreeMap;

use candor_model::TaskStatus;
use candor_projections::line::shortened;
use candor_projections::status::TaskEntry;
use maud::{Markup, html};

use super::words::Words;

/// Beyond so many tasks a plan is shown by layers.
const DRAWN: usize = 150;
const BOX: (f64, f64) = (188.0, 44.0);
const GAP: (f64, f64) = (56.0, 14.0);
const MARGIN: f64 = 8.0;
/// How often the order within layers is improved.
const SWEEPS: usize = 4;
/// How many letters of a name fit.
const LETTERS: usize = 24;

/// Draws a plan.
pub(super) fn draw(tasks: &[TaskEntry], words: &Words) -> Markup {
    if tasks.is_empty() {
        return html! { p.empty { (words.no_plan) } };
    }
    let layers = layers(tasks);
    if tasks.len() > DRAWN { by_layer(tasks, &layers, words) } else { by_task(tasks, &layers, words) }
}

/// The tasks of each layer, by their places in the list, in the order in which they are drawn.
fn layers(tasks: &[TaskEntry]) -> Vec<Vec<usize>> {
    let places: BTreeMap<&str, usize> =
        tasks.iter().enumerate().map(|(at, task)| (task.task_id.as_str(), at)).collect();
    let before: Vec<Vec<usize>> = tasks
        .iter()
        .map(|task| task.dependencies.iter().filter_map(|id| places.get(id.as_str()).copied()).collect())
        .collect();
    let depths = depths(&before);
    let deepest = depths.iter().copied().max().unwrap_or(0);
    let mut layers: Vec<Vec<usize>> = vec![Vec::new(); deepest + 1];
    for (task, depth) in depths.iter().enumerate() {
        if let Some(layer) = layers.get_mut(*depth) {
            layer.push(task);
        }
    }
    for _ in 0..SWEEPS {
        let mut order = vec![0.0; tasks.len()];
        for layer in &mut layers {
            sort_by_barycentre(layer, &before, &order);
            for (place, task) in layer.iter().enumerate() {
                if let Some(order) = order.get_mut(*task) {
                    *order = float(place);
                }
            }
        }
    }
    layers
}

/// The longest way to each task. A plan has no cycles; if one slipped in, it is cut where it is found.
fn depths(before: &[Vec<usize>]) -> Vec<usize> {
    let mut depths = vec![0_usize; before.len()];
    for _ in 0..before.len().min(10_000) {
        let mut moved = false;
        for (task, needs) in before.iter().enumerate() {
            let behind = needs.iter().filter_map(|need| depths.get(*need)).max().map_or(0, |depth| depth + 1);
            let deepest = behind.min(before.len());
            if let Some(depth) = depths.get_mut(task).filter(|depth| **depth < deepest) {
                *depth = deepest;
                moved = true;
            }
        }
        if !moved {
            break;
        }
    }
    depths
}

fn sort_by_barycentre(layer: &mut [usize], before: &[Vec<usize>], order: &[f64]) {
    let centre = |task: usize| {
        let needs = before.get(task).map(Vec::as_slice).unwrap_or_default();
        let sum: f64 = needs.iter().filter_map(|need| order.get(*need)).sum();
        if needs.is_empty() { float(task) } else { sum / float(needs.len()) }
    };
    layer.sort_by(|one, other| centre(*one).total_cmp(&centre(*other)));
}

#[expect(clippy::cast_precision_loss, reason = "places on a screen")]
fn float(number: usize) -> f64 {
    number as f64
}

fn by_task(tasks: &[TaskEntry], layers: &[Vec<usize>], words: &Words) -> Markup {
    let tallest = layers.iter().map(Vec::len).max().unwrap_or(0);
    let (width, height) = (extent(layers.len(), BOX.0, GAP.0), extent(tallest, BOX.1, GAP.1));
    let mut places: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
    for (column, layer) in layers.iter().enumerate() {
        // A layer that is shorter than the tallest stands in the middle.
        let top = MARGIN + (extent(tallest, BOX.1, GAP.1) - extent(layer.len(), BOX.1, GAP.1)) / 2.0;
        for (row, task) in layer.iter().filter_map(|at| tasks.get(*at)).enumerate() {
            let (x, y) = (MARGIN + float(column) * (BOX.0 + GAP.0), top + float(row) * (BOX.1 + GAP.1));
            places.insert(task.task_id.as_str(), (x, y));
        }
    }
    html! {
        div.scroll tabindex="0" role="region" aria-label=(words.plan) {
            svg.dag width=(width) height=(height) viewBox={ "0 0 " (width) " " (height) } role="group" aria-label=(words.plan) {
                @for task in tasks {
                    @for need in &task.dependencies {
                        @if let (Some(from), Some(to)) = (places.get(need.as_str()), places.get(task.task_id.as_str())) {
                            path.edge d=(edge(*from, *to)) {}
                        }
                    }
                }
                @for task in tasks {
                    @if let Some((x, y)) = places.get(task.task_id.as_str()) { (node(task, *x, *y, words)) }
                }
            }
        }
    }
}

fn extent(count: usize, size: f64, gap: f64) -> f64 {
    2.0 * MARGIN + float(count) * (size + gap) - gap
}

fn edge((x1, y1): (f64, f64), (x2, y2): (f64, f64)) -> String {
    let (x1, y1, y2) = (x1 + BOX.0, y1 + BOX.1 / 2.0, y2 + BOX.1 / 2.0);
    let bend = (x2 - x1) / 2.0;
    format!("M{x1:.0} {y1:.0} C{:.0} {y1:.0} {:.0} {y2:.0} {x2:.0} {y2:.0}", x1 + bend, x2 - bend)
}

fn node(task: &TaskEntry, x: f64, y: f64, words: &Words) -> Markup {
    let status = words.task_status(task.status);
    html! {
        a href={ "#task-" (task.task_id) } {
            g.node.(class(task.status)) {
                title { (task.name) " · " (status) " · " (task.agent_type) }
                rect x=(x) y=(y) width=(BOX.0) height=(BOX.1) rx="6" {}
                rect.stripe x=(x) y=(y) width="4" height=(BOX.1) rx="2" {}
                text.name x=(x + 14.0) y=(y + 18.0) { (shortened(&task.name, LETTERS, true)) }
                text.sub x=(x + 14.0) y=(y + 34.0) { (shortened(&format!("{status} · {}", task.agent_type), LETTERS + 4, true)) }
            }
        }
    }
}

/// The class of a status.
pub(super) const fn class(status: TaskStatus) -> &'static str {
    match status {
        TaskStatus::Pending => "s-idle",
        TaskStatus::InProgress => "s-run",
        TaskStatus::Completed => "s-ok",
        TaskStatus::Failed => "s-bad",
        TaskStatus::Skipped => "s-skip",
    }
}

/// The statuses in the order in which a bar shows them.
const STATUSES: [TaskStatus; 5] = [
    TaskStatus::Completed,
    TaskStatus::InProgress,
    TaskStatus::Failed,
    TaskStatus::Skipped,
    TaskStatus::Pending,
];
/// How many layers are drawn.
const MOST_LAYERS: usize = 60;
const BAR: f64 = 560.0;

fn by_layer(tasks: &[TaskEntry], layers: &[Vec<usize>], words: &Words) -> Markup {
    let largest = float(layers.iter().map(Vec::len).max().unwrap_or(1).max(1));
    let (row, left) = (22.0, 90.0);
    let height = row * float(layers.len().min(MOST_LAYERS)) + 8.0;
    html! {
        p.note { (words.folded) }
        svg.layers width="100%" height=(height) viewBox={ "0 0 720 " (height) } preserveAspectRatio="xMinYMin meet" role="img" aria-label=(words.plan) {
            @for (at, layer) in layers.iter().take(MOST_LAYERS).enumerate() {
                @let y = 4.0 + row * float(at);
                text.sub x="0" y=(y + 13.0) { (words.layer) " " (at + 1) }
                @for (x, width, class) in segments(tasks, layer, largest, left) {
                    rect.(class) x=(x) y=(y) width=(width) height=(row - 6.0) {}
                }
                text.sub x=(left + BAR * float(layer.len()) / largest + 8.0) y=(y + 13.0) { (layer.len()) }
            }
        }
    }
}

/// A layer's bar, cut by status.
fn segments(tasks: &[TaskEntry], layer: &[usize], largest: f64, left: f64) -> Vec<(f64, f64, &'static str)> {
    let mut x = left;
    let mut all = Vec::new();
    for status in STATUSES {
        let count = layer.iter().filter_map(|at| tasks.get(*at)).filter(|task| task.status == status).count();
        let width = BAR * float(count) / largest;
        if count > 0 {
            all.push((x, width, class(status)));
        }
        x += width;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_stand_behind_what_they_need_and_a_cycle_ends() {
        // 0 → 1 → 3, 0 → 2 → 3, and 4 alone.
        assert_eq!(depths(&[vec![], vec![0], vec![0], vec![1, 2], vec![]]), [0, 1, 1, 2, 0]);
        let cut = depths(&[vec![1], vec![0]]);
        assert!(cut.iter().all(|depth| *depth <= 2), "{cut:?}");
    }

    #[test]
    fn crossings_are_undone() {
        let mut layer = vec![2, 3];
        // 2 needs 1 and 3 needs 0: as they stand their edges cross.
        sort_by_barycentre(&mut layer, &[vec![], vec![], vec![1], vec![0]], &[0.0, 1.0, 0.0, 0.0]);
        assert_eq!(layer, [3, 2]);
    }
}
