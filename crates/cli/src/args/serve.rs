//! Arguments of the commands with which other programs and people reach Candor over a network.

use std::net::SocketAddr;

use candor_app::tokens::Scope;
use clap::{Args, Subcommand};

use super::drive::ModelOptions;

/// How Candor is served.
#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// As an MCP server on standard input and output
    #[arg(long, conflicts_with_all = ["listen", "behind_proxy", "host"])]
    pub(crate) mcp: bool,
    /// Where to serve HTTP: API, live events and pages [default: 127.0.0.1:7117]
    #[arg(long, value_name = "ADDR")]
    pub(crate) listen: Option<SocketAddr>,
    /// A proxy with TLS is in front: allows addresses beyond loopback
    #[arg(long)]
    pub(crate) behind_proxy: bool,
    /// A name under which the server is reached, beside those of loopback; may be repeated
    #[arg(long, value_name = "NAME")]
    pub(crate) host: Vec<String>,
    #[command(flatten)]
    pub(crate) models: ModelOptions,
}

/// Who may use the server.
#[derive(Debug, Args)]
pub(crate) struct TokenArgs {
    #[command(subcommand)]
    pub(crate) command: TokenCommand,
}

/// What is done with tokens.
#[derive(Debug, Subcommand)]
pub(crate) enum TokenCommand {
    /// Make a token and print it, once
    Add {
        /// Whose it is: the audit names it
        name: String,
        /// What it allows: read, answer (read and answer questions) or admin (everything)
        #[arg(long, default_value = "read")]
        scope: Scope,
    },
    /// List the tokens, without their secrets
    List {
        /// Output JSON
        #[arg(long)]
        json: bool,
    },
    /// Remove a token; whoever uses it is refused within a second
    Remove {
        /// Its name
        name: String,
    },
}
