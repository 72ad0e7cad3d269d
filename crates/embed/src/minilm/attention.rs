//! Attention: each piece of a text takes from all others what its heads ask for.

use std::array;
use std::ops::Range;

use pulp::{Arch, Simd, WithSimd, bytemuck};

use super::{math, within};

/// Pieces whose scores are computed at once.
const BLOCK: usize = 4;

/// Some heads side by side.
#[derive(Debug, Clone, Copy)]
pub(super) struct Heads {
    /// How many there are.
    pub(super) count: usize,
    /// The numbers of each.
    pub(super) size: usize,
}

impl Heads {
    /// The numbers of all of them.
    pub(super) const fn width(self) -> usize {
        self.count * self.size
    }

    /// Turns rows of queries, keys and values into rows of what was found; texts do not see each other.
    pub(super) fn attend(self, arch: Arch, asked: &[f32], spans: &[Range<usize>], found: &mut Vec<f32>) {
        found.clear();
        found.resize(asked.len() / 3, 0.0);
        arch.dispatch(Attend { heads: self, asked, spans, found });
    }
}

struct Attend<'a> {
    heads: Heads,
    asked: &'a [f32],
    spans: &'a [Range<usize>],
    found: &'a mut [f32],
}

impl WithSimd for Attend<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { heads, asked, spans, found } = self;
        let width = heads.width();
        for span in spans {
            let asked = within(asked, span.clone(), 3 * width);
            let found = found.get_mut(span.start * width..span.end * width).unwrap_or_default();
            let (text, mut seen) = (Text { heads, asked }, Seen::default());
            for start in (0..width).step_by(heads.size) {
                text.lay_out(start, 2 * S::F32_LANES, &mut seen);
                text.attend(simd, start, &mut seen, found);
            }
        }
    }
}

/// One text: a row of queries, keys and values for each piece.
struct Text<'a> {
    heads: Heads,
    asked: &'a [f32],
}

/// What one head sees of a text.
///
/// Keys and values lie in panels two vectors of the processor wide, as the weights of linear layers do: a
/// panel of keys holds some pieces side by side, a panel of values some numbers of the head.
#[derive(Default)]
struct Seen {
    keys: Vec<f32>,
    values: Vec<f32>,
    /// A block of pieces' scores against all, padded to whole panels.
    scores: [Vec<f32>; BLOCK],
}

impl Text<'_> {
    fn pieces(&self) -> usize {
        self.asked.len() / (3 * self.heads.width())
    }

    /// What a piece asks for or offers, from this place of its row on.
    #[inline(always)]
    fn at(&self, piece: usize, place: usize) -> &[f32] {
        let place = piece * 3 * self.heads.width() + place;
        self.asked.get(place..place + self.heads.size).unwrap_or_default()
    }

    /// Lays out the keys and values of the head that starts at this place.
    #[inline(always)]
    fn lay_out(&self, start: usize, panel: usize, seen: &mut Seen) {
        let (pieces, Heads { size, .. }) = (self.pieces(), self.heads);
        let padded = pieces.next_multiple_of(panel);
        let Seen { keys, values, scores } = seen;
        keys.resize(padded * size, 0.0);
        values.resize(pieces * size.next_multiple_of(panel), 0.0);
        for piece in 0..pieces {
            let place = piece / panel * panel * size + piece % panel;
            let places = keys.iter_mut().skip(place).step_by(panel);
            places.zip(self.at(piece, self.heads.width() + start)).for_each(|(place, key)| *place = *key);
            let value = self.at(piece, 2 * self.heads.width() + start);
            for (values, value) in values.chunks_exact_mut(pieces * panel).zip(value.chunks(panel)) {
                let place = values.iter_mut().skip(piece * panel);
                place.zip(value).for_each(|(place, value)| *place = *value);
            }
        }
        scores.iter_mut().for_each(|scores| scores.resize(padded, 0.0));
    }

    /// Finds for each piece what the head that starts at this place asks for.
    #[inline(always)]
    fn attend<S: Simd>(&self, simd: S, start: usize, seen: &mut Seen, found: &mut [f32]) {
        let (pieces, Heads { size, .. }) = (self.pieces(), self.heads);
        let panel = 2 * S::F32_LANES;
        for first in (0..pieces).step_by(BLOCK) {
            // The last block has its last piece more than once.
            let queries = array::from_fn(|row| self.at((first + row).min(pieces - 1), start));
            for (index, keys) in seen.keys.chunks_exact(panel * size).enumerate() {
                for (scores, sums) in seen.scores.iter_mut().zip(&product(simd, queries, keys)) {
                    store(scores, index * panel, bytemuck::cast_slice(sums));
                }
            }
            seen.scores.iter_mut().for_each(|scores| self.shares(scores));
            let shares = array::from_fn(|row| seen.scores.get(row).map_or(&[][..], Vec::as_slice));
            for (index, values) in seen.values.chunks_exact(panel * pieces).enumerate() {
                let rows = found.chunks_exact_mut(self.heads.width()).skip(first);
                for (found, sums) in rows.zip(&product(simd, shares, values)) {
                    let found = found.get_mut(start..start + size).unwrap_or_default();
                    store(found, index * panel, bytemuck::cast_slice(sums));
                }
            }
        }
    }

    /// Turns a piece's scores into shares.
    #[inline(always)]
    fn shares(&self, scores: &mut [f32]) {
        let scale = 1.0 / (self.heads.size as f32).sqrt();
        scores.iter_mut().for_each(|score| *score *= scale);
        scores.get_mut(self.pieces()..).unwrap_or_default().fill(f32::NEG_INFINITY);
        math::softmax(scores);
    }
}

/// The sums of a block of rows and a panel.
#[inline(always)]
fn product<S: Simd>(simd: S, [a, b, c, d]: [&[f32]; BLOCK], panel: &[f32]) -> [[S::f32s; 2]; BLOCK] {
    let panel = S::as_simd_f32s(panel).0.as_chunks::<2>().0;
    let mut sums = [[simd.splat_f32s(0.0); 2]; BLOCK];
    for ((((a, b), c), d), [left, right]) in a.iter().zip(b).zip(c).zip(d).zip(panel) {
        for ([left_sum, right_sum], input) in sums.iter_mut().zip([a, b, c, d]) {
            let input = simd.splat_f32s(*input);
            *left_sum = simd.mul_add_e_f32s(input, *left, *left_sum);
            *right_sum = simd.mul_add_e_f32s(input, *right, *right_sum);
        }
    }
    sums
}

/// Stores sums from this place on; the last panel may be wider than the row.
#[inline(always)]
fn store(row: &mut [f32], place: usize, sums: &[f32]) {
    let row = row.get_mut(place..).unwrap_or_default();
    match row.get_mut(..sums.len()) {
        Some(whole) => whole.copy_from_slice(sums),
        None => row.iter_mut().zip(sums).for_each(|(place, sum)| *place = *sum),
    }
}
