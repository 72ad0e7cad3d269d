//! What each command does, one file per kind of command, and the `match` that leads there.

mod answer;
mod check;
mod code;
mod configured;
mod control;
mod decide;
mod doctor;
mod goal;
mod init;
mod look;
mod metrics;
mod models;
mod plan;
mod route;
mod rules;
mod run;
mod serve;
mod staff;
mod tools;
mod travel;
mod walk;

pub(crate) use self::control::way_on;
pub(crate) use self::plan::planned;
pub(crate) use self::run::{fresh_run_id, order};
use crate::args::{Cli, Command};
use crate::failure::Failure;

/// Does what was asked for; returns the exit code.
pub(crate) fn perform(cli: Cli) -> Result<u8, Failure> {
    let Cli { place, command } = cli;
    // These need no executor, and start faster without one.
    match &command {
        Command::Init(args) => return init::init(args),
        Command::Completions(args) => return Ok(init::completions(args)),
        Command::Packs(args) => return staff::packs(&place, args.json),
        Command::Config(args) => return configured::config(&place, args),
        Command::Rules(args) => return rules::rules(args),
        _ => {}
    }
    let executor = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    executor.block_on(async {
        match command {
            Command::Run(args) => run::run(&place, args).await,
            Command::Goal(args) => goal::goal(&place, &args).await,
            Command::Code(args) => code::code(&place, args.command).await,
            Command::Route(args) => route::route(&place, &args).await,
            Command::Plan(args) => plan::plan(&place, args).await,
            Command::Status(args) => look::status(&place, &args).await,
            Command::List(args) => look::list(&place, &args).await,
            Command::Watch(args) => look::watch(&place, &args).await,
            Command::Report(args) => look::report(&place, &args).await,
            Command::Explain(args) => look::explain(&place, &args).await,
            Command::Postmortem(args) => look::postmortem(&place, &args).await,
            Command::Effects(args) => look::effects(&place, &args).await,
            Command::Logs(args) => look::logs(&place, &args).await,
            Command::Resume(args) => control::resume(&place, &args).await,
            Command::Restart(args) => travel::restart(&place, &args).await,
            Command::Rollback(args) => travel::rollback(&place, &args).await,
            Command::Fork(args) => travel::fork(&place, &args).await,
            Command::Pause(args) => control::pause(&place, &args).await,
            Command::Cancel(args) => control::cancel(&place, &args).await,
            Command::Approve(args) => decide::approve(&place, &args).await,
            Command::Reject(args) => decide::reject(&place, &args).await,
            Command::Adjust(args) => decide::adjust(&place, &args).await,
            Command::Ask(args) => decide::ask(&place, &args).await,
            Command::Choose(args) => decide::choose(&place, &args).await,
            Command::Modify(args) => decide::modify(&place, &args).await,
            Command::Regenerate(args) => decide::regenerate(&place, &args).await,
            Command::Revert(args) => decide::revert(&place, &args).await,
            Command::Answer(args) => answer::answer(&place, &args).await,
            Command::Agents(args) if args.roster => staff::roster(&place, args.json),
            Command::Agents(args) => staff::agents(&place, args.json).await,
            Command::Metrics(args) => metrics::metrics(&place, &args).await,
            Command::Tools(args) => tools::tools(&place, args.json).await,
            Command::Models(args) => models::models(&place, &args).await,
            Command::Serve(args) => serve::serve(&place, args).await,
            Command::Doctor(args) => doctor::doctor(&place, args.json).await,
            Command::Init(_)
            | Command::Completions(_)
            | Command::Packs(_)
            | Command::Config(_)
            | Command::Rules(_) => Ok(crate::failure::code::DONE),
        }
    })
}
