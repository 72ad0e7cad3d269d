//! How much of the work goes to which tier of models.

use std::fmt;

use candor_model::{Tier, TierCounts};
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

    /// Shares `total` agents out. What division leaves goes to the largest remainder, and among equal ones
    /// to the cheaper tier.
    #[must_use]
    pub fn counts(self, total: u32) -> TierCounts {
        let parts = |tier| u64::from(self.share(tier)) * u64::from(total);
        let mut given: Vec<(Tier, u64)> = self.tiers().map(|tier| (tier, parts(tier) / 100)).collect();
        let mut left = u64::from(total).saturating_sub(given.iter().map(|(_, count)| count).sum());
        // A stable sort: tiers with equal remainders stay in their order, the cheapest first.
        given.sort_by_key(|(tier, _)| std::cmp::Reverse(parts(*tier) % 100));
        for (_, count) in &mut given {
            let more = left.min(1);
            *count += more;
            left -= more;
        }
        let of = |wanted| given.iter().find(|(tier, _)| *tier == wanted).map_or(0, |(_, count)| *count);
        let of = |tier| u32::try_from(of(tier)).unwrap_or(total);
        TierCounts { fast: of(Tier::Fast), balanced: of(Tier::Balanced), strong: of(Tier::Strong) }
    }
}

/// The tiers' names, such as `balanced + strong`.
impl fmt::Display for ModelMix {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.tiers().map(Tier::as_str).collect();
        formatter.pad(&names.join(" + "))
    }
}
