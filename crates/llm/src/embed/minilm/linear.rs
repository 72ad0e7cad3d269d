//! Linear layers, with their weights laid out once in the order in which they are read.
//!
//! The outputs are cut into panels two vectors of the processor wide; a panel holds, for each input, the
//! weights of its outputs side by side. A few rows of the input are multiplied with one panel at a time, all
//! sums in registers.

use pulp::{Arch, Simd, WithSimd};

/// The most rows that are multiplied at once, where there are registers for their sums.
const MOST_ROWS: usize = 8;
/// The most rows where there are but sixteen registers: twelve sums, two weights and an input.
const FEW_ROWS: usize = 6;
/// Vectors start where cache lines do.
const LINE: usize = 64;

/// A linear layer.
pub(super) struct Linear {
    arch: Arch,
    panels: Vec<f32>,
    /// Where the first cache line begins in `panels`.
    start: usize,
    bias: Vec<f32>,
    inputs: usize,
    outputs: usize,
    /// Outputs per panel.
    width: usize,
    most_rows: usize,
}

impl Linear {
    /// Lays out weights that are given as one row of inputs for each output.
    pub(super) fn new(arch: Arch, weights: &[f32], mut bias: Vec<f32>, inputs: usize) -> Self {
        let outputs = bias.len();
        let (width, most_rows) = arch.dispatch(Registers);
        let padded = outputs.next_multiple_of(width);
        bias.resize(padded, 0.0);
        let mut panels = vec![0.0; padded * inputs + LINE / size_of::<f32>()];
        let start = panels.as_ptr().align_offset(LINE).min(LINE / size_of::<f32>());
        let rows: Vec<&[f32]> = weights.chunks_exact(inputs).collect();
        let laid_out = panels.get_mut(start..).unwrap_or_default();
        for (panel, rows) in laid_out.chunks_exact_mut(width * inputs).zip(rows.chunks(width)) {
            for (lane, row) in rows.iter().enumerate() {
                for (place, weight) in panel.iter_mut().skip(lane).step_by(width).zip(*row) {
                    *place = *weight;
                }
            }
        }
        Self { arch, panels, start, bias, inputs, outputs, width, most_rows }
    }

    /// Multiplies each row and adds the bias.
    pub(super) fn apply(&self, rows: &[f32]) -> Vec<f32> {
        let count = rows.len() / self.inputs.max(1);
        let mut out = vec![0.0; count * self.outputs];
        let blocks = blocks(rows, self.inputs, self.most_rows);
        self.arch.dispatch(Multiply { layer: self, blocks, out: &mut out });
        out
    }
}

/// The outputs of a panel, and the most rows, that the processor's registers are good for.
struct Registers;

impl WithSimd for Registers {
    type Output = (usize, usize);

    fn with_simd<S: Simd>(self, _: S) -> (usize, usize) {
        // Processors with vectors this wide have thirty-two of them.
        let most_rows = if S::F32_LANES >= 16 { MOST_ROWS } else { FEW_ROWS };
        (2 * S::F32_LANES, most_rows)
    }
}

/// Up to [`MOST_ROWS`] rows, turned so that the inputs of the same place lie side by side.
struct Block {
    rows: usize,
    inputs: Vec<f32>,
}

/// Cuts rows into blocks of about equal size: a last block of one row would waste the processor.
fn blocks(rows: &[f32], inputs: usize, most_rows: usize) -> Vec<Block> {
    let count = rows.len() / inputs.max(1);
    let parts = count.div_ceil(most_rows);
    let mut rest = rows;
    (0..parts)
        .map(|part| {
            let size = (count + part) / parts.max(1);
            let (block, after) = rest.split_at_checked(size * inputs).unwrap_or((rest, &[]));
            rest = after;
            turned(block, size, inputs)
        })
        .collect()
}

fn turned(rows: &[f32], count: usize, inputs: usize) -> Block {
    let mut turned = vec![0.0; rows.len()];
    for (lane, row) in rows.chunks_exact(inputs).enumerate() {
        for (group, input) in turned.chunks_exact_mut(count).zip(row) {
            if let Some(place) = group.get_mut(lane) {
                *place = *input;
            }
        }
    }
    Block { rows: count, inputs: turned }
}

struct Multiply<'a> {
    layer: &'a Linear,
    blocks: Vec<Block>,
    out: &'a mut [f32],
}

impl WithSimd for Multiply<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Linear { panels, start, bias, inputs, outputs, width, .. } = self.layer;
        let panels = panels.get(*start..).unwrap_or_default().chunks_exact(width * inputs);
        for (index, (panel, bias)) in panels.zip(bias.chunks_exact(*width)).enumerate() {
            let mut row = 0;
            for block in &self.blocks {
                let out = self.out.get_mut(row * outputs..).unwrap_or_default();
                let place = &mut Place { bias, out, outputs: *outputs, column: index * width };
                match block.rows {
                    1 => multiply::<S, 1>(simd, &block.inputs, panel, place),
                    2 => multiply::<S, 2>(simd, &block.inputs, panel, place),
                    3 => multiply::<S, 3>(simd, &block.inputs, panel, place),
                    4 => multiply::<S, 4>(simd, &block.inputs, panel, place),
                    5 => multiply::<S, 5>(simd, &block.inputs, panel, place),
                    6 => multiply::<S, 6>(simd, &block.inputs, panel, place),
                    7 => multiply::<S, 7>(simd, &block.inputs, panel, place),
                    _ => multiply::<S, MOST_ROWS>(simd, &block.inputs, panel, place),
                }
                row += block.rows;
            }
        }
    }
}

/// Where the sums of a block and a panel go.
struct Place<'a> {
    bias: &'a [f32],
    out: &'a mut [f32],
    outputs: usize,
    column: usize,
}

#[inline(always)]
fn multiply<S: Simd, const ROWS: usize>(simd: S, inputs: &[f32], panel: &[f32], place: &mut Place<'_>) {
    let weights = S::as_simd_f32s(panel).0.as_chunks::<2>().0;
    let inputs = inputs.as_chunks::<ROWS>().0;
    let bias = S::as_simd_f32s(place.bias).0.first_chunk::<2>();
    let mut sums = [*bias.unwrap_or(&[simd.splat_f32s(0.0); 2]); ROWS];
    for (inputs, [left, right]) in inputs.iter().zip(weights) {
        for ([left_sum, right_sum], input) in sums.iter_mut().zip(inputs) {
            let input = simd.splat_f32s(*input);
            *left_sum = simd.mul_add_e_f32s(input, *left, *left_sum);
            *right_sum = simd.mul_add_e_f32s(input, *right, *right_sum);
        }
    }
    for (row, sums) in place.out.chunks_exact_mut(place.outputs).zip(&sums) {
        let (_, row) = row.split_at_mut_checked(place.column).unwrap_or_default();
        match S::as_mut_simd_f32s(row).0.first_chunk_mut::<2>() {
            Some(whole) => *whole = *sums,
            None => store_part::<S>(row, sums),
        }
    }
}

/// The last panel may be wider than what is left of the row.
#[inline(always)]
fn store_part<S: Simd>(row: &mut [f32], sums: &[S::f32s; 2]) {
    let sums: &[f32] = pulp::bytemuck::cast_slice(sums);
    for (place, sum) in row.iter_mut().zip(sums) {
        *place = *sum;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layer_multiplies_as_the_definition_says() {
        for (rows, inputs, outputs) in
            [(0, 4, 3), (1, 1, 1), (1, 5, 33), (7, 384, 40), (13, 96, 64), (18, 3, 100)]
        {
            let number = |seed: usize| ((seed * 7919 + 13) % 101) as f32 / 50.0 - 1.0;
            let weights: Vec<f32> = (0..inputs * outputs).map(number).collect();
            let bias: Vec<f32> = (0..outputs).map(|place| number(place + 5)).collect();
            let input: Vec<f32> = (0..rows * inputs).map(|place| number(place * 3)).collect();
            let out = Linear::new(Arch::new(), &weights, bias.clone(), inputs).apply(&input);
            assert_eq!(out.len(), rows * outputs);
            for (place, got) in out.iter().enumerate() {
                let (row, output) = (place / outputs, place % outputs);
                let products = (0..inputs).map(|i| input[row * inputs + i] * weights[output * inputs + i]);
                let wanted = bias[output] + products.sum::<f32>();
                assert!((got - wanted).abs() < 1e-3, "{rows}x{inputs}x{outputs} at {place}: {got} {wanted}");
            }
        }
    }
}
