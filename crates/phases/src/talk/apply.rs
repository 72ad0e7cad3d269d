//! Makes the changes that a person wants: all of them, or none.

use std::collections::BTreeSet;

use candor_model::{
    Adjustment, AgentCapability, AgentType, Plan, RankedAgent, SubTask, TaskId, TaskMetadata,
};
use candor_planning::approval;
use serde_json::{Value, json};

use super::Edit;
use super::reference::told;
use crate::decompose::{furnish, groups};

/// How well an agent must fit, as a share of the best, to be worth its lower price.
const GOOD_ENOUGH: f64 = 0.5;
/// By how much an agent must succeed more often to be worth a change.
const CLEARLY_MORE: f64 = 0.05;

/// Fields of a task that are set by their own name; every other key is a parameter.
const FIELDS: &[&str] = &[
    "description",
    "priority",
    "dependencies",
    "expected_outputs",
    "estimated_duration_seconds",
    "retry_policy",
];

/// A plan after its changes.
#[derive(Debug, Clone, PartialEq)]
pub struct Changed {
    /// The plan. Tasks whose words changed have no agent yet.
    pub plan: Plan,
    /// What was changed, a line each, with everything that follows from it.
    pub told: Vec<String>,
    /// The tasks whose agent the person named.
    pub named: BTreeSet<TaskId>,
}

/// Makes these changes to a copy of the plan.
///
/// # Errors
/// In plain words, what stands against one of them; then none is made.
pub fn apply(plan: &Plan, agents: &[AgentCapability], edits: &[Edit]) -> Result<Changed, String> {
    let mut made = Changed { plan: plan.clone(), told: Vec::new(), named: BTreeSet::new() };
    for edit in edits {
        made.apply(agents, edit)?;
    }
    if approval::digest(plan) == approval::digest(&made.plan) && same_names(plan, &made.plan) {
        return Err("that would change nothing: the plan is like this already".to_owned());
    }
    made.refresh(plan);
    Ok(made)
}

impl Changed {
    fn apply(&mut self, agents: &[AgentCapability], edit: &Edit) -> Result<(), String> {
        match edit {
            Edit::Remove(task) => return self.remove(task),
            Edit::After(task, first) => return self.order(task, first),
            Edit::Cheaper => {
                let none = "no cheaper agent fits any task well enough";
                return self.give(&|task| Some((cheapest_for(task, agents)?, String::new())), none);
            }
            Edit::Reliable => {
                let none = "no agent that fits well enough succeeds more often";
                return self.give(&|task| steadiest_for(task, agents), none);
            }
            Edit::Agent(task, agent) => {
                self.set(task, "agent_type", json!(agent))?;
                self.named.insert(task.clone());
            }
            Edit::Priority(task, priority) => self.set(task, "priority", json!(priority))?,
            Edit::Describe(task, text) => self.set(task, "description", json!(text))?,
            Edit::Set(task, key, value) => {
                let field =
                    if FIELDS.contains(&key.as_str()) { key.clone() } else { format!("inputs.{key}") };
                self.set(task, &field, value.clone())?;
            }
            Edit::Rename(task, name) => self.task(task)?.metadata.name = Some(name.clone()),
            Edit::Strategy(strategy) => self.plan.execution_strategy = *strategy,
        }
        self.told.push(edit.to_string());
        Ok(())
    }

    fn task(&mut self, id: &TaskId) -> Result<&mut SubTask, String> {
        self.plan.task_mut(id).ok_or_else(|| format!("the plan has no task {id}"))
    }

    fn set(&mut self, task: &TaskId, field: &str, new_value: Value) -> Result<(), String> {
        let adjustment = Adjustment { task_id: task.clone(), field: field.to_owned(), new_value };
        self.plan = approval::adjust(&self.plan, &[adjustment]).map_err(|error| error.to_string())?;
        Ok(())
    }

    fn remove(&mut self, id: &TaskId) -> Result<(), String> {
        let task = told(self.task(id)?);
        if self.plan.subtasks.len() < 2 {
            return Err(format!("without {task} nothing would be left of the plan; reject it instead"));
        }
        self.plan.subtasks.retain(|task| task.task_id != *id);
        let mut freed = Vec::new();
        for other in self.plan.subtasks.iter_mut().filter(|other| other.dependencies.contains(id)) {
            other.dependencies.retain(|needed| needed != id);
            freed.push(other.task_id.to_string());
        }
        let follows = match freed.as_slice() {
            [] => String::new(),
            freed => format!("; {} no longer wait for it and go without its results", freed.join(", ")),
        };
        self.told.push(format!("{task} is left out{follows}"));
        Ok(())
    }

    /// The task waits for another. If the other waited for it, that is turned round.
    fn order(&mut self, id: &TaskId, first: &TaskId) -> Result<(), String> {
        if id == first {
            return Err(format!("{id} cannot wait for itself"));
        }
        let mut told = format!("{id} waits for {first}");
        let other = self.task(first)?;
        if other.dependencies.contains(id) {
            let needs: Vec<TaskId> = other.dependencies.iter().filter(|need| *need != id).cloned().collect();
            self.set(first, "dependencies", json!(needs))?;
            told.push_str(&format!("; {first} no longer waits for {id}"));
        }
        let mut needs = self.task(id)?.dependencies.clone();
        if !needs.contains(first) {
            needs.push(first.clone());
        }
        self.set(id, "dependencies", json!(needs))?;
        self.told.push(told);
        Ok(())
    }

    /// Gives each task that has a better agent, by what `better` looks for, to that one.
    fn give(
        &mut self,
        better: &dyn Fn(&SubTask) -> Option<(AgentType, String)>,
        none: &str,
    ) -> Result<(), String> {
        let mut given = Vec::new();
        for task in &mut self.plan.subtasks {
            if let Some((agent, why)) = better(task) {
                given.push(format!("{} goes to {agent} instead of {}{why}", task.task_id, task.agent_type));
                task.agent_type = agent;
            }
        }
        if given.is_empty() {
            return Err(none.to_owned());
        }
        self.told.extend(given);
        Ok(())
    }

    /// Brings what follows from a task's words and from the order up to date.
    fn refresh(&mut self, before: &Plan) {
        let has_places = before.subtasks.iter().any(|task| task.metadata.place.is_some());
        for task in &mut self.plan.subtasks {
            let same_words =
                before.task(&task.task_id).is_some_and(|old| old.description == task.description);
            if !same_words && has_places {
                let TaskMetadata { name, place, other, .. } = std::mem::take(&mut task.metadata);
                task.metadata = TaskMetadata { name, place, other, ..TaskMetadata::default() };
                furnish(task);
            }
        }
        if has_places {
            groups::mark(&mut self.plan.subtasks);
        }
        self.plan.estimated_total_duration = self.plan.total_estimate();
    }
}

fn same_names(one: &Plan, other: &Plan) -> bool {
    let names = |plan: &Plan| -> Vec<Option<String>> {
        plan.subtasks.iter().map(|task| task.metadata.name.clone()).collect()
    };
    names(one) == names(other)
}

/// The cheapest agent that fits at least half as well as the best, if it is cheaper than the task's own.
fn cheapest_for(task: &SubTask, agents: &[AgentCapability]) -> Option<AgentType> {
    let price = |name: &AgentType| {
        agents.iter().find(|agent| agent.agent_type == *name).map(|agent| agent.cost_per_invocation)
    };
    let priced = fitting(task).filter_map(|ranked| Some((price(&ranked.agent_type)?, &ranked.agent_type)));
    let (least, agent) = priced.min_by_key(|(price, _)| *price)?;
    (least < price(&task.agent_type)?).then(|| agent.clone())
}

/// Those who fit a task at least half as well as the best.
fn fitting(task: &SubTask) -> impl Iterator<Item = &RankedAgent> {
    let best = task.metadata.ranking.first().map_or(f64::INFINITY, |best| best.score);
    task.metadata.ranking.iter().filter(move |ranked| ranked.score >= best * GOOD_ENOUGH)
}

/// The agent that succeeds most often among those that fit, if it does so clearly more often than the task's own.
fn steadiest_for(task: &SubTask, agents: &[AgentCapability]) -> Option<(AgentType, String)> {
    let rate = |name: &AgentType| {
        agents.iter().find(|agent| agent.agent_type == *name).map(|agent| agent.success_rate.get())
    };
    let own = rate(&task.agent_type)?;
    let rated = fitting(task).filter_map(|ranked| Some((rate(&ranked.agent_type)?, &ranked.agent_type)));
    let (most, agent) = rated.max_by(|(one, _), (other, _)| one.total_cmp(other))?;
    let why = || format!(" ({:.0} % of its attempts succeed, not {:.0} %)", most * 100.0, own * 100.0);
    (most >= own + CLEARLY_MORE).then(|| (agent.clone(), why()))
}
