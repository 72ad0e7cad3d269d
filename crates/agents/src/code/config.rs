//! What a code agent is made of.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use candor_model::{Money, Tier};
use candor_ports::CodeRunner;
use candor_pycheck::{Language, Policy, Syntax};

use super::docs::Documentation;
use super::proven::ProvenCode;

/// Which models the components ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodeTiers {
    /// Tier of the input analyser.
    pub input: Tier,
    /// Tier of the data analyser.
    pub data: Tier,
    /// Tier of the code generator.
    pub code: Tier,
    /// Tier of the output validator.
    pub output: Tier,
}

impl Default for CodeTiers {
    /// Cheap ones decide and judge, the best one writes code.
    fn default() -> Self {
        Self { input: Tier::Fast, data: Tier::Fast, code: Tier::Strong, output: Tier::Fast }
    }
}

/// What a code agent is made of.
#[derive(Clone)]
pub struct CodeAgentConfig {
    /// What it is called, in messages.
    pub name: String,
    /// Runs code that passed the check.
    pub runner: Arc<dyn CodeRunner>,
    /// What code may not do.
    pub policy: Policy,
    /// Which Python it is written for: the runner's own, if that can be found out, for the latest.
    pub syntax: Syntax,
    /// The language of its messages.
    pub language: Language,
    /// Where things are looked up.
    pub docs: Option<Arc<dyn Documentation>>,
    /// Where code that did its task is kept.
    pub proven: Option<Arc<dyn ProvenCode>>,
    /// Where it is kept what the runner's Python has.
    pub library_file: Option<PathBuf>,
    /// The libraries that models are told of; those that the runner's Python has if nothing is said.
    pub libraries: Option<Vec<String>>,
    /// Which models are asked.
    pub tiers: CodeTiers,
    /// How many attempts are made at most.
    pub max_attempts: u32,
    /// How long each run may take.
    pub timeout: Duration,
    /// What one attempt at the task may cost.
    pub max_cost: Money,
    /// Who it is, for its models.
    pub role: String,
    /// Whether models are told only types and sizes, and not the first characters of short values.
    pub types_only: bool,
}

impl CodeAgentConfig {
    /// A code agent with the usual limits.
    #[must_use]
    pub fn new(name: impl Into<String>, runner: Arc<dyn CodeRunner>) -> Self {
        Self {
            name: name.into(),
            runner,
            policy: Policy::default(),
            syntax: Syntax::Latest,
            language: Language::English,
            docs: None,
            proven: None,
            library_file: None,
            libraries: None,
            tiers: CodeTiers::default(),
            max_attempts: 3,
            timeout: Duration::from_secs(30),
            max_cost: Money::from_micros(500_000),
            role: String::new(),
            types_only: false,
        }
    }
}
