//! Room 0: what there is to work with, before anything is read: what is known of the same words, the money, and
//! what may be left out.

use candor_model::{GoalType, Money, Phase};
use candor_planning::phase::{PhaseReport, PhaseResult};
use serde_json::{Value, json};

use super::{Phases, report};
use crate::plan_cache::normalised;
use crate::{Incomplete, Pack, PhaseContext};

/// How sure a hit is: the words are the same, the world may not be.
const SURE_OF_A_HIT: u8 = 90;

/// How much of a request is kept to compare it with later; what is longer is told apart by its length as well.
const KEPT_CHARS: usize = 1_000;

/// Better wordings for a weak request.
pub(super) const ENHANCEMENT: &str = "prompt_enhancement";

/// Reading the files that a request names.
pub(super) const FILE_READING: &str = "file_reading";

/// What may be left out of a run: parts of phases, never a phase, and never everyone at work in one.
const OPTIONAL: [&str; 2] = [ENHANCEMENT, FILE_READING];

pub(super) fn work(phases: &Phases, cx: &PhaseContext<'_>) -> Result<PhaseReport, Incomplete> {
    let words = cx.request.split_whitespace().count();
    let cached = looked_up(phases, cx);
    let brought = cx.material.is_some_and(|material| material.goal.is_some() || material.plan.is_some());
    let skip = skippable(if brought { &[ENHANCEMENT] } else { &[] })?;
    let hit = cached.get("hit").and_then(Value::as_bool).unwrap_or_default();
    let data = json!({ "cached": cached, "budget": budget(cx), "skip": skip });
    let mut report = report(summary(cx, words), data, PhaseResult::Plain);
    report.handoff.context.confidence = Some(if hit { SURE_OF_A_HIT } else { 100 });
    report.criteria.insert("cache_hit_rate".to_owned(), f64::from(u8::from(hit)));
    Ok(report)
}

fn summary(cx: &PhaseContext<'_>, words: usize) -> String {
    let settings = cx.settings;
    let budget = match settings.run_budget {
        Some(budget) => format!("the run ${budget}"),
        None => "the run what it takes".to_owned(),
    };
    format!(
        "{words} words; planning may cost ${} and {budget}; planned by {}",
        settings.planning_budget,
        if cx.answers.is_some() {
            "models, and by rules where they cannot"
        } else {
            "rules, without a model"
        }
    )
}

/// Whether the same words were broken down before, with what was looked up.
pub(super) fn looked_up(phases: &Phases, cx: &PhaseContext<'_>) -> Value {
    let words = normalised(cx.request);
    let kinds = phases.packs().iter().map(|pack: &Pack| &pack.goal_type);
    let cache = phases.cache();
    let hit = kinds.chain([&GoalType::GENERIC]).any(|kind| cache.knows(kind, &words));
    json!({
        "hit": hit,
        "confidence": if hit { SURE_OF_A_HIT } else { 0 },
        "request": {
            "normalised": shortened(&words),
            "words": cx.request.split_whitespace().count(),
            "bytes": cx.request.len(),
            "brought_goal": cx.material.is_some_and(|material| material.goal.is_some()),
            "brought_plan": cx.material.is_some_and(|material| material.plan.is_some()),
        },
    })
}

/// The words of a request as they are compared from phase to phase.
pub(super) fn shortened(words: &str) -> String {
    match words.char_indices().nth(KEPT_CHARS) {
        Some((at, _)) => format!("{} … ({} bytes)", words.get(..at).unwrap_or_default(), words.len()),
        None => words.to_owned(),
    }
}

fn budget(cx: &PhaseContext<'_>) -> Value {
    let settings = cx.settings;
    json!({
        "tokens": settings.phase_limits().token_budget,
        "cost": settings.run_budget,
        "planning": settings.planning_budget,
        "spent": { "tokens": 0, "cost": Money::ZERO },
        "remaining": { "tokens": settings.phase_limits().token_budget, "cost": settings.run_budget },
        "source": "task",
    })
}

/// What may be left out, as it is asked for; the error says what may not.
///
/// # Errors
/// If a name is that of a phase, or of nothing that a run can do without.
pub fn skippable(wanted: &[&str]) -> Result<Vec<String>, String> {
    for name in wanted {
        if Phase::ALL.iter().any(|phase| phase.as_str() == *name || phase.number().to_string() == *name) {
            return Err(format!(
                "skip: {name} is a phase, and every phase runs; only {} may be left out",
                OPTIONAL.join(" and ")
            ));
        }
        if !OPTIONAL.contains(name) {
            return Err(format!(
                "skip: there is no optional step {name}; there are {}",
                OPTIONAL.join(" and ")
            ));
        }
    }
    Ok(wanted.iter().map(|name| (*name).to_owned()).collect())
}
