//! All integration tests of `candor-planning`, in one binary: each binary costs a link.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    unreachable_pub,
    reason = "test code"
)]

mod approval;
mod budget;
mod bus;
mod calibration;
mod classify;
mod compress;
mod confidence;
mod criterion;
mod critique;
mod limits;
mod loop_guard;
mod metrics;
mod pack_rules;
mod proposal;
mod recovery;
mod replan;
mod report;
mod risk;
mod routing;
mod rules;
mod shared;
mod texts;
mod validation;
mod verdicts;
