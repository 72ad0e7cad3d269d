//! What is said of a plan that waits for a person.

use candor_model::{
    AgentCounts, BriefTask, ExecutionStrategy, HumanApprovalRequest, PlanAlternative, PlanBrief,
    PlanEstimates, PlanVersion, Risk,
};
use candor_planning::texts::{self, agent_name};
use candor_projections::format;
use candor_projections::words::plural;

pub(in crate::view) const RISKS: &str = "Risks:";
pub(in crate::view) const ALTERNATIVES: &str = "Alternatives:";
pub(in crate::view) const CHECKED_BY: &str = "Checked at the end:";
pub(in crate::view) const REASONS: &str = "Why you are asked:";

pub(in crate::view) fn plan_head(
    version: PlanVersion,
    strategy: Option<ExecutionStrategy>,
    request: &HumanApprovalRequest,
) -> String {
    let strategy = strategy.map(|strategy| format!(", strategy {strategy}")).unwrap_or_default();
    let confidence = format::confidence(request.confidence_score);
    format!("Plan version {version}{strategy}, confidence {confidence}")
}

/// Who works on the plan, each once; of an old log, how many were proposed.
pub(in crate::view) fn plan_agents(brief: &PlanBrief) -> String {
    let mut agents: Vec<String> =
        brief.subtasks.iter().flat_map(|task| &task.agent).map(agent_name).collect();
    agents.sort_unstable();
    agents.dedup();
    if !agents.is_empty() {
        let tasks = texts::side_by_side(brief);
        return format!("Agents: {} ({}); {tasks}", agents.len(), agents.join(", "));
    }
    let AgentCounts { total, parallel, sequential, models } = &brief.agents;
    let tiers = [(models.fast, "fast"), (models.balanced, "balanced"), (models.strong, "strong")];
    let tiers: Vec<String> =
        tiers.iter().filter(|(count, _)| *count > 0).map(|(count, tier)| format!("{count} {tier}")).collect();
    let tiers = if tiers.is_empty() { String::new() } else { format!("; {}", tiers.join(", ")) };
    format!("Agents: {total} ({parallel} parallel, {sequential} sequential{tiers})")
}

/// What it takes as far as it is known; nothing if nothing is.
pub(in crate::view) fn plan_estimates(estimates: &PlanEstimates) -> Option<String> {
    let by_price = || estimates.cost.map(|cost| format!("{} by the agents' prices", format::money(cost)));
    let cost = estimates.measured_cost.map(texts::measured_cost).or_else(by_price);
    let stated = || estimates.duration.map(|time| format!("{}, stated in the plan", format::duration(time)));
    let time = estimates.measured.map(texts::measured).or_else(stated);
    let tokens = estimates.measured_tokens.map(texts::measured_tokens);
    let known: Vec<String> = time.into_iter().chain(cost).chain(tokens).collect();
    (!known.is_empty()).then(|| format!("Takes: {}", known.join("; ")))
}

/// The head of the table of tasks.
pub(in crate::view) fn plan_columns() -> [String; 4] {
    ["Task", "Action", "Agent", "After"].map(str::to_owned)
}

/// A task in that table: its agent, or the tier of the model that does it.
pub(in crate::view) fn plan_row(task: &BriefTask) -> [String; 4] {
    let agent = task.agent.as_ref().map(agent_name).or_else(|| task.model.map(|tier| tier.to_string()));
    let needs: Vec<&str> = task.depends_on.iter().map(candor_model::TaskId::as_str).collect();
    [task.id.to_string(), task.action.clone(), agent.unwrap_or_default(), needs.join(", ")]
}

pub(in crate::view) fn plan_risk(risk: &Risk) -> String {
    format!("{}: {} — {}", risk.level, risk.description, risk.mitigation)
}

pub(in crate::view) fn plan_alternative(alternative: &PlanAlternative, recommended: bool) -> String {
    let PlanAlternative { id, name, tradeoff, estimates } = alternative;
    let mark = if recommended { " (recommended)" } else { "" };
    let takes = estimates.measured.map(|time| format!(" ({})", texts::measured(time))).unwrap_or_default();
    format!("{id} {name}{mark}: {tradeoff}{takes}")
}

pub(in crate::view) fn plan_reply(reply: &str) -> String {
    format!("Answer: {reply}")
}

pub(in crate::view) fn plan_round(round: u32) -> String {
    format!("Changed {} so far", plural(usize::try_from(round).unwrap_or(usize::MAX), "time"))
}

pub(in crate::view) fn plan_digest(digest: &str) -> String {
    format!("Digest {digest}: an answer is for this plan only")
}
