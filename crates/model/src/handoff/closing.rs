//! What phases 5 to 7 put out: execution, validation and consolidation.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::PhaseOutput;
use crate::{Assessment, Money, Phase, RunId, Seconds, SpokenBy, TaskId};

/// What the tasks put out. `C` is its short form.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExecutionOutput<C = Value> {
    /// All outputs in short.
    pub compressed: C,
}

impl<C> PhaseOutput for ExecutionOutput<C> {
    const PHASE: Phase = Phase::Execution;
}

/// The result against what was wanted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ValidationOutput {
    /// `PASS`, `PASS with 2 warnings` or `FAIL`, for people.
    pub verdict: String,
    /// The goal's constraints and criteria, one by one.
    pub checks: Vec<CheckedConstraint>,
    /// The tasks whose result does not hold.
    pub failed: Vec<FailedResult>,
    /// What should be known and is no failure.
    pub warnings: Vec<String>,
    /// The tasks whose outputs were opened.
    pub expanded: Vec<TaskId>,
    /// How much was looked at.
    pub judged: JudgedCounts,
    /// How the run is judged, criterion by criterion; absent in older logs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assessment: Option<Assessment>,
}

impl PhaseOutput for ValidationOutput {
    const PHASE: Phase = Phase::Validation;
}

/// A constraint or criterion of the goal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckedConstraint {
    /// What it is about.
    pub what: String,
    /// Limit in the words of the request.
    pub wanted: String,
    /// What the outputs say, if they say anything.
    pub found: Option<String>,
    /// Whether it is met; absent if nobody can tell.
    pub met: Option<bool>,
}

/// A task whose result does not hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedResult {
    /// Task whose result was refused.
    pub task_id: TaskId,
    /// What its result lacks.
    pub why: String,
}

/// How much was looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgedCounts {
    /// How many things must hold.
    pub defined: usize,
    /// How many of them were checked.
    pub checked: usize,
    /// How many of them hold.
    pub met: usize,
}

/// What is left of the run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConsolidationOutput {
    /// What the run took.
    pub metrics: RunFigures,
    /// Who succeeded at what.
    pub patterns: Vec<Pattern>,
    /// The same in words.
    pub learnings: Vec<String>,
    /// What each task put out, by name; left out of a large plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub produced: Option<Vec<Produced>>,
}

impl PhaseOutput for ConsolidationOutput {
    const PHASE: Phase = Phase::Consolidation;
}

/// What a run took.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunFigures {
    /// Run that the figures are about.
    pub run: RunId,
    /// By the phase's number.
    pub phases: BTreeMap<String, PhaseFigures>,
    /// What models took and gave in all phases.
    pub total_tokens: u64,
    /// How many tasks the plan has.
    pub tasks: usize,
    /// How many attempts there were.
    pub attempts: usize,
    /// Cost of all attempts together.
    pub task_cost: Money,
    /// How long they took together.
    pub task_duration: Seconds,
    /// How well the phases did their work.
    pub evaluation_criteria: BTreeMap<String, f64>,
}

/// What a phase took.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PhaseFigures {
    /// What models took and gave.
    pub tokens_used: u64,
    /// How sure it was.
    pub confidence: Option<u8>,
    /// How good its result was.
    pub quality: Option<u8>,
    /// Whether a model or rules made the result.
    pub spoken_by: SpokenBy,
}

/// A kind of task in the hands of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Pattern {
    /// The kind of task.
    pub task_type: String,
    /// Agent that the pattern is about.
    pub agent: String,
    /// How often it tried.
    pub attempts: u64,
    /// How often it succeeded.
    pub successes: u64,
}

/// What a task put out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Produced {
    /// Task that produced it.
    pub task_id: TaskId,
    /// The names of its outputs.
    pub outputs: Vec<String>,
}
