//! Plans that people write: a list of tasks with a name and a description each; the rest has defaults.

use candor_model::{
    AgentType, Confidence, DurationBasis, ExecutionStrategy, GoalId, GoalType, JsonMap, Plan, PlanId,
    PlanMetadata, Priority, RetryPolicy, Seconds, SubTask, TaskId, TaskMetadata, TaskStatus, Text, Timestamp,
    ValidationError, check_depth,
};
use candor_planning::criterion;
use serde::Deserialize;

/// A plan as it stands in a file. Everything that a plan has may be said; only the tasks must be.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanFile {
    /// Derived from the name of the run if absent.
    pub plan_id: Option<PlanId>,
    /// The goal it serves.
    pub goal_id: Option<GoalId>,
    /// What it is for, in words.
    pub description: Option<String>,
    /// The kind of goal; then the plan must cover what such goals need.
    pub goal_type: Option<GoalType>,
    /// In any order; `dependencies` say what comes first.
    pub subtasks: Vec<TaskInFile>,
    /// How they are carried out.
    pub execution_strategy: Option<ExecutionStrategy>,
    /// Not read: it is the sum of the tasks' estimates.
    pub estimated_total_duration: Option<Seconds>,
    /// How sure its author is.
    pub confidence_score: Option<Confidence>,
    /// Not read: it is when the run is planned.
    pub created_at: Option<Timestamp>,
    /// Not read: it is when the run is planned.
    pub updated_at: Option<Timestamp>,
    /// What else is known of it.
    pub metadata: Option<PlanMetadata>,
}

/// A task as it stands in a file.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskInFile {
    /// Unique within the plan.
    pub task_id: TaskId,
    /// What is to be done.
    pub description: Text,
    /// Chosen by the router if absent.
    pub agent_type: Option<AgentType>,
    /// The tasks whose results it needs.
    #[serde(default)]
    pub dependencies: Vec<TaskId>,
    /// Handed to the agent as they stand.
    #[serde(default)]
    pub inputs: JsonMap,
    /// The names of what it produces.
    pub expected_outputs: Option<Vec<String>>,
    /// Ready tasks of higher priority go first.
    #[serde(default)]
    pub priority: Priority,
    /// How long it will probably take.
    pub estimated_duration_seconds: Option<Seconds>,
    /// Not read: every task of a new run is pending.
    pub status: Option<TaskStatus>,
    /// How it is repeated before its failure counts.
    pub retry_policy: Option<RetryPolicy>,
    /// What else is known of it.
    #[serde(default)]
    pub metadata: TaskMetadata,
}

impl PlanFile {
    /// Reads a plan from JSON; the error names the field.
    pub fn from_json(text: &str) -> Result<Self, ValidationError> {
        candor_model::from_json(text)
    }

    /// The plan; names that the file does not give are derived from the run's.
    pub fn into_plan(self, run_name: &str) -> Result<Plan, ValidationError> {
        let mut metadata = self.metadata.unwrap_or_default();
        metadata.goal_type = self.goal_type.or(metadata.goal_type);
        let subtasks: Vec<SubTask> = (1..).zip(self.subtasks).map(|(n, task)| task.into_task(n)).collect();
        for task in &subtasks {
            let field = |name: &str| format!("task {}: inputs.{name}", task.task_id);
            task.inputs.iter().try_for_each(|(name, value)| check_depth(&field(name), value))?;
        }
        Ok(Plan {
            plan_id: self.plan_id.map_or_else(|| PlanId::new(format!("plan_{run_name}")), Ok)?,
            goal_id: self.goal_id.map_or_else(|| GoalId::new(format!("goal_{run_name}")), Ok)?,
            estimated_total_duration: subtasks.iter().map(|task| task.estimated_duration_seconds).sum(),
            subtasks,
            execution_strategy: self.execution_strategy.unwrap_or_default(),
            confidence_score: self.confidence_score.unwrap_or(Confidence::NONE),
            created_at: Timestamp::EPOCH,
            updated_at: Timestamp::EPOCH,
            metadata,
        })
    }
}

/// What of the tasks' criteria is not understood, with the task and the form that was probably meant.
#[must_use]
pub fn criteria_problems(plan: &Plan) -> Vec<(&TaskId, String)> {
    let criteria = plan.subtasks.iter().filter_map(|task| Some((task, task.metadata.validation.as_deref()?)));
    criteria
        .flat_map(|(task, text)| criterion::problems(text).into_iter().map(move |it| (&task.task_id, it)))
        .collect()
}

impl TaskInFile {
    fn into_task(self, n: usize) -> SubTask {
        let outputs = self.expected_outputs.unwrap_or_else(|| vec![format!("output_{n}")]);
        let mut task = SubTask::new(self.task_id, self.description, outputs);
        task.agent_type = self.agent_type.unwrap_or_else(AgentType::tbd);
        task.dependencies = self.dependencies;
        task.inputs = self.inputs;
        task.priority = self.priority;
        task.retry_policy = self.retry_policy;
        task.metadata = self.metadata;
        if let Some(estimate) = self.estimated_duration_seconds {
            // A plan that Candor printed has the documented default for what nobody stated.
            let stated = estimate != task.estimated_duration_seconds;
            task.metadata.duration_basis =
                task.metadata.duration_basis.or(stated.then_some(DurationBasis::Stated));
            task.estimated_duration_seconds = estimate;
        }
        task
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_needs_only_tasks_with_a_name_and_a_description() {
        // spec: planning TD-03 TD-04
        let text = r#"{"subtasks":[{"task_id":"a","description":"Do a"},
            {"task_id":"b","description":"Do b","dependencies":["a"],"agent_type":"x","priority":9}]}"#;
        let plan = PlanFile::from_json(text).unwrap().into_plan("1").unwrap();
        assert_eq!(plan.plan_id.as_str(), "plan_1");
        let [a, b] = &plan.subtasks[..] else { panic!("{plan:?}") };
        assert!(a.agent_type.is_tbd() && a.dependencies.is_empty());
        assert_eq!((a.expected_outputs[0].as_str(), a.priority.get()), ("output_1", 5));
        assert_eq!((b.agent_type.as_str(), b.priority.get()), ("x", 9));
        assert_eq!(plan.estimated_total_duration, Seconds::whole(60));
    }

    #[test]
    fn a_whole_plan_can_be_read_as_a_file_too() {
        let text = r#"{"subtasks":[{"task_id":"a","description":"Do a"}]}"#;
        let plan = PlanFile::from_json(text).unwrap().into_plan("1").unwrap();
        let again = PlanFile::from_json(&serde_json::to_string(&plan).unwrap()).unwrap();
        assert_eq!(again.into_plan("other").unwrap(), plan);
    }

    #[test]
    fn errors_name_the_field() {
        let missing = PlanFile::from_json(r#"{"subtasks":[{"task_id":"a"}]}"#).unwrap_err();
        assert!(missing.to_string().contains("subtasks[0]") && missing.to_string().contains("description"));
        let unknown = PlanFile::from_json(r#"{"subtasks":[],"tasks":[]}"#).unwrap_err();
        assert!(unknown.to_string().contains("tasks"));
    }
}
