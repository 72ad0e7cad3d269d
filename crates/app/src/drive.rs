//! Taking the right to drive a run, and beginning to drive it.

use candor_agents::stop_orphans;
use candor_engine::{Input, RunState};
use candor_model::{Answer, Choice, HumanApprovalDecision, RunId, RunStatus};
use candor_ports::{Lease, Leases as _};
use candor_projections::words;
use candor_runtime::{DriveError, ForkPoint, RunHandle, RunOrder, Runtime};
use candor_text::{Language, both};

use crate::data::{self, Log};
use crate::error::AppError;
use crate::wiring::{AgentScope, App};

/// What is to be driven.
pub enum Begin {
    /// Begin a run by this order.
    Start(Box<RunOrder>),
    /// A run that is on the log, and what it is given first.
    Resume {
        /// Run that goes on.
        run: RunId,
        /// Input that is handled first, such as an answer.
        first: Option<Input>,
    },
    /// A new run that begins where another one once was.
    Fork {
        /// Run whose beginning is shared.
        from: RunId,
        /// Last point that is shared.
        at: ForkPoint,
        /// Id of the run that begins.
        new: RunId,
        /// Other words to go on with.
        prompt: Option<String>,
    },
}

impl Begin {
    /// The run that will be driven.
    #[must_use]
    pub fn run(&self) -> &RunId {
        match self {
            Self::Start(order) => &order.run_id,
            Self::Resume { run, .. } | Self::Fork { new: run, .. } => run,
        }
    }

    /// Which agents the run may use, which it says itself when it begins.
    pub async fn agent_scope(&self, log: &Log) -> Result<AgentScope, AppError> {
        let direct = match self {
            Self::Start(order) => order.settings.direct,
            Self::Resume { run, .. } | Self::Fork { from: run, .. } => {
                data::load_run(log, run).await?.state.settings().direct
            }
        };
        Ok(if direct { AgentScope::CodeAgentOnly } else { AgentScope::All })
    }
}

impl App {
    /// Takes the right to drive a run, and stops what an earlier driver left running.
    pub async fn claim(&self, run: &RunId) -> Result<Box<dyn Lease>, AppError> {
        let lease = self.data.leases().take(run).await?;
        self.stop_orphans(run)?;
        Ok(lease)
    }

    /// Stops the processes that an earlier driver of a run left running; returns how many.
    pub fn stop_orphans(&self, run: &RunId) -> Result<usize, AppError> {
        candor_sandbox::sweep();
        stop_orphans(&self.data.attempts(), run).map_err(|error| {
            AppError::failed(both!(
                "could not stop what an earlier process left running: {error}",
                "no se pudo detener lo que un proceso anterior dejó en marcha: {error}"
            ))
        })
    }

    /// Begins to drive; what the run begins with is on the log when it returns.
    pub async fn begin(
        &self,
        runtime: &Runtime,
        begin: Begin,
        lease: Box<dyn Lease>,
    ) -> Result<RunHandle, AppError> {
        let begun = match begin {
            Begin::Start(order) => runtime.start(*order, Some(lease)).await,
            Begin::Resume { run, first } => runtime.resume(run, first, Some(lease)).await,
            Begin::Fork { from, at, new, prompt } => runtime.fork(from, at, new, prompt, Some(lease)).await,
        };
        begun.map_err(|error| match error {
            DriveError::Log(error) => AppError::failed(both!(
                "{error}\nThe data folder is {}.",
                "{error}\nLa carpeta de datos es {}.",
                self.data.path().display()
            )),
            other => other.into(),
        })
    }

    /// A person's answer without secrets: it goes on the log like what was given on the command line.
    #[must_use]
    pub fn answer_without_secrets(&self, answer: Answer) -> Answer {
        match answer {
            Answer::Choice(choice) => {
                Answer::Choice(Choice { text: self.without_secrets(choice.text), ..choice })
            }
            Answer::Approval(decision) => {
                let comments = self.without_secrets(decision.comments);
                Answer::Approval(HumanApprovalDecision { comments, ..decision })
            }
            Answer::Guidance(guidance) => Answer::Guidance(guidance),
        }
    }
}

/// What a run that goes on is given first, if it needs to be given anything; a run that has ended does not go on.
pub fn first_input(state: &RunState) -> Result<Option<Input>, AppError> {
    let run = state.run_id();
    if state.can_resume() {
        return Ok(Some(Input::Resume));
    }
    if state.status().is_end() {
        let [en, es] = [Language::En, Language::Es].map(|it| words::run_status(it, state.status()));
        return Err(AppError::refused(both!(
            "run {run} has ended ({en}); `candor rollback {run} PHASE`, `candor restart {run}` or `candor fork {run}` can begin again",
            "la ejecución {run} ha terminado ({es}); se puede empezar de nuevo con `candor rollback {run} PHASE`, `candor restart {run}` o `candor fork {run}`"
        )));
    }
    Ok((state.status() == RunStatus::Paused).then_some(Input::Resume))
}
