//! Arguments of the commands that show figures: metrics, alerts, dashboard, traces, cost and tokens.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::filters::{Listing, Period, RunFilters};

/// How the phases do.
#[derive(Debug, Args)]
pub(crate) struct MetricsArgs {
    /// Every run with a line of its own too
    #[arg(long)]
    pub(crate) all: bool,
    /// Key figures with their targets and alerts instead
    #[arg(long, conflicts_with = "all")]
    pub(crate) kpi: bool,
    /// Key figures in the text format of Prometheus
    #[arg(long, conflicts_with_all = ["all", "kpi", "json"])]
    pub(crate) prometheus: bool,
    #[command(flatten)]
    pub(crate) runs: RunFilters,
    #[command(flatten)]
    pub(crate) period: Period,
    #[command(flatten)]
    pub(crate) listing: Listing,
}

/// What is looked at.
#[derive(Debug, Args)]
pub(crate) struct DashboardArgs {
    /// The run, or the beginning of its name [default: the last one]
    pub(crate) run: Option<String>,
    /// Draw once and end
    #[arg(long)]
    pub(crate) once: bool,
    /// Output JSON
    #[arg(long, conflicts_with = "once")]
    pub(crate) json: bool,
}

/// Which alerts.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct AlertsArgs {
    #[command(subcommand)]
    pub(crate) command: Option<AlertsCommand>,
    /// Those that were cleared too
    #[arg(long)]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) period: Period,
    #[command(flatten)]
    pub(crate) listing: Listing,
}

/// What is done to an alert.
#[derive(Debug, Subcommand)]
pub(crate) enum AlertsCommand {
    /// Say that you look into an active alert: it stays active, and shows who investigates
    Ack {
        /// The name of the alert, as `candor alerts` shows it
        #[arg(value_name = "ALERT")]
        name: String,
        /// Who looks into it [default: the login name]
        #[arg(long, value_name = "NAME", env = "CANDOR_USER")]
        user: Option<String>,
        /// Output JSON
        #[arg(long)]
        json: bool,
    },
}

/// Whose trace.
#[derive(Debug, Args)]
pub(crate) struct TraceArgs {
    /// The run, or the beginning of its name, or `last`
    pub(crate) run: String,
    /// With requests, answers, and prompts where they were kept
    #[arg(long)]
    pub(crate) content: bool,
    /// Output JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// What somebody thinks of a run.
#[derive(Debug, Args)]
pub(crate) struct FeedbackArgs {
    /// The run, or the beginning of its name, or `last`
    pub(crate) run: String,
    /// From 1, the worst, to 5, the best
    #[arg(value_name = "RATING", value_parser = clap::value_parser!(u8).range(1..=5))]
    pub(crate) rating: u8,
    /// What you say of it
    #[arg(long, value_name = "TEXT")]
    pub(crate) text: Option<String>,
    /// Who says so [default: the login name]
    #[arg(long, value_name = "NAME", env = "CANDOR_USER")]
    pub(crate) user: Option<String>,
    /// Output JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// What is sent to other programs.
#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    #[command(subcommand)]
    pub(crate) command: ExportCommand,
}

/// How it is sent.
#[derive(Debug, Subcommand)]
pub(crate) enum ExportCommand {
    /// Send the trace of a run to an OpenTelemetry backend or Langfuse; sending it again changes nothing there
    Otlp {
        /// The run, or the beginning of its name, or `last`
        run: Option<String>,
        /// Runs of the last week that have ended and were not delivered
        #[arg(long, conflicts_with = "run")]
        pending: bool,
        /// The address of the backend [default: OTEL_EXPORTER_OTLP_ENDPOINT, LANGFUSE_HOST]
        #[arg(long, value_name = "URL")]
        endpoint: Option<String>,
        /// With requests, answers, and prompts where they were kept [default: only with CANDOR_TRACE_CONTENT=1]
        #[arg(long)]
        content: bool,
        /// Write the request to a file and send nothing
        #[arg(long, short, value_name = "FILE", requires = "run", conflicts_with = "endpoint")]
        output: Option<PathBuf>,
    },
    /// Write the records of a run to files: its state, phases, prompts, rollback points, metrics, history and cost
    State {
        /// The run, or the beginning of its name, or `last`
        run: String,
        /// The folder to write to; without it, one JSON object with every record is printed
        #[arg(long, short, value_name = "DIR")]
        output: Option<PathBuf>,
    },
}

/// Whose spending.
#[derive(Debug, Args)]
pub(crate) struct SpendArgs {
    /// The run, or the beginning of its name, or `last`; all runs if absent
    pub(crate) run: Option<String>,
    #[command(flatten)]
    pub(crate) runs: RunFilters,
    #[command(flatten)]
    pub(crate) period: Period,
    #[command(flatten)]
    pub(crate) listing: Listing,
}
