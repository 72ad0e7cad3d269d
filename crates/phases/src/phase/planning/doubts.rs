//! What makes one less sure of a plan.

use candor_model::handoff::{DecompositionOutput, EvaluationOutput, HandedTask};
use candor_model::{Confidence, GoalType};

use super::super::ranking;
use crate::PhaseContext;
use crate::router::Explanation;
use candor_language::goal::Reading;

/// The highest confidence that rules alone can give.
const MOST: f64 = 0.95;

/// The highest confidence of a plan in which a task went to somebody who shares no word with it: low enough
/// that a person looks at it.
const MOST_IF_BLIND: f64 = 0.45;

/// What confidence loses per guess, per doubt and per gap, and because nobody knows this kind of goal.
const PER_GUESS: f64 = 0.02;
const PER_DOUBT: f64 = 0.10;
const PER_GAP: f64 = 0.05;
const UNKNOWN_KIND: f64 = 0.10;
/// Guesses alone never take more than this.
const ALL_GUESSES: f64 = 0.10;

/// What makes one less sure of a plan.
pub(super) struct Doubts {
    guesses: Vec<String>,
    doubts: Vec<String>,
    /// What the plan was asked to include and does not.
    gaps: Vec<String>,
    unknown_kind: bool,
    /// The mean score of the agents that were chosen.
    fit: f64,
    /// Tasks whose agent was chosen without a word in common.
    blind: usize,
}

impl Doubts {
    pub(super) fn of(cx: &PhaseContext<'_>, choices: &[Option<Explanation>], gaps: &[String]) -> Self {
        let Reading { mut guesses, doubts, .. } =
            cx.left::<EvaluationOutput<Reading>>().unwrap_or_default().reading;
        let decomposed: Option<DecompositionOutput<HandedTask>> = cx.left();
        guesses.extend(decomposed.and_then(|left| left.guesses).unwrap_or_default());
        // Who was named by the plan's author is no guess of ours, whatever the words say.
        let chosen: Vec<&Explanation> = choices.iter().flatten().collect();
        // The best agent of an imperfect world is as good as one gets: cost and rate are no doubt of the plan.
        let similar = chosen.iter().map(|explained| ranking::fit(explained)).sum::<f64>();
        let fit = if chosen.is_empty() { 1.0 } else { similar / chosen.len() as f64 };
        let blind = chosen.iter().filter(|explained| ranking::is_blind(explained)).count();
        let brought = cx.material.is_some_and(|material| material.plan.is_some());
        let unknown_kind = !brought && cx.goal.is_none_or(|goal| goal.goal_type == GoalType::GENERIC);
        Self { guesses, doubts, gaps: gaps.to_vec(), unknown_kind, fit, blind }
    }

    /// From 0.45 (everything is a guess) to 0.95 (everything fits), less what is guessed and doubtful.
    /// A model's opinion counts half.
    pub(super) fn confidence(&self, model: Option<f64>) -> Confidence {
        let guessed = (PER_GUESS * self.guesses.len() as f64).min(ALL_GUESSES);
        let doubtful = PER_DOUBT * self.doubts.len() as f64 + PER_GAP * self.gaps.len() as f64;
        let unknown = if self.unknown_kind { UNKNOWN_KIND } else { 0.0 };
        let most = if self.blind > 0 { MOST_IF_BLIND } else { MOST };
        let by_rules = 0.45 + 0.5 * self.fit - guessed - doubtful - unknown;
        let score = model.map_or(by_rules, |model| f64::midpoint(by_rules, model)).clamp(0.05, most);
        // More than two digits would only look exact.
        Confidence::new((score * 100.0).round() / 100.0).unwrap_or(Confidence::NONE)
    }

    pub(super) fn reasons(&self) -> Vec<String> {
        let guesses = self.guesses.iter().map(|guess| format!("Guessed: {guess}"));
        let doubts = self.doubts.iter().map(|doubt| format!("Unclear: {doubt}"));
        let blind = (self.blind > 0)
            .then(|| format!("{} tasks went to an agent that shares no word with them", self.blind));
        let gaps = self.gaps.iter().map(|gap| format!("Gap: {gap}"));
        guesses.chain(doubts).chain(gaps).chain(blind).collect()
    }
}
