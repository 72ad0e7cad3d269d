//! What was measured, against what it must reach.

use std::fmt;

/// What a number must reach.
#[derive(Clone, Copy)]
pub(crate) enum Target {
    /// This much or more.
    AtLeast(f64),
    /// This much or less.
    AtMost(f64),
}

impl Target {
    fn is_met(self, value: f64) -> bool {
        match self {
            Self::AtLeast(target) => value >= target,
            Self::AtMost(target) => value <= target,
        }
    }

    fn verdict(self, value: f64) -> &'static str {
        if self.is_met(value) { "met" } else { "MISSED" }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AtLeast(target) => write!(formatter, "at least {target}"),
            Self::AtMost(target) => write!(formatter, "at most {target}"),
        }
    }
}

/// Everything that was measured against a target.
#[derive(Default)]
pub(crate) struct Scores(Vec<Score>);

struct Score {
    what: String,
    value: f64,
    unit: String,
    target: Target,
}

impl Scores {
    /// Prints a number beside its target.
    pub(crate) fn judge(&mut self, what: &str, value: f64, unit: &str, target: Target) {
        let verdict = target.verdict(value);
        println!("peers: {what}: {value:.2} {unit} (target: {target}): {verdict}");
        self.0.push(Score { what: what.to_owned(), value, unit: unit.to_owned(), target });
    }

    /// Prints everything as one table, as it stands in `docs/performance.md`.
    pub(crate) fn close(&self) {
        let met = self.0.iter().filter(|score| score.target.is_met(score.value)).count();
        println!("\npeers: {met} of {} targets met\n", self.0.len());
        println!("| what | measured | target | |\n|---|---|---|---|");
        for Score { what, value, unit, target } in &self.0 {
            println!("| {what} | {value:.2} {unit} | {target} | {} |", target.verdict(*value));
        }
    }
}

/// Prints what has no target and helps to read what has.
pub(crate) fn note(words: impl fmt::Display) {
    println!("peers:   {words}");
}
