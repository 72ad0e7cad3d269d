//! The breakdown as data for the next phase and for people.

use candor_model::handoff::{
    BreakdownRecord, ExecutionOutline, PriorityLevel, SubtaskLine, SuggestedExecution, TaskGroup, TaskLine,
};
use candor_model::{AgentCapability, Money, Priority, SubTask};
use candor_planning::estimate;

use super::decomposer::parent_of;
use super::{Breakdown, groups};

/// The most tasks of which everything is written out; of more, only the count.
pub(crate) const LONGEST_RECORD: usize = 200;

/// What the phase hands over beside the tasks themselves.
pub(crate) fn record(made: &Breakdown, agents: &[AgentCapability]) -> BreakdownRecord {
    let tasks = &made.tasks;
    BreakdownRecord {
        decomposition: decomposition(made),
        execution_plan: execution_plan(tasks, agents),
        tasks: tasks.iter().map(told).collect(),
        estimated_total_tokens: tokens(tasks),
        suggested_execution: suggested(tasks),
    }
}

/// The subtasks under their high-level tasks.
fn decomposition(made: &Breakdown) -> Vec<TaskGroup> {
    let under = |id: &str| -> Vec<SubtaskLine> {
        made.tasks
            .iter()
            .filter(|task| parent_of(task) == Some(id))
            .map(|task| subtask(task, &made.tasks))
            .collect()
    };
    let parents = made.listing.high_level_tasks.iter();
    parents.map(|parent| TaskGroup { parent_task: parent.id.clone(), subtasks: under(&parent.id) }).collect()
}

fn subtask(task: &SubTask, all: &[SubTask]) -> SubtaskLine {
    let before = all.iter().filter(|other| task.dependencies.contains(&other.task_id));
    SubtaskLine {
        id: name_of(task).to_owned(),
        task_id: task.task_id.clone(),
        action: task.description.to_string(),
        files: task.metadata.files.clone(),
        tools: task.metadata.tools.clone(),
        validation: task.metadata.validation.clone(),
        estimated_tokens: task.metadata.estimated_tokens,
        assigned_model: task.metadata.tier,
        can_parallelize: task.metadata.parallel_group.is_some(),
        blocked_by: before.map(|other| name_of(other).to_owned()).collect(),
    }
}

fn name_of(task: &SubTask) -> &str {
    task.metadata.place.as_deref().unwrap_or_else(|| task.task_id.as_str())
}

/// In which order, what side by side, and what it will probably take. Nobody is chosen yet: the price is that of
/// an average agent for each task.
fn execution_plan(tasks: &[SubTask], agents: &[AgentCapability]) -> ExecutionOutline {
    let name = |at: usize| tasks.get(at).map(|task| name_of(task).to_owned());
    let groups = groups::parallel(tasks).into_iter();
    let all: Money = agents.iter().map(|agent| agent.cost_per_invocation).sum();
    let each = all.micros().checked_div(agents.len() as u64).unwrap_or(0);
    ExecutionOutline {
        sequential: groups::order(tasks).into_iter().filter_map(name).collect(),
        parallel: groups.map(|group| group.into_iter().filter_map(name).collect()).collect(),
        total_subtasks: tasks.len(),
        estimated_duration: estimate::duration(tasks, None),
        estimated_tokens: tokens(tasks),
        estimated_cost: (each > 0).then(|| Money::from_micros(each.saturating_mul(tasks.len() as u64))),
    }
}

fn tokens(tasks: &[SubTask]) -> u64 {
    tasks.iter().map(|task| u64::from(task.metadata.estimated_tokens.unwrap_or(0))).sum()
}

fn told(task: &SubTask) -> TaskLine {
    let name = task.metadata.name.as_deref().unwrap_or_else(|| task.description.as_str());
    TaskLine {
        id: task.task_id.clone(),
        name: name.to_owned(),
        priority: level(task.priority),
        deps: task.dependencies.clone(),
    }
}

/// The priority in three steps.
const fn level(priority: Priority) -> PriorityLevel {
    match priority.get() {
        0..=3 => PriorityLevel::Low,
        4..=7 => PriorityLevel::Medium,
        _ => PriorityLevel::High,
    }
}

fn suggested(tasks: &[SubTask]) -> SuggestedExecution {
    let grouped: usize = groups::parallel(tasks).iter().map(Vec::len).sum();
    match grouped {
        0 => SuggestedExecution::Sequential,
        all if all == tasks.len() => SuggestedExecution::Parallel,
        _ => SuggestedExecution::Mixed,
    }
}
