//! Code, as the real command looks at it and runs it: a real parser, the real sandbox, a real Python.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "test code"
)]

mod bench;
mod check;
mod data;
mod docs;
mod nodes;
mod run;
#[expect(dead_code, reason = "shared with the tests of the command, which use the rest")]
#[path = "../command/support.rs"]
mod support;
mod workflows;
