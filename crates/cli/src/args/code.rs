//! Arguments of `candor code`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{ModelOptions, OneRun};

/// Python that a program wrote: looked at, and run in a sandbox.
#[derive(Debug, Args)]
pub(crate) struct CodeArgs {
    #[command(subcommand)]
    pub(crate) command: CodeCommand,
}

/// What can be done with code.
#[derive(Debug, Subcommand)]
pub(crate) enum CodeCommand {
    /// Find what is wrong with Python without running it
    Check(CodeCheckArgs),
    /// Have Python written for a task, checked, run in the sandbox and judged; the context comes back with what was
    /// added
    Run(CodeRunArgs),
    /// Show what each component did in a run: the chain of work
    Chain(OneRun),
}

/// Files to look at.
#[derive(Debug, Args)]
pub(crate) struct CodeCheckArgs {
    /// Files of Python (`-` reads standard input)
    #[arg(value_name = "FILE", required_unless_present = "stdin")]
    pub(crate) files: Vec<PathBuf>,
    /// The context that the code will be given, as a JSON object: keys that are read must be in it
    #[arg(long, value_name = "FILE")]
    pub(crate) context: Option<PathBuf>,
    /// Read programs from standard input, one JSON object {"id", "code", "context"} per line, and answer each with
    /// one line
    #[arg(long, conflicts_with_all = ["files", "context"])]
    pub(crate) stdin: bool,
    /// Look at it as code for the sandbox's own Python: newer syntax is an error
    #[arg(long)]
    pub(crate) for_sandbox: bool,
    /// Do not ask the sandbox's Python which modules it has
    #[arg(long)]
    pub(crate) no_library: bool,
    /// Messages in Spanish
    #[arg(long)]
    pub(crate) spanish: bool,
    /// One JSON object per file
    #[arg(long)]
    pub(crate) json: bool,
}

/// A task, and what it is given.
#[derive(Debug, Args)]
pub(crate) struct CodeRunArgs {
    /// What is to be done, in plain words
    #[arg(long, value_name = "TEXT", required_unless_present = "code")]
    pub(crate) task: Option<String>,
    /// The data, as a JSON object (`-` reads standard input) [default: nothing]
    #[arg(long, value_name = "FILE")]
    pub(crate) context: Option<PathBuf>,
    /// Run this program instead of having one written
    #[arg(long, value_name = "FILE")]
    pub(crate) code: Option<PathBuf>,
    /// Keys that the result must have; may be repeated
    #[arg(long = "expect", value_name = "KEY")]
    pub(crate) expected: Vec<String>,
    /// After how many seconds a program is stopped [default: as configured, 30]
    #[arg(long, value_name = "SECONDS")]
    pub(crate) timeout: Option<f64>,
    /// Name the run [default: generated]
    #[arg(long, value_name = "NAME")]
    pub(crate) run_id: Option<String>,
    /// The resulting context as one JSON object, with how it came about under `_ai_metadata`
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) models: ModelOptions,
}
