//! Rows of numbers, and the little algebra that is done with them.
//!
//! Everything is summed in one fixed order on one thread, so that the same numbers come out each time.

/// Rows of equal width, one after the other.
#[derive(Clone)]
pub(crate) struct Matrix {
    pub(crate) width: usize,
    pub(crate) numbers: Vec<f32>,
}

impl Matrix {
    pub(crate) fn zeros(rows: usize, width: usize) -> Self {
        Self { width, numbers: vec![0.0; rows * width] }
    }

    pub(crate) fn of(rows: &[candor_ports::Vector], width: usize) -> Self {
        Self { width, numbers: rows.iter().flat_map(|row| row.iter().copied()).collect() }
    }

    pub(crate) fn rows(&self) -> impl ExactSizeIterator<Item = &[f32]> {
        self.numbers.chunks_exact(self.width)
    }

    pub(crate) fn rows_mut(&mut self) -> impl ExactSizeIterator<Item = &mut [f32]> {
        self.numbers.chunks_exact_mut(self.width)
    }

    pub(crate) fn row(&self, index: usize) -> &[f32] {
        self.numbers.get(index * self.width..(index + 1) * self.width).unwrap_or_default()
    }

    pub(crate) fn row_mut(&mut self, index: usize) -> &mut [f32] {
        self.numbers.get_mut(index * self.width..(index + 1) * self.width).unwrap_or_default()
    }

    /// Takes the mean of all rows away from each.
    pub(crate) fn centre(&mut self) {
        let count = self.rows().len().max(1) as f64;
        let mut mean = vec![0.0f64; self.width];
        for row in self.rows() {
            mean.iter_mut().zip(row).for_each(|(mean, number)| *mean += f64::from(*number) / count);
        }
        for row in self.rows_mut() {
            row.iter_mut().zip(&mean).for_each(|(number, mean)| *number -= *mean as f32);
        }
    }

    /// How many times larger another matrix must be made to come nearest to this one.
    pub(crate) fn scale_of(&self, other: &Self) -> f32 {
        let product = |a: &Self, b: &Self| -> f64 {
            a.numbers.iter().zip(&b.numbers).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
        };
        (product(self, other) / product(other, other).max(f64::MIN_POSITIVE)) as f32
    }
}

/// Adds scaled numbers to numbers.
pub(crate) fn add(sum: &mut [f32], scale: f32, numbers: &[f32]) {
    for (sum, number) in sum.iter_mut().zip(numbers) {
        *sum += scale * number;
    }
}

/// Evens out the directions of the rows: what many rows share counts less, what few have counts more.
///
/// Multiplies by the fourth root of the inverse of their covariance, which is half way to no direction
/// mattering more than another. Directions with next to nothing in them are left as they are.
pub(crate) fn evened(rows: &Matrix) -> Matrix {
    const FLOOR: f64 = 3e-4;
    let mut covariance = Square::covariance(rows);
    covariance.scale(1.0 / covariance.norm().max(f64::MIN_POSITIVE));
    covariance.add_to_diagonal(FLOOR);
    covariance.scale(1.0 / (1.0 + FLOOR));
    let (root, _) = covariance.roots();
    let (_, evening) = root.roots();
    let mut evened = Matrix::zeros(rows.rows().len(), rows.width);
    for (row, to) in rows.rows().zip(evened.rows_mut()) {
        for (number, weights) in row.iter().zip(evening.rows()) {
            for (to, weight) in to.iter_mut().zip(weights) {
                *to += number * *weight as f32;
            }
        }
    }
    evened
}

/// A square matrix in double precision.
#[derive(Clone)]
struct Square {
    side: usize,
    numbers: Vec<f64>,
}

impl Square {
    fn zeros(side: usize) -> Self {
        Self { side, numbers: vec![0.0; side * side] }
    }

    fn covariance(rows: &Matrix) -> Self {
        let mut centred = rows.clone();
        centred.centre();
        let mut covariance = Self::zeros(rows.width);
        for row in centred.rows() {
            for (number, sums) in row.iter().zip(covariance.rows_mut()) {
                for (sum, other) in sums.iter_mut().zip(row) {
                    *sum += f64::from(number * other);
                }
            }
        }
        covariance
    }

    fn rows(&self) -> impl Iterator<Item = &[f64]> {
        self.numbers.chunks_exact(self.side)
    }

    fn rows_mut(&mut self) -> impl Iterator<Item = &mut [f64]> {
        self.numbers.chunks_exact_mut(self.side)
    }

    fn norm(&self) -> f64 {
        self.numbers.iter().map(|number| number * number).sum::<f64>().sqrt()
    }

    fn scale(&mut self, by: f64) {
        self.numbers.iter_mut().for_each(|number| *number *= by);
    }

    fn add_to_diagonal(&mut self, number: f64) {
        self.numbers.iter_mut().step_by(self.side + 1).for_each(|entry| *entry += number);
    }

    fn times(&self, other: &Self) -> Self {
        let mut product = Self::zeros(self.side);
        for (row, to) in self.rows().zip(product.rows_mut()) {
            for (factor, from) in row.iter().zip(other.rows()) {
                to.iter_mut().zip(from).for_each(|(to, from)| *to += factor * from);
            }
        }
        product
    }

    /// The square root and its inverse, by Newton's and Schulz's iteration, of a symmetric matrix that
    /// stretches nothing and flattens nothing by more than a few thousand times.
    fn roots(&self) -> (Self, Self) {
        const STEPS: usize = 24;
        let (mut root, mut inverse) = (self.clone(), Self::zeros(self.side));
        inverse.add_to_diagonal(1.0);
        for _ in 0..STEPS {
            let mut step = inverse.times(&root);
            step.scale(-0.5);
            step.add_to_diagonal(1.5);
            root = root.times(&step);
            inverse = step.times(&inverse);
        }
        (root, inverse)
    }
}
