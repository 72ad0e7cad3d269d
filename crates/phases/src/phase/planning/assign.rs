//! Who gets each task, and why.

use std::collections::BTreeSet;

use candor_model::{AgentCapability, SubTask, TaskId};
use candor_planning::phase::DecisionNote;
use candor_planning::routing;

use super::super::decomposition::OWN_AGENT_KEY;
use super::super::ranking::Ranking;
use crate::consult::{self, RouteAnswer, Tie};
use crate::router::Explanation;
use crate::{Incomplete, PhaseContext};

/// How many of a ranking stay with a task: enough for every revision a plan may have.
const RANKED: usize = 5;

/// Gives every task its agent: the one it names if that is known, the best of the ranking otherwise. Returns
/// what spoke for each choice of ours; nothing where a task has the agent that it named.
pub(super) fn assign(
    tasks: &mut [SubTask],
    agents: &[AgentCapability],
    ranking: &Ranking<'_>,
    notes: &mut Vec<String>,
) -> Result<Vec<Option<Explanation>>, String> {
    let mut choices = Vec::with_capacity(tasks.len());
    for task in tasks {
        let named = task.agent_type.clone();
        let known = agents.iter().any(|agent| agent.agent_type == named);
        let own = task.metadata.other.contains_key(OWN_AGENT_KEY);
        if known && (own || agents.len() == 1) {
            // There is nobody to fall back on, and a large plan need not say so with every task.
            choices.push(None);
            continue;
        }
        let explained = ranking
            .of(task, RANKED)
            .map_err(|reason| format!("no agent for task {}: {reason}", task.task_id))?;
        let mut ranked: Vec<_> = explained.iter().map(Explanation::ranked).collect();
        if known {
            ranked.retain(|ranked| ranked.score > 0.0);
            task.metadata.ranking = ranked;
            choices.push(None);
            continue;
        }
        routing::assign(task, ranked).map_err(|error| error.to_string())?;
        choices.push(explained.into_iter().find(|explained| explained.agent_type == task.agent_type));
        if !named.is_tbd() {
            notes.push(format!(
                "task {}: agent {named} is not known here; given to {}",
                task.task_id, task.agent_type
            ));
        }
    }
    Ok(choices)
}

/// What speaks for the agent that each task has already; the ranking of each is made anew. Who was just named by
/// a person is no choice of ours.
pub(super) fn explained(
    tasks: &mut [SubTask],
    ranking: &Ranking<'_>,
    named: &BTreeSet<TaskId>,
) -> Result<Vec<Option<Explanation>>, String> {
    let mut choices = Vec::with_capacity(tasks.len());
    for task in tasks {
        let explained = ranking
            .of(task, RANKED)
            .map_err(|reason| format!("no agent for task {}: {reason}", task.task_id))?;
        if task.agent_type.is_tbd() {
            let ranked = explained.iter().map(Explanation::ranked).collect();
            routing::assign(task, ranked).map_err(|error| error.to_string())?;
        } else if task.metadata.ranking.is_empty() && !task.metadata.other.contains_key(OWN_AGENT_KEY) {
            let ranked = explained.iter().map(Explanation::ranked);
            task.metadata.ranking = ranked.filter(|ranked| ranked.score > 0.0).collect();
        }
        let own = explained.into_iter().find(|explained| explained.agent_type == task.agent_type);
        choices.push(own.filter(|_| !named.contains(&task.task_id)));
    }
    Ok(choices)
}

/// How near the runner-up must be for a model to be asked, as a share of the best score, and for how many tasks.
const NEAR_TIE: f64 = 0.95;
const MOST_TIES: usize = 5;
/// How likely the right one of them is chosen once a model has looked at what they do.
const CHOSEN_BY_MODEL: f64 = 0.8;

/// Has a model choose where the figures do not tell two agents apart. Without one, the figures decide.
pub(super) fn break_ties(
    cx: &PhaseContext<'_>,
    tasks: &mut [SubTask],
    agents: &[AgentCapability],
    choices: &mut [Option<Explanation>],
) -> Result<(), Incomplete> {
    let ties: Vec<Tie<'_>> =
        tasks.iter().zip(&*choices).filter_map(|(task, choice)| tie(task, choice)).collect();
    let ties = ties.get(..ties.len().min(MOST_TIES)).unwrap_or_default();
    if ties.is_empty() {
        return Ok(());
    }
    let Some(said) = cx.consult::<RouteAnswer>("route_task", || consult::route_task(ties, agents))? else {
        return Ok(());
    };
    for (task, choice) in tasks.iter_mut().zip(choices) {
        let Some(chosen) = said.answer.of(&task.task_id) else { continue };
        let ranking = &mut task.metadata.ranking;
        let place = ranking.iter().position(|ranked| ranked.agent_type.as_str() == chosen.agent_type);
        let (Some(place), Some(choice)) = (place, choice) else { continue };
        let ranked = ranking.remove(place);
        choice.told =
            Some(format!("a near tie; {} chose {}: {}", said.model, ranked.agent_type, chosen.reason));
        choice.chance = Some(choice.chance.map_or(CHOSEN_BY_MODEL, |chance| chance.max(CHOSEN_BY_MODEL)));
        task.agent_type = ranked.agent_type.clone();
        ranking.insert(0, ranked);
    }
    Ok(())
}

/// The agents that the figures do not tell apart, if there are two.
fn tie<'t>(task: &'t SubTask, choice: &Option<Explanation>) -> Option<Tie<'t>> {
    let best = choice.as_ref().filter(|best| best.score > 0.0)?;
    let near = task.metadata.ranking.iter().filter(|ranked| ranked.score >= best.score * NEAR_TIE);
    let near: Vec<_> = near.map(|ranked| ranked.agent_type.clone()).collect();
    (near.len() > 1).then_some((task, near))
}

/// Why each task went to its agent. Those that named one leave nothing to be decided.
pub(super) fn routings(tasks: &[SubTask], choices: &[Option<Explanation>]) -> Vec<DecisionNote> {
    let ours = tasks.iter().zip(choices).filter_map(|(task, choice)| Some((task, choice.as_ref()?)));
    let decision = |(task, explained): (&SubTask, &Explanation)| DecisionNote {
        operation: "route_task",
        task_id: Some(task.task_id.clone()),
        input: routing::task_text(task).to_owned(),
        decision: format!("give it to {}", task.agent_type),
        reasoning: explained.to_string(),
    };
    ours.map(decision).collect()
}
