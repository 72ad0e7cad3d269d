//! Quality gates: what must hold of every result of a project or pack, beside what its goal and tasks ask for.
//!
//! A gate is a criterion with a name and a severity. Its command runs under the same rules as those of criteria. What
//! blocks makes the verdict `not_met`; what only warns is told.

use candor_model::CheckKind;
use serde::{Deserialize, Serialize};

use crate::criterion::{self, Clause, Criterion};

/// What a gate that does not hold does to the run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GateSeverity {
    /// The verdict is `not_met`.
    #[default]
    Blocking,
    /// It is told, and the verdict stays.
    Warning,
}

/// A quality gate as `candor.toml` and packs declare it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QualityGate {
    /// Its name for people: `lint`, `tests`.
    pub name: String,
    /// What must hold, in the language of criteria, or `no secrets in changed files`.
    pub check: String,
    /// Whether it blocks or warns.
    #[serde(default)]
    pub severity: GateSeverity,
    /// Whether the gate is skipped where its program is not installed.
    #[serde(default)]
    pub optional: bool,
    /// The least coverage that the command's output must tell, in percent.
    #[serde(default)]
    pub coverage: Option<f64>,
}

/// The check for secrets in files that the run changed.
pub const NO_SECRETS: &str = "no secrets in changed files";

impl QualityGate {
    /// Whether it looks for secrets in changed files.
    #[must_use]
    pub fn is_about_secrets(&self) -> bool {
        self.check.trim().eq_ignore_ascii_case(NO_SECRETS)
    }

    /// `check`, read as a criterion.
    #[must_use]
    pub fn criterion(&self) -> Criterion {
        criterion::parse(&self.check)
    }

    /// What is wrong with the declaration, with the field; nothing if it can be checked.
    #[must_use]
    pub fn problem(&self) -> Option<(&'static str, String)> {
        if self.name.trim().is_empty() {
            return Some(("name", "is empty; name the gate, for instance \"lint\"".to_owned()));
        }
        let is_command = |clause: &Clause| matches!(clause, Clause::Check(CheckKind::Command(_)));
        if self.coverage.is_some_and(|least| !(0.0..=100.0).contains(&least)) {
            return Some(("coverage", "must be from 0 to 100".to_owned()));
        }
        if self.coverage.is_some() && !self.criterion().clauses.iter().any(is_command) {
            return Some(("coverage", "needs a `command:` whose output tells it".to_owned()));
        }
        if self.is_about_secrets() {
            return None;
        }
        criterion::problems(&self.check).into_iter().next().map(|problem| ("check", problem))
    }
}

/// The coverage that a tool printed, in percent: the last percentage of a line that speaks of coverage or of a total.
#[must_use]
pub fn coverage_in(output: &str) -> Option<f64> {
    let telling = |line: &&str| {
        let line = line.to_lowercase();
        line.contains("cover") || line.contains("total")
    };
    output.lines().rev().filter(telling).find_map(last_percentage)
}

fn last_percentage(line: &str) -> Option<f64> {
    let (before, _) = line.rsplit_once('%')?;
    let number = before.trim_end().rsplit(|letter: char| !letter.is_ascii_digit() && letter != '.').next()?;
    number.trim_matches('.').parse().ok().filter(|percent| (0.0..=100.0).contains(percent))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coverage_is_read_from_what_tools_print() {
        for (output, wanted) in [
            (
                "Name  Stmts  Miss  Cover\napp.py  10  2  80%\nTOTAL     10      2    80%\n3 passed",
                Some(80.0),
            ),
            ("coverage: 71.4% of statements", Some(71.4)),
            ("|| Tested: 40\n81.25% coverage, 26/32 lines covered", Some(81.25)),
            ("100% of the tests passed", None),
            ("coverage: none", None),
        ] {
            assert_eq!(coverage_in(output), wanted, "{output}");
        }
    }

    #[test]
    fn a_gate_that_could_never_be_checked_is_refused() {
        let gate = |check: &str, coverage| QualityGate {
            name: "g".to_owned(),
            check: check.to_owned(),
            severity: GateSeverity::Blocking,
            optional: false,
            coverage,
        };
        assert_eq!(gate("command: cargo test", Some(80.0)).problem(), None);
        assert_eq!(gate(NO_SECRETS, None).problem(), None);
        assert_eq!(gate("it is fine", None).problem().unwrap().0, "check");
        assert_eq!(gate("file exists: a.txt", Some(80.0)).problem().unwrap().0, "coverage");
        assert_eq!(gate("command: cargo test", Some(180.0)).problem().unwrap().0, "coverage");
    }
}
