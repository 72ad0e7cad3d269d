//! Candor as a service: an MCP server over a pair of pipes, and an HTTP server with an API, live events, pages, MCP and
//! A2A.
//!
//! This crate owns what is protocol: wires, schemas, the shape of answers, waiting, who may do what. What is asked for
//! is done by [`candor_app::Service`], and where a run stands is read from `candor_projections`. Nothing here opens a
//! log or drives a run.

mod decision;
mod error;
mod http;
mod inputs;
mod mcp;
mod report;
mod tools;
mod wait;
mod wire;

pub use http::{HttpError, HttpOptions, HttpServer, TlsFiles, openapi};
pub use mcp::{ServeError, serve};
