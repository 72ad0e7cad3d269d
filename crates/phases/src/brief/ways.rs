//! The ways that were offered, as programs get them.

use candor_model::{Alternative, PlanBrief, Seconds};

/// Every way but the plan as it is.
pub(crate) fn all_alternatives(brief: &PlanBrief) -> Vec<Alternative> {
    let others = brief.alternatives.iter().filter(|other| other.id != brief.recommendation);
    let alternative = |other: &candor_model::PlanAlternative| Alternative {
        name: other.name.clone(),
        description: format!("Alternative {}: {}", other.id, other.name),
        estimated_cost: other.estimates.cost,
        estimated_seconds: other.estimates.duration.map(Seconds::get),
        trade_off: other.tradeoff.clone(),
    };
    others.map(alternative).collect()
}
