//! The sockets between Candor and the world: traits only, no code that does anything.
//!
//! What plugs into them (a store, a model, agents, people) lives in crates of its own; what uses them
//! does not know which one is plugged in.

mod agent;
mod attempt_context;
mod code;
mod embedder;
mod inspector;
mod lease;
mod log;
mod models;
mod notifier;
mod observer;
mod pages;
mod peer_channel;
pub mod private;
mod streams;
mod toolbox;

pub use agent::{Agent, AgentFailure};
pub use attempt_context::AttemptContext;
pub use candor_model::{Ask, AskPolicy, CallLimits, Check, Next, NextCall, Texts, Vector, Vectors};
pub use code::{CodeFault, CodeJob, CodeLimit, CodeOutcome, CodeResult, CodeRun, CodeRunner};
pub use embedder::{EmbedError, Embedder};
pub use inspector::Inspector;
pub use lease::{Lease, LeaseError, Leases};
pub use log::{BoxFuture, EventLog, LogError, Retention, RunEntry, RunFilter};
pub use models::{Models, Words};
pub use notifier::{Listener, Notifier};
pub use observer::Observer;
pub use pages::{LogPages, LoggedEvent, RunPage, RunQuery, Seq};
pub use peer_channel::PeerChannel;
pub use streams::{Experience, Store, Stream, StreamNote, Streams};
pub use toolbox::Toolbox;
