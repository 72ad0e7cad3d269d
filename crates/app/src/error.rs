//! Why something that was asked of the app did not happen.

use std::fmt;

use candor_text::{Language, Sentence};

/// What kind of error it is: what an exit code or a status is chosen by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AppErrorKind {
    /// Bad usage or bad input: asking differently helps.
    Usage,
    /// What was asked for does not fit where things stand: a question that was answered, a run that has ended.
    Refused,
    /// There is no such thing.
    NotFound,
    /// Somebody else is at it.
    Busy,
    /// None of the other kinds.
    Failed,
}

/// What happened and what to do about it, in words for people.
#[derive(Debug)]
pub struct AppError {
    /// What kind of error it is.
    pub kind: AppErrorKind,
    /// What happened, where, and what to do. Programs and logs get the English version.
    pub message: Sentence,
}

impl AppError {
    /// Bad usage or bad input.
    pub fn usage(message: impl Into<Sentence>) -> Self {
        Self { kind: AppErrorKind::Usage, message: message.into() }
    }

    /// What was asked for does not fit where things stand.
    pub fn refused(message: impl Into<Sentence>) -> Self {
        Self { kind: AppErrorKind::Refused, message: message.into() }
    }

    /// There is no such thing.
    pub fn not_found(message: impl Into<Sentence>) -> Self {
        Self { kind: AppErrorKind::NotFound, message: message.into() }
    }

    /// What happened, in the language of the process.
    #[must_use]
    pub fn told(&self) -> &str {
        self.message.text(crate::language())
    }

    /// The same as wrong usage of what the caller names, in front of what it says: a file, an option.
    #[must_use]
    pub fn usage_at(self, place: impl fmt::Display) -> Self {
        Self::usage(self.message.after(place))
    }

    /// Something went wrong that is nobody's input.
    pub fn failed(message: impl Into<Sentence>) -> Self {
        Self { kind: AppErrorKind::Failed, message: message.into() }
    }
}

impl fmt::Display for AppError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.message.text(Language::En))
    }
}

impl std::error::Error for AppError {}

impl From<candor_ports::LogError> for AppError {
    fn from(error: candor_ports::LogError) -> Self {
        Self::failed(error)
    }
}

impl From<candor_runtime::DriveError> for AppError {
    fn from(error: candor_runtime::DriveError) -> Self {
        use candor_runtime::DriveError;
        match &error {
            DriveError::Refused(_) => Self::refused(error),
            DriveError::UnknownRun { .. } => Self::not_found(error),
            _ => Self::failed(error),
        }
    }
}

impl From<candor_ports::LeaseError> for AppError {
    fn from(error: candor_ports::LeaseError) -> Self {
        match error {
            candor_ports::LeaseError::Taken { .. } => {
                Self { kind: AppErrorKind::Busy, message: error.into() }
            }
            candor_ports::LeaseError::Storage { .. } => Self::failed(error),
        }
    }
}

impl From<candor_engine::FoldError> for AppError {
    fn from(error: candor_engine::FoldError) -> Self {
        Self::failed(error)
    }
}
