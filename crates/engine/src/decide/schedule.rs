//! Who starts next: ready tasks by priority, then by the plan's order, at most so many at once, within budget.

use std::collections::{BTreeMap, BTreeSet};

use candor_model::{
    Account, AgentType, Confidence, ConfidenceCause, EventBody, ExecutionStrategy, FallbackKind,
    FeedbackType, Money, Notification, Phase, PlanningError, SubTask, TaskId, Timestamp,
};
use candor_planning::budget::Allowance;
use candor_planning::graph::TaskIndex;
use candor_planning::{confidence, texts};

use super::draft::Draft;
use super::{ending, phases};
use crate::RunState;
use crate::state::{ReadyKey, Stage, TaskRun, TaskState, Work};

/// What one outcome frees, for scheduling without building the state after it.
pub(super) struct Freed {
    /// Attempts that have just ended.
    pub(super) slots: usize,
    /// Tasks that have just become ready.
    pub(super) released: Vec<ReadyKey>,
    /// The budget after the outcome.
    pub(super) money: Allowance,
    /// The agent whose attempt has just ended.
    pub(super) ended: Option<AgentType>,
}

/// Starts what may start after a change of the plan, the gates or the stage; ends the phase if all is done.
pub(super) fn after_change(draft: &mut Draft<'_>) {
    start(draft, draft.now);
}

/// Starts what was waited for until `at`, however late it is: what became due since then may need so much of the
/// budget that nothing starts beside it, and the same time would be waited for without end.
pub(super) fn repetition_due(draft: &mut Draft<'_>, at: Timestamp) {
    start(draft, at);
}

fn start(draft: &mut Draft<'_>, due: Timestamp) {
    let now = draft.now;
    let ahead = draft.projected();
    if *ahead.stage() != Stage::Executing {
        return;
    }
    let Some(work) = ahead.work() else { return };
    if ahead.completed_phases().contains(&Phase::Execution) {
        // The work is on record as done; a person was asked about it.
        return phases::proceed(draft);
    }
    if work.is_complete() {
        let finish = Finish::of(work);
        return execution_done(draft, finish);
    }
    let freed = Freed { slots: 0, released: Vec::new(), money: *ahead.money(), ended: None };
    let round = round(ahead, work, freed, Times { due, now });
    act_on(draft, round);
    end_if_stuck(draft);
}

/// The last resort of a run in which nothing can happen any more: it ends, loudly, and never hangs.
fn end_if_stuck(draft: &mut Draft<'_>) {
    let ahead = draft.projected();
    let Some(work) = ahead.work().filter(|work| ahead.may_dispatch() && work.is_idle()) else { return };
    // Everything that does not need what failed has been done.
    if let Some((_, error)) = work.given_up() {
        let error = error.clone();
        return ending::abort(draft, error);
    }
    let left = work.tasks().filter(|(_, run)| run.state == TaskState::Waiting);
    let left: Vec<_> =
        left.map(|(task, _)| format!("{} needs {:?}", task.task_id, task.dependencies)).collect();
    let errors = vec![format!("No task can start any more: {}", left.join(", "))];
    let plan_id = work.plan().plan_id.clone();
    ending::abort(draft, PlanningError::PlanInvalid { plan_id, errors });
}

/// Whether a round of scheduling at this time would start anything, or end the run for want of money.
pub(crate) fn would_start(state: &RunState, at: Timestamp) -> bool {
    let Some(work) = state.work().filter(|work| work.in_flight_count() < most_at_once(state)) else {
        return false;
    };
    let freed = Freed { slots: 0, released: Vec::new(), money: *state.money(), ended: None };
    let round = round(state, work, freed, Times { due: at, now: at });
    round.short.is_some() || !round.dispatches.is_empty()
}

fn most_at_once(state: &RunState) -> usize {
    let one_by_one = |work: &Work| work.plan().execution_strategy == ExecutionStrategy::Sequential;
    if state.work().is_some_and(one_by_one) {
        return 1;
    }
    let most = state.settings().max_parallel_tasks;
    let reduced = state.work().and_then(|work| work.plan().metadata.agents_at_once);
    let most = reduced.map_or(most, |reduced| reduced.min(most));
    let most = state.room_at_once().map_or(most, |room| room.min(most));
    usize::try_from(most).unwrap_or(usize::MAX).max(1)
}

/// Starts what may start after one outcome, from the state before it.
pub(super) fn after_outcome(draft: &mut Draft<'_>, freed: Freed) {
    let Some(work) = draft.state.work() else { return };
    let round = round(draft.state, work, freed, Times { due: draft.now, now: draft.now });
    act_on(draft, round);
}

/// One round of scheduling.
struct Round {
    dispatches: Vec<EventBody>,
    /// What the next task needs and the budget does not give, when nothing else can go on.
    short: Option<Money>,
    /// The agents whose open circuits tasks wait for, and until when.
    awaited: BTreeMap<AgentType, Timestamp>,
}

fn act_on(draft: &mut Draft<'_>, round: Round) {
    for body in round.dispatches {
        draft.emit(body);
    }
    for (agent_type, until) in round.awaited {
        if !draft.projected().is_awaited(&agent_type) {
            draft.notify(Notification::Announcement(texts::waiting_for(&agent_type, until, draft.now)));
            draft.emit(EventBody::BreakerAwaited { agent_type, until });
        }
    }
    if let Some(needed) = round.short {
        let money = *draft.projected().money();
        over_budget(draft, money, needed);
    }
}

/// Ends the run because its budget does not allow the next step.
pub(super) fn over_budget(draft: &mut Draft<'_>, money: Allowance, needed: Money) {
    let (spent, budget) = (money.spent, money.cap.unwrap_or(Money::MAX));
    draft.emit(EventBody::BudgetExceeded { account: Account::Execution, spent, budget });
    ending::abort(draft, PlanningError::RunBudgetExceeded { spent, budget, needed });
}

/// The times that matter to a round of scheduling.
#[derive(Clone, Copy)]
struct Times {
    /// Repetitions up to this time may start.
    due: Timestamp,
    /// Deadlines count from here.
    now: Timestamp,
}

fn round(state: &RunState, work: &Work, freed: Freed, times: Times) -> Round {
    let mut round = Round { dispatches: Vec::new(), short: None, awaited: BTreeMap::new() };
    if !state.may_dispatch() {
        return round;
    }
    let running = work.in_flight_count().saturating_sub(freed.slots);
    let limit = most_at_once(state);
    let mut money = freed.money;
    let mut places = Places::of(state, work, freed.ended.as_ref());
    let mut room = limit.saturating_sub(running);
    for index in candidates(work, freed.released, times.due, places.look_at(room)) {
        let Some((task, run)) = work.task(index).filter(|_| room > 0) else {
            continue;
        };
        let Some((agent, reserved)) = choose_agent(state, work, (task, run)) else {
            let until = state.open_circuits().get(&task.agent_type).copied().flatten();
            round.awaited.extend(until.map(|until| (task.agent_type.clone(), until)));
            continue;
        };
        if !places.take(work, &agent) {
            continue;
        }
        room -= 1;
        if !money.can_reserve(reserved) {
            let stuck = running == 0 && round.dispatches.is_empty();
            round.short = stuck.then_some(reserved);
            break;
        }
        money.reserve(reserved);
        if agent != task.agent_type {
            round.dispatches.push(fell_back(task, &agent));
        }
        let deadline = times.now.plus(state.time_for(&agent));
        round.dispatches.push(EventBody::TaskDispatched {
            task_id: task.task_id.clone(),
            attempt: run.attempts.saturating_add(1),
            agent_type: agent,
            deadline,
            reserved,
        });
    }
    round
}

/// How many places are taken at the desks of agents that take on only so many tasks at once.
struct Places<'a> {
    /// The places taken, if anyone has a limit.
    taken: Option<BTreeMap<AgentType, u32>>,
    /// Those whose circuit is half-open: they get one task at a time.
    half_open: &'a BTreeSet<AgentType>,
    /// Whether some circuit is open, so that ready tasks may have nobody.
    any_open: bool,
}

/// How many ready tasks are looked at beyond those that could start, when some agents are fully occupied.
const LOOK_BEYOND: usize = 256;

impl<'a> Places<'a> {
    /// Nothing is counted for plans whose agents have no limits, which is most of them.
    fn of(state: &'a RunState, work: &Work, ended: Option<&AgentType>) -> Self {
        let (half_open, any_open) = (state.half_open_circuits(), !state.open_circuits().is_empty());
        if half_open.is_empty() && !work.agents.values().any(|agent| agent.max_concurrent.is_some()) {
            return Self { taken: None, half_open, any_open };
        }
        let mut taken: BTreeMap<AgentType, u32> = BTreeMap::new();
        for (_, attempt) in work.attempts() {
            *taken.entry(attempt.agent_type.clone()).or_default() += 1;
        }
        if let Some(count) = ended.and_then(|agent| taken.get_mut(agent)) {
            *count = count.saturating_sub(1);
        }
        Self { taken: Some(taken), half_open, any_open }
    }

    fn look_at(&self, room: usize) -> usize {
        let passed_over = self.taken.is_some() || self.any_open;
        if passed_over && room > 0 { room.saturating_add(LOOK_BEYOND) } else { room }
    }

    /// Takes a place at the agent's desk; false if there is none.
    fn take(&mut self, work: &Work, agent: &AgentType) -> bool {
        let Some(taken) = &mut self.taken else { return true };
        let usual = work.agents.get(agent).and_then(|known| known.max_concurrent).unwrap_or(u32::MAX).max(1);
        let limit = if self.half_open.contains(agent) { 1 } else { usual };
        let count = taken.entry(agent.clone()).or_default();
        let free = *count < limit;
        *count += u32::from(free);
        free
    }
}

/// The first `count` of those that are ready, those just released and those whose wait is over.
fn candidates(work: &Work, released: Vec<ReadyKey>, until: Timestamp, count: usize) -> Vec<TaskIndex> {
    let mut keys = released;
    let due = work.backoffs().take_while(|(at, _)| *at <= until);
    keys.extend(due.filter_map(|(_, index)| work.ready_key(index)));
    keys.extend(work.ready().take(count));
    keys.sort_unstable();
    keys.truncate(count);
    keys.into_iter().map(|(_, n)| TaskIndex(n)).collect()
}

/// So many failed trials of an agent show that waiting for it does not help a task that it was never given either.
const ENOUGH_TRIALS: u32 = 2;

/// The task's own agent, or the next best that is fit for it while its circuit is open. Nobody if all circuits are
/// open and it is known for how long: then the task waits for the first of them.
///
/// An agent that failed when it was tried again is not waited for by each task in its turn: those that have failed
/// with it are given to it, fail at once, and go the way of any failure.
fn choose_agent(
    state: &RunState,
    work: &Work,
    (task, run): (&SubTask, &TaskRun),
) -> Option<(AgentType, Money)> {
    let fit = |ranked: &&candor_model::RankedAgent| ranked.score >= state.settings().min_backup_score;
    let others = task.metadata.ranking.iter().filter(fit).map(|ranked| &ranked.agent_type);
    let agent = std::iter::once(&task.agent_type)
        .chain(others.filter(|agent| !task.metadata.failed_agents.contains(agent)))
        .find(|agent| !state.is_unavailable(agent));
    let for_ever = || state.open_circuits().get(&task.agent_type).is_some_and(Option::is_none);
    let trials = state.failed_trials(&task.agent_type);
    let failed_with_it =
        || run.history.as_ref().is_some_and(|history| history.agents.contains(&task.agent_type));
    let in_vain = || trials >= ENOUGH_TRIALS || trials > 0 && failed_with_it();
    let agent = agent.or_else(|| (for_ever() || in_vain()).then_some(&task.agent_type))?;
    let cost = work.agents.get(agent).map_or(Money::ZERO, candor_model::AgentCapability::set_aside);
    Some((agent.clone(), cost))
}

fn fell_back(task: &SubTask, agent: &AgentType) -> EventBody {
    EventBody::FellBack {
        what: format!("task {}", task.task_id),
        from: task.agent_type.to_string(),
        to: agent.to_string(),
        reason: format!("the breaker of {} is open", task.agent_type),
        kind: Some(FallbackKind::Agent),
    }
}

/// What the end of the work depends on.
#[derive(Clone, Copy)]
pub(super) struct Finish {
    confidence: Confidence,
    revisions: u32,
    unpaid_failures: u32,
    partial_successes: u32,
    tasks: usize,
}

impl Finish {
    fn of(work: &Work) -> Self {
        Self {
            confidence: work.confidence,
            revisions: work.plan().metadata.revisions_made(),
            unpaid_failures: u32::try_from(work.unpaid_failures.len()).unwrap_or(u32::MAX),
            partial_successes: work.partial_successes,
            tasks: work.len(),
        }
    }

    /// The end that comes with this success of `task`, told without building the state after it: a plan may be
    /// large.
    pub(super) fn with(work: &Work, task: &TaskId, last: FeedbackType) -> Self {
        let mut finish = Self::of(work);
        // Its own failures are recovered by it.
        finish.unpaid_failures -= u32::from(work.unpaid_failures.contains(task));
        finish.partial_successes += u32::from(last == FeedbackType::PartialSuccess);
        finish
    }
}

/// Whether the end of the work has moved confidence already.
fn is_settled(state: &RunState) -> bool {
    matches!(state.last_confidence_cause(), Some(ConfidenceCause::AllSucceeded | ConfidenceCause::Failures))
}

/// Every task has ended well: settles confidence and hands over to validation.
pub(super) fn execution_done(draft: &mut Draft<'_>, finish: Finish) {
    let Finish { confidence: before, revisions, unpaid_failures, partial_successes, tasks } = finish;
    // Work that is done again has had its bonus, and a log that was cut short may say so already.
    let again = !draft.state.findings().validation.reworks.is_empty() || is_settled(draft.state);
    let (after, cause) = if again && unpaid_failures == 0 {
        (before, ConfidenceCause::AllSucceeded)
    } else if unpaid_failures > 0 {
        (confidence::after_failures(before, unpaid_failures), ConfidenceCause::Failures)
    } else {
        (confidence::success_bonus(before, revisions, partial_successes), ConfidenceCause::AllSucceeded)
    };
    if before != after {
        draft.emit(EventBody::ConfidenceChanged { before, after, cause });
    }
    let summary = format!("all of {tasks} tasks ended well or were left out");
    phases::executed(draft, summary);
}
