//! All integration tests of `candor-text`, in one binary: each binary costs a link.

#![allow(clippy::indexing_slicing, reason = "test code")]

mod folding;
mod splitting;
mod stemming;
