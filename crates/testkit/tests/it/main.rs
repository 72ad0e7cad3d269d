//! All integration tests of `candor-testkit`, in one binary: each binary costs a link.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    unreachable_pub,
    reason = "test code"
)]

mod bad_input;
mod durable;
mod fuzzing;
mod kill_points;
mod model_server;
