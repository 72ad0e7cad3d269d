//! What past outcomes teach about how far confidence can be trusted.
//!
//! Owns the correction that follows from the history of plan outcomes. It refuses to correct
//! anything on fewer than ten outcomes, and to name a correlation where none is defined.

use std::borrow::Borrow;

use candor_model::{CalibrationMetrics, Confidence, PlanOutcome, Share};
use serde::Serialize;
use statrs::distribution::{ContinuousCDF, StudentsT};

const MIN_OUTCOMES: u32 = 10;
const HIGH_CONFIDENCE: f64 = 0.8;
const LOW_CONFIDENCE: f64 = 0.5;
const TOLERATED_RATE: f64 = 0.15;
const CORRECTION_PER_RATE: f64 = 0.1;

/// Corrects a raw confidence by what past outcomes teach.
#[must_use]
pub fn adjust(raw: Confidence, metrics: &CalibrationMetrics) -> Confidence {
    if metrics.sample_size < MIN_OUTCOMES {
        return raw;
    }
    let over = metrics.over_confidence_rate.get();
    let under = metrics.under_confidence_rate.get();
    if over > TOLERATED_RATE && raw.get() > HIGH_CONFIDENCE {
        raw.shifted(-CORRECTION_PER_RATE * over)
    } else if under > TOLERATED_RATE && raw.get() < LOW_CONFIDENCE {
        raw.shifted(CORRECTION_PER_RATE * under)
    } else {
        raw
    }
}

/// Measures how well confidence foretold success.
#[must_use]
pub fn metrics<T: Borrow<PlanOutcome>>(outcomes: &[T]) -> CalibrationMetrics {
    let correlation = correlation(outcomes);
    CalibrationMetrics {
        correlation,
        over_confidence_rate: rate(outcomes, |sure| sure > HIGH_CONFIDENCE, false),
        under_confidence_rate: rate(outcomes, |sure| sure < LOW_CONFIDENCE, true),
        sample_size: u32::try_from(outcomes.len()).unwrap_or(u32::MAX),
        p_value: correlation.and_then(|r| p_value(r, outcomes.len())),
    }
}

/// How plans of about the same confidence ended.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Band {
    /// The lowest confidence in it.
    pub from: f64,
    /// The confidence below which it ends; the last band includes it.
    pub to: f64,
    /// How many plans it has.
    pub runs: usize,
    /// Mean of the confidences that the plans had before they ran, from 0 to 1.
    pub predicted: f64,
    /// The share of them that succeeded.
    pub actual: f64,
}

/// The edges of the bands: the documents' thresholds for approval and for high confidence are among them.
const BANDS: [f64; 6] = [0.0, 0.3, 0.5, 0.65, 0.8, 1.0];

/// Predicted against actual success, by bands of confidence; bands without plans are absent.
#[must_use]
pub fn bands<T: Borrow<PlanOutcome>>(outcomes: &[T]) -> Vec<Band> {
    let band = |edges: &[f64]| {
        let &[from, to] = edges else { return None };
        let in_band = |confidence: f64| confidence >= from && (confidence < to || to >= 1.0);
        let plans = outcomes.iter().map(T::borrow).filter(|outcome| in_band(outcome.confidence_score.get()));
        let (runs, sure, good) = plans.fold((0_usize, 0.0, 0_usize), |(runs, sure, good), outcome| {
            (runs + 1, sure + outcome.confidence_score.get(), good + usize::from(outcome.success))
        });
        let mean = |sum: f64| sum / runs as f64;
        (runs > 0).then(|| Band { from, to, runs, predicted: mean(sure), actual: mean(good as f64) })
    };
    BANDS.windows(2).filter_map(band).collect()
}

/// The share of outcomes that ended with `success` among those whose confidence is `in_band`.
fn rate<T: Borrow<PlanOutcome>>(outcomes: &[T], in_band: fn(f64) -> bool, success: bool) -> Share {
    let all = || outcomes.iter().map(T::borrow);
    let band = || all().filter(|outcome| in_band(outcome.confidence_score.get()));
    match band().count() {
        // `Share::of` takes all of nothing for the whole; here nothing is no evidence.
        0 => Share::NONE,
        whole => Share::of(band().filter(|outcome| outcome.success == success).count(), whole),
    }
}

/// Pearson's r between confidence and success; none where one of the two never varies.
fn correlation<T: Borrow<PlanOutcome>>(outcomes: &[T]) -> Option<f64> {
    let pairs = || {
        outcomes
            .iter()
            .map(T::borrow)
            .map(|outcome| (outcome.confidence_score.get(), f64::from(u8::from(outcome.success))))
    };
    let (first_x, first_y) = pairs().next()?;
    // Compared value by value: rounding in a mean could make constant data seem to vary.
    if pairs().all(|(x, _)| x == first_x) || pairs().all(|(_, y)| y == first_y) {
        return None;
    }
    let count = outcomes.len() as f64;
    let (sum_x, sum_y) = pairs().fold((0.0, 0.0), |(sum_x, sum_y), (x, y)| (sum_x + x, sum_y + y));
    let (mean_x, mean_y) = (sum_x / count, sum_y / count);
    let (xy, xx, yy) = pairs().fold((0.0, 0.0, 0.0), |(xy, xx, yy), (x, y)| {
        let (dx, dy) = (x - mean_x, y - mean_y);
        (xy + dx * dy, xx + dx * dx, yy + dy * dy)
    });
    let r = xy / (xx * yy).sqrt();
    r.is_finite().then(|| r.clamp(-1.0, 1.0))
}

/// How likely an r at least as far from zero is without any relation: two-sided, by Student's t.
fn p_value(r: f64, count: usize) -> Option<f64> {
    // Two points always lie on a line, so their r says nothing.
    let freedom = count.checked_sub(2).filter(|&freedom| freedom > 0)? as f64;
    let unexplained = 1.0 - r * r;
    if unexplained <= f64::EPSILON {
        return Some(0.0);
    }
    let t = r.abs() * (freedom / unexplained).sqrt();
    let distribution = StudentsT::new(0.0, 1.0, freedom).ok()?;
    Some((2.0 * distribution.sf(t)).clamp(0.0, 1.0))
}
