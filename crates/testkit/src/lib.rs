//! What tests share: the worked example, generators, step-by-step scenarios, and the simulator.

pub mod arbitrary;
pub mod consulting;
pub mod fixtures;
pub mod fuzzing;
pub mod golden;
pub mod load;
pub mod scenario;
pub mod sim;
