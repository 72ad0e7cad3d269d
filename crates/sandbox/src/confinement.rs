//! The caller's side: starts a command in its confinement and waits until nothing of it runs any more.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::process::{Child, Command};
use tokio_util::sync::CancellationToken;

use crate::confine::{LimitHit, OWN_TMP, SUBCOMMAND, Spec, Stage};
use crate::output::Captured;
use crate::program::{USUAL_PATH, find_program};
use crate::running::{Over, Place, Running, Talk};
use crate::{Limits, probe};

/// Which confinements can have namespaces of their own; asked once, since the answer takes a process.
static TRIED: Mutex<BTreeMap<Vec<PathBuf>, Result<(), String>>> = Mutex::new(BTreeMap::new());

/// How long it may take to find out, on the slowest of machines.
const TRY_WITHIN: Duration = Duration::from_secs(30);

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
    /// Whether they may change modes, owners and times of files where there are no namespaces. The kernel does not
    /// look whose and where: with it, they can do so to all files of the user, not only to those in their folders.
    /// `git init` needs it. In namespaces of their own they may always, since other files are read-only there.
    pub change_modes: bool,
    /// Whether they get namespaces of their own, in which there is nothing but what they may use, if this kernel
    /// offers them.
    pub own_world: bool,
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
        let world = if self.own_world().await.is_ok() { World::OwnInFolder } else { World::Shared };
        self.run_in(world, command, input, &stop)
            .await
            .map(|ended| Ended { duration: began.elapsed(), ..ended })
    }

    /// Whether commands get namespaces of their own; if not, why. They are confined all the same.
    pub async fn own_world(&self) -> Result<(), String> {
        if !self.own_world {
            return Err("it is not wanted".to_owned());
        }
        let given = [&self.read_write[..], &self.read_only[..], std::slice::from_ref(&self.folder)].concat();
        // The temporary folder would lie over what is there.
        if given.iter().any(|path| Path::new(OWN_TMP).starts_with(path)) {
            return Err(format!("a folder of its own is needed at {OWN_TMP}, which is given already"));
        }
        let key: Vec<PathBuf> = std::iter::once(self.launcher.clone()).chain(given).collect();
        let known = || TRIED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(told) = known().get(&key).cloned() {
            return told;
        }
        let quick = Self { limits: Limits { wall: TRY_WITHIN, ..self.limits }, ..self.clone() };
        let tried =
            quick.run_in(World::OwnInFolder, &["true".to_owned()], b"", &CancellationToken::new()).await;
        let told = match tried {
            Ok(Ended { how: How::Exited(0), .. }) => Ok(()),
            Ok(ended) => Err(format!("no namespaces here: {:?}", ended.how)),
            Err(error) => Err(format!("no namespaces here: {error}")),
        };
        known().insert(key, told.clone());
        told
    }

    async fn run_in(
        &self,
        world: World,
        command: &[String],
        input: &[u8],
        stop: &CancellationToken,
    ) -> Result<Ended, SandboxError> {
        let began = Instant::now();
        let mut running = self.begin(command, Stdio::piped(), world)?;
        let (mut stdout, mut stderr) = (self.captured(), self.captured());
        let (why, status) = {
            let mut talk = running.talk(input, &mut stdout, &mut stderr);
            let why = self.until_over(&mut running, &mut talk, stop).await;
            (why, running.end(&mut talk).await?)
        };
        let how = match why {
            Some(killed) => killed,
            None => running.judge(status, &stderr)?.into(),
        };
        Ok(Ended { how, stdout, stderr, duration: began.elapsed() })
    }

    /// Starts a command, in the world that everyone lives in or in one of its own.
    pub(crate) fn begin(
        &self,
        command: &[String],
        stdin: Stdio,
        world: World,
    ) -> Result<Running, SandboxError> {
        let offer = probe();
        if !offer.suffices() && !self.allow_unconfined {
            return Err(SandboxError::Unprotected { missing: offer.missing() });
        }
        let place = Place::make()?;
        let tmp = if world.is_own() { PathBuf::from(OWN_TMP) } else { place.tmp() };
        let env = self.full_env(&tmp);
        let spec = self.spec(command, &place, &env, world)?;
        let child = self.start(&spec, env, stdin)?;
        let program = command.first().cloned().unwrap_or_default();
        Ok(Running::new(child, place, self.launcher.clone(), program))
    }

    /// Whether commands can be given a world of their own here; if not, why.
    pub(crate) fn try_own_world(&self) -> Result<(), String> {
        let told = |error: &dyn std::error::Error| error.to_string();
        let place = Place::make().map_err(|error| told(&error))?;
        let command = ["true".to_owned()];
        let env = self.full_env(Path::new(OWN_TMP));
        let spec = self.spec(&command, &place, &env, World::Own).map_err(|error| told(&error))?;
        let text = serde_json::to_string(&spec).map_err(|error| told(&error))?;
        let tried = std::process::Command::new(&self.launcher)
            .args([SUBCOMMAND, Stage::TryWorld.word(), &text])
            .env_clear()
            .stdin(Stdio::null())
            .output()
            .map_err(|error| told(&error))?;
        let said = || format!("no namespaces here: {}", String::from_utf8_lossy(&tried.stderr).trim());
        if tried.status.success() { Ok(()) } else { Err(said()) }
    }

    pub(crate) fn captured(&self) -> Captured {
        Captured::new(self.limits.output_bytes)
    }

    fn full_env(&self, tmp: &Path) -> BTreeMap<String, String> {
        let tmp = tmp.to_string_lossy().into_owned();
        let usual = [("PATH", USUAL_PATH), ("LANG", "C.UTF-8"), ("HOME", &tmp), ("TMPDIR", &tmp)];
        let usual = usual.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned()));
        usual.chain(self.env.clone()).collect()
    }

    fn spec(
        &self,
        command: &[String],
        place: &Place,
        env: &BTreeMap<String, String>,
        world: World,
    ) -> Result<Spec, SandboxError> {
        let name = command.first().map_or("", String::as_str);
        let path = env.get("PATH").map_or(USUAL_PATH, String::as_str);
        let missing = || SandboxError::NoProgram { program: name.to_owned(), path: path.to_owned() };
        let program = find_program(name, OsStr::new(path), &self.folder).ok_or_else(missing)?;
        let own = world.is_own();
        let trusted = matches!(world, World::Shared | World::OwnInFolder);
        let folder = match world {
            World::Shared | World::OwnInFolder => self.folder.clone(),
            World::SharedAtHome => place.tmp(),
            World::Own => PathBuf::from(OWN_TMP),
        };
        let mut read_write = self.read_write.clone();
        read_write.push(if own { PathBuf::from(OWN_TMP) } else { place.tmp() });
        Ok(Spec {
            parent: std::process::id(),
            report: place.report(),
            problem: place.problem(),
            program,
            command: command.to_vec(),
            folder,
            tmp: Some(place.tmp()).filter(|_| !own),
            world: own.then(|| place.tmp()),
            clean: Some(place.base().to_owned()),
            read_write,
            read_only: self.read_only.clone(),
            network: self.network,
            users: trusted,
            change_modes: self.change_modes || world == World::OwnInFolder,
            identity: Some(identity()).filter(|(user, _)| world == World::OwnInFolder && *user != 0),
            limits: self.limits,
            allow_unconfined: self.allow_unconfined,
        })
    }

    fn start(&self, spec: &Spec, env: BTreeMap<String, String>, stdin: Stdio) -> Result<Child, SandboxError> {
        let text = serde_json::to_string(spec)
            .map_err(|error| SandboxError::Prepare { what: "the command's order", source: error.into() })?;
        // Nothing of our environment goes in: the launcher's own could be looked at otherwise.
        Command::new(&self.launcher)
            .args([SUBCOMMAND, Stage::Keep.word(), &text])
            .env_clear()
            .envs(env)
            .stdin(stdin)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|source| SandboxError::Launcher { launcher: self.launcher.clone(), source })
    }

    /// Waits for the end; says for what reason the command must be killed, if it must.
    async fn until_over(
        &self,
        running: &mut Running,
        talk: &mut Talk<'_>,
        stop: &CancellationToken,
    ) -> Option<How> {
        tokio::select! {
            biased;
            () = stop.cancelled() => Some(How::Stopped),
            () = running.over() => None,
            () = tokio::time::sleep(self.limits.wall) => Some(How::TimedOut),
            () = talk.go_on() => None,
        }
    }
}

/// In which world a command lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum World {
    /// That of everyone, with less rights in it.
    Shared,
    /// That of everyone too, but started in its temporary folder.
    SharedAtHome,
    /// One that holds nothing but what the command may use, started in its temporary folder.
    Own,
    /// The same, started in its folder.
    OwnInFolder,
}

impl World {
    const fn is_own(self) -> bool {
        matches!(self, Self::Own | Self::OwnInFolder)
    }
}

/// Who this process is: its user and its group.
fn identity() -> (u32, u32) {
    (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw())
}

impl From<Over> for How {
    fn from(over: Over) -> Self {
        match over {
            Over::Exited(code) => Self::Exited(code),
            Over::Signalled(signal) => Self::Signalled(signal),
            Over::Limit(LimitHit::Processes) => Self::TooManyProcesses,
            Over::Limit(LimitHit::Memory) => Self::TooMuchMemory,
            // As the kernel tells a process itself of these.
            Over::Limit(LimitHit::Cpu) => Self::Signalled(libc::SIGXCPU),
            Over::Limit(LimitHit::Disk) => Self::Signalled(libc::SIGXFSZ),
        }
    }
}
