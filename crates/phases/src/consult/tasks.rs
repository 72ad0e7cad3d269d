//! `decompose_task`: the goal in tasks.

use std::collections::BTreeSet;
use std::sync::Arc;

use candor_model::{AgentCapability, Goal, Priority, Seconds, SubTask, TaskId, Text, Tier};
use candor_planning::{dependencies, routing};
use candor_ports::Ask;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::content_words;

/// How many tasks a goal has at most.
const MAX_TASKS: usize = 12;

/// The tasks of a goal as a model gives them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TasksAnswer {
    /// The tasks, in the order of the work.
    #[schemars(length(min = 1, max = 12))]
    pub(crate) tasks: Vec<TaskAnswer>,
}

/// A task as a model gives it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct TaskAnswer {
    /// What is to be done.
    #[schemars(length(min = 1, max = 400))]
    description: String,
    /// The places of the tasks whose results it needs, counted from 0.
    #[serde(default)]
    dependencies: Vec<usize>,
    /// From 1 to 10, the most urgent first.
    #[serde(default)]
    #[schemars(range(min = 1, max = 10))]
    priority: Option<u8>,
    /// How long it will probably take.
    #[serde(default)]
    #[schemars(range(min = 0))]
    estimated_duration_seconds: Option<f64>,
    /// The names of what it produces.
    #[serde(default)]
    #[schemars(length(max = 8))]
    expected_outputs: Vec<String>,
}

/// Asks for the tasks.
pub(crate) fn decompose_task(goal: &Goal, agents: &[AgentCapability]) -> Ask {
    let mut ask = Ask::expecting::<TasksAnswer>("decompose_task", Tier::Balanced);
    let constraints: Vec<String> = goal
        .constraints
        .iter()
        .map(|constraint| format!("{}: {}", constraint.kind, constraint.value))
        .collect();
    let known: Vec<String> = agents.iter().take(50).map(routing::agent_text).collect();
    ask.slots.insert("goal", goal.description.to_string());
    ask.slots.insert("constraints", constraints.join("\n"));
    ask.slots.insert("agents", known.join("\n"));
    ask.max_output_tokens = 700;
    let fits = Arc::clone(&ask.check);
    let words: BTreeSet<String> =
        known.iter().chain([&goal.description.to_string()]).flat_map(|text| content_words(text)).collect();
    ask.check = Arc::new(move |value: &Value| {
        let mut problems = fits(value);
        if let Ok(answer) = serde_json::from_value::<TasksAnswer>(value.clone()) {
            problems.extend(answer.problems(&words));
        }
        problems
    });
    ask
}

impl TasksAnswer {
    /// What no schema can say: what the tasks need must be there, and they must be about the goal.
    fn problems(&self, words: &BTreeSet<String>) -> Vec<String> {
        let mut problems = Vec::new();
        let mut seen = BTreeSet::new();
        if self.tasks.is_empty() || self.tasks.len() > MAX_TASKS {
            problems
                .push(format!("tasks: there must be from 1 to {MAX_TASKS}, there are {}", self.tasks.len()));
        }
        for (n, task) in self.tasks.iter().enumerate() {
            for &needed in &task.dependencies {
                if needed >= self.tasks.len() {
                    let last = self.tasks.len().saturating_sub(1);
                    problems.push(format!(
                        "tasks[{n}].dependencies: {needed} is no task; they count from 0 to {last}"
                    ));
                } else if needed == n {
                    problems.push(format!("tasks[{n}].dependencies: a task cannot need itself"));
                }
            }
            if !content_words(&task.description).any(|word| words.contains(&word)) {
                problems.push(format!(
                    "tasks[{n}].description: `{}` has no word in common with the goal or an agent; say what \
                     is to be done for this goal, in its language",
                    task.description
                ));
            }
            if !seen.insert(task.description.trim().to_lowercase()) {
                problems.push(format!("tasks[{n}].description: is there twice"));
            }
        }
        if problems.is_empty() && !dependencies::check(&self.subtasks()).is_valid {
            problems.push(
                "tasks: they wait for each other in a circle; a task names only what it truly needs"
                    .to_owned(),
            );
        }
        problems
    }

    /// The answer as tasks of a plan.
    pub(crate) fn subtasks(&self) -> Vec<SubTask> {
        (1..).zip(&self.tasks).filter_map(|(n, task)| task.subtask(n)).collect()
    }
}

impl TaskAnswer {
    fn subtask(&self, n: usize) -> Option<SubTask> {
        let outputs = match self.expected_outputs.as_slice() {
            [] => vec![format!("output_{n}")],
            named => named.to_vec(),
        };
        let mut task =
            SubTask::new(TaskId::numbered(n), Text::new(self.description.trim().to_owned()).ok()?, outputs);
        task.dependencies = self.dependencies.iter().map(|&index| TaskId::numbered(index + 1)).collect();
        if let Some(priority) = self.priority.and_then(|priority| Priority::new(priority).ok()) {
            task.priority = priority;
        }
        if let Some(seconds) = self.estimated_duration_seconds.and_then(|s| Seconds::new(s).ok()) {
            task.estimated_duration_seconds = seconds;
        }
        Some(task)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn problems(tasks: &Value) -> String {
        let answer: TasksAnswer = serde_json::from_value(json!({ "tasks": tasks })).unwrap();
        let words = content_words("Plan a trip to Paris: flights, hotel, activities").collect();
        answer.problems(&words).join("\n")
    }

    #[test]
    fn tasks_get_ids_and_defaults() {
        // spec: planning TD-02 TD-03 TD-04
        let answer: TasksAnswer = serde_json::from_value(json!({ "tasks": [
            { "description": "Search flights" },
            { "description": "Search a hotel", "dependencies": [0], "priority": 9, "expected_outputs": ["hotel"] },
        ] }))
        .unwrap();
        let tasks = answer.subtasks();
        let ids: Vec<&str> = tasks.iter().map(|task| task.task_id.as_str()).collect();
        assert_eq!(ids, ["task_001", "task_002"]);
        assert_eq!(tasks[0].expected_outputs, ["output_1"]);
        assert_eq!((tasks[0].priority.get(), tasks[0].estimated_duration_seconds), (5, Seconds::whole(30)));
        assert!(
            tasks[0].agent_type.is_tbd() && tasks[0].dependencies.is_empty() && tasks[0].inputs.is_empty()
        );
        assert_eq!(tasks[1].dependencies, [TaskId::numbered(1)]);
        assert_eq!((tasks[1].priority.get(), &tasks[1].expected_outputs), (9, &vec!["hotel".to_owned()]));
    }

    #[test]
    fn a_decomposition_that_makes_no_sense_is_refused() {
        // spec: planning TD-08; orchestrator DC-05
        assert!(
            problems(&json!([{ "description": "Search flights", "dependencies": [9] }]))
                .contains("9 is no task")
        );
        assert!(
            problems(&json!([{ "description": "Search flights", "dependencies": [0] }])).contains("itself")
        );
        assert!(problems(&json!([])).contains("from 1 to 12"));
        let twice = json!([{ "description": "Search flights" }, { "description": "search FLIGHTS" }]);
        assert!(problems(&twice).contains("twice"));
        let circle = json!([
            { "description": "Search flights", "dependencies": [1] },
            { "description": "Search a hotel", "dependencies": [0] },
        ]);
        assert!(problems(&circle).contains("circle"));
        assert!(problems(&json!([{ "description": "步骤一" }])).contains("in its language"));
        assert_eq!(problems(&json!([{ "description": "Search flights to Paris" }])), "");
    }
}
