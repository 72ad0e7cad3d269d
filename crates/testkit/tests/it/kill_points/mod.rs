//! A process may die between any two events: whoever takes the run up comes to the same end. Every kill point of
//! whole runs, not a sample.

mod world;

use std::collections::BTreeSet;

use candor_engine::RunState;
use candor_model::{EventBody, OutcomeRecord, Phase, RunStatus, TaskId};
use serde_json::{Value, json};

use self::world::{Living, Story};

/// Everything about the end of a run that matters to anybody.
fn essence(run: &Living) -> Value {
    let state = run.state();
    let plan = state.plan();
    let tasks = plan.iter().flat_map(|plan| &plan.subtasks);
    let tasks: Vec<Value> = tasks
        .map(|task| {
            json!([
                task.task_id,
                task.status,
                task.agent_type,
                task.dependencies,
                task.description,
                task.inputs,
                task.expected_outputs,
                task.priority,
                result(state, &task.task_id),
            ])
        })
        .collect();
    let prompts: Vec<Value> =
        state.prompts().iter().map(|it| json!([it.text, it.source, it.variant, it.score])).collect();
    json!({
        "status": state.status(),
        "request": state.request(),
        "prompts": prompts,
        "goal": state.goal(),
        "tasks": tasks,
        "revisions": plan.as_ref().map(|plan| plan.metadata.revisions_made()),
        "confidence": state.confidence(),
        "spent": state.spent(),
        "checkpoints": state.checkpoints().iter().map(|point| point.phase).collect::<Vec<_>>(),
        "completed": state.completed_phases(),
        "degradation": state.degradation().level,
        "outcome": outcome(run),
        "ledger": state.ledger().iter().map(|entry| json!([entry.key, entry.receipt])).collect::<Vec<_>>(),
    })
}

/// The result of a task that holds.
fn result(state: &RunState, id: &TaskId) -> Option<Value> {
    let last = state.feedback().iter().rev().find(|feedback| feedback.task_id == *id)?;
    Some(json!([last.feedback_type, last.actual_outputs]))
}

fn outcome(run: &Living) -> Option<Value> {
    run.log.iter().rev().find_map(|recorded| match &recorded.event.body {
        EventBody::OutcomeRecorded(OutcomeRecord { outcome, .. }) => {
            Some(json!([outcome.success, outcome.confidence_score, outcome.cost]))
        }
        _ => None,
    })
}

/// What two ends differ in, for whoever looks into it.
fn differences(expected: &Value, found: &Value) -> Vec<String> {
    let fields = expected.as_object().unwrap().keys();
    fields
        .filter(|field| expected[*field] != found[*field])
        .map(|field| format!("{field}: {} became {}", expected[field], found[field]))
        .collect()
}

/// Kills the process at every point of a story.
fn kill_everywhere(story: Story, status: RunStatus) {
    let whole = Living::through(story);
    assert_eq!(whole.state().status(), status, "{story:?}");
    let expected = essence(&whole);
    let boundaries: BTreeSet<usize> = whole.appends.iter().copied().collect();
    let mut problems = Vec::new();
    for cut in 1..=whole.log.len() {
        let again = whole.taken_up(cut);
        let differences = differences(&expected, &essence(&again));
        if !differences.is_empty() {
            let kind = if boundaries.contains(&cut) { "between appends" } else { "inside an append" };
            let last = format!("{:?}", whole.log[cut - 1].event.body);
            let last: String = last.chars().take(160).collect();
            problems.push(format!("{cut} ({kind}) after {last}\n    {}", differences.join("\n    ")));
        }
    }
    assert!(
        problems.is_empty(),
        "{story:?}: {} of {}\n{}",
        problems.len(),
        whole.log.len(),
        problems.join("\n")
    );
}

#[test]
fn a_plain_run_ends_the_same_wherever_it_is_killed() {
    // spec: orchestrator SM-05 SM-08
    kill_everywhere(Story::Plain, RunStatus::Completed);
}

#[test]
fn an_eventful_run_ends_the_same_wherever_it_is_killed() {
    // spec: orchestrator SM-05 SM-08
    kill_everywhere(Story::Eventful, RunStatus::Completed);
}

#[test]
fn a_run_that_asks_at_every_turn_ends_the_same_wherever_it_is_killed() {
    // spec: orchestrator SM-08
    kill_everywhere(Story::Asking, RunStatus::Completed);
}

#[test]
fn a_run_that_nobody_watches_ends_the_same_wherever_it_is_killed() {
    // spec: orchestrator SM-08 FD-08
    kill_everywhere(Story::Unattended, RunStatus::Completed);
}

#[test]
fn a_run_whose_agents_change_the_world_ends_the_same_wherever_it_is_killed() {
    // spec: beyond BY-01 BY-12 BY-27
    kill_everywhere(Story::Desks, RunStatus::Completed);
}

#[test]
fn the_stories_hold_what_they_are_told_for() {
    let says = |story, wanted: fn(&EventBody) -> bool| {
        Living::through(story).log.iter().any(|recorded| wanted(&recorded.event.body))
    };
    assert!(says(Story::Eventful, |body| matches!(body, EventBody::PromptChanged { .. })));
    assert!(says(
        Story::Desks,
        |body| matches!(body, EventBody::HumanAsked { gate, .. } if gate.as_str().starts_with("agent"))
    ));
    assert_eq!(Living::through(Story::Desks).state().ledger().len(), 4);
    assert!(says(Story::Eventful, |body| matches!(body, EventBody::PlanAnswered { .. })));
    assert!(says(Story::Eventful, |body| matches!(body, EventBody::Replanned { .. })));
    assert!(says(Story::Eventful, |body| matches!(body, EventBody::TaskReopened { .. })));
    assert!(says(Story::Eventful, |body| matches!(body, EventBody::ConfidenceChanged { .. })));
    assert!(says(Story::Unattended, |body| matches!(body, EventBody::HumanAnswered { .. })));
    let whole = Living::through(Story::Plain);
    let phases: Vec<Phase> = whole.state().completed_phases().iter().copied().collect();
    assert_eq!(phases, Phase::ALL, "all eight phases");
}

/// What was done before the death is not done again: no phase that was completed, no attempt that had ended.
#[test]
fn between_appends_nothing_that_was_done_is_done_again() {
    // spec: orchestrator SM-08
    for story in [Story::Plain, Story::Eventful, Story::Asking] {
        let whole = Living::through(story);
        let count = |run: &Living, wanted: fn(&EventBody) -> bool| {
            run.log.iter().filter(|recorded| wanted(&recorded.event.body)).count()
        };
        for &cut in &whole.appends {
            let again = whole.taken_up(cut);
            for wanted in [
                (|body| matches!(body, EventBody::PhaseStarted { .. })) as fn(&EventBody) -> bool,
                |body| matches!(body, EventBody::PhaseCompleted { .. }),
                |body| matches!(body, EventBody::TaskDispatched { .. }),
                |body| matches!(body, EventBody::HumanAsked { .. }),
                |body| matches!(body, EventBody::PlanProposed { .. }),
                |body| matches!(body, EventBody::Critiqued { .. }),
            ] {
                assert_eq!(count(&again, wanted), count(&whole, wanted), "{story:?}, killed at {cut}");
            }
        }
    }
}
