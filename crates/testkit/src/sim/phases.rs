//! Simulated phases: they hand over a goal, a plan, a verdict; sometimes late, sometimes not at all.

use candor_engine::{Input, PhaseReport, PhaseResult};
use candor_model::{
    Account, AlignmentCheck, ApprovalPolicy, Broadcast, CalibrationMetrics, ConfidenceCheck,
    ConsistencyCheck, CostCheck, CritiqueChecks, Enforcement, Enhancement, GuardFinding, GuardReport,
    JsonMap, LoopGuard, MessagePriority, MessageType, Money, OriginalPrompt, PastErrorCheck, Phase,
    PhaseLimits, Plan, Priority, PromptVariant, RetryPolicy, RunSettings, Seconds, Severity, Share, SpokenBy,
    SubTask, TaskId, Text,
};
use candor_planning::validation::Proposal;

use super::world::{Happening, World};
use super::{agents, models};
use crate::scenario::phase_report;
use crate::{fixtures, phase_fixtures};

/// Limits drawn for one run.
pub(super) fn settings(world: &mut World) -> RunSettings {
    let rng = &mut world.rng;
    RunSettings {
        max_parallel_tasks: rng.u32(1..6),
        max_revisions: rng.u32(0..6),
        escalate_after_failures: rng.u32(1..5),
        approval: if rng.u8(0..5) == 0 { ApprovalPolicy::Always } else { ApprovalPolicy::WhenUnsure },
        run_budget: (rng.u8(0..4) == 0).then(|| Money::from_micros(rng.u64(10_000..900_000))),
        // Long enough for a process to die and come back, most of the time.
        planning_timeout: Seconds::whole(rng.u32(3..90)),
        planning_budget: Money::from_micros(if rng.bool() { 10_000 } else { rng.u64(0..80_000) }),
        unattended: rng.u8(0..6) == 0,
        phases: (rng.u8(0..3) == 0).then(|| PhaseLimits {
            token_budget: rng.u64(0..3_000),
            max_plan_rounds: rng.u32(0..4),
            max_refinements: rng.u32(0..4),
            max_reworks: rng.u32(0..3),
            loop_guard: LoopGuard { identical_calls: rng.u32(0..4), steps_without_progress: rng.u32(0..6) },
            ..PhaseLimits::default()
        }),
        ..RunSettings::default()
    }
}

/// The guardrails look at the words; now and then they halt the run, for as long as they like.
pub(super) fn guard(world: &mut World, attempt: u32) {
    let trouble = world.odds.phase_trouble;
    let findings = if world.chance(trouble) { vec![halting()] } else { Vec::new() };
    let report = Box::new(GuardReport { findings, evaluation: Vec::new() });
    let delay = world.rng.i64(1..50);
    let input = Input::Guarded { attempt, report };
    let doubled = world.odds.doubled;
    if world.chance(doubled) {
        world.later(delay + 20, Happening::Deliver(input.clone()));
    }
    world.later(delay, Happening::Deliver(input));
}

fn halting() -> GuardFinding {
    GuardFinding {
        rule: "no-such-thing".to_owned(),
        enforcement: Enforcement::Block,
        tripwire: true,
        severity: Severity::Error,
        message: "not allowed here".to_owned(),
    }
}

/// A phase gets to work.
pub(super) fn work(world: &mut World, phase: Phase, attempt: u32) {
    let trouble = world.odds.phase_trouble;
    let delay = world.rng.i64(1..250);
    if world.chance(trouble) {
        let reason = "the work of the phase failed".to_owned();
        return world.later(delay, Happening::Deliver(Input::PhaseFailed { phase, attempt, reason }));
    }
    if world.rng.u8(0..4) == 0 {
        let amount = Money::from_micros(world.rng.u64(0..1_500));
        let spent = Input::Spent { account: Account::Planning, what: format!("phase {phase}"), amount };
        world.later(delay / 2, Happening::Deliver(spent));
    }
    models::ask(world, phase, attempt);
    // A phase that is in a hurry does not wait for its answers.
    if world.questions(phase, attempt) == 0 || world.chance(trouble) {
        hand_over(world, phase, attempt, delay, JsonMap::new());
    }
}

/// A phase hands over, with what models told it.
pub(super) fn hand_over(world: &mut World, phase: Phase, attempt: u32, delay: i64, answers: JsonMap) {
    let trouble = world.odds.phase_trouble;
    let slow = if world.chance(trouble) { 40_000 } else { 0 };
    let mut report = Box::new(report(world, phase));
    report.handoff.data = answers;
    let input = Input::PhaseDone { phase, attempt, report };
    let doubled = world.odds.doubled;
    if world.chance(doubled) {
        world.later(delay + slow + 50, Happening::Deliver(input.clone()));
    }
    world.later(delay + slow, Happening::Deliver(input));
}

fn report(world: &mut World, phase: Phase) -> PhaseReport {
    let trouble = world.odds.phase_trouble;
    let result = match phase {
        Phase::Evaluation => {
            let enhancement = world.chance(trouble).then(|| Box::new(offer()));
            PhaseResult::Goal { goal: Box::new(fixtures::paris_goal()), evaluation: None, enhancement }
        }
        Phase::Planning if world.talk => {
            world.talk = false;
            if world.rng.bool() {
                PhaseResult::Reply("because".to_owned())
            } else {
                PhaseResult::Plan(proposal(world))
            }
        }
        Phase::Planning => PhaseResult::Plan(proposal(world)),
        Phase::Validation => {
            let unmet =
                if world.chance(trouble) { vec!["At least 5 activities planned".to_owned()] } else { vec![] };
            let failed = if world.chance(trouble) {
                vec![(TaskId::numbered(world.rng.usize(1..4)), "too few".to_owned())]
            } else {
                vec![]
            };
            PhaseResult::Verdict { unmet, failed }
        }
        _ => PhaseResult::Plain,
    };
    let mut report = phase_report(result);
    if world.chance(trouble) {
        report.messages.push(message(world, phase));
    }
    report.critique = Some(Box::new(critique(world)));
    report.handoff.spoken_by = if world.rng.bool() { SpokenBy::Model } else { SpokenBy::Heuristic };
    report.handoff.flags.needs_user_input = world.chance(trouble);
    if world.chance(trouble / 2) {
        report.handoff.flags.blockers.push("the door is locked".to_owned());
    }
    report
}

/// A phase is seldom dissatisfied with itself.
fn critique(world: &mut World) -> CritiqueChecks {
    let trouble = world.odds.phase_trouble;
    let mut pass = || !world.chance(trouble);
    CritiqueChecks {
        objective_alignment: AlignmentCheck {
            pass: pass(),
            confidence: 80,
            reason: "so it seems".to_owned(),
        },
        consistency_with_project: ConsistencyCheck { pass: pass(), issues: Vec::new() },
        similar_to_past_error: PastErrorCheck { pass: pass(), matched_errors: Vec::new() },
        confidence_level: ConfidenceCheck { pass: pass(), score: 60 },
        cost_efficiency: CostCheck { pass: pass(), tokens_used: 1, expected: 1 },
        judged_by: SpokenBy::Heuristic,
    }
}

/// Something that an agent says to everyone.
pub(super) fn message(world: &mut World, phase: Phase) -> Broadcast {
    let message_type = *world.rng.choice(MessageType::ALL).unwrap_or(&MessageType::Discovery);
    let priority = *world.rng.choice(MessagePriority::ALL).unwrap_or(&MessagePriority::Low);
    let from_agent = format!("agent_{}", world.rng.u8(0..3));
    let content = "something is up".to_owned();
    Broadcast { phase, from_agent, task_id: None, message_type, priority, content, data: JsonMap::new() }
}

fn offer() -> Enhancement {
    let variant = |score| PromptVariant {
        text: "Plan something in Paris".to_owned(),
        score,
        improvements: vec!["specificity".to_owned()],
    };
    Enhancement {
        original: OriginalPrompt { text: "Plan".to_owned(), score: 40, issues: vec!["vague".to_owned()] },
        variants: vec![variant(80), variant(75), variant(70)],
        recommendation: "A".to_owned(),
    }
}

fn proposal(world: &mut World) -> Proposal {
    let mut calibration = CalibrationMetrics::default();
    if world.rng.bool() {
        calibration.sample_size = 20;
        calibration.over_confidence_rate = Share::of(world.rng.usize(0..10), 10);
        calibration.under_confidence_rate = Share::of(world.rng.usize(0..10), 10);
    }
    Proposal {
        plan: plan(world),
        agents: fixtures::full_registry(),
        categories: Vec::new(),
        calibration,
        brief: world.rng.bool().then(|| Box::new(phase_fixtures::brief())),
    }
}

/// The Paris plan, or one with tasks that depend on any earlier ones; now and then one that is not sound.
fn plan(world: &mut World) -> Plan {
    let score = world.rng.u8(25..=100).max(world.rng.u8(25..=100));
    if world.rng.u8(0..4) == 0 {
        let mut plan = fixtures::paris_plan();
        plan.confidence_score = fixtures::confidence(f64::from(score) / 100.0);
        return plan;
    }
    let count = if world.rng.u8(0..10) == 0 { world.rng.usize(14..60) } else { world.rng.usize(1..14) };
    let mut tasks: Vec<SubTask> = (1..=count).map(|n| task(world, n)).collect();
    let trouble = world.odds.phase_trouble;
    if world.chance(trouble)
        && let Some(first) = tasks.first_mut()
    {
        first.dependencies.push(TaskId::numbered(world.rng.usize(1..20)));
    }
    fixtures::plan_of(tasks, f64::from(score) / 100.0)
}

fn task(world: &mut World, n: usize) -> SubTask {
    let words =
        ["Search for flights", "Find hotels", "Book package (flight + hotel + tour)", "Validate total cost"];
    let description = world.rng.choice(words).unwrap_or("Do something");
    let mut task =
        SubTask::new(TaskId::numbered(n), Text::or(description, "Do something"), vec![format!("output_{n}")]);
    let picks = world.rng.usize(0..3);
    let mut dependencies: Vec<usize> =
        (0..picks).filter(|_| n > 1).map(|_| world.rng.usize(1..n.max(2))).collect();
    dependencies.sort_unstable();
    dependencies.dedup();
    task.dependencies = dependencies.into_iter().map(TaskId::numbered).collect();
    task.priority = Priority::new(world.rng.u8(1..=10)).unwrap_or_default();
    task.metadata.ranking = agents::ranking(world);
    if let Some(best) = task.metadata.ranking.first() {
        task.agent_type = best.agent_type.clone();
    }
    if world.rng.u8(0..5) == 0 {
        let backoff_seconds = Seconds::whole(world.rng.u32(0..8));
        task.retry_policy = Some(RetryPolicy { max_retries: world.rng.u32(0..3), backoff_seconds });
    }
    task
}
