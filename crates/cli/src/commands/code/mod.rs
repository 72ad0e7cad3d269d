//! `candor code`: Python that a program wrote.

mod chain;
mod check;
pub(super) mod figures;
mod run;

use candor_app::{App, Sandbox};

use crate::args::{CodeCommand, GlobalOptions};
use crate::failure::Failure;

pub(super) async fn code(global: &GlobalOptions, command: CodeCommand) -> Result<u8, Failure> {
    match command {
        CodeCommand::Check(args) => check::check(global, &args).await,
        CodeCommand::Chain(args) => chain::chain(global, &args).await,
        CodeCommand::Run(args) => run::run(global, args).await,
    }
}

/// How the sandbox stands, for `candor doctor`. Whoever writes no code needs none.
pub(super) async fn health(app: &App) -> (bool, String) {
    let wanted = app.config.agents.iter().any(|agent| agent.kind.is_some());
    let python = match app.sandbox() {
        Err(failure) if wanted => return (false, failure.told().to_owned()),
        Err(failure) => {
            return (
                true,
                say!(
                    "programs cannot be run here, and no agent needs it: {failure}",
                    "aquí no se pueden ejecutar programas, y ningún agente lo necesita: {failure}"
                ),
            );
        }
        Ok(Sandbox::E2b(_)) => {
            return (
                true,
                word!(
                    "programs run with E2B (not called)",
                    "los programas se ejecutan con E2B (no se llamó)"
                )
                .to_owned(),
            );
        }
        Ok(Sandbox::Local(python)) => python,
    };
    match python.facts().await {
        Err(error) => (!wanted, error.to_string()),
        Ok(facts) => {
            let (major, minor, patch) = facts.version;
            let world = match python.own_world() {
                Ok(()) => word!("sandboxed", "en un entorno aislado").to_owned(),
                Err(why) => say!(
                    "confined, but names of files can be seen: {why}",
                    "confinados, pero se ven los nombres de archivos: {why}"
                ),
            };
            let libraries = facts.libraries.len();
            (
                true,
                say!(
                    "Python {major}.{minor}.{patch}, {libraries} libraries, {world}",
                    "Python {major}.{minor}.{patch}, {libraries} bibliotecas, {world}"
                ),
            )
        }
    }
}
