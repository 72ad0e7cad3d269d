//! The data folder: one place for everything that an installation keeps.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use candor_agents::{AttemptFolder, LogFolder};
use candor_engine::RunState;
use candor_model::{Position, Recorded, RunId, Timestamp};
use candor_ports::{Leases, LogError, Retention, RunEntry, RunFilter, Store, private};
use candor_store::{FileLeases, OpenOptions, RepairReport, SqliteLog, Verification};
use candor_text::both;

use crate::error::AppError;
use crate::redaction_key;

/// The folder's name below the platform's data directory.
const OWN_NAME: &str = "candor";

/// The log of all runs, whatever holds it.
pub type Log = Arc<dyn Store>;

/// Where an installation keeps its runs.
#[derive(Debug, Clone)]
pub struct DataFolder(PathBuf);

impl DataFolder {
    /// The folder that was named, or the platform's.
    pub fn find(named: Option<&Path>) -> Result<Self, AppError> {
        match named {
            Some(path) => Ok(Self(path.to_owned())),
            None => usual().map(Self).ok_or_else(|| {
                AppError::usage(both!(
                    "there is no home folder to keep runs in; name one with --data DIR or CANDOR_DATA",
                    "no hay carpeta personal en la que guardar ejecuciones; indicar una con --data DIR o CANDOR_DATA"
                ))
            }),
        }
    }

    /// Path of the folder.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Path of the database with the log.
    pub fn log_path(&self) -> PathBuf {
        self.0.join("candor.db")
    }

    /// What agents write to their standard error.
    pub fn logs(&self) -> LogFolder {
        LogFolder(self.0.join("logs"))
    }

    /// The processes that are at work.
    pub fn attempts(&self) -> AttemptFolder {
        AttemptFolder(self.0.join("attempts"))
    }

    /// The programs of packs that come with Candor.
    pub fn packs(&self) -> PathBuf {
        self.0.join("packs")
    }

    /// The vectors of texts, by the model that made them.
    pub fn vectors(&self) -> PathBuf {
        self.0.join("vectors")
    }

    /// The weights of models that were fetched.
    pub fn weights(&self) -> PathBuf {
        self.0.join("models")
    }

    /// What is known of the sandbox's Python, and code that has proven itself.
    pub fn code(&self) -> PathBuf {
        self.0.join("code")
    }

    /// Who drives which run.
    pub fn leases(&self) -> impl Leases + use<> {
        FileLeases::new(self.0.join("locks"))
    }

    /// Opens the log, makes it if there is none, and tells on standard error what was found wrong with it.
    pub fn open(&self) -> Result<Log, AppError> {
        let (log, damage) = self.open_quietly()?;
        if let Some(damage) = damage {
            eprintln!("candor: {damage}");
        }
        Ok(log)
    }

    /// Takes the folder away from other users if it is open to them, and tells so on standard error.
    fn restrict(&self) {
        if !self.0.is_dir() {
            return;
        }
        let folder = self.0.display();
        match private::restrict_all(&self.0) {
            Ok(false) => {}
            Ok(true) => tell!(
                "other users could read {folder}; it is now restricted to you (0700)",
                "otros usuarios podían leer {folder}; ahora solo se puede leer con esta cuenta (0700)"
            ),
            Err(error) => tell!(
                "other users may be able to read {folder}, and that could not be changed: {error}; run: chmod -R go= {folder}",
                "quizá otros usuarios puedan leer {folder}, y no se pudo cambiar: {error}; ejecutar: chmod -R go= {folder}"
            ),
        }
    }

    /// Opens the log, and returns what was found wrong with it.
    pub fn open_quietly(&self) -> Result<(Log, Option<String>), AppError> {
        self.restrict();
        let mut waits = || {
            tell!(
                "other processes are using the log in {}; waiting for them",
                "otros procesos están usando el registro de {}; se les espera",
                self.0.display()
            );
        };
        let opened = SqliteLog::open_telling(&self.log_path(), OpenOptions::default(), &mut waits);
        let opened = opened.map_err(|error| match error {
            LogError::DamagedFile { .. } => AppError::failed(error.to_string()),
            LogError::Locked { path } => AppError::failed(both!(
                "the log {} is locked: other processes are writing to it\nRun the command again when they are done.",
                "el registro {} está bloqueado: otros procesos están escribiendo en él\nRepetir la orden cuando terminen.",
                path.display()
            )),
            error => AppError::usage(both!(
                "{error}\nThe data folder is {}; it must be writable. Another one can be named with --data DIR.",
                "{error}\nLa carpeta de datos es {}; se debe poder escribir en ella. Se puede indicar otra con --data DIR.",
                self.0.display()
            )),
        });
        let (log, report) = opened?;
        redaction_key::keep(&self.0);
        Ok((Arc::new(log), (!report.is_clean()).then(|| report.to_string())))
    }

    /// Verifies the whole log and changes nothing; none if there is no log.
    pub fn verify(&self) -> Result<Option<Verification>, AppError> {
        let path = self.log_path();
        let there = std::fs::metadata(&path).is_ok_and(|file| file.len() > 0) || self.wal_path().exists();
        if there {
            return Ok(Some(candor_store::verify(&path)?));
        }
        // Agents leave their output for every run: where there is some, there was a log.
        let left = std::fs::read_dir(&self.logs().0).map_or(0, Iterator::count);
        let lost = || Verification {
            problems: vec![say!(
                "the log is missing, but {left} runs have left output of agents",
                "falta el registro, pero {left} ejecuciones dejaron salida de agentes"
            )],
            ..Verification::default()
        };
        Ok((left > 0).then(lost))
    }

    /// Builds the log anew from what is intact in it: in its place, or in another data folder.
    pub fn repair(&self, to: Option<&Self>) -> Result<RepairReport, AppError> {
        let Some(to) = to else {
            return Ok(candor_store::repair(&self.log_path(), None)?);
        };
        if to.log_path().exists() {
            let path = to.log_path();
            return Err(AppError::usage(both!(
                "{} exists; name a folder without a log",
                "{} ya existe; indicar una carpeta sin registro",
                path.display()
            )));
        }
        let failed = |error| {
            let folder = to.0.display();
            AppError::failed(both!("could not make {folder}: {error}", "no se pudo crear {folder}: {error}"))
        };
        private::create_dir_all(&to.0).map_err(failed)?;
        Ok(candor_store::repair(&self.log_path(), Some(&to.log_path()))?)
    }

    /// The runs that have ended and are older than `before`, but for the `keep` that changed last.
    pub async fn outdated(log: &Log, before: Timestamp, keep: u32) -> Result<Vec<RunEntry>, AppError> {
        let ended = log.runs(RunFilter::default()).await?.into_iter();
        let ended = ended.filter(|entry| entry.summary.status.is_end()).skip(keep as usize);
        let is_old = |entry: &RunEntry| entry.summary.updated_at.is_some_and(|at| at < before);
        Ok(ended.filter(is_old).collect())
    }

    /// Removes these runs with what their agents wrote; returns how many there were. What was learned from them stays.
    pub async fn prune(&self, before: Timestamp, keep: u32) -> Result<u64, AppError> {
        let (log, _) = SqliteLog::open(&self.log_path(), OpenOptions::default())?;
        let known: Log = Arc::new(log.clone());
        let outdated = Self::outdated(&known, before, keep).await?;
        let removed = log.remove_ended_before(before, keep).await?;
        for entry in outdated {
            self.logs().remove(&entry.summary.run_id);
        }
        Ok(removed)
    }

    /// Gives the space of removed runs back; returns how many bytes.
    pub fn compact(&self) -> Result<u64, AppError> {
        Ok(candor_store::compact(&self.log_path())?)
    }

    fn wal_path(&self) -> PathBuf {
        self.0.join("candor.db-wal")
    }

    /// Opens the log for looking only: a folder without one has no runs, and stays as it is.
    pub fn open_if_there(&self) -> Result<Option<Log>, AppError> {
        if self.0.exists() && !self.0.is_dir() {
            let path = self.0.display();
            return Err(AppError::usage(both!(
                "{path} is not a folder; name one with --data DIR or CANDOR_DATA",
                "{path} no es una carpeta; indicar una con --data DIR o CANDOR_DATA"
            )));
        }
        if self.log_path().exists() { self.open().map(Some) } else { Ok(None) }
    }
}

#[cfg(not(windows))]
fn usual() -> Option<PathBuf> {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if cfg!(target_os = "macos") {
        return set("HOME").map(|home| home.join("Library/Application Support").join(OWN_NAME));
    }
    set("XDG_DATA_HOME")
        .or_else(|| set("HOME").map(|home| home.join(".local/share")))
        .map(|it| it.join(OWN_NAME))
}

#[cfg(windows)]
fn usual() -> Option<PathBuf> {
    std::env::var_os("LOCALAPPDATA").map(|folder| PathBuf::from(folder).join(OWN_NAME))
}

/// A run, read from the log.
pub struct LoadedRun {
    /// All events of the run.
    pub records: Vec<Recorded>,
    /// What the log folds to.
    pub state: RunState,
}

impl LoadedRun {
    /// Reads what was appended since; returns it.
    pub async fn catch_up(&mut self, log: &Log) -> Result<&[Recorded], AppError> {
        let new = log.read(self.state.run_id(), self.state.position()).await?;
        self.state.catch_up(&new)?;
        let known = self.records.len();
        self.records.extend(new);
        Ok(self.records.get(known..).unwrap_or_default())
    }
}

/// Reads a run and folds it.
pub async fn load_run(log: &Log, run: &RunId) -> Result<LoadedRun, AppError> {
    let records = log.read(run, Position::START).await?;
    let state = RunState::fold(run.clone(), &records)?;
    Ok(LoadedRun { records, state })
}

/// How many runs are named when the beginning of a name does not tell which is meant.
const SEVERAL: u32 = 5;

/// Finds a run by its name, by the beginning of its name, or as the last one.
pub async fn find_run(data: &DataFolder, log: Option<&Log>, named: &str) -> Result<RunId, AppError> {
    if named == "last" {
        let last = match log {
            Some(log) => log.runs(RunFilter { limit: Some(1), ..RunFilter::default() }).await?,
            None => Vec::new(),
        };
        let folder = data.path().display();
        let none =
            || AppError::not_found(both!("there are no runs in {folder}", "no hay ejecuciones en {folder}"));
        return last.first().map(|entry| entry.summary.run_id.clone()).ok_or_else(none);
    }
    let mut found = Vec::new();
    if let Some(log) = log.filter(|_| !named.is_empty()) {
        // The name itself comes first, because it is the shortest that begins so.
        found = log.named(named, SEVERAL).await?;
        if let Some(exact) = found.first().filter(|run| run.as_str() == named) {
            return Ok(exact.clone());
        }
        found.extend(log.named(&format!("run_{named}"), SEVERAL).await?);
    }
    match found.as_slice() {
        [only] => Ok(only.clone()),
        [] => Err(AppError::not_found(both!(
            "there is no run {named} in {}; `candor list` shows those that there are",
            "no hay ninguna ejecución {named} en {}; `candor list` muestra las que hay",
            data.path().display()
        ))),
        several => {
            let names: Vec<&str> = several.iter().take(SEVERAL as usize).map(RunId::as_str).collect();
            Err(AppError::usage(both!(
                "several runs begin with {named}: {}; say more of the name",
                "varias ejecuciones empiezan por {named}: {}; indicar más letras del nombre",
                names.join(", ")
            )))
        }
    }
}
