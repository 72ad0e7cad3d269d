//! How much of the work goes to which tier of models.

use std::fmt;

use candor_model::Tier;
use serde::{Deserialize, Serialize};

/// The share of each tier, in percent. The three make a hundred.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ModelMix {
    /// The share of the fast tier.
    pub fast: u32,
    /// The share of the balanced tier.
    pub balanced: u32,
    /// The share of the strong tier.
    pub strong: u32,
}

impl ModelMix {
    /// A mix of these shares.
    #[must_use]
    pub const fn new(fast: u32, balanced: u32, strong: u32) -> Self {
        Self { fast, balanced, strong }
    }

    /// The share of one tier.
    #[must_use]
    pub const fn share(self, tier: Tier) -> u32 {
        match tier {
            Tier::Fast => self.fast,
            Tier::Balanced => self.balanced,
            Tier::Strong => self.strong,
        }
    }

    /// The tiers that have a share, the cheapest first.
    pub fn tiers(self) -> impl Iterator<Item = Tier> {
        Tier::ALL.iter().copied().filter(move |tier| self.share(*tier) > 0)
    }
}

/// The tiers' names, such as `balanced + strong`.
impl fmt::Display for ModelMix {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.tiers().map(Tier::as_str).collect();
        formatter.pad(&names.join(" + "))
    }
}
