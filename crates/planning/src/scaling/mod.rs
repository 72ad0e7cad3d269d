//! How many agents a piece of work gets, how they run, and on which models.
//!
//! The matrix governs: its rows, found by complexity and by the number of files, bound what the formula
//! gives; mode and mix come from the row of the complexity. Evaluation proposes with it, planning decides
//! within it. There is always at least one agent, and never more than [`MAX_AGENTS`] in all or
//! [`MAX_AT_ONCE`] at once.

mod bounds;
mod check;
mod class;
mod mix;

use candor_model::{ExecutionStrategy, ValidationError};
use serde::{Deserialize, Serialize};

pub use self::bounds::Bounds;
pub use self::class::{ClassRule, CountedPer, TaskClass, TaskClasses, ToolCalls};
pub use self::mix::ModelMix;
use crate::rules_file::RuleDocument;
use crate::score::Score;

/// The most agents that a piece of work ever gets.
pub const MAX_AGENTS: u32 = 15;
/// The most agents that run at the same time; the others wait for their turn.
pub const MAX_AT_ONCE: u32 = 10;
/// The fewest agents of a phase, after any reduction.
pub const MIN_AGENTS: u32 = 1;

/// A row of the matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MatrixRow {
    /// The complexities it is for.
    pub complexity: Bounds,
    /// The numbers of files it is for.
    pub files: Bounds,
    /// The fewest and the most agents.
    pub agents: Bounds,
    /// Whether the agents work one after the other, side by side, or both.
    pub execution: ExecutionStrategy,
    /// Share of each tier of models.
    pub models: ModelMix,
}

/// The simplest work: one agent, and the row for whatever has no other.
const LEAST: MatrixRow = MatrixRow {
    complexity: Bounds::new(0, 30),
    files: Bounds::new(0, 1),
    agents: Bounds::new(1, 1),
    execution: ExecutionStrategy::Sequential,
    models: ModelMix::new(100, 0, 0),
};

/// The matrix as it comes with Candor.
const MATRIX: [MatrixRow; 5] = [
    LEAST,
    MatrixRow {
        complexity: Bounds::new(31, 50),
        files: Bounds::new(2, 3),
        agents: Bounds::new(2, 3),
        execution: ExecutionStrategy::Sequential,
        models: ModelMix::new(50, 50, 0),
    },
    MatrixRow {
        complexity: Bounds::new(51, 70),
        files: Bounds::new(4, 6),
        agents: Bounds::new(3, 5),
        execution: ExecutionStrategy::Parallel,
        models: ModelMix::new(30, 70, 0),
    },
    MatrixRow {
        complexity: Bounds::new(71, 85),
        files: Bounds::new(7, 10),
        agents: Bounds::new(5, 8),
        execution: ExecutionStrategy::Hybrid,
        models: ModelMix::new(0, 70, 30),
    },
    MatrixRow {
        complexity: Bounds::new(86, 100),
        files: Bounds::from(11),
        agents: Bounds::new(8, MAX_AGENTS),
        execution: ExecutionStrategy::Hybrid,
        models: ModelMix::new(0, 60, 40),
    },
];

/// The scaling rules of an installation: `scaling-rules.toml` or `.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "WrittenScaling")]
pub struct ScalingRules {
    matrix: Vec<MatrixRow>,
    classes: TaskClasses,
}

/// What stands in a file of scaling rules; what is left out is as usual.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct WrittenScaling {
    matrix: Option<Vec<MatrixRow>>,
    classes: TaskClasses,
}

/// What the rules propose for a piece of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ScalingProposal {
    /// How many agents in all.
    #[serde(rename = "agentCount")]
    pub count: u32,
    /// Whether any of them run side by side.
    pub parallel: bool,
    /// Whether the agents work one after the other, side by side, or both.
    pub mode: ExecutionStrategy,
    /// Share of each tier of models.
    #[serde(rename = "models")]
    pub mix: ModelMix,
    /// The fewest agents of any phase.
    pub minimum_agents: u32,
    /// How many of them carry the plan out.
    pub execution_agents: u32,
    /// How many of them check the result.
    pub validation_agents: u32,
    /// How demanding the work is.
    pub class: TaskClass,
    /// The tool calls that are in order.
    pub tool_calls: ToolCalls,
}

impl Default for ScalingRules {
    fn default() -> Self {
        Self { matrix: MATRIX.to_vec(), classes: TaskClasses::default() }
    }
}

impl ScalingRules {
    /// Refuses ranges with gaps or overlaps, numbers of agents out of bounds, and mixes that do not add up.
    pub fn validate(&self) -> Result<(), ValidationError> {
        check::matrix(&self.matrix)?;
        check::classes(&self.classes)
    }

    /// The matrix, from the simplest work to the most complex.
    #[must_use]
    pub fn matrix(&self) -> &[MatrixRow] {
        &self.matrix
    }

    /// Rules for simple, standard and complex tasks.
    #[must_use]
    pub const fn classes(&self) -> &TaskClasses {
        &self.classes
    }

    /// What a piece of work of this complexity, with so many files, should get.
    #[must_use]
    pub fn propose(&self, complexity: u8, files: u32) -> ScalingProposal {
        let place = self.place_by_complexity(complexity);
        let row = self.row(place);
        let higher = self.row(place.max(self.place_by_files(files)));
        let most = higher.agents.max.unwrap_or(MAX_AGENTS);
        let count = formula(complexity, files).min(most).max(row.agents.min).clamp(MIN_AGENTS, MAX_AGENTS);
        let class = self.classes.class_of(u32::from(Score::at_most_full(complexity).get()));
        ScalingProposal {
            count,
            parallel: row.execution != ExecutionStrategy::Sequential,
            mode: row.execution,
            mix: row.models,
            minimum_agents: MIN_AGENTS,
            execution_agents: execution_agents(count),
            validation_agents: validation_agents(count),
            class,
            tool_calls: self.classes.rule(class).tool_calls,
        }
    }

    fn place_by_complexity(&self, complexity: u8) -> usize {
        let complexity = u32::from(Score::at_most_full(complexity).get());
        self.matrix.iter().position(|row| row.complexity.contains(complexity)).unwrap_or(0)
    }

    fn place_by_files(&self, files: u32) -> usize {
        self.matrix.iter().position(|row| row.files.contains(files)).unwrap_or(0)
    }

    fn row(&self, place: usize) -> &MatrixRow {
        self.matrix.get(place).unwrap_or(&LEAST)
    }
}

impl TryFrom<WrittenScaling> for ScalingRules {
    type Error = ValidationError;

    fn try_from(written: WrittenScaling) -> Result<Self, ValidationError> {
        let matrix = written.matrix.unwrap_or_else(|| MATRIX.to_vec());
        let rules = Self { matrix, classes: written.classes };
        rules.validate()?;
        Ok(rules)
    }
}

impl RuleDocument for ScalingRules {
    type Written = WrittenScaling;

    fn accept(written: WrittenScaling) -> Result<Self, ValidationError> {
        Self::try_from(written)
    }
}

/// How many agents may run at the same time when the run allows `limit`.
#[must_use]
pub fn agents_at_once(limit: u32) -> u32 {
    limit.clamp(MIN_AGENTS, MAX_AT_ONCE)
}

/// The formula before the matrix bounds it: one agent, more for complexity, more for files.
#[must_use]
pub fn formula(complexity: u8, files: u32) -> u32 {
    let complexity = u32::from(Score::at_most_full(complexity).get());
    let wanted = 1 + complexity.div_ceil(20) + files.div_ceil(3);
    wanted.min(MAX_AGENTS)
}

/// How many of the agents carry the plan out.
#[must_use]
pub fn execution_agents(count: u32) -> u32 {
    count.saturating_sub(2).max(MIN_AGENTS)
}

/// How many of the agents check the result: three in ten, rounded up.
#[must_use]
pub fn validation_agents(count: u32) -> u32 {
    count.saturating_mul(3).div_ceil(10).max(MIN_AGENTS)
}

/// Refuses a plan whose number of agents is not within bounds.
pub fn check_total(agents: u32) -> Result<(), ValidationError> {
    if (MIN_AGENTS..=MAX_AGENTS).contains(&agents) {
        return Ok(());
    }
    let problem = format!("{agents} agents; a plan has at least {MIN_AGENTS} and at most {MAX_AGENTS}");
    Err(ValidationError::new("agents.total", problem))
}
