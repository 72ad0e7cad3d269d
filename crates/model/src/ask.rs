//! What a phase or an agent asks a model, and the decision what comes next in such an ask.
//!
//! An ask is answered step by step: a call, a repair, the question again, a lower tier, and at the end the
//! rule-based fallback. Nothing is kept between two steps but the steps themselves, so an ask can go on in
//! another process.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{AskKey, AskStep, Consulted, Money, Seconds, TaskId, Tier};

/// Says what is wrong with an answer; nothing if it can be used.
pub type Check = Arc<dyn Fn(&Value) -> Vec<String> + Send + Sync>;

/// A text's meaning as a vector of length 1.
pub type Vector = Arc<[f32]>;

/// A question to a model.
#[derive(Clone)]
pub struct Ask {
    /// What is asked, such as `parse_goal`; the prompt has this name.
    pub step: &'static str,
    /// How capable a model it needs.
    pub tier: Tier,
    /// Who is to answer, in the words of whoever runs the installation: they instruct, and are no data.
    pub role: String,
    /// What the prompt's slots are filled with. It is data, whatever it says.
    pub slots: BTreeMap<&'static str, String>,
    /// The slots whose texts give orders to models; the prompt says so.
    pub suspicious: BTreeSet<&'static str>,
    /// The shape of the answer, as JSON Schema; none if any text is an answer.
    pub schema: Option<Value>,
    /// Judges an answer that has this shape.
    pub check: Check,
    /// How long the answer may be.
    pub max_output_tokens: u32,
    /// How freely it is answered, from 0 to 2; if unset, as the tier is configured.
    pub temperature: Option<f64>,
}

impl Ask {
    /// A question whose answer is a `T`.
    #[must_use]
    pub fn expecting<T: DeserializeOwned + JsonSchema>(step: &'static str, tier: Tier) -> Self {
        let schema = schemars::schema_for!(T).to_value();
        let check = |value: &Value| match crate::from_value::<T>(value.clone()) {
            Ok(_) => Vec::new(),
            Err(error) => vec![error.to_string()],
        };
        Self {
            step,
            tier,
            role: String::new(),
            slots: BTreeMap::new(),
            suspicious: BTreeSet::new(),
            schema: Some(schema),
            check: Arc::new(check),
            max_output_tokens: 1024,
            temperature: None,
        }
    }

    /// A question whose answer is a text.
    #[must_use]
    pub fn for_text(step: &'static str, tier: Tier) -> Self {
        let check = |value: &Value| match value.as_str() {
            Some(text) if !text.trim().is_empty() => Vec::new(),
            _ => vec!["the answer is empty".to_owned()],
        };
        Self { schema: None, check: Arc::new(check), ..Self::expecting::<Value>(step, tier) }
    }

    /// Fills a slot, unless there is nothing to say in it.
    pub fn tell(&mut self, slot: &'static str, value: String) {
        if !value.trim().is_empty() {
            self.slots.insert(slot, value);
        }
    }
}

/// Two asks are equal when a model would be asked the same; the check of the answer follows from it.
impl PartialEq for Ask {
    fn eq(&self, other: &Self) -> bool {
        let Self { step, tier, role, slots, suspicious: _, schema, check: _, max_output_tokens, temperature } =
            self;
        (step, tier, max_output_tokens, temperature)
            == (&other.step, &other.tier, &other.max_output_tokens, &other.temperature)
            && *role == other.role
            && *slots == other.slots
            && *schema == other.schema
    }
}

impl fmt::Debug for Ask {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Ask")
            .field("step", &self.step)
            .field("tier", &self.tier)
            .finish_non_exhaustive()
    }
}

/// Names an ask within its run: of a phase, or of an agent at work.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum AskId {
    /// A phase asks; the steps are events of their own.
    Phase(AskKey),
    /// An attempt asks; the steps are among its notes.
    Attempt {
        /// Task that the asking attempt works at.
        task_id: TaskId,
        /// Number of the asking attempt, from 1.
        attempt: u32,
        /// The name under which the steps are noted.
        name: String,
    },
}

impl fmt::Display for AskId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Phase(key) => write!(formatter, "ask/{key}"),
            Self::Attempt { task_id, attempt, name } => write!(formatter, "{task_id}/{attempt}/ask/{name}"),
        }
    }
}

/// One call of a model: everything that whoever makes it needs.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelRequest {
    /// The ask that it is a step of.
    pub id: AskId,
    /// Which step it is, from 1.
    pub number: u32,
    /// Question and its data; the prompt is made of them.
    pub ask: Ask,
    /// The steps before it.
    pub past: Vec<Consulted>,
    /// What the call must keep to.
    pub limits: CallLimits,
    /// How long to wait before it.
    pub after: Seconds,
}

/// A call that would be made next.
#[derive(Debug, Clone, PartialEq)]
pub struct NextCall {
    /// Tier that is asked, after any step down.
    pub tier: Tier,
    /// Provider and model as one name, such as `openai/gpt-4o`.
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
    /// Ask this model now.
    Call(NextCall),
    /// A step that needs none.
    Step(AskStep),
}

/// Decides what comes next in an ask, without making any call. The same arguments always give the same answer.
pub trait AskPolicy: Send + Sync {
    /// What comes next in an ask that has come this far, with so much money left.
    fn next(&self, ask: &Ask, past: &[Consulted], left: Money) -> Next;

    /// The step down from the tier that is next, for a reason that lies outside: its circuit is open, or there is
    /// no money for it.
    fn step_down(&self, ask: &Ask, past: &[Consulted], reason: &str) -> AskStep;
}

/// Looks up what texts mean, without waiting for anything.
pub trait Vectors: Send + Sync {
    /// Names the model; vectors of different models cannot be compared.
    fn name(&self) -> &str;

    /// The vector of a text, if it takes no time worth speaking of: computed in microseconds, or remembered.
    fn at_once(&self, text: &str) -> Option<Vector>;

    /// Whether a text that has no vector at once may still get one: from a server, or by some work.
    fn needs_time(&self) -> bool {
        true
    }
}

/// Texts that are to be embedded.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Texts {
    /// Those that will be asked for again and again: what agents say of themselves.
    pub lasting: Vec<String>,
    /// Those of one plan.
    pub passing: Vec<String>,
}

impl Texts {
    /// Whether there is nothing to embed.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.lasting.is_empty() && self.passing.is_empty()
    }
}
