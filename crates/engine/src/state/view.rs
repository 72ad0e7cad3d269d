//! The state as others see it: the plan with its statuses, the order an agent gets, the report's material.

use std::collections::BTreeMap;
use std::sync::Arc;

use candor_model::{
    AgentBrief, Broadcast, CheckResult, EffectKey, Evaluation, ExecutionFeedback, ExecutionStatus, LoopGuard,
    MeasuredTime, Phase, Plan, PlanBrief, PlanTalk, Query, QueryResponse, Question, ReadFile, SubTask,
    TaskId, Timestamp, WorkOrder,
};
use candor_planning::loop_guard::{self, Outcome, Trip};
use candor_planning::report::ReportMaterial;
use candor_planning::{context, estimate};

use super::{RunState, ShownPlan};

/// Plans with more tasks than this get no remaining time.
const MOST_TIMED_TASKS: usize = 500;

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
        plan.metadata.execution_report.clone_from(&self.results.report);
        Some(plan)
    }

    /// The time that is left as a range of what such tasks took before; nothing if one of them was not measured,
    /// or if there are too many to be looked at for every line on a screen.
    #[must_use]
    pub fn time_left(&self) -> Option<MeasuredTime> {
        self.work().filter(|work| work.len() <= MOST_TIMED_TASKS)?;
        let plan = self.plan()?;
        let width = estimate::width(plan.execution_strategy, self.settings().max_parallel_tasks);
        estimate::remaining(&plan.subtasks, width)
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
            brief: self.agent_brief(task),
            context: context::texts(&self.findings.documents.loaded, self.files()),
            allow: self.settings().allow.clone(),
        })
    }

    /// The brief of an attempt that is under way, without what else its order has.
    #[must_use]
    pub fn brief_of(&self, id: &TaskId, attempt: u32) -> Option<AgentBrief> {
        let (_, task, run) = self.work()?.find(id)?;
        run.in_flight().filter(|current| current.number == attempt)?;
        Some(self.agent_brief(task))
    }

    /// What an agent is to do and what not: one thing, in one form, with these tools, and nothing beyond.
    fn agent_brief(&self, task: &SubTask) -> AgentBrief {
        let outputs = task.expected_outputs.join(", ");
        let constraints = |kind: &'static str| {
            let all = self.goal().into_iter().flat_map(|goal| &goal.constraints);
            all.filter(move |constraint| constraint.kind.as_str() == kind)
        };
        let only_this = format!("Do nothing beyond {}: other tasks have their own agents", task.task_id);
        AgentBrief {
            objective: task.description.as_str().to_owned(),
            output_format: format!("a JSON object `outputs` with: {outputs}"),
            tools: task.metadata.tools.clone(),
            boundaries: std::iter::once(only_this)
                .chain(self.refused(task).map(|reason| format!("Your last result was refused: {reason}")))
                .chain(constraints("must_not").map(|constraint| format!("Must not: {}", constraint.value)))
                .chain(
                    constraints("must")
                        .map(|constraint| format!("The request requires: {}", constraint.value)),
                )
                .chain(task.metadata.conditions.iter().map(|condition| format!("Condition: {condition}")))
                .collect(),
        }
    }

    /// Why the last result of a task was not taken, if it is done again because of that.
    fn refused(&self, task: &SubTask) -> Option<&str> {
        self.findings.validation.refused.get(&task.task_id).map(|refused| refused.reason.as_str())
    }

    /// The call that is under way for a task, in a form in which equal calls are equal.
    /// It also says whether nothing of this task has failed yet.
    pub(crate) fn call_of(&self, id: &TaskId) -> Option<(String, bool)> {
        let (_, task, run) = self.work()?.find(id)?;
        let agent = &run.in_flight()?.agent_type;
        // Tasks that only look alike are not the same: ten of them may fail once each.
        let words = format!("{} {}", task.origin(), task.description);
        Some((loop_guard::fingerprint(agent, &words, &task.inputs), run.history().count == 0))
    }

    /// Whether a loop is detected, once this outcome is counted.
    pub(crate) fn loop_after(&self, id: &TaskId, feedback: &ExecutionFeedback) -> Option<Trip> {
        let (call, _) = self.call_of(id).filter(|(_, first)| !first)?;
        self.findings.loops.watch.clone().note(&call, outcome_of(feedback), &self.loop_limits())
    }

    /// When the run counts as a loop. The repetitions that it allows by default do not.
    pub(crate) fn loop_limits(&self) -> LoopGuard {
        let mut limits = self.settings.phase_limits().loop_guard;
        if let Some(retry) = self.settings.retry.filter(|_| limits.identical_calls > 0) {
            limits.identical_calls = limits.identical_calls.max(retry.max_retries.saturating_add(2));
        }
        limits
    }

    /// The request, judged; once it is.
    #[must_use]
    pub fn evaluation(&self) -> Option<&Evaluation> {
        self.findings.prompts.evaluation.as_deref()
    }

    /// The plans that were shown, oldest first.
    #[must_use]
    pub fn shown_plans(&self) -> &[ShownPlan] {
        &self.findings.dialogue.shown
    }

    /// The plan that was shown last, in figures.
    #[must_use]
    pub fn brief(&self) -> Option<&PlanBrief> {
        self.findings.dialogue.shown.last()?.brief.as_deref()
    }

    /// What a person wants of the plan that was shown.
    #[must_use]
    pub fn talk(&self) -> Option<&PlanTalk> {
        self.findings.dialogue.wish.as_ref()
    }

    /// What the critique of a phase's last try found wrong.
    #[must_use]
    pub fn to_refine(&self, phase: Phase) -> &[String] {
        self.findings.phases.refinements.get(&phase).map_or(&[], |refinement| &refinement.notes)
    }

    /// The files that were read.
    #[must_use]
    pub fn files(&self) -> &BTreeMap<String, ReadFile> {
        &self.findings.documents.files
    }

    /// The checks of results that were made in the validation at work.
    #[must_use]
    pub fn checks(&self) -> &[CheckResult] {
        &self.findings.validation.checks
    }

    /// What agents answered to the questions of phases, in this try of the validation.
    #[must_use]
    pub fn responses(&self) -> &[QueryResponse] {
        &self.findings.validation.responses
    }

    /// What agents told each other.
    #[must_use]
    pub fn messages(&self) -> &[Arc<Broadcast>] {
        &self.findings.messages.broadcasts
    }

    /// The questions of agents to each other that are not answered.
    pub fn open_queries(&self) -> impl Iterator<Item = &Query> {
        self.findings.messages.queries.values()
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
            feedback: &self.results.feedback,
            confidence: &self.confidence.points,
            status,
            started_at: self.results.started,
            ended_at: Some(now),
            planning_cost: self.budget.planning_spent,
            degradation: Some(self.degradation()),
        }
    }
}

/// An outcome as the loop guard sees it.
pub(crate) fn outcome_of(feedback: &ExecutionFeedback) -> Outcome<'_> {
    if feedback.feedback_type.is_success() {
        Outcome::Succeeded
    } else {
        Outcome::Failed(feedback.errors.first().map_or("", String::as_str))
    }
}
