//! Lower prices of the parts that made the whole too dear.
//!
//! Applies where a check says what each part of the whole costs, and tasks that the check depends on are clearly about
//! the large ones: their prices are capped in proportion to the overage, and they and the check are done again. What a
//! domain knows beyond that is for the rules of its pack.

use std::collections::BTreeSet;

use candor_model::{ExecutionFeedback, Money, ReplanStrategy, SubTask, TaskId};
use candor_text::{fold, singular};

use crate::feedback::{BudgetCheck, json_amount, read_amount};
use crate::graph::TaskGraph;
use crate::replan::{Answer, Draft, Failure};

/// The input that caps a price.
const MAX_PRICE: &str = "max_price";
/// Prices of a dollar and more are capped at whole cents.
const CENT: u64 = 10_000;
const DOLLAR: u64 = 1_000_000;

/// Caps what contributed to the violation and makes the violated check run again; nothing if it is not known.
pub(super) fn answer(draft: &mut Draft<'_>, failure: &Failure<'_>) -> Option<Answer> {
    let overspend = Overspend::read(failure.feedback)?;
    let before = tasks_before(draft, &failure.task.task_id);
    let edits: Vec<(SubTask, Money)> =
        before.into_iter().filter_map(|task| Some((task.clone(), overspend.cap(task)?))).collect();
    if edits.is_empty() {
        return None;
    }
    let told = edits.iter().map(|(task, cap)| format!("{MAX_PRICE} of task {} is now {cap}", task.task_id));
    let told = told.collect::<Vec<_>>().join(", ");
    for (mut task, cap) in edits {
        task.inputs.insert(MAX_PRICE.to_owned(), json_amount(cap));
        draft.modify(task);
    }
    draft.run_again(&failure.task.task_id);
    let change = format!("Adjust parameters: {told}, because: {}", failure.reason());
    Some(Answer { strategy: ReplanStrategy::AdjustParameters, changes: vec![change] })
}

/// The tasks whose results the violated check looked at: another price elsewhere would not change what it found.
fn tasks_before<'d>(draft: &'d Draft<'_>, violated: &TaskId) -> Vec<&'d SubTask> {
    let snapshot = draft.snapshot();
    let graph = TaskGraph::new(&snapshot);
    let mut found = BTreeSet::new();
    let mut open: Vec<_> = graph.index_of(violated).into_iter().collect();
    while let Some(index) = open.pop() {
        open.extend(graph.dependencies(index).iter().filter(|&&before| found.insert(before.as_usize())));
    }
    draft.tasks().enumerate().filter(|(place, _)| found.contains(place)).map(|(_, task)| task).collect()
}

/// What was spent on what, and what may be spent in all.
struct Overspend {
    total: Money,
    budget: Money,
    /// The words of each large part, and what it costs.
    parts: Vec<(Vec<String>, Money)>,
}

impl Overspend {
    /// The amounts that the check reports; nothing if it does not say what the parts cost.
    fn read(feedback: &ExecutionFeedback) -> Option<Self> {
        let check = BudgetCheck::read(&feedback.actual_outputs);
        let (total, budget) = (check.total?, check.budget?);
        let sum: Money = check.parts.iter().map(|(_, amount)| *amount).sum();
        let count = check.parts.len() as u64;
        // Those that cost at least as much as the parts do on average.
        let large = |amount: Money| amount.micros().saturating_mul(count) >= sum.micros();
        let parts = check.parts.iter().filter(|(_, amount)| large(*amount));
        let parts: Vec<_> = parts.map(|(name, amount)| (words(name), *amount)).collect();
        (budget < total && !parts.is_empty()).then_some(Self { total, budget, parts })
    }

    /// The price that a task may find; nothing if it is not clearly about one large part, or cannot be capped lower.
    fn cap(&self, task: &SubTask) -> Option<Money> {
        let (_, reported) = self.part_of(task)?;
        let before = task.inputs.get(MAX_PRICE).and_then(read_amount);
        let cap = self.scaled(*reported);
        let cap = match before {
            Some(before) if before <= cap => self.scaled(before),
            _ => cap,
        };
        let cap = rounded_down(cap);
        (cap > Money::ZERO && Some(cap) != before).then_some(cap)
    }

    /// The part that has the clearest claim to the task; none if two have the same.
    fn part_of(&self, task: &SubTask) -> Option<&(Vec<String>, Money)> {
        let claims = || self.parts.iter().map(|part| (claim(&part.0, task), part));
        let best = claims().map(|(claim, _)| claim).max().filter(|&claim| claim > 0)?;
        let mut best = claims().filter(|(claim, _)| *claim == best);
        let (_, part) = best.next()?;
        best.next().is_none().then_some(part)
    }

    /// The price, made smaller by the factor by which the whole was too dear.
    fn scaled(&self, price: Money) -> Money {
        let (budget, total) = (u128::from(self.budget.micros()), u128::from(self.total.micros().max(1)));
        let scaled = u128::from(price.micros()) * budget / total;
        Money::from_micros(u64::try_from(scaled).unwrap_or(u64::MAX))
    }
}

/// How clearly the task is about a part: what it gives and who does it say more than how it is put.
fn claim(part: &[String], task: &SubTask) -> u32 {
    let named = |text: &str| words(text).iter().any(|word| part.contains(word));
    let outputs = task.expected_outputs.iter().any(|output| named(output));
    let agent = !task.agent_type.is_tbd() && named(task.agent_type.as_str());
    2 * u32::from(outputs) + 2 * u32::from(agent) + u32::from(named(task.description.as_str()))
}

/// The words of a text, folded and in the singular.
fn words(text: &str) -> Vec<String> {
    candor_text::words(text).map(|word| singular(&fold(word)).into_owned()).collect()
}

fn rounded_down(amount: Money) -> Money {
    let micros = amount.micros();
    if micros < DOLLAR { amount } else { Money::from_micros(micros / CENT * CENT) }
}
