//! What a child's end means: an answer, or a failure in plain words that quotes the end of its log.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use candor_model::AgentAnswer;
use candor_ports::AgentFailure;

use crate::answer::read_answer;
use crate::text;

/// The answer of a child that ended by itself.
pub(super) fn judge(
    program: &str,
    status: ExitStatus,
    stdout: &[u8],
    stderr: &[u8],
) -> Result<AgentAnswer, AgentFailure> {
    let problem = if status.success() {
        match read_answer(stdout) {
            Ok(answer) => return Ok(answer),
            Err(problem) => format!("`{program}` gave no usable answer on stdout: {problem}"),
        }
    } else {
        format!("`{program}` {}", end_in_words(status))
    };
    Err(failure(&problem, stderr))
}

/// A failure that quotes the end of stderr.
pub(super) fn failure(problem: &str, stderr: &[u8]) -> AgentFailure {
    let tail = text::tail(stderr);
    if tail.is_empty() {
        AgentFailure::failed(problem)
    } else {
        AgentFailure::failed(format!("{problem}; the end of its stderr: {tail}"))
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
