//! Room 0: what there is to work with, before anything is read: what is known of the same words, the money, and
//! what may be left out.

use candor_model::handoff::{
    Amounts, BudgetOverview, CacheLookup, CacheStatus, LookedUpRequest, PreAnalysisOutput,
};
use candor_model::{GoalType, Money, OptionalStep, Phase};
use candor_planning::known_request;
use candor_planning::phase::{PhaseReport, PhaseResult};

use super::{Phases, report};
use crate::plan_cache::normalised;
use crate::{Pack, PhaseContext};

/// How sure a hit is: the words are the same, the world may not be.
const SURE_OF_A_HIT: u8 = 90;

/// How much of a request is kept to compare it with later; what is longer is told apart by its length as well.
const KEPT_CHARS: usize = 1_000;

pub(super) fn work(phases: &Phases, cx: &PhaseContext<'_>) -> PhaseReport {
    let words = cx.request.split_whitespace().count();
    let cached = looked_up(phases, cx);
    let brought = cx.material.is_some_and(|material| material.goal.is_some() || material.plan.is_some());
    let hit = cached.hit;
    let output = PreAnalysisOutput {
        cached: Some(CacheStatus::Lookup(cached)),
        budget: Some(budget(cx)),
        skip: brought.then_some(OptionalStep::PromptEnhancement).into_iter().collect(),
        confidence: None,
    };
    let mut report = report(summary(cx, words), &output, None, PhaseResult::Plain);
    report.handoff.context.confidence = Some(if hit { SURE_OF_A_HIT } else { 100 });
    report.criteria.insert("cache_hit_rate".to_owned(), f64::from(u8::from(hit)));
    report
}

fn summary(cx: &PhaseContext<'_>, words: usize) -> String {
    let settings = cx.settings;
    let budget = match settings.run_budget {
        Some(budget) => format!("run budget ${budget}"),
        None => "no run budget".to_owned(),
    };
    format!(
        "{words} words; planning budget ${}; {budget}; planned by {}",
        settings.planning_budget,
        if cx.answers.is_some() {
            "models, and by rules where they cannot"
        } else {
            "rules, without a model"
        }
    )
}

/// Whether the same words were broken down before, with what was looked up.
pub(super) fn looked_up(phases: &Phases, cx: &PhaseContext<'_>) -> CacheLookup {
    let words = normalised(cx.request);
    let kinds = phases.packs().iter().map(|pack: &Pack| &pack.goal_type);
    let cache = phases.cache();
    let hit = kinds.chain([&GoalType::GENERIC]).any(|kind| cache.knows(kind, &words))
        || known_request::has_words(cx.outcomes, cx.request);
    let request = LookedUpRequest {
        normalised: shortened(&words),
        words: cx.request.split_whitespace().count(),
        bytes: cx.request.len(),
        brought_goal: cx.material.is_some_and(|material| material.goal.is_some()),
        brought_plan: cx.material.is_some_and(|material| material.plan.is_some()),
    };
    CacheLookup {
        hit,
        confidence: if hit { SURE_OF_A_HIT } else { 0 },
        request: Some(request),
        looked_up_again: None,
    }
}

/// The words of a request as they are compared from phase to phase.
pub(super) fn shortened(words: &str) -> String {
    match words.char_indices().nth(KEPT_CHARS) {
        Some((at, _)) => format!("{} … ({} bytes)", words.get(..at).unwrap_or_default(), words.len()),
        None => words.to_owned(),
    }
}

fn budget(cx: &PhaseContext<'_>) -> BudgetOverview {
    let settings = cx.settings;
    let tokens = settings.phase_limits().token_budget;
    BudgetOverview {
        tokens,
        cost: settings.run_budget,
        planning: settings.planning_budget,
        spent: Amounts { tokens: 0, cost: Money::ZERO },
        remaining: Amounts { tokens, cost: settings.run_budget },
        source: "task".to_owned(),
    }
}

/// What may be left out, as it is asked for; the error says what may not.
///
/// # Errors
/// If a name is that of a phase, or of nothing that a run can do without.
pub fn skippable(wanted: &[&str]) -> Result<Vec<OptionalStep>, String> {
    let optional = || OptionalStep::ALL.iter().map(|step| step.as_str()).collect::<Vec<_>>().join(" and ");
    let read = |name: &&str| {
        if Phase::ALL.iter().any(|phase| phase.as_str() == *name || phase.number().to_string() == *name) {
            return Err(format!(
                "skip: {name} is a phase, and every phase runs; only {} may be left out",
                optional()
            ));
        }
        name.parse().map_err(|_| format!("skip: there is no optional step {name}; there are {}", optional()))
    };
    wanted.iter().map(read).collect()
}
