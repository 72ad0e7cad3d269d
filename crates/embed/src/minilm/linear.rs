//! Linear layers, with their weights laid out once in the order in which they are read.
//!
//! The outputs are cut into panels two vectors of the processor wide; a panel holds, for each input, the
//! weights of its outputs side by side. A few rows of the input are multiplied with one panel at a time, all
//! sums in registers.
//!
//! Weights are kept with sixteen bits, the upper half of a number: a sentence reads all of them once, and waits
//! for memory more than for the processor. The vectors are the reference's to some 1e-5 in cosine all the same.

use pulp::{Arch, Simd, WithSimd};

/// The most rows that are multiplied at once, where there are registers for their sums.
const MOST_ROWS: usize = 12;
/// The most rows where there are but sixteen registers: twelve sums, two weights and an input.
const FEW_ROWS: usize = 6;
/// Vectors start where cache lines do.
const LINE: usize = 64;

/// A linear layer.
pub(super) struct Linear {
    arch: Arch,
    /// For each input of a panel as many words as a vector has numbers; the lower half of a word is a weight of
    /// the panel's first vector of outputs, the upper half one of its second.
    panels: Vec<u32>,
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
        let lanes = width / 2;
        let mut panels = vec![0; padded / 2 * inputs + LINE / size_of::<u32>()];
        let start = panels.as_ptr().align_offset(LINE).min(LINE / size_of::<u32>());
        let rows: Vec<&[f32]> = weights.chunks_exact(inputs).collect();
        let laid_out = panels.get_mut(start..).unwrap_or_default();
        for (panel, rows) in laid_out.chunks_exact_mut(lanes * inputs).zip(rows.chunks(width)) {
            for (output, row) in rows.iter().enumerate() {
                let shift = if output < lanes { 0 } else { 16 };
                for (place, weight) in panel.iter_mut().skip(output % lanes).step_by(lanes).zip(*row) {
                    *place |= upper_half(*weight) << shift;
                }
            }
        }
        Self { arch, panels, start, bias, inputs, outputs, width, most_rows }
    }

    /// Multiplies each row and adds the bias; `turned` and `out` are overwritten.
    pub(super) fn apply(&self, rows: &[f32], turned: &mut Vec<f32>, out: &mut Vec<f32>) {
        let count = rows.len() / self.inputs.max(1);
        out.resize(count * self.outputs, 0.0);
        turned.resize(rows.len(), 0.0);
        let sizes = block_sizes(count, self.most_rows);
        turn(rows, turned, self.inputs, &sizes);
        self.arch.dispatch(Multiply { layer: self, inputs: turned, sizes: &sizes, out });
    }
}

/// The sixteen bits that are nearest to a number; of what is no finite number, some that are none either.
fn upper_half(number: f32) -> u32 {
    let bits = number.to_bits();
    if !number.is_finite() {
        return f32::NAN.to_bits() >> 16;
    }
    // Half of the last bit that is kept, less a little where that bit is even.
    bits.wrapping_add(0x7fff + (bits >> 16 & 1)) >> 16
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

/// Cuts rows into blocks of about equal size: a last block of one row would waste the processor.
fn block_sizes(rows: usize, most_rows: usize) -> Vec<usize> {
    let blocks = rows.div_ceil(most_rows);
    (0..blocks).map(|block| (rows + block) / blocks).collect()
}

/// Turns each block of rows so that the inputs of the same place lie side by side.
fn turn(rows: &[f32], turned: &mut [f32], inputs: usize, sizes: &[usize]) {
    let (mut rows, mut turned) = (rows, turned);
    for &size in sizes {
        let (block, rest) = rows.split_at_checked(size * inputs).unwrap_or_default();
        let (place, places) = turned.split_at_mut_checked(size * inputs).unwrap_or_default();
        (rows, turned) = (rest, places);
        for (lane, row) in block.chunks_exact(inputs).enumerate() {
            for (group, input) in place.chunks_exact_mut(size).zip(row) {
                group.get_mut(lane).into_iter().for_each(|place| *place = *input);
            }
        }
    }
}

struct Multiply<'a> {
    layer: &'a Linear,
    /// Turned blocks of these sizes.
    inputs: &'a [f32],
    sizes: &'a [usize],
    out: &'a mut [f32],
}

impl WithSimd for Multiply<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Linear { panels, start, bias, inputs, outputs, width, .. } = self.layer;
        let panels = panels.get(*start..).unwrap_or_default().chunks_exact(width / 2 * inputs);
        for (index, (panel, bias)) in panels.zip(bias.chunks_exact(*width)).enumerate() {
            let mut row = 0;
            for &rows in self.sizes {
                let block = self.inputs.get(row * inputs..(row + rows) * inputs).unwrap_or_default();
                let out = self.out.get_mut(row * outputs..).unwrap_or_default();
                let place = &mut Place { bias, out, outputs: *outputs, column: index * width };
                match rows {
                    1 => multiply::<S, 1>(simd, block, panel, place),
                    2 => multiply::<S, 2>(simd, block, panel, place),
                    3 => multiply::<S, 3>(simd, block, panel, place),
                    4 => multiply::<S, 4>(simd, block, panel, place),
                    5 => multiply::<S, 5>(simd, block, panel, place),
                    6 => multiply::<S, 6>(simd, block, panel, place),
                    7 => multiply::<S, 7>(simd, block, panel, place),
                    8 => multiply::<S, 8>(simd, block, panel, place),
                    9 => multiply::<S, 9>(simd, block, panel, place),
                    10 => multiply::<S, 10>(simd, block, panel, place),
                    11 => multiply::<S, 11>(simd, block, panel, place),
                    _ => multiply::<S, MOST_ROWS>(simd, block, panel, place),
                }
                row += rows;
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
fn multiply<S: Simd, const ROWS: usize>(simd: S, inputs: &[f32], panel: &[u32], place: &mut Place<'_>) {
    let weights = S::as_simd_u32s(panel).0;
    let (sixteen, upper) = (simd.splat_u32s(16), simd.splat_u32s(0xffff_0000));
    let inputs = inputs.as_chunks::<ROWS>().0;
    let bias = S::as_simd_f32s(place.bias).0.first_chunk::<2>();
    let mut sums = [*bias.unwrap_or(&[simd.splat_f32s(0.0); 2]); ROWS];
    for (inputs, both) in inputs.iter().zip(weights) {
        let left = simd.transmute_f32s_u32s(simd.wrapping_dyn_shl_u32s(*both, sixteen));
        let right = simd.transmute_f32s_u32s(simd.and_u32s(*both, upper));
        for ([left_sum, right_sum], input) in sums.iter_mut().zip(inputs) {
            let input = simd.splat_f32s(*input);
            *left_sum = simd.mul_add_e_f32s(input, left, *left_sum);
            *right_sum = simd.mul_add_e_f32s(input, right, *right_sum);
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
    fn weights_are_rounded_to_the_nearest_of_sixteen_bits() {
        let kept = |bits: u32| upper_half(f32::from_bits(bits));
        assert_eq!(kept(1.0f32.to_bits()), 0x3f80);
        assert_eq!((kept(0x3f80_7fff), kept(0x3f80_8001)), (0x3f80, 0x3f81));
        assert_eq!((kept(0x3f80_8000), kept(0x3f81_8000)), (0x3f80, 0x3f82), "half goes to the even one");
        assert_eq!(kept(0xbf80_8001), 0xbf81);
        for strange in [f32::NAN, f32::INFINITY, f32::from_bits(0xffff_ffff)] {
            assert!(!f32::from_bits(upper_half(strange) << 16).is_finite(), "{strange} would go unnoticed");
        }
    }

    #[test]
    fn a_layer_multiplies_as_the_definition_says() {
        for (rows, inputs, outputs) in
            [(0, 4, 3), (1, 1, 1), (1, 5, 33), (7, 384, 40), (13, 96, 64), (18, 3, 100)]
        {
            let number = |seed: usize| ((seed * 7919 + 13) % 101) as f32 / 50.0 - 1.0;
            // As they are kept.
            let kept = |place: usize| f32::from_bits(upper_half(number(place)) << 16);
            let weights: Vec<f32> = (0..inputs * outputs).map(kept).collect();
            let bias: Vec<f32> = (0..outputs).map(|place| number(place + 5)).collect();
            let input: Vec<f32> = (0..rows * inputs).map(|place| number(place * 3)).collect();
            let layer = Linear::new(Arch::new(), &weights, bias.clone(), inputs);
            // What was there before does not matter.
            let (mut turned, mut out) = (vec![f32::NAN; 7], vec![f32::NAN; 900]);
            layer.apply(&input, &mut turned, &mut out);
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
