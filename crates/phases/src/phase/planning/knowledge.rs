//! What the pack of a goal adds to its plan: tasks for what it lacks, categories, and the rules that hold for it.

use std::sync::Arc;

use candor_model::{Goal, Plan, SubTask};
use candor_planning::completeness::{self, CATEGORY_KEY, Category, CategoryTask};
use candor_planning::slots::Slots;

use super::super::{Phases, decomposition, stated_kind};
use crate::pack::TaskTemplate;
use crate::{Pack, PhaseContext};

/// The pack whose knowledge holds for the plan. A supplied plan is its author's own, unless they say what kind of
/// goal it is for.
pub(super) fn pack<'p>(phases: &'p Phases, cx: &PhaseContext<'_>, goal: &Goal) -> Option<&'p Pack> {
    let supplied = cx.material.is_some_and(|material| material.plan.is_some());
    if supplied { phases.pack(stated_kind(cx)?) } else { phases.pack(&goal.goal_type) }
}

/// What a plan for this kind of goal must cover, each with the task that the pack's template has for it.
pub(super) fn categories(phases: &Phases, cx: &PhaseContext<'_>, goal: &Goal) -> Vec<Category> {
    let Some(pack) = pack(phases, cx, goal) else { return Vec::new() };
    let slots = decomposition::slots(pack, cx);
    let mut all = pack.categories.clone();
    for category in &mut all {
        let template = pack.tasks.iter().find(|task| task.category == category.name);
        let usual = || template.and_then(|template| usual_task(template, &slots));
        category.task = category.task.take().or_else(usual);
    }
    all
}

fn usual_task(template: &TaskTemplate, slots: &Slots) -> Option<CategoryTask> {
    let SubTask {
        description, inputs, expected_outputs, priority, estimated_duration_seconds, metadata, ..
    } = decomposition::filled(template, 1, slots, &[])?;
    Some(CategoryTask {
        description,
        name: metadata.name,
        depends_on_category: template.needs.clone(),
        inputs,
        expected_outputs,
        priority,
        estimated_duration_seconds,
    })
}

/// Adds the tasks that the plan lacks, and says which.
pub(super) fn complete(phases: &Phases, cx: &PhaseContext<'_>, goal: &Goal, plan: &mut Plan) -> Vec<String> {
    let (tasks, added) = completeness::add_missing(&plan.subtasks, &categories(phases, cx, goal));
    plan.subtasks = tasks;
    added
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
    let rules = || pack.rules(&decomposition::slots(pack, cx)).map(Arc::new);
    plan.metadata.pack_rules = plan.metadata.pack_rules.take().or_else(rules);
}
