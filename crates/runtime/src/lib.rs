//! The tokio driver: a thin adapter between sessions and the world.
//!
//! Its loop: inputs → session → append (durable) → observers → perform the effects that are new, stop those that
//! nobody waits for. What a run decides and when is the session's business; here are the inbox, the timers, the
//! performing of effects, the lease, and recovery on start.
//!
//! [`Runtime`] holds what all runs share; [`RunHandle`] is one run that is being driven. A run is driven by one
//! process at a time, the one that has its [`Lease`](candor_ports::Lease).

mod agent_registry;
mod attempt_context;
mod circuit_breaker;
mod clock;
mod driver;
mod dry_run;
mod fork;
mod perform;
mod runtime;
mod threads;

pub use agent_registry::AgentRegistry;
pub use candor_session::RunSnapshot;
pub use clock::{Clock, wall};
pub use dry_run::{DryRun, DryRunReport};
pub use fork::ForkPoint;
pub use runtime::{DriveError, RunHandle, RunOrder, RunRemote, Runtime, RuntimeDeps, ShortageCheck};
