//! How an event changes the state. This is the only place where state changes, and it cannot fail: what
//! does not fit the state (in a log that was tampered with) changes nothing.

use std::sync::Arc;

use candor_model::{Event, EventBody, OutcomeRecord, RunStatus};

use super::RunState;

impl RunState {
    /// Takes one event into account.
    ///
    /// Every event has its arm, so that a new one cannot be forgotten. What an event does is in the file of the part
    /// that it changes.
    pub fn apply(&mut self, event: &Event) {
        use EventBody as E;
        self.position = self.position.plus(1);
        self.owed = None;
        let (body, at) = (&event.body, event.at);
        match body {
            E::RunStarted { .. } => self.begin(body, at),
            E::GuardrailsChecked { attempt, report } => self.guarded(*attempt, report, at),
            E::PromptChanged { change } => self.change_words(change, at),
            E::PromptScored { score, evaluation, .. } => self.judge_words(*score, evaluation.as_deref()),
            E::PhaseStarted { phase, attempt } => self.start_phase(*phase, *attempt, at),
            E::PhaseCompleted { phase, handoff, .. } => self.complete_phase(*phase, handoff),
            E::PhaseDegraded { phase, .. } => self.degrade_phase(*phase),
            E::Critiqued { .. } => self.critique(body),
            E::GoalDefined { goal } => self.goal = Some(Arc::clone(goal)),
            E::PlanProposed { .. } => self.propose(body, at),
            E::PlanAnswered { answer, .. } => self.answer_about_plan(answer),
            E::PlanAdjusted { .. } => self.adjust(body),
            E::PlanApproved { version, risks, .. } => self.approve(*version, risks),
            E::Replanned { version, revision } => self.revise(*version, revision, at),
            E::ConfidenceChanged { after, cause, .. } => self.change_confidence(*after, *cause, at),
            E::TaskRouted { task_id, agent_type, ranking } => self.route(task_id, agent_type, ranking),
            E::TaskDispatched { .. } => self.dispatch(body, at),
            E::TaskTakenUp { .. } => self.resume_attempt(body, at),
            E::TaskSucceeded { task_id, feedback, .. } => self.succeed(task_id, feedback),
            E::TaskFailed { .. } => self.fail(body),
            E::TaskStopped { task_id, reason, .. } => self.stop_attempt(task_id, *reason, at),
            E::TaskSkipped { task_id, .. } => self.skip(task_id),
            E::Revision(step) => self.revision_step(step),
            E::TaskGivenUp { task_id, error } => self.give_up(task_id, error),
            E::TaskReopened { task_id, reason, dependants } => self.reopen(task_id, reason, dependants),
            E::RetryScheduled(_) => self.schedule_retry(body),
            E::AgentNoted { task_id, attempt, note } => self.take_note(task_id, *attempt, note),
            E::Undo(step) => self.apply_undo(step),
            E::HumanAsked { gate, question } => self.ask(gate, question),
            E::HumanAnswered { gate, answer } => self.answer(gate, answer, at),
            E::QuestionWithdrawn { gate, .. } => self.close_gate(gate),
            E::BreakerOpened { agent_type, until, .. } => self.circuits.open(agent_type, *until),
            E::BreakerTried { agent_type } => self.circuits.half_open(agent_type),
            E::BreakerAwaited { agent_type, .. } => self.circuits.awaits(agent_type),
            E::BreakerClosed { agent_type } => self.circuits.close(agent_type),
            E::ModelAsked { call } => self.asks.open(call),
            E::ModelConsulted { ask, step, .. } => self.consult(ask, step),
            E::FellBack { what, from, kind, .. } => self.fall_back(*kind, what, from),
            E::Charged { .. } => self.charge(body),
            E::Broadcast { message } => self.findings_mut().messages.broadcasts.push(Arc::clone(message)),
            E::AgentQueried { query } => self.findings_mut().messages.ask(query),
            E::QueryAnswered { response } => self.findings_mut().answer_query(response),
            E::FilesRead { files } => self.findings_mut().documents.read(files),
            E::ResultsChecked { results } => self.findings_mut().validation.checks.extend_from_slice(results),
            E::Progressed { update } => self.results.progress = update.progress_percentage,
            E::OutcomeRecorded(OutcomeRecord { report, .. }) => self.results.report = Some(report.clone()),
            E::RunPaused { .. } => self.paused = true,
            E::RunResumed {} => self.resume(at),
            E::StopRequested { then } => self.stop(then),
            E::RolledBack { to, run_budget } => self.roll_back(*to, *run_budget, at),
            E::RunCompleted { .. } => self.end(RunStatus::Completed),
            E::RunFailed { .. } => self.end(RunStatus::Failed),
            E::RunAborted { .. } => self.end(RunStatus::Aborted),
            E::RunCancelled { .. } => self.end(RunStatus::Cancelled),
            // What people are told, and what other events say for the state.
            #[rustfmt::skip]
            E::PhaseFailed { .. } | E::GuardrailTripped { .. } | E::PlanRejected { .. } | E::Notified { .. }
            | E::DecisionMade { .. } | E::Escalated { .. } | E::ModelBreakerOpened { .. }
            | E::ModelBreakerClosed { .. } | E::Degraded { .. } | E::BudgetExceeded { .. }
            | E::ConflictResolved { .. } => {}
        }
    }
}
