//! A dry run: what `candor goal`, `candor plan` and the server's plan do. Models are asked within the planning budget,
//! no agent is given a task, and nothing is kept.

use std::sync::Arc;

use candor_model::{AgentCapability, AskKey, AskStep, EventBody, Phase, Question, Recorded, RunId};
use candor_phases::Phases;
use candor_ports::{Experience, Observer};
use candor_runtime::{AgentRegistry, DryRun, DryRunReport, RunOrder, RuntimeDeps};
use candor_text::{Sentence, both};

use crate::{App, AppError, ModelUse, fresh_run_id};

/// What dry runs share: agents, phases and models are looked up once for all of them.
pub struct DryRuns<'a> {
    pub(crate) app: &'a App,
    registry: AgentRegistry,
    phases: Phases,
    deps: RuntimeDeps,
}

/// A dry run that is over, and what it ran with.
pub(crate) struct Rehearsed {
    pub(crate) report: DryRunReport,
    pub(crate) agents: Vec<AgentCapability>,
    pub(crate) phases: Phases,
}

impl<'a> DryRuns<'a> {
    /// Dry runs with the agents and models of this installation.
    pub fn new(app: &'a App, models: impl Into<ModelUse>) -> Result<Self, AppError> {
        let models = app.models(models)?;
        let registry = app.registry_with_last_resort(&[], models.is_some())?;
        Ok(Self { app, registry, phases: app.phases(), deps: app.runtime_deps(models.as_ref())? })
    }

    /// Runs through the phases up to `last`. A question that only a person can answer is an error: a run would wait there.
    pub(crate) async fn run(
        &self,
        experience: Experience,
        request: &str,
        last: Phase,
    ) -> Result<Rehearsed, AppError> {
        let agents = self.registry.known(&experience.measured);
        // What an earlier one broke down is not known to the next: each is as if it were the first.
        let phases = self.phases.afresh();
        let order = RunOrder {
            run_id: fresh_run_id()?,
            request: request.to_owned(),
            settings: self.app.config.limits.clone(),
            material: None,
            origin: None,
        };
        let dry_run = DryRun {
            registry: self.registry.clone(),
            phases: phases.clone(),
            deps: self.deps.clone(),
            experience,
            observer: Some(Arc::new(Told)),
        };
        let report = dry_run.run(order, last).await?;
        if let Some(question) = report.questions.first() {
            return Err(AppError::failed(waits(question)));
        }
        Ok(Rehearsed { report, agents, phases })
    }
}

/// Why nobody but a person can go on.
fn waits(question: &Question) -> Sentence {
    match question {
        Question::Choice(request) => {
            both!(
                "stopped: {}; `candor run` with the same words asks you how to go on",
                "detenido: {}; `candor run` con las mismas palabras pregunta cómo seguir",
                request.reason
            )
        }
        Question::Guidance(_) | Question::Approval { .. } => {
            both!(
                "stopped at a question for a person; `candor run` with the same words asks it",
                "detenido en una pregunta para una persona; `candor run` con las mismas palabras la hace"
            )
        }
    }
}

/// Says what a model could not do.
struct Told;

impl Observer for Told {
    fn on_events(&self, _: &RunId, events: &[Recorded]) {
        for recorded in events {
            if let EventBody::ModelConsulted { ask, step, .. } = &recorded.event.body {
                tell(ask, &step.outcome);
            }
        }
    }
}

fn tell(ask: &AskKey, step: &AskStep) {
    let name = &ask.step;
    match step {
        AskStep::Accepted { .. } => {}
        AskStep::Repeat { delay, reason, .. } => {
            tell!("{name}: {reason}; retry in {delay} s", "{name}: {reason}; se reintenta en {delay} s");
        }
        AskStep::AskAgain { problems } => tell!(
            "the answer to {name} does not fit: {}; asked once more",
            "la respuesta a {name} no encaja: {}; se pregunta otra vez",
            problems.join("; ")
        ),
        AskStep::FallBack { to, reason, .. } => {
            tell!("{name}: {reason}; asking the {to} tier", "{name}: {reason}; se pregunta al nivel {to}");
        }
        AskStep::GiveUp { reason, .. } if name == "embed" => tell!(
            "{reason}; agents are chosen by words alone",
            "{reason}; los agentes se eligen solo por palabras"
        ),
        AskStep::GiveUp { reason, .. } => tell!(
            "no model could answer {name}, the rule-based fallback is used: {reason}",
            "ningún modelo pudo responder a {name}; se usan las reglas: {reason}"
        ),
    }
}
