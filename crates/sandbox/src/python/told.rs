//! What is told of a program that has ended, from what it said and from what was seen of it outside.

use candor_ports::{CodeLimit, CodeOutcome};

use super::PythonError;
use super::channel::{Answer, Heard};
use crate::confine::LimitHit;
use crate::running::Over;
use crate::{Limits, SandboxError};

const MEBIBYTE: u64 = 1024 * 1024;

/// Who ended a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Itself,
    /// We did, since it said more than an answer can be.
    TooMuchSaid,
    TimedOut,
    Stopped,
}

/// What it was allowed to use.
#[derive(Debug, Clone, Copy)]
pub(super) struct Figures<'a> {
    pub(super) limits: &'a Limits,
    pub(super) max_result_bytes: usize,
}

/// What came of it, and what had to be changed of its result. A whole answer counts, however it ended afterwards.
pub(super) fn outcome(
    heard: Heard,
    end: End,
    over: Result<Over, SandboxError>,
    figures: Figures<'_>,
) -> Result<(CodeOutcome, Vec<String>), PythonError> {
    let heard = match heard {
        Heard::Answer(answer) => return Ok(said(answer, figures)),
        heard => heard,
    };
    let outcome = match end {
        End::TimedOut => CodeOutcome::TimedOut,
        End::Stopped => CodeOutcome::Stopped,
        End::TooMuchSaid => seen(heard, Over::Exited(0), figures),
        End::Itself => seen(heard, over?, figures),
    };
    Ok((outcome, Vec::new()))
}

/// What a program says of itself.
fn said(answer: Answer, figures: Figures<'_>) -> (CodeOutcome, Vec<String>) {
    let outcome = match answer {
        Answer::Finished { result, warnings } => return (CodeOutcome::Finished { result }, warnings),
        Answer::Raised { name, text, line, trace } => CodeOutcome::Raised { name, text, line, trace },
        Answer::Left { code } => CodeOutcome::NoResult {
            reason: format!("the program left with exit({code}) before its end, so that there is no result"),
        },
        Answer::Unfit { text } => CodeOutcome::BadResult { reason: text },
        Answer::Memory => limit(CodeLimit::Memory, figures, ""),
        Answer::Disk { text } => limit(CodeLimit::Disk, figures, &text),
        Answer::TooLarge { bytes } => CodeOutcome::Limit {
            limit: CodeLimit::Output,
            text: format!(
                "the result is too large: {bytes} bytes as JSON, of which {} are allowed",
                figures.max_result_bytes
            ),
        },
    };
    (outcome, Vec::new())
}

/// What was seen of one that said nothing that counts.
fn seen(heard: Heard, over: Over, figures: Figures<'_>) -> CodeOutcome {
    match (over, heard) {
        (Over::Limit(LimitHit::Processes), _) => limit(CodeLimit::Processes, figures, ""),
        (Over::Limit(LimitHit::Memory), _) => limit(CodeLimit::Memory, figures, ""),
        (Over::Limit(LimitHit::Cpu) | Over::Signalled(libc::SIGXCPU), _) => {
            limit(CodeLimit::Cpu, figures, "")
        }
        (Over::Limit(LimitHit::Disk) | Over::Signalled(libc::SIGXFSZ), _) => {
            limit(CodeLimit::Disk, figures, "")
        }
        (Over::Signalled(signal), _) => CodeOutcome::Killed { signal },
        (Over::Exited(_), Heard::Bad(reason)) => CodeOutcome::BadResult { reason },
        (Over::Exited(code), _) => CodeOutcome::NoResult {
            reason: format!(
                "the program ended its process with code {code} before its end, so that there is no result"
            ),
        },
    }
}

fn limit(limit: CodeLimit, figures: Figures<'_>, more: &str) -> CodeOutcome {
    let limits = figures.limits;
    let mebibytes = |bytes: u64| format!("{} MiB", bytes.div_ceil(MEBIBYTE));
    let text = match limit {
        CodeLimit::Memory => {
            format!("the program used more memory than it may: {}", mebibytes(limits.memory_bytes))
        }
        CodeLimit::Cpu => {
            format!("the program used more time on a processor than it may: {} s", limits.cpu_seconds)
        }
        CodeLimit::Processes => format!(
            "the program started more than it may: {} processes, {} threads",
            limits.processes, limits.threads
        ),
        CodeLimit::Disk => format!(
            "the program wrote more than it may: {} into one file, {} altogether",
            mebibytes(limits.file_bytes),
            limits.folder_bytes.map_or_else(|| "any amount".to_owned(), mebibytes),
        ),
        CodeLimit::Output => "the program printed more than it may".to_owned(),
    };
    let text = if more.is_empty() { text } else { format!("{text} ({more})") };
    CodeOutcome::Limit { limit, text }
}
