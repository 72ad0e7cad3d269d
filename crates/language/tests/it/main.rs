//! All integration tests of `candor-language`, in one binary: each binary costs a link.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    unreachable_pub,
    reason = "test code"
)]

mod evaluate;
mod figures;
mod goal_spanish;
mod goal_table;
mod goal_travel;
mod goal_work;
mod guard;
mod limits;
mod questions;
mod split;
mod success;
