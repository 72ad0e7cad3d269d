//! What is told of a log: when it is opened, verified or repaired.

use std::fmt;
use std::path::PathBuf;

use candor_model::Position;

/// What was found when a log was opened. Nothing that is damaged was changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OpenReport {
    /// Whether there was no log yet.
    pub created: bool,
    /// The schema version that the log had, if it was brought up to date.
    pub migrated_from: Option<i64>,
    /// Unfinished runs whose end is damaged. Reading them fails; all others can be used.
    pub damaged: Vec<Finding>,
    /// Where the damaged log is kept, if an interrupted repair was finished.
    pub repaired: Option<PathBuf>,
}

impl OpenReport {
    /// Whether nothing was wrong.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.damaged.is_empty() && self.repaired.is_none()
    }
}

impl fmt::Display for OpenReport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_clean() {
            return formatter.write_str("the log is sound");
        }
        let repaired = self.repaired.iter().map(|kept_as| {
            format!("an interrupted repair was finished; the damaged log is {}", kept_as.display())
        });
        let damaged = self.damaged.iter().map(ToString::to_string);
        let advice = (!self.damaged.is_empty()).then(|| {
            "the log is damaged: `candor doctor` shows all of it, `candor repair` repairs it".to_owned()
        });
        let lines: Vec<String> = repaired.chain(damaged).chain(advice).collect();
        formatter.write_str(&lines.join("\n"))
    }
}

/// A record that is not as it should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The run, as far as it can be told.
    pub run: String,
    /// Position in the log of the run.
    pub position: Position,
    /// Damage in words.
    pub reason: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "run {}, event {}: {}", self.run, self.position, self.reason)
    }
}

/// What a full check found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verification {
    /// How many events were looked at.
    pub events: u64,
    /// How many runs they belong to.
    pub runs: u64,
    /// What is wrong, one sentence each; none if the log is sound.
    pub problems: Vec<String>,
}

impl Verification {
    pub(crate) fn tell(&mut self, problem: String) {
        self.problems.push(problem);
    }
}

/// What a repair saved.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RepairReport {
    /// Every run of which anything was found.
    pub runs: Vec<RepairedRun>,
    /// Where the damaged log is kept, if the new one took its place.
    pub kept_as: Option<PathBuf>,
    /// Why events may be lost that nothing tells of any more.
    pub unknown_loss: Option<String>,
}

/// What was saved of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RepairedRun {
    /// Id of the run, as text because it may be damaged.
    pub run: String,
    /// How many events the new log has of it: all up to the first that is lost.
    pub saved: u64,
    /// How many intact events follow one that is lost. They are in the table `quarantine` of the new log.
    pub apart: u64,
    /// The places of those that are lost, first and last, as far as it is known that there were any.
    pub lost: Vec<(u64, u64)>,
    /// The place of the last event that was dealt with.
    pub(crate) done: u64,
}

impl RepairedRun {
    /// Deals with what is missing before a place.
    pub(crate) fn skip_to(&mut self, position: u64) {
        if position > self.done + 1 {
            self.lost.push((self.done + 1, position - 1));
        }
        self.done = position.max(self.done);
    }

    /// How many events are lost.
    #[must_use]
    pub fn losses(&self) -> u64 {
        self.lost.iter().fold(0, |sum, (first, last)| sum.saturating_add(last - first + 1))
    }
}
