//! The tokio driver: it stands between the engine and the world.
//!
//! Its loop: inputs → `decide` → append (durable) → tell observers → perform the effects that are new, stop
//! those that are gone. Nothing outside is touched before the events that ask for it are durable. After a
//! crash it folds the log and performs what is still asked for.
//!
//! [`Runtime`] holds what all runs share; [`RunHandle`] is one run that is being driven. A run is driven by
//! one process at a time: [`Lease`].

mod agent_registry;
mod breakers;
mod clock;
mod driver;
mod lease;

pub use agent_registry::AgentRegistry;
pub use clock::{Clock, wall};
pub use driver::{DriveError, ForkPoint, RunHandle, RunOrder, RunSnapshot, Runtime, RuntimeDeps};
pub use lease::{Lease, LeaseError};
