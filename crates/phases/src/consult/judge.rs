//! `judge_result`: whether words that no program can check hold of what was put out. A judgement counts only with a
//! quotation that occurs in it.

use candor_model::{Ask, Tier};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How much of what was put out is shown.
const SHOWN_CHARS: usize = 12_000;

/// What a model thinks of each criterion.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct JudgeAnswer {
    /// One entry per criterion.
    #[schemars(length(max = 20))]
    pub(crate) judgements: Vec<Judgement>,
}

/// What a model thinks of one criterion.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Judgement {
    /// The number of the criterion, from 1.
    #[schemars(range(min = 1, max = 20))]
    pub(crate) criterion: usize,
    /// Whether it holds; absent if the results do not tell.
    pub(crate) holds: Option<bool>,
    /// The words of the results that show it, exactly as they stand there; empty if none do.
    pub(crate) quote: String,
    /// Why, in a sentence.
    pub(crate) reason: String,
}

/// Asks whether these words hold of what was put out.
pub(crate) fn judge_result(request: &str, criteria: &[String], results: &str, tier: Tier) -> Ask {
    let mut ask = Ask::expecting::<JudgeAnswer>("judge_result", tier);
    ask.slots.insert("request", request.to_owned());
    let listed: Vec<String> = (1..).zip(criteria).map(|(n, words)| format!("{n}. {words}")).collect();
    ask.slots.insert("criteria", listed.join("\n"));
    ask.slots.insert("results", results.chars().take(SHOWN_CHARS).collect());
    ask.max_output_tokens = 800;
    ask
}
