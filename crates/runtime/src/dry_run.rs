//! Dry runs: a session on a log in memory, through the same guardrails and phases as any run, up to a phase. No agent
//! is given a task, and nothing is kept.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use candor_model::{
    Breaker, Event, EventBody, GuardFinding, GuardReport, Phase, PlanningError, Position, Question,
    RankedAgent, Recorded, RevisionProposal, RunId, SubTask, Timestamp,
};
use candor_phases::{Incomplete, PhaseContext, Phases};
use candor_planning::conflict::ConflictRules;
use candor_planning::phase::PhaseReport;
use candor_ports::{
    BoxFuture, EventLog, Experience, Listener, LogError, LogPages, LoggedEvent, Notifier, Observer, RunEntry,
    RunFilter, RunPage, RunQuery, Seq, Store, Stream, StreamNote, Streams,
};
use candor_session::PhaseWork;

use crate::{AgentRegistry, DriveError, RunOrder, Runtime, RuntimeDeps};

/// What a dry run needs.
pub struct DryRun {
    /// Everyone who could be given a task.
    pub registry: AgentRegistry,
    /// What each phase does, with the packs.
    pub phases: Phases,
    /// Models and the like.
    pub deps: RuntimeDeps,
    /// What earlier runs taught.
    pub experience: Experience,
    /// Is told everything that happens.
    pub observer: Option<Arc<dyn Observer>>,
}

/// What came of a dry run.
#[derive(Debug, Default)]
pub struct DryRunReport {
    /// What each phase reported last.
    pub phases: BTreeMap<Phase, PhaseReport>,
    /// What waits for a person: without an answer a run would not go on.
    pub questions: Vec<Question>,
    /// Why a run would have ended.
    pub error: Option<PlanningError>,
}

impl DryRun {
    /// Runs through the phases up to `last`.
    pub async fn run(self, mut order: RunOrder, last: Phase) -> Result<DryRunReport, DriveError> {
        order.settings.unattended = true;
        let reports = Arc::new(Mutex::new(BTreeMap::new()));
        let phases = RecordedPhases { phases: self.phases, reports: Arc::clone(&reports) };
        let log = Arc::new(MemoryLog { experience: self.experience, events: Mutex::default() });
        let shared = Arc::clone(&log) as Arc<dyn Store>;
        let runtime =
            Runtime::connect(shared, self.registry, Arc::new(phases), self.observer, self.deps, Some(last));
        let run = runtime.start(order, None).await?;
        let mut snapshot = run.snapshot();
        let settled = snapshot.wait_for(|now| !now.busy || now.status.is_end()).await;
        let questions = settled.map(|now| now.questions.clone()).unwrap_or_default();
        run.leave().await?;
        let phases = std::mem::take(&mut *reports.lock().unwrap_or_else(PoisonError::into_inner));
        let questions = questions.into_iter().map(|(_, question)| question);
        // Whether to go on with a plan is a question about what the dry run was to find out.
        let questions = questions.filter(|question| !matches!(question, Question::Approval { .. })).collect();
        Ok(DryRunReport { phases, questions, error: log.error() })
    }
}

/// Phases whose reports are kept.
struct RecordedPhases {
    phases: Phases,
    reports: Arc<Mutex<BTreeMap<Phase, PhaseReport>>>,
}

impl PhaseWork for RecordedPhases {
    fn guard(&self, cx: &PhaseContext<'_>) -> GuardReport {
        self.phases.guard(cx)
    }

    fn guard_read(&self, subject: &str, text: &str) -> Option<GuardFinding> {
        self.phases.guard_read(subject, text)
    }

    fn work(&self, phase: Phase, cx: &PhaseContext<'_>) -> Result<PhaseReport, Incomplete> {
        let mut report = self.phases.work(phase, cx)?;
        // A plan can be looked at before everything that it works from is there.
        let flags = &mut report.handoff.flags;
        flags.uncertainty_areas.append(&mut flags.blockers);
        self.reports.lock().unwrap_or_else(PoisonError::into_inner).insert(phase, report.clone());
        Ok(report)
    }

    fn route(&self, task: &SubTask, cx: &PhaseContext<'_>) -> Result<Vec<RankedAgent>, Incomplete> {
        self.phases.route(task, cx)
    }

    fn revise(
        &self,
        task: &SubTask,
        note: Option<&str>,
        cx: &PhaseContext<'_>,
    ) -> Result<Option<RevisionProposal>, Incomplete> {
        self.phases.revise(task, note, cx)
    }

    fn conflict_rules(&self) -> ConflictRules {
        self.phases.conflict_rules()
    }
}

/// The log of one run, in memory.
struct MemoryLog {
    experience: Experience,
    events: Mutex<Vec<Recorded>>,
}

impl MemoryLog {
    fn lock(&self) -> MutexGuard<'_, Vec<Recorded>> {
        self.events.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Why the run ended, if it failed or was aborted.
    fn error(&self) -> Option<PlanningError> {
        self.lock().iter().rev().find_map(|recorded| match &recorded.event.body {
            EventBody::RunFailed { error, .. } | EventBody::RunAborted { error, .. } => {
                Some(PlanningError::clone(error))
            }
            _ => None,
        })
    }

    fn add(&self, run: &RunId, expected: Position, events: &[Event]) -> Result<Position, LogError> {
        let mut log = self.lock();
        let end = log.last().map_or(Position::START, |last| last.position);
        if end != expected {
            return Err(LogError::Stale { run: run.clone(), expected, actual: end });
        }
        let recorded =
            (1..).zip(events).map(|(n, event)| Recorded { position: end.plus(n), event: event.clone() });
        log.extend(recorded);
        Ok(log.last().map_or(end, |last| last.position))
    }
}

fn ready<'a, T: Send + 'a>(value: T) -> BoxFuture<'a, T> {
    Box::pin(std::future::ready(value))
}

impl EventLog for MemoryLog {
    fn append<'a>(
        &'a self,
        run: &'a RunId,
        expected: Position,
        events: &'a [Event],
    ) -> BoxFuture<'a, Result<Position, LogError>> {
        ready(self.add(run, expected, events))
    }

    fn read<'a>(&'a self, _: &'a RunId, after: Position) -> BoxFuture<'a, Result<Vec<Recorded>, LogError>> {
        let log = self.lock();
        ready(Ok(log.iter().filter(|recorded| recorded.position > after).cloned().collect()))
    }

    fn runs<'a>(&'a self, _: RunFilter) -> BoxFuture<'a, Result<Vec<RunEntry>, LogError>> {
        ready(Ok(Vec::new()))
    }
}

/// Nobody pages through a log that is not kept.
impl LogPages for MemoryLog {
    fn page(&self, _: RunQuery) -> BoxFuture<'_, Result<RunPage, LogError>> {
        ready(Ok(RunPage::default()))
    }

    fn named<'a>(&'a self, _: &'a str, _: u32) -> BoxFuture<'a, Result<Vec<RunId>, LogError>> {
        ready(Ok(Vec::new()))
    }

    fn head<'a>(&'a self, _: &'a RunId) -> BoxFuture<'a, Result<Position, LogError>> {
        ready(Ok(Position::START))
    }

    fn events<'a>(
        &'a self,
        _: &'a RunId,
        _: Position,
        _: u32,
    ) -> BoxFuture<'a, Result<Vec<LoggedEvent>, LogError>> {
        ready(Ok(Vec::new()))
    }

    fn tail(&self, _: Seq, _: u32) -> BoxFuture<'_, Result<Vec<LoggedEvent>, LogError>> {
        ready(Ok(Vec::new()))
    }

    fn end(&self) -> BoxFuture<'_, Result<Seq, LogError>> {
        ready(Ok(Seq::default()))
    }
}

impl Notifier for MemoryLog {
    fn listen(&self) -> Result<Box<dyn Listener>, LogError> {
        Ok(Box::new(Silent { begun: false }))
    }
}

impl Streams for MemoryLog {
    fn keep_breaker(&self, _: Breaker) -> BoxFuture<'_, Result<(), LogError>> {
        ready(Ok(()))
    }

    fn append_note(&self, _: StreamNote) -> BoxFuture<'_, Result<(), LogError>> {
        ready(Ok(()))
    }

    fn notes(&self, _: Stream, _: Timestamp) -> BoxFuture<'_, Result<Vec<StreamNote>, LogError>> {
        ready(Ok(Vec::new()))
    }

    fn experience(&self) -> BoxFuture<'_, Result<Experience, LogError>> {
        ready(Ok(self.experience.clone()))
    }
}

/// No other process writes to a log in memory. The first call returns at once, as every listener's does.
struct Silent {
    begun: bool,
}

impl Listener for Silent {
    fn changed(&mut self) -> BoxFuture<'_, Result<(), LogError>> {
        if std::mem::replace(&mut self.begun, true) {
            Box::pin(std::future::pending())
        } else {
            ready(Ok(()))
        }
    }
}
