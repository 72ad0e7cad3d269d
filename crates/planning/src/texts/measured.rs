//! How long things take and what they cost, said with what is known of it.

use std::collections::BTreeMap;

use candor_model::{DurationBasis, MeasuredCost, MeasuredTime, MeasuredTokens, PlanBrief, SubTask};

/// `8–14 s, from 12 runs`.
#[must_use]
pub fn measured(time: MeasuredTime) -> String {
    format!("{}, from {} runs", time_span(time), time.runs)
}

/// `$0.02–$0.03, from 5 runs`.
#[must_use]
pub fn measured_cost(cost: MeasuredCost) -> String {
    let span = if cost.low == cost.high {
        format!("${}", cost.low)
    } else {
        format!("${}–${}", cost.low, cost.high)
    };
    format!("{span}, from {} runs", cost.runs)
}

/// `1200–1900 tokens, from 5 runs`.
#[must_use]
pub fn measured_tokens(tokens: MeasuredTokens) -> String {
    let MeasuredTokens { low, high, runs } = tokens;
    let span = if low == high { low.to_string() } else { format!("{low}–{high}") };
    format!("{span} tokens, from {runs} runs")
}

/// `8–14 s`.
#[must_use]
pub fn time_span(time: MeasuredTime) -> String {
    span(time.low.get(), time.high.get())
}

/// How long a task takes and how that is known; nothing if nobody knows.
#[must_use]
pub fn basis(task: &SubTask) -> Option<String> {
    let seconds = task.estimated_duration_seconds.get();
    Some(match task.metadata.duration_basis? {
        DurationBasis::Measured(time) => measured(time),
        DurationBasis::Stated => format!("{}, stated in the plan", span(seconds, seconds)),
    })
}

/// How many tasks a plan has, and how many of them run at once at most.
#[must_use]
pub fn side_by_side(brief: &PlanBrief) -> String {
    let mut groups = BTreeMap::<u32, usize>::new();
    for group in brief.subtasks.iter().filter_map(|task| task.parallel_group) {
        *groups.entry(group).or_default() += 1;
    }
    let tasks = brief.subtasks.len();
    match (tasks, groups.values().max().copied().unwrap_or(1)) {
        (1, _) => "1 task".to_owned(),
        (tasks, ..=1) => format!("{tasks} tasks, one after the other"),
        (tasks, most) => format!("{tasks} tasks, up to {most} at once"),
    }
}

/// Both ends in the unit that suits the upper one.
fn span(low: f64, high: f64) -> String {
    let (unit, name) = match high {
        ..120.0 => (1.0, "s"),
        ..7_200.0 => (60.0, "min"),
        _ => (3_600.0, "h"),
    };
    let digits = usize::from(high / unit < 9.95);
    let [low, high] = [low, high].map(|seconds| format!("{:.digits$}", seconds / unit));
    if low == high { format!("{high} {name}") } else { format!("{low}–{high} {name}") }
}

#[cfg(test)]
mod tests {
    use candor_model::Seconds;

    use super::*;

    #[test]
    fn a_range_is_said_in_one_unit() {
        let said = |low: f64, high: f64| {
            let [low, high] = [low, high].map(|seconds| Seconds::new(seconds).unwrap());
            measured(MeasuredTime { low, high, runs: 12 })
        };
        assert_eq!(said(8.0, 14.4), "8–14 s, from 12 runs");
        assert_eq!(said(0.21, 1.44), "0.2–1.4 s, from 12 runs");
        assert_eq!(said(0.01, 0.02), "0.0 s, from 12 runs");
        assert_eq!(said(90.0, 200.0), "1.5–3.3 min, from 12 runs");
        assert_eq!(said(3_600.0, 36_000.0), "1–10 h, from 12 runs");
    }
}
