//! Why a call did not do what it was asked for.

use std::fmt;

use candor_app::AppError;

/// Why something that was asked for did not happen: what, where, and what to do, in plain words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ApiError(String);

impl ApiError {
    /// ApiError in these words.
    #[must_use]
    pub(crate) fn new(words: impl fmt::Display) -> Self {
        Self(words.to_string())
    }

    /// The same, with what can be done about it.
    #[must_use]
    pub(crate) fn hint(self, words: impl fmt::Display) -> Self {
        Self(format!("{}\n{words}", self.0))
    }
}

impl ApiError {
    /// What happened, without the hint, which names tools of MCP.
    pub(crate) fn first_line(&self) -> &str {
        self.0.lines().next().unwrap_or_default()
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl From<AppError> for ApiError {
    fn from(error: AppError) -> Self {
        Self::new(error)
    }
}
