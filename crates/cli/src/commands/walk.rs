//! A walk through the phases without a run: what `candor goal` and `candor plan` do. Models are asked here and
//! now, within the planning budget, and nothing is kept.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use candor_llm::Tiers;
use candor_model::{
    AgentCapability, AskStep, CalibrationMetrics, Consulted, Evaluation, Goal, Handoff, Money, Phase,
    RankedAgent, ReadFile, RunId, RunSettings, SubTask, Timestamp,
};
use candor_phases::{Answers, Meaning, Pause, PhaseContext, Phases, Unknown};
use candor_planning::calibration;
use candor_planning::phase::PhaseReport;
use candor_ports::{Ask, CallLimits, Embedder, Experience, Inspector, Models, Next};
use tokio_util::sync::CancellationToken;

use super::run::fresh_run_id;
use crate::app::App;
use crate::args::ModelOptions;
use crate::deps;
use crate::failure::Failure;

/// Someone who walks through the phases.
pub(super) struct Walk {
    pub(super) phases: Phases,
    pub(super) agents: Vec<AgentCapability>,
    pub(super) settings: RunSettings,
    pub(super) now: Timestamp,
    calibration: CalibrationMetrics,
    experience: Experience,
    run_id: RunId,
    models: Option<Arc<Tiers>>,
    meaning: Option<Arc<dyn Embedder>>,
    /// What models said, by the step that was asked.
    told: BTreeMap<&'static str, Vec<Consulted>>,
    spent: Money,
    inspector: Option<Arc<dyn Inspector>>,
    files: BTreeMap<String, ReadFile>,
    /// The request, judged; once it is.
    pub(super) evaluation: Option<Evaluation>,
}

impl Walk {
    /// Sets out with everything that the configuration names.
    pub(super) fn new(app: &App, experience: Experience, options: &ModelOptions) -> Result<Self, Failure> {
        let models = deps::models(app, options)?;
        Ok(Self {
            phases: app.phases(),
            agents: app.full_staff(&[], models.is_some())?.known(&experience.measured),
            settings: app.config.limits.clone(),
            now: candor_runtime::wall(),
            calibration: calibration::metrics(&experience.outcomes),
            experience,
            run_id: fresh_run_id()?,
            models,
            meaning: deps::meaning(app)?,
            told: BTreeMap::new(),
            spent: Money::ZERO,
            inspector: deps::inspector(app),
            files: BTreeMap::new(),
            evaluation: None,
        })
    }

    /// Has a phase do its work, with whatever it asks for on the way.
    pub(super) async fn visit(
        &mut self,
        phase: Phase,
        request: &str,
        handoffs: &BTreeMap<Phase, Handoff>,
        goal: Option<&Goal>,
    ) -> Result<PhaseReport, String> {
        loop {
            match self.work(phase, request, handoffs, goal) {
                Ok(report) => return Ok(report),
                Err(Pause::Failed(reason)) => return Err(reason),
                Err(Pause::Ask(ask)) => self.ask(&ask).await?,
                Err(Pause::Embed(texts)) => self.embed(&texts).await,
                Err(Pause::Read(paths)) => self.read(&paths).await,
                Err(Pause::Check(_) | Pause::Query(_)) => {
                    return Err("nothing was carried out that could be checked".to_owned());
                }
            }
        }
    }

    fn work(
        &self,
        phase: Phase,
        request: &str,
        handoffs: &BTreeMap<Phase, Handoff>,
        goal: Option<&Goal>,
    ) -> Result<PhaseReport, Pause> {
        self.with_context(request, handoffs, goal, |cx| self.phases.work(phase, cx))
    }

    fn with_context<T>(
        &self,
        request: &str,
        handoffs: &BTreeMap<Phase, Handoff>,
        goal: Option<&Goal>,
        work: impl FnOnce(&PhaseContext<'_>) -> T,
    ) -> T {
        let told = |step: &str| self.told.get(step).map_or(&[][..], Vec::as_slice);
        work(&PhaseContext {
            run_id: &self.run_id,
            request,
            now: self.now,
            settings: &self.settings,
            material: None,
            handoffs,
            goal,
            agents: &self.agents,
            calibration: &self.calibration,
            plan: None,
            evaluation: self.evaluation.as_ref(),
            brief: None,
            talk: None,
            decisions: &[],
            refine: &[],
            files: &self.files,
            checks: &[],
            responses: &[],
            messages: &[],
            answers: self.models.as_ref().map(|_| Answers(&told)),
            meaning: self.meaning.as_deref().map(Meaning),
            examples: &self.experience.examples,
            resting: &BTreeMap::new(),
            feedback: &[],
        })
    }

    /// Ranks everyone for a task that a repair added.
    pub(super) fn route(&self, task: &SubTask) -> Result<Vec<RankedAgent>, Pause> {
        self.with_context("", &BTreeMap::new(), None, |cx| self.phases.route(task, cx))
    }

    async fn read(&mut self, paths: &[String]) {
        for path in paths {
            let file = match &self.inspector {
                Some(inspector) => inspector.read(path).await,
                None => {
                    let text = Err("nobody here can read files".to_owned());
                    ReadFile { path: path.clone(), bytes: 0, modified: None, hash: String::new(), text }
                }
            };
            self.files.insert(path.clone(), file);
        }
    }

    /// Climbs the whole fallback policy of an ask.
    async fn ask(&mut self, ask: &Ask) -> Result<(), String> {
        let models = self.models.clone().ok_or("there is no model to ask")?;
        loop {
            let past = self.told.get(ask.step).map_or(&[][..], Vec::as_slice);
            let left = self.settings.planning_budget.saturating_sub(self.spent);
            let step = match models.next(ask, past, left) {
                Next::Step(outcome) => Consulted { call: None, outcome },
                Next::Call(next) => {
                    tokio::time::sleep(Duration::from_millis(next.after.as_millis())).await;
                    let within = self.settings.planning_timeout;
                    let limits = CallLimits { within, max_output_tokens: next.max_output_tokens };
                    models.call(ask, past, limits, None, CancellationToken::new()).await
                }
            };
            self.spent = self.spent + step.call.as_ref().map_or(Money::ZERO, |call| call.cost);
            let is_final = step.outcome.is_final();
            tell(ask, &step.outcome);
            self.told.entry(ask.step).or_default().push(step);
            if is_final {
                return Ok(());
            }
        }
    }

    async fn embed(&mut self, texts: &Unknown) {
        let Some(meaning) = self.meaning.clone() else { return };
        if let Err(reason) = texts.fetch(&*meaning).await {
            eprintln!("candor: {reason}; agents are chosen by words alone");
            self.meaning = None;
        }
    }
}

/// Says what a model could not do.
fn tell(ask: &Ask, outcome: &AskStep) {
    match outcome {
        AskStep::Accepted { .. } => {}
        AskStep::Repeat { delay, reason, .. } => {
            eprintln!("candor: {}: {reason}; again in {delay} s", ask.step)
        }
        AskStep::AskAgain { problems } => {
            eprintln!(
                "candor: the answer to {} does not fit: {}; asked once more",
                ask.step,
                problems.join("; ")
            );
        }
        AskStep::FallBack { to, reason, .. } => {
            eprintln!("candor: {}: {reason}; the {to} tier is asked", ask.step);
        }
        AskStep::GiveUp { reason, .. } => {
            eprintln!("candor: no model could answer {}, the rules speak: {reason}", ask.step);
        }
    }
}
