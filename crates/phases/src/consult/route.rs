//! `route_task`: who gets a task when the figures do not tell two agents apart.

use std::collections::BTreeMap;
use std::sync::Arc;

use candor_model::Ask;
use candor_model::{AgentCapability, AgentType, SubTask, TaskId, Tier};
use candor_planning::routing;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Who gets the tasks, as a model says.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RouteAnswer {
    /// One for each task.
    #[schemars(length(max = 8))]
    pub(crate) choices: Vec<Choice>,
}

/// Who gets a task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Choice {
    /// The task.
    pub(crate) task_id: String,
    /// The agent.
    pub(crate) agent_type: String,
    /// Why.
    #[serde(default)]
    pub(crate) reason: String,
}

/// A task, and the agents that the figures do not tell apart.
pub(crate) type Tie<'t> = (&'t SubTask, Vec<AgentType>);

/// Asks who gets these tasks.
pub(crate) fn route_task(ties: &[Tie<'_>], agents: &[AgentCapability]) -> Ask {
    let mut ask = Ask::expecting::<RouteAnswer>("route_task", Tier::Fast);
    let names = |offered: &[AgentType]| offered.iter().map(AgentType::as_str).collect::<Vec<_>>().join(", ");
    let tasks: Vec<String> = ties
        .iter()
        .map(|(task, offered)| {
            format!("{}: {} (offered: {})", task.task_id, task.description, names(offered))
        })
        .collect();
    ask.slots.insert("task", tasks.join("\n"));
    let offered = agents.iter().filter(|agent| ties.iter().any(|(_, them)| them.contains(&agent.agent_type)));
    let texts: Vec<String> = offered.map(routing::agent_line).collect();
    ask.slots.insert("agents", texts.join("\n"));
    ask.max_output_tokens = 300;
    let fits = Arc::clone(&ask.check);
    let offered: BTreeMap<TaskId, Vec<AgentType>> =
        ties.iter().map(|(task, offered)| (task.task_id.clone(), offered.clone())).collect();
    ask.check = Arc::new(move |value: &Value| {
        let mut problems = fits(value);
        if let Ok(answer) = serde_json::from_value::<RouteAnswer>(value.clone()) {
            problems.extend(answer.problems(&offered));
        }
        problems
    });
    ask
}

impl RouteAnswer {
    /// The agent that was chosen for a task, and why.
    pub(crate) fn of(&self, task: &TaskId) -> Option<&Choice> {
        self.choices.iter().find(|choice| choice.task_id == task.as_str())
    }

    fn problems(&self, offered: &BTreeMap<TaskId, Vec<AgentType>>) -> Vec<String> {
        let mut problems = Vec::new();
        for (task, agents) in offered {
            let names: Vec<&str> = agents.iter().map(AgentType::as_str).collect();
            match self.of(task) {
                None => problems.push(format!("choices: there is none for {task}")),
                Some(choice) if !names.contains(&choice.agent_type.as_str()) => problems.push(format!(
                    "choices: `{}` is not offered for {task}; offered are {}",
                    choice.agent_type,
                    names.join(", ")
                )),
                Some(_) => {}
            }
        }
        problems
    }
}

#[cfg(test)]
mod tests {
    use candor_testkit::fixtures;
    use serde_json::json;

    use super::*;

    #[test]
    fn only_those_who_are_offered_can_be_chosen() {
        let task = fixtures::simple_task(1, "Search flights", &[], "tbd");
        let offered = vec![fixtures::agent_type("flight_agent"), fixtures::agent_type("backup_flight_agent")];
        let ask = route_task(&[(&task, offered)], &fixtures::full_registry());
        assert!(ask.slots["task"].contains("offered: flight_agent, backup_flight_agent"), "{:?}", ask.slots);
        let problems = |agent: &str| {
            (ask.check)(&json!({ "choices": [{ "task_id": "task_001", "agent_type": agent }] })).join("\n")
        };
        assert_eq!(problems("backup_flight_agent"), "");
        assert!(problems("hotel_agent").contains("offered are flight_agent"));
        assert!((ask.check)(&json!({ "choices": [] })).join("\n").contains("none for task_001"));
    }
}
