//! How each criterion is measured. Where there is nothing to measure there is no figure.

/// A part of a whole, from 0 to 1; nothing of an empty whole.
fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part.min(whole) as f64 / whole as f64)
}

/// One less the distance between two figures, as a part of `scale`; at least 0.
fn closeness(one: f64, other: f64, scale: f64) -> Option<f64> {
    let close = 1.0 - (one - other).abs() / scale;
    (scale > 0.0 && close.is_finite()).then(|| close.clamp(0.0, 1.0))
}

/// How many of the detected keywords were used later.
#[must_use]
pub fn keyword_precision(used: u64, detected: u64) -> Option<f64> {
    share(used, detected)
}

/// How many of the loaded items were cited later.
#[must_use]
pub fn context_relevance(cited: u64, loaded: u64) -> Option<f64> {
    share(cited, loaded)
}

/// How many of the loaded tokens were cited later.
#[must_use]
pub fn token_efficiency(cited: u64, loaded: u64) -> Option<f64> {
    share(cited, loaded)
}

/// How many subtasks are small enough in every respect.
#[must_use]
pub fn decomposition_quality(atomic: u64, subtasks: u64) -> Option<f64> {
    share(atomic, subtasks)
}

/// How many of the high-level tasks the plan covers.
#[must_use]
pub fn plan_completeness(covered: u64, tasks: u64) -> Option<f64> {
    share(covered, tasks)
}

/// How many subtasks succeeded.
#[must_use]
pub fn execution_success(succeeded: u64, subtasks: u64) -> Option<f64> {
    share(succeeded, subtasks)
}

/// How many of the criteria were checked.
#[must_use]
pub fn validation_thoroughness(checked: u64, defined: u64) -> Option<f64> {
    share(checked, defined)
}

/// How close what was used is to what was allowed.
#[must_use]
pub fn budget_accuracy(budgeted: f64, used: f64) -> Option<f64> {
    closeness(budgeted, used, budgeted)
}

/// How close the predicted complexity was to the actual one, both from 0 to 100.
#[must_use]
pub fn complexity_calibration(predicted: f64, actual: f64) -> Option<f64> {
    closeness(predicted, actual, 100.0)
}

/// How close the confidence, from 0 to 100, was to the success, from 0 to 1.
#[must_use]
pub fn confidence_accuracy(confidence: f64, success: f64) -> Option<f64> {
    closeness(confidence / 100.0, success, 1.0)
}

/// The judged quality of what was made, from 0 to 100, as a part of 1; nothing if nobody judged it.
#[must_use]
pub fn artifact_quality(quality: Option<u8>) -> Option<f64> {
    quality.map(|quality| f64::from(quality.min(100)) / 100.0)
}

/// How much there really was to a run, from 0 to 100, by what it took.
///
/// Each of the figures counts for what a demanding run takes at most; more than that counts no more.
#[must_use]
pub fn actual_complexity(effort: &Effort) -> f64 {
    let of = |part: u64, most: u64| (part as f64 / most as f64).min(1.0);
    let parts = [
        of(effort.tokens, 10_000),
        of(effort.files, 10),
        of(effort.subtasks, 15),
        of(effort.repetitions, 5),
        of(effort.seconds, 300),
    ];
    parts.iter().sum::<f64>() / parts.len() as f64 * 100.0
}

/// What a run took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Effort {
    /// Tokens that models used.
    pub tokens: u64,
    /// Files that were changed.
    pub files: u64,
    /// Subtasks that were carried out.
    pub subtasks: u64,
    /// Attempts beyond the first, and refinements of phases.
    pub repetitions: u64,
    /// How long it took.
    pub seconds: u64,
}
