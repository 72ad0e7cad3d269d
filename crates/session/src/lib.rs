//! One run without I/O: the engine's state, the phases, what was requested from outside and is not answered yet,
//! the messages between agents, and the circuit breakers as the run knows them.
//!
//! A driver is a loop around a [`Session`]:
//!
//! ```text
//! handle(input, now)        an input is decided on; its events wait to be appended
//! append(now)               phases work; gives the events to append, or nothing
//! committed(append)         they are durable: gives them with their positions, and who waited gets an answer
//! conflict(log, now)        someone else wrote in between: everything is decided on again
//! poll_effect()             what the outside has to do now; its outcome is an input
//! poll_cancelled()          what nobody waits for any more
//! next_timeout()            when a tick is due
//! snapshot()                what the run looks like
//! ```
//!
//! The session has no clock, no randomness and no files: `runtime` drives it on tokio with a store, `testkit` in a
//! simulator, a dry run on a log in memory. All of them go through the same guardrails, phases and rules.

mod agents;
mod asks;
mod circuits;
mod history;
mod input;
mod messages;
mod phase_loop;
mod reading;
mod requests;
mod session;

pub use circuits::{CircuitState, Circuits, MemoryCircuits, model_circuit};
pub use history::Learned;
pub use input::{
    AgentRequest, Answer, AttemptEnd, AttemptKey, Ended, Outcome, Reply, RequestId, SessionInput, Ticket,
};
pub use phase_loop::PhaseWork;
pub use session::{Append, RunSnapshot, Session, SessionDeps};
