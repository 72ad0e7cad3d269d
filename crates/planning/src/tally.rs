//! What a run took: a fold over its events, in figures that are kept with its outcome.
//!
//! The session folds it while a run goes on, and projections fold it from a log. It grows with the number of tasks
//! that run at once, not with the length of the log, but for the names of tasks and agents.

use std::collections::{BTreeMap, BTreeSet};

use candor_model::{
    AgentNote, AgentType, Event, EventBody, GateId, GoalType, Phase, PromptSource, RunFigures, Seconds,
    Spend, TaskId, Timestamp,
};

use crate::scaling::{ScalingRules, TaskClass};
use crate::spend::{Attribution, Spent};
use crate::task_type::task_type;

/// The figures of a run so far.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    figures: RunFigures,
    /// What kind of work the words of the request name.
    named_type: String,
    attribution: Attribution,
    running: BTreeSet<TaskId>,
    tasks: BTreeMap<TaskId, bool>,
    agents: BTreeSet<AgentType>,
    gates: BTreeSet<GateId>,
    waiting_since: Option<Timestamp>,
    last_at: Option<Timestamp>,
    /// Events of another run that this one was forked from: they count there.
    shared: u64,
    seen: u64,
}

impl Tally {
    /// The figures of a run as its events tell them.
    pub fn of<'a>(events: impl IntoIterator<Item = &'a Event>) -> Self {
        let mut tally = Self::default();
        events.into_iter().for_each(|event| {
            tally.apply(event);
        });
        tally
    }

    /// Takes one more event into account; returns what it spent, if it spent anything.
    pub fn apply(&mut self, event: &Event) -> Option<Spent> {
        self.last_at = Some(event.at);
        self.seen += 1;
        if self.seen > 1 && self.seen <= self.shared {
            self.course(&event.body, event.at);
            return None;
        }
        self.course(&event.body, event.at);
        self.work(&event.body);
        let spent = self.attribution.spent(&event.body)?;
        let figures = &mut self.figures;
        figures.total.add(&spent.spend);
        figures.by_model.entry(spent.model.clone()).or_default().add(&spent.spend);
        figures.by_phase.entry(spent.phase).or_default().add(&spent.spend);
        Some(spent)
    }

    /// Sums so far, also while the run goes on.
    #[must_use]
    pub fn figures(&self) -> RunFigures {
        let count = |of: usize| u32::try_from(of).unwrap_or(u32::MAX);
        let mut figures = self.figures.clone();
        if figures.task_type.is_empty() {
            let named = std::slice::from_ref(&self.named_type);
            task_type(None, named).clone_into(&mut figures.task_type);
        }
        let now = self.last_at;
        let open = self.waiting_since.zip(now).map_or(Seconds::ZERO, |(since, now)| now.since(since));
        figures.waited_seconds = Seconds::from_millis(figures.waited_seconds.as_millis() + open.as_millis());
        let lived = figures.started_at.zip(now).map_or(0, |(start, now)| now.since(start).as_millis());
        figures.duration = Seconds::from_millis(lived.saturating_sub(figures.waited_seconds.as_millis()));
        figures.agents = count(self.agents.len());
        figures.tasks = count(self.tasks.len());
        figures.parallel_tasks = count(self.tasks.values().filter(|parallel| **parallel).count());
        figures
    }

    /// The start, the words, the people, the way back.
    fn course(&mut self, body: &EventBody, at: Timestamp) {
        let figures = &mut self.figures;
        match body {
            EventBody::RunStarted { origin, forked_from, .. } => {
                (figures.origin, figures.started_at) = (origin.clone(), Some(at));
                self.shared = forked_from.as_ref().map_or(0, |fork| fork.position.0);
            }
            EventBody::GoalDefined { goal } if goal.goal_type != GoalType::GENERIC => {
                goal.goal_type.as_str().clone_into(&mut figures.task_type);
            }
            EventBody::PromptScored { evaluation: Some(evaluation), .. } => {
                let (complexity, files) = (evaluation.complexity.total, evaluation.file_count);
                let class = ScalingRules::default().propose(complexity, files).class;
                figures.class = Some(class_name(class).to_owned());
                task_type(None, &evaluation.keywords).clone_into(&mut self.named_type);
            }
            EventBody::PromptChanged { change } if change.source == PromptSource::Enhanced => {
                figures.prompt_enhancements += 1;
            }
            EventBody::HumanAsked { gate, .. } => {
                self.gates.insert(gate.clone());
                self.waiting_since.get_or_insert(at);
            }
            EventBody::HumanAnswered { gate, .. } | EventBody::QuestionWithdrawn { gate, .. } => {
                self.gates.remove(gate);
                if self.gates.is_empty()
                    && let Some(since) = self.waiting_since.take()
                {
                    let waited = figures.waited_seconds.as_millis() + at.since(since).as_millis();
                    figures.waited_seconds = Seconds::from_millis(waited);
                }
            }
            EventBody::RolledBack { .. } => figures.rollbacks += 1,
            _ => {}
        }
    }

    /// Attempts, repetitions, second choices, calls.
    fn work(&mut self, body: &EventBody) {
        let figures = &mut self.figures;
        match body {
            EventBody::TaskDispatched { task_id, agent_type, .. } => {
                figures.attempts += 1;
                figures.depth = figures.depth.max(1);
                self.agents.insert(agent_type.clone());
                self.running.insert(task_id.clone());
                let at_once = self.running.len();
                figures.fan_out = figures.fan_out.max(u32::try_from(at_once).unwrap_or(u32::MAX));
                self.tasks.entry(task_id.clone()).or_default();
                if at_once == 2 {
                    // Whoever ran alone until now does not any more; later ones are marked when they begin.
                    for task in &self.running {
                        self.tasks.insert(task.clone(), true);
                    }
                } else if at_once > 2 {
                    self.tasks.insert(task_id.clone(), true);
                }
            }
            EventBody::TaskSucceeded { task_id, .. }
            | EventBody::TaskFailed { task_id, .. }
            | EventBody::TaskStopped { task_id, .. } => {
                self.running.remove(task_id);
            }
            EventBody::RetryScheduled(_) | EventBody::Replanned { .. } | EventBody::TaskReopened { .. } => {
                figures.retries += 1;
            }
            EventBody::FellBack { .. } => figures.fallbacks += 1,
            EventBody::BreakerOpened { .. } | EventBody::ModelBreakerOpened { .. } => {
                figures.breaker_trips += 1;
            }
            EventBody::ModelConsulted { step, .. } => {
                figures.saved = step.call.as_ref().map_or(figures.saved, |call| figures.saved + call.saved);
            }
            EventBody::AgentNoted { note, .. } => match &**note {
                AgentNote::Consulted { step, .. } => {
                    figures.saved =
                        step.call.as_ref().map_or(figures.saved, |call| figures.saved + call.saved);
                }
                AgentNote::Called { .. } => figures.depth = figures.depth.max(2),
                AgentNote::Remote { .. } => figures.depth = figures.depth.max(3),
                _ => {}
            },
            _ => {}
        }
    }
}

/// The name of a class in figures.
#[must_use]
pub const fn class_name(class: TaskClass) -> &'static str {
    match class {
        TaskClass::Simple => "simple",
        TaskClass::Standard => "standard",
        TaskClass::Complex => "complex",
    }
}

/// What was spent on each phase, task and model of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SpendParts {
    /// Sum over all phases, which is the sum over all models.
    pub total: Spend,
    /// By model, or `agent:NAME` for what an agent charged for itself.
    pub models: BTreeMap<String, Spend>,
    /// By the phase in which it was spent.
    pub phases: BTreeMap<Phase, Spend>,
    /// By task; nothing stands for the work of the phases.
    pub tasks: BTreeMap<Option<TaskId>, Spend>,
}

impl SpendParts {
    /// The parts of what a run spent.
    pub fn of<'a>(events: impl IntoIterator<Item = &'a Event>) -> Self {
        let (mut parts, mut attribution) = (Self::default(), Attribution::default());
        for event in events {
            let Some(Spent { phase, task, model, spend }) = attribution.spent(&event.body) else { continue };
            parts.total.add(&spend);
            parts.models.entry(model).or_default().add(&spend);
            parts.phases.entry(phase).or_default().add(&spend);
            parts.tasks.entry(task).or_default().add(&spend);
        }
        parts
    }
}
