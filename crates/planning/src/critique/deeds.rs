//! The critique of the work itself, which the engine closes without a phase.

use std::collections::BTreeMap;

use candor_model::{CritiqueChecks, Handoff, Phase, SubTask, TaskStatus};

use super::{Work, checks};

/// How many tasks are read for what the work was about.
const ENOUGH_TASKS: usize = 200;

/// What tasks are about, in their own words: what the answers of agents can be compared by, since an answer
/// need not have a word in common with its question.
pub fn told_of_tasks<'a>(tasks: impl IntoIterator<Item = &'a SubTask>) -> String {
    let done = tasks.into_iter().filter(|task| task.status != TaskStatus::Skipped).take(ENOUGH_TASKS);
    done.map(|task| task.description.as_str()).collect::<Vec<_>>().join("\n")
}

/// Makes the five checks on the work of a plan, of which these are the tasks.
#[must_use]
pub fn of_execution<'a>(
    objective: &str,
    tasks: impl IntoIterator<Item = &'a SubTask>,
    handoff: &Handoff,
    earlier: &BTreeMap<Phase, Handoff>,
    expected_tokens: u64,
    past_errors: &[String],
) -> CritiqueChecks {
    let said = told_of_tasks(tasks);
    checks(&Work {
        phase: Phase::Execution,
        objective,
        handoff,
        earlier,
        said: &said,
        expected_tokens,
        past_errors,
    })
}
