//! The plan as it is shown to the person who decides on it: how it is carried out and by how many, what it
//! takes, what may go wrong, and what else could be done.

pub(crate) mod gaps;
mod options;
mod risks;
pub(crate) mod scale;
mod ways;

use candor_model::{
    AgentCapability, BriefTask, ExecutionStrategy, Plan, PlanBrief, PlanEstimates, Risk, SubTask,
};
use candor_planning::estimate;
use candor_planning::scaling::check_total;

pub(crate) use self::options::{Way, way};
pub(crate) use self::risks::{doubtful, from_model, of_plan};
pub(crate) use self::scale::Scale;
pub(crate) use self::ways::all_alternatives;

use crate::consult::OtherWay;
use crate::decompose::{LONGEST_RECORD, groups, tiers};

/// Puts the plan in figures; the error says what the figures lack.
pub(crate) fn of(
    plan: &Plan,
    agents: &[AgentCapability],
    scale: &Scale,
    risks: Vec<Risk>,
    at_once: u32,
    has_models: bool,
    from_model: &[OtherWay],
) -> Result<PlanBrief, String> {
    let tasks = &plan.subtasks;
    let alternatives = options::all(plan, agents, at_once, from_model);
    let brief = PlanBrief {
        strategy: plan.execution_strategy,
        agents: scale.agents,
        estimates: estimates(tasks, agents, plan.execution_strategy, at_once),
        subtasks: told(tasks, has_models),
        risks,
        recommendation: options::letter_of(plan.execution_strategy).to_owned(),
        alternatives,
    };
    match defects(&brief).as_slice() {
        [] => Ok(brief),
        defects => Err(format!("the plan cannot be shown as it is: {}", defects.join("; "))),
    }
}

/// Says what a plan in figures lacks before a person can decide on it; nothing if it is complete.
#[must_use]
pub fn defects(brief: &PlanBrief) -> Vec<String> {
    let mut defects = Vec::new();
    if !brief.alternatives.iter().any(|other| other.id == brief.recommendation) {
        defects.push(format!("the recommended alternative {} is not there", brief.recommendation));
    }
    let agents = brief.agents;
    // Without a model nobody belongs to a tier.
    let by_tier = agents.models.fast + agents.models.balanced + agents.models.strong;
    if agents.parallel + agents.sequential != agents.total || by_tier != agents.total && by_tier != 0 {
        defects.push(format!("its {} agents do not add up", agents.total));
    }
    defects.extend(check_total(agents.total).err().map(|error| error.to_string()));
    defects
}

/// What the tasks take when they are carried out like this, as far as it is known.
fn estimates(
    tasks: &[SubTask],
    agents: &[AgentCapability],
    strategy: ExecutionStrategy,
    at_once: u32,
) -> PlanEstimates {
    let width = estimate::width(strategy, at_once);
    PlanEstimates {
        tokens: None,
        cost: estimate::cost(tasks, agents),
        duration: estimate::duration(tasks, width),
        measured: estimate::remaining(tasks, width),
        measured_cost: estimate::measured_cost(tasks),
        measured_tokens: estimate::measured_tokens(tasks),
    }
}

/// The tasks; of a very long plan, the first ones.
fn told(tasks: &[SubTask], has_models: bool) -> Vec<BriefTask> {
    let mut group_of = vec![None; tasks.len()];
    for (number, group) in (1..).zip(groups::parallel(tasks)) {
        for at in group {
            if let Some(place) = group_of.get_mut(at) {
                *place = Some(number);
            }
        }
    }
    let told = |(task, parallel_group): (&SubTask, Option<u32>)| BriefTask {
        id: task.task_id.clone(),
        action: task.description.to_string(),
        agent: Some(task.agent_type.clone()).filter(|agent| !agent.is_tbd()),
        model: has_models.then(|| tiers::tier_of(task)),
        parallel_group,
        depends_on: task.dependencies.clone(),
    };
    tasks.iter().zip(group_of).take(LONGEST_RECORD).map(told).collect()
}
