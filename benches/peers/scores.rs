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
}

impl fmt::Display for Target {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AtLeast(target) => write!(formatter, "at least {target}"),
            Self::AtMost(target) => write!(formatter, "at most {target}"),
        }
    }
}

/// Counts the targets that were met and keeps the names of those that were not.
#[derive(Default)]
pub(crate) struct Scores {
    met: usize,
    missed: Vec<String>,
}

impl Scores {
    /// Prints a number beside its target.
    pub(crate) fn judge(&mut self, what: &str, value: f64, unit: &str, target: Target) {
        let met = target.is_met(value);
        let verdict = if met { "met" } else { "MISSED" };
        println!("peers: {what}: {value:.2} {unit} (target: {target}): {verdict}");
        if met {
            self.met += 1;
        } else {
            self.missed.push(format!("{what}: {value:.2} {unit}, target {target}"));
        }
    }

    /// Prints how many targets were met, and again those that were not.
    pub(crate) fn close(&self) {
        let all = self.met + self.missed.len();
        println!("peers: {} of {all} targets met", self.met);
        self.missed.iter().for_each(|missed| println!("peers: missed: {missed}"));
    }
}

/// Prints what has no target and helps to read what has.
pub(crate) fn note(words: impl fmt::Display) {
    println!("peers:   {words}");
}
