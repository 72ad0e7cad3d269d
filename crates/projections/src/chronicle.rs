//! A run's log in one pass, sorted by what readers ask for: attempts, failures with what was done about
//! them, revisions, confidence, money, people. Everything is borrowed from the log.

use std::collections::BTreeMap;

use candor_model::{
    Account, AgentType, Announcement, Answer, ConfidencePoint, DecisionEntry, Event, EventBody,
    ExecutionFeedback, FailureNotification, FeedbackType, GateId, IdMap, Money, Notification, Plan,
    PlanRevision, Recorded, RecoveryNotification, Seconds, StopReason, SubTask, TaskId, Timestamp,
};
use candor_planning::texts;

/// How an attempt ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// No end is on the log.
    Running,
    /// It ended with outputs.
    Done,
    /// It succeeded in part.
    Partly,
    /// It ended with an error.
    Failed,
    /// The task could not be started.
    NeverStarted,
    /// It was stopped from outside, or came too late.
    Stopped(StopReason),
}

impl Outcome {
    /// A stable name for programs.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Done => "succeeded",
            Self::Partly => "partial_success",
            Self::Failed => "failed",
            Self::NeverStarted => "never_started",
            Self::Stopped(StopReason::RunStopping) => "stopped",
            Self::Stopped(StopReason::Replan) => "replanned",
            Self::Stopped(StopReason::Superseded) => "superseded",
            Self::Stopped(StopReason::NoResources) => "not_started",
        }
    }
}

/// One attempt at one task.
#[derive(Debug, Clone)]
pub struct Attempt<'a> {
    /// Task that the attempt worked at.
    pub task_id: &'a TaskId,
    /// Which attempt it is, from 1; 0 if the task could not be started.
    pub number: u32,
    /// Agent that made it, where one was chosen.
    pub agent: Option<&'a AgentType>,
    /// Moment at which the order was given out.
    pub started: Timestamp,
    /// When it ended, if it has.
    pub ended: Option<Timestamp>,
    /// State at the end of the log.
    pub outcome: Outcome,
    /// What the agent reported.
    pub feedback: Option<&'a ExecutionFeedback>,
    /// Counts the ends of attempts, because many can share one time.
    pub end_order: usize,
}

impl Attempt<'_> {
    /// How long it took by the agent's account, or by the log's where the agent gave none.
    #[must_use]
    pub fn took(&self, now: Timestamp) -> Seconds {
        match self.feedback {
            Some(feedback) => feedback.duration_seconds,
            None => self.ended.unwrap_or(now).since(self.started),
        }
    }

    /// Charged for the attempt.
    #[must_use]
    pub fn cost(&self) -> Money {
        self.feedback.map_or(Money::ZERO, |feedback| feedback.cost)
    }
}

/// A failed attempt, what people were told of it and how it was answered.
#[derive(Debug, Clone)]
pub struct Failure<'a> {
    /// Moment of the failure.
    pub at: Timestamp,
    /// Task that failed.
    pub task_id: &'a TaskId,
    /// Which attempt failed; 0 if the task could not be started.
    pub attempt: u32,
    /// Whose attempt it was.
    pub agent: &'a AgentType,
    /// What the agent reported.
    pub feedback: &'a ExecutionFeedback,
    /// Its place among the ends of all attempts.
    pub end_order: usize,
    /// What people were told.
    pub notice: Option<&'a FailureNotification>,
    /// What was done about it, and why.
    pub recovery: Option<&'a RecoveryNotification>,
}

/// A revision and when it was made.
#[derive(Debug, Clone, Copy)]
pub struct Revised<'a> {
    /// When it was made.
    pub at: Timestamp,
    /// Changed, added and removed tasks.
    pub revision: &'a PlanRevision,
}

/// What a log says, sorted.
#[derive(Debug, Default)]
pub struct Chronicle<'a> {
    /// When the run began.
    pub started: Option<Timestamp>,
    /// When something last happened.
    pub last: Option<Timestamp>,
    /// Every task there ever was, in its latest form.
    tasks: IdMap<&'a TaskId, &'a SubTask>,
    /// Every attempt, in the order in which they were started.
    pub attempts: Vec<Attempt<'a>>,
    open: IdMap<&'a TaskId, usize>,
    /// Every failure, the earliest first.
    pub failures: Vec<Failure<'a>>,
    /// How many of the failures lie before the last rollback: it undid what they led to.
    pub undone_failures: usize,
    ended: usize,
    /// Every revision of the plan.
    pub revisions: Vec<Revised<'a>>,
    /// Confidence after each change, oldest first.
    pub confidence: Vec<ConfidencePoint>,
    /// Decisions of the run, oldest first.
    pub decisions: Vec<&'a DecisionEntry>,
    /// What people were told beside failures and recoveries.
    pub announcements: Vec<&'a Announcement>,
    /// Answers of people, oldest first.
    pub answers: Vec<(Timestamp, &'a GateId, &'a Answer)>,
    /// What was spent, by what it was spent on.
    pub by_account: BTreeMap<Account, Money>,
    /// The plan as it was first proposed, and what was repaired in it.
    pub first_plan: Option<(&'a Plan, &'a [String])>,
    /// How the run ended, and when.
    pub end: Option<(Timestamp, &'a EventBody)>,
}

impl<'a> Chronicle<'a> {
    /// Reads a whole log.
    #[must_use]
    pub fn of(records: &'a [Recorded]) -> Self {
        let mut chronicle = Self::default();
        for Recorded { event, .. } in records {
            chronicle.started.get_or_insert(event.at);
            chronicle.last = Some(event.at);
            chronicle.read(event);
        }
        chronicle
    }

    /// How many attempts failed. A task that could not be started made none.
    #[must_use]
    pub fn failed_attempts(&self) -> usize {
        self.failures.iter().filter(|failure| failure.attempt > 0).count()
    }

    /// The same at a later moment: what has not ended goes on until then. Agents at work may be silent for long, and the
    /// log knows of no time beyond its last event.
    #[must_use]
    pub fn as_of(mut self, now: Timestamp) -> Self {
        self.last = self.last.max(Some(now));
        self
    }

    /// From the first event to the last.
    #[must_use]
    pub fn elapsed(&self) -> Seconds {
        self.started.zip(self.last).map_or(Seconds::ZERO, |(start, end)| end.since(start))
    }

    /// Time since the run began.
    #[must_use]
    pub fn offset(&self, at: Timestamp) -> Seconds {
        at.since(self.started.unwrap_or(at))
    }

    /// The last moment that the log knows.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.last.unwrap_or(Timestamp::EPOCH)
    }

    /// A task in its latest form, also one that is no longer in the plan.
    #[must_use]
    pub fn task(&self, id: &TaskId) -> Option<&'a SubTask> {
        self.tasks.get(id).copied()
    }

    /// A task's name for people; the id where nothing else is known.
    #[must_use]
    pub fn name(&self, id: &TaskId) -> String {
        self.task(id).map_or_else(|| id.to_string(), texts::task_name)
    }

    /// What was spent, by the agent that spent it.
    #[must_use]
    pub fn by_agent(&self) -> BTreeMap<&'a AgentType, (usize, usize, Money)> {
        let mut sums: BTreeMap<&AgentType, (usize, usize, Money)> = BTreeMap::new();
        let at_work = self.attempts.iter().filter(|attempt| attempt.outcome != Outcome::NeverStarted);
        for attempt in at_work {
            let Some(agent) = attempt.agent else { continue };
            let (made, failed, cost) = sums.entry(agent).or_default();
            *made += 1;
            *failed += usize::from(attempt.outcome == Outcome::Failed);
            *cost = *cost + attempt.cost();
        }
        sums
    }

    /// What was spent in all.
    #[must_use]
    pub fn spent(&self) -> Money {
        self.by_account.values().copied().sum()
    }

    /// Whether an event is worth a note of its own beside the tasks, the plan and the answers of people.
    #[must_use]
    pub fn is_incident(body: &EventBody) -> bool {
        matches!(
            body,
            EventBody::TaskSkipped { .. }
                | EventBody::RolledBack { .. }
                | EventBody::RunPaused { .. }
                | EventBody::PlanAdjusted { .. }
                | EventBody::PlanRejected { .. }
                | EventBody::PhaseFailed { .. }
                | EventBody::PhaseDegraded { .. }
                | EventBody::GuardrailTripped { .. }
                | EventBody::BreakerOpened { .. }
                | EventBody::FellBack { .. }
                | EventBody::Degraded { .. }
                | EventBody::BudgetExceeded { .. }
                | EventBody::ConflictResolved { .. }
        )
    }

    fn read(&mut self, event: &'a Event) {
        match &event.body {
            EventBody::PlanProposed { plan, repairs, .. } => self.propose(event.at, plan, repairs),
            EventBody::Replanned { revision, .. } => {
                self.learn(&revision.new_subtasks);
                self.learn(&revision.details.modified_subtasks);
                self.revisions.push(Revised { at: event.at, revision });
            }
            EventBody::ConfidenceChanged { after, cause, .. } => {
                self.confide(event.at, *after, cause.as_str());
            }
            EventBody::DecisionMade { entry } => self.decisions.push(entry),
            EventBody::Notified { notification } => self.told(notification),
            EventBody::Charged { account, amount, .. } => {
                let sum = self.by_account.entry(*account).or_default();
                *sum = *sum + *amount;
            }
            EventBody::HumanAnswered { gate, answer } => self.answers.push((event.at, gate, answer)),
            EventBody::TaskDispatched { .. }
            | EventBody::TaskSucceeded { .. }
            | EventBody::TaskFailed { .. }
            | EventBody::TaskStopped { .. } => self.attempt(event),
            EventBody::RolledBack { .. } => self.undone_failures = self.failures.len(),
            EventBody::RunResumed {} => self.end = None,
            body if body.is_end() => self.end = Some((event.at, body)),
            _ => {}
        }
    }

    fn propose(&mut self, at: Timestamp, plan: &'a Plan, repairs: &'a [String]) {
        self.learn(&plan.subtasks);
        self.confide(at, plan.confidence_score, "plan proposed");
        self.first_plan.get_or_insert((plan, repairs));
    }

    fn confide(&mut self, at: Timestamp, confidence: candor_model::Confidence, cause: &str) {
        self.confidence.push(ConfidencePoint { at: Some(at), confidence, cause: cause.to_owned() });
    }

    fn learn(&mut self, tasks: &'a [SubTask]) {
        for task in tasks {
            self.tasks.insert(&task.task_id, task);
        }
    }

    /// A notice speaks of the latest failure of its task, and an explanation of the latest failure at all.
    fn told(&mut self, notification: &'a Notification) {
        match notification {
            Notification::Failure(notice) => {
                let latest = self.failures.iter_mut().rev();
                let untold =
                    latest.take(RECENT).find(|it| it.task_id == &notice.task_id && it.notice.is_none());
                if let Some(failure) = untold {
                    failure.notice = Some(notice);
                }
            }
            Notification::Recovery(recovery) => {
                self.explained(recovery);
            }
            Notification::Announcement(announcement) => self.announcements.push(announcement),
        }
    }

    /// Tasks that one revision answers together are told of one by one, and explained once.
    fn explained(&mut self, recovery: &'a RecoveryNotification) {
        let strategy = |failure: &Failure<'a>| failure.notice.map(|notice| notice.recovery_strategy.as_str());
        let latest = self.failures.last().map(|failure| (failure.at, strategy(failure)));
        let together = self.failures.iter_mut().rev().take(RECENT);
        let together =
            together.take_while(|it| it.recovery.is_none() && Some((it.at, strategy(it))) == latest);
        together.for_each(|failure| failure.recovery = Some(recovery));
    }

    fn attempt(&mut self, event: &'a Event) {
        match &event.body {
            EventBody::TaskDispatched { task_id, attempt, agent_type, .. } => {
                self.open.insert(task_id, self.attempts.len());
                self.attempts.push(Attempt {
                    task_id,
                    number: *attempt,
                    agent: Some(agent_type),
                    started: event.at,
                    ended: None,
                    outcome: Outcome::Running,
                    feedback: None,
                    end_order: usize::MAX,
                });
            }
            EventBody::TaskSucceeded { task_id, attempt, feedback } => {
                let partly = feedback.feedback_type == FeedbackType::PartialSuccess;
                let outcome = if partly { Outcome::Partly } else { Outcome::Done };
                self.ended(event.at, task_id, *attempt, outcome, Some(feedback));
            }
            EventBody::TaskFailed { task_id, attempt, agent_type, feedback, .. } => {
                let outcome = if *attempt == 0 { Outcome::NeverStarted } else { Outcome::Failed };
                self.ended(event.at, task_id, *attempt, outcome, Some(feedback));
                self.failures.push(Failure {
                    at: event.at,
                    task_id,
                    attempt: *attempt,
                    agent: agent_type,
                    feedback,
                    end_order: self.ended,
                    notice: None,
                    recovery: None,
                });
            }
            EventBody::TaskStopped { task_id, attempt, reason } => {
                self.ended(event.at, task_id, *attempt, Outcome::Stopped(*reason), None);
            }
            _ => {}
        }
    }

    /// Ends the attempt that is under way at a task; one that never began gets an entry of its own.
    fn ended(
        &mut self,
        at: Timestamp,
        task_id: &'a TaskId,
        number: u32,
        outcome: Outcome,
        feedback: Option<&'a ExecutionFeedback>,
    ) {
        self.ended += 1;
        let end_order = self.ended;
        let open = self.open.get(task_id).and_then(|&index| self.attempts.get_mut(index));
        match open.filter(|attempt| attempt.number == number && attempt.ended.is_none()) {
            Some(attempt) => {
                attempt.ended = Some(at);
                attempt.outcome = outcome;
                attempt.feedback = feedback;
                attempt.end_order = end_order;
            }
            None => {
                let agent = self.task(task_id).map(|task| &task.agent_type);
                let ended = Some(at);
                self.attempts.push(Attempt {
                    task_id,
                    number,
                    agent,
                    started: at,
                    ended,
                    outcome,
                    feedback,
                    end_order,
                });
            }
        }
    }
}

/// A failure is told in the append that records it: further back there is nothing to look for.
const RECENT: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;
    use candor_testkit::golden::story;

    #[test]
    fn every_failure_has_its_notice_and_every_attempt_its_end() {
        // spec: planning FT-06
        let records = story("backup_agent");
        let chronicle = Chronicle::of(&records);
        assert_eq!(chronicle.failures.len(), 1);
        assert!(chronicle.failures.iter().all(|it| it.notice.is_some() && it.recovery.is_some()));
        assert_eq!(chronicle.attempts.len(), 5);
        assert!(chronicle.attempts.iter().all(|it| it.ended.is_some()));
        assert_eq!(chronicle.elapsed().get(), 4.0);
    }
}
