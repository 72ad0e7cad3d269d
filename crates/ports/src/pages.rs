//! What a server asks of a log: pages of the list of runs and of events, and the events of all runs in one order.

use candor_model::{Position, RunId, RunOrigin, RunStatus, Timestamp};

use crate::{BoxFuture, LogError, RunEntry};

/// Reads a log page by page. Events are given out as they are on the log: as JSON, which need not be read to be passed on.
pub trait LogPages: Send + Sync {
    /// A page of the list of runs, the most recently changed first.
    fn page(&self, query: RunQuery) -> BoxFuture<'_, Result<RunPage, LogError>>;

    /// At most `limit` runs whose name begins with this, in the order of their names.
    fn named<'a>(&'a self, beginning: &'a str, limit: u32) -> BoxFuture<'a, Result<Vec<RunId>, LogError>>;

    /// Where the log of a run ends; at its start if there is no such run.
    fn head<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, Result<Position, LogError>>;

    /// At most `limit` events of a run after `after`, in order.
    fn events<'a>(
        &'a self,
        run: &'a RunId,
        after: Position,
        limit: u32,
    ) -> BoxFuture<'a, Result<Vec<LoggedEvent>, LogError>>;

    /// At most `limit` events of all runs after `after`, in the order in which they were appended.
    ///
    /// An event that cannot be read is left out: reading its run tells of it.
    fn tail(&self, after: Seq, limit: u32) -> BoxFuture<'_, Result<Vec<LoggedEvent>, LogError>>;

    /// The place of the last event among all.
    fn end(&self) -> BoxFuture<'_, Result<Seq, LogError>>;
}

/// The place of an event among those of all runs. It grows with every event, by one or more.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Seq(pub u64);

/// Which runs a page shows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunQuery {
    /// Only those of these statuses; all if empty.
    pub statuses: Vec<RunStatus>,
    /// Only those that ask a person something.
    pub asking: bool,
    /// Only those whose request or name contains this, in any case.
    pub text: Option<String>,
    /// Only those that began at this time or later.
    pub since: Option<Timestamp>,
    /// Only those that began before this time.
    pub until: Option<Timestamp>,
    /// Only those of this project.
    pub project: Option<String>,
    /// Only those of this user.
    pub user: Option<String>,
    /// Only those that changed last before this place.
    pub before: Option<Seq>,
    /// Maximum number of runs.
    pub limit: u32,
}

impl RunQuery {
    /// Whether a run is one of those that are asked for.
    #[must_use]
    pub fn admits(&self, entry: &RunEntry) -> bool {
        let summary = &entry.summary;
        let contains = |text: &String| {
            let text = text.to_lowercase();
            summary.request.to_lowercase().contains(&text) || summary.run_id.as_str().contains(&text)
        };
        (self.statuses.is_empty() || self.statuses.contains(&summary.status))
            && (!self.asking || !summary.open_gates.is_empty())
            && self.text.as_ref().is_none_or(contains)
            && self.admits_start(summary.started_at)
            && self.admits_origin(summary.origin.as_deref())
    }

    /// Whether a run that began then is one of those that are asked for; one without a time counts as just begun.
    #[must_use]
    pub fn admits_start(&self, at: Option<Timestamp>) -> bool {
        self.since.is_none_or(|since| at.is_none_or(|at| at >= since))
            && self.until.is_none_or(|until| at.is_some_and(|at| at < until))
    }

    /// Whether a run of that user and project is one of those that are asked for.
    #[must_use]
    pub fn admits_origin(&self, origin: Option<&RunOrigin>) -> bool {
        let project = origin.and_then(|origin| origin.project.as_ref());
        let user = origin.map(|origin| &origin.user);
        (self.project.is_none() || self.project.as_ref() == project)
            && (self.user.is_none() || self.user.as_ref() == user)
    }
}

/// A page of the list of runs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunPage {
    /// The runs.
    pub runs: Vec<RunEntry>,
    /// Where the next page begins; none if this is the last. A page may be short of runs and still have a next one:
    /// a filter that admits few is not followed through the whole log at once.
    pub next: Option<Seq>,
}

/// An event as it is on the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedEvent {
    /// Its place among the events of all runs.
    pub seq: Seq,
    /// Its run.
    pub run: RunId,
    /// Its place in the run.
    pub position: Position,
    /// The event as JSON, on one line.
    pub json: String,
}
