//! Arguments of the commands with which people answer.

use clap::Args;

use super::drive::DriveOptions;

/// Which plan is meant.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Shown {
    /// The digest of the plan that you saw (`candor status RUN --json`); another plan is then not answered
    #[arg(long, value_name = "DIGEST")]
    pub(crate) digest: Option<String>,
}

/// A decision on a plan.
#[derive(Debug, Args)]
pub(crate) struct ApproveArgs {
    /// The run, or the beginning of its name, or `last`
    pub(crate) run: String,
    /// Comment to put on record
    #[arg(long, default_value = "")]
    pub(crate) comments: String,
    #[command(flatten)]
    pub(crate) shown: Shown,
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
    /// Comment to put on record
    #[arg(long, default_value = "")]
    pub(crate) comments: String,
    #[command(flatten)]
    pub(crate) shown: Shown,
    #[command(flatten)]
    pub(crate) drive: DriveOptions,
}

/// A question about a plan.
#[derive(Debug, Args)]
pub(crate) struct AskArgs {
    /// The run, or the beginning of its name, or `last`
    pub(crate) run: String,
    /// The question; the plan stays as it is
    #[arg(value_name = "QUESTION", required = true)]
    pub(crate) words: Vec<String>,
    #[command(flatten)]
    pub(crate) shown: Shown,
    #[command(flatten)]
    pub(crate) drive: DriveOptions,
}

/// Another way to carry the plan out.
#[derive(Debug, Args)]
pub(crate) struct ChooseArgs {
    /// The run, or the beginning of its name, or `last`
    pub(crate) run: String,
    /// The letter of the alternative; `candor status RUN` shows them
    #[arg(value_name = "LETTER")]
    pub(crate) alternative: String,
    #[command(flatten)]
    pub(crate) shown: Shown,
    #[command(flatten)]
    pub(crate) drive: DriveOptions,
}

/// A change of the plan that is shown again.
#[derive(Debug, Args)]
pub(crate) struct ModifyArgs {
    /// The run, or the beginning of its name, or `last`
    pub(crate) run: String,
    /// The change, in words
    #[arg(value_name = "WORDS", required_unless_present = "changes", conflicts_with = "changes")]
    pub(crate) words: Vec<String>,
    /// The change by field: TASK FIELD VALUE, for instance: task_001 priority 10; may be repeated
    #[arg(long = "set", value_names = ["TASK", "FIELD", "VALUE"], num_args = 3)]
    pub(crate) changes: Vec<String>,
    #[command(flatten)]
    pub(crate) shown: Shown,
    #[command(flatten)]
    pub(crate) drive: DriveOptions,
}

/// Another plan altogether.
#[derive(Debug, Args)]
pub(crate) struct RegenerateArgs {
    /// The run, or the beginning of its name, or `last`
    pub(crate) run: String,
    /// What is wrong with this one
    #[arg(value_name = "WORDS")]
    pub(crate) words: Vec<String>,
    #[command(flatten)]
    pub(crate) shown: Shown,
    #[command(flatten)]
    pub(crate) drive: DriveOptions,
}

/// An earlier version of the plan.
#[derive(Debug, Args)]
pub(crate) struct RevertArgs {
    /// The run, or the beginning of its name, or `last`
    pub(crate) run: String,
    /// The number of the version
    #[arg(id = "plan_version", value_name = "VERSION")]
    pub(crate) version: u32,
    #[command(flatten)]
    pub(crate) shown: Shown,
    #[command(flatten)]
    pub(crate) drive: DriveOptions,
}

/// An answer to an open question.
#[derive(Debug, Args)]
pub(crate) struct AnswerArgs {
    /// The run, or the beginning of its name, or `last`
    pub(crate) run: String,
    /// One of the question's options, in any case; for a task that keeps failing: retry, skip or abort
    #[arg(value_name = "OPTION")]
    pub(crate) option: String,
    /// Your own words, for options that take some
    #[arg(long, value_name = "WORDS", default_value = "")]
    pub(crate) text: String,
    /// The question, when several are open
    #[arg(long)]
    pub(crate) gate: Option<String>,
    /// For a task that keeps failing: another agent to try
    #[arg(long)]
    pub(crate) agent: Option<String>,
    /// For a task that keeps failing: an input to set, KEY=VALUE; may be repeated
    #[arg(long = "input", value_name = "KEY=VALUE")]
    pub(crate) inputs: Vec<String>,
    /// Comment to put on record
    #[arg(long, default_value = "")]
    pub(crate) comments: String,
    #[command(flatten)]
    pub(crate) drive: DriveOptions,
}
