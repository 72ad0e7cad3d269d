//! Arguments of the commands that plan without running, and of those that look at runs.

use std::path::PathBuf;

use candor_app::config::EmbeddingConfig;
use clap::{Args, Subcommand, ValueEnum};

use super::drive::ModelOptions;
use super::filters::{Listing, Period, RunFilters};

/// A run to look at.
#[derive(Debug, Args)]
pub(crate) struct OneRun {
    /// The run, or the beginning of its name, or `last`
    pub(crate) run: String,
    /// Output JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Only how it is shown.
#[derive(Debug, Args)]
pub(crate) struct JsonOnly {
    /// Output JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// A goal to plan, or a plan to check.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct PlanArgs {
    /// The goal, in plain words
    #[arg(value_name = "GOAL")]
    pub(crate) words: Vec<String>,
    /// Answer JSON lines {"id", "text"} from standard input with lines {"id", "plan"}
    #[arg(long, conflicts_with = "words")]
    pub(crate) stdin: bool,
    /// Output JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) models: ModelOptions,
    #[command(subcommand)]
    pub(crate) check: Option<PlanCommand>,
}

/// What can be done with a plan beside making one.
#[derive(Debug, Subcommand)]
pub(crate) enum PlanCommand {
    /// Check a plan that you wrote: exit 0 if it is valid, 1 if it is not, 2 if it cannot be read
    Check {
        /// The plan (JSON; `-` reads standard input)
        file: PathBuf,
        /// Output JSON
        #[arg(long)]
        json: bool,
    },
}

/// A goal to read.
#[derive(Debug, Args)]
pub(crate) struct GoalArgs {
    /// The goal, in plain words; without it, standard input is read
    #[arg(value_name = "GOAL")]
    pub(crate) words: Vec<String>,
    /// Answer JSON lines {"id", "text"} from standard input with lines {"id", "goal"}
    #[arg(long, conflicts_with = "words")]
    pub(crate) stdin: bool,
    /// Output JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) models: ModelOptions,
}

/// A text for the guardrails.
#[derive(Debug, Args)]
pub(crate) struct GuardArgs {
    /// The text; without it, standard input is read
    #[arg(value_name = "TEXT")]
    pub(crate) words: Vec<String>,
    /// Answer JSON lines {"id", "text"} from standard input with lines {"id", "flagged", "findings"}
    #[arg(long, conflicts_with = "words")]
    pub(crate) stdin: bool,
    /// Output JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// An embedding model that needs no more than its name.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum EmbeddingsWord {
    /// The one that comes with Candor
    Static,
    /// all-MiniLM-L6-v2; `candor models pull` fetches it
    Minilm,
    /// None: words only
    Words,
}

impl From<EmbeddingsWord> for EmbeddingConfig {
    fn from(word: EmbeddingsWord) -> Self {
        match word {
            EmbeddingsWord::Static => Self::Static {},
            EmbeddingsWord::Minilm => Self::MiniLm { weights: None },
            EmbeddingsWord::Words => Self::Words {},
        }
    }
}

/// A text to find agents for.
#[derive(Debug, Args)]
pub(crate) struct RouteArgs {
    /// The agents (TOML or JSON) [default: those of the configuration]
    #[arg(long, value_name = "FILE")]
    pub(crate) agents: Option<PathBuf>,
    /// Learn from past successes: JSON lines {"text", "agent_type"}
    #[arg(long, value_name = "FILE")]
    pub(crate) history: Option<PathBuf>,
    /// What meaning is measured with [default: as configured under [embeddings]]
    #[arg(long, value_name = "MODEL")]
    pub(crate) embeddings: Option<EmbeddingsWord>,
    /// Maximum number of agents
    #[arg(long, default_value_t = 5)]
    pub(crate) top_k: usize,
    /// Answer JSON lines {"id", "text"} from standard input with lines {"id", "ranking"}
    #[arg(long, conflicts_with = "words")]
    pub(crate) stdin: bool,
    /// Output JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// The text; without it, JSON lines {"id", "text"} are read from standard input and answered one by one
    #[arg(value_name = "TEXT")]
    pub(crate) words: Vec<String>,
}

/// Which runs to list.
#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// Only runs that have not ended
    #[arg(long, conflicts_with = "status")]
    pub(crate) unfinished: bool,
    #[command(flatten)]
    pub(crate) runs: RunFilters,
    #[command(flatten)]
    pub(crate) period: Period,
    /// Only runs whose request or name has this text, in any case
    #[arg(long, value_name = "TEXT")]
    pub(crate) request: Option<String>,
    #[command(flatten)]
    pub(crate) listing: Listing,
}

/// A report.
#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// The run, or the beginning of its name, or `last`
    pub(crate) run: String,
    /// Output format [default: by the ending of FILE, else md]
    #[arg(long, value_name = "FORMAT", conflicts_with = "json")]
    format: Option<ReportFormat>,
    /// Output JSON
    #[arg(long)]
    json: bool,
    /// Write it to a file
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// How a report is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// Markdown
    Md,
    /// One HTML file that needs nothing else
    Html,
    /// JSON
    Json,
}

impl ReportArgs {
    /// The format that was asked for, by name or by the ending of the file.
    pub(crate) fn format(&self) -> Result<ReportFormat, String> {
        if let Some(format) = self.format.or(self.json.then_some(ReportFormat::Json)) {
            return Ok(format);
        }
        let ending = self.output.as_deref().and_then(|path| path.extension()).and_then(|it| it.to_str());
        match ending.map(str::to_ascii_lowercase).as_deref() {
            None | Some("md" | "markdown" | "txt") => Ok(ReportFormat::Md),
            Some("html" | "htm") => Ok(ReportFormat::Html),
            Some("json") => Ok(ReportFormat::Json),
            Some(other) => Err(say!(
                "no report format is called .{other}; name the file .md, .html or .json, or say --format FORMAT",
                "ningún formato de informe se llama .{other}; nombrar el archivo .md, .html o .json, o indicar --format FORMAT"
            )),
        }
    }
}

/// What to explain.
#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// The run, or the beginning of its name, or `last`; without it, the decisions of all runs are searched
    #[arg(required_unless_present_any = ["task", "operation", "since", "until", "status", "project", "user"])]
    pub(crate) run: Option<String>,
    /// Only this task
    #[arg(long)]
    pub(crate) task: Option<String>,
    /// What happened when
    #[arg(long, conflicts_with = "decisions", requires = "run")]
    pub(crate) timeline: bool,
    /// Every decision with its reasoning
    #[arg(long)]
    pub(crate) decisions: bool,
    /// Only decisions of this kind: decompose_task, route_task, replan, …
    #[arg(long)]
    pub(crate) operation: Option<String>,
    #[command(flatten)]
    pub(crate) runs: RunFilters,
    #[command(flatten)]
    pub(crate) period: Period,
    #[command(flatten)]
    pub(crate) listing: Listing,
}

/// A report to look at.
#[derive(Debug, Args)]
pub(crate) struct OpenArgs {
    /// The run, or the beginning of its name, or `last`
    #[arg(default_value = "last")]
    pub(crate) run: String,
    /// Print the address or the path and start no browser
    #[arg(long)]
    pub(crate) print: bool,
}

/// Where man pages go.
#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// The directory for candor.1 and a page per command; without it, candor.1 is printed
    #[arg(value_name = "DIR")]
    pub(crate) folder: Option<PathBuf>,
}

/// Which side effects.
#[derive(Debug, Args)]
pub(crate) struct EffectsArgs {
    /// The run, or the beginning of its name, or `last`
    pub(crate) run: String,
    /// Only side effects in this state; may be repeated
    #[arg(long)]
    pub(crate) status: Vec<EffectStatus>,
    #[command(flatten)]
    pub(crate) listing: Listing,
}

/// What came of a side effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EffectStatus {
    /// The tool reported success
    Done,
    /// The tool reported a failure
    Failed,
    /// It was undone
    Undone,
    /// Intended; whether it happened is not known
    Unknown,
}

/// How an attempt can have ended, as `candor logs --json` names it.
const ATTEMPT_STATUSES: [&str; 9] = [
    "running",
    "succeeded",
    "partial_success",
    "failed",
    "stopped",
    "replanned",
    "superseded",
    "never_started",
    "not_started",
];

/// Whose logs.
#[derive(Debug, Args)]
pub(crate) struct LogsArgs {
    /// The run, or the beginning of its name, or `last`
    pub(crate) run: String,
    /// Only this task
    pub(crate) task: Option<String>,
    /// Follow the run: print each attempt when it ends, until the run does
    #[arg(long, short)]
    pub(crate) follow: bool,
    /// Show all of it, however long
    #[arg(long)]
    pub(crate) full: bool,
    /// Only attempts that ended so: running, succeeded, partial_success, failed, stopped, replanned, superseded,
    /// never_started or not_started; may be repeated
    #[arg(long, value_name = "STATUS", value_parser = ATTEMPT_STATUSES, hide_possible_values = true)]
    pub(crate) status: Vec<String>,
    #[command(flatten)]
    pub(crate) period: Period,
    /// Maximum number of attempts; the latest are shown
    #[arg(long, value_name = "N", conflicts_with = "follow")]
    pub(crate) limit: Option<u32>,
    /// Output JSON, one attempt per line
    #[arg(long)]
    pub(crate) json: bool,
}

/// Whose agents.
#[derive(Debug, Args)]
pub(crate) struct AgentsArgs {
    /// Those who work in the eight phases, with their tiers and tools, instead of those who carry out tasks
    #[arg(long)]
    pub(crate) roster: bool,
    /// Only agents whose circuit breaker is in this state
    #[arg(long, conflicts_with = "roster")]
    pub(crate) status: Option<CircuitStatus>,
    #[command(flatten)]
    pub(crate) listing: Listing,
}

/// Whether an agent is given tasks now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CircuitStatus {
    /// It is given tasks
    Closed,
    /// It failed too often, and is left out until its time is over
    Open,
}
