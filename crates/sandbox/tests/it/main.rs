//! All integration tests of `candor-sandbox`, in one binary: each binary costs a link.

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

mod channel;
mod confined;
mod e2b;
mod e2b_support;
mod escape_table;
mod escapes;
mod fixtures;
mod holes;
mod libraries;
mod pool;
