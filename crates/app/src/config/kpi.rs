//! `[kpi]`: what the figures of an installation should be, and when somebody is told.

use std::collections::BTreeMap;

use candor_projections::kpi::{AlertRule, Targets, default_rules, targets};
use serde::Deserialize;

use super::Age;

/// What the figures should be, and when somebody is told.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct KpiConfig {
    /// How far back figures and alerts look; a day if unset.
    pub window: Option<Age>,
    /// What each figure should be, such as `p95 = "<= 8 s"`.
    pub targets: TargetsInFile,
    /// Alerts beside the usual ones; one of the same name takes the place of a usual one.
    pub alerts: Vec<AlertRule>,
}

/// Targets as they are written.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(try_from = "BTreeMap<String, String>")]
pub struct TargetsInFile(pub Targets);

impl TryFrom<BTreeMap<String, String>> for TargetsInFile {
    type Error = String;

    fn try_from(written: BTreeMap<String, String>) -> Result<Self, String> {
        targets(&written).map(Self).map_err(|problem| format!("kpi.targets: {problem}"))
    }
}

impl KpiConfig {
    /// The rules that hold: the usual ones, changed and added to by the configured ones.
    #[must_use]
    pub fn rules(&self) -> Vec<AlertRule> {
        let usual = default_rules().into_iter();
        let kept = usual.filter(|usual| !self.alerts.iter().any(|own| own.name == usual.name));
        kept.chain(self.alerts.iter().cloned()).collect()
    }
}
