//! The encoder: six layers of attention and feed-forward, then the mean over a text's pieces.
//!
//! Texts that are embedded together share the products of matrices, so that weights are read once for all
//! of them; attention stays within a text.

use std::ops::Range;
use std::sync::Arc;

use pulp::{Arch, Simd, WithSimd};
use serde::Deserialize;

use super::linear::Linear;
use super::math;
use super::tensors::{Tensors, WeightsError};

/// The numbers of the model's `config.json` that shape the encoder.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Shape {
    hidden_size: usize,
    intermediate_size: usize,
    num_hidden_layers: usize,
    num_attention_heads: usize,
    max_position_embeddings: usize,
    vocab_size: usize,
    layer_norm_eps: f32,
    hidden_act: String,
}

impl Shape {
    /// Says what cannot be computed about this shape.
    pub(super) fn problem(&self) -> Option<String> {
        // Far above any model of this kind; it keeps a broken file from asking for all memory.
        const LARGEST: usize = 1 << 20;
        let sides = [
            self.hidden_size,
            self.intermediate_size,
            self.num_hidden_layers,
            self.num_attention_heads,
            self.max_position_embeddings,
            self.vocab_size,
        ];
        if sides.iter().any(|side| !(1..LARGEST).contains(side)) {
            return Some("its sizes must be between 1 and a million".into());
        }
        if !self.hidden_size.is_multiple_of(self.num_attention_heads) {
            let Self { hidden_size, num_attention_heads, .. } = self;
            return Some(format!("hidden_size {hidden_size} is no multiple of {num_attention_heads} heads"));
        }
        (self.hidden_act != "gelu")
            .then(|| format!("hidden_act is `{}`; only gelu is known", self.hidden_act))
    }

    /// The most pieces that a text may have.
    pub(super) fn positions(&self) -> usize {
        self.max_position_embeddings
    }
}

/// An encoder with its weights.
pub(super) struct Encoder {
    arch: Arch,
    shape: Shape,
    words: Vec<f32>,
    /// The embedding of each position, with that of the first kind of text already added.
    positions: Vec<f32>,
    norm: Norm,
    layers: Vec<Layer>,
}

struct Layer {
    /// Query, key and value side by side.
    attention_in: Linear,
    attention_out: Linear,
    attention_norm: Norm,
    up: Linear,
    down: Linear,
    norm: Norm,
}

struct Norm {
    weights: Vec<f32>,
    bias: Vec<f32>,
    epsilon: f32,
}

impl Encoder {
    /// Reads the weights of an encoder of this shape.
    pub(super) fn read(tensors: &mut Tensors, shape: Shape) -> Result<Self, WeightsError> {
        let arch = Arch::new();
        let wide = shape.hidden_size;
        let words = tensors.read("embeddings.word_embeddings.weight", &[shape.vocab_size, wide])?;
        let positions = [shape.max_position_embeddings, wide];
        let mut positions = tensors.read("embeddings.position_embeddings.weight", &positions)?;
        let kinds = tensors.read("embeddings.token_type_embeddings.weight", &[2, wide])?;
        for position in positions.chunks_exact_mut(wide) {
            math::add(position, &kinds);
        }
        let norm = Norm::read(tensors, "embeddings.LayerNorm", &shape)?;
        let layers = (0..shape.num_hidden_layers).map(|index| Layer::read(arch, tensors, index, &shape));
        let layers = layers.collect::<Result<_, _>>()?;
        Ok(Self { arch, shape, words, positions, norm, layers })
    }

    /// The numbers in a vector.
    pub(super) fn width(&self) -> usize {
        self.shape.hidden_size
    }

    /// Embeds texts that are given as pieces; each vector has length 1.
    pub(super) fn embed(&self, texts: &[Vec<u32>]) -> Vec<Arc<[f32]>> {
        let spans = spans(texts);
        let mut rows = self.look_up(texts);
        for layer in &self.layers {
            rows = layer.apply(self.arch, &rows, &spans, &self.shape);
        }
        let width = self.width();
        spans.into_iter().map(|span| mean(within(&rows, span, width), width)).collect()
    }

    fn look_up(&self, texts: &[Vec<u32>]) -> Vec<f32> {
        let width = self.width();
        let mut rows = Vec::with_capacity(texts.iter().map(Vec::len).sum::<usize>() * width);
        for text in texts {
            for (piece, position) in text.iter().zip(self.positions.chunks_exact(width)) {
                let word = within(&self.words, *piece as usize..*piece as usize + 1, width);
                rows.extend(position.iter().zip(word).map(|(position, word)| position + word));
            }
        }
        self.norm.apply(self.arch, &mut rows);
        rows
    }
}

impl Layer {
    fn read(arch: Arch, tensors: &mut Tensors, index: usize, shape: &Shape) -> Result<Self, WeightsError> {
        let (wide, inner) = (shape.hidden_size, shape.intermediate_size);
        let name = |part: &str| format!("encoder.layer.{index}.{part}");
        let mut weights = Vec::with_capacity(3 * wide * wide);
        let mut bias = Vec::with_capacity(3 * wide);
        for part in ["query", "key", "value"].map(|part| name(&format!("attention.self.{part}"))) {
            weights.extend(tensors.read(&format!("{part}.weight"), &[wide, wide])?);
            bias.extend(tensors.read(&format!("{part}.bias"), &[wide])?);
        }
        let mut linear = |part: &str, inputs: usize, outputs: usize| {
            let weights = tensors.read(&name(&format!("{part}.dense.weight")), &[outputs, inputs])?;
            let bias = tensors.read(&name(&format!("{part}.dense.bias")), &[outputs])?;
            Ok(Linear::new(arch, &weights, bias, inputs))
        };
        Ok(Self {
            attention_in: Linear::new(arch, &weights, bias, wide),
            attention_out: linear("attention.output", wide, wide)?,
            up: linear("intermediate", wide, inner)?,
            down: linear("output", inner, wide)?,
            attention_norm: Norm::read(tensors, &name("attention.output.LayerNorm"), shape)?,
            norm: Norm::read(tensors, &name("output.LayerNorm"), shape)?,
        })
    }

    fn apply(&self, arch: Arch, rows: &[f32], spans: &[Range<usize>], shape: &Shape) -> Vec<f32> {
        let asked = self.attention_in.apply(rows);
        let mut found = vec![0.0; rows.len()];
        arch.dispatch(Attend { asked: &asked, found: &mut found, spans, shape });
        let mut middle = self.attention_out.apply(&found);
        self.attention_norm.apply_to_sum(arch, &mut middle, rows);
        let mut inner = self.up.apply(&middle);
        arch.dispatch(Gelu(&mut inner));
        let mut out = self.down.apply(&inner);
        self.norm.apply_to_sum(arch, &mut out, &middle);
        out
    }
}

impl Norm {
    fn read(tensors: &mut Tensors, name: &str, shape: &Shape) -> Result<Self, WeightsError> {
        Ok(Self {
            weights: tensors.read(&format!("{name}.weight"), &[shape.hidden_size])?,
            bias: tensors.read(&format!("{name}.bias"), &[shape.hidden_size])?,
            epsilon: shape.layer_norm_eps,
        })
    }

    fn apply(&self, arch: Arch, rows: &mut [f32]) {
        arch.dispatch(Normalise { norm: self, rows });
    }

    fn apply_to_sum(&self, arch: Arch, rows: &mut [f32], others: &[f32]) {
        math::add(rows, others);
        self.apply(arch, rows);
    }
}

// What is dispatched is written as types and not as closures: closures are not sure to be inlined, and then
// keep the instructions of the oldest processor.

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

struct Gelu<'a>(&'a mut [f32]);

impl WithSimd for Gelu<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        math::gelu(self.0);
    }
}

struct Attend<'a> {
    asked: &'a [f32],
    found: &'a mut [f32],
    spans: &'a [Range<usize>],
    shape: &'a Shape,
}

impl WithSimd for Attend<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let width = self.shape.hidden_size;
        for span in self.spans {
            let asked = within(self.asked, span.clone(), 3 * width);
            let found = self.found.get_mut(span.start * width..span.end * width);
            attend(asked, found.unwrap_or_default(), self.shape);
        }
    }
}

/// Attention within one text: each piece takes from all others what its heads ask for.
#[inline(always)]
fn attend(asked: &[f32], found: &mut [f32], shape: &Shape) {
    let width = shape.hidden_size;
    let head = width / shape.num_attention_heads;
    let count = found.len() / width;
    let mut keys = vec![0.0; count * head];
    let mut scores = vec![0.0; count];
    let scale = 1.0 / (head as f32).sqrt();
    let part = |row: usize, start: usize| {
        let start = row * 3 * width + start;
        asked.get(start..start + head).unwrap_or_default()
    };
    for start in (0..width).step_by(head) {
        // With the keys turned, the scores against all of them are computed side by side.
        for row in 0..count {
            let key = part(row, width + start);
            for (keys, key) in keys.chunks_exact_mut(count).zip(key) {
                keys.get_mut(row).into_iter().for_each(|place| *place = *key);
            }
        }
        for row in 0..count {
            scores.fill(0.0);
            for (keys, query) in keys.chunks_exact(count).zip(part(row, start)) {
                math::add_scaled(&mut scores, query * scale, keys);
            }
            math::softmax(&mut scores);
            let place = row * width + start;
            let found = found.get_mut(place..place + head).unwrap_or_default();
            for (other, share) in scores.iter().enumerate() {
                math::add_scaled(found, *share, part(other, 2 * width + start));
            }
        }
    }
}

/// The mean of rows, of length 1.
fn mean(rows: &[f32], width: usize) -> Arc<[f32]> {
    let mut mean = vec![0.0; width];
    for row in rows.chunks_exact(width) {
        math::add(&mut mean, row);
    }
    let length = math::sum(&mean, |number| number * number).sqrt();
    mean.into_iter().map(|number| number / length).collect()
}

/// Which rows belong to each text.
fn spans(texts: &[Vec<u32>]) -> Vec<Range<usize>> {
    let ends = texts.iter().scan(0, |end, text| {
        *end += text.len();
        Some(*end)
    });
    ends.zip(texts).map(|(end, text)| end - text.len()..end).collect()
}

/// Some of the rows of a matrix.
fn within(rows: &[f32], span: Range<usize>, width: usize) -> &[f32] {
    rows.get(span.start * width..span.end * width).unwrap_or_default()
}
