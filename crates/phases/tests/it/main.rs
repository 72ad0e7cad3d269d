//! All integration tests of `candor-phases`, in one binary: each binary costs a link.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::disallowed_methods,
    unreachable_pub,
    reason = "test code"
)]

mod cases;
mod closing;
mod consulting;
mod decompose;
mod evaluation_phases;
mod guard;
mod lexical;
mod phases;
mod plan_support;
mod plan_talk;
mod travel_recovery;
