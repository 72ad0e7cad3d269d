//! The agents' meanings as one matrix, and the pass over it.
//!
//! Rows lie one after the other, so that a pass reads memory in order, with the widest vectors that the processor
//! has.

use candor_planning::routing::{self, RoutingProblem};
use pulp::{Arch, Simd, WithSimd};

use super::hubness::Hubness;

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
    /// How near past queries came to each agent.
    hubness: Hubness,
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
        Self { dimensions, rows, offsets: Vec::with_capacity(agents), hubness: Hubness::default() }
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
        let mut similarities = self.hubness.corrected(&self.offsets);
        Arch::new().dispatch(Pass { meaning: self, task: &task, similarities: &mut similarities });
        let (mean, spread) = mean_and_spread(&similarities);
        for similarity in &mut similarities {
            if similarity.is_nan() {
                *similarity = mean as f32;
            }
        }
        Ok(Nearness { similarities, spread })
    }
}

impl Meaning {
    /// Takes note of a query, whoever it is for; `successes` are how many tasks each agent's meaning rests on.
    pub(super) fn note(&mut self, query: &[f32], successes: &[usize]) {
        let Ok(query) = routing::unit(query) else { return };
        if query.len() != self.dimensions {
            return;
        }
        let mut similarities = self.offsets.clone();
        Arch::new().dispatch(Pass { meaning: self, task: &query, similarities: &mut similarities });
        self.hubness.note(&similarities, successes);
    }
}

/// The pass over all rows. It is a type and not a closure, so that all of it is compiled for the processor's vectors.
struct Pass<'a> {
    meaning: &'a Meaning,
    task: &'a [f32],
    /// Before it, the offsets.
    similarities: &'a mut [f32],
}

impl WithSimd for Pass<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let rows = self.meaning.rows.chunks_exact(self.meaning.dimensions.max(1));
        for (similarity, row) in self.similarities.iter_mut().zip(rows) {
            // What is not a number stays it.
            if !similarity.is_nan() {
                *similarity = (wide_dot(simd, row, self.task) + *similarity).min(1.0);
            }
        }
    }
}

/// The dot product in four sums side by side: one would wait for itself.
#[inline(always)]
fn wide_dot<S: Simd>(simd: S, a: &[f32], b: &[f32]) -> f32 {
    let ((a, a_rest), (b, b_rest)) = (S::as_simd_f32s(a), S::as_simd_f32s(b));
    let ((a, a_few), (b, b_few)) = (a.as_chunks::<4>(), b.as_chunks::<4>());
    let mut sums = [simd.splat_f32s(0.0); 4];
    for (a, b) in a.iter().zip(b) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum = simd.mul_add_e_f32s(*a, *b, *sum);
        }
    }
    let [mut first, second, third, fourth] = sums;
    for (a, b) in a_few.iter().zip(b_few) {
        first = simd.mul_add_e_f32s(*a, *b, first);
    }
    let sums = simd.add_f32s(simd.add_f32s(first, second), simd.add_f32s(third, fourth));
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    simd.reduce_sum_f32s(sums) + rest
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

/// The dot product of two vectors of the same length, for the few that are needed before any task comes.
pub(super) fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
