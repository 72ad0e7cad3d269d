//! How much a part of the whole may cost when the whole was too dear.
//!
//! Owns the arithmetic of caps, in whole micro-dollars, and the table of shares. The table is travel's, the
//! one domain that the requirements give numbers for; what is not in it is cut in proportion to the overage.

use candor_model::{ExecutionFeedback, Goal, JsonMap, Money, SubTask};
use candor_text::words;

use crate::feedback::{BudgetCheck, first_amount, read_amount};

/// The part of a budget that one kind of cost may take.
#[derive(Debug, PartialEq)]
pub(super) struct Share {
    /// The words by which tasks and breakdowns speak of it, in the singular.
    pub(super) words: &'static [&'static str],
    /// Thousandths of the budget.
    pub(super) permille: u64,
    /// Whether the price is asked for per night.
    pub(super) per_night: bool,
}

/// What the parts of a journey may take.
pub(super) const SHARES: [Share; 2] = [
    Share { words: &["flight", "airfare", "airline"], permille: 300, per_night: false },
    Share {
        words: &["hotel", "lodging", "accommodation", "hostel", "apartment"],
        permille: 225,
        per_night: true,
    },
];

/// The input that caps a price.
pub(super) const MAX_PRICE: &str = "max_price";
/// The input that caps a price per night.
pub(super) const MAX_PRICE_PER_NIGHT: &str = "max_price_per_night";

/// Prices of a dollar and more are capped at whole cents.
const CENT: u64 = 10_000;
const DOLLAR: u64 = 1_000_000;

/// What was spent and what may be spent.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Overspend {
    pub(super) total: Option<Money>,
    pub(super) budget: Option<Money>,
    /// What each part of the whole costs, as far as it was told.
    pub(super) parts: Vec<(String, Money)>,
}

impl Overspend {
    /// Gathers the amounts from the outputs, else from the error text, else from the goal.
    pub(super) fn read(feedback: &ExecutionFeedback, goal: Option<&Goal>) -> Self {
        let check = BudgetCheck::read(&feedback.actual_outputs);
        let told = feedback.errors.iter().find_map(|error| error.split_once("exceeds budget"));
        let told_total = told.and_then(|(before, _)| first_amount(before));
        let told_budget = told.and_then(|(_, after)| first_amount(after));
        let wanted = goal.and_then(|goal| goal.constraint("budget"));
        let wanted = wanted.and_then(|constraint| first_amount(constraint.value.as_str()));
        Self {
            total: check.total.or(told_total),
            budget: check.budget.or(told_budget).or(wanted),
            parts: check.parts,
        }
    }

    /// The price, made smaller by the factor by which the whole was too dear.
    ///
    /// Without known amounts, or with a total that fits, it is cut by a tenth: a violation must lead somewhere.
    pub(super) fn cut(&self, price: Money) -> Money {
        let (numerator, denominator) = match (self.budget, self.total) {
            (Some(budget), Some(total)) if budget < total => (budget.micros(), total.micros()),
            _ => (9, 10),
        };
        scaled(price, numerator, denominator)
    }

    /// The smaller of what a share of the budget allows and what the reported price allows.
    fn allowance(&self, share: Option<&Share>, reported: Option<Money>) -> Option<Money> {
        let by_share = share.and_then(|share| Some(scaled(self.budget?, share.permille, 1000)));
        let by_price = reported.map(|price| self.cut(price));
        [by_share, by_price].into_iter().flatten().min()
    }
}

/// The input that caps this task's price and the value it should have; `None` if it cannot be tightened.
pub(super) fn cap(
    task: &SubTask,
    overspend: &Overspend,
    share: Option<&Share>,
    reported: Option<Money>,
    goal: Option<&Goal>,
) -> Option<(&'static str, Money)> {
    let nights = share.filter(|share| share.per_night).and_then(|_| nights(task, goal));
    let (input, units) = nights.map_or((MAX_PRICE, 1), |nights| (MAX_PRICE_PER_NIGHT, nights));
    let cap = overspend.allowance(share, reported).map(|whole| scaled(whole, 1, units));
    let before = task.inputs.get(input).and_then(read_amount);
    let value = match (cap, before) {
        (Some(cap), Some(before)) if before > cap => cap,
        (Some(cap), None) => cap,
        (_, before) => overspend.cut(before?),
    };
    let value = rounded_down(value);
    (value > Money::ZERO && Some(value) != before).then_some((input, value))
}

/// The number of nights, from the most specific that speaks of it: inputs, description, goal.
fn nights(task: &SubTask, goal: Option<&Goal>) -> Option<u64> {
    let duration = || goal?.constraint("duration").and_then(|constraint| days(constraint.value.as_str()));
    nights_asked(&task.inputs).or_else(|| days(task.description.as_str())).or_else(duration)
}

fn nights_asked(inputs: &JsonMap) -> Option<u64> {
    inputs.get("nights")?.as_u64().filter(|&nights| nights > 0)
}

/// Reads `3 nights`, `3-day` or `2 weeks`. A journey of three days is taken for three nights.
fn days(text: &str) -> Option<u64> {
    let words: Vec<&str> = words(text).collect();
    words.windows(2).find_map(|pair| {
        let [number, unit] = pair else { return None };
        let number: u64 = number.parse().ok().filter(|&number| number > 0)?;
        match unit.to_lowercase().as_str() {
            "night" | "nights" | "day" | "days" => Some(number),
            "week" | "weeks" => Some(number.saturating_mul(7)),
            _ => None,
        }
    })
}

/// `amount` × `numerator` ÷ `denominator`, rounded down; a denominator of zero counts as one.
fn scaled(amount: Money, numerator: u64, denominator: u64) -> Money {
    let scaled = u128::from(amount.micros()) * u128::from(numerator) / u128::from(denominator.max(1));
    Money::from_micros(u64::try_from(scaled).unwrap_or(u64::MAX))
}

fn rounded_down(amount: Money) -> Money {
    let micros = amount.micros();
    if micros < DOLLAR { amount } else { Money::from_micros(micros / CENT * CENT) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dollars(amount: u64) -> Money {
        Money::from_micros(amount * DOLLAR)
    }

    #[test]
    fn durations_are_read_in_nights() {
        let read = ["3 days", "for 2 Nights", "a 3-day trip", "2 weeks", "0 days", "May 2025", "days 3", ""]
            .map(days);
        assert_eq!(read, [Some(3), Some(2), Some(3), Some(14), None, None, None, None]);
    }

    #[test]
    fn a_price_shrinks_by_the_overage_or_by_a_tenth() {
        // spec: planning RP-31
        let over = |total, budget| Overspend { total, budget, parts: Vec::new() };
        let price = dollars(430);
        assert_eq!(over(Some(dollars(2150)), Some(dollars(2000))).cut(price), dollars(400));
        assert_eq!(over(Some(dollars(100)), Some(dollars(2000))).cut(price), dollars(387));
        assert_eq!(over(None, Some(dollars(2000))).cut(price), dollars(387));
        assert_eq!(over(Some(Money::MAX), Some(Money::ZERO)).cut(Money::MAX), Money::ZERO);
    }

    #[test]
    fn caps_are_whole_cents_unless_they_are_tiny() {
        assert_eq!(rounded_down(Money::from_micros(558_139_534)), Money::from_micros(558_130_000));
        assert_eq!(rounded_down(Money::from_micros(1_234)), Money::from_micros(1_234));
    }
}
