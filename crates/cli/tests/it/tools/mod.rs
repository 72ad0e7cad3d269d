//! Agents that work with tools, as people have them: the real command, real servers that speak MCP, a scripted
//! model on a real socket; and servers, models and Candor itself that break in the middle.

mod approval;
pub(crate) mod bench;
mod broken_servers;
mod clean_runs;
mod confined;
mod failures;
mod hostile_results;
mod kills;
mod last_resort;
pub(crate) mod models;
mod replan;
mod rollback;
