//! Which conflicts are decided by rule and which by a person: `conflict-rules.toml` or `.json`.
//!
//! A file can have a person asked where a rule would decide. It cannot have a rule decide where a person
//! must: not about security, not about data that could be lost, and not where nothing tells the
//! recommendations apart.

use candor_model::ValidationError;
use serde::{Deserialize, Serialize};

use super::record::ResolutionStrategy;
use crate::rules_file::RuleDocument;

/// When a person is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Escalation {
    /// Never.
    Never,
    /// When the criterion does not tell the recommendations apart.
    OnTie,
    /// Always.
    Always,
}

/// How conflicts of one kind are ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ConflictRule {
    /// Whether a rule decides.
    pub auto: bool,
    /// Criterion that decides if `auto` is set.
    pub strategy: ResolutionStrategy,
    /// When a person is asked.
    pub escalation: Escalation,
}

/// Rule of what only a person may decide.
const ASK: ConflictRule =
    ConflictRule { auto: false, strategy: ResolutionStrategy::Hitl, escalation: Escalation::Always };

/// How conflicts are ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ConflictRules {
    model: ConflictRule,
    approach: ConflictRule,
    priority: ConflictRule,
    tie: ConflictRule,
    security: ConflictRule,
    data_loss: ConflictRule,
}

impl Default for ConflictRules {
    fn default() -> Self {
        let auto = |strategy, escalation| ConflictRule { auto: true, strategy, escalation };
        Self {
            model: auto(ResolutionStrategy::HigherModel, Escalation::Never),
            approach: auto(ResolutionStrategy::MinimumChange, Escalation::Never),
            priority: auto(ResolutionStrategy::UserAlignment, Escalation::OnTie),
            tie: ASK,
            security: ASK,
            data_loss: ASK,
        }
    }
}

impl ConflictRules {
    /// What holds when agents want different tiers.
    #[must_use]
    pub const fn model(&self) -> &ConflictRule {
        &self.model
    }

    /// What holds when they would go about it differently.
    #[must_use]
    pub const fn approach(&self) -> &ConflictRule {
        &self.approach
    }

    /// What holds when they would begin with different things.
    #[must_use]
    pub const fn priority(&self) -> &ConflictRule {
        &self.priority
    }

    /// What holds when nothing tells them apart.
    #[must_use]
    pub const fn tie(&self) -> &ConflictRule {
        &self.tie
    }

    /// What holds when security is at risk.
    #[must_use]
    pub const fn security(&self) -> &ConflictRule {
        &self.security
    }

    /// What holds when data could be lost.
    #[must_use]
    pub const fn data_loss(&self) -> &ConflictRule {
        &self.data_loss
    }
}

/// What stands in a file of conflict rules; what is left out is as usual.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct WrittenConflictRules {
    model: WrittenRule,
    approach: WrittenRule,
    priority: WrittenRule,
    tie: WrittenRule,
    security: WrittenRule,
    data_loss: WrittenRule,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct WrittenRule {
    auto: Option<bool>,
    strategy: Option<ResolutionStrategy>,
    escalation: Option<Escalation>,
}

impl RuleDocument for ConflictRules {
    type Written = WrittenConflictRules;

    fn accept(written: WrittenConflictRules) -> Result<Self, ValidationError> {
        let usual = Self::default();
        Ok(Self {
            model: taken("model", written.model, usual.model)?,
            approach: taken("approach", written.approach, usual.approach)?,
            priority: taken("priority", written.priority, usual.priority)?,
            tie: taken("tie", written.tie, usual.tie)?,
            security: taken("security", written.security, usual.security)?,
            data_loss: taken("dataLoss", written.data_loss, usual.data_loss)?,
        })
    }
}

/// The usual rule, or a person where the file wants one; anything else is refused.
fn taken(name: &str, written: WrittenRule, usual: ConflictRule) -> Result<ConflictRule, ValidationError> {
    let wrong = |field: &str, problem: String| Err(ValidationError::new(format!("{name}.{field}"), problem));
    let ask = written.auto == Some(false) || written.strategy == Some(ResolutionStrategy::Hitl);
    let rule = if ask { ASK } else { usual };
    if written.auto.is_some_and(|auto| auto != rule.auto) {
        let problem = if usual.auto {
            "says that a rule decides, and the strategy `hitl` says that a person does; keep one of them"
                .to_owned()
        } else {
            format!("{} only a person decides; take this out", why_a_person(name))
        };
        return wrong("auto", problem);
    }
    if let Some(strategy) = written.strategy.filter(|strategy| *strategy != rule.strategy) {
        return wrong("strategy", unfit(strategy, name, rule));
    }
    match written.escalation.filter(|escalation| *escalation != rule.escalation) {
        None => Ok(rule),
        Some(_) if rule == ASK => wrong("escalation", "is `always` where a person decides".to_owned()),
        Some(_) => {
            wrong("escalation", "follows from the strategy; for a person, write `auto` = false".to_owned())
        }
    }
}

fn why_a_person(name: &str) -> &'static str {
    match name {
        "security" => "where security is at risk,",
        "dataLoss" => "where data could be lost,",
        _ => "where nothing tells the recommendations apart,",
    }
}

fn unfit(strategy: ResolutionStrategy, name: &str, rule: ConflictRule) -> String {
    match (strategy, rule == ASK) {
        (ResolutionStrategy::Vote, _) => "`vote` is reserved and decides nothing".to_owned(),
        (_, true) if matches!(name, "security" | "dataLoss" | "tie") => {
            format!("{} only a person decides: `hitl`", why_a_person(name))
        }
        (_, true) => "`auto` = false means that a person decides: `hitl`".to_owned(),
        (_, false) => {
            "is not a criterion for this kind of conflict; leave it out, or write `hitl`".to_owned()
        }
    }
}
