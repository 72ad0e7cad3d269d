//! What an encoder computes beside products of matrices: norms, softmax, GELU.
//!
//! All of it is written without branches and in small fixed groups, so that the compiler makes vector
//! instructions of it wherever it is called through a dispatch.

/// Numbers that are summed side by side: a sum in strict order cannot be vectorised.
const LANES: usize = 16;

/// Scales numbers to mean 0 and variance 1, then by weights and a bias.
#[inline(always)]
pub(super) fn normalise(numbers: &mut [f32], weights: &[f32], bias: &[f32], epsilon: f32) {
    let count = numbers.len().max(1) as f32;
    let mean = sum(numbers, |number| number) / count;
    let variance = sum(numbers, |number| (number - mean) * (number - mean)) / count;
    let scale = 1.0 / (variance + epsilon).sqrt();
    for ((number, weight), bias) in numbers.iter_mut().zip(weights).zip(bias) {
        *number = (*number - mean) * scale * weight + bias;
    }
}

/// Turns scores into shares that sum to 1.
#[inline(always)]
pub(super) fn softmax(scores: &mut [f32]) {
    let (groups, rest) = scores.as_chunks::<LANES>();
    let mut most = [f32::NEG_INFINITY; LANES];
    for group in groups {
        for (most, score) in most.iter_mut().zip(group) {
            *most = most.max(*score);
        }
    }
    let most = most.iter().chain(rest).copied().fold(f32::NEG_INFINITY, f32::max);
    for score in scores.iter_mut() {
        *score = exp(*score - most);
    }
    let scale = 1.0 / sum(scores, |score| score);
    for score in scores.iter_mut() {
        *score *= scale;
    }
}

/// Applies GELU in its exact form, with the error function.
#[inline(always)]
pub(super) fn gelu(numbers: &mut [f32]) {
    for number in numbers {
        let x = *number;
        let tail = normal_tail(x.abs());
        *number = x * if x < 0.0 { tail } else { 1.0 - tail };
    }
}

/// Adds numbers to numbers.
#[inline(always)]
pub(super) fn add(numbers: &mut [f32], others: &[f32]) {
    for (number, other) in numbers.iter_mut().zip(others) {
        *number += other;
    }
}

/// The sum of what `of` makes of the numbers.
#[inline(always)]
pub(super) fn sum(numbers: &[f32], of: impl Fn(f32) -> f32) -> f32 {
    let (groups, rest) = numbers.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for group in groups {
        for (sum, number) in sums.iter_mut().zip(group) {
            *sum += of(*number);
        }
    }
    sums.iter().sum::<f32>() + rest.iter().map(|number| of(*number)).sum::<f32>()
}

/// How much of the normal distribution lies above `x`, which is not negative, to 1e-7.
///
/// Formula 7.1.26 of Abramowitz and Stegun's handbook for the error function, at x over the root of 2.
#[inline(always)]
fn normal_tail(x: f32) -> f32 {
    let x = x * std::f32::consts::FRAC_1_SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * x);
    let terms = [1.061_405_4, -1.453_152, 1.421_413_8, -0.284_496_74, 0.254_829_6];
    let polynomial = terms.into_iter().fold(0.0, |value, term| (value + term) * t);
    0.5 * polynomial * exp(-x * x)
}

/// The exponential function, to the last bit or two; what would be too large or too small is clamped.
#[inline(always)]
fn exp(x: f32) -> f32 {
    // Adding this leaves a number's integer part in its lowest bits.
    const INTEGER: f32 = 12_582_912.0;
    // The natural logarithm of 2 in two parts, the first with zeros at its end.
    const LN_2: [f32; 2] = [0.693_359_4, -2.121_944_4e-4];
    // One over the factorials of 7 to 0.
    const TERMS: [f32; 8] =
        [1.984_127e-4, 1.388_888_9e-3, 8.333_334e-3, 0.041_666_668, 0.166_666_67, 0.5, 1.0, 1.0];
    let x = x.clamp(-87.0, 88.0);
    let shifted = x * std::f32::consts::LOG2_E + INTEGER;
    let whole = shifted - INTEGER;
    let [high, low] = LN_2;
    let rest = x - whole * high - whole * low;
    let power = TERMS.into_iter().fold(0.0, |value, term| value * rest + term);
    f32::from_bits(power.to_bits().wrapping_add(shifted.to_bits() << 23))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponential_function_is_right_to_the_last_bits() {
        for step in -8_700..8_800 {
            let x = step as f32 / 100.0;
            let wanted = f64::from(x).exp();
            assert!((f64::from(exp(x)) / wanted - 1.0).abs() < 4e-7, "{x}");
        }
        assert_eq!(exp(0.0), 1.0);
        assert!(exp(-1e30) < 1e-37 && exp(1e30).is_finite());
    }

    #[test]
    fn gelu_has_the_values_of_its_definition() {
        let mut numbers = [-10.0, -3.0, -1.0, -0.5, 0.0, 0.5, 1.0, 3.0, 10.0];
        gelu(&mut numbers);
        let wanted = [
            0.0,
            -0.004_049_694,
            -0.158_655_25,
            -0.154_268_77,
            0.0,
            0.345_731_23,
            0.841_344_7,
            2.995_950_3,
            10.0,
        ];
        for (got, wanted) in numbers.iter().zip(wanted) {
            assert!((got - wanted).abs() < 3e-7, "{got} {wanted}");
        }
    }

    #[test]
    fn shares_sum_to_one_whatever_the_scores() {
        let mut scores: Vec<f32> = (0..37).map(|step| step as f32 * 5.0 - 90.0).collect();
        softmax(&mut scores);
        assert!((scores.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        assert!(scores.is_sorted());
    }

    #[test]
    fn normalised_numbers_have_mean_zero_and_variance_one() {
        let mut numbers: Vec<f32> = (0..40).map(|step| (step * step) as f32).collect();
        normalise(&mut numbers, &[2.0; 40], &[1.0; 40], 1e-12);
        let mean = sum(&numbers, |number| number) / 40.0;
        let variance = sum(&numbers, |number| (number - mean) * (number - mean)) / 40.0;
        assert!((mean - 1.0).abs() < 1e-5 && (variance - 4.0).abs() < 1e-4, "{mean} {variance}");
    }
}
