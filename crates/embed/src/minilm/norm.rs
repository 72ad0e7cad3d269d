//! The norm after each half of a layer, with its weights.

use pulp::{Arch, Simd, WithSimd};

use super::math;
use super::shape::Shape;
use super::tensors::{Tensors, WeightsError};

/// Scales each row to mean 0 and variance 1, then by weights and a bias.
pub(super) struct Norm {
    weights: Vec<f32>,
    bias: Vec<f32>,
    epsilon: f32,
}

impl Norm {
    /// Reads the weights of a norm.
    pub(super) fn read(tensors: &mut Tensors, name: &str, shape: &Shape) -> Result<Self, WeightsError> {
        Ok(Self {
            weights: tensors.read(&format!("{name}.weight"), &[shape.hidden_size])?,
            bias: tensors.read(&format!("{name}.bias"), &[shape.hidden_size])?,
            epsilon: shape.layer_norm_eps,
        })
    }

    /// Normalises each row.
    pub(super) fn apply(&self, arch: Arch, rows: &mut [f32]) {
        arch.dispatch(Normalise { norm: self, rows });
    }
}

struct Normalise<'a> {
    norm: &'a Norm,
    rows: &'a mut [f32],
}

impl WithSimd for Normalise<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Norm { weights, bias, epsilon } = self.norm;
        for row in self.rows.chunks_exact_mut(weights.len()) {
            math::normalise(row, weights, bias, *epsilon);
        }
    }
}
