//! `candor code`: Python that a program wrote.

mod chain;
mod check;
mod figures;
mod run;

pub(super) use self::figures::CodeFigures;
use crate::args::{CodeCommand, Place};
use crate::failure::Failure;
use crate::house::{House, Sandbox};

pub(super) async fn code(place: &Place, command: CodeCommand) -> Result<u8, Failure> {
    match command {
        CodeCommand::Check(args) => check::check(place, &args).await,
        CodeCommand::Chain(args) => chain::chain(place, &args).await,
        CodeCommand::Run(args) => run::run(place, args).await,
    }
}

/// How the sandbox stands, for `candor doctor`. Whoever writes no code needs none.
pub(super) async fn health(house: &House) -> (bool, String) {
    let wanted = house.config.agents.iter().any(|agent| agent.kind.is_some());
    let python = match house.sandbox() {
        Err(failure) if wanted => return (false, failure.message),
        Err(failure) => {
            return (true, format!("programs cannot be run here, and no agent needs it: {failure}"));
        }
        Ok(Sandbox::E2b(_)) => return (true, "programs run with E2B (not called)".to_owned()),
        Ok(Sandbox::Local(python)) => python,
    };
    match python.facts().await {
        Err(error) => (!wanted, error.to_string()),
        Ok(facts) => {
            let (major, minor, patch) = facts.version;
            let world = match python.own_world() {
                Ok(()) => "confined in a world of its own".to_owned(),
                Err(why) => format!("confined, but names of files can be seen: {why}"),
            };
            let libraries = facts.libraries.len();
            (true, format!("Python {major}.{minor}.{patch}, {libraries} libraries, {world}"))
        }
    }
}
