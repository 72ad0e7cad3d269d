//! Candor as a service. For now that is an MCP server over a pair of pipes.
//!
//! This crate owns everything that is MCP: the wire, the tools with their schemas and annotations, the shape of
//! results, waiting and progress. What is asked for is done by [`candor_app::Service`], and where a run stands is
//! read from `candor_projections`. Nothing here reads a file, opens a log or drives a run.

mod error;
mod inputs;
mod mcp;
mod report;
mod tools;
mod wait;
mod wire;

pub use mcp::{ServeError, serve};
