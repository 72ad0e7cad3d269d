//! A cap, what was spent of it and what is set aside.

use candor_model::Money;
use serde::{Deserialize, Serialize};

/// Money that may be spent. Amounts are set aside before work starts, so that tasks running side by side
/// cannot together spend more than there is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Allowance {
    /// What may be spent; no limit if absent.
    pub cap: Option<Money>,
    /// Charged so far, without what is set aside.
    pub spent: Money,
    /// What is set aside for work that has not ended.
    pub reserved: Money,
}

impl Allowance {
    /// Whether `amount` is left after everything spent and set aside; the cap itself may be reached.
    #[must_use]
    pub fn can_reserve(&self, amount: Money) -> bool {
        // Money stops at its maximum, where a sum would look smaller than it is; these three cannot overflow.
        let needed =
            self.spent.micros().saturating_add(self.reserved.micros()).saturating_add(amount.micros());
        self.cap.is_none_or(|cap| needed <= cap.micros())
    }

    /// Sets `amount` aside, whether it is there or not: the question is [`Allowance::can_reserve`].
    pub fn reserve(&mut self, amount: Money) {
        self.reserved = self.reserved + amount;
    }

    /// Gives back what was set aside; the work has ended or will not start.
    pub fn release(&mut self, amount: Money) {
        self.reserved = self.reserved.saturating_sub(amount);
    }

    /// Counts `amount` as spent. What had been set aside for it is released separately, since the two differ.
    pub fn charge(&mut self, amount: Money) {
        self.spent = self.spent + amount;
    }

    /// Whether more was spent than allowed.
    #[must_use]
    pub fn is_overdrawn(&self) -> bool {
        self.cap.is_some_and(|cap| self.spent > cap)
    }
}
