//! Key figures of an installation over a window of time, their targets, and the alerts that follow from them.
//!
//! [`KpiFold`] is fed with the logs of runs and gives a [`KpiReport`], which the command, the API and the page show
//! alike. Calls, attempts, retries, second choices and circuits count by the time of their event; everything that is
//! said of a whole run counts when the run ended within the window. What has too few samples has no value.

mod alerts;
mod condition;
mod fold;
pub mod names;
pub mod prometheus;
mod series;

use std::collections::BTreeMap;

use candor_model::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

pub use self::alerts::{
    Acknowledged, ActiveAlert, AlertBook, AlertChange, AlertLevel, AlertRule, ChangeKind, default_rules,
    shown,
};
pub use self::condition::{Comparison, Condition, Name, targets};
pub use self::fold::KpiFold;
pub use self::series::{KpiSeries, RunShare, Trail};

/// Fewer samples than this say nothing of a rate or a percentile.
pub const FEWEST_SAMPLES: u64 = 5;

/// The time that figures are about.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct Window {
    /// First moment that counts.
    pub since: Timestamp,
    /// Last moment that counts.
    pub until: Timestamp,
}

impl Window {
    /// Whether something happened within it.
    #[must_use]
    pub fn contains(&self, at: Timestamp) -> bool {
        at >= self.since && at <= self.until
    }

    /// How long it is, in hours.
    #[must_use]
    pub fn hours(&self) -> f64 {
        self.until.since(self.since).get() / 3_600.0
    }
}

/// What a figure counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Time in thousandths of a second.
    Milliseconds,
    /// A share from 0 to 1.
    Share,
    /// Money in US dollars.
    Dollars,
    /// Tokens that models took and gave.
    Tokens,
    /// A plain number.
    Count,
    /// A number in an hour.
    PerHour,
}

/// What a figure says something of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Group {
    /// How long calls and runs take.
    Latency,
    /// How well runs end.
    Quality,
    /// Tokens, money and agents for each task.
    Efficiency,
    /// How agents are put to work.
    Orchestration,
}

/// One figure with its target.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Kpi {
    /// Its name, by which targets and alerts refer to it.
    pub name: &'static str,
    /// What it says something of.
    pub group: Group,
    /// Unit of value and target.
    pub unit: Unit,
    /// The figure; absent if there are too few samples.
    pub value: Option<f64>,
    /// How many samples there are.
    pub samples: u64,
    /// What it should be, such as `<= 8000`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<Comparison>,
    /// Whether it is; absent without a value or a target.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub met: Option<bool>,
}

/// All figures over a window.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct KpiReport {
    /// Period that the figures are about.
    pub window: Window,
    /// How many runs had at least one event in it.
    pub runs: u64,
    /// How many of them ended in it.
    pub ended: u64,
    /// The figures, in the order of their groups.
    pub kpis: Vec<Kpi>,
}

impl KpiReport {
    /// The value of a figure; nothing if it is not known or has too few samples.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<f64> {
        self.kpis.iter().find(|kpi| kpi.name == name)?.value
    }
}

/// What each figure should be; those that are not named have the usual target.
pub type Targets = BTreeMap<Name, Comparison>;

/// A figure's name, group, unit and usual target.
struct Known {
    name: &'static str,
    group: Group,
    unit: Unit,
    target: Option<Comparison>,
}

const fn known(name: &'static str, group: Group, unit: Unit, target: Option<Comparison>) -> Known {
    Known { name, group, unit, target }
}

/// Every figure there is. The order is that of the screen.
static ALL: &[Known] = {
    use Comparison::{AtLeast, AtMost, Below};
    use Group::{Efficiency, Latency, Orchestration, Quality};
    use Unit::{Count, Dollars, Milliseconds, PerHour, Share, Tokens};
    &[
        known("p50", Latency, Milliseconds, Some(AtMost(2_000.0))),
        known("p90", Latency, Milliseconds, Some(AtMost(5_000.0))),
        known("p95", Latency, Milliseconds, Some(AtMost(8_000.0))),
        known("p99", Latency, Milliseconds, Some(AtMost(15_000.0))),
        known("ttft", Latency, Milliseconds, Some(AtMost(500.0))),
        known("totalDuration", Latency, Milliseconds, None),
        known("taskCompletionRate", Quality, Share, Some(AtLeast(0.95))),
        known("firstAttemptSuccess", Quality, Share, Some(AtLeast(0.80))),
        known("hallucinationRate", Quality, Share, Some(Below(0.05))),
        known("validationPassRate", Quality, Share, Some(AtLeast(0.90))),
        known("tokensPerTask", Efficiency, Tokens, None),
        known("tokensPerTask.simple", Efficiency, Tokens, Some(AtMost(500.0))),
        known("tokensPerTask.standard", Efficiency, Tokens, Some(AtMost(2_000.0))),
        known("tokensPerTask.complex", Efficiency, Tokens, Some(AtMost(8_000.0))),
        known("costPerTask", Efficiency, Dollars, None),
        known("costPerTask.simple", Efficiency, Dollars, Some(AtMost(0.01))),
        known("costPerTask.standard", Efficiency, Dollars, Some(AtMost(0.05))),
        known("costPerTask.complex", Efficiency, Dollars, Some(AtMost(0.20))),
        known("agentsPerTask", Efficiency, Count, None),
        known("cacheHitRate", Efficiency, Share, Some(AtLeast(0.60))),
        known("parallelizationRatio", Efficiency, Share, None),
        known("depth", Orchestration, Count, Some(AtMost(3.0))),
        known("averageDepth", Orchestration, Count, Some(AtMost(3.0))),
        known("fanOut", Orchestration, Count, Some(AtMost(10.0))),
        known("circuitBreakerTrips", Orchestration, PerHour, Some(Below(1.0))),
        known("retryRate", Orchestration, Share, Some(Below(0.10))),
        known("fallbackRate", Orchestration, Share, Some(Below(0.05))),
    ]
};

/// The names of all figures.
pub fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|known| known.name)
}

/// A figure that was measured, before its target is known.
#[derive(Debug, Clone, Copy)]
struct Measured {
    value: Option<f64>,
    samples: u64,
}

fn report(
    window: Window,
    counts: (u64, u64),
    measured: &BTreeMap<&str, Measured>,
    targets: &Targets,
) -> KpiReport {
    let kpi = |known: &Known| {
        let Measured { value, samples } =
            measured.get(known.name).copied().unwrap_or(Measured { value: None, samples: 0 });
        let target = targets.get(known.name).copied().or(known.target);
        let met = value.zip(target).map(|(value, target)| target.holds(value));
        Kpi { name: known.name, group: known.group, unit: known.unit, value, samples, target, met }
    };
    let (runs, ended) = counts;
    KpiReport { window, runs, ended, kpis: ALL.iter().map(kpi).collect() }
}
