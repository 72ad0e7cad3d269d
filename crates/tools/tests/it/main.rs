//! All integration tests of `candor-tools`, in one binary: each binary costs a link.

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

mod builtin_files;
mod builtin_http;
mod common;
mod failures;
mod servers;
mod support;
