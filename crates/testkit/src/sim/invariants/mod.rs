//! The invariants of a run, checked on what is written, by a reader that shares as little as possible with the engine.

mod asking;
mod circuits;
mod phases;
mod recovery;
mod verdicts;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use candor_engine::{Checkpoint, RunState};
use candor_model::{
    AgentType, ChoiceKind, Confidence, Event, EventBody, ExecutionFeedback, GateId, Money, Notification,
    Phase, Plan, PlanVersion, Position, Question, Recorded, RunSettings, TaskId,
};
use candor_planning::{approval, replan};

use self::asking::{AskInvariants, Purse};
use self::circuits::CircuitInvariants;
use self::phases::PhaseInvariants;
use self::recovery::RecoveryInvariants;
use self::verdicts::VerdictInvariants;
use super::agents::ATTEMPT;

/// What the invariant keeps in mind while it reads a log.
#[derive(Debug, Clone, Default)]
pub(super) struct Invariants {
    read: u64,
    now: Scene,
    /// The scene after each event, to go back to.
    past: Vec<Scene>,
    /// The points to go back to, as of the last append.
    points: Vec<Arc<Checkpoint>>,
    keys: BTreeSet<(TaskId, u32)>,
    gates_seen: BTreeSet<GateId>,
    version: PlanVersion,
    spent: Money,
    asking: AskInvariants,
    circuits: CircuitInvariants,
    phases: PhaseInvariants,
    recovery: RecoveryInvariants,
    verdicts: VerdictInvariants,
}

/// An attempt under way.
#[derive(Debug, Clone)]
struct Attempt {
    number: u32,
    agent: AgentType,
    reserved: Money,
}

/// The part that a rollback turns back.
#[derive(Debug, Clone, Default)]
struct Scene {
    settings: RunSettings,
    plan: Option<Plan>,
    confidence: Option<Confidence>,
    done: BTreeSet<TaskId>,
    running: BTreeMap<TaskId, Attempt>,
    /// The open questions, and whether each holds up one task only.
    gates: BTreeMap<GateId, bool>,
    /// The phases whose results hold.
    phases: BTreeSet<Phase>,
    /// The request that holds.
    words: String,
    paused: bool,
    executing: bool,
    ended: bool,
    /// Whether a person has just left out a task: what needs it is changed, whatever the limit.
    skipping: bool,
    /// The revisions that were made for that.
    for_skips: u32,
}

impl Scene {
    /// Which phases' results hold, by what is on the log.
    fn note_phase(&mut self, body: &EventBody) {
        match body {
            EventBody::PhaseStarted { phase: Phase::PreAnalysis, .. } => {
                self.phases.retain(|done| *done == Phase::Evaluation);
            }
            EventBody::PhaseStarted { phase, .. } => self.phases.retain(|done| done < phase),
            EventBody::PhaseCompleted { phase, .. } => _ = self.phases.insert(*phase),
            EventBody::PlanAnswered { .. } => _ = self.phases.insert(Phase::Planning),
            EventBody::PromptChanged { change } => {
                self.phases.retain(|done| *done == Phase::PreAnalysis);
                self.words.clone_from(&change.text);
            }
            EventBody::RunStarted { request, .. } => self.words.clone_from(request),
            _ => {}
        }
    }

    /// What is set aside for the attempts under way.
    fn reserved(&self) -> Money {
        self.running.values().map(|attempt| attempt.reserved).sum()
    }
}

impl Invariants {
    pub(super) fn has_ended(&self) -> bool {
        self.now.ended
    }

    /// Reads what was appended by a process that died before it could say so.
    pub(super) fn catch_up(&mut self, log: &[Recorded], state: &RunState) -> Result<(), String> {
        let unread = log.iter().skip(usize::try_from(self.read).unwrap_or(usize::MAX));
        let events: Vec<Event> = unread.map(|recorded| recorded.event.clone()).collect();
        if events.is_empty() { Ok(()) } else { self.check_batch(&events, Some(state)) }
    }

    /// Reads one append, and compares with the state after it.
    pub(super) fn check_batch(&mut self, events: &[Event], state: Option<&RunState>) -> Result<(), String> {
        let unread = state.map_or(0, |state| state.position().0).saturating_sub(self.read);
        let skip = events.len().saturating_sub(usize::try_from(unread).unwrap_or(usize::MAX));
        let events = events.get(skip..).unwrap_or_default();
        every_failure_is_told(events)?;
        for event in events {
            self.read += 1;
            self.check_event(event, state).map_err(|what| format!("at {}: {what}", Position(self.read)))?;
            self.past.push(self.now.clone());
        }
        let state = state.ok_or("there is no state")?;
        state.checkpoints().clone_into(&mut self.points);
        self.questions_fit_the_plan(state)?;
        self.asking.check_level(state)?;
        self.circuits.check_state(state)?;
        self.phases.check_state(state)?;
        recovery::only_revisions_count(&self.now, state)?;
        recovery::successes_are_kept(&self.now, state)?;
        invariant(*state.completed_phases() == self.now.phases, || {
            format!("{:?} are done by the log, {:?} by the state", self.now.phases, state.completed_phases())
        })?;
        if state.spent() != self.spent {
            return Err(format!("spent {:?} by the log, {:?} by the state", self.spent, state.spent()));
        }
        if state.confidence() != self.now.confidence {
            return Err(format!(
                "confidence {:?} by the log, {:?} by the state",
                self.now.confidence,
                state.confidence()
            ));
        }
        Ok(())
    }

    /// What people are asked to approve is the plan as it is, not as it was.
    fn questions_fit_the_plan(&self, state: &RunState) -> Result<(), String> {
        let mut shown = state.open_questions().values().filter_map(|question| match question {
            Question::Approval { version, .. } => Some(*version),
            Question::Guidance(_) | Question::Choice(_) => None,
        });
        let stale = shown.find(|version| *version != self.version);
        invariant(stale.is_none(), || format!("version {stale:?} is shown, the plan is at {}", self.version))
    }

    fn check_event(&mut self, event: &Event, state: Option<&RunState>) -> Result<(), String> {
        let purse = Purse { settings: &self.now.settings, spent: self.spent, reserved: self.now.reserved() };
        self.asking.check(&event.body, &purse)?;
        self.circuits.check(event)?;
        self.verdicts.check(&event.body)?;
        self.phases.check(&event.body, &self.now.phases, &self.now.settings, &self.now.words)?;
        self.recovery.check(&event.body, &self.now, self.read)?;
        self.now.note_phase(&event.body);
        self.check(&event.body, state)
    }

    fn check(&mut self, body: &EventBody, state: Option<&RunState>) -> Result<(), String> {
        let after_end = matches!(
            body,
            EventBody::StopRequested { .. }
                | EventBody::RolledBack { .. }
                | EventBody::RunResumed {}
                | EventBody::ConfidenceChanged { .. }
                | EventBody::Charged { .. }
                | EventBody::FilesRead { .. }
        );
        invariant(!self.now.ended || after_end, || format!("after the end: {body:?}"))?;
        match body {
            EventBody::RunStarted { settings, .. } => {
                invariant(self.read == 1, || "a run started twice".to_owned())?;
                self.now.settings = RunSettings::clone(settings);
            }
            EventBody::PlanProposed { .. } | EventBody::PlanAdjusted { .. } | EventBody::Replanned { .. } => {
                self.check_plan(body)?;
            }
            EventBody::TaskDispatched { .. }
            | EventBody::TaskSucceeded { .. }
            | EventBody::TaskFailed { .. }
            | EventBody::TaskReopened { .. }
            | EventBody::TaskStopped { .. } => self.check_task(body)?,
            EventBody::HumanAsked { gate, question } => {
                invariant(self.gates_seen.insert(gate.clone()), || {
                    format!("question {gate} was asked twice")
                })?;
                self.now.gates.insert(gate.clone(), is_of_one_task(question));
            }
            EventBody::HumanAnswered { gate, .. } | EventBody::QuestionWithdrawn { gate, .. } => {
                invariant(self.now.gates.remove(gate).is_some(), || {
                    format!("question {gate} was answered and not open")
                })?;
            }
            EventBody::PhaseStarted { phase, .. } => self.now.executing = *phase == Phase::Execution,
            EventBody::TaskSkipped { .. } => self.now.skipping = true,
            EventBody::RunPaused { .. } => self.now.paused = true,
            EventBody::RunResumed {} => self.resume(),
            EventBody::PlanRejected { .. } => self.now.executing = false,
            EventBody::StopRequested { .. } => {
                self.now.executing = false;
                self.now.gates.clear();
                self.now.paused = false;
            }
            EventBody::RolledBack { to, .. } => self.go_back(*to, state)?,
            // Other words need another plan.
            EventBody::PromptChanged { .. } => {
                invariant(self.now.running.is_empty(), || "the words changed while tasks ran".to_owned())?;
                (self.now.executing, self.now.confidence, self.now.plan) = (false, None, None);
                self.now.done.clear();
            }
            EventBody::RunAborted { error, .. } => {
                invariant(!error.to_string().contains("No task can start"), || error.to_string())?;
                self.end()?;
            }
            body if body.is_end() => self.end()?,
            _ => self.check_numbers(body)?,
        }
        Ok(())
    }

    fn check_numbers(&mut self, body: &EventBody) -> Result<(), String> {
        match body {
            EventBody::Charged { amount, total, .. } => {
                self.spent = self.spent + *amount;
                invariant(self.spent == *total, || {
                    format!("spent {:?}, the event says {total:?}", self.spent)
                })
            }
            EventBody::ConfidenceChanged { before, after, .. } => {
                invariant(self.now.confidence == Some(*before), || {
                    format!("confidence was {:?}, the event says {before:?}", self.now.confidence)
                })?;
                self.now.confidence = Some(*after);
                invariant(Confidence::new(after.get()).is_ok(), || format!("{after:?} is no confidence"))
            }
            // What is spent at a desk comes out of what was set aside for it.
            EventBody::AgentNoted { task_id, attempt, note } => {
                let running = self.now.running.get_mut(task_id).filter(|running| running.number == *attempt);
                let running =
                    running.ok_or_else(|| format!("{task_id} notes something and is not running"))?;
                running.reserved = running.reserved.saturating_sub(note.cost());
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn check_plan(&mut self, body: &EventBody) -> Result<(), String> {
        let (version, plan, again) = match (body, &self.now.plan) {
            (EventBody::PlanProposed { version, plan, .. }, _) => {
                self.now.confidence = Some(plan.confidence_score);
                self.now.done.clear();
                (version, Plan::clone(plan), Vec::new())
            }
            (EventBody::PlanAdjusted { version, adjustments, rerun_task_ids }, Some(plan)) => {
                let plan = approval::adjust(plan, adjustments).map_err(|error| error.to_string())?;
                (version, plan, rerun_task_ids.clone())
            }
            (EventBody::Replanned { version, revision }, Some(plan)) => {
                let plan = replan::replay(plan, revision, plan.updated_at);
                (version, plan, revision.details.rerun_task_ids.clone())
            }
            _ => return Err("a plan was changed that does not exist".to_owned()),
        };
        invariant(*version > self.version, || format!("plan version {version} came twice"))?;
        self.version = *version;
        if matches!(body, EventBody::Replanned { .. }) {
            self.now.for_skips += u32::from(std::mem::take(&mut self.now.skipping));
            let limit = self.max_revisions().saturating_add(self.now.for_skips);
            invariant(plan.metadata.revisions_made() <= limit, || {
                format!("revised more than {limit} times")
            })?;
        }
        sound(&plan)?;
        self.now.done.retain(|id| !again.contains(id) && plan.task(id).is_some());
        self.now.plan = Some(plan);
        Ok(())
    }

    /// As often as one task may be revised, or once for every four tasks.
    fn max_revisions(&self) -> u32 {
        let (limit, plan) = (self.now.settings.max_revisions, self.now.plan.as_ref());
        let tasks = plan.map_or(0, |plan| u32::try_from(plan.subtasks.len()).unwrap_or(u32::MAX));
        if limit == 0 { 0 } else { limit.max(tasks.div_ceil(4)) }
    }

    fn check_task(&mut self, body: &EventBody) -> Result<(), String> {
        match body {
            EventBody::TaskDispatched { task_id, attempt, agent_type, reserved, .. } => {
                invariant(!agent_type.is_tbd(), || format!("{task_id} was given to nobody"))?;
                invariant(self.keys.insert((task_id.clone(), *attempt)), || {
                    format!("key {task_id}/{attempt} used twice")
                })?;
                self.may_start(task_id)?;
                let busy = self.now.running.values().filter(|other| other.agent == *agent_type).count();
                self.circuits.may_work(agent_type, busy)?;
                let running = Attempt { number: *attempt, agent: agent_type.clone(), reserved: *reserved };
                self.now.running.insert(task_id.clone(), running);
                let scene = &self.now;
                invariant(scene.running.len() <= scene.settings.max_parallel_tasks.max(1) as usize, || {
                    "too many at once".to_owned()
                })?;
                let whole = self.spent + scene.reserved();
                let within = scene.settings.run_budget.is_none_or(|cap| whole <= cap);
                invariant(within, || "the budget was overdrawn by a reservation".to_owned())
            }
            EventBody::TaskSucceeded { task_id, attempt, feedback } => {
                self.now.done.insert(task_id.clone());
                own_answer(*attempt, feedback)?;
                self.close(task_id, *attempt)
            }
            EventBody::TaskReopened { task_id, dependants, .. } => {
                let mut reopened = std::iter::once(task_id).chain(dependants);
                let wrong = reopened.find(|task| !self.now.done.remove(*task));
                invariant(wrong.is_none(), || format!("{wrong:?} was reopened and had not succeeded"))
            }
            EventBody::TaskFailed { task_id, attempt: 0, .. } => {
                invariant(!self.now.running.contains_key(task_id), || {
                    format!("{task_id} failed to start while it ran")
                })
            }
            EventBody::TaskFailed { task_id, attempt, .. }
            | EventBody::TaskStopped { task_id, attempt, .. } => self.close(task_id, *attempt),
            _ => Ok(()),
        }
    }

    fn may_start(&self, task_id: &TaskId) -> Result<(), String> {
        let scene = &self.now;
        invariant(scene.gates.values().all(|one| *one), || {
            format!("{task_id} started while a person was asked")
        })?;
        invariant(!scene.paused, || format!("{task_id} started while the run was paused"))?;
        invariant(scene.executing, || format!("{task_id} started outside of execution"))?;
        invariant(!scene.done.contains(task_id), || format!("{task_id} had succeeded and started again"))?;
        invariant(!scene.running.contains_key(task_id), || {
            format!("{task_id} was running and started again")
        })?;
        let task = scene.plan.as_ref().and_then(|plan| plan.task(task_id));
        let task = task.ok_or_else(|| format!("{task_id} started and is not in the plan"))?;
        let missing = task.dependencies.iter().find(|id| !scene.done.contains(id));
        invariant(missing.is_none(), || format!("{task_id} started before {missing:?} had succeeded"))
    }

    fn close(&mut self, task_id: &TaskId, attempt: u32) -> Result<(), String> {
        let running = self.now.running.remove(task_id).map(|attempt| attempt.number);
        invariant(running == Some(attempt), || {
            format!("{task_id}/{attempt} ended, but {running:?} was running")
        })
    }

    fn end(&mut self) -> Result<(), String> {
        self.now.ended = true;
        self.now.gates.clear();
        let left: Vec<_> = self.now.running.keys().collect();
        invariant(left.is_empty(), || format!("the run ended while {left:?} were running"))
    }

    /// A pause is over, or a run that had ended tries again what failed.
    fn resume(&mut self) {
        self.now.paused = false;
        if std::mem::take(&mut self.now.ended) {
            self.version = self.version.next();
        }
    }

    fn go_back(&mut self, to: candor_model::CheckpointId, state: Option<&RunState>) -> Result<(), String> {
        invariant(self.now.running.is_empty(), || "went back while attempts were running".to_owned())?;
        // A point from before this append, or one that came with it.
        let is_it = |point: &&Arc<Checkpoint>| point.id == to;
        let new = state.map_or(&[][..], RunState::checkpoints);
        let point = self.points.iter().find(is_it).or_else(|| new.iter().find(is_it)).cloned();
        let point = point.ok_or("went back to a point that does not exist")?;
        let position = point.position;
        self.points.retain(|known| known.position <= position);
        let place = usize::try_from(position.0).unwrap_or(usize::MAX).saturating_sub(1);
        let mut scene = self.past.get(place).cloned().ok_or("went back to a point that is not on the log")?;
        scene.running.clear();
        scene.gates.clear();
        // The first phase's point outlives a change of the words.
        point.words().clone_into(&mut scene.words);
        match point.phase {
            Some(Phase::PreAnalysis) => scene.phases.retain(|done| *done == Phase::PreAnalysis),
            Some(Phase::Evaluation) if self.now.phases.contains(&Phase::PreAnalysis) => {
                scene.phases.insert(Phase::PreAnalysis);
            }
            _ => {}
        }
        (scene.paused, scene.ended, scene.executing) = (false, false, false);
        let plan = scene.plan.as_mut();
        if plan.is_some() {
            self.version = self.version.next();
        } else {
            scene.confidence = None;
        }
        // Confidence was moved by an event of its own, just before.
        scene.confidence = scene.confidence.and(self.now.confidence);
        self.now = scene;
        Ok(())
    }
}

fn invariant(holds: bool, broken: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(broken()) }
}

/// An answer counts for the attempt that it was given for, and for no other.
fn own_answer(attempt: u32, feedback: &ExecutionFeedback) -> Result<(), String> {
    let meant = feedback.actual_outputs.get(ATTEMPT).and_then(serde_json::Value::as_u64);
    invariant(meant.is_none_or(|meant| meant == u64::from(attempt)), || {
        format!("an answer to attempt {meant:?} was taken for one to attempt {attempt}")
    })
}

/// A failure and the word of it are one append; each is told exactly once.
fn every_failure_is_told(events: &[Event]) -> Result<(), String> {
    let mut told: BTreeMap<&TaskId, i64> = BTreeMap::new();
    for event in events {
        match &event.body {
            EventBody::TaskFailed { task_id, .. } => *told.entry(task_id).or_default() -= 1,
            EventBody::Notified { notification } => {
                if let Notification::Failure(notice) = notification.as_ref() {
                    *told.entry(&notice.task_id).or_default() += 1;
                }
            }
            _ => {}
        }
    }
    let hidden = told.iter().find(|(_, balance)| **balance != 0);
    invariant(hidden.is_none(), || format!("failures and notifications differ in one append: {hidden:?}"))
}

/// Unique ids, no dangling dependency, and an order in which the tasks can run.
fn sound(plan: &Plan) -> Result<(), String> {
    let ids: BTreeSet<_> = plan.subtasks.iter().map(|task| &task.task_id).collect();
    invariant(ids.len() == plan.subtasks.len(), || "two tasks have the same id".to_owned())?;
    let mut left: Vec<_> = plan.subtasks.iter().collect();
    let mut placed = BTreeSet::new();
    while !left.is_empty() {
        let before = left.len();
        left.retain(|task| {
            let ready = task.dependencies.iter().all(|id| placed.contains(id));
            if ready {
                placed.insert(&task.task_id);
            }
            !ready
        });
        invariant(left.len() < before, || format!("the plan has a cycle or a hole among {left:?}"))?;
    }
    Ok(())
}

/// What an agent asks about its own task holds up nothing else.
fn is_of_one_task(question: &Question) -> bool {
    matches!(question, Question::Choice(request) if request.about == ChoiceKind::Agent)
}
