//! What may cost less when the whole costs too much, computed from the offers at hand.
//!
//! A pack names the parts that may give, where their offers are listed and which input caps each. First its
//! preferred shares are tried, as long as something is on offer for them. Otherwise the combination of offers that
//! fits and that the agents rank best is chosen. Only tasks whose choice changes are touched. When no combination
//! fits, the cheapest one is named: that is what the person has to know.

use std::collections::BTreeMap;

use candor_model::{BudgetPart, BudgetRule, FeedbackType, JsonMap, Money, SubTask, TaskId};
use serde_json::Value;

use super::pack_rules::{Case, outputs, task_of};
use crate::feedback::{BudgetCheck, amount_text, currency_of, first_amount, json_amount, read_amount};

/// How many offers of a part are looked at; agents list the best first.
const MOST_OFFERS: usize = 100;

/// How the whole can be made to fit.
#[derive(Debug, Clone, PartialEq)]
pub enum Fit {
    /// Caps under which what is on offer fits the budget.
    Caps(Vec<Cap>),
    /// Not with what is on offer; in words, with the cheapest total and the offers that make it.
    Nothing(String),
}

/// An input that caps the price of a task, and its new value.
#[derive(Debug, Clone, PartialEq)]
pub struct Cap {
    /// Task whose input is capped.
    pub task_id: TaskId,
    /// Key among the task's inputs.
    pub input: String,
    /// Amount, as JSON.
    pub value: Value,
    /// The offer that it is meant for, if one was chosen.
    pub offer: Option<String>,
}

impl std::fmt::Display for Cap {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} of task {} is now {}", self.input, self.task_id, self.value)?;
        match &self.offer {
            Some(offer) => write!(formatter, " ({offer})"),
            None => Ok(()),
        }
    }
}

/// How to keep to the budget; nothing if this failure is not about a budget or no part of it may give.
#[must_use]
pub fn fit(rule: &BudgetRule, case: &Case<'_>) -> Option<Fit> {
    if case.feedback.feedback_type != FeedbackType::ConstraintViolation {
        return None;
    }
    let whole = Whole::of(rule, case)?;
    if let Some(caps) = whole.by_shares().filter(|caps| !caps.is_empty()) {
        return Some(Fit::Caps(caps));
    }
    if whole.parts.iter().all(|part| part.offers.is_empty()) {
        return None;
    }
    match whole.best() {
        Some(picks) => Some(Fit::Caps(whole.caps_of(&picks))).filter(|fit| *fit != Fit::Caps(Vec::new())),
        None => Some(Fit::Nothing(whole.cheapest_text(case))),
    }
}

/// The costs that broke the budget.
struct Whole<'a> {
    budget: Money,
    total: Option<Money>,
    /// What is spent beside the parts that may give.
    fixed: Money,
    parts: Vec<Part<'a>>,
}

/// A part that may give, with its task and offers.
struct Part<'a> {
    rule: &'a BudgetPart,
    task: &'a SubTask,
    offers: Vec<Offer<'a>>,
    /// What it costs now.
    current: Option<Money>,
}

/// An offer with what it costs in all.
struct Offer<'a> {
    fields: &'a JsonMap,
    price: Money,
}

impl<'a> Whole<'a> {
    fn of(rule: &'a BudgetRule, case: &Case<'a>) -> Option<Self> {
        let check = BudgetCheck::read(&case.feedback.actual_outputs);
        let wanted = || first_amount(case.goal?.constraint("budget")?.value.as_str());
        let asked = || case.task.inputs.get("budget").and_then(read_amount);
        let budget = check.budget.or_else(asked).or_else(wanted)?;
        let parts: Vec<Part<'a>> =
            rule.parts.iter().filter_map(|part| Part::of(part, case, &check)).collect();
        let given: Money = parts.iter().filter_map(|part| part.current).sum();
        let fixed = check.total.map_or(Money::ZERO, |total| total.saturating_sub(given));
        (!parts.is_empty()).then_some(Self { budget, total: check.total, fixed, parts })
    }

    /// The caps by the pack's shares; nothing if that leaves a part without an offer or does not fit.
    fn by_shares(&self) -> Option<Vec<Cap>> {
        let mut caps = Vec::new();
        let mut sum = self.fixed;
        for part in &self.parts {
            let Some(cap) = part.cap_by_share(self) else {
                sum = sum + part.current.unwrap_or_default();
                continue;
            };
            if !part.offers.is_empty() {
                let fits = |offer: &&Offer<'_>| part.field(offer).is_some_and(|field| field <= cap);
                sum = sum + part.offers.iter().find(fits)?.price;
            }
            if part.capped() != Some(cap) {
                caps.push(part.cap(json_amount(cap), None));
            }
        }
        (sum <= self.budget).then_some(caps)
    }

    /// The offer of each part in the combination that fits and has the best ranks; the cheaper one of two.
    fn best(&self) -> Option<Vec<usize>> {
        let fits = |(_, (sum, _)): &(_, (Money, Vec<usize>))| self.fixed + *sum <= self.budget;
        self.combinations().into_iter().find(fits).map(|(_, (_, picks))| picks)
    }

    /// For each sum of ranks the cheapest combination. More is not needed: among equal ranks the cheapest fits
    /// if any does.
    fn combinations(&self) -> BTreeMap<usize, (Money, Vec<usize>)> {
        let mut best = BTreeMap::from([(0, (Money::ZERO, Vec::new()))]);
        for part in &self.parts {
            let mut next: BTreeMap<usize, (Money, Vec<usize>)> = BTreeMap::new();
            for (ranks, (sum, picks)) in &best {
                for (rank, price) in part.choices() {
                    let sum = *sum + price;
                    let known = next.get(&(ranks + rank)).is_some_and(|(known, _)| *known <= sum);
                    if !known {
                        let picks = picks.iter().copied().chain([rank]).collect();
                        next.insert(ranks + rank, (sum, picks));
                    }
                }
            }
            best = next;
        }
        best
    }

    /// What has to change for these offers to be chosen.
    fn caps_of(&self, picks: &[usize]) -> Vec<Cap> {
        let chosen = self.parts.iter().zip(picks).filter(|(_, pick)| **pick > 0);
        let caps = chosen.filter_map(|(part, &pick)| {
            let offer = part.offers.get(pick)?;
            Some(part.cap(json_amount(part.field(offer)?), part.label(offer)))
        });
        caps.collect()
    }

    fn cheapest_text(&self, case: &Case<'_>) -> String {
        let currency = case.goal.and_then(currency_of);
        let shown = |amount: Money| amount_text(amount, currency);
        let cheapest: Vec<(Option<String>, Money)> = self.parts.iter().filter_map(Part::cheapest).collect();
        let total = self.fixed + cheapest.iter().map(|(_, price)| *price).sum::<Money>();
        let named = cheapest.iter().map(|(label, price)| match label {
            Some(label) => format!("{label} {price}"),
            None => price.to_string(),
        });
        let rest = (!self.fixed.is_zero()).then(|| format!("all else {}", self.fixed));
        let offers: Vec<String> = named.chain(rest).collect();
        let (budget, total) = (shown(self.budget), shown(total));
        format!("Nothing on offer fits {budget}: the cheapest total is {total} ({})", offers.join(", "))
    }
}

impl<'a> Part<'a> {
    fn of(rule: &'a BudgetPart, case: &Case<'a>, check: &BudgetCheck) -> Option<Self> {
        let task = task_of(case, &rule.category)?;
        let listed =
            outputs(case.reports, &task.task_id).and_then(|found| found.get(&rule.offers)?.as_array());
        let offer = |value: &'a Value| {
            let fields = value.as_object()?;
            Some(Offer { fields, price: read_amount(fields.get(&rule.price)?)? })
        };
        let offers = listed.into_iter().flatten().filter_map(offer).take(MOST_OFFERS).collect();
        let named = rule.breakdown.as_deref().unwrap_or(&rule.category);
        let reported = check.parts.iter().find(|(name, _)| name.eq_ignore_ascii_case(named));
        let mut part = Self { rule, task, offers, current: reported.map(|(_, amount)| *amount) };
        part.current = part.current.or_else(|| Some(part.offers.first()?.price));
        // An offer that the cap cannot be compared with cannot be chosen by one.
        part.offers = std::mem::take(&mut part.offers)
            .into_iter()
            .filter(|offer| part.field(offer).is_some())
            .collect();
        Some(part)
    }

    /// The ranks and prices to choose from; what has no offers costs what it costs.
    fn choices(&self) -> Vec<(usize, Money)> {
        match self.offers.as_slice() {
            [] => vec![(0, self.current.unwrap_or_default())],
            offers => offers.iter().enumerate().map(|(rank, offer)| (rank, offer.price)).collect(),
        }
    }

    fn cheapest(&self) -> Option<(Option<String>, Money)> {
        match self.offers.iter().min_by_key(|offer| offer.price) {
            Some(offer) => Some((self.label(offer), offer.price)),
            None => Some((None, self.current?)),
        }
    }

    /// The smaller of what its share of the budget allows and what it costs now less the overage; if it is capped
    /// lower already, that cap less the overage.
    fn cap_by_share(&self, whole: &Whole<'_>) -> Option<Money> {
        let share = self.rule.share.as_ref()?.get();
        let by_share = scaled(whole.budget, share);
        let overage = whole.total.filter(|total| *total > whole.budget);
        let cut = overage.map_or(0.9, |total| whole.budget.as_dollars() / total.as_dollars());
        let by_price = self.current.map(|current| scaled(current, cut));
        let allowed = by_price.map_or(by_share, |price| price.min(by_share));
        let per_unit = scaled(allowed, 1.0 / self.units()?);
        let cap = match self.capped() {
            Some(before) if before <= per_unit => scaled(before, cut),
            _ => per_unit,
        };
        Some(rounded_down(cap)).filter(|cap| !cap.is_zero())
    }

    /// How many units the capped price is of; nothing if that has to be known and is not.
    fn units(&self) -> Option<f64> {
        match &self.rule.units {
            None => Some(1.0),
            Some(input) => self.task.inputs.get(input)?.as_f64().filter(|units| *units > 0.0),
        }
    }

    fn capped(&self) -> Option<Money> {
        self.task.inputs.get(&self.rule.cap).and_then(read_amount)
    }

    /// The amount of an offer that the cap is compared with.
    fn field(&self, offer: &Offer<'_>) -> Option<Money> {
        match &self.rule.cap_field {
            Some(field) => offer.fields.get(field).and_then(read_amount),
            None => Some(offer.price),
        }
    }

    fn label(&self, offer: &Offer<'_>) -> Option<String> {
        offer.fields.get(&self.rule.label)?.as_str().map(str::to_owned)
    }

    fn cap(&self, value: Value, offer: Option<String>) -> Cap {
        Cap { task_id: self.task.task_id.clone(), input: self.rule.cap.clone(), value, offer }
    }
}

/// A part of an amount, to the nearest millionth.
fn scaled(amount: Money, factor: f64) -> Money {
    Money::from_micros((amount.micros() as f64 * factor).round().max(0.0) as u64)
}

/// Caps of one and more are whole cents.
fn rounded_down(amount: Money) -> Money {
    const CENT: u64 = 10_000;
    let micros = amount.micros();
    if micros < 100 * CENT { amount } else { Money::from_micros(micros / CENT * CENT) }
}
