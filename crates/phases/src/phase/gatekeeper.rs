//! Before the phases: whether the words may come in at all, and the word on every phase that it will be visited.

use candor_language::guard;
use candor_model::{Enforcement, GuardFinding, GuardReport, Phase, PhaseDecision, Severity};
use candor_planning::guardrails::Violation;

use super::Phases;
use crate::PhaseContext;

/// The guardrails' look at a request.
pub(super) fn look(phases: &Phases, cx: &PhaseContext<'_>) -> GuardReport {
    let rules = phases.rules();
    let embed = |text: &str| cx.meaning.and_then(|meaning| meaning.0.at_once(text));
    let seen = guard::examine(cx.request, Some(&embed)).into_iter().map(|found| {
        let enforcement = if found.rule == "secret" { rules.secrets } else { rules.injection };
        finding(found.rule.to_owned(), enforcement, enforcement == Enforcement::Block, found.reason)
    });
    let violated = rules.guardrails.violations(cx.request, &|_| false).into_iter().map(|violation| {
        let Violation { rule_id, enforcement, tripwire, message, .. } = violation;
        finding(rule_id, enforcement, tripwire, message)
    });
    GuardReport { findings: violated.chain(seen).collect(), evaluation: evaluation(cx) }
}

fn finding(rule: String, enforcement: Enforcement, tripwire: bool, message: String) -> GuardFinding {
    let severity = if enforcement == Enforcement::Block { Severity::Error } else { Severity::Warning };
    GuardFinding { rule, enforcement, tripwire, severity, message }
}

/// Every phase runs; what each will do is said before any of them begins.
fn evaluation(cx: &PhaseContext<'_>) -> Vec<PhaseDecision> {
    let by = if cx.answers.is_some() { "models, or rules where they cannot" } else { "rules" };
    let decision = |phase: &Phase| {
        let reason = match phase {
            Phase::PreAnalysis => "looks for the same request before, and at the budget".to_owned(),
            Phase::Evaluation => format!("reads the goal and judges the words, by {by}"),
            Phase::Context => "loads what is known and the files that are named".to_owned(),
            Phase::Decomposition => format!("lists the tasks and breaks them down, by {by}"),
            Phase::Planning => format!("chooses agents and strategy, names risks and alternatives, by {by}"),
            Phase::Execution => "carries out the plan that was approved".to_owned(),
            Phase::Validation => "checks every task's criterion and the goal's".to_owned(),
            Phase::Consolidation => "writes report, outcome and figures".to_owned(),
        };
        PhaseDecision { phase: *phase, run: true, reason }
    };
    Phase::ALL.iter().map(decision).collect()
}
