//! One Python, for one job.

use std::collections::BTreeMap;
use std::io;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};

use candor_ports::{CodeJob, CodeRun};
use tokio::io::AsyncReadExt;
use tokio::net::UnixStream;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::channel::{Enough, Heard, READY, Token, converse, order, understand};
use super::told::{End, Figures, outcome};
use super::{PythonConfig, PythonError, find};
use crate::confinement::World;
use crate::running::Running;
use crate::{Confinement, SandboxError, probe};

/// Our own part of each Python.
const BOOTSTRAP: &str = include_str!("bootstrap.py");
/// How long a Python may take until it waits for its job, on the slowest of machines.
const START_WITHIN: Duration = Duration::from_secs(60);
/// How long the channel may stay open after all are dead.
const DRAIN_WITHIN: Duration = Duration::from_secs(1);

/// How each Python is started.
pub(super) struct Plan {
    confinement: Confinement,
    command: Vec<String>,
    max_result_bytes: usize,
    /// Why programs have no world of their own, if they have none.
    pub(super) no_world: Option<String>,
}

/// A Python that waits for its job. Dropping it ends it.
pub(super) struct Worker {
    running: Running,
    channel: UnixStream,
}

/// What came of giving a job to a Python.
pub(super) enum Tried {
    /// The program was run.
    Ran(CodeRun),
    /// The Python died before it had begun, for this reason.
    WasDead(PythonError),
}

impl Plan {
    pub(super) fn make(config: PythonConfig) -> Result<Self, PythonError> {
        let offer = probe();
        if !offer.suffices() && !config.allow_unconfined {
            return Err(PythonError::Unprotected { missing: offer.missing() });
        }
        let found = find::find(&config)?;
        let settings = serde_json::json!({ "path": found.libraries, "preload": config.preload });
        let program = found.program.to_string_lossy().into_owned();
        let words = [&program, "-I", "-S", "-B", "-c", BOOTSTRAP, &settings.to_string()];
        let confinement = Confinement {
            launcher: config.launcher,
            folder: PathBuf::from("/"),
            read_write: Vec::new(),
            read_only: found.readable,
            network: false,
            change_modes: false,
            own_world: config.own_world,
            limits: config.limits,
            env: BTreeMap::new(),
            allow_unconfined: config.allow_unconfined,
        };
        let no_world = match config.own_world {
            true => confinement.try_own_world().err(),
            false => Some("it is not wanted".to_owned()),
        };
        Ok(Self {
            no_world,
            confinement,
            command: words.into_iter().map(str::to_owned).collect(),
            max_result_bytes: config.max_result_bytes,
        })
    }

    fn world(&self) -> World {
        if self.no_world.is_none() { World::Own } else { World::SharedAtHome }
    }
}

impl Worker {
    /// Starts one, and returns when it waits for its job.
    pub(super) async fn start(plan: &Plan) -> Result<Self, PythonError> {
        let told = |source| PythonError::Prepare { what: "a channel to Python", source };
        let (channel, theirs) = pair().map_err(told)?;
        let stdin = Stdio::from(OwnedFd::from(theirs));
        let running = plan.confinement.begin(&plan.command, stdin, plan.world())?;
        let mut worker = Self { running, channel };
        let mut mark = [0];
        let heard = timeout(START_WITHIN, worker.channel.read_exact(&mut mark)).await;
        if matches!(heard, Ok(Ok(_))) && mark == [READY] {
            Ok(worker)
        } else {
            Err(worker.why_dead(plan).await)
        }
    }

    /// Whether it still waits, as far as can be seen.
    pub(super) fn is_alive(&mut self) -> bool {
        self.running.is_alive()
    }

    /// Gives it its job; returns when nothing of it runs any more.
    pub(super) async fn run(
        mut self,
        plan: &Plan,
        job: &CodeJob,
        stop: CancellationToken,
    ) -> Result<Tried, PythonError> {
        let began = Instant::now();
        let told = |what| move |source| PythonError::Prepare { what, source };
        let token = Token::new().map_err(told("a word for this run"))?;
        let most = plan.max_result_bytes;
        let order = order(job, token, most).map_err(io::Error::from).map_err(told("the program's job"))?;
        let (mut stdout, mut stderr) = (plan.confinement.captured(), plan.confinement.captured());
        let mut heard = Vec::new();
        let (end, status) = {
            let mut talk = self.running.talk(b"", &mut stdout, &mut stderr);
            let mut channel = Box::pin(converse(&mut self.channel, &order, most, &mut heard));
            let mut spoken = false;
            let end = tokio::select! {
                biased;
                () = stop.cancelled() => End::Stopped,
                () = self.running.over() => End::Itself,
                Enough(enough) = &mut channel => {
                    spoken = true;
                    if enough { End::TooMuchSaid } else { End::Itself }
                }
                () = tokio::time::sleep(job.timeout) => End::TimedOut,
                () = talk.go_on() => End::Itself,
            };
            let status = self.running.end(&mut talk).await?;
            if !spoken {
                let _ = timeout(DRAIN_WITHIN, channel).await;
            }
            (end, status)
        };
        let heard = understand(&heard, token, most);
        if heard == Heard::Nothing && end == End::Itself {
            return Ok(Tried::WasDead(self.reason(status, &stderr)));
        }
        let over = self.running.judge(status, &stderr);
        let figures = Figures { limits: &plan.confinement.limits, max_result_bytes: most };
        let (outcome, warnings) = outcome(heard, end, over, figures)?;
        let (stdout, stderr, duration) = (stdout.text(), stderr.text(), began.elapsed());
        Ok(Tried::Ran(CodeRun { outcome, stdout, stderr, warnings, duration }))
    }

    /// What happened to one that should wait and does not.
    async fn why_dead(mut self, plan: &Plan) -> PythonError {
        let (mut stdout, mut stderr) = (plan.confinement.captured(), plan.confinement.captured());
        let ended = {
            let mut talk = self.running.talk(b"", &mut stdout, &mut stderr);
            self.running.end(&mut talk).await
        };
        match ended {
            Ok(status) => self.reason(status, &stderr),
            Err(error) => error.into(),
        }
    }

    fn reason(&self, status: std::process::ExitStatus, stderr: &crate::Captured) -> PythonError {
        match self.running.judge(status, stderr) {
            Err(error) => SandboxError::into(error),
            Ok(over) => {
                PythonError::Ended { ended: format!("{over:?}"), said: stderr.text().trim().to_owned() }
            }
        }
    }
}

/// Two ends of a channel: ours, which waits for nobody, and that of a Python.
fn pair() -> io::Result<(UnixStream, std::os::unix::net::UnixStream)> {
    let (ours, theirs) = std::os::unix::net::UnixStream::pair()?;
    ours.set_nonblocking(true)?;
    Ok((UnixStream::from_std(ours)?, theirs))
}
