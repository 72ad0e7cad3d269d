//! Arguments of the commands with which other programs and people reach Candor over a network.

use std::net::SocketAddr;
use std::path::PathBuf;

use candor_app::tokens::Scope;
use clap::{Args, Subcommand, ValueEnum};

use super::drive::ModelOptions;
use super::filters::Listing;

/// How Candor is served.
#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// As an MCP server on standard input and output
    #[arg(long, conflicts_with_all = ["listen", "behind_proxy", "host", "tls_cert", "tls_key"])]
    pub(crate) mcp: bool,
    /// Where to serve HTTP: API, live events, pages, MCP and A2A [default: 127.0.0.1:7117]
    #[arg(long, value_name = "ADDR")]
    pub(crate) listen: Option<SocketAddr>,
    /// A proxy with TLS is in front: allows addresses beyond loopback
    #[arg(long)]
    pub(crate) behind_proxy: bool,
    /// A name under which the server is reached, beside those of loopback; may be repeated
    #[arg(long, value_name = "NAME")]
    pub(crate) host: Vec<String>,
    /// The certificate for TLS, in PEM: allows addresses beyond loopback [default: tls_cert of the configuration]
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub(crate) tls_cert: Option<PathBuf>,
    /// The certificate's private key, in PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub(crate) tls_key: Option<PathBuf>,
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
        /// Only tokens in this state
        #[arg(long)]
        status: Option<TokenStatus>,
        #[command(flatten)]
        listing: Listing,
    },
    /// Remove a token; whoever uses it is refused within a second
    Remove {
        /// Its name
        name: String,
    },
}

/// Whether a token is still accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TokenStatus {
    /// Accepted
    Active,
    /// Refused, because its time is over
    Expired,
}

/// Whether a schedule starts runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScheduleStatus {
    /// Starts runs when they are due
    Active,
    /// Starts none until it is resumed
    Paused,
}

/// Which schedules.
#[derive(Debug, Args)]
pub(crate) struct SchedulesArgs {
    #[command(subcommand)]
    pub(crate) command: Option<ScheduleCommand>,
    /// Only schedules in this state
    #[arg(long)]
    pub(crate) status: Option<ScheduleStatus>,
    #[command(flatten)]
    pub(crate) listing: Listing,
}

/// What is done with a schedule.
#[derive(Debug, Subcommand)]
pub(crate) enum ScheduleCommand {
    /// Begin nothing by a schedule until it is resumed
    Pause {
        /// Its name
        name: String,
    },
    /// Go on with a schedule; what was due meanwhile is passed over
    Resume {
        /// Its name
        name: String,
    },
    /// Begin a run of a schedule now, on a server
    Trigger {
        /// Its name
        name: String,
    },
}
