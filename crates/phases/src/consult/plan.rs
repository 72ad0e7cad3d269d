//! `plan`: how to go about it, how sure one can be, what may go wrong, and other ways.

use candor_model::{AgentCapability, Ask, ExecutionStrategy, Goal, SubTask, Tier};
use candor_planning::routing;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::phase::planning::specialists::ANSWERS;

/// What a model thinks of a plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlanAnswer {
    /// How the tasks are carried out.
    pub(crate) strategy: Strategy,
    /// How sure one can be that it works, from 0 to 1.
    #[schemars(range(min = 0, max = 1))]
    pub(crate) confidence: f64,
    /// What may go wrong.
    #[schemars(length(max = 6))]
    pub(crate) risks: Vec<String>,
    /// Other ways to do it.
    #[schemars(length(min = 2, max = 4))]
    pub(crate) alternatives: Vec<OtherWay>,
}

/// How tasks are carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Strategy {
    /// One after the other.
    Sequential,
    /// All at once.
    Parallel,
    /// In parallel where possible, one after the other where required.
    Hybrid,
}

impl From<Strategy> for ExecutionStrategy {
    fn from(strategy: Strategy) -> Self {
        match strategy {
            Strategy::Sequential => Self::Sequential,
            Strategy::Parallel => Self::Parallel,
            Strategy::Hybrid => Self::Hybrid,
        }
    }
}

/// Another way to do it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct OtherWay {
    /// In two words.
    pub(crate) name: String,
    /// What would be done otherwise.
    pub(crate) description: String,
    /// What one gains and loses.
    pub(crate) trade_off: String,
}

/// Asks what a model thinks of these tasks and who does them.
pub(crate) fn plan(goal: &Goal, tasks: &[SubTask], agents: &[AgentCapability]) -> Ask {
    let mut ask = Ask::expecting::<PlanAnswer>("plan", Tier::Strong);
    ask.slots.insert("goal", goal.description.to_string());
    let known = tasks.first().and_then(|task| task.inputs.get(ANSWERS));
    let known = known.map(|known| format!("\nWhat specialists answered: {known}")).unwrap_or_default();
    ask.slots.insert("tasks", task_lines(tasks) + &known);
    let chosen = agents.iter().filter(|agent| tasks.iter().any(|task| task.agent_type == agent.agent_type));
    let texts: Vec<String> = chosen.map(routing::agent_line).collect();
    ask.slots.insert("agents", texts.join("\n"));
    ask.max_output_tokens = 600;
    ask
}

/// How many tasks a model is told.
const MAX_TOLD: usize = 100;

/// The tasks in lines: what, after what, by whom.
pub(crate) fn task_lines(tasks: &[SubTask]) -> String {
    let line = |task: &SubTask| {
        let needs: Vec<&str> = task.dependencies.iter().map(|id| id.as_str()).collect();
        let needs = if needs.is_empty() { String::new() } else { format!(" (after {})", needs.join(", ")) };
        format!("{}: {}{needs}, by {}", task.task_id, task.description, task.agent_type)
    };
    tasks.iter().take(MAX_TOLD).map(line).collect::<Vec<_>>().join("\n")
}
