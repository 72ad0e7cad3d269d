//! The real command, run as people and scripts run it: arguments in, exit code, stdout and stderr out. One binary:
//! each binary costs a link.

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

mod code;
mod command;
mod durability;
mod http;
mod models;
mod peers;
mod stories;
mod support;
mod tools;
