//! 1d, the confidence assessor: the confidence in the other three.

/// What each missing input takes away.
const PER_MISSING: u32 = 10;

/// The mean of the prompt's quality, of how much of it the keywords cover, and of 100 less 10 for each input
/// that is missing.
pub(super) fn assess(quality: u8, coverage: u8, missing: usize) -> u8 {
    let lacking = PER_MISSING.saturating_mul(u32::try_from(missing).unwrap_or(u32::MAX));
    let inputs = 100_u32.saturating_sub(lacking);
    let mean = (u32::from(quality) + u32::from(coverage) + inputs) / 3;
    u8::try_from(mean.min(100)).unwrap_or(100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_mean_of_three_figures() {
        // spec: orchestrator X-95
        assert_eq!(assess(100, 100, 0), 100);
        assert_eq!(assess(70, 50, 1), 70);
        assert_eq!(assess(0, 0, 200), 0);
    }
}
