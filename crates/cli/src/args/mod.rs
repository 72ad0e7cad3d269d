//! The command line: what can be said, and how it is explained.

mod code;
#[cfg(test)]
mod documents;
mod drive;
mod figures;
mod filters;
pub(crate) mod help;
mod inspect;
mod people;
mod serve;
mod setup;
mod since;
mod spanish;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub(crate) use self::code::{CodeArgs, CodeCheckArgs, CodeCommand, CodeRunArgs};
pub(crate) use self::drive::{
    DriveArgs, DriveOptions, ForkArgs, ModelOptions, ReasonArgs, ReplanArgs, RestartArgs, RollbackArgs,
    RunArgs,
};
pub(crate) use self::figures::{
    AlertsArgs, AlertsCommand, DashboardArgs, ExportArgs, ExportCommand, FeedbackArgs, MetricsArgs,
    SpendArgs, TraceArgs,
};
pub(crate) use self::filters::{Listing, Period};
pub(crate) use self::inspect::{
    AgentsArgs, CircuitStatus, EffectStatus, EffectsArgs, ExplainArgs, GoalArgs, GuardArgs, JsonOnly,
    ListArgs, LogsArgs, ManArgs, OneRun, OpenArgs, PlanArgs, PlanCommand, ReportArgs, ReportFormat,
    RouteArgs,
};
pub(crate) use self::people::{
    AdjustArgs, AnswerArgs, ApproveArgs, AskArgs, ChooseArgs, ModifyArgs, RegenerateArgs, RevertArgs, Shown,
};
pub(crate) use self::serve::{
    ScheduleCommand, ScheduleStatus, SchedulesArgs, ServeArgs, TokenArgs, TokenCommand, TokenStatus,
};

pub(crate) use self::setup::{
    CompletionsArgs, ConfigArgs, ConfigCommand, HookArgs, HookCommand, InitArgs, InitKind, ModelsArgs,
    ModelsCommand, PacksArgs, PacksCommand, PruneArgs, RepairArgs, RulesArgs, RulesCommand, RulesKind,
    TrustArgs, TrustCommand,
};

/// Candor turns a goal in plain words into a checked plan, has agents carry it out durably, and never hides
/// a failure.
#[derive(Debug, Parser)]
#[command(name = "candor", version, propagate_version = true, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: GlobalOptions,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Where things are.
#[derive(Debug, Clone, Args)]
pub(crate) struct GlobalOptions {
    /// The folder that holds all runs [default: the platform's data directory]
    #[arg(long, global = true, env = "CANDOR_DATA", value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// The configuration [default: candor.toml in the working folder, if there is one]
    #[arg(long, global = true, env = "CANDOR_CONFIG", value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// When to use colours
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: ColorWhen,
    // Read from the plain arguments too, before they are parsed: the help that parsing prints is in that language.
    /// The language of texts for people [default: CANDOR_LANG, or that of the locale]
    #[arg(long, global = true, value_name = "LANG", value_parser = ["en", "es"])]
    pub(crate) lang: Option<String>,
    /// A server in place of the data folder: for run, list, status, watch, answer, report, open, explain,
    /// postmortem, effects and schedules; the token is in CANDOR_TOKEN
    #[arg(long, global = true, env = "CANDOR_SERVER", value_name = "URL")]
    pub(crate) server: Option<String>,
}

/// When colours are used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorWhen {
    /// On a terminal, unless `NO_COLOR` is set
    #[default]
    Auto,
    /// Always, in pipes too
    Always,
    /// Never
    Never,
}

impl From<&GlobalOptions> for candor_app::Locations {
    fn from(options: &GlobalOptions) -> Self {
        Self { data: options.data.clone(), config: options.config.clone() }
    }
}

impl GlobalOptions {
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
    /// Plan a goal and execute the plan
    Run(RunArgs),
    /// Plan a goal and show the plan; `plan check FILE` checks a plan that you wrote
    Plan(PlanArgs),
    /// Read a goal from plain words
    Goal(GoalArgs),
    /// Rank agents for a text
    Route(RouteArgs),
    /// Show what the guardrails find in a text
    Guard(GuardArgs),
    /// Check Python without running it, or have it written and run in a sandbox
    Code(CodeArgs),
    /// Show the status of a run
    Status(OneRun),
    /// List runs
    List(ListArgs),
    /// Follow a run while another process drives it
    Watch(OneRun),
    /// Resume a run that was interrupted or paused
    Resume(DriveArgs),
    /// Pause a run: no new task starts until it is resumed
    Pause(ReasonArgs),
    /// Cancel a run and stop its agents
    Cancel(ReasonArgs),
    /// Approve the plan of a waiting run, and continue
    Approve(ApproveArgs),
    /// Reject the plan of a waiting run
    Reject(ApproveArgs),
    /// Change the plan of a waiting run, and continue
    Adjust(AdjustArgs),
    /// Ask a question about the plan of a waiting run
    Ask(AskArgs),
    /// Make the plan again by one of its alternatives, and show it
    Choose(ChooseArgs),
    /// Change the plan in words or by field, and show it
    Modify(ModifyArgs),
    /// Make another plan, and show it
    Regenerate(RegenerateArgs),
    /// Go back to an earlier version of the plan, and show it
    Revert(RevertArgs),
    /// Answer a question of a run with one of its options, and continue
    Answer(AnswerArgs),
    /// Find another approach to one task of a run
    Replan(ReplanArgs),
    /// Go back to an earlier phase of a run, and continue from there
    Rollback(RollbackArgs),
    /// Restart a run
    Restart(RestartArgs),
    /// Start a new run from an earlier point of another one, which stays as it is
    Fork(ForkArgs),
    /// Write the report on a run
    Report(ReportArgs),
    /// Explain a run: why, its timeline, or all decisions; or search the decisions of all runs
    Explain(ExplainArgs),
    /// Open a run in the browser: the page of a server, or the report
    Open(OpenArgs),
    /// Tell what went wrong in a run, and what can be done
    Postmortem(OneRun),
    /// List the side effects of a run's tools
    Effects(EffectsArgs),
    /// Show the output of each attempt: answer, errors, standard error
    Logs(LogsArgs),
    /// List the agents, with what is declared and what was measured
    Agents(AgentsArgs),
    /// List the tools that agents can call, and the state of their servers
    Tools(Listing),
    /// Show measurements of the phases over all runs
    Metrics(MetricsArgs),
    /// Show a run and the installation at a glance, drawn again when something happens
    Dashboard(DashboardArgs),
    /// Show active alerts: exit 0 if there is none, 1 if there are some
    Alerts(AlertsArgs),
    /// Show what was spent: by model, phase and task of a run, or over all runs
    Cost(SpendArgs),
    /// Show the tokens of models: by model, phase and task of a run, or over all runs
    Tokens(SpendArgs),
    /// Show a run as a trace: phases, attempts, tools, calls of models, with times and money
    Trace(TraceArgs),
    /// Say what you think of a run: a number from 1 to 5
    Feedback(FeedbackArgs),
    /// Send traces to other programs, or write a run's records to files
    Export(ExportArgs),
    /// Show the configuration with its defaults
    Config(ConfigArgs),
    /// Check files of rules
    Rules(RulesArgs),
    /// List the packs; show, test or write one
    Packs(PacksArgs),
    /// Write settings, an agent and a plan to start from
    Init(InitArgs),
    /// List the models that are configured; `models pull` fetches weights
    Models(ModelsArgs),
    /// Check what a coding assistant is about to do, as its hook; `hook install` registers it
    Hook(HookArgs),
    /// Show what a coding assistant's sessions and past runs say of trust
    Trust(TrustArgs),
    /// Serve Candor over HTTP: API, live events and pages; with `--mcp`, as an MCP server on standard input and output
    Serve(ServeArgs),
    /// List schedules; pause, resume or trigger one
    Schedules(SchedulesArgs),
    /// Make, list and remove the tokens of the server
    Token(TokenArgs),
    /// Check that everything is in place
    Doctor(JsonOnly),
    /// Remove old runs that have ended
    Prune(PruneArgs),
    /// Rebuild a damaged log from what is intact in it
    Repair(RepairArgs),
    /// Write completions for a shell
    Completions(CompletionsArgs),
    /// Write the man pages
    Man(ManArgs),
}
