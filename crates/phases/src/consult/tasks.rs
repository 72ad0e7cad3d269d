//! `decompose_task`: the goal in tasks.

use std::collections::BTreeSet;
use std::sync::Arc;

use candor_model::Ask;
use candor_model::{AgentCapability, Goal, Priority, Seconds, SubTask, TaskId, Text, Tier};
use candor_planning::{criterion, dependencies, routing};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::content_words;
use super::mend::Mendable;

/// How many tasks a goal has at most; and how many if a model has listed what there is to do before.
const MAX_TASKS: usize = 12;
const MAX_LISTED_TASKS: usize = 40;

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
    /// The listed task that it is a part of, such as T1.
    #[serde(default)]
    parent: Option<String>,
    /// The exact paths that it is about.
    #[serde(default)]
    files: Option<Vec<String>>,
    /// The tools that it may use.
    #[serde(default)]
    tools: Option<Vec<String>>,
    /// How to tell that it succeeded.
    #[serde(default)]
    validation: Option<String>,
    /// What a model will take for it, in tokens.
    #[serde(default)]
    estimated_tokens: Option<u32>,
    /// The tier of models that suits it.
    #[serde(default)]
    tier: Option<Tier>,
}

/// What the decomposer is told beside the goal.
#[derive(Debug, Clone, Default)]
pub(crate) struct Briefing {
    /// What the lister found, in lines.
    pub(crate) listed: String,
    /// The ids of the listed tasks if a model listed them: then every step must be complete and name its parent.
    pub(crate) parents: Vec<String>,
    /// How many agents are proposed.
    pub(crate) agent_count: u32,
    /// What a person said of the plan that was made before.
    pub(crate) wishes: String,
}

/// Asks for the tasks.
pub(crate) fn decompose_task(goal: &Goal, agents: &[AgentCapability], briefing: Briefing) -> Ask {
    let mut ask = Ask::expecting::<TasksAnswer>("decompose_task", Tier::Balanced);
    let constraints: Vec<String> = goal
        .constraints
        .iter()
        .map(|constraint| format!("{}: {}", constraint.kind, constraint.value))
        .collect();
    // Whoever is asked only when nobody else is left is nobody to plan for.
    let routable = agents.iter().filter(|agent| !routing::is_last_resort(&agent.agent_type));
    let known: Vec<String> = routable.take(50).map(routing::agent_line).collect();
    ask.slots.insert("goal", goal.description.to_string());
    ask.slots.insert("constraints", constraints.join("\n"));
    ask.slots.insert("agents", known.join("\n"));
    let Briefing { listed, parents, agent_count, wishes } = briefing;
    ask.slots.insert("listed", listed);
    ask.slots.insert("agent_count", agent_count.to_string());
    if !wishes.trim().is_empty() {
        ask.slots.insert("wishes", wishes.clone());
    }
    ask.max_output_tokens = 1_200;
    if !parents.is_empty() {
        ask.max_output_tokens = 4_000;
        if let Some(most) =
            ask.schema.as_mut().and_then(|schema| schema.pointer_mut("/properties/tasks/maxItems"))
        {
            *most = Value::from(MAX_LISTED_TASKS);
        }
    }
    let fits = Arc::clone(&ask.check);
    let words: BTreeSet<String> = known
        .iter()
        .chain([&goal.description.to_string(), &wishes])
        .flat_map(|text| content_words(text))
        .collect();
    ask.check = Arc::new(move |value: &Value| {
        let mut problems = fits(value);
        if let Ok(answer) = serde_json::from_value::<TasksAnswer>(value.clone()) {
            problems.extend(answer.problems(&words, &parents));
        }
        problems
    });
    ask
}

impl TasksAnswer {
    /// What no schema can say: what the tasks need must be there, and they must be about the goal.
    fn problems(&self, words: &BTreeSet<String>, parents: &[String]) -> Vec<String> {
        let mut problems = Vec::new();
        let mut seen = BTreeSet::new();
        let most = if parents.is_empty() { MAX_TASKS } else { MAX_LISTED_TASKS };
        if self.tasks.is_empty() || self.tasks.len() > most {
            problems.push(format!("tasks: there must be from 1 to {most}, there are {}", self.tasks.len()));
        }
        for (n, task) in self.tasks.iter().enumerate() {
            if !parents.is_empty() {
                problems.extend(task.gaps(n, parents));
            }
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
            problems.extend(task.misspelt().map(|problem| format!("tasks[{n}].validation: {problem}")));
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

    /// The listed task that each of [`Self::subtasks`] is a part of, as far as it was said.
    pub(crate) fn parents(&self) -> Vec<Option<String>> {
        let kept = (1..).zip(&self.tasks).filter(|(n, task)| task.subtask(*n).is_some());
        kept.map(|(_, task)| task.parent.clone()).collect()
    }

    /// The answer as tasks of a plan.
    pub(crate) fn subtasks(&self) -> Vec<SubTask> {
        (1..).zip(&self.tasks).filter_map(|(n, task)| task.subtask(n)).collect()
    }
}

impl Mendable for TasksAnswer {
    fn mend(&mut self) -> Vec<String> {
        let mut warnings = Vec::new();
        for (n, task) in self.tasks.iter_mut().enumerate() {
            if let Some(problem) = task.misspelt() {
                warnings.push(format!("{}: {problem} It was dropped", TaskId::numbered(n + 1)));
                task.validation = None;
            }
        }
        if dependencies::check(&self.subtasks()).is_valid {
            return warnings;
        }
        for (n, task) in self.tasks.iter_mut().enumerate() {
            let (earlier, later): (Vec<usize>, Vec<usize>) =
                task.dependencies.iter().partition(|need| **need < n);
            let told = |need: &usize| {
                format!(
                    "{} no longer waits for {}, which is listed later: they waited for each other",
                    TaskId::numbered(n + 1),
                    TaskId::numbered(need + 1)
                )
            };
            warnings.extend(later.iter().map(told));
            task.dependencies = earlier;
        }
        warnings
    }
}

/// A criterion in the language that is executed: what a model says in a sentence is for a model to judge.
fn understood(text: &str) -> String {
    let text = text.trim();
    if criterion::problems(text).is_empty() {
        text.to_owned()
    } else {
        format!("judge: {}", text.replace(';', ","))
    }
}

impl TaskAnswer {
    /// What is wrong with a criterion that was meant in the language of criteria. A sentence is not.
    fn misspelt(&self) -> Option<String> {
        let text = self.validation.as_deref()?;
        criterion::nearest(text)?;
        criterion::problems(text).into_iter().next()
    }

    /// What a step lacks that must be told of every step of a listed task.
    fn gaps(&self, n: usize, parents: &[String]) -> Vec<String> {
        let mut gaps = Vec::new();
        match &self.parent {
            Some(parent) if parents.contains(parent) => {}
            Some(parent) => gaps.push(format!(
                "tasks[{n}].parent: `{parent}` is none of the listed tasks {}",
                parents.join(", ")
            )),
            None => gaps.push(format!("tasks[{n}].parent: is missing; name one of {}", parents.join(", "))),
        }
        if self.files.is_none() {
            gaps.push(format!("tasks[{n}].files: is missing; [] if it is about no file"));
        }
        if self.tools.as_ref().is_none_or(Vec::is_empty) {
            gaps.push(format!("tasks[{n}].tools: is missing; name at least one, such as read"));
        }
        if self.validation.as_deref().is_none_or(|text| text.trim().is_empty()) {
            gaps.push(format!("tasks[{n}].validation: is missing; say how its success is checked"));
        }
        gaps
    }

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
        task.metadata.files = self.files.clone().unwrap_or_default();
        task.metadata.tools = self.tools.clone().unwrap_or_default();
        task.metadata.validation =
            self.validation.as_deref().filter(|text| !text.trim().is_empty()).map(understood);
        task.metadata.estimated_tokens = self.estimated_tokens;
        task.metadata.tier = self.tier;
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
        answer.problems(&words, &[]).join("\n")
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

    #[test]
    fn a_step_of_a_listed_task_must_be_complete() {
        // spec: orchestrator DC-07
        let problems = |task: Value| {
            let answer: TasksAnswer = serde_json::from_value(json!({ "tasks": [task] })).unwrap();
            let words = content_words("Search flights").collect();
            answer.problems(&words, &["T1".to_owned()]).join("\n")
        };
        let whole = json!({ "description": "Search flights", "parent": "T1", "files": [], "tools": ["search"],
            "validation": "outputs present: flights" });
        assert_eq!(problems(whole.clone()), "");
        for key in ["parent", "files", "tools", "validation"] {
            let mut lacking = whole.clone();
            lacking.as_object_mut().unwrap().remove(key);
            assert!(problems(lacking).contains(key), "{key}");
        }
        let mut stray = whole;
        stray["parent"] = json!("T9");
        assert!(problems(stray).contains("none of the listed tasks T1"));
    }
}
