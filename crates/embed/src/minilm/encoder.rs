//! The encoder: six layers of attention and feed-forward, then the mean over a text's pieces.
//!
//! Texts that are embedded together share the products of matrices, so that weights are read once for all
//! of them; attention stays within a text.
//!
//! Each layer is cut into parts ([`super::part`]). One thread may compute all parts, or as many threads as
//! there are parts one each ([`super::company`]), which then give each other their sums twice in a layer
//! ([`super::exchange`]). Either way the sums are added in the same order: the vectors are the same to the last
//! bit.

use std::ops::Range;
use std::sync::Arc;

use pulp::Arch;

use super::all_reduce::{AllReduce, Seat};
use super::norm::Norm;
use super::part::{Part, Scratch, Whole};
use super::shape::Shape;
use super::tensors::{Tensors, WeightsError};
use super::thread_pool::{Job, ThreadPool};
use super::{math, within};

/// An encoder with its weights.
pub(super) struct Encoder {
    arch: Arch,
    width: usize,
    words: Vec<f32>,
    /// The embedding of each position, with that of the first kind of text already added.
    positions: Vec<f32>,
    norm: Norm,
    layers: Vec<Layer>,
    parts: usize,
}

struct Layer {
    parts: Vec<Part>,
    attention_norm: Norm,
    norm: Norm,
}

impl Encoder {
    /// Reads the weights of an encoder of this shape and cuts them into so many parts, or one for each head.
    pub(super) fn read(tensors: &mut Tensors, shape: &Shape, parts: usize) -> Result<Self, WeightsError> {
        let arch = Arch::new();
        let width = shape.hidden_size;
        let words = tensors.read("embeddings.word_embeddings.weight", &[shape.vocab_size, width])?;
        let positions = [shape.max_position_embeddings, width];
        let mut positions = tensors.read("embeddings.position_embeddings.weight", &positions)?;
        let kinds = tensors.read("embeddings.token_type_embeddings.weight", &[2, width])?;
        for position in positions.chunks_exact_mut(width) {
            math::add(position, &kinds);
        }
        let norm = Norm::read(tensors, "embeddings.LayerNorm", shape)?;
        let parts = parts.clamp(1, shape.num_attention_heads);
        let layers =
            (0..shape.num_hidden_layers).map(|index| Layer::read(arch, tensors, index, shape, parts));
        let layers = layers.collect::<Result<_, _>>()?;
        Ok(Self { arch, width, words, positions, norm, layers, parts })
    }

    /// The numbers in a vector.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// How many parts each layer has.
    pub(super) fn parts(&self) -> usize {
        self.parts
    }

    /// Embeds texts that are given as pieces, on this thread; each vector has length 1.
    pub(super) fn embed(&self, texts: &[Vec<u32>]) -> Vec<Arc<[f32]>> {
        let (rows, spans) = (self.look_up(texts), spans(texts));
        let exchange = AllReduce::new(1, self.parts);
        let rows = self.walk(exchange.seat(), 0..self.parts, rows, &spans, &mut Scratch::default());
        self.means(&rows.unwrap_or_default(), &spans)
    }

    /// Does the same with the help of others.
    pub(super) fn embed_with(&self, company: &ThreadPool, texts: &[Vec<u32>]) -> Vec<Arc<[f32]>> {
        let (rows, spans) = (self.look_up(texts), spans(texts));
        let exchange = Arc::new(AllReduce::new(self.parts, self.parts));
        let job = Job { rows: rows.as_slice().into(), spans: spans.into(), exchange: Arc::clone(&exchange) };
        company.begin(&job);
        match self.walk(exchange.seat(), 0..1, rows, &job.spans, &mut Scratch::default()) {
            Some(rows) => self.means(&rows, &job.spans),
            // A helper died; if it was because of these texts, this thread will fail as it did.
            None => self.embed(texts),
        }
    }

    /// Takes rows through all layers, computing some of the parts; none if whoever has the others died.
    pub(super) fn walk(
        &self,
        mut seat: Seat<'_>,
        mine: Range<usize>,
        mut rows: Vec<f32>,
        spans: &[Range<usize>],
        scratch: &mut Scratch,
    ) -> Option<Vec<f32>> {
        for layer in &self.layers {
            let parts = || layer.parts.iter().enumerate().filter(|(index, _)| mine.contains(index));
            for (index, part) in parts() {
                seat.bring(index, |sums| part.attend(&rows, spans, scratch, sums));
            }
            seat.meet(|sums| math::add(&mut rows, sums))?;
            layer.attention_norm.apply(self.arch, &mut rows);
            for (index, part) in parts() {
                seat.bring(index, |sums| part.feed(&rows, scratch, sums));
            }
            seat.meet(|sums| math::add(&mut rows, sums))?;
            layer.norm.apply(self.arch, &mut rows);
        }
        Some(rows)
    }

    fn look_up(&self, texts: &[Vec<u32>]) -> Vec<f32> {
        let width = self.width;
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

    fn means(&self, rows: &[f32], spans: &[Range<usize>]) -> Vec<Arc<[f32]>> {
        spans.iter().map(|span| mean(within(rows, span.clone(), self.width), self.width)).collect()
    }
}

impl Layer {
    fn read(
        arch: Arch,
        tensors: &mut Tensors,
        index: usize,
        shape: &Shape,
        parts: usize,
    ) -> Result<Self, WeightsError> {
        let name = format!("encoder.layer.{index}");
        let whole = Whole::read(tensors, &name, shape)?;
        Ok(Self {
            parts: (0..parts).map(|index| whole.part(arch, shape, index, parts)).collect(),
            attention_norm: Norm::read(tensors, &format!("{name}.attention.output.LayerNorm"), shape)?,
            norm: Norm::read(tensors, &format!("{name}.output.LayerNorm"), shape)?,
        })
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
