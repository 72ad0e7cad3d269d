//! `[[schedules]]`: runs that begin by the clock.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use candor_model::RiskClass;
use candor_text::{Sentence, both};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::AppError;
use crate::schedule_times::ScheduleTimes;

/// A run that begins whenever it is due.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Schedule {
    /// Its name. What was started is kept under it.
    pub name: String,
    /// When it is due: a cron expression of five fields, or six with seconds.
    pub cron: String,
    /// The time zone in which the expression is read, such as `Europe/Madrid`.
    #[serde(default = "utc")]
    pub timezone: String,
    /// What is to be reached, in plain words.
    #[serde(default)]
    pub goal: Option<String>,
    /// A file with a plan, read when a run begins.
    #[serde(default)]
    pub plan: Option<PathBuf>,
    /// What is done about due times that passed while no server ran.
    #[serde(default)]
    pub catch_up: CatchUp,
    /// The most runs that are begun for due times that passed, with `catch_up = "all"`.
    #[serde(default = "usual_limit")]
    pub catch_up_limit: u32,
    /// What is done when the run before has not ended.
    #[serde(default)]
    pub overlap: Overlap,
    /// Whether nobody is there to be asked.
    #[serde(default = "yes")]
    pub unattended: bool,
    /// What may be done without asking, though it cannot be undone.
    #[serde(default)]
    pub allow: Vec<RiskClass>,
}

/// What is done about due times that passed while no server ran.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CatchUp {
    /// What was missed stays undone.
    Skip,
    /// One run for all of them.
    #[default]
    Once,
    /// One run for each, up to the limit.
    All,
}

/// What is done when a schedule is due and its run before has not ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Overlap {
    /// The due time is passed over.
    #[default]
    Skip,
    /// Another run begins beside it.
    Allow,
}

fn utc() -> String {
    "UTC".to_owned()
}

const fn usual_limit() -> u32 {
    10
}

const fn yes() -> bool {
    true
}

/// Checks what serde cannot: names that differ, one thing to do, expressions and time zones that exist.
pub(super) fn check(path: &Path, schedules: &[Schedule]) -> Result<(), AppError> {
    let mut seen = BTreeSet::new();
    for (n, schedule) in (1..).zip(schedules) {
        let problem = |problem: Sentence| {
            AppError::usage(problem.after(format_args!(
                "{}, [[schedules]] {n} ({}): ",
                path.display(),
                schedule.name
            )))
        };
        let letters = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
        if schedule.name.is_empty() || !schedule.name.chars().all(letters) {
            return Err(problem(both!(
                "a name has letters, digits, `-`, `_` and `.` only",
                "un nombre solo tiene letras, cifras, `-`, `_` y `.`"
            )));
        }
        if !seen.insert(&schedule.name) {
            return Err(problem(both!(
                "every schedule needs a name of its own",
                "cada programación necesita un nombre propio"
            )));
        }
        if schedule.goal.as_deref().unwrap_or_default().trim().is_empty() && schedule.plan.is_none() {
            return Err(problem(both!(
                "has neither `goal` nor `plan`: say what is to be done",
                "no tiene ni `goal` ni `plan`: indicar qué hay que hacer"
            )));
        }
        ScheduleTimes::new(&schedule.cron, &schedule.timezone).map_err(|wrong| problem(wrong.into()))?;
    }
    Ok(())
}
