//! Finds vectors for word pieces whose sums come near to a model's vectors of whole sentences.

use crate::matrix::{Matrix, add};

/// How many steps the search takes; more bring less than the last digit that is kept.
const STEPS: usize = 12;
/// How strongly a piece holds on to the vector it began with: as if it had been seen this often with it.
const HOLD: f32 = 4.0;

/// A sentence: its pieces as rows, and how much each counts.
pub(crate) struct Bag {
    pub(crate) pieces: Vec<usize>,
    weight: f32,
}

impl Bag {
    /// Long sentences repeat themselves, so that their pieces count for less.
    pub(crate) fn new(pieces: Vec<usize>) -> Self {
        let weight = 1.0 / (pieces.len().max(1) as f32).sqrt();
        Self { pieces, weight }
    }
}

/// The vectors of sentences as sums of their pieces' vectors.
pub(crate) fn sums(bags: &[Bag], vectors: &Matrix) -> Matrix {
    let mut sums = Matrix::zeros(bags.len(), vectors.width);
    for (bag, sum) in bags.iter().zip(sums.rows_mut()) {
        bag.pieces.iter().for_each(|piece| add(sum, bag.weight, vectors.row(*piece)));
    }
    sums
}

/// What each piece is told by the sentences that it is in.
fn shares(bags: &[Bag], sentences: &Matrix, pieces: usize) -> Matrix {
    let mut shares = Matrix::zeros(pieces, sentences.width);
    for (bag, sentence) in bags.iter().zip(sentences.rows()) {
        bag.pieces.iter().for_each(|piece| add(shares.row_mut(*piece), bag.weight, sentence));
    }
    shares
}

/// Improves vectors by least squares with conjugate gradients, each column by itself.
pub(crate) fn fitted(bags: &[Bag], wanted: &Matrix, vectors: Matrix) -> Matrix {
    let pieces = vectors.rows().len();
    let mut missing = sums(bags, &vectors);
    for (missing, wanted) in missing.numbers.iter_mut().zip(&wanted.numbers) {
        *missing = wanted - *missing;
    }
    let mut rest = shares(bags, &missing, pieces);
    let mut direction = rest.clone();
    let mut found = vectors;
    let mut size = products(&rest, &rest);
    for _ in 0..STEPS {
        let mut change = shares(bags, &sums(bags, &direction), pieces);
        add(&mut change.numbers, HOLD, &direction.numbers);
        let step = ratios(&size, &products(&direction, &change));
        advance(&mut found, &step, 1.0, &direction);
        advance(&mut rest, &step, -1.0, &change);
        let next = products(&rest, &rest);
        let keep = ratios(&next, &size);
        for (direction, rest) in direction.rows_mut().zip(rest.rows()) {
            for ((direction, keep), rest) in direction.iter_mut().zip(&keep).zip(rest) {
                *direction = rest + keep * *direction;
            }
        }
        size = next;
    }
    found
}

/// The product of each column with the other's.
fn products(a: &Matrix, b: &Matrix) -> Vec<f64> {
    let mut products = vec![0.0; a.width];
    for (a, b) in a.rows().zip(b.rows()) {
        for ((product, a), b) in products.iter_mut().zip(a).zip(b) {
            *product += f64::from(a * b);
        }
    }
    products
}

fn ratios(above: &[f64], below: &[f64]) -> Vec<f32> {
    above.iter().zip(below).map(|(above, below)| (above / below.max(1e-30)) as f32).collect()
}

fn advance(matrix: &mut Matrix, steps: &[f32], sign: f32, direction: &Matrix) {
    for (row, direction) in matrix.rows_mut().zip(direction.rows()) {
        for ((number, step), direction) in row.iter_mut().zip(steps).zip(direction) {
            *number += sign * step * direction;
        }
    }
}
