//! A part of a layer: what one thread computes of it without asking the others.
//!
//! A part owns some of the attention's heads and some of the inner width, so attention and GELU stay within
//! it. Both halves of a layer end in sums over all heads, or over all of the inner width; a part has its own
//! summands of each. The first part also adds the biases of these sums.

use std::ops::Range;

use pulp::{Arch, Simd, WithSimd};

use super::attention::Heads;
use super::linear::Linear;
use super::math;
use super::shape::Shape;
use super::tensors::{Tensors, WeightsError};

/// A part of a layer.
pub(super) struct Part {
    arch: Arch,
    heads: Heads,
    /// The part's queries, keys and values side by side.
    attention_in: Linear,
    attention_out: Linear,
    up: Linear,
    down: Linear,
}

/// What a thread computes on its way, kept so that memory is asked for once.
#[derive(Default)]
pub(super) struct Scratch {
    turned: Vec<f32>,
    wide: Vec<f32>,
    found: Vec<f32>,
}

impl Part {
    /// What the part's heads find in the texts, as its summands of the attention's output.
    pub(super) fn attend(
        &self,
        rows: &[f32],
        spans: &[Range<usize>],
        scratch: &mut Scratch,
        out: &mut Vec<f32>,
    ) {
        let Scratch { turned, wide, found } = scratch;
        self.attention_in.apply(rows, turned, wide);
        self.heads.attend(self.arch, wide, spans, found);
        self.attention_out.apply(found, turned, out);
    }

    /// The part's summands of the feed-forward's output.
    pub(super) fn feed(&self, rows: &[f32], scratch: &mut Scratch, out: &mut Vec<f32>) {
        let Scratch { turned, wide, .. } = scratch;
        self.up.apply(rows, turned, wide);
        self.arch.dispatch(Gelu(wide));
        self.down.apply(wide, turned, out);
    }
}

// What is dispatched is written as types and not as closures: closures are not sure to be inlined, and then
// keep the instructions of the oldest processor.

struct Gelu<'a>(&'a mut [f32]);

impl WithSimd for Gelu<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        math::gelu(self.0);
    }
}

/// The linear layers of a layer before they are cut into parts.
pub(super) struct Whole {
    query: Weights,
    key: Weights,
    value: Weights,
    attention_out: Weights,
    up: Weights,
    down: Weights,
}

/// One row of inputs for each output, and a bias.
struct Weights {
    rows: Vec<f32>,
    bias: Vec<f32>,
    inputs: usize,
}

impl Whole {
    /// Reads the linear layers of the layer of this name.
    pub(super) fn read(tensors: &mut Tensors, name: &str, shape: &Shape) -> Result<Self, WeightsError> {
        let (wide, inner) = (shape.hidden_size, shape.intermediate_size);
        let mut read = |part: &str, inputs: usize, outputs: usize| {
            let rows = tensors.read(&format!("{name}.{part}.weight"), &[outputs, inputs])?;
            let bias = tensors.read(&format!("{name}.{part}.bias"), &[outputs])?;
            Ok(Weights { rows, bias, inputs })
        };
        Ok(Self {
            query: read("attention.self.query", wide, wide)?,
            key: read("attention.self.key", wide, wide)?,
            value: read("attention.self.value", wide, wide)?,
            attention_out: read("attention.output.dense", wide, wide)?,
            up: read("intermediate.dense", wide, inner)?,
            down: read("output.dense", inner, wide)?,
        })
    }

    /// One of so many parts, of about equal size.
    pub(super) fn part(&self, arch: Arch, shape: &Shape, index: usize, parts: usize) -> Part {
        let share = |total: usize| total * index / parts..total * (index + 1) / parts;
        let (heads, inner) = (share(shape.num_attention_heads), share(shape.intermediate_size));
        let size = shape.head();
        let wide = heads.start * size..heads.end * size;
        let asked = [&self.query, &self.key, &self.value].map(|weights| weights.outputs(wide.clone()));
        let linear = |weights: Weights| Linear::new(arch, &weights.rows, weights.bias, weights.inputs);
        let first = index == 0;
        Part {
            arch,
            heads: Heads { count: heads.len(), size },
            attention_in: linear(Weights::stacked(&asked)),
            attention_out: linear(self.attention_out.inputs(wide, first)),
            up: linear(self.up.outputs(inner.clone())),
            down: linear(self.down.inputs(inner, first)),
        }
    }
}

impl Weights {
    /// The weights of some outputs.
    fn outputs(&self, outputs: Range<usize>) -> Self {
        let rows = outputs.start * self.inputs..outputs.end * self.inputs;
        Self {
            rows: self.rows.get(rows).unwrap_or_default().to_vec(),
            bias: self.bias.get(outputs).unwrap_or_default().to_vec(),
            inputs: self.inputs,
        }
    }

    /// The weights of some inputs, with or without the bias.
    fn inputs(&self, inputs: Range<usize>, with_bias: bool) -> Self {
        let rows = self.rows.chunks_exact(self.inputs);
        let rows = rows.flat_map(|row| row.get(inputs.clone()).unwrap_or_default());
        let bias = self.bias.iter().map(|bias| if with_bias { *bias } else { 0.0 });
        Self { rows: rows.copied().collect(), bias: bias.collect(), inputs: inputs.len() }
    }

    /// Outputs of the same inputs, one after the other.
    fn stacked(weights: &[Self; 3]) -> Self {
        let [Self { inputs, .. }, ..] = *weights;
        let rows = weights.iter().flat_map(|weights| &weights.rows).copied().collect();
        let bias = weights.iter().flat_map(|weights| &weights.bias).copied().collect();
        Self { rows, bias, inputs }
    }
}
