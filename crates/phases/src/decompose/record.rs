//! The breakdown as data for the next phase and for people.

use candor_model::{AgentCapability, JsonMap, Money, Priority, SubTask};
use candor_planning::estimate;
use serde_json::{Value, json};

use super::decomposer::parent_of;
use super::{Breakdown, groups};

/// The most tasks of which everything is written out; of more, only the count.
pub(crate) const LONGEST_RECORD: usize = 200;

/// What the phase hands over beside the tasks themselves.
pub(crate) fn record(made: &Breakdown, agents: &[AgentCapability]) -> JsonMap {
    let Breakdown { listing, tasks, .. } = made;
    let mut data = match serde_json::to_value(listing) {
        Ok(Value::Object(map)) => map,
        _ => JsonMap::new(),
    };
    let mut add = |key: &str, value: Value| data.insert(key.to_owned(), value);
    add("decomposition", decomposition(made));
    add("executionPlan", execution_plan(tasks, agents));
    add("tasks", tasks.iter().map(told).collect());
    add("estimatedTotalTokens", json!(tokens(tasks)));
    add("suggestedExecution", json!(suggested(tasks)));
    data
}

/// The subtasks under their high-level tasks.
fn decomposition(made: &Breakdown) -> Value {
    let under = |id: &str| -> Vec<Value> {
        made.tasks
            .iter()
            .filter(|task| parent_of(task) == Some(id))
            .map(|task| subtask(task, &made.tasks))
            .collect()
    };
    let parents = made.listing.high_level_tasks.iter();
    parents.map(|parent| json!({ "parentTask": parent.id, "subtasks": under(&parent.id) })).collect()
}

fn subtask(task: &SubTask, all: &[SubTask]) -> Value {
    let blocked_by: Vec<&str> =
        all.iter().filter(|other| task.dependencies.contains(&other.task_id)).map(name_of).collect();
    json!({
        "id": name_of(task),
        "taskId": task.task_id,
        "action": task.description,
        "files": task.metadata.files,
        "tools": task.metadata.tools,
        "validation": task.metadata.validation,
        "estimatedTokens": task.metadata.estimated_tokens,
        "assignedModel": task.metadata.tier,
        "canParallelize": task.metadata.parallel_group.is_some(),
        "blockedBy": blocked_by,
    })
}

fn name_of(task: &SubTask) -> &str {
    task.metadata.place.as_deref().unwrap_or_else(|| task.task_id.as_str())
}

/// In which order, what side by side, and what it will probably take. Nobody is chosen yet: the price is that of
/// an average agent for each task.
fn execution_plan(tasks: &[SubTask], agents: &[AgentCapability]) -> Value {
    let name = |at: usize| tasks.get(at).map(name_of);
    let order: Vec<&str> = groups::order(tasks).into_iter().filter_map(name).collect();
    let parallel: Vec<Vec<&str>> = groups::parallel(tasks)
        .into_iter()
        .map(|group| group.into_iter().filter_map(name).collect())
        .collect();
    let all: Money = agents.iter().map(|agent| agent.cost_per_invocation).sum();
    let each = all.micros().checked_div(agents.len() as u64).unwrap_or(0);
    json!({
        "sequential": order,
        "parallel": parallel,
        "totalSubtasks": tasks.len(),
        "estimatedDuration": estimate::critical_path(tasks),
        "estimatedTokens": tokens(tasks),
        "estimatedCost": Money::from_micros(each.saturating_mul(tasks.len() as u64)),
    })
}

fn tokens(tasks: &[SubTask]) -> u64 {
    tasks.iter().map(|task| u64::from(task.metadata.estimated_tokens.unwrap_or(0))).sum()
}

fn told(task: &SubTask) -> Value {
    let name = task.metadata.name.as_deref().unwrap_or_else(|| task.description.as_str());
    json!({ "id": task.task_id, "name": name, "priority": level(task.priority), "deps": task.dependencies })
}

/// The priority in three steps.
const fn level(priority: Priority) -> &'static str {
    match priority.get() {
        0..=3 => "low",
        4..=7 => "medium",
        _ => "high",
    }
}

fn suggested(tasks: &[SubTask]) -> &'static str {
    let grouped: usize = groups::parallel(tasks).iter().map(Vec::len).sum();
    match grouped {
        0 => "sequential",
        all if all == tasks.len() => "parallel",
        _ => "sequential_with_parallel_groups",
    }
}
