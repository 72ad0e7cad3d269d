//! The eight rules that come with Candor: every phase runs, each after those it needs.

use candor_model::{Enforcement, Phase};

use super::rule::{Rule, RulePriority};
use super::triggers::{EVERY, Intent, PromptTriggers};

/// What the names of phase rules begin with; nobody else's may.
pub(super) const PREFIX: &str = "phase-";

/// The name of a phase's rule.
#[must_use]
pub const fn rule_id(phase: Phase) -> &'static str {
    match phase {
        Phase::PreAnalysis => "phase-0-pre-analysis",
        Phase::Evaluation => "phase-1-evaluation",
        Phase::Context => "phase-2-context-loading",
        Phase::Decomposition => "phase-3-decomposition",
        Phase::Planning => "phase-4-planning",
        Phase::Execution => "phase-5-execution",
        Phase::Validation => "phase-6-validation",
        Phase::Consolidation => "phase-7-consolidation",
    }
}

/// The phase that a rule is about, if it is about one.
#[must_use]
pub fn phase_of(rule_id_text: &str) -> Option<Phase> {
    Phase::ALL.iter().copied().find(|phase| rule_id(*phase) == rule_id_text)
}

/// The phases that must be completed before a phase starts: the first two need nothing, the third needs
/// both, and from there each needs the one before.
#[must_use]
pub const fn needs(phase: Phase) -> &'static [Phase] {
    match phase {
        Phase::PreAnalysis | Phase::Evaluation => &[],
        Phase::Context => &[Phase::PreAnalysis, Phase::Evaluation],
        Phase::Decomposition => &[Phase::Context],
        Phase::Planning => &[Phase::Decomposition],
        Phase::Execution => &[Phase::Planning],
        Phase::Validation => &[Phase::Execution],
        Phase::Consolidation => &[Phase::Validation],
    }
}

/// One rule for each phase: it must not start before those that it needs.
pub(super) fn rules() -> impl Iterator<Item = Rule> {
    Phase::ALL.iter().map(|phase| rule(*phase))
}

/// The rule of one phase.
pub(super) fn rule(phase: Phase) -> Rule {
    let first = phase == Phase::PreAnalysis;
    let prompt_triggers = if first {
        PromptTriggers { keywords: vec![EVERY.to_owned()], intent: vec![Intent::Any] }
    } else {
        PromptTriggers::default()
    };
    Rule {
        skill_id: rule_id(phase).to_owned(),
        enforcement: Enforcement::Block,
        priority: RulePriority::Critical,
        tripwire: true,
        run_in_parallel: false,
        depends_on: needs(phase).iter().map(|needed| rule_id(*needed).to_owned()).collect(),
        prompt_triggers,
        message: message(phase),
    }
}

fn message(phase: Phase) -> String {
    let number = phase.number();
    let needed: Vec<String> = needs(phase).iter().map(|needed| needed.number().to_string()).collect();
    match needed.as_slice() {
        [] => format!("Phase {number} must run before any action."),
        [only] => format!("Phase {number} must not start before phase {only} has completed."),
        several => {
            format!("Phase {number} must not start before phases {} have completed.", several.join(" and "))
        }
    }
}
