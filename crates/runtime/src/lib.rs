//! The tokio driver: it stands between the engine and the world.
//!
//! Its loop: inputs → `decide` → append (durable) → tell readers → perform the effects that are new, stop
//! those that are gone. Nothing outside is touched before the events that ask for it are durable. After a
//! crash it folds the log and performs what is still asked for.
//!
//! [`Runtime`] holds what all runs share; [`RunHandle`] is one run that is being driven. A run is driven by
//! one process at a time: [`Lease`].

mod breakers;
mod clock;
mod driver;
mod lease;
mod staff;

pub use clock::{Clock, wall};
pub use driver::{DriveError, Equipment, ForkPoint, RunHandle, RunOrder, Runtime, Standing};
pub use lease::{Lease, LeaseError};
pub use staff::Staff;
