//! A run as a service shows it: the same facts as status, report and post-mortem, in one answer.

use candor_engine::RunState;
use candor_model::{
    AgentType, CheckedCriterion, Confidence, EventBody, GateId, JsonMap, Money, Position, Question, Recorded,
    RunId, RunStatus, TaskId, TaskStatus, Timestamp, Verdict,
};
use candor_planning::texts;
use schemars::JsonSchema;
use serde::Serialize;

use crate::postmortem::{Case, PostMortem};
use crate::results::{Results, latest_outputs};
use crate::status;
use crate::verdict::RunVerdict;
use crate::warnings::{self, Warning};

/// A run, looked at.
#[derive(Debug, Clone, Serialize)]
pub struct RunView {
    /// Id of the run.
    pub run_id: RunId,
    /// Where its log ended when it was looked at.
    pub position: Position,
    /// When something last happened to it.
    pub changed_at: Option<Timestamp>,
    /// The person's own words.
    pub request: String,
    /// Status after the last event.
    pub status: RunStatus,
    /// Tasks that succeeded, in percent.
    pub progress: f64,
    /// How sure Candor is.
    pub confidence: Option<Confidence>,
    /// Sum of all charges.
    pub cost: Money,
    /// How it went, in a sentence, once it has ended.
    pub outcome: Option<String>,
    /// Whether it reached its goal, once it has ended.
    pub verdict: Option<Verdict>,
    /// What was found of each criterion.
    pub criteria: Vec<CheckedCriterion>,
    /// What agents reported beside a success.
    pub warnings: Vec<Warning>,
    /// What it produced, in a few lines.
    pub results: Results,
    /// The tasks of its plan.
    pub tasks: Vec<TaskView>,
    /// What waits for a person.
    pub questions: Vec<(GateId, Question)>,
    /// What failed, the earliest first.
    pub failures: Vec<FailureView>,
    /// Why it ended early.
    pub error: Option<String>,
    /// What could be done about it.
    pub suggestions: Vec<String>,
}

/// A task, looked at.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct TaskView {
    /// Id in the plan.
    pub task_id: TaskId,
    /// What it is, in a few words.
    pub name: String,
    /// Status after the last event.
    pub status: TaskStatus,
    /// Agent that the task is assigned to.
    pub agent_type: AgentType,
    /// The tasks that must be done before.
    pub depends_on: Vec<TaskId>,
    /// How often it failed.
    pub failures: u32,
    /// What it produced; empty until it is done.
    pub outputs: JsonMap,
}

/// A failed attempt, looked at.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct FailureView {
    /// Task that failed.
    pub task_id: TaskId,
    /// Agent that made the attempt, where one was chosen.
    pub agent_type: Option<AgentType>,
    /// Messages as the agent gave them.
    pub errors: Vec<String>,
    /// What was done about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recovery: Option<String>,
}

impl RunView {
    /// Looks at a run.
    #[must_use]
    pub fn of(state: &RunState, records: &[Recorded]) -> Self {
        let questions = state.open_questions().iter().map(|(gate, asked)| (gate.clone(), asked.clone()));
        let PostMortem { outcome, failures, suggestions, .. } = Case::of(state, records).post_mortem();
        let judged = RunVerdict::of(records);
        let (ended, good) = (state.status().is_end(), state.status() == RunStatus::Completed);
        let failures = failures.into_iter().map(|failure| FailureView {
            task_id: failure.task_id.clone(),
            agent_type: Some(failure.agent_type.clone()),
            errors: failure.errors.to_vec(),
            recovery: failure.recovery.map(str::to_owned),
        });
        Self {
            run_id: state.run_id().clone(),
            position: state.position(),
            changed_at: records.last().map(|recorded| recorded.event.at),
            request: state.request().to_owned(),
            status: state.status(),
            progress: status::summary(state, records).progress_percentage,
            confidence: state.confidence(),
            cost: state.spent(),
            outcome: ended.then_some(outcome),
            verdict: judged.verdict,
            criteria: judged.criteria.iter().map(|it| it.checked.clone()).collect(),
            warnings: warnings::of(state),
            results: Results::of(state),
            tasks: tasks(state),
            questions: questions.collect(),
            failures: failures.collect(),
            error: error(records).filter(|_| ended),
            suggestions: if ended && !good { suggestions } else { Vec::new() },
        }
    }
}

fn tasks(state: &RunState) -> Vec<TaskView> {
    let latest = latest_outputs(state);
    let plan = state.plan();
    let tasks = plan.iter().flat_map(|plan| &plan.subtasks);
    tasks
        .map(|task| TaskView {
            task_id: task.task_id.clone(),
            name: texts::task_name(task),
            status: task.status,
            agent_type: task.agent_type.clone(),
            depends_on: task.dependencies.to_vec(),
            failures: task.metadata.failure_count,
            outputs: latest.get(&task.task_id).map(|outputs| (*outputs).clone()).unwrap_or_default(),
        })
        .collect()
}

/// Why a run ended early.
fn error(records: &[Recorded]) -> Option<String> {
    records.iter().rev().find_map(|recorded| match &recorded.event.body {
        EventBody::RunFailed { error, .. } | EventBody::RunAborted { error, .. } => Some(error.to_string()),
        EventBody::RunCancelled { reason } => Some(format!("cancelled: {reason}")),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use candor_testkit::golden::{STORIES, story};

    use super::*;
    use crate::explain::Explanation;
    use crate::report::Report;
    use crate::status::Status;

    fn folded(records: &[Recorded]) -> RunState {
        RunState::fold(RunId::new("run_test").unwrap(), records).unwrap()
    }

    #[test]
    fn all_projections_agree_at_every_moment_of_every_story() {
        for (name, _) in STORIES {
            let records = story(name);
            for end in 0..=records.len() {
                let records = &records[..end];
                let state = folded(records);
                let view = RunView::of(&state, records);
                let (case, report) = (Case::of(&state, records), Report::of(&state, records));
                let mortem = case.post_mortem();
                let status = Status::of(&state, records);
                let explained = Explanation::of(&state, records, None);
                let failures = [mortem.failures.len(), explained.failures.len()];
                assert_eq!(failures, [view.failures.len(); 2], "{name} after {end}");
                // What could not start, because a task before it failed, is listed and was no attempt.
                let made = explained.failures.iter().filter(|failure| failure.attempt > 0).count();
                assert_eq!(status.failures, made, "{name} after {end}");
                assert_eq!(report.outcome, mortem.outcome, "{name} after {end}");
                assert_eq!(report.cost.total, view.cost, "{name} after {end}");
                let ended = state.status().is_end();
                assert_eq!(view.outcome, ended.then_some(mortem.outcome), "{name} after {end}");
                assert!(ended || view.error.is_none(), "{name} after {end}");
            }
        }
    }

    #[test]
    fn a_run_that_ended_early_says_why_and_what_to_do() {
        let records = story("rolled_back_and_aborted");
        let view = RunView::of(&folded(&records), &records);
        assert_eq!(view.status, RunStatus::Aborted);
        assert!(view.error.is_some() && !view.suggestions.is_empty());
        let records = story("paris");
        let view = RunView::of(&folded(&records), &records);
        assert_eq!((view.status, view.error, view.suggestions.len()), (RunStatus::Completed, None, 0));
        assert!(view.tasks.iter().all(|task| !task.outputs.is_empty()));
    }
}
