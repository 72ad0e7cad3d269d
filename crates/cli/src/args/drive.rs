//! Arguments of the commands that begin a run or drive it on.

use std::path::PathBuf;

use candor_model::RiskClass;
use clap::Args;

/// A goal or a plan, and how to carry it out.
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// The goal, in plain words
    #[arg(value_name = "GOAL")]
    pub(crate) words: Vec<String>,
    /// Read the goal from a file: plain words, or a goal as JSON
    #[arg(long = "goal", value_name = "FILE", conflicts_with = "words")]
    pub(crate) goal_file: Option<PathBuf>,
    /// Run a plan that you wrote (JSON; `-` reads standard input)
    #[arg(long = "plan", value_name = "FILE")]
    pub(crate) plan_file: Option<PathBuf>,
    /// Name the run [default: generated]
    #[arg(long, value_name = "NAME")]
    pub(crate) run_id: Option<String>,
    /// Unattended: questions that have a default are answered by it, on record
    /// [default: so without a terminal, and with --json]
    #[arg(long)]
    pub(crate) unattended: bool,
    /// Allow acts that cannot be undone without asking, on record: deploy, delete, access, money, message or
    /// irreversible; may be repeated
    #[arg(long, value_name = "CLASS")]
    pub(crate) allow: Vec<RiskClass>,
    /// Who asks, for figures and traces [default: the login name]
    #[arg(long, value_name = "NAME", env = "CANDOR_USER")]
    pub(crate) user: Option<String>,
    /// The run that this one continues, `last`, or `none` [default: your last run here, if it ended within 30 minutes]
    #[arg(long, value_name = "RUN")]
    pub(crate) follows: Option<String>,
    #[command(flatten)]
    pub(crate) drive: DriveOptions,
}

/// How a run is driven and shown.
#[derive(Debug, Clone, Args)]
pub(crate) struct DriveOptions {
    /// Approve plans without asking, except those too unsure to be tried or with acts that cannot be undone (see
    /// --allow); never answers for a failing task
    #[arg(long)]
    pub(crate) yes: bool,
    /// One JSON object per event, and the report as the last line
    #[arg(long)]
    pub(crate) json: bool,
    /// Plain lines even in a terminal
    #[arg(long)]
    pub(crate) plain: bool,
    /// Show phases, decisions and agents' steps too; in plain lines
    #[arg(short, long, conflicts_with = "quiet")]
    pub(crate) verbose: bool,
    /// Show only the result, and what went wrong for good
    #[arg(short, long)]
    pub(crate) quiet: bool,
    /// Exit with 1 also if the goal could not be verified
    #[arg(long)]
    pub(crate) strict: bool,
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

impl From<&ModelOptions> for candor_app::ModelUse {
    fn from(options: &ModelOptions) -> Self {
        let ModelOptions { no_models, record, replay } = options.clone();
        Self { no_models, record, replay }
    }
}

/// A run that is to be driven on.
#[derive(Debug, Args)]
pub(crate) struct DriveArgs {
    /// The run, or the beginning of its name, or `last`
    pub(crate) run: String,
    #[command(flatten)]
    pub(crate) drive: DriveOptions,
}

/// A run and why.
#[derive(Debug, Args)]
pub(crate) struct ReasonArgs {
    /// The run, or the beginning of its name, or `last`
    pub(crate) run: String,
    /// Reason to put on record
    #[arg(long, default_value = "asked for on the command line")]
    pub(crate) reason: String,
}

/// A task that another approach is wanted for.
#[derive(Debug, Args)]
pub(crate) struct ReplanArgs {
    /// The run, or the beginning of its name, or `last`
    pub(crate) run: String,
    /// The task, as `candor status` names it
    pub(crate) task: String,
    /// Only this step of the task's tool agent, as `candor logs RUN TASK` names it
    #[arg(long, value_name = "STEP")]
    pub(crate) step: Option<String>,
    /// What the next attempt should consider: told to the model
    #[arg(long, value_name = "TEXT")]
    pub(crate) note: Option<String>,
    #[command(flatten)]
    pub(crate) drive: DriveOptions,
}

/// A run that is restarted.
#[derive(Debug, Args)]
pub(crate) struct RestartArgs {
    /// The run, or the beginning of its name, or `last`
    pub(crate) run: String,
    /// Begin with other words; the old ones stay in the run's history
    #[arg(long, value_name = "WORDS")]
    pub(crate) prompt: Option<String>,
    #[command(flatten)]
    pub(crate) drive: DriveOptions,
}

/// A point to go back to.
#[derive(Debug, Args)]
pub(crate) struct RollbackArgs {
    /// The run, or the beginning of its name, or `last`
    pub(crate) run: String,
    /// The number of a phase, 0 to 7: its result is kept, and the phases after it run again; `candor status RUN`
    /// lists those that can be gone back to
    #[arg(value_name = "PHASE", required_unless_present = "checkpoint", conflicts_with = "checkpoint")]
    pub(crate) phase: Option<String>,
    /// Run the phase itself again too
    #[arg(long, conflicts_with = "checkpoint")]
    pub(crate) rerun: bool,
    /// Go to a checkpoint by its number instead; `candor status RUN` and `candor postmortem RUN` list them
    #[arg(long, value_name = "NUMBER")]
    pub(crate) checkpoint: Option<u32>,
    /// A new limit for what the run may cost, in dollars
    #[arg(long, value_name = "DOLLARS")]
    pub(crate) budget: Option<f64>,
    #[command(flatten)]
    pub(crate) drive: DriveOptions,
}

/// A run that begins where another one once was.
#[derive(Debug, Args)]
pub(crate) struct ForkArgs {
    /// The run to fork: its name, or the beginning of it, or `last`; it is only read
    pub(crate) run: String,
    /// Begin where this phase (0 to 7) had just been completed [default: at the last checkpoint]
    #[arg(long, value_name = "PHASE", conflicts_with = "checkpoint")]
    pub(crate) phase: Option<String>,
    /// Begin at this checkpoint
    #[arg(long, value_name = "NUMBER")]
    pub(crate) checkpoint: Option<u32>,
    /// Go on with other words, from the evaluation on
    #[arg(long, value_name = "WORDS")]
    pub(crate) prompt: Option<String>,
    /// Name the new run [default: generated]
    #[arg(long, value_name = "NAME")]
    pub(crate) run_id: Option<String>,
    #[command(flatten)]
    pub(crate) drive: DriveOptions,
}
