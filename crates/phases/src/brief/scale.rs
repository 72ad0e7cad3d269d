//! How many agents a plan gets and how they run: the evaluation proposes, planning decides.

use std::collections::BTreeSet;

use candor_language::split;
use candor_model::handoff::{CacheStatus, PreAnalysisOutput};
use candor_model::{
    AgentCounts, ExecutionStrategy, Money, Phase, PhaseOutput, Plan, Seconds, SubTask, Tier, TierCounts,
};
use candor_planning::early_exit::{self, EarlyExit, HIGH_CONFIDENCE, Spent, TaskBudget};
use candor_planning::phase::DecisionNote;
use candor_planning::scaling::{MAX_AGENTS, MIN_AGENTS, ScalingProposal, ScalingRules, agents_at_once};
use candor_planning::score::Score;
use serde::Deserialize;

use crate::PhaseContext;
use crate::decompose::{groups, hints, tiers};

/// How many agents a plan gets, and why.
pub(crate) struct Scale {
    /// What the rules proposed.
    pub(crate) proposal: ScalingProposal,
    /// Numbers of agents that hold for the run, by how they work and by tier.
    pub(crate) agents: AgentCounts,
    /// Where the run does with less.
    pub(crate) exits: Vec<EarlyExit>,
    /// The figures that it was decided on.
    input: String,
    reasons: Vec<String>,
}

impl Scale {
    /// The decision for the record.
    pub(crate) fn decision(&self, strategy: ExecutionStrategy) -> DecisionNote {
        let AgentCounts { total, parallel, sequential, .. } = self.agents;
        DecisionNote {
            operation: "scale_agents",
            task_id: None,
            input: self.input.clone(),
            decision: format!("{total} agents, {parallel} side by side and {sequential} in turn; {strategy}"),
            reasoning: self.reasons.join("; "),
        }
    }
}

/// How complex the request is: as it was evaluated, or by its files and points if it was not.
pub(crate) fn complexity(cx: &PhaseContext<'_>) -> u8 {
    if let Some(evaluation) = cx.evaluation {
        return evaluation.complexity.total.min(100);
    }
    let files = hints::files_in(cx.request).len().min(10) * 6;
    let points = split::parts(cx.request).len().min(5) * 8;
    let grave = if tiers::tier_for(cx.request) == Tier::Strong { 15 } else { 0 };
    u8::try_from(10 + files + points + grave).unwrap_or(100).min(100)
}

/// What the rules propose; `files` is the number of files if the tasks tell of more than the evaluation did.
pub(crate) fn proposed(rules: &ScalingRules, cx: &PhaseContext<'_>, files: u32) -> ScalingProposal {
    let evaluated = cx.evaluation.map_or(0, |evaluation| evaluation.file_count);
    rules.propose(complexity(cx), files.max(evaluated))
}

/// How tasks are carried out if nobody chose: side by side wherever that is possible. Only simple work that is
/// one line anyway is called sequential.
pub(crate) fn strategy(rules: &ScalingRules, cx: &PhaseContext<'_>, tasks: &[SubTask]) -> ExecutionStrategy {
    let is_simple = cx.evaluation.is_some() && proposed(rules, cx, 0).mode == ExecutionStrategy::Sequential;
    if is_simple && groups::is_one_line(tasks) {
        ExecutionStrategy::Sequential
    } else {
        ExecutionStrategy::Hybrid
    }
}

/// Where the run does with less: a good answer from the cache, or few tokens left.
pub(crate) fn exits(cx: &PhaseContext<'_>) -> Vec<EarlyExit> {
    let spent = cx.handoffs.values().map(|handoff| handoff.context.tokens_consumed).sum();
    let budget = TaskBudget {
        tokens: cx.settings.phase_limits().token_budget,
        money: Money::MAX,
        latency: Seconds::ZERO,
    };
    let tight = (cx.settings.phase_limits().token_budget > 0)
        .then(|| early_exit::on_budget(&budget, Spent { tokens: spent, money: Money::ZERO }))
        .flatten();
    early_exit::on_cache(cached(cx)).into_iter().chain(tight).collect()
}

/// What is read here of what was loaded.
#[derive(Deserialize)]
struct Cached {
    #[serde(default)]
    cached: Option<CacheStatus>,
}

impl PhaseOutput for Cached {
    const PHASE: Phase = Phase::Context;
}

/// How sure the cache is of what it has; nothing without a hit.
fn cached(cx: &PhaseContext<'_>) -> Option<Score> {
    let score = |number: u8| Score::try_from(u64::from(number)).ok();
    let first: PreAnalysisOutput = cx.left().unwrap_or_default();
    // The phase that read the files knows better than the one before it whether the request is still the same.
    match cx.left::<Cached>().and_then(|left| left.cached).or(first.cached)? {
        CacheStatus::Flag(true) => {
            let told = first.confidence.and_then(score);
            Some(told.unwrap_or_else(|| Score::at_most_full(HIGH_CONFIDENCE)))
        }
        CacheStatus::Lookup(found) => score(found.confidence),
        CacheStatus::Flag(false) => None,
    }
}

/// Fixes the number of agents for a plan.
pub(crate) fn fixed(
    rules: &ScalingRules,
    cx: &PhaseContext<'_>,
    plan: &Plan,
    exits: Vec<EarlyExit>,
) -> Scale {
    let tasks = &plan.subtasks;
    let files: BTreeSet<&str> =
        tasks.iter().flat_map(|task| &task.metadata.files).map(String::as_str).collect();
    let files = u32::try_from(files.len()).unwrap_or(u32::MAX);
    let proposal = proposed(rules, cx, files);
    let count = u32::try_from(tasks.len()).unwrap_or(u32::MAX).max(1);
    let width = match plan.execution_strategy {
        ExecutionStrategy::Sequential => 1,
        _ => u32::try_from(groups::widest(tasks))
            .unwrap_or(u32::MAX)
            .min(agents_at_once(cx.settings.max_parallel_tasks)),
    };
    let wanted = proposal.count.min(count).max(width).clamp(MIN_AGENTS, MAX_AGENTS);
    let total = exits.iter().filter(|exit| exit.reduce).fold(wanted, |total, exit| exit.agents(total));
    let together = width.min(total);
    let parallel = if together < 2 { 0 } else { together };
    let models = cx.answers.map(|_| by_tier(tasks, total)).unwrap_or_default();
    let mut reasons = vec![format!(
        "the rules propose {} ({}); there are {count} tasks, of which {width} can run at once",
        proposal.count, proposal.mode
    )];
    reasons.extend(exits.iter().map(|exit| exit.reason.clone()));
    Scale {
        proposal,
        agents: AgentCounts { total, parallel, sequential: total - parallel, models },
        exits,
        input: format!("complexity {}, {files} files, {count} tasks", complexity(cx)),
        reasons,
    }
}

/// Shares agents out over the tiers as the tasks need them. What division leaves goes to the largest remainder,
/// and among equal ones to the cheaper tier.
fn by_tier(tasks: &[SubTask], total: u32) -> TierCounts {
    let all = tasks.len().max(1);
    let of = |tier: Tier| tasks.iter().filter(|task| tiers::tier_of(task) == tier).count();
    let mut shares: Vec<(Tier, usize, usize)> = Tier::ALL
        .iter()
        .map(|tier| (*tier, of(*tier) * total as usize / all, of(*tier) * total as usize % all))
        .collect();
    let given: usize = shares.iter().map(|(_, share, _)| share).sum();
    let mut left = (total as usize).saturating_sub(given);
    shares.sort_by_key(|(_, _, remainder)| std::cmp::Reverse(*remainder));
    for (_, share, _) in &mut shares {
        let more = left.min(1);
        *share += more;
        left -= more;
    }
    let count = |wanted: Tier| {
        let share = shares.iter().find(|(tier, ..)| *tier == wanted).map_or(0, |(_, share, _)| *share);
        u32::try_from(share).unwrap_or(total)
    };
    TierCounts { fast: count(Tier::Fast), balanced: count(Tier::Balanced), strong: count(Tier::Strong) }
}
