//! How the command fails: with an exit code that programs can rely on, and words that say what to do.

use std::fmt;

use candor_app::{AppError, AppErrorKind};

/// Exit codes of `candor`.
pub(crate) mod code {
    /// What was asked for was done.
    pub(crate) const DONE: u8 = 0;
    /// The run failed, was aborted or did not meet its goal; or something went wrong that is nobody's input.
    pub(crate) const FAILED: u8 = 1;
    /// Bad usage or bad input.
    pub(crate) const USAGE: u8 = 2;
    /// A person is waited for.
    pub(crate) const WAITING: u8 = 3;
    /// Interrupted; the run can be resumed.
    pub(crate) const INTERRUPTED: u8 = 130;
}

/// Why the command ends without having done what was asked.
#[derive(Debug)]
pub(crate) struct Failure {
    /// Exit code of the process.
    pub(crate) code: u8,
    /// What happened, and what to do.
    pub(crate) message: String,
}

impl Failure {
    /// Bad usage or bad input.
    pub(crate) fn usage(message: impl fmt::Display) -> Self {
        Self { code: code::USAGE, message: message.to_string() }
    }

    /// A failure without a code of its own.
    pub(crate) fn failed(message: impl fmt::Display) -> Self {
        Self { code: code::FAILED, message: message.to_string() }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl From<AppError> for Failure {
    fn from(error: AppError) -> Self {
        let code = match error.kind {
            AppErrorKind::Usage | AppErrorKind::Refused | AppErrorKind::NotFound => code::USAGE,
            AppErrorKind::Failed | AppErrorKind::Busy => code::FAILED,
        };
        Self { code, message: error.told().to_owned() }
    }
}

impl From<Failure> for AppError {
    fn from(Failure { code, message }: Failure) -> Self {
        let kind = if code == code::USAGE { AppErrorKind::Usage } else { AppErrorKind::Failed };
        Self { kind, message: message.into() }
    }
}

impl From<candor_ports::LogError> for Failure {
    fn from(error: candor_ports::LogError) -> Self {
        AppError::from(error).into()
    }
}

impl From<candor_runtime::DriveError> for Failure {
    fn from(error: candor_runtime::DriveError) -> Self {
        AppError::from(error).into()
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::failed(error)
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        Self::failed(error)
    }
}
