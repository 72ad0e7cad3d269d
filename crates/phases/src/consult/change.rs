//! `change_plan`: a change of the plan in a person's words, as edits that can be checked.

use std::sync::Arc;

use candor_model::Ask;
use candor_model::{AgentCapability, Plan, Tier};
use candor_planning::routing;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::task_lines;
use crate::talk::Edit;

/// A change as a model understands it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChangeAnswer {
    /// The edits, in the order in which they are made.
    #[serde(default)]
    #[schemars(length(max = 20))]
    pub(crate) edits: Vec<EditAnswer>,
    /// The part of the person's words that no edit can say; absent if there is none.
    #[serde(default)]
    pub(crate) not_understood: Option<String>,
}

/// One edit as a model gives it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EditAnswer {
    /// What is done.
    action: Action,
    /// The task.
    #[serde(default)]
    task_id: Option<String>,
    /// The task that comes first, for `after`; the agent, the text, the number or the strategy otherwise.
    #[serde(default)]
    value: Option<Value>,
    /// The parameter, for `set`.
    #[serde(default)]
    key: Option<String>,
}

/// What can be done to a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Action {
    /// Leave the task out.
    Remove,
    /// Give the task to an agent.
    UseAgent,
    /// Set the task's priority.
    Priority,
    /// The task waits for another.
    After,
    /// Give the task another name.
    Rename,
    /// Say otherwise what is to be done.
    Describe,
    /// Set a parameter of the task.
    Set,
    /// How all tasks are carried out.
    Strategy,
    /// The cheapest agents that fit.
    Cheaper,
}

impl ChangeAnswer {
    /// The edits for this plan; the error says what is wrong with them.
    pub(crate) fn edits(&self, plan: &Plan, agents: &[AgentCapability]) -> Result<Vec<Edit>, String> {
        let read = |(n, edit): (usize, &EditAnswer)| {
            edit.edit(plan, agents).map_err(|problem| format!("edits[{n}]: {problem}"))
        };
        self.edits.iter().enumerate().map(read).collect()
    }

    /// What was not understood, if anything.
    pub(crate) fn left_over(&self) -> Option<&str> {
        self.not_understood.as_deref().map(str::trim).filter(|text| !text.is_empty())
    }
}

impl EditAnswer {
    fn edit(&self, plan: &Plan, agents: &[AgentCapability]) -> Result<Edit, String> {
        let task = || {
            let id = self.task_id.as_deref().ok_or("task_id is missing")?;
            known(plan, id)
        };
        let text = || {
            let value = self.value.as_ref().ok_or("value is missing")?;
            Ok::<String, String>(value.as_str().map_or_else(|| value.to_string(), str::to_owned))
        };
        Ok(match self.action {
            Action::Remove => Edit::Remove(task()?),
            Action::UseAgent => {
                let name = text()?;
                let agent = agents.iter().find(|agent| agent.agent_type.as_str() == name);
                let agent = agent.ok_or_else(|| format!("`{name}` is none of the agents"))?;
                Edit::Agent(task()?, agent.agent_type.clone())
            }
            Action::Priority => {
                let number = text()?.parse().map_err(|_| "value must be a number from 1 to 10".to_owned())?;
                Edit::Priority(task()?, number)
            }
            Action::After => Edit::After(task()?, known(plan, &text()?)?),
            Action::Rename => Edit::Rename(task()?, text()?),
            Action::Describe => Edit::Describe(task()?, text()?),
            Action::Set => {
                let key = self.key.clone().ok_or("key is missing")?;
                Edit::Set(task()?, key, self.value.clone().ok_or("value is missing")?)
            }
            Action::Strategy => {
                Edit::Strategy(text()?.parse().map_err(|error: candor_model::ValidationError| error.problem)?)
            }
            Action::Cheaper => Edit::Cheaper,
        })
    }
}

fn known(plan: &Plan, id: &str) -> Result<candor_model::TaskId, String> {
    let found = plan.subtasks.iter().find(|task| task.task_id.as_str() == id);
    found.map(|task| task.task_id.clone()).ok_or_else(|| format!("`{id}` is no task of the plan"))
}

/// Asks what a person's words change in a plan.
pub(crate) fn change_plan(words: &str, plan: &Plan, agents: &[AgentCapability]) -> Ask {
    let mut ask = Ask::expecting::<ChangeAnswer>("change_plan", Tier::Strong);
    let routable = agents.iter().filter(|agent| !routing::is_last_resort(&agent.agent_type));
    let names: Vec<&str> = routable.map(|agent| agent.agent_type.as_str()).collect();
    ask.slots.insert("change", words.to_owned());
    ask.slots.insert("tasks", task_lines(&plan.subtasks));
    ask.slots.insert("agents", names.join(", "));
    ask.slots.insert("strategy", plan.execution_strategy.to_string());
    ask.max_output_tokens = 600;
    let fits = Arc::clone(&ask.check);
    let (plan, agents) = (plan.clone(), agents.to_vec());
    ask.check = Arc::new(move |value: &Value| {
        let mut problems = fits(value);
        if let Ok(answer) = serde_json::from_value::<ChangeAnswer>(value.clone()) {
            if answer.edits.is_empty() && answer.left_over().is_none() {
                problems.push("edits: there is none, and not_understood says nothing".to_owned());
            }
            let applied =
                answer.edits(&plan, &agents).and_then(|edits| crate::talk::apply(&plan, &agents, &edits));
            problems.extend(applied.err());
        }
        problems
    });
    ask
}

#[cfg(test)]
mod tests {
    use candor_testkit::fixtures;
    use serde_json::json;

    use super::*;

    fn problems(edits: &Value) -> String {
        let ask = change_plan("…", &fixtures::paris_plan(), &fixtures::full_registry());
        (ask.check)(&json!({ "edits": edits })).join("\n")
    }

    #[test]
    fn edits_of_what_is_not_there_or_cannot_be_are_refused() {
        // spec: orchestrator IP-06
        assert_eq!(problems(&json!([{ "action": "remove", "task_id": "task_003" }])), "");
        assert!(
            problems(&json!([{ "action": "remove", "task_id": "task_9" }])).contains("no task of the plan")
        );
        let agent = json!([{ "action": "use_agent", "task_id": "task_001", "value": "nobody" }]);
        assert!(problems(&agent).contains("none of the agents"));
        let circle = json!([{ "action": "after", "task_id": "task_001", "value": "task_004" }]);
        assert!(problems(&circle).contains("cannot be carried out"), "{}", problems(&circle));
        let priority = json!([{ "action": "priority", "task_id": "task_001", "value": 99 }]);
        assert!(problems(&priority).contains("priority"));
        assert!(problems(&json!([{ "action": "sing" }])).contains("sing"));
        assert!(problems(&json!([])).contains("there is none"));
    }
}
