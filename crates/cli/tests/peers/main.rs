//! The real `candor` with a real remote agent: `a2a_peer.py`, made with the A2A protocol's own Python SDK.

#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stderr,
    reason = "test code"
)]

mod asking;
mod meeting;
mod peer;
mod secrets;
mod stopping;
#[path = "../command/support.rs"]
#[allow(dead_code, reason = "the other target uses all of it")]
mod support;
