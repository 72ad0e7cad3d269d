//! How the plan changes: proposed, answered for, adjusted, approved, revised.

use std::sync::Arc;

use candor_model::{
    Confidence, ConfidenceCause, EventBody, Phase, Plan, PlanRevision, PlanVersion, TaskId, TaskRisk,
    Timestamp,
};
use candor_planning::graph::TaskIndex;
use candor_planning::{approval, replan};

use super::{Resume, RunState, ShownPlan, Stage, TaskState, Work};

impl RunState {
    pub(super) fn propose(&mut self, body: &EventBody, at: Timestamp) {
        let EventBody::PlanProposed { version, plan, agents, brief, .. } = body else { return };
        let shown = ShownPlan {
            version: *version,
            plan: Arc::clone(plan),
            agents: agents.clone(),
            brief: brief.clone(),
        };
        self.findings_mut().dialogue.propose(shown);
        // A run that is taken up again may get another plan, whose tasks have the names of tasks that were tried.
        self.remember_attempts();
        self.counters.version = *version;
        let work = Work::new(*version, Arc::clone(plan), agents, |id| self.counters.attempts_at(id));
        self.confidence.propose(at, plan.confidence_score);
        self.work = Some(Arc::new(work));
        self.stage = Stage::Proposed;
    }

    /// What a person asked about the plan is answered; the plan that there was still stands.
    pub(super) fn answer_about_plan(&mut self, answer: &str) {
        self.findings_mut().answered(answer);
        self.asks.forget(Phase::Planning);
        self.stage = Stage::Proposed;
    }

    pub(super) fn adjust(&mut self, body: &EventBody) {
        let EventBody::PlanAdjusted { version, adjustments, rerun_task_ids } = body else { return };
        let Some(plan) = self.plan() else { return };
        if let Ok(plan) = approval::adjust(&plan, adjustments) {
            if self.stage == Stage::Proposed {
                self.findings_mut().dialogue.adjust(*version, &plan);
            }
            self.reshape(*version, plan, rerun_task_ids);
        }
    }

    pub(super) fn approve(&mut self, version: PlanVersion, risks: &[TaskRisk]) {
        if let Some(work) = self.work.as_mut().map(Arc::make_mut) {
            work.launch_confidence.get_or_insert(work.confidence);
        }
        self.findings_mut().dialogue.approve(version, risks);
        self.mark(&format!("plan version {version} approved"), Resume::Plan, Some(Phase::Planning));
    }

    pub(super) fn revise(&mut self, version: PlanVersion, revision: &PlanRevision, at: Timestamp) {
        let Some(plan) = self.plan() else { return };
        let plan = replan::replay(&plan, revision, at);
        self.owe_confidence(plan.confidence_score);
        self.reshape(version, plan, &revision.details.rerun_task_ids);
        if let Some(work) = self.work.as_mut().map(Arc::make_mut) {
            work.unpaid_failures.retain(|id| !revision.removed_task_ids.contains(id));
        }
        self.mark(&format!("revision {}", revision.revision_id), Resume::Plan, None);
    }

    pub(super) fn change_confidence(&mut self, after: Confidence, cause: ConfidenceCause, at: Timestamp) {
        if let Some(work) = self.work.as_mut().map(Arc::make_mut) {
            work.confidence = after;
            // What has been paid for is not paid for twice.
            if cause == ConfidenceCause::Failures {
                work.unpaid_failures.clear();
            }
        }
        self.confidence.change(at, after, cause);
    }

    fn reshape(&mut self, version: PlanVersion, plan: Plan, rerun: &[TaskId]) {
        self.remember_attempts();
        self.counters.version = version;
        let counters = &self.counters;
        if let Some(work) = self.work.as_mut().map(Arc::make_mut) {
            work.reshape(version, plan, rerun, |id| counters.attempts_at(id));
            // A task that is done again, or no more, needs no other approach.
            self.asks.keep_revisions(&work.revising().map(|(_, number, _)| number).collect());
        }
    }

    pub(super) fn remember_attempts(&mut self) {
        let Some(work) = &self.work else { return };
        for (task, run) in work.tasks().filter(|(_, run)| run.attempts > 0) {
            self.counters.attempts.insert(task.task_id.clone(), run.attempts);
        }
    }

    pub(super) fn set_task(&mut self, task_id: &TaskId, state: TaskState) {
        if let Some((work, index)) = self.work_at(task_id) {
            work.set(index, state);
        }
    }

    pub(super) fn work_at(&mut self, task_id: &TaskId) -> Option<(&mut Work, TaskIndex)> {
        let work = Arc::make_mut(self.work.as_mut()?);
        let index = work.index_of(task_id)?;
        Some((work, index))
    }
}
