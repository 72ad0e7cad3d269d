//! What the pack of a goal adds to its plan: categories, and the rules that hold for it.

use std::sync::Arc;

use candor_model::{Goal, Plan};
use candor_planning::completeness::{self, CATEGORY_KEY};

use super::super::evaluation::slots_of;
use super::super::{Phases, decomposition};
use crate::{Pack, PhaseContext};

/// The pack whose knowledge holds for the plan. A supplied plan is its author's own.
pub(super) fn pack<'p>(phases: &'p Phases, cx: &PhaseContext<'_>, goal: &Goal) -> Option<&'p Pack> {
    let supplied = cx.material.is_some_and(|material| material.plan.is_some());
    if supplied { None } else { phases.pack(&goal.goal_type) }
}

/// Records with the plan what the pack says about recovery, the budget and the report. A plan that has such rules
/// already came with them.
pub(super) fn record_rules(phases: &Phases, cx: &PhaseContext<'_>, goal: &Goal, plan: &mut Plan) {
    let Some(pack) = pack(phases, cx, goal) else { return };
    for task in plan.subtasks.iter_mut().filter(|task| !task.metadata.other.contains_key(CATEGORY_KEY)) {
        if let Some(category) = completeness::category_of(task, &pack.categories) {
            task.metadata.other.insert(CATEGORY_KEY.to_owned(), category.into());
        }
    }
    let rules = || pack.rules(&slots_of(&decomposition::extracted(cx))).map(Arc::new);
    plan.metadata.pack_rules = plan.metadata.pack_rules.take().or_else(rules);
}
