//! The agents' meanings as one matrix, and the pass over it.
//!
//! Rows lie one after the other, so that a pass reads memory in order; the sums are kept in lanes, which the
//! compiler turns into vector instructions.

use candor_planning::routing::{self, RoutingProblem};

/// How many sums run side by side in a dot product.
const LANES: usize = 16;

/// How many agents the assumed spread of similarities weighs as much as: few agents say little about it.
const ASSUMED_AGENTS: f64 = 4.0;
const ASSUMED_SPREAD: f64 = 0.1;

/// One row per agent: what its description and its successes mean.
#[derive(Debug, Clone)]
pub(super) struct Meaning {
    dimensions: usize,
    rows: Vec<f32>,
    /// What is added to a row's dot product; not a number for an agent of unknown meaning.
    offsets: Vec<f32>,
}

/// How close each agent's meaning is to a task's.
#[derive(Debug)]
pub(super) struct Nearness {
    /// In the registry's order.
    pub(super) similarities: Vec<f32>,
    /// How far the similarities are from each other.
    pub(super) spread: f64,
}

impl Meaning {
    /// A matrix without rows.
    pub(super) fn new(dimensions: usize, agents: usize) -> Self {
        let rows = Vec::with_capacity(dimensions.saturating_mul(agents));
        Self { dimensions, rows, offsets: Vec::with_capacity(agents) }
    }

    /// Adds the next agent's row; without one its meaning is unknown.
    pub(super) fn push(&mut self, row: Option<(&[f32], f32)>) {
        let (row, offset) = row.unwrap_or((&[], f32::NAN));
        self.rows.extend(row.iter().chain(std::iter::repeat(&0.0)).take(self.dimensions));
        self.offsets.push(offset);
    }

    /// Compares a task with everyone. An agent of unknown meaning counts as an average one, so that words
    /// alone decide about it.
    pub(super) fn compare(&self, task: &[f32]) -> Result<Nearness, RoutingProblem> {
        if task.len() != self.dimensions {
            return Err(RoutingProblem::UnequalDimensions { left: task.len(), right: self.dimensions });
        }
        let task = routing::unit(task)?;
        let rows = self.rows.chunks_exact(self.dimensions.max(1));
        let similarity = |(row, offset): (&[f32], &f32)| (dot(row, &task) + offset).min(1.0);
        let mut similarities: Vec<f32> = rows
            .zip(&self.offsets)
            .map(|(row, offset)| if offset.is_nan() { f32::NAN } else { similarity((row, offset)) })
            .collect();
        let (mean, spread) = mean_and_spread(&similarities);
        for similarity in &mut similarities {
            if similarity.is_nan() {
                *similarity = mean as f32;
            }
        }
        Ok(Nearness { similarities, spread })
    }
}

/// The mean of the known similarities, and how far they are from it.
fn mean_and_spread(similarities: &[f32]) -> (f64, f64) {
    let (mut count, mut sum, mut squares) = (0.0, 0.0, 0.0);
    for similarity in similarities.iter().copied().filter(|similarity| !similarity.is_nan()).map(f64::from) {
        count += 1.0;
        sum += similarity;
        squares += similarity * similarity;
    }
    let mean = if count > 0.0 { sum / count } else { 0.0 };
    let deviations = (squares - sum * mean).max(0.0);
    let assumed = ASSUMED_AGENTS * ASSUMED_SPREAD * ASSUMED_SPREAD;
    (mean, ((deviations + assumed) / (count + ASSUMED_AGENTS)).sqrt())
}

/// The dot product of two vectors of the same length.
pub(super) fn dot(a: &[f32], b: &[f32]) -> f32 {
    let (a_lanes, a_rest) = a.as_chunks::<LANES>();
    let (b_lanes, b_rest) = b.as_chunks::<LANES>();
    let mut sums = [0.0f32; LANES];
    for (a, b) in a_lanes.iter().zip(b_lanes) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum += a * b;
        }
    }
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f32>() + rest
}
