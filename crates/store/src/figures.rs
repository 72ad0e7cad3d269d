//! The figures of a run that move with every task: kept in the run's row, so that its summary can rest.

use candor_model::{Event, EventBody, Money, RunSummary, SummaryFigure};

/// The latest figures; absent ones are those of the summary.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Figures {
    pub(crate) progress: Option<f64>,
    pub(crate) spent: Option<Money>,
}

impl Figures {
    /// The figures that these events set.
    pub(crate) fn of(events: &[Event]) -> Self {
        let mut figures = Self::default();
        for event in events {
            match RunSummary::figure(&event.body) {
                Some(SummaryFigure::Progress(progress)) => figures.progress = Some(progress),
                Some(SummaryFigure::Spent(spent)) => figures.spent = Some(spent),
                // Whatever else moves a summary may set a figure too.
                None if matches!(event.body, EventBody::RolledBack { .. }) => figures.progress = Some(0.0),
                None => {}
            }
        }
        figures
    }

    /// Those as read from a row.
    pub(crate) fn from_row(progress: Option<f64>, spent: Option<i64>) -> Self {
        let spent = spent.and_then(|micros| u64::try_from(micros).ok()).map(Money::from_micros);
        Self { progress, spent }
    }

    /// What was spent, as a row keeps it.
    pub(crate) fn spent_micros(&self) -> Option<i64> {
        self.spent.and_then(|spent| i64::try_from(spent.micros()).ok())
    }

    /// Takes newer figures over.
    pub(crate) fn renew(&mut self, newer: Self) {
        self.progress = newer.progress.or(self.progress);
        self.spent = newer.spent.or(self.spent);
    }

    /// Puts the figures into a summary.
    pub(crate) fn fill(&self, summary: &mut RunSummary) {
        summary.progress_percentage = self.progress.unwrap_or(summary.progress_percentage);
        summary.spent = self.spent.unwrap_or(summary.spent);
    }
}
