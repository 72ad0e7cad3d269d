//! Schedules: runs that begin by the clock, each due time once.
//!
//! The name of a run is made of the schedule's name and its due time, so that the log itself says what was begun: a crash
//! between the start of a run and its note begins nothing twice. Up to when due times were handled, and what is paused,
//! is on the stream `schedules` of the installation.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use candor_model::{RunId, Timestamp};
use candor_ports::{Stream, StreamNote};
use candor_runtime::wall;
use candor_text::both;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

use super::control::run_of_key;
use super::{Service, StartRequest};
use crate::config::{self, CatchUp, Config, Overlap, Schedule};
use crate::data::{self, Log};
use crate::error::AppError;
use crate::schedule_times::ScheduleTimes;

/// The longest time without a look at the clock: it may be set, and a machine may sleep.
const LOOK: Duration = Duration::from_secs(20);
/// A due time that is older than this was missed: no server ran then, or it was busy starting.
const ON_TIME_MS: i64 = 60_000;
/// How far notes are read again: the clocks of processes may differ, and be set.
const READ_AGAIN_MS: i64 = 3_600_000;
/// How many of the next due times are shown.
const SHOWN: usize = 3;

/// What is on record about a schedule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Noted {
    /// A server first ran with it: what was due before is of no interest.
    Seen { upto: Timestamp },
    /// A run began, for a due time or because somebody asked for it.
    Started { upto: Option<Timestamp>, run: RunId },
    /// Due times were passed over.
    Skipped { upto: Timestamp, why: String },
    /// A run could not begin.
    Failed { upto: Option<Timestamp>, error: String },
    /// Nothing begins until it is resumed.
    Paused { by: String },
    /// It goes on with what is due from here on.
    Resumed { upto: Timestamp, by: String },
}

/// What became of a due time.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ScheduleOutcome {
    /// When that was noted.
    pub at: Timestamp,
    /// When it was due; absent if somebody asked for it.
    pub due: Option<Timestamp>,
    /// The run that began.
    pub run_id: Option<RunId>,
    /// Set when no run began.
    pub problem: Option<String>,
}

/// How a schedule stands.
#[derive(Debug, Clone, Default, PartialEq)]
struct ScheduleState {
    /// Up to when due times were handled.
    upto: Option<Timestamp>,
    paused_by: Option<String>,
    last: Option<ScheduleOutcome>,
    last_run: Option<RunId>,
}

impl ScheduleState {
    fn absorb(&mut self, at: Timestamp, noted: Noted) {
        let mut outcome = |due, run_id, problem| {
            self.last = Some(ScheduleOutcome { at, due, run_id, problem });
        };
        let upto = match noted {
            Noted::Seen { upto } => Some(upto),
            Noted::Started { upto, run } => {
                outcome(upto, Some(run.clone()), None);
                self.last_run = Some(run);
                upto
            }
            Noted::Skipped { upto, why } => {
                outcome(Some(upto), None, Some(why));
                Some(upto)
            }
            Noted::Failed { upto, error } => {
                outcome(upto, None, Some(error));
                upto
            }
            Noted::Paused { by } => {
                self.paused_by = Some(by);
                None
            }
            Noted::Resumed { upto, .. } => {
                self.paused_by = None;
                Some(upto)
            }
        };
        self.upto = self.upto.max(upto);
    }
}

/// A schedule as people see it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ScheduleView {
    /// Name in the configuration.
    pub name: String,
    /// When it is due.
    pub cron: String,
    /// The time zone in which that is read.
    pub timezone: String,
    /// What is to be reached.
    pub goal: Option<String>,
    /// The file with the plan.
    pub plan: Option<PathBuf>,
    /// What is done about due times that passed while no server ran.
    pub catch_up: CatchUp,
    /// What is done when the run before has not ended.
    pub overlap: Overlap,
    /// Whether nothing begins until it is resumed.
    pub paused: bool,
    /// Token that paused it.
    pub paused_by: Option<String>,
    /// When it is due next; empty while it is paused.
    pub next: Vec<Timestamp>,
    /// The same by the clocks of its time zone, for people.
    pub next_local: Vec<String>,
    /// What became of the last due time.
    pub last: Option<ScheduleOutcome>,
}

/// Every schedule, and how it stands.
pub async fn views(config: &Config, log: Option<&Log>) -> Result<Vec<ScheduleView>, AppError> {
    let mut states = match log {
        Some(log) => states(log).await?,
        None => BTreeMap::new(),
    };
    let view = |schedule: &Schedule| {
        let Schedule { name, cron, timezone, goal, plan, catch_up, overlap, .. } = schedule.clone();
        let ScheduleState { paused_by, last, .. } = states.remove(&name).unwrap_or_default();
        let times = ScheduleTimes::new(&cron, &timezone).ok();
        let following = |after: Timestamp| times.as_ref().and_then(|times| times.next(after));
        let next = std::iter::successors(following(wall()), |at| following(*at)).take(SHOWN);
        let next: Vec<Timestamp> = if paused_by.is_some() { Vec::new() } else { next.collect() };
        let local = |at: &Timestamp| times.as_ref().map_or_else(String::new, |times| times.shown(*at));
        let next_local = next.iter().map(local).collect();
        let paused = paused_by.is_some();
        ScheduleView {
            name,
            cron,
            timezone,
            goal,
            plan,
            catch_up,
            overlap,
            paused,
            paused_by,
            next,
            next_local,
            last,
        }
    };
    Ok(config.schedules.iter().map(view).collect())
}

async fn states(log: &Log) -> Result<BTreeMap<String, ScheduleState>, AppError> {
    let mut states: BTreeMap<String, ScheduleState> = BTreeMap::new();
    absorb(&mut states, log.notes(Stream::Schedules, Timestamp::EPOCH).await?);
    Ok(states)
}

fn absorb(states: &mut BTreeMap<String, ScheduleState>, notes: Vec<StreamNote>) {
    for note in notes {
        if let Ok(noted) = serde_json::from_value(note.body) {
            states.entry(note.key).or_default().absorb(note.at, noted);
        }
    }
}

async fn note(log: &Log, name: &str, noted: &Noted) -> Result<(), AppError> {
    let body = serde_json::to_value(noted).map_err(AppError::failed)?;
    let run = match noted {
        Noted::Started { run, .. } => Some(run.clone()),
        _ => None,
    };
    let (stream, at, key) = (Stream::Schedules, wall(), name.to_owned());
    Ok(log.append_note(StreamNote { stream, at, run, key, body }).await?)
}

/// Has nothing begin by a schedule until it is resumed.
pub async fn pause(config: &Config, log: &Log, name: &str, by: &str) -> Result<(), AppError> {
    let name = &named(config, name)?.name;
    match states(log).await?.get(name).is_some_and(|state| state.paused_by.is_some()) {
        true => Err(AppError::refused(both!(
            "schedule {name} is paused already",
            "la programación {name} ya está en pausa"
        ))),
        false => note(log, name, &Noted::Paused { by: by.to_owned() }).await,
    }
}

/// Goes on with a schedule; what was due while it was paused is passed over.
pub async fn resume(config: &Config, log: &Log, name: &str, by: &str) -> Result<(), AppError> {
    let name = &named(config, name)?.name;
    match states(log).await?.get(name).is_some_and(|state| state.paused_by.is_some()) {
        true => note(log, name, &Noted::Resumed { upto: wall(), by: by.to_owned() }).await,
        false => Err(AppError::refused(both!(
            "schedule {name} is not paused",
            "la programación {name} no está en pausa"
        ))),
    }
}

fn named<'c>(config: &'c Config, name: &str) -> Result<&'c Schedule, AppError> {
    config.schedules.iter().find(|schedule| schedule.name == name).ok_or_else(|| {
        AppError::not_found(both!(
            "there is no schedule {name}; [[schedules]] in candor.toml declares them",
            "no hay ninguna programación {name}; se declaran en [[schedules]] de candor.toml"
        ))
    })
}

/// Begins what is due.
pub(super) struct Clockwork {
    service: Arc<super::Shared>,
    changed: Arc<Notify>,
    states: BTreeMap<String, ScheduleState>,
    /// Notes from here on may be new. What is read twice changes nothing.
    since: Timestamp,
}

impl Clockwork {
    pub(super) fn new(service: Arc<super::Shared>, changed: Arc<Notify>) -> Self {
        Self { service, changed, states: BTreeMap::new(), since: Timestamp::EPOCH }
    }

    /// Reads what was noted since the last look, by this process or another.
    async fn refresh(&mut self) -> Result<(), AppError> {
        let notes = self.service.log.notes(Stream::Schedules, self.since).await?;
        if let Some(last) = notes.last() {
            self.since = Timestamp::from_millis(last.at.as_millis().saturating_sub(READ_AGAIN_MS));
        }
        absorb(&mut self.states, notes);
        Ok(())
    }

    /// Begins what is due for as long as the server runs.
    pub(super) async fn run(mut self) {
        let mut told = false;
        loop {
            let wait = match self.tick().await {
                Ok(next) => {
                    told = false;
                    let until = next.map_or(LOOK, |next| {
                        let millis = next.as_millis().saturating_sub(wall().as_millis()).max(0);
                        Duration::from_millis(u64::try_from(millis).unwrap_or(0))
                    });
                    until.min(LOOK)
                }
                Err(error) => {
                    if !std::mem::replace(&mut told, true) {
                        tell!(
                            "schedules could not be looked at: {error}; it is tried again",
                            "no se pudieron consultar las programaciones: {error}; se vuelve a intentar"
                        );
                    }
                    LOOK
                }
            };
            tokio::select! {
                () = tokio::time::sleep(wait) => {}
                () = self.changed.notified() => {}
            }
        }
    }

    /// Begins what is due, and says when something is due next.
    async fn tick(&mut self) -> Result<Option<Timestamp>, AppError> {
        self.refresh().await?;
        let (log, mut next) = (&self.service.log, None);
        for schedule in &self.service.app.config.schedules {
            let Ok(times) = ScheduleTimes::new(&schedule.cron, &schedule.timezone) else { continue };
            let (state, now) = (self.states.get(&schedule.name).cloned().unwrap_or_default(), wall());
            match state.upto {
                _ if state.paused_by.is_some() => continue,
                None => note(log, &schedule.name, &Noted::Seen { upto: now }).await?,
                Some(upto) => self.begin_due(schedule, &times, upto, now).await?,
            }
            next = [next, times.next(now)].into_iter().flatten().min();
        }
        Ok(next)
    }

    async fn begin_due(
        &self,
        schedule: &Schedule,
        times: &ScheduleTimes,
        upto: Timestamp,
        now: Timestamp,
    ) -> Result<(), AppError> {
        let most = usize::try_from(schedule.catch_up_limit).unwrap_or(usize::MAX).max(1);
        let due = times.between(upto, now, most.saturating_add(1));
        let Some(newest) = due.last().copied() else { return Ok(()) };
        let is_missed = |at: Timestamp| now.as_millis().saturating_sub(at.as_millis()) > ON_TIME_MS;
        let begins: Vec<Timestamp> = match schedule.catch_up {
            CatchUp::Skip => due.iter().copied().filter(|at| !is_missed(*at)).collect(),
            CatchUp::Once => vec![newest],
            CatchUp::All => due.iter().copied().skip(due.len().saturating_sub(most)).collect(),
        };
        for at in &begins {
            self.begin(schedule, *at).await?;
        }
        // What was begun before a crash, and not noted, did begin.
        if begins.is_empty() && !self.service.is_begun(&run_of_key(&key(schedule, newest))?).await? {
            let why = recorded!("missed while no server ran, and catch_up = \"skip\"").to_owned();
            tell!(
                "schedule {}: due at {newest}: {why}",
                "programación {}: tocaba el {newest}: ningún servidor estaba en marcha, y catch_up = \"skip\"",
                schedule.name
            );
            return note(&self.service.log, &schedule.name, &Noted::Skipped { upto: newest, why }).await;
        }
        if begins.len() < due.len() && schedule.catch_up == CatchUp::All {
            let name = &schedule.name;
            tell!(
                "schedule {name}: more than {most} due times were missed; the older ones are skipped",
                "programación {name}: se perdieron más de {most} citas; se omiten las más antiguas"
            );
        }
        Ok(())
    }

    /// Begins the run of a due time, unless it has begun or the one before is still under way.
    async fn begin(&self, schedule: &Schedule, due: Timestamp) -> Result<(), AppError> {
        let (log, upto) = (&self.service.log, Some(due));
        let run = run_of_key(&key(schedule, due))?;
        if !self.service.is_begun(&run).await?
            && schedule.overlap == Overlap::Skip
            && let Some(before) = self.under_way(schedule).await?
        {
            let why = in_english!("run {before} has not ended, and overlap = \"skip\"");
            tell!(
                "schedule {}: due at {due}: {why}",
                "programación {}: tocaba el {due}: la ejecución {before} no ha terminado, y overlap = \"skip\"",
                schedule.name
            );
            return note(log, &schedule.name, &Noted::Skipped { upto: due, why }).await;
        }
        let service = Service(Arc::clone(&self.service));
        let begun = match order(&self.service.app.config, schedule, key(schedule, due)) {
            Ok(request) => service.begin(request).await,
            Err(error) => Err(error),
        };
        let noted = match begun {
            Ok(started) => Noted::Started { upto, run: started.run },
            // Begun before a crash, with what the configuration said then.
            Err(_) if self.service.is_begun(&run).await? => Noted::Started { upto, run },
            Err(error) => {
                tell!(
                    "schedule {}: due at {due}: {error}",
                    "programación {}: tocaba el {due}: {error}",
                    schedule.name
                );
                Noted::Failed { upto, error: error.to_string() }
            }
        };
        note(log, &schedule.name, &noted).await
    }

    /// The run that the schedule began last, if it has not ended.
    async fn under_way(&self, schedule: &Schedule) -> Result<Option<RunId>, AppError> {
        let Some(run) = self.states.get(&schedule.name).and_then(|state| state.last_run.clone()) else {
            return Ok(None);
        };
        let loaded = data::load_run(&self.service.log, &run).await?;
        Ok((!loaded.records.is_empty() && !loaded.state.status().is_end()).then_some(run))
    }
}

impl super::Shared {
    async fn is_begun(&self, run: &RunId) -> Result<bool, AppError> {
        Ok(self.log.head(run).await? > candor_model::Position::START)
    }
}

fn key(schedule: &Schedule, due: Timestamp) -> String {
    format!("schedule\n{}\n{}", schedule.name, due.as_millis())
}

/// What the run of a schedule begins with. A plan is read each time, so that it can be changed without a restart.
fn order(config: &Config, schedule: &Schedule, key: String) -> Result<StartRequest, AppError> {
    let plan = schedule.plan.as_ref().map(|plan| {
        let path = config.folder.join(plan);
        let text = config::read_text(&path)?;
        serde_json::from_str(&text).map_err(|error| {
            AppError::usage(both!("{} is not JSON: {error}", "{} no es JSON: {error}", path.display()))
        })
    });
    Ok(StartRequest {
        goal: schedule.goal.clone(),
        plan: plan.transpose()?,
        unattended: Some(schedule.unattended),
        allow: schedule.allow.clone(),
        key: Some(key),
        ..StartRequest::default()
    })
}

impl Service {
    /// Every schedule, and how it stands.
    pub async fn schedules(&self) -> Result<Vec<ScheduleView>, AppError> {
        views(&self.0.app.config, Some(&self.0.log)).await
    }

    /// Has nothing begin by a schedule until it is resumed.
    pub async fn pause_schedule(&self, name: &str, by: &str) -> Result<(), AppError> {
        pause(&self.0.app.config, &self.0.log, name, by).await?;
        self.0.schedules_changed.notify_one();
        Ok(())
    }

    /// Goes on with a schedule.
    pub async fn resume_schedule(&self, name: &str, by: &str) -> Result<(), AppError> {
        resume(&self.0.app.config, &self.0.log, name, by).await?;
        self.0.schedules_changed.notify_one();
        Ok(())
    }

    /// Begins a run of a schedule now, whatever the time and also while it is paused.
    pub async fn trigger_schedule(&self, name: &str) -> Result<RunId, AppError> {
        let schedule = named(&self.0.app.config, name)?;
        let key = in_english!("schedule\n{name}\ntrigger\n{}\n{}", wall().as_millis(), fastrand::u64(..));
        let run = self.begin(order(&self.0.app.config, schedule, key)?).await?.run;
        note(&self.0.log, name, &Noted::Started { upto: None, run: run.clone() }).await?;
        Ok(run)
    }
}
