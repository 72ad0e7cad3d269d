//! Other ways to do it, by rule with their figures, and as a model sees them.

use candor_model::{AgentCapability, Alternative, Seconds, SubTask};
use candor_planning::estimate;

use crate::consult::{PlanAnswer, Said};
use crate::decompose::groups;

/// Other ways by rule, with their figures, and those that a model sees.
pub(crate) fn all_alternatives(
    tasks: &[SubTask],
    agents: &[AgentCapability],
    said: Option<&Said<PlanAnswer>>,
) -> Vec<Alternative> {
    let mut all = alternatives(tasks, agents);
    let (cost, path) = (estimate::cost(tasks, agents), estimate::duration(tasks, None).map(Seconds::get));
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
    let [path, sum] = [None, Some(1)].map(|width| estimate::duration(tasks, width).map(Seconds::get));
    let cost = estimate::cost(tasks, agents);
    let mut others = Vec::new();
    if let Some((thrifty, cost)) =
        estimate::cheapest(tasks, agents).zip(cost).filter(|(least, cost)| least < cost)
    {
        others.push(Alternative {
            name: "cheapest agents".to_owned(),
            description: "Give each task to the cheapest agent that fits at least half as well".to_owned(),
            estimated_cost: Some(thrifty),
            estimated_seconds: None,
            trade_off: format!("${thrifty} instead of ${cost}; failures are more likely"),
        });
    }
    if groups::widest(tasks) > 1 {
        let times = sum.zip(path).map(|(sum, path)| format!("{sum} s instead of {path} s; "));
        let times = times.unwrap_or_else(|| "slower; ".to_owned());
        others.push(Alternative {
            name: "one at a time".to_owned(),
            description: "Carry the tasks out one after the other".to_owned(),
            estimated_cost: cost,
            estimated_seconds: sum,
            trade_off: format!("{times}a failure stops less work that is under way"),
        });
    }
    others.push(Alternative {
        name: "approve first".to_owned(),
        description: "Have a person look at the plan before anything runs (approval = \"always\")".to_owned(),
        estimated_cost: cost,
        estimated_seconds: path,
        trade_off: "slower by the time a person takes; nothing is spent on a plan that is not wanted"
            .to_owned(),
    });
    others
}
