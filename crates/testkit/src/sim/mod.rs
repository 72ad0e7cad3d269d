//! A seeded simulator that tries to break the engine.
//!
//! One seed decides everything: the plan, what agents, models and people do and when, where the process
//! dies, what is lost, doubled or late. The session is the real one, as drivers use it; store, phases,
//! agents, models, people and clock are simulated. While it runs, every append is checked against the [invariants](invariants::Invariants). Then the faults
//! stop, and the run must come to its end. What fails, fails again with the same seed.

mod agents;
mod desks;
mod invariants;
mod models;
mod people;
mod phases;
mod process;
mod story;
mod talk;
mod world;

pub use people::helpful_answer;
pub use story::Story;
pub use world::{Failure, Stats, log_of_seed, run_seed};
