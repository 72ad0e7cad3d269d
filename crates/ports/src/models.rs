//! Models: whoever answers a question with data of a given shape.
//!
//! An ask climbs a fallback policy: call, repair, ask again, a lower tier, and at its end the heuristic twin. Models
//! take one step of it at a time and keep nothing in between: what came before is handed in, so that a step
//! that is on the log is never paid for twice.

use std::collections::BTreeMap;
use std::sync::Arc;

use candor_model::{AskStep, Consulted, Money, Seconds, Tier};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::BoxFuture;

/// Says what is wrong with an answer; nothing if it can be used.
pub type Check = Arc<dyn Fn(&Value) -> Vec<String> + Send + Sync>;

/// Is told a model's words as they come. They are for eyes only: nothing is decided on them.
pub type Words = Arc<dyn Fn(&str) + Send + Sync>;

/// A question to a model.
#[derive(Clone)]
pub struct Ask {
    /// What is asked, such as `parse_goal`; the prompt has this name.
    pub step: &'static str,
    /// How capable a model it needs.
    pub tier: Tier,
    /// What the prompt's slots are filled with. It is data, whatever it says.
    pub slots: BTreeMap<&'static str, String>,
    /// The shape of the answer, as JSON Schema.
    pub schema: Value,
    /// Judges an answer that has this shape.
    pub check: Check,
    /// How long the answer may be.
    pub max_output_tokens: u32,
    /// How freely it is answered, from 0 to 2; as the tier is set if nothing is said.
    pub temperature: Option<f64>,
}

impl Ask {
    /// A question whose answer is a `T`.
    #[must_use]
    pub fn expecting<T: DeserializeOwned + JsonSchema>(step: &'static str, tier: Tier) -> Self {
        let schema = schemars::schema_for!(T).to_value();
        let check = |value: &Value| match candor_model::from_value::<T>(value.clone()) {
            Ok(_) => Vec::new(),
            Err(error) => vec![error.to_string()],
        };
        Self {
            step,
            tier,
            slots: BTreeMap::new(),
            schema,
            check: Arc::new(check),
            max_output_tokens: 1024,
            temperature: None,
        }
    }
}

impl std::fmt::Debug for Ask {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Ask")
            .field("step", &self.step)
            .field("tier", &self.tier)
            .finish_non_exhaustive()
    }
}

/// A call that would be made next.
#[derive(Debug, Clone, PartialEq)]
pub struct NextCall {
    /// The tier.
    pub tier: Tier,
    /// Provider and model.
    pub model: String,
    /// The most that it can cost: set aside before it is made.
    pub at_most: Money,
    /// How long its answer may be, so that it costs no more.
    pub max_output_tokens: u32,
    /// How long to wait before it.
    pub after: Seconds,
}

/// What a call must keep to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CallLimits {
    /// How long it may take.
    pub within: Seconds,
    /// How long its answer may be.
    pub max_output_tokens: u32,
}

/// What comes next in an ask.
#[derive(Debug, Clone, PartialEq)]
pub enum Next {
    /// A call.
    Call(NextCall),
    /// A step that needs none.
    Step(AskStep),
}

/// The models of an installation.
pub trait Models: Send + Sync {
    /// What comes next in an ask that has come this far, with so much money left. The same always gives the same.
    fn next(&self, ask: &Ask, past: &[Consulted], left: Money) -> Next;

    /// The step down from the tier that is next, for a reason that lies outside: its breaker is open, or
    /// there is no money for it.
    fn step_down(&self, ask: &Ask, past: &[Consulted], reason: &str) -> AskStep;

    /// Makes the call that is next, and judges what comes back. It keeps to `limits`, and ends soon after
    /// `stop` fires.
    fn call<'a>(
        &'a self,
        ask: &'a Ask,
        past: &'a [Consulted],
        limits: CallLimits,
        words: Option<Words>,
        stop: CancellationToken,
    ) -> BoxFuture<'a, Consulted>;
}
