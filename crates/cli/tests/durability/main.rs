//! The real `candor` with real children on a real disk, under everything that can happen to a process: it is
//! killed, interrupted, run twice at once, and out of space.

#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    unreachable_pub,
    reason = "test code"
)]

mod clock;
mod disk;
mod kills;
mod orphans;
mod sharing;
mod signals;
mod support;
