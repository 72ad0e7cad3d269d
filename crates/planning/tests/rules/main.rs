//! The rules that an installation can change: scaling, guardrails, early exits, conflicts, the roster.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "test code"
)]

mod conflict;
mod early_exit;
mod files;
mod guardrails;
mod roster;
mod scaling;
