//! What a new task takes over from the one whose place it takes.
//!
//! Owns the thread that runs through retries, workarounds and parts: the origin, the count and texts of
//! failures, and the agents that were tried. Descriptions and ids are derived from the first of the line, so
//! that neither grows with the number of attempts.

use candor_model::{AgentType, Plan, PlanRevision, SubTask, TaskId, TaskStatus};

/// Marks the id of a task that is tried with another agent.
pub(crate) const RETRY: &str = "_retry";
/// Marks the id of a task that takes another way.
pub(crate) const WORKAROUND: &str = "_workaround";

/// The same task under a new id, ready to run, with the history of the old one.
pub(crate) fn successor(task: &SubTask, id: TaskId) -> SubTask {
    let mut next = task.clone();
    next.metadata.original_task_id = Some(task.origin().clone());
    next.task_id = id;
    next.status = TaskStatus::Pending;
    next
}

/// Like [`successor`], for a task so different that an agent must be found for it anew.
pub(crate) fn unrouted_successor(task: &SubTask, id: TaskId) -> SubTask {
    let mut next = successor(task, id);
    next.agent_type = AgentType::tbd();
    next.metadata.ranking.clear();
    next
}

/// The id that ids of successors are made of: `task_001` for `task_001_retry2`.
///
/// A part of a task is the first of a line of its own; an id that only looks like a retry's is left alone.
pub(crate) fn stem(task: &SubTask) -> TaskId {
    let own = &task.task_id;
    if task.metadata.original_task_id.is_none() {
        return own.clone();
    }
    let unnumbered = own.as_str().trim_end_matches(|c: char| c.is_ascii_digit());
    let bare = [RETRY, WORKAROUND].iter().find_map(|suffix| unnumbered.strip_suffix(suffix));
    bare.and_then(|text| TaskId::new(text).ok()).unwrap_or_else(|| own.clone())
}

/// Whether `task` was made to stand in for the task `id`, which may be a stand-in itself.
pub(crate) fn stands_in_for(task: &SubTask, id: &TaskId, its_stem: &TaskId) -> bool {
    task.metadata.original_task_id.is_some()
        && task.task_id != *id
        && (task.metadata.original_task_id.as_ref() == Some(id) || stem(task) == *its_stem)
}

/// How many revisions were made for a task and those it goes back to.
pub(crate) fn revisions(plan: &Plan, task: &SubTask) -> usize {
    let origin = task.origin();
    let of_line = |revision: &&PlanRevision| revision.new_subtasks.iter().any(|new| new.origin() == origin);
    plan.metadata.revisions.iter().filter(of_line).count()
}
