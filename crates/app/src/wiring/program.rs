//! Programs that come with a pack, as agents: each attempt is confined by the kernel to what the pack's permissions say.
//!
//! A program reads the working folder and its pack, writes to one folder for the run (`CANDOR_OUTPUT`), and has no
//! network. It gets the order on standard input and answers on standard output, like any agent that is a command.

use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::Duration;

use candor_agents::judge_command;
use candor_model::{AgentAnswer, Failure, FailureKind, WorkOrder};
use candor_phases::pack::{OUTPUT_FOLDER, PACK_PLACEHOLDER, Permissions};
use candor_ports::{Agent, AgentFailure, BoxFuture};
use candor_sandbox::{Confinement, Ended, How, Limits, SandboxError};
use tokio_util::sync::CancellationToken;

use super::interpreter;
use crate::packs::PackFiles;

/// Memory of one process, if the pack does not say: enough for Python, little enough for small machines.
const MEMORY_MB: u64 = 2048;
/// How large a file may become that a program writes.
const FILE_BYTES: u64 = 1 << 30;
/// How much one attempt may print.
const OUTPUT_BYTES: usize = 10_000_000;
/// How many processes a program may have: tests and builds start many.
const PROCESSES: usize = 512;

/// A program of a pack.
pub(super) struct PackProgram {
    /// The words of its command; `{pack}` in them is the pack's folder.
    pub(super) command: Vec<String>,
    /// Where the pack's files are, or are to be written.
    pub(super) files: PackFiles,
    /// Folder in which programs run.
    pub(super) folder: PathBuf,
    pub(super) permissions: Permissions,
    pub(super) allow_unconfined: bool,
}

impl Agent for PackProgram {
    fn perform<'a>(
        &'a self,
        order: &'a WorkOrder,
        stop: CancellationToken,
    ) -> BoxFuture<'a, Result<AgentAnswer, AgentFailure>> {
        Box::pin(self.attempt(order, stop))
    }
}

impl PackProgram {
    async fn attempt(&self, order: &WorkOrder, stop: CancellationToken) -> Result<AgentAnswer, AgentFailure> {
        if stop.is_cancelled() {
            return Err(AgentFailure::Stopped);
        }
        let (command, confinement) = self.prepare(order)?;
        let input = serde_json::to_vec(order).map_err(|error| failed(FailureKind::TaskError, &error))?;
        let ended = confinement.run(&command, &input, stop).await.map_err(|error| refused(&error))?;
        answer(&self.shown(), order, &ended)
    }

    /// The command with its paths, and what it may do.
    fn prepare(&self, order: &WorkOrder) -> Result<(Vec<String>, Confinement), AgentFailure> {
        let folder = absolute(&self.folder).map_err(|error| failed(FailureKind::Unavailable, &error))?;
        let pack = self.files.place().map_err(|error| failed(FailureKind::Unavailable, &error))?;
        let output = folder.join(OUTPUT_FOLDER).join(order.run_id.as_str());
        std::fs::create_dir_all(&output).map_err(|error| {
            let told = in_english!(
                "cannot make {}: {error}; run it in a folder that you may write to",
                output.display()
            );
            failed(FailureKind::Denied, &told)
        })?;
        let pack_text = pack.to_string_lossy();
        let filled = self.command.iter().map(|word| word.replace(PACK_PLACEHOLDER, &pack_text));
        let mut command: Vec<String> = filled.collect();
        let mut read_only = vec![folder.clone(), pack.clone()];
        read_only
            .extend(self.permissions.reads.iter().filter_map(|path| at_home(path)).filter(|it| it.exists()));
        // The name of Python is often that of a script that looks for it in folders which are not to be read.
        if let Some(python) =
            command.first().filter(|it| it.starts_with("python")).and_then(|it| interpreter::find(it))
        {
            read_only.extend(python.readable);
            if let Some(first) = command.first_mut() {
                *first = python.program.to_string_lossy().into_owned();
            }
        }
        let env = self.env(order, &pack, &output);
        let wall = Duration::from_millis(order.deadline_seconds.as_millis());
        let limits = Limits {
            memory_bytes: self.permissions.memory_mb.unwrap_or(MEMORY_MB).saturating_mul(1 << 20),
            cpu_seconds: wall.as_secs().saturating_mul(4).max(60),
            file_bytes: FILE_BYTES,
            processes: PROCESSES,
            output_bytes: OUTPUT_BYTES,
            wall,
            ..Limits::default()
        };
        Ok((
            command,
            Confinement {
                launcher: PathBuf::from("/proc/self/exe"),
                folder,
                read_write: vec![output],
                read_only,
                network: false,
                change_modes: false,
                own_world: true,
                limits,
                env,
                allow_unconfined: self.allow_unconfined,
            },
        ))
    }

    fn env(&self, order: &WorkOrder, pack: &Path, output: &Path) -> BTreeMap<String, String> {
        let wanted = ["PATH"].into_iter().chain(self.permissions.environment.iter().map(String::as_str));
        let mut env: BTreeMap<String, String> =
            wanted.filter_map(|name| Some((name.to_owned(), std::env::var(name).ok()?))).collect();
        let own = [
            ("CANDOR_RUN_ID", order.run_id.to_string()),
            ("CANDOR_TASK_ID", order.task_id.to_string()),
            ("CANDOR_ATTEMPT", order.attempt.to_string()),
            ("CANDOR_IDEMPOTENCY_KEY", order.idempotency_key.clone()),
            ("CANDOR_PACK", pack.to_string_lossy().into_owned()),
            ("CANDOR_OUTPUT", output.to_string_lossy().into_owned()),
            ("CANDOR_USER_HOME", std::env::var("HOME").unwrap_or_default()),
            ("PYTHONDONTWRITEBYTECODE", "1".to_owned()),
        ];
        env.extend(own.map(|(name, value)| (name.to_owned(), value)));
        env
    }

    /// The command as the pack writes it, for messages.
    fn shown(&self) -> String {
        self.command.join(" ")
    }
}

/// What an ended program says.
fn answer(program: &str, order: &WorkOrder, ended: &Ended) -> Result<AgentAnswer, AgentFailure> {
    let (stdout, stderr) = (ended.stdout.text(), ended.stderr.text());
    let exit =
        |raw: i32| judge_command(program, ExitStatus::from_raw(raw), stdout.as_bytes(), stderr.as_bytes());
    let died = |what: &str| Failure::new(FailureKind::Crashed, in_english!("`{program}` was killed: {what}"));
    match ended.how {
        How::Exited(_) if ended.stdout.is_cut() => {
            let told = in_english!("`{program}` printed more than {} MB on stdout", OUTPUT_BYTES / 1_000_000);
            Err(failed(FailureKind::BadOutput, &told))
        }
        How::Exited(code) => exit((code & 0xff) << 8),
        How::Signalled(signal) => exit(signal),
        How::TimedOut => Err(Failure::timed_out(order.deadline_seconds).into()),
        How::Stopped => Err(AgentFailure::Stopped),
        How::TooManyProcesses => Err(died(recorded!("it ran too many processes")).into()),
        How::TooMuchMemory => Err(died(recorded!("it used too much memory")).into()),
    }
}

fn refused(error: &SandboxError) -> AgentFailure {
    let kind = match error {
        SandboxError::Unprotected { missing } => {
            let told = format!(
                "a pack's programs cannot be confined here: the kernel lacks {missing}; use a newer kernel, or set \
                 `[packs] allow_unconfined = true` to run them with all of Candor's own rights"
            );
            return failed(FailureKind::Denied, &told);
        }
        SandboxError::NoProgram { .. } | SandboxError::Launcher { .. } => FailureKind::Unavailable,
        _ => FailureKind::Crashed,
    };
    failed(kind, error)
}

fn failed(kind: FailureKind, told: &dyn std::fmt::Display) -> AgentFailure {
    AgentFailure::failed(kind, told.to_string())
}

/// The working folder; an empty path is the one that Candor was started in.
fn absolute(folder: &Path) -> std::io::Result<PathBuf> {
    std::fs::canonicalize(if folder.as_os_str().is_empty() { Path::new(".") } else { folder })
}

fn at_home(path: &str) -> Option<PathBuf> {
    match path.strip_prefix("~/") {
        Some(rest) => std::env::var_os("HOME").map(|home| PathBuf::from(home).join(rest)),
        None => Some(PathBuf::from(path)),
    }
}
