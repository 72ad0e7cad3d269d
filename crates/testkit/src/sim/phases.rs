//! Simulated phases: they need files and models, and hand over a goal, a plan, a verdict; sometimes they fail.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use candor_engine::{PhaseReport, PhaseResult};
use candor_model::handoff::{JudgedCounts, ValidationOutput};
use candor_model::{
    AlignmentCheck, ApprovalPolicy, Ask, AskStep, Broadcast, CalibrationMetrics, CheckKind, CheckedCriterion,
    ConfidenceCheck, ConsistencyCheck, CostCheck, CriterionResult, CriterionSource, CritiqueChecks, Effect,
    Enforcement, Enhancement, Evidence, GuardFinding, GuardReport, Handoff, JsonMap, LoopGuard,
    MessagePriority, MessageType, Money, OriginalPrompt, PastErrorCheck, Phase, PhaseLimits, Plan, Priority,
    PromptVariant, ProposedTask, RankedAgent, RetryPolicy, RevisionProposal, RunSettings, Seconds, Severity,
    Share, SpokenBy, SubTask, TaskId, Text, Texts, Tier, WantedCheck,
};
use candor_phases::{Answers, Incomplete, PhaseContext};
use candor_planning::assessment::{self, ClaimCounts};
use candor_planning::conflict::ConflictRules;
use candor_planning::validation::Proposal;
use candor_session::PhaseWork;
use fastrand::Rng;
use serde_json::Value;

use super::world::World;
use super::{agents, models};
use crate::arbitrary::AGENTS;
use crate::scenario::phase_report;
use crate::{fixtures, phase_fixtures};

/// Limits drawn for one run.
pub(super) fn settings(world: &mut World) -> RunSettings {
    let rng = &mut world.rng;
    RunSettings {
        max_parallel_tasks: rng.u32(1..6),
        max_revisions: rng.u32(0..6),
        escalate_after_failures: rng.u32(1..5),
        retry: rng.bool().then(RetryPolicy::default),
        approval: if rng.u8(0..5) == 0 { ApprovalPolicy::Always } else { ApprovalPolicy::WhenUnsure },
        run_budget: (rng.u8(0..4) == 0).then(|| Money::from_micros(rng.u64(10_000..900_000))),
        // Long enough for a process to die and come back, most of the time.
        planning_timeout: Seconds::whole(rng.u32(3..90)),
        planning_budget: Money::from_micros(if rng.bool() { 10_000 } else { rng.u64(0..80_000) }),
        unattended: rng.u8(0..6) == 0,
        revise_with_model: rng.bool(),
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

/// Phases whose results are drawn by the seed: the same try of the same phase always gives the same.
pub(super) struct SimPhases {
    seed: u64,
    /// How often they go wrong, in percent.
    trouble: Arc<AtomicU8>,
}

/// The dice of one try of one phase.
struct Dice {
    rng: Rng,
    trouble: u8,
}

impl Dice {
    fn chance(&mut self, percent: u8) -> bool {
        self.rng.u8(0..100) < percent
    }

    fn trouble(&mut self) -> bool {
        self.chance(self.trouble)
    }
}

impl SimPhases {
    pub(super) const fn new(seed: u64, trouble: Arc<AtomicU8>) -> Self {
        Self { seed, trouble }
    }

    fn dice(&self, what: u64, attempt: u32) -> Dice {
        let seed = self.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (what << 48) ^ (u64::from(attempt) << 16);
        Dice { rng: Rng::with_seed(seed), trouble: self.trouble.load(Ordering::Relaxed) }
    }
}

impl PhaseWork for SimPhases {
    /// The guardrails look at the words; now and then they halt the run.
    fn guard(&self, _: &PhaseContext<'_>) -> GuardReport {
        let findings = if self.dice(90, 0).trouble() { vec![halting()] } else { Vec::new() };
        GuardReport { findings, evaluation: Vec::new() }
    }

    fn work(&self, phase: Phase, cx: &PhaseContext<'_>) -> Result<PhaseReport, Incomplete> {
        let mut dice = self.dice(u64::from(phase.number()), cx.attempt);
        if dice.trouble() {
            return Err("the work of the phase failed".into());
        }
        need(&mut dice, phase, cx)?;
        let answers = ask(&mut dice, phase, cx)?;
        let mut report = report(&mut dice, phase, cx);
        let mut data = report.handoff.data.map();
        data.extend(answers);
        report.handoff.data = data.into();
        Ok(report)
    }

    fn route(&self, task: &SubTask, _: &PhaseContext<'_>) -> Result<Vec<RankedAgent>, Incomplete> {
        let number =
            task.task_id.as_str().bytes().fold(0, |sum: u32, byte| sum.wrapping_mul(31) + u32::from(byte));
        let mut dice = self.dice(91, number);
        if dice.trouble() {
            return if dice.rng.bool() {
                Err("the embedding service is down".into())
            } else {
                Ok(Vec::new())
            };
        }
        Ok(agents::ranking(&mut dice.rng))
    }

    fn revise(
        &self,
        task: &SubTask,
        _: Option<&str>,
        cx: &PhaseContext<'_>,
    ) -> Result<Option<RevisionProposal>, Incomplete> {
        let mut dice = self.dice(92, cx.attempt);
        let Some(Answers(told)) = cx.answers else { return Ok(None) };
        match told(models::ASKS[0]).last().map(|step| &step.outcome) {
            Some(AskStep::Accepted { .. }) => Ok(Some(revision(&mut dice, task))),
            Some(AskStep::GiveUp { .. }) => Ok(None),
            _ => Err(Incomplete::Asks(Box::new(Ask::expecting::<Value>(models::ASKS[0], Tier::Balanced)))),
        }
    }

    fn conflict_rules(&self) -> ConflictRules {
        ConflictRules::default()
    }
}

/// What a phase needs from outside before it can go on.
fn need(dice: &mut Dice, phase: Phase, cx: &PhaseContext<'_>) -> Result<(), Incomplete> {
    let mut wanted = Vec::new();
    if phase == Phase::Context && dice.rng.u8(0..4) == 0 {
        let paths = vec!["src/part_0.rs".to_owned(), "src/part_9.rs".to_owned()];
        let unread: Vec<String> = paths.into_iter().filter(|path| !cx.files.contains_key(path)).collect();
        wanted.extend((!unread.is_empty()).then_some(Effect::ReadFiles { paths: unread }));
    }
    let texts = Texts { lasting: Vec::new(), passing: vec![format!("{phase} {}", cx.attempt)] };
    let at_hand = |text: &String| cx.meaning.is_none_or(|meaning| meaning.0.at_once(text).is_some());
    if phase == Phase::Planning && dice.rng.u8(0..4) == 0 && !texts.passing.iter().all(at_hand) {
        wanted.push(Effect::Embed { texts });
    }
    if phase == Phase::Validation && dice.rng.u8(0..4) == 0 && cx.checks.is_empty() {
        let kind = CheckKind::File("report.md".to_owned());
        let check = WantedCheck { task_id: TaskId::numbered(1), kind };
        wanted.push(Effect::RunChecks { attempt: cx.attempt, checks: vec![check] });
    }
    if wanted.is_empty() { Ok(()) } else { Err(Incomplete::Needs(wanted)) }
}

/// Asks models, one question after the other; gives what they answered.
fn ask(dice: &mut Dice, phase: Phase, cx: &PhaseContext<'_>) -> Result<JsonMap, Incomplete> {
    let asks = matches!(phase, Phase::Evaluation | Phase::Decomposition | Phase::Planning)
        || (phase == Phase::Validation && dice.rng.u8(0..4) == 0);
    let count = if asks && dice.rng.bool() { dice.rng.usize(1..=models::ASKS.len()) } else { 0 };
    let mut answers = JsonMap::new();
    let Some(Answers(told)) = cx.answers else { return Ok(answers) };
    for step in models::ASKS.into_iter().take(count) {
        match told(step).last().map(|step| &step.outcome) {
            Some(AskStep::Accepted { value, .. }) => _ = answers.insert(step.to_owned(), value.clone()),
            Some(AskStep::GiveUp { .. }) => {}
            _ => return Err(Incomplete::Asks(Box::new(Ask::expecting::<Value>(step, Tier::Balanced)))),
        }
    }
    Ok(answers)
}

/// What a model proposes: something new, the same again, smaller steps, somebody unknown, or nothing.
fn revision(dice: &mut Dice, task: &SubTask) -> RevisionProposal {
    let named = [AGENTS[0], AGENTS[1], task.agent_type.as_str(), "nobody_we_know"];
    let agent = dice.rng.choice(named).filter(|_| dice.rng.bool()).map(str::to_owned);
    let mut inputs = JsonMap::new();
    if dice.rng.bool() {
        inputs.insert("variant".to_owned(), dice.rng.u32(0..3).into());
    }
    let new = |after: Vec<usize>| ProposedTask {
        description: task.description.to_string(),
        agent: agent.clone(),
        inputs: inputs.clone(),
        expected_outputs: Vec::new(),
        after,
    };
    let tasks = match dice.rng.u8(0..5) {
        0 => {
            let mut second = new(vec![0]);
            second.description.push_str(", second part");
            vec![new(Vec::new()), second]
        }
        4 => vec![new(Vec::new()), new(vec![0])],
        1 => vec![new(vec![dice.rng.usize(0..3)])],
        _ => vec![new(Vec::new())],
    };
    let nothing_helps = (dice.rng.u8(0..6) == 0).then(|| "it is lost".to_owned());
    RevisionProposal { why: "something else".to_owned(), tasks, changes: Vec::new(), nothing_helps }
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

fn report(dice: &mut Dice, phase: Phase, cx: &PhaseContext<'_>) -> PhaseReport {
    let result = match phase {
        Phase::Evaluation => {
            let enhancement = dice.trouble().then(|| Box::new(offer()));
            PhaseResult::Goal { goal: Box::new(fixtures::paris_goal()), evaluation: None, enhancement }
        }
        Phase::Planning if cx.talk.is_some() => {
            if dice.rng.bool() {
                PhaseResult::Reply("because".to_owned())
            } else {
                PhaseResult::Plan(proposal(dice))
            }
        }
        Phase::Planning => PhaseResult::Plan(proposal(dice)),
        Phase::Validation => {
            let unmet =
                if dice.trouble() { vec!["At least 5 activities planned".to_owned()] } else { vec![] };
            let failed = if dice.trouble() {
                vec![(TaskId::numbered(dice.rng.usize(1..4)), "too few".to_owned())]
            } else {
                vec![]
            };
            PhaseResult::Verdict { unmet, failed }
        }
        _ => PhaseResult::Plain,
    };
    let mut report = phase_report(result);
    if phase == Phase::Validation {
        report.handoff = Handoff::of(SpokenBy::Heuristic, "judged".to_owned(), &judged(dice, cx));
    }
    if dice.trouble() {
        report.messages.push(message(&mut dice.rng, phase));
    }
    report.critique = Some(Box::new(critique(dice)));
    report.handoff.spoken_by = if dice.rng.bool() { SpokenBy::Model } else { SpokenBy::Heuristic };
    report.handoff.flags.needs_user_input = dice.trouble();
    if dice.chance(dice.trouble / 2) {
        report.handoff.flags.blockers.push("the door is locked".to_owned());
    }
    report
}

/// What validation finds of a few criteria: of a file that it looked at, and of what a task put out.
fn judged(dice: &mut Dice, cx: &PhaseContext<'_>) -> ValidationOutput {
    let criterion = |result, evidence: Evidence, of_goal| CheckedCriterion {
        criterion: "file exists: report.md".to_owned(),
        source: CriterionSource::Goal,
        task_id: None,
        words: None,
        result,
        found: String::new(),
        evidence: Some(evidence),
        of_goal,
    };
    let held = |holds| if holds { CriterionResult::Holds } else { CriterionResult::Fails };
    let files = cx.checks.iter().filter_map(|it| Some((it.check.kind.path()?.clone(), it.passed)));
    let mut criteria: Vec<CheckedCriterion> =
        files.map(|(path, passed)| criterion(held(passed), Evidence::File(path), true)).collect();
    let done = cx.feedback.iter().rev().find(|feedback| feedback.feedback_type.is_success());
    criteria.extend(done.map(|feedback| {
        let result = if dice.trouble() { CriterionResult::Unchecked } else { CriterionResult::Holds };
        criterion(result, Evidence::Outputs(feedback.task_id.clone()), dice.rng.bool())
    }));
    ValidationOutput {
        verdict: "PASS".to_owned(),
        checks: Vec::new(),
        failed: Vec::new(),
        warnings: Vec::new(),
        expanded: Vec::new(),
        judged: JudgedCounts { defined: 0, checked: 0, met: 0 },
        assessment: Some(assessment::assess(criteria, ClaimCounts::default())),
    }
}

/// A phase is seldom dissatisfied with itself.
fn critique(dice: &mut Dice) -> CritiqueChecks {
    let mut pass = || !dice.trouble();
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
pub(super) fn message(rng: &mut Rng, phase: Phase) -> Broadcast {
    let message_type = *rng.choice(MessageType::ALL).unwrap_or(&MessageType::Discovery);
    let priority = *rng.choice(MessagePriority::ALL).unwrap_or(&MessagePriority::Low);
    let from_agent = format!("agent_{}", rng.u8(0..3));
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

fn proposal(dice: &mut Dice) -> Proposal {
    let mut calibration = CalibrationMetrics::default();
    if dice.rng.bool() {
        calibration.sample_size = 20;
        calibration.over_confidence_rate = Share::of(dice.rng.usize(0..10), 10);
        calibration.under_confidence_rate = Share::of(dice.rng.usize(0..10), 10);
    }
    Proposal {
        plan: plan(dice),
        agents: fixtures::full_registry(),
        categories: Vec::new(),
        calibration,
        brief: dice.rng.bool().then(|| Box::new(phase_fixtures::brief())),
        added: Vec::new(),
    }
}

/// The Paris plan, or one with tasks that depend on any earlier ones; now and then one that is not sound.
fn plan(dice: &mut Dice) -> Plan {
    let score = dice.rng.u8(25..=100).max(dice.rng.u8(25..=100));
    if dice.rng.u8(0..4) == 0 {
        let mut plan = fixtures::paris_plan();
        plan.confidence_score = fixtures::confidence(f64::from(score) / 100.0);
        return plan;
    }
    let count = if dice.rng.u8(0..10) == 0 { dice.rng.usize(14..60) } else { dice.rng.usize(1..14) };
    let mut tasks: Vec<SubTask> = (1..=count).map(|n| task(dice, n)).collect();
    if dice.trouble()
        && let Some(first) = tasks.first_mut()
    {
        first.dependencies.push(TaskId::numbered(dice.rng.usize(1..20)));
    }
    fixtures::plan_of(tasks, f64::from(score) / 100.0)
}

fn task(dice: &mut Dice, n: usize) -> SubTask {
    let words =
        ["Search for flights", "Find hotels", "Book package (flight + hotel + tour)", "Validate total cost"];
    let description = dice.rng.choice(words).unwrap_or("Do something");
    let mut task =
        SubTask::new(TaskId::numbered(n), Text::or(description, "Do something"), vec![format!("output_{n}")]);
    let picks = dice.rng.usize(0..3);
    let mut dependencies: Vec<usize> =
        (0..picks).filter(|_| n > 1).map(|_| dice.rng.usize(1..n.max(2))).collect();
    dependencies.sort_unstable();
    dependencies.dedup();
    task.dependencies = dependencies.into_iter().map(TaskId::numbered).collect();
    task.priority = Priority::new(dice.rng.u8(1..=10)).unwrap_or_default();
    task.metadata.ranking = agents::ranking(&mut dice.rng);
    if let Some(best) = task.metadata.ranking.first() {
        task.agent_type = best.agent_type.clone();
    }
    if dice.rng.u8(0..5) == 0 {
        let backoff_seconds = Seconds::whole(dice.rng.u32(0..8));
        task.retry_policy = Some(RetryPolicy { max_retries: dice.rng.u32(0..3), backoff_seconds });
    }
    task
}
