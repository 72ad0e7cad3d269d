//! All integration tests of `candor-store`, in one binary: each binary costs a link.

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

mod append;
mod checkpoint;
mod common;
mod crowd;
mod damage;
mod lease;
mod lookout;
mod opening;
