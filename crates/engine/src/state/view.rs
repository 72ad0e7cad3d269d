//! The state as others see it: the plan with its statuses, the order an agent gets, the report's material.

use candor_model::{EffectKey, ExecutionStatus, Plan, Question, SubTask, TaskId, Timestamp, WorkOrder};
use candor_planning::report::ReportMaterial;

use super::RunState;

impl RunState {
    /// The plan as it stands: statuses, failures, confidence and what is waited for.
    #[must_use]
    pub fn plan(&self) -> Option<Plan> {
        let work = self.work()?;
        let mut plan = work.plan().clone();
        for (task, (_, run)) in plan.subtasks.iter_mut().zip(work.tasks()) {
            run.write_into(task);
        }
        plan.confidence_score = work.confidence;
        plan.metadata.execution_paused = self.is_paused();
        for question in self.gates.values() {
            if let Question::Approval { request, .. } = question {
                plan.metadata.requires_approval = true;
                plan.metadata.low_confidence_reasons = request.reasons.to_vec();
            }
        }
        plan.metadata.execution_report.clone_from(&self.report);
        Some(plan)
    }

    /// One task as it stands.
    #[must_use]
    pub fn task(&self, id: &TaskId) -> Option<SubTask> {
        let (_, task, run) = self.work()?.find(id)?;
        let mut task = task.clone();
        run.write_into(&mut task);
        Some(task)
    }

    /// What the agent is given for an attempt that is under way.
    #[must_use]
    pub fn work_order(&self, id: &TaskId, attempt: u32) -> Option<WorkOrder> {
        let (index, task, run) = self.work()?.find(id)?;
        let current = run.in_flight().filter(|current| current.number == attempt)?;
        let dependencies = self.work()?.shape.graph.dependencies(index);
        let upstream = dependencies.iter().filter_map(|&dependency| {
            let (task, run) = self.work()?.task(dependency)?;
            match &run.state {
                super::TaskState::Succeeded(feedback) => {
                    Some((task.task_id.clone(), feedback.actual_outputs.clone()))
                }
                _ => None,
            }
        });
        Some(WorkOrder {
            run_id: self.run_id.clone(),
            task_id: task.task_id.clone(),
            description: task.description.as_str().to_owned(),
            inputs: task.inputs.clone(),
            upstream: upstream.collect(),
            expected_outputs: task.expected_outputs.clone(),
            attempt,
            idempotency_key: EffectKey::attempt(&self.run_id, id, attempt).to_string(),
            deadline_seconds: current.deadline.since(current.started_at),
        })
    }

    /// What a report on this run is made of; the plan is passed in because it is made on demand.
    #[must_use]
    pub fn report_material<'a>(
        &'a self,
        plan: &'a Plan,
        status: ExecutionStatus,
        now: Timestamp,
    ) -> ReportMaterial<'a> {
        ReportMaterial {
            plan,
            feedback: &self.feedback,
            confidence: &self.confidence,
            status,
            started_at: self.execution_started,
            ended_at: Some(now),
            planning_cost: self.planning_spent,
            degradation: Some(self.degradation()),
        }
    }
}
