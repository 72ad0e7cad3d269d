//! Questions to models in scenarios: calls and steps as a driver would tell of them.

use candor_engine::Input;
use candor_model::{
    AskKey, AskStep, Consulted, ModelCall, ModelErrorKind, ModelFailure, Money, Phase, Seconds, Tier,
    TokenUse,
};
use serde_json::{Value, json};

/// What a phase asks.
#[must_use]
pub fn ask(phase: Phase, step: &str) -> AskKey {
    AskKey { phase, attempt: 1, step: step.to_owned() }
}

/// A model is about to be called for this much at most.
#[must_use]
pub fn consulting(ask: &AskKey, reserved: u64) -> Input {
    let (tier, model) = (Tier::Balanced, "acme/medium".to_owned());
    Input::Consulting { ask: ask.clone(), tier, model, reserved: Money::from_micros(reserved) }
}

/// A step was made.
#[must_use]
pub fn consulted(ask: &AskKey, number: u32, call: Option<ModelCall>, outcome: AskStep) -> Input {
    Input::Consulted { ask: ask.clone(), number, step: Box::new(Consulted { call, outcome }) }
}

/// A call that answered and cost this much.
#[must_use]
pub fn answered(text: &str, cost: u64) -> ModelCall {
    ModelCall {
        tier: Tier::Balanced,
        model: "acme/medium".to_owned(),
        prompt: "parse_goal@1".to_owned(),
        request: "0123abcd".to_owned(),
        answer: Some(text.to_owned()),
        failure: None,
        tokens: TokenUse { input: 200, output: 100, ..TokenUse::default() },
        cost: Money::from_micros(cost),
        saved: Money::ZERO,
        duration_seconds: Seconds::from_millis(850),
        details: None,
    }
}

/// A call that failed.
#[must_use]
pub fn failed(kind: ModelErrorKind) -> ModelCall {
    let failure = ModelFailure { kind, message: "the provider said no".to_owned(), retry_after: None };
    ModelCall { answer: None, failure: Some(failure), tokens: TokenUse::default(), ..answered("", 0) }
}

/// The answer is used.
#[must_use]
pub fn accepted() -> AskStep {
    AskStep::Accepted { value: json!({ "destination": "Paris" }), repairs: vec!["fences removed".to_owned()] }
}

/// The same with this value.
#[must_use]
pub const fn accepted_as(value: Value) -> AskStep {
    AskStep::Accepted { value, repairs: Vec::new() }
}

/// The next tier is asked.
#[must_use]
pub fn fall_back(reason: &str) -> AskStep {
    AskStep::FallBack { from: Tier::Balanced, to: Tier::Fast, reason: reason.to_owned() }
}

/// The rule-based fallback is used, for this reason.
#[must_use]
pub fn give_up(reason: &str) -> AskStep {
    AskStep::GiveUp { from: Tier::Fast, reason: reason.to_owned(), kind: None }
}
