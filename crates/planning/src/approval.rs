//! When a person must approve a plan, what they are shown, and what their answer does to it.
//!
//! Owns the gate's threshold, the request and the adjustments. It refuses to apply half of a list of
//! adjustments, to touch what is not a task's definition, and to leave a plan whose dependencies are unsound.

use std::collections::BTreeSet;

use candor_model::{
    Adjustment, AgentType, ApprovalAction, ApprovalPolicy, Confidence, DurationBasis, Goal, GoalType,
    HumanApprovalRequest, IdMap, NonEmpty, Plan, PlanBrief, PlanningError, RankedAgent, RecommendedAction,
    RunSettings, SubTask, TaskId, TaskRisk, check_depth, from_value,
};
use serde::de::DeserializeOwned;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::dependencies;
use crate::texts::english;

/// Below this mean chance of being right the choice of agents is a reason to doubt the plan; where no chance is known, below
/// this mean score.
const TRUSTED_MEAN_CHANCE: f64 = 0.5;
const TRUSTED_MEAN_SCORE: f64 = 0.7;
/// What marks a constraint as saying when.
const DATE_WORDS: [&str; 4] = ["time", "date", "deadline", "when"];

/// How many bytes of a digest are shown; enough that no two plans of a run share them.
const DIGEST_BYTES: usize = 12;

/// Says whether a person must approve before anything runs.
#[must_use]
pub fn needs_approval(confidence: Confidence, settings: &RunSettings) -> bool {
    settings.approval == ApprovalPolicy::Always || confidence < settings.approval_threshold
}

/// Gives the reasons for which a person is asked; there is always one.
#[must_use]
pub fn reasons(plan: &Plan, goal: Option<&Goal>, settings: &RunSettings) -> NonEmpty<String> {
    // Once failures have changed the plan, they are why it is asked about, not what was unclear at its start.
    if let Some(revision) = plan.metadata.revisions.last() {
        let lost: f64 = plan.metadata.revisions.iter().map(|revision| revision.confidence_delta.get()).sum();
        let (before, after) = (plan.confidence_score.shifted(-lost), plan.confidence_score);
        return NonEmpty::one(english::reason_fallen(before, after, &revision.changes));
    }
    let mut reasons: Vec<String> = signals(plan, goal).collect();
    for recorded in &plan.metadata.low_confidence_reasons {
        // Reasons of an earlier request are kept with the plan; what was worked out then is worked out anew.
        if !english::is_computed_reason(recorded) && !reasons.contains(recorded) {
            reasons.push(recorded.clone());
        }
    }
    NonEmpty::or_one(reasons, || {
        if plan.confidence_score < settings.approval_threshold {
            english::reason_low_score(plan.confidence_score, settings.approval_threshold)
        } else {
            english::reason_policy(plan.confidence_score)
        }
    })
}

fn signals(plan: &Plan, goal: Option<&Goal>) -> impl Iterator<Item = String> {
    let unusual = goal.filter(|goal| goal.goal_type == GoalType::GENERIC);
    // Of a goal that nothing is known of, nobody knows whether it needs dates.
    let undated = goal
        .filter(|goal| goal.goal_type != GoalType::GENERIC)
        .filter(|goal| !goal.constraints.iter().any(|constraint| says_when(constraint.kind.as_str())));
    let unrouted: Vec<_> =
        plan.subtasks.iter().filter(|task| task.agent_type.is_tbd()).map(|task| &task.task_id).collect();
    [
        unusual.map(|goal| english::reason_unusual_goal(&goal.goal_type)),
        undated.map(|_| english::REASON_NO_DATES.to_owned()),
        low_assignment(plan).map(english::reason_low_assignment),
        (!unrouted.is_empty()).then(|| english::reason_unrouted(&unrouted)),
    ]
    .into_iter()
    .flatten()
}

fn says_when(kind: &str) -> bool {
    let kind = kind.to_ascii_lowercase();
    DATE_WORDS.iter().any(|word| kind.contains(word))
}

/// How well the chosen agents fit on average, if that is too little.
fn low_assignment(plan: &Plan) -> Option<f64> {
    match mean_of_chosen(plan, |ranked| ranked.chance) {
        Some(chance) => Some(chance).filter(|&mean| mean < TRUSTED_MEAN_CHANCE),
        None => mean_of_chosen(plan, |ranked| Some(ranked.score)).filter(|&mean| mean < TRUSTED_MEAN_SCORE),
    }
}

/// The mean of a figure of the agents that were chosen, over the tasks whose ranking knows it.
fn mean_of_chosen(plan: &Plan, figure: impl Fn(&RankedAgent) -> Option<f64>) -> Option<f64> {
    let chosen = plan.subtasks.iter().filter_map(|task| {
        let mut ranking = task.metadata.ranking.iter();
        ranking.find(|ranked| ranked.agent_type == task.agent_type).and_then(&figure)
    });
    let (sum, count) =
        chosen.fold((0.0, 0_u32), |(sum, count), score| (sum + score, count.saturating_add(1)));
    (count > 0).then(|| sum / f64::from(count))
}

/// Names exactly this plan: what is done, by whom, in which order. How far it has come does not count.
#[must_use]
pub fn digest(plan: &Plan) -> String {
    let mut hasher = Sha256::new();
    let head = (plan.plan_id.as_str(), plan.execution_strategy.as_str());
    hasher.update(serde_json::to_vec(&head).unwrap_or_default());
    for task in &plan.subtasks {
        let order = (&task.task_id, &task.description, &task.agent_type, &task.dependencies, &task.inputs);
        let terms = (
            (&task.expected_outputs, task.priority, task.estimated_duration_seconds, task.retry_policy),
            (&task.metadata.validation, &task.metadata.tools),
        );
        hasher.update(serde_json::to_vec(&(order, terms)).unwrap_or_default());
    }
    candor_model::hex(hasher.finalize().iter().take(DIGEST_BYTES))
}

/// What of the discussion of a plan a reviewer is shown beside the plan.
#[derive(Debug, Clone, Default)]
pub struct Discussion {
    /// Whether a person wrote the plan.
    pub supplied: bool,
    /// Whether more can be said to the plan than yes, no and changes by field.
    pub open: bool,
    /// The plan in figures.
    pub brief: Option<Box<PlanBrief>>,
    /// How often the plan was changed so far.
    pub round: u32,
    /// Whether there are earlier versions to go back to.
    pub has_earlier: bool,
    /// The answer to what was asked last.
    pub reply: Option<String>,
    /// The acts in the plan that cannot be taken back and that nobody has allowed.
    pub risks: Vec<TaskRisk>,
}

impl Discussion {
    /// What can be decided: everything for so many rounds, and then only among what there is.
    fn choices(&self, settings: &RunSettings) -> Vec<ApprovalAction> {
        if !self.open {
            return vec![ApprovalAction::Approve, ApprovalAction::Adjust, ApprovalAction::Reject];
        }
        let mut choices = vec![ApprovalAction::Approve, ApprovalAction::Ask];
        if self.round < settings.phase_limits().max_plan_rounds {
            choices.extend([ApprovalAction::Alternative, ApprovalAction::Modify, ApprovalAction::Regenerate]);
        }
        if self.has_earlier {
            choices.push(ApprovalAction::Version);
        }
        choices.extend([ApprovalAction::Adjust, ApprovalAction::Reject]);
        choices
    }
}

/// Builds what a reviewer is shown.
#[must_use]
pub fn request(
    plan: &Plan,
    goal: Option<&Goal>,
    settings: &RunSettings,
    discussion: Discussion,
) -> HumanApprovalRequest {
    HumanApprovalRequest {
        plan_id: plan.plan_id.clone(),
        confidence_score: plan.confidence_score,
        // What a goal of its kind should say is no question where a person wrote the plan.
        reasons: with_risks(
            &discussion.risks,
            reasons(plan, goal.filter(|_| !discussion.supplied), settings),
        ),
        risks: discussion.risks.clone(),
        plan_summary: english::plan_summary(plan),
        criteria: criteria(plan, goal),
        recommended_action: RecommendedAction::ReviewAndAdjust,
        digest: digest(plan),
        choices: discussion.choices(settings),
        round: discussion.round,
        brief: discussion.brief,
        reply: discussion.reply,
    }
}

/// Acts that cannot be taken back are the first reason.
fn with_risks(risks: &[TaskRisk], reasons: NonEmpty<String>) -> NonEmpty<String> {
    let told: Vec<String> = risks.iter().take(SHOWN_RISKS).map(ToString::to_string).collect();
    let more = risks.len().saturating_sub(SHOWN_RISKS);
    let more = (more > 0).then(|| english::reason_more_risks(more));
    let others = reasons.iter().filter(|reason| risks.is_empty() || !english::is_policy(reason)).cloned();
    let all: Vec<String> = told.into_iter().chain(more).chain(others).collect();
    NonEmpty::new("reasons", all).unwrap_or(reasons)
}

/// How many risky tasks are named one by one.
const SHOWN_RISKS: usize = 10;

/// How many criteria of tasks a reviewer is shown.
const SHOWN_CRITERIA: usize = 20;

/// What will be checked: the goal's criteria, then those of tasks.
fn criteria(plan: &Plan, goal: Option<&Goal>) -> Vec<String> {
    let of_goal = goal.into_iter().flat_map(|goal| goal.success_criteria.iter().cloned());
    let of_tasks = plan.subtasks.iter().filter_map(|task| {
        let criterion = task.metadata.validation.as_deref()?;
        Some(format!("{}: {criterion}", task.task_id))
    });
    of_goal.chain(of_tasks.take(SHOWN_CRITERIA)).collect()
}

/// Writes the note for the record that a person let the plan run.
#[must_use]
pub fn approval_note(plan: &Plan) -> String {
    english::approval_note(&plan.plan_id, plan.confidence_score)
}

/// Writes the note for the record that what cannot be undone runs because the settings allow it.
#[must_use]
pub fn allowed_note(risks: &[TaskRisk]) -> String {
    english::allowed_risks(risks)
}

/// Why a reviewer's adjustments cannot be applied.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum AdjustmentError {
    /// The plan has no such task.
    #[error("cannot set `{field}` of task {task_id}: the plan has no such task")]
    UnknownTask {
        /// Id that no task of the plan has.
        task_id: TaskId,
        /// The field that was to be set.
        field: String,
    },
    /// A task has no such field, or it is not for people to set.
    #[error("cannot set `{field}` of task {task_id}: it is none of {}", ADJUSTABLE.join(", "))]
    UnknownField {
        /// Task that was to be changed.
        task_id: TaskId,
        /// The field that was to be set.
        field: String,
    },
    /// The field cannot have this value.
    #[error("cannot set `{field}` of task {task_id}: {problem}")]
    BadValue {
        /// Task that was to be changed.
        task_id: TaskId,
        /// The field that was to be set.
        field: String,
        /// What is wrong with the value.
        problem: String,
    },
    /// The adjusted plan cannot be carried out.
    #[error("the adjusted plan cannot be carried out: {0}")]
    Invalid(#[source] PlanningError),
}

/// The fields that a reviewer may set.
const ADJUSTABLE: [&str; 9] = [
    "description",
    "agent_type",
    "dependencies",
    "inputs",
    "inputs.KEY",
    "expected_outputs",
    "priority",
    "estimated_duration_seconds",
    "retry_policy",
];

/// Applies a reviewer's adjustments to a copy of the plan: all of them, or none.
///
/// A task whose description changes while its agent is not set is to be routed anew. The approval flag is
/// cleared, and nothing counts as a revision. The time of the change is the caller's to set.
pub fn adjust(plan: &Plan, adjustments: &[Adjustment]) -> Result<Plan, AdjustmentError> {
    let mut adjusted = plan.clone();
    let places: IdMap<&TaskId, usize> =
        plan.subtasks.iter().enumerate().map(|(place, task)| (&task.task_id, place)).collect();
    let mut agent_set = BTreeSet::new();
    for adjustment in adjustments {
        let place = places.get(&adjustment.task_id).copied();
        let task = place.and_then(|place| adjusted.subtasks.get_mut(place)).ok_or_else(|| {
            let Adjustment { task_id, field, .. } = adjustment.clone();
            AdjustmentError::UnknownTask { task_id, field }
        })?;
        set_field(task, adjustment)?;
        if adjustment.field == "agent_type" {
            agent_set.insert(&adjustment.task_id);
        }
    }
    for (before, task) in plan.subtasks.iter().zip(&mut adjusted.subtasks) {
        if task.description != before.description && !agent_set.contains(&task.task_id) {
            task.agent_type = AgentType::tbd();
            task.metadata.ranking.clear();
        }
    }
    adjusted.estimated_total_duration = adjusted.total_estimate();
    adjusted.metadata.requires_approval = false;
    checked(adjusted)
}

fn checked(plan: Plan) -> Result<Plan, AdjustmentError> {
    let verdict = dependencies::check(&plan.subtasks);
    if verdict.is_valid {
        return Ok(plan);
    }
    Err(AdjustmentError::Invalid(PlanningError::PlanInvalid {
        plan_id: plan.plan_id,
        errors: verdict.errors,
    }))
}

fn set_field(task: &mut SubTask, adjustment: &Adjustment) -> Result<(), AdjustmentError> {
    check_depth(&adjustment.field, &adjustment.new_value).map_err(|error| AdjustmentError::BadValue {
        task_id: adjustment.task_id.clone(),
        field: adjustment.field.clone(),
        problem: error.problem,
    })?;
    match adjustment.field.as_str() {
        "description" => task.description = read(adjustment)?,
        "agent_type" => task.agent_type = read(adjustment)?,
        "dependencies" => task.dependencies = read(adjustment)?,
        "inputs" => task.inputs = read(adjustment)?,
        "expected_outputs" => task.expected_outputs = read(adjustment)?,
        "priority" => task.priority = read(adjustment)?,
        "estimated_duration_seconds" => {
            task.estimated_duration_seconds = read(adjustment)?;
            task.metadata.duration_basis = Some(DurationBasis::Stated);
        }
        "retry_policy" => task.retry_policy = read(adjustment)?,
        other => set_input(task, other.strip_prefix("inputs.").unwrap_or_default(), adjustment)?,
    }
    Ok(())
}

fn set_input(task: &mut SubTask, key: &str, adjustment: &Adjustment) -> Result<(), AdjustmentError> {
    if key.is_empty() {
        let Adjustment { task_id, field, .. } = adjustment.clone();
        return Err(AdjustmentError::UnknownField { task_id, field });
    }
    task.inputs.insert(key.to_owned(), adjustment.new_value.clone());
    Ok(())
}

fn read<T: DeserializeOwned>(adjustment: &Adjustment) -> Result<T, AdjustmentError> {
    let Adjustment { task_id, field, new_value } = adjustment;
    from_value(Value::clone(new_value)).map_err(|error| AdjustmentError::BadValue {
        task_id: task_id.clone(),
        field: field.clone(),
        problem: error.problem,
    })
}

/// Lists the tasks of `after` that are new or defined otherwise than in `before`, in the order of `after`.
///
/// What happened to a task (its status, its failures, its ranking) is no part of its definition.
#[must_use]
pub fn changed_tasks(before: &Plan, after: &Plan) -> Vec<TaskId> {
    let known: IdMap<&TaskId, &SubTask> = before.subtasks.iter().map(|task| (&task.task_id, task)).collect();
    let unchanged = |task: &SubTask| known.get(&task.task_id).is_some_and(|old| same_definition(old, task));
    after.subtasks.iter().filter(|task| !unchanged(task)).map(|task| task.task_id.clone()).collect()
}

fn same_definition(one: &SubTask, other: &SubTask) -> bool {
    // Taken apart field by field, so that a new field of a task must be judged here.
    let SubTask {
        task_id,
        description,
        agent_type,
        dependencies,
        inputs,
        expected_outputs,
        priority,
        estimated_duration_seconds,
        status: _,
        retry_policy,
        metadata: _,
    } = one;
    *task_id == other.task_id
        && *description == other.description
        && *agent_type == other.agent_type
        && *dependencies == other.dependencies
        && *inputs == other.inputs
        && *expected_outputs == other.expected_outputs
        && *priority == other.priority
        && *estimated_duration_seconds == other.estimated_duration_seconds
        && *retry_policy == other.retry_policy
}
