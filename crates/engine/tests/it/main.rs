//! All integration tests of `candor-engine`, in one binary: each binary costs a link.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    unreachable_pub,
    reason = "test code"
)]

mod control;
mod critiques;
mod execution;
mod failures;
mod golden;
mod guardrails;
mod limits;
mod loops;
mod models;
mod notes;
mod people;
mod phases;
mod plan_talks;
mod prompts;
mod rework;
mod talking;
mod targets;
