//! The data folder: one place for everything that an installation keeps.

use std::path::{Path, PathBuf};

use candor_agents::{AttemptFolder, LogFolder};
use candor_engine::RunState;
use candor_model::{Position, Recorded, RunId};
use candor_ports::{EventLog, RunEntry, RunFilter};
use candor_runtime::{Lease, LeaseError};
use candor_store::{OpenOptions, OpenReport, SqliteLog};

use crate::failure::Failure;

/// The folder's name below the platform's data directory.
const OWN_NAME: &str = "candor";

/// Where an installation keeps its runs.
#[derive(Debug, Clone)]
pub(crate) struct DataFolder(PathBuf);

impl DataFolder {
    /// The folder that was named, or the platform's.
    pub(crate) fn find(named: Option<&Path>) -> Result<Self, Failure> {
        match named {
            Some(path) => Ok(Self(path.to_owned())),
            None => usual().map(Self).ok_or_else(|| {
                Failure::usage(
                    "there is no home folder to keep runs in; name one with --data DIR or CANDOR_DATA",
                )
            }),
        }
    }

    /// The folder itself.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// The log's file.
    pub(crate) fn log_path(&self) -> PathBuf {
        self.0.join("candor.db")
    }

    /// What agents write to their standard error.
    pub(crate) fn logs(&self) -> LogFolder {
        LogFolder(self.0.join("logs"))
    }

    /// The processes that are at work.
    pub(crate) fn attempts(&self) -> AttemptFolder {
        AttemptFolder(self.0.join("attempts"))
    }

    /// The vectors of texts, by the model that made them.
    pub(crate) fn vectors(&self) -> PathBuf {
        self.0.join("vectors")
    }

    /// The weights of models that were fetched.
    pub(crate) fn weights(&self) -> PathBuf {
        self.0.join("models")
    }

    /// What is known of the sandbox's Python, and code that has proven itself.
    pub(crate) fn code(&self) -> PathBuf {
        self.0.join("code")
    }

    /// Takes the right to drive a run.
    pub(crate) fn lease(&self, run: &RunId) -> Result<Lease, LeaseError> {
        Lease::take(&self.0.join("locks"), run)
    }

    /// Whether another process drives a run.
    pub(crate) fn is_driven(&self, run: &RunId) -> bool {
        Lease::is_taken(&self.0.join("locks"), run)
    }

    /// Opens the log, makes it if there is none, and tells on standard error what was found wrong with it.
    pub(crate) fn open(&self) -> Result<SqliteLog, Failure> {
        let (log, report) = self.open_quietly()?;
        if !report.is_clean() {
            eprintln!("candor: {report}");
        }
        Ok(log)
    }

    /// Opens the log and returns what was found.
    pub(crate) fn open_quietly(&self) -> Result<(SqliteLog, OpenReport), Failure> {
        SqliteLog::open(&self.log_path(), OpenOptions::default()).map_err(|error| {
            Failure::usage(format!(
                "{error}\nThe data folder is {}; it must be writable. Another one can be named with --data DIR.",
                self.0.display()
            ))
        })
    }

    /// Opens the log for looking only: a folder without one has no runs, and stays as it is.
    pub(crate) fn open_if_there(&self) -> Result<Option<SqliteLog>, Failure> {
        if self.0.exists() && !self.0.is_dir() {
            let path = self.0.display();
            return Err(Failure::usage(format!(
                "{path} is not a folder; name one with --data DIR or CANDOR_DATA"
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

/// A run that is looked at.
pub(crate) struct Looked {
    /// Its log.
    pub(crate) records: Vec<Recorded>,
    /// What the log folds to.
    pub(crate) state: RunState,
}

/// Reads a run and folds it.
pub(crate) async fn look(log: &SqliteLog, run: &RunId) -> Result<Looked, Failure> {
    let records = log.read(run, Position::START).await?;
    let state = RunState::fold(run.clone(), &records)?;
    Ok(Looked { records, state })
}

/// Finds a run by its name, by the beginning of its name, or as the last one.
pub(crate) async fn find_run(
    data: &DataFolder,
    log: Option<&SqliteLog>,
    named: &str,
) -> Result<RunId, Failure> {
    let runs = match log {
        Some(log) => log.runs(RunFilter::default()).await?,
        None => Vec::new(),
    };
    let id = |entry: &RunEntry| entry.summary.run_id.clone();
    if named == "last" {
        let none = || Failure::usage(format!("there are no runs in {}", data.path().display()));
        return runs.first().map(id).ok_or_else(none);
    }
    if let Some(exact) = runs.iter().find(|entry| entry.summary.run_id.as_str() == named) {
        return Ok(id(exact));
    }
    let same_start = |entry: &&RunEntry| {
        let id = entry.summary.run_id.as_str();
        !named.is_empty()
            && (id.starts_with(named) || id.strip_prefix("run_").is_some_and(|id| id.starts_with(named)))
    };
    let found: Vec<RunId> = runs.iter().filter(same_start).map(id).collect();
    match found.as_slice() {
        [only] => Ok(only.clone()),
        [] => Err(Failure::usage(format!(
            "there is no run {named} in {}; `candor list` shows those that there are",
            data.path().display()
        ))),
        several => {
            let names: Vec<&str> = several.iter().take(5).map(RunId::as_str).collect();
            Err(Failure::usage(format!(
                "several runs begin with {named}: {}; say more of the name",
                names.join(", ")
            )))
        }
    }
}
