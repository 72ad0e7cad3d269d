//! Sessions driven by hand: batches, conflicts, deadlines, cancellation, and the one loop by which models are asked.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "test code"
)]

mod asking;
mod batches;
mod hand;
mod requests;
