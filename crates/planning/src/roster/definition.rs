//! What an agent is: its name, its tier, its place, its tools, when it is called, and what it is told.

use std::fmt;
use std::str::FromStr;

use candor_model::{Phase, Tier, ValidationError};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::guardrails::{Enforcement, RulePriority};

/// The tools that come with Candor, by the names that definitions use.
pub mod tool {
    /// Gives the text of one file.
    pub const READ: &str = "read";
    /// Finds lines in files by a pattern.
    pub const CONTENT_SEARCH: &str = "content_search";
    /// Finds files by a pattern of their paths.
    pub const FILE_SEARCH: &str = "file_search";
    /// Puts a question to the person and waits for the answer.
    pub const ASK_HUMAN: &str = "ask_human";
    /// Makes a file, or replaces the whole of it.
    pub const WRITE: &str = "write";
    /// Replaces a passage of a file.
    pub const EDIT: &str = "edit";
    /// Runs a command line.
    pub const SHELL: &str = "shell";

    /// Every tool that a definition may name.
    pub const ALL: &[&str] = &[READ, CONTENT_SEARCH, FILE_SEARCH, ASK_HUMAN, WRITE, EDIT, SHELL];
}

/// An agent's place: a phase and, where the order within it matters, a letter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PhaseSlot {
    /// Phase in whose work the agent takes part.
    pub phase: Phase,
    /// The step within it.
    pub letter: Option<char>,
}

impl fmt::Display for PhaseSlot {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.phase.number())?;
        self.letter.map_or(Ok(()), |letter| write!(formatter, "{letter}"))
    }
}

impl FromStr for PhaseSlot {
    type Err = ValidationError;

    fn from_str(text: &str) -> Result<Self, ValidationError> {
        let wrong = || {
            let problem =
                "unknown phase: write 0 to 7, with a small letter for a step within it, such as `3a`";
            ValidationError::new("phase", format!("`{}`: {problem}", text.escape_debug()))
        };
        let mut signs = text.chars();
        let number = signs.next().and_then(|sign| sign.to_digit(10)).ok_or_else(wrong)?;
        let letter = signs.next();
        if signs.next().is_some() || letter.is_some_and(|letter| !letter.is_ascii_lowercase()) {
            return Err(wrong());
        }
        let phase = Phase::ALL.iter().copied().find(|phase| u32::from(phase.number()) == number);
        Ok(Self { phase: phase.ok_or_else(wrong)?, letter })
    }
}

impl Serialize for PhaseSlot {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for PhaseSlot {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl de::Visitor<'_> for Text {
            type Value = PhaseSlot;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a phase such as \"3a\" or 3")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<PhaseSlot, E> {
                text.parse().map_err(|error: ValidationError| E::custom(error.problem))
            }

            fn visit_u64<E: de::Error>(self, number: u64) -> Result<PhaseSlot, E> {
                self.visit_str(&number.to_string())
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> Result<PhaseSlot, E> {
                self.visit_str(&number.to_string())
            }
        }
        deserializer.deserialize_any(Text)
    }
}

/// When an agent is called, and whether it must be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Activation {
    /// What calls it, one of these.
    pub triggers: Vec<String>,
    /// How much it matters.
    #[serde(default)]
    pub priority: RulePriority,
    /// Whether its phase may end without it once it was called.
    pub enforcement: Enforcement,
    /// The agents that come before it.
    #[serde(default)]
    pub depends_on: Vec<String>,
}

/// An agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentDefinition {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// The tier of its model.
    pub model: Tier,
    /// Where it works; nowhere in particular for those that stand beside the phases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<PhaseSlot>,
    /// The tools it may use.
    #[serde(default)]
    pub tools: Vec<String>,
    /// When it is called; without this, whenever its phase runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub activation: Option<Activation>,
    /// What it is told to achieve.
    #[serde(default)]
    pub mission: String,
    /// What it is told it gets.
    #[serde(default)]
    pub input: String,
    /// What it is told to answer with.
    #[serde(default)]
    pub output: String,
    /// What it is told to keep to.
    #[serde(default)]
    pub rules: Vec<String>,
}

impl AgentDefinition {
    /// Those that come before it.
    #[must_use]
    pub fn depends_on(&self) -> &[String] {
        self.activation.as_ref().map_or(&[], |activation| &activation.depends_on)
    }
}
