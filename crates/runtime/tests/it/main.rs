//! All integration tests of `candor-runtime`, in one binary: each binary costs a link.

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

mod control;
mod experience;
mod instructions;
mod latency;
mod models;
mod same_story;
mod support;
mod talk;
mod threads;
