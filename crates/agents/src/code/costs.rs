//! What a node is expected to cost, by the plan's table. What it did cost is in its metadata.

use candor_model::Money;

/// One run of the input analyser.
pub const INPUT_ANALYSIS: Money = Money::from_micros(500);
/// One run of the data analyser, without the sandbox.
pub const DATA_ANALYSIS: Money = Money::from_micros(500);
/// One run of the code generator.
pub const CODE_GENERATION: Money = Money::from_micros(3_000);
/// One run of the code validator: it asks nobody.
pub const CODE_VALIDATION: Money = Money::ZERO;
/// One run of the output validator.
pub const OUTPUT_VALIDATION: Money = Money::from_micros(500);
/// One run of a solving program in the sandbox. The plan's table counts an analysis run in with its analyser.
pub const SANDBOX_RUN: Money = Money::from_micros(200);

/// How often each part of a node works.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Runs {
    /// Whether the data is analysed.
    pub analysis: bool,
    /// How often code is written.
    pub generations: u64,
    /// How often it comes to be run, and its result to be judged.
    pub executions: u64,
}

impl Runs {
    /// A node that succeeds at once.
    #[must_use]
    pub const fn at_once(analysis: bool) -> Self {
        Self { analysis, generations: 1, executions: 1 }
    }

    /// The same with one more attempt, after one whose code was refused.
    #[must_use]
    pub const fn after_refused_code(self) -> Self {
        Self { generations: self.generations + 1, ..self }
    }

    /// The same with one more attempt, after one whose result was refused.
    #[must_use]
    pub const fn after_refused_output(self) -> Self {
        Self { generations: self.generations + 1, executions: self.executions + 1, ..self }
    }

    /// What it is expected to cost.
    #[must_use]
    pub fn estimate(self) -> Money {
        let times = |one: Money, count: u64| Money::from_micros(one.micros().saturating_mul(count));
        let analysis = if self.analysis { DATA_ANALYSIS } else { Money::ZERO };
        [
            INPUT_ANALYSIS,
            analysis,
            times(CODE_GENERATION, self.generations),
            times(CODE_VALIDATION, self.generations),
            times(SANDBOX_RUN, self.executions),
            times(OUTPUT_VALIDATION, self.executions),
        ]
        .into_iter()
        .sum()
    }

    /// What so many nodes like it are expected to cost.
    #[must_use]
    pub fn estimate_for(self, nodes: u64) -> Money {
        Money::from_micros(self.estimate().micros().saturating_mul(nodes))
    }
}
