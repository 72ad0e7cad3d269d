//! What went wrong, why, what was tried, what it cost, and what is suggested.

use std::collections::BTreeSet;

use candor_engine::RunState;
use candor_model::{
    AgentType, ErrorKind, EventBody, Money, PlanningError, Recorded, RunId, RunStatus, Seconds, SubTask,
    TaskId, TaskStatus, Timestamp, Verdict,
};
use candor_planning::graph::TaskGraph;
use candor_planning::texts;
use candor_text::Language;
use serde::Serialize;

use crate::chronicle::{Chronicle, Failure, Outcome};
use crate::report::Subject;
use crate::verdict::RunVerdict;
use crate::warnings::{self, Warning};
use crate::words;

/// A run that is looked at for what went wrong.
pub struct Case<'a> {
    /// State and log of the run.
    pub subject: Subject<'a>,
}

/// What went wrong in a run.
#[derive(Debug, Clone, Serialize)]
pub struct PostMortem<'a> {
    /// Id of the run.
    pub run_id: &'a RunId,
    /// Status after the last event.
    pub status: RunStatus,
    /// How it went, in a sentence.
    pub outcome: String,
    /// Whether it reached its goal, once it has ended.
    pub verdict: Option<Verdict>,
    /// The criteria behind the verdict.
    pub assessment: RunVerdict<'a>,
    /// What agents reported beside a success.
    pub warnings: Vec<Warning>,
    /// Why it ended early, if it did.
    pub error: Option<&'a PlanningError>,
    /// The same by its kind.
    pub error_kind: Option<ErrorKind>,
    /// The earliest unrecovered failure; if all were recovered, the earliest.
    pub first_cause: Option<FailureEntry<'a>>,
    /// Tasks that could not start or wait in vain.
    pub consequences: Vec<Consequence>,
    /// Every failure, the earliest first.
    pub failures: Vec<FailureEntry<'a>>,
    /// Money and time that failed attempts took.
    pub cost: Price,
    /// What Candor and the agents suggest.
    pub suggestions: Vec<String>,
}

/// A failed attempt, and what was done about it.
#[derive(Debug, Clone, Serialize)]
pub struct FailureEntry<'a> {
    /// Task that failed.
    pub task_id: &'a TaskId,
    /// Its name for people.
    pub name: String,
    /// Moment of the failure.
    pub at: Timestamp,
    /// Which attempt it was; 0 stands for a task that could not be started.
    pub attempt: u32,
    /// Agent that made the attempt.
    pub agent_type: &'a AgentType,
    /// Messages as the agent gave them.
    pub errors: &'a [String],
    /// The same in plain words.
    pub cause: String,
    /// What was done about it.
    pub recovery: Option<&'a str>,
    /// The task that succeeded after it: itself, or one that replaced it.
    pub recovered_by: Option<&'a TaskId>,
}

/// A task that a failure held up.
#[derive(Debug, Clone, Serialize)]
pub struct Consequence {
    /// Task that was held up.
    pub task_id: TaskId,
    /// Its name for people.
    pub name: String,
    /// Status after the last event.
    pub status: TaskStatus,
}

/// Money and time that failed attempts took.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Price {
    /// How many attempts failed.
    pub failed_attempts: usize,
    /// The time that went into them.
    pub lost_seconds: Seconds,
    /// The money that went into them.
    pub lost_cost: Money,
    /// What the run cost in all.
    pub total_cost: Money,
}

impl<'a> Case<'a> {
    /// Looks at a run.
    #[must_use]
    pub fn of(state: &'a RunState, records: &'a [Recorded]) -> Self {
        Self { subject: Subject::of(state, records) }
    }

    /// The same with sentences in a language.
    #[must_use]
    pub fn told_in(self, language: Language) -> Self {
        Self { subject: self.subject.told_in(language) }
    }

    /// What went wrong, as data.
    #[must_use]
    pub fn post_mortem(&self) -> PostMortem<'a> {
        let state = self.subject.state;
        let assessment = RunVerdict::of(self.subject.records);
        let affected = self.affected().into_iter().map(|task| Consequence {
            task_id: task.task_id.clone(),
            name: texts::task_name(task),
            status: task.status,
        });
        PostMortem {
            run_id: state.run_id(),
            status: state.status(),
            outcome: self.subject.verdict(),
            verdict: assessment.verdict,
            assessment,
            warnings: warnings::of(state),
            error: self.error(),
            error_kind: self.error().map(PlanningError::kind),
            first_cause: self.first_failure().map(|failure| self.entry(failure)),
            consequences: affected.collect(),
            failures: self.chronicle().failures.iter().map(|failure| self.entry(failure)).collect(),
            cost: self.price(),
            suggestions: self.suggestions(),
        }
    }

    fn entry(&self, failure: &Failure<'a>) -> FailureEntry<'a> {
        FailureEntry {
            task_id: failure.task_id,
            name: self.chronicle().name(failure.task_id),
            at: failure.at,
            attempt: failure.attempt,
            agent_type: failure.agent,
            errors: &failure.feedback.errors,
            cause: texts::cause(&failure.feedback.errors),
            recovery: failure.notice.map(|notice| notice.recovery_strategy.as_str()),
            recovered_by: self.recovered_by(failure),
        }
    }

    /// What the log says, sorted.
    #[must_use]
    pub const fn chronicle(&self) -> &Chronicle<'a> {
        &self.subject.chronicle
    }

    /// Why the run ended early, if it did.
    #[must_use]
    pub fn error(&self) -> Option<&'a PlanningError> {
        match self.chronicle().end?.1 {
            EventBody::RunFailed { error, .. } | EventBody::RunAborted { error, .. } => Some(error),
            _ => None,
        }
    }

    /// Whether the end came from tasks that failed, rather than from a limit or a person.
    #[must_use]
    pub fn ended_by_tasks(&self) -> bool {
        let kind = self.error().map(PlanningError::kind);
        kind.is_none_or(|kind| {
            matches!(
                kind,
                ErrorKind::MaxRevisionsExceeded
                    | ErrorKind::TaskRevisionsExceeded
                    | ErrorKind::Unrecovered
                    | ErrorKind::LowConfidenceError
                    | ErrorKind::GivenUp
            )
        })
    }

    /// The earliest unrecovered failure; if all were recovered, the earliest.
    #[must_use]
    pub fn first_failure(&self) -> Option<&Failure<'a>> {
        let worked = || self.failures().iter().filter(|failure| failure.attempt > 0);
        worked().find(|failure| self.recovered_by(failure).is_none()).or_else(|| worked().next())
    }

    /// The task that succeeded after a failure: itself, or one that replaced it.
    #[must_use]
    pub fn recovered_by(&self, failure: &Failure<'a>) -> Option<&'a TaskId> {
        let chronicle = self.chronicle();
        let heirs = self.heirs(failure.task_id);
        let later =
            chronicle.attempts.iter().filter(|it| it.ended.is_some() && it.end_order > failure.end_order);
        let mut good = later.filter(|it| matches!(it.outcome, Outcome::Done | Outcome::Partly));
        good.find(|it| heirs.contains(&it.task_id)).map(|it| it.task_id)
    }

    /// A task and all that stand in its place.
    fn heirs(&self, task: &'a TaskId) -> Vec<&'a TaskId> {
        let mut heirs = vec![task];
        for replacement in self.chronicle().revisions.iter().flat_map(|it| &it.revision.details.replacements)
        {
            if heirs.contains(&&replacement.removed) {
                heirs.extend(&replacement.by);
            }
        }
        heirs
    }

    /// Tasks that could not start or wait in vain, because of what failed.
    #[must_use]
    pub fn affected(&self) -> Vec<&SubTask> {
        let Some(plan) = &self.subject.plan else { return Vec::new() };
        if !self.ended_by_tasks() {
            return plan.subtasks.iter().filter(|task| !task.status.is_terminal()).collect();
        }
        let Some(cause) = self.first_failure() else { return Vec::new() };
        let graph = TaskGraph::new(&plan.subtasks);
        let seeds: Vec<_> = self.heirs(cause.task_id).iter().filter_map(|id| graph.index_of(id)).collect();
        let below: BTreeSet<_> = graph.affected_by(&seeds).into_iter().collect();
        let held_up = self.failures().iter().filter(|failure| failure.attempt == 0);
        let held_up: BTreeSet<_> = held_up.filter_map(|failure| graph.index_of(failure.task_id)).collect();
        let tasks = plan.subtasks.iter().filter(|task| task.task_id != *cause.task_id);
        let hit = tasks.filter(|task| {
            let at = graph.index_of(&task.task_id);
            let is_in = |set: &BTreeSet<_>| at.is_some_and(|at| set.contains(&at));
            is_in(&held_up) || is_in(&below) && task.status != TaskStatus::Completed
        });
        hit.collect()
    }

    /// The failures since the last rollback: it undid what earlier ones led to.
    fn failures(&self) -> &[Failure<'a>] {
        let chronicle = self.chronicle();
        let since = chronicle.failures.get(chronicle.undone_failures..).unwrap_or_default();
        if since.is_empty() { &chronicle.failures } else { since }
    }

    /// Time and money that went into attempts that failed, and how many they were.
    #[must_use]
    pub fn price(&self) -> Price {
        let failed = self.chronicle().failures.iter().filter(|failure| failure.attempt > 0);
        Price {
            failed_attempts: failed.clone().count(),
            lost_seconds: failed.clone().map(|failure| failure.feedback.duration_seconds).sum(),
            lost_cost: failed.map(|failure| failure.feedback.cost).sum(),
            total_cost: self.subject.state.spent(),
        }
    }

    /// What Candor and the agents suggest, each once, the most pressing first.
    #[must_use]
    pub fn suggestions(&self) -> Vec<String> {
        let chronicle = self.chronicle();
        let mut all: Vec<String> = Vec::new();
        if let Some((_, EventBody::RunAborted { suggestion, .. })) = chronicle.end {
            all.push(suggestion.clone());
        }
        all.extend(chronicle.announcements.iter().rev().filter_map(|it| it.suggestion.clone()));
        let agents = chronicle.failures.iter().filter_map(|it| it.feedback.suggested_adjustments.as_deref());
        all.extend(
            agents.map(|suggestion| words::agent_suggested(self.subject.language, &texts::plain(suggestion))),
        );
        let report = self.subject.report();
        all.extend(report.into_iter().flat_map(|report| report.lessons_learned.recommendations));
        let mut once: Vec<String> = Vec::new();
        for suggestion in all.into_iter().filter(|suggestion| !suggestion.trim().is_empty()) {
            if !once.contains(&suggestion) {
                once.push(suggestion);
            }
        }
        once
    }
}
