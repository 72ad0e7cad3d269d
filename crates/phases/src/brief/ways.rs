//! Other ways to do it, by rule with their figures, and as a model sees them.

use candor_model::{AgentCapability, Alternative, SubTask};
use candor_planning::estimate;

use crate::consult::{PlanAnswer, Said};

/// Other ways by rule, with their figures, and those that a model sees.
pub(crate) fn all_alternatives(
    tasks: &[SubTask],
    agents: &[AgentCapability],
    said: Option<&Said<PlanAnswer>>,
) -> Vec<Alternative> {
    let mut all = alternatives(tasks, agents);
    let (cost, path) = (estimate::cost(tasks, agents), estimate::critical_path(tasks).get());
    all.extend(said.into_iter().flat_map(|said| &said.answer.alternatives).map(|other| Alternative {
        name: other.name.clone(),
        description: other.description.clone(),
        estimated_cost: cost,
        estimated_seconds: path,
        trade_off: other.trade_off.clone(),
    }));
    all
}

/// Other ways to carry out the same tasks.
fn alternatives(tasks: &[SubTask], agents: &[AgentCapability]) -> Vec<Alternative> {
    let (cost, path) = (estimate::cost(tasks, agents), estimate::critical_path(tasks));
    let thrifty = estimate::cheapest(tasks, agents);
    let sum: f64 = tasks.iter().map(|task| task.estimated_duration_seconds.get()).sum();
    let one_by_one = Alternative {
        name: "one at a time".to_owned(),
        description: "Carry the tasks out one after the other".to_owned(),
        estimated_cost: cost,
        estimated_seconds: sum,
        trade_off: format!("{sum} s instead of {path} s; a failure stops less work that is under way"),
    };
    let mut others = vec![
        Alternative {
            name: "cheapest agents".to_owned(),
            description: "Give each task to the cheapest agent that fits at least half as well".to_owned(),
            estimated_cost: thrifty,
            estimated_seconds: path.get(),
            trade_off: format!("${thrifty} instead of ${cost}; failures are more likely"),
        },
        Alternative {
            name: "approve first".to_owned(),
            description: "Have a person look at the plan before anything runs (approval = \"always\")"
                .to_owned(),
            estimated_cost: cost,
            estimated_seconds: path.get(),
            trade_off: "slower by the time a person takes; nothing is spent on a plan that is not wanted"
                .to_owned(),
        },
    ];
    if sum > path.get() {
        others.insert(1, one_by_one);
    }
    others
}
