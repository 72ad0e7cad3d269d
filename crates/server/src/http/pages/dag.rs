//! The plan as a picture: tasks in layers from left to right, each beside those it depends on.
//!
//! Layers are longest paths; the order within a layer is the barycentre of the tasks before. An edge that passes layers has a
//! lane of its own in each of them, so that it runs beside boxes and not behind them. A plan that is too large to
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
/// How high the lane of an edge is that passes a layer.
const LANE: f64 = 8.0;
/// Beyond so many lanes a picture would be lanes and little else: edges then run straight.
const MOST_LANES: usize = 400;
/// How often the order within layers is improved.
const SWEEPS: usize = 4;
/// How many letters of a name fit.
const LETTERS: usize = 24;

/// Draws a plan as SVG.
pub(super) fn draw(tasks: &[TaskEntry], words: &Words) -> Markup {
    if tasks.is_empty() {
        return html! { p.empty { (words.no_plan) } };
    }
    let needs = needs(tasks);
    let depths = depths(&needs);
    if tasks.len() > DRAWN {
        return by_layer(tasks, &Ranked::new(&needs, &depths, 0).layers, words);
    }
    by_task(tasks, &Ranked::new(&needs, &depths, MOST_LANES), words)
}

/// What each task needs, by places in the list.
fn needs(tasks: &[TaskEntry]) -> Vec<Vec<usize>> {
    let places: BTreeMap<&str, usize> =
        tasks.iter().enumerate().map(|(at, task)| (task.task_id.as_str(), at)).collect();
    let needed = |task: &TaskEntry| {
        task.dependencies.iter().filter_map(|id| places.get(id.as_str()).copied()).collect()
    };
    tasks.iter().map(needed).collect()
}

/// Tasks and lanes in layers. Lanes are numbered after the tasks.
struct Ranked {
    /// Those of each layer, in the order in which they are drawn.
    layers: Vec<Vec<usize>>,
    /// Every edge: from a task over lanes to a task.
    edges: Vec<Vec<usize>>,
}

impl Ranked {
    fn new(needs: &[Vec<usize>], depths: &[usize], most_lanes: usize) -> Self {
        let deepest = depths.iter().copied().max().unwrap_or(0);
        let mut layers: Vec<Vec<usize>> = vec![Vec::new(); deepest + 1];
        let (mut before, mut edges) = (needs.to_vec(), Vec::new());
        for (task, depth) in depths.iter().enumerate() {
            layers.get_mut(*depth).into_iter().for_each(|layer| layer.push(task));
        }
        // Edges from one task share their lanes.
        let mut lanes: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        for (task, needed) in needs.iter().enumerate() {
            for need in needed {
                let depth = |of: usize| depths.get(of).copied().unwrap_or(0);
                let mut edge = vec![*need];
                for layer in depth(*need) + 1..depth(task) {
                    if lanes.len() >= most_lanes && !lanes.contains_key(&(*need, layer)) {
                        continue;
                    }
                    let behind = edge.last().copied().unwrap_or(*need);
                    let lane = *lanes.entry((*need, layer)).or_insert_with(|| {
                        before.push(vec![behind]);
                        layers.get_mut(layer).into_iter().for_each(|all| all.push(before.len() - 1));
                        before.len() - 1
                    });
                    edge.push(lane);
                }
                if let (Some(behind), Some(all)) = (edge.last().copied(), before.get_mut(task))
                    && let Some(place) = all.iter_mut().find(|place| **place == *need)
                {
                    *place = behind;
                }
                edge.push(task);
                edges.push(edge);
            }
        }
        order(&mut layers, &before);
        Self { layers, edges }
    }
}

/// Puts those of each layer beside what they need.
fn order(layers: &mut [Vec<usize>], before: &[Vec<usize>]) {
    for _ in 0..SWEEPS {
        let mut order = vec![0.0; before.len()];
        for layer in layers.iter_mut() {
            sort_by_barycentre(layer, before, &order);
            for (place, task) in layer.iter().enumerate() {
                if let Some(order) = order.get_mut(*task) {
                    *order = float(place);
                }
            }
        }
    }
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

/// Where something is drawn: the upper left corner, and its height.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    x: f64,
    y: f64,
    height: f64,
}

impl Place {
    fn middle(self) -> f64 {
        self.y + self.height / 2.0
    }
}

/// Where everything is drawn, by its number, and how high the picture is.
fn places(ranked: &Ranked, tasks: usize) -> (BTreeMap<usize, Place>, f64) {
    let height = |of: &usize| if *of < tasks { BOX.1 } else { LANE };
    let tall = |layer: &Vec<usize>| layer.iter().map(|of| height(of) + GAP.1).sum::<f64>() - GAP.1;
    let tallest = ranked.layers.iter().map(tall).fold(0.0, f64::max);
    let mut places = BTreeMap::new();
    for (column, layer) in ranked.layers.iter().enumerate() {
        // A layer that is shorter than the tallest stands in the middle.
        let mut y = MARGIN + (tallest - tall(layer)) / 2.0;
        for of in layer {
            let place = Place { x: MARGIN + float(column) * (BOX.0 + GAP.0), y, height: height(of) };
            places.insert(*of, place);
            y += place.height + GAP.1;
        }
    }
    (places, tallest + 2.0 * MARGIN)
}

fn by_task(tasks: &[TaskEntry], ranked: &Ranked, words: &Words) -> Markup {
    let (places, height) = places(ranked, tasks.len());
    let width = 2.0 * MARGIN + float(ranked.layers.len()) * (BOX.0 + GAP.0) - GAP.0;
    html! {
        div.scroll tabindex="0" role="region" aria-label=(words.plan) {
            svg.dag width=(width) height=(height) viewBox={ "0 0 " (width) " " (height) } role="group" aria-label=(words.plan) {
                @for edge in &ranked.edges { path.edge d=(path(edge, &places)) {} }
                @for (at, task) in tasks.iter().enumerate() {
                    @if let Some(place) = places.get(&at) { (node(task, place.x, place.y, words)) }
                }
            }
        }
    }
}

/// An edge from box to box, straight through its lanes.
fn path(edge: &[usize], places: &BTreeMap<usize, Place>) -> String {
    let mut stations = edge.iter().filter_map(|of| places.get(of).copied());
    let Some(first) = stations.next() else { return String::new() };
    let (mut x, mut y) = (first.x + BOX.0, first.middle());
    let mut path = format!("M{x:.0} {y:.0}");
    for place in stations {
        let bend = (place.x - x) / 2.0;
        let (to_x, to_y) = (place.x, place.middle());
        path.push_str(&format!(" C{:.0} {y:.0} {:.0} {to_y:.0} {to_x:.0} {to_y:.0}", x + bend, to_x - bend));
        (x, y) = (to_x, to_y);
        if place.height < BOX.1 {
            x += BOX.0;
            path.push_str(&format!(" H{x:.0}"));
        }
    }
    path
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
    fn an_edge_that_passes_a_layer_has_a_lane_beside_its_boxes() {
        // 0 → 1 → 2, and 0 → 2 past 1.
        let needs = [vec![], vec![0], vec![1, 0]];
        let ranked = Ranked::new(&needs, &depths(&needs), 9);
        assert_eq!(ranked.edges, [vec![0, 1], vec![1, 2], vec![0, 3, 2]]);
        let (places, _) = places(&ranked, 3);
        let (boxed, lane) = (places[&1], places[&3]);
        assert_eq!(boxed.x, lane.x);
        assert!(lane.y >= boxed.y + boxed.height || lane.y + lane.height <= boxed.y, "{boxed:?} {lane:?}");
    }

    #[test]
    fn crossings_are_undone() {
        let mut layer = vec![2, 3];
        // 2 needs 1 and 3 needs 0: as they stand their edges cross.
        sort_by_barycentre(&mut layer, &[vec![], vec![], vec![1], vec![0]], &[0.0, 1.0, 0.0, 0.0]);
        assert_eq!(layer, [3, 2]);
    }
}
