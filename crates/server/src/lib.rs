//! Candor as a service. For now that is an MCP server over a pair of pipes.
//!
//! This crate owns everything that is MCP: the wire, the tools with their schemas and annotations, the shape of
//! results, waiting and progress. What Candor itself can be asked stands in one trait, [`Api`]; whoever has a
//! log and agents implements it. Nothing here reads a file, opens a log or drives a run.

mod api;
mod inputs;
mod mcp;
mod report;
mod tools;
mod wait;
mod wire;

pub use api::{Api, ApiError, Driver, FailureSight, PlanSight, ProgressOf, RunView, TaskSight};
pub use mcp::{ServeError, serve};
