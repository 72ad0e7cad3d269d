//! Before the phases: whether the words may come in at all, and the word on every phase that it will be visited.

use candor_language::guard::{self, Embed};
use candor_model::{Enforcement, GuardFinding, GuardReport, Phase, PhaseDecision, Severity};
use candor_planning::guardrails::Violation;

use super::Phases;
use crate::{PhaseContext, Rulebook};

/// The guardrails' look at a request.
pub(super) fn look(phases: &Phases, cx: &PhaseContext<'_>) -> GuardReport {
    let embed = |text: &str| cx.meaning.and_then(|meaning| meaning.0.at_once(text));
    let findings = examine(phases.rules(), cx.request, Some(&embed));
    GuardReport {
        findings: findings.into_iter().map(|(finding, _)| finding).collect(),
        evaluation: evaluation(cx),
    }
}

/// Everything that the guardrails find in a request, each with the words that gave it away, if there are any.
pub fn examine(rules: &Rulebook, text: &str, embed: Option<Embed<'_>>) -> Vec<(GuardFinding, String)> {
    let seen = guard::examine(text, embed).into_iter().map(|found| {
        let enforcement = if found.rule == "secret" { rules.secrets } else { rules.injection };
        let tripwire = enforcement == Enforcement::Block;
        (finding(found.rule.to_owned(), enforcement, tripwire, found.reason), found.quote)
    });
    let violated = rules.guardrails.violations(text, &|_| false).into_iter().map(|violation| {
        let Violation { rule_id, enforcement, tripwire, message, .. } = violation;
        (finding(rule_id, enforcement, tripwire, message), String::new())
    });
    violated.chain(seen).collect()
}

/// Whether something that was read on the way gives orders to models; `subject` is what it is.
pub(super) fn read(rules: &Rulebook, subject: &str, text: &str) -> Option<GuardFinding> {
    let found = guard::examine_read(subject, text)?;
    let enforcement = rules.injection;
    Some(finding(found.rule.to_owned(), enforcement, enforcement == Enforcement::Block, found.reason))
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
