//! The only door through which a plan gets to execution.
//!
//! A proposal is checked in a fixed order: size, dependencies, completeness, assignments, confidence. Two
//! things are mended on the way, once each and with a note: a cycle, and categories without a task. What
//! is still wrong after that is refused with everything that is wrong with it. Mending costs no confidence
//! and is no revision. The approval gate comes after this door and is not decided here.

use std::collections::BTreeSet;
use std::io;

use candor_model::{
    AgentCapability, CalibrationMetrics, Confidence, Plan, PlanBrief, PlanningError, RepairKind, RunSettings,
};

use crate::completeness::Category;
use crate::{assignment, calibration, completeness, dependencies, routing};

/// The fewest agents that say what they can do, unless an installation wants more to choose from.
pub const MIN_AGENTS: usize = 1;

/// A plan and what is needed to judge it.
#[derive(Debug, Clone, PartialEq)]
pub struct Proposal {
    /// The plan that is to be valid.
    pub plan: Plan,
    /// The agents that can be given tasks.
    pub agents: Vec<AgentCapability>,
    /// What plans for this kind of goal must take care of.
    pub categories: Vec<Category>,
    /// How far past confidence could be trusted.
    pub calibration: CalibrationMetrics,
    /// The plan in figures, for the person who decides on it.
    pub brief: Option<Box<PlanBrief>>,
    /// The tasks that were added for categories without one, one note each.
    pub added: Vec<String>,
}

/// A plan that may be executed once the approval gate is passed.
#[derive(Debug, Clone, PartialEq)]
pub struct Accepted {
    /// The plan, mended where that was needed, with its calibrated confidence.
    pub plan: Plan,
    /// The confidence before calibration.
    pub raw_confidence: Confidence,
    /// What was mended, for people.
    pub repairs: Vec<String>,
    /// The kinds of these repairs.
    pub repair_kinds: BTreeSet<RepairKind>,
}

/// Checks that there is what planning cannot do without: a registry with enough agents to choose from,
/// usually [`MIN_AGENTS`].
pub fn check_preconditions(agents: &[AgentCapability], min_agents: usize) -> Result<(), PlanningError> {
    // Whoever answers when nobody else can is nobody to plan with.
    let says_what = |agent: &&AgentCapability| {
        let says = !agent.capabilities.is_empty() || !agent.specialization.trim().is_empty();
        says && !routing::is_last_resort(&agent.agent_type)
    };
    let able = agents.iter().filter(says_what).count();
    if able >= min_agents {
        return Ok(());
    }
    let missing =
        format!("the agent registry has {able} agents that say what they can do and needs {min_agents}");
    Err(PlanningError::Precondition { missing })
}

/// Lets a sound plan through, mends what can be mended, and refuses the rest with the reasons.
///
/// Tasks without an agent pass: they are routed before they run.
pub fn accept(proposal: Proposal, settings: &RunSettings) -> Result<Accepted, PlanningError> {
    let Proposal { mut plan, agents, categories, calibration, brief: _, mut added } = proposal;
    check_size(&plan, settings.max_plan_bytes)?;
    check_not_empty(&plan)?;
    let removed = mend_dependencies(&mut plan)?;
    added.extend(mend_completeness(&mut plan, &categories, settings)?);
    let assignments = assignment::check_routed(&plan.subtasks, &agents);
    refuse_if_any(&plan, "Invalid assignments: ", assignments.errors)?;
    let raw_confidence = plan.confidence_score;
    plan.confidence_score = calibration::adjust(raw_confidence, &calibration);
    plan.estimated_total_duration = plan.total_estimate();
    let removed_one = removed.is_some().then_some(RepairKind::DependencyRemoved);
    let added_some = (!added.is_empty()).then_some(RepairKind::TaskAdded);
    let repair_kinds = removed_one.into_iter().chain(added_some).collect();
    let repairs = removed.into_iter().chain(added).collect();
    Ok(Accepted { plan, raw_confidence, repairs, repair_kinds })
}

/// Checks a plan again after a revision: its size, its dependencies, and that no task went to an agent
/// that its own ranking rules out. Nothing is mended.
pub fn recheck(plan: &Plan, settings: &RunSettings) -> Result<(), PlanningError> {
    check_size(plan, settings.max_plan_bytes)?;
    check_not_empty(plan)?;
    check_dependencies(plan)?;
    refuse_if_any(plan, "Invalid assignments: ", assignment::check_fit(&plan.subtasks).errors)
}

/// Checks that the plan, written as JSON, is smaller than `max_bytes`.
pub fn check_size(plan: &Plan, max_bytes: u64) -> Result<(), PlanningError> {
    let mut counter = ByteCounter(0);
    if let Err(error) = serde_json::to_writer(&mut counter, plan) {
        return Err(refused(plan, vec![format!("Plan cannot be written as JSON: {error}")]));
    }
    let ByteCounter(bytes) = counter;
    if bytes < max_bytes {
        return Ok(());
    }
    Err(refused(
        plan,
        vec![format!("Plan too large: {bytes} bytes, and it must be smaller than {max_bytes}")],
    ))
}

/// Counts what is written and keeps none of it.
struct ByteCounter(u64);

impl io::Write for ByteCounter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        self.0 = self.0.saturating_add(count);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn check_not_empty(plan: &Plan) -> Result<(), PlanningError> {
    if plan.subtasks.is_empty() {
        return Err(refused(plan, vec!["Plan has no tasks: `subtasks` is empty".to_owned()]));
    }
    Ok(())
}

fn check_dependencies(plan: &Plan) -> Result<(), PlanningError> {
    refuse_if_any(plan, "Invalid dependencies: ", dependencies::check(&plan.subtasks).errors)
}

/// Removes one dependency if that is all that stands between the plan and an order; says which.
fn mend_dependencies(plan: &mut Plan) -> Result<Option<String>, PlanningError> {
    let refusal = match check_dependencies(plan) {
        Ok(()) => return Ok(None),
        Err(refusal) => refusal,
    };
    match dependencies::repair_cycle(&plan.subtasks) {
        Some(repair) if dependencies::check(&repair.tasks).is_valid => {
            plan.subtasks = repair.tasks;
            Ok(Some(repair.note))
        }
        // Every error of the plan as it came in is worth more to its author than what a failed repair left.
        _ => Err(refusal),
    }
}

/// Adds tasks for categories without one. A pack's templates are data like any other, so the grown plan
/// is checked again from the start.
fn mend_completeness(
    plan: &mut Plan,
    categories: &[Category],
    settings: &RunSettings,
) -> Result<Vec<String>, PlanningError> {
    if completeness::check(&plan.subtasks, categories).missing_categories.is_empty() {
        return Ok(Vec::new());
    }
    let (tasks, notes) = completeness::add_missing(&plan.subtasks, categories);
    plan.subtasks = tasks;
    let found = completeness::check(&plan.subtasks, categories);
    if !found.is_complete {
        return Err(refused(plan, vec![format!("Plan incomplete: {}", found.missing_categories.join(", "))]));
    }
    check_size(plan, settings.max_plan_bytes)?;
    check_dependencies(plan)?;
    Ok(notes)
}

/// Refuses the plan for these errors, told under one heading.
fn refuse_if_any(plan: &Plan, heading: &str, mut errors: Vec<String>) -> Result<(), PlanningError> {
    match errors.first_mut() {
        None => Ok(()),
        Some(first) => {
            first.insert_str(0, heading);
            Err(refused(plan, errors))
        }
    }
}

fn refused(plan: &Plan, errors: Vec<String>) -> PlanningError {
    PlanningError::PlanInvalid { plan_id: plan.plan_id.clone(), errors }
}
