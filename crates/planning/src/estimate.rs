//! What a plan takes, as far as it is known: money by the agents' prices, time by what such tasks took before.
//!
//! It refuses to guess: where nothing was stated or measured there is no figure.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use candor_model::{
    AgentCapability, AgentType, DurationBasis, ExecutionStrategy, IdMap, MeasuredCost, MeasuredTime,
    MeasuredTokens, Money, RoutedExample, Seconds, SubTask, TaskStatus,
};

use crate::graph::{TaskGraph, TaskIndex};
use crate::routing;

/// From this length on a kept text may be the beginning of a longer one.
const LONG_TEXT: usize = 200;
/// Fewer attempts than this are no range.
const FEWEST_RUNS: usize = 3;
/// From so many attempts on, one tenth at each end is left out of the range.
const RUNS_WITH_OUTLIERS: usize = 10;

/// What one attempt at each task costs by the agents' prices; nothing if none of them has a price.
#[must_use]
pub fn cost(tasks: &[SubTask], agents: &[AgentCapability]) -> Option<Money> {
    let prices = prices(agents);
    priced(tasks.iter().filter_map(|task| prices.get(&task.agent_type).copied()).sum())
}

fn prices(agents: &[AgentCapability]) -> IdMap<&AgentType, Money> {
    agents.iter().map(|agent| (&agent.agent_type, agent.cost_per_invocation)).collect()
}

fn priced(sum: Money) -> Option<Money> {
    Some(sum).filter(|sum| *sum > Money::ZERO)
}

/// What such a task took its agent before: the same task if it was measured often enough, else any task.
#[must_use]
pub fn from_history(task: &SubTask, history: &[RoutedExample]) -> Option<MeasuredTime> {
    let (low, high, runs) = measured_before(task, history, |example| example.took_ms)?;
    Some(MeasuredTime { low: Seconds::from_millis(low), high: Seconds::from_millis(high), runs })
}

/// What such a task cost before.
fn cost_from_history(task: &SubTask, history: &[RoutedExample]) -> Option<MeasuredCost> {
    let micros = |example: &RoutedExample| example.cost.map(Money::micros);
    let (low, high, runs) = measured_before(task, history, micros)?;
    let (low, high) = (Money::from_micros(low), Money::from_micros(high));
    Some(MeasuredCost { low, high, runs })
}

/// The models' tokens that such a task took before.
fn tokens_from_history(task: &SubTask, history: &[RoutedExample]) -> Option<MeasuredTokens> {
    let (low, high, runs) = measured_before(task, history, |example| example.tokens)?;
    Some(MeasuredTokens { low, high, runs })
}

/// The range of a measure over such tasks: the same task if it was measured often enough, else any task of the agent.
fn measured_before(
    task: &SubTask,
    history: &[RoutedExample],
    measure: impl Fn(&RoutedExample) -> Option<u64>,
) -> Option<(u64, u64, u32)> {
    let own: Vec<(&str, u64)> = history
        .iter()
        .filter(|example| example.agent_type == task.agent_type)
        .filter_map(|example| Some((example.text.as_str(), measure(example)?)))
        .collect();
    if own.len() < FEWEST_RUNS {
        return None;
    }
    let text = routing::task_text(task);
    let same = own.iter().filter(|(known, _)| is_same(known, text)).map(|(_, took)| *took);
    range(same.collect()).or_else(|| range(own.iter().map(|(_, took)| *took).collect()))
}

/// Whether two texts tell of the same task, numbers aside: tomorrow's date does not make it another one. A long text is
/// kept by its beginning.
fn is_same(known: &str, text: &str) -> bool {
    // Past tasks are many, and most of those that are the same are so to the letter.
    if known == text {
        return true;
    }
    let (mut known_letters, mut letters) = (without_numbers(known), without_numbers(text));
    let beginning = known_letters.by_ref().all(|letter| letters.next() == Some(letter));
    let is_long = || without_numbers(known).map(char::len_utf8).sum::<usize>() >= LONG_TEXT;
    beginning && (letters.next().is_none() || is_long())
}

fn without_numbers(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(|letter| !letter.is_numeric())
}

fn range(mut took: Vec<u64>) -> Option<(u64, u64, u32)> {
    took.sort_unstable();
    let outliers = if took.len() < RUNS_WITH_OUTLIERS { 0 } else { took.len() / 10 };
    let (low, high) = (*took.get(outliers)?, *took.iter().rev().nth(outliers)?);
    (took.len() >= FEWEST_RUNS).then(|| (low, high, u32::try_from(took.len()).unwrap_or(u32::MAX)))
}

/// Writes what was measured into the tasks. What a person states of a duration stays in its field.
pub fn learn(tasks: &mut [SubTask], history: &[RoutedExample]) {
    for task in tasks {
        task.metadata.measured_cost = cost_from_history(task, history);
        task.metadata.measured_tokens = tokens_from_history(task, history);
        let Some(measured) = from_history(task, history) else { continue };
        if task.metadata.duration_basis != Some(DurationBasis::Stated) {
            let middle = f64::midpoint(measured.low.get(), measured.high.get());
            task.estimated_duration_seconds = Seconds::new(middle).unwrap_or(measured.high);
        }
        task.metadata.duration_basis = Some(DurationBasis::Measured(measured));
    }
}

/// How many tasks run at once; nothing if as many as can.
#[must_use]
pub fn width(strategy: ExecutionStrategy, at_once: u32) -> Option<usize> {
    match strategy {
        ExecutionStrategy::Sequential => Some(1),
        ExecutionStrategy::Hybrid => Some(usize::try_from(at_once.max(1)).unwrap_or(usize::MAX)),
        ExecutionStrategy::Parallel => None,
    }
}

/// The time from the first start to the last end, by stated and measured durations; nothing if one of them rests
/// on nothing.
#[must_use]
pub fn duration(tasks: &[SubTask], width: Option<usize>) -> Option<Seconds> {
    let known = tasks.iter().all(|task| task.metadata.duration_basis.is_some());
    known.then(|| makespan(tasks, width, |task| task.estimated_duration_seconds.as_millis()))
}

/// The time that is left as a range; nothing if a task that is still to be done was never measured.
#[must_use]
pub fn remaining(tasks: &[SubTask], width: Option<usize>) -> Option<MeasuredTime> {
    let open = tasks.iter().filter(|task| is_open(task));
    let measured: Option<Vec<MeasuredTime>> = open.map(measured).collect();
    let runs = measured?.iter().map(|time| time.runs).min()?;
    let millis = |of: fn(MeasuredTime) -> Seconds| move |task: &SubTask| measured_millis(task, of);
    Some(MeasuredTime {
        low: makespan(tasks, width, millis(|time| time.low)),
        high: makespan(tasks, width, millis(|time| time.high)),
        runs,
    })
}

/// What the plan costs as a range; nothing if a task was never measured, or if all of them are free.
#[must_use]
pub fn measured_cost(tasks: &[SubTask]) -> Option<MeasuredCost> {
    let all: Option<Vec<MeasuredCost>> = tasks.iter().map(|task| task.metadata.measured_cost).collect();
    let all = all?;
    let runs = all.iter().map(|cost| cost.runs).min()?;
    let (low, high) = (all.iter().map(|cost| cost.low).sum(), all.iter().map(|cost| cost.high).sum());
    priced(high).map(|high| MeasuredCost { low, high, runs })
}

/// The models' tokens of the plan as a range; nothing if a task was never measured, or if none of them asks a model.
#[must_use]
pub fn measured_tokens(tasks: &[SubTask]) -> Option<MeasuredTokens> {
    let all_known = tasks.iter().all(|task| task.metadata.measured_cost.is_some());
    let measured: Vec<MeasuredTokens> =
        tasks.iter().filter_map(|task| task.metadata.measured_tokens).collect();
    let runs = measured.iter().map(|tokens| tokens.runs).min().filter(|_| all_known)?;
    let sum = |of: fn(&MeasuredTokens) -> u64| measured.iter().map(of).fold(0, u64::saturating_add);
    Some(MeasuredTokens { low: sum(|tokens| tokens.low), high: sum(|tokens| tokens.high), runs })
}

fn measured_millis(task: &SubTask, of: fn(MeasuredTime) -> Seconds) -> u64 {
    measured(task).filter(|_| is_open(task)).map_or(0, |time| of(time).as_millis())
}

fn measured(task: &SubTask) -> Option<MeasuredTime> {
    task.metadata.duration_basis.and_then(DurationBasis::measured)
}

const fn is_open(task: &SubTask) -> bool {
    matches!(task.status, TaskStatus::Pending | TaskStatus::InProgress | TaskStatus::Failed)
}

/// The time from the first start to the last end: free tasks begin by priority, then as they are listed, up to
/// `width` at once, or as many as there are. Tasks in a circle never start, and count for nothing.
#[must_use]
pub fn makespan(tasks: &[SubTask], width: Option<usize>, takes: impl Fn(&SubTask) -> u64) -> Seconds {
    let width = width.unwrap_or(usize::MAX).max(1);
    let graph = TaskGraph::new(tasks);
    let mut missing: Vec<usize> =
        (0..tasks.len()).map(|at| graph.dependencies(TaskIndex::at(at)).len()).collect();
    let urgency = |at: usize| (Reverse(tasks.get(at).map(|task| task.priority.get())), at);
    let free = missing.iter().enumerate().filter(|(_, missing)| **missing == 0);
    let mut free: BTreeSet<_> = free.map(|(at, _)| urgency(at)).collect();
    let mut running: BinaryHeap<Reverse<(u64, usize)>> = BinaryHeap::new();
    let mut now = 0;
    loop {
        while running.len() < width {
            let Some((_, at)) = free.pop_first() else { break };
            running.push(Reverse((tasks.get(at).map_or(now, |task| now.saturating_add(takes(task))), at)));
        }
        let Some(Reverse((end, at))) = running.pop() else { break };
        now = end;
        for dependent in graph.dependents(TaskIndex::at(at)) {
            let Some(left) = missing.get_mut(dependent.as_usize()) else { continue };
            *left = left.saturating_sub(1);
            if *left == 0 {
                free.insert(urgency(dependent.as_usize()));
            }
        }
    }
    Seconds::from_millis(now)
}

#[cfg(test)]
mod tests {
    use candor_model::{TaskId, Text};

    use super::*;

    fn task(n: usize, needs: &[usize], seconds: u32) -> SubTask {
        let mut task = SubTask::new(TaskId::numbered(n), Text::or("d", "d"), Vec::new());
        task.dependencies = needs.iter().map(|&need| TaskId::numbered(need)).collect();
        task.estimated_duration_seconds = Seconds::whole(seconds);
        task.metadata.duration_basis = Some(DurationBasis::Stated);
        task.agent_type = AgentType::new("writer").unwrap();
        task
    }

    fn example(text: &str, took_ms: u64) -> RoutedExample {
        let agent_type = AgentType::new("writer").unwrap();
        RoutedExample { text: text.to_owned(), agent_type, took_ms: Some(took_ms), cost: None, tokens: None }
    }

    #[test]
    fn the_longest_path_counts_and_not_the_sum() {
        // Paris: 30, then 25 after it, 20 beside them, 5 after all.
        let tasks = [task(1, &[], 30), task(2, &[1], 25), task(3, &[], 20), task(4, &[1, 2, 3], 5)];
        assert_eq!(duration(&tasks, None), Some(Seconds::whole(60)));
        assert_eq!(duration(&tasks, Some(1)), Some(Seconds::whole(80)));
    }

    #[test]
    fn circles_and_emptiness_take_no_time() {
        assert_eq!(duration(&[], None), Some(Seconds::ZERO));
        assert_eq!(duration(&[task(1, &[2], 3), task(2, &[1], 3)], None), Some(Seconds::ZERO));
    }

    #[test]
    fn a_default_is_no_estimate() {
        let mut guessed = task(2, &[1], 30);
        guessed.metadata.duration_basis = None;
        assert_eq!(duration(&[task(1, &[], 3), guessed], None), None);
    }

    #[test]
    fn the_same_task_counts_before_other_tasks_of_the_agent() {
        let one = task(1, &[], 30);
        let text = routing::task_text(&one);
        let mut history: Vec<_> = [60_000, 70_000, 80_000].map(|took| example("something else", took)).into();
        assert_eq!(from_history(&one, &history).map(|it| it.low), Some(Seconds::whole(60)));
        assert_eq!(from_history(&one, &history[..2]), None, "two attempts are no range");
        history.extend([8_000, 14_000, 9_000].map(|took| example(text, took)));
        let measured = from_history(&one, &history).unwrap();
        assert_eq!((measured.low, measured.high, measured.runs), (Seconds::whole(8), Seconds::whole(14), 3));
    }

    #[test]
    fn one_outlier_in_ten_is_left_out() {
        let one = task(1, &[], 30);
        let mut history: Vec<_> = (1..=9).map(|n| example("x", 1_000 * n)).collect();
        history.push(example("x", 3_600_000));
        let measured = from_history(&one, &history).unwrap();
        assert_eq!((measured.low, measured.high, measured.runs), (Seconds::whole(2), Seconds::whole(9), 10));
    }

    #[test]
    fn what_is_left_is_a_range_of_what_was_measured_or_nothing() {
        let mut tasks = [task(1, &[], 30), task(2, &[1], 30)];
        let history = [8_000, 9_000, 14_000].map(|took| example("x", took));
        assert_eq!(remaining(&tasks, None), None, "a stated duration is not measured");
        learn(&mut tasks, &history);
        assert_eq!(remaining(&tasks, None).map(|it| (it.low.get(), it.high.get())), Some((16.0, 28.0)));
        tasks[0].status = TaskStatus::Completed;
        assert_eq!(remaining(&tasks, None).map(|it| (it.low.get(), it.high.get())), Some((8.0, 14.0)));
        tasks[1].status = TaskStatus::Completed;
        assert_eq!(remaining(&tasks, None), None);
    }

    #[test]
    fn a_plan_costs_what_its_agents_charge() {
        let agent = |name: &str, price: f64| -> AgentCapability {
            candor_model::from_json(&format!(r#"{{"agent_type":"{name}","cost_per_invocation":{price}}}"#))
                .unwrap()
        };
        let mut one = task(1, &[], 1);
        one.agent_type = AgentType::new("dear").unwrap();
        let tasks = [one];
        assert_eq!(cost(&tasks, &[agent("dear", 0.5)]).map(Money::as_dollars), Some(0.5));
        assert_eq!(cost(&tasks, &[agent("dear", 0.0)]), None, "without a price there is no cost");
    }
}
