//! How an event changes the state. This is the only place where state changes, and it cannot fail: what
//! does not fit the state (in a log that was tampered with) changes nothing.

use std::collections::BTreeSet;
use std::sync::Arc;

use candor_model::{
    Account, Answer, Broadcast, ChoiceKind, ConfidenceCause, ConfidencePoint, CritiqueVerdict, Event,
    EventBody, FailedComponent, FallbackKind, Phase, Plan, PlanRevision, PlanVersion, Query, Question,
    RunSettings, RunStatus, TaskId, Timestamp, old_logs,
};
use candor_planning::{approval, replan};

use super::course::first_phases;
use super::{Findings, Resume, RunState, ShownPlan, Stage, TaskState, Work};

/// The mark of runs in which nothing happens before the guardrails have had their say.
pub(crate) const GUARDED: u16 = 1;

impl RunState {
    /// Takes one event into account.
    pub fn apply(&mut self, event: &Event) {
        self.position = self.position.plus(1);
        self.owed = None;
        match &event.body {
            EventBody::TaskDispatched { .. }
            | EventBody::TaskTakenUp { .. }
            | EventBody::TaskSucceeded { .. }
            | EventBody::TaskFailed { .. }
            | EventBody::TaskStopped { .. }
            | EventBody::TaskSkipped { .. }
            | EventBody::TaskReopened { .. }
            | EventBody::TaskRouted { .. }
            | EventBody::RetryScheduled { .. } => self.apply_task(event),
            EventBody::PlanProposed { .. }
            | EventBody::PlanAdjusted { .. }
            | EventBody::PlanApproved { .. }
            | EventBody::PlanAnswered { .. }
            | EventBody::Replanned { .. }
            | EventBody::ConfidenceChanged { .. }
            | EventBody::HumanAsked { .. }
            | EventBody::HumanAnswered { .. }
            | EventBody::QuestionWithdrawn { .. } => self.apply_plan(event),
            EventBody::AgentNoted { .. } | EventBody::Undo(_) => self.apply_note(event),
            _ => self.apply_life(event),
        }
    }

    fn apply_life(&mut self, event: &Event) {
        match &event.body {
            EventBody::RunStarted { .. } => self.begin(event),
            EventBody::GuardrailsChecked { attempt, report } => self.guarded(*attempt, report, event.at),
            EventBody::PromptChanged { change } => self.change_words(change, event.at),
            EventBody::PromptScored { score, evaluation, .. } => {
                self.findings_mut().judged(*score, evaluation.as_deref());
            }
            EventBody::PhaseStarted { phase, attempt } => self.start_phase(*phase, *attempt, event.at),
            EventBody::PhaseCompleted { phase, .. } => self.complete_phase(*phase),
            EventBody::GoalDefined { goal } => self.goal = Some(Arc::clone(goal)),
            EventBody::Charged { account, amount, what, payee, .. } => {
                self.bill = None;
                self.money.charge(*amount);
                if *account == Account::Planning {
                    self.planning_spent = self.planning_spent + *amount;
                    self.asks.bill(old_logs::payee(payee.as_deref(), what).into_owned(), *amount);
                }
            }
            EventBody::ModelAsked { call } => self.asks.open(call),
            EventBody::ModelConsulted { ask, step, .. } => {
                self.asks.step(ask, step);
                self.bill_call(ask, step);
                self.findings_mut().consulted(ask.phase, step);
            }
            EventBody::FellBack { what, from, kind, .. } => match old_logs::fallback_kind(*kind, what) {
                FallbackKind::Agent => self.asks.degrade(FailedComponent::Agent(from.clone())),
                FallbackKind::Orchestrator => self.asks.degrade(FailedComponent::Orchestrator),
                FallbackKind::Model => {}
            },
            EventBody::PhaseDegraded { phase, .. } => self.asks.degrade(FailedComponent::Phase(*phase)),
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
            _ => self.apply_phases(event),
        }
    }

    fn begin(&mut self, event: &Event) {
        let EventBody::RunStarted { request, settings, material, flags, .. } = &event.body else { return };
        self.request.clone_from(request);
        self.material = material.as_deref().cloned().map(Arc::new);
        self.money.cap = settings.run_budget;
        self.settings = Arc::new(RunSettings::clone(settings));
        let guarded = flags.contains(&GUARDED);
        self.stage = if guarded {
            Stage::Guarding { attempt: 1 }
        } else {
            Stage::Preparing { open: BTreeSet::new(), since: event.at }
        };
        let findings = self.findings_mut();
        findings.guarded.needed = guarded;
        findings.begin(request, event.at);
        self.mark("start", Resume::Phases(first_phases()), None);
    }

    /// What phases and agents say, and what was looked up for them.
    fn apply_phases(&mut self, event: &Event) {
        match &event.body {
            // A verdict without checks is not the phase's word on its own work but on the results.
            EventBody::Critiqued {
                phase: Phase::Validation,
                verdict: CritiqueVerdict::Stop,
                notes,
                checks: None,
            } => {
                self.unmet.clone_from(notes);
            }
            EventBody::Critiqued { phase, verdict: CritiqueVerdict::Refine, notes, checks: Some(_) } => {
                self.findings_mut().refine(*phase, notes);
            }
            EventBody::Broadcast { message } => self.findings_mut().messages.push(Broadcast::clone(message)),
            EventBody::AgentQueried { query } => {
                self.findings_mut().queries.insert(query.id.clone(), Query::clone(query));
            }
            EventBody::QueryAnswered { response } => {
                self.findings_mut().answered_query(response);
            }
            EventBody::FilesRead { files } => self.findings_mut().read(files),
            EventBody::ResultsChecked { results } => {
                self.findings_mut().checks.extend(results.iter().cloned());
            }
            _ => {}
        }
    }

    fn apply_plan(&mut self, event: &Event) {
        match &event.body {
            EventBody::PlanProposed { version, plan, agents, brief, .. } => {
                let (version_shown, brief, agents_shown) = (*version, brief.clone(), agents.clone());
                let shown =
                    ShownPlan { version: version_shown, plan: Arc::clone(plan), agents: agents_shown, brief };
                self.findings_mut().propose(shown);
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
                    if self.stage == Stage::Proposed {
                        self.findings_mut().adjust(*version, &plan);
                    }
                    self.reshape(*version, plan, rerun_task_ids);
                }
            }
            EventBody::PlanApproved { version, .. } => {
                if let Some(work) = self.work.as_mut().map(Arc::make_mut) {
                    work.launch_confidence.get_or_insert(work.confidence);
                }
                self.findings_mut().approve(*version);
                self.mark(&format!("plan version {version} approved"), Resume::Plan, Some(Phase::Planning));
            }
            EventBody::PlanAnswered { answer, .. } => {
                self.findings_mut().answered(answer);
                self.asks.forget(Phase::Planning);
                self.stage = Stage::Proposed;
            }
            EventBody::Replanned { version, revision } => self.revise(*version, revision, event.at),
            EventBody::ConfidenceChanged { after, cause, .. } => {
                if let Some(work) = self.work.as_mut().map(Arc::make_mut) {
                    work.confidence = *after;
                    // What has been paid for is not paid for twice.
                    if *cause == ConfidenceCause::Failures {
                        work.unpaid_failures.clear();
                    }
                }
                self.note_confidence(event.at, *after, cause.as_str());
            }
            _ => self.apply_question(event),
        }
    }

    fn apply_question(&mut self, event: &Event) {
        match &event.body {
            EventBody::HumanAsked { gate, question } => {
                self.questions = self.questions.saturating_add(1);
                self.gates.insert(gate.clone(), Question::clone(question));
                if self.stage == Stage::Proposed {
                    self.findings_mut().put(question);
                }
                match question.as_ref() {
                    Question::Guidance(request) => {
                        self.set_task(&request.task_id, TaskState::Escalated(gate.clone()));
                    }
                    Question::Choice(request) if request.about == ChoiceKind::Enhancement => {
                        self.findings_mut().offers += 1;
                    }
                    Question::Choice(request) if request.about == ChoiceKind::Agent => {
                        self.rest(request, gate);
                    }
                    _ => {}
                }
            }
            EventBody::HumanAnswered { gate, answer } => {
                self.owe_choice(gate, answer);
                if let Answer::Approval(decision) = answer.as_ref()
                    && self.stage == Stage::Proposed
                {
                    self.findings_mut().discuss(decision);
                }
                if let (Answer::Choice(choice), Some(Question::Choice(request))) =
                    (answer.as_ref(), self.gates.get(gate))
                    && request.about == ChoiceKind::Budget
                    && choice.option == candor_planning::gates::CONTINUE
                {
                    let more = self.settings.phase_limits().token_budget;
                    let findings = self.findings_mut();
                    findings.tokens_allowed = findings.tokens_allowed.saturating_add(more);
                }
                // The time in which people think is not planning's.
                if let Stage::Preparing { since, .. } = &mut self.stage {
                    *since = event.at;
                }
                if let Some(Question::Guidance(request)) = self.gates.remove(gate) {
                    self.set_task(&request.task_id, TaskState::Failed);
                }
            }
            EventBody::QuestionWithdrawn { gate, .. } => {
                if let Some(Question::Guidance(request)) = self.gates.remove(gate) {
                    self.set_task(&request.task_id, TaskState::Failed);
                }
            }
            _ => {}
        }
    }

    pub(super) fn findings_mut(&mut self) -> &mut Findings {
        Arc::make_mut(&mut self.findings)
    }

    fn revise(&mut self, version: PlanVersion, revision: &PlanRevision, at: Timestamp) {
        let Some(plan) = self.plan() else { return };
        let plan = replan::replay(&plan, revision, at);
        self.owe_confidence(plan.confidence_score);
        self.reshape(version, plan, &revision.details.rerun_task_ids);
        if let Some(work) = self.work.as_mut().map(Arc::make_mut) {
            work.unpaid_failures.retain(|id| !revision.removed_task_ids.contains(id));
        }
        self.mark(&format!("revision {}", revision.revision_id), Resume::Plan, None);
    }

    fn reshape(&mut self, version: PlanVersion, plan: Plan, rerun: &[TaskId]) {
        self.remember_attempts();
        self.versions = version;
        let spent = &self.spent_attempts;
        if let Some(work) = self.work.as_mut().map(Arc::make_mut) {
            work.reshape(version, plan, rerun, |id| spent.get(id).copied().unwrap_or(0));
        }
    }

    pub(super) fn remember_attempts(&mut self) {
        let Some(work) = &self.work else { return };
        for (task, run) in work.tasks().filter(|(_, run)| run.attempts > 0) {
            self.spent_attempts.insert(task.task_id.clone(), run.attempts);
        }
    }

    fn note_confidence(&mut self, at: Timestamp, confidence: candor_model::Confidence, cause: &str) {
        self.confidence.push(ConfidencePoint { at: Some(at), confidence, cause: cause.to_owned() });
    }

    pub(super) fn set_task(&mut self, task_id: &TaskId, state: TaskState) {
        if let Some((work, index)) = self.work_at(task_id) {
            work.set(index, state);
        }
    }

    pub(super) fn work_at(
        &mut self,
        task_id: &TaskId,
    ) -> Option<(&mut Work, candor_planning::graph::TaskIndex)> {
        let work = Arc::make_mut(self.work.as_mut()?);
        let index = work.index_of(task_id)?;
        Some((work, index))
    }
}
