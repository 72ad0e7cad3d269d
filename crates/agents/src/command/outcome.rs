//! What a child's end means: an answer, or a failure with its kind, the line that says why, and the end of its log.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use candor_model::{AgentAnswer, Failure, FailureKind, ReportedError};
use candor_ports::AgentFailure;

use crate::answer::{read_answer, reported_error};
use crate::text;

/// The answer of a child that ended by itself.
pub fn judge(
    program: &str,
    status: ExitStatus,
    stdout: &[u8],
    stderr: &[u8],
) -> Result<AgentAnswer, AgentFailure> {
    if !status.success() {
        return Err(failure(crashed(program, status, stdout, stderr), stderr));
    }
    read_answer(stdout).map_err(|problem| {
        bad_output(format!("`{program}` gave no usable answer on stdout: {problem}"), stderr)
    })
}

/// An answer that cannot be used. Its log often says why, so the message quotes the line that may.
pub(super) fn bad_output(problem: String, stderr: &[u8]) -> AgentFailure {
    let message = match text::cause(stderr) {
        Some(why) => format!("{problem}; the last line of its stderr: {why}"),
        None => problem,
    };
    failure(Failure::new(FailureKind::BadOutput, message), stderr)
}

/// A failure with the end of stderr as its detail.
pub(super) fn failure(failure: Failure, stderr: &[u8]) -> AgentFailure {
    failure.with_detail(text::tail(stderr)).into()
}

/// A child that ended with a code other than 0 or by a signal. What it says itself on stdout counts more than its
/// code, and more than its log.
pub(super) fn crashed(program: &str, status: ExitStatus, stdout: &[u8], stderr: &[u8]) -> Failure {
    let said = reported_error(stdout).filter(|_| status.code().is_some());
    let ended = format!("`{program}` {}", end_in_words(status));
    let told = said.as_ref().and_then(|said| said.message.as_deref()).map(|told| text::head(told.as_bytes()));
    let message = match told.or_else(|| text::cause(stderr)) {
        Some(why) => format!("{ended}: {why}"),
        None => ended,
    };
    let failure = match (status.code(), status.signal()) {
        (Some(code), _) => Failure::exited(code, message),
        (None, Some(signal)) => Failure::killed(signal, message),
        (None, None) => Failure::new(FailureKind::Crashed, message),
    };
    match said {
        Some(ReportedError { kind, retryable, missing, .. }) => {
            let kind = kind.or_else(|| Some(FailureKind::TaskError.to_string()));
            failure.as_reported(&ReportedError { kind, retryable, missing, message: None })
        }
        None => failure,
    }
}

/// How a process ended.
pub(crate) fn end_in_words(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exited with code {code}"),
        (None, Some(signal)) => match signal_name(signal) {
            Some(name) => format!("was killed by signal {signal} ({name})"),
            None => format!("was killed by signal {signal}"),
        },
        (None, None) => "ended in an unknown way".to_owned(),
    }
}

/// The signals that children die of in practice. Their numbers are the same on all systems.
fn signal_name(signal: i32) -> Option<&'static str> {
    Some(match signal {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL",
        5 => "SIGTRAP",
        6 => "SIGABRT",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        14 => "SIGALRM",
        15 => "SIGTERM",
        _ => return None,
    })
}
