//! Traces and sums over golden logs and simulated runs: nothing is lost, nothing is counted twice.

#![allow(clippy::unwrap_used, clippy::panic, reason = "test code")]

mod sums;
