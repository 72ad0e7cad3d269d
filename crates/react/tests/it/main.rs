//! All integration tests of `candor-react`, in one binary: each binary costs a link.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    unreachable_pub,
    reason = "test code"
)]

mod common;
mod fold;
mod list;
mod mission;
mod replanning;
mod rules;
