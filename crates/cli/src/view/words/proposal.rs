//! What is said of a plan that waits for a person.

use candor_model::{
    AgentCounts, BriefTask, ExecutionStrategy, HumanApprovalRequest, PlanAlternative, PlanEstimates,
    PlanVersion, Risk,
};
use candor_projections::format;
use candor_projections::words::plural;

use super::tokens;

pub(in crate::view) const TASKS: &str = "Tasks:";
pub(in crate::view) const RISKS: &str = "Risks:";
pub(in crate::view) const ALTERNATIVES: &str = "Alternatives:";
pub(in crate::view) const CHECKED_BY: &str = "Checked when it is done:";
pub(in crate::view) const REASONS: &str = "Please look at it:";

pub(in crate::view) fn plan_head(
    version: PlanVersion,
    strategy: Option<ExecutionStrategy>,
    request: &HumanApprovalRequest,
) -> String {
    let strategy = strategy.map(|strategy| format!(", strategy {strategy}")).unwrap_or_default();
    let confidence = format::confidence(request.confidence_score);
    format!("Plan version {version}{strategy}, confidence {confidence}")
}

pub(in crate::view) fn plan_agents(agents: &AgentCounts) -> String {
    let AgentCounts { total, parallel, sequential, models } = agents;
    let tiers = [(models.fast, "fast"), (models.balanced, "balanced"), (models.strong, "strong")];
    let tiers: Vec<String> =
        tiers.iter().filter(|(count, _)| *count > 0).map(|(count, tier)| format!("{count} {tier}")).collect();
    let tiers = if tiers.is_empty() { String::new() } else { format!("; {}", tiers.join(", ")) };
    format!("Agents: {total} ({parallel} parallel, {sequential} sequential{tiers})")
}

pub(in crate::view) fn plan_estimates(estimates: &PlanEstimates) -> String {
    format!("Estimated: {}", estimated(estimates))
}

fn estimated(estimates: &PlanEstimates) -> String {
    let PlanEstimates { tokens: count, cost, duration } = estimates;
    format!("{}, {}, {}", tokens(*count), format::money(*cost), format::duration(*duration))
}

pub(in crate::view) fn plan_task(number: usize, task: &BriefTask) -> String {
    let group = task.parallel_group.map(|group| format!(", group {group}")).unwrap_or_default();
    let needs: Vec<&str> = task.depends_on.iter().map(candor_model::TaskId::as_str).collect();
    let needs = if needs.is_empty() { String::new() } else { format!(", after {}", needs.join(", ")) };
    format!("{number}. {}: {} [{}{group}{needs}]", task.id, task.action, task.model)
}

pub(in crate::view) fn plan_risk(risk: &Risk) -> String {
    format!("{}: {} — {}", risk.level, risk.description, risk.mitigation)
}

pub(in crate::view) fn plan_alternative(alternative: &PlanAlternative, recommended: bool) -> String {
    let PlanAlternative { id, name, tradeoff, estimates } = alternative;
    let mark = if recommended { " (recommended)" } else { "" };
    let takes = if *estimates == PlanEstimates::default() {
        String::new()
    } else {
        format!(" ({})", estimated(estimates))
    };
    format!("{id} {name}{mark}: {tradeoff}{takes}")
}

pub(in crate::view) fn plan_reply(reply: &str) -> String {
    format!("Answer: {reply}")
}

pub(in crate::view) fn plan_round(round: u32) -> String {
    format!("Changed {} so far", plural(usize::try_from(round).unwrap_or(usize::MAX), "time"))
}

pub(in crate::view) fn plan_digest(digest: &str) -> String {
    format!("Digest {digest}: an answer is for this plan and no other")
}
