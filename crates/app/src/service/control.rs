//! What a server does with runs beyond answering: starting them once, pausing, going back, forking, and taking up those
//! that an earlier process left.

use std::path::PathBuf;

use candor_engine::Input;
use candor_model::{CheckpointId, EventBody, Money, Position, RiskClass, RunId, RunStatus};
use candor_ports::{RunPage, RunQuery, Seq};
use candor_runtime::ForkPoint;
use candor_text::both;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::admission::QUEUED;
use super::feed::Follower;
use super::{Driver, Service, said};
use crate::data::{self, LoadedRun};
use crate::drive::{Begin, first_input};
use crate::error::AppError;
use crate::order::{AskedBy, Document, OrderRequest, fresh_run_id};
use crate::time_travel;

/// How many runs are looked at together when a server takes up what was left.
const LOOKED_AT: u32 = 200;
/// What a run's name is made of.
const LETTERS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// How many letters a name has that is made of a key.
const KEY_LETTERS: usize = 20;

/// What a run is to begin with.
#[derive(Debug, Default)]
pub struct StartRequest {
    /// The goal in plain words.
    pub goal: Option<String>,
    /// A plan as JSON.
    pub plan: Option<Value>,
    /// Whether nobody is there to be asked; if unset, as configured, otherwise somebody is.
    pub unattended: Option<bool>,
    /// What may be done without asking, though it cannot be undone.
    pub allow: Vec<RiskClass>,
    /// The same key names the same run: asked for again, it is not begun again.
    pub key: Option<String>,
    /// Who asks; the user of the server if unset.
    pub user: Option<String>,
    /// The run that is continued: its name, the beginning of it, or `last`. Nothing is guessed here: what a program
    /// starts need not belong to what it started before.
    pub follows: Option<String>,
}

/// A run that was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Started {
    /// Id of the run, whether it is new or was begun before.
    pub run: RunId,
    /// Whether it was begun by this call.
    pub new: bool,
    /// Where its log ended then.
    pub position: Position,
}

impl Service {
    /// Begins a run and drives it, or finds the one that was begun with the same key. What it begins with is durable when
    /// this returns.
    ///
    /// The name of a run with a key is made of the key: the log itself is the record of keys, and a crash between the
    /// start and the answer loses nothing.
    pub async fn begin(&self, request: StartRequest) -> Result<Started, AppError> {
        let StartRequest { goal, plan, unattended, allow, key, user, follows } = request;
        let run = key.as_deref().map_or_else(fresh_run_id, run_of_key)?;
        let words = match (goal, &plan) {
            (Some(goal), _) => said(&goal)?,
            (None, Some(_)) => String::new(),
            (None, None) => {
                return Err(AppError::usage(both!(
                    "say what is to be done: `goal` or `plan`",
                    "decir qué hay que hacer: `goal` o `plan`"
                )));
            }
        };
        let plan = plan.map(|plan| Document { path: PathBuf::from("plan"), text: plan.to_string() });
        let unattended = unattended.or(self.0.app.config.unattended).unwrap_or(false);
        let follows = match follows.as_deref() {
            None | Some("none") => None,
            Some(named) => {
                let wrong = |error: AppError| error.usage_at("follows: ");
                Some(self.find(named).await.map_err(wrong)?)
            }
        };
        let origin = AskedBy { user, follows };
        let request = OrderRequest { words, goal: None, plan, unattended, allow, origin, learn: true };
        let order = self.0.app.order(run.clone(), request)?;
        let (words, material) = (order.request.clone(), order.material.clone());
        if key.is_some() && self.exists(&run).await? {
            return self.begun_before(run, &words, material.as_ref()).await;
        }
        match self.0.start(order).await {
            Ok(position) => Ok(Started { run, new: true, position }),
            // Somebody else was quicker with the same key.
            Err(_) if key.is_some() && self.exists(&run).await? => {
                self.begun_before(run, &words, material.as_ref()).await
            }
            Err(error) => Err(error),
        }
    }

    /// The run that a key names, whether it was begun or not.
    pub fn run_of_key(key: &str) -> Result<RunId, AppError> {
        run_of_key(key)
    }

    /// A run that was begun with the same key, if it was begun with the same words and plan.
    async fn begun_before(
        &self,
        run: RunId,
        words: &str,
        material: Option<&candor_model::StartMaterial>,
    ) -> Result<Started, AppError> {
        let loaded = data::load_run(&self.0.log, &run).await?;
        let same = loaded.records.first().is_some_and(|recorded| match &recorded.event.body {
            EventBody::RunStarted { request, material: begun, .. } => {
                request == words && begun.as_deref() == material
            }
            _ => false,
        });
        if same {
            return Ok(Started { run, new: false, position: loaded.state.position() });
        }
        Err(AppError::usage(both!(
            "this idempotency key was used for run {run}, which began with something else; use another key",
            "esta clave de idempotencia se usó para la ejecución {run}, que empezó con otra cosa; usar otra clave"
        )))
    }

    /// Whether there is a run of this name.
    pub async fn exists(&self, run: &RunId) -> Result<bool, AppError> {
        Ok(self.head(run).await? > Position::START)
    }

    /// Where a run's log ends.
    pub async fn head(&self, run: &RunId) -> Result<Position, AppError> {
        Ok(self.0.log.head(run).await?)
    }

    /// Reads a run and folds it.
    pub async fn load(&self, run: &RunId) -> Result<LoadedRun, AppError> {
        let loaded = data::load_run(&self.0.log, run).await?;
        if loaded.records.is_empty() {
            return Err(AppError::not_found(both!(
                "there is no run {run}",
                "no hay ninguna ejecución {run}"
            )));
        }
        Ok(loaded)
    }

    /// Starts no new task of a run until it is resumed.
    pub async fn pause(&self, run: &RunId, reason: &str) -> Result<(), AppError> {
        let reason = self.0.app.without_secrets(reason.to_owned());
        self.0.submit(run, Input::Pause { reason }).await
    }

    /// Goes back to where a phase had just been completed, or to a checkpoint, and goes on from there.
    pub async fn roll_back(
        &self,
        run: &RunId,
        phase: Option<u8>,
        number: Option<u32>,
        budget: Option<f64>,
    ) -> Result<(), AppError> {
        let run_budget = budget.map(Money::from_dollars).transpose().map_err(AppError::usage)?;
        let state = self.load(run).await?.state;
        let to = match (phase, number) {
            (Some(phase), _) => time_travel::point(&state, &phase.to_string(), false)?,
            (None, Some(number)) => time_travel::checkpoint(&state, number)?,
            (None, None) => {
                return Err(AppError::usage(both!(
                    "say which `phase`, 0 to 7, or which `checkpoint`",
                    "decir qué `phase`, de 0 a 7, o qué `checkpoint`"
                )));
            }
        };
        self.0.submit(run, Input::RollBack { to, run_budget }).await
    }

    /// Begins a run anew, with other words if there are any.
    pub async fn restart(&self, run: &RunId, prompt: Option<String>) -> Result<(), AppError> {
        let prompt = prompt.map(|words| self.0.app.new_words(words)).transpose()?;
        self.0.submit(run, Input::Restart { prompt }).await
    }

    /// Begins a new run where another one once was; that one is left as it is.
    pub async fn fork(
        &self,
        from: &RunId,
        phase: Option<u8>,
        number: Option<u32>,
        prompt: Option<String>,
    ) -> Result<RunId, AppError> {
        let at = match (phase, number) {
            (Some(phase), _) => {
                let unknown = || {
                    AppError::usage(both!(
                        "phase {phase}: a phase is a number from 0 to 7",
                        "fase {phase}: una fase es un número de 0 a 7"
                    ))
                };
                ForkPoint::After(time_travel::numbered(&phase.to_string()).ok_or_else(unknown)?)
            }
            (None, Some(number)) => ForkPoint::Checkpoint(CheckpointId(number)),
            (None, None) => ForkPoint::Latest,
        };
        let prompt = prompt.map(|words| self.0.app.new_words(words)).transpose()?;
        let new = fresh_run_id()?;
        self.0.fork(Begin::Fork { from: from.clone(), at, new: new.clone(), prompt }).await?;
        Ok(new)
    }

    /// Resumes the runs that have no active driver although they have not ended, and those that wait in the queue of an earlier
    /// server; returns how many. Those that a person paused are left alone.
    pub async fn take_up_interrupted(&self) -> Result<usize, AppError> {
        let (mut taken_up, mut before) = (0, None);
        loop {
            let statuses = vec![
                RunStatus::Preparing,
                RunStatus::Executing,
                RunStatus::Stopping,
                RunStatus::WaitingHuman,
                RunStatus::Paused,
            ];
            let query = RunQuery { statuses, before, limit: LOOKED_AT, ..RunQuery::default() };
            let page = self.0.log.page(query).await?;
            for entry in &page.runs {
                let run = &entry.summary.run_id;
                match self.take_up(run).await {
                    Ok(taken) => taken_up += usize::from(taken),
                    Err(error) => tell!(
                        "run {run} could not be resumed: {error}",
                        "la ejecución {run} no se pudo reanudar: {error}"
                    ),
                }
            }
            before = page.next;
            if before.is_none() {
                return Ok(taken_up);
            }
        }
    }

    /// Resumes a run without an active driver, unless a person paused it.
    async fn take_up(&self, run: &RunId) -> Result<bool, AppError> {
        if self.driver(run).await != Driver::Nobody {
            return Ok(false);
        }
        let loaded = data::load_run(&self.0.log, run).await?;
        if loaded.state.status() == RunStatus::Paused && !was_queued(&loaded) {
            return Ok(false);
        }
        self.0.drive(run, first_input(&loaded.state)?).await?;
        Ok(true)
    }

    /// A page of the list of runs.
    pub async fn page(&self, query: RunQuery) -> Result<RunPage, AppError> {
        Ok(self.0.log.page(query).await?)
    }

    /// A page of a run's events.
    pub async fn events(
        &self,
        run: &RunId,
        after: Position,
        limit: u32,
    ) -> Result<Vec<candor_ports::LoggedEvent>, AppError> {
        Ok(self.0.log.events(run, after, limit).await?)
    }

    /// Follows a run from a position on.
    pub async fn follow(&self, run: RunId, after: Position) -> Result<Follower, AppError> {
        self.0.feed.follow(Some(run), after.0).await
    }

    /// Follows all runs from a place on; without one, from now on.
    pub async fn follow_all(&self, after: Option<Seq>) -> Result<Follower, AppError> {
        let after = match after {
            Some(after) => after,
            None => self.0.log.end().await?,
        };
        self.0.feed.follow(None, after.0).await
    }

    /// Every agent, as data.
    pub async fn agents(&self) -> Result<Value, AppError> {
        self.0.app.shown_agents(&self.0.log.experience().await?)
    }

    /// Every tool and how the servers stand, as data.
    pub async fn tools(&self) -> Result<Value, AppError> {
        use candor_ports::Toolbox as _;
        let tools = self.0.app.tools()?;
        let servers = tools.health(false).await;
        Ok(serde_json::json!({ "tools": tools.tools().await, "servers": servers }))
    }

    /// Every pack, as data.
    #[must_use]
    pub fn packs(&self) -> Value {
        self.0.app.shown_packs()
    }

    /// The configuration, as data.
    pub fn configuration(&self) -> Result<Value, AppError> {
        self.0.app.shown_config()
    }
}

/// Whether a run is paused because it waited in a server's queue.
fn was_queued(loaded: &LoadedRun) -> bool {
    let last = loaded.records.last().map(|recorded| &recorded.event.body);
    matches!(last, Some(EventBody::RunPaused { reason }) if reason.starts_with(QUEUED))
}

/// The name of the run that a key stands for.
pub(super) fn run_of_key(key: &str) -> Result<RunId, AppError> {
    let digest = Sha256::digest(key.as_bytes());
    let letter = |byte: &u8| LETTERS.get(usize::from(byte & 31)).map(|letter| char::from(*letter));
    let name: String = digest.iter().filter_map(letter).take(KEY_LETTERS).collect();
    RunId::new(format!("run_{name}")).map_err(AppError::failed)
}
