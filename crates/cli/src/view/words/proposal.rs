//! What is said of a plan that waits for a person.

use candor_model::{
    AgentCounts, BriefTask, ExecutionStrategy, HumanApprovalRequest, PlanAlternative, PlanBrief,
    PlanEstimates, PlanVersion, Risk,
};
use candor_planning::texts::{self, agent_name};
use candor_projections::format;

use super::{plural, told};
use crate::lang::Text;

pub(in crate::view) const RISKS: Text = Text::new("Risks:", "Riesgos:");
pub(in crate::view) const ALTERNATIVES: Text = Text::new("Alternatives:", "Alternativas:");
pub(in crate::view) const CHECKED_BY: Text = Text::new("Checked at the end:", "Se comprueba al final:");
pub(in crate::view) const REASONS: Text = Text::new("Why you are asked:", "Por qué se pregunta:");

pub(in crate::view) fn plan_head(
    version: PlanVersion,
    strategy: Option<ExecutionStrategy>,
    request: &HumanApprovalRequest,
) -> String {
    let strategy = strategy
        .map(|it| told(it.as_str()))
        .map(|it| say!(", strategy {it}", ", estrategia {it}"))
        .unwrap_or_default();
    let confidence = format::confidence(request.confidence_score);
    say!(
        "Plan version {version}{strategy}, confidence {confidence}",
        "Plan versión {version}{strategy}, confianza {confidence}"
    )
}

/// Who works on the plan, each once; of an old log, how many were proposed.
pub(in crate::view) fn plan_agents(brief: &PlanBrief) -> String {
    let mut agents: Vec<String> =
        brief.subtasks.iter().flat_map(|task| &task.agent).map(agent_name).collect();
    agents.sort_unstable();
    agents.dedup();
    if !agents.is_empty() {
        let tasks = told(&texts::side_by_side(brief));
        return say!(
            "Agents: {} ({}); {tasks}",
            "Agentes: {} ({}); {tasks}",
            agents.len(),
            agents.join(", ")
        );
    }
    let AgentCounts { total, parallel, sequential, models } = &brief.agents;
    let tiers = [
        (models.fast, word!("fast", "rápidos")),
        (models.balanced, word!("balanced", "equilibrados")),
        (models.strong, word!("strong", "potentes")),
    ];
    let tiers: Vec<String> =
        tiers.iter().filter(|(count, _)| *count > 0).map(|(count, tier)| format!("{count} {tier}")).collect();
    let tiers = if tiers.is_empty() { String::new() } else { format!("; {}", tiers.join(", ")) };
    say!(
        "Agents: {total} ({parallel} parallel, {sequential} sequential{tiers})",
        "Agentes: {total} ({parallel} en paralelo, {sequential} en secuencia{tiers})"
    )
}

/// What it takes as far as it is known; nothing if nothing is.
pub(in crate::view) fn plan_estimates(estimates: &PlanEstimates) -> Option<String> {
    let by_price = || {
        estimates.cost.map(|cost| {
            say!("{} by the agents' prices", "{} según los precios de los agentes", format::money(cost))
        })
    };
    let cost = estimates.measured_cost.map(|cost| told(&texts::measured_cost(cost))).or_else(by_price);
    let stated = || {
        estimates
            .duration
            .map(|time| say!("{}, stated in the plan", "{}, según el plan", format::duration(time)))
    };
    let time = estimates.measured.map(|time| told(&texts::measured(time))).or_else(stated);
    let tokens = estimates.measured_tokens.map(|tokens| told(&texts::measured_tokens(tokens)));
    let known: Vec<String> = time.into_iter().chain(cost).chain(tokens).collect();
    (!known.is_empty()).then(|| say!("Takes: {}", "Requiere: {}", known.join("; ")))
}

/// The head of the table of tasks.
pub(in crate::view) fn plan_columns() -> [String; 4] {
    [
        word!("Task", "Tarea"),
        word!("Action", "Acción"),
        word!("Agent", "Agente"),
        word!("After", "Después de"),
    ]
    .map(str::to_owned)
}

/// A task in that table: its agent, or the tier of the model that does it.
pub(in crate::view) fn plan_row(task: &BriefTask) -> [String; 4] {
    let agent = task.agent.as_ref().map(agent_name).or_else(|| task.model.map(|tier| tier.to_string()));
    let needs: Vec<&str> = task.depends_on.iter().map(candor_model::TaskId::as_str).collect();
    [task.id.to_string(), task.action.clone(), agent.unwrap_or_default(), needs.join(", ")]
}

pub(in crate::view) fn plan_risk(risk: &Risk) -> String {
    format!("{}: {} — {}", told(risk.level.as_str()), risk.description, risk.mitigation)
}

pub(in crate::view) fn plan_alternative(alternative: &PlanAlternative, recommended: bool) -> String {
    let PlanAlternative { id, name, tradeoff, estimates } = alternative;
    let mark = if recommended { word!(" (recommended)", " (recomendada)") } else { "" };
    let takes =
        estimates.measured.map(|time| format!(" ({})", told(&texts::measured(time)))).unwrap_or_default();
    format!("{id} {name}{mark}: {tradeoff}{takes}")
}

pub(in crate::view) fn plan_reply(reply: &str) -> String {
    say!("Answer: {reply}", "Respuesta: {reply}")
}

pub(in crate::view) fn plan_round(round: u32) -> String {
    say!(
        "Changed {} so far",
        "Cambiado {} hasta ahora",
        plural(usize::try_from(round).unwrap_or(usize::MAX), word!("time", "vez"))
    )
}

pub(in crate::view) fn plan_digest(digest: &str) -> String {
    say!(
        "Digest {digest}: an answer is for this plan only",
        "Resumen {digest}: una respuesta vale solo para este plan"
    )
}
