//! Generators for property tests: plans that are sound, plans that need not be, and feedback of all kinds.

use candor_model::{
    Confidence, ExecutionFeedback, FeedbackType, Plan, Priority, RankedAgent, Seconds, SubTask, TaskId, Text,
};
use proptest::prelude::*;

use crate::fixtures;

/// Agents that generated plans use.
pub const AGENTS: [&str; 6] = [
    "flight_agent",
    "hotel_agent",
    "activity_agent",
    "validation_agent",
    "backup_flight_agent",
    "transportation_agent",
];

/// Errors that agents report, those with a meaning for classification among them.
pub const ERRORS: [&str; 8] = [
    "Agent timeout after 10s",
    "Service UNAVAILABLE",
    "Task too complex to execute",
    "Total cost $2150 exceeds budget $2000",
    "Dependency task_001 failed",
    "Preferred hotel fully booked",
    "TimeoutException: stack trace follows",
    "",
];

/// A description that a person could have written.
pub fn description() -> impl Strategy<Value = Text> {
    prop_oneof![
        Just("Search for round-trip flights to Paris in May".to_owned()),
        Just("Find hotels in central Paris for 3 nights".to_owned()),
        Just("Book complete travel package (flight + hotel + activities)".to_owned()),
        Just("Validate total cost against $2000 budget".to_owned()),
        "[a-zA-Zñéü,;+() 0-9$]{1,60}",
    ]
    .prop_map(|text| Text::or(text, "Do something"))
}

/// A task with any content; its dependencies are left to the plan.
pub fn task(n: usize) -> impl Strategy<Value = SubTask> {
    let ranking = prop::sample::subsequence(AGENTS.to_vec(), 1..=AGENTS.len());
    (description(), 1..=10u8, 0.0..1000.0f64, ranking).prop_map(move |(text, priority, estimate, agents)| {
        let mut task = SubTask::new(TaskId::numbered(n), text, vec![format!("output_{n}")]);
        task.priority = Priority::new(priority).unwrap_or_default();
        task.estimated_duration_seconds = Seconds::new(estimate).unwrap_or_default();
        task.metadata.ranking = agents
            .iter()
            .enumerate()
            .map(|(place, name)| {
                let score = 0.95 - place as f64 * 0.1;
                RankedAgent { agent_type: fixtures::agent_type(name), score, similarity: score, chance: None }
            })
            .collect();
        task.agent_type = fixtures::agent_type(agents.first().copied().unwrap_or("flight_agent"));
        task
    })
}

/// A plan whose tasks depend on earlier ones only: always sound.
pub fn sound_plan(max_tasks: usize) -> impl Strategy<Value = Plan> {
    with_dependencies(max_tasks, |n, picks| {
        picks.into_iter().map(|pick| pick % n.max(1)).filter(|&d| d < n).collect()
    })
}

/// A plan whose tasks depend on anything: itself, later ones, ones that do not exist.
pub fn any_plan(max_tasks: usize) -> impl Strategy<Value = Plan> {
    with_dependencies(max_tasks, |_, picks| picks)
}

fn with_dependencies(
    max_tasks: usize,
    choose: fn(usize, Vec<usize>) -> Vec<usize>,
) -> impl Strategy<Value = Plan> {
    let tasks = (1..=max_tasks).prop_flat_map(|count| (1..=count).map(task).collect::<Vec<_>>());
    let picks = prop::collection::vec(prop::collection::vec(0..max_tasks + 1, 0..4), max_tasks);
    (tasks, picks, 0.0..=1.0f64).prop_map(move |(mut tasks, picks, score)| {
        for (n, (task, picks)) in tasks.iter_mut().zip(picks).enumerate() {
            let mut chosen = choose(n, picks);
            chosen.sort_unstable();
            chosen.dedup();
            task.dependencies = chosen.into_iter().map(|d| TaskId::numbered(d + 1)).collect();
        }
        fixtures::plan_of(tasks, Confidence::new(score).map_or(0.5, Confidence::get))
    })
}

/// Feedback of any kind on one of the first `tasks` tasks.
pub fn feedback(tasks: usize) -> impl Strategy<Value = ExecutionFeedback> {
    let kind = prop::sample::select(FeedbackType::ALL);
    let errors = prop::collection::vec(prop::sample::select(ERRORS.to_vec()), 0..3);
    let suggestion = prop::option::of(prop::sample::select(vec!["too complex, split it", "try later", ""]));
    (1..=tasks.max(1), kind, errors, suggestion).prop_map(|(n, kind, errors, suggestion)| {
        let mut feedback = fixtures::feedback(n, kind, &errors);
        feedback.suggested_adjustments = suggestion.map(str::to_owned);
        fixtures::typed(feedback)
    })
}
