//! Where each part of a request went, so that nothing of it disappears unnoticed.

use serde::{Deserialize, Serialize};

/// Why thanks and greetings are in no step.
pub const COURTESY: &str = "courtesy";

/// What became of a part of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "in", rename_all = "snake_case")]
pub enum Place {
    /// It is in these steps, by their zero-based places.
    Task {
        /// The steps.
        steps: Vec<usize>,
    },
    /// It limits what is done.
    Constraint,
    /// It says when these steps may be done, or when they stop.
    Condition {
        /// The steps that it guards.
        steps: Vec<usize>,
    },
    /// It is background that everybody who works on the request may need.
    Context,
    /// Nobody works on it.
    Dropped {
        /// Why.
        reason: String,
    },
}

/// A part of a request, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// Its words.
    pub text: String,
    /// What became of it.
    #[serde(flatten)]
    pub place: Place,
}

impl Place {
    /// The same after steps have changed their places; `order` has the old place of each.
    pub(super) fn moved(self, order: &[usize]) -> Self {
        let new = |steps: Vec<usize>| {
            steps.iter().map(|old| order.iter().position(|place| place == old).unwrap_or(*old)).collect()
        };
        match self {
            Self::Task { steps } => Self::Task { steps: new(steps) },
            Self::Condition { steps } => Self::Condition { steps: new(steps) },
            other => other,
        }
    }
}
