//! What tests share: the worked example, generators, step-by-step scenarios, the simulator, and models that
//! answer on a real socket.

pub mod arbitrary;
pub mod consulting;
pub mod fixtures;
pub mod fuzzing;
pub mod golden;
pub mod load;
pub mod model_server;
pub mod peers;
pub mod phase_fixtures;
pub mod scenario;
pub mod sim;
pub mod skips;
pub mod smol;
