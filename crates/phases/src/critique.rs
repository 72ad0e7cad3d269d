//! What the phases think of their own work: puts together what a phase's output says and what it is compared
//! with, and has it judged by rules.

use candor_model::handoff::PastError;
use candor_model::{Goal, Phase, PhaseOutput};
use candor_planning::critique::{Work, checks, expected_tokens, told_of_tasks};
use candor_planning::phase::{PhaseReport, PhaseResult};

use serde::Deserialize;

use crate::consult::{self, CritiqueAnswer};
use crate::{Incomplete, PhaseContext};

/// Judges the work of a phase and puts the checks into its report: by rules, and by a model where that is wanted
/// and one answers.
pub(crate) fn critique(
    phase: Phase,
    cx: &PhaseContext<'_>,
    report: &mut PhaseReport,
    by_model: bool,
) -> Result<(), Incomplete> {
    let said = said(phase, cx, report);
    let past_errors = past_errors(cx);
    let work = Work {
        phase,
        objective: cx.request,
        handoff: &report.handoff,
        earlier: cx.handoffs,
        said: &said,
        expected_tokens: expected_tokens(cx.outcomes, phase),
        past_errors: &past_errors,
    };
    let mut checks = Box::new(checks(&work));
    if by_model {
        let ask = || consult::critique(phase, cx, &report.handoff, &past_errors);
        if let Some(said) = cx.consult::<CritiqueAnswer>("critique", ask)? {
            said.answer.laid_over(&mut checks);
        }
    }
    report.critique = Some(checks);
    Ok(())
}

/// What the output says of the matter. A plan that the person brought is what they want, whatever words they
/// put beside it.
fn said(phase: Phase, cx: &PhaseContext<'_>, report: &PhaseReport) -> String {
    let brought = cx.material.is_some_and(|material| material.plan.is_some() || material.goal.is_some());
    let own = match (&report.result, cx.plan) {
        (PhaseResult::Goal { goal, evaluation, .. }, _) => {
            let keywords = evaluation.as_ref().map(|evaluation| evaluation.keywords.join(" "));
            goal_words(goal, keywords)
        }
        (PhaseResult::Plan(proposal), _) => told_of_tasks(&proposal.plan.subtasks),
        (_, Some(plan)) if phase > Phase::Decomposition => told_of_tasks(&plan.subtasks),
        _ => String::new(),
    };
    if brought { format!("{}\n{own}", cx.request) } else { own }
}

/// What a goal says beyond the person's own words; those too if nobody looked for its keywords.
fn goal_words(goal: &Goal, keywords: Option<String>) -> String {
    let constraints = goal.constraints.iter().map(|it| format!("{} {}", it.kind, it.value));
    let criteria = goal.success_criteria.iter().cloned();
    let own = keywords.unwrap_or_else(|| goal.description.to_string());
    constraints.chain(criteria).chain([own]).collect::<Vec<_>>().join("\n")
}

/// What every phase reads of what the phase of memory left. All of it takes five times as long to read.
#[derive(Default, Deserialize)]
#[serde(default)]
struct PastErrors {
    past_errors: Vec<PastError>,
}

impl PhaseOutput for PastErrors {
    const PHASE: Phase = Phase::Context;
}

/// What the phase of memory says went wrong before in work like this.
fn past_errors(cx: &PhaseContext<'_>) -> Vec<String> {
    let PastErrors { past_errors } = cx.left().unwrap_or_default();
    past_errors.iter().filter_map(PastError::text).map(str::to_owned).collect()
}
