//! A model answers the task directly, without tools, when nobody else is left.

use candor_model::ExecutionFeedback;

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

/// The failure because of which a model was asked to answer directly, if it was and failed too: that is what a person
/// has to know.
pub(super) fn before<'a>(situation: &Situation<'a>) -> Option<&'a ExecutionFeedback> {
    let task = situation.task;
    if !routing::is_last_resort(&task.agent_type) {
        return None;
    }
    let failed = |report: &&ExecutionFeedback| {
        report.task_id == task.task_id
            && !report.feedback_type.is_success()
            && report.errors != situation.feedback.errors
    };
    situation.context.reports.iter().rev().map(AsRef::as_ref).find(failed)
}
