//! How an event changes the state. This is the only place where state changes, and it cannot fail: what
//! does not fit the state (in a log that was tampered with) changes nothing.

use std::collections::BTreeSet;
use std::sync::Arc;

use candor_model::{
    Account, AfterStop, CheckpointId, ConfidencePoint, CritiqueVerdict, Event, EventBody, ExecutionFeedback,
    FeedbackType, Phase, Plan, PlanRevision, PlanVersion, Question, RunSettings, RunStatus, TaskId,
    Timestamp,
};
use candor_planning::{approval, replan};

use super::{Attempt, Checkpoint, Resume, RunState, Stage, TaskState, Work};

impl RunState {
    /// Takes one event into account.
    pub fn apply(&mut self, event: &Event) {
        self.position = self.position.plus(1);
        match &event.body {
            EventBody::TaskDispatched { .. }
            | EventBody::TaskTakenUp { .. }
            | EventBody::TaskSucceeded { .. }
            | EventBody::TaskFailed { .. }
            | EventBody::TaskStopped { .. }
            | EventBody::TaskSkipped { .. }
            | EventBody::TaskRouted { .. }
            | EventBody::RetryScheduled { .. } => self.apply_task(event),
            EventBody::PlanProposed { .. }
            | EventBody::PlanAdjusted { .. }
            | EventBody::PlanApproved { .. }
            | EventBody::Replanned { .. }
            | EventBody::ConfidenceChanged { .. }
            | EventBody::HumanAsked { .. }
            | EventBody::HumanAnswered { .. }
            | EventBody::QuestionWithdrawn { .. } => self.apply_plan(event),
            _ => self.apply_life(event),
        }
    }

    fn apply_life(&mut self, event: &Event) {
        match &event.body {
            EventBody::RunStarted { request, settings, material, .. } => {
                self.request.clone_from(request);
                self.material = material.as_deref().cloned().map(Arc::new);
                self.money.cap = settings.run_budget;
                self.settings = Arc::new(RunSettings::clone(settings));
                self.stage = Stage::Preparing { open: BTreeSet::new(), since: event.at };
                self.mark("start", Resume::Phases(first_phases()));
            }
            EventBody::PhaseStarted { phase, attempt } => self.start_phase(*phase, *attempt, event.at),
            EventBody::PhaseCompleted { phase, .. } => self.complete_phase(*phase),
            EventBody::GoalDefined { goal } => self.goal = Some(Arc::clone(goal)),
            EventBody::Charged { account, amount, what, .. } => {
                self.money.charge(*amount);
                if *account == Account::Planning {
                    self.planning_spent = self.planning_spent + *amount;
                    self.asks.bill(what, *amount);
                }
            }
            EventBody::ModelAsked { call } => self.asks.open(call),
            EventBody::ModelConsulted { ask, step, .. } => self.asks.step(ask, step),
            EventBody::FellBack { what, from, .. } if what.starts_with("task ") => self.asks.fell_back(from),
            EventBody::BreakerOpened { agent_type, until, .. } => {
                self.tried.remove(agent_type);
                self.breakers.insert(agent_type.clone(), *until);
            }
            EventBody::BreakerTried { agent_type } => {
                self.breakers.remove(agent_type);
                self.tried.insert(agent_type.clone());
            }
            EventBody::BreakerClosed { agent_type } => {
                self.breakers.remove(agent_type);
                self.tried.remove(agent_type);
            }
            EventBody::Critiqued { phase: Phase::Validation, verdict: CritiqueVerdict::Stop, notes } => {
                self.unmet.clone_from(notes);
            }
            EventBody::OutcomeRecorded { report, .. } => self.report = Some(report.clone()),
            EventBody::RunPaused { .. } => self.paused = true,
            EventBody::RunResumed {} => self.paused = false,
            EventBody::StopRequested { then } => self.stop(then),
            EventBody::RolledBack { to, run_budget } => {
                if run_budget.is_some() {
                    self.money.cap = *run_budget;
                }
                self.roll_back(*to, event.at);
            }
            EventBody::RunCompleted { .. } => self.end(RunStatus::Completed),
            EventBody::RunFailed { .. } => self.end(RunStatus::Failed),
            EventBody::RunAborted { .. } => self.end(RunStatus::Aborted),
            EventBody::RunCancelled { .. } => self.end(RunStatus::Cancelled),
            _ => {}
        }
    }

    fn apply_task(&mut self, event: &Event) {
        match &event.body {
            EventBody::TaskDispatched { task_id, attempt, agent_type, deadline, reserved } => {
                let attempt = Attempt {
                    number: *attempt,
                    agent_type: agent_type.clone(),
                    started_at: event.at,
                    deadline: *deadline,
                    reserved: *reserved,
                    halt: None,
                };
                self.dispatch(task_id, attempt);
            }
            EventBody::TaskTakenUp { task_id, attempt, deadline } => {
                let Some((work, index)) = self.work_at(task_id) else {
                    return;
                };
                let current = work.task(index).and_then(|(_, run)| run.in_flight());
                if let Some(current) = current.filter(|current| current.number == *attempt) {
                    let renewed = Attempt { started_at: event.at, deadline: *deadline, ..current.clone() };
                    work.set(index, TaskState::InFlight(Box::new(renewed)));
                }
            }
            EventBody::TaskSucceeded { task_id, feedback, .. } => {
                self.feedback.push(Arc::clone(feedback));
                self.measure(task_id, feedback);
                self.finish_attempt(task_id, TaskState::Succeeded(Arc::clone(feedback)));
                self.after_success(task_id, feedback);
            }
            EventBody::TaskFailed { task_id, attempt, feedback, .. } => {
                self.feedback.push(Arc::clone(feedback));
                self.measure(task_id, feedback);
                self.fail(task_id, *attempt, feedback);
            }
            EventBody::TaskStopped { task_id, .. } => self.finish_attempt(task_id, TaskState::Waiting),
            EventBody::TaskSkipped { task_id, .. } => self.set_task(task_id, TaskState::Skipped),
            EventBody::TaskRouted { task_id, agent_type, ranking } => {
                let Some((work, index)) = self.work_at(task_id) else {
                    return;
                };
                work.assign(index, |task| {
                    task.agent_type = agent_type.clone();
                    task.metadata.ranking.clone_from(ranking);
                });
            }
            EventBody::RetryScheduled { task_id, at, agent_type, inputs, by_person } => {
                let Some((work, index)) = self.work_at(task_id) else {
                    return;
                };
                if agent_type.is_some() || !inputs.is_empty() {
                    work.assign(index, |task| {
                        task.agent_type = agent_type.clone().unwrap_or_else(|| task.agent_type.clone());
                        task.inputs.extend(inputs.clone());
                    });
                }
                if let Some(run) = work.run_mut(index) {
                    if *by_person {
                        run.history = None;
                    } else if let Some(history) = &mut run.history {
                        history.policy_retries = history.policy_retries.saturating_add(1);
                    }
                }
                // A task that was never ready (nobody could do it) still waits for its dependencies.
                let ready = work.task(index).is_some_and(|(_, run)| run.waiting_on == 0);
                work.set(index, if ready { TaskState::Backoff(*at) } else { TaskState::Waiting });
            }
            _ => {}
        }
    }

    /// Counts an outcome for the agent that was at work; a task that never started says nothing of anybody.
    fn measure(&mut self, task_id: &TaskId, feedback: &ExecutionFeedback) {
        let agent = self.work().and_then(|work| work.find(task_id)?.2.in_flight()).map(|it| &it.agent_type);
        if let Some(agent) = agent.cloned() {
            self.measured.entry(agent).or_default().add(feedback);
        }
    }

    fn apply_plan(&mut self, event: &Event) {
        match &event.body {
            EventBody::PlanProposed { version, plan, agents, .. } => {
                self.versions = *version;
                let work = Work::new(*version, Plan::clone(plan), agents, |id| {
                    self.spent_attempts.get(id).copied().unwrap_or(0)
                });
                self.note_confidence(event.at, plan.confidence_score, "plan proposed");
                self.work = Some(Arc::new(work));
                self.stage = Stage::Proposed;
            }
            EventBody::PlanAdjusted { version, adjustments, rerun_task_ids } => {
                let Some(plan) = self.plan() else { return };
                if let Ok(plan) = approval::adjust(&plan, adjustments) {
                    self.reshape(*version, plan, rerun_task_ids);
                }
            }
            EventBody::PlanApproved { version, .. } => {
                if let Some(work) = self.work.as_mut().map(Arc::make_mut) {
                    work.launch_confidence.get_or_insert(work.confidence);
                }
                self.mark(&format!("plan version {version} approved"), Resume::Plan);
            }
            EventBody::Replanned { version, revision } => self.revise(*version, revision, event.at),
            EventBody::ConfidenceChanged { after, cause, .. } => {
                if let Some(work) = self.work.as_mut().map(Arc::make_mut) {
                    work.confidence = *after;
                }
                self.note_confidence(event.at, *after, cause.as_str());
            }
            EventBody::HumanAsked { gate, question } => {
                self.questions = self.questions.saturating_add(1);
                self.gates.insert(gate.clone(), Question::clone(question));
                if let Question::Guidance(request) = question.as_ref() {
                    self.set_task(&request.task_id, TaskState::Escalated(gate.clone()));
                }
            }
            EventBody::HumanAnswered { gate, .. } | EventBody::QuestionWithdrawn { gate, .. } => {
                if let Some(Question::Guidance(request)) = self.gates.remove(gate) {
                    self.set_task(&request.task_id, TaskState::Failed);
                }
            }
            _ => {}
        }
    }

    fn start_phase(&mut self, phase: Phase, attempt: u32, at: Timestamp) {
        self.phase_attempts.insert(phase, attempt);
        match phase {
            Phase::Execution => {
                self.stage = Stage::Executing;
                self.execution_started.get_or_insert(at);
            }
            Phase::Validation | Phase::Consolidation => self.stage = Stage::Closing { phase },
            _ => {
                if let Stage::Preparing { open, .. } = &mut self.stage {
                    open.insert(phase);
                }
            }
        }
    }

    fn complete_phase(&mut self, phase: Phase) {
        self.asks.forget(phase);
        let next = match &mut self.stage {
            Stage::Preparing { open, .. } => {
                open.remove(&phase);
                if open.is_empty() { following(phase) } else { open.clone() }
            }
            _ => following(phase),
        };
        // What follows planning is the plan itself, and it has a point of its own once it is approved.
        if phase != Phase::Planning && !next.is_empty() {
            self.mark(&format!("phase {} ({phase}) completed", phase.number()), Resume::Phases(next));
        }
    }

    fn dispatch(&mut self, task_id: &TaskId, attempt: Attempt) {
        self.money.reserve(attempt.reserved);
        let Some((work, index)) = self.work_at(task_id) else {
            return;
        };
        if let Some(run) = work.run_mut(index) {
            run.attempts = run.attempts.max(attempt.number);
        }
        work.set(index, TaskState::InFlight(Box::new(attempt)));
    }

    fn finish_attempt(&mut self, task_id: &TaskId, state: TaskState) {
        let Some((work, index)) = self.work_at(task_id) else {
            return;
        };
        let reserved = work.task(index).and_then(|(_, run)| run.in_flight()).map(|attempt| attempt.reserved);
        work.set(index, state);
        self.money.release(reserved.unwrap_or_default());
    }

    fn after_success(&mut self, task_id: &TaskId, feedback: &ExecutionFeedback) {
        let Some((work, index)) = self.work_at(task_id) else {
            return;
        };
        if feedback.feedback_type == FeedbackType::PartialSuccess {
            work.partial_successes = work.partial_successes.saturating_add(1);
        }
        if let Some(run) = work.run_mut(index) {
            run.history = None;
        }
    }

    fn fail(&mut self, task_id: &TaskId, attempt: u32, feedback: &ExecutionFeedback) {
        self.finish_attempt(task_id, TaskState::Failed);
        // A task that never started has failed at nothing.
        if attempt == 0 {
            return;
        }
        let Some((work, index)) = self.work_at(task_id) else {
            return;
        };
        if feedback.feedback_type == FeedbackType::Failure {
            work.unpaid_failures.push(task_id.clone());
        }
        let Some(agent) = work.task(index).map(|(task, _)| task.agent_type.clone()) else {
            return;
        };
        if let Some(run) = work.run_mut(index) {
            run.history = Some(Box::new(run.history().with(&feedback.errors, &agent)));
        }
    }

    fn revise(&mut self, version: PlanVersion, revision: &PlanRevision, at: Timestamp) {
        let Some(plan) = self.plan() else { return };
        let plan = replan::replay(&plan, revision, at);
        self.reshape(version, plan, &revision.details.rerun_task_ids);
        if let Some(work) = self.work.as_mut().map(Arc::make_mut) {
            work.unpaid_failures.retain(|id| !revision.removed_task_ids.contains(id));
        }
        self.mark(&format!("revision {}", revision.revision_id), Resume::Plan);
    }

    fn reshape(&mut self, version: PlanVersion, plan: Plan, rerun: &[TaskId]) {
        self.remember_attempts();
        self.versions = version;
        let spent = &self.spent_attempts;
        if let Some(work) = self.work.as_mut().map(Arc::make_mut) {
            work.reshape(version, plan, rerun, |id| spent.get(id).copied().unwrap_or(0));
        }
    }

    fn stop(&mut self, then: &AfterStop) {
        self.gates.clear();
        self.asks.forget_all();
        self.paused = false;
        self.stage = Stage::Stopping { then: Box::new(then.clone()) };
        if let Some(work) = self.work.as_mut().map(Arc::make_mut) {
            work.halt_all();
        }
    }

    fn end(&mut self, status: RunStatus) {
        self.gates.clear();
        self.asks.forget_all();
        self.paused = false;
        self.stage = Stage::Ended(status);
    }

    fn roll_back(&mut self, to: CheckpointId, at: Timestamp) {
        let Some(place) = self.checkpoints.iter().position(|checkpoint| checkpoint.id == to) else {
            return;
        };
        self.remember_attempts();
        self.checkpoints.truncate(place + 1);
        let Some(checkpoint) = self.checkpoints.last().cloned() else {
            return;
        };
        self.gates.clear();
        self.asks.forget_all();
        self.paused = false;
        self.report = None;
        self.unmet.clear();
        self.goal = checkpoint.goal;
        self.work = checkpoint.work;
        let spent = &self.spent_attempts;
        if let Some(work) = self.work.as_mut().map(Arc::make_mut) {
            // A new version: no answer to a question about the old one fits.
            self.versions = self.versions.next();
            work.version = self.versions;
            work.remember_attempts(|id| spent.get(id).copied().unwrap_or(0));
        }
        self.stage = match checkpoint.resume {
            Resume::Phases(_) => Stage::Preparing { open: BTreeSet::new(), since: at },
            Resume::Plan => Stage::Proposed,
        };
    }

    fn remember_attempts(&mut self) {
        let Some(work) = &self.work else { return };
        for (task, run) in work.tasks().filter(|(_, run)| run.attempts > 0) {
            self.spent_attempts.insert(task.task_id.clone(), run.attempts);
        }
    }

    fn mark(&mut self, label: &str, resume: Resume) {
        let checkpoint = Checkpoint {
            id: CheckpointId(self.checkpoints_made),
            position: self.position,
            label: label.to_owned(),
            resume,
            goal: self.goal.clone(),
            work: self.work.as_ref().map(Work::at_rest),
        };
        self.checkpoints_made = self.checkpoints_made.saturating_add(1);
        self.checkpoints.push(checkpoint);
    }

    fn note_confidence(&mut self, at: Timestamp, confidence: candor_model::Confidence, cause: &str) {
        self.confidence.push(ConfidencePoint { at: Some(at), confidence, cause: cause.to_owned() });
    }

    fn set_task(&mut self, task_id: &TaskId, state: TaskState) {
        if let Some((work, index)) = self.work_at(task_id) {
            work.set(index, state);
        }
    }

    fn work_at(&mut self, task_id: &TaskId) -> Option<(&mut Work, candor_planning::graph::TaskIndex)> {
        let work = Arc::make_mut(self.work.as_mut()?);
        let index = work.index_of(task_id)?;
        Some((work, index))
    }
}

/// The phases that a run begins with, side by side.
pub(crate) fn first_phases() -> BTreeSet<Phase> {
    BTreeSet::from([Phase::PreAnalysis, Phase::Evaluation])
}

/// What comes after a phase when nothing else is at work.
pub(crate) fn following(phase: Phase) -> BTreeSet<Phase> {
    let next = match phase {
        Phase::PreAnalysis | Phase::Evaluation => Some(Phase::Context),
        Phase::Context => Some(Phase::Decomposition),
        Phase::Decomposition => Some(Phase::Planning),
        Phase::Planning => Some(Phase::Execution),
        Phase::Execution => Some(Phase::Validation),
        Phase::Validation => Some(Phase::Consolidation),
        Phase::Consolidation => None,
    };
    next.into_iter().collect()
}
