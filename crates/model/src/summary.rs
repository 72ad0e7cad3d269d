//! A run in one line, kept up to date event by event, so that a list of runs needs no folding of logs.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::text_enum::text_enum;
use crate::{
    Confidence, Event, EventBody, GateId, GoalType, Money, Notification, OutcomeRecord, PlanId, RunId,
    RunOrigin, TaskId, Timestamp, Verdict,
};

text_enum!(
    /// Where a run stands.
    #[derive(Default)]
    RunStatus {
        /// The plan is being made.
        #[default]
        Preparing = "preparing",
        /// Tasks are being carried out.
        Executing = "executing",
        /// A person is asked something.
        WaitingHuman = "waiting_human",
        /// A person paused it.
        Paused = "paused",
        /// Everything that runs is being stopped.
        Stopping = "stopping",
        /// Everything was done; its verdict says whether that met the goal.
        Completed = "completed",
        /// It did not reach its goal.
        Failed = "failed",
        /// A limit or a person ended it.
        Aborted = "aborted",
        /// A person cancelled it.
        Cancelled = "cancelled",
    }
);

impl RunStatus {
    /// Whether the run has come to its end.
    #[must_use]
    pub const fn is_end(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Aborted | Self::Cancelled)
    }
}

/// A run in one line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunSummary {
    /// Run that the summary is about.
    pub run_id: RunId,
    /// Status after the last event of its log.
    pub status: RunStatus,
    /// The person's own words.
    pub request: String,
    /// The kind of goal, once it is known.
    pub goal_type: Option<GoalType>,
    /// The plan, once there is one.
    pub plan_id: Option<PlanId>,
    /// Moment of the first event.
    pub started_at: Option<Timestamp>,
    /// When something last happened.
    pub updated_at: Option<Timestamp>,
    /// Ended tasks in percent.
    pub progress_percentage: f64,
    /// How sure Candor is.
    pub confidence: Option<Confidence>,
    /// Sum of all charges so far.
    pub spent: Money,
    /// How many attempts failed.
    pub failures: u64,
    /// What failed last, in plain words.
    pub last_failure: Option<String>,
    /// The questions that wait for an answer.
    pub open_gates: BTreeSet<GateId>,
    /// Whether a person paused it.
    pub paused: bool,
    /// Whether it reached its goal, once it has ended and if anybody judged it.
    #[serde(default)]
    pub verdict: Option<Verdict>,
    /// Who began it, in which project, and after which run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Box<RunOrigin>>,
    /// What was judged before the end.
    #[serde(default)]
    judged: Option<Verdict>,
    /// A task that could not start, until its notice comes, which is in the same append. The cause is the failure that
    /// it waited for, and stays the last one.
    #[serde(skip)]
    never_started: Option<TaskId>,
    stage: Stage,
}

/// A number in a summary that moves with almost every task.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SummaryFigure {
    /// Ended tasks in percent.
    Progress(f64),
    /// Sum of all charges so far.
    Spent(Money),
}

/// The part of a run's status that gates and pauses hide for a while.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Stage {
    #[default]
    Preparing,
    Executing,
    Stopping,
    Ended,
}

impl RunSummary {
    /// A run of which nothing is known yet.
    #[must_use]
    pub fn new(run_id: RunId) -> Self {
        Self {
            run_id,
            status: RunStatus::default(),
            request: String::new(),
            goal_type: None,
            plan_id: None,
            started_at: None,
            updated_at: None,
            progress_percentage: 0.0,
            confidence: None,
            spent: Money::ZERO,
            failures: 0,
            last_failure: None,
            open_gates: BTreeSet::new(),
            paused: false,
            verdict: None,
            origin: None,
            judged: None,
            never_started: None,
            stage: Stage::default(),
        }
    }

    /// Whether an event can change more of a summary than its times. Most events of a run cannot.
    #[must_use]
    pub const fn is_moved_by(body: &EventBody) -> bool {
        !matches!(
            body,
            EventBody::PhaseStarted { .. }
                | EventBody::PhaseCompleted { .. }
                | EventBody::TaskRouted { .. }
                | EventBody::TaskDispatched { .. }
                | EventBody::TaskTakenUp { .. }
                | EventBody::TaskSucceeded { .. }
                | EventBody::TaskStopped { .. }
                | EventBody::DecisionMade { .. }
        )
    }

    /// The figure that an event sets, if it sets one and moves nothing else. These come with every task, and
    /// are worth keeping apart from the rest, which seldom changes.
    #[must_use]
    pub fn figure(body: &EventBody) -> Option<SummaryFigure> {
        match body {
            EventBody::Progressed { update } => Some(SummaryFigure::Progress(update.progress_percentage)),
            EventBody::Charged { total, .. } => Some(SummaryFigure::Spent(*total)),
            _ => None,
        }
    }

    /// Takes one more event into account.
    pub fn absorb(&mut self, event: &Event) {
        self.started_at.get_or_insert(event.at);
        self.updated_at = Some(event.at);
        match &event.body {
            EventBody::RunStarted { request, origin, .. } => {
                self.request.clone_from(request);
                self.origin.clone_from(origin);
            }
            EventBody::PromptChanged { change } => self.request.clone_from(&change.text),
            EventBody::GoalDefined { goal } => self.goal_type = Some(goal.goal_type.clone()),
            EventBody::PlanProposed { plan, .. } => {
                self.plan_id = Some(plan.plan_id.clone());
                self.confidence = Some(plan.confidence_score);
            }
            EventBody::ConfidenceChanged { after, .. } => self.confidence = Some(*after),
            EventBody::Progressed { update } => self.progress_percentage = update.progress_percentage,
            EventBody::Charged { total, .. } => self.spent = *total,
            EventBody::TaskFailed { task_id, attempt: 0, .. } => self.never_started = Some(task_id.clone()),
            EventBody::TaskFailed { .. } => self.failures += 1,
            EventBody::OutcomeRecorded(OutcomeRecord { assessment, .. }) => {
                self.judged = assessment.as_ref().map(|assessment| assessment.verdict);
            }
            EventBody::Notified { notification } => {
                if let Notification::Failure(notice) = notification.as_ref()
                    && self.never_started.take_if(|task| *task == notice.task_id).is_none()
                {
                    self.last_failure = Some(notice.error_summary.clone());
                }
            }
            body => self.absorb_stage(body),
        }
    }

    fn absorb_stage(&mut self, body: &EventBody) {
        self.verdict = Verdict::at_end(body, self.judged).or(self.verdict);
        match body {
            EventBody::HumanAsked { gate, .. } => {
                self.open_gates.insert(gate.clone());
            }
            EventBody::HumanAnswered { gate, .. } | EventBody::QuestionWithdrawn { gate, .. } => {
                self.open_gates.remove(gate);
            }
            EventBody::PlanApproved { .. } | EventBody::PlanAdjusted { .. } => self.stage = Stage::Executing,
            EventBody::RunPaused { .. } => self.paused = true,
            // What failed in a run that had ended is tried again.
            EventBody::RunResumed {} if self.stage == Stage::Ended => {
                self.clear(Stage::Executing);
                (self.verdict, self.judged) = (None, None);
            }
            EventBody::RunResumed {} => self.paused = false,
            EventBody::StopRequested { .. } => self.clear(Stage::Stopping),
            EventBody::RolledBack { .. } => {
                self.clear(Stage::Preparing);
                self.progress_percentage = 0.0;
                (self.verdict, self.judged) = (None, None);
            }
            body if body.is_end() => self.clear(Stage::Ended),
            _ => return,
        }
        self.status = self.status_after(body);
    }

    /// A run that stops, ends or goes back asks nothing any more.
    fn clear(&mut self, stage: Stage) {
        self.open_gates.clear();
        self.paused = false;
        self.stage = stage;
    }

    fn status_after(&self, body: &EventBody) -> RunStatus {
        match (self.stage, body) {
            (Stage::Ended, EventBody::RunCompleted { .. }) => RunStatus::Completed,
            (Stage::Ended, EventBody::RunFailed { .. }) => RunStatus::Failed,
            (Stage::Ended, EventBody::RunAborted { .. }) => RunStatus::Aborted,
            (Stage::Ended, EventBody::RunCancelled { .. }) => RunStatus::Cancelled,
            (Stage::Ended, _) => self.status,
            (Stage::Stopping, _) => RunStatus::Stopping,
            _ if !self.open_gates.is_empty() => RunStatus::WaitingHuman,
            _ if self.paused => RunStatus::Paused,
            (Stage::Preparing, _) => RunStatus::Preparing,
            (Stage::Executing, _) => RunStatus::Executing,
        }
    }
}
