//! Python that runs on this machine, confined, started before it is needed.
//!
//! Each program gets a Python of its own: its own keeper, confinement and temporary folder. It is started ahead of
//! time and waits for its one job; afterwards everything of it is killed, its folder is gone, and another one takes
//! its place in the background. So nothing of one program can ever be met by the next.
//!
//! The program runs in the same process as the few lines of ours that give it its `context` and tell of its result.
//! These take care not to be fooled: they hold on to what they need before the program can change it, and their
//! answer carries a word that the program is not told. A program that searches the memory of its own process can
//! find that word all the same, and give an answer itself. It gains nothing by that: what an answer can say, it may
//! say anyway by setting `context`. How it ended, its limits, its time and its output are measured outside.

mod channel;
mod find;
mod pool;
mod told;
mod worker;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use candor_model::{Failure, FailureKind, Transience};
use candor_ports::{BoxFuture, CodeFault, CodeJob, CodeOutcome, CodeResult, CodeRun, CodeRunner};
use serde::Deserialize;
use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;

use self::pool::Pool;
use self::worker::Plan;
use crate::{Limits, SandboxError};

/// How much is usual for programs.
const MEMORY_BYTES: u64 = 1024 * 1024 * 1024;
const FILE_BYTES: u64 = 64 * 1024 * 1024;
const FOLDER_BYTES: u64 = 256 * 1024 * 1024;
/// Above what a program of one thread can use in the time that is usual.
const CPU_SECONDS: u64 = 120;
const PROCESSES: usize = 16;
const THREADS: u64 = 256;
const RESULT_BYTES: usize = 32 * 1024 * 1024;
/// How many pre-warmed interpreters are kept.
const USUAL_POOL: usize = 2;
/// Modules that programs often use and that are loaded soon.
const USUAL_MODULES: &[&str] = &[
    "json",
    "base64",
    "re",
    "csv",
    "math",
    "datetime",
    "collections",
    "itertools",
    "statistics",
    "decimal",
    "email",
    "io",
];

/// What a Python is asked about itself, in its confinement.
const ABOUT: &str = "\
import importlib.metadata, platform, sys
libraries = {}
for found in importlib.metadata.distributions():
    name = found.metadata['Name']
    if name:
        libraries.setdefault(name, found.version or '')
insights = {'version': list(sys.version_info[:3]), 'implementation': platform.python_implementation(),
            'libraries': libraries}
";
/// How long it may take to look through its libraries.
const ABOUT_WITHIN: Duration = Duration::from_secs(60);

/// How Python is run on this machine.
#[derive(Debug, Clone)]
pub struct PythonConfig {
    /// The program that starts commands: see [`crate::confine`].
    pub launcher: PathBuf,
    /// Python: its name, or its path.
    pub python: PathBuf,
    /// Further folders with libraries, such as the `site-packages` of a virtual environment.
    pub packages: Vec<PathBuf>,
    /// Modules that are loaded before a job comes, if they are there.
    pub preload: Vec<String>,
    /// How many pre-warmed interpreters are kept; with 0 each is started when it is needed.
    pub pool: usize,
    /// How much a program may use; how long it may take, its job says.
    pub limits: Limits,
    /// How large a result may be, as JSON.
    pub max_result_bytes: usize,
    /// Whether programs get a world of their own, in which there is nothing to be seen but what they may use, if
    /// this kernel offers that.
    pub own_world: bool,
    /// Whether programs run all the same when this kernel cannot confine them.
    pub allow_unconfined: bool,
}

impl PythonConfig {
    /// What is usual, with this launcher.
    #[must_use]
    pub fn new(launcher: impl Into<PathBuf>) -> Self {
        Self {
            launcher: launcher.into(),
            python: PathBuf::from("python3"),
            packages: Vec::new(),
            preload: USUAL_MODULES.iter().map(|name| (*name).to_owned()).collect(),
            pool: USUAL_POOL,
            limits: Limits {
                memory_bytes: MEMORY_BYTES,
                cpu_seconds: CPU_SECONDS,
                file_bytes: FILE_BYTES,
                folder_bytes: Some(FOLDER_BYTES),
                processes: PROCESSES,
                threads: THREADS,
                ..Limits::default()
            },
            max_result_bytes: RESULT_BYTES,
            own_world: true,
            allow_unconfined: false,
        }
    }
}

/// Why there is no Python to run programs with.
#[derive(Debug, thiserror::Error)]
pub enum PythonError {
    /// The kernel cannot confine anything.
    #[error(
        "Python programs cannot be confined here: the kernel lacks {missing}; use a newer kernel, or set \
         `[code] allow_unconfined = true` to run them with all of Candor's own rights"
    )]
    Unprotected {
        /// What it lacks.
        missing: String,
    },
    /// There is no such Python.
    #[error(
        "Python is not installed: `{python}` was looked for in {path}; install Python 3.8 or newer, or say where \
         it is with `[code] python = \"/path/to/python3\"`"
    )]
    NoPython {
        /// Its name.
        python: String,
        /// Where it was looked for.
        path: String,
    },
    /// It is too old.
    #[error("{} is Python {version}; programs need 3.8 or newer", python.display())]
    TooOld {
        /// Its file.
        python: PathBuf,
        /// Its version.
        version: String,
    },
    /// It did not say what it is.
    #[error("{} does not answer as a Python does: {said}", python.display())]
    Odd {
        /// Its file.
        python: PathBuf,
        /// What it said instead.
        said: String,
    },
    /// It cannot be started in its confinement.
    #[error("Python cannot be started: {0}")]
    Start(#[from] SandboxError),
    /// It was started and ended before it could take a job.
    #[error("Python was started and ended before it took a job ({ended}): {said}")]
    Ended {
        /// How it ended.
        ended: String,
        /// What it said.
        said: String,
    },
    /// Something that it needs could not be made.
    #[error("cannot prepare {what}: {source}")]
    Prepare {
        /// What.
        what: &'static str,
        /// Why.
        source: std::io::Error,
    },
    /// It did not tell about itself.
    #[error("Python did not tell what it offers: {said}")]
    Silent {
        /// What came instead.
        said: String,
    },
}

impl PythonError {
    /// What it means for whoever wanted a program run. What is not installed or too old stays so.
    fn failure(&self) -> Failure {
        let failure = Failure::new(FailureKind::Unavailable, self.to_string());
        match self {
            Self::Unprotected { .. } => Failure::new(FailureKind::Denied, self.to_string()),
            Self::NoPython { .. } | Self::TooOld { .. } | Self::Odd { .. } => failure.permanent(),
            _ => failure.with_transience(Transience::Unknown),
        }
    }
}

/// What a Python offers.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct PythonFacts {
    /// Its version: 3, 12, 1.
    pub version: (u8, u8, u8),
    /// Who made it, such as `CPython`.
    pub implementation: String,
    /// The libraries that can be imported, by the names under which they are installed, with their versions.
    pub libraries: BTreeMap<String, String>,
}

/// Python on this machine.
pub struct LocalPython {
    pool: Pool,
    facts: OnceCell<PythonFacts>,
}

impl LocalPython {
    /// Finds Python and makes sure that it can be confined; starts nothing yet.
    pub fn new(config: PythonConfig) -> Result<Self, PythonError> {
        let wanted = config.pool;
        Ok(Self { pool: Pool::new(Plan::make(config)?, wanted), facts: OnceCell::new() })
    }

    /// Starts the pre-warmed interpreters, and returns when they are ready.
    pub async fn warm(&self) -> Result<(), PythonError> {
        self.pool.fill().await
    }

    /// What this Python offers: asked once, in its confinement, and remembered.
    pub async fn facts(&self) -> Result<&PythonFacts, PythonError> {
        self.facts.get_or_try_init(|| self.ask()).await
    }

    /// Whether programs get a world of their own in which nothing else is to be seen; if not, why. They are
    /// confined all the same.
    pub fn own_world(&self) -> Result<(), &str> {
        self.pool.plan().no_world.as_deref().map_or(Ok(()), Err)
    }

    /// How many pre-warmed interpreters are kept.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.pool.waiting()
    }

    /// Ends the pre-warmed interpreters. Programs that run go on, and later ones are started when they come.
    pub fn close(&self) {
        self.pool.close();
    }

    async fn ask(&self) -> Result<PythonFacts, PythonError> {
        let job = CodeJob {
            code: ABOUT.to_owned(),
            context: candor_model::JsonMap::default(),
            result: CodeResult::Insights,
            timeout: ABOUT_WITHIN,
        };
        let run = self.pool.run(&job, CancellationToken::new()).await?;
        let silent = |said: String| PythonError::Silent { said };
        let CodeOutcome::Finished { mut result } = run.outcome else {
            return Err(silent(format!("{:?}", run.outcome)));
        };
        let told = result.remove("insights").unwrap_or_default();
        serde_json::from_value(told).map_err(|error| silent(error.to_string()))
    }
}

impl CodeRunner for LocalPython {
    fn run<'a>(
        &'a self,
        job: &'a CodeJob,
        stop: CancellationToken,
    ) -> BoxFuture<'a, Result<CodeRun, CodeFault>> {
        Box::pin(async move { self.pool.run(job, stop).await.map_err(|error| CodeFault(error.failure())) })
    }

    fn name(&self) -> &'static str {
        "local"
    }
}
