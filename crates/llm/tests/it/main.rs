//! All integration tests of `candor-llm`, in one binary: each binary costs a link.

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

mod chat_answers;
mod chat_failures;
mod chat_recordings;
mod chat_smol;
mod chat_support;
mod fallback_policy;
mod json_repair;
mod prompts;
mod tiers;
