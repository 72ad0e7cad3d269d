//! A model answers the task directly, without tools, when nobody else is left.

use super::{Situation, Step};
use crate::routing;

/// Whoever answers a task directly, unless that has failed too.
pub(super) fn step(situation: &Situation<'_>) -> Option<Step> {
    let agents = situation.context.agents?;
    let agent = agents.known.keys().find(|agent| routing::is_last_resort(agent))?;
    let task = situation.task;
    let tried = task.agent_type == *agent || task.metadata.failed_agents.contains(agent);
    (!tried && agents.is_available(agent)).then(|| Step::LastResort { agent: agent.clone() })
}
