//! Tightening the parameters of the tasks that broke a constraint.
//!
//! Owns the search for contributors: which task stands for which part of the cost, judged by the words in
//! its outputs, its agent's name and its description. How tight a parameter becomes is for [`super::caps`].
//! Tasks that come after the violated check are left alone, and so is a task that several parts could claim.

use std::collections::BTreeSet;

use candor_model::{Money, ReplanStrategy, SubTask, TaskId};
use candor_text::{fold, singular};

use super::caps::{self, Overspend, SHARES, Share};
use crate::feedback::json_amount;
use crate::replan::{Answer, Draft, Failure, ReplanContext, affected};

/// Tightens what contributed to the violation and makes the violated check run again; nothing if nothing did.
pub(super) fn answer(
    draft: &mut Draft<'_>,
    failure: &Failure<'_>,
    context: &ReplanContext<'_>,
) -> Option<Answer> {
    let overspend = Overspend::read(failure.feedback, context.goal);
    let edits = edits(draft, failure, &overspend, context);
    if edits.is_empty() {
        return None;
    }
    let told: Vec<String> = edits.iter().map(Edit::to_string).collect();
    let change = format!("Adjust parameters: {}, because: {}", told.join(", "), failure.reason());
    for edit in edits {
        let mut task = edit.task;
        task.inputs.insert(edit.input.to_owned(), json_amount(edit.value));
        draft.modify(task);
    }
    draft.run_again(&failure.task.task_id);
    Some(Answer { strategy: ReplanStrategy::AdjustParameters, changes: vec![change] })
}

/// One input of one task and its new value.
struct Edit {
    task: SubTask,
    input: &'static str,
    value: Money,
}

impl std::fmt::Display for Edit {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} of task {} is now {}", self.input, self.task.task_id, self.value)
    }
}

/// The edits to what the violated check looked at; if that has no part in it, to the violated task itself.
fn edits(
    draft: &Draft<'_>,
    failure: &Failure<'_>,
    overspend: &Overspend,
    context: &ReplanContext<'_>,
) -> Vec<Edit> {
    let parts = cost_parts(overspend);
    let violated = draft.current(failure.task);
    let edits = edits_to(&earlier_tasks(draft, &violated.task_id), &parts, overspend, context);
    if edits.is_empty() { edits_to(&[&violated], &parts, overspend, context) } else { edits }
}

/// The edits by the table of shares; without any, those in proportion to the largest parts of the cost.
fn edits_to(
    tasks: &[&SubTask],
    parts: &[CostPart],
    overspend: &Overspend,
    context: &ReplanContext<'_>,
) -> Vec<Edit> {
    let claimed: Vec<_> = tasks.iter().filter_map(|&task| Some((task, claimant(task, parts)?))).collect();
    let edits_where = |wanted: fn(&CostPart) -> bool| -> Vec<Edit> {
        let chosen = claimed.iter().filter(|(_, part)| wanted(part));
        chosen.filter_map(|&(task, part)| edit(task, part, overspend, context)).collect()
    };
    let by_share = edits_where(|part| part.share.is_some());
    if by_share.is_empty() { edits_where(|part| part.is_large) } else { by_share }
}

fn edit(task: &SubTask, part: &CostPart, overspend: &Overspend, context: &ReplanContext<'_>) -> Option<Edit> {
    let (input, value) = caps::cap(task, overspend, part.share, part.reported, context.goal)?;
    Some(Edit { task: task.clone(), input, value })
}

/// The tasks whose results the violated check may have looked at.
fn earlier_tasks<'d>(draft: &'d Draft<'_>, violated: &TaskId) -> Vec<&'d SubTask> {
    let later = affected(&draft.snapshot(), &BTreeSet::from([violated.clone()]));
    let earlier = draft.tasks().enumerate().filter(|(position, _)| !later.contains(position));
    earlier.map(|(_, task)| task).filter(|task| task.task_id != *violated).collect()
}

/// A part of the cost, by the table or by the breakdown.
struct CostPart {
    words: Vec<String>,
    share: Option<&'static Share>,
    reported: Option<Money>,
    /// Whether it costs at least as much as the parts do on average.
    is_large: bool,
}

/// With a breakdown, its parts; without one, those of the table.
fn cost_parts(overspend: &Overspend) -> Vec<CostPart> {
    if overspend.parts.is_empty() {
        return SHARES.iter().map(|share| CostPart::new(words_of(share), Some(share), None, false)).collect();
    }
    let sum: Money = overspend.parts.iter().map(|(_, amount)| *amount).sum();
    let count = overspend.parts.len() as u64;
    let part = |(name, amount): &(String, Money)| {
        let own = words(name);
        let share = SHARES.iter().find(|share| own.iter().any(|word| share.words.contains(&word.as_str())));
        let is_large = amount.micros().saturating_mul(count) >= sum.micros();
        CostPart::new(share.map_or(own, words_of), share, Some(*amount), is_large)
    };
    overspend.parts.iter().map(part).collect()
}

impl CostPart {
    fn new(
        words: Vec<String>,
        share: Option<&'static Share>,
        reported: Option<Money>,
        is_large: bool,
    ) -> Self {
        Self { words, share, reported, is_large }
    }

    /// How clearly the task is about this part: what it gives and who does it say more than how it is put.
    fn claim(&self, task: &SubTask) -> u32 {
        let named = |text: &str| words(text).iter().any(|word| self.words.contains(word));
        let outputs = task.expected_outputs.iter().any(|output| named(output));
        let agent = !task.agent_type.is_tbd() && named(task.agent_type.as_str());
        2 * u32::from(outputs) + 2 * u32::from(agent) + u32::from(named(task.description.as_str()))
    }
}

/// The part that has the clearest claim to the task; none if two have the same.
fn claimant<'p>(task: &SubTask, parts: &'p [CostPart]) -> Option<&'p CostPart> {
    let claims: Vec<(u32, &CostPart)> = parts.iter().map(|part| (part.claim(task), part)).collect();
    let best = claims.iter().map(|(claim, _)| *claim).max().filter(|&claim| claim > 0)?;
    let mut best = claims.into_iter().filter(|(claim, _)| *claim == best);
    let (_, part) = best.next()?;
    best.next().is_none().then_some(part)
}

fn words_of(share: &Share) -> Vec<String> {
    share.words.iter().map(|&word| word.to_owned()).collect()
}

/// The words of a text as the table of shares has them.
fn words(text: &str) -> Vec<String> {
    candor_text::words(text).map(|word| singular(&fold(word))).collect()
}
