//! Runs a command in the sandbox.

use std::path::Path;
use std::time::Duration;

use candor_model::{ToolErrorKind, ToolHints, ToolProblem, ToolResult, ToolSpec, cause_line};
use candor_sandbox::{Confinement, Ended, How, Limits, SandboxError};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::folder::Folder;
use super::patience::{Patience, stopped};
use super::{BuiltinConfig, problem, spec_of};
use crate::mcp::says_missing;

pub(super) const NAME: &str = "run_command";
/// How much of the end of what a failed command said stands in its error.
const MAX_SAID: usize = 500;

/// What it is given.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    /// The program and its arguments, each on its own; no shell is involved.
    #[schemars(length(min = 1))]
    command: Vec<String>,
    /// What it reads on its standard input.
    #[serde(default)]
    stdin: Option<String>,
    /// After how many seconds it is killed, if that is less than it may take anyway.
    #[serde(default)]
    #[schemars(range(min = 1))]
    timeout: Option<u64>,
}

pub(super) fn spec(commands: &[String]) -> ToolSpec {
    let hints = ToolHints {
        read_only_hint: false,
        destructive_hint: true,
        idempotent_hint: false,
        ..ToolHints::READS
    };
    let description = format!(
        "Runs a command in the allowed folder, confined to it, and gives what it prints. Programs that can be run: {}.",
        commands.join(", ")
    );
    spec_of::<Args>(NAME, description, hints)
}

pub(super) async fn call(
    config: &BuiltinConfig,
    folder: &Folder,
    args: Args,
    patience: &Patience,
) -> Result<ToolResult, ToolProblem> {
    let mut command = args.command;
    let wanted = command.first().cloned().unwrap_or_default();
    let known = config.commands.iter().find(|known| is_meant(known, &wanted)).ok_or_else(|| {
        let there = config.commands.join(", ");
        problem(ToolErrorKind::Denied, format!("`{wanted}` may not be run; allowed are {there}"))
    })?;
    if let Some(first) = command.first_mut() {
        first.clone_from(known);
    }
    let asked = Duration::from_secs(args.timeout.unwrap_or(u64::MAX));
    let allowed = Duration::from_millis(config.command_timeout.as_millis());
    let wall = asked.min(allowed).min(patience.left());
    let input = args.stdin.unwrap_or_default();
    let ended =
        confinement(config, folder, wall).run(&command, input.as_bytes(), patience.stop.clone()).await;
    match ended {
        Ok(ended) => Ok(told(&wanted, wall, &ended)),
        Err(error) => Err(refused(&error)),
    }
}

/// Whether commands get namespaces of their own here; if not, why.
pub(super) async fn own_world(config: &BuiltinConfig, folder: &Folder) -> Result<(), String> {
    let wall = Duration::from_millis(config.command_timeout.as_millis());
    confinement(config, folder, wall).own_world().await
}

/// A program is asked for as it is allowed, or by its name alone if it is allowed by its path.
fn is_meant(known: &str, wanted: &str) -> bool {
    known == wanted
        || Path::new(known).is_absolute() && Path::new(known).file_name().is_some_and(|name| name == wanted)
}

fn confinement(config: &BuiltinConfig, folder: &Folder, wall: Duration) -> Confinement {
    let own = vec![folder.path().to_owned()];
    let (read_write, also) = if config.writable { (own, Vec::new()) } else { (Vec::new(), own) };
    Confinement {
        launcher: config.launcher.clone(),
        folder: folder.path().to_owned(),
        read_write,
        read_only: config.readable.iter().cloned().chain(also).collect(),
        network: config.network,
        change_modes: config.change_modes,
        own_world: true,
        limits: Limits {
            output_bytes: config.max_output_bytes,
            memory_bytes: config.max_memory_bytes,
            wall,
            ..Limits::default()
        },
        env: config.env.clone(),
        allow_unconfined: config.allow_unconfined,
    }
}

fn told(program: &str, wall: Duration, ended: &Ended) -> ToolResult {
    let (stdout, stderr) = (ended.stdout.text(), ended.stderr.text());
    let (kind, what) = match ended.how {
        How::Exited(0) => (None, String::new()),
        How::Exited(code) => (Some(exited(&stderr)), format!("ended with code {code}")),
        How::Signalled(signal) => (Some(ToolErrorKind::Failed), format!("was ended by signal {signal}")),
        How::TimedOut => (Some(ToolErrorKind::Timeout), format!("was killed after {} ms", wall.as_millis())),
        How::Stopped => (Some(ToolErrorKind::Cancelled), stopped().message),
        How::TooManyProcesses => {
            (Some(ToolErrorKind::Failed), "was killed: it ran too many processes".to_owned())
        }
        How::TooMuchMemory => (Some(ToolErrorKind::Failed), "was killed: it used too much memory".to_owned()),
    };
    let code = if let How::Exited(code) = ended.how { Some(code) } else { None };
    let data = json!({"exit_code": code, "stdout": stdout, "stderr": stderr});
    let mut result = match kind {
        None => ToolResult::done("", None),
        Some(kind) => ToolResult::failed(kind, said(format!("`{program}` {what}"), &stdout, &stderr)),
    };
    result.content = if stderr.is_empty() { stdout } else { format!("{stdout}\n[stderr]\n{stderr}") };
    result.data = Some(data);
    result.cut = ended.stdout.is_cut() || ended.stderr.is_cut();
    result
}

/// What kind of failure a command's own log tells of: an interpreter names what is not installed.
fn exited(stderr: &str) -> ToolErrorKind {
    match cause_line(stderr) {
        Some(line) if says_missing(line) => ToolErrorKind::MissingDependency,
        _ => ToolErrorKind::Failed,
    }
}

/// What happened, with the end of what the command said about it.
fn said(what: String, stdout: &str, stderr: &str) -> String {
    let words = if stderr.trim().is_empty() { stdout.trim() } else { stderr.trim() };
    let mut from = words.len().saturating_sub(MAX_SAID);
    while !words.is_char_boundary(from) {
        from += 1;
    }
    match words.get(from..).unwrap_or_default() {
        "" => what,
        end => format!("{what}: {end}"),
    }
}

fn refused(error: &SandboxError) -> ToolProblem {
    let kind = match error {
        SandboxError::Unprotected { .. } => ToolErrorKind::Denied,
        SandboxError::NoProgram { .. } | SandboxError::Launcher { .. } => ToolErrorKind::MissingDependency,
        _ => ToolErrorKind::Failed,
    };
    problem(kind, error.to_string())
}
