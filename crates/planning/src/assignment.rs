//! Whether every task has an agent that exists and can do it.
//!
//! Judges only; finding an agent is the business of [`crate::routing`].

use std::collections::BTreeSet;

use candor_model::{AgentCapability, AgentType, AssignmentResult, Share, SubTask};

/// Finds the tasks that have no agent, one that is not registered, or one that cannot do them.
///
/// An agent cannot do a task if the task's own ranking gives it no positive score.
#[must_use]
pub fn check(tasks: &[SubTask], agents: &[AgentCapability]) -> AssignmentResult {
    let registry = Registry::new(agents);
    judged(tasks, |task| unrouted(task).or_else(|| registry.problem(task)).or_else(|| unfit(task)))
}

/// Like [`check`], but a task whose agent is still to be chosen is nothing to complain about.
pub(crate) fn check_routed(tasks: &[SubTask], agents: &[AgentCapability]) -> AssignmentResult {
    let registry = Registry::new(agents);
    judged(tasks, |task| {
        if task.agent_type.is_tbd() { None } else { registry.problem(task).or_else(|| unfit(task)) }
    })
}

/// Finds the tasks whose own ranking says that their agent cannot do them; needs no registry.
pub(crate) fn check_fit(tasks: &[SubTask]) -> AssignmentResult {
    judged(tasks, unfit)
}

fn judged(tasks: &[SubTask], problem: impl Fn(&SubTask) -> Option<String>) -> AssignmentResult {
    let errors: Vec<_> = tasks.iter().filter_map(problem).collect();
    let accuracy = Share::of(tasks.len() - errors.len(), tasks.len());
    AssignmentResult { is_valid: errors.is_empty(), errors, accuracy }
}

struct Registry<'a>(BTreeSet<&'a AgentType>);

impl<'a> Registry<'a> {
    fn new(agents: &'a [AgentCapability]) -> Self {
        Self(agents.iter().map(|agent| &agent.agent_type).collect())
    }

    fn problem(&self, task: &SubTask) -> Option<String> {
        let SubTask { task_id, agent_type, .. } = task;
        (!self.0.contains(agent_type))
            .then(|| format!("{task_id} is assigned to {agent_type}, which is not registered"))
    }
}

fn unrouted(task: &SubTask) -> Option<String> {
    task.agent_type.is_tbd().then(|| format!("{} has no agent yet", task.task_id))
}

fn unfit(task: &SubTask) -> Option<String> {
    let SubTask { task_id, agent_type, metadata, .. } = task;
    let ranked = metadata.ranking.iter().find(|ranked| ranked.agent_type == *agent_type)?;
    let fits = ranked.score > 0.0;
    (!fits).then(|| {
        format!("{task_id} is assigned to {agent_type}, which cannot do it (score {})", ranked.score)
    })
}
