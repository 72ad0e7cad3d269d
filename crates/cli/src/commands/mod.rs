//! What each command does, one file per kind of command, and the `match` that leads there.

mod agents;
mod answer;
mod batch;
mod check;
mod code;
mod configured;
mod control;
mod dashboard;
mod decide;
mod doctor;
mod explain;
mod feedback;
mod goal;
mod guard;
mod hook;
mod init;
pub(crate) mod inspect;
pub(crate) mod kpi;
mod logs;
mod manual;
mod metrics;
mod models;
mod open;
mod packs;
mod plan;
mod prune;
mod repair;
mod route;
mod rules;
pub(crate) mod run;
mod schedules;
mod serve;
mod spend;
mod time_travel;
mod token;
mod tools;
pub(crate) mod trace;

use crate::args::{Cli, Command, GlobalOptions};
use crate::failure::Failure;

/// A server drives many runs and uses every core; all else is one run or one look, which a second thread only slows down.
fn executor(command: &Command) -> std::io::Result<tokio::runtime::Runtime> {
    let mut builder = match command {
        Command::Serve(_) => tokio::runtime::Builder::new_multi_thread(),
        _ => tokio::runtime::Builder::new_current_thread(),
    };
    builder.enable_all().build()
}

/// Does what was asked for; returns the exit code.
pub(crate) fn perform(cli: Cli) -> Result<u8, Failure> {
    let Cli { global, command } = cli;
    check_server(&global, &command)?;
    if let Some(outcome) = without_executor(&global, &command) {
        return outcome;
    }
    executor(&command)?.block_on(async {
        match command {
            Command::Run(args) => run::run(&global, args).await,
            Command::Goal(args) => goal::goal(&global, &args).await,
            Command::Guard(args) => guard::guard(&global, &args).await,
            Command::Code(args) => code::code(&global, args.command).await,
            Command::Route(args) => route::route(&global, &args).await,
            Command::Plan(args) => plan::plan(&global, args).await,
            Command::Prune(args) => prune::prune(&global, &args).await,
            Command::Status(args) => inspect::status(&global, &args).await,
            Command::List(args) => inspect::list(&global, &args).await,
            Command::Watch(args) => inspect::watch(&global, &args).await,
            Command::Report(args) => inspect::report(&global, &args).await,
            Command::Explain(args) => explain::explain(&global, &args).await,
            Command::Open(args) => open::open(&global, &args).await,
            Command::Postmortem(args) => inspect::postmortem(&global, &args).await,
            Command::Effects(args) => inspect::effects(&global, &args).await,
            Command::Logs(args) => logs::logs(&global, &args).await,
            Command::Resume(args) => control::resume(&global, &args).await,
            Command::Restart(args) => time_travel::restart(&global, &args).await,
            Command::Rollback(args) => time_travel::rollback(&global, &args).await,
            Command::Fork(args) => time_travel::fork(&global, &args).await,
            Command::Replan(args) => control::replan(&global, &args).await,
            Command::Pause(args) => control::pause(&global, &args).await,
            Command::Cancel(args) => control::cancel(&global, &args).await,
            Command::Approve(args) => decide::approve(&global, &args).await,
            Command::Reject(args) => decide::reject(&global, &args).await,
            Command::Adjust(args) => decide::adjust(&global, &args).await,
            Command::Ask(args) => decide::ask(&global, &args).await,
            Command::Choose(args) => decide::choose(&global, &args).await,
            Command::Modify(args) => decide::modify(&global, &args).await,
            Command::Regenerate(args) => decide::regenerate(&global, &args).await,
            Command::Revert(args) => decide::revert(&global, &args).await,
            Command::Answer(args) => answer::answer(&global, &args).await,
            Command::Agents(args) if args.roster => agents::roster(&global, args.listing),
            Command::Agents(args) => agents::agents(&global, &args).await,
            Command::Metrics(args) if args.kpi || args.prometheus => kpi::kpi(&global, &args).await,
            Command::Alerts(args) => kpi::alerts(&global, &args).await,
            Command::Dashboard(args) => dashboard::dashboard(&global, &args).await,
            Command::Trace(args) => trace::trace(&global, &args).await,
            Command::Export(args) => trace::export(&global, &args).await,
            Command::Feedback(args) => feedback::feedback(&global, &args).await,
            Command::Cost(args) => spend::spend(&global, &args, spend::Shown::Cost).await,
            Command::Tokens(args) => spend::spend(&global, &args, spend::Shown::Tokens).await,
            Command::Metrics(args) => metrics::metrics(&global, &args).await,
            Command::Tools(args) => tools::tools(&global, args).await,
            Command::Packs(args) => packs::packs(&global, &args).await,
            Command::Models(args) => models::models(&global, &args).await,
            Command::Hook(args) => hook::hook(&global, &args).await,
            Command::Trust(args) => hook::trust(&global, &args).await,
            Command::Serve(args) => serve::serve(&global, args).await,
            Command::Schedules(args) => schedules::schedules(&global, &args).await,
            Command::Doctor(args) => doctor::doctor(&global, args.json).await,
            Command::Init(_)
            | Command::Completions(_)
            | Command::Man(_)
            | Command::Config(_)
            | Command::Repair(_)
            | Command::Rules(_)
            | Command::Token(_) => Ok(crate::failure::code::DONE),
        }
    })
}

/// Refuses `--server` for a command that only works on a data folder.
fn check_server(global: &GlobalOptions, command: &Command) -> Result<(), Failure> {
    if global.server.is_none() || is_remote(command) {
        return Ok(());
    }
    Err(Failure::usage(word!(
        "--server: this command works on a data folder; run, list, status, watch, answer, report, open, explain, \
         postmortem, effects and schedules work on a server",
        "--server: esta orden trabaja con una carpeta de datos; run, list, status, watch, answer, report, open, explain, postmortem, effects y schedules trabajan con un servidor"
    )))
}

/// Commands that need no executor, and start faster without one.
fn without_executor(global: &GlobalOptions, command: &Command) -> Option<Result<u8, Failure>> {
    match command {
        Command::Init(args) => Some(init::init(args)),
        Command::Completions(args) => Some(init::completions(args)),
        Command::Man(args) => Some(manual::man(args)),
        Command::Config(args) => Some(configured::config(global, args)),
        Command::Rules(args) => Some(rules::rules(args)),
        Command::Repair(args) => Some(repair::repair(global, args)),
        Command::Token(args) => Some(token::token(global, args)),
        _ => None,
    }
}

/// Whether a command works on a server too.
const fn is_remote(command: &Command) -> bool {
    matches!(
        command,
        Command::Run(_)
            | Command::List(_)
            | Command::Status(_)
            | Command::Watch(_)
            | Command::Answer(_)
            | Command::Report(_)
            | Command::Open(_)
            | Command::Explain(_)
            | Command::Postmortem(_)
            | Command::Effects(_)
            | Command::Schedules(_)
    )
}
