//! What was found when a log was opened.

use std::fmt;
use std::path::PathBuf;

use candor_model::Position;

/// What was found, and done about it, when a log was opened.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OpenReport {
    /// Whether there was no log yet.
    pub created: bool,
    /// The schema version that the log had, if it was brought up to date.
    pub migrated_from: Option<i64>,
    /// Records at the end of a run that could not be trusted. They were moved to the table `quarantine`;
    /// the run ends before them.
    pub quarantined: Vec<Finding>,
    /// Damage before the end of a run, found by a full check. It is left as it is: reading the run
    /// says the same.
    pub damaged: Vec<Finding>,
    /// What was saved from a file that SQLite could not use any more.
    pub salvage: Option<Salvage>,
}

impl OpenReport {
    /// Whether nothing was wrong.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.quarantined.is_empty() && self.damaged.is_empty() && self.salvage.is_none()
    }
}

impl fmt::Display for OpenReport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_clean() {
            return formatter.write_str("the log is sound");
        }
        let salvage = self.salvage.iter().map(ToString::to_string);
        let quarantined = self.quarantined.iter().map(|finding| format!("{finding}; it was set aside"));
        let damaged = self.damaged.iter().map(|finding| format!("{finding}; it was left as it is"));
        let lines: Vec<String> = salvage.chain(quarantined).chain(damaged).collect();
        formatter.write_str(&lines.join("\n"))
    }
}

/// A record that is not as it should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The run, as far as it can be told.
    pub run: String,
    /// The place.
    pub position: Position,
    /// What is wrong.
    pub reason: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "run {}, event {}: {}", self.run, self.position, self.reason)
    }
}

/// What was saved from a damaged file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Salvage {
    /// Where the damaged file is kept.
    pub kept_as: PathBuf,
    /// What was wrong with it.
    pub reason: String,
    /// How many events were copied into the new log.
    pub events: u64,
    /// How many runs the new log has.
    pub runs: u64,
    /// How many events could be read but follow a gap; they are in the table `quarantine`.
    pub set_aside: u64,
}

impl fmt::Display for Salvage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "the log was damaged ({}); {} events of {} runs were saved, {} were set aside; the damaged file is {}",
            self.reason,
            self.events,
            self.runs,
            self.set_aside,
            self.kept_as.display()
        )
    }
}
