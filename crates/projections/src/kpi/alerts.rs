//! Alerts: raised when a condition holds, active until it does not, and on record once each. Somebody may acknowledge an
//! active alert: it stays active, and the record says who looks into it.
//!
//! A figure without a value neither raises an alert nor clears one: an installation that no longer runs anything has
//! not recovered. The record is a stream of changes; [`AlertBook`] is its fold.

use std::collections::BTreeMap;

use candor_model::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::condition::unit_of;
use super::{Condition, KpiReport, Unit};

/// How serious an alert is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AlertLevel {
    /// For the record.
    Info,
    /// Should be looked at soon.
    #[default]
    Warning,
    /// Part of the work fails.
    Error,
    /// Needs somebody at once.
    Critical,
}

impl AlertLevel {
    /// Stable word for JSON and metrics.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
            Self::Critical => "critical",
        }
    }
}

/// When an alert is raised, and what it says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AlertRule {
    /// Its name; one of the usual names takes the place of the usual rule.
    pub name: String,
    /// The condition, such as `retryRate > 20%`.
    pub when: Condition,
    /// How serious it is.
    #[serde(default)]
    pub severity: AlertLevel,
    /// What is said beside the figure.
    #[serde(default)]
    pub message: String,
}

/// The rules that hold if nothing is configured.
#[must_use]
pub fn default_rules() -> Vec<AlertRule> {
    let rule = |name: &str, when: &str, severity, message: &str| {
        let when = when.parse().ok()?;
        Some(AlertRule { name: name.to_owned(), when, severity, message: message.to_owned() })
    };
    let rules = [
        rule("high_latency", "p95 > 10000 ms", AlertLevel::Warning, "calls of agents and models are slow"),
        rule(
            "low_completion",
            "taskCompletionRate < 85%",
            AlertLevel::Critical,
            "runs do not reach their goals",
        ),
        rule("high_cost", "costPerTask > $0.50", AlertLevel::Warning, "runs cost more than usual"),
        rule("excessive_depth", "depth > 4", AlertLevel::Warning, "investigate potential runaway loops"),
    ];
    rules.into_iter().flatten().collect()
}

/// A change on the record of alerts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AlertChange {
    /// Whether it was raised; cleared if not.
    pub raised: bool,
    /// Alert as it was when that happened.
    #[serde(flatten)]
    pub alert: ActiveAlert,
}

impl AlertChange {
    /// What happened to the alert.
    #[must_use]
    pub const fn kind(&self) -> ChangeKind {
        match (self.raised, &self.alert.acknowledged) {
            (false, _) => ChangeKind::Cleared,
            (true, None) => ChangeKind::Raised,
            (true, Some(_)) => ChangeKind::Acknowledged,
        }
    }

    /// Moment of the change.
    #[must_use]
    pub fn at(&self) -> Timestamp {
        let acknowledged = self.alert.acknowledged.as_ref().filter(|_| self.raised);
        acknowledged.map_or(self.alert.timestamp, |acknowledged| acknowledged.at)
    }
}

/// What may happen to an alert.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeKind {
    /// Its condition began to hold.
    Raised,
    /// Somebody looks into it.
    Acknowledged,
    /// Its condition no longer holds.
    Cleared,
}

impl ChangeKind {
    /// Stable word for JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Raised => "raised",
            Self::Acknowledged => "acknowledged",
            Self::Cleared => "cleared",
        }
    }
}

/// Who looks into an alert, and since when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Acknowledged {
    /// The user, or the name of the token.
    pub by: String,
    /// When they said so.
    pub at: Timestamp,
}

/// An alert that was raised and has not cleared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ActiveAlert {
    /// When it was raised, or cleared.
    pub timestamp: Timestamp,
    /// Its name, by which it is acknowledged.
    pub name: String,
    /// How serious it is.
    pub level: AlertLevel,
    /// The same under the name that rules give it; absent on records of earlier versions.
    #[serde(default)]
    pub severity: AlertLevel,
    /// Who looks into it; absent until somebody does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acknowledged: Option<Acknowledged>,
    /// The condition that it was raised for.
    pub condition: String,
    /// The figure's value when it was raised, or cleared.
    pub value: f64,
    /// Advice of the rule, or the condition in words.
    pub message: String,
}

/// The record of alerts: those that are active, and all changes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct AlertBook {
    /// Those that are active, the latest first.
    pub active: Vec<ActiveAlert>,
    /// Every change, the latest first.
    pub history: Vec<AlertChange>,
}

impl AlertBook {
    /// The record as its changes tell it, the oldest first. An alert that is raised twice was raised once: two
    /// processes may have looked at the same moment.
    pub fn of(changes: impl IntoIterator<Item = AlertChange>) -> Self {
        let mut active: BTreeMap<String, ActiveAlert> = BTreeMap::new();
        let mut history = Vec::new();
        for mut change in changes {
            change.alert.severity = change.alert.level;
            let name = change.alert.name.clone();
            let counts = match (change.kind(), active.get(&name)) {
                (ChangeKind::Raised, known) => known.is_none(),
                (ChangeKind::Cleared, known) => known.is_some(),
                // It may have been cleared, or acknowledged by somebody else, at the same moment.
                (ChangeKind::Acknowledged, known) => known.is_some_and(|known| known.acknowledged.is_none()),
            };
            if !counts {
                continue;
            }
            if change.raised {
                active.insert(name, change.alert.clone());
            } else {
                active.remove(&name);
            }
            history.push(change);
        }
        history.reverse();
        let mut active: Vec<ActiveAlert> = active.into_values().collect();
        active.sort_by_key(|alert| std::cmp::Reverse(alert.timestamp));
        Self { active, history }
    }

    /// What must be put on record when somebody acknowledges an alert: nothing if somebody has already. `None` if no such
    /// alert is active.
    #[must_use]
    pub fn acknowledge(&self, name: &str, by: &str, at: Timestamp) -> Option<Option<AlertChange>> {
        let alert = self.active.iter().find(|alert| alert.name == name)?;
        let acknowledged = Some(Acknowledged { by: by.to_owned(), at });
        let change = || AlertChange { raised: true, alert: ActiveAlert { acknowledged, ..alert.clone() } };
        Some(alert.acknowledged.is_none().then(change))
    }

    /// What must be put on record now: alerts whose condition holds and did not, and those for which it no longer
    /// does. An alert whose rule is gone is cleared.
    #[must_use]
    pub fn changes(&self, rules: &[AlertRule], report: &KpiReport, now: Timestamp) -> Vec<AlertChange> {
        let is_active = |name: &str| self.active.iter().any(|alert| alert.name == name);
        let judged = rules.iter().filter_map(|rule| {
            let value = report.value(rule.when.kpi.as_str())?;
            let raised = rule.when.is.holds(value);
            (raised != is_active(&rule.name)).then(|| AlertChange { raised, alert: alert(rule, value, now) })
        });
        let ruled = |alert: &&ActiveAlert| !rules.iter().any(|rule| rule.name == alert.name);
        let orphans = self.active.iter().filter(ruled).map(|alert| AlertChange {
            raised: false,
            alert: ActiveAlert { timestamp: now, acknowledged: None, ..alert.clone() },
        });
        judged.chain(orphans).collect()
    }
}

fn alert(rule: &AlertRule, value: f64, now: Timestamp) -> ActiveAlert {
    let figure = shown(value, unit_of(&rule.when.kpi));
    let said = if rule.message.is_empty() { String::new() } else { format!(": {}", rule.message) };
    ActiveAlert {
        timestamp: now,
        name: rule.name.clone(),
        level: rule.severity,
        severity: rule.severity,
        acknowledged: None,
        condition: rule.when.to_string(),
        value,
        message: format!("{} is {figure}{said}", rule.when.kpi.as_str()),
    }
}

/// A figure with its unit.
#[must_use]
pub fn shown(value: f64, unit: Unit) -> String {
    match unit {
        Unit::Milliseconds if value >= 10_000.0 => format!("{:.1} s", value / 1_000.0),
        Unit::Milliseconds => format!("{value:.0} ms"),
        Unit::Share => format!("{:.1} %", value * 100.0),
        Unit::Dollars => format!("${value:.4}"),
        Unit::Tokens => format!("{value:.0}"),
        Unit::Count => format!("{value:.1}"),
        Unit::PerHour => format!("{value:.2}/h"),
    }
}

#[cfg(test)]
mod tests {
    use candor_model::Seconds;

    use super::super::{Group, Kpi, Window};
    use super::*;

    fn report(name: &'static str, unit: Unit, value: Option<f64>) -> KpiReport {
        let kpi = Kpi { name, group: Group::Quality, unit, value, samples: 9, target: None, met: None };
        let window = Window { since: Timestamp::EPOCH, until: Timestamp::EPOCH.plus(Seconds::whole(60)) };
        KpiReport { window, runs: 9, ended: 9, kpis: vec![kpi] }
    }

    #[test]
    fn each_alert_fires_beyond_its_bound_once_and_clears() {
        // spec: orchestrator KP-06 KP-10 KP-11
        let cases = [
            ("p95", Unit::Milliseconds, 10_000.0, 10_000.1),
            ("taskCompletionRate", Unit::Share, 0.85, 0.8499),
            ("costPerTask", Unit::Dollars, 0.5, 0.500_001),
            ("depth", Unit::Count, 4.0, 5.0),
        ];
        let (rules, now) = (default_rules(), Timestamp::EPOCH);
        assert_eq!(rules.len(), 4);
        for (name, unit, bound, beyond) in cases {
            let mut changes = Vec::new();
            assert_eq!(AlertBook::default().changes(&rules, &report(name, unit, Some(bound)), now), []);
            for _ in 0..10 {
                let book = AlertBook::of(changes.clone());
                changes.extend(book.changes(&rules, &report(name, unit, Some(beyond)), now));
            }
            assert_eq!(changes.len(), 1, "{name}");
            let book = AlertBook::of(changes.clone());
            assert_eq!(book.active.len(), 1);
            assert_eq!(book.changes(&rules, &report(name, unit, None), now), [], "no data changes nothing");
            changes.extend(book.changes(&rules, &report(name, unit, Some(bound)), now));
            let cleared = AlertBook::of(changes);
            assert_eq!((cleared.active.len(), cleared.history.len()), (0, 2), "{name}");
        }
    }

    #[test]
    fn an_alert_is_acknowledged_once_while_it_is_active() {
        // spec: orchestrator SX-07
        let rule = default_rules().remove(0);
        let raised = AlertChange { raised: true, alert: alert(&rule, 12_000.0, Timestamp::EPOCH) };
        let book = AlertBook::of([raised.clone()]);
        let later = |seconds| Timestamp::EPOCH.plus(Seconds::whole(seconds));
        let by = |who: &str, at| book.acknowledge("high_latency", who, later(at)).flatten().unwrap();
        assert_eq!(book.acknowledge("high_cost", "ana", later(1)), None);
        let both = AlertBook::of([raised.clone(), by("ana", 1), by("bob", 2)]);
        let acknowledged = both.active[0].acknowledged.clone().unwrap();
        assert_eq!((acknowledged.by.as_str(), acknowledged.at), ("ana", later(1)));
        assert_eq!(both.active[0].timestamp, Timestamp::EPOCH, "raised when it was");
        assert_eq!(both.acknowledge("high_latency", "cyd", later(3)), Some(None), "once");
        let kinds: Vec<ChangeKind> = both.history.iter().map(AlertChange::kind).collect();
        assert_eq!(kinds, [ChangeKind::Acknowledged, ChangeKind::Raised]);
        let cleared = AlertChange { raised: false, alert: raised.alert.clone() };
        let again = AlertBook::of([raised.clone(), by("ana", 1), cleared, by("bob", 4), raised]);
        assert_eq!(again.active[0].acknowledged, None, "raised anew, nobody looks into it");
        assert_eq!(again.history.len(), 4);
    }

    #[test]
    fn a_change_on_record_reads_back_equal() {
        // spec: orchestrator KP-07
        let rule = default_rules().remove(3);
        let change = AlertChange { raised: true, alert: alert(&rule, 5.0, Timestamp::EPOCH) };
        let text = serde_json::to_value(&change).unwrap();
        assert_eq!(text["level"], "warning");
        assert!(text["message"].as_str().unwrap().contains("runaway loops"));
        assert_eq!(serde_json::from_value::<AlertChange>(text).unwrap(), change);
    }
}
