//! All integration tests of `candor-agents`, in one binary: each binary costs a link.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::needless_pass_by_value,
    clippy::print_stdout,
    unreachable_pub,
    reason = "test code"
)]

#[cfg(feature = "http")]
mod a2a;
#[cfg(feature = "http")]
mod a2a_faults;
#[cfg(unix)]
mod assistants;
mod builtin;
mod code_agent;
mod code_cache;
mod code_common;
mod code_components;
mod code_docs;
mod code_orchestrator;
mod code_states;
mod command;
mod common;
mod ending;
#[cfg(feature = "http")]
mod failure_kinds;
mod fault;
#[cfg(feature = "http")]
mod http;
mod inspector;
mod line;
mod tool_agent;
