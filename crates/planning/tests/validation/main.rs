//! Plan validation against the worked example and against generated plans.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "test code"
)]

mod assignment;
mod completeness;
mod dependencies;
mod door;
mod repair;
mod support;
