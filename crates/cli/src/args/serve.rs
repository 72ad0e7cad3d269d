//! Arguments of the command with which other programs reach Candor.

use clap::Args;

use super::drive::ModelOptions;

/// How Candor is served.
#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// As an MCP server on standard input and output
    #[arg(long)]
    pub(crate) mcp: bool,
    #[command(flatten)]
    pub(crate) models: ModelOptions,
}
