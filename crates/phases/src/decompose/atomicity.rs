//! Whether a subtask is small enough for one agent, and how many of them a task should have.

use candor_model::SubTask;

/// From here a subtask costs too much, in tokens.
pub const TOO_MANY_TOKENS: u32 = 1_000;

/// How many subtasks a task should have; fewer are accepted with a note, more are spread over several tasks.
pub const FEWEST: usize = 3;
/// The most subtasks under one task.
pub const MOST: usize = 7;

/// Says what speaks against a subtask being one; nothing if it is.
#[must_use]
pub fn problems(task: &SubTask) -> Vec<String> {
    let name = task.metadata.place.as_deref().unwrap_or_else(|| task.task_id.as_str());
    let mut problems = Vec::new();
    let tokens = task.metadata.estimated_tokens.unwrap_or(0);
    if tokens >= TOO_MANY_TOKENS {
        problems.push(format!(
            "{name} is expected to take {tokens} tokens; a subtask should take fewer than {TOO_MANY_TOKENS}"
        ));
    }
    if task.metadata.validation.as_deref().is_none_or(|criterion| criterion.trim().is_empty()) {
        problems.push(format!("{name} does not say how its success is checked"));
    }
    problems
}
