//! A question to a person with numbered options: the human gate.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::text_enum::text_enum;
use crate::{NonEmpty, Phase};

text_enum!(
    /// What a choice is about; it decides what each option does.
    ChoiceKind {
        /// A guardrail stopped the run before it began.
        Guardrail = "guardrail",
        /// The request could be said better.
        Enhancement = "enhancement",
        /// Instructions contradict each other, or the scope is not clear.
        Clarification = "clarification",
        /// A phase's own critique says stop.
        Critique = "critique",
        /// A phase handed over something that must be settled first.
        Blocker = "blocker",
        /// An agent warned of something critical.
        Warning = "warning",
        /// Agents contradict each other, and no rule decides.
        Conflict = "conflict",
        /// A task's result keeps failing its own criterion.
        Validation = "validation",
        /// Models have used more than was allowed.
        Budget = "budget",
        /// An agent at work needs a person's word; its task rests until then, and nothing else does.
        Agent = "agent",
        /// The world was changed by what a run went back behind: is it to be undone?
        Undo = "undo",
    }
);

/// A choice that is put to a person.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChoiceRequest {
    /// What it is about.
    pub about: ChoiceKind,
    /// The phase in which it came up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<Phase>,
    /// Why it is asked.
    pub reason: String,
    /// The question, for people.
    pub text: String,
    /// What can be chosen.
    pub options: NonEmpty<ChoiceOption>,
    /// The option that is taken when nobody can be asked; absent if nothing but a person's word will do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    /// What the options are about: tasks, or the agents of a conflict.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub concerns: Vec<String>,
}

/// One of the things that can be chosen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChoiceOption {
    /// What is typed to choose it: a letter or a word.
    pub id: String,
    /// What it is, in a few words.
    pub label: String,
    /// More of it: the whole text of a variant, what will happen.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub details: String,
    /// Whether the person adds words of their own.
    #[serde(default)]
    pub takes_text: bool,
}

impl ChoiceOption {
    /// An option without further words.
    #[must_use]
    pub fn new(id: &str, label: impl Into<String>, details: impl Into<String>) -> Self {
        Self { id: id.to_owned(), label: label.into(), details: details.into(), takes_text: false }
    }

    /// The same, with words of the person's own.
    #[must_use]
    pub fn with_text(id: &str, label: impl Into<String>, details: impl Into<String>) -> Self {
        Self { takes_text: true, ..Self::new(id, label, details) }
    }
}

impl ChoiceRequest {
    /// The option with this id, in any case.
    #[must_use]
    pub fn option(&self, id: &str) -> Option<&ChoiceOption> {
        self.options.iter().find(|option| option.id.eq_ignore_ascii_case(id.trim()))
    }
}

/// What a person chose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Choice {
    /// Id of an option that the question offers.
    pub option: String,
    /// The person's own words, where the option takes some.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Whether nobody was asked and this is what is done then.
    #[serde(default)]
    pub by_default: bool,
}
