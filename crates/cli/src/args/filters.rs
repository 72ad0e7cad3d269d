//! Arguments that the commands which list something share.

use candor_model::{RunStatus, Timestamp};
use candor_ports::RunQuery;
use clap::Args;

use super::since::Since;

/// How a list is output.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(crate) struct Listing {
    /// Maximum number of entries
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<u32>,
    /// Output JSON
    #[arg(long)]
    pub(crate) json: bool,
}

impl Listing {
    /// How many entries are shown if `usual` are shown without `--limit`.
    pub(crate) fn limit_or(self, usual: usize) -> usize {
        self.limit.map_or(usual, |limit| usize::try_from(limit).unwrap_or(usize::MAX))
    }

    /// Leaves out what is beyond the limit.
    pub(crate) fn cut<T>(self, entries: &mut Vec<T>) {
        entries.truncate(self.limit_or(usize::MAX));
    }
}

/// A period: runs count by when they began, everything else by when it happened.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(crate) struct Period {
    /// Start of the period: a day (2026-05-31) or an age (12h, 30d, 2w)
    #[arg(long, value_name = "WHEN")]
    pub(crate) since: Option<Since>,
    /// End of the period, in the same form
    #[arg(long, value_name = "WHEN")]
    pub(crate) until: Option<Since>,
}

impl Period {
    /// Whether the whole time is meant.
    pub(crate) const fn is_open(&self) -> bool {
        self.since.is_none() && self.until.is_none()
    }

    /// Whether a moment lies in the period.
    pub(crate) fn has(&self, at: Timestamp) -> bool {
        let now = candor_runtime::wall();
        self.since.is_none_or(|since| at >= since.moment(now))
            && self.until.is_none_or(|until| at < until.moment(now))
    }
}

/// Which runs are meant.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct RunFilters {
    /// Only runs with this status: preparing, executing, waiting_human, paused, stopping, completed, failed, aborted or
    /// cancelled; may be repeated
    #[arg(long, value_name = "STATUS")]
    pub(crate) status: Vec<RunStatus>,
    /// Only runs of this project, as [project] name says
    #[arg(long, value_name = "NAME")]
    pub(crate) project: Option<String>,
    /// Only runs of this user
    #[arg(long, value_name = "NAME")]
    pub(crate) user: Option<String>,
}

impl RunFilters {
    /// Whether no run is left out.
    pub(crate) const fn is_open(&self) -> bool {
        self.status.is_empty() && self.project.is_none() && self.user.is_none()
    }

    /// The runs that are meant, of those that began in a period.
    pub(crate) fn query(&self, period: &Period) -> RunQuery {
        let now = candor_runtime::wall();
        RunQuery {
            statuses: self.status.clone(),
            project: self.project.clone(),
            user: self.user.clone(),
            since: period.since.map(|since| since.moment(now)),
            until: period.until.map(|until| until.moment(now)),
            ..RunQuery::default()
        }
    }
}
