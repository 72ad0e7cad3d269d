//! What phases 0 to 2 put out: pre-analysis, evaluation and context.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::PhaseOutput;
use crate::text_enum::text_enum;
use crate::{CalibrationMetrics, Complexity, JsonMap, Money, Phase, PromptQuality};

text_enum!(
    /// A part of a phase that a run can do without. Phases themselves always run.
    OptionalStep {
        /// Better wordings for a weak request.
        PromptEnhancement = "prompt_enhancement",
        /// Reading the files that a request names.
        FileReading = "file_reading",
    }
);

/// What there is to work with.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PreAnalysisOutput {
    /// Whether the request is known.
    pub cached: Option<CacheStatus>,
    /// What the run may spend; absent if pre-analysis failed.
    pub budget: Option<BudgetOverview>,
    /// What is left out of the run.
    pub skip: Vec<OptionalStep>,
    /// How sure the cache is, in older logs, where `cached` is only yes or no.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<u8>,
}

impl PhaseOutput for PreAnalysisOutput {
    const PHASE: Phase = Phase::PreAnalysis;
}

/// Whether a request is known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum CacheStatus {
    /// No, because nobody could look; in older logs also yes.
    Flag(bool),
    /// As it was looked up.
    Lookup(CacheLookup),
}

/// What was found when the request was looked up.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CacheLookup {
    /// Whether the same words were broken down before.
    pub hit: bool,
    /// How sure the cache is of it, from 0 to 100.
    pub confidence: u8,
    /// What was looked up; left out of what the context phase hands over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<LookedUpRequest>,
    /// Whether the context phase had to look again, because the words had changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub looked_up_again: Option<bool>,
}

/// The request as it was looked up.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LookedUpRequest {
    /// The words as they are compared.
    pub normalised: String,
    /// How many words it has.
    pub words: usize,
    /// How many bytes it has.
    pub bytes: usize,
    /// Whether a goal was supplied with it.
    pub brought_goal: bool,
    /// Whether a plan was supplied with it.
    pub brought_plan: bool,
}

/// What the run may spend.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct BudgetOverview {
    /// Tokens that models may take.
    pub tokens: u64,
    /// Money for the run; without a limit if absent.
    pub cost: Option<Money>,
    /// Money that planning may take.
    pub planning: Money,
    /// What was spent before the first phase.
    pub spent: Amounts<Money>,
    /// Rest of each budget; `None` where there is no limit.
    pub remaining: Amounts<Option<Money>>,
    /// Whose budget it is.
    pub source: String,
}

/// A number of tokens and an amount of money, limited or spent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Amounts<C: Default> {
    /// Tokens of models, in and out.
    pub tokens: u64,
    /// Money, or `None` where it has no limit.
    pub cost: C,
}

/// The request, read and judged. `R` is how the rules read it: language, facts, guesses and doubts.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EvaluationOutput<R = JsonMap> {
    /// How the request was read.
    #[serde(flatten)]
    pub reading: R,
    /// What the request is about.
    #[serde(default)]
    pub keywords: Option<Vec<String>>,
    /// How much there is to it.
    #[serde(default)]
    pub complexity: Option<Complexity>,
    /// How well it says what is wanted.
    #[serde(default)]
    pub prompt_quality: Option<PromptQuality>,
    /// How sure the evaluation is, from 0 to 100.
    #[serde(default)]
    pub confidence: u8,
    /// How many files the request names.
    #[serde(default)]
    pub file_count: u32,
    /// The model that read the request; absent if rules did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

impl<R> PhaseOutput for EvaluationOutput<R> {
    const PHASE: Phase = Phase::Evaluation;
}

/// What is known and of use.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ContextOutput {
    /// How far past confidence can be trusted.
    pub calibration: CalibrationMetrics,
    /// How many agents there are.
    pub agents: usize,
    /// Whether the request is known, with its files taken into account.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached: Option<CacheStatus>,
    /// What is loaded for the phases to come, the most relevant first.
    pub loaded: Vec<LoadedItem>,
    /// What there was no room for, a line each.
    pub dropped: Vec<String>,
    /// What could not be read, a line each.
    pub failed: Vec<String>,
    /// How large what is loaded is, in tokens.
    pub tokens: usize,
    /// Commands that the request names.
    pub commands: Vec<NamedCommand>,
    /// Which packs and agents are of use.
    pub skills: SkillAnswers,
    /// The names of those that are.
    pub skills_activated: Vec<String>,
    /// What went wrong before in work like this, once there is a memory to tell.
    #[serde(alias = "pastErrors", skip_serializing_if = "Vec::is_empty")]
    pub past_errors: Vec<PastError>,
}

impl PhaseOutput for ContextOutput {
    const PHASE: Phase = Phase::Context;
}

text_enum!(
    /// What kind of thing is loaded.
    #[derive(Default)]
    LoadedKind {
        /// A file that the request names.
        #[default]
        File = "file",
        /// The project's own instructions, such as AGENTS.md.
        Instructions = "instructions",
        /// How past plans ended.
        Calibration = "calibration",
        /// The agents that fit.
        Agents = "agents",
        /// A decision of this run.
        Decision = "decision",
    }
);

/// One thing that is loaded.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LoadedItem {
    /// Whether it is a file, a past error or something else.
    pub kind: LoadedKind,
    /// Its name: the path of a file, for instance.
    #[serde(rename = "ref")]
    pub name: String,
    /// How large it is.
    pub tokens: usize,
    /// How much it has to do with the request, from 0 to 1.
    pub relevance: f64,
    /// The digest of a file as it was before the work.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub hash: String,
}

/// A command that the request names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedCommand {
    /// Command line as the request names it.
    pub name: String,
    /// Whether it is of use.
    pub answer: YesNo,
    /// Ground for the choice.
    pub reason: String,
}

text_enum!(
    /// Whether something is of use.
    YesNo {
        /// Written as `YES`.
        Yes = "YES",
        /// Written as `NO`.
        No = "NO",
    }
);

text_enum!(
    /// What may be of use.
    SkillKind {
        /// A pack of domain knowledge.
        Pack = "pack",
        /// An agent of the registry.
        Agent = "agent",
    }
);

/// Which packs and agents are of use.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SkillAnswers {
    /// How many were looked at.
    pub evaluated: usize,
    /// How many are of use.
    pub yes: usize,
    /// How many are not.
    pub no: usize,
    /// One by one; of very many, those that are of use.
    pub answers: Vec<SkillAnswer>,
}

/// Whether one pack or agent is of use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillAnswer {
    /// Kind of skill that was found.
    pub kind: SkillKind,
    /// Name under which it can be used.
    pub name: String,
    /// Whether it is of use.
    pub answer: YesNo,
    /// Ground for the choice.
    pub reason: String,
}

/// Something that went wrong before, in the forms in which a memory may tell it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum PastError {
    /// A sentence without structure.
    Text(String),
    /// An object with known fields.
    Entry(PastErrorEntry),
    /// In a form that nobody here knows.
    Other(Value),
}

impl PastError {
    /// What went wrong, in words.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Entry(PastErrorEntry { error, text, summary, issue }) => {
                [error, text, summary, issue].into_iter().find_map(Option::as_deref)
            }
            Self::Other(_) => None,
        }
    }
}

/// An entry of a memory; the first field that is there says what went wrong.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PastErrorEntry {
    /// Message of the error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The same under another name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The same under another name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// The same under another name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issue: Option<String>,
}
