//! The caller's side: starts a command in its confinement and waits until nothing of it runs any more.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::process::{ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Signal, kill_process};
use tempfile::TempDir;
use tokio::io::AsyncWriteExt;
use tokio::process::{Child, ChildStdin, Command};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::confine::{Ending, LimitHit, SUBCOMMAND, Spec, Stage};
use crate::output::{Captured, take};
use crate::program::{USUAL_PATH, find_program};
use crate::tree::{as_pid, kill_below};
use crate::{Limits, probe};

/// How long a keeper may take to end everything. What the kernel itself holds up (a broken disk) takes longer.
const GONE_WITHIN: Duration = Duration::from_secs(10);
/// How long the pipes may stay open after all are dead.
const DRAIN_WITHIN: Duration = Duration::from_secs(1);

/// How commands are confined.
#[derive(Debug, Clone)]
pub struct Confinement {
    /// The program that starts commands: see [`crate::confine`].
    pub launcher: PathBuf,
    /// Where commands are started.
    pub folder: PathBuf,
    /// What they may read and change, with everything below.
    pub read_write: Vec<PathBuf>,
    /// What they may read besides the system's programs and libraries, with everything below.
    pub read_only: Vec<PathBuf>,
    /// Whether they may reach other machines, and this one by its addresses.
    pub network: bool,
    /// Whether they may change modes, owners and times of files. The kernel does not look whose and where: with
    /// it, they can do so to all files of the user, not only to those in their folders. `git init` needs it.
    pub change_modes: bool,
    /// How much they may use.
    pub limits: Limits,
    /// All of their environment; what is needed and missing (`PATH`, `HOME`, `TMPDIR`, `LANG`) is added.
    pub env: BTreeMap<String, String>,
    /// Whether they run all the same when this kernel cannot confine them.
    pub allow_unconfined: bool,
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// By itself, with this code.
    Exited(i32),
    /// By this signal.
    Signalled(i32),
    /// It was killed at its deadline.
    TimedOut,
    /// It was killed because it was asked to stop.
    Stopped,
    /// It was killed because too many processes ran.
    TooManyProcesses,
    /// It was killed because its processes used too much memory together.
    TooMuchMemory,
}

/// A command that has ended, with everything that it had started.
#[derive(Debug, Clone)]
pub struct Ended {
    /// How it ended.
    pub how: How,
    /// What it printed.
    pub stdout: Captured,
    /// What it printed on the side.
    pub stderr: Captured,
    /// How long it took.
    pub duration: Duration,
}

/// Why a command was not run, or its end is not known.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// The kernel cannot confine anything.
    #[error(
        "commands cannot be confined here: the kernel lacks {missing}; use a newer kernel, or set \
         allow_unconfined = true to run them with all of Candor's own rights"
    )]
    Unprotected {
        /// What it lacks.
        missing: String,
    },
    /// There is no such program.
    #[error("the program `{program}` is not installed: it was looked for in {path}")]
    NoProgram {
        /// Its name.
        program: String,
        /// Where it was looked for.
        path: String,
    },
    /// Something could not be prepared.
    #[error("cannot prepare {what}: {source}")]
    Prepare {
        /// What.
        what: &'static str,
        /// Why.
        source: io::Error,
    },
    /// The launcher cannot be started.
    #[error("cannot start the launcher {}: {source}", launcher.display())]
    Launcher {
        /// Its path.
        launcher: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The launcher did not do what a launcher does.
    #[error("the launcher {} ended without a report ({status}): {said}; is it the right program?", launcher.display())]
    NoReport {
        /// Its path.
        launcher: PathBuf,
        /// How it ended.
        status: ExitStatus,
        /// What it said.
        said: String,
    },
    /// The command could not be started in its confinement.
    #[error("`{program}` was not started: {problem}")]
    NotStarted {
        /// The command.
        program: String,
        /// Why.
        problem: String,
    },
    /// Something of it could not be killed.
    #[error("a process of `{program}` does not end although it was killed; the kernel holds it")]
    StillRunning {
        /// The command.
        program: String,
    },
}

impl Confinement {
    /// Runs a command with `input` on its stdin. Returns only when nothing of it runs any more; when this is
    /// dropped before, everything is killed all the same.
    pub async fn run(
        &self,
        command: &[String],
        input: &[u8],
        stop: CancellationToken,
    ) -> Result<Ended, SandboxError> {
        let began = Instant::now();
        let offer = probe();
        if !offer.suffices() && !self.allow_unconfined {
            return Err(SandboxError::Unprotected { missing: offer.missing() });
        }
        let place = Place::make()?;
        let env = self.full_env(&place);
        let spec = self.spec(command, &place, &env)?;
        let mut keeper = self.start(&spec, env)?;
        let (mut stdout, mut stderr) = (self.captured(), self.captured());
        let (why, status) = {
            let mut talk = Talk::start(&mut keeper.child, input, &mut stdout, &mut stderr);
            let why = self.until_over(&mut keeper, &mut talk, &stop).await;
            (why, keeper.end(&mut talk).await)
        };
        let program = || command.first().cloned().unwrap_or_default();
        let status = status.ok_or_else(|| SandboxError::StillRunning { program: program() })?;
        let how = match why {
            Some(killed) => killed,
            None => self.judge(&place, status, &stderr, program())?,
        };
        Ok(Ended { how, stdout, stderr, duration: began.elapsed() })
    }

    fn captured(&self) -> Captured {
        Captured::new(self.limits.output_bytes)
    }

    fn full_env(&self, place: &Place) -> BTreeMap<String, String> {
        let tmp = place.tmp().to_string_lossy().into_owned();
        let usual = [("PATH", USUAL_PATH), ("LANG", "C.UTF-8"), ("HOME", &tmp), ("TMPDIR", &tmp)];
        let usual = usual.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned()));
        usual.chain(self.env.clone()).collect()
    }

    fn spec(
        &self,
        command: &[String],
        place: &Place,
        env: &BTreeMap<String, String>,
    ) -> Result<Spec, SandboxError> {
        let name = command.first().map_or("", String::as_str);
        let path = env.get("PATH").map_or(USUAL_PATH, String::as_str);
        let missing = || SandboxError::NoProgram { program: name.to_owned(), path: path.to_owned() };
        let program = find_program(name, OsStr::new(path), &self.folder).ok_or_else(missing)?;
        let mut read_write = self.read_write.clone();
        read_write.push(place.tmp());
        Ok(Spec {
            parent: std::process::id(),
            report: place.report(),
            problem: place.problem(),
            program,
            command: command.to_vec(),
            folder: self.folder.clone(),
            read_write,
            read_only: self.read_only.clone(),
            network: self.network,
            change_modes: self.change_modes,
            limits: self.limits,
            allow_unconfined: self.allow_unconfined,
        })
    }

    fn start(&self, spec: &Spec, env: BTreeMap<String, String>) -> Result<Keeper, SandboxError> {
        let text = serde_json::to_string(spec)
            .map_err(|error| SandboxError::Prepare { what: "the command's order", source: error.into() })?;
        // Nothing of our environment goes in: the launcher's own could be looked at otherwise.
        let child = Command::new(&self.launcher)
            .args([SUBCOMMAND, Stage::Keep.word(), &text])
            .env_clear()
            .envs(env)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|source| SandboxError::Launcher { launcher: self.launcher.clone(), source })?;
        Ok(Keeper { pid: child.id().unwrap_or_default(), child })
    }

    /// Waits for the end; says for what reason the command must be killed, if it must.
    async fn until_over(
        &self,
        keeper: &mut Keeper,
        talk: &mut Talk<'_>,
        stop: &CancellationToken,
    ) -> Option<How> {
        tokio::select! {
            biased;
            () = stop.cancelled() => Some(How::Stopped),
            _ = keeper.child.wait() => None,
            () = tokio::time::sleep(self.limits.wall) => Some(How::TimedOut),
            () = talk.go_on() => None,
        }
    }

    /// How a command ended that nobody killed.
    fn judge(
        &self,
        place: &Place,
        status: ExitStatus,
        stderr: &Captured,
        program: String,
    ) -> Result<How, SandboxError> {
        let report = fs::read(place.report()).ok();
        let Some(ending) = report.and_then(|text| serde_json::from_slice::<Ending>(&text).ok()) else {
            let said = stderr.text().trim().to_owned();
            return Err(SandboxError::NoReport { launcher: self.launcher.clone(), status, said });
        };
        let problem = fs::read_to_string(place.problem()).unwrap_or_default();
        if let Some(problem) = ending.problem.or(Some(problem)).filter(|problem| !problem.is_empty()) {
            return Err(SandboxError::NotStarted { program, problem });
        }
        Ok(match (ending.limit, ending.signal, ending.code) {
            (Some(LimitHit::Processes), ..) => How::TooManyProcesses,
            (Some(LimitHit::Memory), ..) => How::TooMuchMemory,
            (None, Some(signal), _) => How::Signalled(signal),
            (None, None, code) => How::Exited(code.unwrap_or_default()),
        })
    }
}

/// Where one command's own files are: a folder for it, and reports that it cannot reach.
struct Place(TempDir);

impl Place {
    fn make() -> Result<Self, SandboxError> {
        let told = |source| SandboxError::Prepare { what: "a temporary folder", source };
        let place = Self(tempfile::Builder::new().prefix("candor-").tempdir().map_err(told)?);
        fs::create_dir(place.tmp()).map_err(told)?;
        Ok(place)
    }

    fn base(&self) -> &Path {
        self.0.path()
    }

    fn tmp(&self) -> PathBuf {
        self.base().join("tmp")
    }

    fn report(&self) -> PathBuf {
        self.base().join("report.json")
    }

    fn problem(&self) -> PathBuf {
        self.base().join("problem")
    }
}

/// A running keeper. Dropping it has it end everything; it is never killed itself while it can do that.
struct Keeper {
    child: Child,
    pid: u32,
}

impl Keeper {
    /// Has everything ended, and returns when it is, with how the keeper ended.
    async fn end(&mut self, talk: &mut Talk<'_>) -> Option<ExitStatus> {
        self.ask();
        // It prints to us while it ends; pipes that nobody empties would hold it up.
        let waited = tokio::select! {
            waited = timeout(GONE_WITHIN, self.child.wait()) => waited.ok().and_then(Result::ok),
            () = talk.go_on() => None,
        };
        match waited {
            Some(_) => talk.drain().await,
            None => {
                kill_below(self.pid);
                let _ = self.child.start_kill();
            }
        }
        waited
    }

    /// Asks it to end everything; one that has ended already is not there to be asked.
    fn ask(&self) {
        if let Some(pid) = as_pid(self.pid).filter(|_| self.child.id().is_some()) {
            let _ = kill_process(pid, Signal::TERM);
        }
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.ask();
    }
}

/// What goes into a command and comes out of it, while one of these is awaited.
struct Talk<'a> {
    pump: Option<Pin<Box<dyn Future<Output = ()> + Send + 'a>>>,
}

impl<'a> Talk<'a> {
    fn start(child: &mut Child, input: &'a [u8], out: &'a mut Captured, err: &'a mut Captured) -> Self {
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let pump = async move {
            tokio::join!(feed(stdin, input), take(stdout, out), take(stderr, err));
        };
        Self { pump: Some(Box::pin(pump)) }
    }

    /// Goes on for ever: closed pipes alone are no end.
    async fn go_on(&mut self) {
        if let Some(pump) = &mut self.pump {
            pump.await;
            self.pump = None;
        }
        std::future::pending::<()>().await;
    }

    /// Takes what the dead left in their pipes.
    async fn drain(&mut self) {
        if let Some(pump) = self.pump.take() {
            let _ = timeout(DRAIN_WITHIN, pump).await;
        }
    }
}

/// A command need not read its input, or may close it early: neither is an error.
async fn feed(stdin: Option<ChildStdin>, input: &[u8]) {
    if let Some(mut stdin) = stdin
        && stdin.write_all(input).await.is_ok()
    {
        let _ = stdin.shutdown().await;
    }
}
