//! Tools: those that come with Candor, and those of MCP servers, as one toolbox.
//!
//! A [`ToolSource`] has tools; [`Tools`] puts several together and is what agents are given, each with a view of
//! its own ([`Tools::only`]). A [`McpServer`] is the source that looks after one server of the Model Context
//! Protocol: it starts it when it is first needed, watches it, and ends it with everything it started.

pub mod builtin;
mod config;
mod fill;
#[doc(hidden)]
pub mod fuzzing;
mod mcp;
mod source;
mod tools;

pub use self::config::{ConfigError, HintOverride, ServerConfig, ToolOverride};
pub use self::fill::fill;
pub use self::mcp::McpServer;
pub use self::source::{ServerHealth, ToolSource, check_arguments, with_undo};
pub use self::tools::Tools;
