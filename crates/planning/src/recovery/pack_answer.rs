//! Recovery by the rules of the plan's pack: its budget rule first, then its recovery rules.

use candor_model::{PackRules, ReplanStrategy};

use super::budget_rule::{self, Cap, Fit};
use super::pack_rules::{self, Case, RuleChange};
use crate::replan::lineage::{self, WORKAROUND};
use crate::replan::{Answer, Draft, Failure, ReplanContext};

/// What the pack's rules change; nothing if none applies.
pub(super) fn answer(
    draft: &mut Draft<'_>,
    failure: &Failure<'_>,
    context: &ReplanContext<'_>,
) -> Option<Answer> {
    let plan = draft.plan();
    let rules = plan.metadata.pack_rules.as_deref()?;
    let (task, feedback) = (failure.task, failure.feedback);
    let case = Case { plan, task, feedback, reports: context.reports, goal: context.goal };
    match rules.budget.as_ref().and_then(|rule| budget_rule::fit(rule, &case)) {
        Some(Fit::Caps(caps)) => Some(capped(draft, failure, caps)),
        Some(Fit::Nothing(_)) | None => by_rule(draft, failure, rules, &case),
    }
}

/// Caps the prices and makes the violated check run again.
fn capped(draft: &mut Draft<'_>, failure: &Failure<'_>, caps: Vec<Cap>) -> Answer {
    let told: Vec<String> = caps.iter().map(Cap::to_string).collect();
    let change = format!("Adjust parameters: {}, because: {}", told.join(", "), failure.reason());
    for cap in caps {
        if let Some(task) = draft.original(&cap.task_id) {
            let mut task = draft.current(task);
            task.inputs.insert(cap.input, cap.value);
            draft.modify(task);
        }
    }
    draft.run_again(&failure.task.task_id);
    Answer { strategy: ReplanStrategy::AdjustParameters, changes: vec![change] }
}

fn by_rule(
    draft: &mut Draft<'_>,
    failure: &Failure<'_>,
    rules: &PackRules,
    case: &Case<'_>,
) -> Option<Answer> {
    let change = pack_rules::apply(rules, case)?;
    draft.use_rule(change.used.clone());
    Some(if change.task_id == failure.task.task_id {
        replaced(draft, failure, change)
    } else {
        changed_before(draft, failure, change)
    })
}

/// The failed task with other inputs takes its own place, with the same agent: it is the one that understands them.
fn replaced(draft: &mut Draft<'_>, failure: &Failure<'_>, change: RuleChange) -> Answer {
    let task = draft.current(failure.task);
    let id = draft.fresh_id(&lineage::stem(&task), WORKAROUND);
    let (old, told, reason) = (&task.task_id, change.told, failure.reason());
    let told = format!("Use workaround {id} for task {old}: {told}, because: {reason}");
    let mut next = lineage::successor(&task, id);
    next.inputs = change.inputs;
    next.description = change.description.unwrap_or(next.description);
    draft.replace(&task.task_id, vec![next]);
    Answer { strategy: ReplanStrategy::FindWorkaround, changes: vec![told] }
}

/// A task before the failed one is done again with other inputs, and then the failed one.
fn changed_before(draft: &mut Draft<'_>, failure: &Failure<'_>, change: RuleChange) -> Answer {
    let (id, told, reason) = (&change.task_id, &change.told, failure.reason());
    let told = format!("Adjust parameters of task {id}: {told}, because: {reason}");
    if let Some(task) = draft.original(id) {
        let mut task = draft.current(task);
        task.inputs = change.inputs;
        task.description = change.description.unwrap_or(task.description);
        draft.modify(task);
    }
    draft.run_again(&failure.task.task_id);
    Answer { strategy: ReplanStrategy::AdjustParameters, changes: vec![told] }
}
