//! A command that runs: its keeper, its files, and what goes into it and comes out of it.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::process::ExitStatus;
use std::time::Duration;

use candor_process::as_pid;
use rustix::process::{Signal, kill_process};
use tempfile::TempDir;
use tokio::io::AsyncWriteExt;
use tokio::process::{Child, ChildStdin};
use tokio::time::timeout;

use crate::SandboxError;
use crate::confine::{Ending, LimitHit, MARK};
use crate::output::{Captured, take};
use crate::tree::kill_below;

/// How long a keeper may take to end everything. What the kernel itself holds up (a broken disk) takes longer.
const GONE_WITHIN: Duration = Duration::from_secs(10);
/// How long the pipes may stay open after all are dead.
const DRAIN_WITHIN: Duration = Duration::from_secs(1);

/// A command that was started. Dropping it has everything of it ended.
pub(crate) struct Running {
    // Dropped in this order: nobody should be told to end after its folder is gone.
    keeper: Keeper,
    place: Place,
    launcher: PathBuf,
    program: String,
    ended: bool,
}

/// How a command ended that nobody outside killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Over {
    Exited(i32),
    Signalled(i32),
    Limit(LimitHit),
}

impl Running {
    pub(crate) fn new(child: Child, place: Place, launcher: PathBuf, program: String) -> Self {
        let keeper = Keeper { pid: child.id().unwrap_or_default(), child };
        Self { keeper, place, launcher, program, ended: false }
    }

    /// The conversation with the command; to be had once.
    pub(crate) fn talk<'a>(
        &mut self,
        input: &'a [u8],
        out: &'a mut Captured,
        err: &'a mut Captured,
    ) -> Talk<'a> {
        Talk::start(&mut self.keeper.child, input, out, err)
    }

    /// Returns when everything of it has ended by itself.
    pub(crate) async fn over(&mut self) {
        let _ = self.keeper.child.wait().await;
    }

    /// Whether it has not ended yet.
    pub(crate) fn is_alive(&mut self) -> bool {
        matches!(self.keeper.child.try_wait(), Ok(None))
    }

    /// Has everything ended, and returns when it is.
    pub(crate) async fn end(&mut self, talk: &mut Talk<'_>) -> Result<ExitStatus, SandboxError> {
        let status = self.keeper.end(talk).await;
        self.ended = status.is_some();
        status.ok_or_else(|| SandboxError::StillRunning { program: self.program.clone() })
    }

    /// How it ended, if nobody killed it.
    pub(crate) fn judge(&self, status: ExitStatus, stderr: &Captured) -> Result<Over, SandboxError> {
        let report = fs::read(self.place.report()).ok();
        let Some(ending) = report.and_then(|text| serde_json::from_slice::<Ending>(&text).ok()) else {
            let said = stderr.text().trim().to_owned();
            return Err(SandboxError::NoReport { launcher: self.launcher.clone(), status, said });
        };
        let problem = fs::read_to_string(self.place.problem()).unwrap_or_default();
        if let Some(problem) = ending.problem.or(Some(problem)).filter(|problem| !problem.is_empty()) {
            return Err(SandboxError::NotStarted { program: self.program.clone(), problem });
        }
        Ok(match (ending.limit, ending.signal, ending.code) {
            (Some(limit), ..) => Over::Limit(limit),
            (None, Some(signal), _) => Over::Signalled(signal),
            (None, None, code) => Over::Exited(code.unwrap_or_default()),
        })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.ended {
            self.place.forsake();
        }
    }
}

/// What the folders of commands begin with.
const PREFIX: &str = "candor-box-";
/// The file in such a folder that its process has locked while it lives.
const OWNER: &str = "owner";

/// Where one command's own files are: a folder for it, and reports that it cannot reach. It is locked while it is in use.
pub(crate) struct Place(TempDir, #[expect(dead_code, reason = "it holds the lock")] File);

impl Place {
    pub(crate) fn make() -> Result<Self, SandboxError> {
        let told = |source| SandboxError::Prepare { what: "a temporary folder", source };
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir().map_err(told)?;
        // It gets its name once it is locked: whoever sweeps in between would take it for one of the dead.
        let unnamed = folder.path().join("owner.new");
        let owner = File::create_new(&unnamed).map_err(told)?;
        owner.lock().map_err(told)?;
        fs::rename(unnamed, folder.path().join(OWNER)).map_err(told)?;
        let place = Self(folder, owner);
        fs::create_dir(place.tmp()).map_err(told)?;
        Ok(place)
    }

    pub(crate) fn base(&self) -> &Path {
        self.0.path()
    }

    /// Leaves it to the keeper to remove all of it, unless that one has spoken its last word already.
    fn forsake(&mut self) {
        if File::create_new(self.base().join(MARK)).is_ok() {
            self.0.disable_cleanup(true);
        }
    }

    pub(crate) fn tmp(&self) -> PathBuf {
        self.base().join("tmp")
    }

    pub(crate) fn report(&self) -> PathBuf {
        self.base().join("report.json")
    }

    pub(crate) fn problem(&self) -> PathBuf {
        self.base().join("problem")
    }
}

/// Removes the temporary folders of processes that are gone; called by whoever resumes or cancels what they did.
///
/// Usually a keeper does so when its Candor is killed. It cannot if it was killed too, or not started yet. A lock says who lives
/// better than a process id does, which others get again and containers count anew.
pub fn sweep() {
    for entry in fs::read_dir(std::env::temp_dir()).into_iter().flatten().filter_map(Result::ok) {
        let is_ours = entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX));
        let owner = File::open(entry.path().join(OWNER)).ok().filter(|_| is_ours);
        if owner.is_some_and(|owner| owner.try_lock().is_ok()) {
            // What is somebody else's cannot be removed.
            let _ = fs::remove_dir_all(entry.path());
        }
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
pub(crate) struct Talk<'a> {
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
    pub(crate) async fn go_on(&mut self) {
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
