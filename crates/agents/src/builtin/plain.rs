//! The simplest agents: one that does nothing, and one that gives back what it got.

use candor_model::{AgentAnswer, WorkOrder};
use candor_ports::AgentFailure;

use super::{Limit, Work};

/// Answers at once; each of its expected outputs is `true`.
pub(super) struct Noop;

impl Work for Noop {
    fn answer(&self, order: &WorkOrder, _: &Limit) -> Result<AgentAnswer, AgentFailure> {
        let outputs = order.expected_outputs.iter().map(|name| (name.clone(), true.into())).collect();
        Ok(AgentAnswer::success(outputs))
    }
}

/// Answers at once with its inputs.
pub(super) struct Echo;

impl Work for Echo {
    fn answer(&self, order: &WorkOrder, _: &Limit) -> Result<AgentAnswer, AgentFailure> {
        Ok(AgentAnswer::success(order.inputs.clone()))
    }
}
