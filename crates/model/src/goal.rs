//! What is wanted: the goal, its constraints and how to tell that it was reached.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use crate::text_enum::text_serde;
use crate::{GoalId, Priority, Text, Timestamp, ValidationError};

/// The kind of a goal. Packs bring kinds of their own, so this is a name and not a closed list.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GoalType(Cow<'static, str>);

impl GoalType {
    /// Kind of the built-in `travel` pack; no rule outside of that pack depends on it.
    pub const TRAVEL_PLANNING: Self = Self(Cow::Borrowed("travel_planning"));
    /// Anything for which there is no pack.
    pub const GENERIC: Self = Self(Cow::Borrowed("generic"));

    /// The name in lower case.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for GoalType {
    type Err = ValidationError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let valid = !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !valid {
            let problem = format!("must be made of letters, digits and `_`, not `{}`", text.escape_debug());
            return Err(ValidationError::new("GoalType", problem));
        }
        Ok(Self(Cow::Owned(text.to_ascii_lowercase())))
    }
}

impl fmt::Display for GoalType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&self.0)
    }
}

text_serde!(GoalType as_str);

impl JsonSchema for GoalType {
    fn schema_name() -> Cow<'static, str> {
        "GoalType".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "^[A-Za-z0-9_]+$" })
    }
}

/// Something the result must respect, such as a budget of `2000 USD`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Constraint {
    /// What is constrained: `budget`, `duration`, `time`, …
    #[serde(rename = "type")]
    pub kind: Text,
    /// The value with its unit, such as `3 days`.
    pub value: Text,
    /// How important it is.
    pub priority: Priority,
}

impl Constraint {
    /// What is constrained, as people write it: `must not` for `must_not`.
    #[must_use]
    pub fn label(&self) -> String {
        self.kind.as_str().replace('_', " ")
    }
}

/// What a person wants, in their words and in ours.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Goal {
    /// Id by which plans and logs refer to the goal.
    pub goal_id: GoalId,
    /// Kind of goal, which decides about packs and templates.
    pub goal_type: GoalType,
    /// The person's own words.
    pub description: Text,
    /// What must be respected.
    #[serde(default)]
    pub constraints: Vec<Constraint>,
    /// How to tell that the goal was reached.
    #[serde(default)]
    pub success_criteria: Vec<String>,
    /// When it must be reached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<Timestamp>,
    /// How important it is.
    #[serde(default)]
    pub priority: Priority,
}

impl Goal {
    /// The first constraint of a kind, such as `budget`.
    #[must_use]
    pub fn constraint(&self, kind: &str) -> Option<&Constraint> {
        self.constraints.iter().find(|constraint| constraint.kind.as_str().eq_ignore_ascii_case(kind))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goal_types_are_lower_case_and_open_to_new_ones() {
        // spec: planning EN-01
        assert_eq!(serde_json::to_string(&GoalType::TRAVEL_PLANNING).unwrap(), r#""travel_planning""#);
        assert_eq!("TRAVEL_PLANNING".parse::<GoalType>().unwrap(), GoalType::TRAVEL_PLANNING);
        assert_eq!("tax_return".parse::<GoalType>().unwrap().as_str(), "tax_return");
        assert!("no spaces".parse::<GoalType>().is_err());
    }

    #[test]
    fn a_constraint_has_exactly_three_keys() {
        // spec: planning EN-02
        let text = r#"{"type":"budget","value":"2000 USD","priority":10}"#;
        let constraint: Constraint = crate::from_json(text).unwrap();
        assert_eq!(serde_json::to_string(&constraint).unwrap(), text);
    }

    #[test]
    fn a_goal_reads_back_equal_with_its_deadline_and_priority() {
        // spec: planning EN-03 GD-05
        let text = r#"{"goal_id":"goal_abc123","goal_type":"travel_planning","description":"Plan a trip",
            "constraints":[{"type":"duration","value":"3 days","priority":9}],
            "success_criteria":["Total cost <= $2000"],"deadline":"2025-04-15T00:00:00Z","priority":7}"#;
        let goal: Goal = crate::from_json(text).unwrap();
        let again: Goal = crate::from_json(&serde_json::to_string(&goal).unwrap()).unwrap();
        assert_eq!(again, goal);
        assert_eq!(goal.priority.get(), 7);
        assert_eq!(goal.deadline.unwrap().to_string(), "2025-04-15T00:00:00Z");
    }
}
