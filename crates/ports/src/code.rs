//! Programs that are run in a sandbox.

use std::time::Duration;

use candor_model::{Failure, FailureKind, JsonMap};
use tokio_util::sync::CancellationToken;

use crate::BoxFuture;

/// Whoever runs Python that nobody trusts.
pub trait CodeRunner: Send + Sync {
    /// Runs a program in a fresh place of its own, which is gone afterwards.
    ///
    /// It ends by itself when the job's time is up, and soon after `stop` fires; nothing of it runs on. Whatever
    /// the program does is told in the [`CodeRun`]; a [`CodeFault`] means that it was not run, or that nobody knows
    /// what came of it.
    fn run<'a>(
        &'a self,
        job: &'a CodeJob,
        stop: CancellationToken,
    ) -> BoxFuture<'a, Result<CodeRun, CodeFault>>;

    /// What it is called in messages: `local`, `e2b`.
    fn name(&self) -> &str;
}

/// A program, and what it is given.
#[derive(Debug, Clone, PartialEq)]
pub struct CodeJob {
    /// Python.
    pub code: String,
    /// What it finds in the variable `context`.
    pub context: JsonMap,
    /// What is taken from it.
    pub result: CodeResult,
    /// After how long it is stopped.
    pub timeout: Duration,
}

/// What is taken from a program when it has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodeResult {
    /// The variable `context`, which must be a map.
    Context,
    /// The variable `insights`, under that name; nothing if there is none.
    Insights,
}

/// A program that has ended, and what came of it.
#[derive(Debug, Clone, PartialEq)]
pub struct CodeRun {
    /// How it ended.
    pub outcome: CodeOutcome,
    /// What it printed, within bounds.
    pub stdout: String,
    /// What it printed on the side, within bounds.
    pub stderr: String,
    /// What was changed to make its result JSON, such as NaN to null, in plain words.
    pub warnings: Vec<String>,
    /// How long it took.
    pub duration: Duration,
}

/// How a program ended.
#[derive(Debug, Clone, PartialEq)]
pub enum CodeOutcome {
    /// It came to its end.
    Finished {
        /// The context as it left it, or `insights` alone.
        result: JsonMap,
    },
    /// An exception was not caught.
    Raised {
        /// Its type, such as `ZeroDivisionError`.
        name: String,
        /// What it says.
        text: String,
        /// The line of the program, if it is known.
        line: Option<u32>,
        /// Where it came from, as Python tells it.
        trace: String,
    },
    /// It left before its end, so that there is no result.
    NoResult {
        /// What is known of it, in words.
        reason: String,
    },
    /// Its result cannot be read, or was tampered with.
    BadResult {
        /// Why.
        reason: String,
    },
    /// It was killed at its deadline.
    TimedOut,
    /// It was killed because it was asked to stop.
    Stopped,
    /// It was killed, or refused something, because of a limit.
    Limit {
        /// Which one.
        limit: CodeLimit,
        /// In words, with the figure.
        text: String,
    },
    /// It was killed by a signal.
    Killed {
        /// Which one.
        signal: i32,
    },
}

/// What a program may use only so much of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodeLimit {
    /// Memory.
    Memory,
    /// Time on a processor.
    Cpu,
    /// Processes at a time.
    Processes,
    /// The size of a file, or of all of them.
    Disk,
    /// What it prints, or the size of its result.
    Output,
}

/// Why a program was not run, or its end is not known.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct CodeFault(pub Failure);

impl CodeFault {
    /// A sandbox that is not there, for this reason.
    #[must_use]
    pub fn new(reason: impl Into<String>) -> Self {
        Self(Failure::new(FailureKind::Unavailable, reason))
    }
}
