//! What tests share: the worked example, generators, step-by-step scenarios, and the simulator.

pub mod arbitrary;
pub mod fixtures;
pub mod scenario;
pub mod sim;
