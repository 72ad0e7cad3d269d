//! What the evaluation makes of a request, and the better wordings it offers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::text_enum::text_enum;

/// What phase 1 thinks of a request: quality, complexity, kind of work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Evaluation {
    /// What it is about, the most telling first.
    pub keywords: Vec<String>,
    /// How much there is to it.
    pub complexity: Complexity,
    /// How well it says what is wanted.
    pub prompt_quality: PromptQuality,
    /// How sure the evaluation is, from 0 to 100.
    pub confidence: u8,
    /// How many files it speaks of.
    pub file_count: u32,
}

/// How much there is to a request.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Complexity {
    /// From 0 to 100.
    pub total: u8,
    /// What it is the sum of, in words.
    pub parts: Vec<String>,
}

/// How well a request says what is wanted.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PromptQuality {
    /// From 0 to 100.
    pub score: u8,
    /// What is wrong with it, as codes such as `vague` and `no context`.
    pub issues: Vec<String>,
    /// Instructions that contradict each other, in words; a person must say which holds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub contradictions: Vec<String>,
}

/// Below this quality a person is offered better wordings.
pub const ENOUGH_QUALITY: u8 = 70;

/// A weak request, and how it could be said better.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Enhancement {
    /// Wording that the user gave.
    pub original: OriginalPrompt,
    /// Three better wordings, the best first.
    pub variants: Vec<PromptVariant>,
    /// The letter of the best one.
    pub recommendation: String,
}

/// A request as it was written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OriginalPrompt {
    /// Wording as it was typed.
    pub text: String,
    /// From 0 to 100.
    pub score: u8,
    /// What is wrong with it.
    pub issues: Vec<String>,
}

/// A proposed wording with its expected quality.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PromptVariant {
    /// Proposed wording.
    pub text: String,
    /// From 0 to 100.
    pub score: u8,
    /// What was done to it, by the names of the techniques.
    pub improvements: Vec<String>,
}

text_enum!(
    /// Where a run's wording comes from.
    PromptSource {
        /// A variant that was offered.
        Enhanced = "enhanced",
        /// The person's own new words.
        OwnWords = "own_words",
        /// What the person said to a question of ours was added.
        Clarified = "clarified",
        /// The run was restarted with other words.
        Restarted = "restarted",
    }
);

/// A run goes on with other words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PromptChange {
    /// Wording that takes the place of the old one.
    pub text: String,
    /// Where they come from.
    pub source: PromptSource,
    /// The quality of the words before, if it was judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score_before: Option<u8>,
    /// The letter of the variant that was chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
}
